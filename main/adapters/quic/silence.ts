// How long a peer has said nothing, and what follows from it (PROTOCOL.md, Connection): a ping,
// then the end. Where there is a sign that it lost the connection, both come much sooner. Pure
// bookkeeping.
import {
  CHECK_PING_INTERVAL_MS,
  LAST_WORD_LIMIT_MS,
  LOST_AFTER_CHECK_MS,
  LOST_AFTER_CHECK_ROUND_TRIPS,
  LOST_AFTER_SILENCE_MS,
  PING_AFTER_SILENCE_MS,
  PING_GRID_MS,
} from './limits.ts';

export class Silence {
  #pingDueMs: number;
  #lostMs: number;
  #isChecking = false;

  constructor(nowMs: number) {
    this.#pingDueMs = pingAfter(nowMs);
    this.#lostMs = nowMs + LOST_AFTER_SILENCE_MS;
  }

  heard(nowMs: number): void {
    this.#isChecking = false;
    this.#lostMs = nowMs + LOST_AFTER_SILENCE_MS;
    this.#pingDueMs = Math.max(this.#pingDueMs, pingAfter(nowMs));
  }

  /**
   * Something says that the peer has lost the connection, without proof: it is asked at once, and
   * every second until it is heard. False: such a check is under way already. `roundTripMs` is read
   * only where it counts.
   */
  startCheck(nowMs: number, roundTripMs: () => number): boolean {
    if (this.#isChecking) return false;
    this.#isChecking = true;
    this.#pingDueMs = nowMs;
    const limitMs = Math.max(LOST_AFTER_CHECK_MS, LOST_AFTER_CHECK_ROUND_TRIPS * roundTripMs());
    this.#lostMs = Math.min(this.#lostMs, nowMs + limitMs);
    return true;
  }

  /** When something is due next, by the monotonic clock. */
  get dueMs(): number {
    return Math.min(this.#pingDueMs, this.#lostMs);
  }

  /** What is due now; a ping counts as sent. */
  judge(nowMs: number): 'nothing' | 'ping' | 'lost' {
    if (nowMs >= this.#lostMs) return 'lost';
    if (nowMs < this.#pingDueMs) return 'nothing';
    this.#pingDueMs = this.#isChecking ? nowMs + CHECK_PING_INTERVAL_MS : pingAfter(nowMs);
    return 'ping';
  }
}

function pingAfter(nowMs: number): number {
  return Math.ceil((nowMs + PING_AFTER_SILENCE_MS) / PING_GRID_MS) * PING_GRID_MS;
}

/**
 * How the other side is told of a dial that was given up before anything was heard of it. The
 * library would forget such a dial without a word, and some hubs hold their half of the handshake
 * for a minute and answer nobody else meanwhile. So the close waits for the first sign of the other
 * side, but not for long.
 */
export class LastWord {
  #say: (() => void) | null = null;
  #dueMs = Infinity;
  #hasHeard = false;

  /** When to stop waiting, by the monotonic clock. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** Closes at once when the other side was heard before, else with its first sign. */
  say(nowMs: number, say: () => void): void {
    if (this.#hasHeard) return say();
    this.#say = say;
    this.#dueMs = nowMs + LAST_WORD_LIMIT_MS;
  }

  heard(): void {
    this.#hasHeard = true;
    this.#say?.();
    this.#say = null;
    this.#dueMs = Infinity;
  }
}
