// The story of one request, read once from its row: the value that every surface shows
// (preload/contract/story.ts). Rows of before say less, and so does their story: what the columns
// leave open follows from the state and the approval as far as that is true. Pure.
import type { HoldReason } from '../../preload/contract/attention.ts';
import {
  isOneOf,
  PEOPLE_SURFACES,
  type ApprovalState,
  type RequestKind,
  type Surface,
  type TaskDirection,
} from '../../preload/contract/closed-lists.ts';
import { ERRORS, isErrorCode, type ErrorCode } from '../../preload/contract/errors.ts';
import type {
  AllowedDto,
  AskedDto,
  CancelledDto,
  DeadlineSetter,
  DeclinedDto,
  DoneByPersonDto,
  EndDto,
  EndedKind,
  Ender,
  HandedOverDto,
  OnBehalfOfDto,
  PersonDeciderDto,
  PlaceDto,
  StopAskerDto,
  StopDto,
  StopState,
  StoryDto,
  StoryKind,
  StoryPartyDto,
  StoryRuleDto,
  VerdictDto,
  VerdictOutcome,
  VerdictRole,
  WaitsFor,
} from '../../preload/contract/story.ts';
import { readObject, type JsonObject } from '../lib/json-object.ts';
import { readDecision } from '../protocol/decision.ts';
import { readSurface } from './surface.ts';
import { isTerminal, type TaskState } from './task-state.ts';
import { escapeName, escapeText } from './text-escape.ts';

/** What the row of a task says of its story besides its state. null: not (yet), or not known. */
export interface StoryColumns {
  /** The person at the hub that asked, as the owner of this one calls them. */
  readonly askedPerson: string | null;
  readonly deadlineBy: DeadlineSetter | null;
  readonly waitsFor: WaitsFor | null;
  readonly verdict: VerdictOutcome | null;
  /** A name; null where nobody decided, or nobody is named. */
  readonly verdictBy: string | null;
  /** The key of the hub where it was decided; null is here. */
  readonly verdictHub: string | null;
  readonly verdictSurface: Surface | null;
  readonly verdictRule: string | null;
  readonly verdictAs: VerdictRole | null;
  readonly verdictAt: number | null;
  /** When `toAgent` first had it, and how many times. */
  readonly handedAt: number | null;
  readonly handedTimes: number | null;
  readonly handedOnTo: string | null;
  /** Who asked for a stop: a hub or an agent, or a person here by name. */
  readonly stopParty: string | null;
  readonly stopPerson: string | null;
  readonly stopAt: number | null;
  /** When the agent had read it. */
  readonly stopReachedAt: number | null;
  readonly stopObeyed: boolean | null;
  readonly endedBy: Ender | null;
  readonly endedKind: EndedKind | null;
  /** By the agent's own count. */
  readonly tokens: number | null;
  /** When the asker's hub had the answer. */
  readonly toldAt: number | null;
}

/** Of a request about which nothing is written down yet. */
export const UNTOLD: StoryColumns = {
  askedPerson: null,
  deadlineBy: null,
  waitsFor: null,
  verdict: null,
  verdictBy: null,
  verdictHub: null,
  verdictSurface: null,
  verdictRule: null,
  verdictAs: null,
  verdictAt: null,
  handedAt: null,
  handedTimes: null,
  handedOnTo: null,
  stopParty: null,
  stopPerson: null,
  stopAt: null,
  stopReachedAt: null,
  stopObeyed: null,
  endedBy: null,
  endedKind: null,
  tokens: null,
  toldAt: null,
};

export interface StoryRow extends StoryColumns {
  readonly direction: TaskDirection;
  readonly kind: RequestKind;
  readonly party: string;
  readonly state: TaskState;
  readonly fromAgent: string | null;
  readonly toAgent: string | null;
  readonly reportBack: boolean;
  readonly receivedAt: number;
  readonly finishedAt: number | null;
  readonly result: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly decision: string | null;
  readonly cancelCause: string | null;
  readonly cancelAnswer: 'asked_to_stop' | 'not_taken' | null;
  readonly heldUntil: number | null;
  readonly heldWhy: HoldReason | null;
}

