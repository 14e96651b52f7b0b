// The words of consent: adults' hubs that decide about a child's requests, at both ends. English.

import { locale } from './everywhere.ts';

const eitherOf = new Intl.ListFormat(locale, { type: 'disjunction' });

export const consent = {
  title: 'An adult decides',
  detail:
    'Put risky requests before an adult’s own hub. Here they can then only be declined: no rule lets them through, and no agent’s class can be lowered past it.',
  nobodyElse: 'The people here decide everything.',
  nobodyLeft: 'No hub is left that may decide: such requests can only be declined, or expire.',
  decide: (names: readonly string[]) => `${eitherOf.format(names)} decides.`,
  from: (what: string) => `From “${what}” on.`,
  which: 'Whose hub decides',
  ask: (name: string) => `Ask ${name}`,
  cannot: (name: string) => `${name} cannot be asked: the hub there is older, or has not been seen since it was updated.`,
  noHubs: 'No paired hub is said to be an adult’s. Pair with one, and choose its role under People & hubs.',
  noHubsAtTerminal: 'No paired hub is said to be an adult’s, so none can be named: "axon peers set HUB --role adult" says it.',
  onlyAdults: 'Only hubs whose role is “Adult” under People & hubs can decide.',
  thereToo:
    'On each of the hubs that decide, choose the role “Child” for this one under People & hubs: its questions then have room of their own there, and stay heard when some are declined.',
  /** For the adult's computer: never begun with what works at this one. */
  thereTooAtTerminal:
    'At each of these hubs, with the name of this one: "npx axon peers set NAME --role child". It says there that this hub is a child’s: its questions then have room of their own there, and stay heard when some are declined.',
  fromLabel: 'From which class on',
  classes: { R1: 'Small', R2: 'Others see it', R3: 'Dangerous only' },
  passphrase: 'Owner passphrase',
  passphraseWhy: 'Asked for each time, so that only an adult changes this.',
  noPassphrase: 'Choose an owner passphrase first: it keeps this setting in an adult’s hands.',
  missing: 'Type the owner passphrase.',
  noneChosen: 'Choose at least one hub.',
  keep: 'Keep this',
  off: 'Let people here decide',
  kept: 'Kept.',
  changedMeanwhile: 'This was changed meanwhile. What stands here is what counts now.',
  unread: 'This setting could not be read.',
  waiting: {
    decides: (names: readonly string[]) => `${eitherOf.format(names)} decides this`,
    nobody: 'No adult’s hub can decide this',
    here: 'It can only be declined here.',
    asked: (name: string) => `${name} has the question.`,
    asking: (name: string) => `${name} is being asked.`,
    in_line: (name: string) => `${name} has others to decide first. This waits its turn.`,
    unanswered: (name: string) => `${name} has given no answer, and is asked again later.`,
    refused: (name: string) => `The hub of ${name} did not understand the question. It is asked again later.`,
    too_late: (name: string) => `Too little time is left to ask ${name}.`,
    away: (name: string) => `${name} can’t be reached. The question waits for it.`,
    older: (name: string) => `${name} can’t be asked: the hub there needs an update.`,
    nobodyDetail: 'The hubs that were chosen are not paired any more. It ends undone when its time is over.',
    ifNothing: (names: readonly string[]) =>
      `${eitherOf.format(names)} may allow it, and then it runs without you. You can only decline it. If nobody decides, nothing runs.`,
    ifNothingLeft: (hub: string) => `Nothing runs. ${hub} is told that nobody decided.`,
    /** Why somebody is asked at all, where no class was ever chosen. */
    unsaid: (what: string, names: readonly string[]) =>
      `Nobody has said yet how careful to be with ${what}, so ${names.length === 0 ? 'an adult is' : `${eitherOf.format(names)} is`} asked.`,
    /** In a list, where the state stands. */
    inList: (names: readonly string[]) => (names.length === 0 ? 'nobody decides' : `${eitherOf.format(names)} decides`),
  },
  /** On the page of a hub that decides here. */
  there: {
    decides: (what: string) => `It decides what is asked of this computer, from “${what}” on.`,
    detail: 'The people here can only decline that. Who decides is set under Settings, with the owner passphrase.',
    last: (name: string) =>
      `${name} is the only hub that decides here. Without it nobody can allow such requests, until an adult names another with the owner passphrase.`,
  },
  asked: {
    wants: (hub: string, agent: string) => `asks you: may ${agent} on ${hub}`,
    wantsFull: (hub: string, agent: string) => `${hub} asks you whether its agent ${agent} may`,
    askedBy: 'For',
    /** Behind the asking hub's name, within a sentence. */
    forWhom: ', for',
    /** In a list: whose hub asks, and for whom. */
    inList: (hub: string, asker: string) => `${hub}, for ${asker}`,
    with: 'with',
    program: 'a program on that computer',
    person: (hub: string) => `a person at ${hub}`,
    runs: (agent: string, hub: string) => `by ${agent} on ${hub}, if you allow it`,
    leaves: 'only your answer, with your name',
    ifNothing: (hub: string) => `It is not done. ${hub} goes on asking until its own time is over.`,
    whose: (hub: string) => `The class comes from ${hub}.`,
    /** Where the people here have not said that the asking hub is a child's. */
    noChild: (hub: string) =>
      `Is ${hub} a child’s? Choose that role on its page under People & hubs: its questions then have room of their own, and it stays heard when you decline some.`,
    noChildAtTerminal: (hub: string) =>
      `Is ${hub} a child’s? "axon peers set HUB --role child" says so: its questions then have room of their own, and it stays heard when you decline some.`,
    digest: 'Digest at the asking hub',
    /** What is known of an answer here: never what became of the request there. */
    told: {
      waits: (hub: string) => `The answer goes to ${hub} as soon as that hub can be reached.`,
      told: (hub: string) => `${hub} was told. What became of it stands on that hub.`,
      given_up: (hub: string) => `${hub} never got the answer: that hub was not reached in time, or not before it was removed here.`,
      unused: (hub: string) => `${hub} got the answer and did not use it.`,
    },
    taken: (hub: string) => `${hub} needs no answer any more`,
  },
} as const;
