// Who is too costly, look by look: a share of a busy process, and processor time for each datagram, on a computer as fast as it is.
import { describe, expect, it } from 'vitest';
import { Costs } from '../../../../main/adapters/quic/costs.ts';
import { Effort } from '../../../../main/adapters/quic/effort.ts';
import { costlyFromMs, sealMs } from '../../../../main/adapters/quic/computer-speed.ts';
import {
  BUSY_BEATS_MAX,
  BUSY_PROCESSOR_MIN_MS,
  COSTLY_BEATS_MAX,
  COSTLY_LOOP_SHARE_MIN,
  COSTLY_PROCESSOR_MAX_MS,
  COSTLY_PROCESSOR_MIN_MS,
  ENDED_COSTS_MAX,
  REFERENCE_SEAL_MS,
} from '../../../../main/adapters/quic/limits.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

interface Spent {
  readonly spentMs: number;
  readonly datagrams: number;
}

const LOOK_MS = 1_000;

/** One look a second at a process that was active for so long in it. */
class Looks {
  readonly #costs: Costs;
  #usage = { atMs: 0, processorMs: 0, activeMs: 0 };

  constructor({ slower = 1 } = {}) {
    this.#costs = new Costs(costlyFromMs(REFERENCE_SEAL_MS * slower));
    this.#costs.judge(this.#usage, []);
  }

  look(spent: Readonly<Record<string, Spent | readonly Spent[]>>, { activeMs = 990, processorMs = 990 } = {}): string | undefined {
    const { atMs, ...before } = this.#usage;
    this.#usage = { atMs: atMs + LOOK_MS, processorMs: before.processorMs + processorMs, activeMs: before.activeMs + activeMs };
    const connections = Object.entries(spent).flatMap(([keyHex, of]) =>
      [of].flat().map((taken) => ({ keyHex, effort: { take: () => taken } })),
    );
    return this.#costs.judge(this.#usage, connections);
  }

  /** A line that ends between two looks. */
  end(keyHex: string | null, taken: Spent): void {
    this.#costs.ended({ keyHex, effort: { take: () => taken } });
  }

  /** The answers of so many looks that find the same. */
  looks(count: number, ...found: Parameters<Looks['look']>): readonly (string | undefined)[] {
    return Array.from({ length: count }, () => this.look(...found));
  }
}

const costly = { spentMs: 900, datagrams: 300 };
const fair = { spentMs: 900, datagrams: 15_000 };
const nobody = (count: number) => Array.from({ length: count }, () => undefined);

