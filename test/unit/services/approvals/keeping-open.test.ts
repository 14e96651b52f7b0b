// How long a request waits for a person: this hub's own wait, or as long as whoever asked waits;
// and a person keeping it open longer.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { APPROVALS_WAIT_MINUTES_DEFAULT } from '../../../../preload/contract/limits.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import { BROWSER, delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const PART = 5_000;
/** How long mum's hub waits for a person in most tests. */
const WAIT = 60 * PART;
const HOUR = 3_600_000;
const never = new AbortController().signal;
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
  await dad.knows(mum);
  mum.approvalWaitMs = WAIT;
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

const send = (deadlineMs: number) =>
  dad.work.sender.delegate(
    delegation('mum', 'Dinner at 7', { domain: 'family.chat', deadline_ms: deadlineMs }),
    'openclaw',
    null,
  );
const taskOf = (id: string) => dad.work.tasks.get(id, { agent: 'openclaw' }, 0, never);
const keepOpen = (shownMs = mum.card.wait_ms) =>
  mum.work.holds.keepOpen(mum.card.id, shownMs, BROWSER);
const rowsOf = (action: string) =>
  mum.store.read.audit({ limit: 50 }).filter((row) => row.action === action);

describe('a request that nobody decides', () => {
  it('waits for half a day where nobody has said how long, and no longer than whoever asked waits', async () => {
    mum.approvalWaitMs = APPROVALS_WAIT_MINUTES_DEFAULT * 60_000;
    await send(24 * HOUR);
    const start = clock.wallMs();
    expect(mum.card).toMatchObject({
      wait_ms: 12 * HOUR,
      expires_at: start + 12 * HOUR,
      deadline_at: start + 24 * HOUR,
    });
    await mum.decide(mum.card, 'decline');
    await send(HOUR);
    expect(mum.card).toMatchObject({ wait_ms: HOUR, expires_at: mum.card.deadline_at });
  });

  it('is expired with the same words by the wait of this hub as by the deadline of whoever asked', async () => {
    const byWait = await send(3 * WAIT);
    const byDeadline = await send(30 * PART);
    await clock.advance(WAIT + 1_000);
    const [one, other] = [await taskOf(byWait.id), await taskOf(byDeadline.id)];
    expect(one).toMatchObject({
      state: 'expired',
      code: 'approval_expired',
      // The other hub's words are not this one's reason.
      reason: null,
      untrusted: { error: expect.stringMatching(/^Nobody answered .* in time/) },
    });
    expect([other.state, other.code]).toEqual([one.state, one.code]);
    expect(other.untrusted?.error).toBe(one.untrusted?.error);
    const decided = mum.work.approvals.decided({ limit: 5 }).items;
    expect(decided.map(({ state, surface }) => [state, surface])).toEqual([
      ['expired', 'clock'],
      ['expired', 'clock'],
    ]);
    const [late] = decided;
    expect(late?.expires_at).toBe(late?.decided_at);
  });

  it('cannot be decided once the wait is over, even before the clock has told so', async () => {
    await send(3 * WAIT);
    const card = mum.card;
    clock.standStill(WAIT + 1);
    await expect(mum.decide(card, 'allow')).rejects.toMatchObject({ code: 'approval_expired' });
    expect(mum.work.approvals.get(card.id).state).toBe('expired');
  });

  it('cannot be snoozed any more by then, with its card or with everything', async () => {
    await send(3 * WAIT);
    const { id } = mum.card;
    clock.standStill(WAIT + 1);
    await expect(mum.work.holds.snooze(id, clock.wallMs() + HOUR, BROWSER)).rejects.toMatchObject({
      code: 'approval_expired',
    });
    await mum.work.doNotDisturb.pause(null, BROWSER);
    expect(mum.work.approvals.get(id)).toMatchObject({ state: 'pending', held: null });
    await clock.advance(1);
    expect(mum.work.approvals.get(id).state).toBe('expired');
  });

  it('has all the time of whoever asked for being done in, once it is allowed', async () => {
    const { id } = await send(3 * WAIT);
    await clock.advance(59 * PART);
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await mum.work.inbox.ack('claude', item.delivery_id, null);
    await clock.advance(2 * WAIT);
    expect((await taskOf(id)).state).toBe('running');
    await clock.advance(PART + 1_000);
    expect(await taskOf(id)).toMatchObject({ state: 'failed', code: 'timeout' });
  });

  it('that was allowed while its wait ended is not taken for one that nobody decided', async () => {
    const { id } = await send(3 * WAIT);
    await clock.advance(WAIT - 1);
    const decided = mum.decide(mum.card, 'allow');
    await clock.advance(1);
    expect((await decided).state).toBe('approved');
    await clock.settle();
    expect((await taskOf(id)).state).toBe('queued');
  });

  it('waits as long as it was told to, whatever is set meanwhile', async () => {
    await send(3 * WAIT);
    mum.approvalWaitMs = PART;
    await clock.advance(30 * PART);
    expect(mum.card.state).toBe('pending');
    mum.approvalWaitMs = 24 * WAIT;
    await clock.advance(31 * PART);
    expect(mum.work.approvals.pending()).toEqual([]);
  });
});

