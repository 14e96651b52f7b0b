// What history costs on disk and in memory: two hubs whose agents ask each other 100,000 queries
// and 10,000 delegations.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KeptMemory } from '../../support/kept-memory.ts';
import type { BytesOnDisk } from '../bytes-worker.ts';
import { sized } from '../effort.ts';
import { part, row, type Row } from '../results.ts';

const WORKER = join(import.meta.dirname, '..', 'bytes-worker.ts');
const HOOKS = new URL('../../support/raw-imports.mjs', import.meta.url).href;
const QUERIES = sized({ full: 100_000, quick: 1_000 });
const DELEGATIONS = sized({ full: 10_000, quick: 100 });
/** Of a question, and of an answer. */
const TEXT_BYTES = 450;
const PARTS_SHOWN = 5;

export async function measureDisk(): Promise<Row> {
  const flags = ['--no-warnings', '--import', HOOKS, WORKER, QUERIES, DELEGATIONS, TEXT_BYTES].map(
    String,
  );
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  const { textBytes, hubs, seconds, memory }: BytesOnDisk = JSON.parse(stdout);
  const parts = Object.entries(hubs).map(([hub, { bytes, parts: tables }]) => {
    const largest = tables
      .slice(0, PARTS_SHOWN)
      .map(([name, size]) => `${name} ${(size / 1_000_000).toFixed(0)} MB`);
    const goal = {
      name: `bytes at the ${hub}`,
      unit: 'x their text',
      bound: 'at most',
      target: 2,
    } as const;
    return part(
      goal,
      [bytes / textBytes],
      `${(bytes / 1_000_000).toFixed(0)} MB: ${largest.join(', ')}`,
    );
  });
  const growth = {
    name: 'memory of both hubs, grown since the first tenth',
    unit: 'MB',
    bound: 'at most',
    target: 80,
  } as const;
  const [early, late] = memory;
  const change = (of: keyof KeptMemory): string =>
    memory.map((seen) => (seen[of] / 1_000_000).toFixed(0)).join(' to ');
  const detail = `resident ${change('residentBytes')} MB, of which objects ${change('heapBytes')}, in ${seconds.toFixed(0)} s`;
  return row('DISK', `${QUERIES} queries and ${DELEGATIONS} delegations`, [
    ...parts,
    part(growth, [(late.residentBytes - early.residentBytes) / 1_000_000], detail),
  ]);
}
