// How long a peer has said nothing, and what follows from it (PROTOCOL.md, Connection): a ping, then the end. Where there is a sign that it
// lost the connection, both come much sooner. Pure bookkeeping.
import {
  DOUBT_INTERVAL_MAX_MS,
  DOUBT_INTERVAL_MS,
  DOUBT_PING_INTERVAL_MS,
  LOST_AFTER_DOUBT_MS,
  LOST_AFTER_DOUBT_ROUND_TRIPS,
  LOST_AFTER_SILENCE_MS,
  PING_AFTER_SILENCE_MS,
} from './limits.ts';

export class Silence {
  #pingDueMs: number;
  #lostMs: number;
  #inDoubt = false;
  #doubtedAtMs = -Infinity;
  #doubtIntervalMs = DOUBT_INTERVAL_MS;

  constructor(nowMs: number) {
    this.#pingDueMs = nowMs + PING_AFTER_SILENCE_MS;
    this.#lostMs = nowMs + LOST_AFTER_SILENCE_MS;
  }

  heard(nowMs: number): void {
    if (this.#inDoubt) this.#doubtIntervalMs = Math.min(2 * this.#doubtIntervalMs, DOUBT_INTERVAL_MAX_MS);
    this.#inDoubt = false;
    this.#lostMs = nowMs + LOST_AFTER_SILENCE_MS;
    this.#pingDueMs = Math.max(this.#pingDueMs, nowMs + PING_AFTER_SILENCE_MS);
  }

  /**
   * Something says that the peer has lost the connection, without proof: it is asked at once, and every second until it is heard. Then there
   * is no doubt for a while, the longer the more often it was unfounded: whoever forges the signs must neither make this hub send nor end
   * what works. False = the sign changed nothing. `roundTripMs` is asked only where it counts.
   */
  doubt(nowMs: number, roundTripMs: () => number): boolean {
    const sinceMs = nowMs - this.#doubtedAtMs;
    if (this.#inDoubt || sinceMs < this.#doubtIntervalMs) return false;
    if (sinceMs >= 2 * DOUBT_INTERVAL_MAX_MS) this.#doubtIntervalMs = DOUBT_INTERVAL_MS;
    this.#inDoubt = true;
    this.#doubtedAtMs = nowMs;
    this.#pingDueMs = nowMs;
    const limitMs = Math.max(LOST_AFTER_DOUBT_MS, LOST_AFTER_DOUBT_ROUND_TRIPS * roundTripMs());
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
    this.#pingDueMs = nowMs + (this.#inDoubt ? DOUBT_PING_INTERVAL_MS : PING_AFTER_SILENCE_MS);
    return 'ping';
  }
}
