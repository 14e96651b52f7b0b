// The one way a task ends, and its approval with it (PROTOCOL.md, Delegation states). What else
// hangs on a task, such as its inbox items and the report to whoever asked, is ended in the same
// commit by those who own it. A terminal state never changes; callers look first.
import type { ResultStatus, TerminalTaskState } from '../../../preload/contract/closed-lists.ts';
import type { EndedKind, Ender } from '../../../preload/contract/story.ts';
import { ERRORS, readWireErrorCode, type WireErrorCode } from '../../../preload/contract/errors.ts';
import type { Surface } from '../../../preload/contract/dto.ts';
import type { StoryColumns } from '../../core/story-row.ts';
import type { AppError } from '../../lib/app-error.ts';
import { Said } from '../../protocol/error-payload.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reads, TaskRow, Tables } from '../../ports/store.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import type { Deadlines } from './deadlines.ts';
import { PROPOSE } from '../../protocol/escalation.ts';
import { isLocal } from './parties.ts';
import { isWaiting } from './waiting.ts';
import { moveTask } from './task-moves.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { After } from '../base/unit-of-work.ts';

/** The payload of a `result` (PROTOCOL.md, Kinds and payloads). */
export interface ResultWords {
  readonly status: ResultStatus;
  readonly outcome: string;
  readonly data: unknown;
  readonly error: string | null;
  readonly code?: WireErrorCode;
  /** Whether the same may work later, by the word of who failed. */
  readonly retryable?: boolean;
  /** The person who answered; absent when an agent did. */
  readonly answered_by?: string;
  /** By the agent's own count. */
  readonly tokens_used?: number;
  /** It is not all: its agent, or who carried it, left something out. */
  readonly truncated?: boolean;
  /** The same in the dialect of the agent that wrote it. */
  readonly origin?: JsonObject;
}

export interface Ending {
  readonly state: TerminalTaskState;
  readonly code: WireErrorCode | null;
  /**
   * One sentence of this hub, or a person's of it. What another hub says about its end stands in
   * the result; where this sentence quotes the one who asked, the caller has escaped that.
   */
  readonly reason: string | null;
  /** What is reported to whoever asked; made from code and reason when absent. */
  readonly result?: ResultWords;
  /** Who ended it: closes a pending approval in their name. */
  readonly by: string;
  readonly surface: Surface;
  /**
   * `runner`: who did it reported, the agent that ran it or the person who answered. `asker`:
   * whoever asked cancelled it, or was answered on the spot.
   */
  readonly from: 'runner' | 'asker' | 'hub';
  /** Whose end it is, for its story. */
  readonly ended: Ended;
  /** What else its story says from here on, such as who decided. */
  readonly story?: Partial<StoryColumns>;
}

/** By whom, and which kind of end; no kind where the verdict is the end. null: not known. */
export interface Ended {
  readonly by: Ender | null;
  readonly kind: EndedKind | null;
}

export interface EndedTask {
  readonly task: TaskRow;
  /** As it was until then. */
  readonly before: TaskRow;
  readonly ending: Ending;
  readonly result: ResultWords;
}

type EndingListener = (tables: Tables, after: After, ended: EndedTask) => void;

interface Deps {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly audit: AuditTrail;
}

export class TaskEndings {
  readonly #deps: Deps;
  readonly #listeners = new Set<EndingListener>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Called inside the commit that ends a task. */
  onEnding(listener: EndingListener): void {
    this.#listeners.add(listener);
  }

