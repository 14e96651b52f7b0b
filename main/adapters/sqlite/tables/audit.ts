// Tables `audit` and `audit_seals`: who did what, append-only (triggers), chained over the bytes of every column, and the signatures over
// that chain. What stands there is read whatever it is. Signs nothing and judges nothing.
import { AppError } from '../../../lib/app-error.ts';
import { momentOf } from '../../../lib/moment.ts';
import {
  AUDIT_NUMBER_MAX,
  CHAIN_START,
  type AuditPosition,
  type AuditReads,
  type AuditRow,
  type AuditWrites,
  type KeptRow,
  type OutsideRows,
} from '../../../ports/audit.ts';
import {
  bytesOf,
  chainIn,
  chainOfRow,
  numberOf,
  RAW,
  RAW_SEAL,
  rawChain,
  rowOf,
  sealOf,
  textOf,
  type RawAuditRow,
} from '../audit-bytes.ts';
import { chainOf } from '../audit-chain.ts';
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
const WRITTEN_SEAL = new RowMapper({
  counter: integer('counter'),
  previous: integer('previous'),
  seq: integer('seq'),
  chain: sha256('chain'),
  at: milliseconds('at'),
  key: text('key'),
  signature: blob('signature'),
});

const NUMBERS: ReadonlySet<string> = new Set(['seq', 'at', 'monotonic_ms', 'counter', 'previous']);

/** The numbers that this program gives: what stands under any other is no row and no signature of this record. */
const OWN = `BETWEEN 1 AND ${AUDIT_NUMBER_MAX}`;

export const AUDIT_QUERIES = {
  page: `SELECT ${RAW.columns} FROM audit WHERE seq < ? AND seq ${OWN} ORDER BY seq DESC LIMIT ?`,
  before: `SELECT max(seq) FROM audit WHERE seq < ? AND seq ${OWN}`,
  kept: `SELECT ${RAW.columns} FROM audit WHERE seq = ?`,
  last: `SELECT ${RAW.columns} FROM audit WHERE seq ${OWN} ORDER BY seq DESC LIMIT 1`,
  issued: "SELECT seq FROM sqlite_sequence WHERE name = 'audit'",
  raw: `SELECT ${RAW.columns} FROM audit WHERE seq > ? AND seq <= ? AND seq ${OWN} ORDER BY seq LIMIT ?`,
  seals: `SELECT ${RAW_SEAL.columns} FROM audit_seals WHERE counter > ? AND counter ${OWN} ORDER BY counter LIMIT ?`,
  lastSeal: `SELECT ${RAW_SEAL.columns} FROM audit_seals WHERE counter ${OWN} ORDER BY counter DESC LIMIT 1`,
  below: `SELECT ${RAW.columns} FROM audit WHERE seq < 1 ORDER BY seq LIMIT ?`,
  above: `SELECT ${RAW.columns} FROM audit WHERE seq > ${AUDIT_NUMBER_MAX} ORDER BY seq LIMIT ?`,
  countBelow: 'SELECT count(*) FROM audit WHERE seq < 1',
  countAbove: `SELECT count(*) FROM audit WHERE seq > ${AUDIT_NUMBER_MAX}`,
  sealsBelow: `SELECT ${RAW_SEAL.columns} FROM audit_seals WHERE counter < 1 ORDER BY counter LIMIT ?`,
  sealsAbove: `SELECT ${RAW_SEAL.columns} FROM audit_seals WHERE counter > ${AUDIT_NUMBER_MAX} ORDER BY counter LIMIT ?`,
  countSealsBelow: 'SELECT count(*) FROM audit_seals WHERE counter < 1',
  countSealsAbove: `SELECT count(*) FROM audit_seals WHERE counter > ${AUDIT_NUMBER_MAX}`,
} as const;

/** Tables whose numbers are what SQLite itself tells rows apart by: whole, and each once. In others no walk would come to an end. */
const NUMBERED_TABLES = `SELECT count(*) FROM pragma_table_list AS list JOIN pragma_table_info(list.name) AS key ON key.pk = 1
  WHERE list.schema = 'main' AND list.wr = 0 AND upper(key.type) = 'INTEGER'
    AND (list.name, key.name) IN (VALUES ('audit', 'seq'), ('audit_seals', 'counter'))
    AND NOT EXISTS (SELECT 1 FROM pragma_table_info(list.name) WHERE pk = 2)`;