/** What became of its approval: all that rows of before have, and the digest of what was shown. */
export interface StoryApproval {
  readonly state: ApprovalState;
  readonly digest: string;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly surface: string | null;
  readonly ruleId: string | null;
  readonly reason: string | null;
}

/** Names, and what is so just now. */
export interface StoryContext {
  readonly here: PlaceDto;
  /** The person at this hub. */
  readonly person: string | null;
  readonly place: (party: string) => PlaceDto;
  readonly personAt: (party: string) => string | null;
  readonly agentName: (party: string, handle: string) => string;
  /** Whether a person of this hub asked, and no program. */
  readonly isOwner: boolean;
  readonly rule: (id: string) => StoryRuleDto | null;
  /** Since when the agent of this hub is away; null: it is there. */
  readonly away: (agent: string) => { readonly since: number | null } | null;
  /** The hubs of adults that decide about this request instead of the people here. */
  readonly adults: readonly PlaceDto[] | null;
  readonly kind: StoryKind;
  readonly onBehalfOf: OnBehalfOfDto | null;
  /** When its time is over, and when the wait for a person is. */
  readonly until: number;
  readonly waitsUntil: number;
}

interface Read {
  readonly row: StoryRow;
  readonly approval: StoryApproval | undefined;
  readonly context: StoryContext;
  readonly result: JsonObject;
}

export function storyOf(
  row: StoryRow,
  approval: StoryApproval | undefined,
  context: StoryContext,
): StoryDto {
  const read: Read = { row, approval, context, result: readObject(row.result ?? '{}') };
  const facts = {
    direction: row.direction,
    asked: askedOf(read),
    on_behalf_of: context.onBehalfOf,
    stop: stopOf(read),
    told: toldOf(read),
  };
  const not = { state: 'no' } as const;
  const verdict = verdictOf(read);
  switch (verdict.outcome) {
    case 'waiting':
    case 'declined':
    case 'expired':
      return verdict.outcome === 'waiting'
        ? { ...facts, verdict, handed_over: not, end: null }
        : { ...facts, verdict, handed_over: not, end: null };
    case 'withdrawn':
      return { ...facts, verdict, handed_over: not, end: cancelledOf(read) };
    case 'answered':
    case 'chosen':
      return { ...facts, verdict, handed_over: not, end: doneByPerson(read) };
    case 'allowed':
    case 'passed':
    case 'none': {
      const end = endOf(read);
      if (end?.by === 'person' && end.kind === 'completed') {
        const allowed = verdict.outcome === 'allowed' ? verdict : allowedThere(read);
        return { ...facts, verdict: allowed, handed_over: not, end };
      }
      return { ...facts, verdict, handed_over: handedOverOf(read, end), end };
    }
  }
}

function askedOf({ row, context }: Read): AskedDto {
  const { direction, party, fromAgent, toAgent, askedPerson } = row;
  const named = (of: string, handle: string | null): string | null =>
    handle === null ? null : context.agentName(of, handle);
  const isIncoming = direction === 'incoming';
  const isOutgoing = direction === 'outgoing';
  const by: StoryPartyDto = isIncoming
    ? {
        ...context.place(party),
        person: askedPerson ?? context.personAt(party),
        agent: named(party, fromAgent),
      }
    : {
        ...context.here,
        person: context.isOwner ? (askedPerson ?? context.person) : null,
        agent: fromAgent === null ? null : context.agentName(HERE, fromAgent),
      };
  const whom: StoryPartyDto = isOutgoing
    ? { ...context.place(party), person: context.personAt(party), agent: named(party, toAgent) }
    : { ...context.here, person: context.person, agent: named(HERE, toAgent) };
  return {
    kind: context.kind,
    by,
    for: whom,
    at: row.receivedAt,
    until: context.until,
    until_set_by: row.deadlineBy,
  };
}

