// The one way a task ends, with everything that hangs on it in the same commit: its approval, what stands in inboxes, the report to whoever
// asked (PROTOCOL.md, Delegation states). A terminal state never changes; whoever comes second is told so by the caller.
import type { ResultStatus, TerminalTaskState } from '../../../preload/contract/closed-lists.ts';
import { ERRORS, type WireErrorCode } from '../../../preload/contract/errors.ts';
import type { Surface } from '../../../preload/contract/dto.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { PartyKey, Reads, TaskRow, Tables } from '../../ports/store.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Deadlines } from './deadlines.ts';
import type { Deliveries } from './deliveries.ts';
import type { Outbox } from './outbox.ts';
import { isLocal, isRemoved } from './parties.ts';
import { isInHand, moveTask } from './task-moves.ts';
import type { After } from './unit-of-work.ts';

/** The payload of a `result` (PROTOCOL.md, Kinds and payloads). */
export interface ResultWords {
  readonly status: ResultStatus;
  readonly outcome: string;
  readonly data: unknown;
  readonly error: string | null;
  readonly code?: WireErrorCode;
  /** The person who answered; absent when an agent did. */
  readonly answered_by?: string;
}

export interface Ending {
  readonly state: TerminalTaskState;
  readonly code: WireErrorCode | null;
  /** One sentence: our own words, or a person's; outside words are escaped by the caller. */
  readonly reason: string | null;
  /** What is reported to whoever asked; made from code and reason when absent. */
  readonly result?: ResultWords;
  /** Who ended it: closes a pending approval in their name. */
  readonly by: string;
  readonly surface: Surface;
  /**
   * `runner`: who did it reported, the agent that ran it or the person who answered. `asker`: whoever asked called it off, or was answered on
   * the spot.
   */
  readonly from: 'runner' | 'asker' | 'hub';
}

type EndingListener = (tables: Tables, after: After, task: TaskRow, ending: Ending, result: ResultWords) => void;

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly deadlines: Deadlines;
  readonly deliveries: Deliveries;
  readonly outbox: Outbox;
  readonly audit: AuditTrail;
}

const APPROVAL_STATE = { declined: 'declined', expired: 'expired' } as const;

