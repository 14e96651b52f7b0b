// Whatever another program writes into the record of a real hub, through the doors that the page and the command use: it is named by a check, no
// rule acts until the owner has read of it and said that it is meant, over restarts; it is shown, handed out as a file, and signed beyond.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chainOf } from '../../main/adapters/sqlite/audit-chain.ts';
import type { HubNode } from '../../main/app/node.ts';
import type { AuditCheckDto, AuditRowDto, RecordState } from '../../preload/contract/audit.ts';
import { daysOf, iconOf, sentenceOf } from '../../renderer/features/settings/record-words.ts';
import { LOOSE_ROWS, LOOSE_SEALS, tamperWith } from '../fakes/tampering.ts';
import { axon, choosePassphrase } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

/** A start, two restarts, two checks and two exports of a real hub. */
const WHOLE_WAY_MAX_MS = 60_000;
const COMMANDS_MAX_MS = 120_000;
/** One above the highest whole number that this program reads, and the highest that SQLite has. */
const [OUT_OF_RANGE, HIGHEST] = ['9007199254740993', '9223372036854775807'];
/** A whole number that is later than any calendar. */
const NO_DATE = '9000000000000000';
const NOBODY = { agents: [], approvals: [], recently_decided: [], peers: [] };

type Listed = { readonly items: readonly AuditRowDto[]; readonly next: string | null; readonly doubt?: AuditRowDto };

let hub: TestHub;
let node: HubNode;
let page: string;
let agents: number;
beforeEach(async () => {
  agents = 0;
  hub = await TestHub.start();
  node = hub.node;
  for (let seal = 0; seal < 3; seal++) {
    await act();
    await node.services.audit.seal();
  }
  await act();
});
afterEach(async () => {
  await node.stop();
  await hub.stop();
});

const file = (): string => join(hub.home, 'hub.db');
const own = (change: string, where = 'seq = 2'): string => `UPDATE audit SET ${change} WHERE ${where};`;
const seal = (change: string): string => `UPDATE audit_seals SET ${change} WHERE counter = 2;`;
const copyOfRow = (seq: string): string =>
  `INSERT INTO audit SELECT ${seq}, at, actor, surface, action, object, digest, detail, chain, monotonic_ms, rule FROM audit WHERE seq = 2;`;
const copyOfSeal = (counter: string, previous = 'counter'): string =>
  `INSERT INTO audit_seals SELECT ${counter}, ${previous}, seq, chain, at, key, signature FROM audit_seals WHERE counter = 2;`;
const lastSealAlone = (counter: string): string =>
  `CREATE TABLE one AS SELECT * FROM audit_seals WHERE counter = 2; DELETE FROM audit_seals;
   INSERT INTO audit_seals SELECT ${counter}, ${counter} - 1, seq, chain, at, key, signature FROM one; DROP TABLE one;`;

