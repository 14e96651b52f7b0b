// What our kinds are in the words of the public reference daemon, and the other way round
// (PROTOCOL.md, Reference profile). Values to values, pure: whoever speaks it decides nothing here,
// and is trusted with nothing more than any other peer.
import { readWireErrorCode } from '../../../preload/contract/errors.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Envelope } from '../envelope.ts';
import { FEATURES, kindEntry, KINDS, type Kind, type StreamType } from '../kinds.ts';
import type { ReferenceEnvelope } from './reference-envelope.ts';

/** A message of ours without what only our own envelope has. */
export type Message = Pick<Envelope, 'id' | 'kind' | 'ref' | 'payload'>;
export type Reply = Pick<Envelope, 'kind' | 'payload'>;

/** The topic of what its people and programs tell without any kind of ours. */
export const PLAIN_TOPIC = 'axon.message';
/**
 * The reference kinds, their streams, whether one begins with them, and which kinds of ours each
 * carries.
 */
export const REFERENCE_KINDS = {
  request: {
    stream: 'bidirectional',
    opens: true,
    carries: ['ping', 'query', 'delegate', 'cancel', 'discover'],
  },
  response: {
    stream: 'bidirectional',
    opens: false,
    carries: ['pong', 'response', 'ack', 'capabilities'],
  },
  message: { stream: 'unidirectional', opens: true, carries: ['result', 'notify'] },
  error: { stream: 'unidirectional', opens: true, carries: ['error'] },
} as const satisfies Record<
  string,
  { readonly stream: StreamType; readonly opens: boolean; readonly carries: readonly Kind[] }
>;

/** Kinds of ours that travel as a `request`. */
export const CARRIED_REQUESTS: ReadonlySet<string> = new Set(REFERENCE_KINDS.request.carries);
const CARRIERS: ReadonlyMap<string, string> = new Map(
  Object.entries(REFERENCE_KINDS).flatMap(([carrier, { carries }]) =>
    carries.map((kind): [string, string] => [kind, carrier]),
  ),
);

/** Codes by which it says that hello is none of its kinds. */
const NO_HELLO: ReadonlySet<unknown> = new Set(['unknown_kind', 'unsupported_kind', 'unhandled']);
/**
 * What it says of every request: its agents were shown it, and the daemon itself does nothing with
 * it.
 */
const DELIVERED = 'unhandled';

/**
 * Of these kinds, those that a peer of this profile can be sent: what one of its own kinds carries,
 * and nothing else.
 */
export function carriedOf(kinds: readonly string[]): readonly string[] {
  return kinds.filter((kind) => CARRIERS.has(kind));
}

/** The optional kinds that a peer of this profile can be sent. */
export const REFERENCE_FEATURES: readonly string[] = carriedOf(FEATURES);

/** True for what it answers to hello, and no hub does. */
export function declinesHello({ kind, payload }: ReferenceEnvelope): boolean {
  return kind === 'error' && NO_HELLO.has(payload.code);
}

/** True for an answer that says no more than that the request reached its agents. */
export function saysDelivered({ kind, payload }: ReferenceEnvelope): boolean {
  return kind === 'error' && payload.code === DELIVERED;
}

/**
 * True for an answer in plain words: where those answer nothing of the kind that was asked, they
 * show at least that it was delivered.
 */
export function isPlainResponse({ kind, payload }: ReferenceEnvelope): boolean {
  return kind === 'response' && isPlain(payload);
}

/**
 * A message of ours in its words; undefined for hello, pair and what this version does not know.
 */
export function toReference({ id, kind, ref, payload }: Message): ReferenceEnvelope | undefined {
  if (kind === 'error') return { id, kind, ref, payload };
  const carrier = CARRIERS.get(kind);
  return carrier === undefined
    ? undefined
    : { id, kind: carrier, ref, payload: { ...payload, axon_kind: kind } };
}

/**
 * Its request in our words: what `axon_kind` names, or else a query whose question is its
 * `message`. undefined for a kind that it cannot ask.
 */
export function requestOf({ id, ref, payload }: ReferenceEnvelope): Message | undefined {
  if (isPlain(payload)) return { id, kind: 'query', ref, payload: plainQuery(payload) };
  const { axon_kind: kind, ...rest } = payload;
  return typeof kind === 'string' && CARRIED_REQUESTS.has(kind)
    ? { id, kind, ref, payload: rest }
    : undefined;
}

/**
 * Our answer to its request. Who asked in plain words also gets the answer as plain words, under
 * `message`, where there is room.
 */
