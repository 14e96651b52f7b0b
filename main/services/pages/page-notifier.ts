// Tells the pages what a changed task changes for them: its card, its agent's load and its
// conversation. It first notes which tasks have changed: agents wait for what a commit does, so
// pages are told once those have had their items. A page that opens is told how they stand then.
import type { Log } from '../../ports/log.ts';
import type { Store } from '../../ports/store.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { ApprovalViews } from '../approvals/approval-views.ts';
import type { EventBus } from '../base/event-bus.ts';
import type { TaskChange } from '../tasks/task-events.ts';

interface Deps {
  readonly store: Store;
  readonly log: Pick<Log, 'warn'>;
  readonly events: EventBus;
  readonly agents: Pick<AgentRegistry, 'changed'>;
  readonly approvalViews: Pick<ApprovalViews, 'dto'>;
}

/** Changes that are noted while no page is open; beyond it the next page takes a new snapshot. */
export const NOTED_MAX = 100;

export class PageNotifier {
  readonly #deps: Deps;
  readonly #noted = new Map<string, TaskChange>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.events.onKept(this.#tellNoted);
  }

  taskChanged(change: TaskChange): void {
    const { events } = this.#deps;
    this.#noted.set(change.taskId, change);
    if (events.isRead) {
      if (this.#noted.size === 1) process.nextTick(this.#tellNoted);
      return;
    }
    if (this.#noted.size <= NOTED_MAX) return;
    this.#noted.clear();
    events.skip();
  }

  readonly #tellNoted = (): void => {
    const noted = [...this.#noted.values()];
    this.#noted.clear();
    const { events, log } = this.#deps;
    for (const change of noted)
      try {
        this.#tell(change);
      } catch (error) {
        // The store may be closed by now. With their next event pages take a new snapshot.
        events.skip();
        log.warn('pages not told of a changed task', { error: String(error) });
      }
  };

  #tell({ taskId, questionIn }: TaskChange): void {
    const { store, events, agents, approvalViews } = this.#deps;
    if (questionIn !== null) return events.publish({ type: 'conversation', id: questionIn });
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
