// Decoded mDNS packets as typed records: what a packet holds beyond the five record types of
// service discovery is left out. Names are compared in lower case. It must never trust the shape of
// what it is given.
import { isIPv4, isIPv6 } from 'node:net';

export type DnsRecord =
  | { readonly type: 'PTR'; readonly name: string; readonly ttlS: number; readonly target: string }
  | {
      readonly type: 'SRV';
      readonly name: string;
      readonly ttlS: number;
      readonly target: string;
      readonly port: number;
    }
  | {
      readonly type: 'TXT';
      readonly name: string;
      readonly ttlS: number;
      readonly strings: readonly Uint8Array[];
    }
  | {
      readonly type: 'A' | 'AAAA';
      readonly name: string;
      readonly ttlS: number;
      readonly address: string;
    };

export interface Question {
  readonly name: string;
  readonly type: 'PTR' | 'SRV' | 'TXT' | 'A' | 'AAAA';
}

/** The records of a decoded answer that service discovery uses, in their order. Never throws. */
export function readRecords(packet: unknown): readonly DnsRecord[] {
  const records: DnsRecord[] = [];
  for (const section of ['answers', 'additionals']) {
    const entries = property(packet, section);
    if (!Array.isArray(entries)) continue;
    for (const entry of entries) {
      const record = readRecord(entry);
      if (record !== undefined) records.push(record);
    }
  }
  return records;
}

/** The address a packet came from, out of dgram's remote info. */
export function readSource(source: unknown): string | undefined {
  const address = property(source, 'address');
  return typeof address === 'string' ? address : undefined;
}

function readRecord(entry: unknown): DnsRecord | undefined {
  const type = property(entry, 'type');
  const name = property(entry, 'name');
  const ttlS = property(entry, 'ttl');
  const data = property(entry, 'data');
  if (typeof name !== 'string' || typeof ttlS !== 'number' || property(entry, 'class') !== 'IN')
    return undefined;
  const head = { name: name.toLowerCase(), ttlS };
  if (type === 'PTR') return typeof data === 'string' ? { ...head, type, target: data } : undefined;
  if (type === 'A')
    return typeof data === 'string' && isIPv4(data) ? { ...head, type, address: data } : undefined;
  if (type === 'AAAA')
    return typeof data === 'string' && isIPv6(data) ? { ...head, type, address: data } : undefined;
  if (type === 'TXT') {
    return Array.isArray(data)
      ? { ...head, type, strings: data.filter((part) => part instanceof Uint8Array) }
      : undefined;
  }
  if (type !== 'SRV') return undefined;
  const target = property(data, 'target');
  const port = property(data, 'port');
  return typeof target === 'string' && typeof port === 'number'
    ? { ...head, type, target: target.toLowerCase(), port }
    : undefined;
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