/** Any agent of this hub is named as one of its own. */
const HERE = 'agent:';

function verdictOf(read: Read): VerdictDto {
  const { row, approval, context } = read;
  const isWaiting = row.state === 'awaiting_approval' || row.state === 'held';
  if (isWaiting) return waitingOf(read);
  if (row.verdict !== null) return writtenVerdict(read, row.verdict);
  if (row.direction === 'outgoing') return toldVerdict(read);
  if (approval === undefined) return isOpenWithNobody(row) ? PASSED(row.receivedAt) : NONE;
  const at = approval.decidedAt ?? row.finishedAt ?? row.receivedAt;
  switch (approval.state) {
    case 'approved':
      return readSurface(approval.surface) === 'rule' && approval.ruleId === null
        ? PASSED(at)
        : { outcome: 'allowed', decider: deciderOfBefore(approval, context), at };
    case 'declined':
      return { ...declined(read, deciderOfBefore(approval, context)), at };
    case 'answered':
      return { outcome: choiceIn(read), decider: personOfBefore(approval, context), at };
    case 'expired':
      return { outcome: 'expired', at, place: context.here };
    case 'cancelled':
      return isOneOf(['peer', 'agent'], approval.surface) ? { outcome: 'withdrawn', at } : NONE;
    case 'pending':
      return NONE;
  }
}

const NONE = { outcome: 'none' } as const;
const PASSED = (at: number) => ({ outcome: 'passed', at }) as const;

/** A question that nobody was asked about has no approval. */
function isOpenWithNobody({ kind, state }: StoryRow): boolean {
  return kind === 'query' && state !== 'declined' && state !== 'expired';
}

function waitingOf({ row, context }: Read): VerdictDto {
  const { direction, state, heldUntil, heldWhy, party } = row;
  const isThere = direction === 'outgoing';
  const adults = isThere ? null : context.adults;
  const held = state === 'held' ? { why: heldWhy, until: heldUntil } : null;
  return {
    outcome: 'waiting',
    for: isThere ? 'peer' : adults === null ? 'person' : 'adult',
    where: isThere ? [context.place(party)] : (adults ?? [context.here]),
    until: isThere ? context.until : context.waitsUntil,
    held,
  };
}

function writtenVerdict(read: Read, outcome: VerdictOutcome): VerdictDto {
  const { row, context } = read;
  const at = row.verdictAt ?? row.finishedAt ?? row.receivedAt;
  switch (outcome) {
    case 'allowed':
      return { outcome, decider: writtenDecider(read), at };
    case 'declined':
      return { ...declined(read, writtenDecider(read)), at };
    case 'answered':
      // Another hub says of a choice only that a person answered.
      return { outcome: choiceIn(read), decider: writtenPerson(read), at };
    case 'chosen':
      return { outcome, decider: writtenPerson(read), at };
    case 'passed':
      return { outcome, at };
    case 'expired':
      return { outcome, at, place: placeOf(row.verdictHub, context) };
    case 'withdrawn':
      return { outcome, at };
  }
}

function writtenDecider(read: Read): AllowedDto['decider'] {
  const { row, context } = read;
  const place = placeOf(row.verdictHub, context);
  if (row.verdictSurface === 'rule') {
    const rule = row.verdictRule === null ? null : context.rule(row.verdictRule);
    return { by: 'rule', place, rule };
  }
  const isPersons = row.verdictBy !== null || row.verdictAs !== null;
  return isPersons ? writtenPerson(read) : { by: 'hub', place };
}

function writtenPerson({ row, context }: Read): PersonDeciderDto {
  return {
    by: 'person',
    person: nameOf(row.verdictBy),
    place: placeOf(row.verdictHub, context),
    surface: row.verdictHub === null ? row.verdictSurface : null,
    as: row.verdictAs ?? 'owner',
  };
}

function placeOf(party: string | null, context: StoryContext): PlaceDto {
  return party === null ? context.here : context.place(party);
}

