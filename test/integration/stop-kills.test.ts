// Two hubs, killed at random moments while tasks are cancelled, stopped and done between them: no
// story has two ends. What a hub said of an end it never says otherwise, both say the same, and
// whoever asked is told at most once. A kill counts where something was called off since the one
// before, or is just being called off.
import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AxonClient, Refused } from '../../resources/examples/axon-client.ts';
import type { ApprovalDto, DeliveryDto, TaskDto } from '../../preload/contract/dto.ts';
import { decidedOf, headlineOf, stopOf } from '../../preload/contract/strings/story.ts';
import { Chance } from '../sim/chance.ts';
import { measured, rounds } from '../support/counts.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { endPrograms, startHeadless, type HeadlessHub } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const KILLS = rounds('kill -9 of two hubs with stops and cancels between them', {
  short: 12,
  long: 500,
});
const SEED = Number(process.env['AXON_TEST_SEED'] ?? Date.now() % 2 ** 31);
/** A kill comes within it. */
const KILL_WITHIN_MS = 400;
const TASKS_A_ROUND = 4;
const LEASE_MS = 2_000;
/** The asker looks this far back each round. */
const LOOKED_AT = 40;
const SETTLED_WITHIN_MS = 120_000;
const QUICK = ['--peer-rate-factor', '1000', '--request-rate', '5000'];
/** The hub is killed, or has no room for a moment. */
const AGAIN = new Set(['rate_limited', 'overloaded', 'hub_locked']);

const chance = new Chance(SEED);

interface TaskPage {
  readonly items: readonly TaskDto[];
  readonly next: string | null;
}

/** One of the two, in a process that is killed. */
class KilledHub {
  readonly home: string;
  readonly #flags: readonly string[];
  readonly #page: string;
  readonly #agent: string;
  #running: HeadlessHub | undefined;
  /** The first end that it told of each message, by the id of the message. */
  readonly ends = new Map<string, string>();
  /** What it told otherwise later. */
  readonly changed: string[] = [];

  constructor(hub: TestHub, page: string, agent: string) {
    this.home = hub.home;
    this.#flags = [...QUICK, '--peer-port', String(hub.node.services.peers.port)];
    this.#page = page;
    this.#agent = agent;
  }

  async start(): Promise<void> {
    this.#running = await startHeadless(this.home, this.#flags);
  }

  /** Throws where it had ended by itself. */
  async kill(): Promise<void> {
    this.#running?.program.kill('SIGKILL');
    const ended = await this.#running?.program.ended();
    if (ended?.code !== null) throw new Error(`There was nothing to kill: ${ended?.error ?? ''}`);
    await this.start();
  }

  /** Again until it is answered; a refusal is an answer, and undefined. */
  async call<T>(who: 'person' | 'agent', path: string, body?: object): Promise<T | undefined> {
    const token = who === 'person' ? this.#page : this.#agent;
    for (;;) {
      try {
        return (await new AxonClient(token, this.home).call(path, body)) as T;
      } catch (error) {
        if (error instanceof Refused && !AGAIN.has(error.code)) return undefined;
        await setTimeout(50);
      }
    }
  }

  async tasks(): Promise<readonly TaskDto[]> {
    return (await this.#read(`/v1/tasks?limit=${LOOKED_AT}`)).items;
  }

  async #read(path: string): Promise<TaskPage> {
    return (await this.call<TaskPage>('person', path)) ?? { items: [], next: null };
  }

  async all(): Promise<readonly TaskDto[]> {
    const tasks: TaskDto[] = [];
    let cursor = '';
    for (;;) {
      const { items, next } = await this.#read(`/v1/tasks?limit=200${cursor}`);
      tasks.push(...items);
      if (next === null) return tasks;
      cursor = `&cursor=${next}`;
    }
  }

  /** Notes how they ended. */
  look(tasks: readonly TaskDto[]): void {
    for (const { message_id: id, story, finished_at: at } of tasks) {
      if (at === null) continue;
      const end = [headlineOf(story), decidedOf(story), stopOf(story)].join(' | ');
      const first = this.ends.get(id) ?? end;
      this.ends.set(id, first);
      if (first !== end) this.changed.push(`${id}: first "${first}", then "${end}"`);
    }
  }
}

