// A result is delivered exactly once, whatever happened meanwhile: its asker was away for an hour,
// hubs were killed and opened again, receipts were lost, and the same message came several times.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RESULT_STATUSES } from '../../../../preload/contract/closed-lists.ts';
import type { Envelope } from '../../../../main/protocol/envelope.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const HOUR_MS = 60 * 60_000;
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
/** What Mum's hub sent of results, over its restarts. */
let sent: Envelope[];

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
  sent = [];
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

async function restart(hub: WorkHub): Promise<void> {
  noteResults();
  await hub.restart();
  await clock.settle();
}

function noteResults(): void {
  sent.push(...mum.messenger.sent.filter(({ kind }) => kind === 'result'));
}

/** Mum's agent has the task in hand. */
async function begun(): Promise<{ readonly task: string; readonly delivery: string }> {
  const { id } = await dad.work.sender.delegate(
    delegation('mum', 'Say when dinner is', { domain: 'family.chat' }),
    'openclaw',
    null,
  );
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  return { task: id, delivery: (await mum.claim('claude')).delivery_id };
}

/** All that the asking agent is given from now on, put away item by item, over another restart. */
async function delivered(): Promise<readonly unknown[]> {
  const outcomes: unknown[] = [];
  for (let round = 0; round < 3; round++) {
    for (const item of await dad.work.inbox.claim('openclaw', 10)) {
      outcomes.push(item.untrusted.payload);
      await dad.work.inbox.ack('openclaw', item.delivery_id, null, null);
    }
    await restart(dad);
    dad.connect(mum);
    await clock.advance(60_000);
  }
  return outcomes;
}

const RESTARTS: readonly (readonly [string, readonly string[]])[] = [
  ['nobody', []],
  ['the asking hub', ['dad']],
  ['the asked hub', ['mum']],
  ['both hubs', ['dad', 'mum']],
];

describe.each(RESTARTS)(
  'an asker that was away for an hour, with a restart of %s',
  (_, restarted) => {
    it.each(RESULT_STATUSES)('gets the result "%s" exactly once', async (status) => {
      const { task, delivery } = await begun();
      dad.cut(mum);
      const reply = { status, outcome: 'At 7', truncated: false };
      await mum.work.inbox.reply('claude', delivery, reply);
      await clock.advance(HOUR_MS / 2);
      if (restarted.includes('dad')) await restart(dad);
      if (restarted.includes('mum')) await restart(mum);
      await clock.advance(HOUR_MS / 2);
      expect(await dad.work.inbox.claim('openclaw', 10)).toEqual([]);
      dad.connect(mum);
      await clock.advance(60_000);
      noteResults();
      // It was on its way several times, and somebody repeats it.
      const [result] = sent;
      if (result === undefined) throw new Error('no result was sent');
      for (let again = 0; again < 3; again++) await dad.isTold(mum.key, result);
      await dad.isTold(mum.key, { ...result, id: randomUUID() });
      expect(await delivered()).toEqual([expect.objectContaining({ status, outcome: 'At 7' })]);
      expect(dad.store.read.task(task)?.state).toBe(status);
    });
  },
);

it('goes on being sent while its receipts are lost, and is delivered once', async () => {
  const { delivery } = await begun();
  dad.messenger.lost.add('notify');
  dad.messenger.swallowed.add('ack');
  await mum.work.inbox.reply('claude', delivery, {
    status: 'completed',
    outcome: 'At 7',
    truncated: false,
  });
  await clock.advance(HOUR_MS);
  noteResults();
  expect(sent.length).toBeGreaterThan(1);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  dad.messenger.lost.clear();
  dad.messenger.swallowed.clear();
  expect(await delivered()).toHaveLength(1);
});
