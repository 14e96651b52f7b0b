// Connecting an agent as the Agents page shows it: what stands there for a program is copied from
// one page and done, a person confirms the code, and at the program's first call the light of that
// page and of a second one turns. Real Chromium, a headless hub and the built command.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import type { LineProcess } from '../lan/line-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { PickerPage, type Program } from './picker-page.ts';

const { connect } = ENGLISH.agents;

const ends: (() => Promise<void> | void)[] = [];

describe.skipIf(!hasRealPart('chromium'))('connecting an agent from the page', () => {
  let computer: ThisComputer;
  let hub: HubProcess;
  let owner: HubApi;
  let picker: PickerPage;
  let second: PickerPage;
  /** The person's home folder, and where the lines are typed. */
  let home: string;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'axon-connect-'));
    ends.push(() => rm(home, { recursive: true, force: true }));
    const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
    env = { HOME: home, PATH: path };
    computer = new ThisComputer('mum');
    ends.push(() => computer.close());
    hub = await HubProcess.start(computer, { name: 'Mum’s PC', flags: ['--discovery', 'off'] });
    ends.push(() => hub.remove());
    owner = await hub.owner();
    const browser = await openBrowser(computer);
    ends.push(() => browser.close());
    picker = await PickerPage.opened(browser, await hub.loginLink());
    second = await PickerPage.opened(browser, await hub.loginLink());
  }, 120_000);
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  }, 60_000);
  beforeEach(() => {
    onTestFailed(async () => {
      for (const page of [picker, second])
        process.stderr.write(`${await page.told().catch(String)}\n`);
    });
  });

  /** Types a line at a terminal of that person. */
  const type = (line: string): LineProcess =>
    computer.start('bash', ['-c', `cd "$HOME" && ${line}`], env);

  /** Runs the first line that is shown, and confirms its code. Returns what it printed. */
  async function connected(line: string): Promise<string> {
    const program = type(line);
    await picker.light(connect.asks);
    await picker.confirm(() => program.transcript());
    expect(await program.ended, program.transcript()).toBe(0);
    await picker.light(connect.waiting);
    return program.lines.join('\n');
  }

  /** The light is on, on both pages. */
  async function lit(program: Program, name: string): Promise<void> {
    await second.choose(program);
    for (const page of [picker, second]) await page.light(connect.called(name));
  }

  async function mcpClient(command: string, args: readonly string[], variables = {}) {
    const client = new Client({ name: 'a program', version: '1' });
    ends.push(() => client.close());
    await client.connect(
      new StdioClientTransport({ command, args: [...args], env: { ...env, ...variables } }),
    );
    return client;
  }

  /** What that agent answers to a task of another one, which a person allows. */
  async function answerOf(name: string): Promise<string> {
    const { token } = await owner.call('agents.create', { name: `asks-${name}` });
    const asking = hub.api.withToken(token);
    const { id } = await asking.call('send.delegate', { to: `local/${name}`, task: 'Add salt' });
    const { items } = await owner.call('approvals.list', {});
    const [card] = items;
    if (card === undefined) throw new Error('nothing waits');
    const { revision, digest } = card;
    await owner.call('approvals.decide', { id: card.id, revision, digest, decision: 'allow' });
    return JSON.stringify(await asking.call('tasks.get', { id, wait: 30_000 }));
  }

  it('Claude Code: one line, and its first call', async () => {
    const [line = ''] = await picker.choose('claude-code');
    for (const page of [picker, second]) await page.light(connect.waiting);
    await connected(line);
    const { mcpServers } = JSON.parse(await readFile(join(home, '.claude.json'), 'utf8'));
    const { command, args, env: variables } = mcpServers.axon;
    const client = await mcpClient(command, args, variables);
    await client.callTool({ name: 'axon_whoami' });
    await lit('claude-code', 'Claude Code');
  });

  it('every other program that the command knows: its line is one that the command takes', async () => {
    for (const program of ['cursor', 'openclaw', 'codex', 'gemini-cli', 'opencode'] as const) {
      const [line = '', ...more] = await picker.choose(program);
      expect(more).toEqual([]);
      const shown = type(`${line} --show`);
      expect(await shown.ended, shown.transcript()).toBe(0);
      expect(shown.lines.join('\n')).toContain(`${program}.token`);
    }
  });

  it.skipIf(!hasRealPart('python'))('Python: a line, a file, a line, and it answers', async () => {
    const [connecting = '', file = '', listening = ''] = await picker.choose('python');
    await connected(connecting);
    await writeFile(join(home, 'agent.py'), file);
    type(listening);
    await lit('python', 'Python agent');
    expect(await answerOf('python-agent')).toContain('Python has read: Add salt');
  });

  it.skipIf(!hasRealPart('curl'))('curl: three lines', async () => {
    const [register = '', fetch = '', call = ''] = await picker.choose('curl');
    const asked = type(register);
    expect(await asked.ended, asked.transcript()).toBe(0);
    const { poll, secret } = JSON.parse(asked.lines.join('\n'));
    await picker.confirm(() => asked.transcript());
    const fetched = type(fetch);
    fetched.write(`${poll}\n${secret}`);
    expect(await fetched.ended, fetched.transcript()).toBe(0);
    const { token } = JSON.parse(fetched.lines.join('\n'));
    await picker.light(connect.waiting);
    const called = type(call);
    called.write(token);
    expect(await called.ended, called.transcript()).toBe(0);
    await lit('curl', 'Curl agent');
  });

  it('Home Assistant: what its YAML makes it send is taken', async () => {
    const [line = '', secrets = '', configuration = ''] = await picker.choose('home-assistant');
    const printed = await connected(line);
    const file = /\/\S+\.token/.exec(printed)?.[0] ?? 'no file';
    const secret = secrets.replace('TOKEN', (await readFile(file, 'utf8')).trim());
    const said = (key: string) =>
      new RegExp(`^ +${key}: (.+)$`, 'm').exec(configuration)?.[1] ?? '';
    expect(said('authorization')).toBe('!secret axon_token');
    const values: Readonly<Record<string, string>> = {
      to: 'local/claude-code',
      topic: 'home',
      message: 'The "quick" wash is done',
    };
    const [, template = ''] = /\{\{ (\{[^}]*\}) \| to_json \}\}/.exec(configuration) ?? [];
    const body = template.replaceAll(
      /: (\w+)/g,
      (_, key: string) => `:${JSON.stringify(values[key])}`,
    );
    const answer = await globalThis.fetch(said('url'), {
      method: said('method').toUpperCase(),
      headers: {
        'content-type': said('content_type'),
        authorization: /^axon_token: "(.+)"$/.exec(secret)?.[1] ?? '',
      },
      body,
    });
    expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 200 });
    await lit('home-assistant', 'Home Assistant');
  });

  it('something else: by MCP, by its output, and with what it has to read', async () => {
    const [line = '', server = '', listening = '', skill = ''] = await picker.choose('other');
    await connected(line);
    const client = await mcpClient('bash', ['-c', server]);
    expect(await client.callTool({ name: 'axon_whoami' })).toMatchObject({
      structuredContent: { token: { agent: 'my-agent' } },
    });
    await lit('other', 'My agent');
    await writeFile(join(home, 'my-agent'), '#!/bin/sh\necho "done by hand"\n');
    await chmod(join(home, 'my-agent'), 0o755);
    type(listening);
    expect(await answerOf('my-agent')).toContain('done by hand');
    expect(await (await globalThis.fetch(skill)).text()).toContain('# AXON Hub');
  });
});
