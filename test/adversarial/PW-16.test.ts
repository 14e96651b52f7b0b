// A stranger with a finished handshake who sends frames no library sends, in storms: holes in the TLS stream, connection ids without end,
// path challenges, acknowledgements of packets never sent. The stranger's connection is closed before it costs anything, and the QUIC
// process is the one it always was.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect } from 'vitest';
import { newIdentity, type TestHub } from '../integration/quic-test-hub.ts';
import { rounds } from '../support/counts.ts';
import { CraftingPeer, FRAME } from './PW-crafted-packets.ts';
import { attack, House } from './PW-house.ts';

const RECOVERY_LIMIT_MS = 10_000;
const MEMORY_GROWTH_MAX_BYTES = 50 * 1024 * 1024;
/** Packets given to the kernel before the hub gets its turn. */
const BURST = 16;

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

async function attacker(hub: TestHub): Promise<CraftingPeer> {
  const peer = await CraftingPeer.open(await house.socket('127.0.0.2'), hub, newIdentity());
  house.atEnd(() => peer.connection.stop());
  return peer;
}

/** The control peer has an answer again within the limit, and the process has neither grown nor been started again. */
async function expectRecovery(hub: TestHub, control: TestHub, memoryBefore: number): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const dialled = await control.transport.dial(hub.target, AbortSignal.timeout(2_000));
    const answer = dialled.ok ? await control.transport.request(dialled.value.connectionId, Buffer.from('still there?'), 2_000) : dialled;
    if (answer.ok) break;
    expect(performance.now() - startedAt).toBeLessThan(RECOVERY_LIMIT_MS);
  }
  expect(performance.now() - startedAt).toBeLessThan(RECOVERY_LIMIT_MS);
  const { restarts } = await hub.transport.statistics();
  const growth = house.memoryBytes() - memoryBefore;
  const ends = hub.eventsOf('disconnected').map(({ by, code, reason }) => `closed by ${by}, ${code}: ${reason}`);
  process.stderr.write(`PW-16: memory +${Math.round(growth / 1024 / 1024)} MiB, ${restarts} restarts, ${ends[0] ?? 'still open'}\n`);
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
const STORMS: Readonly<Record<string, (number: number) => readonly Buffer[]>> = {
  'holes in the TLS stream': (number) => [FRAME.crypto(10 + number * 1_100, Buffer.alloc(1_000, 1))],
  'one byte of the TLS stream at a time, backwards': (number) =>
    Array.from({ length: 40 }, (_, index) => FRAME.crypto(16_000_000 - 2 * (number * 40 + index), Buffer.alloc(1))),
  'connection ids that retire those before': (number) =>
    Array.from({ length: 20 }, (_, index) => {
      const sequence = 1 + number * 20 + index;
      return FRAME.newConnectionId(sequence, sequence, randomBytes(16), randomBytes(16));
    }),
  'retirements of ids that were never given': (number) =>
    Array.from({ length: 60 }, (_, index) => FRAME.retireConnectionId(number * 60 + index)),
  'path challenges': () => Array.from({ length: 100 }, () => FRAME.pathChallenge(randomBytes(8))),
  'acknowledgements of packets never sent': (number) => [FRAME.acknowledge(1_000_000 + number, 1_000)],
};

for (const [name, frames] of Object.entries(STORMS)) {
  attack(
    `PW-16: a storm of ${name} leaves the hub serving within ten seconds`,
    async () => {
      const { hub, control } = await house.open();
      const memoryBefore = house.memoryBytes();
      const peer = await attacker(hub);
      for (let number = 0; number < packets; number += BURST) {
        await Promise.all(Array.from({ length: BURST }, (_, index) => peer.send(...frames(number + index))));
      }
      await expectRecovery(hub, control, memoryBefore);
    },
    600_000,
  );
}
