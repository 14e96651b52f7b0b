// The words of the story of a request, for every surface: pages, terminal, tray, notifications and
// exports. Nobody else words how a request stands, who decided it, or how it ended. The sentences
// are the hub's own; what somebody else wrote is never part of one, and `said` gives it apart.
// English.
import type {
  AllowedDto,
  AskedDto,
  EndDto,
  HandedDto,
  HandedOverDto,
  PersonDeciderDto,
  PlaceDto,
  StopDto,
  StoryDto,
  StoryKind,
  StoryPartyDto,
  StoryRuleDto,
  WaitingDto,
} from '../story.ts';
import { areaName, common, locale } from './shared-words.ts';
import { lister, pluralizer } from './plural.ts';
import { rules } from './rules.ts';

const plural = pluralizer(locale);
const either = lister(locale, 'disjunction');

/** A moment as the surface writes times, such as "16:20" or "3 March at 12:00". */
export type TimeOf = (at: number) => string;

/** What somebody did who decided it. */
const DID = {
  allowed: 'allowed it',
  declined: 'declined it',
  answered: 'answered it',
  chosen: 'chose',
} as const;
type Did = keyof typeof DID;

/** @param hub empty: it is not known for whom */
const untilDecided = (hub: string): string =>
  `until a person decides${hub === '' ? '' : ` for ${hub}`}.`;

