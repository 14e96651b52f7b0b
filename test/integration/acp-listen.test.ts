// `axon listen --acp` around a program that speaks the Agent Client Protocol and does what a plan
// says: what no real one can be made to do at will, such as dying in the middle, asking for a tool
// that looks like ours, or never coming to an end. The hub, the command and our server are real.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SystemClock } from '../../main/adapters/clock/system-clock.ts';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import type { ApprovalDto, TaskDto } from '../../preload/contract/dto.ts';
import { lastWord } from '../../preload/contract/last-word.ts';
import type { RunnerDto, RunnerState } from '../../preload/contract/runners.ts';
import { wholeOf } from '../../preload/contract/strings/story.ts';
import { titleOf } from '../../preload/contract/strings/runners.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { Program, endPrograms } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 25_000;
const PROGRAM = join(import.meta.dirname, '../support/acp-program.mjs');
const PERSON = { actor: 'ui:test', surface: 'browser' } as const;
const TASK = 'Say “it” to nobody else 🥖';

type Plan = readonly (readonly [string, ...unknown[]])[];

let hub: TestHub;
let asker: string;
let bot: string;
let folder: string;

beforeAll(async () => {
  hub = await TestHub.start();
  asker = await hub.agent('asker');
  bot = await hub.agent('bot');
});
afterAll(() => hub.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-acp-'));
});
afterEach(async () => {
  await endPrograms();
  rmSync(folder, { recursive: true });
});

async function post<T>(token: string, path: string, body?: unknown): Promise<T> {
  const asking = body === undefined ? { token } : { token, method: 'POST', body };
  const { status, text } = await hub.ask(path, asking);
  if (status >= 300) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as T;
}

/** The one card that waits. */
const cardOf = (): Promise<ApprovalDto> =>
  until('a card', WITHIN_MS, () => hub.node.services.work.approvals.pending()[0]);

async function decide(card: ApprovalDto, decision: 'allow' | 'decline'): Promise<void> {
  const { id, revision, digest, text, risk_class: riskClass } = card;
  const word = riskClass === 'R3' && decision === 'allow' ? lastWord(text)?.word : undefined;
  const given = {
    id,
    revision,
    digest,
    decision,
    ...(word === undefined ? {} : { last_word: word }),
  };
  await hub.node.services.work.approvals.decide(given, PERSON);
}

/** The asker has given it to the bot, and a person has allowed it. */
async function allowedTask(): Promise<string> {
  const { id } = await post<{ id: string }>(asker, '/v1/delegate', { to: 'local/bot', task: TASK });
  await decide(await cardOf(), 'allow');
  return id;
}

const ended = (id: string): Promise<TaskDto> => post<TaskDto>(asker, `/v1/tasks/${id}?wait=20000`);
const stateOf = async (id: string): Promise<string> =>
  (await post<TaskDto>(asker, `/v1/tasks/${id}`)).state;

function listen(plan: Plan, flags: readonly string[] = ['--once']): Program {
  const words = ['listen', '--acp', ...flags, '--', process.execPath, PROGRAM];
  const PLAN = JSON.stringify(plan);
  return Program.start('cli', words, {
    AXON_HOME: hub.home,
    AXON_TOKEN: bot,
    PLAN,
    LOG: join(folder, 'log'),
  });
}

const logged = (): readonly string[] => {
  const file = join(folder, 'log');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};
const saysSoon = (beginning: string): Promise<string> =>
  until(beginning, WITHIN_MS, () => logged().find((line) => line.startsWith(beginning)));
