// The programs that people really have, with the entry that `axon mcp install` wrote for them. Two
// Claude Codes on two paired hubs work together, with a person between them; all that is written by
// hand is what their models say.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalDto, DeliveryDto } from '../../preload/contract/dto.ts';
import { lastWord } from '../../preload/contract/last-word.ts';
import { WAKES_DEFAULT } from '../../preload/contract/limits.ts';
import { openBrowser } from '../lan/browser.ts';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { WAKE_SENTENCE } from '../../preload/contract/wake.ts';
import { NODE_BINARY, REPOSITORY_ROOT } from '../lan/namespaces.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { endPrograms } from '../support/programs.ts';
import { CodexSession } from '../support/codex-session.ts';
import { freePort } from '../support/free-port.ts';
import {
  ACP,
  acpEnvironment,
  openClaudeCode,
  openClient,
  runClient,
  type AcpClient,
  type RealClient,
} from '../support/real-clients.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { ScriptedModel, type Result, type Script } from '../support/scripted-model.ts';
import { until } from '../support/until.ts';
import { allowOnCard, readCard } from './card-reader.ts';
import { HouseholdPage } from './household-pages.ts';
import { pairByApi } from './pair-by-api.ts';

const DAD = 'Dad’s laptop';
const MUM = 'Mum’s PC';
const DOMAIN = 'family.chat';
const TEXT = 'Tell the family chat that dinner is at 7. “Leo” brings the bread 🥖.';
const REASON = 'Dad is in the car.';
const OUTCOME = 'Told them; Leo says “ok”.';
const WAIT_MS = 45_000;
/** A program of this size may take most of it to start where a computer is busy. */
const START_MS = 150_000;
const CASE_MS = 400_000;
const TOOLS = ['peers', 'discover', 'delegate', 'task', 'inbox', 'ack', 'reply'];
const PREFIX = 'mcp__axon__';
/** Settings of whoever runs the test, which would lead an entry elsewhere. */
const NOT_OURS = {
  CLAUDE_CONFIG_DIR: undefined,
  CODEX_HOME: undefined,
  GEMINI_CLI_HOME: undefined,
  OPENCLAW_CONFIG_PATH: undefined,
  OPENCLAW_STATE_DIR: undefined,
  XDG_CONFIG_HOME: undefined,
};

interface Place {
  readonly hub: HubProcess;
  /** The home folder of the programs there. */
  readonly home: string;
}

/** Lists, asks, and follows what it asked for to its end. */
const ASKING: Script = [
  () => ({ tool: 'axon_peers', input: {} }),
  ([peers]) => ({ tool: 'axon_discover', input: { id: first(peers, 'items')['name'] } }),
  ([peers, offer]) => {
    const [domain] = first(offer?.['untrusted'], 'agents')['domains'] as readonly string[];
    const to = first(peers, 'items')['name'];
    return { tool: 'axon_delegate', input: { to, task: TEXT, domain, reason: REASON } };
  },
  ([, , report]) => ({ tool: 'axon_task', input: { id: report?.['id'], wait: WAIT_MS } }),
  (results) => {
    const { id, state, untrusted } = results.at(-1) ?? {};
    if (state !== 'completed') return { tool: 'axon_task', input: { id, wait: WAIT_MS } };
    return { says: `They answered: ${(untrusted as { readonly outcome: string }).outcome}` };
  },
];

/** Takes what waits, says that it has it, and answers. */
const ANSWERING: Script = [
  () => ({ tool: 'axon_inbox', input: { wait_ms: WAIT_MS } }),
  ([inbox]) => ({ tool: 'axon_ack', input: { delivery: first(inbox, 'items')['delivery_id'] } }),
  ([inbox]) => ({
    tool: 'axon_reply',
    input: { delivery: first(inbox, 'items')['delivery_id'], outcome: OUTCOME },
  }),
  () => ({ says: 'Nothing else waits.' }),
];