/** What the other hub said when nothing of it was kept in the columns. */
function toldVerdict(read: Read): VerdictDto {
  const { row, context } = read;
  const place = context.place(row.party);
  const at = row.finishedAt ?? row.receivedAt;
  const told = readDecision(readObject(row.decision ?? '{}'));
  const isDone = row.state === 'completed' || row.state === 'partial';
  const answeredBy = read.result.answered_by;
  if (isDone && typeof answeredBy === 'string' && told?.outcome !== 'allowed') {
    const decider = { by: 'person', person: nameOf(answeredBy), place, surface: null } as const;
    return { outcome: choiceIn(read), decider: { ...decider, as: 'owner' }, at: told?.at ?? at };
  }
  if (told?.outcome === 'allowed') {
    const decider: AllowedDto['decider'] =
      told.by === 'rule'
        ? { by: 'rule', place, rule: null }
        : {
            by: 'person',
            person: nameOf(told.person),
            place,
            surface: null,
            as: told.as ?? 'owner',
          };
    return { outcome: 'allowed', decider, at: told.at };
  }
  if (row.state === 'declined') {
    const decider: DeclinedDto['decider'] =
      told?.outcome === 'declined'
        ? {
            by: 'person',
            person: nameOf(told.person),
            place,
            surface: null,
            as: told.as ?? 'owner',
          }
        : { by: 'hub', place };
    return { ...declined(read, decider), at: told?.at ?? at };
  }
  if (row.state === 'expired') return { outcome: 'expired', at: told?.at ?? at, place };
  return NONE;
}

function declined(
  { row, approval }: Read,
  decider: DeclinedDto['decider'],
): Omit<DeclinedDto, 'at'> {
  const own = approval?.reason ?? null;
  const said = row.direction === 'outgoing' ? null : own;
  return { outcome: 'declined', decider, reason: said === '' ? null : said };
}

/** The id of an option is kept where a person chose one. */
function choiceIn({ context, result }: Read): 'answered' | 'chosen' {
  const { data } = result;
  const choice = typeof data === 'object' && data !== null && 'choice' in data ? data.choice : null;
  return context.kind === 'choice' && typeof choice === 'string' ? 'chosen' : 'answered';
}

function deciderOfBefore(approval: StoryApproval, context: StoryContext): AllowedDto['decider'] {
  const surface = readSurface(approval.surface);
  if (surface === 'rule') {
    const rule = approval.ruleId === null ? null : context.rule(approval.ruleId);
    return { by: 'rule', place: context.here, rule };
  }
  return surface === 'hub' || surface === null || surface === 'clock'
    ? { by: 'hub', place: context.here }
    : personOfBefore(approval, context);
}

/** Of an adult's hub, the person and the hub stand in one name: "Nadia, Mum's PC". */
function personOfBefore(approval: StoryApproval, { here }: StoryContext): PersonDeciderDto {
  const { decidedBy } = approval;
  const surface = readSurface(approval.surface);
  if (isOneOf(PEOPLE_SURFACES, surface) || decidedBy === null) {
    const person = decidedBy === 'owner' || decidedBy === 'hub' ? null : nameOf(decidedBy);
    return { by: 'person', person, place: here, surface, as: 'owner' };
  }
  const cut = decidedBy.lastIndexOf(', ');
  const place = { here: false, hub_id: null, hub_name: decidedBy.slice(cut < 0 ? 0 : cut + 2) };
  const person = cut < 0 ? null : decidedBy.slice(0, cut);
  return { by: 'person', person, place, surface: null, as: 'adult' };
}

function nameOf(name: string | null): string | null {
  return name === null ? null : escapeName(name).name;
}

