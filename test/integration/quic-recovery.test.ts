// What the transport knows of a line that takes its time and loses: how long it is, and how little
// a lost datagram costs there.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { UdpLine } from '../support/udp-line.ts';
import { Household, systemDeps, type TestHub } from './quic-test-hub.ts';

let household: Household;
const lines: UdpLine[] = [];
beforeEach(() => {
  household = new Household(() => createInProcessTransport(systemDeps));
});
afterEach(async () => {
  await household.stop();
  for (const line of lines.splice(0)) line.close();
});

async function linked(
  delayMs: number,
): Promise<{ near: TestHub; far: TestHub; line: UdpLine; connectionId: number }> {
  const [near, far] = [await household.hub(), await household.hub()];
  near.trust(far);
  far.trust(near);
  const line = new UdpLine(far.port, 3);
  lines.push(line);
  line.delayMs = delayMs;
  const port = await line.open();
  const dialled = await near.transport.dial({ ...far.target, port }, AbortSignal.timeout(10_000));
  if (!dialled.ok) throw new Error(`the dial failed: ${JSON.stringify(dialled.error)}`);
  await far.event('connected');
  return { near, far, line, connectionId: dialled.value.connectionId };
}

/** Both hubs' idea of the round trip. */
async function roundTripsMs(...hubs: readonly TestHub[]): Promise<readonly number[]> {
  const all = await Promise.all(hubs.map((hub) => hub.transport.statistics()));
  return all.flatMap(({ roundTripMs }) => Object.values(roundTripMs));
}

it('P3: the round trip of a busy connection over a line that loses is not taken for less than the line takes', async () => {
  const { near, far, line, connectionId } = await linked(25);
  line.loss = 0.01;
  far.answer = (hub, { connectionId: from, streamId, bytes }) =>
    hub.transport.respond(from, streamId, bytes);
  const seenMs: number[] = [];
  const ask = async (): Promise<void> => {
    for (let number = 0; number < 10; number += 1) {
      const answer = await near.transport.request(connectionId, new Uint8Array(60_000), 60_000);
      expect(answer).toMatchObject({ ok: true });
      seenMs.push(...(await roundTripsMs(near, far)));
    }
  };
  await Promise.all(Array.from({ length: 4 }, ask));
  expect(line.counts.lost).toBeGreaterThan(0);
  expect(Math.min(...seenMs)).toBeGreaterThanOrEqual(2 * line.delayMs - 5);
}, 90_000);
