// What `axon examples`, GET /v1/examples and SKILL.md tell is true: every request of it is sent and every
// command run, in their order, between two paired hubs, and the answers have the printed members.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examples } from '../../preload/contract/examples.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import {
  Program,
  axon,
  endAfterTest,
  endPrograms,
  wordsOf,
  type Ended,
} from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const LIMIT_MS = 30_000;
const CLI = [process.execPath, ...wordsOf('cli', [])].map((word) => `'${word}'`).join(' ');

type Json = Readonly<Record<string, unknown>>;

let dad: TestHub;
let mum: TestHub;
let folder: string;
let token = '';
/** Of Mum's agent. */
let planner = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'axon-examples-'));
  // Faster than any person: more delegations in a minute than a hub takes from another one.
  const start = () => TestHub.start({ peerRateFactor: 100 });
  [dad, mum] = [await start(), await start()];
  await pairHubs(dad, mum, ["Mum's PC", "Dad's laptop"]);
  const body = { name: 'planner', domains: ['family.calendar', 'family.chat'], risk_class: 'R0' };
  planner = String((await owner(mum, '/v1/agents/create', body))['token']);
  // Answers whatever comes, so that questions and tasks of Dad's agent end.
  writeFileSync(join(folder, 'my-agent'), '#!/bin/sh\ncat >/dev/null; echo Done\n');
  chmodSync(join(folder, 'my-agent'), 0o755);
}, 60_000);
afterAll(async () => {
  await endPrograms();
  await Promise.all([dad.stop(), mum.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function owner(hub: TestHub, path: string, body?: unknown): Promise<Json> {
  const asked = body === undefined ? {} : { method: 'POST', body };
  const { status, text } = await hub.ask(path, { ...asked, token: await hub.page() });
  if (status >= 300) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as Json;
}

/** A person allows all that waits at this hub until `over`. */
async function allowing<T>(hub: TestHub, over: Promise<T>): Promise<T> {
  let isOver = false;
  const done = over.finally(() => (isOver = true));
  await until('the work to be allowed', LIMIT_MS, async () => {
    for (const { id, revision, digest } of hub.node.services.work.approvals.pending())
      await owner(hub, `/v1/approvals/${id}/decide`, { revision, digest, decision: 'allow' });
    return isOver || undefined;
  });
  return done;
}

interface Step {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly answer: string | undefined;
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/;
const LINES = examples('npx axon').split('\n');
const REQUEST = /^ {3}(GET|POST) (\/v1\/\S+)(?: +(\{.*\}))?/;

/** The requests with their bodies and the answers that are printed below them. */
function steps(): readonly Step[] {
  return LINES.flatMap((line, index) => {
    const [, method = '', path = '', inLine] = REQUEST.exec(line) ?? [];
    if (method === '') return [];
    const rest = LINES.slice(index + 1);
    const end = rest.findIndex((next) => next === '' || REQUEST.test(next));
    const below = rest.slice(0, end);
    const body =
      inLine ?? below.map((next) => /^ {3}(\{.*?\})(?: {3,}|$)/.exec(next)?.[1]).find(Boolean);
    const from = below.findIndex((next) => next.startsWith('   ->'));
    const answer = /\{.*\}/.exec(from < 0 ? '' : below.slice(from).join(''))?.[0];
    return [{ method, path, body: method === 'GET' ? undefined : body, answer }];
  });
}

const COMMANDS = LINES.flatMap((line) => /(?<!")npx axon (.+?)(?: {3,}|$)/.exec(line)?.[1] ?? []);

/** The paths of all printed members; what an agent answers with is its own affair. */
function membersOf(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return membersOf(value[0], `${path}[]`);
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}.${name}`,
    ...(name === 'data' ? [] : membersOf(inner, `${path}.${name}`)),
  ]);
}

/** What stands for an id or a secret on the page, and what it is here. */
const known = new Map<string, string>();
const filledIn = (text: string): string =>
  [...known].reduce((filled, [shown, real]) => filled.replaceAll(shown, real), text);

/** Mum's agent gives Dad's a task, and a person allows it. What came before is acknowledged. */
async function giveWork(): Promise<void> {
  const claim = async (): Promise<readonly Json[]> => {
    const { text } = await dad.ask('/v1/inbox/claim', { method: 'POST', token, body: { max: 32 } });
    return (JSON.parse(text) as { items: Json[] }).items;
  };
  for (const { delivery_id: id } of await claim())
    await dad.ask(`/v1/inbox/${String(id)}/ack`, { method: 'POST', token, body: {} });
  const work = ['delegate', "Dad's laptop/dad-assistant", 'Plan it', '--domain', 'family.calendar'];
  expect(await axon(mum.home, work, { AXON_TOKEN: planner })).toMatchObject({ code: 0 });
  const card = await until('a card', LIMIT_MS, () => dad.node.services.work.approvals.pending()[0]);
  const { id, revision, digest } = card;
  await owner(dad, `/v1/approvals/${id}/decide`, { revision, digest, decision: 'allow' });
}

async function confirm(): Promise<void> {
  const { registrations } = dad.node.services.work;
  const asking = await until('a program', LIMIT_MS, () => registrations.pending()[0]);
  await owner(dad, `/v1/agents/registrations/${asking.id}/confirm`, { code: asking.code });
}

async function take({ method, path, body, answer }: Step): Promise<void> {
  if (path.endsWith('/claim')) await giveWork();
  if (path.includes('/registrations/')) await confirm();
  if (path.endsWith('/cancel')) known.set('7c1d...', (await delegated())['id'] as string);
  const sent = dad.ask(filledIn(path), {
    method,
    ...(token === '' ? {} : { token }),
    ...(body === undefined ? {} : { body: JSON.parse(filledIn(body)) }),
  });
  const { status, text } = await (path.includes('?wait') ? allowing(mum, sent) : sent);
  expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  const said = JSON.parse(text) as Json;
  const shown = answer?.replaceAll(/,?\.\.\.(?=[}\]])/g, '').replace('{,', '{');
  if (shown !== undefined)
    expect(membersOf(said), path).toEqual(
      expect.arrayContaining([...membersOf(JSON.parse(shown))]),
    );
  learn(path, said);
}

function learn(path: string, said: Json): void {
  if (path === '/v1/agents') {
    const { registration, secret } = said as { registration: { id: string }; secret: string };
    known.set('5b1f...', registration.id).set('"secret":"..."', `"secret":"${secret}"`);
  }
  if (path.includes('/registrations/')) token = String(said['token']);
  if (path === '/v1/delegate') known.set('7c1d...', String(said['id']));
  if (path.endsWith('/claim')) {
    const [item] = said['items'] as readonly { delivery_id: string }[];
    known.set('e01a...', item?.delivery_id ?? '');
  }
}

async function delegated(): Promise<Json> {
  const body = steps().find(({ path }) => path === '/v1/delegate')?.body ?? '';
  const asked = { method: 'POST', token, body: JSON.parse(body) as unknown };
  const { status, text } = await dad.ask('/v1/delegate', asked);
  expect(status, text).toBeLessThan(300);
  return JSON.parse(text) as Json;
}

test('every request is answered as it says, and every command does its work', async () => {
  known.set('ed25519.<mum>', String(mum.node.services.hub.current().agent_id));
  const listening = Program.start(
    'cli',
    ['listen', '--domain', 'family.chat', '--', join(folder, 'my-agent')],
    { AXON_HOME: mum.home, AXON_TOKEN: planner },
  );
  await until('Mum’s agent', LIMIT_MS, () => listening.error.includes('Listening') || undefined);
  const all = steps();
  expect(all.length).toBeGreaterThanOrEqual(12);
  for (const step of all) await take(step);
  expect(COMMANDS.length).toBeGreaterThanOrEqual(9);
  for (const command of COMMANDS) await type(command);
}, 240_000);

/** What stands for a word of its own in SKILL.md. */
const WORDS: Readonly<Record<string, string>> = {
  HUB: `"Mum's PC"`,
  QUESTION: '"Free on Friday?"',
  TASK: '"Tell the family chat that dinner is at 7"',
  DOMAIN: 'family.chat',
  SECONDS: '600',
  TOPIC: 'shopping',
  TEXT: '"Milk is bought"',
  WORDS: 'dinner',
  OUTCOME: 'Planned',
  NAME: 'another-one',
};
const SKILL = readFileSync(join(import.meta.dirname, '../../resources/SKILL.md'), 'utf8');

test('every command of SKILL.md does its work', async () => {
  const commands = [...SKILL.matchAll(/`axon ([a-z][^`]+)`/g)].map(([, command = '']) => command);
  expect(commands.length).toBeGreaterThanOrEqual(16);
  for (const command of commands) {
    // It changes the settings of a program; its test uses others.
    if (command.startsWith('mcp install')) continue;
    const [name = ''] = command.split(' ');
    if (name === 'inbox') await giveWork();
    if (command.endsWith(' ID')) known.set('ID', String((await delegated())['id']));
    const line = command.replaceAll(/[A-Z_]+/g, (word) => WORDS[word] ?? known.get(word) ?? word);
    const ending = bash(line);
    if (name === 'agents') await confirm();
    const ended = await (name === 'query' ? allowing(mum, ending) : ending);
    expect(ended, `${line}\n${ended.error}`).toMatchObject({ code: 0 });
    if (name === 'inbox') known.set('DELIVERY_ID', UUID.exec(ended.out)?.[0] ?? '');
  }
}, 240_000);

async function type(command: string): Promise<void> {
  const [name] = command.split(' ');
  // Mum's agent is this very line.
  if (name === 'listen') return;
  if (name === 'inbox') await giveWork();
  if (name === 'tasks') known.set('7c1d...', String((await delegated())['id']));
  // A name that is free: the one that is printed belongs to the agent of the requests.
  const line = filledIn(command).replace('connect dad-assistant', 'connect dads-other-one');
  const ending = bash(line);
  const [ended] = await Promise.all([
    name === 'tasks' ? allowing(mum, ending) : ending,
    name === 'agents' ? confirm() : undefined,
  ]);
  expect(ended, `${line}\n${ended.error}`).toMatchObject({ code: 0 });
  if (name === 'inbox') known.set('e01a...', UUID.exec(ended.out)?.[0] ?? '');
}

async function bash(line: string): Promise<Ended> {
  const child = spawn('bash', ['-c', `${CLI} ${line}`], {
    env: {
      PATH: process.env['PATH'],
      AXON_HOME: dad.home,
      ...(line.startsWith('agents') ? {} : { AXON_TOKEN: token }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endAfterTest(child);
  const said = { out: '', error: '' };
  child.stdout.on('data', (part: Buffer) => (said.out += part.toString()));
  child.stderr.on('data', (part: Buffer) => (said.error += part.toString()));
  await once(child, 'close');
  return { code: child.exitCode, ...said };
}
