// The audit of an older database chained anew, as schema 7 chains it: the old chain is checked first, and a row at the end says what it came
// to and how it ended, so that what was shown before stays shown. Runs inside the transaction of that step.
import { createHash } from 'node:crypto';
import { chainOf, type ColumnBytes } from './audit-chain.ts';
import type { Connection } from './statements.ts';

/** The chain that was read until schema 6. */
const OLD_USE = 'axon-hub/audit/v1\0';
const CHAIN_SIZE_BYTES = 32;
const ROWS_AT_ONCE = 1_000;

interface OldRow {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly surface: string;
  readonly action: string;
  readonly object: string;
  readonly digest: string | null;
  readonly detail: string;
  readonly chain: Uint8Array;
}

/** Takes the guards off and chains every row anew; the SQL of the same step puts the guards back. @param nowMs wall clock */
export function rechainAudit(connection: Connection, nowMs: number): void {
  connection.exec('DROP TRIGGER audit_unchanged; DROP TRIGGER audit_kept');
  const page = connection.prepare<[number], OldRow>(`SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ${ROWS_AT_ONCE}`);
  const put = connection.prepare('UPDATE audit SET chain = ? WHERE seq = ?');
  let oldChain: Uint8Array = new Uint8Array(CHAIN_SIZE_BYTES);
  let chain: Uint8Array = new Uint8Array(CHAIN_SIZE_BYTES);
  let lastSeq = 0;
  let brokenSeq: number | null = null;
  for (let rows = page.all(0); rows.length > 0; rows = page.all(lastSeq)) {
    for (const row of rows) {
      const fits = row.seq === lastSeq + 1 && Buffer.compare(oldChainOf(oldChain, row), row.chain) === 0;
      if (!fits) brokenSeq ??= row.seq;
      oldChain = row.chain;
      chain = newChainOf(chain, row);
      put.run(chain, row.seq);
      lastSeq = row.seq;
    }
  }
  if (lastSeq === 0) return;
  const marker = {
    seq: lastSeq + 1,
    at: nowMs,
    actor: 'hub',
    surface: 'hub',
    action: 'audit.rechained',
    object: 'audit',
    digest: Buffer.from(oldChain).toString('hex'),
    detail: JSON.stringify({ rows: lastSeq, first_unfit: brokenSeq }),
  };
  connection
    .prepare('INSERT INTO audit (seq, at, actor, surface, action, object, digest, detail, chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(...Object.values(marker), newChainOf(chain, marker));
}

function oldChainOf(previous: Uint8Array, row: OldRow): Uint8Array {
  const fields = [row.seq, row.at, row.actor, row.surface, row.action, row.object, row.digest, row.detail];
  return createHash('sha256').update(OLD_USE).update(previous).update(JSON.stringify(fields)).digest();
}

/** As tables/audit.ts chains a row that has neither a monotonic time nor a rule. */
function newChainOf(previous: Uint8Array, row: Omit<OldRow, 'chain'>): Uint8Array {
  const integers = [row.seq, row.at, null].map((value) => columnOf('integer', value));
  const texts = [row.actor, row.surface, row.action, row.object, null, row.digest, row.detail].map((value) => columnOf('text', value));
  return chainOf(previous, [...integers, ...texts]);
}

function columnOf(kind: ColumnBytes['kind'], value: string | number | null): ColumnBytes {
  return { kind, bytes: value === null ? null : Buffer.from(String(value)) };
}
