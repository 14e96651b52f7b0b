// The record of a real hub through `axon audit` and the local door: checked while the hub runs and while it does not, tampered with by another
// program, taken along as a file, and put back from an older copy.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditCheckDto } from '../../preload/contract/audit.ts';
import { chainOf } from '../../main/adapters/sqlite/audit-chain.ts';
import type { HubNode } from '../../main/app/node.ts';
import { axon, choosePassphrase, Program, type Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { newIdentity } from './quic-test-hub.ts';

let hub: TestHub;
let node: HubNode;
let elsewhere: string;
let passphrase: string;
beforeEach(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), 'axon-record-'));
  hub = await TestHub.start();
  node = hub.node;
  passphrase = await choosePassphrase(hub.home, join(elsewhere, 'passphrase'));
});
afterEach(async () => {
  await node.stop();
  await hub.stop();
  rmSync(elsewhere, { recursive: true, force: true });
});

const owner = (...parameters: readonly string[]): Promise<Ended> => axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);
const database = (): string => join(hub.home, 'hub.db');

async function startAgain(): Promise<void> {
  node = await hub.restart();
  await node.start();
}

/** What another program of this user can do: take the guards off and change what it likes. */
function tamper(sql: string): void {
  const db = new Database(database());
  db.exec('DROP TRIGGER IF EXISTS audit_unchanged; DROP TRIGGER IF EXISTS audit_kept');
  db.exec(sql);
  db.close();
}

/** What a program that knows how the chain is made can add: rows that fit. Returns the number of the first. */
function addFitting(rows: number): number {
  const db = new Database(database());
  const columns = ['seq', 'at', 'monotonic_ms', 'actor', 'surface', 'action', 'object', 'rule', 'digest', 'detail'];
  const insert = db.prepare(`INSERT INTO audit (${columns.join(', ')}, chain) VALUES (${[...columns, 0].map(() => '?').join(', ')})`);
  const last = db.prepare<[], { seq: number; chain: Buffer }>('SELECT seq, chain FROM audit ORDER BY seq DESC LIMIT 1').get();
  if (last === undefined) throw new Error('there is no row to add to');
  let { chain }: { chain: Uint8Array } = last;
  for (let row = 1; row <= rows; row++) {
    const values = [last.seq + row, Date.now(), 1, 'owner', 'browser', 'approval.allowed', 'something', null, null, '{}'];
    const covered = values.map((value, column) => ({
      kind: column < 3 ? ('integer' as const) : ('text' as const),
      bytes: value === null ? null : Buffer.from(String(value)),
    }));
    chain = chainOf(chain, covered);
    insert.run(...values, chain);
  }
  db.close();
  return last.seq + 1;
}

/** Each command is a process of its own, on a computer that may be busy. */
const COMMANDS_MAX_MS = 180_000;
/** An export of so many takes seconds. */
const MANY_ROWS = 200_000;

test('is shown with the names of who did it, and grows by no row for a look', { timeout: 60_000 }, async () => {
  const { public_key: leo } = await node.services.keyTrust.add(
    { keyHex: newIdentity().keyHex, host: '127.0.0.1', port: 9, name: 'Leo', way: 'key' },
    { actor: 'ui:test', surface: 'browser' },
  );
  const listed = (await owner('audit')).out;
  expect(listed).toMatch(/ a person here +browser +peer\.\w+ +Leo$/m);
  expect(listed).not.toContain(leo);
  expect((await owner('audit')).out).toBe(listed);
});

