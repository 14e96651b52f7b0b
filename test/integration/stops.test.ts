// A task is cancelled or stopped in every state it can be in, and its agent obeys or does not: what
// the asker and the asked hub read is true at each moment, through every door and in each language.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import type { StoryDto } from '../../preload/contract/story.ts';
import { wholeOf } from '../../preload/contract/strings/story.ts';
import {
  BINDINGS,
  eventWords,
  isTask,
  resultOf,
  sending,
  toldBy,
  userMessage,
} from '../support/a2a-clients.ts';
import { rounds } from '../support/counts.ts';
import { axon } from '../support/programs.ts';
import { WITHIN_MS } from '../support/raw-peer.ts';
import {
  AGENT,
  ASKER,
  inRow,
  StopHouse,
  type Open,
  type Pair,
  type Told,
} from '../support/stop-house.ts';
import { until } from '../support/until.ts';
import {
  DOORS,
  sentencesOf,
  WORDS,
  type Asked,
  type DoorName,
  type How,
} from '../support/work-doors.ts';

/** Each command at a terminal is a process of its own, and they all run at once. */
const WHOLE_WITHIN_MS = 480_000;

let house: StopHouse;
beforeAll(async () => {
  house = await StopHouse.open();
}, 120_000);
afterAll(() => house.close());

const STATES = ['waiting', 'held', 'queued', 'delivered', 'running', 'ended'] as const;
type State = (typeof STATES)[number];
interface Reached extends Open {
  readonly work: DeliveryDto | undefined;
}

/** @param asks how, where that is not the way of its door */
async function reach(
  { asker, doer }: Pair,
  state: State,
  asks = (task: string): Promise<Asked> => asker.delegate(`Mum/${doer.name}`, task),
): Promise<Reached> {
  const asked = await asks(`It is ${state}, for ${doer.name}`);
  const card = await house.card(doer);
  const reached = { asker, doer, asked, there: card.task_id, work: undefined };
  if (state === 'held') await house.hold(card);
  if (state === 'waiting' || state === 'held') return reached;
  await house.allow(card);
  if (state === 'queued') return reached;
  const work = await doer.take('delegate');
  if (state !== 'delivered') await doer.ack(work);
  if (state === 'ended') await doer.end(work, 'completes');
  return { ...reached, work };
}

interface Row {
  readonly state: State;
  /** What the agent does then. */
  readonly how?: How;
  readonly before: Told;
  readonly told: Told;
  readonly end?: Told;
  /** Whether something of its end comes into the asker's inbox. */
  readonly isReported: boolean;
}

const WAITS: Told = ['Waits until a person decides for Mum.', 'Waits for you.'];
const HELD: Told = ['On hold: nobody has decided for Mum yet.', 'Put off by a person.'];
const QUEUED: Told = ['Mum has it.', `Waits for ${AGENT}.`];
const DELIVERED: Told = [QUEUED[0], `${AGENT} has it.`];
const RUNS: Told = [`${AGENT} on Mum has begun.`, `${AGENT} is working on it.`];
const DONE: Told = ['Done.', 'Done.'];

/** An agent that has said nothing may not have begun. */
const ASKED_TO_STOP = {
  delivered: [
    `Asked ${AGENT} on Mum to stop; it had it already.`,
    `Asked ${AGENT} to stop; it had it already.`,
  ],
  running: [
    `Asked ${AGENT} on Mum to stop; it had begun.`,
    `Asked ${AGENT} to stop; it still runs.`,
  ],
} as const;
const OTHERWISE = 'Asked to stop; it ended otherwise.';
/** @param who asked for the stop, as each hub names them */
const disobeyed = (who: Told): Readonly<Record<'completes' | 'fails', Told>> => ({
  completes: [
    `Done, though ${who[0]} asked it to stop. Asked to stop; ${AGENT} on Mum finished all the same.`,
    `Done, though ${who[1]} asked it to stop. Asked to stop; ${AGENT} finished all the same.`,
  ],
  fails: [
    `${AGENT} on Mum could not do it. ${OTHERWISE}`,
    `${AGENT} could not do it. ${OTHERWISE}`,
  ],
});
const NOT_BEGUN = 'Cancelled: nobody had begun.';
const WITHDRAWN: Told = [NOT_BEGUN, 'Cancelled: nobody had decided.'];

