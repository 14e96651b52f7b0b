// `axon` as a child process against a real hub: what it does, what it refuses, what it prints and
// with which exit code.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Program, axon, choosePassphrase, wordsOf } from '../support/programs.ts';
import type { Ended } from '../support/programs.ts';
import { Person } from '../support/person.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { TestHub } from '../support/test-hub.ts';

const DANGEROUS = '\u001b]8;;http://evil.example\u0007red\u001b[31m\rX\b\u202egnp.exe\u009b2J';
let hub: TestHub;
let passphrase: string;

const run = (...parameters: readonly string[]): Promise<Ended> => axon(hub.home, parameters);
const owner = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);

beforeAll(async () => {
  hub = await TestHub.start();
  passphrase = await choosePassphrase(hub.home);
  expect(await owner('agents', 'add', 'asker')).toMatchObject({ code: 0 });
  expect(
    await owner('agents', 'add', 'bot', '--domain', 'family.chat', '--class', 'R0'),
  ).toMatchObject({ code: 0 });
});
afterAll(() => hub.stop());

describe('axon', () => {
  test('keeps the token of an agent for this user alone, and never prints it', async () => {
    const added = await owner('agents', 'add', 'quiet', '--json');
    const file = join(hub.home, 'tokens/quiet.token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(hub.home, 'tokens')).mode & 0o777).toBe(0o700);
    const token = readFileSync(file, 'utf8').trim();
    expect(token).toMatch(/^axh_agent_/);
    expect(added.out + added.error).not.toContain(token);
    expect(
      JSON.parse((await axon(hub.home, ['whoami', '--json'], { AXON_TOKEN_FILE: file })).out).token
        .agent,
    ).toBe('quiet');
  });

  test('renames an agent, lists it by name and handle, and takes either', async () => {
    await owner('agents', 'add', 'kitchen-bot');
    const listed = async (): Promise<string> => (await owner('agents')).out;
    expect(await listed()).toMatch(/^Kitchen Bot +kitchen-bot /m);
    expect(await owner('agents', 'rename', 'kitchen bot', 'Cook')).toMatchObject({
      code: 0,
      out: 'kitchen-bot is called Cook from now on.\n',
    });
    expect(await listed()).toMatch(/^Cook +kitchen-bot /m);
    expect((await owner('agents', 'class', 'cook', 'R1')).out).toBe('Cook is of class R1.\n');
    expect(await owner('agents', 'rename', 'Cook', 'Asker')).toMatchObject({
      code: 3,
      error: expect.stringContaining('looks the same'),
    });
    expect(await owner('agents', 'class', 'No Such', 'R1')).toMatchObject({
      code: 2,
      error: expect.stringContaining('Agents here: '),
    });
    expect(await owner('agents', 'remove', 'COOK')).toMatchObject({ code: 0 });
    expect(await listed()).not.toContain('kitchen-bot');
  });

  test('forgets the token of an agent that is removed', async () => {
    await owner('agents', 'add', 'leaving');
    const file = join(hub.home, 'tokens/leaving.token');
    expect(existsSync(file)).toBe(true);
    expect(await owner('agents', 'remove', 'leaving')).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
  });

  const BOT_MAY = [
    'allow',
    '--hub',
    'local/asker',
    '--agent',
    'bot',
    '--domain',
    'family.chat',
    '--json',
  ] as const;
  const idOf = ({ out }: Ended): string => (JSON.parse(out) as { id: string }).id;

  test('makes, tries and pauses rules', async () => {
    const none = await owner('rules');
    expect([none.code, none.out]).toEqual([0, 'There are no rules yet.\n']);
    const id = idOf(await owner('rules', 'add', ...BOT_MAY));
    const like = ['rules', 'test', 'delegate', '--hub', 'local/asker', '--domain', 'family.chat'];
    const [listed, tried] = await Promise.all([owner('rules', 'list'), owner(...like)]);
    expect(listed.out).toContain(
      'Asker, on this computer, may ask Bot for anything in family.chat.',
    );
    expect(tried.out).toMatch(/^It would be allowed\.\n[^]*This rule matches\.\n$/);
    expect((await owner('rules', 'pause', id)).out).toContain('Paused.');
    expect((await owner(...like)).out).toMatch(/^It would ask you\.\n[^]*This rule is paused\.\n$/);
    await owner('rules', 'remove', id);
  });

  test('takes rules away and gives them back', async () => {
    const id = idOf(await owner('rules', 'add', ...BOT_MAY));
    expect((await owner('rules', 'remove', id)).out).toContain('Removed by a person.');
    expect((await owner('rules', 'list', '--ended')).out).toContain(id);
    expect((await owner('rules', 'restore', id)).code).toBe(0);
    expect(await owner('rules', 'remove', id)).toMatchObject({ code: 0 });
  });

  test('refuses a rule or a trial that says too little, and any list of rules to whoever is not in charge', async () => {
    const refused = await Promise.all([
      owner('rules', 'add', 'allow', '--domain', 'family.chat'),
      owner('rules', 'add', 'perhaps'),
      owner('rules', 'test', 'delegate'),
      run('rules', '--as', 'asker'),
    ]);
    expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  });

  test('says a rule that is only tried, and makes none', async () => {
    const before = (await owner('rules')).out;
    const rule = [
      'allow',
      '--hub',
      'local/asker',
      '--agent',
      'bot',
      '--domain',
      'family.chat',
      '--topic',
      'dinner',
    ];
    const tried = await owner('rules', 'add', ...rule, '--dry-run');
    expect(tried.error).toBe('');
    expect(tried.out).toMatch(
      /^Asker, on this computer, may ask Bot for anything in family\.chat, only about the topic "dinner"\.\n {2}Until .*\.\n/,
    );
    expect((await owner('rules')).out).toBe(before);
  });

  test('reads and tells the end of a rule by the clock of this computer, and its example is one the hub takes', async () => {
    const inTokyo = (...parameters: readonly string[]) =>
      axon(hub.home, ['--passphrase-file', passphrase, 'rules', 'add', ...parameters], {
        TZ: 'Asia/Tokyo',
      });
    const never = ['never', '--hub', 'local/asker', '--domain', 'family.chat', '--until'];
    const example =
      /such as ([\dT:-]+)/.exec((await inTokyo('--help')).out.replaceAll(/\s+/g, ' '))?.[1] ??
      'no example';
    const rules: { id: string; ends_at: number }[] = [];
    for (const until of [example, example.slice(0, 10)]) {
      const made = await inTokyo(...never, until, '--json');
      expect(made).toMatchObject({ code: 0 });
      rules.push(JSON.parse(made.out));
    }
    expect(rules.map(({ ends_at }) => ends_at)).toEqual([
      Date.parse(`${example}+09:00`),
      Date.parse(`${example.slice(0, 10)}T00:00+09:00`),
    ]);
    const shown = await inTokyo(...never, example);
    expect(shown.out).toContain(`Until ${example.replace('T', ' ')} (Asia/Tokyo).`);
    for (const { id } of rules) await owner('rules', 'remove', id);
    const record = await axon(hub.home, ['--passphrase-file', passphrase, 'audit'], {
      TZ: 'Asia/Tokyo',
    });
    expect(record.out.split('\n', 1)[0]).toMatch(/^ROW +WHEN \(Asia\/Tokyo\) /);
    await owner('rules', 'remove', shown.out.trim().split(/\s+/).at(-1) ?? '');
    for (const refused of ['2030', 'tomorrow', '1700000000000'])
      expect(await inTokyo(...never, refused)).toMatchObject({ code: 2 });
    expect((await owner('rules')).out).toBe('There are no rules yet.\n');
  });

  test('makes no lasting refusal of a request that nobody saw, and names the command that lists it', async () => {
    await run(
      'delegate',
      'Test hub/bot',
      'Never again',
      '--domain',
      'family.chat',
      '--as',
      'asker',
      '--json',
    );
    const [card] = JSON.parse((await owner('approvals', '--json')).out).items;
    expect(await owner('approvals', 'decline', card.id, '--never')).toMatchObject({
      code: 2,
      error: expect.stringContaining('--digest'),
    });
    const stale = await owner(
      'approvals',
      'decline',
      card.id,
      '--never',
      '--digest',
      '0'.repeat(64),
    );
    expect(stale.code).toBe(3);
    expect((await owner('rules')).out).toBe('There are no rules yet.\n');
    const declined = await owner(
      'approvals',
      'decline',
      card.id,
      '--never',
      '--digest',
      card.digest,
    );
    expect(declined).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^Declined, and remembered as a rule \(.+ --home .+ rules\)\. A person declined it, on Test hub\. .+\n$/,
      ),
    });
    const { items } = JSON.parse((await owner('rules', '--json')).out);
    expect(items).toMatchObject([
      { effect: 'never', asking_local: 'asker', agent: 'bot', domain: 'family.chat' },
    ]);
    await owner('rules', 'remove', items[0].id);
  });

  test('connects an agent after a person confirmed the code it shows', async () => {
    const connecting = Program.start(
      'cli',
      ['agents', 'connect', 'newcomer', '--domain', 'family.news'],
      { AXON_HOME: hub.home },
    );
    await expect.poll(() => hub.node.services.work.registrations.pending().length).toBe(1);
    const [asked] = hub.node.services.work.registrations.pending();
    await expect.poll(() => connecting.error).toContain(asked?.code ?? 'no code');
    const page = await hub.page();
    const confirmed = await hub.ask(`/v1/agents/registrations/${asked?.id}/confirm`, {
      method: 'POST',
      token: page,
      body: { code: asked?.code },
    });
    expect(confirmed.status).toBe(200);
    expect(await connecting.ended()).toMatchObject({ code: 0 });
    expect((await run('whoami', '--as', 'newcomer')).out).toContain('newcomer on Test hub');
  });

  test('says at once where a person confirms an agent, and takes the code at a terminal of the person in charge', async () => {
    const connecting = Program.start('cli', ['agents', 'connect', 'waiter', '--domain', 'a.b'], {
      AXON_HOME: hub.home,
    });
    await expect.poll(() => connecting.error).toContain(' agents confirm ');
    const [, code = ''] = /^ {2}([0-9]{6})$/m.exec(connecting.error) ?? [];
    expect(connecting.error).toContain(`npx axon --home ${hub.home} agents confirm ${code}\n`);
    expect(connecting.error).toContain(`npx axon --home ${hub.home} login opens them`);
    expect(await run('agents', 'confirm', code)).toMatchObject({ code: 2, out: '' });
    const wrong = await owner('agents', 'confirm', code === '000000' ? '000001' : '000000');
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(wrong.error).toContain('These wait: Waiter.');
    expect(wrong.error).not.toContain(code);
    const confirmed = await owner('agents', 'confirm', code, '--class', 'R1');
    expect(confirmed).toMatchObject({
      code: 0,
      out: 'Confirmed: Waiter, of class R1, for a.b. It is connected once its program says so.\n',
    });
    expect(await connecting.ended()).toMatchObject({ code: 0 });
    expect(await owner('agents', 'confirm', code)).toMatchObject({
      code: 2,
      error: expect.stringContaining('None waits:'),
    });
  }, 60_000);

  test('goes on waiting for nobody once the person connected the agent in another way', async () => {
    const connecting = Program.start('cli', ['agents', 'connect', 'hasty'], {
      AXON_HOME: hub.home,
    });
    await expect.poll(() => connecting.error).toContain(' agents confirm ');
    expect(await owner('agents', 'add', 'hasty')).toMatchObject({ code: 0 });
    expect(await connecting.ended()).toMatchObject({
      code: 0,
      out: expect.stringContaining('hasty.token'),
    });
    const other = Program.start('cli', ['agents', 'connect', 'elsewhere'], {
      AXON_HOME: hub.home,
    });
    await expect.poll(() => other.error).toContain(' agents confirm ');
    await hub.agent('elsewhere');
    expect(await other.ended()).toMatchObject({
      code: 3,
      error: expect.stringContaining('There is an agent named "elsewhere" already.'),
    });
  }, 60_000);

  test('turns a program into an agent that answers a query', async () => {
    const program =
      'process.stdin.on("data", (d) => { const item = JSON.parse(d); console.log(JSON.stringify({ heard: item.untrusted.text })) })';
    const listening = Program.start(
      'cli',
      ['listen', '--as', 'bot', '--once', '--', process.execPath, '-e', program],
      {
        AXON_HOME: hub.home,
      },
    );
    await expect.poll(() => listening.error).toContain('Listening as bot');
    const asked = await run(
      'query',
      'Test hub/bot',
      'Free at 7?',
      '--domain',
      'family.chat',
      '--as',
      'asker',
      '--json',
    );
    expect(asked.code).toBe(0);
    expect(JSON.parse(asked.out).untrusted.data).toEqual({ heard: 'Free at 7?' });
    expect(await listening.ended()).toMatchObject({ code: 0 });
    // A second later the search finds it; nothing stands before the first hit.
    const search = async (): Promise<string> => (await run('search', 'Free', '--as', 'asker')).out;
    await expect.poll(search, { timeout: 20_000 }).toMatch(/^\d[^]*Free at 7/);
  });

  test('says that the agent failed, and not this computer', async () => {
    const listening = Program.start(
      'cli',
      ['listen', '--as', 'bot', '--once', '--', process.execPath, '-e', 'process.exit(1)'],
      { AXON_HOME: hub.home },
    );
    await expect.poll(() => listening.error).toContain('Listening as bot');
    const words = ['Test hub/bot', 'Free at 8?', '--domain', 'family.chat', '--as', 'asker'];
    const asked = await run('query', ...words);
    await listening.ended();
    expect(asked.error).toContain('The program ended with exit code 1.');
    expect(asked.code).toBe(4);
  });

  test('carries a delegation through a decision at the terminal to its result', async () => {
    const delegated = await run(
      'delegate',
      'Test hub/bot',
      'Tell the chat that dinner is at 7',
      '--domain',
      'family.chat',
      '--as',
      'asker',
      '--json',
    );
    const { id } = JSON.parse(delegated.out);
    const listed = (await owner('approvals')).out;
    expect(listed).toContain('Tell the chat that dinner is at 7');
    for (const { out } of [{ out: listed }, await run('agents')]) {
      expect(out).toMatch(
        /\n\nCLASS: R0 only looks; R1 small, can be undone; R2 others see it; R3 dangerous\.\n$/,
      );
    }
    const [card] = JSON.parse((await owner('approvals', 'list', '--json')).out).items;
    const unseen = await owner('approvals', 'allow', card.id);
    expect(unseen).toMatchObject({ code: 2, error: expect.stringContaining('--digest') });
    const changed = await owner('approvals', 'allow', card.id, '--digest', '0'.repeat(64));
    expect(changed.code).toBe(3);
    expect(await owner('approvals', 'allow', card.id, '--digest', card.digest)).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`\nTo stop it: .+ stop ${card.task_id}\n$`)),
    });
    const listening = await run(
      'listen',
      '--as',
      'bot',
      '--once',
      '--',
      process.execPath,
      '-e',
      'console.log("Posted.")',
    );
    expect(listening.code).toBe(0);
    const ended = await run('tasks', id, '--wait', '--as', 'asker');
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('Posted.') });
  });

  test('tells a failed program and a declined request by the exit code', async () => {
    const ask = async (
      text: string,
    ): Promise<{ id: string; card: { id: string; digest: string } }> => {
      const { id } = JSON.parse(
        (
          await run(
            'delegate',
            'Test hub/bot',
            text,
            '--domain',
            'family.chat',
            '--as',
            'asker',
            '--json',
          )
        ).out,
      );
      const [card] = JSON.parse((await owner('approvals', '--json')).out).items;
      return { id, card };
    };
    const failing = await ask('This will fail');
    await owner('approvals', 'allow', failing.card.id, '--digest', failing.card.digest);
    await run(
      'listen',
      '--as',
      'bot',
      '--once',
      '--',
      process.execPath,
      '-e',
      'console.error("no paper"); process.exit(3)',
    );
    expect(await run('tasks', failing.id, '--wait', '--as', 'asker')).toMatchObject({
      code: 4,
      out: expect.stringContaining('no paper'),
    });
    const declined = await ask('This will be declined');
    expect(
      await owner('approvals', 'decline', declined.card.id, '--reason', 'not today'),
    ).toMatchObject({ code: 0 });
    expect(await run('tasks', declined.id, '--wait', '--as', 'asker')).toMatchObject({ code: 3 });
  });

  test('asks for the owner at a terminal only: in a pipe it says how, and exits 2', async () => {
    for (const command of [
      ['approvals'],
      ['pair', 'window'],
      ['agents', 'add', 'intruder'],
      ['login', '--json'],
    ]) {
      expect(
        await axon(hub.home, command, {}, 'a passphrase of the tests\n'),
        command.join(' '),
      ).toMatchObject({
        code: 2,
        out: '',
        error: expect.stringContaining('--passphrase-file'),
      });
    }
    const wrong = join(hub.home, 'wrong');
    writeFileSync(wrong, 'not the passphrase\n', { mode: 0o600 });
    expect(await axon(hub.home, ['approvals', '--passphrase-file', wrong])).toMatchObject({
      code: 3,
      out: '',
    });
  });

  test('prints a login link to a terminal, or to a script that asked for it as JSON', async () => {
    const piped = await owner('login');
    expect(piped).toMatchObject({ code: 2, out: '' });
    const link = new URL(JSON.parse((await owner('login', '--json')).out).url);
    expect(link.host).toBe(hub.host);
    const login = await hub.ask('/v1/login', {
      method: 'POST',
      body: { code: link.hash.slice('#c='.length) },
    });
    expect(login.status).toBe(200);
  });

  test('ends the owner token it used', async () => {
    await owner('approvals');
    expect(hub.node.services.tokens.list().filter((row) => row.kind === 'owner')).toEqual([]);
  });

  test('works from its help alone: every command has one, and a wrong one exits 2', async () => {
    const help = await run('--help');
    expect(help.code).toBe(0);
    const commands = [...help.out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? '');
    expect(commands).toEqual(
      expect.arrayContaining([
        'peers',
        'discover',
        'ping',
        'query',
        'delegate',
        'notify',
        'inbox',
        'reply',
        'listen',
      ]),
    );
    expect(commands).toEqual(
      expect.arrayContaining([
        'tasks',
        'cancel',
        'approvals',
        'pair',
        'agents',
        'status',
        'whoami',
        'login',
        'examples',
        'hub',
      ]),
    );
    for (const wrong of [
      ['nonsense'],
      ['query'],
      ['query', 'a'],
      ['status', '--colour'],
      ['inbox', '--max', 'many'],
    ]) {
      expect((await run(...wrong)).code, wrong.join(' ')).toBe(2);
    }
  });

  test('says where it looked when no hub runs, and exits 1', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'axon-empty-'));
    expect(await axon(empty, ['status'])).toMatchObject({
      code: 1,
      error: expect.stringContaining(empty),
    });
    expect(JSON.parse((await axon(empty, ['status', '--json'])).error)).toMatchObject({
      code: 'hub_unreachable',
    });
    rmSync(empty, { recursive: true });
  });
});