function handedOverOf({ row, approval, context }: Read, end: EndDto | null): HandedOverDto {
  const isThere = row.direction === 'outgoing';
  const party = isThere ? row.party : HERE;
  const agent = row.toAgent === null ? null : context.agentName(party, row.toAgent);
  const isHanded =
    row.handedAt !== null ||
    row.state === 'running' ||
    row.state === 'claimed' ||
    (end?.by === 'agent' && end.kind !== 'cancelled' && end.kind !== 'stopped');
  const isRun = approval?.state === 'approved';
  if (isHanded)
    return {
      state: 'handed',
      begun: row.state === 'running' || end !== null,
      agent,
      first_at: row.handedAt,
      times: row.handedTimes,
      digest: !isThere && isRun ? approval.digest : null,
      on_to: row.handedOnTo === null ? null : context.agentName(party, row.handedOnTo),
    };
  const isQueued = row.state === 'queued' || row.state === 'approved';
  if (isQueued && agent !== null && row.toAgent !== null)
    return { state: 'waits', agent, away: isThere ? null : context.away(row.toAgent) };
  if (isThere) return row.state === 'sending' ? { state: 'no' } : { state: 'unknown' };
  // What ended before this was written down may have been with its agent.
  const isUnsure = row.endedBy === null || row.endedKind === 'possibly_executed';
  return end !== null && isUnsure ? { state: 'unknown' } : { state: 'no' };
}

function endOf(read: Read): EndDto | null {
  const { row } = read;
  if (!isTerminal(row.state)) return null;
  return row.endedKind === null ? endOfBefore(read) : writtenEnd(read, row.endedKind);
}

function writtenEnd(read: Read, kind: EndedKind): EndDto {
  const { row } = read;
  const by = row.endedBy;
  switch (kind) {
    case 'completed':
      if (by === 'person') return doneByPerson(read);
      if (by === 'clock') return { kind, by, ...ending(row) };
      return { kind, by: 'agent', ...agentsWords(read) };
    case 'partial':
      return { kind, by: 'agent', ...agentsWords(read) };
    case 'refused':
    case 'offered':
      return { kind, by: 'agent', ...agentsWords(read), ...failureIn(read) };
    case 'failed':
      if (by === 'agent') return { kind, by, ...agentsWords(read), ...failureIn(read) };
      if (by === 'hub') return { kind, by, ...ending(row), ...failureIn(read) };
      return failedSomewhere(read);
    case 'not_understood':
      return by === 'agent'
        ? { kind, by, ...agentsWords(read), ...failureIn(read) }
        : { kind, by: 'hub', ...ending(row), ...failureIn(read) };
    case 'hub_refused':
    case 'possibly_executed':
    case 'hub_removed':
      return { kind, by: 'hub', ...ending(row), ...failureIn(read) };
    case 'cancelled':
      return cancelledOf(read);
    case 'stopped':
      return {
        kind,
        by: by === 'person' ? 'person' : 'agent',
        ...ending(row),
        words: wordsIn(read),
      };
    case 'timed_out':
      return { kind, by: 'clock', ...ending(row) };
  }
}

/** A row whose end was not written down: the state says what it was, and hardly ever whose. */
function endOfBefore(read: Read): EndDto | null {
  const { row, result, approval } = read;
  const isPersons = typeof result.answered_by === 'string' || approval?.state === 'answered';
  switch (row.state) {
    case 'completed':
      if (isPersons) return doneByPerson(read);
      if (row.direction === 'outgoing' && !row.reportBack)
        return { kind: 'completed', by: 'clock', ...ending(row) };
      return { kind: 'completed', by: 'agent', ...agentsWords(read) };
    case 'partial':
      return { kind: 'partial', by: 'agent', ...agentsWords(read) };
    case 'cancelled':
      return cancelledOf(read);
    case 'failed':
    case 'declined':
    case 'expired':
      if (row.code === 'timeout') return { kind: 'timed_out', by: 'clock', ...ending(row) };
      if (row.code === 'pairing_required')
        return { kind: 'hub_removed', by: 'hub', ...ending(row), ...failureIn(read) };
      return failedSomewhere(read);
    default:
      return null;
  }
}

function ending({ finishedAt, receivedAt, reason }: StoryRow) {
  return { at: finishedAt ?? receivedAt, reason };
}

function agentsWords(read: Read) {
  return { ...ending(read.row), words: wordsIn(read), tokens: read.row.tokens };
}

