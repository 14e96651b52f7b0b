// What a person answers in place of an agent: turns the decision into the result for the asker, and
// back from the row of a decided approval. A person's answer is kept where no agent can write, and
// is never given to an agent as work. Pure.
import { ANSWER_MAX_CHARACTERS } from '../../../preload/contract/limits.ts';
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import { removed } from '../../../preload/contract/strings/records.ts';
import { readApprovalView } from '../../core/approval-view.ts';
import { choiceOf } from '../../core/choice.ts';
import { escapeText } from '../../core/text-escape.ts';
import { type AppError, inputError } from '../../lib/app-error.ts';
import { isJsonObject, readObject } from '../../lib/json-object.ts';
import type { ApprovalRow, TaskRow } from '../../ports/store.ts';
import type { ResultWords } from '../tasks/task-endings.ts';

/** The words of a decision that answers, or the option it chooses. */
interface AnswerWords {
  readonly answer?: string | undefined;
  readonly choice?: string | undefined;
}

/** An answer as it is kept and told. */
interface OwnAnswer {
  /** What stands in the row of the approval as its reason. */
  readonly words: string;
  /** The id of the option that was chosen. */
  readonly choice: string | null;
  readonly result: ResultWords;
}

/**
 * @param who the person, by the name this hub has for them @throws AppError bad_request: nothing
 * was decided
 */
export function ownAnswer(
  task: TaskRow,
  row: Pick<ApprovalRow, 'view'>,
  said: AnswerWords,
  who: string,
): OwnAnswer {
  if (!task.reportBack) throw unfit('Whoever asked wants no answer: allow it or decline it.');
  if (said.choice !== undefined && said.answer !== undefined)
    throw unfit('Choose, or answer in your own words, not both.');
  if (said.choice !== undefined) return chosen(task, row, said.choice, who);
  const words = said.answer?.trim() ?? '';
  if (words === '') throw unfit('Say what the answer is.');
  if (words.length > ANSWER_MAX_CHARACTERS)
    throw unfit(`An answer has at most ${ANSWER_MAX_CHARACTERS} characters.`);
  if (!words.isWellFormed())
    throw unfit('The answer holds half of a character, which cannot be sent.');
  const data = task.toAgent === null ? { choice: null, decided_by: who } : null;
  return {
    words,
    choice: null,
    result: { status: 'completed', outcome: words, data, error: null, answered_by: who },
  };
}

/**
 * One of the options of an escalation, which the view that was shown must hold; told in the
 * sender's own words for it.
 */
function chosen(task: TaskRow, row: Pick<ApprovalRow, 'view'>, id: string, who: string): OwnAnswer {
  const view = readApprovalView(row.view);
  const shown = view.ok ? choiceOf(view.value) : null;
  const sent = choiceOf({ kind: task.kind, payload: readObject(task.payload) });
  if (shown === null || sent === null) throw unfit('This request asks nobody to choose.');
  const option = sent.options.find((other) => other.id === id);
  if (option === undefined || !shown.options.some((other) => other.id === id))
    throw unfit('There is no such option.');
  const data = { choice: id, decided_by: who };
  return {
    words: option.label,
    choice: id,
    result: { status: 'completed', outcome: option.label, data, error: null, answered_by: who },
  };
}

/** What a person answered, escaped; null when nobody did. */
export function answerOf(
  row: Pick<ApprovalRow, 'state' | 'reason'>,
  task: TaskRow,
): ApprovalDto['own_answer'] {
  if (row.reason === null || row.state !== 'answered') return null;
  // Nobody answers with no words: they were removed after their time.
  if (row.reason === '') return { text: removed.answer, choice: null };
  const { data } = readObject(task.result ?? '{}');
  const choice =
    task.toAgent === null && isJsonObject(data) && typeof data.choice === 'string'
      ? data.choice
      : null;
  return { text: escapeText(row.reason), choice };
}

function unfit(sentence: string): AppError {
  return inputError('bad_request', `${sentence} Nothing was decided.`);
}