async function act(): Promise<void> {
  page = await ask<{ token: string }>('/v1/login', { code: new URL(node.makeLoginUrl()).hash.slice('#c='.length) }).then(
    ({ token }) => token,
  );
  await ask('/v1/agents/create', { name: `agent-${++agents}`, domains: ['work'] });
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${node.apiPort}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(path === '/v1/login' ? {} : { authorization: `Bearer ${page}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as T;
}

async function startAgain(): Promise<void> {
  await node.stop();
  node = await hub.restart();
  await node.start();
}

async function checked(): Promise<AuditCheckDto> {
  let check = await ask<AuditCheckDto>('/v1/audit/verify', {});
  while (check.state === 'running') {
    await new Promise((resolve) => setImmediate(resolve));
    check = await ask<AuditCheckDto>('/v1/audit/verify');
  }
  // What it came to is put on record behind it.
  await expect.poll(async () => (await listed(5)).items.some(({ action }) => action === 'audit.checked')).toBe(true);
  return check;
}

async function listed(limit = 20, cursor?: string): Promise<Listed> {
  return ask<Listed>(`/v1/audit?limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
}

/** Every row as the page shows it, page by page; and the row about the doubt. */
async function shown(): Promise<AuditRowDto | undefined> {
  const { items, next, doubt } = await listed();
  const rows = [...items];
  for (let cursor = next; cursor !== null;) {
    const older = await listed(20, cursor);
    rows.push(...older.items);
    cursor = older.next;
  }
  expect(daysOf(rows, Date.now()).flatMap(({ rows: some, logins }) => [...some, ...logins])).toHaveLength(rows.length);
  for (const row of rows) expect([sentenceOf(row, NOBODY), iconOf(row)]).not.toContain('');
  for (const { at } of rows) if (at !== null) expect(new Date(at).toString()).not.toBe('Invalid Date');
  return doubt;
}

async function exported(format: 'json' | 'csv'): Promise<string> {
  let whole = '';
  for (let cursor: string | null | undefined; cursor !== null;) {
    const piece = await ask<{ text: string; next: string | null }>('/v1/audit/export', {
      format,
      ...(cursor === undefined ? {} : { cursor }),
    });
    whole += piece.text;
    cursor = piece.next;
  }
  return whole;
}

async function handedOut(): Promise<void> {
  const record = JSON.parse(await exported('json')) as { rows: readonly { seq: number }[]; seals: readonly object[] };
  expect(record.rows.at(-1)).toMatchObject({ action: 'audit.exported' });
  expect(Array.isArray(record.seals)).toBe(true);
  expect((await exported('csv')).split('\r\n').length).toBeGreaterThan(record.rows.length);
}

/** As a person does at the page: reads what is in doubt, presses, and where there is more reads that and presses once more. */
async function mean(): Promise<void> {
  for (let word = 0; word < 3 && node.services.audit.state !== 'current'; word++) {
    const doubt = await shown();
    await ask<{ state: RecordState }>('/v1/audit/confirm', { seen: doubt?.seq ?? 0 }).catch((error: unknown) => {
      expect(String(error)).toContain('"code":"conflict"');
    });
  }
  expect([node.services.audit.state, node.services.audit.rulesMayAct]).toEqual(['current', true]);
}

/** A row that another program added and that fits, with any values. */
function addFitting(values: readonly (string | null)[]): void {
  const db = new Database(file());
  const last = db.prepare<[], { seq: number; chain: Buffer }>('SELECT seq, chain FROM audit ORDER BY seq DESC LIMIT 1').get();
  db.close();
  const row = [String((last?.seq ?? 0) + 1), ...values];
  const bytes = row.map((value) => (value === null ? null : Buffer.from(value)));
  const chain = chainOf(
    last?.chain ?? new Uint8Array(32),
    bytes.map((one, index) => ({ kind: index < 3 ? 'integer' : 'text', bytes: one })),
  );
  const literals = row.map((value) => (value === null ? 'NULL' : `'${value}'`)).join(', ');
  tamperWith(
    file(),
    `INSERT INTO audit (seq, at, monotonic_ms, actor, surface, action, object, rule, digest, detail, chain)
     VALUES (${literals}, X'${Buffer.from(chain).toString('hex')}')`,
  );
}

const WAYS: readonly (readonly [what: string, sql: string, named: RegExp])[] = [
  ['a time out of range in the newest row', own(`at = ${OUT_OF_RANGE}`, 'seq = (SELECT max(seq) FROM audit)'), /Row \d+ was changed/],
  ['a time that no calendar has', own(`at = ${NO_DATE}, monotonic_ms = -${OUT_OF_RANGE}`), /Row 2 was changed/],
  ['the lowest time', own(`at = -${HIGHEST}`), /Row 2 was changed/],
  ['text with a zero byte', own("actor = 'hub' || char(0) || 'x', object = char(0)"), /Row 2 was changed/],
  ['text that is none', own("detail = CAST(X'ff00fe' AS TEXT), action = CAST(X'c0' AS TEXT)"), /Row 2 was changed/],
  ['very long text', own("object = hex(zeroblob(200000)), surface = ''"), /Row 2 was changed/],
  [
    'a detail that reads like an end of the hub at no time',
    own(`action = 'hub.ended_unexpectedly', detail = '{"rows":1e300,"from_row":2,"from_at":${NO_DATE}}'`),
    /Row 2 was changed/,
  ],
  ['a chain in the newest row that is another', own('chain = zeroblob(32)', 'seq = (SELECT max(seq) FROM audit)'), /Row \d+ was changed/],
  ['text for a time', `${LOOSE_ROWS} ${own("at = 'yesterday', monotonic_ms = 'soon'")}`, /Row 2 was changed/],
  ['nothing for a time', `${LOOSE_ROWS} ${own('at = NULL')}`, /Row 2 was changed/],
  ['bytes for a time, and half of a number', `${LOOSE_ROWS} ${own("at = X'00ff', monotonic_ms = 1.5")}`, /Row 2 was changed/],
  [
    'nothing for any text',
    `${LOOSE_ROWS} ${own('actor = NULL, surface = NULL, action = NULL, object = NULL, detail = NULL')}`,
    /Row 2 was changed/,
  ],
  [
    'bytes and numbers for text',
    `${LOOSE_ROWS} ${own("actor = X'00', surface = 7, action = X'ff', rule = 1.5, digest = X'', detail = 0")}`,
    /Row 2 was changed/,
  ],
  ['no chain in the newest row', `${LOOSE_ROWS} ${own('chain = NULL', 'seq = (SELECT max(seq) FROM audit)')}`, /Row \d+ was changed/],
  ['text for a chain', `${LOOSE_ROWS} ${own("chain = 'chain'")}`, /Row 2 was changed/],
  [
    'a short chain in the signed row',
    `${LOOSE_ROWS} ${own("chain = X'01'", 'seq = (SELECT max(seq) FROM audit_seals)')}`,
    /Row \d+ was changed/,
  ],
  ['a chain that its table would refuse', `PRAGMA ignore_check_constraints = ON; ${own("chain = X'01'")}`, /Row 2 was changed/],
  [
    'a key and a signature that their table would refuse',
    `PRAGMA ignore_check_constraints = ON; ${seal("key = 'k', signature = X'', previous = 9")}`,
    /is not one that this hub made/,
  ],
  ['a row under a number out of range', copyOfRow(OUT_OF_RANGE), /row 9007199254740993 that was not written/],
  ['a row under the highest number', copyOfRow(HIGHEST), /row 9223372036854775807 that was not written/],
  [
    'rows under the highest that is read and the lowest',
    copyOfRow('9007199254740991') + copyOfRow(`-${HIGHEST}`),
    /rows -9223372036854775807 and 9007199254740991 that were/,
  ],
  ['a signature under a number out of range', copyOfSeal(OUT_OF_RANGE), /a signature that was not written/],
  ['a signature under the highest number', copyOfSeal(HIGHEST), /a signature that was not written/],
  ['no signature but one under number 0', lastSealAlone('0'), /a signature that was not written[^]*more signatures than it holds/],
  ['no signature but one below 0', lastSealAlone('-5'), /a signature that was not written[^]*more signatures than it holds/],
  ['no signature but one far above', lastSealAlone(HIGHEST), /a signature that was not written[^]*more signatures than it holds/],
  ['a signature under a higher number', copyOfSeal('1000000', '3'), /signature over the rows up to \d+ is not one that this hub made/],
  ['a signature at no time', seal(`at = ${OUT_OF_RANGE}`), /signature over the rows up to \d+ is not one/],
  ['a signature over a row far away', seal(`seq = ${HIGHEST}`), /signature over the rows up to 9007199254740991 is not one/],
  ['a signature over a row below', seal('seq = -5'), /signature over the rows up to 9007199254740991 is not one/],
  ['a signature behind one below', seal(`previous = -${OUT_OF_RANGE}`), /signature over the rows up to \d+ is not one/],
  [
    'nothing in a signature',
    `${LOOSE_SEALS} ${seal('previous = NULL, seq = NULL, chain = NULL, at = NULL, key = NULL, signature = NULL')}`,
    /is not one that this hub made/,
  ],
  [
    'text, bytes and short bytes in the newest signature',
    `${LOOSE_SEALS} UPDATE audit_seals SET at = 'now', seq = X'ff', chain = 'x', key = X'00', signature = X'01' WHERE counter = (SELECT max(counter) FROM audit_seals)`,
    /is not one that this hub made/,
  ],
];

describe('what another program wrote', { timeout: WHOLE_WAY_MAX_MS }, () => {
  async function wholeWay(named: RegExp): Promise<void> {
    const check = await checked();
    expect([check.state, check.problem]).toEqual(['done', null]);
    expect(
      check.flaws
        .filter(({ meant }) => !meant)
        .map(({ sentence }) => sentence)
        .join(' '),
    ).toMatch(named);
    await expect.poll(() => node.services.audit.rulesMayAct).toBe(false);
    await shown();
    await handedOut();
    await act();
    await startAgain();
    expect(node.services.audit.rulesMayAct).toBe(false);
    await act();
    await mean();
    for (let start = 0; start < 2; start++) {
      await act();
      await node.services.audit.seal();
      const again = await checked();
      expect([again.state, again.flaws.filter(({ meant }) => !meant), again.signed_seq]).toEqual(['done', [], again.rows]);
      await shown();
      await handedOut();
      expect(node.services.audit.state).toBe('current');
      await startAgain();
      expect(node.services.audit.state).toBe('current');
    }
  }

  test.each(WAYS)('is named, meant, shown, handed out and gone on with: %s', async (_what, sql, named) => {
    tamperWith(file(), sql);
    await wholeWay(named);
  });

  test.each([
    ['a time out of range', OUT_OF_RANGE],
    ['no time', null],
  ])('is no less where it fits the chain: %s', async (_what, at) => {
    tamperWith(file(), LOOSE_ROWS);
    addFitting([at, null, 'hub', 'hub', 'hub.ended_unexpectedly', 'hub', null, null, `{"rows":2,"from_row":2,"from_at":${NO_DATE}}`]);
    await wholeWay(/Row \d+ was not written by this hub/);
  });
});

test('is shown, named, meant and handed out at a terminal, too', { timeout: COMMANDS_MAX_MS }, async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'axon-record-'));
  const passphrase = await choosePassphrase(hub.home, join(elsewhere, 'passphrase'));
  const owner = (...words: readonly string[]) => axon(hub.home, ['--passphrase-file', passphrase, 'audit', ...words]);
  tamperWith(
    file(),
    LOOSE_ROWS + own(`at = ${NO_DATE}, actor = 'mum' || char(0)`) + own("at = 'now', action = X'ff'", 'seq = 3') + copyOfRow(HIGHEST),
  );
  tamperWith(file(), LOOSE_SEALS + seal('signature = NULL, at = NULL') + copyOfSeal(OUT_OF_RANGE));
  const listed = await owner('list', '--limit', '50');
  expect([listed.code, listed.out.split('\n').filter((line) => /^[23] /.test(line))]).toEqual([
    0,
    [expect.stringMatching(/^3 +- /), expect.stringMatching(/^2 +- +mum/)],
  ]);
  expect(listed.out).not.toMatch(/NaN|Invalid/);
  const named = /Under numbers [^]*is not one that this hub made[^]*Row 2 was changed[^]*Row 3 was changed/;
  expect(await owner('verify')).toMatchObject({ code: 1, out: expect.stringMatching(named) });
  await expect.poll(() => node.services.audit.rulesMayAct).toBe(false);
  expect(await owner('confirm')).toMatchObject({ code: 0, error: expect.stringContaining('a number that this hub never gives') });
  expect(await owner('verify')).toMatchObject({ code: 1, out: expect.stringContaining('You have said that it is meant.') });
  for (const format of ['json', 'csv']) expect(await owner('export', '--format', format)).toMatchObject({ code: 0, error: '' });
  expect(node.services.audit.rulesMayAct).toBe(true);
  await node.stop();
  expect(await axon(hub.home, ['audit', 'verify'])).toMatchObject({ code: 1, out: expect.stringMatching(named) });
  rmSync(elsewhere, { recursive: true, force: true });
});
