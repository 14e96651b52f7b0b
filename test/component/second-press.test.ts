// The second half of a double click: a button that came to stand where another was pressed, by a
// change of its row or because a row left, does nothing for a moment. Whatever stands at the spot
// of the first press is what the second one meets.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cdp, page, userEvent } from 'vitest/browser';
import type { Locator } from 'vitest/browser';
import type { AuditCheckDto } from '../../preload/contract/audit.ts';
import type { SessionDto } from '../../preload/contract/settings-dto.ts';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { CALENDAR_RULE, RULES } from '../fakes/household-rules.ts';
import {
  CALM,
  DAD,
  KNOCK,
  NOW,
  PEERS,
  SESSIONS,
  STRANGER,
  pairingOf,
  snapshotOf,
} from '../fakes/household.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const LEO = PEERS.find(({ name }) => name === 'Leo’s tablet') ?? DAD;
const button = (name: string) => page.getByRole('button', { name, exact: true });

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    now: NOW,
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Clicks what waits to open, and again shortly before the wait that the first click begins anew is
 * over. No mouse carries these clicks, for polls let the test's clock go on: a mouse that misses
 * once would leave an older wait, which is over sooner.
 */
async function clickTwice(waiting: Locator): Promise<void> {
  await expect.element(waiting).toHaveAttribute('aria-disabled', 'true');
  const there = waiting.element();
  if (!(there instanceof HTMLElement)) throw new Error('nothing to click');
  there.click();
  await vi.advanceTimersByTimeAsync(ARM_MS - 1);
  there.click();
}

/**
 * Presses `first`, then once it is so what stands at the very same spot, at once and shortly before
 * a button may open.
 * @returns what stood there, by its words
 */
async function pressTwice(
  first: Locator,
  isSo: () => Promise<unknown>,
): Promise<string | undefined> {
  first.element().scrollIntoView({ block: 'center' });
  const { left, top, width, height } = first.element().getBoundingClientRect();
  await press(first);
  await isSo();
  const there =
    document.elementFromPoint(left + width / 2, top + height / 2)?.closest('button') ?? null;
  there?.click();
  await vi.advanceTimersByTimeAsync(ARM_MS - 1);
  there?.click();
  await vi.advanceTimersByTimeAsync(ARM_MS - 1);
  return there?.textContent.trim();
}

describe('RI-07: the second half of a double click on the page of the rules', () => {
  test('leaves a rule paused that the first half paused, and one in force that it let go on', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: [CALENDAR_RULE] }));
    await showApp(hub, 'rules');
    expect(
      await pressTwice(button('Pause'), () => expect.element(button('Resume')).toBeVisible()),
    ).toBe('Resume');
    expect(callsOf(hub, 'rules.update')).toEqual([{ id: CALENDAR_RULE.id, suspended: true }]);
    expect(
      await pressTwice(button('Resume'), () => expect.element(button('Pause')).toBeVisible()),
    ).toBe('Pause');
    expect(callsOf(hub, 'rules.update')).toHaveLength(2);
    expect(hub.snapshot.rules).toMatchObject([{ suspended: false }]);
  });

  test('leaves a rule that the first half brought back', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: [CALENDAR_RULE] }));
    await showApp(hub, 'rules');
    await press(button('Remove'));
    await expect.element(button('Bring back')).toBeVisible();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    expect(
      await pressTwice(button('Bring back'), () => expect.element(button('Remove')).toBeVisible()),
    ).toBe('Remove');
    expect(callsOf(hub, 'rules.remove')).toHaveLength(1);
    expect(hub.snapshot.rules).toHaveLength(1);
  });

  test('takes no rule away where another one has left, or the bar has that takes back', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: RULES }));
    await showApp(hub, 'rules');
    const [first] = RULES;
    hub.emit({ type: 'rule_gone', id: first?.id ?? '' });
    await expect
      .poll(() => button('Remove').first().element().getAttribute('aria-disabled'))
      .toBe('true');
    await press(button('Remove').first());
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await press(button('Undo'));
    await expect.element(button('Undo')).not.toBeInTheDocument();
    for (const remove of button('Remove').elements())
      expect(remove.getAttribute('aria-disabled')).toBe('true');
  });
});

