// What an agent of elsewhere answered, as a report of this hub: its own words, whole as far as they
// fit, and its state as one of a closed list. Pure.
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { beginningInJson, shortened } from '../../lib/shortened.ts';
import type { AgentReply } from '../inbox/agent-reply.ts';
import {
  ANSWER_FITS_BYTES,
  ANSWER_MAX_CHARACTERS,
  ERROR_MAX_CHARACTERS,
  PROGRESS_MAX_CHARACTERS,
} from './limits.ts';

/** Said where its data is left out. */
const WITHOUT_DATA = '… (without its data, which is too much for one message)';

/** A task there: over with its report, or under way; `asks`: it wants something of its caller. */
export type Standing =
  | { readonly kind: 'over'; readonly report: AgentReply }
  | { readonly kind: 'open'; readonly id: string; readonly says: string; readonly asks: boolean }
  /** Nothing that A2A knows: nobody can say what became of it. */
  | { readonly kind: 'unreadable' };

/** @param result of SendMessage */
export function sentOf(result: JsonObject): Standing {
  if (isJsonObject(result.message)) return over('completed', wordsOf([result.message]));
  return standingOf(taskIn(result));
}

/**
 * @param result of GetTask or CancelTask
 * @param id the task that was asked for: what is said of another one says nothing of it
 */
export function taskOf(result: JsonObject, id: string): Standing {
  const task = taskIn(result);
  return task.id === id ? standingOf(task) : { kind: 'unreadable' };
}

function taskIn(result: JsonObject): JsonObject {
  return isJsonObject(result.task) ? result.task : result;
}

function standingOf(task: JsonObject): Standing {
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
        says: shortened(said.text, PROGRESS_MAX_CHARACTERS),
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
  const isDone = status === 'completed';
  const said = shortened(text, isDone ? ANSWER_MAX_CHARACTERS : ERROR_MAX_CHARACTERS);
  const fits = JSON.stringify(data).length <= ANSWER_MAX_CHARACTERS;
  const words = fits ? said : withoutData(said);
  const report = {
    status,
    truncated: said !== text || !fits,
    ...(data.length > 0 && fits ? dataOf(data) : {}),
    ...(isDone ? { outcome: words } : words === '' ? {} : { error: words }),
    ...(code === undefined ? {} : { code }),
  };
  return { kind: 'over', report };
}

/** The whole first, then ever less, for a hub that does not take the one before. */
export function everLess(report: AgentReply): readonly AgentReply[] {
  const { data, outcome = '', error, ...rest } = report;
  const less = { ...rest, truncated: true };
  const marked = (text: string): string => (data === undefined ? text : withoutData(text));
  const beginning = beginningInJson(outcome, ANSWER_FITS_BYTES);
  const isFailure = report.status !== 'completed';
  const words = isFailure ? { error: marked(error ?? '') } : { outcome: marked(outcome) };
  return [
    report,
    ...(data === undefined ? [] : [{ ...less, ...words }]),
    ...(beginning === outcome ? [] : [{ ...less, outcome: marked(`${beginning}…`) }]),
  ];
}

function withoutData(text: string): string {
  return text === '' ? WITHOUT_DATA : `${text}\n${WITHOUT_DATA}`;
}

function dataOf(data: readonly unknown[]): { readonly data: unknown } {
  return { data: data.length === 1 ? data[0] : data };
}