  /**
   * Ends an open task. @throws InvariantError when it has ended before: callers look first, in the
   * same commit
   */
  end(tables: Tables, after: After, task: TaskRow, ending: Ending): TaskRow {
    const { clock, deadlines } = this.#deps;
    const result = ending.result ?? failure(ending);
    const ended = moveTask(tables, task, ending.state, {
      code: ending.code,
      reason: ending.reason,
      result: JSON.stringify(result),
      finishedAt: clock.wallMs(),
      ...storyOfEnd(task, ending, result, clock.wallMs()),
    });
    this.#closeApproval(tables, ended, ending);
    after(() => deadlines.forget(ended.id));
    for (const listener of this.#listeners)
      listener(tables, after, { task: ended, before: task, ending, result });
    return ended;
  }

  #closeApproval(tables: Tables, task: TaskRow, ending: Ending): void {
    if (tables.decisionOfTask(task.id)?.state !== 'pending') return;
    const approval = tables.approvalOfTask(task.id);
    if (approval === undefined) return;
    const { state: end } = ending;
    const state = end === 'declined' || end === 'expired' ? end : 'cancelled';
    this.#deps.audit.append(tables, {
      actor: ending.surface === 'peer' ? task.party : ending.by,
      surface: ending.surface,
      action: `approval.${state}`,
      object: approval.id,
      digest: approval.digest,
      detail: { task: task.id },
    });
    tables.decideApproval(
      approval.id,
      { revision: approval.revision, digest: approval.digest },
      {
        state,
        decidedAt: this.#deps.clock.wallMs(),
        decidedBy: ending.by,
        surface: ending.surface,
        reason: ending.reason,
      },
    );
  }
}

/** What the story says of this end; the end of a wait is a verdict, or there never was one. */
function storyOfEnd(
  task: TaskRow,
  { state, from, ended, story = {} }: Ending,
  { tokens_used: tokens }: ResultWords,
  now: number,
): Partial<StoryColumns> {
  const isUndecided = task.verdict === null && story.verdict === undefined;
  const isAskers = from === 'asker' && ended.by !== 'hub';
  // A hub that declines quietly says no more than that.
  const isTold = task.direction === 'outgoing' && state === 'declined';
  const verdict =
    state === 'expired'
      ? 'expired'
      : isTold
        ? 'declined'
        : isWaiting(task) && state === 'cancelled' && isAskers
          ? 'withdrawn'
          : null;
  const stopAt = story.stopAt ?? task.stopAt;
  const isStopAnswered = stopAt !== null && ended.by === 'agent' && ended.kind !== 'cancelled';
  return {
    endedBy: ended.by,
    endedKind: ended.kind,
    tokens: tokens ?? null,
    ...(isUndecided && verdict !== null
      ? {
          verdict,
          verdictAt: now,
          verdictHub: task.direction === 'outgoing' ? task.party : null,
        }
      : {}),
    ...(isStopAnswered ? { stopObeyed: ended.kind === 'stopped' } : {}),
    ...story,
  };
}

/**
 * Which kind of end it is that an agent reports, by its own status, code and offer.
 * @param isStopAsked whether somebody asked for a stop before
 */
export function endedByAgent(
  { status, data }: Pick<ResultWords, 'status' | 'data'>,
  code: WireErrorCode | null,
  isStopAsked: boolean,
): Ended {
  if (status !== 'failed') return { by: 'agent', kind: status };
  switch (code) {
    case 'cancelled':
      return { by: 'agent', kind: isStopAsked ? 'stopped' : 'cancelled' };
    case 'rejected':
    case 'not_authorized':
    case 'unknown_domain':
      return { by: 'agent', kind: isOffer(data) ? 'offered' : 'refused' };
    case 'not_understood':
      return { by: 'agent', kind: 'not_understood' };
    default:
      return { by: 'agent', kind: 'failed' };
  }
}

/** Whether the data of an answer is another offer, and what was asked is not done. */
export function isOffer(data: unknown): boolean {
  return isJsonObject(data) && data['act'] === PROPOSE;
}

/** Which kind of end it is that a hub brings about itself, by its code. */
export function endedByHub(code: WireErrorCode | null): Ended {
  switch (code) {
    case 'timeout':
      return { by: 'clock', kind: 'timed_out' };
    case 'not_understood':
    case 'invalid_envelope':
    case 'unknown_kind':
      return { by: 'hub', kind: 'not_understood' };
    case 'pairing_required':
      return { by: 'hub', kind: 'hub_removed' };
    case 'overloaded':
    case 'rate_limited':
    case 'blocked':
    case 'rejected':
    case 'not_authorized':
    case 'unhandled':
    case 'unknown_domain':
      return { by: 'hub', kind: 'hub_refused' };
    case 'cancelled':
      return { by: 'hub', kind: 'cancelled' };
    default:
      return { by: 'hub', kind: 'failed' };
  }
}

