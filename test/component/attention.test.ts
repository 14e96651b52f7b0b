// Asked now, later, or without a sound: the strips, the held ones, pause, quiet hours and mutes, as
// a person meets them.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import {
  approvalOf,
  CALM,
  DAD,
  DINNER,
  NOW,
  PEERS,
  SALT,
  snapshotOf,
  TRAIN,
} from '../fakes/household.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LEO = PEERS.find(({ name }) => name === 'Leo’s tablet') ?? DAD;
const FLOOD = { peer_id: LEO.id, peer_name: LEO.name, since: NOW, refused: 495, silent: true };
const button = (name: string) => page.getByRole('button', { name, exact: true });
const leos = (count: number): readonly ApprovalDto[] =>
  Array.from({ length: count }, (_, index) =>
    approvalOf(`leo ${index}`, {
      peer_id: LEO.id,
      peer_name: LEO.name,
      text: `Flood ${index}`,
      expires_at: NOW + 60_000 + index,
    }),
  );
const shownCards = () =>
  [...document.querySelectorAll('[data-card]')].map((element) => element.getAttribute('data-card'));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function show(hub: FakeHubApi, place = 'now'): Promise<void> {
  await showApp(hub, place);
  await vi.advanceTimersByTimeAsync(ARM_MS);
}

/** Presses "Later", in the drawer of the only card. */
async function later(): Promise<void> {
  const pressed = button('Later: ask me again in an hour');
  if (pressed.query() === null) await press(button('More choices'));
  await press(pressed);
}

describe('a flood', () => {
  const flooded = (answers?: ConstructorParameters<typeof FakeHubApi>[1]) =>
    new FakeHubApi(
      snapshotOf({ approvals: [...leos(5), DINNER], attention: { ...CALM, floods: [FLOOD] } }),
      answers,
    );

  test('DL-08: it is one line with the count, its five cards behind it, and the other hub’s card on top', async () => {
    await show(flooded());
    await expect.element(page.getByText('Leo’s tablet asked 495 more times.')).toBeVisible();
    expect(shownCards()).toEqual([DINNER.id]);
    await expect.element(button('Show the 5')).toBeVisible();
    await expectAccessible();
  });

  test('its cards open below the others when a person wants to see them, and nothing can be pressed at once', async () => {
    const hub = flooded();
    await show(hub);
    await button('Show the 5').click();
    expect(shownCards()).toEqual([DINNER.id, ...leos(5).map(({ id }) => id)]);
    await page
      .getByRole('article')
      .first()
      .getByRole('button', { name: 'Allow once' })
      .click({ force: true });
    expect(callsOf(hub, 'approvals.decide')).toEqual([]);
  });

  test('muting it for a day puts its cards among the held ones, and can be taken back', async () => {
    const hub = flooded();
    await show(hub);
    await press(button('Mute for a day'));
    expect(callsOf(hub, 'attention.mute')).toMatchObject([{ id: LEO.id }]);
    await expect.element(page.getByText(/^Leo’s tablet is muted until tomorrow/)).toBeVisible();
    await expect.element(page.getByText('You muted this hub.', { exact: false })).toBeVisible();
    expect(shownCards()).toEqual([DINNER.id]);
    await expectAccessible();
    await press(page.getByRole('button', { name: 'Undo' }));
    expect(callsOf(hub, 'attention.unmute')).toEqual([{ id: LEO.id }]);
  });

  test('a card under the pointer is not folded away when its hub begins to flood', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [...leos(1), DINNER] }));
    await show(hub);
    await userEvent.hover(page.getByRole('article').first());
    hub.emit({ type: 'do_not_disturb', attention: { ...CALM, floods: [FLOOD] } });
    await expect.element(page.getByText('Leo’s tablet asked 495 more times.')).toBeVisible();
    expect(shownCards()).toHaveLength(2);
  });

  test('after three declined requests the card itself offers a day of peace', async () => {
    const floods = [{ ...FLOOD, refused: 0 }];
    const hub = new FakeHubApi(snapshotOf({ approvals: leos(1), attention: { ...CALM, floods } }));
    await show(hub);
    await expect
      .element(page.getByRole('article').getByText('Leo’s tablet keeps asking.'))
      .toBeVisible();
    await press(button('Mute for a day'));
    expect(callsOf(hub, 'attention.mute')).toHaveLength(1);
  });

  test('a mute that did not work is said where it was pressed', async () => {
    await show(
      flooded({
        'attention.mute': () => ({
          ok: false,
          problem: problemOf('storage_failed', 'The disk is full.'),
        }),
      }),
    );
    await press(button('Mute for a day'));
    await expect.element(page.getByText(/disk is full/)).toBeVisible();
  });
});