let dad: KilledHub;
let mum: KilledHub;
/** Ends the agent and the person. */
const over = new AbortController();
/** From then on the agent ends all that it has. */
let isSettling = false;
const resting = new Set<string>();
let working: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  const [one, other] = [await TestHub.start(), await TestHub.start()];
  await pairHubs(one, other, ['Mum', 'Dad']);
  dad = new KilledHub(one, await one.page(), await one.agent('asker'));
  mum = new KilledHub(other, await other.page(), await other.agent('doer'));
  await one.node.stop();
  await other.node.stop();
  await Promise.all([dad.start(), mum.start()]);
  working = Promise.all([work(), decide()]);
}, 60_000);
afterAll(async () => {
  over.abort();
  await working.catch(() => undefined);
  await endPrograms();
  for (const { home } of [dad, mum]) rmSync(home, { recursive: true, force: true });
});

const finished: string[] = [];
const again: string[] = [];

/** The agent at Mum's: it does its work, fails, stops when it is asked to, or lets it lie. */
async function work(): Promise<void> {
  while (!over.signal.aborted) {
    const claim = { max: 2, wait_ms: 500, lease_ms: LEASE_MS };
    const claimed = await mum.call<{ items: DeliveryDto[] }>('agent', '/v1/inbox/claim', claim);
    for (const item of claimed?.items ?? []) await take(item);
  }
}

async function take({ kind, delivery_id: id, attempt, stops, untrusted }: DeliveryDto) {
  const path = `/v1/inbox/${id}`;
  if (kind === 'cancel') {
    if (stops !== undefined && (isSettling || chance.maybe(0.7)))
      await reply(stops, { status: 'cancelled' });
    await mum.call('agent', `${path}/ack`, {});
    return;
  }
  if (finished.includes(id)) again.push(untrusted.text ?? '');
  if (!isSettling && chance.maybe(0.2)) return;
  await mum.call('agent', `${path}/ack`, { attempt });
  await setTimeout(chance.between(0, KILL_WITHIN_MS / 2));
  const how = isSettling ? 'completed' : chance.weighted({ completed: 5, failed: 2, rests: 3 });
  if (how === 'rests') return void resting.add(id);
  if (await reply(id, { status: how, outcome: 'Words.' })) finished.push(id);
}

async function reply(delivery: string, said: object): Promise<boolean> {
  return (await mum.call('agent', `/v1/inbox/${delivery}/reply`, said)) !== undefined;
}

/** The person at Mum's. */
async function decide(): Promise<void> {
  while (!over.signal.aborted) {
    const pending = await mum.call<{ items: ApprovalDto[] }>('person', '/v1/approvals');
    for (const { id, revision, digest } of pending?.items ?? []) {
      const decision = chance.weighted({ allow: 6, decline: 1, later: 1 });
      if (decision === 'later') continue;
      await mum.call('person', `/v1/approvals/${id}/decide`, { revision, digest, decision });
    }
    await setTimeout(50);
  }
}

type Who = 'asker' | 'person' | 'all';
/** How many were taken by a hub. */
const calledOff: Record<Who, number> = { asker: 0, person: 0, all: 0 };
/** Sent and not answered, at this moment. */
let onTheirWay = 0;

/** Either side ends something that is under way, or Mum stops everything. */
async function callOff(who: Who): Promise<void> {
  const hub = who === 'asker' ? dad : mum;
  const open = (await hub.tasks()).filter(({ finished_at: at }) => at === null);
  const { id = undefined } = open.length === 0 ? {} : chance.pick(open);
  if (id === undefined) return;
  const path = who === 'all' ? '/v1/stop' : `/v1/tasks/${id}/cancel`;
  onTheirWay += 1;
  const isTaken = await hub.call(who === 'asker' ? 'agent' : 'person', path, {});
  onTheirWay -= 1;
  if (isTaken !== undefined) calledOff[who] += 1;
  if (who === 'all') await mum.call('person', '/v1/resume', {});
}

const allCalledOff = (): number => calledOff.asker + calledOff.person + calledOff.all;

async function kill(): Promise<number> {
  const victims = chance.pick([[dad], [mum], [dad, mum]]);
  await Promise.all(victims.map((hub) => hub.kill()));
  return victims.length;
}

