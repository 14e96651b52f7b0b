// How a hub stands, in the words of `axon peers`.
import { expect, test } from 'vitest';
import { stateOf, trustOf } from '../../../main/cli/peer-words.ts';
import { DAD, peerOf } from '../../fakes/household.ts';

const shown = (over: Parameters<typeof peerOf>[1]): readonly string[] => {
  const peer = peerOf('sam', { key_change: null, not_trusted_there: false, ...over });
  return [stateOf(peer), trustOf(peer)];
};

test('a hub that is not paired is said to be nearby and not paired, not to be away', () => {
  expect(shown({ trust: 'discovered', online: false, how_found: 'home_network' })).toEqual([
    'nearby',
    'not paired',
  ]);
  expect(shown({ trust: 'quarantined', online: false, how_found: 'incoming' })).toEqual([
    'connected to this hub',
    'not paired',
  ]);
  expect(shown({ trust: 'discovered', online: false, how_found: 'static' })).toEqual([
    'known by its address',
    'not paired',
  ]);
});

test('a paired one is online or away, or refuses this hub, and a suspended one is suspended', () => {
  expect([stateOf(DAD), trustOf(DAD)]).toEqual(['online', 'paired']);
  expect(shown({ trust: 'paired', online: false })).toEqual(['away', 'paired']);
  for (const online of [false, true])
    expect(shown({ trust: 'paired', online, not_trusted_there: true })).toEqual([
      'refuses this hub',
      'paired',
    ]);
  expect(shown({ trust: 'suspended', online: false })).toEqual(['suspended', 'suspended']);
});
