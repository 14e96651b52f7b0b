// Which interfaces are used, and which addresses may be announced and dialled over each.
import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { readLinks, readUnusable, type LinkOptions } from '../../../../main/adapters/mdns/links.ts';

const everywhere: LinkOptions = { names: null, listenHost: '0.0.0.0' };

function ipv4(cidr: string, internal = false): NetworkInterfaceInfo {
  return {
    family: 'IPv4',
    address: cidr.split('/')[0] ?? '',
    netmask: '',
    mac: '02:00:00:00:00:01',
    internal,
    cidr,
  };
}

function ipv6(cidr: string): NetworkInterfaceInfo {
  return {
    family: 'IPv6',
    address: cidr.split('/')[0] ?? '',
    netmask: '',
    mac: '02:00:00:00:00:01',
    internal: false,
    cidr,
    scopeid: 0,
  };
}

const loopback = [ipv4('127.0.0.1/8', true)];

describe('links', () => {
  it('every interface with a home address is used, loopback and point-to-point ones are not', () => {
    const links = readLinks(
      {
        lo: loopback,
        eth0: [ipv4('192.168.1.5/24')],
        wlan0: [ipv4('10.0.0.5/8')],
        tun0: [ipv4('10.8.0.1/32')],
        six: [ipv6('fd00::1/64')],
      },
      everywhere,
    );
    expect(links.map(({ name, address }) => [name, address])).toEqual([
      ['eth0', '192.168.1.5'],
      ['wlan0', '10.0.0.5'],
    ]);
  });

  it('an interface with a global address only is left alone: nothing is announced to the internet', () => {
    expect(readLinks({ eth0: [ipv4('203.0.113.5/24')] }, everywhere)).toEqual([]);
  });

  it('only the named interfaces are used, loopback too when it is named', () => {
    const table = { lo: loopback, eth0: [ipv4('192.168.1.5/24')] };
    const [link, ...others] = readLinks(table, { ...everywhere, names: ['lo'] });
    expect(others).toEqual([]);
    expect([link?.address, link?.mayDial('127.0.0.7'), link?.mayDial('192.168.1.7')]).toEqual([
      '127.0.0.1',
      true,
      false,
    ]);
    expect(readLinks(table, { ...everywhere, names: ['eth7'] })).toEqual([]);
  });

  it('an interface that cannot be used is told with the reason, loopback only when it was named', () => {
    const table = {
      lo: loopback,
      eth0: [ipv4('192.0.2.5/24'), ipv6('fe80::5/64')],
      six: [ipv6('fd00::1/64')],
      tun0: [ipv4('10.8.0.1/32')],
      wlan0: [ipv4('192.168.1.5/24')],
    };
    expect(readUnusable(table, everywhere)).toEqual([
      { name: 'eth0', why: 'no-home-address' },
      { name: 'six', why: 'no-home-address' },
      { name: 'tun0', why: 'point-to-point' },
    ]);
    expect(readUnusable(table, { ...everywhere, names: ['lo', 'tun0', 'eth7'] })).toEqual([
      { name: 'tun0', why: 'point-to-point' },
      { name: 'eth7', why: 'absent' },
    ]);
    expect(readUnusable({ lo: loopback }, everywhere)).toEqual([]);
  });

  it('only on-link home addresses may be dialled', () => {
    const [link] = readLinks(
      {
        eth0: [
          ipv4('192.168.1.5/24'),
          ipv6('fd00:1::5/64'),
          ipv6('2001:db8::5/64'),
          ipv6('fe80::5/64'),
        ],
      },
      everywhere,
    );
    const may = (address: string): boolean => link?.mayDial(address) ?? false;
    expect(
      ['192.168.1.1', '192.168.1.254', 'fd00:1::9'].filter((address) => !may(address)),
    ).toEqual([]);
    const never = [
      '192.168.2.1',
      '192.168.1.0',
      '192.168.1.255',
      '255.255.255.255',
      '0.0.0.0',
      '127.0.0.1',
      '224.0.0.251',
      '8.8.8.8',
      '2001:db8::9',
      'fe80::9',
      'fd00:2::9',
      '::1',
      'ff02::fb',
      'mum.local',
      '192.168.1.1.',
      '',
    ];
    expect(never.filter(may)).toEqual([]);
  });

  it('an address that clouds answer with credentials is never dialled, on-link or not', () => {
    const [link] = readLinks(
      { eth0: [ipv4('169.254.7.7/16'), ipv6('fd00:ec2::1/64')] },
      everywhere,
    );
    expect(link?.mayDial('169.254.7.8')).toBe(true);
    expect(link?.mayDial('169.254.169.254')).toBe(false);
    expect(link?.mayDial('fd00:ec2::254')).toBe(false);
  });

  it('a global on-link address is not dialled, although its source counts as on the link', () => {
    const [link] = readLinks(
      { eth0: [ipv4('192.168.1.5/24'), ipv4('203.0.113.5/24')] },
      everywhere,
    );
    expect([link?.hasSource('203.0.113.9'), link?.mayDial('203.0.113.9')]).toEqual([true, false]);
  });

  it('only addresses that the QUIC socket answers on are announced', () => {
    const table = {
      eth0: [ipv4('192.168.1.5/24'), ipv6('fd00:1::5/64')],
      wlan0: [ipv4('192.168.1.6/24')],
    };
    const announced = (listenHost: string): unknown =>
      readLinks(table, { names: null, listenHost }).map(({ ownAddresses }) => ownAddresses);
    // Two cards in one network: each is reached on both.
    expect(announced('0.0.0.0')).toEqual([
      ['192.168.1.5', '192.168.1.6'],
      ['192.168.1.6', '192.168.1.5'],
    ]);
    expect(announced('::')).toEqual([
      ['192.168.1.5', '192.168.1.6', 'fd00:1::5'],
      ['192.168.1.6', '192.168.1.5'],
    ]);
    expect(announced('192.168.1.6')).toEqual([['192.168.1.6']]);
    expect(announced('127.0.0.1')).toEqual([]);
  });

  it('a replaced or re-addressed card has another signature, an unchanged one the same', () => {
    const signature = (entry: NetworkInterfaceInfo): string | undefined =>
      readLinks({ eth0: [entry] }, everywhere)[0]?.signature;
    const one = signature(ipv4('192.168.1.5/24'));
    expect(signature(ipv4('192.168.1.5/24'))).toBe(one);
    expect(signature(ipv4('192.168.1.6/24'))).not.toBe(one);
    expect(signature(ipv4('192.168.1.5/16'))).not.toBe(one);
    expect(signature({ ...ipv4('192.168.1.5/24'), mac: '02:00:00:00:00:02' })).not.toBe(one);
  });

  it('a computer with very many interfaces uses the first 16', () => {
    const table = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`veth${index}`, [ipv4(`10.${index}.0.1/24`)]]),
    );
    expect(readLinks(table, everywhere)).toHaveLength(16);
  });
});
