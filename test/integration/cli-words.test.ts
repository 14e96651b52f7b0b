// What `axon` says to the people and agents who type it: lines that work when pasted, causes named
// as they are, and no silent wait.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Person } from '../support/person.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { Program, axon, choosePassphrase, endPrograms } from '../support/programs.ts';
import type { Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

let hub: TestHub;
let passphrase: string;
const run = (...parameters: readonly string[]): Promise<Ended> => axon(hub.home, parameters);
const owner = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);

afterEach(endPrograms);

async function startHub(): Promise<void> {
  hub = await TestHub.start();
  passphrase = join(hub.home, 'passphrase');
  writeFileSync(passphrase, 'a passphrase of the tests\n', { mode: 0o600 });
}

describe('a hub with agents', () => {
  beforeAll(async () => {
    await startHub();
    await choosePassphrase(hub.home);
    await owner('agents', 'add', 'asker', '--domain', 'family.questions');
    await owner('agents', 'add', 'careful', '--domain', 'family.chat');
  });
  afterAll(() => hub.stop());

  test('names in its hints, help and examples the command as it is typed here, with the data folder', async () => {
    const typed = `npx axon --home ${hub.home}`;
    expect((await run('--help')).out).toContain(`${typed} agents connect NAME`);
    expect((await run('--help')).out).toContain('Usage: npx axon ');
    expect((await run('examples')).out).toContain(`${typed} query "Mum's PC"`);
    expect((await run('approvals', '--as', 'asker')).error).toContain(`("${typed} login")`);
    const empty = mkdtempSync(join(tmpdir(), 'axon-empty-'));
    expect((await axon(empty, ['peers'])).error).toContain(`"npx axon --home ${empty} hub"`);
    rmSync(empty, { recursive: true });
    expect(hub.node.services.hub.current().command).toMatch(
      new RegExp(`^node \\S+/main/entry/axon\\.cjs --home ${hub.home}$`),
    );
  });

  test(
    'names the cause: no hub, an unknown agent, a wrong passphrase, an agent name that cannot be',
    { timeout: 60_000 },
    async () => {
      const empty = mkdtempSync(join(tmpdir(), 'axon-empty-'));
      expect(await axon(empty, ['peers'])).toMatchObject({
        code: 1,
        error: expect.stringMatching(/^No hub is running with the data folder /),
      });
      rmSync(empty, { recursive: true });
      const unknown = await run('peers', '--as', 'foo');
      expect(unknown).toMatchObject({
        code: 2,
        error: expect.stringContaining(
          'No agent "foo" is connected here.\nConnected: asker, careful.',
        ),
      });
      const wrong = join(hub.home, 'wrong');
      writeFileSync(wrong, 'not the passphrase\n', { mode: 0o600 });
      const refused = await axon(hub.home, ['approvals', '--passphrase-file', wrong]);
      expect(refused).toMatchObject({ code: 3, error: 'That is not the owner passphrase.\n' });
      const named = await run('agents', 'connect', 'Claude Code');
      expect(named).toMatchObject({
        code: 2,
        error: expect.stringContaining('This would do: claude-code'),
      });
      expect(named.error).toMatch(/^An agent's name is lower-case letters/);
    },
  );

  test(
    'explains every option of hub, and shows no default that is none',
    { timeout: 60_000 },
    async () => {
      const help = (await run('hub', '--help')).out;
      const options = help.split('\n').filter((line) => line.startsWith('  --'));
      expect(options.length).toBeGreaterThan(8);
      expect(
        options.filter((line) => !/^ {2}--\S+(?: <\S+>)? {2,}\S|^ {2}--\S+ <\S+>$/.test(line)),
      ).toEqual([]);
      for (const command of [['listen'], ['agents', 'connect'], ['agents', 'add']]) {
        expect((await run(...command, '--help')).out).not.toContain('[]');
      }
    },
  );

  function offered(): readonly string[] {
    const careful = hub.node.services.work.agents.list().find(({ name }) => name === 'careful');
    return (careful?.domains ?? [])
      .filter((entry) => entry.offered !== false)
      .map(({ domain }) => domain);
  }

  test(
    'looks for the program before it listens, and says which domain is new',
    { timeout: 60_000 },
    async () => {
      const missing = await run('listen', '--as', 'careful', '--', './nonexisting');
      expect(missing).toMatchObject({
        code: 2,
        error: expect.stringContaining('The program "./nonexisting" is not there.'),
      });
      expect(missing.error).not.toContain('Listening');
      const plain = join(hub.home, 'plain-file');
      writeFileSync(plain, 'echo hello\n', { mode: 0o600 });
      expect(await run('listen', '--as', 'careful', '--', plain)).toMatchObject({
        code: 2,
        error: expect.stringContaining('chmod +x'),
      });
      const domains = [
        { domain: 'family.chat', risk_class: 'R2' },
        { domain: 'family.secrets', risk_class: 'R3' },
      ];
      await hub.ask('/v1/agents/careful/class', {
        method: 'PUT',
        token: await hub.page(),
        body: { risk_class: 'R2', domains },
      });
      const token = readFileSync(join(hub.home, 'tokens/careful.token'), 'utf8').trim();
      await hub.ask('/v1/agents/careful', {
        method: 'PATCH',
        token,
        body: { domains: ['family.chat'] },
      });
      expect(offered()).toEqual(['family.chat']);
      const listening = Program.start(
        'cli',
        ['listen', '--as', 'careful', '--domain', 'family.news', '--', process.execPath],
        {
          AXON_HOME: hub.home,
        },
      );
      await expect.poll(() => listening.error).toContain('Listening as careful');
      expect(listening.error).toContain(
        'careful did not offer family.news until now; it does from now on.',
      );
      listening.kill('SIGINT');
      await listening.ended();
      expect(offered()).toEqual(['family.chat', 'family.news']);
    },
  );

  test('says that a person may have to decide while a query waits, and takes it back when the command ends', async () => {
    const asking = Program.start(
      'cli',
      ['query', 'Test hub/careful', 'Free at 7?', '--domain', 'family.chat', '--as', 'asker'],
      {
        AXON_HOME: hub.home,
      },
    );
    await expect
      .poll(() => asking.error, { timeout: 15_000 })
      .toContain('A person there may have to decide first.');
    await expect.poll(() => hub.node.services.work.approvals.pending()).toHaveLength(1);
    asking.kill('SIGINT');
    await asking.ended();
    await expect.poll(() => hub.node.services.work.approvals.pending()).toEqual([]);
  });

  test(
    'says how a question stands while it waits, and what changes',
    { timeout: 60_000 },
    async () => {
      const words = ['Test hub/careful', 'Free at 6?', '--domain', 'family.chat', '--as', 'asker'];
      const asking = Program.start('cli', ['query', ...words], { AXON_HOME: hub.home });
      await expect
        .poll(() => asking.error, { timeout: 15_000 })
        .toContain('Now: Waits until a person decides for Test hub.');
      const { approvals } = hub.node.services.work;
      for (const { id, revision, digest } of approvals.pending())
        await approvals.decide(
          { id, revision, digest, decision: 'allow' },
          { actor: 'ui:test', surface: 'browser' },
        );
      await expect.poll(() => asking.error, { timeout: 15_000 }).toMatch(/Now: Waits for Careful/);
      asking.kill('SIGINT');
      await asking.ended();
    },
  );

  test(
    'says before a query how long nobody may answer, and when that is over how to give them longer',
    { timeout: 60_000 },
    async () => {
      expect((await run('query', '--help')).out.replaceAll(/\s+/g, ' ')).toContain(
        '(default: 600, ten minutes; a person may have to decide first)',
      );
      const late = await run(
        'query',
        'Test hub/careful',
        'Free at 8?',
        '--domain',
        'family.chat',
        '--deadline',
        '1',
        '--as',
        'asker',
      );
      expect(late.error).toMatch(
        /^(?:Nobody here decided in time\. No agent got it\.|Its time ran out\.)$/m,
      );
      expect(late).toMatchObject({ code: 5, out: '', error: expect.stringContaining('delegate') });
      expect(late.error).not.toContain('deadline_ms');
      await expect.poll(() => hub.node.services.work.approvals.pending()).toEqual([]);
    },
  );

  test(
    'says how a task stands while it waits for its end, and at Ctrl+C that it goes on',
    { timeout: 60_000 },
    async () => {
      const words = [
        'delegate',
        'Test hub/careful',
        'Hum',
        '--domain',
        'family.chat',
        '--wait',
        '--as',
        'asker',
      ];
      const waiting = Program.start('cli', words, { AXON_HOME: hub.home });
      await expect
        .poll(() => waiting.error, { timeout: 15_000 })
        .toContain(
          `Now: Waits until a person decides for ${hub.node.services.hub.current().name}.\n`,
        );
      const [, id = ''] = /^Waiting for Test hub: task ([0-9a-f-]{36})\./.exec(waiting.error) ?? [];
      waiting.kill('SIGINT');
      const left = await waiting.ended();
      expect(left).toMatchObject({ code: 130, out: '' });
      const typed = `npx axon --home ${hub.home}`;
      expect(left.error).toContain(
        `Follow it:   ${typed} tasks ${id} --wait --as asker\nCancel it:   ${typed} cancel ${id} --as asker\n`,
      );
      const [card] = hub.node.services.work.approvals.pending();
      const following = Program.start('cli', ['tasks', id, '--wait', '--as', 'asker'], {
        AXON_HOME: hub.home,
      });
      await expect
        .poll(() => following.error, { timeout: 15_000 })
        .toContain(
          `Now: Waits until a person decides for ${hub.node.services.hub.current().name}.\n`,
        );
      await owner('approvals', 'allow', card?.id ?? '', '--digest', card?.digest ?? '');
      await expect
        .poll(() => following.error, { timeout: 15_000 })
        .toMatch(/Now: Waits until a person decides for .*\.\nNow: (?!Waits until a person)/);
      expect(await run('cancel', id, '--as', 'asker')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Cancelled: nobody had begun\.\n/),
      });
      expect(await run('cancel', id, '--as', 'asker')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Cancelled: nobody had begun\.\n/),
      });
      expect(await following.ended()).toMatchObject({
        code: 4,
        out: expect.stringContaining(`${id}  Cancelled`),
      });
    },
  );

  test('says how a result is put away, and ack does it for good', { timeout: 90_000 }, async () => {
    await owner('agents', 'add', 'quick', '--domain', 'family.lists', '--class', 'R0');
    const sent = await run(
      'delegate',
      'Test hub/quick',
      'Add milk',
      '--domain',
      'family.lists',
      '--as',
      'asker',
      '--json',
    );
    const { id: asked } = JSON.parse(sent.out);
    const [card] = hub.node.services.work.approvals.pending();
    await owner('approvals', 'allow', card?.id ?? '', '--digest', card?.digest ?? '');
    const [work] = JSON.parse(
      (await run('inbox', '--as', 'quick', '--wait', '10', '--json')).out,
    ).items;
    expect(await run('ack', work.delivery_id, '--as', 'quick')).toMatchObject({
      code: 0,
      out: expect.stringContaining('yours now'),
    });
    expect(await run('reply', work.delivery_id, 'Added.', '--as', 'quick')).toMatchObject({
      code: 0,
    });
    const shown = (await run('inbox', '--as', 'asker', '--wait', '10')).out;
    expect(shown).toMatch(
      new RegExp(
        `  result of ${asked}  from .*\\n {2}.+ allowed it, on .+\\. Done\\.\\n {2}\\| Added\\.\\n`,
      ),
    );
    const line = /Done with it: (npx axon --home \S+) ack ([0-9a-f-]{36}) --as asker/.exec(shown);
    expect(line?.[1], shown).toBe(`npx axon --home ${hub.home}`);
    const item = line?.[2] ?? '';
    expect(await run('ack', item, '--as', 'asker')).toMatchObject({
      code: 0,
      out: `${item}: done.\n`,
    });
    expect((await run('inbox', '--as', 'asker')).out).toBe('Nothing waits.\n');
  });

  test('says once why a task was declined', async () => {
    const sent = await run(
      'delegate',
      'Test hub/careful',
      'Sing',
      '--domain',
      'family.chat',
      '--as',
      'asker',
      '--json',
    );
    const [card] = hub.node.services.work.approvals.pending();
    await owner('approvals', 'decline', card?.id ?? '', '--reason', 'not today');
    const shown = (await run('tasks', JSON.parse(sent.out).id, '--as', 'asker')).out;
    expect(shown.match(/not today/g), shown).toHaveLength(1);
  });

  test.skipIf(!hasRealPart('terminals'))(
    'shows at a terminal what a lasting refusal would turn away, and makes none without the word that is asked for',
    { timeout: 90_000 },
    async () => {
      await run(
        'delegate',
        'Test hub/careful',
        'Sing aloud',
        '--domain',
        'family.chat',
        '--as',
        'asker',
      );
      const [card] = hub.node.services.work.approvals.pending();
      const words = [
        'approvals',
        'decline',
        card?.id ?? '',
        '--never',
        '--passphrase-file',
        passphrase,
      ];
      const rules = async (): Promise<unknown> =>
        JSON.parse((await owner('rules', '--json')).out).items;

      const doubting = Person.start('cli', hub.home, words);
      await expect.poll(() => doubting.screen).toContain('Type "never"');
      expect(doubting.screen).toContain('| Sing aloud');
      expect(doubting.screen).toMatch(
        /From now on Asker, on this computer, may never ask Careful for anything in family\.chat/,
      );
      doubting.type('yes\r');
      expect(await doubting.ended(), doubting.screen).toBe(4);
      expect(doubting.screen).toMatch(
        /Nothing was decided\.\s+Only the whole word "never" does it\./,
      );
      expect([await rules(), hub.node.services.work.approvals.pending().length]).toEqual([[], 1]);

      for (const key of ['\u0003', '\u0004']) {
        const leaving = Person.start('cli', hub.home, words);
        await expect.poll(() => leaving.screen).toContain('Type "never"');
        leaving.type(key);
        expect(await leaving.ended(), leaving.screen).toBe(4);
        expect(leaving.screen).toMatch(/^Nothing was typed, so nothing was done\.\r?$/m);
      }
      expect([await rules(), hub.node.services.work.approvals.pending().length]).toEqual([[], 1]);

      const sure = Person.start('cli', hub.home, words);
      await expect.poll(() => sure.screen).toContain('Type "never"');
      sure.type('never\r');
      expect(await sure.ended(), sure.screen).toBe(0);
      expect(sure.screen).toContain('Declined, and remembered as a rule');
      expect(await rules()).toMatchObject([
        { effect: 'never', asking_local: 'asker', agent: 'careful', domain: 'family.chat' },
      ]);
      for (const { id } of JSON.parse((await owner('rules', '--json')).out).items)
        await owner('rules', 'remove', id);
    },
  );

  const UNKNOWN = '11111111-1111-4111-8111-111111111111';
  test.each([
    ['ack', ['ack'], 'axon inbox', []],
    ['reply', ['reply'], 'axon inbox', ['Done']],
    ['tasks', ['tasks'], 'axon tasks', []],
    ['cancel', ['cancel'], 'axon tasks', []],
    ['approvals show', ['approvals', 'show'], 'axon approvals', []],
    ['approvals allow', ['approvals', 'allow'], 'axon approvals', []],
    ['approvals decline', ['approvals', 'decline'], 'axon approvals', []],
    ['approvals later', ['approvals', 'later'], 'axon approvals', []],
    ['approvals keep-open', ['approvals', 'keep-open'], 'axon approvals', []],
    ['answer', ['answer'], 'axon approvals', ['Done']],
    ['rules pause', ['rules', 'pause'], 'axon rules', []],
    ['rules remove', ['rules', 'remove'], 'axon rules', []],
    ['rules restore', ['rules', 'restore'], 'axon rules', []],
    ['invite revoke', ['invite', 'revoke'], 'axon invite list', []],
  ])(
    '%s says which id it wants and where to find it',
    { timeout: 60_000 },
    async (_name, words, where, rest) => {
      const place = where.replace(
        'axon',
        `"npx axon --home ${hub.home} --passphrase-file ${passphrase}`,
      );
      const wrong = await owner(...words, 'nonsense', ...rest, '--as', 'asker');
      expect(wrong).toMatchObject({
        code: 2,
        error: expect.stringMatching(/"nonsense" is not the id of an? \w.*: 36 characters/),
      });
      expect(wrong.error).toContain(place);
      const unknown = await owner(...words, UNKNOWN, ...rest, '--as', 'asker');
      expect(unknown).toMatchObject({
        code: 2,
        error: expect.stringMatching(/^(?:There is no such|That invitation is) /),
      });
      expect(unknown.error).toContain(place);
    },
  );

  test('names a number that is out of its range, and no HTTP request to people who type commands', async () => {
    expect(await owner('pair', 'window', '--minutes', '90')).toMatchObject({
      code: 2,
      error: expect.stringContaining('from 1 to 30'),
    });
    expect(await run('inbox', '--max', '0', '--as', 'asker')).toMatchObject({
      code: 2,
      error: expect.stringContaining('from 1 to 32'),
    });
    expect(await run('inbox', '--wait', '90', '--as', 'asker')).toMatchObject({
      code: 2,
      error: expect.stringContaining('at most 55'),
    });
    const empty = await run('query', 'Test hub/careful', '', '--as', 'asker');
    expect(empty).toMatchObject({
      code: 2,
      error: expect.stringContaining('question: it must not be empty.'),
    });
    const long = await run('delegate', 'Test hub/careful', 'x'.repeat(70_000), '--as', 'asker');
    expect(long.error).toContain('--help');
    expect(long.error).not.toContain('GET /v1');
  });
});

