// What this hub keeps of each agent of elsewhere: where it is, as a person confirmed it, and which
// of its tasks there are under way. One row of the table `meta`.
import * as v from 'valibot';
import { readObject } from '../../lib/json-object.ts';
import type { Reads, Tables } from '../../ports/store.ts';

const META_NAME = 'a2a_agents';

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

export function readRows(reads: Pick<Reads, 'getMeta'>): readonly A2aRow[] {
  const { rows } = readObject(reads.getMeta(META_NAME) ?? '{}');
  const read = v.safeParse(v.array(ROW), rows);
  return read.success ? read.output : [];
}

export function write(tables: Tables, rows: readonly A2aRow[]): void {
  tables.setMeta(META_NAME, JSON.stringify({ rows }));
}
