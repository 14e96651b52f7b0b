// Tells the pages what changed, after the commit that changed it: the card and its task's state, the agent's load, the conversation, and at
// most once a minute per party that a person is needed.
import type { Clock } from '../../ports/clock.ts';
import type { PartyKey, Store } from '../../ports/store.ts';
import type { CalmKeeper } from '../attention/calm-keeper.ts';
import type { EventBus } from '../event-bus.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { ApprovalViews } from './approval-views.ts';
import { ATTENTION_INTERVAL_MS } from './limits.ts';
import type { Parties } from './parties.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly parties: Parties;
  readonly agents: AgentRegistry;
  readonly approvals: ApprovalViews;
  readonly calm: Pick<CalmKeeper, 'mayRing'>;
}

export class WorkEvents {
  readonly #deps: Deps;
  readonly #onTaskChanged = new Set<(taskId: string) => void>();
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

  /** A native notification is due, if this party has not caused one within the last minute, is not muted and does not flood. */
  attention(approvalId: string, party: PartyKey): void {
    if (!this.#deps.calm.mayRing(party)) return;
    const now = this.#deps.clock.monotonicMs();
    const last = this.#attentionAt.get(party);
    if (last !== undefined && now - last < ATTENTION_INTERVAL_MS) return;
    for (const [other, at] of this.#attentionAt) if (now - at >= ATTENTION_INTERVAL_MS) this.#attentionAt.delete(other);
    this.#attentionAt.set(party, now);
    this.#deps.events.publish({ type: 'attention', approval_id: approvalId, peer_name: this.#deps.parties.nameOf(party) });
  }
}
