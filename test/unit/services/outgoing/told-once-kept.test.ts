// Whatever the pages are told of can be read by then: of records that nobody waits for they are
// told once those are durable, and of those that the disk refused never.
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WRITE_BEHIND_DELAY_MAX_MS } from '../../../../main/adapters/sqlite/limits.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, newest, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const never = new AbortController().signal;
const QUESTION = { to: 'mum', question: 'What is on this week?', domain: 'family.calendar' };
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
  await mum.agent('calendar', ['family.calendar'], { risk: 'R0' });
  await dad.knows(mum);
  await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

/** How often the pages were told of a conversation. */
const told = (hub: WorkHub): number =>
  hub.events.filter(({ type }) => type === 'conversation').length;
/** What a page that reads now finds of the newest one. */
const kept = (hub: WorkHub): readonly string[] =>
  hub.store.read
    .messages({ limit: 9 }, {})
    .map(({ kind }) => kind)
    .toReversed();

async function askAndAnswer(summary: string | null): Promise<void> {
  const asked = dad.work.sender.query(QUESTION, 'openclaw', never).catch(() => undefined);
  await clock.settle();
  const { delivery_id } = await mum.claim('calendar');
  const words = { tokens_used: 0, truncated: false };
  await mum.work.inbox.reply(
    'calendar',
    delivery_id,
    summary === null
      ? { status: 'failed', error: 'No idea', ...words }
      : { status: 'completed', summary, ...words },
  );
  await clock.settle();
  await asked;
}

describe('the pages are told of a question', () => {
  it.each(['Three practices', null])(
    'at both hubs once it and its answer can be read: %s',
    async (summary) => {
      await askAndAnswer(summary);
      for (const hub of [mum, dad])
        expect([hub.name, told(hub), kept(hub)]).toEqual([hub.name, 0, []]);
      await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
      for (const hub of [mum, dad]) {
        expect([hub.name, told(hub), kept(hub)[0]]).toEqual([hub.name, 1, 'query']);
        expect(newest(hub).state).toBe(summary === null ? 'failed' : 'completed');
      }
      if (summary !== null)
        for (const hub of [mum, dad]) expect(kept(hub)).toEqual(['query', 'response']);
    },
  );

  it('never where the disk refused to keep it', async () => {
    await askAndAnswer('Three practices');
    refuse(mum);
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
    expect([told(mum), kept(mum)]).toEqual([0, []]);
  });
});

describe('the pages are told how far another hub is', () => {
  const progress = (ref: string, data: Readonly<Record<string, string>>) =>
    dad.isTold(mum.key, {
      id: crypto.randomUUID(),
      kind: 'notify',
      ref,
      payload: { topic: 'axon.progress', data, importance: 'low' },
    });

  it('once its words can be read, where they change nothing else and where they do', async () => {
    await dad.work.sender.delegate(
      delegation('mum', 'Dinner', { domain: 'family.chat' }),
      'openclaw',
      null,
    );
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
    const { messageId, conversationId } = newest(dad);
    const words = async () =>
      (await dad.work.conversations.get(conversationId, null)).entries.length;
    for (const state of ['pending_approval', 'running']) {
      const before = { told: told(dad), words: await words() };
      await progress(messageId, { state, text: `It is ${state}` });
      if (told(dad) > before.told) expect(await words()).toBe(before.words + 1);
      await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
      expect([told(dad) > before.told, await words()]).toEqual([true, before.words + 1]);
    }
  });
});

describe('the pages are told of a notification', () => {
  const notify = () =>
    mum.isTold(dad.key, {
      id: crypto.randomUUID(),
      kind: 'notify',
      payload: { topic: 'school.bus', data: { text: 'Late' }, importance: 'high' },
    });
  const items = () => mum.events.filter(({ type }) => type === 'feed').length;

  it('once it can be read', async () => {
    await notify();
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
    expect([items(), mum.work.feed.list({ limit: 5 }).items.length]).toEqual([1, 1]);
  });

  it('never where the disk refused to keep it', async () => {
    await notify();
    refuse(mum);
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
    expect([items(), mum.work.feed.list({ limit: 5 }).items.length]).toEqual([0, 0]);
  });
});

/** The disk gives up at the end of what waits to be recorded: nothing of that is kept. */
function refuse(hub: WorkHub): void {
  hub.store.writeBehind(() => {
    throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR');
  });
}