describe('axon audit', { timeout: COMMANDS_MAX_MS }, () => {
  test('shows who did what, finds the record whole, and hands it out, to the person in charge alone', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    const listed = await owner('audit');
    expect(listed.code).toBe(0);
    expect(listed.out).toMatch(/agent\.created|token\./);
    const verified = await owner('audit', 'verify');
    expect([verified.code, verified.out]).toEqual([0, expect.stringMatching(/^The record is whole: \d+ rows, none changed/)]);

    const file = join(elsewhere, 'record.json');
    expect(await owner('audit', 'export', '--output', file)).toMatchObject({ code: 0, out: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const record = JSON.parse(readFileSync(file, 'utf8')) as { rows: readonly { action: string }[] };
    expect(record.rows.at(-1)?.action).toBe('audit.exported');
    expect(await owner('audit', 'export', '--output', file)).toMatchObject({ code: 2 });
    const csv = await owner('audit', 'export', '--format', 'csv');
    const numbers = csv.out
      .split('\r\n')
      .slice(1, -1)
      .map((line) => Number(line.split(',')[0]));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(record.rows.length);

    for (const words of [['audit'], ['audit', 'verify'], ['audit', 'export'], ['audit', 'confirm']]) {
      expect(await axon(hub.home, ['--as', 'bot', ...words])).toMatchObject({ code: 2 });
    }
    expect(await owner('audit', 'confirm')).toMatchObject({ code: 2 });
  });

  test('keeps no half of a record: the file of an export that failed is gone, and the next one may have its name', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    const file = join(elsewhere, 'record.json');
    // The rows are read before the signatures, which are not there.
    tamper('ALTER TABLE audit_seals RENAME TO seals_elsewhere');
    const failed = await owner('audit', 'export', '--output', file);
    expect(failed.code).not.toBe(0);
    expect(failed.error).not.toContain('there already');
    expect(existsSync(file)).toBe(false);
    tamper('ALTER TABLE seals_elsewhere RENAME TO audit_seals');
    expect(await owner('audit', 'export', '--output', file)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('rows');
  });

  test('leaves no file of an export that Ctrl+C or a closed terminal ended, and nothing beside it', async () => {
    tamper(
      `WITH RECURSIVE more(seq) AS (SELECT max(seq) + 1 FROM audit UNION ALL SELECT seq + 1 FROM more LIMIT ${MANY_ROWS})
       INSERT INTO audit SELECT more.seq, at, actor, surface, action, object, digest, detail, chain, monotonic_ms, rule
       FROM more, (SELECT * FROM audit ORDER BY seq DESC LIMIT 1)`,
    );
    const folder = join(elsewhere, 'out');
    mkdirSync(folder);
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) {
      const exporting = Program.start(
        'cli',
        ['--passphrase-file', passphrase, 'audit', 'export', '--output', join(folder, 'record.json')],
        {
          AXON_HOME: hub.home,
        },
      );
      await expect.poll(() => readdirSync(folder)).toEqual([expect.stringMatching(/^record\.json\.part-[0-9a-f]{12}$/)]);
      exporting.kill(signal);
      expect(await exporting.ended()).toMatchObject({ code: 130, out: '', error: expect.stringContaining('no file was made') });
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test('fails and names the row when another program changed it, while the hub runs and while it does not', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    tamper("UPDATE audit SET actor = 'owner:somebody' WHERE seq = 2");
    const running = await owner('audit', 'verify');
    expect([running.code, running.out]).toEqual([1, expect.stringContaining('Row 2 was changed after it was written')]);
    await node.stop();
    const before = readFileSync(database());
    const stopped = await axon(hub.home, ['audit', 'verify', '--json']);
    expect(stopped.code).toBe(1);
    expect((JSON.parse(stopped.out) as AuditCheckDto).flaw).toMatchObject({ kind: 'row_changed', seq: 2 });
    expect(readFileSync(database()).equals(before)).toBe(true);
  });

  test('checks a hub that does not run down to the last signature, with the count beside its key', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    await node.stop();
    const whole = await axon(hub.home, ['audit', 'verify']);
    expect([whole.code, whole.out]).toEqual([0, expect.stringMatching(/^The record is whole: .*\nAll of it is signed\.\n$/)]);
    tamper('DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)');
    expect(await axon(hub.home, ['audit', 'verify'])).toMatchObject({ code: 1, out: expect.stringContaining('The record was longer') });
    const empty = mkdtempSync(join(tmpdir(), 'axon-empty-'));
    expect(await axon(empty, ['audit', 'verify'])).toMatchObject({ code: 2, error: expect.stringContaining('There is no record') });
    rmSync(empty, { recursive: true });
    expect(await axon(empty, ['audit', 'verify'])).toMatchObject({ code: 2 });
    expect(existsSync(empty)).toBe(false);
  });
});

describe('a hub that ended without order', { timeout: COMMANDS_MAX_MS }, () => {
  test('has left rows unsigned, which a check says plainly before the next start and after it', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    await node.services.audit.seal();
    expect(await owner('agents', 'remove', 'bot')).toMatchObject({ code: 0 });
    // What a power cut leaves, of a hub that goes on.
    const cut = join(elsewhere, 'cut');
    mkdirSync(cut, { mode: 0o700 });
    const left = readdirSync(hub.home).filter((name) => name.startsWith('hub.db') || name === 'identity.key' || name === 'audit.counter');
    for (const name of left) copyFileSync(join(hub.home, name), join(cut, name));
    const checked = await axon(cut, ['audit', 'verify']);
    expect([checked.code, checked.out]).toEqual([
      0,
      expect.stringMatching(
        /^The record is whole: .*\n.*\nWhen the hub ended, \d+ rows? from row \d+ on, the first of 20.* not signed yet/,
      ),
    ]);
    await node.stop();
    for (const name of readdirSync(hub.home).filter((file) => file.startsWith('hub.db'))) rmSync(join(hub.home, name));
    for (const name of left) copyFileSync(join(cut, name), join(hub.home, name));
    await startAgain();
    expect((await owner('audit')).out).toContain('hub.ended_unexpectedly');
    const again = await owner('audit', 'verify', '--json');
    expect((JSON.parse(again.out) as AuditCheckDto).unsigned_end).toMatchObject({ ends: 1 });
    expect(again.code).toBe(0);
    await node.stop();
    const stopped = await axon(hub.home, ['audit', 'verify']);
    expect(stopped.out).toContain('All of it is signed.');
    expect(stopped.out).not.toContain('in all');
  });
});