/** Whole sentences; each parameter is a name, a time or a count. */
export const story = {
  asked: {
    question: (who: string, whom: string) => `${who} asks ${whom} a question.`,
    task: (who: string, whom: string) => `${who} gives ${whom} a task.`,
    choice: (who: string, whom: string) => `${who} asks ${whom} to choose.`,
    decision: (who: string, whom: string) => `${who} asks ${whom} whether it may be done.`,
    permission: (who: string) => `${who} asks whether it may use a tool of its own.`,
    decidedFor: (whom: string) => `Decided here for ${whom}.`,
    wouldDo: (agent: string) => `${agent} would do it.`,
  },
  agentAt: (agent: string, hub: string) => `${agent} on ${hub}`,
  personAt: (person: string, hub: string) => `${person} on ${hub}`,
  aPersonAt: (hub: string) => `a person on ${hub}`,
  anotherHub: 'another hub',
  anAgentAt: (hub: string) => `an agent on ${hub}`,
  anAgent: 'an agent',
  /** At the beginning of a sentence. */
  anyAgent: 'An agent',
  anyAgentAt: (hub: string) => `An agent on ${hub}`,
  aPerson: 'A person',

  waits: {
    you: 'Waits for you.',
    person: (hub: string) => `Waits ${untilDecided(hub)}`,
    adultAt: (hubs: string) => `Waits for an adult at ${hubs}.`,
    adult: 'Waits for an adult.',
    held: {
      paused: 'Held while requests are paused.',
      quiet_hours: 'Held for quiet hours.',
      muted: (hub: string) => `Held because ${hub} is muted.`,
      person: 'Put off by a person.',
      there: (hub: string) => `On hold: nobody has decided for ${hub} yet.`,
    },
  },
  decides: (hubs: string) => `${hubs} decides this.`,
  nobodyDecides: 'No adult’s hub can decide this.',
  /** What becomes of it if nobody here does anything. */
  ifNothing: {
    notAnswered: (hub: string) => `It is not answered. ${hub} is told that nobody answered.`,
    notDone: (hub: string) => `It is not done. ${hub} is told that nobody answered.`,
    notChosen: (hub: string) => `Nothing is chosen. ${hub} is told that nobody answered.`,
    decision: (hub: string) => `It is not done. ${hub} waits until its own time is over.`,
    permission: 'Nothing is allowed here. A program at a terminal asks there, as ever.',
    adults: (hubs: string) =>
      `${hubs} may allow it, and then it runs without you. You can only decline it. If nobody decides, nothing runs.`,
    nobodyLeft: (hub: string) => `Nothing runs. ${hub} is told that nobody decided.`,
  },
  unconfirmed: (hub: string) => `${hub} has not confirmed it yet.`,
  there: (hub: string) => `${hub} has it.`,
  waitsFor: (agent: string) => `Waits for ${agent}.`,
  waitsAgainFor: (agent: string) => `Waits again for ${agent}.`,
  waitsForAway: (agent: string) => `Waits for ${agent}, which is away.`,
  hasIt: (agent: string) => `${agent} has it.`,
  handedOn: (agent: string, to: string) => `${agent} handed it on to ${to}.`,
  wantsToHandOn: (agent: string, to: string, hub: string) =>
    `${agent} wants to hand it on to ${to}. That waits ${untilDecided(hub)}`,
  worksOnIt: (agent: string) => `${agent} is working on it.`,
  /** At another hub, which may not say who has it now. */
  begun: (agent: string) => `${agent} has begun.`,

  done: {
    question: 'Answered.',
    task: 'Done.',
    choice: 'Chosen.',
    decision: 'Decided.',
    permission: 'Allowed; whether it ran is not known.',
  },
  partly: {
    question: 'Partly answered.',
    task: 'Partly done.',
    choice: 'Partly done.',
    decision: 'Partly done.',
    permission: 'Allowed; whether it ran is not known.',
  },
  answeredBy: (who: string) => `Answered by ${who}.`,
  chosenBy: (who: string) => `Chosen by ${who}.`,
  mayDoIt: (hub: string) => `Allowed: ${hub} may do it.`,
  /** @param ended the sentence of how it ended */
  allTheSame: (ended: string, who: string) =>
    `${ended.slice(0, -1)}, though ${who} asked it to stop.`,
  delivered: (hub: string) => `Delivered to ${hub}. No report was wanted.`,
  declined: 'Declined.',
  expired: 'Nobody decided in time.',
  withdrawn: 'Cancelled: nobody had decided.',
  /** Of what another hub asked whether it may do: what became of it there is not known here. */
  withdrawnHere: 'Cancelled: nobody here had decided.',
  asksNoMore: 'It asks no more: it was answered at its own terminal, or ended.',
  failedAt: (agent: string) => `${agent} could not do it.`,
  refusedBy: (agent: string) => `${agent} refused it.`,
  offeredBy: (agent: string) => `${agent} refused it and offered something else.`,
  notUnderstoodBy: (who: string) => `${who} did not understand it.`,
  failedHub: (hub: string) => `It failed at ${hub}.`,
  refusedHub: (hub: string) => `${hub} did not take it.`,
  notSent: (hub: string) => `Not sent: ${hub} could not be reached.`,
  lineBroke: (hub: string) => `The line to ${hub} broke. It may have been answered.`,
  failed: 'It failed.',
  cancelled: 'Cancelled.',
  endedBy: (hub: string) => `Ended by ${hub}.`,
  whileWaiting: {
    hub_stopped: 'The hub stopped while it waited. Nobody decided, and no agent got it.',
    hub_ended: 'The hub ended it while it waited. Nobody decided, and no agent got it.',
  },
  stopped: 'Stopped.',
  stoppedBy: (who: string) => `Stopped by ${who}.`,
  timedOut: 'Its time ran out.',
  timedOutWaiting: 'Its time ran out. No agent took it.',
  mayHaveRun: (agent: string) => `Cut off while ${agent} had it. It may have been done.`,
  mayHaveRunAt: (hub: string) => `Ended by ${hub}. It may have been done.`,
  hubRemoved: 'Ended when the link between the two hubs was ended.',

  /** Who decided: always a name and a place. */
  decided: {
    person: (did: Did, who: string, hub: string) => `${who} ${DID[did]}, on ${hub}.`,
    asAdult: (did: Did, who: string, hub: string, child: string) =>
      `${who} ${DID[did]}, on ${hub}, as ${child}’s adult.`,
    asAnAdult: (did: Did, who: string, hub: string) =>
      `${who} ${DID[did]}, on ${hub}, as an adult.`,
    /** Of another hub, which may ask an adult's and does not say so. */
    aPersonFor: (did: Did, hub: string) => `A person ${DID[did]} for ${hub}.`,
    anAdultOf: (did: Did, child: string) => `An adult of ${child}’s ${DID[did]}.`,
    anAdultFor: (did: Did, hub: string) => `An adult ${DID[did]} for ${hub}.`,
    yourRule: (did: Did, sentence: string) => `Your rule “${sentence}” ${DID[did]}.`,
    aRuleHere: (did: Did, hub: string) => `A rule on ${hub} ${DID[did]}.`,
    aRuleOf: (did: Did, hub: string) => `A rule of ${hub} ${DID[did]}.`,
    hub: (did: Did, hub: string) => `${hub} ${DID[did]}.`,
    nobodyLooks: (agent: string) => `Nobody was asked: ${agent} only looks.`,
    expiredHere: 'Nobody here decided in time. No agent got it.',
    expiredHereFor: 'Nobody here decided in time.',
    expiredAdults: 'No adult decided in time. No agent got it.',
    expiredAt: (hub: string) => `Nobody decided for ${hub} in time. No agent got it.`,
    withdrawn: (who: string) => `${who} cancelled it before anybody decided. No agent got it.`,
    withdrawnHere: (who: string) => `${who} cancelled it before anybody here decided.`,
  },

  shown: 'The agent got exactly what was shown.',

  stop: {
    nothingBegun: 'Cancelled: nobody had begun.',
    stillRuns: (agent: string) => `Asked ${agent} to stop; it still runs.`,
    stillHas: (agent: string) => `Asked ${agent} to stop; it had it already.`,
    begunThere: (agent: string) => `Asked ${agent} to stop; it had begun.`,
    stopped: 'Stopped.',
    notObeyed: (agent: string) => `Asked to stop; ${agent} finished all the same.`,
    askedAt: (time: string) => `The stop was asked for, ${time}.`,
    endedOtherwise: 'Asked to stop; it ended otherwise.',
    tooLate: 'Too late: it was finished.',
    tooLateEnded: 'Too late: it had ended.',
    onItsWay: (hub: string) => `Asked ${hub} to cancel it; no answer yet.`,
    notTaken: (hub: string) => `${hub} takes no cancels; it is still open there.`,
    notTakenOver: (hub: string) => `${hub} takes no cancels, and no report came.`,
    hadBegun: (agent: string) => `Cancelled: ${agent} had it already.`,
    hadBegunBy: (who: string, agent: string) => `Cancelled by ${who}: ${agent} had it already.`,
    noReport: (agent: string) => `Asked ${agent} to stop; no report came.`,
    notTold: (hub: string) => `Cancelled here. Too much waits for ${hub}, so it was not told.`,
    noAnswer: (hub: string) => `Asked ${hub} to cancel it; no answer came.`,
    stoppedBy: (who: string) => `Stopped by ${who}.`,
    nothingRan: (who: string) => `Stopped by ${who}: nothing ran.`,
  },

  told: {
    taken: (hub: string, time: string) => `${hub} has the answer, ${time}.`,
    notYet: (hub: string) => `${hub} does not have the answer yet.`,
  },
} as const;

