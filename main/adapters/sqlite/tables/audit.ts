// Tables `audit` and `audit_seals`: who did what, append-only (triggers), chained over the bytes of every column, and the signatures over
// that chain. Signs nothing and judges nothing.
import type {
  AuditPosition,
  AuditReads,
  AuditRow,
  AuditSealRow,
  AuditWrites,
  BelowFirst,
  ChainedAuditRow,
  KeptRow,
} from '../../../ports/audit.ts';
import { CHAIN_START } from '../../../ports/audit.ts';
import { chainOf, type ColumnBytes } from '../audit-chain.ts';
import { blob, integer, milliseconds, nullable, sha256, text, type Column } from '../columns.ts';
import { pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const CONTENT = {
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
} as const;

/** A row as SQLite keeps it: text that is not UTF-8 would come back as other text. */
type RawAuditRow = { readonly [Field in keyof AuditRow]: Uint8Array | null } & { readonly chain: Uint8Array | null };

const raw = (name: string) => nullable(blob(`CAST(${name} AS BLOB)`));

const AUDIT = new RowMapper<AuditRow>(CONTENT);
const CHAINED = new RowMapper<ChainedAuditRow>({ ...CONTENT, chain: sha256('chain') });
const RAW = new RowMapper<RawAuditRow>({
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
  chain: nullable(blob('chain')),
});
/** What may be read of a row before anybody knows what it holds. */
const KEPT = new RowMapper<{ readonly at: Uint8Array | null; readonly chain: Uint8Array | null }>({
  at: raw('at'),
  chain: nullable(blob('chain')),
});
const POSITION = new RowMapper<AuditPosition>({ seq: integer('seq'), chain: sha256('chain') });
/** A seal as SQLite keeps it. */
const RAW_SEAL = new RowMapper<Readonly<Record<'counter' | 'previous' | 'seq' | 'chain' | 'at' | 'key' | 'signature', Uint8Array | null>>>({
  counter: raw('counter'),
  previous: raw('previous'),
  seq: raw('seq'),
  chain: nullable(blob('chain')),
  at: raw('at'),
  key: raw('key'),
  signature: nullable(blob('signature')),
});
const SEAL = new RowMapper<AuditSealRow>({
  counter: integer('counter'),
  previous: signed(integer('previous')),
  seq: signed(integer('seq')),
  chain: sha256('chain'),
  at: signed(milliseconds('at')),
  key: text('key'),
  signature: blob('signature'),
});

export const AUDIT_QUERIES = {
  page: `SELECT ${AUDIT.columns} FROM audit WHERE seq < ? AND seq >= 1 ORDER BY seq DESC LIMIT ?`,
  after: `SELECT ${CHAINED.columns} FROM audit WHERE seq > ? AND seq <= ? AND seq >= 1 ORDER BY seq LIMIT ?`,
  before: 'SELECT max(seq) FROM audit WHERE seq < ? AND seq >= 1',
  kept: `SELECT ${KEPT.columns} FROM audit WHERE seq = ?`,
  last: `SELECT ${POSITION.columns} FROM audit WHERE seq >= 1 ORDER BY seq DESC LIMIT 1`,
  issued: "SELECT seq FROM sqlite_sequence WHERE name = 'audit'",
  raw: `SELECT ${RAW.columns} FROM audit WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  seals: `SELECT ${SEAL.columns} FROM audit_seals WHERE counter > ? ORDER BY counter LIMIT ?`,
  lastSeal: `SELECT ${SEAL.columns} FROM audit_seals WHERE counter >= 1 ORDER BY counter DESC LIMIT 1`,
  below: `SELECT ${RAW.columns} FROM audit WHERE seq < 1 ORDER BY seq LIMIT ?`,
  countBelow: 'SELECT count(*) FROM audit WHERE seq < 1',
  sealsBelow: `SELECT ${RAW_SEAL.columns} FROM audit_seals WHERE counter < 1 ORDER BY counter LIMIT ?`,
  countSealsBelow: 'SELECT count(*) FROM audit_seals WHERE counter < 1',
} as const;

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

export function auditReads(statements: Statements): AuditReads {
  const walkAudit: AuditReads['walkAudit'] = (from, upToSeq, limit, look) => {
    let position = from;
    // One more than is walked: what stands behind the last one says whether that was changed, or its chain alone.
    const ahead = statements.all(RAW, AUDIT_QUERIES.raw, from.seq, upToSeq + 1, pageLimit(limit) + 1);
    const rows = ahead.slice(0, pageLimit(limit)).filter((row) => Number(textOf(row.seq)) <= upToSeq);
    for (const [index, row] of rows.entries()) {
      const seq = position.seq + 1;
      const kept = row.chain ?? CHAIN_START.chain;
      if (textOf(row.seq) !== String(seq)) return gapBehind(position, row, upToSeq);
      const chain = rawChain(position.chain, row);
      if (Buffer.compare(chain, kept) !== 0) {
        // Only its chain may have been changed: then the next row fits what the row itself says.
        const next = ahead[index + 1];
        const isChainAlone = next?.chain !== undefined && next.chain !== null && Buffer.compare(rawChain(chain, next), next.chain) === 0;
        return { position, flaw: { seq, kind: 'changed', chain }, after: { seq, chain: isChainAlone ? chain : kept } };
      }
      position = { seq, chain };
      look?.({ ...position, action: textOf(row.action), detail: textOf(row.detail) });
    }
    const isShort = position.seq - from.seq < pageLimit(limit) && position.seq < upToSeq;
    if (!isShort) return { position, flaw: null, after: position };
    return gapBehind(position, statements.one(RAW, AUDIT_QUERIES.raw, position.seq, Number.MAX_SAFE_INTEGER, 1), upToSeq);
  };
  return {
    audit: (page) => statements.all(AUDIT, AUDIT_QUERIES.page, pageBefore(page), pageLimit(page.limit)),
    auditAfter: (afterSeq, upToSeq, limit) => statements.all(CHAINED, AUDIT_QUERIES.after, afterSeq, upToSeq, pageLimit(limit)),
    auditSeqBefore: (seq) => Number(statements.value(AUDIT_QUERIES.before, seq) ?? 0),
    auditKept: (seq) => keptRow(statements, seq),
    auditHead: () => headOf(statements),
    walkAudit,
    auditSeals: (afterCounter, limit) => statements.all(SEAL, AUDIT_QUERIES.seals, afterCounter, pageLimit(limit)),
    lastAuditSeal: () => statements.one(SEAL, AUDIT_QUERIES.lastSeal),
    auditBelowFirst: (limit) => belowFirst(statements, pageLimit(limit)),
  };
}

/** @param monotonicMs the clock of this process */
export function auditWrites(statements: Statements, monotonicMs: () => number): AuditWrites {
  const insert = `INSERT INTO audit (${CHAINED.columns}) VALUES (${CHAINED.placeholders})`;
  const insertSeal = `INSERT INTO audit_seals (${SEAL.columns}) VALUES (${SEAL.placeholders})`;
  return {
    appendAudit: (entry) => {
      const { seq, chain: previous, issuedSeq } = headOf(statements);
      const row: AuditRow = {
        rule: null,
        ...entry,
        at: Math.round(entry.at),
        monotonicMs: Math.round(monotonicMs()),
        seq: issuedSeq + 1,
      };
      const chain = chainOf(
        previous,
        COVERED.map(([field, kind]) => ({ kind, bytes: bytesOf(row[field]) })),
      );
      statements.run(insert, ...CHAINED.write({ ...row, chain }));
      return { seq: row.seq, chain, previous: { seq, chain: previous } };
    },
    insertAuditSeal: (row) => void statements.run(insertSeal, ...SEAL.write(row)),
  };
}

/** The next row goes by the highest number ever given: where the newest rows were taken away, the gap stays for ever. */
function headOf(statements: Statements): ReturnType<AuditReads['auditHead']> {
  const head = statements.one(POSITION, AUDIT_QUERIES.last) ?? CHAIN_START;
  return { ...head, issuedSeq: Math.max(head.seq, Number(statements.value(AUDIT_QUERIES.issued) ?? 0)) };
}

function keptRow(statements: Statements, seq: number): KeptRow | undefined {
  const row = statements.one(KEPT, AUDIT_QUERIES.kept, seq);
  if (row === undefined) return undefined;
  const at = Number(textOf(row.at));
  return { at: Number.isSafeInteger(at) ? at : null, chain: row.chain };
}

function belowFirst(statements: Statements, limit: number): BelowFirst | null {
  const rows = statements.all(RAW, AUDIT_QUERIES.below, limit);
  const seals = statements.all(RAW_SEAL, AUDIT_QUERIES.sealsBelow, limit);
  if (rows.length === 0 && seals.length === 0) return null;
  const counts = [AUDIT_QUERIES.countBelow, AUDIT_QUERIES.countSealsBelow].map((sql) => Number(statements.value(sql) ?? 0));
  const [allRows = 0, allSeals = 0] = counts;
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
  return { rows: allRows, seals: allSeals, numbers: rows.map(({ seq }) => textOf(seq)), chain };
}

/**
 * Rows are missing. Where the row behind them does not go on from the one before, the chain of the flaw covers that row and its number, which
 * nothing else does; where it does, the chain before the gap stays what it is, whatever the hub writes behind a cut end.
 */
function gapBehind(position: AuditPosition, next: RawAuditRow | undefined, upToSeq: number): ReturnType<AuditReads['walkAudit']> {
  const missing = { seq: position.seq + 1, kind: 'missing', chain: position.chain } as const;
  const atEnd = { seq: upToSeq, chain: position.chain };
  if (next === undefined) return { position, flaw: missing, after: atEnd };
  const nextSeq = Number(textOf(next.seq));
  const kept = next.chain ?? CHAIN_START.chain;
  const chain = rawChain(position.chain, next);
  const isContinued = Buffer.compare(chain, kept) === 0;
  const gap = { toSeq: nextSeq - 1, isContinued };
  const flaw = isContinued ? { ...missing, gap } : { ...missing, chain, gap };
  if (nextSeq > upToSeq) return { position, flaw, after: atEnd };
  return { position, flaw, after: isContinued ? { seq: gap.toSeq, chain: position.chain } : { seq: nextSeq, chain: kept } };
}

function rawChain(previous: Uint8Array, row: RawAuditRow): Uint8Array {
  return chainOf(
    previous,
    COVERED.map(([field, kind]) => ({ kind, bytes: row[field] })),
  );
}

function bytesOf(value: string | number | null): Uint8Array | null {
  return value === null ? null : Buffer.from(String(value));
}

function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8');
}

/**
 * A number that the signature covers. One out of range is read as the highest or lowest there is, which no hub signs either: it is the
 * signature that does not fit then, and is named.
 */
function signed(column: Column<number>): Column<number> {
  const { MIN_SAFE_INTEGER: min, MAX_SAFE_INTEGER: max } = Number;
  return { ...column, read: (value) => column.read(typeof value === 'number' ? Math.min(Math.max(value, min), max) : value) };
}
