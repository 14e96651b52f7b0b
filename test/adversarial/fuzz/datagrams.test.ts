// Datagrams made from real ones by small injuries, from many addresses at once, against a hub's
// QUIC process: it keeps running, answers its peers, and keeps nothing of them.
import { afterEach, beforeEach, expect } from 'vitest';
import { newIdentity, type Identity, type TestHub } from '../../integration/quic-test-hub.ts';
import { rounds } from '../../support/counts.ts';
import { attack, expectService, House } from '../PW-house.ts';
import { honestPapers, LawlessConnection, lawlessConfig, RawSocket } from '../PW-lawless-peer.ts';
import { Chance, injureBytes, testSeed } from './mutate.ts';

const MEMORY_GROWTH_MAX_BYTES = 50 * 1024 * 1024;
/**
 * Connections that stand while their datagrams are injured: every second one a paired hub's, whose
 * datagrams are never too many.
 */
const CONNECTED = 12;
/** Addresses without a connection: each has its own budget of Initials. */
const ADDRESSES = 40;
/** Datagrams given to the kernel before waiting for it. */
const BURST = 32;

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

class RecordingSocket extends RawSocket {
  readonly sent: Buffer[] = [];
  isRecording = true;

  override send(datagram: Uint8Array, to: { host: string; port: number }): Promise<void> {
    if (this.isRecording) this.sent.push(Buffer.from(datagram));
    return super.send(datagram, to);
  }
}

interface Connected {
  readonly socket: RawSocket;
  readonly connection: LawlessConnection;
  /** From the first Initial to a few packets under the final keys. */
  readonly datagrams: readonly Buffer[];
}

async function connect(hub: TestHub, host: string, identity: Identity): Promise<Connected> {
  const socket = await new RecordingSocket().bind(host);
  const connection = new LawlessConnection(
    socket,
    hub,
    lawlessConfig(await honestPapers(identity)),
  );
  house.atEnd(() => connection.stop());
  house.atEnd(() => void socket.close());
  await connection.established();
  await connection.write(0, Buffer.from('{"kind":"hello"}'), true);
  await connection.until('the answer', () => connection.answers.get(0));
  socket.isRecording = false;
  return { socket, connection, datagrams: socket.sent };
}

const count = rounds('injured datagrams', { short: 60_000, long: 2_000_000 });
attack(
  'PW-04: injured datagrams of paired hubs, strangers and nobody leave the hub serving and its memory flat',
  async () => {
    const { hub, control } = await house.open();
    const chance = new Chance(testSeed());
    const identities = Array.from({ length: CONNECTED }, () => newIdentity());
    hub.trust(control, ...identities.filter((_, number) => number % 2 === 0));
    const connected: Connected[] = [];
    for (const [number, identity] of identities.entries())
      connected.push(await connect(hub, `127.0.4.${1 + number}`, identity));
    const sources: RawSocket[] = connected.map(({ socket }) => socket);
    for (let number = 0; number < ADDRESSES; number += 1)
      sources.push(await house.socket(`127.0.5.${1 + number}`));
    const samples = connected.flatMap(({ datagrams }) => datagrams);
    // These connections hear nothing more of their own making: what comes from their addresses is
    // injured.
    for (const { connection } of connected) connection.stop();

    const send = async (amount: number): Promise<void> => {
      for (let done = 0; done < amount; done += BURST) {
        const burst = Array.from({ length: BURST }, () => {
          // One address sends more than its budget.
          const from =
            chance.below(4) === 0 ? (sources.at(-1) ?? chance.pick(sources)) : chance.pick(sources);
          const own = connected.find(({ socket }) => socket === from)?.datagrams;
          const isNoise = chance.below(16) === 0;
          const [sample, other] = [chance.pick(own ?? samples), chance.pick(samples)];
          const datagram = isNoise
            ? chance.bytes(1 + chance.below(1_400))
            : injureBytes(chance, sample, other);
          return from.send(datagram.subarray(0, 1_472), hub);
        });
        await Promise.all(burst);
      }
    };
    await send(5_000);
    await expectService(hub, control);
    const before = house.memoryBytes();
    const startedAt = performance.now();
    await send(count);
    const rate = Math.round((count * 1_000) / (performance.now() - startedAt));
    await expectService(hub, control);
    const { counters, restarts } = await hub.transport.statistics();
    process.stderr.write(
      `${count} injured datagrams, ${rate} a second: ${JSON.stringify(counters)}\n`,
    );
    expect(restarts).toBe(0);
    expect(house.memoryBytes() - before).toBeLessThan(MEMORY_GROWTH_MAX_BYTES);
    // They reached every layer: the guard, the tokens, and connections that stand. What is injured
    // here proves no address, so that none pays.
    for (const reason of [
      'dropped.malformed',
      'dropped.version',
      'dropped.bad-token',
      'dropped.unknown-connection',
      'retries.sent',
    ]) {
      expect(counters[reason], reason).toBeGreaterThan(0);
    }
    expect(counters['connections.failed'] ?? 0).toBe(0);
  },
  1_800_000,
);