describe('a hub at a terminal', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'axon-terminal-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const doors = ['--peer-port', '0', '--discovery', 'off'];

  test.skipIf(!hasRealPart('terminals'))(
    'logs in words, or as JSON when it is asked to, and gives a link with the line that makes another',
    async () => {
      for (const [flags, line] of [
        [[], /\d\d:\d\d:\d\d hub started \(api port \d+, peer port \d+\)/],
        [['--log', 'json'], /\{"at":\d+,"level":"info","message":"hub started"/],
      ] as const) {
        const person = Person.start('headless', home, ['--api-port', '0', ...doors, ...flags]);
        await expect
          .poll(() => person.screen, { timeout: 15_000 })
          .toContain(`npx axon --home ${home} login`);
        expect(person.screen).toMatch(line);
        person.type('\u0003');
        expect(await person.ended()).toBe(0);
      }
    },
  );

  test.skipIf(!hasRealPart('terminals'))(
    'stops in order when the terminal is closed',
    { timeout: 60_000 },
    async () => {
      const person = Person.start('headless', home, ['--api-port', '0', ...doors]);
      const runtime = join(home, 'hub.json');
      await expect.poll(() => person.screen).toContain(`npx axon --home ${home} login`);
      expect(existsSync(runtime)).toBe(true);
      person.closeTerminal();
      await expect.poll(() => existsSync(runtime)).toBe(false);
    },
  );

  test('that never was up says why, and not that it stopped', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const refused = await Program.start('headless', ['--api-port', String(port), ...doors], {
      AXON_HOME: home,
    }).ended();
    other.close();
    expect(refused.error).toContain(`Port ${port} on 127.0.0.1 is taken`);
    expect(refused.error).not.toContain('hub stopped');
  });
});