export function auditReads(statements: Statements): AuditReads {
  const walkAudit: AuditReads['walkAudit'] = (from, upToSeq, limit, look) => {
    let position = from;
    // One more than is walked: what stands behind the last one says whether that was changed, or its chain alone.
    const ahead = statements.all(RAW, AUDIT_QUERIES.raw, from.seq, upToSeq + 1, pageLimit(limit) + 1);
    const rows = ahead.slice(0, pageLimit(limit)).filter((row) => seqOf(row) <= upToSeq);
    for (const [index, row] of rows.entries()) {
      const seq = position.seq + 1;
      const kept = chainIn(row.chain);
      if (seqOf(row) !== seq) return gapBehind(position, row, upToSeq);
      const chain = rawChain(position.chain, row);
      if (Buffer.compare(chain, row.chain ?? kept) !== 0) {
        // Only its chain may have been changed: then the next row fits what the row itself says.
        const next = ahead[index + 1];
        const isChainAlone = next !== undefined && Buffer.compare(rawChain(chain, next), chainIn(next.chain)) === 0;
        return { position, flaw: { seq, kind: 'changed', chain }, after: { seq, chain: isChainAlone ? chain : kept } };
      }
      position = { seq, chain };
      look?.({ ...position, action: textOf(row.action), detail: textOf(row.detail) });
    }
    const isShort = position.seq - from.seq < pageLimit(limit) && position.seq < upToSeq;
    if (!isShort) return { position, flaw: null, after: position };
    return gapBehind(position, statements.one(RAW, AUDIT_QUERIES.raw, position.seq, AUDIT_NUMBER_MAX, 1), upToSeq);
  };
  return {
    audit: (page) => statements.all(RAW, AUDIT_QUERIES.page, pageBefore(page), pageLimit(page.limit)).map(rowOf),
    auditAfter: (afterSeq, upToSeq, limit) => statements.all(RAW, AUDIT_QUERIES.raw, afterSeq, upToSeq, pageLimit(limit)).map(rowOf),
    auditSeqBefore: (seq) => Number(statements.value(AUDIT_QUERIES.before, seq) ?? 0),
    auditKept: (seq) => keptRow(statements, seq),
    auditHead: () => headOf(statements),
    walkAudit,
    auditSeals: (afterCounter, limit) => statements.all(RAW_SEAL, AUDIT_QUERIES.seals, afterCounter, pageLimit(limit)).map(sealOf),
    lastAuditSeal: () => {
      const last = statements.one(RAW_SEAL, AUDIT_QUERIES.lastSeal);
      return last === undefined ? undefined : sealOf(last);
    },
    auditOutside: (limit) => outsideRows(statements, pageLimit(limit)),
  };
}

/** @param monotonicMs the clock of this process */
export function auditWrites(statements: Statements, monotonicMs: () => number): AuditWrites {
  const insert = `INSERT INTO audit (${WRITTEN.columns}) VALUES (${valuesOf(WRITTEN)})`;
  const insertSeal = `INSERT INTO audit_seals (${WRITTEN_SEAL.columns}) VALUES (${valuesOf(WRITTEN_SEAL)})`;
  return {
    appendAudit: (entry) => {
      const { seq, chain: previous, issuedSeq } = headOf(statements);
      const isNoted = issuedOf(statements) !== null;
      if (issuedSeq >= AUDIT_NUMBER_MAX) throw noNumberLeft(issuedSeq);
      const row = { rule: null, ...entry, at: Math.round(entry.at), monotonicMs: Math.round(monotonicMs()), seq: issuedSeq + 1 };
      const chain = chainOfRow(previous, row);
      statements.run(insert, ...WRITTEN.write({ ...row, chain }));
      if (!isNoted) statements.run(SEQUENCE_SET, row.seq);
      return { seq: row.seq, chain, previous: { seq, chain: previous } };
    },
    insertAuditSeal: (row) => void statements.run(insertSeal, ...WRITTEN_SEAL.write(row)),
  };
}

/** Numbers are whole ones by themselves, whatever the table makes of them: a fraction of zero would be other bytes than those that are chained. */
function valuesOf({ columns }: { readonly columns: string }): string {
  const places = columns.split(', ').map((name) => (NUMBERS.has(name) ? 'CAST(? AS INTEGER)' : '?'));
  return places.join(', ');
}

