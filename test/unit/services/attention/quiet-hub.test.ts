// The household is asked when it wants to be: quiet hours, pause, mutes and snoozed cards, over two
// hubs with real stores. What is held is never allowed by itself, and whoever asked is told.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApprovalDto } from '../../../../preload/contract/dto.ts';
import { BROWSER, delegation, OWNER } from '../../../fakes/work-hub.ts';
import { closeTwoHubs, newest, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
let hubs: TwoHubs;

beforeEach(async () => {
  hubs = await openTwoHubs();
});
afterEach(() => closeTwoHubs(hubs));

const now = (): number => hubs.clock.wallMs();
const notified = (): readonly string[] =>
  hubs.mum.events.filter((event) => event.type === 'attention').map(({ peer_name }) => peer_name);
const send = async (task: string, more: Parameters<typeof delegation>[2] = {}) => {
  const report = await hubs.dad.work.sender.delegate(
    delegation('mum', task, { domain: 'family.chat', ...more }),
    'openclaw',
    null,
  );
  await hubs.clock.settle();
  return report;
};
const timeOf = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);
/** Quiet hours of mum's that are on now and for `forMs` from now; her clock shows UTC. */
const quietFor = (forMs: number, urgentPeers?: readonly string[]) =>
  hubs.mum.work.doNotDisturb.setQuietHours(
    [
      {
        name: 'Dinner',
        from: timeOf(now() - HOUR_MS),
        to: timeOf(now() + forMs),
        days: EVERY_DAY,
        on: true,
      },
    ],
    urgentPeers,
    BROWSER,
  );
const alwaysAllow = async (card: ApprovalDto): Promise<void> => {
  const { id, revision, digest } = card;
  await hubs.mum.work.approvals.decide(
    { id, revision, digest, decision: 'allow', scope: 'until', until: now() + 20 * DAY_MS },
    BROWSER,
  );
};

