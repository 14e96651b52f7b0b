// The story of a request at both of its hubs: every service writes its part of it in the commit of
// what it tells, and the words beside each other say the same.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as words from '../../../../preload/contract/strings/story.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, newest, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import { BROWSER, delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

const ASKS = { agent: 'openclaw' } as const;
const time = (): string => 'then';
const signal = new AbortController().signal;

/** What people read of the newest task of that hub. */
async function told(hub: WorkHub): Promise<readonly (string | null)[]> {
  // What nobody waits for is written a moment later.
  await clock.advance(100);
  const { id } = newest(hub);
  const { story } = await hub.work.tasks.get(id, { person: BROWSER }, 0, signal);
  return [
    words.headlineOf(story),
    words.decidedOf(story),
    words.handedOverOf(story, time),
    words.stopOf(story),
    words.toldOf(story, time),
  ];
}

describe('two hubs', () => {
  beforeEach(async () => {
    ({ clock, dad, mum } = await openTwoHubs());
  });
  afterEach(() => closeTwoHubs({ clock, dad, mum }));

  const send = (more: Parameters<typeof delegation>[2] = {}) =>
    dad.work.sender.delegate(
      delegation('mum', 'Dinner is at 7', { domain: 'family.chat', ...more }),
      'openclaw',
      null,
    );
  const reply = (
    delivery: string,
    more: {
      status: 'completed' | 'failed';
      code?: string;
      error?: string;
      outcome?: string;
      tokens_used?: number;
    },
  ) => mum.work.inbox.reply('claude', delivery, { data: null, truncated: false, ...more });
  const allowed = async (): Promise<string> => {
    await send();
    await mum.decide(mum.card, 'allow');
    return (await mum.claim('claude')).delivery_id;
  };
  const cancel = () => dad.work.tasks.cancel(newest(dad).id, { agent: 'openclaw' }, null);

  it('tell a person which rule allowed it, and no agent what a rule of the household says', async () => {
    await mum.work.agents.setClass('claude', { riskClass: 'R1' }, BROWSER);
    await send();
    const { id, revision, digest } = mum.card;
    await mum.work.approvals.decide(
      { id, revision, digest, decision: 'allow', scope: 'always' },
      BROWSER,
    );
    await send();
    await clock.settle();
    const task = newest(mum).id;
    const deciderFor = async (viewer: Parameters<typeof mum.work.tasks.get>[1]) => {
      const { verdict } = (await mum.work.tasks.get(task, viewer, 0, signal)).story;
      return 'decider' in verdict ? verdict.decider : undefined;
    };
    expect(await deciderFor({ person: BROWSER })).toMatchObject({
      by: 'rule',
      rule: { effect: 'allow', domain: 'family.chat' },
    });
    expect(await deciderFor({ agent: 'claude' })).toMatchObject({ by: 'rule', rule: null });
  });

  it('tell of what was allowed, done and delivered', async () => {
    const delivery = await allowed();
    await mum.work.inbox.ack('claude', delivery, null);
    expect((await told(dad))[0]).toBe('An agent on mum has begun.');
    await reply(delivery, { status: 'completed', tokens_used: 7 });
    expect(await told(mum)).toEqual([
      'Done.',
      "mum's person allowed it, on mum.",
      'Claude got it, then.',
      null,
      'dad has the answer, then.',
    ]);
    expect(await told(dad)).toEqual([
      'Done.',
      "mum's person allowed it, on mum.",
      'An agent on mum got it.',
      null,
      null,
    ]);
    expect(newest(mum)).toMatchObject({
      deadlineBy: 'default',
      waitsFor: 'person',
      verdictSurface: 'browser',
      handedTimes: 1,
      endedBy: 'agent',
      endedKind: 'completed',
      tokens: 7,
    });
  });

  it.each([
    ['architect', 'Architect', 'Architect'],
    ['', 'an agent on another hub', 'An agent on another hub'],
  ])('tell who had it at the end by the answer alone: "%s"', async (handle, onTo, by) => {
    await send();
    await mum.decide(mum.card, 'allow');
    const { id, messageId } = newest(dad);
    const payload = { status: 'completed', outcome: 'Drawn', ended_by: 'agent' };
    await dad.isTold(mum.key, {
      id: crypto.randomUUID(),
      kind: 'result',
      ref: messageId,
      payload: { ...payload, handed_on_to: handle },
    });
    expect((await told(dad))[2]).toBe(`An agent on mum got it. It handed it on to ${onTo}.`);
    const { story } = await dad.work.tasks.get(id, ASKS, 0, signal);
    expect(words.saidOf(story)).toEqual({ by, words: 'Drawn' });
    const { untrusted } = await dad.claim('openclaw');
    expect(untrusted?.origin.from_agent).toBe(handle || null);
    expect(untrusted?.came_of_it).toBe(words.becameOf(story));
  });

  it('take no hand-off back on the way round, and one of another conversation', async () => {
    await send();
    const { id, revision, conversationId } = newest(mum);
    await mum.store.write((tables) => tables.updateTask(id, revision, { handedOnTo: 'lists' }));
    const handOff = (conversation: string) =>
      mum.hears(dad.key, {
        id: crypto.randomUUID(),
        kind: 'delegate',
        payload: { task: 'Dinner', act: 'handoff', conversation: { id: conversation } },
      });
    const back = { code: 'conflict', reason: expect.stringContaining('where it came from') };
    expect((await handOff(conversationId)).payload).toMatchObject(back);
    expect((await handOff('another')).payload).toMatchObject({ accepted: true });
  });

  it('count how often an agent was handed it', async () => {
    const delivery = await allowed();
    await mum.work.inbox.nack('claude', delivery, null);
    await mum.claim('claude');
    expect((await told(mum))[2]).toBe('Claude got it 2 times, first then.');
  });

  it('tell of a failure of its agent as of its own, and keep its words', async () => {
    await reply(await allowed(), { status: 'failed', error: 'The oven is cold.' });
    expect((await told(mum))[0]).toBe('Claude could not do it.');
    expect((await told(dad))[0]).toBe('An agent on mum could not do it.');
    const { code, story } = await dad.work.tasks.get(newest(dad).id, ASKS, 0, signal);
    expect(code, 'its agent named none').toBeNull();
    expect(story.end).toMatchObject({ kind: 'failed', by: 'agent', code: null, retryable: false });
    expect(words.saidOf(story)).toEqual({ by: 'An agent on mum', words: 'The oven is cold.' });
  });

  it('call what an agent refuses refused by it, and not declined', async () => {
    await reply(await allowed(), { status: 'failed', code: 'rejected', error: 'Not on Sundays.' });
    expect((await told(mum))[0]).toBe('Claude refused it.');
    expect(await told(dad)).toEqual([
      'An agent on mum refused it.',
      "mum's person allowed it, on mum.",
      'An agent on mum got it.',
      null,
      null,
    ]);
    expect(newest(dad).state).toBe('failed');
  });

  it('tell of what a person declined', async () => {
    await send();
    expect(await told(mum)).toEqual(['Waits for you.', null, null, null, null]);
    expect((await told(dad))[0]).toBe('Waits until a person decides for mum.');
    await mum.decide(mum.card, 'decline', BROWSER, { reason: 'not now' });
    const both = ['Declined.', "mum's person declined it, on mum.", 'No agent got it.', null];
    expect(await told(mum)).toEqual([...both, 'dad has the answer, then.']);
    expect(await told(dad)).toEqual([...both, null]);
    expect(newest(mum)).toMatchObject({ endedBy: 'person', endedKind: null });
  });

  it('tell of what nobody decided', async () => {
    await send({ deadline_ms: 60_000 });
    await clock.advance(61_000);
    expect((await told(mum)).slice(0, 2)).toEqual([
      'Nobody decided in time.',
      'Nobody here decided in time. No agent got it.',
    ]);
    expect((await told(dad)).slice(0, 2)).toEqual([
      'Nobody decided in time.',
      'Nobody decided for mum in time. No agent got it.',
    ]);
    expect(newest(mum)).toMatchObject({
      verdict: 'expired',
      verdictBy: null,
      deadlineBy: 'asker',
      endedBy: 'clock',
    });
  });

  it('tell of what a person answered, and of what that person never gave to an agent', async () => {
    await send();
    await mum.decide(mum.card, 'answer', BROWSER, { answer: 'At eight.' });
    const both = ["mum's person answered it, on mum.", 'No agent got it.', null];
    expect((await told(mum)).slice(0, 4)).toEqual(["Answered by mum's person on mum.", ...both]);
    expect((await told(dad)).slice(0, 4)).toEqual(["Answered by mum's person on mum.", ...both]);
    expect(newest(dad)).toMatchObject({
      endedBy: 'person',
      verdict: 'answered',
      verdictHub: mum.key,
    });
  });

  it('tell of what was cancelled before anybody decided', async () => {
    await send();
    await cancel();
    expect((await told(mum)).slice(0, 4)).toEqual([
      'Cancelled: nobody had decided.',
      'OpenClaw on dad cancelled it before anybody decided. No agent got it.',
      null,
      null,
    ]);
    expect((await told(dad))[0]).toBe('Cancelled: nobody had begun.');
    // Also where no approval is kept.
    expect(newest(mum)).toMatchObject({ verdict: 'withdrawn', verdictHub: null });
  });

  it('tell of what was cancelled before its agent had it', async () => {
    await send();
    await mum.decide(mum.card, 'allow');
    await cancel();
    for (const hub of [mum, dad]) expect((await told(hub))[3]).toBe('Cancelled: nobody had begun.');
    expect(newest(mum)).toMatchObject({ stopParty: dad.key, stopReachedAt: null, handedAt: null });
  });

  it('do not say that it stopped before its agent did', async () => {
    const delivery = await allowed();
    await mum.work.inbox.ack('claude', delivery, null);
    await cancel();
    expect((await told(mum))[0]).toBe('Asked Claude to stop; it still runs.');
    expect((await told(dad))[0]).toBe('Asked an agent on mum to stop; it had begun.');
    const { delivery_id: stop } = await mum.claim('claude');
    expect(newest(mum).stopReachedAt).not.toBeNull();
    await mum.work.inbox.ack('claude', stop, null);
    await reply(delivery, { status: 'failed', code: 'cancelled' });
    for (const hub of [mum, dad]) expect((await told(hub))[0]).toBe('Stopped.');
    expect(newest(mum)).toMatchObject({ stopObeyed: true, endedKind: 'stopped' });
    const { untrusted } = await dad.work.tasks.get(newest(dad).id, ASKS, 0, signal);
    expect(untrusted, 'its agent said no word').toMatchObject({ outcome: null, error: null });
  });

  it('say that it was finished though it was asked to stop', async () => {
    const delivery = await allowed();
    await mum.work.inbox.ack('claude', delivery, null);
    await cancel();
    await reply(delivery, { status: 'completed' });
    for (const hub of [mum, dad]) {
      const [headline, , , stop] = await told(hub);
      const who = hub === mum ? 'Claude' : 'an agent on mum';
      const done = 'Done, though OpenClaw on dad asked it to stop.';
      expect([headline, stop]).toEqual([done, `Asked to stop; ${who} finished all the same.`]);
    }
    expect(newest(dad).stopObeyed).toBe(false);
  });

  it('tell an agent that a person of its own hub stops it, until it is done with the work', async () => {
    const delivery = await allowed();
    await mum.work.inbox.ack('claude', delivery, null);
    await mum.work.tasks.cancel(newest(mum).id, { person: BROWSER }, null);
    const item = await mum.claim('claude');
    expect(item).toMatchObject({
      kind: 'cancel',
      trust: { peer_id: null, peer_name: 'mum' },
      untrusted: { origin: { peer_id: null, peer_name: 'mum', from_agent: null } },
    });
    expect(item.instruction_from_hub).toContain('A person on this hub stopped task ');
    await mum.work.inbox.nack('claude', item.delivery_id, null);
    await reply(delivery, { status: 'completed' });
    expect(await mum.work.inbox.claim('claude', 9)).toEqual([]);
  });

  it('tell what the hub says of a stop in the name of no agent', async () => {
    const delivery = await allowed();
    await mum.work.tasks.cancel(newest(mum).id, { person: BROWSER }, null);
    await expect(mum.work.inbox.ack('claude', delivery, null)).rejects.toMatchObject({
      code: 'cancelled',
    });
    await clock.advance(100);
    const results = mum.store.read
      .messages({ limit: 9 }, {})
      .filter(({ kind }) => kind === 'result');
    expect(results.map(({ fromAgent }) => fromAgent)).toEqual([null]);
  });

  it('say to an agent that gave it back that a person stopped it', async () => {
    const delivery = await allowed();
    await mum.work.tasks.cancel(newest(mum).id, { person: BROWSER }, null);
    await mum.work.inbox.nack('claude', delivery, null);
    const items = await mum.work.inbox.claim('claude', 9);
    expect(items.map(({ kind }) => kind)).not.toContain('delegate');
    const stopped = reply(delivery, { status: 'completed' });
    await expect(stopped).rejects.toThrow('a person on this hub stopped it');
  });

  it('say that a hub stopped while a question waited for a person', async () => {
    const line = new AbortController();
    const asked = dad.work.sender
      .query({ to: 'mum', question: 'Who is in?', domain: 'family.chat' }, 'openclaw', line.signal)
      .catch((error: unknown) => error);
    await clock.advance(100);
    await mum.restart();
    expect((await told(mum)).slice(0, 3)).toEqual([
      'The hub stopped while it waited. Nobody decided, and no agent got it.',
      null,
      null,
    ]);
    line.abort();
    await asked;
  });

  it('tell of what ended with the trust between them', async () => {
    await allowed();
    await mum.endTrust(dad, 'suspended');
    expect((await told(mum)).slice(0, 2)).toEqual([
      'Ended when the link between the two hubs was ended.',
      "mum's person allowed it, on mum.",
    ]);
  });

  const ask = () =>
    dad.work.sender.query(
      { to: 'mum', question: 'Who is in?', domain: 'family.chat' },
      'openclaw',
      signal,
    );

  it('tell of a question as of a task, with the words of the agent that failed', async () => {
    const asked = ask();
    await clock.settle();
    await mum.decide(mum.card, 'allow');
    const { delivery_id: id } = await mum.claim('claude');
    await reply(id, { status: 'failed', error: 'The camera is off.' });
    await expect(asked).rejects.toThrow(
      "mum's person allowed it, on mum. An agent on mum could not do it.",
    );
    expect((await told(mum)).slice(0, 3)).toEqual([
      'Claude could not do it.',
      "mum's person allowed it, on mum.",
      'Claude got it, then.',
    ]);
    expect((await told(dad)).slice(0, 2)).toEqual([
      'An agent on mum could not do it.',
      "mum's person allowed it, on mum.",
    ]);
    const { story } = await dad.work.tasks.get(newest(dad).id, ASKS, 0, signal);
    expect(words.saidOf(story)?.words).toBe('The camera is off.');
  });

  it('write down at both hubs that a person answered a question', async () => {
    const asked = ask();
    await clock.settle();
    await mum.decide(mum.card, 'answer', BROWSER, { answer: 'All of us.' });
    await asked;
    await clock.advance(100);
    for (const hub of [mum, dad])
      expect(newest(hub)).toMatchObject({ verdict: 'answered', endedBy: 'person' });
  });

  it('tell of a question that nobody was asked about', async () => {
    await mum.agent('looks', ['family.photos'], { risk: 'R0' });
    await mum.knows(dad);
    const asked = dad.work.sender.query(
      { to: 'mum', question: 'Which one?', domain: 'family.photos' },
      'openclaw',
      signal,
    );
    await clock.settle();
    const { delivery_id: id } = await mum.claim('looks');
    await mum.work.inbox.reply('looks', id, {
      status: 'completed',
      summary: 'The one with the cat.',
      tokens_used: 7,
      truncated: false,
    });
    await asked;
    await clock.advance(100);
    expect((await told(mum)).slice(0, 3)).toEqual([
      'Answered.',
      'Nobody was asked: Looks only looks.',
      'Looks got it, then.',
    ]);
    expect(newest(mum)).toMatchObject({ tokens: 7, endedBy: 'agent', deadlineBy: 'default' });
    expect((await told(dad))[0]).toBe('Answered.');
  });

  it('do not know what became of a question that its agent had when the hub stopped', async () => {
    const asked = ask().catch(() => undefined);
    await clock.settle();
    await mum.decide(mum.card, 'allow');
    await mum.claim('claude');
    await mum.restart();
    expect((await told(mum)).slice(0, 3)).toEqual([
      'Ended by mum. It may have been done.',
      "mum's person allowed it, on mum.",
      null,
    ]);
    await clock.advance(120_000);
    await asked;
  });
});