/** SQLite's own note of the highest number never falls by itself: one out of range would hide for ever that an end was taken away. */
const SEQUENCE_SET = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit'";

function noNumberLeft(seq: number): AppError {
  return new AppError('storage_failed', `No number is left for another row of the record: another program put row ${seq} there.`, {
    hint: 'Stop the hub and put the data folder back from a copy.',
  });
}

/** The next row goes by the highest number ever given: where the newest rows were taken away, the gap stays for ever. */
function headOf(statements: Statements): ReturnType<AuditReads['auditHead']> {
  const last = statements.one(RAW, AUDIT_QUERIES.last);
  const head = last === undefined ? CHAIN_START : { seq: seqOf(last), chain: chainIn(last.chain) };
  return { ...head, issuedSeq: Math.max(head.seq, issuedOf(statements) ?? 0) };
}

/** The highest number that SQLite says it gave; null where that is none of this program's. */
function issuedOf(statements: Statements): number | null {
  const issued = statements.value(AUDIT_QUERIES.issued) ?? 0;
  return typeof issued === 'number' && Number.isInteger(issued) && issued >= 0 && issued <= AUDIT_NUMBER_MAX ? issued : null;
}

function keptRow(statements: Statements, seq: number): KeptRow | undefined {
  const row = statements.one(RAW, AUDIT_QUERIES.kept, seq);
  return row === undefined ? undefined : { at: momentOf(numberOf(row.at)), chain: row.chain };
}

function outsideRows(statements: Statements, limit: number): OutsideRows | null {
  if (statements.value(NUMBERED_TABLES) !== 2) {
    throw new AppError('storage_failed', 'Another program made a table of the record anew, without the numbers of its rows.', {
      hint: 'Stop the hub and put the data folder back from a copy.',
    });
  }
  const { below, above, sealsBelow, sealsAbove, countBelow, countAbove, countSealsBelow, countSealsAbove } = AUDIT_QUERIES;
  const rows = [below, above].flatMap((sql) => statements.all(RAW, sql, limit));
  const seals = [sealsBelow, sealsAbove].flatMap((sql) => statements.all(RAW_SEAL, sql, limit));
  if (rows.length === 0 && seals.length === 0) return null;
  const counts = [countBelow, countAbove, countSealsBelow, countSealsAbove].map((sql) => Number(statements.value(sql) ?? 0));
  const [rowsBelow = 0, rowsAbove = 0, allBelow = 0, allAbove = 0] = counts;
  let chain = chainOf(
    CHAIN_START.chain,
    counts.map((count) => ({ kind: 'integer', bytes: bytesOf(count) })),
  );
  for (const row of rows) chain = chainOf(rawChain(chain, row), [{ kind: 'text', bytes: row.chain }]);
  for (const seal of seals) {
    chain = chainOf(
      chain,
      Object.values(seal).map((bytes) => ({ kind: 'text', bytes })),
    );
  }
  return { rows: rowsBelow + rowsAbove, seals: allBelow + allAbove, numbers: rows.map(({ seq }) => textOf(seq)), chain };
}

function seqOf(row: RawAuditRow): number {
  return numberOf(row.seq) ?? 0;
}

/**
 * Rows are missing. Where the row behind them does not go on from the one before, the chain of the flaw covers that row and its number, which
 * nothing else does; where it does, the chain before the gap stays what it is, whatever the hub writes behind a cut end.
 */
function gapBehind(position: AuditPosition, next: RawAuditRow | undefined, upToSeq: number): ReturnType<AuditReads['walkAudit']> {
  const missing = { seq: position.seq + 1, kind: 'missing', chain: position.chain } as const;
  const atEnd = { seq: upToSeq, chain: position.chain };
  if (next === undefined) return { position, flaw: missing, after: atEnd };
  const nextSeq = seqOf(next);
  const kept = chainIn(next.chain);
  const chain = rawChain(position.chain, next);
  const isContinued = Buffer.compare(chain, kept) === 0;
  const gap = { toSeq: nextSeq - 1, isContinued };
  const flaw = isContinued ? { ...missing, gap } : { ...missing, chain, gap };
  if (nextSeq > upToSeq) return { position, flaw, after: atEnd };
  return { position, flaw, after: isContinued ? { seq: gap.toSeq, chain: position.chain } : { seq: nextSeq, chain: kept } };
}
