// The adult's side of remote approval: reads the question from exactly what the person's own
// decision covers, and writes the verdict for the asking hub. Pure (PROTOCOL.md, Remote approval).
import { readApprovalView } from '../../core/approval-view.ts';
import { viewOfQuestion } from '../../core/remote-approval-view.ts';
import { escapeObject, escapeOfVersion } from '../../core/text-escape.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { isJsonObject, readObject } from '../../lib/json-object.ts';
import type { ApprovalRow, TaskRow } from '../../ports/store.ts';
import { labelOf, questionIn, type ApprovalQuestion } from '../../protocol/remote-approval.ts';
import type { RemoteQuestion } from '../approvals/approval-gate.ts';
import { failure } from '../tasks/task-endings.ts';

/** What is shown must stand in the view that this hub's own digest covers, or nothing is shown. */
export function remoteQuestionOf(
  task: TaskRow,
  row: Pick<ApprovalRow, 'view'>,
): RemoteQuestion | null {
  if (task.direction !== 'incoming') return null;
  const question = questionOfTask(task);
  if (question === undefined) return null;
  const covered = readApprovalView(row.view);
  const sent = readObject(task.payload).approval;
  if (!covered.ok || !isJsonObject(sent)) return null;
  const shown = escapeObject(sent, escapeOfVersion(covered.value.version));
  if (canonicalJson(covered.value.payload.approval) !== canonicalJson(shown)) return null;
  const view = viewOfQuestion(question);
  return view.ok ? asked(view.value, question.digest) : null;
}

function asked(view: RemoteQuestion['view'], digest: string): RemoteQuestion {
  return {
    view,
    digest,
    allowed: ({ who, person }) => {
      const data = { choice: 'allow', digest, decided_by: person };
      return {
        status: 'completed',
        outcome: labelOf('allow'),
        data,
        error: null,
        answered_by: who,
      };
    },
    declined: (told, reason, { who, person }) => {
      const data = {
        choice: 'decline',
        digest,
        decided_by: person,
        ...(reason === '' ? {} : { reason }),
      };
      return { ...failure({ code: 'rejected', reason: told }), data, answered_by: who };
    },
  };
}

/**
 * What a question asks, ours or another hub's; undefined for every other task, most of which are
 * told without reading their payload.
 */
export function questionOfTask(
  task: Pick<TaskRow, 'kind' | 'toAgent' | 'payload'>,
): ApprovalQuestion | undefined {
  return task.kind === 'delegate' && task.toAgent === null
    ? questionIn(readObject(task.payload))
    : undefined;
}
