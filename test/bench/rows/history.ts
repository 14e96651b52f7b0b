// What a history of a million messages costs: P11, reading, searching and opening it; P14, adding
// to it. Both come from one filling.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HistoryCosts } from '../history-worker.ts';
import { sized } from '../effort.ts';
import { part, quantile, row, type Row } from '../results.ts';

const WORKER = join(import.meta.dirname, '..', 'history-worker.ts');
const HOOKS = new URL('../../support/raw-imports.mjs', import.meta.url).href;
const MESSAGES = sized({ full: 1_000_000, quick: 2_000 });
const OUTPUT_MAX_BYTES = 10_000_000;
let costs: Promise<HistoryCosts> | undefined;

async function measure(): Promise<HistoryCosts> {
  const flags = ['--no-warnings', '--import', HOOKS, WORKER, String(MESSAGES)];
  const { stdout } = await promisify(execFile)(process.execPath, flags, {
    maxBuffer: OUTPUT_MAX_BYTES,
  });
  return JSON.parse(stdout);
}

export async function measureP11(): Promise<Row> {
  const { messages, textBytes, bytes, indexBytes, ...of } = await (costs ??= measure());
  const searches = Object.entries(of.searches).map(
    ([typed, times]) => [typed, quantile(times.toSorted(ascending), 0.95)] as const,
  );
  const goal = (name: string, unit: string, target: number) =>
    ({ name, unit, bound: 'at most', target }) as const;
  return row('P11', `${messages} messages of ${textBytes / messages} bytes`, [
    part(
      goal('newest 50 of a conversation with a hub, p99', 'ms', 1),
      of.newest50,
      `${of.newest50.length} calls`,
      0.99,
    ),
    part(
      goal('a page of 20 conversations, p99', 'ms', 50),
      of.conversations,
      `${of.conversations.length} calls`,
      0.99,
    ),
    part(
      goal('the slowest search, p95', 'ms', 50),
      [Math.max(...searches.map(([, ms]) => ms))],
      searches.map(([typed, ms]) => `${typed} ${ms.toFixed(0)}`).join(', '),
    ),
    part(goal('opened by a new process', 'ms', 50), of.opened, `${of.opened.length} processes`),
    part(
      goal('bytes on disk', 'x their text', 1.7),
      [bytes / textBytes],
      `${megabytes(bytes)} MB, of which the search index has ${megabytes(indexBytes)}`,
    ),
    part(
      goal('memory of the process that filled it', 'MB', 400),
      [of.residentMb],
      `${of.seconds.toFixed(0)} s in all`,
    ),
  ]);
}

export async function measureP14(): Promise<Row> {
  const { added } = await (costs ??= measure());
  const [small, large] = added;
  if (small === undefined || large === undefined) throw new Error('nothing was added');
  const base = quantile(small.microseconds.toSorted(ascending), 0.5);
  const goal = {
    name: 'processor time of one message, as a multiple of that with few',
    unit: 'x',
    bound: 'at most',
    target: 1.3,
  } as const;
  return row('P14', `a message more, ${small.before} and ${large.before} before`, [
    part(
      goal,
      large.microseconds.map((value) => value / base),
      `${base.toFixed(0)} microseconds with one hub and few messages`,
    ),
  ]);
}

function ascending(first: number, second: number): number {
  return first - second;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(0);
}
