// What goes on between a child's hub and adults' hubs beside one answer: how many questions wait there at once, what the others read of who was
// first, what changes while a question leaves, and what is told of answers in vain.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConsentHouse } from '../../../fakes/consent-house.ts';
import { ANYBODY } from '../../../fakes/ruled-hubs.ts';
import { BROWSER, delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let house: ConsentHouse;
let leo: WorkHub;
let mum: WorkHub;
let dad: WorkHub;

beforeEach(async () => {
  house = await new ConsentHouse().open();
  ({ leo, mum, dad } = house);
});
afterEach(() => house.close());

describe('more requests than an adult is asked at once', () => {
  it('wait their turn, each is asked as soon as another is decided, and nobody is called a flood for it', async () => {
    await leo.agent('game');
    await dad.agent('openclaw');
    await leo.knows(dad);
    await house.guard();
    for (const nth of [1, 2, 3, 4]) {
      const more = { domain: 'home.robot' };
      await house.friend.work.sender.delegate(delegation('leo', `Friend's ${nth}`, more), 'openclaw', null);
      await dad.work.sender.delegate(delegation('leo', `Dad's ${nth}`, more), 'openclaw', null);
      await leo.work.sender.delegate(delegation('local/robot', `Leo's ${nth}`, more), 'game', null);
    }
    await house.clock.settle();
    expect(mum.work.approvals.pending()).toHaveLength(5);
    expect(house.standing()).toEqual([...Array<string>(5).fill('asked'), ...Array<string>(7).fill('in_line')]);
    const shown = new Map(leo.events.flatMap((event) => (event.type === 'approval' ? [[event.approval.id, event.approval] as const] : [])));
    expect(
      [...shown.values()].map((card) => card.decided_by_hubs?.[0]?.state),
      'and the page was told',
    ).toEqual(house.standing());
    for (let left = 11; left >= 0; left -= 1) {
      const [card] = mum.work.approvals.pending();
      if (card === undefined) throw new Error(`nothing waits for mum while ${left + 1} do at leo’s`);
      await mum.decide(card, 'allow');
      // Ten go at once, and then one every four seconds.
      if (left < 7) await house.clock.advance(4_000);
      else await house.clock.settle();
      expect(mum.work.approvals.pending()).toHaveLength(Math.min(5, left));
    }
    expect(leo.work.approvals.pending()).toEqual([]);
    expect(mum.work.calm.dto().floods).toEqual([]);
    expect(house.audit(leo, 'consent.asked')).toHaveLength(12);
  });

  it('of one friend take two of the five places, and another’s goes before the friend’s next', async () => {
    await dad.agent('openclaw');
    await leo.knows(dad);
    await leo.agent('game');
    await house.guard();
    const more = { domain: 'home.robot' };
    for (const nth of [1, 2, 3, 4, 5]) await house.ask(`Friend's ${nth}`);
    expect(house.asked()).toEqual(["Friend's 1", "Friend's 2"]);
    expect(leo.work.approvals.pending().map((card) => card.decided_by_hubs?.[0]?.state)).toEqual([
      'asked',
      'asked',
      'in_line',
      'in_line',
      'in_line',
    ]);
    await leo.agent('radio');
    for (const agent of ['game', 'radio'])
      for (const nth of [1, 2]) await leo.work.sender.delegate(delegation('local/robot', `${agent} ${nth}`, more), agent, null);
    await house.clock.settle();
    expect(house.asked()).toEqual(["Friend's 1", "Friend's 2", 'game 1', 'game 2', 'radio 1']);
    await dad.work.sender.delegate(delegation('leo', "Dad's 1", more), 'openclaw', null);
    await house.clock.settle();
    // Of three that wait, dad had no turn yet, the radio had one, and the friend had its last longest ago.
    for (const next of ["Dad's 1", "Friend's 3", 'radio 2', "Friend's 4"]) {
      const [card] = mum.work.approvals.pending();
      if (card === undefined) throw new Error('nothing waits for mum');
      await mum.decide(card, 'allow');
      await house.clock.settle();
      expect(house.asked().at(-1)).toBe(next);
    }
  });

  it('keep their places over a restart of the child’s hub', async () => {
    await house.guard();
    for (const nth of [1, 2, 3]) await house.ask(`Friend's ${nth}`);
    await leo.restart();
    leo.connect(mum);
    await house.clock.settle();
    expect(house.asked()).toEqual(["Friend's 1", "Friend's 2"]);
  });

  it('that her hub has no room for are asked when she decides, and are no flood', async () => {
    await house.guard();
    await house.ask('Task 0');
    const question = leo.messenger.sent.find(({ kind }) => kind === 'delegate');
    if (question === undefined) throw new Error('nothing was asked');
    await house.decide(mum, 'decline');
    // As a data folder put back leaves it: five wait there that the child's hub knows nothing of.
    for (let nth = 1; nth <= 5; nth += 1)
      await mum.hears(leo.key, { id: crypto.randomUUID(), kind: 'delegate', payload: question.payload });
    const asked = () => house.audit(leo, 'consent.asked').length - 1;
    for (let nth = 1; nth <= 3; nth += 1) await house.ask(`Task ${nth}`);
    expect(asked(), 'one found that there is no room').toBe(1);
    expect(leo.work.approvals.pending().map((card) => card.decided_by_hubs?.[0]?.state)).toEqual(['in_line', 'in_line', 'in_line']);
    expect(mum.work.calm.dto().floods).toEqual([]);
    for (const left of mum.work.approvals.pending().slice(0, 3)) await mum.decide(left, 'decline');
    await house.clock.advance(90_000);
    const there = () => mum.work.approvals.pending().filter(({ text }) => text.startsWith('Task') && text !== 'Task 0');
    expect(there().map(({ text }) => text)).toEqual(['Task 1', 'Task 2']);
    expect(asked(), 'and the third waits for its asker’s turn').toBe(3);
    const [first] = there();
    if (first === undefined) throw new Error('mum is asked nothing');
    await mum.decide(first, 'allow');
    await house.clock.settle();
    expect(
      there().map(({ text }) => text),
      'without a wait',
    ).toEqual(['Task 2', 'Task 3']);
  });

  it('have places of their own at her hub, beside what the child’s agents ask of hers', async () => {
    await leo.agent('game');
    await mum.agent('cook');
    await mum.knows(leo);
    for (let nth = 1; nth <= 5; nth += 1) await leo.work.sender.delegate(delegation('mum', `Sweets ${nth}`), 'game', null);
    await house.guard();
    await house.ask('Task 1');
    expect(house.asked()).toContain('Task 1');
    await mum.decide(mum.work.approvals.pending().find(({ text }) => text === 'Sweets 1') ?? mum.card, 'decline');
    await leo.work.sender.delegate(delegation('mum', 'Sweets 6'), 'game', null);
    expect(mum.work.approvals.pending()).toHaveLength(6);
  });
});

describe('what is urgent', () => {
  const night = { name: 'All day', from: '00:00', to: '23:59', days: [1, 2, 3, 4, 5, 6, 7], on: true };
  const lets = (hub: WorkHub, disturb: WorkHub) => hub.work.calm.setQuietHours([night], [disturb.agentId], BROWSER);

  beforeEach(async () => {
    await lets(mum, leo);
    await house.guard();
  });

  it('to a stranger behind the child’s hub disturbs no adult, who let only that hub disturb her', async () => {
    await house.ask('Open the gate', { priority: 'urgent' });
    expect(mum.card.held).toMatchObject({ why: 'quiet_hours' });
  });

  it('disturbs her where the people at the child’s hub let that friend disturb them, too', async () => {
    await lets(leo, house.friend);
    await house.ask('Open the gate');
    expect(mum.card.held, 'and only if it is urgent').toMatchObject({ why: 'quiet_hours' });
    await house.decide(mum, 'decline');
    await house.ask('Open the gate now', { priority: 'urgent' });
    expect(mum.card.held).toBeNull();
  });

  it('to a friend who is muted at the child’s hub disturbs her no more', async () => {
    await lets(leo, house.friend);
    await leo.work.calm.mute(house.friend.agentId, house.clock.wallMs() + 3_600_000, BROWSER);
    await house.ask('Open the gate', { priority: 'urgent' });
    expect(mum.card.held).toMatchObject({ why: 'quiet_hours' });
  });

  it('to an agent of the child’s own disturbs her', async () => {
    await leo.agent('game');
    const more = { domain: 'home.robot', priority: 'urgent' } as const;
    await leo.work.sender.delegate(delegation('local/robot', 'Open the gate', more), 'game', null);
    await house.clock.settle();
    expect(mum.card.held).toBeNull();
  });
});

describe('a child’s hub that asks again and again in vain', () => {
  const MINUTE_MS = 60_000;
  const offered = () => mum.work.calm.dto().floods.map(({ peer_name: name, offers_mute, silent }) => [name, offers_mute, silent]);
  const again = async (nth: number) => {
    await house.ask(`Task ${nth}`);
    await house.decide(mum, 'decline');
  };

  it('is offered to be muted for a day after three declined within ten minutes, and is heard until then', async () => {
    await house.guard();
    for (const nth of [1, 2]) await again(nth);
    expect(offered()).toEqual([]);
    await house.clock.advance(4 * MINUTE_MS);
    await again(3);
    expect(offered()).toEqual([['leo', true, false]]);
    await house.clock.advance(MINUTE_MS);
    await house.ask('Task 4');
    expect(mum.card.held).toBeNull();
    expect(
      mum.events.filter(({ type }) => type === 'attention'),
      'one sound a minute',
    ).toHaveLength(3);
    await mum.work.calm.mute('leo', house.clock.wallMs() + 86_400_000, BROWSER);
    expect([offered(), mum.card.held?.why]).toEqual([[], 'muted']);
  });

  it('is not when they were declined in more than ten minutes, nor when she allows them', async () => {
    await house.guard();
    for (const nth of [1, 2, 3]) {
      await again(nth);
      await house.clock.advance(5 * MINUTE_MS);
    }
    for (const nth of [4, 5, 6]) {
      await house.ask(`Task ${nth}`);
      await house.decide(mum, 'allow');
    }
    expect(offered()).toEqual([]);
  });
});

describe('a child’s household that wants to be left alone', () => {
  const calls = () => leo.events.filter(({ type }) => type === 'attention').length;
  const HOUR_MS = 3_600_000;

  it('keeps no question from an adult by a pause, quiet hours or a mute, and is called for none of it when they end', async () => {
    await house.guard();
    await leo.work.calm.pause(null, BROWSER);
    await house.ask();
    expect(leo.card.held).toBeNull();
    expect(mum.card.text).toBe('Mow the lawn');
    await leo.work.calm.pause(house.clock.wallMs() + HOUR_MS, BROWSER);
    await leo.work.calm.mute(house.friend.agentId, house.clock.wallMs() + HOUR_MS, BROWSER);
    expect(leo.card.held, 'nor what waited already').toBeNull();
    await house.clock.advance(2 * HOUR_MS);
    expect(calls()).toBe(0);
    await house.decide(mum, 'allow');
    expect((await leo.claim('robot')).untrusted?.text).toBe('Mow the lawn');
  });

  it('cannot put off what an adult decides', async () => {
    await house.guard();
    await house.ask();
    const later = leo.work.holds.hold(leo.card.id, house.clock.wallMs() + HOUR_MS, BROWSER);
    await expect(later).rejects.toMatchObject({ code: 'blocked', message: expect.stringContaining('mum decides') as string });
    expect(leo.card.task_state).toBe('awaiting_approval');
  });

  it('holds no longer what was held once an adult decides it, and is not called', async () => {
    await leo.work.calm.pause(null, BROWSER);
    await house.ask('Mow the lawn');
    await house.clock.advance(1);
    await leo.work.calm.pause(house.clock.wallMs() + HOUR_MS, BROWSER);
    expect(leo.card.held).not.toBeNull();
    await house.guard();
    expect(leo.card.held).toBeNull();
    expect(mum.card.text).toBe('Mow the lawn');
    await house.clock.advance(2 * HOUR_MS);
    expect(calls()).toBe(0);
  });
});

describe('two adults', () => {
  it('are asked, one declines, and the other reads who was first', async () => {
    await house.guard([mum, dad]);
    const { id } = await house.ask();
    const atDad = dad.card;
    await house.decide(mum, 'decline', { reason: 'It rains' });
    const { state, decline_reason: why } = dad.work.approvals.get(atDad.id);
    expect([state, why]).toEqual(['cancelled', expect.stringContaining("mum's person, mum declined it first")]);
    expect((await house.told(id)).state).toBe('declined');
  });

  it('are not said to have been first where the child’s household declined', async () => {
    await house.guard([mum, dad]);
    await house.ask();
    const [atMum, atDad] = [mum.card, dad.card];
    await house.decide(leo, 'decline');
    for (const [hub, card] of [
      [mum, atMum],
      [dad, atDad],
    ] as const) {
      expect(hub.work.approvals.get(card.id).decline_reason).toContain('It is over at the hub that asked.');
    }
  });
});

describe('what changes while questions leave', () => {
  it('keeps one from a hub that is taken off meanwhile', async () => {
    await leo.agent('game');
    await leo.work.consent.set(['mum', 'dad'], 'R2', BROWSER);
    const { store } = leo;
    const asks = dad.messenger.sent.length;
    await leo.work.sender.delegate(delegation('local/robot', 'Mow the lawn', { domain: 'home.robot' }), 'game', null);
    // The look has read who decides, and the first of its commits is on its way.
    await leo.work.consent.set(['mum'], 'R2', BROWSER);
    await house.clock.settle();
    expect(mum.card.text).toBe('Mow the lawn');
    expect(dad.work.approvals.pending()).toEqual([]);
    expect(dad.messenger.sent).toHaveLength(asks);
    expect(store.read.tasksInStates(['sending', 'cancelling'])).toEqual([]);
  });

  it('asks about nothing more once the hub stops', async () => {
    await leo.agent('game');
    await house.guard([mum, dad]);
    await leo.work.sender.delegate(delegation('local/robot', 'Mow the lawn', { domain: 'home.robot' }), 'game', null);
    await leo.work.stop();
    await house.clock.settle();
    expect(leo.messenger.sent.filter(({ kind }) => kind === 'delegate')).toEqual([]);
    expect(house.audit(leo, 'consent.asked')).toEqual([]);
  });
});

describe('word that an answer was not used', () => {
  const news = (hub: WorkHub) => hub.work.feed.list({ limit: 5 }).items.map(({ text }) => text);
  const unused = (ref: string | null, data: object) => ({
    id: crypto.randomUUID(),
    kind: 'notify',
    ref,
    payload: { topic: 'axon.consent', data: { used: false, ...data }, importance: 'low' },
  });

  it('says that the hub does not decide there any more, where the request still waits', async () => {
    await house.guard([mum, dad]);
    await house.ask();
    const atDad = dad.card;
    leo.messenger.swallowed.add('cancel');
    leo.cut(dad);
    await leo.work.consent.set(['mum'], 'R2', BROWSER);
    await dad.decide(atDad, 'allow');
    leo.connect(dad);
    await house.clock.advance(20_000);
    expect(leo.card.state).toBe('pending');
    expect(news(dad)).toEqual(['What was answered here to leo was not used: this hub does not decide there any more.']);
  });

  it('is told once for each answer of a person, however often it comes, and after a restart too', async () => {
    await house.guard();
    await house.ask();
    const { message_id: question } = mum.store.read.tasks({ limit: 1 }).map(({ messageId }) => ({ message_id: messageId }))[0] ?? {};
    if (question === undefined) throw new Error('mum has no question');
    await mum.isTold(leo.key, unused(question, { state: 'approved' }));
    expect(news(mum), 'nobody here answered yet').toEqual([]);
    await house.decide(mum, 'allow');
    await Promise.all([1, 2, 3].map(() => mum.isTold(leo.key, unused(question, { state: 'approved' }))));
    await mum.restart();
    mum.connect(leo);
    await mum.isTold(leo.key, unused(question, { state: 'approved' }));
    expect(house.audit(mum, 'consent.unused')).toHaveLength(1);
    expect(news(mum)).toEqual(['What was answered here to leo was not used: somebody else had allowed it first.']);
  });

  it('is nothing where a rule here had turned the question away', async () => {
    await mum.work.rules.create({ ...ANYBODY, effect: 'never', peer: leo.agentId }, BROWSER);
    await house.guard();
    await house.ask();
    const [question] = mum.store.read.tasks({ limit: 1 });
    expect(question?.state).toBe('declined');
    await mum.isTold(leo.key, unused(question?.messageId ?? null, { state: 'approved' }));
    expect(news(mum)).toEqual([]);
    expect(house.audit(mum, 'consent.unused')).toEqual([]);
  });
});