/** Woken, it does what waits, and says so; the items lie three results apart. */
const WOKEN: Script = [
  (results, said) => {
    const wakes = said.filter((text) => text.includes(WAKE_SENTENCE)).length;
    const [inbox, ack, reply] = results.slice((wakes - 1) * 3);
    if (wakes === 0 || reply !== undefined) return { says: 'Done.' };
    if (inbox === undefined) return { tool: 'axon_inbox', input: {} };
    const delivery = first(inbox, 'items')['delivery_id'];
    if (ack === undefined) return { tool: 'axon_ack', input: { delivery } };
    return { tool: 'axon_reply', input: { delivery, outcome: OUTCOME } };
  },
];

function first(result: unknown, list: string): Result {
  const [item] = (result as Readonly<Record<string, readonly Result[]>>)[list] ?? [];
  if (item === undefined) throw new Error(`no ${list} in ${JSON.stringify(result)}`);
  return item;
}

const quotedWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The command lines that hold this word. */
function runningWith(word: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(word));
}

const plain = (said: readonly string[]): string => stripVTControlCharacters(said.join(''));

describe.skipIf(!hasRealPart('clients'))('real clients', () => {
  const computer = new ThisComputer('this computer');
  const places: Place[] = [];
  let dad: Place;
  let mum: Place;
  let browser: Browser | undefined;
  /** Where the hubs look for programs first. */
  let bin: string;

  async function start(name: string): Promise<Place> {
    const hub = await HubProcess.start(computer, {
      name,
      flags: ['--discovery', 'off'],
      environment: { PATH: `${bin}:${process.env['PATH']}` },
    });
    await (await hub.owner()).call('settings.update', { person: name.slice(0, 3) });
    const place = { hub, home: await mkdtemp(join(tmpdir(), 'axon-client-')) };
    places.push(place);
    return place;
  }

  /** As its person does it: connects the program, and writes its entry. */
  async function install({ hub, home }: Place, client: RealClient | 'cursor'): Promise<void> {
    const added = await hub.axonAsOwner(['agents', 'add', client, '--domain', DOMAIN]);
    expect(added.code, added.transcript).toBe(0);
    const { code, transcript } = await hub.axon(['mcp', 'install', client], {
      ...NOT_OURS,
      HOME: home,
    });
    expect(code, transcript).toBe(0);
  }

  /** How a program says what it starts. */
  const commandOf = ({ hub }: Place): string =>
    [NODE_BINARY, join(REPOSITORY_ROOT, 'main/entry/axon.cjs'), 'mcp --home', hub.home].join(' ');

  /** One run of Claude Code to its end: what its model was told, and what it printed. */
  async function claude(
    place: Place,
    script: Script,
  ): Promise<{ readonly results: readonly Result[]; readonly out: string }> {
    const model = await ScriptedModel.start(script);
    const allowed = TOOLS.map((tool) => `${PREFIX}axon_${tool}`).join(',');
    try {
      const { out } = await runClient(
        'claude-code',
        ['-p', 'Work with the other hub.', '--allowedTools', allowed],
        place.home,
        {
          ANTHROPIC_BASE_URL: model.url,
          ANTHROPIC_API_KEY: 'none',
          // The tools are there from the first turn on.
          ENABLE_TOOL_SEARCH: 'false',
          MCP_CONNECTION_NONBLOCKING: '0',
        },
      );
      return { results: model.results, out };
    } finally {
      await model.close();
    }
  }

  beforeAll(async () => {
    bin = await mkdtemp(join(tmpdir(), 'axon-bin-'));
    [dad, mum] = await Promise.all([start(DAD), start(MUM)]);
    await pairByApi(await dad.hub.owner(), await mum.hub.owner(), { asking: DAD, asked: MUM });
    await Promise.all([install(dad, 'claude-code'), install(mum, 'claude-code')]);
  }, 120_000);

  afterAll(async () => {
    await endPrograms();
    await browser?.close();
    for (const { hub, home } of places) {
      await hub.remove();
      await rm(home, { recursive: true, force: true });
    }
    await computer.close();
    await rm(bin, { recursive: true });
  });

  it('Claude Code connects', async () => {
    const { out } = await runClient('claude-code', ['mcp', 'list'], dad.home);
    expect(out).toContain(`axon: ${commandOf(dad)} - ✔ Connected\n`);
  });

  const seen = it.skipIf(!hasRealPart('chromium'));
  seen('one Claude Code gives another a task, which a person allows in between', async () => {
    browser = await openBrowser(computer);
    const page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
    await page.goto(await mum.hub.loginLink());
    await new HouseholdPage(page).shown();

    const asking = claude(dad, ASKING);
    const decided = (async () => {
      const id = await page.locator('article[data-card]').getAttribute('data-card');
      const { words } = await readCard(page, id ?? '');
      await allowOnCard(page, id ?? '', 'Mum');
      return words;
    })();
    // Whichever fails first says why.
    const [words] = await Promise.all([decided, Promise.race([asking, decided])]);
    expect(words.text).toBe(TEXT);
    expect(words.fields).toContainEqual(['reason', REASON]);

    const answering = await claude(mum, ANSWERING);
    const { items } = answering.results[0] as unknown as { readonly items: readonly DeliveryDto[] };
    expect(items).toMatchObject([
      { kind: 'delegate', trust: { peer_name: DAD }, untrusted: { text: TEXT } },
    ]);
    expect(answering.out).toBe('Nothing else waits.\n');

    const { results, out } = await asking;
    const [peers, offer, report] = results;
    expect(peers).toMatchObject({ items: [{ name: MUM, online: true }] });
    expect(offer).toMatchObject({ untrusted: { agents: [{ domains: [DOMAIN] }] } });
    expect(results.at(-1)).toMatchObject({
      id: report?.['id'],
      state: 'completed',
      text: TEXT,
      untrusted: { outcome: OUTCOME },
    });
    expect(out).toBe(`They answered: ${OUTCOME}\n`);
  });

  /** A session in which nobody types, whose server is connected, as long as `work` takes. */
  async function idle(
    script: Script,
    work: (model: ScriptedModel, owner: HubApi) => Promise<void>,
  ): Promise<void> {
    const { hub, home } = mum;
    const hooked = ['mcp', 'install', 'claude-code', '--wake', '--ask'];
    const wake = await hub.axon(hooked, { ...NOT_OURS, HOME: home });
    expect(wake.code, wake.transcript).toBe(0);
    const model = await ScriptedModel.start(script);
    try {
      const log = join(home, 'claude.log');
      await rm(log, { force: true });
      const allowed = TOOLS.map((tool) => `${PREFIX}axon_${tool}`).join(',');
      const words = [
        '--debug-file',
        log,
        '--allowedTools',
        allowed,
        '--permission-mode',
        'default',
      ];
      openClaudeCode(home, words, {
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'none',
        ENABLE_TOOL_SEARCH: 'false',
        MCP_CONNECTION_NONBLOCKING: '0',
      });
      // Before that its model has no tools.
      await until('its server to be connected', WAIT_MS, async () => {
        const said = await readFile(log, 'utf8').catch(() => '');
        return said.includes('MCP server "axon": Successfully connected') || undefined;
      });
      await work(model, await hub.owner());
    } finally {
      await model.close();
      await endPrograms();
    }
  }

  /** The one card, once it waits. */
  const cardOf = (owner: HubApi, waitMs = WAIT_MS): Promise<ApprovalDto> =>
    until('the card', waitMs, async () => (await owner.call('approvals.list', {})).items[0]);

  /** A person's word about the one card that waits. */
  async function decide(
    owner: HubApi,
    decision: 'allow' | 'decline',
    waitMs = WAIT_MS,
  ): Promise<ApprovalDto> {
    const card = await cardOf(owner, waitMs);
    const { id, revision, digest, text, risk_class: riskClass } = card;
    const word = riskClass === 'R3' && decision === 'allow' ? lastWord(text)?.word : undefined;
    const more = word === undefined ? {} : { last_word: word };
    await owner.call('approvals.decide', { id, revision, digest, decision, ...more });
    return card;
  }

  it('an idle Claude Code is woken by its hook once for each item, and answers it', async () => {
    await idle(WOKEN, async (model, owner) => {
      for (const [times, task] of ['Lay the table', 'Call Leo'].entries()) {
        const sent = await owner.call('send.delegate', { to: 'local/claude-code', task });
        const { id, revision, digest } = await cardOf(owner);
        await owner.call('approvals.decide', { id, revision, digest, decision: 'allow' });
        await until(`“${task}” to be done`, WAIT_MS, async () => {
          const { state } = await owner.call('tasks.get', { id: sent.id });
          return state === 'completed' || undefined;
        });
        expect(model.said.filter((said) => said.includes(WAKE_SENTENCE))).toHaveLength(times + 1);
      }
      expect(model.said.join('')).not.toContain('Lay the table');
    });
  });

  /** Sets the webhook; a task is done by whoever it wakes. */
  async function wokenByWebhook(
    client: 'opencode' | 'openclaw',
    { address, secret }: { readonly address: string; readonly secret: string },
    model: ScriptedModel,
  ): Promise<void> {
    const { hub, home } = mum;
    const file = join(home, 'secret.txt');
    await writeFile(file, `${secret}\n`, { mode: 0o600 });
    const words = ['agents', 'webhook', client, client, address, '--secret-file', file];
    const set = await hub.axonAsOwner(words);
    expect(set.code, set.transcript).toBe(0);
    const owner = await hub.owner();
    const task = `Water the plants, ${client}`;
    const sent = await owner.call('send.delegate', { to: `local/${client}`, task });
    const { id, revision, digest, runner } = await cardOf(owner);
    expect(runner).toMatchObject({ reach: 'webhook', webhook: { last: null } });
    await owner.call('approvals.decide', { id, revision, digest, decision: 'allow' });
    await until(`“${task}” to be done`, WAIT_MS, async () => {
      const { state } = await owner.call('tasks.get', { id: sent.id });
      return state === 'completed' || undefined;
    });
    expect(await owner.call('agents.get', { name: client })).toMatchObject({
      reach: 'webhook',
      // The first run of a program may take its time to answer.
      webhook: { preset: client, last: { outcome: expect.stringMatching(/taken|unclear/) } },
    });
    const woken = model.said.filter((said) => said.includes(WAKE_SENTENCE));
    expect([woken.length, woken.join('')]).toEqual([1, expect.not.stringContaining('plants')]);
  }

  it('an idle opencode is woken by its webhook, and does the task', async () => {
    const model = await ScriptedModel.start(WOKEN);
    const port = await freePort();
    const provider = {
      npm: '@ai-sdk/anthropic',
      options: { baseURL: `${model.url}/v1`, apiKey: 'none' },
      models: { scripted: {} },
    };
    const settings = { model: 'local/scripted', provider: { local: provider } };
    await mkdir(join(mum.home, '.config/opencode'), { recursive: true });
    await writeFile(join(mum.home, '.config/opencode/opencode.json'), JSON.stringify(settings));
    await install(mum, 'opencode');
    const secret = 'the password of the server';
    try {
      const words = ['serve', '--port', String(port), '--hostname', '127.0.0.1'];
      openClient('opencode', words, mum.home, { OPENCODE_SERVER_PASSWORD: secret });
      const authorization = `Basic ${Buffer.from(`opencode:${secret}`).toString('base64')}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const at = `http://127.0.0.1:${port}/session`;
      const session = await until('its server', WAIT_MS, async () => {
        const made = await fetch(at, {
          method: 'POST',
          headers,
          body: '{}',
          signal: AbortSignal.timeout(5_000),
        }).catch(() => null);
        return made === null ? undefined : ((await made.json()) as { readonly id: string });
      });
      await wokenByWebhook('opencode', { address: `${at}/${session.id}`, secret }, model);
    } finally {
      await endPrograms();
      await model.close();
    }
  });

  /** The hub calls OpenClaw, and OpenClaw the hub: each time a person is asked in between. */
  async function bothWaysByA2a(port: number, token: string): Promise<void> {
    const owner = await mum.hub.owner();
    const url = `http://127.0.0.1:${port}`;
    const { digest, host } = await owner.call('a2a.look', { url });
    await owner.call('a2a.add', { name: 'claw', url, digest, token });
    const sent = await owner.call('send.delegate', { to: 'local/claw', task: 'Count the plates' });
    const asked = await cardOf(owner);
    expect(asked.goes_to).toBe(host);
    const { id, revision } = asked;
    await owner.call('approvals.decide', {
      id,
      revision,
      digest: asked.digest,
      decision: 'allow',
    });
    const done = await until('its answer', WAIT_MS, async () => {
      const task = await owner.call('tasks.get', { id: sent.id });
      return task.finished_at === null ? undefined : task;
    });
    expect([done.state, done.untrusted?.outcome]).toEqual(['completed', 'Done.']);
    const words = ['--channel', 'a2a', '--target', 'a2a:hub', '--message', 'Dinner is at 7'];
    const said = await runClient('openclaw', ['message', 'send', ...words, '--json'], mum.home);
    const card = await cardOf(owner);
    expect(card).toMatchObject({
      text: 'Dinner is at 7',
      from_agent: 'caller',
      to_agent: 'called',
    });
    expect(JSON.parse(said.out)).toMatchObject({ messageId: card.task_id });
    await owner.call('approvals.decide', {
      id: card.id,
      revision: card.revision,
      digest: card.digest,
      decision: 'decline',
    });
  }

  it('an idle OpenClaw is woken by its webhook and does the task; and speaks A2A both ways', async () => {
    const model = await ScriptedModel.start(WOKEN);
    const port = await freePort();
    const owner = await mum.hub.owner();
    const { token: caller } = await owner.call('agents.create', { name: 'caller' });
    await owner.call('agents.create', { name: 'called' });
    const called = `http://127.0.0.1:${mum.hub.port}/a2a/agents/called`;
    const a2aToken = 'the-token-of-the-hub-there';
    const secret = 'the token of the hooks';
    // As its people write it.
    const settings = `// ours
{
  gateway: { mode: 'local', port: ${port}, auth: { mode: 'token', token: 'another token' } },
  hooks: { enabled: true, token: '${secret}' },
  agents: { defaults: {
      model: { primary: 'local/scripted' },
      heartbeat: { every: '0m' },
      skipBootstrap: true,
    } },
  tools: { toolSearch: false },
  channels: { a2a: { enabled: true, peers: { hub: {
      token: '${a2aToken}', url: '${called}', outboundToken: '${caller}',
    } } } },
  models: {
    providers: {
      local: {
        baseUrl: '${model.url}',
        apiKey: 'none',
        api: 'anthropic-messages',
        models: [{ id: 'scripted', name: 'Scripted' }],
      },
    },
  },
}
`;
    const file = join(mum.home, '.openclaw/openclaw.json');
    await mkdir(join(mum.home, '.openclaw'));
    await writeFile(file, settings);
    await install(mum, 'openclaw');
    try {
      const said: string[] = [];
      const child = openClient('openclaw', ['gateway', 'run', '--bind', 'loopback'], mum.home);
      child.stdout?.setEncoding('utf8').on('data', (text: string) => said.push(text));
      await until('its gateway', 90_000, async () => / ready\n/.test(plain(said)) || undefined);
      const address = `http://127.0.0.1:${port}/hooks/agent`;
      await wokenByWebhook('openclaw', { address, secret }, model);
      await bothWaysByA2a(port, a2aToken);
    } finally {
      await endPrograms();
      await model.close();
    }
    const out = await mum.hub.axon(['mcp', 'uninstall', 'openclaw'], {
      ...NOT_OURS,
      HOME: mum.home,
    });
    expect(out.code, out.transcript).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(settings);
  });

  it('what a Claude Code wants to do is a card here, and done only if a person allows it', async () => {
    const made = (times: number): string => join(mum.home, `made-${times}`);
    const wanting: Script = [
      (results, said) => {
        const wakes = said.filter((text) => text.includes(WAKE_SENTENCE)).length;
        if (results.length >= wakes) return { says: 'Done.' };
        return { tool: 'Bash', of: 'agent', input: { command: `touch ${made(wakes)}` } };
      },
    ];
    await idle(wanting, async (model, owner) => {
      for (const decision of ['allow', 'decline'] as const) {
        const times = decision === 'allow' ? 1 : 2;
        await owner.call('send.notify', { to: 'local/claude-code', topic: 'go', data: decision });
        const card = await cardOf(owner);
        expect(card).toMatchObject({
          text: `Bash\ntouch ${made(times)}`,
          permission: { folder: mum.home },
          risk_class: 'R3',
        });
        const { id, revision, digest } = card;
        const word = lastWord(card.text)?.word;
        const more = decision === 'allow' ? { last_word: word } : { reason: 'Not that.' };
        await owner.call('approvals.decide', { id, revision, digest, decision, ...more });
        await until('its model to hear of it', WAIT_MS, async () =>
          model.results.length === times ? true : undefined,
        );
        expect(existsSync(made(times))).toBe(decision === 'allow');
      }
      expect(JSON.stringify(model.results.at(-1))).toContain('Not that.');
    });
  });

  /** Stands in for the program where the hub looks for it: the real one, with these variables. */
  async function wrap(client: AcpClient, variables: NodeJS.ProcessEnv): Promise<void> {
    const words = Object.entries(variables).map(([name, value = '']) => `${name}=${value}`);
    const line = ['exec env', ...[...words, ACP[client].words[0]].map(quotedWord), '"$@"'];
    await writeFile(join(bin, client), `#!/bin/sh\n${line.join(' ')}\n`, { mode: 0o755 });
  }

  /** As a person writes them for all that Claude Code or Codex does in this home. */
  async function addHooks(home: string, client: 'claude-code' | 'codex'): Promise<void> {
    const isCodex = client === 'codex';
    const words = ['mcp', 'install', client, '--as', 'claude-code', '--ask', '--show', '--json'];
    const hooked = isCodex ? words : [...words, '--wake'];
    const { output } = await mum.hub.axon(hooked, { ...NOT_OURS, HOME: home });
    const { hooks } = JSON.parse(output) as { readonly hooks: string };
    const file = join(home, isCodex ? '.codex/hooks.json' : '.claude/settings.json');
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, hooks);
    if (!isCodex) return;
    const codex = await CodexSession.open(home);
    await codex.trustHooks();
    expect(await codex.hooks()).toMatchObject([{ trustStatus: 'trusted' }]);
    await endPrograms();
  }

  /** A tool of the program's own that runs a command, as its model calls it. */
  const RUNS = {
    'claude-agent-acp': (command: string) => ({ tool: 'Bash', input: { command } }),
    // What its sandbox lets it read it does without asking.
    'codex-acp': (cmd: string) => ({
      tool: 'exec_command',
      input: { cmd, sandbox_permissions: 'require_escalated', justification: 'To try it.' },
    }),
    opencode: (command: string) => ({ tool: 'bash', input: { command, description: 'x' } }),
  } as const satisfies Record<AcpClient, (command: string) => object>;

  it.each(['claude-agent-acp', 'codex-acp', 'opencode'] as const)(
    '%s is kept by the hub, does what a person allowed, and asks a person about the rest',
    async (client) => {
      const home = await mkdtemp(join(tmpdir(), 'axon-acp-'));
      const made = (name: string): string => join(home, name);
      const owner = await mum.hub.owner();
      const name = `kept-${client}`;
      const { token } = await owner.call('agents.create', { name });
      const pid = made('pid');
      let isLong = false;
      const taken = (inbox: Result | undefined) => first(inbox, 'items')['delivery_id'];
      const runs = (command: string) => ({ of: 'agent' as const, ...RUNS[client](command) });
      const model = await ScriptedModel.start([
        () => ({ tool: 'axon_inbox', input: {} }),
        ([inbox]) => ({ tool: 'axon_ack', input: { delivery: taken(inbox) } }),
        () =>
          isLong
            ? runs(`echo $$ > ${pid}; exec sleep 600`)
            : {
                of: 'other server',
                tool: 'axon_notify',
                input: { to: '*', topic: 'x', data: 'x' },
              },
        () => runs(`touch ${made('yes')}`),
        () => runs(`touch ${made('no')}`),
        ([inbox]) => ({ tool: 'axon_reply', input: { delivery: taken(inbox), outcome: OUTCOME } }),
        () => ({ says: 'Done.' }),
      ]);
      const axon = {
        command: NODE_BINARY,
        args: [join(REPOSITORY_ROOT, 'main/entry/axon.cjs'), 'mcp', '--home', mum.hub.home],
        env: { AXON_TOKEN: token },
      };
      await wrap(client, acpEnvironment(client, home, model.url, axon));
      // Its hooks of ours say nothing there: one act is one card.
      if (client === 'claude-agent-acp') await addHooks(home, 'claude-code');
      if (client === 'codex-acp') await addHooks(home, 'codex');
      const runner = { kind: 'acp', program: client, folder: home } as const;
      await owner.call('runners.set', { name, runner });
      const status = async () => {
        const { items } = await owner.call('runners.list', {});
        return items.find(({ agent }) => agent === name);
      };
      const asking = await dad.hub.owner();
      const allowed = async (): Promise<string> => {
        const { id } = await asking.call('send.delegate', { to: `${MUM}/${name}`, task: TEXT });
        await decide(owner, 'allow');
        return id;
      };
      /** By the runner's own card, and by none of a hook. */
      const wanted = async (decision: 'allow' | 'decline', text: string): Promise<void> => {
        const card = await decide(owner, decision, START_MS);
        expect(card).toMatchObject({ from_agent: name, text: expect.stringContaining(text) });
      };
      try {
        const id = await allowed();
        // A server that calls itself axon gets nothing.
        await wanted('decline', 'axon_notify');
        await wanted('allow', `touch ${made('yes')}`);
        await wanted('decline', `touch ${made('no')}`);
        const ended = await asking.call('tasks.get', { id, wait: WAIT_MS });
        expect(ended).toMatchObject({ state: 'completed', untrusted: { outcome: OUTCOME } });
        expect([existsSync(made('yes')), existsSync(made('no'))]).toEqual([true, false]);
        expect((await owner.call('approvals.list', {})).items).toEqual([]);
        expect(model.said.filter((said) => said.includes(WAKE_SENTENCE))).toHaveLength(1);
        isLong = true;
        const long = await allowed();
        await decide(owner, 'allow', START_MS);
        const running = await until('the command to run', WAIT_MS, () =>
          existsSync(pid) ? Number(readFileSync(pid, 'utf8')) : undefined,
        );
        await asking.call('tasks.cancel', { id: long });
        await until(
          'the command to end',
          WAIT_MS,
          () => !existsSync(`/proc/${running}`) || undefined,
        );
        const over = await asking.call('tasks.get', { id: long, wait: WAIT_MS });
        expect(over).toMatchObject({ state: 'cancelled', story: { end: { kind: 'stopped' } } });
        // Nor does anything else of it run on.
        expect(runningWith(taken(model.results[0]) as string)).toEqual([]);
        const used = await until('it to wait again', WAIT_MS, async () => {
          // Of the day: at midnight both begin anew.
          const { state, wakes = 0, tokens = 0 } = (await status()) ?? {};
          return state === 'waits' && wakes > 0 && tokens > 0 ? wakes : undefined;
        });
        // As often as the day allows, it was woken: what comes now is not begun, and it is said why.
        await owner.call('settings.update', { wakes_max: used });
        const late = await allowed();
        await until('the day to be used', WAIT_MS, async () => {
          const { state, wakes } = (await status()) ?? {};
          return (state === 'day_used' && wakes === used) || undefined;
        });
        await asking.call('send.delegate', { to: `${MUM}/${name}`, task: 'More' });
        expect((await decide(owner, 'decline')).runner).toMatchObject({ reach: 'runner_used' });
        expect(await asking.call('tasks.get', { id: late })).toMatchObject({ state: 'queued' });
        await asking.call('tasks.cancel', { id: late });
      } catch (cause) {
        const said = JSON.stringify([await status(), model.results.slice(2)]);
        throw new Error(said, { cause });
      } finally {
        await owner.call('runners.end', { name });
        await owner.call('settings.update', { wakes_max: WAKES_DEFAULT });
        await model.close();
        await rm(home, { recursive: true, force: true });
      }
    },
    CASE_MS,
  );

  it('what a Codex wants to do is a card here, once its person trusts the hook', async () => {
    const { hub, home } = mum;
    const made = (times: number): string => join(home, `codex-${times}`);
    let times = 0;
    const model = await ScriptedModel.start([
      () => ({
        tool: 'exec_command',
        of: 'agent',
        input: {
          cmd: `touch ${made(times)}`,
          sandbox_permissions: 'require_escalated',
          justification: 'To try it.',
        },
      }),
      () => ({ says: 'Done.' }),
    ]);
    const provider = `name = "Local"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\n`;
    await mkdir(join(home, '.codex'));
    await writeFile(
      join(home, '.codex/config.toml'),
      `model = "scripted"\nmodel_provider = "local"\n\n[model_providers.local]\n${provider}`,
    );
    await install(mum, 'codex');
    const variables = { ...NOT_OURS, HOME: home };
    const hooked = await hub.axon(['mcp', 'install', 'codex', '--ask'], variables);
    expect(hooked.transcript).toContain('only once you trust it');
    const codex = await CodexSession.open(home);
    try {
      // Until then Codex does not run it, and says so nowhere.
      expect(await codex.hooks()).toMatchObject([{ trustStatus: 'untrusted' }]);
      await codex.turn('Do it.');
      expect([codex.asked.length, existsSync(made(0))]).toEqual([1, false]);
      await codex.trustHooks();
      expect(await codex.hooks()).toMatchObject([{ trustStatus: 'trusted' }]);
      const owner = await hub.owner();
      for (const decision of ['allow', 'decline'] as const) {
        times++;
        const turn = codex.turn('Do it.');
        const card = await cardOf(owner);
        expect(card).toMatchObject({
          text: `Bash\ntouch ${made(times)}`,
          permission: { folder: home },
          risk_class: 'R3',
        });
        const { id, revision, digest } = card;
        const word = lastWord(card.text)?.word;
        const more = decision === 'allow' ? { last_word: word } : { reason: 'Not that.' };
        await owner.call('approvals.decide', { id, revision, digest, decision, ...more });
        await turn;
        expect(existsSync(made(times))).toBe(decision === 'allow');
      }
      expect(JSON.stringify(model.results.at(-1))).toContain('Not that.');
      expect(codex.asked).toHaveLength(1);
      await hub.kill();
      times++;
      await codex.turn('Do it.');
      expect([codex.asked.length, existsSync(made(times))]).toEqual([2, false]);
    } finally {
      await endPrograms();
      await model.close();
      if (!hub.isRunning) await hub.restart();
    }
    const out = await hub.axon(['mcp', 'uninstall', 'codex'], variables);
    expect(out.transcript).toContain('The hooks are out of');
    expect(existsSync(join(home, '.codex/hooks.json'))).toBe(false);
  });

  it('Codex, Gemini CLI, opencode and OpenClaw read their entries, and those that connect say so', async () => {
    for (const client of ['codex', 'gemini-cli', 'opencode', 'openclaw'] as const)
      await install(dad, client);
    // It gives a server five seconds, however busy the computer is.
    const row = `✓ axon: ${commandOf(dad)} (stdio) - Connected`;
    await until('Gemini CLI to connect', 60_000, async () => {
      const { out, error } = await runClient('gemini-cli', ['mcp', 'list'], dad.home);
      return `${out}${error}`.includes(row) || undefined;
    });
    const [codex, opencode, openclaw] = await Promise.all([
      runClient('codex', ['mcp', 'list', '--json'], dad.home),
      runClient('opencode', ['mcp', 'list'], dad.home),
      runClient('openclaw', ['mcp', 'probe', 'axon', '--json'], dad.home),
    ]);
    const [command, ...args] = commandOf(dad).split(' ');
    expect(JSON.parse(codex.out)).toMatchObject([
      {
        name: 'axon',
        enabled: true,
        transport: { type: 'stdio', command, args, env: { AXON_TOKEN_FILE: expect.any(String) } },
      },
    ]);
    expect(stripVTControlCharacters(opencode.out)).toContain('✓ axon connected');
    expect(JSON.parse(openclaw.out)).toMatchObject({
      servers: { axon: { launch: commandOf(dad) } },
      tools: expect.arrayContaining(TOOLS.map((tool) => `axon__axon_${tool}`)),
      diagnostics: [],
    });
  });
});
