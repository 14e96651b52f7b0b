// A paired hub's delegation as a test of service: the whole hub stores it and says so within two
// seconds, whatever strangers do meanwhile. Linux only where waits for a processor are to be told
// from the hub's own time.
import { expect } from 'vitest';
import { timesOf, waitsOf } from './health-times.ts';
import type { LightPeer } from './light-peer.ts';

/**
 * What an ack may take of the hub itself, and what it may take at all on a computer that others
 * keep busy.
 */
const ACK_LIMITS = { byClock: 10_000, ownMs: 2_000 };
const TASK = { task: 'Close the garden gate', domain: 'crowd.questions' };

/**
 * Asks, gets its ack in time, and takes the delegation back, so that any number of them can follow
 * one another.
 * @param processIds the hub's processes: their waits for a processor are the computer's
 */
export async function expectPromptAck(
  control: LightPeer,
  processIds: readonly number[],
): Promise<void> {
  await control.connected();
  const id = crypto.randomUUID();
  const waits = waitsOf([...processIds, process.pid]);
  const startedAt = performance.now();
  const reply = await control.ask('delegate', TASK, ACK_LIMITS.byClock, id);
  const { byClock, ownMs } = timesOf(performance.now() - startedAt, waits());
  expect(reply).toMatchObject({ kind: 'ack', payload: { accepted: true } });
  expect(ownMs ?? byClock).toBeLessThan(ACK_LIMITS.ownMs);
  expect(
    await control.askBytes(control.envelope('cancel', {}, undefined, id), ACK_LIMITS.byClock),
  ).toBe('ack');
}
