import { describe, expect, test } from 'vitest';
import { Attention, type DesktopPicture } from '../../../main/shell/attention.ts';
import type { ApprovalDto, PeerDto, UiEvent } from '../../../preload/contract/dto.ts';
import { approvalOf, DAD, snapshotOf } from '../../fakes/household.ts';

const approval = (
  id: string,
  state: ApprovalDto['state'] = 'pending',
  over: Partial<ApprovalDto> = {},
): ApprovalDto => approvalOf('train', { id, state, peer_name: 'Dad', expires_at: 1, ...over });

function watched() {
  const seen: string[] = [];
  const pictures: DesktopPicture[] = [];
  const attention = new Attention({
    show: (picture) => {
      const before = pictures.at(-1);
      pictures.push(picture);
      const names = (one: DesktopPicture | undefined) => one?.stops.join(', ') ?? '';
      if (before?.waiting.length !== picture.waiting.length)
        seen.push(`count ${picture.waiting.length}`);
      if (names(before) !== names(picture)) seen.push(`stops ${names(picture)}`);
    },
    notify: (id, name) => seen.push(`notify ${id} ${name}`),
    withdraw: (id) => seen.push(`withdraw ${id}`),
    notifyStop: (id, name) => seen.push(`notify stop ${id} ${name}`),
    withdrawStop: (id) => seen.push(`withdraw stop ${id}`),
  });
  return { attention, seen, pictures };
}

const event = (body: Record<string, unknown>): UiEvent => ({ seq: 1, ...body }) as UiEvent;

