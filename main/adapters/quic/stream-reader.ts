// Puts the bytes of a connection's streams together into whole messages and holds the rules of
// PROTOCOL.md, Streams: size, time and rate. It reads everything there is at once, so that one slow
// stream never holds back the others; it knows nothing of requests.
import type { Clock } from '../../ports/clock.ts';
import {
  MESSAGE_SIZE_MAX_BYTES,
  READING_GAP_MAX_MS,
  STREAM_LIFETIME_MAX_MS,
  STREAM_PACE_MIN_BYTES,
  STREAM_PACE_PERIOD_MS,
  UNFINISHED_MAX_BYTES,
} from './limits.ts';
import type { QuicheConnection } from './native-binding.ts';

/** Stream ids of one type and initiator are this far apart (RFC 9000, Section 2.1). */
const STREAM_ID_STEP = 4;
/**
 * An unfinished message gets room for this much at first, and twice as much each time it is full.
 */
const ROOM_MIN_BYTES = 512;
const NOTHING = Buffer.alloc(0);
const RESET_MESSAGE = /^StreamReset\((\d+)\)$/;

interface StreamSink {
  /** A whole message. `bytes` is the receiver's own. */
  message(streamId: number, bytes: Uint8Array): void;
  /** The peer gave the stream up. */
  reset(streamId: number, code: number): void;
  /** A limit was broken; the reader has forgotten the stream, the sink resets it. */
  violation(streamId: number, rule: 'too-large' | 'too-slow'): void;
  /**
   * The stream of ours whose answer is to be expected next; a wrong guess costs nothing but time.
   */
  expected(): number | undefined;
}

/** Bytes held for unfinished messages over all connections of the endpoint. */
export interface UnfinishedBytes {
  count: number;
}

/** All times are those of the reader, who counts only the time in which it reads. */
interface Unfinished {
  readonly firstAtMs: number;
  /** When the last byte came. */
  lastAtMs: number;
  /** When the period in which the pace is judged began, and the bytes that have come in it. */
  periodAtMs: number;
  periodBytes: number;
  /**
   * What has come, at its beginning, with room for more: a message of many small pieces takes no
   * more memory than one of few.
   */
  bytes: Buffer;
  size: number;
  /**
   * Nobody waits for it any more: read, so that the connection's credit returns, and thrown away.
   */
  discarded: boolean;
}

/** What a reader needs of the native connection. */
export type ReadableStreams = Pick<
  QuicheConnection,
  'isReadable' | 'readable' | 'streamReadable' | 'streamRecv'
>;

export class StreamReader {
  readonly #native: ReadableStreams;
  readonly #clock: Clock;
  readonly #sink: StreamSink;
  readonly #total: UnfinishedBytes;
  readonly #scratch: Buffer;
  readonly #unfinished = new Map<number, Unfinished>();
  /**
   * The peer's streams that come next, if it opens them in order: bidirectional, unidirectional.
   */
  readonly #next: [number, number];
  /**
   * How long this side has been reading; what it stood still or paused in between is no peer's
   * fault.
   */
  #readingMs = 0;
  #readAtMs: number;

  /** `scratch` is shared by all readers and must hold more than a stream's window. */
  constructor(deps: {
    readonly native: ReadableStreams;
    readonly clock: Clock;
    readonly sink: StreamSink;
    readonly total: UnfinishedBytes;
    readonly scratch: Buffer;
    readonly isDialler: boolean;
  }) {
    this.#native = deps.native;
    this.#clock = deps.clock;
    this.#sink = deps.sink;
    this.#total = deps.total;
    this.#scratch = deps.scratch;
    this.#next = deps.isDialler ? [1, 3] : [0, 2];
    this.#readAtMs = deps.clock.monotonicMs();
  }

  get unfinishedCount(): number {
    return this.#unfinished.size;
  }

  /** Streams whose message has begun and not ended. */
  unfinishedIds(): Iterable<number> {
    return this.#unfinished.keys();
  }