describe('HT-12: a program that squats on the port', () => {
  let squatter: Server;
  let home: string;
  const heard: IncomingMessage[] = [];
  const TOKEN = `axh_agent_${'0'.repeat(16)}_${'x'.repeat(43)}`;

  beforeAll(async () => {
    squatter = createServer((request, response) => {
      heard.push(request);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ proof: '0'.repeat(64), status: 'ok', items: [] }));
    });
    const port = await new Promise<number>((resolve) => {
      squatter.listen(0, '127.0.0.1', () => {
        const address = squatter.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    home = mkdtempSync(join(tmpdir(), 'axon-squatted-'));
    writeFileSync(
      join(home, 'hub.json'),
      JSON.stringify({ port, pid: 1, boot_secret: 'the real one' }),
      { mode: 0o600 },
    );
  });
  afterAll(() => {
    squatter.close();
    rmSync(home, { recursive: true });
  });

  test('is sent no token by axon mcp, whose tools say what is wrong', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const env = { PATH: process.env['PATH'] ?? '', AXON_TOKEN: TOKEN, AXON_HOME: home };
    const program = { command: process.execPath, args: wordsOf('cli', ['mcp']), env };
    await client.connect(new StdioClientTransport({ ...program, stderr: 'ignore' }));
    heard.length = 0;
    const answer = await client.callTool({ name: 'axon_peers', arguments: {} });
    await client.close();
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer.content)).toContain('did not prove');
    expect(heard.length).toBeGreaterThan(0);
    for (const { headers } of heard) expect(headers.authorization).toBeUndefined();
  });

  test('is sent neither a token nor a passphrase', async () => {
    const secrets = { AXON_TOKEN: TOKEN };
    expect(await axon(home, ['peers'], secrets)).toMatchObject({
      code: 1,
      error: expect.stringContaining('did not prove'),
    });
    expect((await axon(home, ['approvals', '--passphrase-file', passphrase])).code).toBe(1);
    expect(heard.length).toBeGreaterThan(0);
    for (const { url, headers } of heard) {
      expect(url).toMatch(/^\/v1\/proof\?n=[A-Za-z0-9_-]+$/);
      expect(headers.authorization).toBeUndefined();
    }
  });

  test('and a runtime file that others may read is not believed', async () => {
    const file = join(home, 'hub.json');
    chmodSync(file, 0o644);
    expect(await axon(home, ['status'])).toMatchObject({
      code: 1,
      error: expect.stringContaining('not private'),
    });
    chmodSync(file, 0o600);
  });
});

