// The first draft of AXON: the same kinds and fields, older addresses, and no payload where a kind
// has none.
import { isErrorCode, readWireErrorCode } from '../../preload/contract/errors.ts';
import type { JsonObject } from '../lib/json-object.ts';
import { err, ok } from '../lib/result.ts';
import { TASK_ACCEPTED } from './dialect.ts';
import type { Dialect, ReadingKind } from './dialect.ts';
import { entryOf, firstText, namedIn, objectOf, picked, textOf } from './members.ts';

const KINDS: Readonly<Record<string, ReadingKind>> = {
  query: 'query',
  delegate: 'delegate',
  notify: 'notify',
  cancel: 'cancel',
  discover: 'discover',
  response: 'result',
  result: 'result',
  error: 'result',
  ack: 'accept',
};

/** What of a payload is AXON; the rest stays in the message. */
const MEMBERS: Readonly<Record<ReadingKind, readonly string[]>> = {
  query: ['question', 'domain', 'max_tokens', 'deadline_ms'],
  delegate: [
    'act',
    'task',
    'context',
    'priority',
    'report_back',
    'deadline_ms',
    'domain',
    'reason',
  ],
  notify: ['topic', 'data', 'importance'],
  result: ['status', 'outcome', 'data', 'error', 'code', 'tokens_used'],
  cancel: ['reason'],
  accept: [],
  discover: [],
};

export const ACP_DRAFT: Dialect = {
  name: 'acp-draft',

  detect: ({ kind }) => entryOf(KINDS, kind) !== undefined,

  read(message) {
    const word = textOf(message['kind']);
    const kind = entryOf(KINDS, word);
    if (kind === undefined) return err(`"kind" must be one of ${Object.keys(KINDS).join(', ')}`);
    const id = textOf(message['id']);
    if (id === null) return err('"id" must be text that is unique to the message');
    const payload = objectOf(message['payload']);
    const refusal = word === 'ack' && payload['accepted'] === false;
    return ok({
      kind: refusal ? 'result' : kind,
      payload: refusal || word === 'error' ? failure(payload) : said(kind, word, payload),
      from: namedIn(message['from']),
      to: textOf(message['to']),
      capability: null,
      ids: [id],
      replyTo: textOf(message['ref']),
      conversation: null,
    });
  },

  write({ kind, id, at, from, to, payload, answers }) {
    const isAnswer = kind === 'result' && payload['summary'] !== undefined;
    const isAccept = kind === 'notify' && payload['topic'] === TASK_ACCEPTED;
    return {
      v: 1,
      id,
      from,
      to,
      ts: at,
      kind: isAnswer ? 'response' : isAccept ? 'ack' : kind,
      ref: answers === null ? null : (objectOf(answers.message)['id'] ?? answers.id),
      payload: isAccept ? { accepted: true, ...objectOf(payload['data']) } : payload,
    };
  },

  offer: ({ id, at, from, to }, { domains, channels, tools }, asked) => ({
    v: 1,
    id,
    from,
    to,
    ts: at,
    kind: 'capabilities',
    ref: asked['id'],
    payload: { agent_name: from, domains, channels, tools },
  }),
};

function said(kind: ReadingKind, word: string | null, payload: JsonObject): JsonObject {
  if (word === 'ack') return { topic: TASK_ACCEPTED, data: picked(payload, ['estimated_ms']) };
  if (word === 'response') {
    const outcome = textOf(payload['summary']) ?? 'Answered.';
    return { status: 'completed', outcome, ...picked(payload, ['data', 'tokens_used']) };
  }
  const members = picked(payload, MEMBERS[kind]);
  return members['status'] === 'failed' ? { ...members, ...failure(payload) } : members;
}

function failure(payload: JsonObject): JsonObject {
  const { code } = payload;
  const error = firstText(payload, 'error', 'message', 'reason', 'outcome') ?? 'It failed.';
  const fallback = 'accepted' in payload ? 'rejected' : 'internal';
  return {
    status: 'failed',
    outcome: textOf(payload['outcome']) ?? '',
    error,
    code: isErrorCode(code) ? readWireErrorCode(code) : fallback,
  };
}
