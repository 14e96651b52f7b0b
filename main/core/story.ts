// The story of one request, read once from its row: the value that every surface shows
// (preload/contract/story.ts). What the columns leave open is read in story-before.ts. Pure.
import type {
  AllowedDto,
  AskedDto,
  EndDto,
  EndedKind,
  HandedDto,
  HandedOverDto,
  PersonDeciderDto,
  PlaceDto,
  StopAskerDto,
  StopDto,
  StopState,
  StoryDto,
  StoryPartyDto,
  VerdictDto,
  VerdictOutcome,
} from '../../preload/contract/story.ts';
import { readObject } from '../lib/json-object.ts';
import { allowedThere, endOfBefore, verdictOfBefore } from './story-before.ts';
import {
  agentsWords,
  cancelledOf,
  choiceIn,
  declined,
  doneByPerson,
  ending,
  expired,
  failedSomewhere,
  failureIn,
  handedOnOf,
  nameOf,
  wantedOf,
  wordsIn,
  type Read,
  type StoryApproval,
  type StoryContext,
  type StoryRow,
} from './story-row.ts';
import { isTerminal } from './task-state.ts';

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
      return { ...facts, verdict, handed_over: not, end: null };
    case 'declined':
    case 'expired':
      return { ...facts, verdict, handed_over: not, end: null };
    case 'withdrawn':
      return { ...facts, verdict, handed_over: not, end: cancelledOf(read) };
    case 'answered':
    case 'chosen':
      return { ...facts, verdict, handed_over: not, end: doneByPerson(read) };
    case 'allowed':
    case 'passed':
    case 'none': {
      const end = endOf(read);
      const handed = handedOverOf(read, end);
      if (end?.by === 'person' && end.kind === 'completed') {
        if (handed.state === 'handed') return { ...facts, verdict, handed_over: handed, end };
        const allowed = verdict.outcome === 'allowed' ? verdict : allowedThere(read);
        return { ...facts, verdict: allowed, handed_over: not, end };
      }
      return { ...facts, verdict, handed_over: handed, end };
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
/** The code of a request that never left, since its hub could not be reached. */
const NOT_SENT = 'peer_not_found';

function verdictOf(read: Read): VerdictDto {
  const { row } = read;
  const isWaiting = row.state === 'awaiting_approval' || row.state === 'held';
  if (isWaiting) return waitingOf(read);
  if (row.verdict !== null) return writtenVerdict(read, row.verdict);
  return verdictOfBefore(read);
}

function waitingOf({ row, context }: Read): VerdictDto {
  const { direction, state, heldUntil, heldWhy, party } = row;
  const isThere = direction === 'outgoing';
  const adults = isThere ? null : context.adults;
  const held = state === 'held' ? { why: heldWhy, until: heldUntil } : null;
  const person = context.isForAgent ? 'peer' : 'person';
  return {
    outcome: 'waiting',
    for: isThere ? 'peer' : adults === null ? person : 'adult',
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
      return expired(read, at, placeOf(row.verdictHub, context));
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

function handedOverOf({ row, approval, context }: Read, end: EndDto | null): HandedOverDto {
  const isThere = row.direction === 'outgoing';
  const party = isThere ? row.party : HERE;
  const agent = row.toAgent === null ? null : context.agentName(party, row.toAgent);
  const isQueued = row.state === 'queued' || row.state === 'approved';
  // Its agent may have had it, and it came back undone.
  if (!isThere && isQueued && agent !== null && row.toAgent !== null)
    return {
      state: 'waits',
      agent,
      again: row.handedAt !== null,
      away: context.away(row.toAgent),
    };
  const isHanded =
    row.handedAt !== null ||
    row.handedOnTo !== null ||
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
      on_to: onToOf(row, context),
    };
  // Another hub does not say whether its agent has taken it.
  if (isThere) return row.state === 'sending' ? { state: 'no' } : { state: 'unknown' };
  // What ended before this was written down may have been with its agent.
  const isUnsure = row.endedBy === null || row.endedKind === 'possibly_executed';
  return end !== null && isUnsure ? { state: 'unknown' } : { state: 'no' };
}

function onToOf(row: StoryRow, context: StoryContext): HandedDto['on_to'] {
  const on = handedOnOf(row);
  if (on === null) return wantedOn(row, context);
  const { hub, agent } = on;
  const of = hub ?? (row.direction === 'outgoing' ? row.party : HERE);
  return {
    agent: agent === null ? null : context.agentName(of, agent),
    hub_name: hub === null ? null : context.place(hub).hub_name,
    waits_at: context.handOnWaits?.hub_name ?? null,
  };
}

/** The other hub does not say where that waits. */
function wantedOn(row: StoryRow, context: StoryContext): HandedDto['on_to'] {
  const agent = wantedOf(row);
  if (agent === null || isTerminal(row.state)) return null;
  const name = agent === '' ? null : context.agentName(row.party, agent);
  return { agent: name, hub_name: null, waits_at: '' };
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
      return {
        kind,
        by: 'hub',
        ...ending(row),
        sent: row.code !== NOT_SENT,
        words: wordsIn(read),
        ...failureIn(read),
      };
    case 'possibly_executed':
    case 'hub_removed':
      return { kind, by: 'hub', ...ending(row), ...failureIn(read) };
    case 'cancelled':
      return cancelledOf(read);
    case 'stopped':
      return by === 'person'
        ? { kind, by, ...ending(row), words: null }
        : { kind, by: 'agent', ...ending(row), words: wordsIn(read) };
    case 'timed_out':
      return { kind, by: 'clock', ...ending(row) };
  }
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
  // What it was part of was cancelled, which its own agent did not do.
  const own = `${HERE}${row.fromAgent}`;
  const isAsked = row.direction !== 'incoming' && row.fromAgent !== null;
  if (isAsked && row.stopParty !== null && ![own, row.party].includes(row.stopParty))
    return { who: 'hub', place: context.here };
  // The hub that runs it says that a person there did.
  if (row.direction === 'outgoing' && row.stopAt !== null && row.stopParty === row.party)
    return { who: 'person', person: nameOf(row.stopPerson), place: context.place(row.party) };
  if (row.stopPerson !== null || (row.stopAt !== null && row.stopParty === null))
    return { who: 'person', person: nameOf(row.stopPerson), place: context.here };
  return { who: 'asker', party: askedOf(read).by };
}

function stopStateOf(row: StoryRow): StopState {
  const { state, direction, party, stopParty } = row;
  if (row.stopObeyed === true) return 'obeyed';
  const isDone = state === 'completed' || state === 'partial';
  if (row.stopObeyed === false || isDone) return wasAskedInTime(row) ? 'not_obeyed' : 'too_late';
  if (direction !== 'outgoing') return stopHere(row);
  return stopParty === party ? stoppedThere(row) : cancelThere(row);
}

/** Whether its agent still had it then. Our own cancel may cross the answer on its way. */
function wasAskedInTime({ direction, party, stopParty, stopAt, ...row }: StoryRow): boolean {
  if (row.endedBy !== 'agent' || stopAt === null) return false;
  return direction !== 'outgoing' || stopParty === party || row.cancelAnswer === 'asked_to_stop';
}

function stopHere({ state, handedAt, endedKind }: StoryRow): StopState {
  const hadBegun = handedAt !== null;
  if (endedKind === 'stopped') return hadBegun ? 'obeyed' : 'nothing_begun';
  if (endedKind === 'cancelled') return hadBegun ? 'asked' : 'nothing_begun';
  // What was ended before this was written down may have been with its agent.
  return state === 'cancelled' ? 'unsaid' : 'asked';
}

/** A person of the hub that runs it stopped it. That hub does not say whether anybody had begun. */
function stoppedThere({ state, endedKind, endedBy }: StoryRow): StopState {
  // Its agent had it, and never came back to it.
  if (endedKind === 'cancelled' && endedBy === 'hub') return 'asked';
  const isOver = endedKind === 'stopped' || endedKind === 'cancelled' || state === 'cancelled';
  return isOver ? 'unsaid' : 'asked';
}

/** Our own cancel at another hub: nobody had begun only where that hub says so. */
function cancelThere({ state, cancelAnswer, code, endedKind, endedBy }: StoryRow): StopState {
  if (cancelAnswer === 'not_taken') return 'not_taken';
  if (cancelAnswer === 'asked_to_stop') {
    if (endedKind === 'stopped') return 'obeyed';
    // A hub of the version before reports a failure, and does not say whose.
    if (endedKind === 'failed' && endedBy === null) return 'too_late';
    return endedKind === null && state === 'cancelled' ? 'unsaid' : 'asked';
  }
  if (endedKind === 'cancelled') {
    if (endedBy === 'agent' || endedBy === 'person') return 'nothing_begun';
    if (endedBy === 'hub') return 'unsaid';
    if (code === 'overloaded') return 'not_told';
    return code === 'timeout' ? 'on_its_way' : 'unsaid';
  }
  return endedKind === 'stopped' || state === 'cancelled' ? 'unsaid' : 'on_its_way';
}

/** Where no report was wanted, an agent's own failure is none either. */
function isAgentsEnd({ endedBy, endedKind }: StoryRow): boolean {
  return endedBy === 'agent' && endedKind !== 'cancelled';
}

/**
 * Only what this hub has to deliver: the answer to a question goes back on its own stream, what a
 * rule declines as it comes in is refused on the spot, and whoever took it back before an agent had
 * it knows.
 */
function toldOf({ row }: Read): StoryDto['told'] {
  const isTakenBack = row.endedKind === 'cancelled' && row.endedBy === 'agent';
  if (isTakenBack && row.stopParty === row.party && row.handedAt === null) return null;
  if (row.verdict === 'declined' && row.verdictSurface === 'rule' && row.waitsFor === null)
    return null;
  const isDue =
    row.direction === 'incoming' &&
    row.kind === 'delegate' &&
    isTerminal(row.state) &&
    row.endedKind !== 'hub_removed' &&
    (row.reportBack || (row.code !== null && !isAgentsEnd(row)));
  if (!isDue || row.endedBy === null) return null;
  return { at: row.toldAt };
}
