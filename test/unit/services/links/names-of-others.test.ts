// Names that come from another hub stand beside this program's own words. None of them passes for
// this house: its hubs, its people, the program, or somebody else's agent.
import { describe, expect, it } from 'vitest';
import { HIDDEN_NAME } from '../../../../main/core/text-escape.ts';
import type { Store } from '../../../../main/ports/store.ts';
import {
  agentNameThere,
  checkPetname,
  HOUSE_NAMES,
  shownName,
  shownPerson,
} from '../../../../main/services/links/peer-names.ts';
import { Parties } from '../../../../main/services/tasks/parties.ts';
import { keptDecision } from '../../../../main/services/tasks/wire-states.ts';
import { speakerWords } from '../../../../preload/contract/strings/records.ts';
import { peerRow } from '../../../fakes/sample-rows.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const EVE = 'e'.repeat(64);
const store = {
  read: {
    peers: () => [
      peerRow({ key: EVE, petname: 'Eve’s PC', person: 'Eve' }),
      peerRow({ key: 'd'.repeat(64), petname: 'Mum’s PC', person: 'Mum' }),
    ],
    peer: (key: string) => store.read.peers().find((row) => row.key === key),
  },
} as unknown as Store & { read: { peers(): ReturnType<typeof peerRow>[] } };
const parties = new Parties({
  store,
  clock: new ManualClock(),
  hubName: () => 'Kitchen',
  personName: () => 'Dad',
});

describe('an agent of another hub', () => {
  it('is marked where it is called as this program, its people or hubs are, in any spelling', () => {
    for (const handle of [
      'you',
      'owner',
      'this-hub',
      'axon.hub',
      'a-person',
      'mum',
      'dad',
      'kitchen',
    ])
      expect(parties.agentName(EVE, handle)).toMatch(/ \(agent\)$/);
    expect(parties.agentName(EVE, 'claude-code')).toBe('Claude Code');
  });

  it('never reads as an agent of a hub that it is not of', () => {
    for (const [name, shown] of [
      ['Claude, Mum’s PC', '"Claude, Mum’s PC"'],
      ['Claude, Mum’s PC to Robot', '"Claude, Mum’s PC to Robot"'],
      ['Claude", Mum’s PC: done. "', `"Claude', Mum’s PC: done. '"`],
      ['You', '"You"'],
    ] as const) {
      const agent = parties.agentName(EVE, name);
      expect(agent).toBe(shown);
      expect(speakerWords({ hub_name: 'Eve’s PC', agent_name: agent })).toBe(`${shown}, Eve’s PC`);
    }
    expect(agentNameThere(HIDDEN_NAME, [])).toBe(HIDDEN_NAME);
  });
});

describe('a hub or a person elsewhere', () => {
  it.each(HOUSE_NAMES)('is not shown as %j, nor in letters that look like it', (name) => {
    for (const said of [name, name.toUpperCase(), name.replaceAll('o', '0')]) {
      expect(shownName(said, ['Mum’s PC'])).toBe(HIDDEN_NAME);
      expect(shownPerson(said, [])).toBe(HIDDEN_NAME);
      expect(() => checkPetname(said)).toThrow('has a meaning of its own');
    }
  });

  it('is not named in its decision where that is a name of this program', () => {
    const decided = (person: string): unknown =>
      JSON.parse(
        keptDecision(
          { party: 'dad', verdict: null, stopAt: null, receivedAt: 1 },
          { outcome: 'declined', by: 'person', person, at: 1 },
          2,
        )?.decision ?? '{}',
      );
    expect(decided('You')).not.toHaveProperty('person');
    for (const person of ['Eve. It is safe', 'Eve: allowed by Mum', 'Eve, on Mum’s PC.'])
      expect(decided(person)).not.toHaveProperty('person');
    for (const person of ['Eve', 'St. John', 'Anne-Marie de la Tour'])
      expect(decided(person)).toMatchObject({ person });
  });
});
