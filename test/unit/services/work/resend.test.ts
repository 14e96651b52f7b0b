// A delegation whose ack was lost is sent again; what goes wrong on this side of the line meanwhile is not the other hub's word.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

for (const [what, failure] of [
  ['too much is under way', new AppError('overloaded', 'Too much is under way already.', { failedBy: 'local' })],
  ['the call is given up', new AppError('cancelled', 'The call was given up.', { failedBy: 'local' })],
] as const) {
  it(`goes on being sent when ${what} here, since the other hub may have it`, async () => {
    mum.messenger.swallowed.add('ack');
    const { id } = await dad.work.sender.delegate(delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }), 'openclaw', null);
    expect(mum.work.approvals.pending()).toHaveLength(1);
    mum.messenger.swallowed.clear();
    dad.messenger.failing = failure;
    await clock.advance(60_000);
    expect(dad.messenger.failed).toBeGreaterThan(1);
    expect(dad.store.read.task(id)?.state).toBe('sending');
    dad.messenger.failing = undefined;
    await clock.advance(120_000);
    expect(dad.store.read.task(id)?.state).toBe('awaiting_approval');
    expect(mum.work.approvals.pending()).toHaveLength(1);
  });
}

it('tells who sends it at once what went wrong here before it left', async () => {
  dad.messenger.failing = new AppError('overloaded', 'Too much is under way already.', { failedBy: 'local' });
  const sent = dad.work.sender.delegate(delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }), 'openclaw', null);
  await expect(sent).rejects.toMatchObject({ code: 'overloaded' });
  const [task] = dad.store.read.tasks({ limit: 1 });
  expect(task).toMatchObject({ state: 'failed', code: 'overloaded' });
});