const handedOver = {
  nobody: 'No agent got it.',
  waits: (agent: string) => `It waits for ${agent}.`,
  waitsAgain: (agent: string) => `${agent} had it before. It waits for it again.`,
  away: (agent: string, time: string) => `It waits for ${agent}, which is away since ${time}.`,
  neverHere: (agent: string) => `It waits for ${agent}, which has not been here yet.`,
  had: (agent: string, time: string) => `${agent} got it, ${time}.`,
  hadTimes: (agent: string, count: number, time: string) =>
    plural(count, {
      one: `${agent} got it once, ${time}.`,
      other: `${agent} got it {n} times, first ${time}.`,
    }),
  hadSometime: (agent: string) => `${agent} got it.`,
  on: (agent: string) => `It handed it on to ${agent}.`,
  wantsOn: (agent: string, hub: string) =>
    `It wants to hand it on to ${agent}. That waits ${untilDecided(hub)}`,
} as const;

/** What a hub writes where an agent says nothing. */
export const UNSAID = {
  stopped: 'The agent stopped.',
  failed: 'The agent could not do it.',
  data: 'Answered with data.',
  nothing: 'Answered without a word.',
} as const;
const NOBODYS: ReadonlySet<string> = new Set(Object.values(UNSAID));

/** Whether somebody said nothing, in words of a hub. */
export function isNobodys(words: string): boolean {
  return words.trim() === '' || NOBODYS.has(words);
}

/** How it stands, or how it ended: one sentence, which stands alone in a list. */
export function headlineOf(told: StoryDto): string {
  const { verdict, asked } = told;
  switch (verdict.outcome) {
    case 'waiting':
      return told.stop === null ? waitingWords(verdict, asked) : stopWords(told, told.stop);
    case 'declined':
      return story.declined;
    case 'expired':
      return story.expired;
    case 'withdrawn':
      if (asked.kind === 'permission') return story.asksNoMore;
      return asked.kind === 'decision' ? story.withdrawnHere : story.withdrawn;
    case 'answered':
      return story.answeredBy(personWords(verdict.decider));
    case 'chosen':
      return story.chosenBy(personWords(verdict.decider));
    case 'none':
    case 'allowed':
    case 'passed':
      if (told.end !== null) return endHeadline(told, told.end);
      if (told.stop !== null) return stopWords(told, told.stop);
      return underWayWords(asked, told.handed_over, verdict.outcome === 'none');
  }
}

