// What this hub keeps of each agent of elsewhere: where it is, as a person confirmed it, and which
// of its tasks there are under way. One row of the table `meta`.
import * as v from 'valibot';
import { StoredRows } from '../../lib/stored-value.ts';
import type { Reads, Tables } from '../../ports/store.ts';

const ROW = v.object({
  agent: v.string(),
  url: v.string(),
  host: v.string(),
  leavesComputer: v.boolean(),
  digest: v.string(),
  endpoint: v.string(),
  /** Sealed; null: it needs none. */
  token: v.nullable(v.string()),
  /** By delivery, the task there. */
  tasks: v.record(v.string(), v.string()),
});
export type A2aRow = v.InferOutput<typeof ROW>;

const STORED = new StoredRows<'agent', A2aRow>('a2a_agents', 'agent', ROW, 'rows');

export function readRows(reads: Pick<Reads, 'getMeta'>): readonly A2aRow[] {
  return STORED.read(reads);
}

/** What is kept and cannot be read, as far as it says where its agent is. */
export function damagedRows(
  reads: Pick<Reads, 'getMeta'>,
): readonly Pick<A2aRow, 'agent' | 'url' | 'host'>[] {
  const text = (said: unknown): string => (typeof said === 'string' ? said : '');
  return STORED.damaged(reads).map(({ agent, said }) => ({
    agent,
    url: text(said.url),
    host: text(said.host) || '?',
  }));
}

/** @param gone the agent of which nothing is kept any more */
export function write(tables: Tables, rows: readonly A2aRow[], gone?: string): void {
  STORED.write(tables, rows, gone);
}
