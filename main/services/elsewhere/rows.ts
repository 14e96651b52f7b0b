// What this hub keeps of each agent of elsewhere: where it is, as a person confirmed it, and which
// of its tasks there are under way. One row of the table `meta`.
import * as v from 'valibot';
import { StoredValue } from '../../lib/stored-value.ts';
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

const STORED = new StoredValue<{ readonly rows: readonly A2aRow[] }>(
  'a2a_agents',
  v.object({ rows: v.array(ROW) }),
  { rows: [] },
);

export function readRows(reads: Pick<Reads, 'getMeta'>): readonly A2aRow[] {
  return STORED.read(reads).rows;
}

export function write(tables: Tables, rows: readonly A2aRow[]): void {
  STORED.write(tables, { rows });
}