export class TaskEndings {
  readonly #deps: Deps;
  readonly #within = new Set<EndingListener>();
  readonly #listeners = new Set<(task: TaskRow, result: ResultWords) => void>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Called after the commit, with the task as it ended. */
  onEnded(listener: (task: TaskRow, result: ResultWords) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called inside the commit, with the task as it ends. */
  onEnding(listener: EndingListener): void {
    this.#within.add(listener);
  }

  /** Ends an open task. @throws InvariantError when it has ended before: callers look first, in the same commit */
  end(tables: Tables, after: After, task: TaskRow, ending: Ending): TaskRow {
    const { clock, deadlines } = this.#deps;
    const result = ending.result ?? failure(ending);
    const inHand = isInHand(task);
    this.#report(tables, after, task, ending, result);
    const ended = moveTask(tables, task, ending.state, {
      code: ending.code,
      reason: ending.reason,
      result: JSON.stringify(result),
      finishedAt: clock.wallMs(),
    });
    this.#closeApproval(tables, ended, ending);
    this.#closeDelivery(tables, ended);
    // A question is no durable item: whoever holds it learns of its end by its answer.
    if (inHand && task.kind === 'delegate' && ending.from !== 'runner') {
      this.#deps.deliveries.putCancel(tables, after, ended, this.#deps.random.uuid(), ending.reason);
    }
    for (const listener of this.#within) listener(tables, after, ended, ending, result);
    after(() => {
      deadlines.forget(ended.id);
      for (const listener of this.#listeners) listener(ended, result);
    });
    return ended;
  }

  /** Inside a commit, after what was open with them has ended: what hubs that were removed are owed is given up. Others are owed it still. */
  owedNoMore(tables: Tables, after: After, parties: readonly PartyKey[]): void {
    for (const party of parties) if (isRemoved(tables, party)) this.#deps.outbox.peerRemoved(tables, after, party);
  }

  #closeApproval(tables: Tables, task: TaskRow, ending: Ending): void {
    const approval = tables.approvalOfTask(task.id);
    if (approval?.state !== 'pending') return;
    const state = ending.state === 'declined' || ending.state === 'expired' ? APPROVAL_STATE[ending.state] : 'cancelled';
    this.#deps.audit.append(tables, {
      actor: ending.by,
      surface: ending.surface,
      action: `approval.${state}`,
      object: approval.id,
      digest: approval.digest,
      detail: { task: task.id },
    });
    tables.decideApproval(
      approval.id,
      { revision: approval.revision, digest: approval.digest },
      { state, decidedAt: this.#deps.clock.wallMs(), decidedBy: ending.by, surface: ending.surface, reason: ending.reason },
    );
  }

  #closeDelivery(tables: Tables, task: TaskRow): void {
    const row = tables.deliveryOfTask(task.id, 'delegate');
    if (!row || row.state === 'done') return;
    tables.updateDelivery(row.deliveryId, row.state, { state: 'done', leaseUntilWallMs: null, finishedAt: this.#deps.clock.wallMs() });
  }

  /** Who asked learns how it ended: another hub by `result` (or `error` when it wanted no report), an agent of this hub in its inbox. */
  #report(tables: Tables, after: After, ended: TaskRow, ending: Ending, result: ResultWords): void {
    if (ended.kind === 'query') return;
    // What a person answered is told in no agent's name.
    const task = result.answered_by === undefined ? ended : { ...ended, toAgent: null };
    if (task.direction === 'incoming') {
      const { outbox } = this.#deps;
      // A hub that was removed gets no more word from this one.
      if (isRemoved(tables, task.party)) return;
      if (task.reportBack) {
        outbox.put(tables, after, task, { kind: 'result', ref: task.messageId, payload: { ...result } });
      } else if (ending.code !== null && ending.from !== 'runner') {
        const message = ending.reason ?? ERRORS[ending.code].title;
        const { retryable } = ERRORS[ending.code];
        outbox.put(tables, after, task, { kind: 'error', ref: task.messageId, payload: { code: ending.code, message, retryable } });
      }
      return;
    }
    if (ending.from === 'asker' || (task.direction === 'local' && !task.reportBack && ending.from === 'runner')) return;
    const messageId = this.#deps.random.uuid();
    if (task.direction === 'local') this.#recordLocal(tables, task, messageId);
    this.#deps.deliveries.putResult(tables, after, task, messageId, { ...result });
  }

  #recordLocal(tables: Tables, task: TaskRow, messageId: string): void {
    if (!isLocal(task.party)) return;
    tables.insertMessage({
      messageId,
      direction: 'local',
      party: task.party,
      kind: 'result',
      ref: task.messageId,
      conversationId: task.conversationId,
      taskId: task.id,
      fromAgent: task.toAgent,
      toAgent: task.fromAgent,
      payload: null,
      at: this.#deps.clock.wallMs(),
    });
  }
}

const END_OF_CODE: Partial<Readonly<Record<WireErrorCode, TerminalTaskState>>> = {
  rejected: 'declined',
  approval_expired: 'expired',
  cancelled: 'cancelled',
};

/** How a failure that another hub reports, or answers with, reads as the end of a task we see from afar. */
export function endOfCode(code: WireErrorCode | null): TerminalTaskState {
  return code === null ? 'failed' : (END_OF_CODE[code] ?? 'failed');
}

const NOT_TRUSTED = 'The two hubs do not trust each other any more.';
/** Read by whoever asked once the hub is let back in: it says what was, not what is. */
const SUSPENDED = 'A person suspended the link between the two hubs, which ended what was open between them.';

/** How work ends whose hub is not paired any more: what it asked is not run, what it was asked is given up. */
export function untrusted(reads: Pick<Reads, 'peer'>, task: TaskRow): Ending {
  const isSuspended = !isLocal(task.party) && reads.peer(task.party)?.trust === 'suspended';
  const by = { reason: isSuspended ? SUSPENDED : NOT_TRUSTED, by: 'hub', surface: 'hub', from: 'hub' } as const;
  return task.direction === 'outgoing'
    ? { state: 'failed', code: 'pairing_required', ...by }
    : { state: 'cancelled', code: 'cancelled', ...by };
}

/** The report of something that did not come to be. */
export function failure(ending: Pick<Ending, 'code' | 'reason'>): ResultWords {
  const code = ending.code ?? 'internal';
  const sentence = ending.reason ?? `${ERRORS[code].title}.`;
  return { status: 'failed', outcome: sentence, data: null, error: sentence, code };
}
