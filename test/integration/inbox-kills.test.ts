// A hub and its agents, killed in turn, each while it has something under way: what was accepted is
// delivered at least once, what was acknowledged never again, and each task ends with one result.
// Over HTTP and MCP. An A2A agent of elsewhere is called, a program that the hub starts does a task,
// and the model of an agent from a file is asked, at most once, and what nobody knows says so.
// Whoever asked looks at nothing meanwhile, and its webhook is called at most once for each result.
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AxonClient, Refused } from '../../resources/examples/axon-client.ts';
import { Chance } from '../sim/chance.ts';
import { A2aServer } from '../support/a2a-servers.ts';
import { isLongRun, measured, rounds } from '../support/counts.ts';
import { ModelDouble } from '../support/model-double.ts';
import { endAfterTest, endPrograms, startHeadless } from '../support/programs.ts';
import type { HeadlessHub } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';
import { readNotes, type Note } from './killed-agent.ts';

const SEED = Number(process.env['AXON_TEST_SEED'] ?? Date.now() % 2 ** 31);
const DOORS = ['http', 'mcp', 'stdio'] as const;
type Door = (typeof DOORS)[number];
/** The agent that the hub starts a program for, and what of it is killed by name. */
const RUN = 'run';
/** The agent from a file, whose model is asked. */
const FILE = 'file';
type Started = typeof RUN | typeof FILE;
const PERSON = { actor: 'ui:test', surface: 'browser' } as const;
/** A kill comes so soon after something is under way, so that it meets each step of it. */
const KILL_WITHIN_MS = 300;
const UNDER_WAY_WITHIN_MS = 30_000;
/** Who is killed, and what it is in the middle of. All but the last three meet a call of the outside. */
const VICTIMS = [
  'hub, webhook',
  'hub, elsewhere',
  'hub, program',
  'runner, program',
  'program',
  'hub, model',
  'runner, model',
  ...DOORS,
] as const;
type Victim = (typeof VICTIMS)[number];
const EACH = rounds('kill -9 of each of a hub and its agents at work', { short: 1, long: 50 });
/** One that came too late is not counted. */
const TRIES = 4 * EACH + 12;

const chance = new Chance(SEED);
const tokens = new Map<string, string>();
const agents = new Map<Door, ChildProcess>();
let home: string;
let hub: HeadlessHub;
let elsewhere: A2aServer;
let model: ModelDouble;
/** The ids of the calls of the webhook. */
const calls: string[] = [];
/** Those under way. */
let openCalls = 0;
/** Answers late, so that a kill meets a call under way. */
const woken = createServer((request, response) => {
  request.resume();
  openCalls += 1;
  response.once('close', () => (openCalls -= 1));
  calls.push(String(request.headers['webhook-id']));
  void setTimeout(chance.between(KILL_WITHIN_MS / 2, 2 * KILL_WITHIN_MS)).then(() =>
    response.end(),
  );
});

