// A disk that takes nothing for a while: what was to end ends once it does again, and nothing has
// happened that was not written down.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import type { Store } from '../../../../main/ports/store.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, newest, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import type { WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const never = new AbortController().signal;

function ask(signal: AbortSignal = never, domain = 'family.chat'): void {
  const params = { to: 'mum', question: 'Milk?', domain, deadline_ms: 600_000 };
  dad.work.sender.query(params, 'openclaw', signal).catch(() => undefined);
}

/** What a full disk says to its owner, and to nobody else. */
const INSIDES = /disk|database|record|storage|sqlite|hub\.db|\/|folder|permission/i;
const SAID = 'This hub can take nothing just now. Try again in a minute.';

/** No commit that anybody waits for comes through until what is returned is called. */
function fill(store: Store): () => void {
  const write = store.write.bind(store);
  store.write = async (work) =>
    write((tables) => {
      work(tables);
      throw new AppError('storage_failed', 'The disk is full: nothing more can be recorded.', {
        hint: 'Check the disk of the data folder and the permissions of hub.db.',
      });
    });
  return () => (store.write = write);
}

it('does not keep a question of the run before open for ever because it could not be ended at the start', async () => {
  ask();
  await clock.advance(100);
  const { card } = mum;
  let empty: () => void = () => undefined;
  await mum.restart((store) => void (empty = fill(store)));
  expect(mum.work.approvals.get(card.id).state).toBe('pending');
  empty();
  await clock.advance(6_000);
  expect(mum.work.approvals.get(card.id)).toMatchObject({ state: 'cancelled' });
  expect(newest(mum)).toMatchObject({
    state: 'cancelled',
    reason: 'The hub was restarted while somebody waited for the answer.',
  });
});

it('goes on writing down how much of each deadline has passed after one that the disk did not take', async () => {
  await dad.work.sender.delegate(
    { to: 'mum', task: 'Dinner', domain: 'family.chat', priority: 'normal', report_back: true },
    'openclaw',
    null,
  );
  const empty = fill(mum.store);
  await clock.advance(31_000);
  expect(newest(mum).elapsedMs).toBe(0);
  empty();
  await clock.advance(60_000);
  expect(newest(mum).elapsedMs).toBeGreaterThanOrEqual(30_000);
});

it('leaves a question with its agent when the cancel of it could not be written down', async () => {
  await mum.agent('calendar', ['family.calendar'], { risk: 'R0' });
  const gone = new AbortController();
  ask(gone.signal, 'family.calendar');
  await clock.advance(100);
  const empty = fill(mum.store);
  gone.abort();
  await clock.settle();
  expect(await mum.work.inbox.claim('calendar', 1)).toHaveLength(1);
  empty();
  await clock.advance(60_000);
  expect(newest(dad).state).toBe('cancelled');
  expect(newest(mum).state).toBe('cancelled');
});

it('tells another hub only that it can take nothing now, whatever was asked of it', async () => {
  const given = { task: 'Dinner', domain: 'family.chat' };
  const hears = async (kind: string, payload: JsonObject, ref: string | null = null) => {
    const { payload: answer } = await mum.hears(dad.key, {
      id: crypto.randomUUID(),
      kind,
      ref,
      payload,
    });
    return answer;
  };
  const taken = crypto.randomUUID();
  await mum.hears(dad.key, { id: taken, kind: 'delegate', payload: given });
  fill(mum.store);
  const answers = [
    await hears('delegate', given),
    await hears('query', { question: 'Milk?', domain: 'family.chat' }),
    await hears('cancel', {}, taken),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({ code: 'overloaded', retryable: true });
    expect(answer['reason'] ?? answer['message']).toBe(SAID);
    expect(JSON.stringify(answer)).not.toMatch(INSIDES);
  }
});