describe('what an adult decides for a child', () => {
  let house: RemoteApprovalHouse;

  beforeEach(async () => {
    house = await new RemoteApprovalHouse().open();
    ({ clock } = house);
    await house.letDecide();
  });
  afterEach(() => house.close());

  it('is told at all three hubs, with who decided and where', async () => {
    await house.ask();
    expect((await told(house.leo))[0]).toBe('Waits until a person decides for mum.');
    expect((await storyOf(house.mum)).on_behalf_of).toMatchObject({
      hub: { hub_name: 'leo' },
      text: 'Mow the lawn',
    });
    await house.decide(house.mum, 'allow');
    expect((await told(house.mum)).slice(0, 3)).toEqual([
      'Allowed: leo may do it.',
      "mum's person allowed it, on mum, as an adult.",
      null,
    ]);
    expect((await told(house.friend))[1]).toBe('An adult allowed it for leo.');
    const [request] = house.leo.store.read
      .tasks({ limit: 9 })
      .filter(({ direction }) => direction === 'incoming');
    const { story } = await house.leo.work.tasks.get(
      request?.id ?? '',
      { person: BROWSER },
      0,
      signal,
    );
    expect(words.decidedOf(story)).toBe(
      "mum's person allowed it, on mum, as leo's person’s adult.",
    );
  });

  async function storyOf(hub: WorkHub) {
    return (await hub.work.tasks.get(newest(hub).id, { person: BROWSER }, 0, signal)).story;
  }
});