beforeAll(async () => {
  const first = await TestHub.start();
  ({ home } = first);
  for (const name of ['asker', 'other', ...DOORS]) {
    tokens.set(name, await first.agent(name));
    writeFileSync(join(home, `${name}.secret`), tokens.get(name) ?? '', { mode: 0o600 });
  }
  const page = await first.page();
  tokens.set('page', page);
  elsewhere = await A2aServer.start();
  elsewhere.delayMs = () => chance.between(0, KILL_WITHIN_MS / 2);
  elsewhere.beginMs = () => chance.between(KILL_WITHIN_MS / 2, 2 * KILL_WITHIN_MS);
  elsewhere.workMs = () => chance.between(0, 4 * KILL_WITHIN_MS);
  const asPage = { method: 'POST', token: page };
  const { url } = elsewhere;
  const card = await first.ask('/v1/a2a/cards', { ...asPage, body: { url } });
  const { digest } = JSON.parse(card.text) as { digest: string };
  const body = { name: 'elsewhere', url, digest };
  expect((await first.ask('/v1/a2a/agents', { ...asPage, body })).status).toBe(200);
  await once(woken.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(woken.address() as AddressInfo).port}/wake`;
  for (const [path, method, change] of [
    ['/v1/agents/asker/webhook', 'PUT', { preset: 'generic', address }],
    ['/v1/settings', 'PATCH', { wakes_max: 1_000 }],
  ] as const)
    expect((await first.ask(path, { method, token: page, body: change })).status).toBe(200);
  await first.agent(RUN);
  const runner = {
    kind: 'acp',
    program: 'claude-agent-acp',
    folder: null,
  } as const;
  await first.node.services.runners.set(RUN, runner, PERSON);
  await confirmFile(first, page);
  await first.node.stop();
  hub = await startHub();
  for (const door of DOORS) startAgent(door);
}, 60_000);
afterAll(async () => {
  for (const door of DOORS) await killAgent(door);
  await endPrograms();
  elsewhere.stop();
  await model.close();
  woken.close();
  woken.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
});

/** A person confirms an agent from a file, whose model answers late. */
async function confirmFile(first: TestHub, page: string): Promise<void> {
  model = await ModelDouble.start();
  model.says = () => ({ says: 'INFORM: Done' });
  model.delayMs = () => chance.between(KILL_WITHIN_MS / 2, 2 * KILL_WITHIN_MS);
  const text = `---
name: ${FILE}
areas: [${FILE}.work]
model: small:1b
endpoint: ${model.url}/v1
budget: 1000000000
---
You do what is asked.`;
  mkdirSync(join(home, 'agents'), { recursive: true });
  writeFileSync(join(home, 'agents', `${FILE}.md`), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const body = { file: `${FILE}.md`, sha256, risk_class: 'R0' };
  const confirmed = await first.ask('/v1/agent-files/confirm', {
    method: 'POST',
    token: page,
    body,
  });
  expect(confirmed.status).toBe(200);
}

const journalOf = (door: Door): string => join(home, `${door}.journal`);

/** In a process group of its own, so that the `axon mcp` it started goes with it. */
function startAgent(door: Door): void {
  const child = spawn(
    process.execPath,
    [
      '--import',
      new URL('../support/raw-imports.mjs', import.meta.url).href,
      join(import.meta.dirname, 'killed-agent.ts'),
      door,
      home,
      join(home, `${door}.secret`),
      journalOf(door),
    ],
    { detached: true, stdio: 'ignore' },
  );
  endAfterTest(child);
  agents.set(door, child);
}

/** Returns whether it was there. */
async function killAgent(door: Door): Promise<boolean> {
  const child = agents.get(door);
  if (child?.pid === undefined || child.exitCode !== null) return false;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await ended;
  return true;
}

/** It starts a program that does what a plan says, in the place of a real one. */
function startHub(): Promise<HeadlessHub> {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  copyFileSync(join(import.meta.dirname, '../support/acp-program.mjs'), join(bin, 'program.mjs'));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(bin, 'program.mjs')}'\n`;
  writeFileSync(join(bin, 'claude-agent-acp'), script, { mode: 0o755 });
  return startHeadless(home, [], {
    PATH: `${bin}:${process.env['PATH']}`,
    PLAN: JSON.stringify([
      ['inbox'],
      ['wait', KILL_WITHIN_MS],
      ['does'],
      ['wait', KILL_WITHIN_MS],
      ['reply', 'Done'],
    ]),
    LOG: join(home, 'did'),
  });
}

async function killHub(): Promise<void> {
  hub.program.kill('SIGKILL');
  await hub.program.ended();
  hub = await startHub();
}

/** What of the hub's runners is killed by itself, by the victim that it is. */
const WORDS_OF = {
  'runner, program': () => [home, '--acp'],
  'runner, model': () => [home, '--file'],
  program: () => [join(home, 'bin/program.mjs')],
} as const satisfies Partial<Record<Victim, () => readonly string[]>>;
type OfRunner = keyof typeof WORDS_OF;

function pidsOf(what: OfRunner): readonly number[] {
  const words = WORDS_OF[what]();
  const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.every((word) => line.includes(word));
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

/** Returns whether it was there. */
function killOf(what: OfRunner): boolean {
  return (
    pidsOf(what).filter((pid) => {
      try {
        return process.kill(pid, 'SIGKILL');
      } catch {
        // The same.
        return false;
      }
    }).length > 0
  );
}

/** What the programs said that the hub started. */
function logged(): readonly string[] {
  const file = join(home, 'did');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** Whether it has something in hand that a kill would meet. */
function isUnderWay(victim: Victim): boolean {
  switch (victim) {
    case 'hub, webhook':
      return openCalls > 0;
    case 'hub, elsewhere':
      return elsewhere.beginning > 0;
    case 'hub, program':
    case 'runner, program':
    case 'program':
      return /^(?:axon_inbox|did) .*$/.test(logged().at(-1) ?? '') && pidsOf('program').length > 0;
    case 'hub, model':
    case 'runner, model':
      return model.answering > 0;
    default: {
      const last = readNotes(journalOf(victim)).at(-1);
      return last?.step === 'got' || last?.step === 'acked';
    }
  }
}

/** Again until the hub takes it. */
async function call(who: string, path: string, body?: object): Promise<unknown> {
  for (;;) {
    try {
      return await new AxonClient(tokens.get(who) ?? '', home).call(path, body);
    } catch (error) {
      if (error instanceof Refused && !AGAIN.has(error.code)) throw error;
      await setTimeout(50);
    }
  }
}
/** By the id of its task. */
const asked = new Map<string, Asker>();
type Asker = 'asker' | 'other';
const taskOf = async (id: string): Promise<Task> =>
  (await call(asked.get(id) ?? 'asker', `/v1/tasks/${id}`)) as Task;
const AGAIN = new Set(['rate_limited', 'overloaded', 'hub_locked', 'conflict']);

interface Card {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
}

/** A person allows all that waits. */
async function allowAll(): Promise<void> {
  const { items } = (await call('page', '/v1/approvals')) as { items: readonly Card[] };
  for (const { id, revision, digest } of items)
    await call('page', `/v1/approvals/${id}/decide`, { revision, digest, decision: 'allow' }).catch(
      (error: unknown) => {
        // The hub was killed after the decision, and before its answer.
        if (!(error instanceof Refused) || error.code !== 'already_decided') throw error;
      },
    );
}

/**
 * Resolves with the id of the accepted task.
 * @param who has a webhook, of which a day has so many calls, or has none
 */
async function delegate(
  who: Asker,
  to: Door | Started | 'elsewhere',
  text: string,
): Promise<string> {
  const area = to === 'elsewhere' ? {} : { domain: `${to}.work` };
  const sent = { to: `local/${to}`, task: text, ...area };
  const { id } = (await call(who, '/v1/delegate', sent)) as { id: string };
  asked.set(id, who);
  return id;
}

/** Once acknowledged, the journal may not say again that the item was handed over. */
function deliveredAgain(notes: readonly Note[]): readonly Note[] {
  const acked = new Set<string>();
  return notes.filter(({ step, id }) => {
    if (step === 'acked') acked.add(id);
    return step === 'got' && acked.has(id);
  });
}

/** Once it is in the middle of something. Returns whether it still was, and was there. */
async function kill(victim: Victim): Promise<boolean> {
  // A runner that was killed often is away for a while.
  await until(
    `work of ${victim}`,
    UNDER_WAY_WITHIN_MS,
    () => isUnderWay(victim) || undefined,
  ).catch(() => undefined);
  await setTimeout(chance.between(0, KILL_WITHIN_MS));
  const hasMet = isUnderWay(victim);
  return (await killed(victim)) && hasMet;
}

/** Returns whether it was there. */
async function killed(victim: Victim): Promise<boolean> {
  switch (victim) {
    case 'runner, program':
    case 'runner, model':
    case 'program':
      return killOf(victim);
    case 'http':
    case 'mcp':
    case 'stdio': {
      const wasThere = await killAgent(victim);
      startAgent(victim);
      return wasThere;
    }
    default:
      await killHub();
      return true;
  }
}

interface Accepted {
  /** By the ids of their tasks: what was asked. */
  readonly accepted: Map<string, string>;
  readonly called: Map<string, string>;
  readonly started: Readonly<Record<Started, Map<string, string>>>;
}

/** Work for all, and for this victim in any case. */
async function giveWork(
  round: number,
  victim: Victim,
  { accepted, called, started }: Accepted,
): Promise<void> {
  // A day has a thousand calls of one webhook.
  const who = victim === 'hub, webhook' ? 'asker' : 'other';
  for (const door of DOORS)
    accepted.set(await delegate(who, door, `${door} ${round}`), `${door} ${round}`);
  if (victim === 'hub, elsewhere' || victim === 'hub, webhook') {
    const text = `${round % 3 === 0 ? 'Count' : 'Later'} ${round}`;
    called.set(await delegate(who, 'elsewhere', text), text);
  }
  // Each takes a start of the program, and of our server by it.
  for (const [to, outside] of [
    [RUN, 'program'],
    [FILE, 'model'],
  ] as const)
    if (victim.endsWith(outside))
      started[to].set(await delegate(who, to, `${to} ${round}`), `${to} ${round}`);
  await allowAll();
}

/** Each victim in turn, until each was met at work often enough. Returns how often each was. */
async function killAll(accepted: Accepted): Promise<ReadonlyMap<Victim, number>> {
  const met = new Map<Victim, number>(VICTIMS.map((victim) => [victim, 0]));
  for (let tries = 0, round = 0; tries < TRIES; tries += 1)
    for (const victim of VICTIMS) {
      const before = met.get(victim) ?? 0;
      if (before === EACH) continue;
      await giveWork(round++, victim, accepted);
      if (await kill(victim)) met.set(victim, before + 1);
    }
  return met;
}

test(
  'every accepted item is delivered, none again after its ack, and each ends with one result',
  async () => {
    process.stderr.write(`SEED: inbox kills: ${SEED}\n`);
    const all: Accepted = {
      accepted: new Map(),
      called: new Map(),
      started: { [RUN]: new Map(), [FILE]: new Map() },
    };
    const { accepted, called, started } = all;
    const met = await killAll(all);
    expect(Object.fromEntries(met)).toEqual(
      Object.fromEntries(VICTIMS.map((victim) => [victim, EACH])),
    );
    await allowAll();
    await Promise.all(
      [...accepted].map(async ([id, text]) => {
        const task = await until(`the end of ${text}`, 60_000, async () => {
          const now = await taskOf(id);
          return now.state === 'completed' ? now : undefined;
        });
        expect(task.untrusted?.outcome).toBe(`Done: ${text}`);
      }),
    );
    const unknown = await endsElsewhere(called);
    expect([...elsewhere.messages.values()].filter((times) => times > 1)).toEqual([]);
    const uncertain = await endsOf(started[RUN], timesDone);
    const unheard = await endsOf(started[FILE], timesAsked);
    // A kill may come just after the answer.
    if (isLongRun) expect(Math.min(unknown, uncertain, unheard)).toBeGreaterThan(0);
    const notes = DOORS.flatMap((door) => readNotes(journalOf(door)));
    expect(deliveredAgain(notes)).toEqual([]);
    const got = new Set(notes.filter(({ step }) => step === 'got').map(({ text }) => text));
    expect([...accepted.values()].filter((text) => !got.has(text))).toEqual([]);
    for (const who of ['asker', 'other'] as const)
      expect((await results(who)).toSorted()).toEqual(
        [...asked.keys()].filter((id) => asked.get(id) === who).toSorted(),
      );
    // A second one for the same items has the id of the first.
    expect(new Set(calls).size).toBe(calls.length);
    measured(
      `inbox kills: ${EACH * VICTIMS.length} kills at work, ${EACH} of each of ${VICTIMS.join('; ')}: ${calls.length} calls of a webhook, ${accepted.size} tasks, ${notes.filter(({ attempt }) => attempt > 1).length} steps of later attempts, ${unknown} of ${called.size} calls elsewhere unknown, ${uncertain} of ${started[RUN].size} tasks of a program that the hub starts and ${unheard} of ${started[FILE].size} of an agent from a file possibly executed`,
    );
  },
  120_000 + TRIES * VICTIMS.length * 8_000,
);

/** How many of these may have been done, for all that is known; the others were. */
async function endsElsewhere(called: ReadonlyMap<string, string>): Promise<number> {
  const ends = await Promise.all(
    [...called].map(async ([id, text]) => {
      const task = await until(`the end of ${text}`, 60_000, async () => {
        const now = await taskOf(id);
        return now.story.end === null ? undefined : now;
      });
      const isDone = task.state === 'completed';
      if (isDone) expect(task.untrusted?.outcome).toBe(`${text}: 3`);
      else expect(task.story.end?.kind, JSON.stringify(task)).toBe('possibly_executed');
      return isDone;
    }),
  );
  return ends.filter((isDone) => !isDone).length;
}

/** How often a program did it, and how often the model was asked for it. */
const timesDone = (text: string): number =>
  logged().filter((line) => line === `did ${text}`).length;
const timesAsked = (text: string): number =>
  model.asked.filter(({ user }) => user.includes(`>${text}<`)).length;

/** Each was done once, or ended as possibly executed; how many of these there are. */
async function endsOf(
  started: ReadonlyMap<string, string>,
  did: (text: string) => number,
): Promise<number> {
  let unknown = 0;
  for (const [id, text] of started) {
    const task = await until(`the end of ${text}`, 120_000, async () => {
      await requeueDead();
      const now = await taskOf(id);
      return ['completed', 'cancelled'].includes(now.state) ? now : undefined;
    });
    const { kind } = task.story.end ?? {};
    if (kind === 'possibly_executed') unknown += 1;
    else expect([text, kind, did(text)]).toEqual([text, 'completed', 1]);
    expect(did(text), text).toBeLessThan(2);
  }
  return unknown;
}

/** A person has what was killed too often before it began handed out again. */
async function requeueDead(): Promise<void> {
  const { items } = (await call('page', '/v1/inbox/dead')) as {
    items: readonly { delivery_id: string }[];
  };
  for (const { delivery_id: id } of items) await call('page', `/v1/inbox/${id}/requeue`, {});
}

interface Task {
  readonly state: string;
  readonly story: { readonly end: { readonly kind: string } | null };
  readonly untrusted: { readonly outcome: string } | null;
}

/** The tasks whose results wait in the inbox of who asked. */
async function results(who: Asker): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const claim = { max: 32, lease_ms: 60_000 };
    const { items } = (await call(who, '/v1/inbox/claim', claim)) as {
      items: readonly { delivery_id: string; kind: string; task_id: string }[];
    };
    if (items.length === 0) return ids;
    for (const { delivery_id, kind, task_id } of items) {
      if (kind === 'result') ids.push(task_id);
      await call(who, `/v1/inbox/${delivery_id}/ack`, {});
    }
  }
}
