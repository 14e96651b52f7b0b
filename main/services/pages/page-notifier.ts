// Tells the pages what a changed task changes for them: its card, its agent's load and its
// conversation.
import type { Store } from '../../ports/store.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { ApprovalViews } from '../approvals/approval-views.ts';
import type { EventBus } from '../base/event-bus.ts';

interface Deps {
  readonly store: Store;
  readonly events: EventBus;
  readonly agents: Pick<AgentRegistry, 'changed'>;
  readonly approvalViews: Pick<ApprovalViews, 'dto'>;
}

export class PageNotifier {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  taskChanged(taskId: string): void {
    const { store, events, agents, approvalViews } = this.#deps;
    const task = store.read.task(taskId);
    if (!task) return;
    const approval = store.read.approvalOfTask(taskId);
    if (approval) events.publish({ type: 'approval', approval: approvalViews.dto(approval) });
    // A question is no load.
    if (task.kind === 'delegate' && task.toAgent !== null && task.direction !== 'outgoing')
      agents.changed(task.toAgent);
    events.publish({ type: 'conversation', id: task.conversationId });
  }
}