  /** Reads all streams that have something. */
  readAll(): void {
    const nowMs = this.#clock.monotonicMs();
    const gapMs = nowMs - this.#readAtMs;
    this.#readAtMs = nowMs;
    if (gapMs <= READING_GAP_MAX_MS) this.#readingMs += gapMs;
    if (!this.#native.isReadable()) return;
    this.#readExpected();
    if (!this.#native.isReadable()) return;
    for (const streamId of this.#native.readable()) this.#readStream(streamId);
  }

  /**
   * Most streams come in order. Asking the library for a list of them takes longer than everything
   * else a message needs together.
   */
  #readExpected(): void {
    for (
      let streamId = this.#sink.expected();
      streamId !== undefined && this.#native.streamReadable(streamId);
    ) {
      this.#readStream(streamId);
      const next = this.#sink.expected();
      if (next === streamId) break;
      streamId = next;
    }
    for (const type of [0, 1] as const)
      while (this.#native.streamReadable(this.#next[type])) this.#readStream(this.#next[type]);
  }

  /**
   * Reports and forgets the streams that took too long when everything was last read: call it right
   * after that.
   */
  judge(): void {
    const nowMs = this.#readingMs;
    for (const [streamId, stream] of this.#unfinished) {
      const isPeriodOver = nowMs - stream.periodAtMs >= STREAM_PACE_PERIOD_MS;
      const isSlow = isPeriodOver && stream.periodBytes < STREAM_PACE_MIN_BYTES;
      // A message that came at once and has no end would otherwise live on its first burst for two
      // periods.
      const stands = nowMs - stream.lastAtMs >= STREAM_PACE_PERIOD_MS;
      if (isPeriodOver) Object.assign(stream, { periodAtMs: nowMs, periodBytes: 0 });
      if (!isSlow && !stands && nowMs - stream.firstAtMs < STREAM_LIFETIME_MAX_MS) continue;
      this.forget(streamId);
      this.#sink.violation(streamId, 'too-slow');
    }
  }

  /**
   * Throws away what has come of a message and what still comes; false when nothing of it has come
   * yet.
   */
  discard(streamId: number): boolean {
    const stream = this.#unfinished.get(streamId);
    if (!stream) return false;
    this.#total.count -= stream.bytes.length;
    stream.bytes = NOTHING;
    stream.size = 0;
    stream.discarded = true;
    return true;
  }

  forget(streamId: number): void {
    const stream = this.#unfinished.get(streamId);
    if (!stream) return;
    this.#total.count -= stream.bytes.length;
    this.#unfinished.delete(streamId);
  }

  clear(): void {
    for (const streamId of this.#unfinished.keys()) this.forget(streamId);
  }

  #readStream(streamId: number): void {
    const type = (streamId & 2) === 0 ? 0 : 1;
    const isPeers = (streamId & 1) === (this.#next[0] & 1);
    if (isPeers && streamId >= this.#next[type]) this.#next[type] = streamId + STREAM_ID_STEP;
    for (;;) {
      let part: [number, boolean] | null;
      try {
        part = this.#native.streamRecv(streamId, this.#scratch);
      } catch (error) {
        this.forget(streamId);
        const code = RESET_MESSAGE.exec(error instanceof Error ? error.message : '')?.[1];
        if (code !== undefined) this.#sink.reset(streamId, Number(code));
        return;
      }
      if (part === null) return;
      const [length, ended] = part;
      if (!this.#take(streamId, length, ended) || ended) return;
    }
  }

  /** Takes `length` bytes out of the scratch buffer; false when the stream broke a limit. */
  #take(streamId: number, length: number, ended: boolean): boolean {
    const stream = this.#unfinished.get(streamId);
    const nowMs = this.#readingMs;
    if (stream && length > 0) {
      stream.lastAtMs = nowMs;
      stream.periodBytes += length;
    }
    if (stream?.discarded) {
      if (ended) this.forget(streamId);
      return true;
    }
    const size = (stream?.size ?? 0) + length;
    const held = stream?.bytes.length ?? 0;
    const room =
      ended || size <= held
        ? held
        : Math.min(MESSAGE_SIZE_MAX_BYTES, Math.max(size, 2 * held, ROOM_MIN_BYTES));
    if (size > MESSAGE_SIZE_MAX_BYTES || this.#total.count + room - held > UNFINISHED_MAX_BYTES) {
      this.forget(streamId);
      this.#sink.violation(streamId, 'too-large');
      return false;
    }
    const part = this.#scratch.subarray(0, length);
    if (ended) {
      const whole = stream
        ? Buffer.concat([stream.bytes.subarray(0, stream.size), part], size)
        : Buffer.from(part);
      this.forget(streamId);
      this.#sink.message(streamId, whole);
      return true;
    }
    const bytes = stream && room === held ? stream.bytes : Buffer.alloc(room);
    if (stream && bytes !== stream.bytes) stream.bytes.copy(bytes, 0, 0, stream.size);
    part.copy(bytes, size - length);
    this.#total.count += room - held;
    if (stream) {
      stream.bytes = bytes;
      stream.size = size;
    } else {
      const begun = { firstAtMs: nowMs, lastAtMs: nowMs, periodAtMs: nowMs, periodBytes: size };
      this.#unfinished.set(streamId, { ...begun, bytes, size, discarded: false });
    }
    return true;
  }
}
