// A task is cancelled or stopped in every state it can be in, and its agent obeys or does not: what
// the asker and the asked hub read is true at each moment, through every door and in each language.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readableHandle } from '../../preload/contract/agent-name.ts';
import type { ApprovalDto, DeliveryDto, TaskDto } from '../../preload/contract/dto.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { axon, choosePassphrase } from '../support/programs.ts';
import { atDoor, WITHIN_MS } from '../support/raw-peer.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';
import { DoorAgent, DOORS, sentencesOf, type Asked, type How } from '../support/work-doors.ts';

const HOUR_MS = 3_600_000;
/** Stands for the agent that has the task, as each hub names it. */
const AGENT = 'AGENT';
const ASKER = 'ASKER';

let dad: TestHub;
let mum: TestHub;
const pages = new Map<TestHub, string>();
let passphraseFile: string;

beforeAll(async () => {
  const start = () => TestHub.start({ peerRateFactor: 1_000, requestsPerSecond: 10_000 });
  [dad, mum] = [await start(), await start()];
  await pairHubs(dad, mum, ['Mum', 'Dad']);
  passphraseFile = await choosePassphrase(mum.home);
  for (const [hub, person] of [
    [dad, 'Ben'],
    [mum, 'Nadia'],
  ] as const) {
    pages.set(hub, await hub.page());
    await asPerson(hub, '/v1/settings', { person }, 'PATCH');
  }
}, 120_000);
afterAll(async () => {
  await dad.stop();
  await mum.stop();
});

const asPerson = (hub: TestHub, path: string, body?: object, method?: string) =>
  atDoor(hub, pages.get(hub) ?? '', path, body, method);

/** Two agents at the same door: at Dad's the one that asks, at Mum's the one that does it. */
interface Pair {
  readonly asker: DoorAgent;
  readonly doer: DoorAgent;
}
async function pairAt(door: (typeof DOORS)[number], suffix = ''): Promise<Pair> {
  const doer = await DoorAgent.join(mum, door, `does-${door}${suffix}`);
  const asker = await DoorAgent.join(dad, door, `asks-${door}${suffix}`);
  await until('what Mum offers', WITHIN_MS, async () => {
    const to = `Mum/${doer.name}`;
    return (await asker.http('/v1/route', { to }))['chosen'];
  });
  return { asker, doer };
}

const STATES = ['waiting', 'held', 'queued', 'delivered', 'running', 'ended'] as const;
type State = (typeof STATES)[number];
interface Reached extends Pair {
  readonly asked: Asked;
  /** Its id at Mum's. */
  readonly there: string;
  readonly work: DeliveryDto | undefined;
}

async function reach({ asker, doer }: Pair, state: State): Promise<Reached> {
  const asked = await asker.delegate(`Mum/${doer.name}`, `It is ${state}, for ${doer.name}`);
  const card = await until('its card', WITHIN_MS, () =>
    mum.node.services.work.approvals.pending().find(({ text }) => text.endsWith(doer.name)),
  );
  const reached = { asker, doer, asked, there: card.task_id, work: undefined };
  if (state === 'held')
    await asPerson(mum, `/v1/approvals/${card.id}/hold`, { until: Date.now() + HOUR_MS });
  if (state === 'waiting' || state === 'held') return reached;
  await allow(card);
  if (state === 'queued') return reached;
  const work = await doer.take('delegate');
  if (state !== 'delivered') await doer.ack(work);
  if (state === 'ended') await doer.end(work, 'completes');
  return { ...reached, work };
}

const allow = ({ id, revision, digest }: ApprovalDto) =>
  asPerson(mum, `/v1/approvals/${id}/decide`, { revision, digest, decision: 'allow' });

async function storyAt(hub: TestHub, id: string): Promise<string> {
  const task = await asPerson(hub, `/v1/tasks/${id}`);
  return sentencesOf((task as unknown as TaskDto).story);
}

/**
 * With the agent named as people read it; whether it is away by now, and when the stop was asked
 * for, are matters of time.
 */
const inRow = (said: string, { asker, doer }: Pair): string =>
  said
    .replaceAll(readableHandle(doer.name), AGENT)
    .replaceAll(readableHandle(asker.name), ASKER)
    .replace(', which is away', '')
    .replace(/ The stop was asked for, [^.]*\./, '');

/** Both hubs come to read this. */
async function bothTell(task: Reached, told: Told, what: string): Promise<void> {
  const { asker, asked } = task;
  let now: readonly string[] = [];
  await until(what, WITHIN_MS, async () => {
    now = [await storyAt(dad, asked.id), await storyAt(mum, task.there)].map((said) =>
      inRow(said, task),
    );
    return isDeepStrictEqual(now, told) ? true : undefined;
  }).catch(() => expect(now, `${asker.door}, ${what}`).toEqual(told));
}