/** @param over it gave back what it had not begun, and nobody knows what it did by then */
const inHand = (
  who: Told,
  told: (before: Told, asked: Told) => Told,
  obeyed: Told,
  over: Told,
): readonly Row[] =>
  (
    [
      ['delivered', DELIVERED, ['obeys', 'completes', 'fails', 'gives it back']],
      ['running', RUNS, ['obeys', 'completes', 'fails']],
    ] as const
  ).flatMap(([state, before, all]) =>
    all.map((how) => ({
      state,
      how,
      before,
      told: told(before, ASKED_TO_STOP[state]),
      end: how === 'obeys' ? obeyed : how === 'gives it back' ? over : disobeyed(who)[how],
      isReported: true,
    })),
  );

/** By whoever asked: the agent, or its person. */
const CANCELLED: readonly Row[] = [
  { state: 'waiting', before: WAITS, told: WITHDRAWN, isReported: false },
  { state: 'held', before: HELD, told: WITHDRAWN, isReported: false },
  { state: 'queued', before: QUEUED, told: [NOT_BEGUN, NOT_BEGUN], isReported: false },
  ...inHand(
    [`${ASKER} on Test hub`, `${ASKER} on Dad`],
    (_, asked) => asked,
    ['Stopped.', 'Stopped.'],
    [`Cancelled: ${AGENT} on Mum had it already.`, `Cancelled: ${AGENT} had it already.`],
  ),
];

/** By a person of the hub that runs it. */
const DECLINED: Told = ['Declined.', 'Declined.'];
const STOPPED: readonly Row[] = [
  { state: 'waiting', before: WAITS, told: DECLINED, isReported: true },
  { state: 'held', before: HELD, told: DECLINED, isReported: true },
  {
    state: 'queued',
    before: QUEUED,
    told: ['Stopped by Nadia on Mum.', 'Stopped by Nadia on Test hub: nothing ran.'],
    isReported: true,
  },
  ...inHand(
    ['Nadia on Mum', 'Nadia on Test hub'],
    ([asker], [, there]) => [asker, there],
    ['Stopped by Nadia on Mum.', 'Stopped by Nadia on Test hub.'],
    [
      `Cancelled by Nadia on Mum: ${AGENT} on Mum had it already.`,
      `Cancelled by Nadia on Test hub: ${AGENT} had it already.`,
    ],
  ),
];

/** From the stop to the end, and nothing of it is left in an inbox. */
async function tell(
  task: Reached,
  row: Row,
  act: (task: Reached) => Promise<void>,
  reads?: () => Promise<void>,
): Promise<void> {
  const what = `${row.state}, ${row.how ?? 'nothing more'}`;
  await house.bothTell(task, row.before, `${what}: before`);
  await act(task);
  await goOn(task, row, what, reads);
}

/** The hub says in these that a task is taken on, where its agent has no word for it. */
const HAVE_ACCEPTANCE: ReadonlySet<DoorName> = new Set(['elizaos', 'acp-draft']);

/** @param reads the end, by one more way */
async function goOn(
  task: Reached,
  row: Row,
  what: string,
  reads?: () => Promise<void>,
): Promise<void> {
  const { asker, doer, work } = task;
  await house.bothRead(task, row.told, `${what}: once it was asked to stop`);
  if (row.how !== undefined && work !== undefined && row.end !== undefined) {
    await doer.end(work, row.how);
    await house.bothRead(task, row.end, `${what}: at its end`);
  }
  await reads?.();
  if (row.isReported) await asker.ack(await asker.take('result'));
  const isTaken = row.state === 'running' || row.state === 'ended';
  const isTold = isTaken && HAVE_ACCEPTANCE.has(asker.door) && !HAVE_ACCEPTANCE.has(doer.door);
  for (const agent of [asker, doer]) {
    const { items } = await agent.http('/v1/inbox/claim', { max: 32 });
    const left = items as readonly DeliveryDto[];
    // A stop that nobody looked at ends with its task.
    expect(
      left.map(({ kind }) => kind),
      `${what}: the inbox of ${agent.name}`,
    ).toEqual(isTold && agent === asker ? ['notify'] : []);
    for (const item of left) await agent.ack(item);
  }
}

/** In the short run every other moment, by turns of the doors. */
const BETWEEN_MOMENTS = rounds('a cancel at each door, by every which moment', {
  short: 2,
  long: 1,
});

