// Tells the pages what changed, after the commit that changed it: the card and its task's state, the agent's load, the conversation, and at
// most once a minute per party that a person is needed.
import type { Clock } from '../../ports/clock.ts';
import type { PartyKey, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { DoNotDisturb } from '../attention/do-not-disturb.ts';
import type { EventBus } from '../event-bus.ts';
import type { AgentRegistry } from './agent-registry.ts';
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
  readonly doNotDisturb: Pick<DoNotDisturb, 'mayNotify' | 'isSilenced' | 'setPendingNotification'>;
}

export class WorkEvents {
  readonly #deps: Deps;
  readonly #onTaskChanged = new Set<(taskId: string) => void>();
  /** When each party last caused a notification, within the last minute. */
  readonly #attentionAt = new Map<PartyKey, number>();

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
   * Inside the commit in which people are asked: they are notified after it. A request that is silenced leaves a notification pending instead.
   */
  attention(tables: Tables, after: After, task: TaskRow): void {
    const { doNotDisturb } = this.#deps;
    if (doNotDisturb.isSilenced(tables, task)) doNotDisturb.setPendingNotification(tables);
    else after(() => this.notifyOnce([task]));
  }

  /** One notification, about the newest of these whose hub may notify. A hub causes at most one a minute, and none while it is muted or floods. */
  notifyOnce(waiting: readonly TaskRow[]): void {
    const { clock, store, events, parties } = this.#deps;
    const now = clock.monotonicMs();
    for (const [party, at] of this.#attentionAt) if (now - at >= ATTENTION_INTERVAL_MS) this.#attentionAt.delete(party);
    const task = waiting.findLast(({ party }) => this.#deps.doNotDisturb.mayNotify(party) && !this.#attentionAt.has(party));
    const approval = task && store.read.approvalOfTask(task.id);
    if (!approval) return;
    this.#attentionAt.set(task.party, now);
    events.publish({ type: 'attention', approval_id: approval.id, peer_name: parties.nameOf(task.party) });
  }
}