/** The same, and whoever asked reads it through its own door. */
async function bothRead(task: Reached, told: Told, what: string): Promise<void> {
  await bothTell(task, told, what);
  const { asker, asked } = task;
  expect(inRow(await asker.reads(asked), task), `${asker.door}, ${what}`).toBe(told[0]);
}

/** What the asker reads, and what the asked hub does. */
type Told = readonly [asker: string, asked: string];
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

const WAITS: Told = ['Waits for a person at Mum.', 'Waits for you.'];
const HELD: Told = ['A person at Mum is asked later.', 'Put off by a person.'];
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
async function tell(task: Reached, row: Row, act: (task: Reached) => Promise<void>): Promise<void> {
  const what = `${row.state}, ${row.how ?? 'nothing more'}`;
  await bothTell(task, row.before, `${what}: before`);
  await act(task);
  await goOn(task, row, what);
}

async function goOn(task: Reached, row: Row, what: string): Promise<void> {
  const { asker, doer, work } = task;
  await bothRead(task, row.told, `${what}: once it was asked to stop`);
  if (row.how !== undefined && work !== undefined && row.end !== undefined) {
    await doer.end(work, row.how);
    await bothRead(task, row.end, `${what}: at its end`);
  }
  if (row.isReported) await asker.ack(await asker.take('result'));
  for (const agent of [asker, doer]) {
    const { items } = await agent.http('/v1/inbox/claim', { max: 32 });
    const kinds = (items as readonly DeliveryDto[]).map(({ kind }) => kind);
    // A stop that nobody looked at ends with its task.
    expect(kinds, `${what}: the inbox of ${agent.name}`).toEqual([]);
  }
}

test.concurrent.each(DOORS)(
  '%s: a cancel says what came of it at each moment',
  async (door) => {
    const pair = await pairAt(door);
    for (const row of CANCELLED)
      await tell(await reach(pair, row.state), row, async (task) => {
        expect(inRow(await pair.asker.cancel(task.asked), pair)).toBe(row.told[0]);
      });
    const done = await reach(pair, 'ended');
    await bothRead(done, DONE, 'ended');
    expect(await pair.asker.cancel(done.asked)).toBe('Too late: it was finished.');
    await bothRead(done, DONE, 'ended: cancelled after that');
  },
  240_000,
);

test.concurrent(
  'the person whose agent asked cancels as the agent does',
  async () => {
    const pair = await pairAt('http', '-for-ben');
    for (const row of CANCELLED)
      await tell(await reach(pair, row.state), row, async ({ asked: { id } }) => {
        expect(await asPerson(dad, `/v1/tasks/${id}/cancel`, {})).toMatchObject({ http: 200 });
      });
  },
  240_000,
);

test.concurrent(
  'the person of the hub that runs it stops it, on the page and at the terminal',
  async () => {
    const pair = await pairAt('http', '-for-nadia');
    const words = ['--passphrase-file', passphraseFile, 'stop'];
    for (const [index, row] of STOPPED.entries())
      await tell(await reach(pair, row.state), row, async ({ there }) => {
        if (index % 2 === 0)
          expect(await asPerson(mum, `/v1/tasks/${there}/cancel`, {})).toMatchObject({ http: 200 });
        else {
          const isOver = row.state !== 'delivered' && row.state !== 'running';
          const stopped = await axon(mum.home, [...words, there]);
          expect(stopped, row.state).toMatchObject({ error: '', code: isOver ? 0 : 4 });
        }
      });
    const done = await reach(pair, 'ended');
    const tooLate = await axon(mum.home, [...words, done.there]);
    expect(tooLate).toMatchObject({ error: '', code: 4 });
    expect(tooLate.out).toContain('Too late: it was finished.');
    expect(await asPerson(mum, `/v1/tasks/${done.there}/cancel`, {})).toMatchObject({
      http: 409,
      detail: 'Too late: it was finished.',
    });
    await bothRead(done, DONE, 'ended');
  },
  240_000,
);

/** Last: nothing gets in any more until it is resumed. */
test('Stop everything is a stop of each, in whatever state it is and whatever its agent speaks', async () => {
  const begun: (readonly [Reached, Row])[] = [];
  for (const [index, row] of STOPPED.entries()) {
    const pair = await pairAt(DOORS[index % DOORS.length] ?? 'http', `-of-all-${index}`);
    const task = await reach(pair, row.state);
    begun.push([task, row]);
  }
  for (const [task, row] of begun) await bothTell(task, row.before, `${row.state}: before`);
  expect(await asPerson(mum, '/v1/stop', {})).toMatchObject({ http: 200 });
  try {
    for (const [task, row] of begun) await goOn(task, row, `${row.state}, ${row.how ?? ''}`);
  } finally {
    await asPerson(mum, '/v1/resume', {});
  }
}, 120_000);
