// The search index as the store keeps it: it follows the messages, and forgets with them.
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { textWords, type IndexWord } from '../../../../main/lib/text-words.ts';
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
    tables.answerTask('t', { messageId: 'answer', kind: 'result', fromAgent: null, at: AT });
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

/** As a hub left it that took in each message by other rules: no agents, and other words. */
async function asOlderHub(words: Readonly<Record<number, string>>): Promise<void> {
  const other = new Database(join(store.folder, 'hub.db'));
  other.exec("DELETE FROM search; DELETE FROM meta WHERE name = 'search_rules'");
  for (const [seq, text] of Object.entries(words))
    other.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)').run(Number(seq), text);
  other.close();
  // The store asks once a turn whether another program wrote.
  await new Promise((resolve) => setImmediate(resolve));
}

test('what an older hub took in is taken in again, in steps, the newest first and what is new before it', async () => {
  for (let seq = 1; seq <= 6; seq += 1) await say(String(seq), `サーバー ${seq} ${CANARY}`);
  await tend();
  await asOlderHub(
    Object.fromEntries([1, 2, 3, 4, 5, 6].map((seq) => [seq, `サ ハ ${seq} oldword`])),
  );
  expect(store.read.isSearchBehind()).toBe(true);
  await say('7', 'サーバー 7');
  const pair = [{ word: 'サー', isBeginning: false }];
  const steps: (readonly number[])[] = [];
  while (await store.write((tables) => tables.tendSearch(2)))
    steps.push(store.read.seqsWithWords(pair, NEWEST));
  expect(steps.slice(0, 4)).toEqual([[7], [7, 6, 5], [7, 6, 5, 4, 3], [7, 6, 5, 4, 3, 2, 1]]);
  expect(store.read.isSearchBehind()).toBe(false);
  expect(find('oldword')).toEqual([]);
  expect(onDisk().includes('oldword')).toBe(false);
});

/** All that an agent said or was told, step by step. */
function walked(agent: string, words: readonly IndexWord[] = []): readonly number[] {
  const found: number[] = [];
  for (let next: number | null = Number.MAX_SAFE_INTEGER; next !== null;) {
    const step = store.read.seqsOfAgent(agent, words, { beforeSeq: next, limit: 2 });
    found.push(...step.seqs);
    next = step.next;
  }
  return found;
}

test('the walk of an agent finds its own, wherever the index is just now', async () => {
  for (let seq = 1; seq <= 9; seq += 1)
    await store.write((tables) =>
      tables.insertMessage(
        messageRow({
          messageId: String(seq),
          kind: 'notify',
          taskId: null,
          direction: seq % 2 === 0 ? 'out' : 'in',
          fromAgent: seq % 2 === 0 ? 'gardener' : 'claude',
          toAgent: seq % 2 === 0 ? 'claude' : 'gardener',
          payload: JSON.stringify({ data: seq === 4 ? 'four roses' : 'roses' }),
        }),
      ),
    );
  const own = [9, 8, 7, 6, 5, 4, 3, 2, 1];
  expect(walked('gardener')).toEqual(own);
  await store.write((tables) => tables.tendSearch(5));
  expect(walked('gardener')).toEqual(own);
  await tend();
  expect(walked('gardener')).toEqual(own);
  // In both directions it is the agent of the other hub that is called so.
  expect(walked('claude')).toEqual([]);
  expect(walked('gardener', [{ word: 'four', isBeginning: false }])).toEqual([4]);
  expect(walked('gardener', [{ word: 'fou', isBeginning: true }])).toEqual([4]);
  expect(walked('gardener', [{ word: 'four', isBeginning: true }])).toEqual([4]);
  await asOlderHub({});
  expect(walked('gardener')).toEqual(own);
  await store.write((tables) => tables.tendSearch(3));
  expect(walked('gardener')).toEqual(own);
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
  const text = `The ${CANARY} is at 7, ${'and so on '.repeat(30)}`;
  const payload = JSON.stringify({ task: text });
  const deflated = deflateRawSync(payload, { windowBits: 12, memLevel: 6 });
  await say('1', text);
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

test('a stretch of a wrong clock hides nothing of what came before it', async () => {
  const WRONG = 946_684_800_000;
  const times = [AT, AT + 1_000, WRONG, WRONG + 1_000, AT + 2_000, AT + 3_000];
  await store.write((tables) => {
    for (const [index, receivedAt] of times.entries())
      tables.insertTask(taskRow({ id: `t${index}`, messageId: `t${index}`, receivedAt }));
  });
  expect(store.read.seqBefore(AT + 1_500)).toBe(2);
  expect(store.read.seqBefore(AT + 2_500)).toBe(5);
  expect(store.read.seqBefore(AT)).toBe(4);
});
