// A request that waits, was declined, expired or was answered by a person: its words reach the
// agent it was meant for by no way at all.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeOneHub, openOneHub } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const DEADLINE_MS = 600_000;
const HOSTILE = 'Unlock the door';
const never = new AbortController().signal;

describe('a request that nobody let in', () => {
  let clock: ManualClock;
  let hub: WorkHub;

  beforeEach(async () => {
    ({ clock, hub } = await openOneHub());
  });
  afterEach(() => closeOneHub({ clock, hub }));

  const ENDS: readonly (readonly [state: string, end: () => Promise<unknown>])[] = [
    ['awaiting_approval', () => Promise.resolve()],
    ['declined', () => hub.decide(hub.card, 'decline')],
    ['expired', () => clock.advance(DEADLINE_MS + 1_000)],
    ['completed', () => hub.decide(hub.card, 'answer', undefined, { answer: 'I did it myself' })],
  ];

  it.each(ENDS)(
    'and is %s is in no inbox, no list and no conversation of its agent, and whoever asked sees it',
    async (state, end) => {
      const { id } = await hub.work.sender.delegate(
        delegation('local/lists', HOSTILE, { deadline_ms: DEADLINE_MS }),
        'claude',
        null,
      );
      await end();
      await clock.settle();
      const { tasks, conversations, inbox } = hub.work;
      const own = await tasks.get(id, { agent: 'claude' }, 0, never);
      expect([own.state, own.text]).toEqual([state, HOSTILE]);

      await expect(tasks.get(id, { agent: 'lists' }, 0, never)).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(conversations.get(own.conversation_id ?? '', 'lists')).rejects.toThrow(
        'There is no such conversation.',
      );
      const page = { limit: 50 };
      const all = [
        await tasks.list(page, { agent: 'lists' }),
        await conversations.listAs('lists', page, never),
        await inbox.claim('lists', 32),
      ];
      expect(JSON.stringify(all)).not.toContain(HOSTILE);
    },
  );

  it('neither hides nor counts in the list of its agent, which holds what that agent may know and nothing else', async () => {
    const params = { domain: 'logistics.grocery', conversation: { id: 'talk' } };
    const ask = (text: string) =>
      hub.work.sender.delegate(delegation('local/lists', text, params), 'claude', null);
    await ask('Buy milk');
    await hub.decide(hub.card, 'allow');
    await clock.advance(60_000);
    await ask(HOSTILE);
    await ask(HOSTILE);
    const { conversations } = hub.work;
    const { conversation, entries, tasks } = await conversations.get('talk', 'lists');
    expect(conversation).toMatchObject({
      title: 'Buy milk',
      messages: 1,
      last_at: conversation.first_at,
    });
    expect([entries.length, tasks.length]).toEqual([2, 1]);
    expect((await conversations.listAs('lists', { limit: 5 }, never)).items).toEqual([
      conversation,
    ]);
    expect((await conversations.listAs('claude', { limit: 5 }, never)).items).toMatchObject([
      { messages: 3, first_at: conversation.first_at },
    ]);
    expect(
      (
        await hub.work.tasks.list({ limit: 5 }, { agent: 'lists' }, { conversation: 'talk' })
      ).items.map(({ text }) => text),
    ).toEqual(['Buy milk']);
  });

  it('has no view of it read for a list: only what became of it', async () => {
    await hub.work.sender.delegate(delegation('local/lists', HOSTILE), 'claude', null);
    const whole = vi.spyOn(hub.store.read, 'approvalOfTask');
    await hub.work.conversations.listAs('lists', { limit: 5 }, never);
    await hub.work.tasks.list({ limit: 5 }, { agent: 'lists' });
    expect(whole).not.toHaveBeenCalled();
  });

  it('is seen by its agent as soon as it is let in', async () => {
    const { id } = await hub.work.sender.delegate(
      delegation('local/lists', HOSTILE),
      'claude',
      null,
    );
    await hub.decide(hub.card, 'allow');
    const task = await hub.work.tasks.get(id, { agent: 'lists' }, 0, never);
    expect(task.text).toBe(HOSTILE);
    expect(
      (await hub.work.conversations.get(task.conversation_id ?? '', 'lists')).entries,
    ).toMatchObject([{ text: HOSTILE }, { kind: 'decision' }]);
  });
});
