// How a request can stand or end, and that no two of these are told alike, neither to the agent
// that asked nor to the people who were asked.
import { expect, it } from 'vitest';
import { DONE, HOUR, RuledHubs } from '../../../fakes/ruled-hubs.ts';
import { BROWSER } from '../../../fakes/work-hub.ts';

const never = new AbortController().signal;

/** What becomes of a request of an hour that waits at Mum's. */
const ENDS: Readonly<Record<string, (hubs: RuledHubs, id: string) => Promise<unknown>>> = {
  pending: () => Promise.resolve(),
  held: (hubs) =>
    hubs.mum.work.holds.snooze(hubs.mum.card.id, hubs.clock.wallMs() + HOUR / 2, BROWSER),
  declined: (hubs) => hubs.mum.decide(hubs.mum.card, 'decline'),
  expired: (hubs) => hubs.clock.advance(HOUR + 1_000),
  cancelled: (hubs, id) => hubs.dad.work.tasks.cancel(id, { agent: 'openclaw' }, null),
  failed: async (hubs) => {
    await hubs.mum.decide(hubs.mum.card, 'allow');
    const item = await hubs.mum.claim('claude');
    await hubs.mum.work.inbox.reply('claude', item.delivery_id, { ...DONE, status: 'failed' });
  },
  answered: (hubs) => hubs.mum.decide(hubs.mum.card, 'answer', BROWSER, { answer: 'Done' }),
  completed: async (hubs) => {
    await hubs.mum.decide(hubs.mum.card, 'allow');
    await hubs.work();
  },
};

it('pending, held, declined, expired, cancelled, failed, answered and completed are told apart at both hubs', async () => {
  const told: [string, string, string][] = [];
  for (const [end, reach] of Object.entries(ENDS)) {
    const hubs = await RuledHubs.open();
    try {
      await hubs.send('Tell them', { deadline_ms: HOUR });
      const [sent] = hubs.dad.store.read.tasks({ limit: 1 });
      const [asked] = hubs.mum.store.read.tasks({ limit: 1 });
      if (sent === undefined || asked === undefined) throw new Error('nothing was asked');
      await reach(hubs, sent.id);
      await hubs.clock.settle();
      await hubs.clock.advance(100);
      const { state, code, untrusted } = await hubs.dad.work.tasks.get(
        sent.id,
        { agent: 'openclaw' },
        0,
        never,
      );
      const approval = hubs.mum.store.read.approvalOfTask(asked.id);
      const card = hubs.mum.work.approvals.get(approval?.id ?? '');
      told.push([
        end,
        [
          state,
          code,
          untrusted?.answered_by === undefined || untrusted.answered_by === null
            ? 'nobody'
            : 'a person',
        ].join(),
        [card.state, card.held === null ? 'now' : 'later', card.task_state].join(),
      ]);
    } finally {
      await hubs.close();
    }
  }
  for (const side of [1, 2] as const)
    expect(new Set(told.map((row) => row[side])).size, JSON.stringify(told)).toBe(told.length);
  expect(told.find(([end]) => end === 'answered')).toEqual([
    'answered',
    'completed,,a person',
    'answered,now,completed',
  ]);
  expect(told.find(([end]) => end === 'completed')).toEqual([
    'completed',
    'completed,,nobody',
    'approved,now,completed',
  ]);
});
