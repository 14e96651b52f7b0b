// How one audit row is chained to the one before: SHA-256 over a name of this use, the chain before, and the bytes of every column as SQLite
// keeps them, each behind its kind and length, so that no two different rows have the same bytes. Pure.
import { createHash } from 'node:crypto';

const USE = 'axon-hub/audit/v2\0';
const KINDS = { null: 0, integer: 1, text: 2 } as const;
const HEAD_SIZE_BYTES = 5;

/** A column as SQLite casts it to a BLOB: decimal digits for a number, UTF-8 for text; null where it is null. */
export interface ColumnBytes {
  readonly kind: 'integer' | 'text';
  readonly bytes: Uint8Array | null;
}

/** @param previous the 32 bytes of the row before @param columns every column but the chain, in the order of the table */
export function chainOf(previous: Uint8Array, columns: readonly ColumnBytes[]): Uint8Array {
  const hash = createHash('sha256').update(USE).update(previous);
  for (const { kind, bytes } of columns) {
    const head = Buffer.alloc(HEAD_SIZE_BYTES);
    head.writeUInt8(bytes === null ? KINDS.null : KINDS[kind], 0);
    head.writeUInt32BE(bytes?.byteLength ?? 0, 1);
    hash.update(head);
    if (bytes !== null) hash.update(bytes);
  }
  return new Uint8Array(hash.digest());
}
