// How often the hub asks its QUIC process for a sign of life.
import { expect, it } from 'vitest';
import { Counters } from '../../../../main/adapters/quic/counters.ts';
import { FrameChannel, type ByteChannel } from '../../../../main/adapters/quic/frame-channel.ts';
import {
  CHANNEL_WINDOW_BYTES,
  HEARTBEAT_CALM_INTERVAL_MS,
  HEARTBEAT_INTERVAL_MS,
  HEARTBEATS_MISSED_MAX,
} from '../../../../main/adapters/quic/limits.ts';
import { ProcessLink } from '../../../../main/adapters/quic/process-link.ts';
import {
  FRAMES,
  parseCommand,
  type Report,
} from '../../../../main/adapters/quic/process-messages.ts';
import type { QuicChild } from '../../../../main/adapters/quic/quic-process.ts';
import { Secret } from '../../../../main/lib/secret.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

/** A process that starts, and answers each question for a sign of life as `answers` says. */
class Process {
  readonly clock = new ManualClock();
  /** Why it was ended. */
  readonly ends: string[] = [];
  asked = 0;
  answers: 'calm' | 'busy' | 'nothing' = 'calm';
  readonly link: ProcessLink;
  #activeMs = 0;
  #lastMs = 0;

  constructor() {
    const listeners = { hub: noBytes, process: noBytes, exit: (_reason: string): void => {} };
    const toHub: ByteChannel = {
      send: (bytes, written) => (listeners.hub(Uint8Array.from(bytes)), written()),
      onMessage: (listener) => (listeners.process = listener),
    };
    const child: QuicChild = {
      processId: undefined,
      send: (bytes, written) => (listeners.process(Uint8Array.from(bytes)), written()),
      onMessage: (listener) => (listeners.hub = listener),
      onExit: (listener) => (listeners.exit = listener),
      kill: () => listeners.exit('killed'),
    };
    const frames = new FrameChannel(toHub, this.clock, CHANNEL_WINDOW_BYTES, {
      frame: (type, body) => {
        const tell = (report: Report): void =>
          frames.post(FRAMES.control, Buffer.from(JSON.stringify(report)));
        if (type === FRAMES.start) tell({ type: 'started', port: 7_100 });
        else if (type === FRAMES.control && parseCommand(body.toString()).type === 'heartbeat')
          this.#giveSign(tell);
      },
      caughtUp: () => {},
      broken: () => {},
    });
    frames.open();
    this.link = new ProcessLink({
      child,
      clock: this.clock,
      counters: new Counters(),
      onEvent: () => {},
      onFault: () => {},
      onEnd: (reason) => this.ends.push(reason),
    });
  }

  static async started(): Promise<Process> {
    const process = new Process();
    const seed = new Secret(new Uint8Array(32));
    await process.link.start({ host: '127.0.0.1', port: 7_100, seed }, 1);
    return process;
  }

  #giveSign(tell: (report: Report) => void): void {
    this.asked += 1;
    if (this.answers === 'nothing') return;
    const atMs = this.clock.monotonicMs();
    if (this.answers === 'busy') this.#activeMs += atMs - this.#lastMs;
    this.#lastMs = atMs;
    const spent = { processorMs: this.#activeMs, activeMs: this.#activeMs };
    tell({ type: 'heartbeat', sign: { memoryBytes: 50_000_000, atMs, ...spent, work: 0 } });
  }
}

function noBytes(_bytes: Uint8Array): void {}

const MINUTE_MS = 60_000;

it('asks a calm process seldom', async () => {
  const process = await Process.started();
  await process.clock.advance(MINUTE_MS);
  const most = MINUTE_MS / HEARTBEAT_CALM_INTERVAL_MS + 2;
  expect(process.asked).toBeLessThanOrEqual(most);
  expect(process.asked).toBeGreaterThan(most - 4);
  expect(process.ends).toEqual([]);
});

it('asks one that is busy with nothing at the full pace, and ends it', async () => {
  const process = await Process.started();
  await process.clock.advance(MINUTE_MS);
  process.answers = 'busy';
  const before = process.asked;
  await process.clock.advance(HEARTBEAT_CALM_INTERVAL_MS + 3 * HEARTBEAT_INTERVAL_MS + 10);
  expect(process.asked - before).toBeGreaterThanOrEqual(4);
  await process.clock.advance(MINUTE_MS);
  expect(process.ends).toEqual(['it kept a processor busy with nothing to do']);
});

it('ends one that fell silent within five seconds', async () => {
  const process = await Process.started();
  await process.clock.advance(MINUTE_MS);
  process.answers = 'nothing';
  const silentFor = HEARTBEAT_CALM_INTERVAL_MS + HEARTBEATS_MISSED_MAX * HEARTBEAT_INTERVAL_MS;
  await process.clock.advance(silentFor + 10);
  expect(silentFor).toBeLessThan(5_000);
  expect(process.ends).toEqual(['it gave no sign of life']);
});