function waitingWords({ for: whom, where, held }: WaitingDto, asked: AskedDto): string {
  const hubs = eitherOf(where);
  if (whom === 'adult') return hubs === '' ? story.waits.adult : story.waits.adultAt(hubs);
  if (whom === 'peer')
    return held === null ? story.waits.person(hubs) : story.waits.held.there(hubs);
  if (held === null) return story.waits.you;
  return held.why === 'muted'
    ? story.waits.held.muted(asked.by.hub_name)
    : story.waits.held[held.why ?? 'person'];
}

/**
 * Whether the people here are asked now. What is held disturbs nobody, since it is asked later; and
 * what an adult's hub decides waits for nobody here.
 */
export function waitsForPeople({ verdict }: StoryDto): boolean {
  return verdict.outcome === 'waiting' && verdict.for === 'person' && verdict.held === null;
}

/** Which hubs of adults decide it; null: the people here do, or it waits for nobody. */
export function whoDecidesOf({ verdict }: StoryDto): string | null {
  if (verdict.outcome !== 'waiting' || verdict.for !== 'adult') return null;
  const hubs = eitherOf(verdict.where);
  return hubs === '' ? story.nobodyDecides : story.decides(hubs);
}

/** What becomes of what waits here if nobody here does anything. */
export function ifNothingOf({ asked, verdict }: StoryDto): string {
  const { ifNothing } = story;
  const hub = asked.by.hub_name;
  if (verdict.outcome === 'waiting' && verdict.for === 'adult') {
    const hubs = eitherOf(verdict.where);
    return hubs === '' ? ifNothing.nobodyLeft(hub) : ifNothing.adults(hubs);
  }
  switch (asked.kind) {
    case 'question':
      return ifNothing.notAnswered(hub);
    case 'task':
      return ifNothing.notDone(hub);
    case 'choice':
      return ifNothing.notChosen(hub);
    case 'decision':
      return ifNothing.decision(hub);
    case 'permission':
      return ifNothing.permission;
  }
}

function eitherOf(places: readonly PlaceDto[]): string {
  return either(places.map(({ hub_name: name }) => name));
}

function underWayWords(asked: AskedDto, handed: HandedOverDto, isUnsaid: boolean): string {
  const { for: whom } = asked;
  switch (handed.state) {
    case 'waits': {
      const agent = agentAt(whom, handed.agent);
      if (handed.away !== null) return story.waitsForAway(agent);
      return handed.again ? story.waitsAgainFor(agent) : story.waitsFor(agent);
    }
    case 'handed': {
      const agent = firstAgentAt(whom, handed.agent);
      const { on_to: onTo } = handed;
      if (onTo === null && !handed.begun) return story.hasIt(agent);
      if (onTo === null) return whom.here ? story.worksOnIt(agent) : story.begun(agent);
      const to = onToWords(onTo, false);
      return onTo.waits_at === null
        ? story.handedOn(agent, to)
        : story.wantsToHandOn(agent, to, onTo.waits_at);
    }
    case 'no':
      return isUnsaid && !whom.here
        ? story.unconfirmed(whom.hub_name)
        : story.waitsFor(agentAt(whom, whom.agent));
    case 'unknown':
      return whom.here ? story.waitsFor(agentAt(whom, whom.agent)) : story.there(whom.hub_name);
  }
}

function endHeadline(told: StoryDto, end: EndDto): string {
  const { asked, stop } = told;
  const agent = answererWords(told);
  const hub = asked.for.hub_name;
  // No other hub says so of a question.
  if (end.kind === 'possibly_executed' && asked.kind === 'question' && !asked.for.here)
    return story.lineBroke(hub);
  switch (end.kind) {
    case 'completed':
      if (end.by === 'clock') return story.delivered(hub);
      if (end.by === 'person' && asked.kind === 'decision') return story.mayDoIt(asked.by.hub_name);
      return doneWords(told, story.done[asked.kind]);
    case 'partial':
      return doneWords(told, story.partly[asked.kind]);
    case 'failed':
      if (end.by === 'hub') return story.failedHub(hub);
      if (end.by === null) return story.failed;
      return story.failedAt(agent);
    case 'refused':
      return story.refusedBy(agent);
    case 'offered':
      return story.offeredBy(agent);
    case 'not_understood':
      return story.notUnderstoodBy(end.by === 'hub' ? hub : agent);
    case 'hub_refused':
      return end.sent ? story.refusedHub(hub) : story.notSent(hub);
    case 'cancelled':
      if (stop !== null) return stopWords(told, stop);
      if (end.while_waiting !== null) return story.whileWaiting[end.while_waiting];
      return end.by === 'hub' ? story.endedBy(hub) : story.cancelled;
    case 'stopped':
      return stop === null ? story.stopped : stopWords(told, stop);
    case 'timed_out':
      return asked.for.here && told.handed_over.state === 'no'
        ? story.timedOutWaiting
        : story.timedOut;
    case 'possibly_executed':
      return told.handed_over.state === 'handed' && asked.for.here
        ? story.mayHaveRun(agentAt(asked.for, agentIn(told)))
        : story.mayHaveRunAt(hub);
    case 'hub_removed':
      return story.hubRemoved;
  }
}