describe('what a card asked for and did not get', () => {
  const CARD = approvalOf('tomorrow', {
    peer_id: LEO.id,
    peer_name: LEO.name,
    expires_at: NOW + 5 * HOUR_MS,
  });
  const full = () =>
    ({ ok: false, problem: problemOf('storage_failed', 'The disk is full.') }) as const;

  test('putting a card off that did not work is said on the card, until something else is pressed', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [CARD] }), {
      'attention.hold': full,
      'approvals.decide': () => ({
        ok: false,
        problem: problemOf('storage_failed', 'It is still full.'),
      }),
    });
    await show(hub);
    await later();
    await expect.element(page.getByRole('article').getByText(/The disk is full/)).toBeVisible();
    expect(shownCards()).toEqual([CARD.id]);
    await press(button('Decline'));
    await expect.element(page.getByRole('article').getByText(/It is still full/)).toBeVisible();
    await expect.element(page.getByText(/The disk is full/)).not.toBeInTheDocument();
    await later();
    await expect.element(page.getByRole('article').getByText(/The disk is full/)).toBeVisible();
    await expect.element(page.getByText(/It is still full/)).not.toBeInTheDocument();
  });

  test('a mute that did not work is said on the card where it was pressed, and on no other', async () => {
    const floods = [{ ...FLOOD, refused: 0 }];
    const hub = new FakeHubApi(
      snapshotOf({ approvals: [CARD, ...leos(1)], attention: { ...CALM, floods } }),
      { 'attention.mute': full },
    );
    await show(hub);
    await press(page.getByRole('article').last().getByRole('button', { name: 'Mute for a day' }));
    await expect
      .element(
        page
          .getByRole('article')
          .last()
          .getByText(/The disk is full/),
      )
      .toBeVisible();
    expect(page.getByText(/The disk is full/).elements()).toHaveLength(1);
  });
});

