// Which request a row of the audit log is about, for people: where its conversation is, and how it
// stands. What somebody else put into a row leads nowhere. Reads only.
import type { AuditRequestDto, AuditRowDto } from '../../../preload/contract/audit.ts';
import type { Store, TaskRow } from '../../ports/store.ts';
import type { TaskViews } from '../tasks/task-views.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly tasks: Pick<TaskViews, 'story'>;
}

export class AuditRequests {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The row with its request; as it is where it is about none. */
  withRequest(row: AuditRowDto): AuditRowDto {
    const task = this.#taskOf(row);
    return task === undefined ? row : { ...row, request: this.#dto(task) };
  }

  #dto(task: TaskRow): AuditRequestDto {
    const { conversationId, messageId } = task;
    return {
      conversation_id: conversationId,
      message_id: messageId,
      story: this.#deps.tasks.story(task, null),
    };
  }

  #taskOf({ action, actor, object }: AuditRowDto): TaskRow | undefined {
    const { read } = this.#deps.store;
    const [area] = action.split('.');
    switch (area) {
      case 'approval':
      case 'remote_approval': {
        const approval = read.approval(object);
        return approval && read.task(approval.taskId);
      }
      case 'request':
      case 'delegation':
        return read.task(object);
      case 'cancel':
        return read.taskByMessage('incoming', actor, object);
      case 'delivery': {
        const delivery = read.delivery(object);
        return delivery?.taskId == null ? undefined : read.task(delivery.taskId);
      }
      default:
        return undefined;
    }
  }
}
