// What a card says of the requests before it: true however much has crossed since, and read from
// the record in a few searches.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const OPTIONS = [
  { id: 'early', label: '09:12', pros: [], cons: [] },
  { id: 'late', label: '10:40', pros: [], cons: [] },
];
const send = async (domain = 'family.chat', agent = 'openclaw') => {
  await dad.work.sender.delegate(delegation('mum', 'Dinner is at 7', { domain }), agent, null);
  return mum.card;
};
const decide = async (decision: 'allow' | 'decline', domain?: string) => {
  await mum.decide(await send(domain), decision);
  await clock.settle();
};
/** Messages of dad's that were no requests. */
const chatter = (count: number) =>
  mum.store.write((tables) => {
    for (let index = 0; index < count; index++) {
      const message = {
        direction: 'in',
        party: dad.key,
        kind: 'notify',
        ref: null,
        conversationId: null,
        taskId: null,
      } as const;
      tables.insertMessage({
        ...message,
        messageId: crypto.randomUUID(),
        fromAgent: 'openclaw',
        toAgent: null,
        payload: '{}',
        at: 1,
      });
    }
  });

it('knows a hub whose requests lie far back', async () => {
  await decide('allow');
  await chatter(250);
  expect(await send()).toMatchObject({ first_time: null, allowed_before: 1 });
});

it('calls a hub new whose first request waits, and no more once it has asked, whatever became of that', async () => {
  expect(await send()).toMatchObject({ first_time: 'hub' });
  await mum.decide(mum.card, 'decline');
  await clock.settle();
  expect(await send()).toMatchObject({ first_time: null });
});

it('says of a question to a person that its hub is new, and nothing of agents, for none runs', async () => {
  await dad.work.sender.delegate(
    delegation('mum', 'Which train?', { options: OPTIONS }),
    'openclaw',
    null,
  );
  expect(mum.card).toMatchObject({ risk_reason: 'nothing_runs', first_time: 'hub' });
  await mum.decide(mum.card, 'decline');
  await clock.settle();
  await send();
  await mum.decide(mum.card, 'allow');
  await dad.agent('other');
  await mum.knows(dad);
  await dad.work.sender.delegate(
    delegation('mum', 'Which train?', { options: OPTIONS }),
    'other',
    null,
  );
  expect(mum.card).toMatchObject({ risk_reason: 'nothing_runs', first_time: null });
});

it('tells a new agent and a new area from a new hub, also once one was declined', async () => {
  await mum.agent('calendar', ['family.calendar']);
  await dad.agent('other');
  await mum.knows(dad);
  await dad.knows(mum);
  await decide('decline');
  expect(await send('family.calendar')).toMatchObject({ first_time: 'agent' });
  await mum.decide(mum.card, 'allow');
  expect(await send('family.chat.dinner')).toMatchObject({ first_time: 'domain' });
  await mum.decide(mum.card, 'allow');
  expect(await send('family.chat.dinner', 'other')).toMatchObject({ first_time: 'agent' });
});

it('calls nothing the first in an area where none is named', async () => {
  await decide('allow');
  const { read } = mum.store;
  const [task] = read.tasks({ beforeSeq: Number.MAX_SAFE_INTEGER, limit: 1 });
  if (task === undefined) throw new Error('nothing was asked');
  const seq = task.seq + 1;
  expect(read.newInRequest({ ...task, seq, domain: null })).toBeNull();
  expect(read.newInRequest({ ...task, seq, domain: 'family.calendar' })).toBe('domain');
});

it('counts what a person allowed since the last time that it was declined', async () => {
  await decide('allow');
  await decide('decline');
  await decide('allow');
  await decide('allow');
  expect(await send()).toMatchObject({ first_time: null, allowed_before: 2 });
});

it('reads no message and no other task for it', async () => {
  await decide('allow');
  await decide('allow');
  const { id } = await send();
  const messages = vi.spyOn(mum.store.read, 'messages');
  const task = vi.spyOn(mum.store.read, 'task');
  expect(mum.work.approvals.get(id).allowed_before).toBe(2);
  expect(messages).not.toHaveBeenCalled();
  expect(new Set(task.mock.calls.map(([one]) => one)).size).toBe(1);
});