test.concurrent.each(DOORS)(
  '%s: a cancel says what came of it at each moment',
  async (door) => {
    const pair = await house.pairAt(door);
    const first = DOORS.indexOf(door);
    for (const row of CANCELLED.filter((_, at) => (at + first) % BETWEEN_MOMENTS === 0))
      await tell(await reach(pair, row.state), row, async (task) => {
        expect(inRow(await pair.asker.cancel(task.asked), pair)).toBe(row.told[0]);
      });
    const done = await reach(pair, 'ended');
    await house.bothRead(done, DONE, 'ended');
    expect(await pair.asker.cancel(done.asked)).toBe('Too late: it was finished.');
    await house.bothRead(done, DONE, 'ended: cancelled after that');
  },
  WHOLE_WITHIN_MS,
);

test.concurrent(
  'the person whose agent asked cancels as the agent does',
  async () => {
    const pair = await house.pairAt('http', '-for-ben');
    for (const row of CANCELLED)
      await tell(await reach(pair, row.state), row, async ({ asked: { id } }) => {
        expect(await house.asPerson(house.dad, `/v1/tasks/${id}/cancel`, {})).toMatchObject({
          http: 200,
        });
      });
  },
  WHOLE_WITHIN_MS,
);

const ENDED: Row = { state: 'ended', before: DONE, told: DONE, isReported: true };
const OF_ONE = [...STOPPED, ENDED];
interface Stop {
  readonly row: Row;
  readonly isOnPage: boolean;
}
type AtTwo = readonly [asks: DoorName, does: DoorName, stops: Stop[]];

/** The first of them are at every door already: 7 and 11 have no common divisor. */
function stopsAtDoors(count: number): readonly AtTwo[] {
  const all = new Map<string, AtTwo>();
  const doorOf = (at: number): DoorName => DOORS[at % DOORS.length] ?? 'http';
  for (let at = 0; at < count; at++) {
    const state = at % OF_ONE.length;
    const turn = Math.floor(at / (OF_ONE.length * DOORS.length));
    const [asks, does] = [doorOf(at), doorOf(at + state + turn)];
    const among: AtTwo = all.get(asks + does) ?? [asks, does, []];
    among[2].push({ row: OF_ONE[state] ?? ENDED, isOnPage: at % 2 === 0 });
    all.set(asks + does, among);
  }
  return [...all.values()];
}
const STOPS = rounds('tasks that a person stops, each at a state and two doors of its own', {
  short: OF_ONE.length,
  long: OF_ONE.length * DOORS.length ** 2,
});

async function personStops(pair: Pair, there: string, { row, isOnPage }: Stop): Promise<void> {
  const isTooLate = row.state === 'ended';
  const said = isTooLate ? 'Too late: it was finished.' : row.told[1];
  if (isOnPage) {
    const answer = await house.asPerson(house.mum, `/v1/tasks/${there}/cancel`, {});
    const { http, detail, story } = answer;
    const told = story === undefined ? detail : sentencesOf(story as unknown as StoryDto);
    expect([http, inRow(String(told), pair)], row.state).toEqual([isTooLate ? 409 : 200, said]);
    return;
  }
  const words = ['--passphrase-file', house.passphraseFile, 'stop', there];
  const { out, error, code } = await axon(house.mum.home, words);
  const isOver = ['waiting', 'held', 'queued'].includes(row.state);
  expect([error, code], row.state).toEqual(['', isOver ? 0 : 4]);
  expect(inRow(out, pair), row.state).toContain(said);
}

test.concurrent.each(stopsAtDoors(STOPS))(
  'asked for at %s, done at %s: a person of the hub that runs it stops it, on the page and at the terminal',
  async (asks, does, stops) => {
    const pair = await house.pairAt(asks, `-${asks}-${does}`, does);
    for (const stop of stops)
      await tell(await reach(pair, stop.row.state), stop.row, ({ there }) =>
        personStops(pair, there, stop),
      );
  },
  WHOLE_WITHIN_MS,
);