describe('a request that is held', () => {
  const snooze = (untilMs: number) =>
    mum.work.holds.snooze(mum.card.id, clock.wallMs() + untilMs, BROWSER);

  it('waits until a person is asked again as they wished, and as long as this hub waits from then', async () => {
    const { id } = await send(5 * WAIT);
    await clock.advance(PART);
    const { digest, revision } = mum.card;
    expect(await snooze(2 * WAIT)).toMatchObject({
      task_state: 'held',
      wait_ms: 5 * WAIT,
      expires_at: mum.card.deadline_at,
    });
    expect(mum.card.keep_open_until).toBeNull();
    await clock.advance(2 * WAIT + 1_000);
    expect(mum.card).toMatchObject({ task_state: 'awaiting_approval', digest, revision });
    expect(Math.abs(mum.card.expires_at - clock.wallMs() - WAIT)).toBeLessThan(2_000);
    await clock.advance(WAIT - 2_000);
    expect(mum.card.state).toBe('pending');
    await clock.advance(2_000);
    expect(await taskOf(id)).toMatchObject({ state: 'expired', code: 'approval_expired' });
    const [late] = mum.work.approvals.decided({ limit: 1 }).items;
    expect(Math.abs((late?.expires_at ?? 0) - (late?.decided_at ?? 0))).toBeLessThan(2_000);
  });

  it('never waits longer than whoever asked', async () => {
    const { id } = await send(2 * WAIT);
    await snooze(2 * WAIT - PART);
    await clock.advance(2 * WAIT - PART + 1_000);
    expect(mum.card).toMatchObject({
      task_state: 'awaiting_approval',
      wait_ms: 2 * WAIT,
      expires_at: mum.card.deadline_at,
    });
    await clock.advance(PART);
    expect((await taskOf(id)).state).toBe('expired');
  });

  it('outlives a night of quiet hours longer than this hub waits, and is asked about in the morning', async () => {
    await mum.work.doNotDisturb.pause(clock.wallMs() + 3 * WAIT, BROWSER);
    const { id } = await send(5 * WAIT);
    await clock.advance(2 * WAIT);
    expect(mum.card).toMatchObject({ task_state: 'held', state: 'pending' });
    await mum.restart();
    dad.connect(mum);
    await clock.advance(WAIT + 1_000);
    expect(mum.card).toMatchObject({ task_state: 'awaiting_approval', state: 'pending' });
    expect(mum.card.wait_ms).toBeGreaterThan(3 * WAIT);
    await mum.decide(mum.card, 'allow');
    await clock.settle();
    expect((await taskOf(id)).state).toBe('queued');
  });

  it('that is shown before its time waits from then, and can be kept open by the wait that is shown then', async () => {
    await send(5 * WAIT);
    await snooze(3 * WAIT);
    await clock.advance(2 * WAIT);
    await mum.work.holds.show('all', BROWSER);
    expect(mum.card.wait_ms).toBe(3 * WAIT);
    await expect(keepOpen(5 * WAIT)).rejects.toMatchObject({ code: 'request_changed' });
    expect(await keepOpen()).toMatchObject({ wait_ms: 4 * WAIT });
  });
});

