// How long a stream may take, by a clock that the test holds: time in which this side does not read
// is nobody's fault.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import {
  STREAM_JUDGE_INTERVAL_MS,
  STREAM_LIFETIME_MAX_MS,
  STREAM_PACE_MIN_BYTES,
  STREAM_PACE_PERIOD_MS,
} from '../../main/adapters/quic/limits.ts';
import {
  honestPapers,
  LawlessConnection,
  lawlessConfig,
  RawSocket,
} from '../adversarial/PW-lawless-peer.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { InProcessEndpoint } from '../support/in-process-transport.ts';
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
let endpoint: InProcessEndpoint;
let hub: TestHub;
let peer: LawlessConnection;
let socket: RawSocket;

beforeEach(async () => {
  clock = new StoppableClock();
  reads = true;
  endpoint = new InProcessEndpoint({ clock, random: new SystemRandom(), canDeliver: () => reads });
  hub = await new TestHub(endpoint).start();
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

/** Writes so much, and waits until the hub has had it. */
async function bring(streamId: number, bytes: number, end = false): Promise<void> {
  // What the hub owes first, so that the peer sends nothing again meanwhile.
  await clock.advance(10);
  const received = await hub.counter('bytes.received', () => true);
  await peer.write(streamId, part(bytes), end);
  await hub.counter('bytes.received', (count) => count >= received + bytes);
  await clock.settle();
}

it('a stream that was under way while the hub was stopped for seconds goes on', async () => {
  await bring(0, 1_000);
  clock.stopFor(LONGER_THAN_A_PERIOD_MS);
  await clock.advance(2 * STREAM_JUDGE_INTERVAL_MS);
  expect(hub.eventsOf('violation')).toEqual([]);
  await bring(0, 1_000, true);
  expect((await hub.event('request')).bytes).toHaveLength(2_000);
});

it('a stream whose end lay here unread while the hub paused is read before it is judged', async () => {
  await bring(0, 1_000);
  reads = false;
  await bring(0, 1_000, true);
  await clock.advance(LONGER_THAN_A_PERIOD_MS);
  expect(hub.eventsOf('request')).toEqual([]);
  reads = true;
  await clock.advance(2 * STREAM_JUDGE_INTERVAL_MS);
  expect((await hub.event('request')).bytes).toHaveLength(2_000);
  expect(hub.eventsOf('violation')).toEqual([]);
});

it('a stream that stands still while the hub reads is reset', async () => {
  await bring(0, 1_000);
  await clock.advance(LONGER_THAN_A_PERIOD_MS);
  expect(await hub.event('violation')).toMatchObject({ rule: 'too-slow' });
});

const TIMEOUT_MS = 10_000;
/** Less than a period. */
const PAUSE_MS = 6_000;
/** The first request of a hub on a connection made to it. */
const STREAM_OF_HUB = 1;

/** A request of the hub to the peer that dialled it, which has it all; and what it comes to. */
async function ask(): Promise<{ readonly ended: Promise<string>; readonly isOpen: () => boolean }> {
  const { connection } = await hub.event('connected');
  let isOpen = true;
  const ended = hub.transport
    .request(connection.connectionId, part(10), TIMEOUT_MS)
    .then((answer) => {
      isOpen = false;
      return answer.ok ? `${answer.value.length} bytes` : answer.error.type;
    });
  await peer.until('the request', () => peer.answers.get(STREAM_OF_HUB));
  return { ended, isOpen: () => isOpen };
}

/** Begins an answer and keeps just above the pace for so long; how much of it there is then. */
async function answerFor(ms: number): Promise<number> {
  let bytes = 0;
  for (let passedMs = 0; passedMs < ms; passedMs += PAUSE_MS) {
    await bring(STREAM_OF_HUB, STREAM_PACE_MIN_BYTES);
    bytes += STREAM_PACE_MIN_BYTES;
    await clock.advance(PAUSE_MS);
  }
  return bytes;
}

it('an answer that has begun may end after the time of its request', async () => {
  const { ended, isOpen } = await ask();
  const bytes = await answerFor(2 * TIMEOUT_MS);
  expect(isOpen()).toBe(true);
  await bring(STREAM_OF_HUB, 1, true);
  expect(await ended).toBe(`${bytes + 1} bytes`);
  expect(hub.eventsOf('violation')).toEqual([]);
});

it('an answer that has come and lies here unread when the time of its request is up is taken', async () => {
  const { ended, isOpen } = await ask();
  reads = false;
  await bring(STREAM_OF_HUB, 5_000, true);
  await clock.advance(TIMEOUT_MS);
  expect(isOpen()).toBe(true);
  reads = true;
  endpoint.resumeReading();
  expect(await ended).toBe('5000 bytes');
});

it('an answer that has begun and stands still ends its request after a period', async () => {
  const { ended, isOpen } = await ask();
  await clock.advance(TIMEOUT_MS - 1_000);
  await bring(STREAM_OF_HUB, 1_000);
  await clock.advance(PAUSE_MS);
  expect(isOpen()).toBe(true);
  await clock.advance(LONGER_THAN_A_PERIOD_MS - PAUSE_MS);
  expect(await ended).toBe('timeout');
  expect(hub.eventsOf('violation')).toMatchObject([{ rule: 'too-slow' }]);
});

it('an answer that keeps the pace and has no end ends its request after a minute', async () => {
  const { ended, isOpen } = await ask();
  await answerFor(STREAM_LIFETIME_MAX_MS - PAUSE_MS);
  await bring(STREAM_OF_HUB, STREAM_PACE_MIN_BYTES);
  await clock.advance(PAUSE_MS - 1_000);
  expect(isOpen()).toBe(true);
  // Less than a period after what came last.
  await clock.advance(1_900);
  expect(await ended).toBe('timeout');
});

it('an answer that has not begun when the time of its request is up ends it then', async () => {
  const { ended, isOpen } = await ask();
  await clock.advance(TIMEOUT_MS - 1);
  expect(isOpen()).toBe(true);
  await clock.advance(1);
  expect(await ended).toBe('timeout');
  expect(hub.eventsOf('violation')).toEqual([]);
});