/** Who decided and where; null while nobody has, and where nobody says. */
export function decidedOf(told: StoryDto): string | null {
  const { verdict, asked } = told;
  switch (verdict.outcome) {
    case 'none':
    case 'waiting':
      return null;
    case 'allowed':
    case 'declined':
      return verdict.decider.by === 'person'
        ? personDecided(told, verdict.outcome, verdict.decider)
        : otherDecided(verdict.outcome, verdict.decider);
    case 'answered':
    case 'chosen':
      return personDecided(told, verdict.outcome, verdict.decider);
    case 'passed':
      return story.decided.nobodyLooks(agentAt(asked.for, asked.for.agent));
    case 'expired':
      if (!verdict.place.here) return story.decided.expiredAt(verdict.place.hub_name);
      if (verdict.for === 'adult') return story.decided.expiredAdults;
      return isOfNoAgent(asked) ? story.decided.expiredHereFor : story.decided.expiredHere;
    case 'withdrawn':
      if (asked.kind === 'permission') return story.asksNoMore;
      return asked.kind === 'decision'
        ? story.decided.withdrawnHere(partyWords(asked.by))
        : story.decided.withdrawn(partyWords(asked.by));
  }
}

/** Another hub, or a program by itself, does it: no agent gets it from this one. */
function isOfNoAgent({ kind }: AskedDto): boolean {
  return kind === 'decision' || kind === 'permission';
}

function otherDecided(
  outcome: 'allowed' | 'declined',
  decider: Exclude<AllowedDto['decider'], PersonDeciderDto>,
): string {
  const { decided } = story;
  const { place } = decider;
  if (decider.by === 'hub') return decided.hub(outcome, place.hub_name);
  if (!place.here) return decided.aRuleOf(outcome, place.hub_name);
  return decider.rule === null
    ? decided.aRuleHere(outcome, place.hub_name)
    : decided.yourRule(outcome, ruleWords(decider.rule));
}

function personDecided(
  told: StoryDto,
  outcome: Did,
  { person, place, as }: PersonDeciderDto,
): string {
  const { decided } = story;
  const { hub_name: hub } = place;
  const who = person ?? story.aPerson;
  const isUnnamed = as === 'owner' && person === null && !place.here;
  if (isUnnamed) return decided.aPersonFor(outcome, hub);
  if (as === 'owner') return decided.person(outcome, who, hub);
  // Whose adult: of the hub that asks for the decision, or of the one that was asked.
  const child = told.asked.kind === 'decision' ? told.asked.by : told.asked.for;
  const isChilds = !place.here && place.hub_id === child.hub_id && person === null;
  if (isChilds)
    return child.person === null
      ? decided.anAdultFor(outcome, child.hub_name)
      : decided.anAdultOf(outcome, child.person);
  return child.person === null
    ? decided.asAnAdult(outcome, who, hub)
    : decided.asAdult(outcome, who, hub, child.person);
}

/** How it stands since it was allowed; null where the verdict, or none, is all there is. */
export function sinceOf(told: StoryDto): string | null {
  const { outcome } = told.verdict;
  if (outcome !== 'allowed' && outcome !== 'passed') return null;
  const isOtherwise = told.stop?.state === 'not_obeyed' && !isDoneAllTheSame(told);
  return isOtherwise ? `${headlineOf(told)} ${story.stop.endedOtherwise}` : headlineOf(told);
}

/** Who decided and where, or how it stands. */
export function decisionOf(told: StoryDto): string {
  return decidedOf(told) ?? headlineOf(told);
}

/** Both: who decided and where, and how it stands since. */
export function becameOf(told: StoryDto): string {
  const since = sinceOf(told);
  return since === null ? decisionOf(told) : `${decisionOf(told)} ${since}`;
}

/** All of it in one line: who decided, how it stands, and what came of a stop. */
export function wholeOf(told: StoryDto): string {
  const became = becameOf(told);
  const stop = stopOf(told);
  if (isDoneAllTheSame(told)) return became;
  return stop === null || became.endsWith(stop) ? became : `${became} ${stop}`;
}

/** Why it was declined or cancelled, in the words of whoever did; null: nobody said. */
export function reasonOf({ verdict, end }: StoryDto): string | null {
  if (verdict.outcome === 'declined') return verdict.reason;
  return end?.kind === 'cancelled' ? end.reason : null;
}

