// The story of a request whose columns say less: of one kept before they were there, or of one of
// which nothing is written down. It follows from the state, the approval and the other hub's own
// words, as far as that is true. Pure.
import { isOneOf, PEOPLE_SURFACES } from '../../preload/contract/closed-lists.ts';
import type {
  AllowedDto,
  DeclinedDto,
  EndDto,
  PersonDeciderDto,
  VerdictDto,
} from '../../preload/contract/story.ts';
import { readObject } from '../lib/json-object.ts';
import { readDecision } from '../protocol/decision.ts';
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
  nameOf,
  type Read,
  type StoryApproval,
  type StoryContext,
  type StoryRow,
} from './story-row.ts';
import { readSurface } from './surface.ts';

/** What was decided, where no column says it. */
export function verdictOfBefore(read: Read): VerdictDto {
  const { row, approval, context } = read;
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
      return expired(read, at, context.here);
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
  if (row.state === 'expired') return expired(read, told?.at ?? at, place);
  return NONE;
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

/** A row whose end was not written down: the state says what it was, and hardly ever whose. */
export function endOfBefore(read: Read): EndDto | null {
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

/** A person here allowed what another hub does, before that was written down. */
export function allowedThere({ row, context }: Read): AllowedDto {
  const decider = { by: 'hub', place: context.here } as const;
  return { outcome: 'allowed', decider, at: row.finishedAt ?? row.receivedAt };
}
