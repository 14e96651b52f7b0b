// What a client of A2A may send, as the hub reads it. What it does not know is left out, as
// everywhere; what it cannot pass on is refused.
import * as v from 'valibot';
import { jsonObject, text, uuid, whole } from '../../../preload/contract/parameters.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { issueWords } from '../issue-words.ts';
import { A2aRefusal } from './failures.ts';
import { LIST_PAGE, LIST_PAGE_MAX, MESSAGE_ID_MAX, PARTS_MAX } from './limits.ts';

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
const ANY_STATE = 'TASK_STATE_UNSPECIFIED';
const listing = v.object({
  contextId: v.optional(text(128), ''),
  status: v.optional(v.pipe(v.string(), v.startsWith('TASK_STATE_')), ANY_STATE),
  pageSize: v.optional(whole(1, LIST_PAGE_MAX), LIST_PAGE),
  pageToken: v.optional(text(64), ''),
  includeArtifacts: v.optional(v.boolean(), false),
  statusTimestampAfter: v.optional(v.string(), ''),
});

/** Which tasks are wanted, and where the page begins. */
export interface Listing {
  readonly isWanted: (contextId: string, state: string) => boolean;
  readonly size: number;
  /** The id of the last task of the page before; '': there is none. */
  readonly after: string;
  readonly hasArtifacts: boolean;
}

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

/** @throws A2aRefusal */
export function readListing(params: unknown): Listing {
  const { contextId, status, pageSize, pageToken, includeArtifacts, statusTimestampAfter } = read(
    listing,
    params,
  );
  if (statusTimestampAfter !== '')
    throw new A2aRefusal('UNSUPPORTED_OPERATION', 'Tasks are not listed by their time here.');
  return {
    isWanted: (context, state) =>
      (contextId === '' || contextId === context) && (status === ANY_STATE || status === state),
    size: pageSize,
    after: pageToken,
    hasArtifacts: includeArtifacts,
  };
}

/** What stands in the query of a REST call. */
export function listingIn(query: URLSearchParams): JsonObject {
  const { pageSize, includeArtifacts, ...texts } = Object.fromEntries(query);
  return {
    ...texts,
    ...(pageSize === undefined ? {} : { pageSize: Number(pageSize) }),
    ...(includeArtifacts === undefined ? {} : { includeArtifacts: includeArtifacts === 'true' }),
  };
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