/** "in the window": where a person here decided; null: nobody here did, or it is not known. */
export function surfaceOf({ verdict }: StoryDto): string | null {
  if (!('decider' in verdict) || verdict.decider.by !== 'person') return null;
  const { surface } = verdict.decider;
  return surface === null ? null : common.surfaces[surface];
}

/** Whether a rule decided it. */
export function isByRule({ verdict }: StoryDto): boolean {
  return 'decider' in verdict && verdict.decider.by === 'rule';
}

/**
 * Whether whoever asked can still cancel it: it is not over, and nobody asked for a stop. What this
 * hub itself asks an adult's ends with the request that it is about.
 */
export function mayBeCancelled({ verdict, end, stop, asked }: StoryDto): boolean {
  const isTurnedAway = verdict.outcome === 'declined' || verdict.outcome === 'expired';
  return asked.kind !== 'decision' && !isTurnedAway && end === null && stop === null;
}

/** Whether it may run or runs here. */
export function runsHere({ verdict, end, asked }: StoryDto): boolean {
  const isLet = verdict.outcome === 'allowed' || verdict.outcome === 'passed';
  return isLet && end === null && asked.for.here;
}

/** Whether a person here can still stop it: nobody asked for a stop. */
export function mayBeStopped(told: StoryDto): boolean {
  return runsHere(told) && told.stop === null;
}

/** "Dad’s laptop", "Any hub", "Scribe, on this computer,". */
export function ruleAskerOf(
  rule: Pick<StoryRuleDto, 'peer_name' | 'asking_local' | 'asking_local_name'>,
): string {
  if (rule.peer_name !== null) return rule.peer_name;
  if (rule.asking_local === null) return rules.anybody;
  return rule.asking_local === '@owner'
    ? rules.ownerHere
    : rules.onThisComputer(rule.asking_local_name ?? '');
}

/** "give Claude Code tasks in Family chat". */
export function ruledOf({
  kind,
  agent_name: agent,
  domain,
}: Pick<StoryRuleDto, 'kind' | 'agent_name' | 'domain'>): string {
  return rules.what(kind, agent, domain === null ? null : areaName(domain));
}

/** The rule as a sentence without its full stop: "Dad’s laptop may ask Chat about Family chat". */
export function ruleWords(rule: StoryRuleDto): string {
  const hub = ruleAskerOf(rule);
  const named = rule.asking_agent_name;
  const who =
    named === null ? hub : named === '' ? `${hub}${rules.namingNobody}` : story.agentAt(named, hub);
  return `${who} ${rules.may[rule.effect]} ${ruledOf(rule)}`;
}

/**
 * Which agent got it, when and how often; null where that is not known, as of what another hub asks
 * whether it may do, and where `decidedOf` says that none did.
 */
export function handedOverOf(told: StoryDto, time: TimeOf): string | null {
  const { handed_over: handed, verdict, end, asked } = told;
  switch (handed.state) {
    case 'unknown':
      return null;
    case 'no':
      if (verdict.outcome === 'expired' || verdict.outcome === 'withdrawn') return null;
      if (isOfNoAgent(asked) || (end?.kind === 'cancelled' && end.while_waiting !== null))
        return null;
      return end === null && (verdict.outcome === 'waiting' || verdict.outcome === 'none')
        ? null
        : handedOver.nobody;
    case 'waits': {
      const agent = agentAt(asked.for, handed.agent);
      if (handed.again) return handedOver.waitsAgain(firstAgentAt(asked.for, handed.agent));
      if (handed.away === null) return handedOver.waits(agent);
      const { since } = handed.away;
      return since === null ? handedOver.neverHere(agent) : handedOver.away(agent, time(since));
    }
    case 'handed': {
      const agent = firstAgentAt(asked.for, handed.agent);
      const { first_at: first, times, on_to: onTo } = handed;
      const had =
        first === null
          ? handedOver.hadSometime(agent)
          : times === null || times === 1
            ? handedOver.had(agent, time(first))
            : handedOver.hadTimes(agent, times, time(first));
      if (onTo === null) return had;
      const to = onToWords(onTo, false);
      const on = onTo.waits_at === null ? handedOver.on(to) : handedOver.wantsOn(to, onTo.waits_at);
      return `${had} ${on}`;
    }
  }
}

/**
 * What the headline leaves open: which agent got it and when, and whether the asker's hub has the
 * answer.
 */
