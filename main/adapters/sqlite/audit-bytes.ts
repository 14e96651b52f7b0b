// Rows and signatures of the audit log as the bytes that SQLite keeps, which are what the chain covers, and what this program reads in them.
// Whoever can write the database may have put any value anywhere, or made the table anew to take it: none is an error here, for such a row is to
// be shown and named. Judges nothing.
import { AUDIT_NUMBER_MAX, CHAIN_START, type AuditRow, type AuditSignatureRow, type ChainedAuditRow } from '../../ports/audit.ts';
import { momentOf } from '../../lib/moment.ts';
import { chainOf, type ColumnBytes } from './audit-chain.ts';
import { blob, nullable, type Column } from './columns.ts';
import { RowMapper } from './row-mapper.ts';

const CHAIN_SIZE_BYTES = CHAIN_START.chain.byteLength;

/** A row as SQLite keeps it: text that is not UTF-8 would come back as other text, and a number out of range as another number. */
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

/** The row that can be shown: text where there is none is empty, and a number or a time that is none is null. */
export function rowOf(row: RawAuditRow): ChainedAuditRow {
  return {
    seq: numberOf(row.seq) ?? 0,
    at: momentOf(numberOf(row.at)),
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

/** The signature that can be checked: a number that no hub signs stands for whatever is none that one could. */
export function signatureOf(row: RawSignature): AuditSignatureRow {
  return {
    counter: numberOf(row.counter) ?? 0,
    previous: signedNumber(row.previous, 0),
    seq: signedNumber(row.seq, 1),
    chain: row.chain ?? new Uint8Array(0),
    at: momentOf(numberOf(row.at)) ?? Number.MAX_SAFE_INTEGER,
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

function signedNumber(bytes: Uint8Array | null, min: number): number {
  const value = numberOf(bytes);
  return value !== null && value >= min && value <= AUDIT_NUMBER_MAX ? value : Number.MAX_SAFE_INTEGER;
}
