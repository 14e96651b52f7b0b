// One notification for all that was silenced during a quiet hour or a pause: when that is over,
// also where the hub was restarted or off meanwhile. None for what an adult's hub decides by then,
// for what is over, or a second time.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import { keyOf } from '../../../fakes/sample-rows.ts';
import { BROWSER, delegation, OWNER, peerRow } from '../../../fakes/work-hub.ts';
import { closeTwoHubs, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';

const HOUR_MS = 3_600_000;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const LEO = { key: keyOf('Leo'), name: 'leo' };

describe('a dangerous request that was silenced', () => {
  let hubs: TwoHubs;
  beforeEach(async () => {
    hubs = await openTwoHubs();
    await hubs.mum.work.agents.setClass('claude', { riskClass: 'R3' }, OWNER);
  });
  afterEach(() => closeTwoHubs(hubs));

  const now = (): number => hubs.clock.wallMs();
  const names = (): readonly string[] =>
    hubs.mum.events.flatMap((event) => (event.type === 'attention' ? [event.peer_name] : []));
  const notified = (): number => names().length;
  const timeOf = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);
  const quietFor = (forMs: number) =>
    hubs.mum.work.doNotDisturb.setQuietHours(
      [
        {
          name: 'Night',
          from: timeOf(now() - HOUR_MS),
          to: timeOf(now() + forMs),
          days: EVERY_DAY,
          on: true,
        },
      ],
      undefined,
      BROWSER,
    );
  const send = async (more: Parameters<typeof delegation>[2] = {}): Promise<void> => {
    await hubs.dad.work.sender.delegate(
      delegation('mum', 'Unlock the front door', { domain: 'family.chat', ...more }),
      'openclaw',
      null,
    );
    await hubs.clock.settle();
    expect(hubs.mum.card).toMatchObject({
      risk_class: 'R3',
      task_state: 'awaiting_approval',
      held: null,
    });
  };

  it('notifies at the end of the quiet hour, once, though the hub was restarted within it', async () => {
    await quietFor(HOUR_MS);
    await send();
    await hubs.mum.restart();
    expect(notified()).toBe(0);
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(notified()).toBe(1);
    await hubs.mum.restart();
    await hubs.clock.advance(HOUR_MS);
    expect(notified()).toBe(1);
  });

  it('notifies at the start of a hub that was off when the quiet hour ended, and not at the next start', async () => {
    await quietFor(HOUR_MS);
    await send();
    await hubs.clock.advance(HOUR_MS / 2);
    await hubs.mum.work.stop();
    hubs.clock.jumpWall(2 * HOUR_MS);
    await hubs.mum.restart();
    expect(notified()).toBe(1);
    await hubs.clock.advance(2 * 60_000);
    await hubs.mum.restart();
    expect(notified()).toBe(1);
  });

  it('notifies once, though the hub is restarted a moment later', async () => {
    await quietFor(HOUR_MS);
    await send();
    await hubs.clock.advance(HOUR_MS - 20_000);
    for (let second = 0; notified() === 0 && second < 120; second += 1)
      await hubs.clock.advance(1_000);
    expect(notified()).toBe(1);
    await hubs.mum.restart();
    await hubs.clock.advance(HOUR_MS);
    expect(notified()).toBe(1);
  });

  it('that was asked before the quiet hour notified then, and does not after it, though the hub was restarted within it', async () => {
    await send();
    expect(notified()).toBe(1);
    await hubs.clock.advance(2 * 60_000);
    await quietFor(HOUR_MS);
    await hubs.mum.restart();
    await hubs.clock.advance(HOUR_MS + 60_000);
    expect([hubs.mum.card.task_state, notified()]).toEqual(['awaiting_approval', 1]);
  });

  it('notifies after a quiet hour in which it was held at first, because its hub was muted, and over a restart', async () => {
    await hubs.mum.work.doNotDisturb.mute('dad', now() + HOUR_MS / 4, BROWSER);
    await quietFor(HOUR_MS);
    await hubs.dad.work.sender.delegate(
      delegation('mum', 'Unlock the front door', { domain: 'family.chat' }),
      'openclaw',
      null,
    );
    await hubs.clock.settle();
    expect(hubs.mum.card.held?.why).toBe('muted');
    await hubs.clock.advance(HOUR_MS / 2);
    expect([hubs.mum.card.held, notified()]).toEqual([null, 0]);
    await hubs.mum.restart();
    await hubs.clock.advance(HOUR_MS);
    expect(notified()).toBe(1);
  });

  it('notifies after a pause without an end that went on over a restart, and at the start after one that ended while the hub was off', async () => {
    await hubs.mum.work.doNotDisturb.pause(null, BROWSER);
    await send();
    await hubs.mum.restart();
    await hubs.mum.work.doNotDisturb.resume(BROWSER);
    await hubs.clock.settle();
    expect(notified()).toBe(1);
    await hubs.mum.decide(hubs.mum.card, 'decline');
    hubs.dad.connect(hubs.mum);
    await hubs.clock.advance(2 * 60_000);
    await hubs.mum.work.doNotDisturb.pause(now() + HOUR_MS, BROWSER);
    await send();
    await hubs.mum.work.stop();
    hubs.clock.jumpWall(2 * HOUR_MS);
    await hubs.mum.restart();
    await hubs.clock.settle();
    expect(notified()).toBe(2);
  });

  it('does not notify at a start after its own time was over, and neither does a question whose line ended with the hub', async () => {
    await quietFor(HOUR_MS);
    await send({ deadline_ms: HOUR_MS });
    const answer = hubs.mum.hears(hubs.dad.key, {
      id: crypto.randomUUID(),
      kind: 'query',
      payload: { question: 'Is the door locked?', domain: 'family.chat', deadline_ms: 60_000 },
    });
    await hubs.clock.settle();
    expect(hubs.mum.work.approvals.pending().map(({ kind, held }) => [kind, held])).toEqual([
      ['delegate', null],
      ['query', null],
    ]);
    await hubs.mum.work.stop();
    hubs.clock.jumpWall(2 * HOUR_MS);
    await hubs.mum.restart();
    await hubs.clock.advance(1_000);
    expect([hubs.mum.work.approvals.pending(), notified()]).toEqual([[], 0]);
    await hubs.clock.advance(60_000);
    await answer;
  });

  it('notifies, too, where the store could not be read when the quiet hour ended', async () => {
    await quietFor(HOUR_MS);
    await send();
    await hubs.clock.advance(HOUR_MS - 61_000);
    expect(notified()).toBe(0);
    const { tasksInStates } = hubs.mum.store.read;
    let failures = 0;
    vi.spyOn(hubs.mum.store.read, 'tasksInStates').mockImplementation((states) => {
      if (failures === 0 && hubs.mum.work.doNotDisturb.dto().quiet_now === null) {
        failures += 1;
        throw new Error('the database is locked');
      }
      return tasksInStates.call(hubs.mum.store.read, states);
    });
    await hubs.clock.advance(2 * 60_000);
    expect([failures, notified()]).toEqual([1, 1]);
  });

  it('does not keep a hub from starting whose store cannot be read', async () => {
    await quietFor(HOUR_MS);
    await hubs.mum.work.stop();
    await hubs.mum.store.close();
    await expect(hubs.mum.work.holds.start()).resolves.toBeUndefined();
    hubs.mum.work.holds.stop();
  });

  it('does not notify when a person decided about it before the quiet hour was over, nor later', async () => {
    await quietFor(HOUR_MS);
    await send();
    await hubs.mum.restart();
    hubs.dad.connect(hubs.mum);
    await hubs.mum.decide(hubs.mum.card, 'decline');
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(notified()).toBe(0);
    await send();
    expect(notified()).toBe(1);
    await hubs.clock.advance(3 * 60_000);
    expect(notified()).toBe(1);
  });

  it('shares one notification with another hub’s request that was held, and with one that came later', async () => {
    await hubs.mum.store.write((tables) => tables.putPeer(peerRow(LEO)));
    await hubs.mum.agent('lists', ['logistics.grocery']);
    await quietFor(HOUR_MS);
    await send();
    await hubs.clock.advance(2 * 60_000);
    const payload = { task: 'Add salt', domain: 'logistics.grocery' };
    await hubs.mum.hears(LEO.key, { id: crypto.randomUUID(), kind: 'delegate', payload });
    await hubs.dad.work.sender.delegate(
      delegation('mum', 'Open the garage', { domain: 'family.chat' }),
      'openclaw',
      null,
    );
    await hubs.clock.settle();
    expect(hubs.mum.work.approvals.pending().map(({ held }) => held?.why)).toEqual([
      undefined,
      'quiet_hours',
      undefined,
    ]);
    await hubs.clock.advance(HOUR_MS + 60_000);
    expect(hubs.mum.work.approvals.pending().map(({ held }) => held)).toEqual([null, null, null]);
    expect(notified()).toBe(1);
  });

  it('notifies, though the newest request is of a hub that is muted by then', async () => {
    await hubs.mum.store.write((tables) => tables.putPeer(peerRow(LEO)));
    await quietFor(HOUR_MS);
    await send();
    const payload = { task: 'Open the garage', domain: 'family.chat' };
    await hubs.mum.hears(LEO.key, { id: crypto.randomUUID(), kind: 'delegate', payload });
    await hubs.mum.work.doNotDisturb.mute('leo', now() + 3 * HOUR_MS, BROWSER);
    await hubs.mum.work.holds.show('all', BROWSER);
    expect(hubs.mum.work.approvals.pending().map(({ held }) => held)).toEqual([null, null]);
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(names()).toEqual(['dad']);
  });

  it('does not notify while its hub is muted, and does when the mute ends', async () => {
    await quietFor(HOUR_MS);
    await send();
    await hubs.mum.work.doNotDisturb.mute('dad', now() + 2 * HOUR_MS, BROWSER);
    await hubs.clock.advance(HOUR_MS + 60_000);
    expect(notified()).toBe(0);
    await hubs.clock.advance(HOUR_MS);
    expect(notified()).toBe(1);
  });

  it('notifies at once when its snooze ends within the quiet hour, where its hub may interrupt', async () => {
    await hubs.mum.work.doNotDisturb.setQuietHours([], ['dad'], BROWSER);
    await quietFor(2 * HOUR_MS);
    await send({ priority: 'urgent' });
    expect(notified()).toBe(1);
    await hubs.mum.work.holds.snooze(hubs.mum.card.id, now() + HOUR_MS, BROWSER);
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect([hubs.mum.card.held, notified()]).toEqual([null, 2]);
    await hubs.clock.advance(2 * HOUR_MS);
    expect(notified()).toBe(2);
  });
});

