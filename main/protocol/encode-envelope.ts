// One envelope -> the text that goes on the wire: compact JSON, every non-ASCII character as \uXXXX
// (PROTOCOL.md, Streams and frames). It never sends what a hub that follows the protocol would
// refuse.
import { AppError } from '../lib/app-error.ts';
import type { JsonObject } from '../lib/json-object.ts';
import { whyRefused } from '../lib/strict-json.ts';
import type { Envelope } from './envelope.ts';
import { ENVELOPE_JSON_LIMITS, ENVELOPE_SIZE_MAX_BYTES } from './limits.ts';

const NOT_ASCII = /[\u007f-\uffff]/g;

/**
 * The text of a message, ASCII only, so its length is its size in bytes.
 * @throws AppError payload_too_large beyond 65,536 bytes; bad_request for content no hub would take
 * (too deep, half a surrogate pair ...)
 */
export function encodeEnvelope(envelope: Envelope): string {
  const { v, id, from, to, ts, kind, ref, payload } = envelope;
  return encodeMessage({ v, id, from, to, ts, kind, ref, payload });
}

/** The text of any message of one JSON object, in the order of its members; as encodeEnvelope. */
export function encodeMessage(members: JsonObject): string {
  const text = JSON.stringify(members).replaceAll(NOT_ASCII, escapeUnit);
  if (text.length > ENVELOPE_SIZE_MAX_BYTES) {
    throw new AppError(
      'payload_too_large',
      `The message is ${text.length} bytes long; a hub takes ${ENVELOPE_SIZE_MAX_BYTES} at most.`,
      {
        failedBy: 'input',
        hint: 'Shorten the text, or send it in parts. Each character outside plain English letters counts as six bytes or more.',
      },
    );
  }
  const refused = whyRefused(text, ENVELOPE_JSON_LIMITS);
  if (refused !== undefined) {
    throw new AppError('bad_request', `No hub would take this message: ${refused}.`, {
      failedBy: 'input',
    });
  }
  return text;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