const isAlive = (pid: number): boolean => {
  try {
    // A zombie is dead, and waits only for whoever started it to look.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const dies = (pid: number): Promise<unknown> =>
  until('the end of it', WITHIN_MS, () => !isAlive(pid) || undefined);
const pidIn = (line: string): number => Number(line.split(' ')[1]);

test('an allowed task is taken, done and told, and no word of it is in the prompt', async () => {
  const plan: Plan = [['inbox'], ['inbox'], ['reply', 'Said it']];
  const program = listen(plan);
  const id = await allowedTask();
  expect(await ended(id)).toMatchObject({ state: 'completed', untrusted: { outcome: 'Said it' } });
  expect((await program.ended()).code).toBe(0);
  const [started, mode, prompt, first, again] = logged();
  // By which its hooks know that they are not wanted.
  expect(started).toMatch(/ 1$/);
  expect(mode).toBe('mode default');
  expect(prompt).toBe('prompt Something waits in your AXON inbox. Take it with axon_inbox.');
  expect(first).toContain(TASK);
  // Until it is answered it is there, and nothing else is.
  expect(again).toContain(TASK);
  expect(await post(bot, '/v1/inbox/waiting')).toMatchObject({ waiting: 0 });
});

/** What Gemini CLI offers for the tools of a server. */
const OF_SERVER = [
  { optionId: 'proceed_always_server', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

const LOOKALIKES: readonly (readonly [string, object, object?])[] = [
  ['a server called axon', { title: 'axon_axon_inbox', kind: 'other', rawInput: {} }],
  ['its tool in Claude', { name: 'mcp__axon__axon_inbox', title: 'mcp__axon__axon_inbox' }],
  ['a command', { title: 'mcp__SERVER__axon_inbox', kind: 'execute', rawInput: { command: 'rm' } }],
  ['a folder', { title: 'SERVER_axon_inbox', kind: 'other', rawInput: { description: 'x' } }],
  ['another tool of our name', { name: 'mcp__SERVER__rm', title: 'x', rawInput: {} }],
  [
    'Codex',
    { title: 'x', rawInput: { server: 'axon' } },
    { _meta: { is_mcp_tool_approval: true } },
  ],
  ['Gemini CLI', { title: 'axon_inbox (axon MCP Server)', kind: 'other' }, { options: OF_SERVER }],
  [
    'a command of Gemini CLI',
    { title: 'axon_inbox (SERVER MCP Server)', kind: 'execute', rawInput: { command: 'rm' } },
  ],
];

test('our own tools are allowed once, and what only looks like one is a card', async () => {
  const ours: Plan = [
    ['ask', { toolCallId: 'a', name: 'mcp__SERVER__axon_reply', rawInput: { x: 1 } }],
    ['ask', { toolCallId: 'b', title: 'SERVER_axon_reply', kind: 'other', rawInput: {} }],
    [
      'update',
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'c',
        title: 'mcp.SERVER.axon_reply',
        rawInput: { server: 'SERVER', tool: 'axon_reply' },
      },
    ],
    ['ask', { toolCallId: 'c', kind: 'execute' }, { _meta: { is_mcp_tool_approval: true } }],
    [
      'ask',
      { toolCallId: 'd', title: 'axon_reply (SERVER MCP Server)', kind: 'other' },
      { options: OF_SERVER },
    ],
  ];
  const plan: Plan = [
    ['inbox'],
    ...ours,
    ...LOOKALIKES.map(
      ([, call, more], at) => ['ask', { toolCallId: `l${at}`, ...call }, more] as const,
    ),
    [
      'ask',
      { toolCallId: 'y', title: 'Write it', kind: 'edit', rawInput: { path: '/x', text: '“y”' } },
    ],
    ['reply', 'Done'],
  ];
  const program = listen(plan);
  const id = await allowedTask();
  for (const [what] of LOOKALIKES) {
    const card = await cardOf();
    expect(card, what).toMatchObject({ from_agent: 'bot', risk_class: 'R3' });
    await decide(card, 'decline');
  }
  const card = await cardOf();
  expect(card.text).toBe(
    `edit\n${JSON.stringify({ path: '/x', text: '“y”', title: 'Write it' }, null, 2)}\nTool: edit`,
  );
  await decide(card, 'allow');
  expect(await ended(id)).toMatchObject({ state: 'completed' });
  await program.ended();
  const decided = logged().filter((line) => line.startsWith('decided'));
  expect(decided).toEqual([
    ...ours.filter(([step]) => step === 'ask').map(() => 'decided once'),
    ...LOOKALIKES.map(() => 'decided no'),
    'decided once',
  ]);
});

test('what it says is read exactly: no argument is hidden, none is another call’s, and no flood costs more than itself', async () => {
  const once = (toolCallId: string) => ({
    toolCallId,
    title: 'mcp.SERVER.axon_reply',
    rawInput: { server: 'SERVER', tool: 'axon_reply' },
  });
  const PERMISSION = 'session/request_permission';
  const CALL = { toolCallId: 'r', kind: 'execute', rawInput: 'RAW' };
  const asIfOurs = { _meta: { is_mcp_tool_approval: true } };
  const plan: Plan = [
    ['inbox'],
    // Another call under an id that was one of ours.
    ['update', { sessionUpdate: 'tool_call', ...once('a') }],
    ['update', { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'rm', kind: 'execute' }],
    ['ask', { toolCallId: 'a' }, asIfOurs],
    // Its own words never take the place of an argument.
    [
      'ask',
      {
        toolCallId: 'b',
        kind: 'edit',
        rawInput: { path: '/x', content: 'evil' },
        content: [{ type: 'diff', path: '/x', newText: 'good' }],
      },
    ],
    // Nothing of these reaches a person.
    ['update', { sessionUpdate: 'tool_call', toolCallId: 'd', rawInput: 'RAW' }, 'DEEP'],
    ['other', PERMISSION, { toolCall: CALL }, '{"command":"ls","command":"rm"}'],
    ['other', PERMISSION, { toolCall: CALL }, '{"pid":12345678901234567890}'],
    ['other', PERMISSION, { toolCall: CALL }, 'DEEP'],
    ['other', PERMISSION, { toolCall: CALL }, 'MUCH'],
    ['other', 'fs/read_text_file', { path: '/etc/passwd' }],
    ['other', 'terminal/create', { command: 'sh' }],
    ['flood', 20_000],
    ['reply', 'Done'],
  ];
  const program = listen(plan);
  const id = await allowedTask();
  const first = await cardOf();
  expect(first.text).toContain('"title": "rm"');
  await decide(first, 'decline');
  const second = await cardOf();
  for (const said of ['evil', 'good']) expect(second.text).toContain(said);
  await decide(second, 'decline');
  expect(await ended(id)).toMatchObject({ state: 'completed' });
  expect((await program.ended()).code).toBe(0);
  const told = logged().filter((line) => /^(?:decided|refused)/.test(line));
  expect(told).toEqual([
    'decided no',
    'decided no',
    'refused -32600',
    'refused -32600',
    'refused -32600',
    'refused no',
    'refused -32601',
    'refused -32601',
  ]);
  expect(hub.node.services.work.approvals.pending()).toEqual([]);
});

test('one that is stopped while its program starts gives the item back, and blames nobody', async () => {
  const id = await allowedTask();
  const script = `require('node:fs').appendFileSync(process.env.LOG, 'started\\n');
    setTimeout(() => undefined, 60_000);`;
  const listening = Program.start(
    'cli',
    ['listen', '--acp', '--', process.execPath, '-e', script],
    { AXON_HOME: hub.home, AXON_TOKEN: bot, LOG: join(folder, 'log') },
  );
  await saysSoon('started');
  listening.kill('SIGINT');
  const { error } = await listening.ended();
  expect(error).toContain('given back, not done');
  expect(error).not.toContain('in time');
  expect(await stateOf(id)).toBe('queued');
  await post(asker, `/v1/tasks/${id}/cancel`, {});
});

test.each([
  ['another version of the protocol', [['version', 2]]],
  ['a line of 17 MB', [['version', 'HUGE']]],
] as const)('a program with %s is given nothing', async (_, plan) => {
  const program = listen(plan, []);
  const id = await allowedTask();
  await expect.poll(() => program.error, { timeout: WITHIN_MS }).toContain('given back, not done');
  expect(await stateOf(id)).toBe('queued');
  program.kill('SIGTERM');
  await program.ended();
  await post(asker, `/v1/tasks/${id}/cancel`, {});
});

test('a turn that ends without an answer is reminded three times, and is a failure then', async () => {
  const program = listen([['inbox'], ['turn'], ['turn'], ['turn'], ['turn']]);
  const id = await allowedTask();
  expect(await ended(id)).toMatchObject({
    state: 'failed',
    untrusted: { error: 'It ended its turn without an answer.' },
  });
  await program.ended();
  expect(logged().filter((line) => line.startsWith('prompt'))).toHaveLength(4);
});

test('a cancel ends the program with all that it started', async () => {
  const program = listen([['inbox'], ['child'], ['stay']]);
  const id = await allowedTask();
  const child = pidIn(await saysSoon('child'));
  const own = pidIn(await saysSoon('started'));
  await post(asker, `/v1/tasks/${id}/cancel`, {});
  await dies(child);
  await dies(own);
  expect(await ended(id)).toMatchObject({
    state: 'cancelled',
    story: { end: { kind: 'stopped' } },
  });
  expect(logged()).toContain('cancel');
  expect((await program.ended()).code).toBe(0);
});

test('a question that nobody waits for any more ends the program with all that it started', async () => {
  const words = ['query', 'local/bot', 'Is it done?'];
  const asking = Program.start('cli', words, { AXON_HOME: hub.home, AXON_TOKEN: asker });
  await decide(await cardOf(), 'allow');
  const program = listen([['inbox'], ['child'], ['stay']]);
  const child = pidIn(await saysSoon('child'));
  const own = pidIn(await saysSoon('started'));
  asking.kill('SIGINT');
  await dies(child);
  await dies(own);
  expect((await program.ended()).code).toBe(0);
  expect(program.error).toContain('nobody waits for the answer any more');
  expect(program.error).not.toContain('the hub did not take it');
});

/** Three programs start until then. */
const AT_WORK_WITHIN_MS = 90_000;
const SAYS: Readonly<Record<string, readonly [outcome: string, status: string]>> = {
  'goes on': ['All of it', 'completed'],
  'says that it stopped': ['As far as it came', 'cancelled'],
};
test.each([
  ['its asker', 'goes on', 'Done, though Asker on Test hub asked it to stop.'],
  ['a person', 'goes on', 'Done, though a person on Test hub asked it to stop.'],
  ['its asker', 'says that it stopped', 'Stopped.'],
  ['a person', 'says nothing', 'Stopped by a person on Test hub.'],
])(
  'stopped by %s it %s, and both read what came of it',
  async (who, then, became) => {
    const page = await hub.page();
    const told = async (id: string): Promise<readonly string[]> => {
      const read = [asker, page].map((token) => post<TaskDto>(token, `/v1/tasks/${id}`));
      return (await Promise.all(read)).map(({ story }) => wholeOf(story));
    };
    const said = SAYS[then];
    const goOn = join(folder, 'go-on');
    const program = listen([
      ['inbox'],
      ...(said === undefined
        ? [['stay'] as const]
        : ([
            ['runner', 'SIGSTOP'],
            ['file', goOn],
            ['reply', ...said],
            ['runner', 'SIGCONT'],
          ] as const)),
    ]);
    const id = await allowedTask();
    await until(
      'it at work',
      AT_WORK_WITHIN_MS,
      () =>
        logged().some((line) => line.startsWith(said === undefined ? 'axon_inbox' : 'runner')) ||
        undefined,
    );
    await post(who === 'a person' ? page : asker, `/v1/tasks/${id}/cancel`, {});
    writeFileSync(goOn, '');
    // Its runner ends it, and says so, after whatever it said itself.
    expect((await program.ended()).code).toBe(0);
    const whole = `A person allowed it, on Test hub. ${became}`;
    expect(await told(id)).toEqual([whole, whole]);
    expect((await ended(id)).untrusted).toMatchObject({ outcome: said?.[0] ?? null });
    expect(await post(bot, '/v1/inbox/waiting')).toMatchObject({ waiting: 0 });
  },
  120_000,
);

const MAY_HAVE_RUN = { state: 'cancelled', story: { end: { kind: 'possibly_executed' } } };

test('what is under way at a kill -9 ends as possibly executed, and is not done again', async () => {
  const killed = listen([['inbox'], ['stay']]);
  const id = await allowedTask();
  await saysSoon('axon_inbox');
  killed.kill('SIGKILL');
  await killed.ended();
  expect(await stateOf(id)).toBe('running');
  const left = pidIn(await saysSoon('started'));
  expect(isAlive(left)).toBe(true);
  const next = listen([['inbox'], ['reply', 'Next']]);
  expect(await ended(id)).toMatchObject(MAY_HAVE_RUN);
  await dies(left);
  const other = await allowedTask();
  expect(await ended(other)).toMatchObject({ state: 'completed' });
  await next.ended();
  expect(logged().filter((line) => line.startsWith('started'))).toHaveLength(2);
});

test('a second one for the same agent begins nothing, and ends nothing of the first', async () => {
  const first = listen([['inbox'], ['stay']]);
  const id = await allowedTask();
  await saysSoon('axon_inbox');
  const { code, error } = await listen([]).ended();
  expect(code).toBeGreaterThan(0);
  expect(error).toContain('Another program runs this agent already.');
  expect(isAlive(pidIn(await saysSoon('started')))).toBe(true);
  expect(await stateOf(id)).toBe('running');
  first.kill('SIGTERM');
  await first.ended();
  expect(await ended(id)).toMatchObject(MAY_HAVE_RUN);
});

test('a program that dies at work leaves it as possibly executed', async () => {
  const begun = { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'Bash', kind: 'execute' };
  const program = listen([['inbox'], ['update', begun], ['die']]);
  const id = await allowedTask();
  expect(await ended(id)).toMatchObject(MAY_HAVE_RUN);
  await program.ended();
});

test('one that nobody has signed in to gives the work back', async () => {
  const program = listen([['refuse', 'session/new', -32_000]]);
  const id = await allowedTask();
  const { error } = await program.ended();
  expect(error).toContain('wants its person to sign in first');
  expect(await stateOf(id)).toBe('queued');
  const next = listen([['inbox'], ['reply', 'Now']]);
  expect(await ended(id)).toMatchObject({ state: 'completed' });
  await next.ended();
});

test('it is woken no more often a day than the owner says, over a restart too', async () => {
  const { settings, wakeUps } = hub.node.services;
  const before = settings.current().wakes_max;
  const one = await allowedTask();
  const first = listen([['inbox'], ['reply', 'One']]);
  expect(await ended(one)).toMatchObject({ state: 'completed' });
  await first.ended();
  rmSync(join(folder, 'log'), { force: true });
  await settings.update({ wakes_max: wakeUps.today('bot') }, PERSON);
  const two = await allowedTask();
  const second = listen([['inbox'], ['reply', 'Two']]);
  await until('it to listen', WITHIN_MS, () => second.error.includes('Listening') || undefined);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  // It takes nothing any more.
  expect(await stateOf(two)).toBe('queued');
  second.kill('SIGTERM');
  await second.ended();
  expect(logged()).toEqual([]);
  const third = listen([['inbox'], ['reply', 'Two']]);
  await until('it to listen', WITHIN_MS, () => third.error.includes('Listening') || undefined);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  // It waits meanwhile, and hears of it at once.
  await settings.update({ wakes_max: before }, PERSON);
  const raisedAt = performance.now();
  expect(await ended(two)).toMatchObject({ state: 'completed' });
  expect(performance.now() - raisedAt).toBeLessThan(20_000);
  await third.ended();
}, 90_000);

describe('what the hub keeps running', () => {
  const before = { ...process.env };
  const list = (): readonly RunnerDto[] => hub.node.services.runners.list();
  const is = (state: RunnerState): Promise<RunnerDto> =>
    until(`the runner: ${state}`, WITHIN_MS, () => list().find((one) => one.state === state));
  /** As its processes are named to the system; the fake program stands in for a real one. */
  const own = (): Promise<number> =>
    until('the runner', WITHIN_MS, () => hub.node.services.runners.pidOf('bot'));

  const set = async (plan: Plan): Promise<void> => {
    process.env['PLAN'] = JSON.stringify(plan);
    process.env['LOG'] = join(folder, 'log');
    const runner = {
      kind: 'acp',
      program: 'claude-agent-acp',
      folder: null,
    } as const;
    await hub.node.services.runners.set('bot', runner, PERSON);
  };

  beforeEach(() => {
    const script = join(folder, 'claude-agent-acp');
    writeFileSync(script, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}'\n`, { mode: 0o755 });
    process.env['PATH'] = `${folder}:${before['PATH']}`;
  });
  afterEach(async () => {
    await hub.node.services.runners.end('bot', PERSON).catch(() => undefined);
    process.env = { ...before };
  });

  test('does what is allowed, tells how it stands, and ends with its switch', async () => {
    await set([['inbox'], ['reply', 'By itself']]);
    const before = await is('waits');
    const id = await allowedTask();
    expect(await ended(id)).toMatchObject({ untrusted: { outcome: 'By itself' } });
    const tokens = before.tokens + 42;
    await until('the count', WITHIN_MS, () => list()[0]?.tokens === tokens || undefined);
    expect(await is('waits')).toMatchObject({ agent: 'bot', why: null, wakes: before.wakes + 1 });
    const pid = await own();
    await hub.node.services.runners.end('bot', PERSON);
    expect(isAlive(pid)).toBe(false);
    expect(list()).toEqual([]);
    // Its token ended with it.
    const left = hub.node.services.tokens.list().filter(({ agent }) => agent === 'bot');
    expect(left).toHaveLength(1);
  });

  test('is what its person said last, whatever was under way', async () => {
    await set([]);
    await own();
    const again = set([]);
    await hub.node.services.runners.end('bot', PERSON);
    await again;
    expect(list()).toEqual([]);
    expect(hub.node.services.runners.pidOf('bot')).toBeUndefined();
    const left = hub.node.services.tokens.list().filter(({ agent }) => agent === 'bot');
    expect(left).toHaveLength(1);
  });

  test('is started again after it was killed, and what it had is not done again', async () => {
    await set([['inbox'], ['stay']]);
    const id = await allowedTask();
    await saysSoon('axon_inbox');
    process.kill(await own(), 'SIGKILL');
    expect(await ended(id)).toMatchObject(MAY_HAVE_RUN);
    for (const line of logged().filter((one) => one.startsWith('started'))) await dies(pidIn(line));
    await is('waits');
    expect(logged().filter((line) => line.startsWith('prompt'))).toHaveLength(1);
  });

  test('one that this version does not know is shown, costs no other its place, and can be ended', async () => {
    await set([]);
    await is('waits');
    const clock = new SystemClock();
    const store = openStore({ path: join(hub.home, 'hub.db'), clock, log: SILENT_LOG });
    const old = { kind: 'acp', program: 'qwen', folder: null };
    await store.write((tables) => {
      const stored = JSON.parse(tables.getMeta('runners') ?? '') as readonly object[];
      const all = [{ agent: 'old', runner: old, token: null }, ...stored];
      tables.setMeta('runners', JSON.stringify(all));
    });
    await store.close();
    const kept = { agent: 'bot', program: 'claude-agent-acp' };
    const left = { agent: 'old', kind: 'gone', program: 'qwen', state: 'cannot_start' };
    expect(list()).toMatchObject([left, kept]);
    await set([]);
    expect(list()).toMatchObject([left, kept]);
    const [shown = left] = list();
    expect([titleOf(shown as RunnerDto), shown]).toMatchObject([
      'qwen',
      { why: expect.stringContaining('What is kept of it names no program that this hub starts.') },
    ]);
    await hub.node.services.runners.end('old', PERSON);
    expect(list()).toMatchObject([kept]);
  });

  test('says why it cannot start, and which of its owner’s words it needs', async () => {
    rmSync(join(folder, 'claude-agent-acp'));
    await set([]);
    expect((await is('cannot_start')).why).toContain('"claude-agent-acp" is not there');
    await hub.node.services.runners.end('bot', PERSON);
    writeFileSync(
      join(folder, 'claude-agent-acp'),
      `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}'\n`,
      { mode: 0o755 },
    );
    await set([['refuse', 'session/new', -32_000]]);
    // Before anything waits; nothing is prompted for it.
    expect((await is('needs_sign_in')).why).toBe(
      '"claude-agent-acp" wants its person to sign in first. Start "claude" at a terminal and type "/login".',
    );
    const id = await allowedTask();
    await is('needs_sign_in');
    expect(logged().filter((line) => /^(prompt|axon_)/.test(line))).toEqual([]);
    expect(await stateOf(id)).toBe('queued');
    await post(asker, `/v1/tasks/${id}/cancel`, {});
    await hub.node.services.runners.end('bot', PERSON);
    // One that opens a session all the same.
    process.env['SIGNED_OUT'] = '1';
    await set([['stay']]);
    await is('needs_sign_in');
  });

  test('is for the owner alone to set', async () => {
    const runner = { kind: 'acp', program: 'gemini' };
    const put = (body: unknown, token: string) =>
      hub.ask('/v1/agents/bot/runner', { method: 'PUT', token, body });
    expect((await put({ runner }, bot)).status).toBe(403);
    const page = await hub.page();
    expect((await put({ runner: { ...runner, program: 'sh' } }, page)).status).toBe(400);
    expect((await put({ runner: { ...runner, words: ['sh'] } }, page)).status).toBe(400);
    expect(list()).toEqual([]);
  });
});
