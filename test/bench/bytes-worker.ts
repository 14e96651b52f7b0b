// Fills the stores of two hubs through their own services, then says what they take on disk: bytes
// by table and index, at each hub. In a process of its own, because its manual clock and the
// schema's text need Node's hooks: node --import ../support/raw-imports.mjs.
import Database from 'better-sqlite3';
import { closeTwoHubs, openTwoHubs } from '../fakes/two-work-hubs.ts';
import type { WorkHub } from '../fakes/work-hub.ts';
import { keptMemory, type KeptMemory } from '../support/kept-memory.ts';
import { FilledHubs } from './filled-hubs.ts';

export interface BytesOnDisk {
  /** Question and answer of everything together, as people and agents wrote them. */
  readonly textBytes: number;
  readonly hubs: Readonly<
    Record<
      'asker' | 'answerer',
      { readonly bytes: number; readonly parts: readonly (readonly [string, number])[] }
    >
  >;
  /** Wall time of the filling, both hubs in one process. */
  readonly seconds: number;
  /** Memory of that process after a tenth of it, and at its end, its garbage collected. */
  readonly memory: readonly [KeptMemory, KeptMemory];
}

const [, , queries = '1000', delegations = '100', size = '450'] = process.argv;
const startedAt = performance.now();
const hubs = await openTwoHubs();
const filled = await FilledHubs.of(hubs, Number(size));
let early: KeptMemory | undefined;
await filled.queries(Number(queries), (done) => {
  if (done >= Number(queries) / 10) early ??= keptMemory();
});
await filled.delegations(Number(delegations));
const late = keptMemory();

function onDisk({ file }: WorkHub): BytesOnDisk['hubs']['asker'] {
  const connection = new Database(file, { readonly: true });
  const rows = connection
    .prepare<[], [string, number]>(
      'SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC',
    )
    .raw()
    .all();
  const tables = ['tasks', 'said'].map((table) =>
    connection.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  );
  connection.close();
  const items = Number(queries) + Number(delegations);
  if (tables[0] !== items || Number(tables[1]) < 2 * items)
    throw new Error(`${tables.join(' and ')} rows stand for ${items} items`);
  return { bytes: rows.reduce((sum, [, bytes]) => sum + bytes, 0), parts: rows };
}

const seconds = (performance.now() - startedAt) / 1_000;
const textBytes = 2 * Number(size) * (Number(queries) + Number(delegations));
const found: BytesOnDisk = {
  textBytes,
  hubs: { asker: onDisk(hubs.dad), answerer: onDisk(hubs.mum) },
  seconds,
  memory: [early ?? late, late],
};
await closeTwoHubs(hubs);
process.stdout.write(JSON.stringify(found));