export function replyToReference(
  id: string,
  request: ReferenceEnvelope,
  reply: Reply,
  hasRoom = true,
): ReferenceEnvelope {
  const { kind, payload } = reply;
  if (kind === 'error') return { id, kind, ref: request.id, payload };
  const plain =
    hasRoom && isPlain(request.payload) && typeof payload.summary === 'string'
      ? { message: payload.summary }
      : {};
  return {
    id,
    kind: 'response',
    ref: request.id,
    payload: { ...plain, ...payload, axon_kind: kind },
  };
}

/**
 * What it tells on a stream of its own, in our words: `notify` or `result` by `axon_kind`, an
 * `error`, or else a notify of the topic `axon.message`. undefined for what is none of these.
 * @param reportsOn true when `ref` names a delegation of ours: then plain words are its result
 */
export function noticeOf(
  { id, kind, ref, payload }: ReferenceEnvelope,
  reportsOn: boolean,
): Message | undefined {
  if (kind === 'error') return { id, kind, ref, payload };
  if (kind !== 'message') return undefined;
  if (!isPlain(payload)) {
    const { axon_kind: named, ...rest } = payload;
    return named === 'notify' || named === 'result' || named === 'error'
      ? { id, kind: named, ref, payload: rest }
      : undefined;
  }
  if (reportsOn) return { id, kind: 'result', ref, payload: plainResult(payload) };
  return {
    id,
    kind: 'notify',
    ref,
    payload: { topic: PLAIN_TOPIC, data: payload, importance: 'low' },
  };
}

/**
 * The answer to our request `kind` that a `response`, or a `message` or `error` with our id as ref,
 * holds: the reply of that kind or an `error`. Plain words answer a query; undefined for what
 * answers nothing of that kind.
 */
export function answerOf(
  kind: string,
  { kind: carrier, payload }: ReferenceEnvelope,
): Reply | undefined {
  if (carrier === 'error') return { kind: 'error', payload };
  if (carrier !== 'response' && carrier !== 'message') return undefined;
  if (isPlain(payload))
    return kind === 'query' ? { kind: 'response', payload: plainResponse(payload) } : undefined;
  const { axon_kind: named, ...rest } = payload;
  if (named === 'error') return { kind: 'error', payload: rest };
  if (typeof named === 'string' && named === kindEntry(kind)?.reply)
    return { kind: named, payload: rest };
  if (named === 'result' && kind === 'query') return responseOfResult(rest);
  return undefined;
}

/**
 * What is taken for the answer when it says only that the request was delivered; undefined where
 * the answer has to be waited for.
 */
export function assumedAnswer(kind: string): Reply | undefined {
  switch (kind) {
    case 'ping':
      return { kind: KINDS.ping.reply, payload: { status: 'idle' } };
    case 'delegate':
      return { kind: KINDS.delegate.reply, payload: { accepted: true, state: 'queued' } };
    case 'cancel':
      // Its agents were asked to stop; whether they do is theirs.
      return { kind: KINDS.cancel.reply, payload: { accepted: true, state: 'working' } };
    default:
      return undefined;
  }
}

function isPlain(payload: JsonObject): boolean {
  return payload.axon_kind === undefined;
}

function plainQuery(payload: JsonObject): JsonObject {
  const { message, ...rest } = payload;
  if (typeof message === 'string') return { ...rest, question: message };
  return typeof payload.question === 'string' ? payload : { question: payload };
}

function plainText(payload: JsonObject): string {
  return typeof payload.message === 'string' ? payload.message : canonicalJson(payload);
}

/** The whole payload, unless its text says it all. */
function plainData(payload: JsonObject): JsonObject | null {
  return typeof payload.message === 'string' && Object.keys(payload).length === 1 ? null : payload;
}

function plainResponse(payload: JsonObject): JsonObject {
  return { data: plainData(payload), summary: plainText(payload) };
}

function plainResult(payload: JsonObject): JsonObject {
  return {
    status: 'completed',
    outcome: plainText(payload),
    data: plainData(payload),
    error: null,
  };
}

function responseOfResult(payload: JsonObject): Reply {
  const outcome = typeof payload.outcome === 'string' ? payload.outcome : '';
  if (payload.status !== 'failed')
    return { kind: 'response', payload: { data: payload.data ?? null, summary: outcome } };
  const message = typeof payload.error === 'string' ? payload.error : outcome;
  return { kind: 'error', payload: { code: readWireErrorCode(payload.code), message } };
}
