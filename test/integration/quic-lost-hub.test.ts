// What peers notice of a hub whose QUIC process died without a word: within seconds, whoever had
// dialled whom.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LOST_AFTER_CHECK_MS, LOST_AFTER_SILENCE_MS } from '../../main/adapters/quic/limits.ts';
import { spawnNodeQuicProcess, type QuicChild } from '../../main/adapters/quic/quic-process.ts';
import { createQuicTransport } from '../../main/adapters/quic/process-transport.ts';
import { UdpLine } from '../support/udp-line.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { Household, systemDeps, type TestHub } from './quic-test-hub.ts';

let children: QuicChild[] = [];
let hubs: Household;
let peers: Household;
const lines: UdpLine[] = [];
beforeEach(() => {
  children = [];
  const spawnQuicProcess = (): QuicChild => {
    const child = spawnNodeQuicProcess();
    children.push(child);
    return child;
  };
  hubs = new Household(() => createQuicTransport({ ...systemDeps, spawnQuicProcess }));
  peers = new Household(() => createInProcessTransport(systemDeps));
});
afterEach(async () => {
  await hubs.stop();
  await peers.stop();
  for (const line of lines.splice(0)) line.close();
});

async function acquainted(): Promise<{ hub: TestHub; peer: TestHub }> {
  const [hub, peer] = [await hubs.hub(), await peers.hub()];
  hub.trust(peer);
  peer.trust(hub);
  return { hub, peer };
}

/** kill -9, and until the next process listens on the same port. */
async function killProcess(hub: TestHub): Promise<void> {
  process.kill(children.at(-1)?.processId ?? 0, 'SIGKILL');
  await hub.event('restarted');
}

it('F-20: a peer that was dialled notices within seconds when the hub dials it again', async () => {
  const { hub, peer } = await acquainted();
  await hub.connect(peer);
  const { connection } = await peer.event('connected');
  await killProcess(hub);
  const startedAt = performance.now();
  await hub.connect(peer);
  const lost = await peer.event('disconnected');
  expect(lost.connection.connectionId).toBe(connection.connectionId);
  expect(performance.now() - startedAt).toBeLessThan(LOST_AFTER_CHECK_MS + 2_000);
  expect((await peer.transport.statistics()).connections).toBe(1);
});

it('F-20: a peer that had dialled notices within seconds when the hub dials it', async () => {
  const { hub, peer } = await acquainted();
  const { connectionId } = await peer.connect(hub);
  await killProcess(hub);
  const startedAt = performance.now();
  await hub.connect(peer);
  const lost = await peer.event('disconnected');
  expect(lost).toMatchObject({ connection: { connectionId }, by: 'network' });
  expect(performance.now() - startedAt).toBeLessThan(LOST_AFTER_CHECK_MS + 2_000);
});

it('F-20: a peer that nobody dials notices by the silence, and what waits for an answer is told', async () => {
  const { hub, peer } = await acquainted();
  const { connectionId } = await peer.connect(hub);
  await killProcess(hub);
  const startedAt = performance.now();
  const answer = await peer.transport.request(connectionId, new Uint8Array([1]), 60_000);
  expect(answer).toMatchObject({ ok: false, error: { type: 'closed', by: 'network' } });
  expect(performance.now() - startedAt).toBeLessThan(LOST_AFTER_SILENCE_MS + 2_000);
  const again = await peer.connect(hub);
  expect(
    await peer.transport.request(again.connectionId, new Uint8Array([1]), 5_000),
  ).toMatchObject({ ok: true });
}, 40_000);

/** A datagram as a stateless reset is, which no connection has a token for. */
function forgedReset(length: number): Buffer {
  const forged = randomBytes(length);
  forged[0] = 0x40 | ((forged[0] ?? 0) & 0x3f);
  return forged;
}

/** A peer that is connected to a hub through a line that a test can write on. */
async function throughLine(): Promise<{ near: TestHub; line: UdpLine; connectionId: number }> {
  const [near, far] = [await peers.hub(), await peers.hub()];
  near.trust(far);
  far.trust(near);
  const line = new UdpLine(far.port);
  lines.push(line);
  const dialled = await near.transport.dial(
    { ...far.target, port: await line.open() },
    AbortSignal.timeout(10_000),
  );
  if (!dialled.ok) throw new Error(`the dial failed: ${dialled.error.type}`);
  await far.event('connected');
  return { near, line, connectionId: dialled.value.connectionId };
}

it('PW-02: what looks like a reset ends nothing, even from the address of the peer', async () => {
  const { near, line, connectionId } = await throughLine();
  for (let count = 0; count < 50; count += 1) await line.inject(forgedReset(21 + count));
  await near.counter('dropped.unknown-connection', (count) => count > 0);
  expect(await near.transport.request(connectionId, new Uint8Array([1]), 5_000)).toMatchObject({
    ok: true,
  });
  expect(near.eventsOf('disconnected')).toEqual([]);
  expect((await near.transport.statistics()).counters['connections.doubted']).toBeUndefined();
});