/** What A2A calls a task in each of these, and at each end. */
const AS_A2A: Readonly<Record<State, string>> = {
  waiting: 'AUTH_REQUIRED',
  held: 'AUTH_REQUIRED',
  queued: 'SUBMITTED',
  delivered: 'SUBMITTED',
  running: 'WORKING',
  ended: 'COMPLETED',
};
const ENDED_AS_A2A: Readonly<Record<How, string>> = {
  obeys: 'CANCELED',
  completes: 'COMPLETED',
  fails: 'FAILED',
  'gives it back': 'CANCELED',
};
const OF_A2A = BINDINGS.slice(0, rounds('bindings of A2A that cancel', { short: 1, long: 2 }));

test.concurrent.each(OF_A2A)(
  'A2A over %s: what is cancelled has the state and the words of what came of it',
  async (binding) => {
    const pair = await house.pairAt('http', `-a2a-${OF_A2A.indexOf(binding)}`);
    const mum = house.mum.node.services.identity.agentId;
    // Its hub hears of the other's agents a moment later.
    const client = await until('the card of the agent', WITHIN_MS, () =>
      pair.asker.a2a(mum, pair.doer.name, binding),
    );
    const asks = async (words: string): Promise<Asked> => {
      const sent = await client.sendMessage(sending(userMessage(words), true));
      return { id: isTask(sent) ? sent.id : 'no task', native: '' };
    };
    const named = (id: string) => ({ tenant: '', id, metadata: undefined });
    for (const row of CANCELLED) {
      const what = `${row.state}, ${row.how ?? 'nothing more'}`;
      const task = await reach(pair, row.state, asks);
      const { id } = task.asked;
      /** Its state and its words, and those of whoever ended it. */
      const as = async (state: string, ...said: readonly string[]): Promise<string> =>
        [state, wholeOf((await house.task(house.dad, id)).story), ...said].join(' | ');
      const now = () => client.getTask({ tenant: '', id, historyLength: undefined });
      const events: string[] = [];
      const act = async (): Promise<void> => {
        expect(toldBy(await now()), what).toBe(await as(AS_A2A[row.state]));
        void (async () => {
          for await (const event of client.resubscribeTask({ tenant: '', id }))
            events.push(eventWords(event));
        })();
        await until('the stream', WITHIN_MS, () => events[0]);
        const told = toldBy(await client.cancelTask(named(id)));
        const state = row.end === undefined ? 'CANCELED' : AS_A2A[row.state];
        expect(told, what).toBe(await as(state));
        await until('an event of it', WITHIN_MS, () => events.includes(told) || undefined);
      };
      await tell(task, row, act, async () => {
        const state = row.how === undefined ? 'CANCELED' : ENDED_AS_A2A[row.how];
        const isDone = state === 'COMPLETED';
        const isSaid = row.how === 'obeys' || row.how === 'fails';
        const end = await now();
        expect(toldBy(end), what).toBe(await as(state, ...(isSaid ? [WORDS] : [])));
        expect(resultOf(end), what).toBe(isDone ? WORDS : '');
        await until('the last event', WITHIN_MS, () => events.at(-1) === toldBy(end) || undefined);
        // Again: it is over, whatever came of it.
        await expect(client.cancelTask(named(id)), what).rejects.toThrow(/[a-z]\.$/);
      });
    }
    const done = await reach(pair, 'ended', asks);
    await house.bothRead(done, DONE, 'ended');
    const late = client.cancelTask(named(done.asked.id));
    await expect(late).rejects.toThrow('Too late: it was finished.');
    await house.bothRead(done, DONE, 'ended: cancelled after that');
  },
  WHOLE_WITHIN_MS,
);

/** Last: nothing gets in any more until it is resumed. */
test('Stop everything is a stop of each, in whatever state it is and whatever its agent speaks', async () => {
  await house.removeAgents();
  const begun: (readonly [Reached, Row])[] = [];
  for (const [index, row] of STOPPED.entries()) {
    const pair = await house.pairAt(DOORS[index % DOORS.length] ?? 'http', `-of-all-${index}`);
    const task = await reach(pair, row.state);
    begun.push([task, row]);
  }
  for (const [task, row] of begun) await house.bothTell(task, row.before, `${row.state}: before`);
  expect(await house.asPerson(house.mum, '/v1/stop', {})).toMatchObject({ http: 200 });
  try {
    for (const [task, row] of begun) await goOn(task, row, `${row.state}, ${row.how ?? ''}`);
  } finally {
    await house.asPerson(house.mum, '/v1/resume', {});
  }
}, 120_000);