test('HT-09: the person in charge gets in while others guess the passphrase', async () => {
  const guess = (): Promise<unknown> =>
    hub.ask('/v1/login', { method: 'POST', body: { passphrase: 'a wrong guess' } });
  const guesses = Array.from({ length: 12 }, guess);
  await Promise.race(guesses);
  const all = Promise.all(guesses).then(() => 'all guesses were answered');
  expect(await Promise.race([all, owner('approvals')])).toMatchObject({ code: 0 });
  await all;
});

describe('a data folder with a pipe for a runtime file', () => {
  test.skipIf(process.platform === 'win32')('is refused at once', async () => {
    const home = mkdtempSync(join(tmpdir(), 'axon-piped-'));
    const pipe = join(home, 'hub.json');
    expect(spawnSync('mkfifo', ['-m', '600', pipe]).status).toBe(0);
    const asked = Program.start('cli', ['--home', home, 'status']);
    try {
      await expect.poll(() => asked.error).toContain('not a regular file');
      expect((await asked.ended()).code).toBe(1);
    } finally {
      asked.kill('SIGKILL');
      rmSync(home, { recursive: true });
    }
  });
});

/** Everything but line feeds that a terminal would act on. */
const acting = (text: string): readonly string[] =>
  [...text].filter((character) => character !== '\n' && /[\p{Control}\u202e]/u.test(character));

