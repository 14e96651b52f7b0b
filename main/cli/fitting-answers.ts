// What a program said, as answers to its task: the whole first, then ever less, for a hub that does
// not take the one before. Each says what it leaves out. Pure.
import type { Problem } from '../../preload/contract/errors.ts';
import type { OperationInput } from '../../preload/contract/operations.ts';
import { beginningInJson } from '../lib/shortened.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { isLenientJson, parseStrictJson } from '../lib/strict-json.ts';
import type { Printed, ProgramEnd } from './program-run.ts';

export type Answer = Omit<OperationInput<'inbox.reply'>, 'delivery' | 'attempt'>;

export interface FittingAnswer {
  readonly answer: Answer;
  /** What it leaves out, for whoever watches the listener; null: nothing. */
  readonly less: string | null;
}

/** Longer requests are not read by the hub, so they are not sent. */
const BODY_MAX_BYTES = 250_000;
/**
 * An answer travels between hubs in one message of 65,536 bytes, in which a letter beyond plain
 * English ones takes six or more. Together these two leave room for what stands around them.
 */
const TEXT_ROOM_BYTES = 55_000;
const ERROR_ROOM_BYTES = 4_000;
/** No message holds more. */
export const DATA_LIMITS = {
  sizeMaxBytes: 65_536,
  depthMax: 32,
  nodesMax: 4_096,
  keysPerObjectMax: 256,
} as const;
const TELLS_NO_MORE = 'The program has ended, and tells nothing more.';

/** @param wasCancelled its task was cancelled meanwhile */
export function fittingAnswers(end: ProgramEnd, wasCancelled: boolean): readonly FittingAnswer[] {
  const whole = { ...statusOf(end, wasCancelled), outcome: end.output.text };
  const data = end.exitCode === 0 ? objectIn(end.output) : undefined;
  const text = beginningInJson(end.output.text, TEXT_ROOM_BYTES);
  const answers: FittingAnswer[] = [];
  if (end.output.isWhole) {
    if (isJsonObject(data)) answers.push({ answer: { ...whole, data }, less: null });
    const less = data === undefined ? null : withoutData(data);
    answers.push({ answer: whole, less });
  }
  if (!end.output.isWhole || text !== end.output.text) {
    const less = `shortened to its first ${Buffer.byteLength(text)} of ${end.output.bytes} bytes`;
    const marked = `${text}\n… (shortened: the program printed ${end.output.bytes} bytes)`;
    answers.push({ answer: { ...whole, outcome: marked, truncated: true }, less });
  }
  return answers.filter(({ answer }) => Buffer.byteLength(JSON.stringify(answer)) < BODY_MAX_BYTES);
}

/** Of a program that told as it went: how it ended, and not what it printed. */
export function endOfTelling(end: ProgramEnd, wasCancelled: boolean): FittingAnswer {
  const exitCode = wasCancelled ? 1 : end.exitCode;
  const outcome = exitCode === 0 ? TELLS_NO_MORE : '';
  return { answer: { ...statusOf({ ...end, exitCode }, wasCancelled), outcome }, less: null };
}

/** For an answer that the hub takes in no form: whoever asked reads why. */
export function failedAnswer({ detail }: Pick<Problem, 'detail'>): Answer {
  return { status: 'failed', error: `The agent's answer could not be sent: ${detail}` };
}

function statusOf(end: ProgramEnd, wasCancelled: boolean): Answer {
  if (end.exitCode === 0) return { status: 'completed' };
  if (wasCancelled) return { status: 'failed', error: 'It was cancelled.', code: 'cancelled' };
  const error = errorText(end.errors);
  return {
    status: 'failed',
    error: error === '' ? `The program ended with exit code ${end.exitCode}.` : error,
  };
}

function errorText({ text, bytes, isWhole }: Printed): string {
  const beginning = beginningInJson(text, ERROR_ROOM_BYTES);
  if (isWhole && beginning === text) return text;
  return `${beginning}\n… (shortened: the program printed ${bytes} bytes of errors)`;
}

function withoutData(reason: unknown): string {
  return typeof reason === 'string' ? `as text without data, since ${reason}` : 'without data';
}

/**
 * What the program printed, when it is a JSON object: then it is also the answer's data. A sentence
 * where it looks like one and would not arrive as it is. Undefined: it is text.
 */
function objectIn({ text, isWhole }: Printed): JsonObject | string | undefined {
  if (!isWhole || !text.startsWith('{')) return undefined;
  const read = parseStrictJson(text, DATA_LIMITS);
  if (!read.ok) return isLenientJson(text) ? read.error : undefined;
  return isJsonObject(read.value) ? read.value : undefined;
}