describe('what is held', () => {
  const until = NOW + HOUR_MS;
  const held = (approval: ApprovalDto): ApprovalDto => ({
    ...approval,
    held: { why: 'quiet_hours', until },
  });

  test('stands in a strip with the time and why, is no card and is not counted', async () => {
    await show(
      new FakeHubApi(
        snapshotOf({
          approvals: [held(SALT), DINNER],
          attention: { ...CALM, quiet_now: { name: 'Dinner', until } },
        }),
      ),
    );
    await expect.element(page.getByRole('heading', { name: 'Held until 19:04' })).toBeVisible();
    await expect.element(page.getByText(/Quiet hours “Dinner” until 19:04/)).toBeVisible();
    await expect.element(page.getByText('Quiet hours are on.', { exact: false })).toBeVisible();
    await expect.element(page.getByRole('heading', { name: '1 request needs you' })).toBeVisible();
    expect(shownCards()).toEqual([DINNER.id]);
    await expectAccessible();
  });

  test('is nothing dangerous: that stands as a card in a quiet hour, and the page says why it made no sound', async () => {
    const gate = approvalOf('gate', { risk_class: 'R3', text: 'Open the gate' });
    await show(
      new FakeHubApi(
        snapshotOf({
          approvals: [held(SALT), gate],
          attention: { ...CALM, quiet_now: { name: 'Dinner', until } },
        }),
      ),
    );
    expect(shownCards()).toEqual([gate.id]);
    await expect.element(page.getByRole('heading', { name: '1 request needs you' })).toBeVisible();
    await page.getByRole('link', { name: 'Settings' }).click();
    await expect
      .element(page.getByText(/Dangerous requests show up at once, without a sound/))
      .toBeVisible();
  });

  test('can be shown, one or all, and then stands as a card that opens after its wait', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [held(SALT), held(DINNER)] }));
    await show(hub);
    await expect.element(page.getByRole('heading', { name: 'Nothing needs you' })).toBeVisible();
    await page
      .getByRole('button', { name: `Show now: the request from ${SALT.peer_name}` })
      .click();
    expect(callsOf(hub, 'attention.show')).toEqual([{ ids: [SALT.id] }]);
    await expect.element(button('Allow once')).toHaveAttribute('aria-disabled', 'true');
    await button('Show them now').click();
    expect(shownCards().toSorted()).toEqual([SALT.id, DINNER.id].toSorted());
  });

  test('a card that is put off for an hour leaves for the strip', async () => {
    const card = approvalOf('tomorrow', { expires_at: NOW + 5 * HOUR_MS });
    const hub = new FakeHubApi(snapshotOf({ approvals: [card] }));
    await show(hub);
    await later();
    expect(callsOf(hub, 'attention.hold')).toMatchObject([{ id: card.id }]);
    expect(shownCards()).toEqual([]);
    await expect.element(page.getByText('You put these off.', { exact: false })).toBeVisible();
  });

  test('a request to choose says there what it wants of the person, and names no agent', async () => {
    await show(new FakeHubApi(snapshotOf({ approvals: [held(TRAIN)] })));
    const row = page.getByRole('listitem').filter({ hasText: TRAIN.peer_name });
    await expect
      .element(row.getByRole('paragraph').first())
      .toHaveTextContent(/^Nana’s flat, Nana, with .*wants you to choose one of two$/);
  });

  test('what was being written on a card that is held meanwhile stands there again when it is shown', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT, DINNER] }));
    await show(hub);
    const salt = page.getByRole('article', { name: /Attic/ });
    const dinner = page.getByRole('article', { name: /Dad/ });
    await press(dinner.getByRole('button', { name: 'More choices' }));
    await press(dinner.getByRole('button', { name: 'Answer yourself' }));
    await dinner.getByRole('textbox', { name: 'Your answer' }).fill('I told them.');
    // The drawer has pushed the other card down.
    await press(salt.getByRole('button', { name: 'With a reason' }));
    await salt.getByRole('radio', { name: 'In your own words…' }).click();
    await salt.getByRole('textbox', { name: 'Your words' }).fill('There is enough.');
    for (const approval of [SALT, DINNER]) hub.emit({ type: 'approval', approval: held(approval) });
    await expect
      .element(
        page.getByText('The request from Dad’s laptop waits until later. What you wrote is kept.', {
          exact: false,
        }),
      )
      .toBeInTheDocument();
    expect(shownCards()).toEqual([]);
    await button('Show them now').click();
    await press(dinner.getByRole('button', { name: 'More choices' }));
    await press(dinner.getByRole('button', { name: 'Answer yourself' }));
    await expect
      .element(dinner.getByRole('textbox', { name: 'Your answer' }))
      .toHaveValue('I told them.');
    await press(salt.getByRole('button', { name: 'With a reason' }));
    await expect
      .element(salt.getByRole('textbox', { name: 'Your words' }))
      .toHaveValue('There is enough.');
    expect(callsOf(hub, 'approvals.decide')).toEqual([]);
  });

  test('words written for one request are not put under another that took its place while it was held', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await show(hub);
    await press(button('More choices'));
    await press(button('Answer yourself'));
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Yes.');
    hub.emit({ type: 'approval', approval: held(DINNER) });
    hub.emit({
      type: 'approval',
      approval: { ...DINNER, text: 'Give it all away', revision: 2, digest: 'a'.repeat(64) },
    });
    await expect.element(page.getByText('Give it all away')).toBeVisible();
    await press(button('More choices'));
    await press(button('Answer yourself'));
    await expect.element(page.getByRole('textbox', { name: 'Your answer' })).toHaveValue('');
  });

  test('a card whose time is over within the hour cannot be put off', async () => {
    await show(new FakeHubApi(snapshotOf({ approvals: [DINNER] })));
    await expect.element(button('Allow once')).toBeVisible();
    await expect.element(button('Later: ask me again in an hour')).not.toBeInTheDocument();
  });
});

describe('pause', () => {
  test('asks for how long, says it on every screen, and goes on with one press', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await show(hub);
    await button('Pause everything').click();
    await expect
      .element(page.getByRole('group', { name: 'Pause everything for how long?' }))
      .toHaveFocus();
    await expectAccessible();
    await button('Until I resume').click();
    expect(callsOf(hub, 'attention.pause')).toEqual([{ until: null }]);
    await expect.element(page.getByText('Everything is paused until you resume.')).toBeVisible();
    await page.getByRole('link', { name: 'Rules' }).click();
    await expect.element(page.getByText('Everything is paused until you resume.')).toBeVisible();
    await expectAccessible();
    await press(button('Resume now'));
    expect(callsOf(hub, 'attention.resume')).toEqual([{}]);
    await expect
      .element(page.getByText('Everything is paused until you resume.'))
      .not.toBeInTheDocument();
  });

  test('can be a stop of everything instead, said on every screen until a person resumes', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await show(hub);
    await button('Pause everything').click();
    await button('Stop everything').click();
    expect(callsOf(hub, 'attention.stop')).toEqual([{}]);
    await expect.element(page.getByText('Everything was asked to stop.')).toBeVisible();
    await page.getByRole('link', { name: 'Rules' }).click();
    await expect.element(page.getByText('Everything was asked to stop.')).toBeVisible();
    await expectAccessible();
    await press(button('Resume now'));
    expect(callsOf(hub, 'attention.resume')).toEqual([{}]);
  });

  test('can be thought better of with Escape', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await show(hub);
    await button('Pause everything').click();
    await userEvent.keyboard('{Escape}');
    await expect.element(button('Pause everything')).toBeVisible();
    expect(callsOf(hub, 'attention.pause')).toEqual([]);
  });
});

