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
