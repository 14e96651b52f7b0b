// The messages this side starts on a connection: requests that wait for an answer and one-way
// messages, each on a stream of its own. Beyond the peer's stream credit they queue, and the queue
// has a maximum. Every message ends exactly once.
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { CLOSE_CODES } from '../../ports/transport.ts';
import type { TransportFailure } from '../../ports/transport.ts';
import type { Counters } from './counters.ts';
import { MESSAGE_SIZE_MAX_BYTES, QUEUED_BYTES_MAX, QUEUED_MESSAGES_MAX } from './limits.ts';
import type { Quiche, QuicheConnection } from './native-binding.ts';
import type { StreamReader } from './stream-reader.ts';
import type { StreamWriter, WriteEnd } from './stream-writer.ts';

export type Answer = Result<Uint8Array, TransportFailure>;

export type StreamDirection = 'bidirectional' | 'unidirectional';

interface Outgoing {
  readonly bytes: Uint8Array;
  readonly direction: StreamDirection;
  readonly settle: Settle;
  streamId: number | null;
  timer: TimerHandle | null;
}

/** Told once how a message ended. */
export type Settle = (answer: Answer) => void;

const NOTHING = new Uint8Array(0);
const NO_MORE = (): void => {};
/** Stream ids of one type and initiator are this far apart (RFC 9000, Section 2.1). */
const STREAM_ID_STEP = 4;

export class OutgoingMessages {
  readonly #binding: Quiche;
  readonly #native: QuicheConnection;
  readonly #clock: Clock;
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #counters: Counters;
  readonly #wake: () => void;
  readonly #awaiting = new Map<number, Outgoing>();
  readonly #queues = { bidirectional: new Set<Outgoing>(), unidirectional: new Set<Outgoing>() };
  /** One-way messages that have a stream but are not wholly taken yet. */
  readonly #leaving = new Set<Outgoing>();
  #queuedBytes = 0;
  #nextIds: { bidirectional: number; unidirectional: number };

  /** `wake` asks the connection for a turn. */
  constructor(deps: {
    readonly binding: Quiche;
    readonly native: QuicheConnection;
    readonly clock: Clock;
    readonly reader: StreamReader;
    readonly writer: StreamWriter;
    readonly isDialler: boolean;
    readonly counters: Counters;
    readonly wake: () => void;
  }) {
    this.#binding = deps.binding;
    this.#native = deps.native;
    this.#clock = deps.clock;
    this.#reader = deps.reader;
    this.#writer = deps.writer;
    this.#counters = deps.counters;
    this.#wake = deps.wake;
    this.#nextIds = deps.isDialler
      ? { bidirectional: 0, unidirectional: 2 }
      : { bidirectional: 1, unidirectional: 3 };
  }

