// The words on the wire for a request's progress and its decision (PROTOCOL.md, Delegation states,
// Decisions), mapped to the hub's own states. Services take them from here.
import { readSurface } from '../../core/surface.ts';
import type { TaskState } from '../../core/task-state.ts';
import { escapeName } from '../../core/text-escape.ts';
import { readObject, type JsonObject } from '../../lib/json-object.ts';
import type { ApprovalDecisionRow, Reads, TaskRow } from '../../ports/store.ts';
import { readDecision, writeDecision, type Decision } from '../../protocol/decision.ts';
import type { AckPayload } from '../../protocol/payloads.ts';

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
const DONE_AFTER: ReadonlySet<Decision['outcome']> = new Set(['allowed', 'answered']);
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
  const by =
    readSurface(row.surface) === 'rule' ? 'rule' : outcome === 'expired' ? 'clock' : 'person';
  const person =
    by === 'person' && row.decidedBy !== null && !NO_PERSON.has(row.decidedBy)
      ? row.decidedBy
      : null;
  return { outcome, by, person, at: row.decidedAt };
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
  const isFromAfar = readSurface(reads.decisionOfTask(task.id)?.surface ?? null) === 'peer';
  return { decision: writeDecision(isFromAfar ? { ...decision, person: null } : decision) };
}

/** null for a name that is not fit for one line, or that closes the quotes around it. */
function plainPerson(person: string | null): string | null {
  if (person === null || person.includes('"')) return null;
  const { name, hidden } = escapeName(person);
  return hidden ? null : name;
}

/**
 * The other hub's decision as it is stored: no earlier than the request was sent, no later than
 * now, whatever its clock says.
 */
export function keptDecision(
  task: Pick<TaskRow, 'receivedAt'>,
  decision: Decision | null,
  now: number,
): Pick<TaskRow, 'decision'> | undefined {
  if (decision === null) return undefined;
  const at = Math.min(Math.max(decision.at, task.receivedAt), now);
  return {
    decision: JSON.stringify(
      writeDecision({ ...decision, person: plainPerson(decision.person), at }),
    ),
  };
}
