// Tasks as clients see them. Reads only. What others wrote is escaped here, once.
import { isOneOf } from '../../../preload/contract/closed-lists.ts';
import type { TaskDto } from '../../../preload/contract/dto.ts';
import type { StoryDto } from '../../../preload/contract/story.ts';
import { removed } from '../../../preload/contract/strings/records.ts';
import { choiceOf } from '../../core/choice.ts';
import { somebodysWords } from '../../core/story-row.ts';
import { escapeJson, escapeName, escapeText } from '../../core/text-escape.ts';
import { isJsonObject, readObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import { isTaskPurged } from '../../ports/retention.ts';
import { decidedAbout } from '../../ports/said-words.ts';
import type { Store, TaskRow } from '../../ports/store.ts';
import { decisionOf } from './wire-states.ts';
import type { Deadlines } from './deadlines.ts';
import { isLocal, type Parties } from './parties.ts';
import type { Stories } from './stories.ts';
import { isOpen } from './task-moves.ts';
import { waitOf } from './waiting.ts';

/**
 * A wall-clock time this close to the stored one counts as the stored one: only a jump of the clock
 * shows.
 */
const DRIFT_SHOWN_MS = 2_000;

/** The result that stands with them only says so, in the words of a failure. */
const ENDED_WITHOUT_RESULT = ['declined', 'expired', 'cancelled'] as const;

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly parties: Parties;
  readonly deadlines: Deadlines;
  readonly stories: Stories;
  /** How an open question stands with its agent, which its row does not say. */
  readonly standing: (taskId: string) => Partial<TaskRow>;
}

export class TaskViews {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @param agent for whom; null: for a person */
  dto(row: TaskRow, agent: string | null): TaskDto {
    const { parties } = this.#deps;
    const task = this.now(row);
    const story = this.#storyNow(task, agent);
    return {
      id: task.id,
      direction: task.direction,
      kind: task.kind,
      state: task.state,
      peer_id: parties.agentIdOf(task.party),
      peer_name: parties.nameOf(task.party),
      from_agent: task.fromAgent,
      to_agent: task.toAgent,
      domain: task.domain === null ? null : escapeText(task.domain),
      conversation_id: task.conversationId,
      message_id: task.messageId,
      text: this.text(task),
      ...choiceIn(task),
      created_at: task.receivedAt,
      deadline_at: this.deadlineAt(task),
      held_until: task.state === 'held' ? task.heldUntil : null,
      finished_at: task.finishedAt,
      estimated_ms: task.estimatedMs,
      code: story.end !== null && 'code' in story.end ? story.end.code : task.code,
      reason: task.reason,
      story,
      decision: decisionOf(this.#deps.store.read, task),
      untrusted: this.#untrusted(task),
    };
  }

  /** @param agent for whom; null: for a person */
  story(task: TaskRow, agent: string | null): StoryDto {
    return this.#storyNow(this.now(task), agent);
  }

  #storyNow(task: TaskRow, agent: string | null): StoryDto {
    const until = this.deadlineAt(task);
    const waitsUntil = until - task.deadlineMs + waitOf(task);
    return this.#deps.stories.of(task, { until, waitsUntil }, agent);
  }

  /** As it stands: the row of an open question does not say what its agent has done with it. */
  now(task: TaskRow): TaskRow {
    const isAsked = task.kind === 'query' && isOpen(task);
    return isAsked ? { ...task, ...this.#deps.standing(task.id) } : task;
  }

  /**
   * The task or the question, escaped; of what is decided for another hub, that request's. What
   * stands there instead once it was removed.
   */
  text(task: TaskRow): string {
    if (isTaskPurged(task)) return removed.task;
    const own = { kind: task.kind, payload: readObject(task.payload) };
    const { kind, payload } = decidedAbout(own) ?? own;
    const text = kind === 'delegate' ? payload.task : payload.question;
    return escapeText(typeof text === 'string' ? text : JSON.stringify(text ?? null));
  }

  /** When its time is over, by the wall clock as it goes now. */
  deadlineAt(task: TaskRow): number {
    const stored = task.receivedAt + task.deadlineMs;
    const remainingMs = this.#deps.deadlines.remainingMs(task.id);
    if (remainingMs === undefined) return stored;
    const now = Math.round(this.#deps.clock.wallMs() + remainingMs);
    return Math.abs(now - stored) < DRIFT_SHOWN_MS ? stored : now;
  }

  /** When it is over unless a person decides before, by the wall clock as it goes now. */
  waitsUntil(task: TaskRow): number {
    return this.deadlineAt(task) - task.deadlineMs + waitOf(task);
  }

  /**
   * True when `agent` sent this task from here or runs it here. An agent of the same name behind
   * another hub is somebody else. What nobody has allowed runs nowhere: its words reach no agent,
   * by no way. Lists ask the store for the same by `knownTo`.
   */
  concerns(task: TaskRow, agent: string): boolean {
    const sent = task.direction !== 'incoming' && task.fromAgent === agent;
    const runs = task.direction !== 'outgoing' && task.toAgent === agent;
    return sent || (runs && this.#isAllowed(task));
  }

  /** A person or a rule allowed it, or nobody had to be asked. */
  #isAllowed(task: TaskRow): boolean {
    const decision = this.#deps.store.read.decisionOfTask(task.id);
    return decision === undefined || decision.state === 'approved';
  }

  #untrusted(task: TaskRow): TaskDto['untrusted'] {
    if (task.result === null) return null;
    const result = readObject(task.result);
    const words = (value: unknown) => somebodysWords(value, task);
    return {
      status: isOneOf(ENDED_WITHOUT_RESULT, task.state)
        ? task.state
        : typeof result.status === 'string'
          ? escapeText(result.status)
          : isLocal(task.party)
            ? 'completed'
            : 'unknown',
      outcome: words(result.outcome ?? result.summary),
      data: escapeJson(result.data ?? null),
      error: words(result.error),
      answered_by:
        isLocal(task.party) || task.direction !== 'outgoing'
          ? words(result.answered_by)
          : nameOfPerson(result.answered_by),
    };
  }
}

/** The person of another hub, as it names them: fit for one line. */
function nameOfPerson(said: unknown): string | null {
  return typeof said === 'string' ? escapeName(said).name : null;
}

function choiceIn(task: TaskRow): Pick<TaskDto, 'choice'> {
  if (task.kind !== 'delegate' || isTaskPurged(task)) return {};
  const payload = escapeJson(readObject(task.payload));
  const choice = isJsonObject(payload) ? choiceOf({ kind: task.kind, payload }) : null;
  if (choice === null) return {};
  return { choice: { options: choice.options, recommended: choice.recommendation } };
}
