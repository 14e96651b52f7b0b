// Which of a computer's addresses are given to others, and in what order.
import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { isOnOwnNetwork, ownAddresses } from '../../../../main/adapters/resolver/own-addresses.ts';

function ipv4(address: string, internal = false): NetworkInterfaceInfo[] {
  return [
    {
      family: 'IPv4',
      address,
      internal,
      netmask: '255.255.255.0',
      mac: '02:00:00:00:00:01',
      cidr: `${address}/24`,
    },
  ];
}

const computer = () => ({
  lo: ipv4('127.0.0.1', true),
  docker0: ipv4('172.17.0.1'),
  'br-5f2c': ipv4('172.18.0.1'),
  'vEthernet (WSL)': ipv4('172.29.0.1'),
  vmnet8: ipv4('192.168.56.1'),
  eth1: ipv4('169.254.7.7'),
  br0: ipv4('192.168.1.20'),
  wlan0: ipv4('192.168.1.21'),
});

it.each([
  ['192.168.1.77', true],
  ['127.0.0.1', true],
  ['fd00:1:2:3::9', true],
  ['192.168.2.77', false],
  // Of a container, and at the other end of a tunnel: anywhere.
  ['172.17.0.9', false],
  ['10.8.0.7', false],
  ['100.101.1.1', false],
  ['203.0.113.9', false],
  ['fd00:1:2:4::9', false],
  ['nas.local', false],
  ['', false],
])('%s is in a network of this computer: %s', (host, isOwn) => {
  const [v4] = ipv4('192.168.1.20');
  const v6 = { ...v4, family: 'IPv6', address: 'fd00:1:2:3::1', cidr: 'fd00:1:2:3::1/64' };
  const tun0 = ipv4('10.8.0.2');
  const read = () => ({ ...computer(), tun0, wlan1: [v6 as NetworkInterfaceInfo] });
  expect(isOnOwnNetwork(host, read)).toBe(isOwn);
});

it('addresses of networks that programs made come after those of the computer itself', () => {
  expect(ownAddresses(null, computer)).toEqual([
    '192.168.1.20',
    '192.168.1.21',
    '172.17.0.1',
    '172.18.0.1',
    '172.29.0.1',
    '192.168.56.1',
  ]);
});

it('the loopback is given by a hub that its owner keeps to this computer, and by no other', () => {
  expect(ownAddresses(['lo'], computer)).toEqual(['127.0.0.1']);
  expect(ownAddresses(['lo', 'wlan0'], computer)).toEqual(['192.168.1.21']);
  expect(ownAddresses(['wlan9'], computer)).toEqual([]);
});

it('only the networks that the owner named are given, whatever they are', () => {
  expect(ownAddresses(['docker0', 'wlan0'], computer)).toEqual(['192.168.1.21', '172.17.0.1']);
});
