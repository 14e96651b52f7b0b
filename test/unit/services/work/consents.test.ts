// A child's request that an adult's hub decides: what waits where, what the adult sees, that the answer counts once and only from whom it may
// come, and that without an answer nothing runs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConsentHouse } from '../../../fakes/consent-house.ts';
import { BROWSER, delegation, OWNER, WINDOW, type WorkHub } from '../../../fakes/work-hub.ts';

let house: ConsentHouse;
let leo: WorkHub;
let mum: WorkHub;
let dad: WorkHub;

beforeEach(async () => {
  house = await new ConsentHouse().open();
  ({ leo, mum, dad } = house);
});
afterEach(() => house.close());

const robotGets = async () => (await leo.work.inbox.claim('robot', 5)).map(({ untrusted }) => untrusted?.text);
const sends = (hub: WorkHub, kind: string) => hub.messenger.sent.filter((message) => message.kind === kind);

describe('a request that an adult decides', () => {
  it('waits at both hubs, and the adult reads what the child’s hub keeps', async () => {
    await house.guard();
    const text = 'Mow the lawn \u202Ewon\u202C, all of it';
    expect(await house.ask(text, { context: { note: 'be\u200Bfore 5' }, reason: 'It is high' })).toMatchObject({
      state: 'awaiting_approval',
    });
    const here = leo.card;
    expect(here).toMatchObject({ state: 'pending', decided_by_hubs: [{ name: 'mum', state: 'asked' }], consent: null });
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
      consent: { asker: 'friend', by_person: false, digest: here.digest, message_id: here.message_id, told: null },
    });
    const shown = leo.events.flatMap((event) => (event.type === 'approval' ? [event.approval.decided_by_hubs?.[0]?.state] : []));
    expect(shown.at(-1), 'the page at leo’s is told').toBe('asked');
    expect([there.text, there.fields]).toEqual([here.text, here.fields]);
    expect(there.digest).not.toBe(here.digest);
    expect(there.fields).toContainEqual(['context.note', 'be[U+200B]fore 5']);
  });

  it('offers nothing wider on her card, though an agent of hers has the same name and area: what is asked about is not hers', async () => {
    await mum.agent('robot', ['home.robot']);
    await house.guard();
    for (const text of ['Mow the lawn', 'Mow it again']) {
      await house.ask(text);
      expect(mum.card).toMatchObject({ to_agent: 'robot', domain: 'home.robot', wider: [] });
      await mum.decide(mum.card, 'decline');
    }
  });

  it('runs once she allows it, and the friend gets the result as ever', async () => {
    await house.guard();
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
    await house.guard();
    const { id } = await house.ask();
    await house.decide(mum, 'decline', { reason: 'It rains' });
    expect(await robotGets()).toEqual([]);
    expect(await house.told(id)).toMatchObject({ state: 'declined', code: 'rejected', reason: 'A person declined this request: It rains' });
    expect(house.audit(leo, 'approval.declined')[0]).toMatchObject({ actor: mum.key, surface: 'peer' });
  });

  it('cannot be allowed or answered at the child’s own hub, and may be declined there: then her card goes', async () => {
    await house.guard();
    const { id } = await house.ask();
    await expect(leo.decide(leo.card, 'allow')).rejects.toMatchObject({
      code: 'blocked',
      message: expect.stringContaining('mum') as string,
    });
    await expect(leo.decide(leo.card, 'answer', WINDOW, { answer: 'Yes' })).rejects.toMatchObject({ code: 'blocked' });
    expect(await robotGets()).toEqual([]);
    await house.decide(leo, 'decline');
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.work.approvals.decided({ limit: 1 }).items[0]).toMatchObject({ state: 'cancelled' });
    expect((await house.told(id)).state).toBe('declined');
  });

  it('goes from her page when whoever asked calls it off', async () => {
    await house.guard();
    const { id } = await house.ask();
    await house.friend.work.tasks.cancel(id, { agent: 'openclaw' }, null);
    await house.clock.settle();
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  it('waits while her hub is away, reaches it later, and expires unrun when nobody comes', async () => {
    await house.guard();
    leo.cut(mum);
    const { id } = await house.ask('Mow the lawn', { deadline_ms: 600_000 });
    expect(leo.card.decided_by_hubs).toMatchObject([{ name: 'mum', state: 'away' }]);
    expect(sends(leo, 'delegate')).toEqual([]);
    leo.connect(mum);
    await house.clock.settle();
    expect(mum.card.consent?.digest).toBe(leo.card.digest);
    leo.cut(mum);
    await house.clock.advance(601_000);
    expect(await house.told(id)).toMatchObject({ state: 'expired', code: 'approval_expired' });
    expect(await robotGets()).toEqual([]);
    leo.connect(mum);
    await house.clock.settle();
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  it('of a question to an agent is decided there, too', async () => {
    await house.guard();
    const asked = house.friend.work.sender.query(
      { to: 'leo', question: 'Is the lawn dry?', domain: 'home.robot', deadline_ms: 60_000 },
      'openclaw',
      new AbortController().signal,
    );
    asked.catch(() => undefined);
    await house.clock.settle();
    expect(mum.card).toMatchObject({ kind: 'query', text: 'Is the lawn dry?', consent: { asker: 'friend' } });
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual(['Is the lawn dry?']);
    await leo.work.stop();
    await Promise.allSettled([asked]);
  });

  it('of a person at the child’s hub, to its own agent, is decided there, too, and the card says that it is a person', async () => {
    await house.guard();
    await leo.work.sender.delegate(delegation('local/robot', 'Bring me sweets', { domain: 'home.robot' }), null, null);
    await house.clock.settle();
    expect(leo.card.decided_by_hubs).toMatchObject([{ name: 'mum', state: 'asked' }]);
    expect(mum.card).toMatchObject({ text: 'Bring me sweets', consent: { asker: null, by_person: true }, from_agent: null });
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual(['Bring me sweets']);
  });

  it('of a program on the child’s own computer is decided there, too', async () => {
    await leo.agent('game');
    await house.guard();
    await leo.work.sender.delegate(delegation('local/robot', 'Bring me sweets', { domain: 'home.robot' }), 'game', null);
    await house.clock.settle();
    expect(mum.card).toMatchObject({ text: 'Bring me sweets', consent: { asker: null, by_person: false }, from_agent: 'game' });
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual(['Bring me sweets']);
  });

  it('needs the last word of its text at her hub, where it is dangerous', async () => {
    await leo.work.agents.setClass('robot', { riskClass: 'R3' }, OWNER);
    await house.guard();
    await house.ask('Open the front door');
    await expect(house.decide(mum, 'allow')).rejects.toMatchObject({ code: 'bad_request', data: { needs: 'last_word' } });
    await house.decide(mum, 'allow', { last_word: 'door' });
    expect(await robotGets()).toEqual(['Open the front door']);
  });

  it('below the class stays with the people there', async () => {
    await leo.work.agents.setClass('robot', { riskClass: 'R1' }, OWNER);
    await house.guard();
    await house.ask();
    expect(leo.card.decided_by_hubs).toBeNull();
    expect(mum.work.approvals.pending()).toEqual([]);
    await house.decide(leo, 'allow');
    expect(await robotGets()).toEqual(['Mow the lawn']);
  });

  it('that is too long to be put before her is refused, and whoever asked is told why', async () => {
    await house.guard();
    const { id } = await house.ask('x'.repeat(64_800));
    expect(await house.told(id)).toMatchObject({ state: 'declined', reason: expect.stringContaining('too long') as string });
  });

  it('comes back to the people there once they decide again', async () => {
    await house.guard();
    await house.ask();
    await leo.work.consent.set([], null, BROWSER);
    await house.clock.settle();
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(leo.card.decided_by_hubs).toBeNull();
    await house.decide(leo, 'allow');
    expect(await robotGets()).toEqual(['Mow the lawn']);
  });
});

describe('two adults', () => {
  it('are both asked, the first decides, and the other’s card says so', async () => {
    await house.guard([mum, dad]);
    await house.ask();
    const atDad = dad.card;
    await house.decide(mum, 'allow');
    expect(dad.work.approvals.get(atDad.id)).toMatchObject({
      state: 'cancelled',
      decline_reason: expect.stringContaining("mum's person, mum allowed it first") as string,
    });
    expect(await robotGets()).toEqual(['Mow the lawn']);
  });

  it('who answer at the same moment: one is used, the other is told that it was not', async () => {
    await house.guard([mum, dad]);
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
    expect(house.audit(leo, 'consent.refused')).toMatchObject([
      { actor: dad.key, detail: expect.stringContaining('"why":"over"') as string },
    ]);
    expect(dad.work.feed.list({ limit: 5 }).items[0]).toMatchObject({
      text: 'What was answered here to leo was not used: somebody else had allowed it first.',
    });
    expect(house.audit(dad, 'consent.unused')).toHaveLength(1);
  });
});

describe('no way around an adult', () => {
  it('leads through a rule of the child’s hub', async () => {
    await house.ask();
    const { id, revision, digest } = leo.card;
    await leo.work.approvals.decide({ id, revision, digest, decision: 'allow', scope: 'conversation' }, BROWSER);
    await house.guard();
    const conversation = leo.store.read.tasks({ limit: 1 })[0]?.conversationId;
    await house.ask('Mow the lawn again', conversation === undefined ? {} : { conversation: { id: conversation } });
    expect(mum.card.text).toBe('Mow the lawn again');
    expect(await robotGets()).toEqual(['Mow the lawn']);
  });

  it('is promised by what the rules say of themselves: the tester names the adults, and no rule is made that could let nothing in', async () => {
    const about = { peer: 'friend', agent: 'robot', domain: 'home.robot', kind: 'delegate', asking_agent: 'openclaw' } as const;
    const allow = { ...about, effect: 'allow', topic: 'lawn' } as const;
    const asked = { ...about, topic: 'lawn', conversation: null } as const;
    await leo.work.rules.create(allow, BROWSER);
    expect(leo.work.rules.test(asked)).toMatchObject({ decision: 'deliver', ground: 'allow' });
    await house.guard();
    expect(leo.work.rules.test(asked)).toMatchObject({ decision: 'ask', ground: 'adults', rule: null });
    const refusal = {
      code: 'bad_request',
      data: { field: 'domain' },
      message: expect.stringContaining('An adult’s hub decides') as string,
    };
    await expect(leo.work.rules.create(allow, BROWSER)).rejects.toMatchObject(refusal);
    expect(() => leo.work.rules.preview(allow)).toThrow(expect.objectContaining(refusal));
    await leo.work.rules.create({ ...allow, effect: 'never' }, BROWSER);
    expect(leo.work.rules.test(asked), 'it may be turned away').toMatchObject({ decision: 'decline', ground: 'never' });
  });

  it('leads through a lower class, or a new agent of a lower one', async () => {
    await house.guard();
    await expect(leo.work.agents.setClass('robot', { riskClass: 'R1' }, OWNER)).rejects.toMatchObject({ code: 'blocked' });
    await expect(
      leo.work.agents.setClass('robot', { riskClass: 'R2', domains: [{ domain: 'home.robot', riskClass: 'R0' }] }, OWNER),
    ).rejects.toMatchObject({ code: 'blocked' });
    await expect(leo.agent('robot2', ['home.robot'], { risk: 'R1' })).rejects.toMatchObject({ code: 'blocked' });
    await leo.work.agents.setClass('robot', { riskClass: 'R3' }, OWNER);
  });

  it('leads through an agent that is removed and comes back under another name', async () => {
    await leo.work.agents.setClass('robot', { riskClass: 'R3' }, OWNER);
    await house.guard([mum], 'R3');
    await leo.work.removeAgent('robot', OWNER);
    await leo.work.agents.create('robot2', { domains: ['home.robot'] }, undefined, OWNER);
    expect(leo.work.agents.get('robot2').risk_class).toBe('R3');
    await house.ask();
    expect(mum.card).toMatchObject({ to_agent: 'robot2', risk_class: 'R3' });
    await expect(leo.work.agents.setClass('robot2', { riskClass: 'R2' }, OWNER)).rejects.toMatchObject({ code: 'blocked' });
  });

  it('leads through an area that a program added and that is taken away and given again', async () => {
    await leo.work.agents.create('claw', { domains: ['home.lamps'] }, 'R1', OWNER);
    await house.guard();
    await leo.work.agents.update('claw', { domains: ['home.lamps', 'home.doors'] }, { id: 'claw', surface: 'agent' });
    const classesOf = () => leo.work.agents.get('claw').domains;
    expect(classesOf()).toContainEqual({ domain: 'home.doors', risk_class: 'R2' });
    await leo.work.agents.update('claw', { domains: ['home.lamps'] }, OWNER);
    expect(classesOf()).toContainEqual({ domain: 'home.doors', risk_class: 'R2', offered: false });
    await leo.work.agents.update('claw', { domains: ['home.lamps', 'home.doors'] }, OWNER);
    expect(classesOf()).toContainEqual({ domain: 'home.doors', risk_class: 'R2' });
    await house.ask('Open the door', { domain: 'home.doors' });
    expect(mum.card).toMatchObject({ to_agent: 'claw', risk_class: 'R2' });
    await expect(leo.work.agents.setClass('claw', { riskClass: 'R1', domains: [] }, OWNER)).rejects.toMatchObject({ code: 'blocked' });
  });

  it('leads through an agent of a lower class that is given the area of another, before or after that one is removed', async () => {
    await leo.work.agents.create('claw', { domains: ['home.lamps'] }, 'R1', OWNER);
    await house.guard();
    const areas = (...domains: string[]) => ({ riskClass: 'R1' as const, domains: domains.map((domain) => ({ domain, riskClass: null })) });
    for (const wider of ['home.robot', 'home', 'home.robot.arm']) {
      const given = leo.work.agents.setClass('claw', areas('home.lamps', wider), OWNER);
      await expect(given, wider).rejects.toMatchObject({ code: 'blocked', message: expect.stringContaining('home') as string });
    }
    await leo.work.removeAgent('robot', OWNER);
    const given = leo.work.agents.setClass('claw', areas('home.lamps', 'home.robot'), OWNER);
    await expect(given).rejects.toMatchObject({ code: 'blocked' });
    await leo.work.agents.update('claw', { domains: ['home.lamps', 'home.robot'] }, OWNER);
    await house.ask();
    expect(mum.card).toMatchObject({ to_agent: 'claw', risk_class: 'R2' });
    await house.guard([], null);
    await leo.work.agents.setClass('claw', areas('home.lamps', 'home.robot'), OWNER);
  });

  it('leads through another agent that has the area at a lower class and would get what is asked', async () => {
    await leo.work.agents.create('claw', { domains: ['home'] }, 'R1', OWNER);
    await leo.work.agents.create('lamp', { domains: ['home.robot'] }, 'R1', OWNER);
    await house.guard();
    await house.ask();
    expect(mum.card).toMatchObject({ to_agent: 'robot' });
    await expect(leo.work.agents.setClass('lamp', { riskClass: 'R1', isDefault: true }, OWNER)).rejects.toMatchObject({ code: 'blocked' });
    await expect(leo.work.removeAgent('robot', OWNER)).rejects.toMatchObject({ code: 'blocked' });
    await expect(leo.work.agents.update('robot', { domains: [] }, OWNER)).rejects.toMatchObject({ code: 'blocked' });
    expect(leo.revoked, 'its program goes on').toEqual([]);
  });

  it('leads through a class of its own for an area inside one that the owner spoke of', async () => {
    const inside = [
      { domain: 'home', riskClass: 'R2' as const },
      { domain: 'home.doors', riskClass: 'R1' as const },
    ];
    await leo.work.agents.create('claw', {}, 'R1', OWNER);
    await leo.work.agents.setClass('claw', { riskClass: 'R1', domains: inside.slice(0, 1) }, OWNER);
    await house.guard();
    await expect(leo.work.agents.setClass('claw', { riskClass: 'R1', domains: inside }, OWNER)).rejects.toMatchObject({ code: 'blocked' });
  });

  it('leads through what is remembered where it is damaged', async () => {
    await leo.work.agents.create('claw', {}, 'R1', OWNER);
    await leo.work.agents.setClass('claw', { riskClass: 'R1', isDefault: true }, OWNER);
    await house.guard();
    const given = { riskClass: 'R1' as const, domains: [{ domain: 'home.lamps', riskClass: null }] };
    await leo.store.write((tables) => tables.setMeta('consent.areas', '{'));
    await expect(leo.work.agents.setClass('claw', given, OWNER)).rejects.toMatchObject({ code: 'blocked' });
    await leo.store.write((tables) => tables.setMeta('consent.areas', '{}'));
    await leo.work.agents.setClass('claw', given, OWNER);
  });

  it('leads through the end of the pairing: then nobody can allow it', async () => {
    await house.guard();
    const row = leo.store.read.peer(mum.key);
    if (!row) throw new Error('leo knows no mum');
    await leo.store.write((tables) => {
      tables.putPeer({ ...row, trust: 'suspended' });
      leo.work.peerEnded(tables, mum.key);
    });
    await house.ask();
    await expect(leo.decide(leo.card, 'allow')).rejects.toMatchObject({ code: 'blocked' });
    expect(leo.card.decided_by_hubs).toEqual([]);
  });

  it('can be set up with a hub that cannot be asked', async () => {
    dad.messenger.ownExtensionsAre(['route/1', 'escalations/1']);
    await expect(leo.work.consent.set(['dad'], 'R2', BROWSER)).rejects.toMatchObject({
      code: 'unsupported_feature',
      message: expect.stringContaining('dad cannot be asked yet') as string,
    });
    expect(leo.work.consent.current().hubs.find(({ name }) => name === 'dad')).toMatchObject({ can: false, decides: false });
    await expect(leo.work.consent.set([], 'R2', BROWSER)).rejects.toMatchObject({ code: 'bad_request' });
    expect(leo.work.consent.current().from).toBeNull();
  });
});