function failedSomewhere(read: Read): EndDto {
  const words = wordsIn(read);
  return { kind: 'failed', by: null, ...ending(read.row), words, ...failureIn(read) };
}

function doneByPerson(read: Read): DoneByPersonDto {
  return { kind: 'completed', by: 'person', ...ending(read.row), words: wordsIn(read) };
}

function cancelledOf({ row }: Read): CancelledDto {
  const by = row.endedBy === 'clock' ? null : row.endedBy;
  return { kind: 'cancelled', by, ...ending(row) };
}

/** Where it failed the error says so, and else the outcome. */
function wordsIn({ row, result }: Read): string | null {
  const isDone = row.state === 'completed' || row.state === 'partial';
  const { outcome, summary, error } = result;
  const said = (isDone ? [outcome, summary] : [error, outcome]).find(
    (words) => typeof words === 'string' && words !== '',
  );
  return typeof said === 'string' ? escapeText(said) : null;
}

function failureIn({ row, result }: Read): { code: ErrorCode | null; retryable: boolean } {
  const code = isErrorCode(row.code) ? row.code : null;
  const said = result.retryable;
  const usual = code !== null && ERRORS[code].retryable;
  return { code, retryable: typeof said === 'boolean' ? said : usual };
}

/** A person here allowed what another hub does, before that was written down. */
function allowedThere({ row, context }: Read): AllowedDto {
  const decider = { by: 'hub', place: context.here } as const;
  return { outcome: 'allowed', decider, at: row.finishedAt ?? row.receivedAt };
}

function stopOf(read: Read): StopDto | null {
  const { row } = read;
  const isAsked = row.stopAt !== null || row.cancelCause !== null;
  if (!isAsked) return null;
  return {
    by: stopAskerOf(read),
    at: row.stopAt,
    state: stopStateOf(row),
    reached_at: row.stopReachedAt,
  };
}

function stopAskerOf(read: Read): StopAskerDto {
  const { row, context } = read;
  if (row.cancelCause === 'hub_restarted') return { who: 'hub', place: context.here };
  // The hub that runs it says that a person there did.
  if (row.direction === 'outgoing' && row.stopAt !== null && row.stopParty === row.party)
    return { who: 'person', person: nameOf(row.stopPerson), place: context.place(row.party) };
  if (row.stopPerson !== null || (row.stopAt !== null && row.stopParty === null))
    return { who: 'person', person: nameOf(row.stopPerson), place: context.here };
  return { who: 'asker', party: askedOf(read).by };
}

function stopStateOf(row: StoryRow): StopState {
  const { state, cancelAnswer, handedAt, endedKind } = row;
  if (row.stopObeyed !== null) return row.stopObeyed ? 'obeyed' : 'too_late';
  if (state === 'completed' || state === 'partial') return 'too_late';
  const isHere = row.direction !== 'outgoing';
  const hadBegun = isHere ? handedAt !== null : cancelAnswer === 'asked_to_stop';
  // The hub whose person stopped it does not say whether its agent had begun.
  const isTheirs = !isHere && row.stopParty === row.party;
  if (endedKind === 'stopped') return isTheirs ? 'unsaid' : hadBegun ? 'obeyed' : 'nothing_begun';
  if (endedKind === 'cancelled') return hadBegun ? 'asked' : 'nothing_begun';
  // What was ended before this was written down may have been with its agent.
  if (state === 'cancelled') return 'unsaid';
  if (cancelAnswer === 'not_taken') return 'not_taken';
  return isHere || hadBegun ? 'asked' : 'on_its_way';
}

/** Only what this hub has to deliver: the answer to a question goes back on its own stream. */
function toldOf({ row }: Read): StoryDto['told'] {
  const isDue =
    row.direction === 'incoming' &&
    row.kind === 'delegate' &&
    isTerminal(row.state) &&
    row.endedKind !== 'hub_removed' &&
    (row.reportBack || row.code !== null);
  if (!isDue || row.endedBy === null) return null;
  return { at: row.toldAt };
}
