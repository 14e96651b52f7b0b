// Datagrams from strangers: whatever they are, nothing is kept, next to nothing is answered, and
// the hub serves on.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect } from 'vitest';
import { INITIALS_OF_ADDRESS } from '../../main/adapters/quic/limits.ts';
import { measured, rounds } from '../support/counts.ts';
import { binding, lawlessConfig } from './PW-lawless-peer.ts';
import { attack, expectService, House } from './PW-house.ts';
import { halfRightDatagram, longHeader } from './PW-storms.ts';

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

attack('PW-01: a thousand 57-byte 0-RTT packets are counted and nothing else', async () => {
  const { hub, control } = await house.open();
  const attacker = await house.socket('127.0.0.2');
  for (let count = 0; count < 1_000; count += 1)
    await attacker.send(longHeader('zero-rtt', 57), hub);
  const counted = await hub.counter('dropped.zero-rtt', (count) => count === 1_000);
  expect(counted).toBe(1_000);
  await expectService(hub, control);
  expect(attacker.receivedBytes).toBe(0);
});

attack('PW-02: Initials under 1,200 bytes get no answer at all', async () => {
  const { hub, control } = await house.open();
  const attacker = await house.socket('127.0.0.2');
  for (let length = 8; length < 1_200; length += 1)
    await attacker.send(longHeader('initial', length), hub);
  const { counters } = await hub.transport.statistics();
  await hub.counter('dropped.short-initial', (count) => count > 1_000);
  expect(counters['retries.sent'] ?? 0).toBe(0);
  await expectService(hub, control);
  expect(attacker.receivedBytes).toBe(0);
});

attack('PW-02: a source that has not proved its address gets less than it sent', async () => {
  const { hub, control } = await house.open();
  const attacker = await house.socket('127.0.0.2');
  const local = attacker.address;
  const out = Buffer.alloc(65_536);
  for (let count = 0; count < 100; count += 1) {
    const client = binding.Connection.connect(
      'x',
      randomBytes(16),
      local,
      { host: hub.host, port: hub.port },
      lawlessConfig(null),
    );
    const part = client.send(out);
    if (part) await attacker.send(Buffer.from(out.subarray(0, part[0])), hub);
  }
  await hub.counter('retries.sent', (count) => count === 100);
  await expectService(hub, control);
  expect(attacker.receivedBytes).toBeGreaterThan(0);
  expect(attacker.receivedBytes).toBeLessThan(attacker.sentBytes);
});

attack('PW-02: other versions and version negotiation get no answer', async () => {
  const { hub, control } = await house.open();
  const attacker = await house.socket('127.0.0.2');
  for (const version of [0, 2, 0x1a2a3a4a, 0xff00001d, 0x6b3343cf])
    await attacker.send(longHeader('initial', 1_200, version), hub);
  await hub.counter('dropped.version', (count) => count === 5);
  await expectService(hub, control);
  expect(attacker.receivedBytes).toBe(0);
});

attack('PW-02: packets of connections that nobody had get no answer', async () => {
  const { hub, control } = await house.open();
  const attacker = await house.socket('127.0.0.2');
  for (let count = 0; count < 200; count += 1) {
    const datagram = randomBytes(17 + 6 * count);
    datagram[0] = 0x40;
    await attacker.send(datagram, hub);
  }
  await hub.counter('dropped.unknown-connection', (count) => count === 200);
  await expectService(hub, control);
  expect(attacker.receivedBytes).toBe(0);
});

attack(
  'PW-02: a paired peer connects at once when hundreds of Initials without a token have come from its own address',
  async () => {
    const { hub, control } = await house.open();
    const attacker = await house.socket('127.0.0.1');
    for (let count = 0; count < 10 * INITIALS_OF_ADDRESS.burst; count += 1)
      await attacker.send(longHeader('initial', 1_200), hub);
    await hub.counter('retries.sent', (count) => count >= 9 * INITIALS_OF_ADDRESS.burst);
    await expectService(hub, control);
  },
);

const DATAGRAMS_PER_SECOND = 30_000;
/** Fewer would be no storm, however busy the computer is. */
const DATAGRAMS_PER_SECOND_MIN = 1_000;
const PACE_SLACK_MS = 5;
const datagrams = rounds('random and half-right datagrams', { short: 20_000, long: 200_000 });

attack(
  'PW-04: random and half-right datagrams leave the hub serving',
  async () => {
    const { hub, control } = await house.open();
    const attacker = await house.socket('127.0.0.2');
    const memoryBefore = house.memoryBytes();
    const startedAt = performance.now();
    for (let count = 0; count < datagrams; count += 1) {
      await attacker.send(halfRightDatagram(count), hub);
      // Ahead of its pace it waits; behind it, it sends as fast as this computer can.
      const aheadMs = (count / DATAGRAMS_PER_SECOND) * 1_000 - (performance.now() - startedAt);
      if (aheadMs > PACE_SLACK_MS) await new Promise((resolve) => setTimeout(resolve, aheadMs));
    }
    const perSecond = datagrams / ((performance.now() - startedAt) / 1_000);
    measured(
      `PW-04: ${datagrams} datagrams, ${Math.round(perSecond)} a second of ${DATAGRAMS_PER_SECOND} meant`,
    );
    expect(perSecond).toBeGreaterThan(DATAGRAMS_PER_SECOND_MIN);
    await expectService(hub, control);
    const after = await hub.transport.statistics();
    expect(after.counters['dropped.failed'] ?? 0).toBe(0);
    expect(attacker.receivedBytes).toBeLessThanOrEqual(3 * attacker.sentBytes);
    expect(house.memoryBytes() - memoryBefore).toBeLessThan(50 * 1024 * 1024);
  },
  600_000,
);
