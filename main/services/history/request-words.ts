// All that a request says beside its text, for the conversation it stands in: its area, reason,
// fields and options, in the words of whoever made it, escaped and bounded. Pure but for the story
// of what one hub decides for another.
import type { RequestWordsDto } from '../../../preload/contract/conversation-dto.ts';
import { isDomain } from '../../core/routing.ts';
import { choiceOf } from '../../core/choice.ts';
import { escapeObject } from '../../core/text-escape.ts';
import type { Said } from '../../ports/said-words.ts';
import type { TaskRow } from '../../ports/store.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import { FEED_TEXT_MAX_CHARACTERS } from './limits.ts';
import { boundedText, shownFields } from './shown-data.ts';

/** Its text, and what only the hubs need; the inspector has all of it. */
const ELSEWHERE = new Set([
  'task',
  'question',
  'conversation',
  'deadline_ms',
  'report_back',
  'route',
]);
const OF_A_CHOICE = new Set(['act', 'options', 'recommendation']);

/** @param decision the task by which another hub decides about it; undefined: none does */
export function requestWords(
  { kind, payload }: Said,
  decision: TaskRow | undefined,
  tasks: Pick<TaskViews, 'story'>,
): RequestWordsDto {
  const choice = kind === 'delegate' ? choiceOf({ kind, payload: escapeObject(payload) }) : null;
  const { domain, reason } = payload;
  const area = typeof domain === 'string' && isDomain(domain) ? domain : null;
  const fields = Object.entries(payload).filter(
    ([name, value]) =>
      !ELSEWHERE.has(name) &&
      !(name === 'domain' && area !== null) &&
      !(name === 'reason' && typeof value === 'string') &&
      !(name === 'priority' && value === 'normal') &&
      !(choice !== null && OF_A_CHOICE.has(name)),
  );
  const shown = shownFields(Object.fromEntries(fields), FEED_TEXT_MAX_CHARACTERS);
  return {
    domain: area,
    reason: typeof reason === 'string' ? boundedText(reason, FEED_TEXT_MAX_CHARACTERS) : null,
    fields: shown.fields ?? [],
    fields_left_out: shown.fields_left_out,
    choice: choice && { options: choice.options, recommended: choice.recommendation },
    decision: decision === undefined ? null : aboutOf(tasks.story(decision, null)),
  };
}

function aboutOf({ asked, on_behalf_of }: ReturnType<TaskViews['story']>) {
  return { asked, on_behalf_of };
}
