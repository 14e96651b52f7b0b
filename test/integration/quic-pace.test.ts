// How long a stream may take, by a clock that the test holds: time in which this side does not read is nobody's fault.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { Endpoint } from '../../main/adapters/quic/endpoint.ts';
import { STREAM_JUDGE_INTERVAL_MS, STREAM_PACE_PERIOD_MS } from '../../main/adapters/quic/limits.ts';
import { honestPapers, LawlessConnection, lawlessConfig, RawSocket } from '../adversarial/PW-lawless-peer.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { newIdentity, TestHub } from './quic-test-hub.ts';

/** A whole process that is stopped: time goes on, and none of its timers comes. */
class StoppableClock extends ManualClock {
  #stoppedMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.#stoppedMs;
  }

  stopFor(ms: number): void {
    this.#stoppedMs += ms;
  }
}

const LONGER_THAN_A_PERIOD_MS = STREAM_PACE_PERIOD_MS + 1_000;
const part = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(65);

let clock: StoppableClock;
let reads: boolean;
let hub: TestHub;
let peer: LawlessConnection;
let socket: RawSocket;

beforeEach(async () => {
  clock = new StoppableClock();
  reads = true;
  hub = await new TestHub(new Endpoint({ clock, random: new SystemRandom(), canDeliver: () => reads })).start();
  const identity = newIdentity();
  hub.trust(identity);
  socket = await new RawSocket().bind('127.0.0.1');
  peer = new LawlessConnection(socket, hub, lawlessConfig(await honestPapers(identity)));
  await peer.established();
  await hub.event('connected');
});

afterEach(async () => {
  peer.stop();
  await hub.transport.stop();
  await socket.close();
});

/** Once the hub has that much of messages that have not ended. */
const unfinished = (bytes: number): Promise<number> => hub.counter('unfinished-bytes.now', (count) => count === bytes);

it('a stream that was under way while the hub was stopped for seconds goes on', async () => {
  await peer.write(0, part(1_000), false);
  await unfinished(1_000);
  clock.stopFor(LONGER_THAN_A_PERIOD_MS);
  await clock.advance(2 * STREAM_JUDGE_INTERVAL_MS);
  expect(hub.eventsOf('violation')).toEqual([]);
  await peer.write(0, part(1_000), true);
  expect((await hub.event('request')).bytes).toHaveLength(2_000);
});

it('a stream whose end lay here unread while the hub paused is read before it is judged', async () => {
  await peer.write(0, part(1_000), false);
  await unfinished(1_000);
  reads = false;
  await peer.write(0, part(1_000), true);
  await clock.advance(LONGER_THAN_A_PERIOD_MS);
  expect(hub.eventsOf('request')).toEqual([]);
  reads = true;
  await clock.advance(2 * STREAM_JUDGE_INTERVAL_MS);
  expect((await hub.event('request')).bytes).toHaveLength(2_000);
  expect(hub.eventsOf('violation')).toEqual([]);
});

it('a stream that stands still while the hub reads is reset', async () => {
  await peer.write(0, part(1_000), false);
  await unfinished(1_000);
  await clock.advance(LONGER_THAN_A_PERIOD_MS);
  expect(await hub.event('violation')).toMatchObject({ rule: 'too-slow' });
});
