// What stands before the decoder: sane packets at a sane rate, and only known record shapes behind
// it.
import { describe, expect, it } from 'vitest';
import { readRecords, readSource } from '../../../../main/adapters/mdns/dns-records.ts';
import { admits, isSanePacket, MDNS_PORT } from '../../../../main/adapters/mdns/guarded-socket.ts';
import { TokenBuckets } from '../../../../main/lib/token-buckets.ts';

function packet(
  flags: number,
  counts: readonly [number, number, number, number],
  size = 100,
): Uint8Array {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt16BE(flags, 2);
  counts.forEach((count, index) => bytes.writeUInt16BE(count, 4 + 2 * index));
  return bytes;
}

describe('packet guard', () => {
  it('queries and answers of ordinary size pass, from any place in a larger buffer', () => {
    expect(isSanePacket(packet(0, [1, 0, 0, 0]), 40_000)).toBe(true);
    expect(isSanePacket(packet(0x8400, [0, 3, 0, 5], 1_500), MDNS_PORT)).toBe(true);
    const padded = Buffer.concat([Buffer.alloc(7, 0xff), packet(0x8400, [0, 1, 0, 0])]);
    expect(isSanePacket(padded.subarray(7), MDNS_PORT)).toBe(true);
  });

  it('MD-04: short, huge, crowded and foreign packets do not', () => {
    const refused: readonly (readonly [Uint8Array, number])[] = [
      [Buffer.alloc(0), MDNS_PORT],
      [Buffer.alloc(11), MDNS_PORT],
      [packet(0x8400, [0, 1, 0, 0], 1_501), MDNS_PORT],
      [packet(0x8400, [0, 9_000, 0, 0]), MDNS_PORT],
      [packet(0x8400, [0, 40, 40, 40]), MDNS_PORT],
      [packet(0, [25, 0, 0, 0]), MDNS_PORT],
      [packet(0x2800, [1, 0, 0, 0]), MDNS_PORT],
      [packet(0x8400, [0, 1, 0, 0]), 5_354],
    ];
    expect(refused.filter(([bytes, port]) => isSanePacket(bytes, port))).toEqual([]);
  });

  it('a source has a burst and then a rate, and takes nothing from another one', () => {
    let nowMs = 0;
    const packets = new TokenBuckets({ monotonicMs: () => nowMs });
    const passed = (source: string, count: number): number =>
      Array.from({ length: count }, () => admits(packets, source)).filter(Boolean).length;
    expect(passed('10.0.0.1', 5_000)).toBe(80);
    nowMs = 1_000;
    expect(passed('10.0.0.1', 5_000)).toBe(20);
    expect(passed('10.0.0.2', 10)).toBe(10);
  });

  it('all sources of a link together have a limit too', () => {
    const packets = new TokenBuckets({ monotonicMs: () => 0 });
    const passed = Array.from({ length: 20_000 }, (_, index) =>
      admits(packets, `10.0.${index % 250}.${Math.floor(index / 250)}`),
    );
    expect(passed.filter(Boolean)).toHaveLength(400);
  });

  it('only whole records of the five types are read, whatever the decoder hands over', () => {
    const head = { name: 'X.Local', ttl: 120, class: 'IN' };
    const answers = [
      { ...head, type: 'PTR', data: 'Y.local' },
      { ...head, type: 'SRV', data: { target: 'Host.Local', port: 7100 } },
      { ...head, type: 'TXT', data: [Buffer.from('v=1'), 'no bytes', 7] },
      { ...head, type: 'A', data: '10.0.0.1' },
    ];
    const additionals = [
      { ...head, type: 'AAAA', data: 'fd00::1' },
      { ...head, type: 'A', data: '10.0.0.1.1' },
      { ...head, type: 'A', data: null },
      { ...head, type: 'SRV', data: { target: 7, port: '7100' } },
      { ...head, type: 'SRV' },
      { ...head, type: 'PTR', data: {} },
      { ...head, type: 'TXT', data: 'v=1' },
      { ...head, type: 'NSEC', data: {} },
      { ...head, type: 'A', class: 'CH', data: '10.0.0.1' },
      { type: 'OPT', name: '.' },
      null,
      7,
    ];
    expect(readRecords({ answers, additionals })).toEqual([
      { type: 'PTR', name: 'x.local', ttlS: 120, target: 'Y.local' },
      { type: 'SRV', name: 'x.local', ttlS: 120, target: 'host.local', port: 7100 },
      { type: 'TXT', name: 'x.local', ttlS: 120, strings: [Buffer.from('v=1')] },
      { type: 'A', name: 'x.local', ttlS: 120, address: '10.0.0.1' },
      { type: 'AAAA', name: 'x.local', ttlS: 120, address: 'fd00::1' },
    ]);
    for (const none of [undefined, null, 7, 'x', {}, { answers: {} }])
      expect(readRecords(none)).toEqual([]);
    expect([
      readSource({ address: '10.0.0.1' }),
      readSource(null),
      readSource({ address: 1 }),
    ]).toEqual(['10.0.0.1', undefined, undefined]);
  });
});
