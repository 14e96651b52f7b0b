// What every door shares: one answer for one key, and nothing more for a token that has ended.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OPERATIONS, type OperationName } from '../../../preload/contract/operations.ts';
import { SystemRandom } from '../../../main/adapters/clock/system-clock.ts';
import type { Caller, Handlers } from '../../../main/api/caller.ts';
import { Dispatcher } from '../../../main/api/dispatch.ts';
import { Door } from '../../../main/api/door/door.ts';
import { appErrorOf, problemOf } from '../../../main/api/problem.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { TokenService } from '../../../main/services/auth/token-service.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { openTemporaryStore, SILENT_LOG, type TemporaryStore } from '../../fakes/memory-store.ts';
import { agentRow } from '../../fakes/sample-rows.ts';

let clock: ManualClock;
let store: TemporaryStore;
let tokens: TokenService;
let dispatcher: Dispatcher;
let door: Door;
let runs: number;
let running: (signal: AbortSignal) => Promise<unknown>;

beforeEach(async () => {
  clock = new ManualClock();
  store = openTemporaryStore(clock);
  tokens = new TokenService({ store, clock, random: new SystemRandom() });
  await store.write((tables) => tables.putAgent(agentRow({ name: 'planner' })));
  runs = 0;
  const run = (
    _params: unknown,
    _caller: unknown,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<unknown> => {
    runs += 1;
    return running(signal);
  };
  const handlers = Object.fromEntries(
    Object.keys(OPERATIONS).map((name) => [name, run]),
  ) as unknown as Handlers; // every operation, alike
  dispatcher = new Dispatcher(handlers);
  door = new Door({
    clock,
    random: new SystemRandom(),
    tokens,
    dispatcher,
    agentCalled: () => undefined,
    requestsPerSecond: 100,
  });
});
afterEach(() => store.close());

async function caller(): Promise<{ readonly caller: Caller; readonly id: string }> {
  const { token, id } = await tokens.issueForAgent('planner');
  return { caller: door.callers.identify(token), id };
}

const notify = (
  by: Caller,
  idempotencyKey: string | null,
  gone = new AbortController(),
): Promise<unknown> =>
  door.call('send.notify', { to: 'mum', topic: 'dinner', data: 'At 7' }, by, {
    gone,
    idempotencyKey,
    fromPage: false,
  });

it('keeps the answer of a call whose token ended meanwhile, for the next token of the same agent', async () => {
  const first = await caller();
  running = async () => {
    await tokens.revoke(first.id, { actor: 'owner', surface: 'browser' });
    return { sent: true };
  };
  await expect(notify(first.caller, 'key-1')).rejects.toMatchObject({ code: 'unauthenticated' });
  running = () => Promise.resolve({ sent: 'again' });
  const second = await caller();
  expect(await notify(second.caller, 'key-1')).toEqual({ sent: true });
  expect(runs).toBe(1);
  expect(await notify(second.caller, null)).toEqual({ sent: 'again' });
});

it('aborts what a token began when it ends', async () => {
  const { caller: by, id } = await caller();
  const gone = new AbortController();
  running = () =>
    new Promise((resolve) => gone.signal.addEventListener('abort', () => resolve({ items: [] })));
  const called = notify(by, null, gone);
  await tokens.revoke(id, { actor: 'owner', surface: 'browser' });
  await expect(called).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('goes on with a call for as long as anybody who asked for it under its key is there', async () => {
  const { caller: by } = await caller();
  running = (signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('given up')));
      done = () => resolve({ sent: true });
    });
  let done = (): void => undefined;
  const [first, second] = [new AbortController(), new AbortController()];
  const called = notify(by, 'key-1', first);
  const again = notify(by, 'key-1', second);
  first.abort();
  done();
  expect(await Promise.all([called, again])).toEqual([{ sent: true }, { sent: true }]);
  const alone = new AbortController();
  const left = notify(by, 'key-2', alone);
  alone.abort();
  await expect(left).rejects.toThrow('given up');
});

it('keeps the answers of one caller, however many another one has', async () => {
  const { caller: planner } = await caller();
  running = () => Promise.resolve({ run: runs });
  const first = await notify(planner, 'key');
  await store.write((tables) => tables.putAgent(agentRow({ name: 'busy' })));
  const busy = door.callers.identify((await tokens.issueForAgent('busy')).token);
  for (let count = 0; count < 1_100; count += 1) await notify(busy, `key-${count}`);
  expect(await notify(planner, 'key')).toEqual(first);
  const oldest = runs;
  await notify(busy, 'key-0');
  expect(runs, 'of its own only so many are kept').toBe(oldest + 1);
});

it('tells an agent of a disk that fails only that nothing is taken now, and a person what is wrong', async () => {
  const { caller: agent } = await caller();
  const failure = new AppError('storage_failed', 'The database "/home/mum/hub.db" is damaged.', {
    hint: 'Check the disk of the data folder and the permissions of hub.db.',
  });
  running = () => Promise.reject(failure);
  const refused = await notify(agent, null).catch((error: unknown) => error);
  const problem = problemOf(appErrorOf(refused, SILENT_LOG));
  expect(problem).toMatchObject({ code: 'overloaded', retryable: true, retry_after_ms: 60_000 });
  expect(JSON.stringify(problem)).not.toMatch(/disk|database|hub\.db|home|damaged|permission/);
  const login = await tokens.issueForPage('Browser');
  const page = door.callers.identify(login.token);
  await expect(notify(page, null)).rejects.toBe(failure);
});

