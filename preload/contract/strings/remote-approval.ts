// The words of remote approval, at both ends: adults' hubs that decide for a child's. English.

import { lister } from './plural.ts';
import { locale } from './shared-words.ts';

const eitherOf = lister(locale, 'disjunction');

export const remoteApproval = {
  title: 'An adult decides',
  detail:
    'Ask an adult’s own hub about risky requests. Here they can then only be declined: no rule can let them through, and nobody here can mark them as less risky.',
  nobodyElse: 'The people here decide everything.',
  nobodyLeft: 'No hub is left that can decide. Such requests can only be declined, or expire.',
  decide: (names: readonly string[]) => `${eitherOf(names)} decides.`,
  from: (what: string) => `For “${what}” and anything riskier.`,
  which: 'Whose hub decides',
  ask: (name: string) => `Ask ${name}`,
  cannot: (name: string) =>
    `${name} can’t be asked: the hub there is older, or has not been seen since it was updated.`,
  noHubs: 'None of your hubs has the role “Adult”. Choose it under People & hubs.',
  onlyAdults: 'Only hubs whose role is “Adult” under People & hubs can decide.',
  frozen:
    'While this is on, agents stay as they are: their risk can only be raised, and new ones start at this class.',
  fromLabel: 'Ask an adult about',
  classes: { R1: 'Small', R2: 'Others see it', R3: 'Dangerous only' },
  passphrase: 'Owner passphrase',
  passphraseWhy: 'Asked for each time. Whoever knows it can change this.',
  noPassphrase: 'Choose an owner passphrase first. Whoever knows it can change this setting.',
  missing: 'Type the owner passphrase.',
  noneChosen: 'Choose at least one hub.',
  keep: 'Save who decides',
  off: 'Let people here decide',
  changedMeanwhile: 'Someone changed this meanwhile. This is how it is now.',
  unread: 'This setting could not be read.',
  waiting: {
    here: 'It can only be declined here.',
    asked: (name: string) => `${name} has the question.`,
    waiting: (name: string) => `${name} gets the question as soon as it has room for it.`,
    unanswered: (name: string) => `${name} gave no answer.`,
    away: (name: string) => `${name} can’t be reached. The question waits for it.`,
    older: (name: string) => `${name} can’t be asked: the hub there needs an update.`,
    nobodyDetail:
      'The hubs you chose are not paired any more. It ends undone when its time is over.',
    /** Why somebody is asked at all, where no class was ever chosen. */
    unsaid: (what: string, names: readonly string[]) =>
      `Nobody has set how risky ${what} is, so ${names.length === 0 ? 'an adult is' : `${eitherOf(names)} is`} asked.`,
  },
  /** On the page of a hub that decides here. */
  there: {
    decides: (what: string) =>
      `It decides what is asked of this computer, for “${what}” and anything riskier.`,
    detail:
      'The people here can only decline that. Who decides is set under Settings, with the owner passphrase.',
    last: (name: string) =>
      `${name} is the only hub that decides here. Without it nobody can allow such requests, until someone names another with the owner passphrase.`,
  },
  asked: {
    wants: (hub: string, agent: string) => `wants your OK: ${agent} on ${hub} would`,
    wantsFull: (hub: string, agent: string) => `${hub} wants your OK: its agent ${agent} would`,
    askedBy: 'For',
    /** Behind the asking hub's name, within a sentence. */
    forWhom: ', for',
    with: 'with',
    program: 'a program on that computer',
    person: (hub: string) => `a person at ${hub}`,
    runs: (agent: string, hub: string) => `by ${agent} on ${hub}, if you allow it`,
    leaves: 'only your answer, with your name',
    whose: (hub: string) => `${hub} rated the risk.`,
    digest: 'Digest at the asking hub',
  },
} as const;
