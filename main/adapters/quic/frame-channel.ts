// Frames over a private byte channel between this process and its other half: length, type, body.
// What is posted in one go leaves as one write: at once when the channel was quiet, at the end of
// the loop's turn when it is busy. Receipt is acknowledged in bytes, so each side knows how far
// behind the other is, on any kind of channel. Frames are written straight into a few buffers that
// are used again and again: a buffer of its own for each frame outlives the young generation in a
// flood, and memory grows by many times the backlog.
import { assert } from '../../lib/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  CHANNEL_ACKNOWLEDGE_BYTES,
  CHANNEL_BATCH_BYTES,
  CHANNEL_BATCHES_KEPT_MAX,
  CHANNEL_BUSY_MS,
  CHANNEL_UNRECEIVED_MAX_BYTES,
  FRAME_SIZE_MAX_BYTES,
} from './limits.ts';

/** A two-way pipe of bytes in order; where a chunk begins or ends means nothing. */
export interface ByteChannel {
  /** `written` is called, at once or later, when the bytes may be overwritten. */
  send(bytes: Uint8Array, written: () => void): void;
  /** Sets the one listener. */
  onMessage(listener: (bytes: Uint8Array) => void): void;
}

interface FrameHandlers {
  /** `body` is the receiver's own. */
  frame(type: number, body: Buffer): void;
  /** The other side caught up after it was behind. */
  caughtUp(): void;
  /** What came is no frame, or nothing is received there any more: the channel is of no use. */
  broken(): void;
}

const LENGTH_BYTES = 4;
const HEADER_BYTES = 5;
/** Reserved here; types of the users start above it. */
const ACKNOWLEDGE = 0;

/** Frames that leave together: the first `length` bytes of the buffer. */
interface Batch {
  readonly bytes: Buffer;
  length: number;
}

export class FrameChannel {
  readonly #channel: ByteChannel;
  readonly #clock: Clock;
  readonly #handlers: FrameHandlers;
  readonly #windowBytes: number;
  /** Batches that wait for the one being written, oldest first; the last is still being filled. */
  #waiting: Batch[] = [];
  readonly #free: Buffer[] = [];
  #isWriting = false;
  #isFlushDue = false;
  #scheduled = false;
  #closed = false;
  #flushedAtMs = -Infinity;
  #rest: Buffer | null = null;
  /** Posted, and not acknowledged by the other side. */
  #underWayBytes = 0;
  #unacknowledgedBytes = 0;
  #wasBehind = false;
  #frames = 0;
  #batches = 0;

  /** @param windowBytes what may be under way before the other side counts as behind */
  constructor(channel: ByteChannel, clock: Clock, windowBytes: number, handlers: FrameHandlers) {
    this.#channel = channel;
    this.#clock = clock;
    this.#windowBytes = windowBytes;
    this.#handlers = handlers;
  }

  /** Begins to take frames. */
  open(): void {
    this.#channel.onMessage((bytes) => this.#receive(bytes));
  }

  /** Whether the other side takes no more new work for now. */
  get isBehind(): boolean {
    const behind = this.#underWayBytes > this.#windowBytes;
    if (behind) this.#wasBehind = true;
    return behind;
  }

  /** Frames posted and received. */
  get frames(): number {
    return this.#frames;
  }

  /** Writes to the channel and chunks out of it: fewer than frames where they travel together. */
  get batches(): number {
    return this.#batches;
  }

  /**
   * Queues a frame; it leaves when whoever posts is done, or at the end of the loop's turn when
   * there is much to do.
   */
  post(type: number, ...parts: readonly Uint8Array[]): void {
    assert(type > ACKNOWLEDGE && type < 256, 'a frame type is one byte and not the reserved one');
    this.#post(type, parts);
  }

