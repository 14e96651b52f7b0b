// Removing a conversation: its words are in no table afterwards, whatever form they were kept in;
// and nothing is removed that is still to be done or told.
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { INDEX_LOOK_MS } from '../../../../main/services/history/limits.ts';
import { inflated } from '../../../fakes/long-text.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const CANARY = 'zanzibarcanary';
const LONG = `${CANARY} ${'and so on '.repeat(300)}`;
const conversation = { id: 'c-1' };

/** Where the word is kept, in any form. */
function kept(hub: WorkHub): readonly string[] {
  const database = new Database(hub.file, { readonly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck();
  const found = tables.all().flatMap((table) =>
    database
      .prepare(`SELECT * FROM "${String(table)}"`)
      .all()
      .flatMap((row) => Object.entries(row as object))
      .flatMap(([column, value]) =>
        wordsOf(value).includes(CANARY) ? [`${String(table)}.${column}`] : [],
      ),
  );
  database.close();
  return [...new Set(found)];
}

function wordsOf(value: unknown): string {
  if (!Buffer.isBuffer(value)) return String(value);
  try {
    return inflated(value);
  } catch {
    return value.toString('latin1');
  }
}

it('leaves no word of it in the database of either hub', async () => {
  const hubs = await openTwoHubs();
  onTestFinished(() => closeTwoHubs(hubs));
  const { clock, dad, mum } = hubs;
  await mum.work.agents.update('claude', { topics: ['garden'] }, BROWSER);
  const about = { domain: 'family.chat', reason: CANARY, context: { note: LONG }, conversation };
  const sent = dad.work.sender.delegate(delegation('mum', LONG, about), 'openclaw', null);
  await clock.settle();
  await sent;
  await mum.decide(mum.card, 'allow');
  const task = await mum.claim('claude');
  const words = { status: 'completed', outcome: LONG, data: { CANARY }, truncated: false } as const;
  await mum.work.inbox.reply('claude', task.delivery_id, words);
  await clock.settle();
  const told = await dad.claim('openclaw');
  await dad.work.inbox.ack('openclaw', told.delivery_id, null);
  const route = { to: 'claude' };
  const payload = { topic: 'garden', data: LONG, importance: 'low', route, conversation };
  const id = '00000000-0000-4000-8000-000000000001';
  await mum.isTold(dad.key, { id, kind: 'notify', payload });
  const notice = await mum.claim('claude');
  await expect(mum.work.conversationRemoval.remove('c-1', BROWSER)).rejects.toMatchObject({
    code: 'conflict',
  });
  await mum.work.inbox.ack('claude', notice.delivery_id, null);
  await clock.advance(60_000);
  for (const hub of [dad, mum]) {
    expect(kept(hub)).not.toEqual([]);
    await hub.work.conversationRemoval.remove('c-1', BROWSER);
    while (hub.store.read.isSearchBehind()) await clock.advance(INDEX_LOOK_MS);
    expect(kept(hub)).toEqual([]);
  }
});