describe('a request of a child’s hub that was silenced', () => {
  let house: RemoteApprovalHouse;
  beforeEach(async () => {
    house = await new RemoteApprovalHouse().open();
    await house.leo.work.agents.setClass('robot', { riskClass: 'R3' }, OWNER);
    await house.leo.work.doNotDisturb.pause(null, BROWSER);
    await house.ask();
    expect(house.leo.card).toMatchObject({ risk_class: 'R3', held: null });
  });
  afterEach(() => house.close());

  const notified = (): number => house.leo.events.filter(({ type }) => type === 'attention').length;

  it('does not notify after the pause while an adult’s hub decides it, and does once the people there decide again', async () => {
    await house.letDecide();
    await house.leo.restart();
    await house.leo.work.doNotDisturb.resume(BROWSER);
    await house.clock.settle();
    expect(house.leo.card.decided_by_hubs).toMatchObject([{ name: 'mum' }]);
    expect(notified()).toBe(0);
    await house.letDecide([], null);
    expect(house.leo.card.decided_by_hubs).toBeNull();
    expect(notified()).toBe(1);
  });

  it('does not notify after the pause while an adult’s hub decides it, and is silenced again by the next pause', async () => {
    await house.letDecide();
    await house.leo.work.doNotDisturb.resume(BROWSER);
    await house.clock.settle();
    expect(notified()).toBe(0);
    await house.leo.work.doNotDisturb.pause(null, BROWSER);
    await house.letDecide([], null);
    expect([house.leo.card.held, notified()]).toEqual([null, 0]);
    await house.leo.work.doNotDisturb.resume(BROWSER);
    await house.clock.settle();
    expect(notified()).toBe(1);
  });
});
