// What `npm run bench` writes down, from the real program: rows that need nothing, and rows whose
// needs are taken away.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Relay } from '../bench/relay.ts';
import { toJson, toMarkdown, toText } from '../bench/report.ts';
import { part, row } from '../bench/results.ts';
import { takeTurns } from '../bench/rounds.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const IDS = [
  'P1',
  'P1b',
  'P2',
  'P3',
  'P4',
  'P4b',
  'P4c',
  'P4d',
  'P4e',
  'P5',
  'P6',
  'P7',
  'P7d',
  'P8',
  'P8d',
  'P9',
  'P9d',
  'P10',
  'P11',
  'DISK',
  'P12',
  'P13',
  'P13d',
  'P14',
  'P15',
  'DL-03',
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-bench-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function bench(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ code: unknown; text: string }> {
  const program = join(ROOT, 'test/bench/run.ts');
  const child = spawn(process.execPath, ['--no-warnings', program, ...words], {
    env: { ...process.env, ...environment },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (said: string) => (text += said));
  const [code] = await once(child, 'close');
  return { code, text };
}

describe('a run of the bench', () => {
  it('writes a row whose needs this machine lacks as absent, with the reason, in both files, and ends with 0', async () => {
    const [json, markdown] = [join(folder, 'rows.json'), join(folder, 'rows.md')];
    // With an empty folder as the path there is neither a compiler nor a way to make a namespace.
    const { code, text } = await bench(
      ['--only', 'p3,P12', '--json', json, '--markdown', markdown],
      { PATH: folder },
    );
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/P3 \.\.\.[\s\S]*ABSENT: [\s\S]*P12 \.\.\.[\s\S]*ABSENT: /),
    ]);
    const needs = expect.stringMatching(/needs .*(namespaces|npm run build)/);
    const absent = {
      holds: false,
      parts: [],
      absent: true,
      reason: needs,
      title: expect.any(String),
      load: expect.any(Number),
    };
    expect(JSON.parse(readFileSync(json, 'utf8'))).toEqual({
      machine: expect.stringContaining(process.version),
      rows: [
        { id: 'P3', ...absent },
        { id: 'P12', ...absent },
      ],
    });
    expect(readFileSync(markdown, 'utf8')).toMatch(
      /\| P3 \|.*\| absent \|[^\n]*namespaces[\s\S]*\| P12 \|.*\| absent \|/,
    );
  });

  it('names the rows there are when it is asked for another, and measures none', async () => {
    const { code, text } = await bench(['--only', 'P1,P99']);
    expect([code, text]).toEqual([1, expect.stringContaining('there is no row p99')]);
    for (const id of IDS) expect(text).toMatch(new RegExp(`\\b${id}\\b`));
    expect(text).not.toContain('P1 ...');
  });
});

describe('a quick run', () => {
  it('takes one round and a few requests of a row, and says that its values say nothing', async () => {
    const json = join(folder, 'rows.json');
    const { code, text } = await bench(['--quick', '--only', 'P2', '--json', json]);
    expect([code, text]).toEqual([0, expect.stringContaining('its values say nothing')]);
    const [part] = JSON.parse(readFileSync(json, 'utf8')).rows[0].parts;
    expect(part).toMatchObject({ unit: 'x HTTP/2 with mTLS', target: 1.3, rounds: 1 });
    expect(part.value).toBeGreaterThan(0);
  });
});

describe('the bare relay', () => {
  it('answers each of its queries in the words of the agent, and keeps two rows of it at both hubs', async () => {
    const relay = await Relay.open();
    try {
      const { latenciesMs } = await relay.agents.load({ count: 40, inFlight: 8, gapMs: 0 });
      expect(latenciesMs).toHaveLength(40);
      for (const file of relay.files)
        await expect
          .poll(() => rowsByKind(file))
          .toEqual([
            ['query', 40],
            ['response', 40],
          ]);
      expect(relay.files).toHaveLength(2);
      expect(new Set([process.pid, ...relay.processIds]).size).toBe(3);
    } finally {
      await relay.close();
    }
  });
});

function rowsByKind(file: string): unknown {
  const database = new Database(file, { readonly: true });
  const sql = 'SELECT kind, count(DISTINCT id) FROM messages GROUP BY kind ORDER BY kind';
  const rows = database.prepare(sql).raw().all();
  database.close();
  return rows;
}

describe('turns', () => {
  it('warm all up once, change who begins, and leave the first round out', async () => {
    const begun: string[] = [];
    const work = (name: string) => () => Promise.resolve(begun.push(name));
    const rounds = await takeTurns(2, { subject: work('subject'), baseline: work('baseline') });
    expect(begun).toEqual(['baseline', 'subject', 'subject', 'baseline', 'baseline', 'subject']);
    expect(rounds).toEqual([
      { subject: 3, baseline: 4 },
      { baseline: 5, subject: 6 },
    ]);
  });
});

describe('a row that was measured', () => {
  const goal = { name: 'start', unit: 'ms', bound: 'at most', target: 3 } as const;
  const rows = [
    {
      ...row('P0', 'a row', [part(goal, [2, 1, 9], 'why'), part(goal, [2, 1, 9], 'why', 0.95)]),
      load: 0.5,
    },
  ];

  it('holds when all its parts hold: the median of the rounds, or the quantile that was asked for', () => {
    const { rows: read } = JSON.parse(toJson(rows, 'a machine'));
    const told = { name: 'start', unit: 'ms', target: 3, rounds: 3 };
    expect(read).toMatchObject([
      {
        id: 'P0',
        holds: false,
        parts: [
          { ...told, value: 2, holds: true },
          { ...told, value: 9, holds: false },
        ],
      },
    ]);
    expect(row('P0', 'a row', [part(goal, [2, 1, 9], 'why')]).holds).toBe(true);
    expect(row('P0', 'a row', []).holds).toBe(false);
  });

  it('at least is the other way round', () => {
    expect(part({ ...goal, bound: 'at least' }, [2, 1, 9], 'why').holds).toBe(false);
    expect(part({ ...goal, bound: 'at least' }, [4, 3, 9], 'why').holds).toBe(true);
  });

  it('is one line a part for people', () => {
    expect(rows.map(toText).join('')).toMatch(
      /load of 0\.5\n {2}start: 2 ms .*holds.*\n {2}start: 9 ms .*FALLS SHORT/,
    );
    expect(toMarkdown(rows, 'a machine')).toMatch(
      /\| P0 \| start \| 2 ms \| at most 3 \| yes \|[^\n]*\n\| P0 \| start \| 9 ms \| at most 3 \| NO \|/,
    );
  });
});
