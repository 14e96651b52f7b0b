// `npm run bench`: measures the rows that are asked for (all of them unless told), prints them, and
// writes them where it is told to. It ends with 0 when it measured, whatever the values, and where
// this machine cannot measure a row; with 1 when a row broke off. `--only P1,P2 --json FILE
// --markdown FILE`. `--quick` takes so little of each row that its values say nothing,
// `--page-minutes 5` uses the page of P15 for another time than half an hour.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RAISED } from './bench-hubs.ts';
import { isQuick } from './effort.ts';
import { loadNow, machineText, toJson, toMarkdown, toText, type ReportedRow } from './report.ts';
import { absentRow, type Row } from './results.ts';
import { measureP13 } from './rows/approving.ts';
import { measureP10, measureP5 } from './rows/durable-writes.ts';
import { measureP6 } from './rows/event-streams.ts';
import { measureForeignReference } from './rows/foreign-reference.ts';
import { measureP12 } from './rows/finding-and-losing.ts';
import { measureDisk } from './rows/disk.ts';
import { measureP11, measureP14 } from './rows/history.ts';
import { measureP9 } from './rows/idle-processor.ts';
import { measureP4e } from './rows/large-household.ts';
import { measureP3 } from './rows/lossy-query.ts';
import { measureP1, measureP1b, measureP2 } from './rows/native-query.ts';
import { measureP15 } from './rows/pages.ts';
import { measureP4, measureP4b, measureP4c, measureP4d } from './rows/query-end-to-end.ts';
import { measureP13d, measureP7d, measureP8d, measureP9d } from './rows/popover.ts';
import { measureP7, measureP8 } from './rows/start-and-memory.ts';

interface Entry {
  readonly id: string;
  readonly measure: () => Promise<Row>;
}

const ENTRIES: readonly Entry[] = [
  { id: 'P1', measure: measureP1 },
  { id: 'P1b', measure: measureP1b },
  { id: 'P2', measure: measureP2 },
  { id: 'P3', measure: measureP3 },
  { id: 'P4', measure: measureP4 },
  { id: 'P4b', measure: measureP4b },
  { id: 'P4c', measure: measureP4c },
  { id: 'P4d', measure: measureP4d },
  { id: 'P4e', measure: measureP4e },
  { id: 'P5', measure: measureP5 },
  { id: 'P6', measure: measureP6 },
  { id: 'P7', measure: measureP7 },
  { id: 'P7d', measure: measureP7d },
  { id: 'P8', measure: measureP8 },
  { id: 'P8d', measure: measureP8d },
  { id: 'P9', measure: measureP9 },
  { id: 'P9d', measure: measureP9d },
  { id: 'P10', measure: measureP10 },
  { id: 'P11', measure: measureP11 },
  { id: 'DISK', measure: measureDisk },
  { id: 'P12', measure: measureP12 },
  { id: 'P13', measure: measureP13 },
  { id: 'P13d', measure: measureP13d },
  { id: 'P14', measure: measureP14 },
  { id: 'P15', measure: measureP15 },
  { id: 'DL-03', measure: measureForeignReference },
];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    json: { type: 'string' },
    markdown: { type: 'string' },
    // Read by effort.ts.
    quick: { type: 'boolean' },
    'page-minutes': { type: 'string' },
  },
});
const wanted = values.only?.split(',').map((id) => id.trim().toLowerCase());
const unknown =
  wanted?.filter((id) => !ENTRIES.some((entry) => entry.id.toLowerCase() === id)) ?? [];
if (unknown.length > 0)
  throw new Error(
    `there is no row ${unknown.join(', ')}; there are ${ENTRIES.map(({ id }) => id).join(', ')}`,
  );

/** A row that breaks off takes none of the others with it; the run then ends with 1. */
async function measured({ id, measure }: Entry): Promise<Row> {
  try {
    return await measure();
  } catch (error) {
    process.exitCode = 1;
    return absentRow(
      id,
      'broke off',
      `its measuring broke off: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const machine = machineText();
process.stdout.write(`${machine}\n`);
process.stdout.write(
  `Limits raised, for rows with built hubs that ask each other: ${RAISED.join(' ')}. The two sides of a native query are paired with each other.\n`,
);
if (isQuick)
  process.stdout.write('Quick: so little of each row is measured that its values say nothing.\n');
const rows: ReportedRow[] = [];
for (const entry of ENTRIES) {
  if (wanted && !wanted.includes(entry.id.toLowerCase())) continue;
  process.stdout.write(`\n${entry.id} ...\n`);
  const load = loadNow();
  const row = { ...(await measured(entry)), load };
  rows.push(row);
  process.stdout.write(toText(row));
}
if (values.json !== undefined) writeFileSync(values.json, toJson(rows, machine));
if (values.markdown !== undefined) writeFileSync(values.markdown, toMarkdown(rows, machine));