describe('CL: what comes from elsewhere stays text', () => {
  test('CL-01: control, colour, link and direction characters are shown, never obeyed', async () => {
    const printed = await run(
      'delegate',
      'Test hub/bot',
      DANGEROUS,
      '--domain',
      'family.chat',
      '--as',
      'asker',
      '--json',
    );
    const { id } = JSON.parse(printed.out);
    const outputs = [printed.out];
    for (const parameters of [['tasks', id], ['tasks'], ['tasks', id, '--json']])
      outputs.push((await run(...parameters, '--as', 'asker')).out);
    for (const parameters of [['approvals'], ['approvals', '--json']])
      outputs.push((await owner(...parameters)).out);
    for (const text of outputs) expect(acting(text)).toEqual([]);
    expect(outputs.join('')).toContain('gnp.exe');
  });

  test.skipIf(!hasRealPart('terminals'))('CL-01: at a terminal, too', async () => {
    const sent = await run('delegate', 'Test hub/bot', DANGEROUS, '--as', 'asker', '--json');
    const { id } = JSON.parse(sent.out);
    for (const parameters of [['tasks', id], ['tasks']]) {
      const person = Person.start('cli', hub.home, [...parameters, '--as', 'asker']);
      expect(await person.ended()).toBe(0);
      if (parameters.length > 1) expect(person.screen).toContain('gnp.exe');
      expect(acting(person.screen.replaceAll('\r\n', '\n'))).toEqual([]);
    }
  });

  test('CL-01: in the name of an agent nothing of the kind can stand', async () => {
    for (const name of [DANGEROUS, 'Cook\u202e', 'a\u001b[31mb', 'Cook\rBot']) {
      const refused = await owner('agents', 'rename', 'bot', name);
      expect(refused).toMatchObject({ code: 2 });
      expect(acting(refused.error)).toEqual([]);
    }
    expect(acting((await owner('agents')).out)).toEqual([]);
  });

  test('CL-02: texts that look like options, files or nothing are data', async () => {
    const missing = await run('query', '--as', 'asker', '--', '--help', '@/etc/passwd');
    expect(missing).toMatchObject({ code: 2, error: expect.stringContaining('--help') });
    const sent = await run(
      'delegate',
      '--as',
      'asker',
      '--domain',
      'family.chat',
      '--json',
      '--',
      'Test hub/bot',
      '--rm -rf @/etc/passwd $(id)',
    );
    const task = JSON.parse(
      (await run('tasks', JSON.parse(sent.out).id, '--as', 'asker', '--json')).out,
    );
    expect(task.text).toBe('--rm -rf @/etc/passwd $(id)');
    // Linux gives one word of a command line at most 128 KiB.
    const long = await run('delegate', 'Test hub/bot', 'x'.repeat(130_000), '--as', 'asker');
    expect(long).toMatchObject({ code: 2 });
  });

  test('CL-03: a token given as an argument is refused, and no secret stands on a command line', async () => {
    const token = readFileSync(join(hub.home, 'tokens/bot.token'), 'utf8').trim();
    const refused = await run('notify', 'Test hub/bot', 'topic', token);
    expect(refused).toMatchObject({ code: 2, error: expect.stringContaining('AXON_TOKEN_FILE') });
    expect(refused.out + refused.error).not.toContain(token);
    const listening = Program.start('cli', ['listen', '--as', 'bot', '--', 'true'], {
      AXON_HOME: hub.home,
    });
    await expect.poll(() => listening.error).toContain('Listening');
    if (process.platform === 'linux') {
      const { stdout } = spawnSync('cat', [`/proc/${listening.pid}/cmdline`], { encoding: 'utf8' });
      expect(stdout).toContain('listen');
      expect(stdout).not.toContain(token.slice(-43));
    }
    listening.kill('SIGINT');
    expect(await listening.ended()).toMatchObject({ code: 0 });
  });
});
