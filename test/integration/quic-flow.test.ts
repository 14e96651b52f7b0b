// Many messages on one connection and many connections on one socket: none waits for all the
// others, datagrams travel in bursts that fit every path, and frames between the processes travel
// together.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BURST_MAX_DATAGRAMS, DATAGRAM_SEND_MAX_BYTES } from '../../main/adapters/quic/limits.ts';
import { createQuicTransport } from '../../main/adapters/quic/process-transport.ts';
import { Household, systemDeps } from './quic-test-hub.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';

const LARGE_BYTES = 60_000;
const LARGE_COUNT = 100;
const LIMIT_MS = 60_000;

let near: Household;
let far: Household;
beforeEach(() => {
  near = new Household(() => createQuicTransport(systemDeps));
  far = new Household(() => createInProcessTransport(systemDeps));
});
afterEach(async () => {
  await near.stop();
  await far.stop();
});

it('a short message among a hundred long ones has its answer before most of them', async () => {
  const { near: hub, connection } = await far.pair();
  const order: string[] = [];
  const ask = async (name: string, bytes: Uint8Array): Promise<void> => {
    const answer = await hub.transport.request(connection.connectionId, bytes, LIMIT_MS);
    expect(answer.ok && answer.value.length).toBe(bytes.length);
    order.push(name);
  };
  const long = Array.from({ length: LARGE_COUNT }, () => ask('long', new Uint8Array(LARGE_BYTES)));
  await Promise.all([...long, ask('short', new Uint8Array(10))]);
  expect(order.indexOf('short')).toBeLessThan(LARGE_COUNT / 2);
});

it('a peer that fills its connection leaves another one its turn', async () => {
  const [hub, greedy, modest] = [await far.hub(), await far.hub(), await far.hub()];
  hub.trust(greedy, modest);
  for (const peer of [greedy, modest]) peer.trust(hub);
  const [greedyLine, modestLine] = [await greedy.connect(hub), await modest.connect(hub)];
  let greedyAnswers = 0;
  const long = Array.from({ length: LARGE_COUNT }, async () => {
    const answer = await greedy.transport.request(
      greedyLine.connectionId,
      new Uint8Array(LARGE_BYTES),
      LIMIT_MS,
    );
    expect(answer.ok).toBe(true);
    greedyAnswers += 1;
  });
  const seen: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    expect(
      await modest.transport.request(modestLine.connectionId, new Uint8Array(10), LIMIT_MS),
    ).toMatchObject({ ok: true });
    seen.push(greedyAnswers);
  }
  expect(seen.at(-1)).toBeLessThan(LARGE_COUNT);
  await Promise.all(long);
});

it('what is sent in one go leaves in bursts of datagrams that fit every path, and crosses the processes in batches', async () => {
  const [hub, peer] = [await near.hub(), await far.hub()];
  hub.trust(peer);
  peer.trust(hub);
  const { connectionId } = await hub.connect(peer);
  const answers = await Promise.all(
    Array.from({ length: 64 }, () =>
      hub.transport.request(connectionId, new Uint8Array(20_000), LIMIT_MS),
    ),
  );
  expect(answers.every(({ ok }) => ok)).toBe(true);
  const { counters } = await hub.transport.statistics();
  const counted = (name: string): number => counters[name] ?? 0;
  expect(counted('datagrams.sent')).toBeGreaterThan((64 * 20_000) / DATAGRAM_SEND_MAX_BYTES);
  expect(counted('bytes.sent')).toBeLessThanOrEqual(
    counted('datagrams.sent') * DATAGRAM_SEND_MAX_BYTES,
  );
  expect(counted('datagrams.sent')).toBeGreaterThan(2 * counted('bursts.sent'));
  expect(counted('datagrams.sent')).toBeLessThanOrEqual(
    BURST_MAX_DATAGRAMS * counted('bursts.sent'),
  );
  expect(counted('channel.frames')).toBeGreaterThan(counted('channel.batches'));
  expect(counted('path-mtu-bytes.now')).toBe(DATAGRAM_SEND_MAX_BYTES);
});
