// A hub that was restored from an older copy has lost the ids of what it did since: what was sent
// before its owner confirmed the copy may have been done already.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ReplayGuard } from '../../../../main/services/tasks/replay-guard.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import type { WorkHub } from '../../../fakes/work-hub.ts';

const DAY_MS = 86_400_000;
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

const delegated = async (ts: number, id: string = crypto.randomUUID()) =>
  (
    await mum.hears(dad.key, {
      id,
      ts,
      kind: 'delegate',
      payload: { task: 'Dinner is at 7', domain: 'family.chat' },
    })
  ).payload;

it('refuses for good what was sent before the copy was confirmed, and takes what was sent after', async () => {
  const [known, knownAt] = [crypto.randomUUID(), clock.wallMs()];
  expect(await delegated(knownAt, known)).toMatchObject({ accepted: true });
  const before = clock.wallMs();
  await clock.advance(1_000);
  await mum.store.write((tables) => ReplayGuard.restored(tables, clock.wallMs()));
  expect(await delegated(before)).toMatchObject({
    accepted: false,
    code: 'rejected',
    retryable: false,
    reason: expect.stringContaining('fresh id'),
  });
  // What the copy knows has its answer in it.
  expect(await delegated(knownAt, known)).toMatchObject({ accepted: true });
  expect(mum.work.approvals.pending()).toHaveLength(1);
  expect(await delegated(clock.wallMs())).toMatchObject({ accepted: true });
  expect(mum.work.approvals.pending()).toHaveLength(2);
});

it('takes work from a hub whose clock is wrong a week after the copy was confirmed', async () => {
  await mum.store.write((tables) => ReplayGuard.restored(tables, clock.wallMs()));
  expect(await delegated(0)).toMatchObject({ accepted: false });
  clock.sleep(7 * DAY_MS);
  expect(await delegated(0)).toMatchObject({ accepted: true });
});
