// A gate is one file that says something about requests, and one line where the gates are listed:
// this one lets nothing in about the garage.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Reads } from '../../../../main/ports/store.ts';
import type { Gate, JudgedRequest, Verdict } from '../../../../main/services/tasks/verdict.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { delegation, WorkHub } from '../../../fakes/work-hub.ts';

class GarageGate implements Gate {
  judge(_reads: Reads, { domain }: JudgedRequest, verdict: Verdict): Verdict {
    return domain === 'garage'
      ? { ...verdict, decision: 'decline', rule: null, hold: null }
      : verdict;
  }
}

let clock: ManualClock;
let hub: WorkHub;

beforeEach(async () => {
  clock = new ManualClock();
  hub = await new WorkHub({
    name: 'home',
    network: new MemoryNetwork(),
    clock,
    moreGates: [new GarageGate()],
  }).start();
  await hub.agent('keeper', ['garage', 'garden']);
});
afterEach(() => hub.close());

it('has its word in the verdict on what it is about', async () => {
  const request = delegation('local/keeper', 'Open it', { domain: 'garage' });
  await expect(hub.work.sender.delegate(request, 'claude', null)).rejects.toMatchObject({
    code: 'rejected',
  });
  expect(hub.work.approvals.pending()).toEqual([]);
});

it('leaves the word of the other gates to all else', async () => {
  await hub.work.sender.delegate(
    delegation('local/keeper', 'Water it', { domain: 'garden' }),
    'claude',
    null,
  );
  expect(hub.card.text).toBe('Water it');
});
