// What an agent of elsewhere answered, as a report of this hub: its own words, whole as far as they
// fit, and its state as one of a closed list. Pure.
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { shortened } from '../../lib/shortened.ts';
import type { AgentReply } from '../inbox/agent-reply.ts';
import { ANSWER_MAX_CHARACTERS, ERROR_MAX_CHARACTERS } from './limits.ts';

/** A task there: over with its report, or under way; `asks`: it wants something of its caller. */
export type Standing =
  | { readonly kind: 'over'; readonly report: AgentReply }
  | { readonly kind: 'open'; readonly id: string; readonly says: string; readonly asks: boolean }
  /** Nothing that A2A knows: nobody can say what became of it. */
  | { readonly kind: 'unreadable' };

/** @param result of SendMessage, GetTask or CancelTask */
export function standingOf(result: JsonObject): Standing {
  if (isJsonObject(result.message)) return over('completed', wordsOf([result.message]));
  const task = isJsonObject(result.task) ? result.task : result;
  const status = isJsonObject(task.status) ? task.status : {};
  const said = wordsOf([status.message]);
  const { id } = task;
  switch (status.state) {
    case 'TASK_STATE_COMPLETED': {
      const artifacts = wordsOf(Array.isArray(task.artifacts) ? task.artifacts : []);
      return over('completed', artifacts.isEmpty ? said : artifacts);
    }
    case 'TASK_STATE_FAILED':
      return over('failed', said);
    case 'TASK_STATE_REJECTED':
      return over('failed', said, 'rejected');
    case 'TASK_STATE_CANCELED':
      return over('cancelled', said);
    case 'TASK_STATE_SUBMITTED':
    case 'TASK_STATE_WORKING':
    case 'TASK_STATE_AUTH_REQUIRED':
    case 'TASK_STATE_INPUT_REQUIRED':
      if (typeof id !== 'string' || id === '' || id.length > 256) return { kind: 'unreadable' };
      return {
        kind: 'open',
        id,
        says: shortened(said.text, ERROR_MAX_CHARACTERS / 4),
        asks: status.state === 'TASK_STATE_INPUT_REQUIRED',
      };
    default:
      return { kind: 'unreadable' };
  }
}

interface Words {
  readonly text: string;
  readonly data: readonly unknown[];
  readonly isEmpty: boolean;
}

/** Of messages or artifacts: their texts, and their data. Files are left out. */
function wordsOf(said: readonly unknown[]): Words {
  const parts = said
    .flatMap((one) => (isJsonObject(one) && Array.isArray(one.parts) ? one.parts : []))
    .filter(isJsonObject);
  const text = parts
    .flatMap((part) => (typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
  const data = parts.flatMap((part) => (part.data === undefined ? [] : [part.data]));
  return { text, data, isEmpty: text === '' && data.length === 0 };
}

function over(status: AgentReply['status'], { text, data }: Words, code?: string): Standing {
  const isCut = text.length > ANSWER_MAX_CHARACTERS;
  const fits = JSON.stringify(data).length <= ANSWER_MAX_CHARACTERS;
  const answer = { truncated: isCut || !fits, ...(data.length > 0 && fits ? dataOf(data) : {}) };
  if (status === 'completed')
    return {
      kind: 'over',
      report: { ...answer, status, outcome: shortened(text, ANSWER_MAX_CHARACTERS) },
    };
  return {
    kind: 'over',
    report: {
      ...answer,
      status,
      ...(text === '' ? {} : { error: shortened(text, ERROR_MAX_CHARACTERS) }),
      ...(code === undefined ? {} : { code }),
    },
  };
}

function dataOf(data: readonly unknown[]): { readonly data: unknown } {
  return { data: data.length === 1 ? data[0] : data };
}
