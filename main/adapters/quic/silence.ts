// How long a peer has said nothing, and what follows from it (PROTOCOL.md, Connection): a ping, then the end. Where there is a sign that it
// lost the connection, both come much sooner. Pure bookkeeping.
import { DOUBT_INTERVAL_MS, LOST_AFTER_DOUBT_MS, LOST_AFTER_SILENCE_MS, PING_AFTER_SILENCE_MS } from './limits.ts';

export class Silence {
  #pingDueMs: number;
  #lostMs: number;
  #inDoubt = false;
  #doubtedAtMs = -Infinity;

  constructor(nowMs: number) {
    this.#pingDueMs = nowMs + PING_AFTER_SILENCE_MS;
    this.#lostMs = nowMs + LOST_AFTER_SILENCE_MS;
  }

  heard(nowMs: number): void {
    this.#inDoubt = false;
    this.#lostMs = nowMs + LOST_AFTER_SILENCE_MS;
    this.#pingDueMs = Math.max(this.#pingDueMs, nowMs + PING_AFTER_SILENCE_MS);
  }

  /**
   * Something says that the peer has lost the connection, without proof: it is asked at once. Once is enough until it is heard again, and
   * then for a while: whoever forges the signs must not make this hub send.
   */
  doubt(nowMs: number): void {
    if (this.#inDoubt || nowMs - this.#doubtedAtMs < DOUBT_INTERVAL_MS) return;
    this.#inDoubt = true;
    this.#doubtedAtMs = nowMs;
    this.#pingDueMs = nowMs;
    this.#lostMs = Math.min(this.#lostMs, nowMs + LOST_AFTER_DOUBT_MS);
  }

  /** When something is due next, by the monotonic clock. */
  get dueMs(): number {
    return Math.min(this.#pingDueMs, this.#lostMs);
  }

  /** What is due now; a ping counts as sent. */
  judge(nowMs: number): 'nothing' | 'ping' | 'lost' {
    if (nowMs >= this.#lostMs) return 'lost';
    if (nowMs < this.#pingDueMs) return 'nothing';
    this.#pingDueMs = nowMs + PING_AFTER_SILENCE_MS;
    return 'ping';
  }
}
