// What a signature covers: the database, the key, the count, the row and the chain there, under a
// name for this use. So a signature made for anything else never counts here, and one of these
// counts nowhere else. Pure.
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { concatBytes, fromHex, toHex, utf8 } from '../../lib/bytes.ts';
import type { AuditSignatureRow } from '../../ports/audit.ts';

/** Under which name the store has the number of its database. */
export const META_DATABASE_ID = 'database_id';

const USE = 'axon-hub/audit-signature/v1\0';
/** What stands before the 32 bytes of an Ed25519 key in its SubjectPublicKeyInfo (RFC 8410). */
const KEY_INFO_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** The bytes that are signed. @param databaseId hex */
export function signedMessage(
  databaseId: string,
  row: Omit<AuditSignatureRow, 'signature'>,
): Uint8Array {
  const { counter, previous, seq, chain, at, key } = row;
  return concatBytes(
    utf8(USE),
    utf8(
      canonicalJson({ database: databaseId, key, counter, previous, seq, chain: toHex(chain), at }),
    ),
  );
}

/**
 * The checker of one key's signatures. @param keyHex 32 bytes in hex; anything else fits nothing
 */
export function signatureChecker(
  databaseId: string,
  keyHex: string,
): (row: AuditSignatureRow) => boolean {
  const key = publicKeyOf(keyHex);
  return (row) =>
    key !== undefined &&
    row.key === keyHex &&
    verify(null, signedMessage(databaseId, row), key, Buffer.from(row.signature));
}

function publicKeyOf(keyHex: string): KeyObject | undefined {
  const raw = fromHex(keyHex);
  if (raw === undefined || raw.byteLength !== 32) return undefined;
  return createPublicKey({ key: Buffer.concat([KEY_INFO_HEAD, raw]), format: 'der', type: 'spki' });
}
