// Whether a conversation is open, idle or archived, and what brings an archived one back.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ARCHIVED_AFTER_MS, INDEX_LOOK_MS } from '../../../../main/services/history/limits.ts';
import type { ConversationActivity } from '../../../../preload/contract/conversation-dto.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const ID = 'c-dinner';
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs(['work.code']));
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

async function ask(text: string): Promise<void> {
  await dad.work.sender.delegate(
    delegation('mum', text, { domain: 'family.chat', conversation: { id: ID } }),
    'openclaw',
    null,
  );
  await clock.settle();
}

const activities = (): readonly ConversationActivity[] =>
  [dad, mum].flatMap(({ work }) =>
    work.conversations.list({ limit: 5 }).items.map(({ activity }) => activity),
  );

it('is open while anything of it is, then idle, then archived', async () => {
  await ask('Dinner is at 7');
  await ask('Dinner is at 8');
  expect(activities()).toEqual(['open', 'open']);
  // The newest of the two ends first.
  const [older, newer] = mum.work.approvals.pending();
  if (older === undefined || newer === undefined) throw new Error('two cards wait');
  await mum.decide(newer, 'decline');
  await clock.settle();
  expect(activities()).toEqual(['open', 'open']);
  await mum.decide(older, 'decline');
  await clock.settle();
  expect(activities()).toEqual(['idle', 'idle']);
  clock.jumpWall(ARCHIVED_AFTER_MS);
  expect(activities()).toEqual(['archived', 'archived']);
});

it('stays searchable, and the next message brings it back', async () => {
  await ask('Dinner is at 7');
  await mum.decide(mum.card, 'decline');
  while (mum.store.read.isSearchBehind()) await clock.advance(INDEX_LOOK_MS);
  clock.jumpWall(ARCHIVED_AFTER_MS);
  expect(activities()).toEqual(['archived', 'archived']);
  const found = mum.work.search.find('dinner', { limit: 5 }).items;
  expect(found.map(({ conversation_id: id }) => id)).toEqual([ID]);
  await ask('And dessert at 9');
  expect(activities()).toEqual(['open', 'open']);
});

it('tells an agent of nothing open that it may not know', async () => {
  await dad.agent('planner', ['family.visits']);
  await mum.knows(dad);
  await ask('Dinner is at 7');
  await mum.decide(mum.card, 'decline');
  await clock.settle();
  await dad.work.sender.delegate(
    delegation('mum', 'Another matter', { domain: 'family.chat', conversation: { id: ID } }),
    'planner',
    null,
  );
  await clock.settle();
  const never = new AbortController().signal;
  const told = await Promise.all(
    ['planner', 'openclaw'].map((agent) =>
      dad.work.conversations.listAs(agent, { limit: 5 }, never),
    ),
  );
  expect(told.map(({ items }) => items.map(({ activity }) => activity))).toEqual([
    ['open'],
    ['idle'],
  ]);
});