describe('a record that no longer fits', { timeout: COMMANDS_MAX_MS }, () => {
  test('is said by status until its owner confirms it, and lets no rule act meanwhile', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    tamper("UPDATE audit SET actor = 'owner:somebody' WHERE seq = 2");
    await node.services.audit.seal();
    expect((await axon(hub.home, ['status'])).out).toContain('Rows of the record were changed, removed or added by another program.');
    expect(node.services.audit.rulesMayAct).toBe(false);
    await node.stop();
    await startAgain();
    expect(node.services.audit.rulesMayAct).toBe(false);
    expect(await owner('audit', 'confirm')).toMatchObject({ code: 0 });
    expect((await axon(hub.home, ['status'])).out).not.toContain('Rows of the record');
    expect(node.services.audit.rulesMayAct).toBe(true);
  });
});

describe('what another program adds to the record of a hub that runs, and changes in it', { timeout: COMMANDS_MAX_MS }, () => {
  type Told = { readonly seq: number; readonly action: string; readonly detail: { readonly added?: unknown; readonly row?: number } };
  const told = async (action: string): Promise<readonly Told[]> => {
    const listed = await owner('audit', '--limit', '50', '--json');
    return (JSON.parse(listed.out) as { items: readonly Told[] }).items.filter((row) => row.action === action);
  };

  test('is named row by row, in the doubt and in the owner’s word, and confirmed only as far as it was named', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    await node.services.audit.seal();
    const first = addFitting(2);
    expect(await owner('agents', 'remove', 'bot')).toMatchObject({ code: 0 });
    await node.services.audit.seal();
    expect((await told('audit.doubted')).map(({ detail }) => detail.added)).toEqual([[[first, first + 1]]]);
    const checked = await owner('audit', 'verify');
    expect([checked.code, checked.out]).toEqual([1, expect.stringContaining(`Rows ${first} to ${first + 1} were not written by this hub`)]);
    const later = addFitting(1);
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    const refused = await owner('audit', 'confirm');
    expect([refused.code, refused.error]).toEqual([expect.any(Number), expect.stringContaining('added as well')]);
    expect([refused.code === 0, node.services.audit.rulesMayAct]).toEqual([false, false]);
    const all = [
      [first, first + 1],
      [later, later],
    ];
    expect((await told('audit.doubted'))[0]?.detail).toMatchObject({ row: later, added: all });
    const [newest] = await told('audit.doubted');
    expect(await owner('audit', 'confirm')).toMatchObject({
      code: 0,
      error: expect.stringContaining(
        `as row ${newest?.seq} tells of it: another program added rows ${first} to ${first + 1} and ${later}.`,
      ),
    });
    expect((await told('audit.confirmed')).map(({ detail }) => detail.added)).toEqual([all]);
    expect([node.services.audit.rulesMayAct, (await owner('audit', 'verify')).code]).toEqual([true, 0]);
  });

  test('leaves it in doubt where a check finds it in what was signed, over a restart, and is asked about once', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    await node.services.audit.seal();
    tamper("UPDATE audit SET actor = 'somebody' WHERE seq IN (1, 2)");
    const checked = await owner('audit', 'verify');
    expect([checked.code, checked.out]).toEqual([1, expect.stringMatching(/Row 1 was changed[^]*Row 2 was changed/)]);
    await expect.poll(() => node.services.audit.state).toBe('broken');
    expect(await owner('agents', 'remove', 'bot')).toMatchObject({ code: 0 });
    await node.stop();
    await startAgain();
    expect([node.services.audit.state, node.services.audit.rulesMayAct]).toEqual(['broken', false]);
    expect(await owner('audit', 'confirm')).toMatchObject({ code: 0 });
    const again = await owner('audit', 'verify');
    expect([again.code, again.out]).toEqual([1, expect.stringMatching(/Row 1 was[^]*You have said that it is meant[^]*Row 2 was/)]);
    await expect.poll(async () => (await told('audit.checked')).length).toBe(2);
    expect([node.services.audit.rulesMayAct, (await told('audit.doubted')).length]).toEqual([true, 1]);
  });
});

