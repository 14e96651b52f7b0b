// Pages are told how a changed task stands; while none is open, nothing is made for them.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventBus } from '../../../../main/services/base/event-bus.ts';
import { NOTED_MAX, PageNotifier } from '../../../../main/services/pages/page-notifier.ts';
import { closeTwoHubs, newest, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation } from '../../../fakes/work-hub.ts';

let hubs: TwoHubs;
let events: EventBus;
let pages: PageNotifier;
let loads: string[];
let looks: number;
let warned: string[];
let isBroken: boolean;

beforeEach(async () => {
  hubs = await openTwoHubs();
  const { store, work } = hubs.mum;
  events = new EventBus();
  [loads, looks, warned, isBroken] = [[], 0, [], false];
  pages = new PageNotifier({
    store: {
      ...store,
      read: {
        ...store.read,
        task: (id) => {
          looks += 1;
          return store.read.task(id);
        },
      },
    },
    log: { warn: (text) => void warned.push(text) },
    events,
    agents: {
      changed: (name) => {
        if (isBroken) throw new TypeError('a fault of this program');
        loads.push(name);
      },
    },
    approvalViews: { dto: ({ id }) => work.approvals.get(id) },
  });
  await hubs.dad.work.sender.delegate(
    delegation('mum', 'Feed the cat', { domain: 'family.chat' }),
    'openclaw',
    null,
  );
});

afterEach(() => closeTwoHubs(hubs));

const change = (taskId = newest(hubs.mum).id) => ({ taskId, questionIn: null });
const types = (seq: number) => events.since(seq)?.map(({ type }) => type);

test('a task that changed while no page was open is looked at once, for the page that opens', () => {
  for (let step = 0; step < 3; step += 1) pages.taskChanged(change());
  expect(looks).toBe(0);
  expect(types(0)).toEqual(['approval', 'conversation']);
  expect([looks, loads]).toEqual([1, ['claude']]);
});

test('a page that is open is told of each change, once everybody else has heard of it', async () => {
  const leave = events.subscribe(() => undefined);
  for (const looked of [1, 2]) {
    for (let step = 0; step < 2; step += 1) pages.taskChanged(change());
    // Agents are handed their items in promises of this turn.
    await Promise.resolve();
    expect(looks).toBe(looked - 1);
    await new Promise(process.nextTick);
    expect(looks).toBe(looked);
  }
  expect(types(0)).toEqual(['approval', 'conversation', 'approval', 'conversation']);
  leave();
});

test('what is told meanwhile comes after the request that it is about', () => {
  const leave = events.subscribe(() => undefined);
  pages.taskChanged(change());
  events.publish({ type: 'attention', approval_id: 'one', peer_name: 'Dad' });
  expect(types(0)).toEqual(['approval', 'conversation', 'attention']);
  leave();
});

test('what cannot be read any more ends nothing: a page takes a new snapshot', async () => {
  const leave = events.subscribe(() => undefined);
  pages.taskChanged(change());
  hubs.mum.store.close();
  await new Promise(process.nextTick);
  expect([types(0), events.seq, warned]).toEqual([
    undefined,
    1,
    ['pages not told of a changed task'],
  ]);
  leave();
});

test('of a change that cannot be told the others hear no less', async () => {
  const leave = events.subscribe(() => undefined);
  isBroken = true;
  pages.taskChanged(change());
  pages.taskChanged({ taskId: 'a question', questionIn: 'its conversation' });
  await new Promise(process.nextTick);
  expect([types(2), warned]).toEqual([['conversation'], ['pages not told of a changed task']]);
  leave();
});

test('a page that opens after more changes than are noted takes a new snapshot', () => {
  for (let number = 0; number <= NOTED_MAX; number += 1) pages.taskChanged(change(`${number}`));
  expect([types(0), looks]).toEqual([undefined, 0]);
});
