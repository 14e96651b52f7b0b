// What holds of frames, datagrams, streams and places for every input, not only for the chosen
// ones.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameChannel } from '../../../../main/adapters/quic/frame-channel.ts';
import {
  CHANNEL_WINDOW_BYTES,
  CONNECTIONS_MAX,
  CONNECTIONS_PER_KEY_MAX,
  MESSAGE_SIZE_MAX_BYTES,
  QUARANTINED_CONNECTIONS_MAX,
} from '../../../../main/adapters/quic/limits.ts';
import { readDatagram } from '../../../../main/adapters/quic/packet-guard.ts';
import { decidePlace, type PlaceHolder } from '../../../../main/adapters/quic/places.ts';
import {
  StreamReader,
  type ReadableStreams,
} from '../../../../main/adapters/quic/stream-reader.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

/** One end of a channel, and what came of it. */
class Side {
  readonly frames: string[] = [];
  readonly written: Buffer[] = [];
  broken = 0;
  readonly channel: FrameChannel;
  #listener: (bytes: Uint8Array) => void = () => undefined;

  constructor() {
    const wire = {
      send: (bytes: Uint8Array, written: () => void) => {
        this.written.push(Buffer.from(bytes));
        written();
      },
      onMessage: (listener: (bytes: Uint8Array) => void) => void (this.#listener = listener),
    };
    this.channel = new FrameChannel(wire, new ManualClock(), CHANNEL_WINDOW_BYTES, {
      frame: (type, body) => void this.frames.push(`${type}:${body.toString('hex')}`),
      caughtUp: () => undefined,
      broken: () => void (this.broken += 1),
    });
    this.channel.open();
  }

  deliver(bytes: Uint8Array): void {
    this.#listener(bytes);
  }
}

/** `bytes` in pieces that end where the cuts say. */
function pieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
    (one, other) => one - other,
  );
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

const anyCuts = fc.array(fc.nat(), { maxLength: 12 });

