// A hub and its agents, killed at random moments: what was accepted is delivered at least once,
// what was acknowledged never again, and each task ends with one result. Over HTTP and MCP. An A2A
// agent of elsewhere is called, and a program that the hub starts does a task, at most once, and
// what nobody knows says so. Whoever asked looks at nothing meanwhile, and its webhook is called at
// most once for each result.
import { spawn, type ChildProcess } from 'node:child_process';
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
import { measured, rounds } from '../support/counts.ts';
import { endAfterTest, endPrograms, startHeadless } from '../support/programs.ts';
import type { HeadlessHub } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';
import { readNotes, type Note } from './killed-agent.ts';

const KILLS = rounds('kill -9 of a hub and its agents', { short: 12, long: 500 });
const SEED = Number(process.env['AXON_TEST_SEED'] ?? Date.now() % 2 ** 31);
const DOORS = ['http', 'mcp', 'stdio'] as const;
type Door = (typeof DOORS)[number];
/** The agent that the hub starts a program for, and what of it is killed by name. */
const RUN = 'run';
const PERSON = { actor: 'ui:test', surface: 'browser' } as const;
/** A kill comes within it, so that it meets a claim, an ack and a reply. */
const KILL_WITHIN_MS = 600;

const chance = new Chance(SEED);
const tokens = new Map<string, string>();
const agents = new Map<Door, ChildProcess>();
let home: string;
let hub: HeadlessHub;
let elsewhere: A2aServer;
/** The ids of the calls of the webhook. */
const calls: string[] = [];
/** Answers late, so that a kill meets a call under way. */
const woken = createServer((request, response) => {
  request.resume();
  calls.push(String(request.headers['webhook-id']));
  void setTimeout(chance.between(0, KILL_WITHIN_MS)).then(() => response.end());
});

beforeAll(async () => {
  const first = await TestHub.start();
  ({ home } = first);
  for (const name of ['asker', ...DOORS]) {
    tokens.set(name, await first.agent(name));
    writeFileSync(join(home, `${name}.secret`), tokens.get(name) ?? '', { mode: 0o600 });
  }
  const page = await first.page();
  tokens.set('page', page);
  elsewhere = await A2aServer.start();
  elsewhere.delayMs = () => chance.between(0, KILL_WITHIN_MS / 4);
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
  await first.node.stop();
  hub = await startHub();
  for (const door of DOORS) startAgent(door);
}, 60_000);
afterAll(async () => {
  for (const door of DOORS) await killAgent(door);
  await endPrograms();
  elsewhere.stop();
  woken.close();
  woken.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
});

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

async function killAgent(door: Door): Promise<void> {
  const child = agents.get(door);
  if (child?.pid === undefined || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await ended;
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
    PLAN: JSON.stringify([['inbox'], ['does'], ['reply', 'Done']]),
    LOG: join(home, 'did'),
  });
}

async function killHub(): Promise<void> {
  hub.program.kill('SIGKILL');
  await hub.program.ended();
  hub = await startHub();
}

