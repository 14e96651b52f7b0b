// What is remembered of hubs on the network: limits, whom to believe, and when to forget.
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DnsRecord } from '../../../../main/adapters/mdns/dns-records.ts';
import { HubTable } from '../../../../main/adapters/mdns/hub-table.ts';
import { INSTANCES_MAX } from '../../../../main/adapters/mdns/limits.ts';
import { readLinks, type Link } from '../../../../main/adapters/mdns/links.ts';

const SERVICE = '_axon._udp.local';

function linkNamed(name: string, cidr: string): Link {
  const entry = {
    family: 'IPv4',
    address: cidr.split('/')[0] ?? '',
    netmask: '',
    mac: '',
    internal: false,
    cidr,
  } as const;
  const [link] = readLinks({ [name]: [entry] }, { names: null, listenHost: '0.0.0.0' });
  if (link === undefined) throw new Error('the test needs a link');
  return link;
}

const eth0 = linkNamed('eth0', '10.1.0.1/16');
const wlan0 = linkNamed('wlan0', '10.2.0.1/16');

interface Hub {
  readonly agentId: string;
  readonly keyHex: string;
  readonly records: readonly DnsRecord[];
}

interface HubOptions {
  readonly port?: number;
  readonly ttlS?: number;
  readonly start?: string;
}

