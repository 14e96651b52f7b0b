// A hub that stood still, as a suspended computer or a stopped process does, by a clock that the
// test holds: what its peers sent meanwhile lies unread in its socket, so it is read before anybody
// is judged by his silence.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { LOST_AFTER_SILENCE_MS, READ_FIRST_MS } from '../../main/adapters/quic/limits.ts';
import type { Clock, TimerHandle } from '../../main/ports/clock.ts';
import {
  honestPapers,
  LawlessConnection,
  lawlessConfig,
  RawSocket,
} from '../adversarial/PW-lawless-peer.ts';
import { InProcessEndpoint } from '../support/in-process-transport.ts';
import { newIdentity, TestHub } from './quic-test-hub.ts';

interface Waiting {
  readonly atMs: number;
  readonly run: () => void;
}

/**
 * Time passes at once, and what is due then comes at once, late: before the event loop has looked
 * at any socket.
 */
class StandingClock implements Clock {
  #nowMs = 1_000;
  readonly #waiting = new Set<Waiting>();

  wallMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, run: () => void): TimerHandle {
    const waiting = { atMs: this.#nowMs + delayMs, run };
    this.#waiting.add(waiting);
    return { cancel: () => void this.#waiting.delete(waiting) };
  }

  standStill(ms: number): void {
    this.#nowMs += ms;
    const due = [...this.#waiting]
      .filter(({ atMs }) => atMs <= this.#nowMs)
      .sort((one, other) => one.atMs - other.atMs);
    for (const waiting of due) if (this.#waiting.delete(waiting)) waiting.run();
  }
}

const NOTE_STREAM = 2;
let clock: StandingClock;
let hub: TestHub;
let peer: LawlessConnection;
let socket: RawSocket;

beforeEach(async () => {
  clock = new StandingClock();
  hub = await new TestHub(new InProcessEndpoint({ clock, random: new SystemRandom() })).start();
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

/** Puts a message into the hub's socket; the event loop has not come round to reading it yet. */
async function leaveUnread(): Promise<void> {
  peer.native.streamSend(NOTE_STREAM, new Uint8Array([1]), true);
  const sent = socket.sentBytes;
  peer.flush();
  // The socket hands a datagram to the kernel in the next tick, which is before the next look at
  // any socket.
  for (let tick = 0; tick < 3; tick += 1)
    await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(socket.sentBytes).toBeGreaterThan(sent);
  expect(hub.eventsOf('message')).toEqual([]);
}

it('keeps a peer whose message lay unread while the hub stood still', async () => {
  await leaveUnread();
  clock.standStill(LOST_AFTER_SILENCE_MS + 1_000);
  expect(hub.eventsOf('disconnected')).toEqual([]);
  await hub.event('message');
  clock.standStill(READ_FIRST_MS);
  expect(hub.eventsOf('disconnected')).toEqual([]);
  expect((await hub.transport.statistics()).connections).toBe(1);
});

it('does so although it has something to send meanwhile', async () => {
  const { connection } = await hub.event('connected');
  await leaveUnread();
  clock.standStill(LOST_AFTER_SILENCE_MS + 1_000);
  void hub.transport.send(connection.connectionId, new Uint8Array([2]));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  clock.standStill(1);
  expect(hub.eventsOf('disconnected')).toEqual([]);
  await hub.event('message');
  clock.standStill(READ_FIRST_MS);
  expect(hub.eventsOf('disconnected')).toEqual([]);
});

it('still takes a peer for lost that has said nothing all the time', () => {
  clock.standStill(LOST_AFTER_SILENCE_MS + 1_000);
  expect(hub.eventsOf('disconnected')).toEqual([]);
  clock.standStill(READ_FIRST_MS);
  expect(hub.eventsOf('disconnected')).toMatchObject([
    { by: 'network', reason: 'nothing was heard any more' },
  ]);
});

it('takes a peer for lost at its time when the hub did not stand still', () => {
  // A ping in between, as always.
  for (let passedMs = 0; passedMs < LOST_AFTER_SILENCE_MS; passedMs += 500) clock.standStill(500);
  expect(hub.eventsOf('disconnected')).toMatchObject([
    { by: 'network', reason: 'nothing was heard any more' },
  ]);
});