/** What an agent or a person asks of a list. */
const lists = (by: Caller, cursor?: string, gone = new AbortController()): Promise<unknown> =>
  door.call('conversations.list', cursor === undefined ? {} : { cursor }, by, {
    gone,
    idempotencyKey: null,
    fromPage: false,
  });

async function secondAgent(): Promise<Caller> {
  await store.write((tables) => tables.putAgent(agentRow({ name: 'other' })));
  return door.callers.identify((await tokens.issueForAgent('other')).token);
}

const person = async (): Promise<Caller> =>
  door.callers.identify((await tokens.issueForPage('Browser')).token);

it('reads for one agent after the other, each in turn, and for a person at once', async () => {
  const [planner, other] = [(await caller()).caller, await secondAgent()];
  const ends: (() => void)[] = [];
  running = () => new Promise((resolve) => ends.push(() => resolve({ items: [], next: null })));
  const order: string[] = [];
  const asks = (who: string, by: Caller): unknown => lists(by).then(() => order.push(who));
  const all = [asks('planner 1', planner), asks('planner 2', planner), asks('planner 3', planner)];
  all.push(asks('other 1', other));
  await clock.settle();
  expect(runs).toBe(1);
  all.push(asks('person', await person()));
  await clock.settle();
  expect(runs).toBe(2);
  ends.pop()?.();
  while (order.length < 5) {
    ends.shift()?.();
    await clock.settle();
    expect(ends.length).toBeLessThan(2);
  }
  await Promise.all(all);
  expect(order).toEqual(['person', 'planner 1', 'planner 2', 'other 1', 'planner 3']);
});

it('tells an agent that has enough searches and lists under way to come back', async () => {
  const [planner, other] = [(await caller()).caller, await secondAgent()];
  let end = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  running = () => until.then(() => ({ items: [], next: null }));
  const asked = Array.from({ length: 24 }, () => lists(planner));
  const settled = Promise.allSettled([...asked, lists(other)]);
  await clock.settle();
  end();
  const refused = (await settled).flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  );
  expect(refused).toHaveLength(16);
  expect(refused[0]).toMatchObject({ code: 'rate_limited', retryAfterMs: 1_000 });
  expect(await lists(planner)).toEqual({ items: [], next: null });
});

it('reads nothing for an agent that went away before its turn', async () => {
  const { caller: planner } = await caller();
  let end = (): void => undefined;
  running = () => new Promise((resolve) => (end = () => resolve({ items: [], next: null })));
  const first = lists(planner);
  const gone = new AbortController();
  const second = lists(planner, undefined, gone);
  await clock.settle();
  gone.abort();
  end();
  await first;
  await expect(second).rejects.toMatchObject({ code: 'cancelled' });
  expect(runs).toBe(1);
});

it('gives an agent cursors that say nothing of the numbers in them, and a person as they are', async () => {
  const { caller: planner } = await caller();
  const asked: unknown[] = [];
  running = () => Promise.resolve({ items: [], next: '4711' });
  const spied = vi.spyOn(dispatcher, 'call');
  const cursors: string[] = [];
  for (const by of [planner, await person()]) {
    const { next } = (await lists(by)) as { readonly next: string };
    await lists(by, next);
    asked.push(spied.mock.lastCall?.[1]);
    cursors.push(next);
  }
  expect(asked).toEqual([{ cursor: '4711' }, { cursor: '4711' }]);
  expect(cursors).toEqual([expect.stringMatching(/^[\w-]{22}$/), '4711']);
  for (const cursor of ['4711', 'x'.repeat(22), ''])
    await expect(lists(planner, cursor)).rejects.toMatchObject({ code: 'bad_request' });
});

it('takes a cursor of an agent only with the agent, the list and the filters it was given for', async () => {
  const [planner, other] = [(await caller()).caller, await secondAgent()];
  running = () => Promise.resolve({ items: [], next: '4711' });
  const asks = async (name: OperationName, params: object, by = planner) =>
    (await door.call(name, params, by, {
      gone: new AbortController(),
      idempotencyKey: null,
      fromPage: false,
    })) as { readonly next: string };
  const { next: cursor } = await asks('tasks.list', { state: 'failed', limit: 5 });
  await asks('tasks.list', { limit: 200, cursor, state: 'failed' });
  runs = 0;
  for (const asked of [
    asks('tasks.list', { state: 'failed', cursor }, other),
    asks('conversations.list', { state: 'failed', cursor }),
    asks('tasks.list', { state: 'completed', cursor }),
    asks('tasks.list', { cursor }),
  ])
    await expect(asked).rejects.toMatchObject({
      code: 'bad_request',
      message: 'This hub gave out no such cursor for this list.',
    });
  expect(runs).toBe(0);
});
