// Writes whole messages to streams and keeps what the native library does not take at once: bytes
// and an offset for each stream, resumed when the stream can be written again. A stream that is
// stuck never holds back another.
import type { Clock } from '../../ports/clock.ts';
import type { CloseCode } from '../../ports/transport.ts';
import type { Quiche, QuicheConnection } from './native-binding.ts';

const STOPPED_MESSAGE = /^StreamStopped\((\d+)\)$/;

export type WriteEnd =
  | { readonly type: 'taken' }
  /** The peer does not want it, or the stream is gone. `code` is the peer's, if it gave one. */
  | { readonly type: 'stopped'; readonly code: number | null };

interface Unwritten {
  readonly bytes: Uint8Array;
  readonly ended: (end: WriteEnd) => void;
  readonly sinceMs: number;
  offset: number;
}

export class StreamWriter {
  readonly #native: QuicheConnection;
  readonly #clock: Clock;
  readonly #unwritten = new Map<number, Unwritten>();

  constructor(deps: { readonly native: QuicheConnection; readonly clock: Clock }) {
    this.#native = deps.native;
    this.#clock = deps.clock;
  }

  get unwrittenCount(): number {
    return this.#unwritten.size;
  }

  isUnwritten(streamId: number): boolean {
    return this.#unwritten.has(streamId);
  }

  /**
   * Writes the message and FIN. `ended` is called once, at once or later, unless the message is
   * forgotten.
   */
  write(streamId: number, bytes: Uint8Array, ended: (end: WriteEnd) => void): void {
    const message: Unwritten = { bytes, ended, sinceMs: this.#clock.monotonicMs(), offset: 0 };
    if (!this.#advance(streamId, message)) this.#unwritten.set(streamId, message);
  }

  /** Goes on with what is left. True when anything was written or ended. */
  resume(): boolean {
    if (this.#unwritten.size === 0) return false;
    let moved = false;
    for (const streamId of this.#native.writable()) {
      const message = this.#unwritten.get(streamId);
      if (message && this.#resumeOne(streamId, message)) moved = true;
    }
    // A stream the library has not seen a byte of may be unknown to it; such streams wait for the
    // connection as a whole.
    for (const [streamId, message] of this.#unwritten) {
      if (message.offset > 0) continue;
      if (!this.#resumeOne(streamId, message)) break;
      moved = true;
    }
    return moved;
  }

  /**
   * Ends streams that the peer gave up while the connection could take nothing: the library forgets
   * those without a word. True when a message has waited for `limitMs` to be taken whole.
   */
  judge(nowMs: number, limitMs: number): boolean {
    let isStuck = false;
    for (const [streamId, message] of this.#unwritten) {
      if (this.#isGone(streamId)) {
        this.#unwritten.delete(streamId);
        message.ended({ type: 'stopped', code: null });
      } else if (nowMs - message.sinceMs >= limitMs) {
        isStuck = true;
      }
    }
    return isStuck;
  }

  forget(streamId: number): void {
    this.#unwritten.delete(streamId);
  }

  /** Gives up one half of a stream, if it is still there. */
  shutdown(streamId: number, half: Quiche['Shutdown']['Read' | 'Write'], code: CloseCode): void {
    try {
      this.#native.streamShutdown(streamId, half, code);
    } catch {
      // That half is done or was never there, which is what was wanted.
    }
  }

  clear(): void {
    this.#unwritten.clear();
  }

  #isGone(streamId: number): boolean {
    try {
      this.#native.streamCapacity(streamId);
      return false;
    } catch {
      return true;
    }
  }

  #resumeOne(streamId: number, message: Unwritten): boolean {
    const before = message.offset;
    if (!this.#advance(streamId, message)) return message.offset > before;
    this.#unwritten.delete(streamId);
    return true;
  }

  /** Writes on; true when the message has come to its end, one way or the other. */
  #advance(streamId: number, message: Unwritten): boolean {
    const rest = message.offset === 0 ? message.bytes : message.bytes.subarray(message.offset);
    let written: number | null;
    try {
      written = this.#native.streamSend(streamId, rest, true);
    } catch (error) {
      const code = STOPPED_MESSAGE.exec(error instanceof Error ? error.message : '')?.[1];
      message.ended({ type: 'stopped', code: code === undefined ? null : Number(code) });
      return true;
    }
    if (written === null) return false;
    message.offset += written;
    if (message.offset < message.bytes.length) return false;
    message.ended({ type: 'taken' });
    return true;
  }
}