test('RI-07: the second half of a double click on “Log out” ends no other session, for the row of the ended one stays', async () => {
  const [own, browser] = SESSIONS;
  if (own === undefined || browser === undefined) throw new Error('no sessions');
  let left: readonly SessionDto[] = [own, browser, { ...browser, id: 's3' }];
  const hub = new FakeHubApi(snapshotOf(), {
    'sessions.list': () => ({ ok: true, value: { items: [...left], next: null } }),
    'sessions.revoke': ({ id }) => {
      left = left.filter((session) => session.id !== id);
      return { ok: true, value: { revoked: true } };
    },
  });
  await showApp(hub, 'settings');
  await expect.poll(() => button('Log out').elements().length).toBe(3);
  await pressTwice(button('Log out').nth(1), () =>
    expect.poll(() => callsOf(hub, 'sessions.list')).toHaveLength(2),
  );
  expect(callsOf(hub, 'sessions.revoke')).toEqual([{ id: 's2' }]);
  await expect.element(page.getByText('Logged out.')).toBeVisible();
  expect(button('Log out').elements()).toHaveLength(3);
  await expectAccessible();
});

test('a session that is being ended, or has just been, is not ended once more before the list is read anew', async () => {
  let end: () => void = () => undefined;
  let lists = 0;
  const hub = new FakeHubApi(snapshotOf(), {
    'sessions.list': () =>
      lists++ === 0
        ? { ok: true, value: { items: [...SESSIONS], next: null } }
        : new Promise(() => undefined),
    'sessions.revoke': () =>
      new Promise((resolve) => (end = () => resolve({ ok: true, value: { revoked: true } }))),
  });
  await showApp(hub, 'settings');
  const second = button('Log out').nth(1);
  await second.click();
  await second.click({ force: true });
  end();
  await expect.element(page.getByText('Logged out.')).toBeVisible();
  await second.click({ force: true });
  expect(callsOf(hub, 'sessions.revoke')).toEqual([{ id: 's2' }]);
});

describe('RI-07: the second half of a double click where invitations are made', () => {
  const link =
    'axon://pair?v=1&k=VGhpcyBpcyBubyBrZXkgb2YgYW55IGh1YiBhdCBhbGw&a=192.168.1.12:7100&s=AAAAAAAAAAAAAAAAAAAAAA&n=Mum';
  const invitationOf = (id: string) => ({ id, created_at: NOW, expires_at: NOW + 300_000 });
  function inviting(before: readonly string[]): FakeHubApi {
    let left = [...before];
    return new FakeHubApi(snapshotOf(), {
      'invitations.list': () => ({
        ok: true,
        value: { items: left.map(invitationOf), next: null },
      }),
      'invitations.create': () => {
        left = [...left, 'new'];
        return { ok: true, value: { invitation: invitationOf('new'), link } };
      },
      'invitations.revoke': ({ id }) => {
        left = left.filter((other) => other !== id);
        return { ok: true, value: { revoked: true } };
      },
    });
  }

  test('takes nothing back that the first half made, and makes none where it took one back', async () => {
    const hub = inviting([]);
    await showApp(hub, 'people/add');
    expect(
      await pressTwice(button('Make one'), () => expect.element(button('Revoke it')).toBeVisible()),
    ).toBe('Revoke it');
    expect(callsOf(hub, 'invitations.revoke')).toEqual([]);
    expect(
      await pressTwice(button('Revoke it'), () => expect.element(button('Make one')).toBeVisible()),
    ).toBe('Make one');
    expect(callsOf(hub, 'invitations.create')).toHaveLength(1);
  });

  test('takes no other one back, for the row of the first stays', async () => {
    const hub = inviting(['one', 'two']);
    await showApp(hub, 'people/add');
    await expect.poll(() => button('Revoke it').elements().length).toBe(2);
    await pressTwice(button('Revoke it').first(), () =>
      expect.element(page.getByText('An earlier one no longer works.')).toBeVisible(),
    );
    expect(callsOf(hub, 'invitations.revoke')).toEqual([{ id: 'one' }]);
    await expect.element(page.getByText(/^An earlier one works for/)).toBeVisible();
    await expectAccessible();
  });
});

