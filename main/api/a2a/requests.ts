// What a client of A2A may send, as the hub reads it. What it does not know is left out, as
// everywhere; what it cannot pass on is refused.
import * as v from 'valibot';
import { jsonObject, text, uuid } from '../../../preload/contract/parameters.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { issueWords } from '../issue-words.ts';
import { A2aRefusal } from './failures.ts';
import { MESSAGE_ID_MAX, PARTS_MAX } from './limits.ts';

const part = v.object({
  text: v.optional(v.string()),
  data: v.optional(v.unknown()),
  url: v.optional(v.unknown()),
  raw: v.optional(v.unknown()),
});

const sending = v.object({
  message: v.object({
    messageId: v.pipe(v.string(), v.minLength(1), v.maxLength(MESSAGE_ID_MAX)),
    role: v.literal('ROLE_USER', 'it must be ROLE_USER'),
    parts: v.pipe(v.array(part), v.minLength(1), v.maxLength(PARTS_MAX)),
    contextId: v.optional(text(128), ''),
    taskId: v.optional(v.string(), ''),
    metadata: v.optional(jsonObject, {}),
  }),
  configuration: v.optional(
    v.object({
      returnImmediately: v.optional(v.boolean(), false),
      taskPushNotificationConfig: v.optional(v.unknown()),
    }),
    {},
  ),
});

const naming = v.object({ id: v.string() });

export interface Asked {
  readonly messageId: string;
  readonly text: string;
  /** The structured parts, in their order. */
  readonly data: readonly unknown[];
  readonly conversation: { readonly id: string } | undefined;
  /** What it is about: `domain` in the metadata of the message. */
  readonly domain: string | undefined;
  readonly waits: boolean;
}

/** @throws A2aRefusal */
export function readMessage(params: unknown): Asked {
  const { message, configuration } = read(sending, params);
  if (message.taskId !== '')
    throw new A2aRefusal(
      'UNSUPPORTED_OPERATION',
      'Nothing can be added to a task that was sent.',
      'Send a new message, with the same contextId.',
    );
  if (configuration.taskPushNotificationConfig !== undefined) throw noPush();
  const { parts, contextId, metadata, messageId } = message;
  if (parts.some(({ url, raw }) => url !== undefined || raw !== undefined))
    throw new A2aRefusal(
      'CONTENT_TYPE_NOT_SUPPORTED',
      'This hub passes on text and data, and no files.',
    );
  const words = parts.flatMap(({ text: one }) => one ?? []).join('\n');
  if (words.trim() === '')
    throw new A2aRefusal('INVALID_PARAMS', 'message.parts: one part must have text.');
  const { domain } = metadata;
  if (domain !== undefined && typeof domain !== 'string')
    throw new A2aRefusal('INVALID_PARAMS', 'message.metadata.domain: it must be a text.');
  return {
    messageId,
    text: words,
    data: parts.flatMap(({ data }) => (data === undefined ? [] : [data])),
    conversation: contextId === '' ? undefined : { id: contextId },
    domain,
    waits: !configuration.returnImmediately,
  };
}

/** The id of a task. @throws A2aRefusal */
export function readTaskId(params: unknown): string {
  const { id } = read(naming, params);
  if (!v.is(uuid, id)) throw noSuchTask();
  return id;
}

export function noSuchTask(): A2aRefusal {
  return new A2aRefusal('TASK_NOT_FOUND', 'There is no such task of yours at this agent.');
}

export function noPush(): A2aRefusal {
  return new A2aRefusal(
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'This hub calls nobody back.',
    'Follow the task as a stream, or ask for it again.',
  );
}

function read<Schema extends v.GenericSchema>(
  schema: Schema,
  params: unknown,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, params ?? ({} satisfies JsonObject), { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new A2aRefusal('INVALID_PARAMS', `${issueWords(issue, v.getDotPath(issue))}.`);
}