describe('keeping a request open', () => {
  it('lets it wait as long again, and says so on the record, with the digest and revision that were shown', async () => {
    const { id } = await send(3 * WAIT);
    const before = mum.card;
    expect(before.keep_open_until).toBe(before.expires_at + WAIT);
    await clock.advance(59 * PART);
    const kept = await keepOpen();
    expect(kept).toMatchObject({
      state: 'pending',
      wait_ms: 2 * WAIT,
      expires_at: before.expires_at + WAIT,
    });
    expect([kept.digest, kept.revision, kept.deadline_at]).toEqual([
      before.digest,
      before.revision,
      before.deadline_at,
    ]);
    expect(rowsOf('approval.kept_open')).toMatchObject([
      { actor: BROWSER.actor, surface: 'browser', object: before.id, digest: before.digest },
    ]);
    await clock.advance(WAIT);
    expect(mum.card.state).toBe('pending');
    await mum.decide(before, 'allow');
    await clock.settle();
    expect((await taskOf(id)).state).toBe('queued');
  });

  it('ends it when the longer wait is over', async () => {
    const { id } = await send(3 * WAIT);
    await keepOpen();
    await clock.advance(2 * WAIT + 1);
    expect((await taskOf(id)).state).toBe('expired');
  });

  it('tells the pages of the new end', async () => {
    await send(3 * WAIT);
    const told = () =>
      mum.events.flatMap((event) => (event.type === 'approval' ? [event.approval.expires_at] : []));
    const before = mum.card.expires_at;
    await keepOpen();
    await clock.settle();
    expect(told().at(-1)).toBe(before + WAIT);
  });

  it('counts once when it is pressed twice, at the same time or one after the other', async () => {
    await send(12 * WAIT);
    const shown = mum.card.wait_ms;
    const both = await Promise.all([keepOpen(shown), keepOpen(shown)]);
    expect(both.map(({ wait_ms }) => wait_ms)).toEqual([2 * WAIT, 2 * WAIT]);
    expect((await keepOpen(shown)).wait_ms).toBe(2 * WAIT);
    expect(rowsOf('approval.kept_open')).toHaveLength(1);
    expect((await keepOpen()).wait_ms).toBe(3 * WAIT);
  });

  it('never goes beyond the deadline of whoever asked, and is not offered where nothing is gained', async () => {
    await send(90 * PART);
    const { deadline_at: deadline } = mum.card;
    expect(mum.card.keep_open_until).toBe(deadline);
    expect(await keepOpen()).toMatchObject({ expires_at: deadline, keep_open_until: null });
    await expect(keepOpen()).rejects.toMatchObject({ code: 'conflict' });
    await clock.advance(90 * PART + 1);
    expect(mum.work.approvals.pending()).toEqual([]);
  });

  it('is not offered for what asks for less time than this hub waits anyway', async () => {
    await send(WAIT);
    expect(mum.card.keep_open_until).toBeNull();
    await expect(keepOpen()).rejects.toMatchObject({ code: 'conflict' });
    expect(rowsOf('approval.kept_open')).toEqual([]);
  });

  it('refuses a wait that was never shown, what is decided, what is over and what is not there', async () => {
    await send(3 * WAIT);
    const { id, wait_ms: waitMs } = mum.card;
    await expect(keepOpen(waitMs + 1)).rejects.toMatchObject({
      code: 'request_changed',
      data: { wait_ms: waitMs },
    });
    const stranger = '00000000-0000-4000-8000-000000000000';
    await expect(mum.work.holds.keepOpen(stranger, waitMs, BROWSER)).rejects.toMatchObject({
      code: 'not_found',
    });
    clock.standStill(WAIT + 1);
    await expect(mum.work.holds.keepOpen(id, waitMs, BROWSER)).rejects.toMatchObject({
      code: 'approval_expired',
    });
    await clock.advance(0);
    await expect(mum.work.holds.keepOpen(id, waitMs, BROWSER)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(rowsOf('approval.kept_open')).toEqual([]);
  });

  it('survives a restart, with what had passed', async () => {
    await send(6 * WAIT);
    await keepOpen();
    await clock.advance(50 * PART);
    await mum.restart();
    mum.connect(dad);
    expect(mum.card).toMatchObject({ wait_ms: 2 * WAIT, state: 'pending' });
    await clock.advance(69 * PART);
    expect(mum.card.state).toBe('pending');
    await clock.advance(2 * PART);
    expect(mum.work.approvals.pending()).toEqual([]);
    await clock.settle();
    expect(mum.work.approvals.decided({ limit: 1 }).items).toMatchObject([{ state: 'expired' }]);
  });

  it('is not for what is held in a pause: that waits as long as whoever asked already, and ends with it', async () => {
    await mum.work.doNotDisturb.pause(null, BROWSER);
    const { id } = await send(3 * WAIT);
    expect(mum.card).toMatchObject({
      held: { why: 'paused' },
      wait_ms: 3 * WAIT,
      keep_open_until: null,
    });
    await expect(keepOpen()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('already open until whoever asked'),
    });
    await clock.advance(2 * WAIT);
    expect(mum.card.state).toBe('pending');
    await clock.advance(WAIT + PART);
    expect(await taskOf(id)).toMatchObject({ state: 'expired', code: 'approval_expired' });
  });

  it('that is snoozed afterwards is asked again at its time, and waits no less than it was kept open for', async () => {
    await send(6 * WAIT);
    await keepOpen();
    await mum.work.holds.snooze(mum.card.id, clock.wallMs() + 50 * PART, BROWSER);
    await clock.advance(51 * PART);
    expect(mum.card).toMatchObject({ held: null, state: 'pending', wait_ms: 2 * WAIT });
  });
});

it('is declined and nothing else by the people of a hub where an adult’s hub decides: none of them keeps it open', async () => {
  const house = await new RemoteApprovalHouse().open();
  const { leo } = house;
  try {
    leo.approvalWaitMs = WAIT;
    await house.ask();
    expect(leo.card.keep_open_until, 'before that it is').not.toBeNull();
    await house.letDecide();
    const { id, wait_ms: waitMs, expires_at: until, keep_open_until: longer } = leo.card;
    expect(longer).toBeNull();
    const refused = {
      code: 'blocked',
      message: 'mum decides about this request; here it can only be declined.',
    };
    await expect(leo.work.holds.keepOpen(id, waitMs, BROWSER)).rejects.toMatchObject(refused);
    expect(leo.card).toMatchObject({ wait_ms: waitMs, expires_at: until });
    expect(house.audit(leo, 'approval.kept_open')).toEqual([]);
  } finally {
    await house.close();
  }
});
