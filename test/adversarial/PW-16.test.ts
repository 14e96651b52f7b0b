// A stranger with a finished handshake who sends frames no library sends, in storms: holes in the
// TLS stream, connection ids without end, path challenges, acknowledgements of packets never sent.
// The stranger's connection is closed before it costs anything, and the QUIC process is the one it
// always was.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect } from 'vitest';
import { QUARANTINED_RECEIVED_MAX_BYTES } from '../../main/adapters/quic/limits.ts';
import { newIdentity, type TestHub } from '../integration/quic-test-hub.ts';
import { rounds } from '../support/counts.ts';
import { CraftingPeer, FRAME } from './PW-crafted-packets.ts';
import { FRAME_STORMS, sendCounted, STORM_BURST } from './PW-storms.ts';
import { attack, House } from './PW-house.ts';

/** A ping, and zeros that fill its packet up. */
const PADDED_PING = Buffer.concat([Buffer.of(1), Buffer.alloc(1_099)]);
const RECOVERY_LIMIT_MS = 10_000;
const MEMORY_GROWTH_MAX_BYTES = 50 * 1024 * 1024;

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

async function attacker(hub: TestHub): Promise<CraftingPeer> {
  const identity = newIdentity();
  const isIn = () =>
    hub.event('connected', ({ connection }) => connection.keyHex === identity.keyHex);
  const peer = await CraftingPeer.open(await house.socket('127.0.0.2'), hub, identity, isIn);
  house.atEnd(() => peer.connection.stop());
  return peer;
}

/**
 * The control peer has an answer again within the limit, and the process has neither grown nor been
 * started again.
 */
async function expectRecovery(hub: TestHub, control: TestHub, memoryBefore: number): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const dialled = await control.transport.dial(hub.target, AbortSignal.timeout(2_000));
    const answer = dialled.ok
      ? await control.transport.request(
          dialled.value.connectionId,
          Buffer.from('still there?'),
          2_000,
        )
      : dialled;
    if (answer.ok) break;
    expect(performance.now() - startedAt).toBeLessThan(RECOVERY_LIMIT_MS);
  }
  expect(performance.now() - startedAt).toBeLessThan(RECOVERY_LIMIT_MS);
  const { restarts } = await hub.transport.statistics();
  const growth = house.memoryBytes() - memoryBefore;
  const ends = hub
    .eventsOf('disconnected')
    .map(({ by, code, reason }) => `closed by ${by}, ${code}: ${reason}`);
  process.stderr.write(
    `PW-16: memory +${Math.round(growth / 1024 / 1024)} MiB, ${restarts} restarts, ${ends[0] ?? 'still open'}\n`,
  );
  expect(restarts).toBe(0);
  expect(growth).toBeLessThan(MEMORY_GROWTH_MAX_BYTES);
}

attack('PW-16: a packet sealed by hand is taken for one of the connection', async () => {
  const { hub } = await house.open();
  const peer = await attacker(hub);
  await peer.send(FRAME.stream(0, Buffer.from('by hand')));
  const { bytes } = await hub.event('request');
  expect(Buffer.from(bytes).toString()).toBe('by hand');
});

const packets = rounds('packets of each storm', { short: 4_000, long: 60_000 });

for (const [name, frames] of Object.entries(FRAME_STORMS)) {
  attack(
    `PW-16: a storm of ${name} leaves the hub serving within ten seconds`,
    async () => {
      const { hub, control } = await house.open();
      const memoryBefore = house.memoryBytes();
      const peer = await attacker(hub);
      for (let number = 0; number < packets; number += STORM_BURST) {
        await Promise.all(
          Array.from({ length: STORM_BURST }, (_, index) => peer.send(...frames(number + index))),
        );
      }
      await expectRecovery(hub, control, memoryBefore);
    },
    600_000,
  );
}

attack(
  'PW-16: what others write under the connection id of a hub that is being paired does not end its connection',
  async () => {
    const { hub } = await house.open();
    const peer = await attacker(hub);
    const id = Buffer.from(peer.connection.native.destinationId());
    const other = await house.socket('127.0.0.3');
    const received = async () =>
      (await hub.transport.statistics()).counters['datagrams.received'] ?? 0;
    const count = Math.ceil((1.5 * QUARANTINED_RECEIVED_MAX_BYTES) / 1_200);
    await sendCounted(
      other,
      hub,
      count,
      () => Buffer.concat([Buffer.of(0x40), id, randomBytes(1_183)]),
      received,
    );
    await peer.send(FRAME.stream(0, Buffer.from('still here')));
    const { bytes } = await hub.event('request');
    expect(Buffer.from(bytes).toString()).toBe('still here');
    expect(hub.eventsOf('disconnected')).toEqual([]);
  },
);

attack(
  'PW-16: a hub that is not paired is closed once it has brought too much itself',
  async () => {
    const { hub } = await house.open();
    const peer = await attacker(hub);
    for (let sent = 0; sent < 2 * QUARANTINED_RECEIVED_MAX_BYTES; sent += 1_100)
      await peer.send(PADDED_PING);
    expect(await hub.event('disconnected')).toMatchObject({
      by: 'local',
      reason: 'too much before pairing',
    });
  },
);
