// What makes two messages the same content (PROTOCOL.md, Delegation states): kind, ref and payload,
// whatever the spelling of the JSON.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Envelope } from './envelope.ts';

/**
 * Lower-case hex SHA-256 of the canonical JSON of {kind, ref, payload}. The same id with another
 * digest is a `conflict`.
 */
export function contentDigest({
  kind,
  ref,
  payload,
}: Pick<Envelope, 'kind' | 'ref' | 'payload'>): string {
  return createHash('sha256').update(canonicalJson({ kind, ref, payload }), 'utf8').digest('hex');
}
