// Tells the pages what changed, after the commit that changed it: the card and its task's state, the agent's load, the conversation, and at
// most once a minute per party that a person is needed.
import type { Clock } from '../../ports/clock.ts';
import type { PartyKey, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { CalmKeeper } from '../attention/calm-keeper.ts';
import { owedSounds, oweSound, soundMade } from '../attention/owed-sounds.ts';
import type { EventBus } from '../event-bus.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { ApprovalGate } from './approval-gate.ts';
import type { ApprovalViews } from './approval-views.ts';
import { ATTENTION_INTERVAL_MS } from './limits.ts';
import type { Parties } from './parties.ts';
import type { After } from './unit-of-work.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly parties: Parties;
  readonly agents: AgentRegistry;
  readonly approvals: ApprovalViews;
  readonly calm: Pick<CalmKeeper, 'mayRing' | 'isStill'>;
  readonly gate: Pick<ApprovalGate, 'coversTask'>;
}

export class WorkEvents {
  readonly #deps: Deps;
  readonly #onTaskChanged = new Set<(taskId: string) => void>();
  readonly #attentionAt = new Map<PartyKey, number>();
  /** Requests that people are asked about and that make no sound before a pause or a quiet hour is over; never more than may wait at once. */
  readonly #still = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Called after each change of a task. */
  onTaskChanged(listener: (taskId: string) => void): void {
    this.#onTaskChanged.add(listener);
  }

  taskChanged(taskId: string): void {
    for (const listener of this.#onTaskChanged) listener(taskId);
    const { store, events, agents, approvals } = this.#deps;
    const task = store.read.task(taskId);
    if (!task) return;
    const approval = store.read.approvalOfTask(taskId);
    if (approval) events.publish({ type: 'approval', approval: approvals.dto(approval) });
    if (task.toAgent !== null && task.direction !== 'outgoing') agents.changed(task.toAgent);
    events.publish({ type: 'conversation', id: task.conversationId });
  }

  /**
   * Inside the commit in which people are asked: after it a native notification is due, if this party has not caused one within the last minute,
   * is not muted and does not flood. During a pause or a quiet hour it waits until that is over, also where the hub is started anew meanwhile.
   */
  attention(tables: Tables, after: After, approvalId: string, task: Pick<TaskRow, 'party' | 'urgent'>): void {
    if (this.#deps.calm.isStill(tables, task)) oweSound(tables, approvalId);
    after(() => this.#call(approvalId, task));
  }

  #call(approvalId: string, { party, urgent }: Pick<TaskRow, 'party' | 'urgent'>): void {
    const { calm, clock, store, events, parties } = this.#deps;
    this.#still.delete(approvalId);
    if (calm.isStill(store.read, { party, urgent })) {
      for (const id of this.#still) if (this.#waiting(id) === undefined) this.#still.delete(id);
      this.#still.add(approvalId);
      return;
    }
    if (owedSounds(store.read).includes(approvalId)) store.writeBehind((tables) => soundMade(tables, approvalId));
    if (!calm.mayRing(party)) return;
    const now = clock.monotonicMs();
    const last = this.#attentionAt.get(party);
    if (last !== undefined && now - last < ATTENTION_INTERVAL_MS) return;
    for (const [other, at] of this.#attentionAt) if (now - at >= ATTENTION_INTERVAL_MS) this.#attentionAt.delete(other);
    this.#attentionAt.set(party, now);
    events.publish({ type: 'attention', approval_id: approvalId, peer_name: parties.nameOf(party) });
  }

  /** It was asked without a sound in the run before this one, where it owes one: makes it with the next look that finds it may (ringForStill). */
  takeUpStill(approvalId: string): void {
    if (owedSounds(this.#deps.store.read).includes(approvalId)) this.#still.add(approvalId);
  }

  /** The pause or the quiet hour may be over: what was asked without a sound and still waits makes it now. */
  ringForStill(): void {
    // One that stays still is put in again: what was there before is gone through once.
    const ids = Array.from(this.#still);
    for (const id of ids) {
      const task = this.#waiting(id);
      if (task === undefined) this.#still.delete(id);
      else this.#call(id, task);
    }
  }

  /** The task of a request that people here are asked about now; what an adult's hub decides waits for nobody here. */
  #waiting(approvalId: string): TaskRow | undefined {
    const { store, gate } = this.#deps;
    const { read } = store;
    const approval = read.approval(approvalId);
    const task = approval?.state === 'pending' ? read.task(approval.taskId) : undefined;
    return task?.state === 'awaiting_approval' && !gate.coversTask(read, task) ? task : undefined;
  }
}
