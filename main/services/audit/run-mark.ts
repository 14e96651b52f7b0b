// Whether the hub that had this database before ended in order, and which rows it left unsigned: a mark in the database while it runs, another
// one when it stops, which says whether it could sign what it wrote. Whoever can write the database can write the mark, too; it tells of power
// cuts and kills.
import { isJsonObject } from '../../lib/json-object.ts';
import { momentOf } from '../../lib/moment.ts';
import type { AuditReads } from '../../ports/audit.ts';
import type { Reads, Tables } from '../../ports/store.ts';

const META_RUN = 'audit_run';
const RUNS = 'runs';
const ENDED = 'ended';
const ENDED_WITH_UNSIGNED = 'ended_unsigned';

/** By which a row of the audit says that the hub before ended without order. */
export const ENDED_UNEXPECTEDLY = 'hub.ended_unexpectedly';
/** The same of one that stopped in order and could not sign all it wrote: the vault was locked, or the record in doubt. */
export const ENDED_UNSIGNED = 'hub.ended_unsigned';
export type UnsignedEnd = typeof ENDED_UNEXPECTEDLY | typeof ENDED_UNSIGNED;

/** Rows that nobody had signed when the hub ended. */
export interface UnsignedRows {
  readonly rows: number;
  /** The first of them, and its wall clock; 0 and null where there are none, or it cannot be read. */
  readonly fromSeq: number;
  readonly fromAt: number | null;
}

/** How whoever had the database last ended without having signed everything, or without having said so; undefined: neither. */
export function unsignedEnd(reads: Pick<Reads, 'getMeta'>): UnsignedEnd | undefined {
  const mark = reads.getMeta(META_RUN);
  if (mark === RUNS) return ENDED_UNEXPECTEDLY;
  return mark === ENDED_WITH_UNSIGNED ? ENDED_UNSIGNED : undefined;
}

/** Whether a row of that action tells of such an end. */
export function isUnsignedEnd(action: string): boolean {
  return action === ENDED_UNEXPECTEDLY || action === ENDED_UNSIGNED;
}

/** The rows after the last signature. */
export function unsignedRows(reads: AuditReads): UnsignedRows {
  const { issuedSeq } = reads.auditHead();
  const signed = reads.lastAuditSeal()?.seq ?? 0;
  if (issuedSeq <= signed) return { rows: 0, fromSeq: 0, fromAt: null };
  return { rows: issuedSeq - signed, fromSeq: signed + 1, fromAt: reads.auditKept(signed + 1)?.at ?? null };
}

export function markRunning(tables: Tables): void {
  tables.setMeta(META_RUN, RUNS);
}

/** The hub has stopped, and signed what it could. */
export function markEnded(tables: Tables): void {
  tables.setMeta(META_RUN, unsignedRows(tables).rows === 0 ? ENDED : ENDED_WITH_UNSIGNED);
}

export function unsignedDetail({ rows, fromSeq, fromAt }: UnsignedRows): string {
  return JSON.stringify({ rows, from_row: fromSeq, from_at: fromAt });
}

/** @param detail of a row of that action; undefined: it tells of no row that was left unsigned */
export function readUnsignedDetail(detail: string): UnsignedRows | undefined {
  try {
    const value: unknown = JSON.parse(detail);
    if (!isJsonObject(value)) return undefined;
    const { rows, from_row: fromSeq, from_at: fromAt } = value;
    if (!isCount(rows) || !isCount(fromSeq) || rows === 0) return undefined;
    return { rows, fromSeq, fromAt: momentOf(fromAt) };
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