describe('quiet hours', () => {
  test('hold a request without a notification, tell the asker so and until when, and ask when they are over', async () => {
    await quietFor(HOUR_MS);
    const until = hubs.mum.work.doNotDisturb.dto().quiet_now?.until ?? 0;
    await send('Dinner is at 7');
    expect(hubs.mum.card).toMatchObject({
      state: 'pending',
      task_state: 'held',
      held: { why: 'quiet_hours', until },
    });
    expect(notified()).toEqual([]);
    const asked = newest(hubs.dad);
    expect(asked.state).toBe('held');
    expect(Math.abs((asked.heldUntil ?? 0) - until)).toBeLessThan(10);

    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(hubs.mum.card).toMatchObject({
      state: 'pending',
      task_state: 'awaiting_approval',
      held: null,
    });
    expect(notified()).toEqual(['dad']);
    expect(newest(hubs.dad).state).toBe('awaiting_approval');
    expect(await hubs.mum.work.inbox.claim('claude', 9)).toEqual([]);
    expect(hubs.mum.auditActions()).toEqual(
      expect.arrayContaining(['attention.quiet_hours', 'request.held']),
    );
  });

  test('show a dangerous request at once, silenced, and notify when they are over, if it still waits', async () => {
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R3' }, OWNER);
    await send('Feed the cat');
    expect(notified()).toEqual(['dad']);
    await hubs.mum.decide(hubs.mum.card, 'decline');
    await hubs.clock.advance(2 * 60_000);
    await quietFor(HOUR_MS);
    await send('Unlock the front door');
    expect(hubs.mum.card).toMatchObject({
      risk_class: 'R3',
      state: 'pending',
      task_state: 'awaiting_approval',
      held: null,
    });
    expect([newest(hubs.dad).state, notified().length]).toEqual(['awaiting_approval', 1]);
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(notified()).toEqual(['dad', 'dad']);
    await hubs.clock.advance(HOUR_MS);
    expect(notified()).toHaveLength(2);
  });

  test('that begin do not hold a dangerous request, and one that is decided meanwhile does not notify', async () => {
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R3' }, OWNER);
    await send('Unlock the front door');
    await quietFor(HOUR_MS);
    expect(hubs.mum.card.held).toBeNull();
    await hubs.mum.decide(hubs.mum.card, 'decline');
    await hubs.clock.advance(2 * 60_000);
    await send('Unlock the back door');
    expect(hubs.mum.card.held).toBeNull();
    await hubs.mum.decide(hubs.mum.card, 'decline');
    await hubs.clock.advance(HOUR_MS);
    expect(notified()).toEqual(['dad']);
  });

  test('let a dangerous request notify where it is urgent and its hub may interrupt; a pause silences it, and a mute holds it', async () => {
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R3' }, OWNER);
    await quietFor(HOUR_MS, ['dad']);
    await send('Unlock the front door', { priority: 'urgent' });
    expect(notified()).toEqual(['dad']);
    await hubs.mum.decide(hubs.mum.card, 'decline');
    await hubs.clock.advance(2 * HOUR_MS);
    await hubs.mum.work.doNotDisturb.pause(null, BROWSER);
    await send('Unlock the back door');
    expect([hubs.mum.card.held, notified().length]).toEqual([null, 1]);
    await hubs.mum.work.doNotDisturb.resume(BROWSER);
    await hubs.clock.settle();
    expect(notified()).toEqual(['dad', 'dad']);
    await hubs.mum.work.doNotDisturb.mute('dad', now() + HOUR_MS, BROWSER);
    expect(hubs.mum.card.held?.why).toBe('muted');
  });

  test('let through what is urgent only from a hub that the owner named', async () => {
    await quietFor(HOUR_MS);
    await send('Open the gate', { priority: 'urgent' });
    expect(hubs.mum.card.held).not.toBeNull();
    await hubs.mum.decide(hubs.mum.card, 'decline');
    await quietFor(HOUR_MS, ['dad']);
    await send('Open the gate, please', { priority: 'urgent' });
    expect(hubs.mum.card.held).toBeNull();
    await hubs.mum.decide(hubs.mum.card, 'decline');
    await send('Not so urgent');
    expect(hubs.mum.card.held).not.toBeNull();
  });

  test('leave alone what a rule allows: it disturbs nobody', async () => {
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R1' }, OWNER);
    await send('Add salt');
    await alwaysAllow(hubs.mum.card);
    await quietFor(HOUR_MS);
    await send('Add sugar');
    expect(hubs.mum.work.approvals.pending()).toEqual([]);
    const items = await hubs.mum.work.inbox.claim('claude', 9);
    expect(items.map(({ untrusted }) => untrusted.text)).toEqual(['Add salt', 'Add sugar']);
  });

  test('hold nothing beyond the request’s own time: it expires while it is held, in words of its own', async () => {
    await quietFor(2 * HOUR_MS);
    await send('Dinner is at 7', { deadline_ms: HOUR_MS });
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(hubs.mum.work.approvals.pending()).toEqual([]);
    const ended = newest(hubs.dad);
    expect([ended.state, ended.code]).toEqual(['expired', 'approval_expired']);
    expect(ended.result).toContain('ran out before anybody wanted to be asked');
    expect(await hubs.mum.work.inbox.claim('claude', 9)).toEqual([]);
  });

  test('that are taken away ask about everything at once', async () => {
    await quietFor(HOUR_MS);
    await send('Dinner is at 7');
    await hubs.mum.work.doNotDisturb.setQuietHours([], undefined, BROWSER);
    expect(hubs.mum.card.held).toBeNull();
    expect(notified()).toEqual(['dad']);
  });

  test('hold a question on its open line, which ends in time with words that say so', async () => {
    await quietFor(HOUR_MS);
    const answer = hubs.mum.hears(hubs.dad.key, {
      id: crypto.randomUUID(),
      kind: 'query',
      payload: { question: 'Is Mum home?', domain: 'family.chat', deadline_ms: 5_000 },
    });
    await hubs.clock.settle();
    expect(hubs.mum.card).toMatchObject({ kind: 'query', held: { why: 'quiet_hours' } });
    await hubs.clock.advance(5_100);
    expect((await answer).payload).toMatchObject({ code: 'approval_expired' });
  });

  test('and what they hold survive a restart; what became due meanwhile is asked then', async () => {
    await quietFor(HOUR_MS);
    await send('Dinner is at 7');
    await hubs.mum.restart();
    expect(hubs.mum.card).toMatchObject({ held: { why: 'quiet_hours' } });
    hubs.clock.jumpWall(2 * HOUR_MS);
    await hubs.mum.restart();
    expect(hubs.mum.card.held).toBeNull();
    expect(notified()).toEqual(['dad']);
  });

  test('end quietly with the hub, also when it stops while they are looked at', async () => {
    await quietFor(HOUR_MS);
    await send('Dinner is at 7');
    await hubs.mum.work.stop();
    hubs.clock.jumpWall(2 * HOUR_MS);
    const { timers } = hubs.clock;
    const looked = hubs.mum.work.holds.start();
    hubs.mum.work.holds.stop();
    await hubs.mum.store.close();
    await expect(looked).resolves.toBeUndefined();
    expect(hubs.clock.timers).toBe(timers);
  });

  test('end for what they hold within a minute when the wall clock is set', async () => {
    await quietFor(HOUR_MS);
    await send('Dinner is at 7');
    hubs.clock.jumpWall(2 * HOUR_MS);
    await hubs.clock.advance(61_000);
    expect(hubs.mum.card.held).toBeNull();
  });
});

