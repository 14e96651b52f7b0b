// What a person is told about finding hubs: one state and one sentence with what to do.
import { describe, expect, it } from 'vitest';
import type { DiscoveryCondition } from '../../../../main/ports/discovery.ts';
import { discoveryStatus } from '../../../../main/services/links/discovery-status.ts';

describe('the state of discovery', () => {
  it.each<readonly [string, DiscoveryCondition, string, RegExp | null]>([
    ['one network', { working: ['eth0'], unusable: [] }, 'working', null],
    [
      'a VPN beside a network',
      { working: ['eth0'], unusable: [{ name: 'tun0', why: 'point-to-point' }] },
      'working',
      null,
    ],
    [
      'a public address beside a network',
      { working: ['eth0'], unusable: [{ name: 'wan', why: 'no-home-address' }] },
      'working',
      null,
    ],
    ['no network', { working: [], unusable: [] }, 'unusable', /on no network just now/],
    [
      'a VPN only',
      { working: [], unusable: [{ name: 'tun0', why: 'point-to-point' }] },
      'unusable',
      /^tun0 is a VPN/,
    ],
    [
      'a public address only',
      { working: [], unusable: [{ name: 'eth0', why: 'no-home-address' }] },
      'unusable',
      /^eth0 has no home-network/,
    ],
    [
      'a port that is taken',
      { working: [], unusable: [{ name: 'eth0', why: 'port-taken' }] },
      'unusable',
      /port 5353 .* on eth0/,
    ],
    [
      'a wrong name',
      { working: [], unusable: [{ name: 'eth7', why: 'absent' }] },
      'unusable',
      /told to use eth7/,
    ],
    [
      'one of two blocked',
      { working: ['eth0'], unusable: [{ name: 'wlan0', why: 'blocked' }] },
      'impaired',
      /out on wlan0/,
    ],
  ])('with %s is told for what it is', (_name, condition, state, sentence) => {
    const told = discoveryStatus(condition);
    expect(told).toMatchObject({ state, interfaces: condition.working });
    if (sentence === null) expect(told.message).toBeNull();
    else expect(told.message).toMatch(sentence);
    if (state === 'unusable') expect(told.message).toContain('added by address');
  });

  it('names every interface with the same trouble, and the most telling trouble first', () => {
    const told = discoveryStatus({
      working: [],
      unusable: [
        { name: 'tun0', why: 'point-to-point' },
        { name: 'eth0', why: 'port-taken' },
        { name: 'wlan0', why: 'port-taken' },
      ],
    });
    expect(told.message).toContain('on eth0 and wlan0');
    expect(told.message).not.toContain('tun0');
  });
});