  /** Whether the stream carries (or carried) an answer to a request of ours. */
  owns(streamId: number): boolean {
    return (streamId & 1) === (this.#nextIds.bidirectional & 1);
  }

  /** The stream of the request that has waited longest. */
  get expected(): number | undefined {
    for (const streamId of this.#awaiting.keys()) return streamId;
    return undefined;
  }

  answered(streamId: number, answer: Answer): void {
    const outgoing = this.#awaiting.get(streamId);
    if (!outgoing) return;
    this.#finish(outgoing, answer);
    // An answer that came before the whole request was taken: what is left of it has no reader.
    if (this.#writer.isUnwritten(streamId)) this.#abandonWriting(streamId);
  }

  /**
   * Opens streams for what waits, as far as the peer's credit goes. True when anything was opened.
   */
  pump(): boolean {
    const opened = this.#pumpQueue('bidirectional');
    return this.#pumpQueue('unidirectional') || opened;
  }

  failAll(failure: TransportFailure): void {
    const all = [
      ...this.#awaiting.values(),
      ...this.#leaving,
      ...this.#queues.bidirectional,
      ...this.#queues.unidirectional,
    ];
    for (const outgoing of all) this.#finish(outgoing, err(failure));
  }

  /**
   * Sends a message. `settle` is called once: at once when it cannot be sent, later otherwise; of a
   * one-way message when the library has taken all of it. An answer may begin until `timeoutMs`
   * from now, waiting for credit included; one that has begun is read on and ends by the pace of
   * streams (PROTOCOL.md, Streams). What comes back gives the message up, which settles it with
   * `aborted`; after its end that does nothing.
   */
  begin(
    direction: StreamDirection,
    bytes: Uint8Array,
    timeoutMs: number,
    settle: Settle,
  ): () => void {
    const queue = this.#queues[direction];
    const full =
      queue.size >= QUEUED_MESSAGES_MAX || this.#queuedBytes + bytes.length > QUEUED_BYTES_MAX;
    if (full || bytes.length > MESSAGE_SIZE_MAX_BYTES) {
      this.#counters.add(full ? 'messages.overloaded' : 'messages.too-large');
      settle(err({ type: bytes.length > MESSAGE_SIZE_MAX_BYTES ? 'too-large' : 'overloaded' }));
      return NO_MORE;
    }
    const outgoing: Outgoing = { bytes, direction, settle, streamId: null, timer: null };
    outgoing.timer = this.#clock.setTimer(timeoutMs, () => this.#timeIsUp(outgoing));
    queue.add(outgoing);
    this.#queuedBytes += bytes.length;
    if (queue.size === 1) this.#pumpQueue(direction);
    this.#wake();
    return () => this.#giveUp(outgoing, { type: 'aborted' });
  }

  #pumpQueue(direction: StreamDirection): boolean {
    const queue = this.#queues[direction];
    let opened = false;
    for (const outgoing of queue) {
      const credit =
        direction === 'bidirectional'
          ? this.#native.peerStreamsLeftBidi()
          : this.#native.peerStreamsLeftUni();
      if (credit <= 0) break;
      queue.delete(outgoing);
      this.#queuedBytes -= outgoing.bytes.length;
      this.#open(outgoing);
      opened = true;
    }
    return opened;
  }

  #open(outgoing: Outgoing): void {
    const streamId = this.#nextIds[outgoing.direction];
    this.#nextIds[outgoing.direction] += STREAM_ID_STEP;
    outgoing.streamId = streamId;
    if (outgoing.direction === 'bidirectional') this.#awaiting.set(streamId, outgoing);
    else this.#leaving.add(outgoing);
    this.#writer.write(streamId, outgoing.bytes, (end) => this.#written(outgoing, end));
  }

  #written(outgoing: Outgoing, end: WriteEnd): void {
    if (end.type === 'stopped')
      this.#finish(outgoing, err({ type: 'reset', code: end.code ?? CLOSE_CODES.done }));
    else if (outgoing.direction === 'unidirectional') this.#finish(outgoing, ok(NOTHING));
  }

  #timeIsUp(outgoing: Outgoing): void {
    // From here on the answer's stream says when it is over: a whole message, too slow, reset or
    // the end of the connection.
    if (outgoing.streamId !== null && this.#hasBegun(outgoing.streamId)) return;
    this.#giveUp(outgoing, { type: 'timeout' });
  }

  /** Whether anything of an answer that has not ended has come, read or unread. */
  #hasBegun(streamId: number): boolean {
    for (const begun of this.#reader.unfinishedIds()) if (begun === streamId) return true;
    return this.#native.streamReadable(streamId);
  }

  #giveUp(outgoing: Outgoing, failure: TransportFailure): void {
    const { streamId } = outgoing;
    if (outgoing.timer === null) return;
    this.#finish(outgoing, err(failure));
    if (streamId === null) return;
    // Of a stream that is reset, the peer's library keeps the credit for what had not come. On a
    // bad line that adds up until nothing passes, so what is only late is written to its end.
    if (failure.type === 'aborted' && this.#writer.isUnwritten(streamId))
      this.#abandonWriting(streamId);
    // An answer that has begun is read to its end: the library keeps the credit of a stream that is
    // shut with bytes still missing.
    if (outgoing.direction === 'bidirectional' && !this.#reader.discard(streamId)) {
      this.#writer.shutdown(streamId, this.#binding.Shutdown.Read, CLOSE_CODES.done);
    }
    this.#wake();
  }

  #abandonWriting(streamId: number): void {
    this.#writer.forget(streamId);
    this.#writer.shutdown(streamId, this.#binding.Shutdown.Write, CLOSE_CODES.done);
    this.#wake();
  }

  #finish(outgoing: Outgoing, answer: Answer): void {
    // The timer is there until the message has ended; what is late may be written after that.
    if (outgoing.timer === null) return;
    outgoing.timer.cancel();
    outgoing.timer = null;
    if (this.#queues[outgoing.direction].delete(outgoing))
      this.#queuedBytes -= outgoing.bytes.length;
    if (outgoing.streamId !== null) this.#awaiting.delete(outgoing.streamId);
    this.#leaving.delete(outgoing);
    outgoing.settle(answer);
  }
}
