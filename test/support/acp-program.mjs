// A program that speaks the Agent Client Protocol and does what a plan says: what no real one can
// be made to do at will. Runs by itself. It calls our server's tools for real.
// usage: PLAN='[["inbox"],["reply","Done"]]' LOG=FILE node acp-program.mjs
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const plan = JSON.parse(process.env.PLAN);
const log = (...words) => appendFileSync(process.env.LOG, `${words.join(' ')}\n`);

/** What is too long to stand in a plan. */
const LONG = {
  DEEP: '['.repeat(20_000) + ']'.repeat(20_000),
  MUCH: JSON.stringify({ text: 'x'.repeat(300_000) }),
};

/** JSON-RPC over a pair of pipes, a message a line. */
function line(input, output, answer) {
  const waiting = new Map();
  let lastId = 0;
  const send = (message, raw) =>
    output.write(
      `${JSON.stringify({ jsonrpc: '2.0', ...message }).replace('"RAW"', () => LONG[raw] ?? raw ?? '"RAW"')}\n`,
    );
  createInterface({ input }).on('line', (text) => {
    const { id, method, params, result, error } = JSON.parse(text);
    if (method !== undefined) void answer?.(id, method, params);
    else waiting.get(id)?.(result ?? { error });
  });
  const call = (method, params, raw) =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve);
      send({ id: lastId, method, params }, raw);
    });
  return { call, send };
}

/** undefined: our server has not started yet. */
let tools;
let server;
let item;
const sessionId = 'one';
const PERMISSIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

/** SERVER stands for the name of our server. */
const named = (said) => JSON.parse(JSON.stringify(said).replaceAll('SERVER', server));

async function tool(name, input) {
  if (tools === undefined) return log('has no tools');
  const { structuredContent, content } = await tools.call('tools/call', { name, arguments: input });
  log(name, JSON.stringify(structuredContent ?? content));
  return structuredContent;
}

const STEPS = {
  inbox: async () => {
    [item] = (await tool('axon_inbox', {})).items;
  },
  reply: (outcome, status) => tool('axon_reply', { delivery: item?.delivery_id, outcome, status }),
  /** What it does out there, as whoever looks there sees it. */
  does: () => log('did', item?.untrusted.text),
  ask: async (toolCall, more = {}) => {
    const asked = { sessionId, toolCall: named(toolCall), options: PERMISSIONS, ...more };
    const { outcome } = await acp.call('session/request_permission', asked);
    log('decided', outcome?.optionId ?? outcome?.outcome);
  },
  update: (update, raw) =>
    acp.send({ method: 'session/update', params: { sessionId, update: named(update) } }, raw),
  /** What no client offers; or the arguments of a tool, as they are written. */
  other: async (method, params, raw) => {
    const asked = { sessionId, options: PERMISSIONS, ...params };
    const { error, outcome } = await acp.call(method, asked, raw);
    log('refused', error?.code ?? outcome?.optionId);
  },
  /** Asks and tells without end, and reads nothing meanwhile. */
  flood: async (times) => {
    process.stdin.pause();
    for (let id = 1; id <= times; id++) {
      acp.send({ id: 1_000_000 + id, method: 'fs/read_text_file', params: {} });
      STEPS.update({ sessionUpdate: 'tool_call', toolCallId: `f${id}`, title: 'x'.repeat(200) });
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    process.stdin.resume();
  },
  child: () => log('child', spawn('sleep', ['600'], { stdio: 'ignore' }).pid),
  /** Whoever started it hears of nothing until SIGCONT. */
  runner: (signal) => {
    process.kill(process.ppid, signal);
    log('runner', signal);
  },
  file: async (name) => {
    while (!existsSync(name)) await STEPS.wait(20);
  },
  stay: () => new Promise(() => undefined),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  die: () => process.exit(1),
};

async function startServer({ command, args, env: variables }) {
  const env = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  const child = spawn(command, args, { env: { ...process.env, ...env } });
  const opened = line(child.stdout, child.stdin);
  const clientInfo = { name: 'plan', version: '1' };
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  await opened.call('initialize', hello);
  opened.send({ method: 'notifications/initialized' });
  tools = opened;
}

const ANSWERS = {
  initialize: () => {
    const [step, given] = plan[0] ?? [];
    if (step !== 'version') return { protocolVersion: 1 };
    return { protocolVersion: given === 'HUGE' ? 'x'.repeat(17_000_000) : given };
  },
  'session/new': async ({
    mcpServers: [own],
    _meta: { mcpStartupAwaitTimeoutMs: waitMs } = {},
  }) => {
    if (process.env.SIGNED_OUT !== undefined)
      acp.send({ method: '_auth/status_update', params: { authStatus: { kind: 'none' } } });
    if (own === undefined) return log('tried out') ?? { sessionId };
    server = own.name;
    const started = startServer(own);
    // As Codex does: what is not waited for is left out of the first turn.
    if (waitMs > 0) await started;
    const modes = [{ id: 'yolo' }, { id: 'default' }];
    return { sessionId, modes: { currentModeId: 'yolo', availableModes: modes } };
  },
  'session/set_mode': ({ modeId }) => log('mode', modeId),
  'session/prompt': async ({ prompt }) => {
    log('prompt', prompt[0].text);
    const steps = plan.splice(0, plan.findIndex(([step]) => step === 'turn') + 1 || Infinity);
    for (const [step, ...given] of steps) await STEPS[step]?.(...given);
    return { stopReason: 'end_turn', usage: { totalTokens: 42 } };
  },
};

const acp = line(process.stdin, process.stdout, async (id, method, params) => {
  if (method === 'session/cancel') return log('cancel');
  if (plan[0]?.[0] === 'refuse' && plan[0][1] === method) {
    const error = { code: plan[0][2], message: 'not now' };
    return acp.send({ id, error });
  }
  acp.send({ id, result: (await ANSWERS[method]?.(params)) ?? {} });
});
process.on('SIGTERM', () => log('SIGTERM'));
log('started', process.pid, process.env.AXON_UNDER_RUNNER);
