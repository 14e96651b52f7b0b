// The words on the wire for a request's progress and its decision (PROTOCOL.md, Delegation states,
// Decisions), mapped to the hub's own states. Services take them from here.
import type { WireErrorCode } from '../../../preload/contract/errors.ts';
import type { Ender } from '../../../preload/contract/story.ts';
import { inQuotes } from '../../../preload/contract/agent-name.ts';
import { TERMINAL_TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import type { StoryColumns } from '../../core/story-row.ts';
import { readSurface } from '../../core/surface.ts';
import type { TaskState } from '../../core/task-state.ts';
import { escapeName } from '../../core/text-escape.ts';
import { readObject, type JsonObject } from '../../lib/json-object.ts';
import type { ApprovalDecisionRow, Reads, TaskRow } from '../../ports/store.ts';
import {
  readDecision,
  writeDecision,
  type Decision,
  type Stopped,
} from '../../protocol/decision.ts';
import type { AckPayload } from '../../protocol/payloads.ts';
import type { Ended } from './task-endings.ts';
import { isStoppedHere } from './task-moves.ts';
import { isHouseName } from '../links/peer-names.ts';

type WireState = NonNullable<AckPayload['state']>;
/** The states that are reported to another hub before the end. */
export type ReportedState = Extract<TaskState, 'awaiting_approval' | 'held' | 'queued' | 'running'>;
/**
 * In an ack a held request is `pending_approval` with a field beside it, which hubs that know no
 * `held` pass over.
 */
type ReportedWord = WireState | 'held';

const WIRE = {
  awaiting_approval: 'pending_approval',
  held: 'held',
  queued: 'queued',
  running: 'working',
} as const satisfies Readonly<Record<ReportedState, ReportedWord>>;
const STATES: Readonly<Record<ReportedWord, ReportedState>> = {
  pending_approval: 'awaiting_approval',
  held: 'held',
  queued: 'queued',
  working: 'running',
};

/** In progress: its agent is done with what was to report nothing. */
export const ENDED = 'ended';

export function toWire<State extends ReportedState>(state: State): (typeof WIRE)[State] {
  return WIRE[state];
}

export function fromWire(state: WireState): ReportedState {
  return STATES[state];
}

/** As `fromWire`, for a word from outside; undefined for one that is none of these. */
export function readWireState(word: unknown): ReportedState | undefined {
  return typeof word === 'string' && Object.hasOwn(STATES, word)
    ? STATES[word as ReportedWord]
    : undefined; // just looked up
}

const OUTCOMES: Readonly<Partial<Record<ApprovalDecisionRow['state'], Decision['outcome']>>> = {
  approved: 'allowed',
  declined: 'declined',
  answered: 'answered',
  expired: 'expired',
};
const DONE: ReadonlySet<TaskRow['state']> = new Set(['completed', 'partial']);
const DONE_AFTER: ReadonlySet<Decision['outcome']> = new Set(['allowed', 'answered', 'passed']);
/** Who decided where no person is named. */
const NO_PERSON: ReadonlySet<string> = new Set(['owner', 'hub']);

/**
 * The decision about a task, wherever it was made; null: none yet, or none that this hub knows of.
 */
export function decisionOf(reads: Pick<Reads, 'decisionOfTask'>, task: TaskRow): Decision | null {
  if (task.direction === 'outgoing') {
    const told = readDecision(readObject(task.decision ?? '{}'));
    // What was done was not declined, whatever the other hub says.
    return told !== null && DONE.has(task.state) && !DONE_AFTER.has(told.outcome) ? null : told;
  }
  const row = reads.decisionOfTask(task.id);
  const outcome = row && OUTCOMES[row.state];
  if (row === undefined || outcome === undefined || row.decidedAt === null) return null;
  const isRules = readSurface(row.surface) === 'rule';
  const isUnasked = isRules && task.verdict === 'passed';
  const by = isUnasked ? 'nobody' : isRules ? 'rule' : outcome === 'expired' ? 'clock' : 'person';
  const named = row.decidedBy === null || NO_PERSON.has(row.decidedBy) ? null : row.decidedBy;
  const person = by === 'person' ? (named ?? task.verdictBy) : null;
  const isAdults = by === 'person' && readSurface(row.surface) === 'peer';
  const stopped =
    outcome === 'allowed' && isStoppedHere(task) && task.stopAt !== null
      ? { person: task.stopPerson, at: task.stopAt }
      : undefined;
  return {
    outcome: isUnasked ? 'passed' : outcome,
    by,
    person,
    ...(isAdults ? { as: 'adult' } : {}),
    at: row.decidedAt,
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/**
 * The `decision` member of a report to the hub that asked. A rule that declines does so quietly; a
 * person of a third hub goes unnamed.
 */
export function decisionMember(
  reads: Pick<Reads, 'decisionOfTask'>,
  task: TaskRow,
): { readonly decision?: JsonObject } {
  const decision = decisionOf(reads, task);
  if (decision === null || (decision.by === 'rule' && decision.outcome === 'declined')) return {};
  return {
    decision: writeDecision(decision.as === 'adult' ? { ...decision, person: null } : decision),
  };
}

/** "Eve. It is safe", and not "St. John". */
const READS_AS_SENTENCES = /[!?:;,…]|\.\s+\S+\s|\.$/u;

/**
 * null for a name that is not fit for one line, that closes the quotes around it, or that would go
 * on as a sentence of ours.
 */
function plainPerson(person: string | null): string | null {
  if (person === null || inQuotes(person) !== person || READS_AS_SENTENCES.test(person))
    return null;
  const { name, hidden } = escapeName(person);
  return hidden || isHouseName(name) ? null : name;
}

/**
 * The other hub's decision as it is stored: no earlier than the request was sent, no later than
 * now, whatever its clock says.
 * @param end in which state the task ends with it; undefined: it goes on
 */
export function keptDecision(
  task: Pick<TaskRow, 'receivedAt' | 'party' | 'verdict' | 'stopAt'>,
  decision: Decision | null,
  now: number,
  end?: TaskState,
): (Pick<TaskRow, 'decision'> & Partial<StoryColumns>) | undefined {
  if (decision === null) return undefined;
  const kept = <Moment extends Stopped>(moment: Moment): Moment => ({
    ...moment,
    person: plainPerson(moment.person),
    at: Math.min(Math.max(moment.at, task.receivedAt), now),
  });
  const told: Decision = {
    ...kept(decision),
    ...(decision.stopped && { stopped: kept(decision.stopped) }),
  };
  return {
    decision: JSON.stringify(writeDecision(told)),
    ...verdictTold(task, told, end),
    ...stopTold(task, told),
  };
}

/** A person at the other hub asked for it to stop. */
function stopTold(
  { party, stopAt }: Pick<TaskRow, 'party' | 'stopAt'>,
  { stopped }: Decision,
): Partial<StoryColumns> {
  if (stopped === undefined || stopAt !== null) return {};
  return { stopParty: party, stopPerson: stopped.person, stopAt: stopped.at };
}

/** What was allowed and then stopped by a person there was not declined. */
export function isStopped(code: WireErrorCode | null, decision: Decision | null): boolean {
  return code === 'rejected' && decision?.stopped !== undefined;
}

/**
 * @param by whose end it is, by the word of that hub: its own where the agent never said that it
 * stopped
 */
export function stoppedBy(by: Ender | null): Ended {
  if (by === 'hub') return { by, kind: 'cancelled' };
  return { by: by === 'agent' ? 'agent' : 'person', kind: 'stopped' };
}

/** The same word for a question that a person of this hub stopped: its agent is asked nothing. */
export function stopTellerOf({ handedAt }: Partial<StoryColumns>): Ender {
  return typeof handedAt === 'number' ? 'hub' : 'person';
}

/** Which ends go with what was decided; a word that does not fit its end is none. */
const ENDS: Readonly<Record<Decision['outcome'], ReadonlySet<TaskState | undefined>>> = {
  allowed: new Set([undefined, ...TERMINAL_TASK_STATES]),
  declined: new Set(['declined']),
  answered: DONE,
  expired: new Set(['expired']),
  passed: new Set([undefined, ...TERMINAL_TASK_STATES]),
};

const SURFACES = { person: 'peer', rule: 'rule', clock: 'clock', nobody: null } as const;

function verdictTold(
  { party, verdict }: Pick<TaskRow, 'party' | 'verdict'>,
  { outcome, by, person, as, at }: Decision,
  end: TaskState | undefined,
): Partial<StoryColumns> {
  if (verdict !== null || !ENDS[outcome].has(end)) return {};
  return {
    verdict: outcome,
    verdictBy: person,
    verdictHub: party,
    verdictSurface: SURFACES[by],
    verdictAs: by === 'person' ? (as ?? 'owner') : null,
    verdictAt: at,
  };
}
