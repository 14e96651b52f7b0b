// Table `audit`: who did what, append-only (triggers) and hash-chained: each row's chain covers the chain before it and its own fields.
import { createHash } from 'node:crypto';
import type { AuditRow, Reads, Tables } from '../../../ports/store.ts';
import { integer, milliseconds, nullable, sha256, text } from '../columns.ts';
import { pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

interface ChainedRow extends AuditRow {
  readonly chain: Uint8Array;
}

const CONTENT = {
  seq: integer('seq'),
  at: milliseconds('at'),
  actor: text('actor'),
  surface: text('surface'),
  action: text('action'),
  object: text('object'),
  digest: nullable(text('digest')),
  detail: text('detail'),
} as const;

const AUDIT = new RowMapper<AuditRow>(CONTENT);
const CHAINED = new RowMapper<ChainedRow>({ ...CONTENT, chain: sha256('chain') });
const CHAIN_START = new Uint8Array(32);

export const AUDIT_QUERIES = {
  page: `SELECT ${AUDIT.columns} FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  last: `SELECT ${CHAINED.columns} FROM audit ORDER BY seq DESC LIMIT 1`,
  all: `SELECT ${CHAINED.columns} FROM audit ORDER BY seq`,
} as const;

function chainOf(previous: Uint8Array, row: AuditRow): Uint8Array {
  const fields = [row.seq, row.at, row.actor, row.surface, row.action, row.object, row.digest, row.detail];
  return new Uint8Array(createHash('sha256').update('axon-hub/audit/v1\0').update(previous).update(JSON.stringify(fields)).digest());
}

export function auditReads(statements: Statements): Pick<Reads, 'audit' | 'verifyAudit'> {
  return {
    audit: (page) => statements.all(AUDIT, AUDIT_QUERIES.page, pageBefore(page), pageLimit(page.limit)),
    verifyAudit: () => {
      let rows = 0;
      let previous: Uint8Array = CHAIN_START;
      for (const row of statements.each(CHAINED, AUDIT_QUERIES.all)) {
        rows += 1;
        const expected = chainOf(previous, row);
        if (row.seq !== rows || Buffer.compare(expected, row.chain) !== 0) return { rows, brokenSeq: row.seq };
        previous = row.chain;
      }
      return { rows, brokenSeq: null };
    },
  };
}

export function auditWrites(statements: Statements): Pick<Tables, 'appendAudit'> {
  const insert = `INSERT INTO audit (${CHAINED.columns}) VALUES (${CHAINED.placeholders})`;
  return {
    appendAudit: (row) => {
      const last = statements.one(CHAINED, AUDIT_QUERIES.last);
      const numbered = { ...row, at: Math.round(row.at), seq: (last?.seq ?? 0) + 1 };
      statements.run(insert, ...CHAINED.write({ ...numbered, chain: chainOf(last?.chain ?? CHAIN_START, numbered) }));
    },
  };
}