describe('RI-07: the second half of a double click does nothing', () => {
  test('on the button of the next program that knocks', async () => {
    const knocks = [KNOCK, { ...KNOCK, id: 'other', agent_name: 'other-agent' }];
    const hub = new FakeHubApi(snapshotOf({ registrations: knocks }));
    await showApp(hub, 'agents');
    const left = () => expect.poll(() => button('Refuse').elements().length).toBe(1);
    expect(await pressTwice(button('Refuse').first(), left)).toBe('Refuse');
    expect(callsOf(hub, 'agents.declineRegistration')).toEqual([{ id: KNOCK.id }]);
  });

  test('on what forgets the token that the first half made', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'agents');
    await page.getByText('Or make a token by hand').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('my-agent');
    await button('Make its token').click();
    await expect.element(button('I have it')).toHaveAttribute('aria-disabled', 'true');
    await press(button('I have it'));
    await expect.element(page.getByText(/^axh_agent_/)).not.toBeInTheDocument();
  });

  test('on the quiet hours that move up', async () => {
    const night = {
      name: 'Night',
      from: '21:30',
      to: '07:00',
      days: [1, 2, 3, 4, 5, 6, 7],
      on: true,
    };
    const periods = [night, { ...night, name: 'Noon', from: '12:00', to: '13:00' }];
    const hub = new FakeHubApi(
      snapshotOf({ attention: { ...CALM, quiet_hours: { periods, urgent_peers: [] } } }),
    );
    await showApp(hub, 'settings');
    const remove = () =>
      page.getByRole('listitem').getByRole('button', { name: 'Remove', exact: true });
    const left = () => expect.poll(() => remove().elements().length).toBe(1);
    expect(await pressTwice(remove().first(), left)).toBe('Remove');
    expect(callsOf(hub, 'attention.setQuietHours')).toHaveLength(1);
  });

  test('on the next hub that floods', async () => {
    const floods = [DAD, LEO].map(({ id, name }) => ({
      peer_id: id,
      peer_name: name,
      since: NOW,
      refused: 9,
      silent: true,
    }));
    const hub = new FakeHubApi(snapshotOf({ attention: { ...CALM, floods } }));
    await showApp(hub);
    const left = () => expect.poll(() => button('Mute for a day').elements().length).toBe(1);
    expect(await pressTwice(button('Mute for a day').first(), left)).toBe('Mute for a day');
    expect(callsOf(hub, 'attention.mute')).toHaveLength(1);
  });

  test('on the next failed pairing', async () => {
    const failed = ['one', 'two'].map((id) => pairingOf('failed', { id, role: 'initiator' }));
    const hub: FakeHubApi = new FakeHubApi(snapshotOf({ pairings: failed }), {
      'pairings.cancel': ({ id }) => {
        hub.emit({ type: 'pairing_gone', id });
        return { ok: true, value: { cancelled: false, pairing: pairingOf('failed', { id }) } };
      },
    });
    await showApp(hub, 'people/add');
    const left = () => expect.poll(() => button('Dismiss').elements().length).toBe(1);
    expect(await pressTwice(button('Dismiss').first(), left)).toBe('Dismiss');
    expect(callsOf(hub, 'pairings.cancel')).toHaveLength(1);
  });

  test('on what calls a pairing off, where the first half let it go on', async () => {
    const offer = pairingOf('offered');
    const hub: FakeHubApi = new FakeHubApi(snapshotOf({ pairings: [offer] }), {
      'pairings.open': () => {
        hub.emit({ type: 'pairing', pairing: pairingOf('exchanging') });
        return { ok: true, value: pairingOf('exchanging') };
      },
    });
    await showApp(hub, `people/pair/${offer.id}`);
    await press(button('Show the code'));
    await expect.element(button('Stop')).toHaveAttribute('aria-disabled', 'true');
    await press(button('Stop'));
    expect(callsOf(hub, 'pairings.cancel')).toEqual([{ id: offer.id }]);
  });

  test('on the next address that is kept', async () => {
    const kept = ['one', 'two'].map((id) => ({
      ...STRANGER,
      id,
      label: `Hub ${id}`,
      how_found: 'static' as const,
    }));
    const hub = new FakeHubApi(snapshotOf({ peers: kept }));
    await showApp(hub, 'people/add');
    const left = () => expect.poll(() => button('Forget').elements().length).toBe(1);
    expect(await pressTwice(button('Forget').first(), left)).toBe('Forget');
    expect(callsOf(hub, 'peers.remove')).toHaveLength(1);
  });

  test.each(['people', 'people/add'])(
    'on “Add” of a hub that moves up among those in sight, on %s',
    async (place) => {
      const kept = ['one', 'two'].map((id) => ({
        ...STRANGER,
        id,
        label: `Hub ${id}`,
        how_found: 'static' as const,
      }));
      const hub = new FakeHubApi(snapshotOf({ peers: [DAD, ...kept] }));
      await showApp(hub, place);
      const add = () =>
        page.getByRole('listitem').getByRole('button', { name: 'Add', exact: true });
      await expect.poll(() => add().elements().length).toBe(2);
      const { left, top } = add().first().element().getBoundingClientRect();
      await userEvent.hover(add().first());
      hub.emit({ type: 'peer_gone', id: 'one' });
      await expect.poll(() => add().elements().length).toBe(1);
      expect(document.elementFromPoint(left + 5, top + 5)?.closest('button')).toBe(add().element());
      await clickTwice(add());
      expect(callsOf(hub, 'pairings.start')).toEqual([]);
      await press(add());
      expect(callsOf(hub, 'pairings.start')).toHaveLength(1);
    },
  );

  test.each(['people', 'people/add'])(
    'on “Add” of a hub below one that is in trouble now, on %s',
    async (place) => {
      const near = ['one', 'two'].map((id) => ({ ...STRANGER, id, label: `Hub ${id}` }));
      const [first] = near;
      if (first === undefined) throw new Error('no hub');
      const hub = new FakeHubApi(snapshotOf({ peers: [DAD, ...near] }));
      await showApp(hub, place);
      const add = page.getByRole('listitem').getByRole('button', { name: 'Add', exact: true });
      await expect.poll(() => add.elements().length).toBe(2);
      const { top } = add.last().element().getBoundingClientRect();
      await userEvent.hover(add.last());
      hub.emit({ type: 'peer', peer: { ...first, trouble: 'It cannot be reached. '.repeat(20) } });
      await expect
        .poll(() => add.last().element().getBoundingClientRect().top)
        .toBeGreaterThan(top + 10);
      await expect.element(add.last()).toHaveAttribute('aria-disabled', 'true');
      await clickTwice(add.last());
      expect(callsOf(hub, 'pairings.start')).toEqual([]);
      await press(add.last());
      expect(callsOf(hub, 'pairings.start')).toHaveLength(1);
    },
  );

  test('on a notice that moves up among those not read', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'feed');
    await page
      .getByRole('button', { name: 'Unread' })
      .or(page.getByRole('radio', { name: 'Unread' }))
      .first()
      .click();
    const marks = button('Mark read').elements().length;
    expect(marks).toBeGreaterThan(1);
    const left = () => expect.poll(() => button('Mark read').elements().length).toBe(marks - 1);
    expect(await pressTwice(button('Mark read').first(), left)).toBe('Mark read');
    expect(callsOf(hub, 'feed.markRead')).toHaveLength(1);
  });

  test('on what undoes a pause or a mute that has just begun', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub);
    hub.emit({
      type: 'do_not_disturb',
      attention: { ...CALM, paused: { since: NOW, until: null, stopped: false } },
    });
    await expect.element(button('Resume now')).toHaveAttribute('aria-disabled', 'true');
    await showApp(hub, `people/hub/${LEO.id}`);
    await button('Mute').click();
    await button('A week').click();
    await expect.element(button('Unmute')).toHaveAttribute('aria-disabled', 'true');
    await press(button('Unmute'));
    expect(callsOf(hub, 'attention.unmute')).toEqual([{ id: LEO.id }]);
  });

  test('on what stands in the place of “Let it back in”', async () => {
    const hub = new FakeHubApi(snapshotOf({ peers: [{ ...DAD, trust: 'suspended' }] }));
    await showApp(hub, `people/hub/${DAD.id}`);
    const place = button('Let it back in').element().getBoundingClientRect();
    await button('Let it back in').click();
    await expect.element(button('Suspend')).toHaveAttribute('aria-disabled', 'true');
    expect(
      document
        .elementFromPoint(place.left + 5, place.top + 5)
        ?.closest('button')
        ?.textContent.trim(),
    ).toBe('Suspend');
  });

  test('on the buttons of an agent that moves up', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'agents');
    const [first] = hub.snapshot.agents;
    hub.emit({ type: 'agent_gone', name: first?.name ?? '' });
    await expect
      .element(button('Make it the default agent').first())
      .toHaveAttribute('aria-disabled', 'true');
  });
});

