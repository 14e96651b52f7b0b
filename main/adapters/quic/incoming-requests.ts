// The peer's requests that were handed over and not answered yet. It carries answers and refusals
// back; what they say is not its matter.
import { CLOSE_CODES } from '../../ports/transport.ts';
import type { CloseCode } from '../../ports/transport.ts';
import type { Counters } from './counters.ts';
import { MESSAGE_SIZE_MAX_BYTES, QUARANTINED_STREAMS_MAX } from './limits.ts';
import type { Quiche } from './native-binding.ts';
import type { StreamReader } from './stream-reader.ts';
import type { StreamWriter } from './stream-writer.ts';

export class IncomingRequests {
  readonly #binding: Quiche;
  readonly #counters: Counters;
  readonly #writer: StreamWriter;
  readonly #wake: () => void;
  /** Open streams of requests: true once the answer is being written. */
  readonly #open = new Map<number, boolean>();

  constructor(deps: {
    readonly binding: Quiche;
    readonly counters: Counters;
    readonly writer: StreamWriter;
    readonly wake: () => void;
  }) {
    this.#binding = deps.binding;
    this.#counters = deps.counters;
    this.#writer = deps.writer;
    this.#wake = deps.wake;
  }

  arrived(streamId: number): void {
    this.#open.set(streamId, false);
  }

  /**
   * Answers a request once; a second answer, and one to a stream that is gone, is counted and
   * dropped.
   */
  respond(streamId: number, bytes: Uint8Array): void {
    if (this.#open.get(streamId) !== false) return this.#counters.add('answers.without-stream');
    if (bytes.length > MESSAGE_SIZE_MAX_BYTES) {
      this.#counters.add('answers.too-large');
      return this.refuse(streamId, CLOSE_CODES.overLimit);
    }
    this.#open.set(streamId, true);
    this.#writer.write(streamId, bytes, (end) => {
      this.#open.delete(streamId);
      if (end.type === 'stopped') this.#counters.add('answers.unwanted');
    });
    this.#wake();
  }

  /** Gives both halves of a stream up with `code`. */
  refuse(streamId: number, code: CloseCode): void {
    this.#open.delete(streamId);
    this.#writer.forget(streamId);
    this.#writer.shutdown(streamId, this.#binding.Shutdown.Read, code);
    this.#writer.shutdown(streamId, this.#binding.Shutdown.Write, code);
    this.#wake();
  }

  /** Whether the peer has more streams open than a hub that is not paired may have. */
  exceedsStranger(reader: StreamReader, isOurs: (streamId: number) => boolean): boolean {
    let count = this.#open.size;
    for (const streamId of reader.unfinishedIds()) if (!isOurs(streamId)) count += 1;
    return count > QUARANTINED_STREAMS_MAX;
  }

  clear(): void {
    this.#open.clear();
  }
}