describe('who keeps the process busy with little', () => {
  it('is told after some looks in a row, in good time before the watchdog acts', () => {
    expect(new Looks().looks(COSTLY_BEATS_MAX, { costly })).toEqual([...nobody(COSTLY_BEATS_MAX - 1), 'costly']);
    expect(COSTLY_BEATS_MAX).toBeLessThanOrEqual(BUSY_BEATS_MAX / 2);
  });

  it('is nobody who moves much, however busy the process is with it', () => {
    expect(new Looks().looks(100, { fair })).toEqual(nobody(100));
  });

  it('is found among those who move much', () => {
    const found = { fair: { spentMs: 400, datagrams: 6_000 }, costly: { spentMs: 500, datagrams: 150 } };
    expect(new Looks().looks(COSTLY_BEATS_MAX, found).at(-1)).toBe('costly');
  });

  it('is the costliest first, and the next with the next look', () => {
    const two = { one: { spentMs: 400, datagrams: 100 }, other: { spentMs: 500, datagrams: 100 } };
    const looks = new Looks();
    expect(looks.looks(COSTLY_BEATS_MAX, two).at(-1)).toBe('other');
    expect(looks.look({ one: two.one })).toBe('one');
  });

  it('is nobody while the process has time to wait', () => {
    expect(new Looks().looks(20, { costly }, { activeMs: 850 })).toEqual(nobody(20));
  });

  it('is nobody whose second look was harmless: it counts from the start again', () => {
    const looks = new Looks();
    looks.looks(COSTLY_BEATS_MAX - 1, { costly });
    expect(looks.look({ costly: { spentMs: 10, datagrams: 10 } })).toBeUndefined();
    expect(looks.looks(COSTLY_BEATS_MAX, { costly })).toEqual([...nobody(COSTLY_BEATS_MAX - 1), 'costly']);
  });

  it('is a hub with all its connections', () => {
    const half = { spentMs: COSTLY_LOOP_SHARE_MIN * LOOK_MS * 0.6, datagrams: 50 };
    expect(new Looks().looks(20, { hub: half })).toEqual(nobody(20));
    expect(new Looks().looks(COSTLY_BEATS_MAX, { hub: [half, half] }).at(-1)).toBe('hub');
  });

  it('is nobody because the computer is short of processors: what it waited for one counts for nothing', () => {
    const waited = { spentMs: 900, datagrams: 900 };
    expect(waited.spentMs / waited.datagrams).toBeGreaterThan(COSTLY_PROCESSOR_MIN_MS);
    expect(new Looks().looks(20, { waited }, { processorMs: 200 })).toEqual(nobody(20));
  });

  it('is nobody because the computer is slow: three times slower, a datagram may cost three times as much', () => {
    const slow = { spentMs: 900, datagrams: 900 };
    expect(new Looks().looks(COSTLY_BEATS_MAX, { slow }).at(-1)).toBe('slow');
    expect(new Looks({ slower: 3 }).looks(20, { slow })).toEqual(nobody(20));
    expect(new Looks({ slower: 3 }).looks(COSTLY_BEATS_MAX, { costly }).at(-1)).toBe('costly');
  });

  it('is told of however slow the computer is, before the watchdog would end the process', () => {
    expect(COSTLY_PROCESSOR_MAX_MS).toBeLessThanOrEqual(BUSY_PROCESSOR_MIN_MS);
    expect(new Looks({ slower: 1_000 }).looks(COSTLY_BEATS_MAX, { costly }).at(-1)).toBe('costly');
  });

  it('is a hub that hangs up before each look and comes again', () => {
    const looks = new Looks();
    const found = Array.from({ length: COSTLY_BEATS_MAX }, () => {
      looks.end('hub', { spentMs: 500, datagrams: 200 });
      looks.end('hub', { spentMs: 300, datagrams: 100 });
      return looks.look({ hub: { spentMs: 1, datagrams: 1 } });
    });
    expect(found).toEqual([...nobody(COSTLY_BEATS_MAX - 1), 'hub']);
    expect(looks.look({ hub: { spentMs: 1, datagrams: 1 } })).toBeUndefined();
  });

  it('is nobody whose key was never known', () => {
    const looks = new Looks();
    const found = Array.from({ length: COSTLY_BEATS_MAX }, () => {
      looks.end(null, costly);
      return looks.look({});
    });
    expect(found).toEqual(nobody(COSTLY_BEATS_MAX));
  });

  it('is looked for among so many that have left, and no more', () => {
    const looks = new Looks();
    const found = Array.from({ length: COSTLY_BEATS_MAX }, () => {
      looks.end('first', costly);
      for (let count = 0; count < ENDED_COSTS_MAX; count += 1) looks.end(`key ${count}`, { spentMs: 0, datagrams: 1 });
      return looks.look({});
    });
    expect(found).toEqual(nobody(COSTLY_BEATS_MAX));
  });
});

describe('the speed of this computer', () => {
  it('raises the limit as much as it is slower than the one the limit was found on, and never lowers it', () => {
    expect(costlyFromMs(REFERENCE_SEAL_MS / 10)).toBe(COSTLY_PROCESSOR_MIN_MS);
    expect(costlyFromMs(REFERENCE_SEAL_MS * 2)).toBeCloseTo(2 * COSTLY_PROCESSOR_MIN_MS);
    expect(costlyFromMs(REFERENCE_SEAL_MS * 1_000)).toBe(COSTLY_PROCESSOR_MAX_MS);
  });

  it('is that of the fastest round: what others take of the processor makes it no slower', () => {
    let [asked, nowMs] = [0, 0];
    // Every round takes 30 ms, but one, which takes 3.
    const monotonicMs = (): number => (nowMs += asked++ === 15 ? 3 : 30);
    expect(sealMs({ monotonicMs })).toBeCloseTo(0.3);
  });
});

it('the effort of a connection is the time between begin and end, and what it moved, until it is asked for', async () => {
  const clock = new ManualClock();
  const effort = new Effort(clock);
  effort.begin();
  await clock.advance(3);
  effort.end();
  await clock.advance(100);
  effort.begin();
  await clock.advance(4);
  effort.end(2);
  effort.sent();
  expect(effort.take()).toEqual({ spentMs: 7, datagrams: 3 });
  expect(effort.take()).toEqual({ spentMs: 0, datagrams: 0 });
});
