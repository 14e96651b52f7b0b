// Tables `audit` and `audit_signatures`: who did what, append-only (triggers), chained over the
// bytes of every column, and the signatures over that chain. What stands there is read whatever it
// is. Signs nothing and judges nothing.
import { AppError } from '../../../lib/app-error.ts';
import {
  AUDIT_NUMBER_MAX,
  CHAIN_START,
  type AuditReads,
  type AuditRow,
  type AuditWrites,
} from '../../../ports/audit.ts';
import {
  chainIn,
  chainOfRow,
  numberOf,
  RAW,
  RAW_SIGNATURE,
  rawChain,
  rowOf,
  signatureOf,
  textOf,
  type RawAuditRow,
} from '../audit-bytes.ts';
import { blob, integer, milliseconds, nullable, sha256, text } from '../columns.ts';
import { pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

/** What this program writes; it reads RAW. */
const WRITTEN = new RowMapper<AuditRow & { readonly at: number; readonly chain: Uint8Array }>({
  seq: integer('seq'),
  at: milliseconds('at'),
  monotonicMs: nullable(milliseconds('monotonic_ms')),
  actor: text('actor'),
  surface: text('surface'),
  action: text('action'),
  object: text('object'),
  rule: nullable(text('rule')),
  digest: nullable(text('digest')),
  detail: text('detail'),
  chain: sha256('chain'),
});
const WRITTEN_SIGNATURE = new RowMapper({
  counter: integer('counter'),
  previous: integer('previous'),
  seq: integer('seq'),
  chain: sha256('chain'),
  at: milliseconds('at'),
  key: text('key'),
  signature: blob('signature'),
});

const NUMBERS: ReadonlySet<string> = new Set(['seq', 'at', 'monotonic_ms', 'counter', 'previous']);

/**
 * The numbers that this program gives: what stands under any other is no row and no signature of
 * this log.
 */
const OWN = `BETWEEN 1 AND ${AUDIT_NUMBER_MAX}`;

export const AUDIT_QUERIES = {
  page: `SELECT ${RAW.columns} FROM audit WHERE seq < ? AND seq ${OWN} ORDER BY seq DESC LIMIT ?`,
  countAfter: `SELECT count(*) FROM audit WHERE seq > ? AND seq ${OWN}`,
  upTo: `SELECT ${RAW.columns} FROM audit WHERE seq <= ? AND seq ${OWN} ORDER BY seq DESC LIMIT 2`,
  last: `SELECT ${RAW.columns} FROM audit WHERE seq ${OWN} ORDER BY seq DESC LIMIT 1`,
  issued: "SELECT seq FROM sqlite_sequence WHERE name = 'audit'",
  raw: `SELECT ${RAW.columns} FROM audit WHERE seq > ? AND seq <= ? AND seq ${OWN} ORDER BY seq LIMIT ?`,
  signatures: `SELECT ${RAW_SIGNATURE.columns} FROM audit_signatures WHERE counter > ? AND counter ${OWN} ORDER BY counter LIMIT ?`,
  lastSignature: `SELECT ${RAW_SIGNATURE.columns} FROM audit_signatures WHERE counter ${OWN} ORDER BY counter DESC LIMIT 1`,
} as const;

export function auditReads(statements: Statements): AuditReads {
  const walkAudit: AuditReads['walkAudit'] = (from, upToSeq, limit, look) => {
    let position = from;
    // One more than is walked, so that a number that stands twice shows at the end of a page, too.
    const rows = statements.all(RAW, AUDIT_QUERIES.raw, from.seq, upToSeq, pageLimit(limit) + 1);
    for (const [index, row] of rows.entries()) {
      const seq = position.seq + 1;
      if (seqOf(row) !== seq)
        return { position, mismatch: { seq, kind: seqOf(row) > seq ? 'missing' : 'changed' } };
      if (index === pageLimit(limit)) return { position, mismatch: null };
      const chain = rawChain(position.chain, row);
      if (row.chain === null || Buffer.compare(chain, row.chain) !== 0)
        return { position, mismatch: { seq, kind: 'changed' } };
      position = { seq, chain };
      look?.({ ...position, action: textOf(row.action) });
    }
    return {
      position,
      mismatch: position.seq < upToSeq ? { seq: position.seq + 1, kind: 'missing' } : null,
    };
  };
  return {
    audit: (page) =>
      statements.all(RAW, AUDIT_QUERIES.page, pageBefore(page), pageLimit(page.limit)).map(rowOf),
    auditAfter: (afterSeq, upToSeq, limit) =>
      statements.all(RAW, AUDIT_QUERIES.raw, afterSeq, upToSeq, pageLimit(limit)).map(rowOf),
    auditCountAfter: (seq) => Number(statements.value(AUDIT_QUERIES.countAfter, seq) ?? 0),
    auditChainAt: (seq) => {
      const [row, before] = statements.all(RAW, AUDIT_QUERIES.upTo, seq);
      if (row === undefined || seqOf(row) !== seq) return undefined;
      return rawChain(before === undefined ? CHAIN_START.chain : chainIn(before.chain), row);
    },
    auditHead: () => headOf(statements),
    walkAudit,
    auditSignatures: (afterCounter, limit) =>
      statements
        .all(RAW_SIGNATURE, AUDIT_QUERIES.signatures, afterCounter, pageLimit(limit))
        .map(signatureOf),
    lastAuditSignature: () => {
      const last = statements.one(RAW_SIGNATURE, AUDIT_QUERIES.lastSignature);
      return last === undefined ? undefined : signatureOf(last);
    },
  };
}

/** @param monotonicMs the clock of this process */
export function auditWrites(statements: Statements, monotonicMs: () => number): AuditWrites {
  const insert = `INSERT INTO audit (${WRITTEN.columns}) VALUES (${valuesOf(WRITTEN)})`;
  const insertSignature = `INSERT INTO audit_signatures (${WRITTEN_SIGNATURE.columns}) VALUES (${valuesOf(WRITTEN_SIGNATURE)})`;
  return {
    appendAudit: (entry) => {
      const issued = issuedOf(statements);
      const { chain: previous, issuedSeq } = headOf(statements, issued);
      if (issuedSeq >= AUDIT_NUMBER_MAX) throw noNumberLeft(issuedSeq);
      const row = {
        rule: null,
        ...entry,
        at: Math.round(entry.at),
        monotonicMs: Math.round(monotonicMs()),
        seq: issuedSeq + 1,
      };
      const chain = chainOfRow(previous, row);
      statements.run(insert, ...WRITTEN.write({ ...row, chain }, statements));
      if (issued === null) statements.run(SEQUENCE_SET, row.seq);
      return { seq: row.seq, chain };
    },
    insertAuditSignature: (row) =>
      void statements.run(insertSignature, ...WRITTEN_SIGNATURE.write(row, statements)),
  };
}

/**
 * Numbers are whole ones by themselves, whatever the table makes of them: a fraction of zero would
 * be other bytes than those that are chained.
 */
function valuesOf({ columns }: { readonly columns: string }): string {
  const places = columns
    .split(', ')
    .map((name) => (NUMBERS.has(name) ? 'CAST(? AS INTEGER)' : '?'));
  return places.join(', ');
}

/**
 * SQLite's own note of the highest number never falls by itself: one out of range would hide for
 * ever that an end was taken away.
 */
const SEQUENCE_SET = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit'";

function noNumberLeft(seq: number): AppError {
  return new AppError(
    'storage_failed',
    `No number is left for another row of the audit log: another program put row ${seq} there.`,
    {
      hint: 'Stop the hub and put the data folder back from a copy.',
    },
  );
}

/**
 * The next row goes by the highest number ever given: where the newest rows were taken away, the
 * gap stays for ever.
 */
function headOf(
  statements: Statements,
  issued = issuedOf(statements),
): ReturnType<AuditReads['auditHead']> {
  const last = statements.one(RAW, AUDIT_QUERIES.last);
  const head = last === undefined ? CHAIN_START : { seq: seqOf(last), chain: chainIn(last.chain) };
  return { ...head, issuedSeq: Math.max(head.seq, issued ?? 0) };
}

/** The highest number that SQLite says it gave; null where that is none of this program's. */
function issuedOf(statements: Statements): number | null {
  const issued = statements.value(AUDIT_QUERIES.issued) ?? 0;
  return typeof issued === 'number' &&
    Number.isInteger(issued) &&
    issued >= 0 &&
    issued <= AUDIT_NUMBER_MAX
    ? issued
    : null;
}

function seqOf(row: RawAuditRow): number {
  return numberOf(row.seq) ?? 0;
}