const END_OF_CODE: Partial<Readonly<Record<WireErrorCode, TerminalTaskState>>> = {
  rejected: 'declined',
  approval_expired: 'expired',
  cancelled: 'cancelled',
};

/**
 * How a failure that another hub reports, or answers with, reads as the end of a task we see from
 * afar.
 */
export function endOfCode(code: WireErrorCode | null): TerminalTaskState {
  return code === null ? 'failed' : (END_OF_CODE[code] ?? 'failed');
}

const NOT_TRUSTED = 'The two hubs do not trust each other any more.';
/** Read by whoever asked once the hub is let back in: it says what was, not what is. */
const SUSPENDED =
  'A person suspended the link between the two hubs, which ended what was open between them.';

/**
 * How work ends whose hub is not paired any more: what it asked is not run, what it was asked is
 * given up.
 */
export function untrusted(reads: Pick<Reads, 'peer'>, task: TaskRow): Ending {
  const isSuspended = !isLocal(task.party) && reads.peer(task.party)?.trust === 'suspended';
  const by = {
    reason: isSuspended ? SUSPENDED : NOT_TRUSTED,
    by: 'hub',
    surface: 'hub',
    from: 'hub',
    ended: { by: 'hub', kind: 'hub_removed' },
  } as const;
  return task.direction === 'outgoing'
    ? { state: 'failed', code: 'pairing_required', ...by }
    : { state: 'cancelled', code: 'cancelled', ...by };
}

/** Of what its agent had when whatever runs it ended. Both hubs show it. */
export const CUT_OFF = 'Its agent was cut off while it had this. It may have been done.';

/** Both hubs show it. */
export const STOPPED_HERE = 'A person stopped it.';

/** Why a request that a rule declines is not done, as whoever asked is told. */
export const DECLINED = { code: 'rejected', reason: 'This was declined.' } as const;

/** How a request ends that nobody answered in time. */
export const EXPIRED = {
  state: 'expired',
  code: 'approval_expired',
  reason: 'Nobody answered this request in time. It was not run; ask again when somebody is there.',
  ended: { by: 'clock', kind: null },
} as const;

/** How a held one ends whose own time was over before anybody was asked. */
export const EXPIRED_HELD = {
  state: 'expired',
  code: 'approval_expired',
  reason: 'Its time ran out before anybody wanted to be asked. It was not run; ask again later.',
  ended: { by: 'clock', kind: null },
} as const;

/** How a request ends that was to report nothing. */
export const DELIVERED = {
  state: 'completed',
  code: null,
  reason: 'It was delivered to the other hub; no report was wanted.',
  result: {
    status: 'completed',
    outcome: 'Delivered to the other hub; no report was wanted.',
    data: null,
    error: null,
  },
  ended: { by: 'clock', kind: 'completed' },
} as const;

/** The report of something that did not come to be. */
export function failure(ending: Pick<Ending, 'code' | 'reason'>): ResultWords {
  const code = ending.code ?? 'internal';
  const sentence = ending.reason ?? `${ERRORS[code].title}.`;
  return { status: 'failed', outcome: sentence, data: null, error: sentence, code };
}

/**
 * The same of an error, with its agent's words, and no code where that named none. An offer is kept
 * as it was written: whoever accepts it may name the id in it.
 */
export function failureOf({ code, message, cause, data: { retryable } }: AppError): ResultWords {
  const said = cause instanceof Said ? cause : new Said('');
  const error = said.message === '' ? message : said.message;
  return {
    status: 'failed',
    outcome: said.outcome === '' ? error : said.outcome,
    data: said.data,
    error,
    ...(code === 'agent_failed' ? {} : { code: readWireErrorCode(code) }),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...(said.origin !== null && isOffer(said.data) ? { origin: said.origin } : {}),
  };
}
