// The envelope of the public reference daemon (PROTOCOL.md, Reference profile): four members, four
// kinds, no names of hubs. Bytes to values and back, form only, as strictly as our own envelope;
// what a message means is decided by the mapping beside it.
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { Result } from '../../lib/result.ts';
import { encodeMessage } from '../encode-envelope.ts';
import { isMessageId } from '../message-id.ts';
import { isKindText, parseMessage, type EnvelopeRefusal } from '../parse-envelope.ts';

export interface ReferenceEnvelope {
  readonly id: string;
  /** `request`, `response`, `message` or `error`; from outside any word. */
  readonly kind: string;
  readonly ref: string | null;
  readonly payload: JsonObject;
}

export interface ParsedReferenceEnvelope {
  readonly envelope: ReferenceEnvelope;
  /** The text exactly as it came, for the record. */
  readonly raw: string;
}

/**
 * Parses what arrived on one stream. Never throws. A message with `v` is one of ours and refused
 * here; other members are ignored.
 * @param bytes the whole stream, at most 65,536 bytes
 */
export function parseReferenceEnvelope(
  bytes: Uint8Array,
): Result<ParsedReferenceEnvelope, EnvelopeRefusal> {
  return parseMessage(bytes, readEnvelope);
}

/**
 * The text of a message, ASCII only: the daemon loses texts that are not.
 * @throws AppError payload_too_large, bad_request, as encodeEnvelope
 */
export function encodeReferenceEnvelope({ id, kind, ref, payload }: ReferenceEnvelope): string {
  return encodeMessage({ id, kind, ...(ref === null ? {} : { ref }), payload });
}

function readEnvelope(fields: JsonObject): ReferenceEnvelope | string {
  const { id, kind, payload } = fields;
  const ref = fields.ref ?? null;
  if ('v' in fields) return 'a message with "v" is of another profile';
  if (typeof id !== 'string' || !isMessageId(id))
    return '"id" must be a fresh UUID version 4 in lower case';
  if (!isKindText(kind))
    return '"kind" must be one word: "request", "response", "message" or "error"';
  if (ref !== null && (typeof ref !== 'string' || !isMessageId(ref)))
    return '"ref" must be absent, null or the id of a message';
  if (!isJsonObject(payload)) return '"payload" must be a JSON object';
  return { id, kind, ref, payload };
}
