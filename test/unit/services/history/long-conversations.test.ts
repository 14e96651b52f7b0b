// A conversation in which somebody says as much as messages can hold: what is shown at once stays
// bounded, and says what it leaves out.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TITLE_MAX_CHARACTERS } from '../../../../main/services/tasks/limits.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { taskRow } from '../../../fakes/sample-rows.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import type { WorkHub } from '../../../fakes/work-hub.ts';
import {
  CONVERSATION_ENTRIES_MAX,
  CONVERSATION_TEXT_MAX_CHARACTERS,
  ENTRY_TEXT_MIN_CHARACTERS,
  FEED_TEXT_MAX_CHARACTERS,
} from '../../../../main/services/history/limits.ts';

const WHOLE_MESSAGE_CHARACTERS = 60_000;
const LEAVES = 4_000;
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openPairedHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

/** What dad said in the conversation "flood", the oldest first. */
async function said(notices: readonly unknown[]): Promise<void> {
  await mum.store.write((tables) => {
    for (const [index, data] of notices.entries()) {
      tables.insertMessage({
        messageId: `notice ${index}`,
        direction: 'in',
        party: dad.key,
        kind: 'notify',
        ref: null,
        conversationId: 'flood',
        taskId: null,
        fromAgent: null,
        toAgent: null,
        payload: JSON.stringify({ topic: 'flood', data }),
        at: clock.wallMs(),
      });
    }
  });
}

const shown = () => mum.work.conversations.get('flood', null);

it('shows the first fields of data with thousands, and counts the others', async () => {
  await said([
    Object.fromEntries(Array.from({ length: LEAVES }, (_, index) => [`leaf_${index}`, index])),
  ]);
  const [entry] = (await shown()).entries;
  expect(entry?.fields?.[0]).toEqual(['leaf_0', '0']);
  expect((entry?.fields?.length ?? 0) + (entry?.fields_left_out ?? 0)).toBe(LEAVES);
  expect(JSON.stringify(entry).length).toBeLessThan(4 * FEED_TEXT_MAX_CHARACTERS);
  expect(entry?.text).toMatch(/\n\[\.\.\.\]$/);
  const [thread] = mum.work.conversations.list({ limit: 5 }).items;
  expect(thread?.title).toMatch(/^leaf_0: 0, leaf_1: 1, .*\.\.\.$/);
  expect(thread?.title.length).toBeLessThanOrEqual(TITLE_MAX_CHARACTERS + 3);
});

it('is bounded as a whole, however many such messages it holds', async () => {
  const leaves = Array.from({ length: LEAVES }, (_, index) => index);
  await said(Array.from({ length: CONVERSATION_ENTRIES_MAX }, () => leaves));
  const { entries } = await shown();
  expect(entries).toHaveLength(CONVERSATION_ENTRIES_MAX);
  expect(JSON.stringify(entries).length).toBeLessThan(3 * CONVERSATION_TEXT_MAX_CHARACTERS);
});

it('has the newest words whole, and the older ones by their beginnings once there is no more room', async () => {
  const words = (index: number) => `${index}: `.padEnd(WHOLE_MESSAGE_CHARACTERS, 'x');
  const count = 2 * Math.ceil(CONVERSATION_TEXT_MAX_CHARACTERS / WHOLE_MESSAGE_CHARACTERS);
  await said(Array.from({ length: count }, (_, index) => words(index)));
  const { entries } = await shown();
  expect(entries.at(-1)?.text).toBe(words(count - 1));
  expect(entries[0]?.text).toBe(`${words(0).slice(0, ENTRY_TEXT_MIN_CHARACTERS)}\n[...]`);
  expect(JSON.stringify(entries).length).toBeLessThan(1.2 * CONVERSATION_TEXT_MAX_CHARACTERS);
});

it('counts the older requests whose details it has no room for', async () => {
  await said(['One for them all.']);
  const count = 20;
  const payload = JSON.stringify({ task: 'x'.repeat(WHOLE_MESSAGE_CHARACTERS) });
  await mum.store.write((tables) => {
    for (let index = 0; index < count; index += 1)
      tables.insertTask(
        taskRow({ id: `t-${index}`, party: dad.key, conversationId: 'flood', payload }),
      );
  });
  const { tasks, older_tasks: older } = await shown();
  expect(older).toBeGreaterThan(0);
  expect(tasks.length + older).toBe(count);
});

it('is listed for an agent by its last words there, and none of what others said is read for that', async () => {
  await said(
    Array.from({ length: CONVERSATION_ENTRIES_MAX - 1 }, () =>
      'x'.repeat(WHOLE_MESSAGE_CHARACTERS / 100),
    ),
  );
  await mum.store.write((tables) =>
    tables.insertMessage({
      messageId: 'answer',
      direction: 'out',
      party: dad.key,
      kind: 'notify',
      ref: null,
      conversationId: 'flood',
      taskId: null,
      fromAgent: 'lists',
      toAgent: null,
      payload: JSON.stringify({ topic: 'flood', data: 'That is enough.' }),
      at: clock.wallMs(),
    }),
  );
  const all = vi.spyOn(mum.store.read, 'messages');
  const own = vi.spyOn(mum.store.read, 'messagesOfAgent');
  const never = new AbortController().signal;
  expect((await mum.work.conversations.listAs('lists', { limit: 5 }, never)).items).toMatchObject([
    { title: 'That is enough.' },
  ]);
  expect((await mum.work.conversations.listAs('stranger', { limit: 5 }, never)).items).toEqual([]);
  expect(all).not.toHaveBeenCalled();
  expect(own.mock.results.map(({ value }) => value.length)).toEqual([1]);
  expect(
    (await mum.work.conversations.get('flood', 'lists')).entries.map(
      ({ message_id }) => message_id,
    ),
  ).toEqual(['answer']);
  await expect(mum.work.conversations.get('flood', 'stranger')).rejects.toThrow(
    'no such conversation',
  );
});
