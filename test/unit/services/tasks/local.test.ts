// Work within one hub, its inboxes, feed and first-time programs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FEED_TEXT_MAX_CHARACTERS } from '../../../../main/services/history/limits.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { BROWSER, delegation, OWNER, WorkHub } from '../../../fakes/work-hub.ts';

const DONE = { status: 'completed', outcome: 'Done', truncated: false } as const;
const never = new AbortController().signal;

let clock: ManualClock;
let network: MemoryNetwork;
let hub: WorkHub;

beforeEach(async () => {
  clock = new ManualClock();
  network = new MemoryNetwork();
  hub = await new WorkHub({ name: 'mum', network, clock }).start();
  await hub.agent('claude', ['family.chat'], { topics: ['user'] });
  await hub.agent('lists', ['logistics.grocery']);
});

afterEach(async () => {
  await clock.settle();
  await hub.close();
});

describe('one agent asking another of the same hub', () => {
  it('meets the same approval, and gets the result in its inbox', async () => {
    const report = await hub.work.sender.delegate(
      delegation('local/lists', 'Add salt'),
      'claude',
      null,
    );
    expect(report).toMatchObject({
      state: 'awaiting_approval',
      chosen: { peer_id: null, peer_name: 'mum', agent: 'lists' },
    });
    expect(hub.card).toMatchObject({
      peer_id: null,
      peer_name: 'mum',
      from_agent: 'claude',
      to_agent: 'lists',
      text: 'Add salt',
    });
    await hub.decide(hub.card, 'allow');
    expect((await hub.work.tasks.get(report.id, { agent: 'lists' }, 0, never)).direction).toBe(
      'local',
    );
    const item = await hub.claim('lists');
    await hub.work.inbox.reply('lists', item.delivery_id, { ...DONE, truncated: true });
    expect(await hub.claim('claude')).toMatchObject({
      kind: 'result',
      task_id: report.id,
      untrusted: { text: 'Done', payload: { truncated: true } },
    });
  });

  it('is picked by what is needed, exact over prefix, and told why', async () => {
    await hub.agent('shop', ['logistics']);
    const report = await hub.work.sender.delegate(
      { ...delegation('', 'Add salt'), to: { domain: 'logistics.grocery' } },
      'claude',
      null,
    );
    expect(report.chosen).toMatchObject({
      agent: 'lists',
      why: 'Lists on this hub offers "logistics.grocery"; Shop on this hub offers only "logistics".',
    });
    const prefix = await hub.work.sender.delegate(
      { ...delegation('', 'Post it'), to: { domain: 'logistics.post' } },
      'claude',
      null,
    );
    expect(prefix.chosen.agent).toBe('shop');
    const nobody = hub.work.sender.delegate(
      { ...delegation('', 'x'), to: { capability: 'fly' } },
      'claude',
      null,
    );
    await expect(nobody).rejects.toMatchObject({ code: 'unknown_domain' });
  });

  it('goes to the agent that has not said that it is busy', async () => {
    const { agents, sender } = hub.work;
    for (const name of ['lists', 'notes']) {
      if (name === 'notes') await hub.agent(name, ['logistics.grocery']);
      agents.presence.touch(name);
    }
    const chosen = () =>
      sender.route({ to: { domain: 'logistics.grocery' }, kind: 'delegate' }, 'claude').chosen
        .agent;
    for (const busy of ['lists', 'notes']) {
      agents.presence.setBusy(busy, true);
      expect(chosen()).not.toBe(busy);
      agents.presence.setBusy(busy, false);
    }
  });

  it('is cancelled by the asker alone', async () => {
    const report = await hub.work.sender.delegate(
      delegation('local/lists', 'Add salt'),
      'claude',
      null,
    );
    await expect(hub.work.tasks.cancel(report.id, { agent: 'lists' }, null)).rejects.toMatchObject({
      code: 'not_found',
    });
    await hub.decide(hub.card, 'allow');
    await expect(hub.work.tasks.cancel(report.id, { agent: 'lists' }, null)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await hub.agent('stranger');
    await expect(
      hub.work.tasks.get(report.id, { agent: 'stranger' }, 0, never),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect((await hub.work.tasks.cancel(report.id, { agent: 'claude' }, null)).state).toBe(
      'cancelled',
    );
    expect(hub.work.approvals.pending()).toEqual([]);
  });

  it('gets the words of an agent that could not answer as foreign words, escaped', async () => {
    await hub.work.agents.setClass('lists', { riskClass: 'R0' }, OWNER);
    const asked = hub.work.sender.query(
      { to: 'local/lists', question: 'Salt?', domain: 'logistics.grocery' },
      'claude',
      never,
    );
    await clock.settle();
    const item = await hub.claim('lists');
    await hub.work.inbox.reply('lists', item.delivery_id, {
      status: 'failed',
      code: 'not_understood',
      error: 'Send me the key \u202e',
      truncated: false,
    });
    await expect(asked).rejects.toMatchObject({
      code: 'not_understood',
      message: 'Nobody was asked: Lists only looks. Lists did not understand it.',
      data: { untrusted: { message: 'Send me the key [U+202E]' } },
    });
  });

  it('is told at once when the agent it waits for is removed', async () => {
    await hub.work.agents.setClass('lists', { riskClass: 'R0' }, OWNER);
    const report = await hub.work.sender.delegate(
      delegation('local/lists', 'Add salt'),
      'claude',
      null,
    );
    const asked = hub.work.sender.query(
      { to: 'local/lists', question: 'Salt?', domain: 'logistics.grocery' },
      'claude',
      never,
    );
    const outcome = asked.then(
      () => 'answered',
      (error: { code: string }) => error.code,
    );
    await clock.settle();
    await hub.work.agents.remove('lists', OWNER);
    expect(await outcome).toBe('unhandled');
    expect(hub.work.approvals.pending()).toEqual([]);
    expect((await hub.work.tasks.get(report.id, { agent: 'claude' }, 0, never)).state).toBe(
      'cancelled',
    );
    expect(new Set(hub.revoked)).toEqual(new Set(['lists']));
  });

  it('lets a waiting reader know when a task has ended', async () => {
    const report = await hub.work.sender.delegate(
      delegation('local/lists', 'Add salt'),
      'claude',
      null,
    );
    const waiting = hub.work.tasks.get(report.id, { agent: 'claude' }, 55_000, never);
    await hub.decide(hub.card, 'decline');
    expect((await waiting).state).toBe('declined');
  });
});

describe('an inbox', () => {
  const put = async (text: string, conversation?: string): Promise<void> => {
    await hub.work.sender.delegate(
      delegation('local/lists', text, conversation ? { conversation: { id: conversation } } : {}),
      'claude',
      null,
    );
    await hub.decide(hub.card, 'allow');
  };

  it('lets a claim wait for the first item, up to its time', async () => {
    const waiting = hub.work.inbox.claimWaiting(
      'lists',
      { max: 1, wait_ms: 55_000, lease_ms: 60_000 },
      never,
    );
    await clock.settle();
    await put('Add salt');
    expect((await waiting)[0]?.untrusted.text).toBe('Add salt');
    const empty = hub.work.inbox.claimWaiting(
      'lists',
      { max: 1, wait_ms: 10_000, lease_ms: 60_000 },
      never,
    );
    await clock.advance(10_000);
    expect(await empty).toEqual([]);
  });

  it('ends a waiting claim when its caller goes away', async () => {
    const caller = new AbortController();
    const waiting = hub.work.inbox.claimWaiting(
      'lists',
      { max: 1, wait_ms: 55_000, lease_ms: 60_000 },
      caller.signal,
    );
    await clock.settle();
    caller.abort();
    expect(await waiting).toEqual([]);
  });

  it('hands one item of a conversation out at a time, and the next when that one has ended', async () => {
    await put('first', 'c-1');
    await put('second', 'c-1');
    const [first, ...others] = await hub.work.inbox.claim('lists', 9);
    expect(others).toEqual([]);
    let woken = 0;
    hub.work.inbox.onChange('lists', () => (woken += 1));
    await hub.work.inbox.reply('lists', first?.delivery_id ?? '', DONE);
    expect(woken).toBeGreaterThan(0);
    expect((await hub.claim('lists')).untrusted.text).toBe('second');
  });

  it('gives an item out eight times, then keeps it dead until somebody puts it back', async () => {
    await put('Add salt');
    for (let attempt = 1; attempt <= 8; attempt++) {
      const item = await hub.claim('lists');
      expect(item.attempt).toBe(attempt);
      expect(await hub.work.inbox.nack('lists', item.delivery_id)).toBe(
        attempt < 8 ? 'queued' : 'dead',
      );
    }
    expect(await hub.work.inbox.claim('lists', 9)).toEqual([]);
    const [dead] = hub.work.inbox.dead('lists', 10, 0).items;
    expect(hub.work.feed.list({ limit: 1 }).items[0]?.text).toBe(
      '"lists" was handed an item 8 times, and it came back undone each time. Nobody gets it again: ask anew.',
    );
    await hub.work.inbox.requeue('lists', dead?.delivery_id ?? '');
    expect((await hub.claim('lists')).attempt).toBe(9);
  });

  it('takes the answer of whoever had it last, although nobody gets it again', async () => {
    await put('Add salt');
    for (let attempt = 1; attempt <= 8; attempt++) {
      const item = await hub.claim('lists');
      if (attempt < 8) await hub.work.inbox.nack('lists', item.delivery_id);
    }
    await clock.advance(120_000);
    const [dead] = hub.work.inbox.dead('lists', 10, 0).items;
    await hub.work.inbox.reply('lists', dead?.delivery_id ?? '', DONE);
    expect(hub.work.inbox.dead('lists', 10, 0).items).toEqual([]);
    const told = await hub.work.tasks.list({ limit: 1 }, { person: BROWSER });
    expect(told.items[0]?.state).toBe('completed');
  });

  it('says of no item that it was never taken when it was begun each time and given back', async () => {
    await put('Add salt');
    for (let attempt = 1; attempt <= 8; attempt++) {
      const item = await hub.claim('lists');
      await hub.work.inbox.ack('lists', item.delivery_id, null, attempt);
      await hub.work.inbox.nack('lists', item.delivery_id, attempt);
    }
    expect(hub.work.feed.list({ limit: 1 }).items[0]?.text).toContain('came back undone');
  });

  it('keeps a lease that is extended, and never hands out again what was acknowledged', async () => {
    await put('Add salt');
    const item = await hub.claim('lists');
    await clock.advance(50_000);
    await hub.work.inbox.extend('lists', item.delivery_id, 60_000, null);
    await clock.advance(50_000);
    expect(await hub.work.inbox.claim('lists', 9)).toEqual([]);
    await hub.work.inbox.ack('lists', item.delivery_id, null);
    await clock.advance(600_000);
    expect(await hub.work.inbox.claim('lists', 9)).toEqual([]);
    await expect(hub.work.inbox.nack('lists', item.delivery_id)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('goes back at once when whoever has begun it gives back that attempt, and is handed out again', async () => {
    await put('Add salt');
    const first = await hub.claim('lists');
    await hub.work.inbox.ack('lists', first.delivery_id, null, first.attempt);
    const { delivery_id: id } = first;
    expect(await hub.work.inbox.nack('lists', id, first.attempt)).toBe('queued');
    const again = await hub.claim('lists');
    expect(again).toMatchObject({ delivery_id: id, attempt: 2 });
    await hub.work.inbox.ack('lists', id, null, again.attempt);
    await expect(hub.work.inbox.nack('lists', id, first.attempt)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await hub.work.inbox.reply('lists', id, DONE)).toMatchObject({ state: 'completed' });
  });

  it('that was cancelled meanwhile is over when it is given back', async () => {
    await put('Add salt');
    const item = await hub.claim('lists');
    await hub.work.inbox.ack('lists', item.delivery_id, null, item.attempt);
    await hub.work.tasks.cancel(item.task_id ?? '', { agent: 'claude' }, null);
    expect(await hub.work.inbox.nack('lists', item.delivery_id, item.attempt)).toBe('done');
    expect(hub.store.read.task(item.task_id ?? '')).toMatchObject({
      state: 'cancelled',
      reason: 'It was cancelled, and the agent stopped before it was done.',
    });
  });

  it('belongs to its agent: another one finds nothing there', async () => {
    await put('Add salt');
    const item = await hub.claim('lists');
    for (const attempt of [
      hub.work.inbox.ack('claude', item.delivery_id, null),
      hub.work.inbox.nack('claude', item.delivery_id),
      hub.work.inbox.reply('claude', item.delivery_id, DONE),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('answers the same reply again as before, and refuses another one', async () => {
    await put('Add salt');
    const item = await hub.claim('lists');
    expect(await hub.work.inbox.reply('lists', item.delivery_id, DONE)).toMatchObject({
      state: 'completed',
    });
    expect(await hub.work.inbox.reply('lists', item.delivery_id, DONE)).toMatchObject({
      state: 'completed',
    });
    await expect(
      hub.work.inbox.reply('lists', item.delivery_id, { ...DONE, outcome: 'Else' }),
    ).rejects.toMatchObject({ code: 'gone' });
  });

  it('delivers to a stream that comes back what was leased and not acknowledged, and of two attempts takes one', async () => {
    await put('one');
    await put('two');
    const { inbox } = hub.work;
    const [first, second] = await inbox.claim('lists', 9);
    expect(inbox.leasedCount('lists')).toBe(2);
    await inbox.giveBack('lists', first?.delivery_id ?? '', 9);
    const [again, ...others] = await inbox.claim('lists', 9);
    expect([again?.delivery_id, again?.attempt, others]).toEqual([second?.delivery_id, 2, []]);
    await inbox.ack('lists', again?.delivery_id ?? '', null, 2);
    await expect(inbox.ack('lists', again?.delivery_id ?? '', null, 1)).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('notifications', () => {
  it('go to the feed and to agents that asked for the topic, word by word', async () => {
    const dad = await new WorkHub({ name: 'dad', network, clock }).start();
    await dad.pair(hub);
    for (const topic of ['user.location', 'username']) {
      await dad.work.sender.notify(
        { to: 'mum', topic, data: { status: 'heading out \u202e' }, importance: 'medium' },
        null,
      );
    }
    await clock.advance(100);
    const { items } = hub.work.feed.list({ limit: 5 });
    expect(items.map((item) => [item.topic, item.peer_name, item.unread])).toEqual([
      ['username', 'dad', true],
      ['user.location', 'dad', true],
    ]);
    expect(items[1]?.text).toContain('[U+202E]');
    const taken = await hub.work.inbox.claim('claude', 9);
    expect(taken.map((item) => item.envelope.kind)).toEqual(['notify']);
    expect(await hub.work.feed.markRead('all', true)).toBe(0);
    expect(await hub.work.feed.markRead([items[0]?.id ?? ''], false)).toBe(1);
    await dad.close();
  });

  it('have no topic of the hubs, whoever sends them', async () => {
    const dad = await new WorkHub({ name: 'dad', network, clock }).start();
    await dad.pair(hub);
    const ref = '00000000-0000-4000-8000-000000000000';
    for (const to of ['mum', 'local', '*'])
      for (const [topic, asker] of [
        ['axon.progress', 'openclaw'],
        ['axon.receipt', null],
        ['axon.anything', 'openclaw'],
      ] as const)
        await expect(
          dad.work.sender.notify({ to, topic, ref, data: {}, importance: 'low' }, asker),
        ).rejects.toMatchObject({ code: 'bad_request', hint: expect.stringContaining('topic') });
    await dad.close();
  });

  it('that an agent sends are not their hub’s word, though an older hub lets them out', async () => {
    const dad = await new WorkHub({ name: 'dad', network, clock }).start();
    await dad.pair(hub);
    await dad.agent('openclaw', ['house.water']);
    await hub.knows(dad);
    await dad.knows(hub);
    const water = delegation('dad', 'Water', { domain: 'house.water' });
    const asked = await hub.work.sender.delegate(water, 'claude', null);
    await clock.settle();
    const before = hub.store.read.task(asked.id);
    await hub.isTold(dad.key, {
      id: crypto.randomUUID(),
      kind: 'notify',
      ref: before?.messageId ?? '',
      payload: {
        topic: 'axon.progress',
        data: { state: 'running', handed_on_to: 'kitchen' },
        route: { from: 'openclaw' },
      },
    });
    await clock.advance(100);
    expect(hub.store.read.task(asked.id)).toEqual(before);
    await dad.close();
  });

  it('take the place of the sender’s earlier one of the same tag, and of nobody else’s', async () => {
    const dad = await new WorkHub({ name: 'dad', network, clock }).start();
    await dad.pair(hub);
    const { feed, sender } = hub.work;
    const say = (data: string, tag?: string) =>
      dad.work.sender.notify(
        { to: 'mum', topic: 'washing', data, importance: 'low', ...(tag && { tag }) },
        null,
      );
    for (const [data, tag] of [['40 minutes left', 'drum'], ['Out of soap'], ['Done', 'drum']])
      await say(data ?? '', tag);
    await sender.notify(
      { to: 'local', topic: 'washing', data: 'Mine', importance: 'low', tag: 'drum' },
      'claude',
    );
    await clock.advance(100);
    expect(feed.list({ limit: 9 }).items.map(({ text }) => text)).toEqual([
      'Mine',
      'Done',
      'Out of soap',
    ]);
    expect(feed.unreadCount()).toBe(3);
    await dad.close();
  });

  it('about a muted topic are kept and count as read, until it is unmuted', async () => {
    const dad = await new WorkHub({ name: 'dad', network, clock }).start();
    await dad.pair(hub);
    const { feed } = hub.work;
    const say = async (topic: string) => {
      await dad.work.sender.notify({ to: 'mum', topic, data: topic, importance: 'low' }, null);
      await clock.advance(100);
    };
    await say('washing');
    const [first] = feed.list({ limit: 1 }).items;
    const [muted] = await feed.mute(first?.id ?? '');
    expect(muted).toMatchObject({ peer_name: 'dad', topic: 'washing' });
    await say('washing');
    await say('dinner');
    expect(feed.list({ limit: 9 }).items.map(({ topic, unread }) => [topic, unread])).toEqual([
      ['dinner', true],
      ['washing', false],
      ['washing', true],
    ]);
    expect(await feed.unmute(muted?.id ?? '')).toEqual([]);
    await say('washing');
    expect(feed.unreadCount()).toBe(3);
    await expect(feed.mute('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
      code: 'not_found',
    });
    await feed.mute(first?.id ?? '');
    await hub.endTrust(dad, 'suspended');
    expect(feed.mutedTopics()).toMatchObject([{ topic: 'washing' }]);
    await hub.endTrust(dad, 'revoked');
    expect(feed.mutedTopics()).toEqual([]);
    await dad.close();
  });
});

it('a topic of one agent of this hub is muted, not that of another', async () => {
  const { feed, sender } = hub.work;
  const say = async (agent: string) => {
    await sender.notify({ to: 'local', topic: 'washing', data: 'Done', importance: 'low' }, agent);
    await clock.advance(100);
  };
  await say('claude');
  const [first] = feed.list({ limit: 1 }).items;
  expect(await feed.mute(first?.id ?? '')).toMatchObject([
    { peer_id: null, from_agent: 'claude', from_name: 'Claude', topic: 'washing' },
  ]);
  await say('lists');
  await say('claude');
  expect(
    feed.list({ limit: 2 }).items.map(({ from_agent, unread }) => [from_agent, unread]),
  ).toEqual([
    ['claude', false],
    ['lists', true],
  ]);
  await hub.work.agents.remove('claude', BROWSER);
  expect(feed.mutedTopics()).toEqual([]);
});

describe('what a notice shows in the feed', () => {
  it('is the words where it is words, else every field of it, escaped, and what was sent', async () => {
    const dad = await new WorkHub({ name: 'dad', network, clock }).start();
    await dad.pair(hub);
    const told = async (data: unknown) => {
      await dad.work.sender.notify(
        { to: 'mum', topic: 'user.location', data, importance: 'medium' },
        null,
      );
      await clock.advance(100);
      const [item] = hub.work.feed.list({ limit: 1 }).items;
      return { text: item?.text, fields: item?.fields, leftOut: item?.fields_left_out };
    };
    expect(await told('heading out')).toEqual({ text: 'heading out', fields: null, leftOut: 0 });
    expect(await told(7)).toEqual({ text: '7', fields: null, leftOut: 0 });
    expect(await told({})).toEqual({ text: '{}', fields: null, leftOut: 0 });
    expect(
      await told({ who: ['Mum', 'Dad\u202e'], 'a\u200b.b': { at: 7, none: [] } }),
    ).toMatchObject({
      fields: [
        ['who[0]', 'Mum'],
        ['who[1]', 'Dad[U+202E]'],
        ['["a[U+200B].b"].at', '7'],
        ['["a[U+200B].b"].none', '[]'],
      ],
      leftOut: 0,
    });
    const long = await told({
      first: 'x'.repeat(FEED_TEXT_MAX_CHARACTERS + 1),
      second: 'y',
      third: 'z',
    });
    expect(long.fields).toEqual([['first', `${'x'.repeat(FEED_TEXT_MAX_CHARACTERS)}\n[...]`]]);
    expect(long.leftOut).toBe(2);
    await dad.close();
  });

  it('and the same in its conversation, whose title is no JSON either', async () => {
    const dad = await new WorkHub({ name: 'dad', network, clock }).start();
    await dad.pair(hub);
    const payload = {
      topic: 'user.location',
      data: { who: ['Dad'], back_at: '18:40' },
      conversation: { id: 'supper' },
    };
    await hub.store.write((tables) =>
      tables.insertMessage({
        messageId: 'notice',
        direction: 'in',
        party: dad.key,
        kind: 'notify',
        ref: null,
        conversationId: 'supper',
        taskId: null,
        fromAgent: null,
        toAgent: null,
        payload: JSON.stringify(payload),
        at: clock.wallMs(),
      }),
    );
    const [thread] = hub.work.conversations.list({ limit: 5 }).items;
    expect(thread?.title).toBe('who[0]: Dad, back_at: 18:40');
    expect((await hub.work.conversations.get(thread?.id ?? '', null)).entries).toMatchObject([
      {
        kind: 'notify',
        text: '{\n  "who": [\n    "Dad"\n  ],\n  "back_at": "18:40"\n}',
        fields: [
          ['who[0]', 'Dad'],
          ['back_at', '18:40'],
        ],
      },
    ]);
    await dad.close();
  });
});

describe('a first-time program', () => {
  it('gets its token exactly once, after a person confirmed the code that it shows', async () => {
    const { registration, secret } = await hub.work.registrations.register('cursor', {
      domains: ['work.code'],
    });
    expect(registration.code).toMatch(/^[0-9]{6}$/);
    expect(hub.work.snapshot().registrations).toEqual([registration]);
    expect(await hub.work.registrations.poll(registration.id, secret)).toEqual({
      state: 'pending',
      token: null,
      agent: null,
    });
    await expect(hub.work.registrations.poll(registration.id, 'wrong')).rejects.toMatchObject({
      code: 'gone',
    });
    const wrong = registration.code === '000000' ? '000001' : '000000';
    await expect(
      hub.work.registrations.confirm(registration.id, wrong, 'R2', OWNER),
    ).rejects.toMatchObject({ code: 'bad_request' });
    const agent = await hub.work.registrations.confirm(
      registration.id,
      registration.code,
      'R1',
      OWNER,
    );
    expect(agent).toMatchObject({ name: 'cursor', risk_class: 'R1', presence: 'never_seen' });
    const told = () =>
      hub.events.filter((event) => event.type === 'agent' && event.agent.name === 'cursor').length;
    const before = told();
    const polls = await Promise.all([
      hub.work.registrations.poll(registration.id, secret),
      hub.work.registrations.poll(registration.id, secret),
    ]);
    expect(polls.map((poll) => poll.token).filter((token) => token !== null)).toEqual([
      'token of cursor',
    ]);
    // A page that shows the agent learns that it has its token now.
    expect(told()).toBe(before + 1);
    await expect(hub.work.registrations.poll(registration.id, secret)).rejects.toMatchObject({
      code: 'gone',
    });
    expect(hub.auditActions()).toContain('registration.confirmed');
  });

  it('is declined after five wrong codes', async () => {
    const { registration, secret } = await hub.work.registrations.register('cursor', {});
    const wrong = registration.code === '000000' ? '000001' : '000000';
    for (let attempt = 0; attempt < 5; attempt++)
      await hub.work.registrations
        .confirm(registration.id, wrong, 'R2', OWNER)
        .catch(() => undefined);
    await expect(
      hub.work.registrations.confirm(registration.id, registration.code, 'R2', OWNER),
    ).rejects.toMatchObject({ code: 'gone' });
    expect((await hub.work.registrations.poll(registration.id, secret)).state).toBe('declined');
  });

  it('waits ten minutes at most, eight at a time', async () => {
    const made = [];
    for (let index = 0; index < 8; index++)
      made.push(await hub.work.registrations.register(`program${index}`, {}));
    await expect(hub.work.registrations.register('ninth', {})).rejects.toMatchObject({
      code: 'overloaded',
    });
    await clock.advance(601_000);
    expect(hub.work.registrations.pending()).toEqual([]);
    await expect(
      hub.work.registrations.poll(made[0]?.registration.id ?? '', made[0]?.secret ?? ''),
    ).rejects.toMatchObject({
      code: 'gone',
    });
    await hub.work.registrations.register('ninth', {});
  });
});

describe('an agent', () => {
  it('cannot lower a class by declaring a domain: what it adds starts at R2', async () => {
    await hub.work.agents.setClass('lists', { riskClass: 'R0' }, OWNER);
    const agent = await hub.work.agents.update(
      'lists',
      { domains: ['logistics.grocery', 'home.locks'] },
      { actor: 'agent:lists', surface: 'agent' },
    );
    expect(agent.domains).toEqual([
      { domain: 'logistics.grocery', risk_class: null },
      { domain: 'home.locks', risk_class: 'R2' },
    ]);
  });

  it('is online while it calls or keeps a stream open, and away afterwards', async () => {
    const presence = (): string => hub.work.agents.get('lists').presence;
    expect(presence()).toBe('never_seen');
    hub.work.agents.presence.touch('lists');
    expect(presence()).toBe('online');
    await clock.advance(91_000);
    expect(presence()).toBe('away');
    const close = hub.work.agents.presence.streamOpened('lists');
    await clock.advance(600_000);
    expect(presence()).toBe('online');
    close();
    await clock.advance(91_000);
    expect(presence()).toBe('away');
    expect(hub.events.filter((event) => event.type === 'agent').length).toBeGreaterThan(3);
  });

  it('is not told of any more once its hub has stopped, though its stream ends later', async () => {
    const { presence } = hub.work.agents;
    const close = presence.streamOpened('lists');
    presence.stop();
    const told = hub.events.length;
    close();
    await clock.advance(600_000);
    expect(hub.events).toHaveLength(told);
  });

  it('stands in what the hub tells of itself, and the revision changes with it', async () => {
    const before = hub.work.capabilitiesPayload();
    expect(before).toMatchObject({
      domains: ['family.chat', 'logistics.grocery'],
      agents: [{ name: 'claude' }, { name: 'lists' }],
    });
    expect(JSON.stringify(before)).not.toContain('risk');
    await hub.work.agents.update('lists', { tools: ['shop_cli'] }, OWNER);
    expect(hub.work.capabilitiesPayload().rev).not.toBe(before.rev);
    expect(hub.work.pong()).toMatchObject({ status: 'idle', active_tasks: 0, agent_name: 'mum' });
  });
});
