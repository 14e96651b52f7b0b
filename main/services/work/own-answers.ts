// What a person answers in the place of an agent: from the words of the decision to what whoever asked is told, and back from the row of a
// decided approval. A person's answer is kept where no agent can write, and is never handed to one as work. Pure.
import { ANSWER_MAX_CHARACTERS } from '../../../preload/contract/decision-limits.ts';
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import { escapeText } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import type { ApprovalRow, TaskRow } from '../../ports/store.ts';
import type { ResultWords } from './task-endings.ts';

/** The words of a decision that answers. */
export interface AnswerWords {
  readonly answer?: string | undefined;
}

/** An answer as it is kept and told. */
export interface OwnAnswer {
  /** What stands in the row of the approval as its reason. */
  readonly words: string;
  readonly result: ResultWords;
}

/** @param who the person, by the name this hub has for them @throws AppError bad_request: nothing was decided */
export function ownAnswer(task: TaskRow, said: AnswerWords, who: string): OwnAnswer {
  if (!task.reportBack) throw unfit('Whoever asked wants no answer: allow it or decline it.');
  const words = said.answer?.trim() ?? '';
  if (words === '') throw unfit('Say what the answer is.');
  if (words.length > ANSWER_MAX_CHARACTERS) throw unfit(`An answer has at most ${ANSWER_MAX_CHARACTERS} characters.`);
  if (!words.isWellFormed()) throw unfit('The answer holds half of a character, which cannot be sent.');
  return { words, result: { status: 'completed', outcome: words, data: null, error: null, answered_by: who } };
}

/** True when a person answered instead of letting an agent do it: of all that is let in, only this has words of a decision. */
export function isAnswered(row: Pick<ApprovalRow, 'state' | 'reason'>): boolean {
  return row.state === 'approved' && row.reason !== null;
}

/** What became of a request, as people and programs are told; the table knows no word for an answer of its own. */
export function decidedState(row: Pick<ApprovalRow, 'state' | 'reason'>): ApprovalDto['state'] {
  return isAnswered(row) ? 'answered' : row.state;
}

/** What a person answered, escaped; null when nobody did. */
export function answerOf(row: Pick<ApprovalRow, 'state' | 'reason'>): ApprovalDto['own_answer'] {
  return row.reason !== null && isAnswered(row) ? { text: escapeText(row.reason) } : null;
}

function unfit(sentence: string): AppError {
  return new AppError('bad_request', `${sentence} Nothing was decided.`, { failedBy: 'input' });
}
