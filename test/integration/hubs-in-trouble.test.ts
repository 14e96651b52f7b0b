// F-19: two real hubs, each with its own QUIC process, over a line that loses, delays, reorders,
// repeats, cuts large packets and changes addresses. Whatever the line does, every chore is decided
// and done once, its result is told once, and both hubs say the same of it.
import { afterEach, describe, expect, test } from 'vitest';
import { type ChoreHub, outcomeOf } from '../support/chore-hub.ts';
import { type ChorePair, openChorePair } from '../support/chore-pair.ts';
import { rounds } from '../support/counts.ts';
import { until } from '../support/until.ts';

const AT_ONCE = 4;
const TOLD_WITHIN_MS = 120_000;
const PEER_LOST_WITHIN_MS = 25_000;
const TEST_LIMIT_MS = 240_000;
/** Long enough for a message of many datagrams; a task may have this much. */
const LONG_TEXT = 'with every single tile '.repeat(1_800);

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

let numbers = 0;

/**
 * Until the results are told: a few at a time, since no more may wait for a person, every fifth of
 * them long.
 */
async function delegate({ asking }: ChorePair, count: number): Promise<readonly string[]> {
  const tasks = Array.from({ length: count }, () => {
    numbers += 1;
    return numbers % 5 === 0 ? `Chore ${numbers} ${LONG_TEXT}` : `Chore ${numbers}`;
  });
  const left = [...tasks];
  const lane = async (): Promise<void> => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) {
      await asking.delegate(task);
      await untilTold(asking, task);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return tasks;
}

async function untilTold(asking: ChoreHub, task: string): Promise<void> {
  const isTold = (): true | undefined =>
    asking.told.some((chore) => chore.task === task) ? true : undefined;
  await until(`the result of ${task.slice(0, 20)}`, TOLD_WITHIN_MS, isTold);
}

/** Stops both in order, and looks at what each has kept. */
async function expectOnce({ asking, asked }: ChorePair, tasks: readonly string[]): Promise<void> {
  for (const hub of [asking, asked]) {
    expect(await hub.stop()).toMatchObject({ code: 0 });
    expect(hub.log).not.toMatch(/unhandled|uncaught|handler failed|QUIC process ended/);
  }
  expect(asked.ran.toSorted()).toEqual(tasks.toSorted());
  expect(asking.told.map(({ task }) => task).toSorted()).toEqual(tasks.toSorted());
  for (const { task, outcome } of asking.told) expect(outcome).toBe(outcomeOf(task));
  const incoming = await asked.look(({ read }) =>
    read
      .tasks({ limit: 1_000 })
      .map(({ id, state }) => ({ state, approval: read.approvalOfTask(id)?.state })),
  );
  expect(incoming).toEqual(tasks.map(() => ({ state: 'completed', approval: 'approved' })));
  const outgoing = await asking.look(({ read }) =>
    read.tasks({ limit: 1_000 }).map(({ state }) => state),
  );
  expect(outgoing).toEqual(tasks.map(() => 'completed'));
}

describe('F-19: two hubs with a bad line between them', () => {
  const chores = rounds('F-19 delegations over each bad line', { short: 10, long: 100 });
  const limitMs = TEST_LIMIT_MS + chores * 4_000;

  test(
    'F-19: that loses every fifth datagram and takes 300 ms carry every delegation once, and close and meet again',
    async () => {
      const two = await openChorePair(ends, (line) => {
        line.loss = 0.2;
        line.delayMs = 150;
      });
      const { asking, asked, line } = two;
      const tasks = [...(await delegate(two, chores))];
      // Parted by a person and brought together again.
      await asked.trust('suspended');
      await asking.offline(PEER_LOST_WITHIN_MS);
      await asked.trust('paired');
      await Promise.all([asking.online(), asked.online()]);
      // Stopped in order and started again, with work that begins while the line is new.
      expect(await asked.stop()).toMatchObject({ code: 0 });
      await asking.offline(PEER_LOST_WITHIN_MS);
      await asked.start();
      await Promise.all([asking.online(), asked.online()]);
      tasks.push(...(await delegate(two, Math.ceil(chores / 2))));
      const { lost, passed } = line.counts;
      expect(lost / (lost + passed)).toBeGreaterThan(0.15);
      await expectOnce(two, tasks);
    },
    limitMs,
  );

  test(
    'F-19: that reorders and repeats datagrams carry every delegation once',
    async () => {
      const two = await openChorePair(ends, (line) => {
        line.delayMs = 5;
        line.jitterMs = 60;
        line.repeats = 0.3;
      });
      const tasks = await delegate(two, chores);
      const { overtaken, repeated, passed } = two.line.counts;
      expect(overtaken).toBeGreaterThan(passed / 10);
      expect(repeated).toBeGreaterThan(passed / 10);
      await expectOnce(two, tasks);
    },
    limitMs,
  );

  test(
    'F-19: that moves the dialler to another port in the middle of messages carry every delegation once',
    async () => {
      const two = await openChorePair(ends, (line) => {
        line.delayMs = 2;
        line.rebindEvery = 100;
      });
      const tasks = await delegate(two, 2 * chores);
      expect(two.line.counts.rebindings).toBeGreaterThan(1);
      await expectOnce(two, tasks);
    },
    limitMs,
  );

  test(
    'F-19: that lets nothing pass above 1,200 bytes carry every delegation once, and offer it nothing larger',
    async () => {
      const two = await openChorePair(ends, (line) => (line.sizeMaxBytes = 1_200));
      const tasks = await delegate(two, chores);
      expect(two.line.counts).toMatchObject({ tooLarge: 0, largestBytes: 1_200 });
      await expectOnce(two, tasks);
    },
    limitMs,
  );
});
