// How a hub stands, in the words of `axon peers`.
import { expect, test } from 'vitest';
import { pairingLine } from '../../../main/cli/commands/peers.ts';
import { stopLines } from '../../../main/cli/key-change-warning.ts';
import { againLines, staysLine } from '../../../main/cli/pairing-words.ts';
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

test('no name that another hub chose stands in a line to paste', () => {
  const name = 'Sam$(touch /tmp/x)`id`';
  const change = {
    address: '127.0.0.1:1',
    seen_at: 0,
    seen_id: '',
    seen_key: '',
    seen_safety_number: '',
    kept_at: null,
  };
  const sam = peerOf('sam', { name, key_change: change });
  const window = { open: false, closes_at: null, locked_until: null, asked: null };
  const lines = [
    ...stopLines(sam, 'axon'),
    ...againLines('initiator', sam.id, window, 'axon'),
    staysLine(sam, 'axon'),
    ...pairingLine([{ ...sam, trust: 'discovered' }], 'axon'),
  ];
  const pasted = lines.flatMap((line) => /: (axon .*)$/.exec(line)?.[1] ?? []);
  expect(pasted).toEqual(
    ['peers keep', 'pair start', 'peers remove', 'pair start'].map(
      (verb) => `axon ${verb} ${sam.id}`,
    ),
  );
});
