// Handshakes that are begun with a valid Retry token and never finished.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect } from 'vitest';
import { HALF_OPEN_MAX, HALF_OPEN_PER_SOURCE_MAX, INITIALS_BURST } from '../../main/adapters/quic/limits.ts';
import type { TestHub } from '../integration/quic-test-hub.ts';
import { binding, lawlessConfig, type RawSocket } from './PW-lawless-peer.ts';
import { attack, expectService, House } from './PW-house.ts';

const HALF_OPENS = 500;
const FREED_WITHIN_MS = 10_000;

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

/** Sends first Initials, answers each Retry with a second Initial that shows its token, and then says nothing more. */
async function beginHandshakes(socket: RawSocket, hub: TestHub, count: number): Promise<void> {
  const out = Buffer.alloc(65_536);
  const config = lawlessConfig(null);
  const to = { host: hub.host, port: hub.port };
  const clients = new Map<string, ReturnType<typeof binding.Connection.connect>>();
  const sendOne = (client: ReturnType<typeof binding.Connection.connect>): Promise<void> | undefined => {
    const part = client.send(out);
    return part ? socket.send(Buffer.from(out.subarray(0, part[0])), to) : undefined;
  };
  socket.onDatagram = (datagram) => {
    const id = datagram.toString('latin1', 6, 22);
    const isRetry = (datagram[0] ?? 0) >> 4 === 0xf;
    const client = clients.get(id);
    if (!isRetry || !client) return;
    clients.delete(id);
    client.recv(datagram, { from: to, to: socket.address });
    void sendOne(client);
  };
  for (let begun = 0; begun < count; begun += 1) {
    const id = randomBytes(16);
    const client = binding.Connection.connect('x', id, socket.address, to, config);
    clients.set(id.toString('latin1'), client);
    await sendOne(client);
  }
}

attack('PW-05: 500 handshakes of one source hold eight places at most, all free again in ten seconds', async () => {
  const { hub, control } = await house.open();
  const attacker = await house.socket('127.0.0.2');
  // One address proves itself only so often a second: all of them together would be stopped there. So some come first, at a pace that passes.
  await beginHandshakes(attacker, hub, INITIALS_BURST / 2);
  const held = await hub.counter('half-open.now', (count) => count === HALF_OPEN_PER_SOURCE_MAX);
  expect(held).toBe(HALF_OPEN_PER_SOURCE_MAX);
  await beginHandshakes(attacker, hub, HALF_OPENS - INITIALS_BURST / 2);
  const startedAt = performance.now();
  expect((await hub.transport.statistics()).counters['half-open.now']).toBeLessThanOrEqual(HALF_OPEN_PER_SOURCE_MAX);
  await expectService(hub, control);
  await hub.counter('half-open.now', (count) => count === 0);
  expect(performance.now() - startedAt).toBeLessThan(FREED_WITHIN_MS);
  expect(hub.eventsOf('connected')).toHaveLength(1);
});

attack('PW-05: 500 handshakes from 64 sources hold 64 places at most, and a paired peer connects meanwhile', async () => {
  const { hub, control } = await house.open();
  const attackers = await Promise.all(Array.from({ length: 64 }, (_, number) => house.socket(`127.0.1.${number + 1}`)));
  await Promise.all(attackers.map((attacker) => beginHandshakes(attacker, hub, Math.ceil(HALF_OPENS / attackers.length))));
  const startedAt = performance.now();
  await hub.counter('half-open.pushed-out', (count) => count > 300);
  expect((await hub.transport.statistics()).counters['half-open.now']).toBe(HALF_OPEN_MAX);
  await expectService(hub, control);
  await hub.counter('half-open.now', (count) => count === 0);
  expect(performance.now() - startedAt).toBeLessThan(FREED_WITHIN_MS);
  for (const attacker of attackers) expect(attacker.receivedBytes).toBeLessThanOrEqual(3 * attacker.sentBytes + 3_600);
});