describe('a held card', () => {
  test('can be decided while it is held', async () => {
    await quietFor(HOUR_MS);
    await send('Dinner is at 7');
    await hubs.mum.decide(hubs.mum.card, 'allow');
    expect(await hubs.mum.work.inbox.claim('claude', 9)).toHaveLength(1);
    await hubs.clock.settle();
    expect(newest(hubs.dad).state).toBe('queued');
  });

  test('that is shown stays shown, though the quiet hour goes on', async () => {
    await quietFor(HOUR_MS);
    await send('Dinner is at 7');
    expect(await hubs.mum.work.holds.show('all', BROWSER)).toBe(1);
    expect(hubs.mum.card.held).toBeNull();
    await hubs.clock.advance(120_000);
    expect(hubs.mum.card.held).toBeNull();
    // The person is looking: no notification is needed.
    expect(notified()).toEqual([]);
    expect(await hubs.mum.work.holds.show('all', BROWSER)).toBe(0);
  });

  test('can be snoozed by a person until a time to come, and only while it waits', async () => {
    await send('Dinner is at 7');
    const { id } = hubs.mum.card;
    expect((await hubs.mum.work.holds.snooze(id, now() + HOUR_MS, BROWSER)).held).toEqual({
      why: 'person',
      until: now() + HOUR_MS,
    });
    await hubs.clock.settle();
    expect(newest(hubs.dad).state).toBe('held');
    await hubs.mum.work.doNotDisturb.pause(null, BROWSER);
    await hubs.mum.work.doNotDisturb.resume(BROWSER);
    expect(hubs.mum.card.held?.why).toBe('person');
    await expect(hubs.mum.work.holds.snooze(id, now(), BROWSER)).rejects.toMatchObject({
      code: 'bad_request',
    });
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(hubs.mum.card.held).toBeNull();
    await hubs.mum.decide(hubs.mum.card, 'decline');
    await expect(hubs.mum.work.holds.snooze(id, now() + HOUR_MS, BROWSER)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('is asked once the wall clock is put right that was years ahead when a person snoozed it', async () => {
    hubs.clock.jumpWall(5 * 365 * DAY_MS);
    await send('Dinner is at 7', { deadline_ms: DAY_MS });
    await hubs.mum.work.holds.snooze(hubs.mum.card.id, now() + HOUR_MS, BROWSER);
    hubs.clock.jumpWall(-5 * 365 * DAY_MS);
    await hubs.clock.advance(61_000);
    expect(hubs.mum.card).toMatchObject({ task_state: 'awaiting_approval', held: null });
  });

  test('keeps its place among the five of its hub', async () => {
    await quietFor(HOUR_MS);
    for (let round = 0; round < 6; round++) await send(`Task ${round}`).catch(() => undefined);
    expect(hubs.mum.work.approvals.pending()).toHaveLength(5);
  });
});

describe('a pause', () => {
  test('holds what waits and what comes, what a rule would allow, too, and asks about all of it afterwards', async () => {
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R1' }, OWNER);
    await send('Add salt');
    await alwaysAllow(hubs.mum.card);
    const salt = await hubs.mum.claim('claude');
    await hubs.mum.work.inbox.reply('claude', salt.delivery_id, {
      status: 'completed',
      outcome: 'Done',
      truncated: false,
    });
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R2' }, OWNER);
    await send('First');
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R1' }, OWNER);
    await hubs.mum.work.doNotDisturb.pause(null, BROWSER);
    await send('Add sugar');
    const held = hubs.mum.work.approvals.pending();
    expect(held.map(({ text, held: why }) => [text, why])).toEqual([
      ['First', { why: 'paused', until: null }],
      ['Add sugar', { why: 'paused', until: null }],
    ]);
    expect(newest(hubs.dad)).toMatchObject({ state: 'held', heldUntil: null });
    await hubs.clock.advance(HOUR_MS);
    expect(hubs.mum.work.approvals.pending().every((card) => card.held !== null)).toBe(true);

    await hubs.mum.work.doNotDisturb.resume(BROWSER);
    expect(hubs.mum.work.approvals.pending().map((card) => card.held)).toEqual([null, null]);
    expect(hubs.mum.store.read.countDeliveries('claude', ['queued'])).toBe(0);
    expect(hubs.mum.auditActions()).toEqual(
      expect.arrayContaining(['attention.paused', 'attention.resumed']),
    );
  });

  test('allows nothing by itself, but asks at once about what is urgent from a hub that may interrupt', async () => {
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R1' }, OWNER);
    await send('Add salt');
    await alwaysAllow(hubs.mum.card);
    await hubs.mum.work.doNotDisturb.setQuietHours([], ['dad'], BROWSER);
    await hubs.mum.work.doNotDisturb.pause(now() + HOUR_MS, BROWSER);
    // A hub notifies once a minute at most.
    await hubs.clock.advance(60_000);
    await send('Open the gate', { priority: 'urgent' });
    expect(hubs.mum.card).toMatchObject({
      text: 'Open the gate',
      task_state: 'awaiting_approval',
      held: null,
    });
    expect([notified().length, newest(hubs.dad).state]).toEqual([2, 'awaiting_approval']);
    expect(hubs.mum.store.read.countDeliveries('claude', ['queued'])).toBe(1);
  });

  test('says when a request is asked that a rule would allow, though a mute goes on for longer', async () => {
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R1' }, OWNER);
    await send('Add salt');
    await alwaysAllow(hubs.mum.card);
    await hubs.mum.work.doNotDisturb.mute('dad', now() + DAY_MS, BROWSER);
    await hubs.mum.work.doNotDisturb.pause(now() + HOUR_MS, BROWSER);
    await send('Add sugar');
    expect(hubs.mum.card.held?.why).toBe('muted');
  });

  test('until a time ends by itself, in the audit too, and the pages are told', async () => {
    await hubs.mum.work.doNotDisturb.pause(now() + HOUR_MS, BROWSER);
    await send('Dinner is at 7');
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(hubs.mum.card.held).toBeNull();
    expect(hubs.mum.work.doNotDisturb.dto().paused).toBeNull();
    const told = hubs.mum.events.flatMap((event) =>
      event.type === 'do_not_disturb' ? [event.attention.paused] : [],
    );
    expect(told.map((paused) => paused !== null)).toEqual([true, false]);
    expect(
      hubs.mum.store.read.audit({ limit: 9 }).find(({ action }) => action === 'attention.resumed')
        ?.actor,
    ).toBe('clock');
  });

  test('for an hour, or until tonight by the clock of the hub, ends then', async () => {
    expect((await hubs.mum.work.doNotDisturb.pause('in_an_hour', BROWSER)).paused?.until).toBe(
      now() + HOUR_MS,
    );
    const { paused } = await hubs.mum.work.doNotDisturb.pause('tonight', BROWSER);
    expect(new Date(paused?.until ?? 0).toISOString()).toMatch(/T00:00:00\.000Z$/);
    expect((paused?.until ?? 0) - now()).toBeLessThanOrEqual(DAY_MS);
  });

  test('for an hour ends when the wall clock is put right that was a day or years ahead; one without an end does not, nor by a second', async () => {
    const { doNotDisturb } = hubs.mum.work;
    for (const aheadMs of [DAY_MS, 5 * 365 * DAY_MS]) {
      hubs.clock.jumpWall(aheadMs);
      await doNotDisturb.pause('in_an_hour', BROWSER);
      await doNotDisturb.mute('dad', now() + HOUR_MS, BROWSER);
      hubs.clock.jumpWall(-1_000);
      expect([doNotDisturb.dto().paused === null, doNotDisturb.isMuted(hubs.dad.key)]).toEqual([
        false,
        true,
      ]);
      hubs.clock.jumpWall(1_000 - aheadMs);
      expect([
        doNotDisturb.dto().paused,
        doNotDisturb.dto().mutes,
        doNotDisturb.isMuted(hubs.dad.key),
      ]).toEqual([null, [], false]);
      await hubs.clock.advance(61_000);
      expect(hubs.mum.store.read.mutes()).toEqual([]);
      expect(hubs.mum.auditActions().slice(0, 2).sort()).toEqual([
        'attention.resumed',
        'peer.unmuted',
      ]);
    }
    hubs.clock.jumpWall(DAY_MS);
    await doNotDisturb.pause(null, BROWSER);
    hubs.clock.jumpWall(-DAY_MS);
    expect(doNotDisturb.dto().paused).toMatchObject({ until: null });
  });

  test('survives a restart', async () => {
    await hubs.mum.work.doNotDisturb.pause(null, BROWSER);
    await hubs.mum.restart();
    hubs.dad.connect(hubs.mum);
    await send('Dinner is at 7');
    expect(hubs.mum.card.held).toEqual({ why: 'paused', until: null });
  });

  test('is not made until a time that has been, or beyond a month', async () => {
    for (const until of [now(), now() + 32 * DAY_MS]) {
      await expect(hubs.mum.work.doNotDisturb.pause(until, BROWSER)).rejects.toMatchObject({
        code: 'bad_request',
      });
    }
    expect(hubs.mum.work.doNotDisturb.dto().paused).toBeNull();
  });

  test('leaves nothing ticking once it is over', async () => {
    const before = hubs.clock.timers;
    await hubs.mum.work.doNotDisturb.pause(null, BROWSER);
    expect(hubs.clock.timers).toBe(before + 1);
    await hubs.mum.work.doNotDisturb.resume(BROWSER);
    expect(hubs.clock.timers).toBe(before);
  });
});

describe('a mute', () => {
  const mute = (ms = DAY_MS) => hubs.mum.work.doNotDisturb.mute('dad', now() + ms, BROWSER);

  test('holds that hub’s cards and keeps its notices silent', async () => {
    await send('Dinner is at 7');
    await mute();
    expect(hubs.mum.card.held).toMatchObject({ why: 'muted' });
    const notice = {
      id: crypto.randomUUID(),
      kind: 'notify',
      payload: { topic: 'family.news', data: 'hello', importance: 'high' },
    };
    await hubs.mum.isTold(hubs.dad.key, notice);
    await hubs.mum.restart();
    const [item] = hubs.mum.work.feed.list({ limit: 1 }).items;
    expect(item).toMatchObject({ text: 'hello', unread: false });
    expect(hubs.mum.work.feed.unreadCount()).toBe(0);
    expect(hubs.mum.work.doNotDisturb.dto().mutes).toMatchObject([
      { peer_id: hubs.dad.agentId, peer_name: 'dad' },
    ]);
  });

  test('is taken back by unmuting, and both are on record', async () => {
    await send('Dinner is at 7');
    await mute();
    await hubs.mum.work.doNotDisturb.unmute('dad', BROWSER);
    expect(hubs.mum.card.held).toBeNull();
    expect(hubs.mum.work.doNotDisturb.dto().mutes).toEqual([]);
    expect(hubs.mum.auditActions().filter((action) => action.endsWith('muted'))).toEqual([
      'peer.unmuted',
      'peer.muted',
    ]);
  });

  test('ends with its time', async () => {
    await mute(HOUR_MS);
    await send('Dinner is at 7');
    expect(hubs.mum.card.held?.why).toBe('muted');
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(hubs.mum.card.held).toBeNull();
    expect(hubs.mum.work.doNotDisturb.dto().mutes).toEqual([]);
    expect(hubs.mum.store.read.mutes()).toEqual([]);
  });

  test('is forgotten with a hub whose pairing was not stood by', async () => {
    await mute();
    await hubs.mum.store.write((tables) => tables.deletePeer(hubs.dad.key));
    await hubs.mum.work.peerGone(hubs.dad.key);
    expect(hubs.mum.store.read.mutes()).toEqual([]);
  });

  test('is forgotten with the hub, and so is that it may interrupt', async () => {
    await quietFor(HOUR_MS, ['dad']);
    await mute();
    await hubs.mum.endTrust(hubs.dad, 'revoked');
    expect(hubs.mum.store.read.mutes()).toEqual([]);
    expect(hubs.mum.work.doNotDisturb.dto().quiet_hours.urgent_peers).toEqual([]);
    await hubs.mum.restart();
    expect(hubs.mum.work.doNotDisturb.dto().quiet_hours.urgent_peers).toEqual([]);
  });
});
