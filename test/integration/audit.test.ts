// The audit log of a real hub through `axon audit` and the local door: checked while the hub runs
// and while it does not, tampered with by another program, and exported.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AuditCheckDto } from '../../preload/contract/audit.ts';
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

const owner = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);
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

/** Each command is a process of its own, on a computer that may be busy. */
const COMMANDS_MAX_MS = 180_000;
/** An export of so many takes seconds. */
const MANY_ROWS = 200_000;

test(
  'is shown with the names of who did it, and grows by no row for a look',
  { timeout: 60_000 },
  async () => {
    const { public_key: leo } = await node.services.keyTrust.add(
      { keyHex: newIdentity().keyHex, host: '127.0.0.1', port: 9, name: 'Leo', way: 'key' },
      { actor: 'ui:test', surface: 'browser' },
    );
    const listed = (await owner('audit')).out;
    expect(listed).toMatch(/ a person here +browser +peer\.\w+ +Leo$/m);
    expect(listed).not.toContain(leo);
    expect((await owner('audit')).out).toBe(listed);
  },
);

describe('axon audit', { timeout: COMMANDS_MAX_MS }, () => {
  test('shows who did what, finds nothing changed, and exports it, to the person in charge alone', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    const listed = await owner('audit');
    expect(listed.code).toBe(0);
    expect(listed.out).toMatch(/agent\.created|token\./);
    const verified = await owner('audit', 'verify');
    expect([verified.code, verified.out]).toEqual([
      0,
      expect.stringMatching(/^Nothing was changed: \d+ rows, all/),
    ]);

    const file = join(elsewhere, 'record.json');
    expect(await owner('audit', 'export', '--output', file)).toMatchObject({ code: 0, out: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const record = JSON.parse(readFileSync(file, 'utf8')) as {
      rows: readonly { action: string }[];
    };
    expect(record.rows.at(-1)?.action).toBe('audit.exported');
    expect(await owner('audit', 'export', '--output', file)).toMatchObject({ code: 2 });
    const csv = await owner('audit', 'export', '--format', 'csv');
    const numbers = csv.out
      .split('\r\n')
      .slice(1, -1)
      .map((line) => Number(line.split(',')[0]));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(record.rows.length);

    for (const words of [
      ['audit'],
      ['audit', 'verify'],
      ['audit', 'export'],
      ['audit', 'acknowledge'],
    ]) {
      expect(await axon(hub.home, ['--as', 'bot', ...words])).toMatchObject({ code: 2 });
    }
    expect(await owner('audit', 'acknowledge')).toMatchObject({ code: 3 });
  });

  test('keeps no half of a file: the file of an export that failed is gone, and the next one may have its name', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    const file = join(elsewhere, 'record.json');
    // The rows are read before the signatures, which are not there.
    tamper('ALTER TABLE audit_signatures RENAME TO seals_elsewhere');
    const failed = await owner('audit', 'export', '--output', file);
    expect(failed.code).not.toBe(0);
    expect(failed.error).not.toContain('there already');
    expect(existsSync(file)).toBe(false);
    tamper('ALTER TABLE seals_elsewhere RENAME TO audit_signatures');
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
        [
          '--passphrase-file',
          passphrase,
          'audit',
          'export',
          '--output',
          join(folder, 'record.json'),
        ],
        {
          AXON_HOME: hub.home,
        },
      );
      await expect.poll(() => readdirSync(folder)).toEqual(['record.json']);
      exporting.kill(signal);
      expect(await exporting.ended()).toMatchObject({
        code: 130,
        out: '',
        error: expect.stringContaining('no file was made'),
      });
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test('calls a check off at the hub when Ctrl+C ends the command that waits for it', async () => {
    const { audit } = node.services;
    const running: AuditCheckDto = {
      ...audit.verification(),
      state: 'running',
      rows: 9,
      checked: 4,
    };
    vi.spyOn(audit, 'verify').mockReturnValue(running);
    const asked = vi.spyOn(audit, 'verification').mockReturnValue(running);
    vi.spyOn(audit, 'cancelVerification').mockResolvedValue({ ...running, state: 'cancelled' });
    const checking = Program.start('cli', ['--passphrase-file', passphrase, 'audit', 'verify'], {
      AXON_HOME: hub.home,
    });
    await expect
      .poll(() => asked.mock.calls.length, { timeout: COMMANDS_MAX_MS })
      .toBeGreaterThan(0);
    checking.kill('SIGINT');
    expect(await checking.ended()).toMatchObject({
      code: 130,
      error: '',
      out: expect.stringMatching(/^The check was stopped after 4 of 9 rows/),
    });
  });

  test('fails and names the row when another program changed it, while the hub runs and while it does not', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    tamper("UPDATE audit SET actor = 'owner:somebody' WHERE seq = 2");
    const running = await owner('audit', 'verify');
    expect([running.code, running.out]).toEqual([
      1,
      expect.stringContaining('Row 2 was changed after it was written'),
    ]);
    await node.stop();
    const before = readFileSync(database());
    const stopped = await axon(hub.home, ['audit', 'verify', '--json']);
    expect(stopped.code).toBe(1);
    expect((JSON.parse(stopped.out) as AuditCheckDto).finding).toMatchObject({
      kind: 'changed',
      row: 2,
    });
    expect(readFileSync(database()).equals(before)).toBe(true);
  });

  test('checks a hub that does not run down to the last signature, with the count beside its key', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    await node.stop();
    const whole = await axon(hub.home, ['audit', 'verify']);
    expect([whole.code, whole.out]).toEqual([
      0,
      expect.stringMatching(/^Nothing was changed: .*\nAll of it is signed\.\n$/),
    ]);
    tamper('DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)');
    expect(await axon(hub.home, ['audit', 'verify'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('is missing: it was removed'),
    });
    const empty = mkdtempSync(join(tmpdir(), 'axon-empty-'));
    expect(await axon(empty, ['audit', 'verify'])).toMatchObject({
      code: 2,
      error: expect.stringContaining('There is no audit log'),
    });
    rmSync(empty, { recursive: true });
    expect(await axon(empty, ['audit', 'verify'])).toMatchObject({ code: 2 });
    expect(existsSync(empty)).toBe(false);
  });
});

