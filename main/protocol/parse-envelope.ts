// Bytes of one stream -> one envelope, or the reason why not (PROTOCOL.md, Envelope). Checks form
// only: whether the sender may say this, and whether the payload fits its kind, is decided by
// others. Unknown kinds and unknown fields pass.
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { readStrictJson } from '../lib/strict-json.ts';
import { isAgentId } from './agent-id.ts';
import type { Envelope } from './envelope.ts';
import { kindEntry } from './kinds.ts';
import { ENVELOPE_JSON_LIMITS, KIND_MAX_CHARACTERS, TIMESTAMP_MAX_MS } from './limits.ts';
import { isMessageId } from './message-id.ts';
import { PROTOCOL_VERSION } from './versions.ts';

/**
 * `id` and `kind` are what could still be read, so that an `error` can name the message it refuses.
 */
export interface EnvelopeRefusal {
  readonly reason: string;
  readonly id: string | null;
  readonly kind: string | null;
}

interface ParsedEnvelope {
  readonly envelope: Envelope;
  /** The text exactly as it came, for the record. */
  readonly raw: string;
}

const KIND = /^[A-Za-z][A-Za-z0-9._-]*$/;

/**
 * Parses what arrived on one stream. Never throws.
 * @param bytes the whole stream, at most 65,536 bytes
 */
export function parseEnvelope(bytes: Uint8Array): Result<ParsedEnvelope, EnvelopeRefusal> {
  return parseMessage(bytes, readEnvelope);
}

/**
 * One message of any form: one strict JSON object, read by `read`. Never throws.
 * @param read the envelope, or why the members are none
 */
export function parseMessage<Form extends object>(
  bytes: Uint8Array,
  read: (fields: JsonObject) => Form | string,
): Result<{ readonly envelope: Form; readonly raw: string }, EnvelopeRefusal> {
  const json = readStrictJson(bytes, ENVELOPE_JSON_LIMITS);
  if (!json.ok) {
    const { outerStrings } = json.error;
    return err({
      reason: json.error.reason,
      ...whatIsKnown(outerStrings.get('id'), outerStrings.get('kind')),
    });
  }
  const fields = json.value;
  if (!isJsonObject(fields))
    return err({ reason: 'a message is one JSON object', id: null, kind: null });
  const envelope = read(fields);
  if (typeof envelope === 'string')
    return err({ reason: envelope, ...whatIsKnown(fields.id, fields.kind) });
  return ok({ envelope, raw: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) });
}

function readEnvelope(fields: JsonObject): Envelope | string {
  const { v, id, from, to, ts, kind } = fields;
  const ref = fields.ref ?? null;
  if (v !== PROTOCOL_VERSION)
    return `"v" must be ${PROTOCOL_VERSION}, the only version this hub speaks`;
  if (!isIdText(id))
    return '"id" must be a fresh UUID version 4 in lower case, such as "3f0c1f5e-8f53-4b6e-9a53-0d8a1c5b7e21"';
  if (typeof from !== 'string' || !isAgentId(from))
    return '"from" must be an agent id: "ed25519." and 32 lower-case hex digits';
  if (typeof to !== 'string' || !isAgentId(to))
    return '"to" must be an agent id: "ed25519." and 32 lower-case hex digits';
  if (typeof ts !== 'number' || !Number.isSafeInteger(ts) || ts < 0 || ts > TIMESTAMP_MAX_MS) {
    return '"ts" must be the time of sending as whole milliseconds since 1970';
  }
  if (!isKindText(kind))
    return `"kind" must be one word of at most ${KIND_MAX_CHARACTERS} characters, such as "query"`;
  if (ref !== null && !isIdText(ref))
    return '"ref" must be null or the id of the message this one answers';
  const payload = readPayload(fields.payload, kind);
  if (payload === undefined) return `"payload" of a ${kind} must be a JSON object`;
  return { v, id, from, to, ts, kind, ref, payload };
}

/**
 * A kind without a payload may leave it out; so may a kind we do not know, since it is answered by
 * its name alone.
 */
function readPayload(payload: unknown, kind: string): JsonObject | undefined {
  if (isJsonObject(payload)) return payload;
  const mayBeAbsent = kindEntry(kind)?.hasPayload !== true;
  return payload === undefined && mayBeAbsent ? {} : undefined;
}

/** What could be read of a message that is refused. */
function whatIsKnown(id: unknown, kind: unknown): Omit<EnvelopeRefusal, 'reason'> {
  return { id: isIdText(id) ? id : null, kind: isKindText(kind) ? kind : null };
}

function isIdText(value: unknown): value is string {
  return typeof value === 'string' && isMessageId(value);
}

/** True for one word in the form of a kind, known or not. */
export function isKindText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= KIND_MAX_CHARACTERS && KIND.test(value);
}
