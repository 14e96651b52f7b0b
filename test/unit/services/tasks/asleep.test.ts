// A computer that sleeps: the time of what was asked passes meanwhile, as it does for whoever
// asked. Only sleep does that, and no wall clock.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ELAPSED_CHECKPOINT_INTERVAL_MS } from '../../../../main/services/tasks/limits.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { delegation, WorkHub } from '../../../fakes/work-hub.ts';

const HOUR_MS = 3_600_000;
let clock: ManualClock;
let hub: WorkHub;
let other: WorkHub;
beforeEach(async () => {
  clock = new ManualClock();
  const network = new MemoryNetwork();
  hub = await new WorkHub({ name: 'here', network, clock }).start();
  hub.approvalWaitMs = 24 * HOUR_MS;
  other = await new WorkHub({ name: 'other', network, clock }).start();
  await hub.pair(other);
  await hub.agent('robot', ['home']);
  await other.work.sender.delegate(
    delegation('here', 'before', { domain: 'home', deadline_ms: HOUR_MS }),
    null,
    null,
  );
});
afterEach(async () => {
  await hub.close();
  await other.close();
});

const stateOf = (id: string): string => hub.work.approvals.get(id).state;

test('what whoever asked has no time left for after a night is not allowed in the morning, however soon somebody presses', async () => {
  const { card } = hub;
  clock.sleep(8 * HOUR_MS);
  await expect(hub.decide(card, 'allow')).rejects.toMatchObject({ code: 'approval_expired' });
  expect([stateOf(card.id), await hub.work.inbox.claim('robot', 1)]).toEqual(['expired', []]);
});

test('what ended while the computer slept ends by itself soon after', async () => {
  const { id } = hub.card;
  clock.sleep(8 * HOUR_MS);
  await clock.advance(ELAPSED_CHECKPOINT_INTERVAL_MS);
  expect(stateOf(id)).toBe('expired');
});

test('what has time left waits until the time its card said, and no longer', async () => {
  const { id, expires_at: until } = hub.card;
  clock.sleep(HOUR_MS / 2);
  expect(hub.card.expires_at).toBe(until);
  await clock.advance(HOUR_MS / 2 - 1_000);
  expect(stateOf(id)).toBe('pending');
  await clock.advance(2_000);
  expect(stateOf(id)).toBe('expired');
});

test('what an agent does is not done in time either where its time was over in the night', async () => {
  await hub.decide(hub.card, 'allow');
  const { delivery_id: id, attempt } = await hub.claim('robot');
  await hub.work.inbox.ack('robot', id, null, attempt);
  clock.sleep(8 * HOUR_MS);
  await clock.advance(ELAPSED_CHECKPOINT_INTERVAL_MS);
  expect(hub.store.read.tasks({ limit: 1 })[0]).toMatchObject({ state: 'failed', code: 'timeout' });
});

test('a sleep counts once, also where the hub starts again after it', async () => {
  const { id, expires_at: until } = hub.card;
  clock.sleep(HOUR_MS / 2);
  await clock.advance(ELAPSED_CHECKPOINT_INTERVAL_MS);
  await hub.restart();
  expect([stateOf(id), Math.abs(hub.card.expires_at - until) < 1_000]).toEqual(['pending', true]);
});

test('a wall clock that is set ahead by a night ends nothing', async () => {
  const { card } = hub;
  clock.jumpWall(8 * HOUR_MS);
  await clock.advance(ELAPSED_CHECKPOINT_INTERVAL_MS);
  await expect(hub.decide(card, 'allow')).resolves.toMatchObject({ state: 'approved' });
});
