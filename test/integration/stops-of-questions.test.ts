// A question is taken back or stopped in every state it can be in: by whoever asks, who hangs up or
// cancels it, and by a person of the hub that was asked. It is over then, whatever its agent does,
// and all that tells of it is true, at every door and in each language.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { rounds } from '../support/counts.ts';
import { axon } from '../support/programs.ts';
import { WITHIN_MS } from '../support/raw-peer.ts';
import { AGENT, inRow, StopHouse, type Open, type Pair, type Told } from '../support/stop-house.ts';
import { until } from '../support/until.ts';
import { DOORS, type Asking } from '../support/work-doors.ts';

/** Each command at a terminal is a process of its own, and they all run at once. */
const WHOLE_WITHIN_MS = 480_000;

const OF_THIS_RUN = DOORS.slice(
  0,
  rounds('doors to stop a question at', { short: 2, long: DOORS.length }),
);

let house: StopHouse;
beforeAll(async () => {
  house = await StopHouse.open();
}, 120_000);
afterAll(() => house.close());

const STATES = ['waiting', 'held', 'queued', 'delivered', 'running'] as const;
type State = (typeof STATES)[number];
interface Reached extends Open {
  readonly asking: Asking;
  readonly work: DeliveryDto | undefined;
}

let questions = 0;
async function reach({ asker, doer }: Pair, state: State): Promise<Reached> {
  const question = `Question ${++questions}, ${state}, for ${doer.name}`;
  const asking = asker.ask(`Mum/${doer.name}`, question);
  const card = await house.card(doer);
  const id = await until('the question at Dad’s', WITHIN_MS, async () => {
    const { items } = await asker.http('/v1/tasks');
    const asked = items as readonly { readonly id: string; readonly text: string }[];
    return asked.find(({ text }) => text === question)?.id;
  });
  const asked = { id, native: asking.native };
  const reached = { asker, doer, asking, asked, there: card.task_id, work: undefined };
  if (state === 'held') await house.hold(card);
  if (state === 'waiting' || state === 'held') return reached;
  await house.allow(card);
  if (state === 'queued') return reached;
  const work = await doer.take('query');
  if (state === 'running') await doer.ack(work);
  return { ...reached, work };
}

interface Row {
  readonly before: Told;
  readonly told: Told;
  /** What its own line ends with, where that says more. */
  readonly line?: string;
}
type Rows = Readonly<Record<State, Row>>;

const WAITS: Told = ['Waits until a person decides for Mum.', 'Waits for you.'];
const HELD: Told = ['On hold: nobody has decided for Mum yet.', 'Put off by a person.'];
const QUEUED: Told = ['Mum has it.', `Waits for ${AGENT}.`];
const DELIVERED: Told = [QUEUED[0], `${AGENT} has it.`];
const RUNS: Told = [QUEUED[0], `${AGENT} is working on it.`];
const NOT_BEGUN = 'Cancelled: nobody had begun.';
const WITHDRAWN: Told = [NOT_BEGUN, 'Cancelled: nobody had decided.'];
const HAD_IT: Told = [
  `Cancelled: ${AGENT} on Mum had it already.`,
  `Cancelled: ${AGENT} had it already.`,
];

/** By whoever asked. */
const TAKEN_BACK: Rows = {
  waiting: { before: WAITS, told: WITHDRAWN },
  held: { before: HELD, told: WITHDRAWN },
  queued: { before: QUEUED, told: [NOT_BEGUN, NOT_BEGUN] },
  delivered: { before: DELIVERED, told: HAD_IT },
  running: { before: RUNS, told: HAD_IT },
};

/** By a person of the hub that was asked. */
const DECLINED: Told = ['Declined.', 'Declined.'];
const HAD_IT_BY: Told = [
  `Cancelled by Nadia on Mum: ${AGENT} on Mum had it already.`,
  `Cancelled by Nadia on Test hub: ${AGENT} had it already.`,
];
const STOPPED: Rows = {
  waiting: { before: WAITS, told: DECLINED, line: 'Nadia declined it, on Mum.' },
  held: { before: HELD, told: DECLINED, line: 'Nadia declined it, on Mum.' },
  queued: {
    before: QUEUED,
    told: ['Stopped by Nadia on Mum.', 'Stopped by Nadia on Test hub: nothing ran.'],
  },
  delivered: { before: DELIVERED, told: HAD_IT_BY },
  running: { before: RUNS, told: HAD_IT_BY },
};

/** What its agent does afterwards changes nothing, and nothing of it is left in an inbox. */
async function over(task: Reached, { told }: Row, what: string): Promise<void> {
  await house.bothRead(task, told, `${what}: once it was stopped`);
  if (task.work !== undefined) {
    const answered = await task.doer.end(task.work, 'completes');
    expect(answered, what).toMatch(/over|stopped|nobody waits/i);
    await house.bothRead(task, told, `${what}: answered all the same`);
  }
  for (const agent of [task.asker, task.doer])
    expect(await agent.http('/v1/inbox/claim', { max: 32 }), what).toMatchObject({ items: [] });
}

test.concurrent.each(OF_THIS_RUN)(
  '%s: a question that its asker takes back',
  async (door) => {
    const pair = await house.pairAt(door);
    for (const state of STATES)
      for (const way of ['hangs up', 'cancels'] as const) {
        const row = TAKEN_BACK[state];
        const what = `${state}, ${way}`;
        const task = await reach(pair, state);
        await house.bothTell(task, row.before, `${what}: before`);
        if (way === 'hangs up') task.asking.hangUp();
        else {
          const said = inRow(await pair.asker.cancel(task.asked), pair);
          expect(said, what).toBe(row.told[0]);
          expect(inRow(await task.asking.told, pair), what).toContain(row.told[0]);
        }
        await over(task, row, what);
      }
  },
  WHOLE_WITHIN_MS,
);

test.concurrent.each(OF_THIS_RUN)(
  '%s: a question that a person of the other hub stops, on the page and at the terminal',
  async (door) => {
    const pair = await house.pairAt(door, '-for-nadia');
    const words = ['--passphrase-file', house.passphraseFile, 'stop'];
    for (const [index, state] of STATES.entries()) {
      const row = STOPPED[state];
      const task = await reach(pair, state);
      await house.bothTell(task, row.before, `${state}: before`);
      if ((index + DOORS.indexOf(door)) % 2 === 0)
        expect(await house.asPerson(house.mum, `/v1/tasks/${task.there}/cancel`, {})).toMatchObject(
          { http: 200 },
        );
      else {
        const { out, error } = await axon(house.mum.home, [...words, task.there]);
        expect(error).toBe('');
        expect(inRow(out, pair)).toContain(row.told[1]);
      }
      expect(inRow(await task.asking.told, pair), state).toContain(row.line ?? row.told[0]);
      await over(task, row, state);
    }
  },
  WHOLE_WITHIN_MS,
);