describe('the local door', () => {
  test('begins a check, says how far it is and stops it, for a page and never for an agent', async () => {
    const [page, agent] = [await hub.page(), await hub.agent('bot')];
    const ask = async (method: string, token: string): Promise<readonly [number, unknown]> => {
      const { status, text } = await hub.ask('/v1/audit/verify', { method, token, ...(method === 'POST' ? { body: {} } : {}) });
      return [status, JSON.parse(text)];
    };
    expect(await ask('GET', page)).toMatchObject([200, { state: 'none', flaw: null }]);
    expect(await ask('POST', page)).toMatchObject([200, { state: 'running' }]);
    expect(await ask('DELETE', page)).toMatchObject([200, { state: expect.stringMatching(/^(cancelled|done)$/) }]);
    for (const method of ['GET', 'POST', 'DELETE']) expect((await ask(method, agent))[0]).toBe(403);
  });
});

describe('a record that was put back from an older copy', { timeout: COMMANDS_MAX_MS }, () => {
  test('lets no rule act until its owner confirms it, over a restart, and what was confirmed is on record', async () => {
    const asker = await hub.agent('asker');
    await hub.agent('bot');
    const always = ['rules', 'add', 'allow', '--hub', 'local/asker', '--agent', 'bot', '--domain', 'bot.work'];
    expect(await owner('agents', 'class', 'bot', 'R1')).toMatchObject({ code: 0 });
    const made = await owner(...always, '--json');
    const { id } = JSON.parse(made.out) as { id: string };
    await node.stop();
    copyFileSync(database(), join(elsewhere, 'older.db'));
    await startAgain();
    expect(await owner('rules', 'remove', id)).toMatchObject({ code: 0 });
    await node.stop();

    copyFileSync(join(elsewhere, 'older.db'), database());
    for (let start = 0; start < 2; start++) {
      await startAgain();
      const delegated = await axon(hub.home, ['delegate', 'local/bot', 'Do it', '--domain', 'bot.work', '--json'], { AXON_TOKEN: asker });
      expect(JSON.parse(delegated.out)).toMatchObject({ state: 'awaiting_approval' });
      expect((await axon(hub.home, ['status'])).out).toContain('An older record was put back.');
      expect((await owner('rules', 'test', 'delegate', '--hub', 'local/asker', '--domain', 'bot.work')).out).toContain('No rule acts now');
      expect(await owner('audit', 'verify')).toMatchObject({ code: 1, out: expect.stringContaining('an older copy') });
      if (start === 0) await node.stop();
    }
    expect(await owner('audit', 'confirm')).toMatchObject({ code: 0 });
    const allowed = await axon(hub.home, ['delegate', 'local/bot', 'Do it', '--domain', 'bot.work', '--json'], { AXON_TOKEN: asker });
    expect(JSON.parse(allowed.out)).toMatchObject({ state: 'queued' });
    expect((await owner('audit')).out).toMatch(/audit\.confirmed/);
    expect(await owner('audit', 'verify')).toMatchObject({ code: 0 });
    expect((await axon(hub.home, ['status'])).out).not.toContain('An older record');
  });

  test('hands no agent what waited in it until its owner confirms it', async () => {
    const asker = await hub.agent('asker');
    await hub.agent('bot');
    expect(await owner('agents', 'class', 'bot', 'R1')).toMatchObject({ code: 0 });
    const allow = ['rules', 'add', 'allow', '--hub', 'local/asker', '--agent', 'bot', '--domain', 'bot.work'];
    expect(await owner(...allow)).toMatchObject({ code: 0 });
    const sent = await axon(hub.home, ['delegate', 'local/bot', 'Pay it', '--domain', 'bot.work', '--json'], { AXON_TOKEN: asker });
    expect(JSON.parse(sent.out)).toMatchObject({ state: 'queued' });
    const claimed = async () => (await node.services.work.inbox.claim('bot', 5)).map(({ untrusted }) => untrusted.text);
    await node.stop();
    copyFileSync(database(), join(elsewhere, 'older.db'));
    await startAgain();
    expect(await claimed()).toEqual(['Pay it']);
    expect(await owner('agents', 'add', 'another')).toMatchObject({ code: 0 });
    await node.stop();

    copyFileSync(join(elsewhere, 'older.db'), database());
    await startAgain();
    expect([await claimed(), node.services.audit.isPutBack]).toEqual([[], true]);
    // A word that is refused, because there is more than it was given for, lets nothing go either.
    addFitting(1);
    expect(await owner('audit', 'confirm')).toMatchObject({ code: 2, error: expect.stringContaining('added as well') });
    expect([await claimed(), node.services.audit.isPutBack]).toEqual([[], true]);
    expect(await owner('audit', 'confirm')).toMatchObject({ code: 0 });
    expect(await claimed()).toEqual(['Pay it']);
  });
});