  /** Sends what is queued, one write at a time: now, or when the write before it is done. */
  flush(): void {
    this.#isFlushDue = this.#waiting.length > 0 && !this.#closed;
    if (!this.#isFlushDue || this.#isWriting) return;
    const batch = this.#waiting.shift();
    if (batch === undefined) return;
    this.#flushedAtMs = this.#clock.monotonicMs();
    this.#batches += 1;
    this.#isWriting = true;
    this.#channel.send(batch.bytes.subarray(0, batch.length), () => {
      this.#isWriting = false;
      const isKept =
        batch.bytes.length === CHANNEL_BATCH_BYTES && this.#free.length < CHANNEL_BATCHES_KEPT_MAX;
      if (isKept) this.#free.push(batch.bytes);
      if (this.#isFlushDue) this.flush();
    });
  }

  /** Takes and gives nothing any more. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#rest = null;
  }

  #post(type: number, parts: readonly Uint8Array[]): void {
    if (this.#closed) return;
    let length = 1;
    for (const part of parts) length += part.length;
    assert(length <= FRAME_SIZE_MAX_BYTES, 'a frame fits the channel');
    const batch = this.#batchFor(LENGTH_BYTES + length);
    let offset = batch.bytes.writeUInt32BE(length, batch.length);
    offset = batch.bytes.writeUInt8(type, offset);
    for (const part of parts) {
      batch.bytes.set(part, offset);
      offset += part.length;
    }
    batch.length = offset;
    this.#frames += 1;
    this.#underWayBytes += LENGTH_BYTES + length;
    if (this.#underWayBytes > CHANNEL_UNRECEIVED_MAX_BYTES) return this.#break();
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A tick comes after all that this callback of the loop and its promises post; only several
    // callbacks in a row need the turn's end.
    if (this.#clock.monotonicMs() - this.#flushedAtMs < CHANNEL_BUSY_MS)
      setImmediate(this.#scheduledFlush);
    else process.nextTick(this.#scheduledFlush);
  }

  /** The batch that is being filled, when it has room for so much more; else the next. */
  #batchFor(size: number): Batch {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.length + size <= last.bytes.length) return last;
    const free = size <= CHANNEL_BATCH_BYTES ? this.#free.pop() : undefined;
    const batch = {
      bytes: free ?? Buffer.allocUnsafeSlow(Math.max(size, CHANNEL_BATCH_BYTES)),
      length: 0,
    };
    this.#waiting.push(batch);
    return batch;
  }

  readonly #scheduledFlush = (): void => {
    this.#scheduled = false;
    this.flush();
  };

  #receive(chunk: Uint8Array): void {
    if (this.#closed) return;
    this.#unacknowledgedBytes += chunk.length;
    this.#batches += 1;
    const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let bytes = this.#rest ? Buffer.concat([this.#rest, view]) : view;
    while (bytes.length >= LENGTH_BYTES) {
      const length = bytes.readUInt32BE(0);
      if (length === 0 || length > FRAME_SIZE_MAX_BYTES) return this.#break();
      if (bytes.length < LENGTH_BYTES + length) break;
      const type = bytes.readUInt8(LENGTH_BYTES);
      const body = bytes.subarray(HEADER_BYTES, LENGTH_BYTES + length);
      bytes = bytes.subarray(LENGTH_BYTES + length);
      this.#dispatch(type, body);
      if (this.#closed) return;
    }
    this.#rest = bytes.length > 0 ? Buffer.from(bytes) : null;
    if (this.#unacknowledgedBytes >= CHANNEL_ACKNOWLEDGE_BYTES) this.#acknowledge();
  }

  #break(): void {
    this.close();
    this.#handlers.broken();
  }

  #dispatch(type: number, body: Buffer): void {
    this.#frames += 1;
    if (type !== ACKNOWLEDGE) return this.#handlers.frame(type, Buffer.from(body));
    this.#underWayBytes = Math.max(
      0,
      this.#underWayBytes - (body.length === 4 ? body.readUInt32BE(0) : 0),
    );
    if (!this.#wasBehind || this.isBehind) return;
    this.#wasBehind = false;
    this.#handlers.caughtUp();
  }

  #acknowledge(): void {
    const count = Buffer.allocUnsafe(4);
    count.writeUInt32BE(this.#unacknowledgedBytes, 0);
    this.#unacknowledgedBytes = 0;
    this.#post(ACKNOWLEDGE, [count]);
  }
}
