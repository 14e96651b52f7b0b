// Judges the QUIC process by its signs of life: silent, swollen, or busy with nothing. Pure
// bookkeeping; whoever asks kills it.
import {
  BUSY_BEATS_MAX,
  BUSY_LOOP_SHARE_MIN,
  BUSY_PROCESSOR_MIN_MS,
  HEARTBEATS_MISSED_MAX,
  PROCESS_MEMORY_MAX_BYTES,
} from './limits.ts';

/** What the process says of itself; times by its own monotonic clock, all since its start. */
export interface SignOfLife {
  readonly memoryBytes: number;
  readonly atMs: number;
  /** Processor time of all its threads. */
  readonly processorMs: number;
  /** How long its event loop did not wait for anything. */
  readonly activeMs: number;
  /** Datagrams and frames it has moved, in and out. */
  readonly work: number;
}

export type Verdict = 'silent' | 'memory' | 'busy';

export const VERDICT_REASONS: Readonly<Record<Verdict, string>> = {
  silent: 'it gave no sign of life',
  memory: 'it used too much memory',
  busy: 'it kept a processor busy with nothing to do',
};

export class Watchdog {
  #missed = 0;
  #busyBeats = 0;
  #last: SignOfLife | null = null;

  /**
   * A sign of life is about to be asked for. Counted in beats, not in time: a computer that slept
   * has missed none.
   */
  beat(): Verdict | undefined {
    if (this.#missed >= HEARTBEATS_MISSED_MAX) return 'silent';
    this.#missed += 1;
    return undefined;
  }

  /** It owes no sign and is not busy with nothing. */
  get isCalm(): boolean {
    return this.#missed === 0 && this.#busyBeats === 0;
  }

  heard(sign: SignOfLife): Verdict | undefined {
    this.#missed = 0;
    const last = this.#last;
    this.#last = sign;
    if (sign.memoryBytes > PROCESS_MEMORY_MAX_BYTES) return 'memory';
    this.#busyBeats = last !== null && isBusyWithNothing(last, sign) ? this.#busyBeats + 1 : 0;
    return this.#busyBeats >= BUSY_BEATS_MAX ? 'busy' : undefined;
  }
}

function isBusyWithNothing(before: SignOfLife, after: SignOfLife): boolean {
  const elapsedMs = after.atMs - before.atMs;
  if (elapsedMs <= 0) return false;
  const loopShare = (after.activeMs - before.activeMs) / elapsedMs;
  const processorMsEach =
    (after.processorMs - before.processorMs) / Math.max(1, after.work - before.work);
  return loopShare >= BUSY_LOOP_SHARE_MIN && processorMsEach >= BUSY_PROCESSOR_MIN_MS;
}