describe('quiet hours in Settings', () => {
  const NIGHT = {
    name: 'Night',
    from: '21:30',
    to: '07:00',
    days: [1, 2, 3, 4, 5, 6, 7],
    on: true,
  };

  test('are added with name, times and days', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await show(hub, 'settings');
    await button('Add quiet hours').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('School');
    await page.getByLabelText('From', { exact: true }).fill('08:00');
    await page.getByLabelText('To', { exact: true }).fill('13:00');
    for (const day of ['Saturday', 'Sunday'])
      await page.getByRole('checkbox', { name: day }).click();
    await expectAccessible();
    await button('Save').click();
    const kept = { name: 'School', from: '08:00', to: '13:00', days: [1, 2, 3, 4, 5], on: true };
    expect(callsOf(hub, 'attention.setQuietHours')).toEqual([{ periods: [kept] }]);
    await expect
      .element(page.getByText('Monday to Friday 08:00 to 13:00', { exact: false }))
      .toBeVisible();
  });

  test('are not kept without a day, or with an end where they begin', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await show(hub, 'settings');
    await button('Add quiet hours').click();
    await page.getByLabelText('To', { exact: true }).fill('21:30');
    await expect
      .element(page.getByText('The start and the end can’t be the same time.'))
      .toBeVisible();
    await button('Save').click({ force: true });
    expect(callsOf(hub, 'attention.setQuietHours')).toEqual([]);
  });

  test('are changed, switched off and removed', async () => {
    const hub = new FakeHubApi(
      snapshotOf({ attention: { ...CALM, quiet_hours: { periods: [NIGHT], urgent_peers: [] } } }),
    );
    await show(hub, 'settings');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'every day 21:30 to 07:00' })
      .getByRole('button', { name: 'Change' })
      .click();
    await page.getByRole('checkbox', { name: 'On', exact: true }).click();
    await button('Save').click();
    await expect.element(page.getByText('Switched off.')).toBeVisible();
    await press(
      page
        .getByRole('listitem')
        .filter({ hasText: 'every day 21:30 to 07:00' })
        .getByRole('button', { name: 'Remove' }),
    );
    await expect.element(page.getByText('You have none yet.')).toBeVisible();
    expect(callsOf(hub, 'attention.setQuietHours')).toEqual([
      { periods: [{ ...NIGHT, on: false }] },
      { periods: [] },
    ]);
  });

  test('name who may disturb them', async () => {
    const hub = new FakeHubApi(
      snapshotOf({ attention: { ...CALM, quiet_hours: { periods: [NIGHT], urgent_peers: [] } } }),
    );
    await show(hub, 'settings');
    const disturbing = page.getByRole('group', { name: 'Can interrupt with urgent requests' });
    await disturbing.getByRole('checkbox', { name: DAD.name }).click();
    expect(callsOf(hub, 'attention.setQuietHours')).toEqual([
      { periods: [NIGHT], urgent_peers: [DAD.id] },
    ]);
    await expect.element(disturbing.getByRole('checkbox', { name: DAD.name })).toBeChecked();
  });
});

describe('a hub’s own page', () => {
  test('mutes it for a time and hears it again', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await show(hub, `people/hub/${LEO.id}`);
    await button('Mute').click();
    await expectAccessible();
    await button('A week').click();
    expect(callsOf(hub, 'attention.mute')).toMatchObject([{ id: LEO.id }]);
    const [call] = callsOf(hub, 'attention.mute');
    expect(Math.abs(Number(Object(call).until) - (NOW + 7 * DAY_MS))).toBeLessThan(DAY_MS);
    await expect.element(page.getByText(/^Muted until/)).toBeVisible();
    await press(button('Unmute'));
    expect(callsOf(hub, 'attention.unmute')).toEqual([{ id: LEO.id }]);
    await expect.element(button('Mute')).toBeVisible();
  });
});