/** Nothing is open any more: what rests is stopped, or done nevertheless. */
async function settled(): Promise<void> {
  isSettling = true;
  let open: readonly TaskDto[] = [];
  await until('everything to have ended', SETTLED_WITHIN_MS, async () => {
    open = [...(await openAt(dad)), ...(await openAt(mum))];
    if (open.length === 0) return true;
    for (const { id, verdict } of (await openAt(mum)).map(({ id, story }) => ({ id, ...story })))
      if (verdict.outcome !== 'waiting') await mum.call('person', `/v1/tasks/${id}/cancel`, {});
    for (const id of resting) await reply(id, { status: chance.pick(['completed', 'cancelled']) });
    await setTimeout(500);
    return undefined;
  }).catch(() =>
    expect(open.map(({ direction, text, story }) => [direction, text, headlineOf(story)])).toEqual(
      [],
    ),
  );
}

async function openAt(hub: KilledHub): Promise<readonly TaskDto[]> {
  const page = await hub.call<{ items: TaskDto[] }>('person', '/v1/tasks?state=open&limit=200');
  return page?.items ?? [];
}

/** How it ended, without the names that the two hubs have for each other. */
const endIn = ({ story: { end, verdict } }: TaskDto): string => end?.kind ?? verdict.outcome;

test(
  'no story has two ends, at one hub or at both',
  async () => {
    process.stderr.write(`SEED: stop kills: ${SEED}\n`);
    let [kills, idle, cutOff, asked, before] = [0, 0, 0, 0, 0];
    while (kills < KILLS) {
      for (let task = 0; task < TASKS_A_ROUND; task += 1) {
        asked += 1;
        const given = { to: 'Mum/doer', task: `Task ${asked}` };
        const dying = chance.maybe(0.3) ? dad.call('agent', '/v1/delegate', given) : undefined;
        if (dying === undefined) await dad.call('agent', '/v1/delegate', given);
        else void dying;
      }
      const stops = chance.weighted({ person: 3, all: 1 } as const);
      const stopping = Promise.all([callOff('asker'), callOff(stops)]);
      await setTimeout(chance.between(0, KILL_WITHIN_MS));
      const isBetween = onTheirWay > 0 || allCalledOff() > before;
      before = allCalledOff();
      cutOff += onTheirWay > 0 ? 1 : 0;
      const killed = await kill();
      if (isBetween) kills += killed;
      else idle += killed;
      await stopping;
      for (const hub of [dad, mum]) hub.look(await hub.tasks());
      await hear();
    }
    await settled();
    over.abort();
    await working;
    const [there, here] = [await mum.all(), await dad.all()];
    mum.look(there);
    dad.look(here);
    expect([...dad.changed, ...mum.changed]).toEqual([]);
    expect(again).toEqual([]);
    const known = new Map(there.map((task) => [task.message_id, task]));
    const apart = here.flatMap((task) => {
      const other = known.get(task.message_id);
      if (other === undefined || endIn(other) === endIn(task)) return [];
      return [`Dad: ${headlineOf(task.story)} Mum: ${headlineOf(other.story)}`];
    });
    expect(apart).toEqual([]);
    await hear();
    expect([...told].filter(([, results]) => results.size > 1)).toEqual([]);
    expect(Math.min(calledOff.asker, calledOff.person + calledOff.all)).toBeGreaterThan(0);
    const words = [...dad.ends.values()].map((end) => end.split(' | ')[0] ?? '');
    measured(
      `stop kills: ${kills} kills with ${calledOff.asker} cancels, ${calledOff.person} stops and ${calledOff.all} times everything stopped between them, ${cutOff} while one was on its way; ${idle} kills with none between them; ${told.size} results, ${asked} tasks asked, ${dad.ends.size} ends at the asker and ${mum.ends.size} at the other hub: ${counted(words)}`,
    );
  },
  120_000 + SETTLED_WITHIN_MS + KILLS * 8_000,
);

/** The results that came to whoever asked, by their tasks; one may come again as it was. */
const told = new Map<string, Set<string>>();
async function hear(): Promise<void> {
  for (;;) {
    const claim = { max: 32, lease_ms: 60_000 };
    const claimed = await dad.call<{ items: DeliveryDto[] }>('agent', '/v1/inbox/claim', claim);
    const items = claimed?.items ?? [];
    if (items.length === 0) return;
    for (const { delivery_id: id, kind, task_id: task } of items) {
      if (kind === 'result') told.set(task ?? '', (told.get(task ?? '') ?? new Set()).add(id));
      await dad.call('agent', `/v1/inbox/${id}/ack`, {});
    }
  }
}

function counted(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} "${word}"`).join(', ');
}