describe('frames', () => {
  it('come out as they went in, whatever they hold and wherever the bytes are cut', () => {
    const frame = fc.tuple(
      fc.integer({ min: 1, max: 255 }),
      fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 10 }), anyCuts, (frames, cuts) => {
        const [sender, receiver] = [new Side(), new Side()];
        for (const [type, parts] of frames) sender.channel.post(type, ...parts);
        sender.channel.flush();
        for (const piece of pieces(Buffer.concat(sender.written), cuts)) receiver.deliver(piece);
        sender.channel.close();
        expect(receiver.frames).toEqual(
          frames.map(([type, parts]) => `${type}:${Buffer.concat(parts).toString('hex')}`),
        );
        expect(receiver.broken).toBe(0);
      }),
    );
  });

  it('are taken or end the channel once, whatever bytes come, and how they were cut changes nothing', () => {
    // Lengths that are plausible, so that more than the first four bytes count.
    const chunk = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(Uint8Array.of(0, 0, 0, 2, 9, 7), Uint8Array.of(0, 0, 0, 1, 9)),
    );
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), anyCuts, (chunks, cuts) => {
        const bytes = Buffer.concat(chunks);
        const [whole, cut] = [new Side(), new Side()];
        whole.deliver(bytes);
        for (const piece of pieces(bytes, cuts)) cut.deliver(piece);
        expect(cut.frames).toEqual(whole.frames);
        expect(cut.broken).toBe(whole.broken);
        expect(whole.broken).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the guard of datagrams', () => {
  it('drops what is larger than an Ethernet carries', () => {
    const short = Buffer.alloc(1_501, 0x40);
    expect(readDatagram(short.subarray(0, 1_500))).toMatchObject({ type: 'short' });
    expect(readDatagram(short)).toEqual({ type: 'drop', reason: 'too-large' });
  });

  it('sorts every datagram without throwing, and never reads beyond its end', () => {
    const header = fc.tuple(
      fc.constantFrom(0xc0, 0xd0, 0xe0, 0xf0, 0x40),
      fc.uint8Array({ maxLength: 80 }),
    );
    const likely = header.map(([first, rest]) =>
      Buffer.concat([Buffer.from([first, 0, 0, 0, 1]), rest]),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
          likely,
        ),
        (bytes) => {
          const read = readDatagram(bytes);
          if (read.type === 'drop') return;
          expect(read.destination.length).toBeLessThanOrEqual(20);
          expect(bytes.includes(Buffer.from(read.destination, 'latin1'))).toBe(true);
          if (read.type === 'initial')
            expect(
              7 + read.destination.length + read.source.length + read.token.length,
            ).toBeLessThan(bytes.length + 1);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('places', () => {
  it('never hold more than their limits, whoever comes in whatever order, and refuse a paired hub only when paired hubs hold them all', () => {
    const newcomer = fc.record({
      key: fc.nat({ max: 260 }),
      address: fc.nat({ max: 9 }),
      direction: fc.constantFrom('incoming' as const, 'outgoing' as const),
    });
    fc.assert(
      fc.property(
        fc.array(newcomer, { maxLength: 300 }),
        fc.nat({ max: 200 }),
        fc.nat({ max: 40 }),
        (newcomers, pairedCount, pairingCount) => {
          const paired = new Set(Array.from({ length: pairedCount }, (_, key) => `key ${key}`));
          const pairing = new Set(
            Array.from({ length: pairingCount }, (_, key) => `key ${260 - key}`),
          );
          const standing = { paired, refused: new Set<string>(), pairing };
          let live: PlaceHolder[] = [];
          for (const [connectionId, { key, address, direction }] of newcomers.entries()) {
            const sinceMs = connectionId * 400;
            const holder = {
              connectionId,
              keyHex: `key ${key}`,
              direction,
              host: `192.168.1.${address}`,
              sinceMs,
            };
            const decision = decidePlace(holder, live, standing, sinceMs);
            if (!decision.admitted) {
              const mayGo = (other: PlaceHolder): boolean =>
                !paired.has(other.keyHex) &&
                !pairing.has(other.keyHex) &&
                other.direction === 'incoming';
              if (
                paired.has(holder.keyHex) ||
                pairing.has(holder.keyHex) ||
                direction === 'outgoing'
              )
                expect(live.filter(mayGo)).toEqual([]);
              continue;
            }
            const gone = new Set(decision.evicted.map((eviction) => eviction.connectionId));
            for (const other of live)
              if (gone.has(other.connectionId) && other.keyHex !== holder.keyHex)
                expect(paired.has(other.keyHex) || pairing.has(other.keyHex)).toBe(false);
            live = [...live.filter((other) => !gone.has(other.connectionId)), holder];
            expect(live.length).toBeLessThanOrEqual(CONNECTIONS_MAX);
            expect(
              live.filter((other) => other.keyHex === holder.keyHex).length,
            ).toBeLessThanOrEqual(CONNECTIONS_PER_KEY_MAX);
            const strangers = live.filter(
              (other) => !paired.has(other.keyHex) && other.direction === 'incoming',
            );
            expect(strangers.length).toBeLessThanOrEqual(QUARANTINED_CONNECTIONS_MAX);
          }
        },
      ),
    );
  });
});

/** What a stream still has to give: pieces, and whether the last one is the end. */
interface Script {
  pieces: Buffer[];
  ends: boolean;
}

/** The few calls of the native library that a reader makes, over scripted streams. */
function scripted(streams: ReadonlyMap<number, Script>): ReadableStreams {
  const hasMore = (streamId: number): boolean => (streams.get(streamId)?.pieces.length ?? 0) > 0;
  const calls = {
    isReadable: () => [...streams.keys()].some(hasMore),
    readable: () => [...streams.keys()].filter(hasMore),
    streamReadable: hasMore,
    streamRecv: (streamId: number, into: Uint8Array): [number, boolean] | null => {
      const stream = streams.get(streamId);
      const piece = stream?.pieces.shift();
      if (stream === undefined || piece === undefined) return null;
      into.set(piece);
      return [piece.length, stream.ends && stream.pieces.length === 0];
    },
  };
  return calls;
}

describe('streams', () => {
  it('give whole messages to the byte, end beyond the limit, and leave no byte counted', () => {
    const stream = fc.record({
      sizes: fc.array(fc.oneof(fc.nat({ max: 50 }), fc.integer({ min: 20_000, max: 70_000 })), {
        minLength: 1,
        maxLength: 5,
      }),
      ends: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(stream, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat({ max: 7 }), { maxLength: 30 }),
        (plans, order) => {
          const clock = new ManualClock();
          const total = { count: 0 };
          const messages = new Map<number, Uint8Array>();
          const violations = new Map<number, string>();
          const streams = new Map<number, Script>();
          const sink = {
            message: (streamId: number, bytes: Uint8Array) => void messages.set(streamId, bytes),
            reset: () => undefined,
            violation: (streamId: number, rule: string) => {
              // A stream that broke a limit is reset: nothing more of it comes.
              streams.delete(streamId);
              expect(violations.has(streamId)).toBe(false);
              violations.set(streamId, rule);
            },
            expected: () => undefined,
          };
          const deps = {
            native: scripted(streams),
            clock,
            sink,
            total,
            scratch: Buffer.alloc(256 * 1024),
            isDialler: false,
          };
          const reader = new StreamReader(deps);
          const waiting = plans.map(({ sizes }, index) =>
            sizes.map((size, part) => Buffer.alloc(size, 16 * index + part)),
          );
          const whole = waiting.map((parts) => Buffer.concat(parts));
          const give = (index: number): void => {
            const piece = waiting[index]?.shift();
            const streamId = index * 4;
            if (piece === undefined || violations.has(streamId)) return;
            streams.set(streamId, {
              pieces: [piece],
              ends: (plans[index]?.ends ?? false) && waiting[index]?.length === 0,
            });
            reader.readAll();
            expect(total.count).toBeGreaterThanOrEqual(0);
            expect(total.count).toBeLessThanOrEqual(plans.length * MESSAGE_SIZE_MAX_BYTES);
          };
          for (const index of order) give(index % plans.length);
          for (const index of plans.keys())
            while ((waiting[index]?.length ?? 0) > 0 && !violations.has(index * 4)) give(index);
          for (const [index, { ends }] of plans.entries()) {
            const bytes = whole[index] ?? Buffer.alloc(0);
            const isTooLarge = bytes.length > MESSAGE_SIZE_MAX_BYTES;
            expect(violations.get(index * 4)).toBe(isTooLarge ? 'too-large' : undefined);
            expect(messages.has(index * 4)).toBe(ends && !isTooLarge);
            if (ends && !isTooLarge)
              expect(bytes.equals(messages.get(index * 4) ?? Buffer.alloc(1))).toBe(true);
          }
          if (reader.unfinishedCount === 0) expect(total.count).toBe(0);
          reader.clear();
          expect(total.count).toBe(0);
          expect(reader.unfinishedCount).toBe(0);
        },
      ),
    );
  });

  /**
   * A stream that brings so many bytes each time it is let: how long it lives under a reader that
   * judges every half second.
   */
  async function lifeOf(
    bytesAt: (second: number) => number,
  ): Promise<{ readonly seconds: number; readonly rule: string | undefined }> {
    const clock = new ManualClock();
    const streams = new Map<number, Script>();
    let rule: string | undefined;
    const sink = {
      message: () => undefined,
      reset: () => undefined,
      violation: (_: number, broken: string) => void (rule = broken),
      expected: () => undefined,
    };
    const deps = {
      native: scripted(streams),
      clock,
      sink,
      total: { count: 0 },
      scratch: Buffer.alloc(256 * 1024),
      isDialler: false,
    };
    const reader = new StreamReader(deps);
    for (let halfSeconds = 0; halfSeconds <= 200; halfSeconds += 1) {
      const size = halfSeconds % 2 === 0 ? bytesAt(halfSeconds / 2) : 0;
      if (size > 0) streams.set(0, { pieces: [Buffer.alloc(size)], ends: false });
      reader.readAll();
      reader.judge();
      if (rule !== undefined) return { seconds: halfSeconds / 2, rule };
      await clock.advance(500);
    }
    return { seconds: Infinity, rule };
  }

  it('PW-10: end within seven seconds when they drip or stand still, whole or not', async () => {
    expect(await lifeOf(() => 1)).toEqual({ seconds: 7, rule: 'too-slow' });
    expect(await lifeOf((second) => (second === 0 ? 60_000 : 0))).toEqual({
      seconds: 7,
      rule: 'too-slow',
    });
  });

  it('are not blamed for time in which nothing was read, and for all other time as before', async () => {
    const clock = new ManualClock();
    const streams = new Map<number, Script>();
    const ends: string[] = [];
    const sink = {
      message: (_: number, bytes: Uint8Array) => void ends.push(`${bytes.length} bytes`),
      reset: () => undefined,
      violation: (_: number, broken: string) => void ends.push(broken),
      expected: () => undefined,
    };
    const deps = {
      native: scripted(streams),
      clock,
      sink,
      total: { count: 0 },
      scratch: Buffer.alloc(256 * 1024),
      isDialler: false,
    };
    const reader = new StreamReader(deps);
    const read = async (forMs: number): Promise<void> => {
      for (let passedMs = 0; passedMs <= forMs; passedMs += 500) {
        reader.readAll();
        reader.judge();
        await clock.advance(500);
      }
    };
    streams.set(0, { pieces: [Buffer.alloc(10)], ends: false });
    await read(6_000);
    await clock.advance(100_000);
    await read(0);
    expect(ends).toEqual([]);
    streams.set(0, { pieces: [Buffer.alloc(10)], ends: true });
    streams.set(4, { pieces: [Buffer.alloc(10)], ends: false });
    await read(6_000);
    expect(ends).toEqual(['20 bytes']);
    await clock.advance(100_000);
    await read(1_500);
    expect(ends).toEqual(['20 bytes', 'too-slow']);
  });

  it('F-19: may stand still for seconds, as a line that loses packets makes them, and end after a minute however they hurry', async () => {
    expect(await lifeOf((second) => (second % 6 === 0 ? 5_000 : 0))).toEqual({
      seconds: 60,
      rule: 'too-slow',
    });
    expect(await lifeOf(() => 600)).toEqual({ seconds: 60, rule: 'too-slow' });
  });

  it('take the room of their bytes, in however small pieces these come', () => {
    const [streams, pieces] = [40, 50_000];
    const left = new Map(
      Array.from({ length: streams }, (_, index): [number, number] => [index * 4, pieces]),
    );
    const native: ReadableStreams = {
      isReadable: () => true,
      readable: () => [...left.keys()],
      streamReadable: () => false,
      streamRecv: (streamId) => {
        const rest = left.get(streamId) ?? 0;
        left.set(streamId, rest - 1);
        return rest > 0 ? [1, false] : null;
      },
    };
    const sink = {
      message: () => undefined,
      reset: () => undefined,
      violation: () => undefined,
      expected: () => undefined,
    };
    const total = { count: 0 };
    const reader = new StreamReader({
      native,
      clock: new ManualClock(),
      sink,
      total,
      scratch: Buffer.alloc(1024),
      isDialler: false,
    });
    const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const before = used();
    reader.readAll();
    expect(reader.unfinishedCount).toBe(streams);
    expect(total.count).toBeGreaterThanOrEqual(streams * pieces);
    expect(total.count).toBeLessThanOrEqual(streams * MESSAGE_SIZE_MAX_BYTES);
    // A buffer for each piece would take some hundred megabytes.
    expect(used() - before).toBeLessThan(100_000_000);
    reader.clear();
    expect(total.count).toBe(0);
  });
});
