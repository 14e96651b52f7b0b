// The first draft of AXON: the same kinds and fields, older addresses, and no payload where a kind
// has none.
import {
  ERRORS,
  isErrorCode,
  readWireErrorCode,
  type WireErrorCode,
} from '../../preload/contract/errors.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok } from '../lib/result.ts';
import { contextWith, deadlineOf, TASK_ACCEPTED } from './dialect.ts';
import type { AxonMessage, Dialect, ReadingKind } from './dialect.ts';
import { entryOf, firstText, given, objectOf, picked, textOf } from './members.ts';
import {
  aFlag,
  aSender,
  aText,
  anAgent,
  anObject,
  anything,
  completed,
  membersOf,
  namedIn,
  oneOf,
  otherWords,
  respelled,
  spelled,
  type Members,
} from './spelling.ts';

const KINDS: Readonly<Record<string, ReadingKind>> = {
  query: 'query',
  delegate: 'delegate',
  notify: 'notify',
  cancel: 'cancel',
  discover: 'discover',
  ping: 'ping',
  response: 'result',
  result: 'result',
  error: 'result',
  ack: 'accept',
};

const KIND = oneOf(...Object.keys(KINDS));
const MEMBERS = membersOf({
  ...otherWords('to', 'ref'),
  id: aText,
  kind: KIND,
  from: aSender,
  to: anAgent,
  ref: aText,
  payload: anObject,
});

/** What of a payload is AXON; the rest stays in the message. */
const PAYLOADS: Readonly<Record<string, Members>> = {
  query: membersOf({
    question: aText,
    domain: aText,
    max_tokens: anything,
    deadline_ms: anything,
  }),
  delegate: membersOf({
    act: oneOf('handoff'),
    task: aText,
    context: anObject,
    priority: oneOf('normal', 'urgent'),
    report_back: aFlag,
    deadline_ms: anything,
    domain: aText,
    reason: aText,
  }),
  notify: membersOf({ topic: aText, data: anything, importance: oneOf('low', 'medium', 'high') }),
  result: membersOf({
    status: oneOf('completed', 'failed', 'partial'),
    outcome: aText,
    data: anything,
    error: anything,
    code: anything,
    retryable: aFlag,
    tokens_used: anything,
  }),
  response: membersOf({
    summary: aText,
    data: anything,
    tokens_used: anything,
    truncated: anything,
  }),
  error: membersOf({
    code: anything,
    message: aText,
    retryable: aFlag,
    data: anything,
    error: aText,
    outcome: aText,
    reason: aText,
  }),
  ack: membersOf({
    accepted: aFlag,
    estimated_ms: anything,
    reason: aText,
    error: aText,
    code: anything,
    retryable: aFlag,
    data: anything,
  }),
  cancel: membersOf({ reason: aText }),
  discover: membersOf({}),
  ping: membersOf({}),
};

/** Codes of an agent by which it has not begun, in every language. */
const UNTAKEN: ReadonlySet<WireErrorCode> = new Set([
  'rejected',
  'not_authorized',
  'unknown_domain',
  'not_understood',
  'cancelled',
]);