describe('a hub that was killed', { timeout: COMMANDS_MAX_MS }, () => {
  test('has left rows unsigned, which a check says before the next start, and the log after it', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    await node.services.audit.sign();
    // Signed a second later, so it is copied at once.
    expect(await node.invoke('agents.remove', { name: 'bot' })).toMatchObject({ ok: true });
    // What a power cut leaves, of a hub that goes on.
    const cut = join(elsewhere, 'cut');
    mkdirSync(cut, { mode: 0o700 });
    const left = readdirSync(hub.home).filter(
      (name) => name.startsWith('hub.db') || name === 'identity.key' || name === 'audit.counter',
    );
    for (const name of left) copyFileSync(join(hub.home, name), join(cut, name));
    const checked = await axon(cut, ['audit', 'verify']);
    expect([checked.code, checked.out]).toEqual([
      0,
      expect.stringMatching(/^Nothing was changed: .*\nIt is signed up to row \d+;/),
    ]);
    await node.stop();
    for (const name of readdirSync(hub.home).filter((file) => file.startsWith('hub.db')))
      rmSync(join(hub.home, name));
    for (const name of left) copyFileSync(join(cut, name), join(hub.home, name));
    await startAgain();
    expect((await owner('audit')).out).toContain('hub.ended_unexpectedly');
    expect((await owner('audit', 'verify')).code).toBe(0);
  });
});

describe('a log that does not fit any more', { timeout: COMMANDS_MAX_MS }, () => {
  test('lets no rule act until its owner acknowledges that once, over a restart, and a check says so for ever after', async () => {
    expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
    tamper("UPDATE audit SET actor = 'owner:somebody' WHERE seq = 2");
    await node.services.audit.sign();
    expect((await axon(hub.home, ['status'])).out).toContain(
      'The audit log was changed by another program.',
    );
    expect(node.services.audit.rulesMayAct).toBe(false);
    await node.stop();
    await startAgain();
    expect([node.services.audit.state, node.services.audit.rulesMayAct]).toEqual([
      'tampered',
      false,
    ]);
    const acknowledged = await owner('audit', 'acknowledge');
    expect([acknowledged.code, acknowledged.error]).toEqual([
      0,
      expect.stringContaining('Row 2 was changed after it was written'),
    ]);
    expect((await axon(hub.home, ['status'])).out).not.toContain('The audit log was changed');
    expect(node.services.audit.rulesMayAct).toBe(true);
    const checked = await owner('audit', 'verify');
    expect([checked.code, checked.out]).toEqual([
      0,
      expect.stringMatching(/^Nothing was changed[^]*Row 2 did not fit\. You acknowledged that/),
    ]);
  });
});

describe('the local door', () => {
  test('begins a check, says how far it is and stops it, for a page and never for an agent', async () => {
    const [page, agent] = [await hub.page(), await hub.agent('bot')];
    const ask = async (method: string, token: string): Promise<readonly [number, unknown]> => {
      const { status, text } = await hub.ask('/v1/audit/verify', {
        method,
        token,
        ...(method === 'POST' ? { body: {} } : {}),
      });
      return [status, JSON.parse(text)];
    };
    expect(await ask('GET', page)).toMatchObject([200, { state: 'none', finding: null }]);
    expect(await ask('POST', page)).toMatchObject([200, { state: 'running' }]);
    expect(await ask('DELETE', page)).toMatchObject([
      200,
      { state: expect.stringMatching(/^(cancelled|done)$/) },
    ]);
    for (const method of ['GET', 'POST', 'DELETE']) expect((await ask(method, agent))[0]).toBe(403);
  });
});