test('the bar that takes back can be read while it waits', async () => {
  await showApp(new FakeHubApi(snapshotOf({ rules: RULES })), 'rules');
  await button('Remove').first().click();
  await expect.element(button('Undo')).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible();
});

test('the bar that takes back keeps its own ground under forced colours, where the system would draw one in the colour of its words', async () => {
  const asks = (value: string) =>
    cdp().send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value }] });
  await asks('active');
  try {
    await showApp(new FakeHubApi(snapshotOf({ rules: RULES })), 'rules');
    await button('Remove').first().click();
    await expect.element(button('Undo')).toBeVisible();
    expect(window.matchMedia('(forced-colors: active)').matches).toBe(true);
    const parts = ['.undo', '.undo span', '.undo .btn'].map((part) =>
      getComputedStyle(document.querySelector(part) ?? document.body),
    );
    expect(parts.map((style) => style.forcedColorAdjust)).toEqual(['none', 'none', 'none']);
  } finally {
    await asks('');
  }
});

test.each(['button', 'key'] as const)(
  'RI-07: the bar that takes back opens its %s a moment after it appears, and once more for the next one',
  async (how) => {
    const hub = new FakeHubApi(snapshotOf({ rules: RULES }));
    await showApp(hub, 'rules');
    const undo = () =>
      how === 'key' ? userEvent.keyboard('u') : button('Undo').click({ force: true });
    const restored = () => callsOf(hub, 'rules.restore');
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await button('Remove').first().click();
    await expect.element(button('Undo')).toHaveAttribute('aria-disabled', 'true');
    await undo();
    await vi.advanceTimersByTimeAsync(ARM_MS - 1);
    await undo();
    expect(restored()).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await press(button('Remove').first());
    await expect.poll(() => callsOf(hub, 'rules.remove')).toHaveLength(2);
    await expect.element(button('Undo')).toHaveAttribute('aria-disabled', 'true');
    await undo();
    expect(restored()).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await undo();
    await expect.poll(restored).toHaveLength(1);
  },
);

describe('RI-07: the second half of a double click on the page of the audit log', () => {
  const check: AuditCheckDto = {
    state: 'none',
    rows: 900,
    checked: 0,
    signed_seq: 0,
    signatures: 0,
    counted: true,
    finished_at: null,
    finding: null,
    acknowledged: [],
    problem: null,
  };

  test('does not stop the check that the first has begun', async () => {
    const hub = new FakeHubApi(snapshotOf(), {
      'audit.list': () => ({ ok: true, value: { items: [], next: null } }),
      'audit.verification': () => ({ ok: true, value: { ...check, state: 'running' } }),
      'audit.verify': () => ({ ok: true, value: { ...check, state: 'running' } }),
      'audit.cancelVerification': () => ({ ok: true, value: { ...check, state: 'cancelled' } }),
    });
    await showApp(hub, 'settings/audit-log');
    await expect.element(button('Stop checking')).toHaveAttribute('aria-disabled', 'true');
    expect(
      await pressTwice(button('Stop checking'), () =>
        expect.element(button('Check now')).toBeVisible(),
      ),
    ).toBe('Check now');
    expect(callsOf(hub, 'audit.verify')).toEqual([]);
  });
});