describe('attention outside the window', () => {
  test('counts exactly the requests that wait', () => {
    const { attention, seen, pictures } = watched();
    attention.reset(
      snapshotOf({
        peers: [],
        approvals: [approval('a'), approval('b'), approval('c', 'declined')],
      }),
    );
    attention.apply(event({ type: 'approval', approval: approval('a', 'approved') }));
    attention.apply(event({ type: 'approval', approval: approval('a', 'approved') }));
    attention.apply(event({ type: 'approval', approval: approval('d') }));
    expect(pictures.at(-1)?.waiting.map(({ id }) => id)).toEqual(['b', 'd']);
    expect(seen).toEqual(['count 2', 'withdraw a', 'count 1', 'count 2']);
  });

  test('counts nothing that is put off, or that an adult’s hub decides, and says what each is', () => {
    const { attention, pictures } = watched();
    const choice = { options: [], recommended: null };
    const held = { why: 'quiet_hours', until: null } as const;
    const mums = { id: 'm', name: 'Mum’s PC', person: 'Mum', state: 'asked' } as const;
    attention.reset(
      snapshotOf({
        peers: [],
        approvals: [
          approval('a', 'pending', { to_agent: '', choice }),
          approval('b', 'pending', { kind: 'query' }),
          approval('c', 'pending', { held }),
          approval('d', 'pending', { decided_by_hubs: [mums] }),
        ],
      }),
    );
    expect(pictures.at(-1)?.waiting).toEqual([
      { id: 'a', peer_name: 'Dad', kind: 'choice' },
      { id: 'b', peer_name: 'Dad', kind: 'question' },
    ]);
  });

  test('counts a dangerous request of a quiet hour at once, and notifies of it only when the hub says so', () => {
    const { attention, seen } = watched();
    const quiet = { ...snapshotOf().attention, quiet_now: { name: 'Night', until: 2 } };
    attention.reset(snapshotOf({ peers: [], approvals: [], attention: quiet }));
    attention.apply(event({ type: 'approval', approval: { ...approval('a'), risk_class: 'R3' } }));
    expect(seen).toEqual(['count 0', 'count 1']);
    attention.apply(event({ type: 'do_not_disturb', attention: snapshotOf().attention }));
    attention.apply(event({ type: 'attention', approval_id: 'a', peer_name: 'Dad' }));
    expect(seen.slice(2)).toEqual(['notify a Dad']);
  });

  test('notifies only for a request that still waits', () => {
    const { attention, seen } = watched();
    attention.reset(snapshotOf({ peers: [], approvals: [] }));
    attention.apply(event({ type: 'attention', approval_id: 'gone', peer_name: 'Dad' }));
    attention.apply(event({ type: 'approval', approval: approval('a') }));
    attention.apply(event({ type: 'attention', approval_id: 'a', peer_name: 'Dad' }));
    expect(seen).toEqual(['count 0', 'count 1', 'notify a Dad']);
  });

  test('notifies of what the hub called people for before anybody followed it, where that still waits, and of nothing else it told', () => {
    const { attention, seen } = watched();
    const told = [
      event({ type: 'attention', approval_id: 'gone', peer_name: 'Leo' }),
      event({ type: 'approval', approval: approval('b') }),
      event({ type: 'attention', approval_id: 'a', peer_name: 'Dad' }),
    ];
    attention.reset(snapshotOf({ peers: [], approvals: [approval('a')] }), told);
    expect(seen).toEqual(['count 1', 'notify a Dad']);
  });

  test('a snapshot takes away what it does not hold: what was decided, and stops that are over, rung or not', () => {
    const { attention, seen } = watched();
    const stop = {
      seen_key: 'ab'.repeat(32),
      seen_id: 'x',
      seen_safety_number: '1',
      address: '192.0.2.1:7100',
      seen_at: 1,
      kept_at: null,
    };
    const { attention: settings } = snapshotOf();
    const other = { ...DAD, id: 'other', name: 'Leo’s tablet', key_change: stop };
    attention.reset(
      snapshotOf({
        peers: [{ ...DAD, key_change: stop }],
        approvals: [approval('a'), approval('b')],
      }),
    );
    attention.apply(
      event({
        type: 'do_not_disturb',
        attention: { ...settings, paused: { since: 1, until: null, stopped: false } },
      }),
    );
    attention.apply(event({ type: 'peer', peer: other }));
    seen.length = 0;
    attention.reset(snapshotOf({ peers: [], approvals: [approval('b')] }));
    expect(seen.toSorted()).toEqual(
      [
        'withdraw a',
        'count 1',
        `stops ${other.name}`,
        'stops ',
        `withdraw stop ${DAD.id}`,
      ].toSorted(),
    );
    seen.length = 0;
    attention.apply(event({ type: 'do_not_disturb', attention: settings }));
    expect(seen).toEqual([]);
  });

  test('a snapshot that finds nobody sleeping says what waited for that', () => {
    const { attention, seen } = watched();
    const stop = {
      seen_key: 'ab'.repeat(32),
      seen_id: 'x',
      seen_safety_number: '1',
      address: '192.0.2.1:7100',
      seen_at: 1,
      kept_at: null,
    };
    const peers = [{ ...DAD, key_change: stop }];
    const { attention: settings } = snapshotOf();
    attention.reset(
      snapshotOf({
        peers,
        approvals: [],
        attention: { ...settings, paused: { since: 1, until: null, stopped: false } },
      }),
    );
    attention.reset(snapshotOf({ peers, approvals: [] }));
    expect(seen).toEqual(['count 0', `stops ${DAD.name}`, `notify stop ${DAD.id} ${DAD.name}`]);
  });

  test('draws the household, the pause, the state of the hub and a copy of it, each only when it changes', () => {
    const { attention, pictures } = watched();
    const { hub, attention: settings } = snapshotOf();
    attention.reset(snapshotOf({ peers: [DAD], approvals: [] }));
    expect(pictures).toMatchObject([
      { hubs: [{ id: DAD.id, name: DAD.name, online: DAD.online }], paused: null },
    ]);
    attention.apply(event({ type: 'peer', peer: { ...DAD, round_trip_ms: 77 } }));
    attention.apply(event({ type: 'hub', hub: { ...hub, name: 'Another' } }));
    expect(pictures).toHaveLength(1);
    attention.apply(event({ type: 'peer', peer: { ...DAD, online: !DAD.online } }));
    attention.apply(event({ type: 'peer', peer: { ...DAD, trust: 'suspended' } }));
    attention.apply(event({ type: 'hub', hub: { ...hub, copy_at: '192.0.2.1:7100' } }));
    attention.apply(event({ type: 'hub', hub: { ...hub, state: 'identity_locked' } }));
    const paused = { since: 1, until: null, stopped: false };
    attention.apply(event({ type: 'do_not_disturb', attention: { ...settings, paused } }));
    expect(pictures.slice(1)).toMatchObject([
      { hubs: [{ online: !DAD.online }] },
      { hubs: [] },
      { hub: { state: 'running', copy_at: '192.0.2.1:7100' } },
      { hub: { state: 'identity_locked', copy_at: null } },
      { paused },
    ]);
  });

  describe('HE-09: a hub in whose place another key answers', () => {
    const stopped = (keptAt: number | null = null): PeerDto => ({
      ...DAD,
      key_change: {
        seen_key: 'ab'.repeat(32),
        seen_id: 'x',
        seen_safety_number: '1',
        address: '192.0.2.1:7100',
        seen_at: 1,
        kept_at: keptAt,
      },
    });
    const settings = snapshotOf().attention;

    test('is said once, in the tray and by a notification, until a person has answered', () => {
      const { attention, seen } = watched();
      attention.reset(snapshotOf({ peers: [DAD], approvals: [] }));
      for (let time = 0; time < 3; time++)
        attention.apply(event({ type: 'peer', peer: stopped() }));
      attention.apply(event({ type: 'peer', peer: stopped(2) }));
      attention.apply(event({ type: 'peer', peer: stopped(2) }));
      expect(seen).toEqual([
        'count 0',
        `stops ${DAD.name}`,
        `notify stop ${DAD.id} ${DAD.name}`,
        `withdraw stop ${DAD.id}`,
        'stops ',
      ]);
    });

    test('is said at a start that finds it, and is gone with the hub', () => {
      const { attention, seen } = watched();
      attention.reset(snapshotOf({ peers: [stopped()], approvals: [] }));
      attention.apply(event({ type: 'peer_gone', id: DAD.id }));
      expect(seen).toEqual([
        'count 0',
        `stops ${DAD.name}`,
        `notify stop ${DAD.id} ${DAD.name}`,
        `withdraw stop ${DAD.id}`,
        'stops ',
      ]);
    });

    test('stands in the tray while it is quiet, and rings nothing before that is over', () => {
      const { attention, seen } = watched();
      attention.reset(
        snapshotOf({
          peers: [DAD],
          approvals: [],
          attention: { ...settings, paused: { since: 1, until: null, stopped: false } },
        }),
      );
      attention.apply(event({ type: 'peer', peer: stopped() }));
      attention.apply(
        event({
          type: 'do_not_disturb',
          attention: { ...settings, quiet_now: { name: 'Night', until: 2 } },
        }),
      );
      expect(seen).toEqual(['count 0', `stops ${DAD.name}`]);
      attention.apply(event({ type: 'do_not_disturb', attention: settings }));
      attention.apply(event({ type: 'do_not_disturb', attention: settings }));
      expect(seen.slice(2)).toEqual([`notify stop ${DAD.id} ${DAD.name}`]);
    });

    test('that was answered while it was quiet never rings', () => {
      const { attention, seen } = watched();
      attention.reset(
        snapshotOf({
          peers: [stopped()],
          approvals: [],
          attention: { ...settings, paused: { since: 1, until: null, stopped: false } },
        }),
      );
      attention.apply(event({ type: 'peer', peer: stopped(2) }));
      attention.apply(event({ type: 'do_not_disturb', attention: settings }));
      expect(seen).toEqual(['count 0', `stops ${DAD.name}`, 'stops ']);
    });
  });
});
