// Cancels a task, for whoever asked for it or for a person here. Decided in one commit against the
// state as it stands there: what is acknowledged as cancelled has not begun and never will. What an
// agent already holds is only asked to stop (PROTOCOL.md, Delegation states).
import { inQuotes } from '../../../preload/contract/agent-name.ts';
import type { Surface } from '../../../preload/contract/dto.ts';
import type { StoryColumns } from '../../core/story-row.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ApprovalRow, TaskRow, Tables } from '../../ports/store.ts';
import type { Deliveries } from './deliveries.ts';
import { stopOf, type HandOffs, type Stop } from '../tasks/hand-offs.ts';
import {
  STOPPED_HERE,
  type Ending,
  type ResultWords,
  type TaskEndings,
} from '../tasks/task-endings.ts';
import { changeTask, isInHand, isOpen } from '../tasks/task-moves.ts';
import { isWaiting } from '../tasks/waiting.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import type { OpenQueries } from './open-queries.ts';
import type { After } from '../base/unit-of-work.ts';

interface Cancel extends Stop {
  /** The cancel as it was written in a dialect. */
  readonly origin: JsonObject | null;
}

interface Deps {
  readonly deliveries: Deliveries;
  readonly endings: TaskEndings;
  readonly queries: Pick<OpenQueries, 'isWithAgent' | 'handedOver'>;
  readonly handOffs: Pick<HandOffs, 'passOn'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly audit: AuditTrail;
  /** What another hub asks an adult here; null for every other request. */
  readonly remoteQuestionOf: (
    task: TaskRow,
    row: Pick<ApprovalRow, 'view'>,
  ) => {
    readonly declined: (
      told: string,
      reason: string,
      by: { readonly who: string; readonly person: string | null },
    ) => ResultWords;
  } | null;
  readonly hubName: () => string;
}

export class Cancelling {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * For work that runs here. A question ends in any case, because nobody waits for its answer; so
   * for a question `asked_to_stop` means that its agent had begun. `undefined`: it has ended
   * before, or is not there.
   */
  cancel(
    tables: Tables,
    after: After,
    task: TaskRow | undefined,
    call: Cancel,
  ): 'cancelled' | 'asked_to_stop' | undefined {
    if (!task || !isOpen(task)) return undefined;
    const { asks, from, by, surface } = call;
    // The first one counts.
    const stop = task.stopAt === null ? { ...stopOf(asks), stopAt: this.#deps.clock.wallMs() } : {};
    // What waits is declined by it, which has a row of its own.
    if (!('party' in asks) && !isWaiting(task) && task.stopAt === null)
      this.#deps.audit.append(tables, {
        actor: by,
        surface,
        action: 'request.stopped',
        object: task.id,
      });
    // What came back undone its agent may still answer; it is handed to nobody again.
    if (isInHand(task) || isBack(tables, task)) {
      if (task.stopAt === null) changeTask(tables, task, stop);
      if (task.handedOnTo === null)
        this.#deps.deliveries.putCancel(tables, after, task, {
          ...call,
          by: 'party' in asks ? 'asker' : 'person',
        });
      else this.#deps.handOffs.passOn(tables, after, task, call);
      return 'asked_to_stop';
    }
    const hasBegun = task.handedAt !== null || this.#deps.queries.isWithAgent(task.id);
    const story = { ...this.#deps.queries.handedOver(task.id), ...stop };
    const end =
      'party' in asks
        ? cancelledByAsker(call.reason, story, hasBegun && task.kind === 'delegate')
        : isWaiting(task)
          ? this.#declinedHere(tables, task, asks.person, surface)
          : stoppedHere(hasBegun, story);
    this.#deps.endings.end(tables, after, task, { by, surface, from, ...end });
    return hasBegun ? 'asked_to_stop' : 'cancelled';
  }

  /**
   * A person who stops what waits for a person declines it by that: where another hub asked for the
   * decision, as an adult, and that hub gets the verdict.
   */
  #declinedHere(tables: Tables, task: TaskRow, person: string | null, surface: Surface): End {
    const { clock, hubName, remoteQuestionOf } = this.#deps;
    const reason = 'A person declined this request.';
    const row = tables.approvalOfTask(task.id);
    const asked = row === undefined ? null : remoteQuestionOf(task, row);
    const result = asked?.declined(reason, '', { who: person ?? hubName(), person });
    return {
      state: 'declined',
      code: 'rejected',
      reason,
      ...(result === undefined ? {} : { result }),
      ended: { by: 'person', kind: null },
      story: {
        verdict: 'declined',
        verdictBy: person,
        verdictSurface: surface,
        verdictAs: asked === null ? 'owner' : 'adult',
        verdictAt: clock.wallMs(),
      },
    };
  }
}

/** Its agent had it, does not hold it any more, and may still answer. */
function isBack(tables: Tables, { id, state, handedAt }: TaskRow): boolean {
  if (state !== 'queued' || handedAt === null) return false;
  return tables.deliveryOfTask(id, 'delegate')?.state === 'queued';
}

type End = Pick<Ending, 'state' | 'code' | 'reason' | 'ended' | 'story'> &
  Partial<Pick<Ending, 'from' | 'result'>>;

/** How work ends that a person at this hub stops. @param hasBegun its agent has it */
function stoppedHere(hasBegun: boolean, story: Partial<StoryColumns>): End {
  return {
    state: 'failed',
    code: 'rejected',
    reason: hasBegun ? STOPPED_HERE : `${STOPPED_HERE} Nothing ran.`,
    ended: { by: 'person', kind: hasBegun ? 'cancelled' : 'stopped' },
    story,
  };
}

/** @param isDead its agent had it, and gave it back for good: only this hub ends that */
function cancelledByAsker(
  reason: string | null,
  story: Partial<StoryColumns>,
  isDead: boolean,
): End {
  return {
    state: 'cancelled',
    code: 'cancelled',
    reason: askerCancelled(reason),
    ended: { by: isDead ? 'hub' : 'agent', kind: 'cancelled' },
    ...(isDead ? { from: 'hub' } : {}),
    story,
  };
}

/** The sentence that people read. @param reason escaped */
export function askerCancelled(reason: string | null): string {
  return reason === null || reason === ''
    ? 'It was cancelled.'
    : `It was cancelled: "${inQuotes(reason)}"`;
}