export function detailsOf(told: StoryDto, time: TimeOf): string {
  const { handed_over: handed, end } = told;
  const isLeftOpen = handed.state === 'handed' && (end !== null || handed.on_to === null);
  return [isLeftOpen ? handedOverOf(told, time) : null, toldOf(told, time)]
    .filter((sentence) => sentence !== null)
    .join(' ');
}

/** Only of what a person was shown, and an agent was handed under that digest. */
export function shownOf({ verdict, handed_over: handed }: StoryDto): string | null {
  const wasShown = verdict.outcome === 'allowed' && verdict.decider.by === 'person';
  return wasShown && handed.state === 'handed' && handed.digest !== null ? story.shown : null;
}

function doneWords(told: StoryDto, ended: string): string {
  const { stop } = told;
  return stop !== null && isDoneAllTheSame(told)
    ? story.allTheSame(ended, stopAskerWords(stop))
    : ended;
}

/**
 * Of a stop: what was asked, and what came of it; null: nobody asked for one, or `decidedOf` says
 * so.
 */
export function stopOf(told: StoryDto): string | null {
  const { stop } = told;
  return stop === null || told.verdict.outcome === 'withdrawn' ? null : stopWords(told, stop);
}

/** When the stop was asked for; null: nobody asked for one, or it is not written down. */
export function stopAskedOf({ stop, verdict }: StoryDto, time: TimeOf): string | null {
  const isAsked = stop !== null && stop.at !== null && verdict.outcome !== 'withdrawn';
  return isAsked ? story.stop.askedAt(time(stop.at)) : null;
}

/** Somebody asked its agent to stop, and it finished. */
function isDoneAllTheSame({ stop, end }: StoryDto): boolean {
  return stop?.state === 'not_obeyed' && (end?.kind === 'completed' || end?.kind === 'partial');
}

/** Its agent within a sentence, or whoever has it since. */
function doerWords(told: StoryDto): string {
  const onTo = onToIn(told);
  return onTo === null ? agentAt(told.asked.for, agentIn(told)) : onToWords(onTo, false);
}

function stopAskerWords({ by }: StopDto): string {
  if (by.who === 'person') return personAtWords(by.person, by.place);
  return by.who === 'asker' ? partyWords(by.party) : by.place.hub_name;
}

/** What came of a cancel, as whoever cancels reads it: asking to stop is not stopping. */
export function cancelledOf(told: StoryDto): string {
  if (told.stop !== null) return stopWords(told, told.stop);
  return told.end === null ? headlineOf(told) : tooLateWords(told.end);
}

function tooLateWords(end: EndDto | null): string {
  // What was only delivered may have ended in any way.
  const isDone = end?.kind === 'completed' || end?.kind === 'partial';
  const isFinished = isDone && end.by !== 'clock';
  return isFinished ? story.stop.tooLate : story.stop.tooLateEnded;
}

function stopWords(told: StoryDto, stop: StopDto): string {
  const { asked, end } = told;
  const hub = asked.for.hub_name;
  const agent = doerWords(told);
  const person = stop.by.who === 'person' ? personAtWords(stop.by.person, stop.by.place) : null;
  switch (stop.state) {
    case 'nothing_begun':
      return person === null ? story.stop.nothingBegun : story.stop.nothingRan(person);
    case 'obeyed':
      return person === null ? story.stop.stopped : story.stop.stoppedBy(person);
    case 'not_obeyed':
      return isDoneAllTheSame(told) ? story.stop.notObeyed(agent) : story.stop.endedOtherwise;
    case 'too_late':
      return tooLateWords(end);
    case 'unsaid':
      if (person !== null) return story.stop.stoppedBy(person);
      return end?.kind === 'stopped' ? story.stopped : story.cancelled;
    case 'asked':
      // Nobody asks the agent: its answer goes nowhere.
      if (end === null && asked.kind === 'question') return story.stop.hadBegun(agent);
      if (end === null && !isBegun(told)) return story.stop.stillHas(agent);
      if (end === null)
        return asked.for.here ? story.stop.stillRuns(agent) : story.stop.begunThere(agent);
      if (end.kind !== 'cancelled') return story.stop.noReport(agent);
      return person === null ? story.stop.hadBegun(agent) : story.stop.hadBegunBy(person, agent);
    case 'on_its_way':
      return end === null ? story.stop.onItsWay(hub) : story.stop.noAnswer(hub);
    case 'not_told':
      return story.stop.notTold(hub);
    case 'not_taken':
      return end === null ? story.stop.notTaken(hub) : story.stop.notTakenOver(hub);
  }
}

function isBegun({ handed_over: handed }: StoryDto): boolean {
  return handed.state === 'handed' && handed.begun && handed.on_to === null;
}

