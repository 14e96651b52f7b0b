// What one agent of this hub took part in, out of a conversation of many.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MessageRow } from '../../../../main/ports/store.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../fakes/memory-store.ts';
import { messageRow } from '../../../fakes/sample-rows.ts';

let store: TemporaryStore;
beforeEach(() => (store = openTemporaryStore()));
afterEach(() => store.close());

async function said(...rows: readonly Partial<MessageRow>[]): Promise<void> {
  await store.write((tables) => {
    for (const [index, row] of rows.entries())
      tables.insertMessage(messageRow({ messageId: `m${index}`, conversationId: 'talk', ...row }));
  });
}

const idsOf = (agent: string, page = { among: 100, limit: 100 }): readonly string[] =>
  store.read.messagesOfAgent('talk', agent, page).map(({ messageId }) => messageId);

test('an agent of this hub sent what goes out, was given what comes in, and within the hub is either end', async () => {
  await said(
    { direction: 'out', fromAgent: 'planner', toAgent: 'lists' },
    { direction: 'in', fromAgent: 'planner', toAgent: 'lists' },
    { direction: 'local', party: 'agent:lists', fromAgent: 'planner', toAgent: 'lists' },
    { direction: 'in', fromAgent: 'lists', toAgent: null },
    { direction: 'in', fromAgent: 'other', toAgent: 'lists', conversationId: 'another talk' },
  );
  expect(idsOf('planner')).toEqual(['m2', 'm0']);
  expect(idsOf('lists')).toEqual(['m2', 'm1']);
  expect(idsOf('other')).toEqual([]);
});

test('the newest come first, as many as are wanted, out of as many of the conversation as are looked at', async () => {
  await said(
    ...Array.from({ length: 6 }, (_, index) => ({
      direction: 'out' as const,
      fromAgent: index % 2 === 0 ? 'even' : 'odd',
    })),
  );
  expect(idsOf('even')).toEqual(['m4', 'm2', 'm0']);
  expect(idsOf('even', { among: 100, limit: 2 })).toEqual(['m4', 'm2']);
  expect(idsOf('even', { among: 4, limit: 2 })).toEqual(['m4', 'm2']);
  expect(idsOf('even', { among: 3, limit: 2 })).toEqual(['m4']);
  expect(idsOf('even', { among: 1, limit: 2 })).toEqual([]);
  expect(idsOf('odd', { among: 6, limit: 9 })).toEqual(['m5', 'm3', 'm1']);
});
