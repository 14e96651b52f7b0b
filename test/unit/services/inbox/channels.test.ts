// What every channel owes an agent, whichever way it brings the items: the same cases over each of
// them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderChannel } from '../../../fakes/folder-channel.ts';
import { FollowedStream } from '../../../fakes/followed-stream.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeOneHub, openOneHub } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

interface Channel {
  /** What was handed out so far, as id and attempt. */
  items(): readonly string[];
  end(): void;
}

function longPoll(hub: WorkHub, agent: string): Channel {
  const gone = new AbortController();
  const handed: string[] = [];
  const poll = async (): Promise<void> => {
    while (!gone.signal.aborted) {
      const items = await hub.work.inbox.claimWaiting(
        agent,
        { max: 8, wait_ms: 55_000, lease_ms: 60_000 },
        gone.signal,
      );
      handed.push(...items.map(({ delivery_id: id, attempt }) => `${id} ${attempt}`));
    }
  };
  void poll();
  return { items: () => handed, end: () => gone.abort() };
}

function eventStream(hub: WorkHub, agent: string): Channel {
  const stream = new FollowedStream(hub, agent);
  return { items: () => stream.items, end: () => stream.end() };
}

function folder(hub: WorkHub, agent: string): Channel {
  const path = mkdtempSync(join(tmpdir(), 'axon-channel-'));
  const channel = new FolderChannel(hub.work.inbox, agent, path);
  const read: string[] = [];
  const items = (): readonly string[] => {
    read.push(...channel.read());
    return read;
  };
  const end = (): void => {
    channel.end();
    rmSync(path, { recursive: true });
  };
  return { items, end };
}

describe.each([
  ['the long poll', longPoll],
  ['the event stream', eventStream],
  ['a channel that a test adds', folder],
])('%s', (_name, open) => {
  let clock: ManualClock;
  let hub: WorkHub;
  let channel: Channel | undefined;

  beforeEach(async () => {
    ({ clock, hub } = await openOneHub());
  });
  afterEach(async () => {
    channel?.end();
    channel = undefined;
    await closeOneHub({ clock, hub });
  });

  const allowed = async (text: string, to = 'lists'): Promise<void> => {
    await hub.work.sender.delegate(delegation(`local/${to}`, text), 'claude', null);
    await hub.decide(hub.card, 'allow');
  };
  const idsOf = (items: readonly string[]): readonly string[] =>
    items.map((item) => item.split(' ')[0] ?? '');

  it('hands out what waited before, and what comes, each once', async () => {
    await allowed('first');
    channel = open(hub, 'lists');
    await clock.settle();
    expect(channel.items()).toHaveLength(1);
    await allowed('second');
    await clock.settle();
    const items = channel.items();
    expect(items.map((item) => item.split(' ')[1])).toEqual(['1', '1']);
    expect(new Set(idsOf(items)).size).toBe(2);
    expect(hub.store.read.countDeliveries('lists', ['claimed'])).toBe(2);
  });

  it('hands an item out again when its lease ends, and no more once the agent has it', async () => {
    await allowed('first');
    channel = open(hub, 'lists');
    await clock.settle();
    const [id = ''] = idsOf(channel.items());
    await clock.advance(60_000);
    expect(channel.items()).toEqual([`${id} 1`, `${id} 2`]);
    await hub.work.inbox.ack('lists', id, null, 2);
    await clock.advance(120_000);
    expect(channel.items()).toHaveLength(2);
  });

  it('hands out a question whose asker waits, and brings the answer', async () => {
    await hub.agent('calendar', ['family.calendar'], { risk: 'R0' });
    channel = open(hub, 'calendar');
    const never = new AbortController().signal;
    const asked = hub.work.sender.query(
      { to: 'local/calendar', question: 'Milk?', domain: 'family.calendar' },
      'claude',
      never,
    );
    await clock.settle();
    const [id = ''] = idsOf(channel.items());
    await hub.work.inbox.reply('calendar', id, {
      status: 'completed',
      summary: 'Yes',
      truncated: false,
    });
    expect(await asked).toMatchObject({ state: 'answered', untrusted: { summary: 'Yes' } });
  });

  it('hands a question out again each time its lease ends', async () => {
    await hub.agent('calendar', ['family.calendar'], { risk: 'R0' });
    channel = open(hub, 'calendar');
    const question = {
      to: 'local/calendar',
      question: 'Milk?',
      domain: 'family.calendar',
      deadline_ms: 600_000,
    };
    void hub.work.sender
      .query(question, 'claude', new AbortController().signal)
      .catch(() => undefined);
    const attempts: string[] = [];
    for (let lease = 0; lease < 3; lease += 1) {
      await clock.advance(60_000);
      attempts.push(...channel.items().map((item) => item.split(' ')[1] ?? ''));
    }
    expect(new Set(attempts)).toEqual(new Set(['1', '2', '3', '4']));
  });

  it('hands out nothing of another agent', async () => {
    channel = open(hub, 'lists');
    await hub.agent('cook');
    await allowed('for the cook', 'cook');
    await clock.settle();
    expect(channel.items()).toEqual([]);
    expect(await hub.work.inbox.claim('cook', 8)).toHaveLength(1);
  });

  it('shows its agent as online as long as it is open', async () => {
    channel = open(hub, 'lists');
    await clock.advance(300_000);
    expect(hub.work.agents.get('lists').presence).toBe('online');
    channel.end();
    channel = undefined;
    await clock.advance(300_000);
    expect(hub.work.agents.get('lists').presence).not.toBe('online');
  });

  it('hands out nothing more once it has ended', async () => {
    channel = open(hub, 'lists');
    await clock.settle();
    channel.end();
    channel = undefined;
    await clock.settle();
    await allowed('too late');
    await clock.settle();
    expect(hub.store.read.countDeliveries('lists', ['queued'])).toBe(1);
  });
});
