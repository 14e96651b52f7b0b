// The search index as the store keeps it: it follows the messages, and forgets with them.
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { textWords } from '../../../../main/lib/text-words.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../fakes/memory-store.ts';
import { AT, messageRow, taskRow } from '../../../fakes/sample-rows.ts';

const NEWEST = { beforeSeq: Number.MAX_SAFE_INTEGER, limit: 50 };
const CANARY = 'zanzibarcanary';

let store: TemporaryStore;
beforeEach(() => {
  store = openTemporaryStore();
});
afterEach(() => store.close());

const find = (text: string, isBeginning = false): readonly number[] =>
  store.read.seqsWithWords(
    [...textWords(text)].map(({ word }) => ({ word, isBeginning })),
    NEWEST,
  );

async function say(id: string, text: string): Promise<void> {
  await store.write((tables) =>
    tables.insertMessage(
      messageRow({
        messageId: id,
        kind: 'delegate',
        taskId: null,
        payload: JSON.stringify({ task: text }),
      }),
    ),
  );
}

async function tend(): Promise<void> {
  while (await store.write((tables) => tables.tendSearch(32)));
}

/** Everything the database has on the disk once its log is written back. */
function onDisk(): Buffer {
  const other = new Database(join(store.folder, 'hub.db'));
  other.pragma('wal_checkpoint(TRUNCATE)');
  other.close();
  return Buffer.concat(
    ['hub.db', 'hub.db-wal'].map((name) => readFileSync(join(store.folder, name))),
  );
}

test('finds words without case and accents, by their beginning, newest first', async () => {
  await say('1', 'Dinner is at 7');
  await say('2', 'Crème brûlée after DINNER');
  await say('3', 'Nothing of that kind');
  expect(store.read.isSearchBehind()).toBe(true);
  await tend();
  expect(store.read.isSearchBehind()).toBe(false);
  expect(find('dinner')).toEqual([2, 1]);
  expect(find('creme BRULEE')).toEqual([2]);
  expect(find('dinn')).toEqual([]);
  expect(find('dinn', true)).toEqual([2, 1]);
  expect(store.read.seqsWithWords([], { ...NEWEST, beforeSeq: 3 })).toEqual([2, 1]);
  expect(store.read.seqsWithWords([], { ...NEWEST, limit: 1 })).toEqual([3]);
});

test('the words of a task are found at its request and at its result', async () => {
  await store.write((tables) => {
    tables.insertTask(
      taskRow({
        id: 't',
        state: 'completed',
        payload: '{"task":"Book the ferry"}',
        result: '{"outcome":{"text":"Booked for Friday"}}',
        finishedAt: AT,
      }),
    );
    for (const kind of ['delegate', 'result'])
      tables.insertMessage(messageRow({ messageId: kind, kind, taskId: 't', payload: null }));
  });
  await tend();
  expect(find('ferry')).toEqual([1]);
  expect(find('friday')).toEqual([2]);
});

test('characters of every script are words to the index as they are to the reader', async () => {
  const text = 'ﷺ ½ ㎏ 𞤀𞤁 家族晩ご飯 हिन्दी naïve 🙂 a_b don’t \u0000 ' + 'x'.repeat(100);
  await say('1', text);
  await tend();
  for (const { word } of textWords(text)) expect(find(word)).toEqual([1]);
});

test('nothing that is typed is an operator', async () => {
  await say('1', 'a OR b');
  await tend();
  for (const text of ['a" OR "b', 'b*', '(a OR b)', 'words:a', '^a', '%', '\u0000', "'; DROP"])
    for (const isBeginning of [false, true]) expect(() => find(text, isBeginning)).not.toThrow();
  expect(find('a NOT b')).toEqual([]);
  expect(find('a OR c')).toEqual([]);
});

test('a removed message is not found, and its words leave the file', async () => {
  const payload = JSON.stringify({ task: `The ${CANARY} is at 7, and so on and so on` });
  const deflated = deflateRawSync(payload, { windowBits: 12, memLevel: 6 });
  await say('1', `The ${CANARY} is at 7, and so on and so on`);
  for (let index = 2; index < 400; index += 1) await say(String(index), `number ${index}`);
  await tend();
  expect(find(CANARY)).toEqual([1]);
  expect(onDisk().includes(CANARY)).toBe(true);
  expect(onDisk().includes(deflated)).toBe(true);
  const purged = await store.write((tables) =>
    tables.purge({ kind: 'messages', before: AT + 1, after: null, limit: 1, at: AT + 1 }),
  );
  expect(purged.seqs).toEqual([1]);
  expect(find(CANARY)).toEqual([]);
  await tend();
  expect(find('number')).toHaveLength(50);
  expect(onDisk().includes(CANARY)).toBe(false);
  expect(onDisk().includes(deflated)).toBe(false);
});
