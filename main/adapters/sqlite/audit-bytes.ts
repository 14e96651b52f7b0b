// Rows and signatures of the audit log as the bytes that SQLite keeps, how they are chained, and
// what this program reads in them. Another program may have written any value here. Reading it is
// never an error: the row is shown and reported.
import { createHash } from 'node:crypto';
import {
  AUDIT_NUMBER_MAX,
  CHAIN_START,
  type AuditRow,
  type AuditSignatureRow,
  type ChainedAuditRow,
} from '../../ports/audit.ts';
import { blob, nullable, type Column } from './columns.ts';
import { RowMapper } from './row-mapper.ts';

const CHAIN_USE = 'axon-hub/audit/v2\0';
const CHAIN_KINDS = { null: 0, integer: 1, text: 2 } as const;
const CHAIN_HEAD_SIZE_BYTES = 5;
const CHAIN_SIZE_BYTES = CHAIN_START.chain.byteLength;
/** The latest time that a calendar has, and the earliest before 1970, in ms. */
const MOMENT_MAX_MS = 8_640_000_000_000_000;

/**
 * A column as SQLite casts it to a BLOB: decimal digits for a number, UTF-8 for text; null where it
 * is null.
 */
interface ColumnBytes {
  readonly kind: 'integer' | 'text';
  readonly bytes: Uint8Array | null;
}

/**
 * A row as SQLite keeps it: text that is not UTF-8 would come back as other text, and a number out
 * of range as another number.
 */
export type RawAuditRow = { readonly [Field in keyof ChainedAuditRow]: Uint8Array | null };
type RawSignature = { readonly [Field in keyof AuditSignatureRow]: Uint8Array | null };

const raw = (name: string): Column<Uint8Array | null> => nullable(blob(`CAST(${name} AS BLOB)`));

export const RAW = new RowMapper<RawAuditRow>({
  seq: raw('seq'),
  at: raw('at'),
  monotonicMs: raw('monotonic_ms'),
  actor: raw('actor'),
  surface: raw('surface'),
  action: raw('action'),
  object: raw('object'),
  rule: raw('rule'),
  digest: raw('digest'),
  detail: raw('detail'),
  chain: raw('chain'),
});

export const RAW_SIGNATURE = new RowMapper<RawSignature>({
  counter: raw('counter'),
  previous: raw('previous'),
  seq: raw('seq'),
  chain: raw('chain'),
  at: raw('at'),
  key: raw('key'),
  signature: raw('signature'),
});

/** What the chain covers, in the order in which it does. */
const COVERED = [
  ['seq', 'integer'],
  ['at', 'integer'],
  ['monotonicMs', 'integer'],
  ['actor', 'text'],
  ['surface', 'text'],
  ['action', 'text'],
  ['object', 'text'],
  ['rule', 'text'],
  ['digest', 'text'],
  ['detail', 'text'],
] as const satisfies readonly (readonly [keyof AuditRow, ColumnBytes['kind']])[];

/**
 * How a row is chained to the one before: SHA-256 over a name of this use, the chain before, and
 * every column behind its kind and length, so that no two different rows have the same bytes.
 * @param previous the 32 bytes of the row before @param columns every column but the chain, in the
 * order of the table
 */
export function chainOf(previous: Uint8Array, columns: readonly ColumnBytes[]): Uint8Array {
  const hash = createHash('sha256').update(CHAIN_USE).update(previous);
  for (const { kind, bytes } of columns) {
    const head = Buffer.alloc(CHAIN_HEAD_SIZE_BYTES);
    head.writeUInt8(bytes === null ? CHAIN_KINDS.null : CHAIN_KINDS[kind], 0);
    head.writeUInt32BE(bytes?.byteLength ?? 0, 1);
    hash.update(head);
    if (bytes !== null) hash.update(bytes);
  }
  return new Uint8Array(hash.digest());
}

/** What the chain comes to with a row that stands there. */
export function rawChain(previous: Uint8Array, row: RawAuditRow): Uint8Array {
  return chainOf(
    previous,
    COVERED.map(([field, kind]) => ({ kind, bytes: row[field] })),
  );
}

/** The same of a row that this program writes. */
export function chainOfRow(previous: Uint8Array, row: AuditRow): Uint8Array {
  return chainOf(
    previous,
    COVERED.map(([field, kind]) => ({ kind, bytes: bytesOf(row[field]) })),
  );
}

/**
 * The row that can be shown: text where there is none is empty, and a number or a time that is none
 * is null.
 */
export function rowOf(row: RawAuditRow): ChainedAuditRow {
  return {
    seq: numberOf(row.seq) ?? 0,
    at: momentOf(row.at),
    monotonicMs: numberOf(row.monotonicMs),
    actor: textOf(row.actor),
    surface: textOf(row.surface),
    action: textOf(row.action),
    object: textOf(row.object),
    rule: row.rule === null ? null : textOf(row.rule),
    digest: row.digest === null ? null : textOf(row.digest),
    detail: textOf(row.detail),
    chain: row.chain ?? new Uint8Array(0),
  };
}

/**
 * The signature that can be checked: a number that no hub signs stands for whatever is none that
 * one could.
 */
export function signatureOf(row: RawSignature): AuditSignatureRow {
  return {
    counter: numberOf(row.counter) ?? 0,
    previous: signedNumber(row.previous, 0),
    seq: signedNumber(row.seq, 1),
    chain: row.chain ?? new Uint8Array(0),
    at: momentOf(row.at) ?? Number.MAX_SAFE_INTEGER,
    key: textOf(row.key),
    signature: row.signature ?? new Uint8Array(0),
  };
}

/** What the row behind is chained to: what is no chain counts as there being none. */
export function chainIn(bytes: Uint8Array | null): Uint8Array {
  return bytes?.byteLength === CHAIN_SIZE_BYTES ? bytes : CHAIN_START.chain;
}

function bytesOf(value: string | number | null): Uint8Array | null {
  return value === null ? null : Buffer.from(String(value));
}

export function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8');
}

/** null: not what this program writes for a whole number that it knows. */
export function numberOf(bytes: Uint8Array | null): number | null {
  const text = textOf(bytes);
  const value = Number(text);
  return Number.isSafeInteger(value) && String(value) === text ? value : null;
}

/** A time in ms since 1970 that a calendar has. */
function momentOf(bytes: Uint8Array | null): number | null {
  const ms = numberOf(bytes);
  return ms !== null && Math.abs(ms) <= MOMENT_MAX_MS ? ms : null;
}

function signedNumber(bytes: Uint8Array | null, min: number): number {
  const value = numberOf(bytes);
  return value !== null && value >= min && value <= AUDIT_NUMBER_MAX
    ? value
    : Number.MAX_SAFE_INTEGER;
}
