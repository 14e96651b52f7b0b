import { describe, expect, test } from 'vitest';
import type { UiEventBody, UiSnapshot } from '../../../preload/contract/dto.ts';
import { applyEvent } from '../../../renderer/app/apply-event.ts';
import {
  AGENTS,
  approvalOf,
  DAD,
  DECIDED,
  DINNER,
  FEED,
  KNOCK,
  MUM,
  SALT,
  SETTINGS,
  noticeOf,
  pairingOf,
  snapshotOf,
} from '../../fakes/household.ts';

const apply = (snapshot: UiSnapshot, ...bodies: readonly UiEventBody[]): UiSnapshot =>
  bodies.reduce<UiSnapshot>(
    (before, body) => applyEvent(before, { ...body, seq: before.seq + 1 }),
    snapshot,
  );

describe('an event changes the page’s picture of its hub', () => {
  test('the number of the newest event is kept, whatever it was about', () => {
    expect(
      apply(snapshotOf(), { type: 'attention', approval_id: DINNER.id, peer_name: 'Dad’s laptop' })
        .seq,
    ).toBe(101);
  });

  test('the hub, the settings, hubs, pairings, agents and programs that knock are put or taken away by their names', () => {
    const after = apply(
      snapshotOf(),
      { type: 'hub', hub: { ...MUM, name: 'Kitchen' } },
      { type: 'settings', settings: { ...SETTINGS, theme: 'dark' } },
      { type: 'peer', peer: { ...DAD, name: 'Dad' } },
      { type: 'pairing', pairing: pairingOf('offered') },
      { type: 'pairing', pairing: pairingOf('exchanging') },
      {
        type: 'pairing_window',
        window: { open: true, closes_at: 1, locked_until: null, asked: null },
      },
      { type: 'agent_gone', name: AGENTS[0]?.name ?? '' },
      { type: 'registration', registration: KNOCK },
    );
    expect(after.hub.name).toBe('Kitchen');
    expect(after.settings.theme).toBe('dark');
    expect(after.peers.find((peer) => peer.id === DAD.id)?.name).toBe('Dad');
    expect(after.peers).toHaveLength(snapshotOf().peers.length);
    expect(after.pairings.map((pairing) => pairing.state)).toEqual(['exchanging']);
    expect(after.pairing_window.open).toBe(true);
    expect(after.agents).toHaveLength(AGENTS.length - 1);
    expect(after.registrations).toEqual([KNOCK]);
    const gone = apply(
      after,
      { type: 'peer_gone', id: DAD.id },
      { type: 'pairing_gone', id: 'pairing-1' },
      { type: 'registration_gone', id: KNOCK.id },
    );
    expect([
      gone.peers.some((peer) => peer.id === DAD.id),
      gone.pairings,
      gone.registrations,
    ]).toEqual([false, [], []]);
  });

  test('a decided approval leaves the waiting ones, stands first among the decided, and never comes back', () => {
    const decided = { ...DINNER, state: 'approved' as const, decided_at: 1 };
    const after = apply(
      snapshotOf({ approvals: [DINNER, SALT] }),
      { type: 'approval', approval: decided },
      { type: 'approval', approval: DINNER },
    );
    expect(after.approvals).toEqual([SALT]);
    expect(after.recently_decided).toEqual([decided, ...DECIDED]);
  });

  test('however much rules decide, what people decided stays', () => {
    const ruled = Array.from({ length: 80 }, (_, index) => ({
      type: 'approval' as const,
      approval: approvalOf(`ruled ${index}`, { state: 'approved', rule_id: 'rule' }),
    }));
    const after = apply(snapshotOf(), ...ruled).recently_decided;
    expect(after.filter(({ rule_id }) => rule_id === null)).toEqual(DECIDED);
    expect(after.filter(({ rule_id }) => rule_id !== null)).toHaveLength(50);
  });

  test('an older revision never replaces a newer one', () => {
    const newer = { ...DINNER, revision: 2, text: 'new' };
    expect(
      apply(snapshotOf({ approvals: [newer] }), { type: 'approval', approval: DINNER }).approvals,
    ).toEqual([newer]);
  });

  test('an older picture of the task never replaces a newer one, and moves nothing', () => {
    const taken = {
      ...DINNER,
      state: 'approved' as const,
      decided_at: 1,
      task_state: 'claimed',
      task_revision: 4,
    };
    const before = snapshotOf({ recently_decided: [...DECIDED, taken] });
    const late = { ...taken, task_state: 'queued', task_revision: 3 };
    expect(apply(before, { type: 'approval', approval: late }).recently_decided).toEqual([
      ...DECIDED,
      taken,
    ]);
    const done = { ...taken, task_state: 'completed', task_revision: 5 };
    expect(apply(before, { type: 'approval', approval: done }).recently_decided).toEqual([
      ...DECIDED,
      done,
    ]);
  });

  test('a notice comes in on top; reading some or all of them counts', () => {
    const item = noticeOf('new', 60, { unread: true });
    const after = apply(snapshotOf(), { type: 'feed', item, unread: 4 });
    expect(after.feed[0]).toEqual(item);
    const some = apply(after, { type: 'feed_read', ids: [item.id], read: true, unread: 3 });
    expect(some.feed.filter((notice) => notice.unread)).toHaveLength(
      FEED.filter((notice) => notice.unread).length,
    );
    const all = apply(some, { type: 'feed_read', ids: 'all', read: true, unread: 0 });
    expect([all.feed.some((notice) => notice.unread), all.feed_unread]).toEqual([false, 0]);
    const again = apply(all, { type: 'feed_read', ids: [item.id], read: false, unread: 1 });
    expect(again.feed.filter((notice) => notice.unread).map(({ id }) => id)).toEqual([item.id]);
  });

  test('notices that are not kept any longer leave, and are not counted as unread', () => {
    const [old, young] = [
      noticeOf('old', 5_000, { unread: true, at: 1_000 }),
      noticeOf('young', 60, { unread: true, at: 2_000 }),
    ];
    const late = noticeOf('kept for longer', 4_000, { unread: true, at: 500 });
    const before = snapshotOf({ feed: [young, old, late], feed_unread: 3 });
    const after = apply(before, { type: 'feed_removed', seqs: [old.seq], unread: 2 });
    expect([after.feed, after.feed_unread]).toEqual([[young, late], 2]);
  });
});