/** The runner, or the program that it has started. */
function killOf(what: 'runner' | 'program'): void {
  const words = what === 'runner' ? [home, '--acp'] : [join(home, 'bin/program.mjs')];
  for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (words.every((word) => line.includes(word))) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
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

/** Resolves with the id of the accepted task. */
async function delegate(to: Door | typeof RUN | 'elsewhere', text: string): Promise<string> {
  const area = to === 'elsewhere' ? {} : { domain: `${to}.work` };
  const sent = { to: `local/${to}`, task: text, ...area };
  const { id } = (await call('asker', '/v1/delegate', sent)) as { id: string };
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

async function kill(): Promise<void> {
  const victim = chance.pick(['hub', 'runner', 'program', ...DOORS] as const);
  if (victim === 'hub') return killHub();
  if (victim === 'runner' || victim === 'program') return killOf(victim);
  await killAgent(victim);
  startAgent(victim);
}

test(
  'every accepted item is delivered, none again after its ack, and each ends with one result',
  async () => {
    process.stderr.write(`SEED: inbox kills: ${SEED}\n`);
    const accepted = new Map<string, string>();
    const called = new Map<string, string>();
    const started = new Map<string, string>();
    for (let round = 0; round < KILLS; round += 1) {
      for (const door of DOORS) {
        const text = `${door} ${round}`;
        accepted.set(await delegate(door, text), text);
      }
      const text = `${round % 2 === 0 ? 'Count' : 'Later'} ${round}`;
      called.set(await delegate('elsewhere', text), text);
      // Each takes a start of the program, and of our server by it.
      if (round % 3 === 0) started.set(await delegate(RUN, `${RUN} ${round}`), `${RUN} ${round}`);
      await allowAll();
      await setTimeout(chance.between(0, KILL_WITHIN_MS));
      await kill();
    }
    await allowAll();
    await Promise.all(
      [...accepted].map(async ([id, text]) => {
        const task = await until(`the end of ${text}`, 60_000, async () => {
          const now = (await call('asker', `/v1/tasks/${id}`)) as Task;
          return now.state === 'completed' ? now : undefined;
        });
        expect(task.untrusted?.outcome).toBe(`Done: ${text}`);
      }),
    );
    const unknown = await endsElsewhere(called);
    expect([...elsewhere.messages.values()].filter((times) => times > 1)).toEqual([]);
    const uncertain = await endsOf(started);
    const notes = DOORS.flatMap((door) => readNotes(journalOf(door)));
    expect(deliveredAgain(notes)).toEqual([]);
    const got = new Set(notes.filter(({ step }) => step === 'got').map(({ text }) => text));
    expect([...accepted.values()].filter((text) => !got.has(text))).toEqual([]);
    await until('a call of the webhook', 60_000, async () => calls.length > 0 || undefined);
    const all = [...accepted.keys(), ...called.keys(), ...started.keys()];
    expect((await results()).toSorted()).toEqual(all.toSorted());
    expect(new Set(calls).size).toBe(calls.length);
    expect(calls.length).toBeLessThanOrEqual(all.length);
    measured(
      `inbox kills: ${KILLS} kills, ${calls.length} calls of a webhook, ${accepted.size} tasks, ${notes.filter(({ attempt }) => attempt > 1).length} steps of later attempts, ${unknown} of ${called.size} calls elsewhere unknown, ${uncertain} of ${started.size} tasks of a program that the hub starts possibly executed`,
    );
  },
  120_000 + KILLS * 8_000,
);

/** How many of these may have been done, for all that is known; the others were. */
async function endsElsewhere(called: ReadonlyMap<string, string>): Promise<number> {
  const ends = await Promise.all(
    [...called].map(async ([id, text]) => {
      const task = await until(`the end of ${text}`, 60_000, async () => {
        const now = (await call('asker', `/v1/tasks/${id}`)) as Task;
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

/** Each was done once, or ended as possibly executed; how many of these there are. */
async function endsOf(started: ReadonlyMap<string, string>): Promise<number> {
  const did = (text: string): number => {
    const lines = existsSync(join(home, 'did')) ? readFileSync(join(home, 'did'), 'utf8') : '';
    return lines.split('\n').filter((line) => line === `did ${text}`).length;
  };
  let unknown = 0;
  for (const [id, text] of started) {
    const task = await until(`the end of ${text}`, 120_000, async () => {
      await requeueDead();
      const now = (await call('asker', `/v1/tasks/${id}`)) as Task;
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
async function results(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const claim = { max: 32, lease_ms: 60_000 };
    const { items } = (await call('asker', '/v1/inbox/claim', claim)) as {
      items: readonly { delivery_id: string; kind: string; task_id: string }[];
    };
    if (items.length === 0) return ids;
    for (const { delivery_id, kind, task_id } of items) {
      if (kind === 'result') ids.push(task_id);
      await call('asker', `/v1/inbox/${delivery_id}/ack`, {});
    }
  }
}
