// The text form of a seed wherever it is kept: 32 bytes in standard padded base64 (PROTOCOL.md,
// Identity). Pure.
import { fromBase64, toBase64 } from '../../lib/bytes.ts';
import { Secret } from '../../lib/secret.ts';

const SEED_LENGTH_BYTES = 32;

export function seedToText(seed: Secret<Uint8Array>): string {
  const bytes = seed.expose();
  if (bytes.byteLength !== SEED_LENGTH_BYTES) throw new RangeError('an identity seed has 32 bytes');
  return toBase64(bytes);
}

/** Undefined unless the text is exactly 32 bytes in their one canonical spelling. */
export function textToSeed(text: string): Secret<Uint8Array> | undefined {
  const bytes = fromBase64(text);
  if (bytes === undefined || bytes.byteLength !== SEED_LENGTH_BYTES || toBase64(bytes) !== text)
    return undefined;
  return new Secret(bytes);
}
