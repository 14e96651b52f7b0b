// A question to everybody whose hub ends before all have answered: the call that asked is over, so
// whoever asked is told by its inbox that no answer comes, once, by the next run.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { wholeOf } from '../../../../preload/contract/strings/story.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
const query = {
  performative: 'QUERY',
  content: 'Which colours?',
  capability: 'painting',
  protocol: 'Broadcast',
  reply_with: 'q-1',
};
const offers = { dialect: 'fipa-acl', capabilities: ['painting'] } as const;

beforeEach(async () => {
  ({ clock, dad, mum } = await openPairedHubs());
  await dad.work.agents.create('eddy', { dialect: 'fipa-acl' }, 'R2', OWNER);
  // It only looks: in its area nobody is asked.
  await dad.work.agents.create('draws', { ...offers, domains: ['painting'] }, 'R0', OWNER);
  await mum.work.agents.create('paints', offers, 'R2', OWNER);
  await mum.work.agents.create('looks', offers, 'R2', OWNER);
  await dad.knows(mum);
  await mum.knows(dad);
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

const signal = new AbortController().signal;

it.each([
  ['crashes', () => Promise.resolve(), 'Ended by dad.'],
  ['ends', () => dad.work.stop(), 'Cut off while Draws had it.'],
])('is ended for whoever asked, where its hub %s, at each who had not answered', async (...way) => {
  const [, end, ended] = way;
  const posted = dad.work.nativeMessages.post('eddy', query, signal);
  await clock.advance(100);
  expect((await posted).each?.map(({ asked }) => asked)).toEqual([true, true, true]);
  expect(dad.work.approvals.pending()).toEqual([]);
  expect((await dad.claim('draws')).untrusted).toMatchObject({ native: query });
  const card = mum.work.approvals.pending().find(({ to_agent }) => to_agent === 'looks');
  if (card === undefined) throw new Error('nobody is asked for looks');
  await mum.decide(card, 'allow');
  const { delivery_id: delivery } = await mum.claim('looks');
  const reply = { status: 'completed', summary: 'Blue', truncated: false } as const;
  await mum.work.inbox.reply('looks', delivery, reply, null);
  await clock.advance(100);
  expect((await dad.claim('eddy')).untrusted).toMatchObject({ native: { performative: 'INFORM' } });

  const asked = dad.store.read.tasks({ limit: 9 }).find(({ toAgent }) => toAgent === 'draws');
  await end();
  await clock.settle();
  await dad.restart();
  dad.connect(mum);
  await clock.advance(1_000);
  expect(mum.work.approvals.pending()).toEqual([]);
  const { story } = await dad.work.tasks.get(asked?.id ?? '', { person: OWNER }, 0, signal);
  const [unasked, undone] = ['Nobody was asked: Draws only looks.', 'It may have been done.'];
  expect(wholeOf(story)).toBe([unasked, ended, undone].join(' '));
  const told = await dad.work.inbox.claim('eddy', 5);
  expect(told.map(({ untrusted }) => untrusted)).toEqual(
    ['dad', 'mum'].map((hub) =>
      expect.objectContaining({
        origin: expect.objectContaining({ from_agent: null }),
        payload: expect.objectContaining({ status: 'failed', code: 'cancelled' }),
        native: expect.objectContaining({
          performative: 'FAILURE',
          sender: hub,
          in_reply_to: 'q-1',
          content: expect.objectContaining({
            text: 'The hub was restarted while somebody waited for the answer.',
          }),
        }),
      }),
    ),
  );
});

it('is told as stopped where a person of another hub stops it, though nobody was asked', async () => {
  await mum.work.agents.create('sees', { ...offers, domains: ['painting'] }, 'R0', OWNER);
  await dad.knows(mum);
  const posted = dad.work.nativeMessages.post('eddy', query, signal);
  await clock.advance(100);
  await posted;
  expect((await mum.claim('sees')).untrusted).toMatchObject({ native: query });
  await mum.work.stopEverything({ actor: 'owner', surface: 'browser' });
  await clock.advance(1_000);
  const said = [];
  for (const hub of [mum, dad]) {
    const task = hub.store.read
      .tasks({ limit: 9 })
      .find(({ verdict, party }) => verdict === 'passed' && party !== 'local');
    const { story } = await hub.work.tasks.get(task?.id ?? '', { person: OWNER }, 0, signal);
    said.push(wholeOf(story));
  }
  expect(said).toEqual([
    "Nobody was asked: Sees only looks. Cancelled by mum's person on mum: Sees had it already.",
    "Nobody was asked: Sees on mum only looks. Cancelled by mum's person on mum: Sees on mum had it already.",
  ]);
});
