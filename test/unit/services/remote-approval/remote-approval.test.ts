// A child's request that an adult's hub decides: what waits where, what the adult sees, that the
// first verdict counts, that nothing leads around her, and that without a verdict nothing runs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import {
  BROWSER,
  delegation,
  NO_LIMITS,
  OWNER,
  WINDOW,
  type WorkHub,
} from '../../../fakes/work-hub.ts';

let house: RemoteApprovalHouse;
let leo: WorkHub;
let mum: WorkHub;
let dad: WorkHub;

beforeEach(async () => {
  house = await new RemoteApprovalHouse().open();
  ({ leo, mum, dad } = house);
});
afterEach(() => house.close());

const FROZEN = {
  code: 'blocked',
  message: expect.stringContaining('While an adult’s hub decides here') as string,
};
const robotGets = async () =>
  (await leo.work.inbox.claim('robot', 5)).map(({ untrusted }) => untrusted?.text);
const sends = (hub: WorkHub, kind: string) =>
  hub.messenger.sent.filter((message) => message.kind === kind);

describe('a request that an adult decides', () => {
  it('waits at both hubs, and the adult reads what the child’s hub keeps', async () => {
    await house.letDecide();
    const text = 'Mow the lawn \u202Ewon\u202C, all of it';
    expect(
      await house.ask(text, { context: { note: 'be\u200Bfore 5' }, reason: 'It is high' }),
    ).toMatchObject({
      state: 'awaiting_approval',
    });
    const here = leo.card;
    expect(here).toMatchObject({
      state: 'pending',
      decided_by_hubs: [{ name: 'mum', state: 'asked' }],
      remote_question: null,
    });
    const there = mum.card;
    expect(there).toMatchObject({
      text: 'Mow the lawn [U+202E]won[U+202C], all of it',
      peer_name: 'leo',
      from_agent: 'openclaw',
      to_agent: 'robot',
      domain: 'home.robot',
      risk_class: 'R2',
      reason: 'It is high',
      choice: null,
      wider: [],
      remote_question: {
        asker: 'friend',
        by_person: false,
        digest: here.digest,
        message_id: here.message_id,
      },
    });
    const shown = leo.events.flatMap((event) =>
      event.type === 'approval' ? [event.approval.decided_by_hubs?.[0]?.state] : [],
    );
    expect(shown.at(-1), 'the page at leo’s is told').toBe('asked');
    expect([there.text, there.fields]).toEqual([here.text, here.fields]);
    expect(there.digest).not.toBe(here.digest);
    expect(there.fields).toContainEqual(['context.note', 'be[U+200B]fore 5']);
  });

  it('offers nothing wider on her card, though an agent of hers has the same name and area: what is asked about is not hers', async () => {
    await mum.agent('robot', ['home.robot']);
    await house.letDecide();
    for (const text of ['Mow the lawn', 'Mow it again']) {
      await house.ask(text);
      expect(mum.card).toMatchObject({ to_agent: 'robot', domain: 'home.robot', wider: [] });
      await mum.decide(mum.card, 'decline');
    }
  });

  it('runs once she allows it, and the friend gets the result as ever', async () => {
    await house.letDecide();
    const { id } = await house.ask();
    const digest = leo.card.digest;
    const decided = await house.decide(mum, 'allow');
    expect(decided).toMatchObject({ state: 'approved', task_state: 'completed' });
    expect(leo.work.approvals.pending()).toEqual([]);
    expect(leo.work.approvals.decided({ limit: 1 }).items[0]).toMatchObject({
      state: 'approved',
      surface: 'peer',
      decided_by: "mum's person, mum",
      digest,
    });
    expect(await robotGets()).toEqual(['Mow the lawn']);
    expect((await house.told(id)).state).toBe('queued');
    expect(mum.store.read.tasks({ limit: 5 }).map(({ toAgent }) => toAgent)).toEqual([null]);
  });

  it('is not run when she declines it, and the friend reads her words', async () => {
    await house.letDecide();
    const { id } = await house.ask();
    await house.decide(mum, 'decline', { reason: 'It rains' });
    expect(await robotGets()).toEqual([]);
    expect(await house.told(id)).toMatchObject({
      state: 'declined',
      code: 'rejected',
      untrusted: { error: 'A person declined this request: It rains' },
    });
    expect(house.audit(leo, 'approval.declined')[0]).toMatchObject({
      actor: mum.key,
      surface: 'peer',
    });
  });

  it('cannot be allowed or answered at the child’s own hub, and may be declined there: then her card goes', async () => {
    await house.letDecide();
    const { id } = await house.ask();
    await expect(leo.decide(leo.card, 'allow')).rejects.toMatchObject({
      code: 'blocked',
      message: expect.stringContaining('mum') as string,
    });
    await expect(leo.decide(leo.card, 'answer', WINDOW, { answer: 'Yes' })).rejects.toMatchObject({
      code: 'blocked',
    });
    expect(await robotGets()).toEqual([]);
    await house.decide(leo, 'decline');
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.work.approvals.decided({ limit: 1 }).items[0]).toMatchObject({ state: 'cancelled' });
    expect((await house.told(id)).state).toBe('declined');
  });

  it('goes from her page when whoever asked calls it off', async () => {
    await house.letDecide();
    const { id } = await house.ask();
    await house.friend.work.tasks.cancel(id, { agent: 'openclaw' }, null);
    await house.clock.settle();
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  it('waits while her hub is away, reaches it later, and expires unrun when nobody comes', async () => {
    await house.letDecide();
    leo.cut(mum);
    const { id } = await house.ask('Mow the lawn', { deadline_ms: 600_000 });
    expect(leo.card.decided_by_hubs).toMatchObject([{ name: 'mum', state: 'away' }]);
    expect(sends(leo, 'delegate')).toEqual([]);
    leo.connect(mum);
    await house.clock.settle();
    expect(mum.card.remote_question?.digest).toBe(leo.card.digest);
    leo.cut(mum);
    await house.clock.advance(601_000);
    expect(await house.told(id)).toMatchObject({ state: 'expired', code: 'approval_expired' });
    expect(await robotGets()).toEqual([]);
    leo.connect(mum);
    await house.clock.settle();
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  it('of a question to an agent is decided there, too', async () => {
    await house.letDecide();
    const asked = house.friend.work.sender.query(
      { to: 'leo', question: 'Is the lawn dry?', domain: 'home.robot', deadline_ms: 60_000 },
      'openclaw',
      new AbortController().signal,
    );
    asked.catch(() => undefined);
    await house.clock.settle();
    expect(mum.card).toMatchObject({
      kind: 'query',
      text: 'Is the lawn dry?',
      remote_question: { asker: 'friend' },
    });
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual(['Is the lawn dry?']);
    await leo.work.stop();
    await Promise.allSettled([asked]);
  });

  it('of a person at the child’s hub, to its own agent, is decided there, too, and the card says that it is a person', async () => {
    await house.letDecide();
    await leo.work.sender.delegate(
      delegation('local/robot', 'Bring me sweets', { domain: 'home.robot' }),
      null,
      null,
    );
    await house.clock.settle();
    expect(leo.card.decided_by_hubs).toMatchObject([{ name: 'mum', state: 'asked' }]);
    expect(mum.card).toMatchObject({
      text: 'Bring me sweets',
      remote_question: { asker: null, by_person: true },
      from_agent: null,
    });
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual(['Bring me sweets']);
  });

  it('of a program on the child’s own computer is decided there, too', async () => {
    await leo.agent('game');
    await house.letDecide();
    await leo.work.sender.delegate(
      delegation('local/robot', 'Bring me sweets', { domain: 'home.robot' }),
      'game',
      null,
    );
    await house.clock.settle();
    expect(mum.card).toMatchObject({
      text: 'Bring me sweets',
      remote_question: { asker: null, by_person: false },
      from_agent: 'game',
    });
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual(['Bring me sweets']);
  });

  it('needs the last word of its text at her hub, where it is dangerous', async () => {
    await leo.work.agents.setClass('robot', { riskClass: 'R3' }, OWNER);
    await house.letDecide();
    await house.ask('Open the front door');
    await expect(house.decide(mum, 'allow')).rejects.toMatchObject({
      code: 'bad_request',
      data: { needs: 'last_word' },
    });
    await house.decide(mum, 'allow', { last_word: 'door' });
    expect(await robotGets()).toEqual(['Open the front door']);
  });

  it('below the class stays with the people there', async () => {
    await leo.work.agents.setClass('robot', { riskClass: 'R1' }, OWNER);
    await house.letDecide();
    await house.ask();
    expect(leo.card.decided_by_hubs).toBeNull();
    expect(mum.work.approvals.pending()).toEqual([]);
    await house.decide(leo, 'allow');
    expect(await robotGets()).toEqual(['Mow the lawn']);
  });

  it('that is too long to be put before her is refused, and whoever asked is told why', async () => {
    await house.letDecide();
    const { id } = await house.ask('x'.repeat(64_800));
    expect(await house.told(id)).toMatchObject({
      state: 'declined',
      untrusted: { error: expect.stringContaining('too long') as string },
    });
  });

  it('comes back to the people there once they decide again', async () => {
    await house.letDecide();
    await house.ask();
    await leo.work.remoteApproval.set([], null, BROWSER);
    await house.clock.settle();
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(leo.card.decided_by_hubs).toBeNull();
    await house.decide(leo, 'allow');
    expect(await robotGets()).toEqual(['Mow the lawn']);
  });
});

describe('two adults', () => {
  it('are both asked, the first decides, and the other’s card says so', async () => {
    await house.letDecide([mum, dad]);
    await house.ask();
    const atDad = dad.card;
    await house.decide(mum, 'allow');
    expect(dad.work.approvals.get(atDad.id)).toMatchObject({
      state: 'cancelled',
      decline_reason: expect.stringContaining("mum's person, mum allowed it first") as string,
    });
    expect(await robotGets()).toEqual(['Mow the lawn']);
  });

  it('who answer at the same moment: the first counts, and the other is on record as not used', async () => {
    await house.letDecide([mum, dad]);
    await house.ask();
    const [atMum, atDad] = [mum.card, dad.card];
    dad.messenger.lost.add('result');
    leo.messenger.swallowed.add('cancel');
    await dad.decide(atDad, 'decline');
    await mum.decide(atMum, 'allow');
    await house.clock.settle();
    dad.messenger.lost.delete('result');
    leo.messenger.swallowed.delete('cancel');
    await house.clock.advance(20_000);
    expect(await robotGets()).toEqual(['Mow the lawn']);
    expect(house.audit(leo, 'approval.allowed')).toHaveLength(1);
    expect(house.audit(leo, 'remote_approval.refused')).toMatchObject([
      { actor: dad.key, detail: expect.stringContaining('"why":"over"') as string },
    ]);
  });
});

describe('no way around an adult', () => {
  it('leads through a rule of the child’s hub', async () => {
    await house.ask();
    const { id, revision, digest } = leo.card;
    await leo.work.approvals.decide(
      { id, revision, digest, decision: 'allow', scope: 'conversation' },
      BROWSER,
    );
    await house.letDecide();
    const conversation = leo.store.read.tasks({ limit: 1 })[0]?.conversationId;
    await house.ask(
      'Mow the lawn again',
      conversation === undefined ? {} : { conversation: { id: conversation } },
    );
    expect(mum.card.text).toBe('Mow the lawn again');
    expect(await robotGets()).toEqual(['Mow the lawn']);
  });

  it('is promised by what the rules say of themselves: the tester names the adults, and no rule is made that could let nothing in', async () => {
    const about = {
      peer: 'friend',
      agent: 'robot',
      domain: 'home.robot',
      kind: 'delegate',
      asking_agent: 'openclaw',
    } as const;
    const allow = { ...about, effect: 'allow', topic: 'lawn' } as const;
    const asked = { ...about, topic: 'lawn', conversation: null } as const;
    await leo.work.rules.create(allow, BROWSER);
    expect(leo.work.rules.test(asked)).toMatchObject({ decision: 'deliver', ground: 'allow' });
    await house.letDecide();
    expect(leo.work.rules.test(asked)).toMatchObject({
      decision: 'ask',
      ground: 'adults',
      rule: null,
    });
    const refusal = {
      code: 'bad_request',
      data: { field: 'domain' },
      message: expect.stringContaining('An adult’s hub decides') as string,
    };
    await expect(leo.work.rules.create(allow, BROWSER)).rejects.toMatchObject(refusal);
    expect(() => leo.work.rules.preview(allow)).toThrow(expect.objectContaining(refusal));
    await leo.work.rules.create({ ...allow, effect: 'never' }, BROWSER);
    expect(leo.work.rules.test(asked), 'it may be turned away').toMatchObject({
      decision: 'decline',
      ground: 'never',
    });
  });

  it('leads through a lower class, of an agent or of one of its areas', async () => {
    await leo.work.agents.setClass(
      'robot',
      { riskClass: 'R2', domains: [{ domain: 'home.robot', riskClass: 'R3' }] },
      OWNER,
    );
    await house.letDecide();
    const lowered = [
      { riskClass: 'R1' as const },
      { riskClass: 'R2' as const, domains: [{ domain: 'home.robot', riskClass: 'R2' as const }] },
      { riskClass: 'R2' as const, domains: [] },
    ];
    for (const choice of lowered)
      await expect(leo.work.agents.setClass('robot', choice, OWNER)).rejects.toMatchObject(FROZEN);
    await leo.work.agents.setClass('robot', { riskClass: 'R3' }, OWNER);
    expect(leo.work.agents.get('robot').risk_class).toBe('R3');
  });

  it('leads through a change of who gets a request: an area, a capability, the default agent, or an agent that goes', async () => {
    await leo.work.agents.create('claw', { domains: ['home.lamps'] }, 'R1', OWNER);
    await house.letDecide();
    const { agents } = leo.work;
    const program = { actor: 'agent:claw', surface: 'agent' } as const;
    const changes: readonly (() => Promise<unknown>)[] = [
      () => agents.update('claw', { domains: ['home.lamps', 'home.robot'] }, program),
      () => agents.update('claw', { capabilities: ['robot'] }, program),
      () => agents.addArea('claw', { domain: 'home.attic', riskClass: null }, OWNER),
      () => agents.removeArea('robot', 'home.robot', OWNER),
      () => agents.update('robot', { domains: [] }, { actor: 'agent:robot', surface: 'agent' }),
      () => agents.setClass('claw', { riskClass: 'R1', isDefault: true }, OWNER),
      () =>
        agents.setClass(
          'claw',
          { riskClass: 'R1', domains: [{ domain: 'home', riskClass: null }] },
          OWNER,
        ),
      () => leo.work.agents.remove('robot', OWNER),
    ];
    for (const change of changes)
      await expect(change(), String(change)).rejects.toMatchObject(FROZEN);
    expect(leo.revoked, 'its program goes on').toEqual([]);
    await agents.update('claw', { domains: ['home.lamps'], model: 'newer' }, program);
    await house.letDecide([], null);
    for (const change of changes) await expect(change(), String(change)).resolves.not.toThrow();
  });

  it('leads through a new agent: it starts at the class from which adults decide, and none is made below it', async () => {
    await house.letDecide([mum], 'R3');
    await expect(
      leo.work.agents.create('claw', { domains: ['home.robot'] }, 'R2', OWNER),
    ).rejects.toMatchObject(FROZEN);
    await leo.work.agents.create('claw', { domains: ['home.robot.arm'] }, undefined, OWNER);
    expect(leo.work.agents.get('claw').risk_class).toBe('R3');
    await house.ask('Wave', { domain: 'home.robot.arm' });
    expect(mum.card).toMatchObject({ to_agent: 'claw', risk_class: 'R3' });
  });

  it('leads through a setting that is damaged: then nobody can allow anything', async () => {
    await house.letDecide();
    await leo.store.write((tables) => tables.setMeta('remote_approval', '{'));
    await house.ask();
    await expect(leo.decide(leo.card, 'allow')).rejects.toMatchObject({ code: 'blocked' });
    expect(leo.card.decided_by_hubs).toEqual([]);
  });

  it('leads through a pause, quiet hours or a mute at the child’s hub: the question goes to her at once', async () => {
    await house.letDecide();
    await leo.work.doNotDisturb.pause(null, BROWSER);
    await leo.work.doNotDisturb.mute('friend', house.clock.wallMs() + 3_600_000, BROWSER);
    await house.ask();
    expect([leo.card.held, mum.card.text]).toEqual([null, 'Mow the lawn']);
  });

  it('leads through the end of the pairing: then nobody can allow it', async () => {
    await house.letDecide();
    await leo.endTrust(mum, 'suspended');
    await house.ask();
    await expect(leo.decide(leo.card, 'allow')).rejects.toMatchObject({ code: 'blocked' });
    expect(leo.card.decided_by_hubs).toEqual([]);
  });

  it('does not keep the deciding hub from being suspended while a request of its own waits', async () => {
    await house.letDecide();
    await mum.agent('planner');
    await leo.knows(mum);
    await mum.work.sender.delegate(
      delegation('leo', 'Mow the lawn', { domain: 'home.robot' }),
      'planner',
      null,
    );
    await house.clock.settle();
    expect(house.questions()).toMatchObject([{ party: mum.key }]);
    await leo.endTrust(mum, 'suspended');
    expect(leo.work.approvals.pending()).toEqual([]);
    expect(house.questions()).toMatchObject([{ state: 'failed', code: 'pairing_required' }]);
  });

  it('can be set up with a hub that cannot be asked', async () => {
    dad.messenger.ownExtensionsAre(['route/1', 'escalations/1']);
    await expect(leo.work.remoteApproval.set(['dad'], 'R2', BROWSER)).rejects.toMatchObject({
      code: 'unsupported_feature',
      message: expect.stringContaining('dad cannot be asked yet') as string,
    });
    expect(leo.work.remoteApproval.current().hubs.find(({ name }) => name === 'dad')).toMatchObject(
      { can: false, decides: false },
    );
    await expect(leo.work.remoteApproval.set([], 'R2', BROWSER)).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(leo.work.remoteApproval.current().from).toBeNull();
  });
});

describe('how many questions wait before her', () => {
  it('is five at most: the next goes there when she has decided one', async () => {
    await house.letDecide();
    const [game, lamp] = ['game', 'lamp'];
    for (const agent of [game, lamp]) await leo.agent(agent);
    for (let nth = 1; nth <= 6; nth++) {
      await leo.work.sender.delegate(
        delegation('local/robot', `Wish ${nth}`, { domain: 'home.robot' }),
        nth <= 3 ? game : lamp,
        null,
      );
    }
    await house.clock.settle();
    expect(house.asked()).toEqual(['Wish 1', 'Wish 2', 'Wish 3', 'Wish 4', 'Wish 5']);
    expect(house.states()).toEqual([...Array(5).fill('asked'), 'waiting']);
    const [first] = mum.work.approvals.pending();
    if (first === undefined) throw new Error('nothing waits before mum');
    await mum.decide(first, 'decline');
    await house.clock.settle();
    expect(house.asked()).toEqual(['Wish 2', 'Wish 3', 'Wish 4', 'Wish 5', 'Wish 6']);
  });

  it('grows a minute later where her hub took no more before', async () => {
    await house.close();
    house = await new RemoteApprovalHouse({
      rates: { ...NO_LIMITS, delegate: { burst: 1, perMinute: 1 } },
    }).open();
    await house.letDecide([house.mum]);
    for (const text of ['Mow the lawn', 'Water the flowers', 'Feed the cat']) await house.ask(text);
    expect(house.asked()).toEqual(['Mow the lawn']);
    expect(house.states()).toEqual(['asked', 'waiting', 'waiting']);
    await house.clock.advance(61_000);
    expect(house.asked()).toHaveLength(2);
    expect(house.questions(), 'each was tried once more').toHaveLength(4);
  });

  it('is not asked anew what she let expire, until the two hubs meet again', async () => {
    house.mum.approvalWaitMs = 60_000;
    await house.letDecide();
    await house.ask();
    await house.clock.advance(300_000);
    expect([house.asked(), house.states(), house.questions().length]).toEqual([
      [],
      ['unanswered'],
      1,
    ]);
    leo.cut(mum);
    leo.connect(mum);
    await house.clock.settle();
    expect([house.asked(), house.states()]).toEqual([['Mow the lawn'], ['asked']]);
  });
});
