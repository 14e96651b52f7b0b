// How long a peer has said nothing, and what follows from it (PROTOCOL.md, Connection): a ping, then the end. Pure bookkeeping.
import { LOST_AFTER_SILENCE_MS, PING_AFTER_SILENCE_MS } from './limits.ts';

export class Silence {
  #lastHeardMs: number;
  #lastPingMs: number;

  constructor(nowMs: number) {
    this.#lastHeardMs = nowMs;
    this.#lastPingMs = nowMs;
  }

  heard(nowMs: number): void {
    this.#lastHeardMs = nowMs;
  }

  /** When something is due next, by the monotonic clock. */
  get dueMs(): number {
    return Math.min(this.#pingDueMs, this.#lastHeardMs + LOST_AFTER_SILENCE_MS);
  }

  /** What is due now; a ping counts as sent. */
  judge(nowMs: number): 'nothing' | 'ping' | 'lost' {
    if (nowMs >= this.#lastHeardMs + LOST_AFTER_SILENCE_MS) return 'lost';
    if (nowMs < this.#pingDueMs) return 'nothing';
    this.#lastPingMs = nowMs;
    return 'ping';
  }

  get #pingDueMs(): number {
    return Math.max(this.#lastHeardMs, this.#lastPingMs) + PING_AFTER_SILENCE_MS;
  }
}
