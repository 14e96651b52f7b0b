// What every door shares: one answer for one key, and nothing more for a token that has ended.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import { SystemRandom } from '../../../main/adapters/clock/system-clock.ts';
import type { Caller, Handlers } from '../../../main/api/caller.ts';
import { Dispatcher } from '../../../main/api/dispatch.ts';
import { Door } from '../../../main/api/door/door.ts';
import { TokenService } from '../../../main/services/auth/token-service.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { openTemporaryStore, type TemporaryStore } from '../../fakes/memory-store.ts';
import { agentRow } from '../../fakes/sample-rows.ts';

let clock: ManualClock;
let store: TemporaryStore;
let tokens: TokenService;
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
  door = new Door({
    clock,
    tokens,
    dispatcher: new Dispatcher(handlers),
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
  door.call('send.notify', { to: 'mum', topic: 'dinner', text: 'At 7' }, by, {
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
