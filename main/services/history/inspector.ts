// Everything this hub knows of one message, for a person who wants to see how it went: what is
// stored of it, who was asked and why, and when. Reads only.
import type { InspectionDto } from '../../../preload/contract/conversation-dto.ts';
import { escapeText } from '../../core/text-escape.ts';
import { inputError } from '../../lib/app-error.ts';
import type { MessageRow, Store, TaskRow } from '../../ports/store.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Parties } from '../tasks/parties.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import { speakersOf } from './speakers.ts';

interface Deps {
  readonly store: Store;
  readonly parties: Parties;
  readonly tasks: Pick<TaskViews, 'dto'>;
  readonly approvals: Pick<Approvals, 'get'>;
}

export class Inspector {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws AppError not_found */
  inspect(seq: number): InspectionDto {
    const { store, parties, tasks, approvals } = this.#deps;
    const message = store.read.messageAt(seq, null);
    if (message === undefined)
      throw inputError('not_found', 'There is no such message.', {
        hint: 'It may have been removed with its conversation.',
      });
    const task = message.taskId === null ? undefined : store.read.task(message.taskId);
    const approval = task === undefined ? undefined : store.read.approvalOfTask(task.id);
    const payload = payloadOf(message, task);
    const { messageId, direction, kind, ref, at } = message;
    return {
      message: {
        seq,
        message_id: messageId,
        direction,
        kind,
        ref,
        at,
        ...speakersOf(parties, message),
      },
      payload: payload === null ? null : escapeText(payload),
      bytes: payload === null ? null : Buffer.byteLength(payload),
      task: task === undefined ? null : tasks.dto(task, null),
      approval: approval === undefined ? null : approvals.get(approval.id),
    };
  }
}

/** As it is kept: an answer as the result of its task. null: it is no longer kept. */
function payloadOf({ payload, kind }: MessageRow, task: TaskRow | undefined): string | null {
  const kept =
    payload ?? (kind === 'query' || kind === 'delegate' ? task?.payload : task?.result) ?? '';
  return kept === '' ? null : kept;
}