export const ACP_DRAFT: Dialect = {
  name: 'acp-draft',
  hasAcceptance: true,

  detect: (message) => KIND(spelled(message, 'kind'), 'kind').ok,

  complete(said, asked, ids) {
    const message = completed(said, { id: ids.fresh, ref: spelled(asked, 'id') });
    return ACP_DRAFT.detect(message) ? message : undefined;
  },

  read(written) {
    const spelt = respelled(written, MEMBERS);
    if (!spelt.ok) return spelt;
    const message = spelt.value;
    const word = textOf(message['kind']);
    const [kind, members] = [entryOf(KINDS, word), entryOf(PAYLOADS, word)];
    if (kind === undefined || members === undefined)
      return err(`"kind" must be one of ${Object.keys(KINDS).join(', ')}`);
    const id = textOf(message['id']);
    if (id === null) return err('"id" must be text that is unique to the message');
    const fields = respelled(objectOf(message['payload']), members, 'payload.');
    if (!fields.ok) return fields;
    const { deadline_ms: due, ...payload } = fields.value;
    const { until, within } = deadlineOf(due, 1);
    const isAsked = kind === 'query' || kind === 'delegate';
    const inTime = given({ deadline_ms: isAsked ? within : null });
    if (word === 'ack' && typeof payload['accepted'] !== 'boolean')
      return err('"payload.accepted" must be true or false');
    if (word === 'result' && textOf(payload['status']) === null)
      return err('"payload.status" must be one of completed, failed, partial');
    const refusal = payload['accepted'] === false && word === 'ack';
    return ok({
      kind: refusal ? 'result' : kind,
      payload:
        refusal || word === 'error'
          ? failure(payload)
          : { ...said(word, payload, members), ...inTime },
      from: namedIn(message['from']),
      to: textOf(message['to']),
      capability: null,
      ids: [id],
      replyTo: textOf(message['ref']),
      conversation: null,
      until: isAsked ? until : null,
    });
  },

  write({ kind, id, at, from, to, payload, answers, work }) {
    const isAnswer = kind === 'result' && payload['summary'] !== undefined;
    const isFailed = kind === 'result' && payload['status'] === 'failed';
    const isError = isFailed && typeof payload['retryable'] === 'boolean';
    const isAccept = kind === 'notify' && payload['topic'] === TASK_ACCEPTED;
    return {
      v: 1,
      id,
      from,
      to,
      ts: at,
      kind: isError ? 'error' : isAnswer ? 'response' : isAccept ? 'ack' : kind,
      ref: answers === null ? null : (spelled(answers.message, 'id') ?? answers.id),
      payload: isAccept
        ? { accepted: true, ...objectOf(payload['data']) }
        : isAnswer
          ? picked(payload, ['data', 'summary', 'tokens_used', 'truncated'])
          : isError
            ? given({
                code: codeOf(payload['code'], answers?.message),
                message: payload['error'],
                ...picked(payload, ['retryable', 'outcome', 'data']),
              })
            : work === undefined
              ? payload
              : { ...payload, context: contextWith({ payload, work }) },
    };
  },

  offer: (message, offer, asked) =>
    answerOf(message, 'capabilities', asked, {
      agent_name: message.from,
      ...picked({ ...offer }, ['domains', 'channels', 'tools']),
      max_concurrent_tasks: offer.tasksAtOnce,
      model: offer.model,
    }),

  pong: (message, pong, asked) => answerOf(message, 'pong', asked, pong),

  ack: (message, { accepted, estimatedMs, reason }, asked) =>
    answerOf(message, 'ack', asked, given({ accepted, estimated_ms: estimatedMs, reason })),
};

/** What a hub itself answers. */
function answerOf(
  { id, at, from, to }: Omit<AxonMessage, 'kind' | 'payload' | 'answers'>,
  kind: string,
  asked: JsonObject,
  payload: JsonObject,
): JsonObject {
  return { v: 1, id, from, to, ts: at, kind, ref: spelled(asked, 'id'), payload };
}

/** What is not understood is a kind that nobody knows, or a message that does not fit. */
function codeOf(code: unknown, message: JsonObject | null | undefined): unknown {
  if (code !== 'not_understood' || message === null || message === undefined) return code;
  const isKnown = KIND(spelled(message, 'kind'), 'kind').ok;
  return !isKnown ? 'unknown_kind' : ACP_DRAFT.read(message).ok ? code : 'invalid_envelope';
}

function said(word: string | null, payload: JsonObject, members: Members): JsonObject {
  if (word === 'ack') return { topic: TASK_ACCEPTED, data: picked(payload, ['estimated_ms']) };
  if (word === 'response') {
    const outcome = textOf(payload['summary']) ?? 'Answered.';
    return {
      status: 'completed',
      outcome,
      ...picked(payload, ['data', 'tokens_used', 'truncated']),
    };
  }
  const own = picked(
    payload,
    [...members.values()].map(({ name }) => name),
  );
  const { retryable: _, ...rest } = own;
  return own['status'] === 'failed' ? { ...rest, ...failure(payload) } : rest;
}

function failure(payload: JsonObject): JsonObject {
  const { code } = payload;
  const error = firstText(payload, 'error', 'message', 'reason', 'outcome') ?? 'It failed.';
  const words = { status: 'failed', outcome: textOf(payload['outcome']) ?? '', error };
  const said = isErrorCode(code) ? readWireErrorCode(code) : null;
  if (payload['accepted'] !== false)
    return { ...words, code: said ?? 'internal', ...picked(payload, ['retryable', 'data']) };
  if (said === null || UNTAKEN.has(said))
    return { ...words, code: said ?? 'rejected', ...picked(payload, ['retryable', 'data']) };
  // Whatever the reason, it was refused, and not begun.
  const { retryable = ERRORS[said].retryable } = payload;
  const data = payload['data'] ?? {};
  const why = isJsonObject(data) ? { reason_code: said, ...data } : data;
  return { ...words, code: 'rejected', retryable, data: why };
}