/** Whether the asker's hub has the answer; null: there is nothing that it has to be told. */
export function toldOf({ told, asked }: StoryDto, time: TimeOf): string | null {
  if (told === null) return null;
  const hub = asked.by.hub_name;
  return told.at === null ? story.told.notYet(hub) : story.told.taken(hub, time(told.at));
}

/** Who asks whom for what; and for whom it is decided here. */
export function askedOf({
  asked,
  on_behalf_of: behalf,
}: Pick<StoryDto, 'asked' | 'on_behalf_of'>): string {
  const whom = asked.for.here ? agentAt(asked.for, asked.for.agent) : partyName(asked.for);
  const sentence = story.asked[asked.kind](
    partyWords(asked.by),
    personOrAgent(asked.kind, asked, whom),
  );
  if (behalf === null || behalf.hub.here) return sentence;
  return `${sentence} ${story.asked.decidedFor(asked.by.person ?? behalf.hub.hub_name)}`;
}

/** Which agent would do what one hub decides for another; null: nobody decides for another. */
export function wouldDoOf({ on_behalf_of: behalf }: Pick<StoryDto, 'on_behalf_of'>): string | null {
  return behalf === null ? null : story.asked.wouldDo(agentAt(behalf.hub, behalf.agent));
}

/** Whose words are to be shown with it, apart from the hub's own; null: there are none. */
export function saidOf(told: StoryDto): { readonly by: string; readonly words: string } | null {
  const { verdict, end, asked } = told;
  if (verdict.outcome === 'declined') {
    const { decider, reason } = verdict;
    const by = decider.by === 'person' ? personWords(decider) : decider.place.hub_name;
    return reason === null ? null : { by, words: reason };
  }
  if (end === null || !('words' in end) || end.words === null) return null;
  const onTo = onToIn(told);
  if (
    onTo === null &&
    'decider' in verdict &&
    end.by === 'person' &&
    verdict.decider.by === 'person'
  )
    return { by: personWords(verdict.decider), words: end.words };
  const by = end.by === 'agent' ? answererWords(told) : (onTo?.hub_name ?? asked.for.hub_name);
  return { by, words: end.words };
}

function personOrAgent(kind: StoryKind, { for: whom }: AskedDto, agent: string): string {
  if (kind !== 'choice' && kind !== 'decision') return agent;
  return whom.here ? (whom.person ?? common.you) : partyName(whom);
}

/** Who had it: as it was handed over, or else as it was asked for. */
function agentIn({ handed_over: handed, asked }: StoryDto): string | null {
  return handed.state === 'handed' || handed.state === 'waits'
    ? (handed.agent ?? asked.for.agent)
    : asked.for.agent;
}

/** The agent whose end it is, at the beginning of a sentence. */
function answererWords(told: StoryDto): string {
  const onTo = onToIn(told);
  return onTo === null ? firstAgentAt(told.asked.for, agentIn(told)) : onToWords(onTo, true);
}

function onToIn({ handed_over: handed }: StoryDto): HandedDto['on_to'] {
  const isOn = handed.state === 'handed' && handed.on_to?.waits_at === null;
  return isOn ? handed.on_to : null;
}

function onToWords(
  { agent, hub_name: hub }: NonNullable<HandedDto['on_to']>,
  isFirst: boolean,
): string {
  if (agent !== null) return hub === null ? agent : story.agentAt(agent, hub);
  const at = hub ?? story.anotherHub;
  return isFirst ? story.anyAgentAt(at) : story.anAgentAt(at);
}

/** An agent of this hub by its name alone. */
function agentAt(place: PlaceDto, agent: string | null): string {
  if (place.here) return agent ?? story.anAgent;
  return agent === null ? story.anAgentAt(place.hub_name) : story.agentAt(agent, place.hub_name);
}

/** The same at the beginning of a sentence. */
function firstAgentAt(place: PlaceDto, agent: string | null): string {
  if (agent !== null) return agentAt(place, agent);
  return place.here ? story.anyAgent : story.anyAgentAt(place.hub_name);
}

function partyName(party: StoryPartyDto): string {
  return party.agent === null ? party.hub_name : story.agentAt(party.agent, party.hub_name);
}

function partyWords(party: StoryPartyDto): string {
  if (party.agent !== null) return story.agentAt(party.agent, party.hub_name);
  return party.here && party.person !== null
    ? story.personAt(party.person, party.hub_name)
    : party.hub_name;
}

function personWords({ person, place }: PersonDeciderDto): string {
  return personAtWords(person, place);
}

function personAtWords(person: string | null, { hub_name: hub }: PlaceDto): string {
  return person === null ? story.aPersonAt(hub) : story.personAt(person, hub);
}