function hubAt(
  name: string,
  address: string,
  { port = 7100, ttlS = 120, start = '00000000' }: HubOptions = {},
): Hub {
  const key = createHash('sha256').update(name).digest();
  const agentId = `ed25519.${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
  const instance = `${name}.${SERVICE}`;
  const host = `${name}-host.local`;
  const strings = [
    `agent_id=${agentId}`,
    `pubkey=${key.toString('base64')}`,
    'v=1',
    `fresh=${start}-1`,
  ].map((text) => Buffer.from(text));
  return {
    agentId,
    keyHex: key.toString('hex'),
    records: [
      { type: 'PTR', name: SERVICE, ttlS, target: instance },
      { type: 'SRV', name: instance, ttlS, target: host, port },
      { type: 'TXT', name: instance, ttlS, strings },
      { type: 'A', name: host, ttlS, address },
    ],
  };
}

describe('hub table', () => {
  let table: HubTable;
  const paired = new Set<string>();
  beforeEach(() => {
    paired.clear();
    table = new HubTable({
      ownAgentId: hubAt('own', '10.1.0.1').agentId,
      ownStart: '00000000',
      isPaired: (keyHex) => paired.has(keyHex),
    });
  });

  it('a whole announcement is a hub, our own is not', () => {
    const mum = hubAt('mum', '10.1.0.2');
    expect([...table.hear(eth0, '10.1.0.2', mum.records, 0).touched]).toEqual([mum.agentId]);
    expect(table.hub(mum.agentId)?.hub).toEqual({
      agentId: mum.agentId,
      keyHex: mum.keyHex,
      port: 7100,
      addresses: ['10.1.0.2'],
      label: 'mum',
    });
    const own = hubAt('own', '10.1.0.1');
    expect(table.hear(eth0, '10.1.0.1', own.records, 0).touched.size).toBe(0);
    expect([table.hub(own.agentId), table.size]).toEqual([undefined, 1]);
  });

  it('our own id from another start is told, from another computer and from this one, and our own is not', () => {
    const own = hubAt('own', '10.1.0.1');
    const elsewhere = hubAt('own', '10.1.0.9', { port: 7200, start: '11111111' });
    table.hear(eth0, '10.1.0.9', elsewhere.records, 0);
    table.hear(eth0, '10.1.0.1', own.records, 1);
    table.hear(wlan0, '10.2.0.1', hubAt('own', '10.2.0.1').records, 1);
    expect(table.ownIdPlaces()).toEqual([{ host: '10.1.0.9', port: 7200 }]);
    announceOwn('10.1.0.1', 2, { port: 7300, start: '22222222' });
    expect(table.ownIdPlaces()).toEqual([
      { host: '10.1.0.1', port: 7300 },
      { host: '10.1.0.9', port: 7200 },
    ]);
    expect([...table.sweep(120_001)]).toEqual([own.agentId]);
    expect(table.ownIdPlaces()).toEqual([{ host: '10.1.0.1', port: 7300 }]);
  });

  /** Another start announces our own id, under a name of its own. */
  function announceOwn(source: string, nowMs: number, options: HubOptions, name = 'own'): void {
    const start = '11111111';
    const { records } = hubAt('own', source, { start, ...options });
    const named = records.map((record) =>
      record.type === 'PTR'
        ? { ...record, target: `${name}.${SERVICE}` }
        : record.type === 'A'
          ? record
          : { ...record, name: `${name}.${SERVICE}` },
    );
    table.hear(eth0, source, named, nowMs);
  }

  it('who announces our own id after another, however often, hides none of its places', () => {
    announceOwn('10.1.0.9', 0, { port: 7200 });
    for (let index = 0; index < 200; index += 1)
      announceOwn('10.1.0.66', 1 + index, { port: 8_000 + index }, `stranger-${index}`);
    const places = table.ownIdPlaces();
    // In its turn: before any second place of the stranger.
    expect(places.slice(0, 2)).toContainEqual({ host: '10.1.0.9', port: 7200 });
    expect(places).toHaveLength(5);
    expect(table.size).toBeLessThanOrEqual(17);
  });

  it('a source that announces our own id anew takes none from another, and the places stay few', () => {
    for (let index = 0; index < 15; index += 1)
      announceOwn('10.1.0.66', index, { port: 8_000 + index }, `stranger-${index}`);
    announceOwn('10.1.0.9', 20, { port: 7200 });
    for (let index = 0; index < 100; index += 1)
      announceOwn(`10.1.1.${index + 1}`, 30 + index, { port: 9_000 });
    expect(table.size).toBe(16);
    expect(table.ownIdPlaces()).toHaveLength(16);
    announceOwn('10.1.0.9', 200, { port: 7201 });
    expect(table.ownIdPlaces()[0]).toEqual({ host: '10.1.0.9', port: 7201 });
  });

  it('our own id is told in a table that others have filled', () => {
    for (let index = 0; index < 5_000; index += 1) {
      const source = `10.1.${index % 200}.${2 + (index % 250)}`;
      table.hear(eth0, source, hubAt(`random-${index}`, source).records, index);
    }
    announceOwn('10.1.0.9', 6_000, { port: 7200 });
    expect(table.ownIdPlaces()).toEqual([{ host: '10.1.0.9', port: 7200 }]);
    expect(table.size).toBe(INSTANCES_MAX);
  });

  it('in a full table our own id gives way to our own id, and to a paired hub, before a quiet hub does', () => {
    const hubs = Array.from({ length: INSTANCES_MAX - 1 }, (_, index) => ({
      source: `10.1.${index % 200}.${2 + (index % 250)}`,
      index,
    })).map(({ source, index }) => ({ source, ...hubAt(`quiet-${index}`, source) }));
    const quiet = (): number => hubs.filter(({ agentId }) => table.hub(agentId)).length;
    for (const { source, records } of hubs) table.hear(eth0, source, records, 0);
    for (let index = 0; index < 100; index += 1)
      announceOwn('10.1.0.66', 1 + index, { port: 8_000 + index }, `stranger-${index}`);
    for (let index = 0; index < 100; index += 1)
      announceOwn(`10.1.201.${index + 1}`, 200 + index, { port: 9_000 });
    expect([quiet(), table.size]).toEqual([INSTANCES_MAX - 1, INSTANCES_MAX]);
    expect(table.ownIdPlaces()).toEqual([{ host: '10.1.201.100', port: 9_000 }]);
    const mum = hubAt('mum', '10.1.0.2');
    paired.add(mum.keyHex);
    table.hear(eth0, '10.1.0.2', mum.records, 400);
    expect([quiet(), table.ownIdPlaces()]).toEqual([INSTANCES_MAX - 1, []]);
    expect(table.hub(mum.agentId)).toBeDefined();
  });

  it('MD-03: the table never holds more than 256, and only a paired hub still gets in', () => {
    const hubs = Array.from({ length: 5_000 }, (_, index) => ({
      source: `10.1.${index % 200}.${2 + (index % 250)}`,
      index,
    }));
    for (const { source, index } of hubs)
      table.hear(eth0, source, hubAt(`random-${index}`, source).records, index);
    expect(table.size).toBe(INSTANCES_MAX);
    const stranger = hubAt('stranger', '10.1.250.1');
    table.hear(eth0, '10.1.250.1', stranger.records, 6_000);
    expect(table.hub(stranger.agentId)).toBeUndefined();
    const mum = hubAt('mum', '10.1.250.2');
    paired.add(mum.keyHex);
    table.hear(eth0, '10.1.250.2', mum.records, 6_000);
    expect(table.hub(mum.agentId)?.hub.addresses).toEqual(['10.1.250.2']);
    expect(table.size).toBe(INSTANCES_MAX);
    for (const { source, index } of hubs)
      table.hear(eth0, source, hubAt(`more-${index}`, source).records, 7_000 + index);
    expect(table.hub(mum.agentId)).toBeDefined();
  });

  it('MD-03: one source has 16 places', () => {
    for (let index = 0; index < 100; index += 1)
      table.hear(eth0, '10.1.0.66', hubAt(`many-${index}`, '10.1.0.66').records, 0);
    expect(table.size).toBe(16);
  });

  it('MD-01: the same name from another source changes nothing of the first, and its goodbye ends nothing', () => {
    const mum = hubAt('mum', '10.1.0.2');
    table.hear(eth0, '10.1.0.2', mum.records, 0);
    const copy = hubAt('mum', '10.1.0.66', { port: 9_999 });
    table.hear(eth0, '10.1.0.66', copy.records, 10);
    table.hear(eth0, '10.1.0.66', hubAt('mum', '10.1.0.66', { ttlS: 0 }).records, 20);
    expect(table.hub(mum.agentId)?.hub).toMatchObject({ port: 7100, addresses: ['10.1.0.2'] });
  });

  it('a hub that speaks from a new address is dialled there first, and no more at the old one once it is not heard there', () => {
    const mum = hubAt('mum', '10.1.0.2');
    table.hear(eth0, '10.1.0.2', mum.records, 0);
    table.hear(eth0, '10.1.0.3', hubAt('mum', '10.1.0.3').records, 1_000);
    expect(table.hub(mum.agentId)?.hub.addresses).toEqual(['10.1.0.3', '10.1.0.2']);
    table.hear(eth0, '10.1.0.3', hubAt('mum', '10.1.0.3').records, 100_000);
    expect([...table.sweep(120_000)]).toEqual([mum.agentId]);
    expect(table.hub(mum.agentId)?.hub.addresses).toEqual(['10.1.0.3']);
  });

  it('an instance that is not heard again in its time is lost', () => {
    const mum = hubAt('mum', '10.1.0.2', { ttlS: 10 });
    table.hear(eth0, '10.1.0.2', mum.records, 0);
    expect(table.sweep(9_999)).toEqual(new Set());
    expect([...table.sweep(10_000)]).toEqual([mum.agentId]);
    expect([table.hub(mum.agentId), table.size]).toEqual([undefined, 0]);
  });

  it('an answer prolongs, and a lifetime beyond four minutes is not believed', () => {
    const mum = hubAt('mum', '10.1.0.2', { ttlS: 2 ** 31 });
    table.hear(eth0, '10.1.0.2', mum.records, 0);
    table.sweep(239_999);
    expect(table.hub(mum.agentId)).toBeDefined();
    table.hear(eth0, '10.1.0.2', mum.records, 239_999);
    table.sweep(240_001);
    expect(table.hub(mum.agentId)).toBeDefined();
    table.sweep(480_000);
    expect(table.hub(mum.agentId)).toBeUndefined();
  });

  it('a hub on two links has the addresses of both, and of one when the other link goes', () => {
    const mum = hubAt('mum', '10.1.0.2');
    table.hear(eth0, '10.1.0.2', mum.records, 0);
    table.hear(wlan0, '10.2.0.2', hubAt('mum', '10.2.0.2').records, 1);
    expect(table.hub(mum.agentId)?.hub.addresses.toSorted()).toEqual(['10.1.0.2', '10.2.0.2']);
    expect([...table.forgetLink(eth0)]).toEqual([mum.agentId]);
    expect(table.hub(mum.agentId)?.hub.addresses).toEqual(['10.2.0.2']);
  });

  it('an address that belongs to another link is not dialled over this one', () => {
    const mum = hubAt('mum', '10.2.0.2');
    table.hear(eth0, '10.1.0.2', mum.records, 0);
    expect(table.hub(mum.agentId)).toBeUndefined();
  });

  it('what is missing is asked for, three times at most and never twice in a second', () => {
    const [pointer, service, text, address] = hubAt('mum', '10.1.0.2').records;
    if (
      pointer === undefined ||
      service === undefined ||
      text === undefined ||
      address === undefined
    )
      throw new Error('four records');
    const instance = `mum.${SERVICE}`;
    const srvAndTxt = [
      { name: instance, type: 'SRV' },
      { name: instance, type: 'TXT' },
    ];
    const hear = (record: DnsRecord, nowMs: number): unknown =>
      table.hear(eth0, '10.1.0.2', [record], nowMs).questions;
    expect(hear(pointer, 0)).toEqual(srvAndTxt);
    expect(hear(pointer, 500)).toEqual([]);
    expect(hear(service, 1_000)).toEqual([
      { name: instance, type: 'TXT' },
      { name: 'mum-host.local', type: 'A' },
    ]);
    expect(hear(text, 2_000)).toEqual([{ name: 'mum-host.local', type: 'A' }]);
    expect(hear(pointer, 9_000)).toEqual([]);
    expect(table.hub(hubAt('mum', '').agentId)).toBeUndefined();
    expect([...table.hear(eth0, '10.1.0.2', [address], 9_500).touched]).toHaveLength(1);
  });

  it('a new start of the same hub shows, a mere repetition does not', () => {
    const first = hubAt('mum', '10.1.0.2', { start: 'aaaaaaaa' });
    table.hear(eth0, '10.1.0.2', first.records, 0);
    const before = JSON.stringify(table.hub(first.agentId));
    table.hear(eth0, '10.1.0.2', first.records, 1_000);
    expect(JSON.stringify(table.hub(first.agentId))).toBe(before);
    table.hear(eth0, '10.1.0.2', hubAt('mum', '10.1.0.2', { start: 'bbbbbbbb' }).records, 2_000);
    expect(table.hub(first.agentId)?.start).toBe('bbbbbbbb');
  });

  it('an instance that turns into another identity or into nonsense takes the first hub away', () => {
    const mum = hubAt('mum', '10.1.0.2');
    table.hear(eth0, '10.1.0.2', mum.records, 0);
    const nonsense: DnsRecord = {
      type: 'TXT',
      name: `mum.${SERVICE}`,
      ttlS: 120,
      strings: [Buffer.from('v=1')],
    };
    expect([...table.hear(eth0, '10.1.0.2', [nonsense], 1).touched]).toEqual([mum.agentId]);
    expect([table.hub(mum.agentId), table.size]).toEqual([undefined, 0]);
  });
});
