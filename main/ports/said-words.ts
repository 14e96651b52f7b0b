// What a message says, found in what the store keeps: the words that people read and search.
import { isJsonObject, readObject, type JsonObject } from '../lib/json-object.ts';
import { questionIn } from '../protocol/remote-approval.ts';
import type { MessageRow, TaskRow } from './store.ts';

export interface Said {
  readonly kind: string;
  readonly payload: JsonObject;
}

/** The member of a payload that is its words. */
const WORDS: Readonly<Record<string, string>> = {
  query: 'question',
  delegate: 'task',
  response: 'summary',
  result: 'outcome',
  notify: 'data',
  cancel: 'reason',
  error: 'message',
};

/**
 * What a message says stands in its own payload, or in its task: the request, or the result in the
 * form that tasks have.
 */
export function saidIn(
  { kind, payload }: Pick<MessageRow, 'kind' | 'payload'>,
  task: Pick<TaskRow, 'payload' | 'result'> | undefined,
): Said {
  if (payload !== null) return { kind, payload: readObject(payload) };
  if (kind === 'query' || kind === 'delegate')
    return { kind, payload: readObject(task?.payload ?? '') };
  return { kind: 'result', payload: readObject(task?.result ?? '') };
}

/** What it says: words, or any other JSON; null where it says nothing. */
export function wordsIn({ kind, payload }: Said): unknown {
  const said = payload[WORDS[kind] ?? ''] ?? null;
  return isJsonObject(said) && typeof said.text === 'string' ? said.text : said;
}

/**
 * The request about which another hub decides, as whoever made it wrote it; undefined: this is no
 * such question.
 */
export function decidedAbout({ payload }: Pick<Said, 'payload'>): Said | undefined {
  const question = questionIn(payload);
  return question && { kind: question.kind, payload: readObject(question.payload) };
}

/** The same as one text; of what one hub decides for another, that request's. */
export function textIn(said: Said): string {
  const words = wordsIn(decidedAbout(said) ?? said);
  if (words === null) return '';
  return typeof words === 'string' ? words : JSON.stringify(words, null, 2);
}

/** All that its writer put in words, for the search: what it says first, then its other texts. */
export function searchedIn(said: Said): string {
  const { topic, reason, error } = (decidedAbout(said) ?? said).payload;
  const others = [topic, reason, error].filter(
    (words): words is string => typeof words === 'string',
  );
  const text = textIn(said);
  return [text, ...new Set(others)].filter((words, at) => at === 0 || words !== text).join('\n');
}
