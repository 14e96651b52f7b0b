// A pairing as it goes by keyboard and by ear, and the ways out of one that does not get through:
// what cannot be reached, what was left.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { PairingDto } from '../../preload/contract/pairing-dto.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { STRANGER, pairingOf, snapshotOf } from '../fakes/household.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp, tabTo } from './support/page.ts';

const SILENT =
  'No hub answers at 10.0.0.7:7100. Check that it is running there, that this address and port are the ones its Settings show, and that its firewall lets that UDP port in.';
const button = (name: string) => page.getByRole('button', { name, exact: true });
const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true });
const unreached = (over: Partial<PairingDto> = {}) =>
  pairingOf('failed', {
    role: 'initiator',
    request: 'connecting',
    address: null,
    failure: SILENT,
    ...over,
  });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function showPairing(
  pairing: PairingDto,
  answers: ConstructorParameters<typeof FakeHubApi>[1] = {},
): Promise<FakeHubApi> {
  const hub = new FakeHubApi(snapshotOf({ pairings: [pairing] }), answers);
  await showApp(hub, `people/pair/${pairing.id}`);
  return hub;
}

/** Presses Tab until something of this name has the focus; fails where that is never the case. */
describe('a hub named by a wrong address', () => {
  test('is looked for, and then the page says what to check and leads back to the form with what was typed', async () => {
    const kept = { ...STRANGER, how_found: 'static' as const, address: '10.0.0.7:7100' };
    const begun = pairingOf('waiting_for_answer', { request: 'connecting', address: null });
    const hub: FakeHubApi = new FakeHubApi(snapshotOf({ peers: [kept] }), {
      'peers.add': () => ({ ok: true, value: kept }),
      'pairings.start': () => ({ ok: true, value: begun }),
    });
    await showApp(hub, 'people/add');
    await button('Enter').click();
    await page.getByRole('textbox', { name: 'Address or link' }).fill('10.0.0.7:7100');
    await page.getByRole('textbox', { name: 'Its public key' }).fill('00112233');
    await button('Add this hub').click();
    await expect.element(heading('Looking for the other hub')).toHaveFocus();
    await expect.element(page.getByText(/^At 10\.0\.0\.7:7100\./)).toBeVisible();
    await expectAccessible();
    hub.emit({ type: 'pairing', pairing: unreached() });
    await expect.element(heading('The other hub was not found')).toHaveFocus();
    await expect
      .element(heading('The other hub was not found'))
      .toHaveAccessibleDescription(SILENT);
    await expect.element(page.getByText(/three failures/)).not.toBeInTheDocument();
    await expectAccessible();
    await button('Change the address').click();
    await expect.element(page.getByRole('textbox', { name: 'Address or link' })).toHaveFocus();
    await expect
      .element(page.getByRole('textbox', { name: 'Address or link' }))
      .toHaveValue('10.0.0.7:7100');
    await expect
      .element(page.getByRole('textbox', { name: 'Its public key' }))
      .toHaveValue(kept.public_key);
    expect(callsOf(hub, 'pairings.cancel')).toEqual([{ id: 'pairing-1' }]);
  });

  test.each([
    ['Back', [{ id: STRANGER.id }]],
    ['Change the address', []],
  ] as const)(
    'is kept no longer once its failed pairing is left by %j, unless to change it',
    async (way, removed) => {
      const added = { ...STRANGER, how_found: 'static' as const, address: '10.0.0.7:7100' };
      const hub: FakeHubApi = new FakeHubApi(snapshotOf({ peers: [] }), {
        'peers.add': () => {
          hub.emit({ type: 'peer', peer: added });
          return { ok: true, value: added };
        },
        'pairings.start': () => ({
          ok: true,
          value: pairingOf('waiting_for_answer', { request: 'connecting', address: null }),
        }),
      });
      await showApp(hub, 'people/add');
      await button('Enter').click();
      await page.getByRole('textbox', { name: 'Address or link' }).fill('10.0.0.7:7100');
      await page.getByRole('textbox', { name: 'Its public key' }).fill('00112233');
      await button('Add this hub').click();
      await expect.element(heading('Looking for the other hub')).toBeVisible();
      hub.emit({ type: 'pairing', pairing: unreached() });
      await expect.element(heading('The other hub was not found')).toBeVisible();
      expect(callsOf(hub, 'peers.remove')).toEqual([]);
      await button(way).click();
      await expect.element(heading('The other hub was not found')).not.toBeInTheDocument();
      expect(callsOf(hub, 'pairings.cancel')).toEqual([{ id: 'pairing-1' }]);
      expect(callsOf(hub, 'peers.remove')).toEqual(removed);
    },
  );

  test('stands in the list of what was not added, with why, until it is put away or asked again', async () => {
    const other = unreached({
      id: 'pairing-2',
      label: 'Hub aaaa 0002',
      failure: 'The time was up. Start again.',
      role: 'responder',
    });
    const removed = { ...STRANGER, id: 'ed25519.4', label: 'Hub cccc 0004' };
    const done = pairingOf('paired', {
      id: 'pairing-4',
      peer_id: removed.id,
      label: removed.label,
    });
    const hub = new FakeHubApi(
      snapshotOf({ peers: [STRANGER, removed], pairings: [unreached(), other, done] }),
      {
        'pairings.start': () => ({
          ok: true,
          value: pairingOf('waiting_for_answer', { id: 'pairing-3', request: 'connecting' }),
        }),
      },
    );
    await showApp(hub, 'people/add');
    await expect.element(heading('Not added')).toBeVisible();
    const rows = page.getByRole('listitem');
    expect(rows.filter({ hasText: STRANGER.label }).elements()).toHaveLength(1);
    expect(
      rows.filter({ hasText: 'Hub cccc 0004' }).getByRole('button', { name: 'Add' }).elements(),
    ).toHaveLength(1);
    await expectAccessible();
    await rows
      .filter({ hasText: 'The time was up' })
      .getByRole('button', { name: 'Dismiss' })
      .click();
    await expect.element(page.getByText('The time was up. Start again.')).not.toBeInTheDocument();
    expect(callsOf(hub, 'pairings.cancel')).toEqual([{ id: 'pairing-2' }]);
    await press(rows.filter({ hasText: SILENT }).getByRole('button', { name: 'Try again' }));
    await expect.element(heading('Looking for the other hub')).toBeVisible();
    expect(callsOf(hub, 'pairings.start')).toEqual([{ peer: STRANGER.id }]);
  });

  test('is kept by its address until somebody forgets it', async () => {
    const hub = new FakeHubApi(snapshotOf({ peers: [{ ...STRANGER, how_found: 'static' }] }));
    await showApp(hub, 'people/add');
    await button('Forget').click();
    expect(callsOf(hub, 'peers.remove')).toEqual([{ id: STRANGER.id }]);
  });

  test('is not spoken of again when the form is opened anew', async () => {
    const hub = new FakeHubApi(snapshotOf(), {
      'peers.add': () => ({ ok: false, problem: problemOf('bad_request', 'That is no address.') }),
    });
    await showApp(hub, 'people/add');
    await button('Enter').click();
    await page.getByRole('textbox', { name: 'Address or link' }).fill('axon://x');
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByText('That is no address.')).toBeVisible();
    await button('Cancel').click();
    await button('Enter').click();
    await expect.element(page.getByText('That is no address.')).not.toBeInTheDocument();
  });
});

test('what went wrong at one place of People & hubs is not said again on the way back', async () => {
  const hub = new FakeHubApi(snapshotOf(), {
    'pairings.start': () => ({ ok: false, problem: problemOf('overloaded', 'Too much at once.') }),
  });
  await showApp(hub, 'people/add');
  await button('Add').click();
  await expect.element(page.getByRole('alert').getByText('Too much at once.')).toBeVisible();
  await page.getByRole('link', { name: 'All hubs' }).click();
  await expect.element(heading('People & hubs')).toBeVisible();
  await expect.element(page.getByText('Too much at once.')).not.toBeInTheDocument();
});

describe('a request on its way', () => {
  test('says what is to be done over there as soon as that changes, also to somebody who has the focus elsewhere', async () => {
    const hub = await showPairing(pairingOf('waiting_for_answer', { request: 'connecting' }));
    await tabTo('Stop');
    hub.emit({ type: 'pairing', pairing: pairingOf('waiting_for_answer', { request: 'closed' }) });
    await expect.element(heading('Now go to the other computer')).toBeVisible();
    await expect.element(button('Stop')).toHaveFocus();
    await expect
      .element(page.getByRole('status').filter({ hasText: 'Now go to the other computer' }))
      .toBeInTheDocument();
    await vi.advanceTimersByTimeAsync(6_000);
    expect(
      [...document.querySelectorAll('[role=status]')].map((region) => region.textContent).join(''),
    ).toBe('');
    hub.emit({ type: 'pairing', pairing: pairingOf('waiting_for_answer', { request: 'taken' }) });
    await expect.element(page.getByText(/^The request has arrived there/)).toBeVisible();
    hub.emit({ type: 'pairing', pairing: pairingOf('waiting_for_answer', { request: 'busy' }) });
    await expect
      .element(page.getByText(/^It answers, but other requests wait there/))
      .toBeVisible();
    await expectAccessible();
  });

  test('that answers, and does not take the invitation, was found: its page says only that nothing was added, and why', async () => {
    const failure =
      'The invitation no longer works there: it was used, is over or was revoked. Ask for a new one.';
    await showPairing(unreached({ invited: true, address: '10.0.0.7:7100', failure }));
    await expect.element(heading('The hubs were not added')).toHaveAccessibleDescription(failure);
    await expect
      .element(page.getByText(/not found|no answer|three failures/))
      .not.toBeInTheDocument();
    await expect.element(button('Try again')).not.toBeInTheDocument();
    await expectAccessible();
  });

  test('that came by an invitation and failed is not asked for again: only a new invitation leads on', async () => {
    const invited = unreached({ invited: true });
    await showApp(new FakeHubApi(snapshotOf({ pairings: [invited] })), 'people/add');
    const row = page.getByRole('listitem').filter({ hasText: SILENT });
    await expect.element(row.getByRole('button', { name: 'Dismiss' })).toBeVisible();
    await expect.element(row.getByRole('button', { name: 'Try again' })).not.toBeInTheDocument();
  });

  test('that was left is one press away on the page for adding', async () => {
    const hub = new FakeHubApi(snapshotOf({ pairings: [pairingOf('type_six')] }));
    await showApp(hub, 'people/add');
    await expect.element(heading('Under way')).toBeVisible();
    await page.getByRole('link', { name: 'Go on' }).click();
    await expect.element(page.getByRole('textbox', { name: 'Digit 1' })).toHaveFocus();
  });
});

describe('by keyboard and by ear', () => {
  test('the side that asked goes from its request to the name on the door without losing its place', async () => {
    const hub = await showPairing(pairingOf('waiting_for_answer'), {
      'pairings.digits': () => ({ ok: true, value: pairingOf('show_two') }),
    });
    hub.emit({ type: 'pairing', pairing: pairingOf('exchanging') });
    await expect.element(heading('The two hubs are talking')).toHaveFocus();
    hub.emit({ type: 'pairing', pairing: pairingOf('type_six') });
    await expect.element(page.getByRole('textbox', { name: 'Digit 1' })).toHaveFocus();
    const boxes = page.getByRole('group', { name: 'Type the six digits from the other computer' });
    await expect
      .element(boxes)
      .toHaveAccessibleDescription(/^Walk over and read them off its screen/);
    await userEvent.keyboard('754416');
    await vi.waitFor(() =>
      expect(callsOf(hub, 'pairings.digits')).toEqual([{ id: 'pairing-1', digits: '754416' }]),
    );
    hub.emit({ type: 'pairing', pairing: pairingOf('show_two') });
    const matched = heading('They match. Now type these two over there');
    await expect.element(matched).toHaveFocus();
    await expect.element(matched).toHaveAccessibleDescription(/^4 4 The other computer needs them/);
    hub.emit({ type: 'pairing', pairing: pairingOf('paired') });
    await expect.element(heading('Who is behind this door?')).toHaveFocus();
  });

  test('the side that is asked opens the request, reads its digits and types the two without a pointer', async () => {
    const hub: FakeHubApi = new FakeHubApi(snapshotOf({ pairings: [pairingOf('offered')] }), {
      'pairings.open': () => {
        hub.emit({ type: 'pairing', pairing: pairingOf('exchanging') });
        return { ok: true, value: pairingOf('exchanging') };
      },
    });
    await showApp(hub, 'people/add');
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await tabTo('Show the code');
    await userEvent.keyboard('{Enter}');
    await expect.element(heading('The two hubs are talking')).toHaveFocus();
    hub.emit({ type: 'pairing', pairing: pairingOf('show_six') });
    await expect.element(heading('Type these on the other computer')).toHaveFocus();
    await expect
      .element(heading('Type these on the other computer'))
      .toHaveAccessibleDescription(/^7 5 4 4 1 6 /);
    hub.emit({ type: 'pairing', pairing: pairingOf('type_two') });
    await expect.element(page.getByRole('textbox', { name: 'Digit 1' })).toHaveFocus();
    await userEvent.keyboard('44');
    await vi.waitFor(() =>
      expect(callsOf(hub, 'pairings.digits')).toEqual([{ id: 'pairing-1', digits: '44' }]),
    );
    hub.emit({ type: 'pairing', pairing: pairingOf('confirming') });
    await expect.element(heading('Checking that they match')).toHaveFocus();
  });

  test('wrong digits lead to the title of what happened, with the sentence about it, and on to new ones', async () => {
    const hub = await showPairing(pairingOf('type_six'), {
      'pairings.digits': () => ({ ok: true, value: pairingOf('type_six') }),
    });
    await expect.element(page.getByRole('textbox', { name: 'Digit 1' })).toHaveFocus();
    await userEvent.keyboard('111111');
    await vi.waitFor(() =>
      expect(callsOf(hub, 'pairings.digits')).toEqual([{ id: 'pairing-1', digits: '111111' }]),
    );
    hub.emit({
      type: 'pairing',
      pairing: pairingOf('failed', { role: 'initiator', request: 'taken' }),
    });
    const failed = heading('The hubs were not added');
    await expect.element(failed).toHaveFocus();
    await expect
      .element(failed)
      .toHaveAccessibleDescription(/^The digits were not those of the other screen/);
    await tabTo('Try again with new digits');
    await expectAccessible();
  });

  test('digits that the hub could not take may be typed again in the same boxes, with the reason said', async () => {
    const hub = await showPairing(pairingOf('type_six'), {
      'pairings.digits': () => ({
        ok: false,
        problem: problemOf('storage_failed', 'The disk is full.'),
      }),
    });
    await userEvent.keyboard('754416');
    await expect.element(page.getByRole('alert').getByText('The disk is full.')).toBeVisible();
    await expect.element(page.getByRole('textbox', { name: 'Digit 1' })).toHaveFocus();
    await expect.element(page.getByRole('textbox', { name: 'Digit 1' })).toHaveValue('');
    await userEvent.keyboard('754416');
    await vi.waitFor(() => expect(callsOf(hub, 'pairings.digits')).toHaveLength(2));
  });

  test('a request that is put away leaves the focus on the page and not nowhere', async () => {
    const hub = new FakeHubApi(snapshotOf({ pairings: [pairingOf('offered')] }));
    await showApp(hub, 'people/add');
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await tabTo('Not now');
    await userEvent.keyboard('{Enter}');
    await expect.element(heading('Add a hub')).toHaveFocus();
  });
});

describe('HE-08: several hubs that ask at once', () => {
  const offers = Array.from({ length: 6 }, (_, index) =>
    pairingOf('offered', {
      id: `offer-${index}`,
      peer_id: `ed25519.${index}`,
      label: `Hub 0000 000${index}`,
      said_hub: `Says ${index}`,
    }),
  );
  const opening = page.getByRole('button', { name: 'Show the code', exact: true });
  const voice = () =>
    [...document.querySelectorAll('[role=status]')]
      .map((region) => region.textContent?.trim())
      .join('');

  test('are one line to pick from: only the picked one says anything and can be opened', async () => {
    const hub = new FakeHubApi(snapshotOf({ pairings: offers }), {
      'pairings.open': () => ({ ok: true, value: pairingOf('exchanging') }),
    });
    await showApp(hub, 'people/add');
    await expect.element(heading('6 hubs want to be added')).toBeVisible();
    await expect
      .element(page.getByRole('navigation').getByRole('link', { name: /^People & hubs, 1 / }))
      .toBeVisible();
    expect(opening.elements()).toHaveLength(0);
    await expect.element(page.getByText(/Says \d/)).not.toBeInTheDocument();
    await expectAccessible();
    const fourth = page.getByRole('listitem').filter({ hasText: 'Hub 0000 0003' });
    await fourth.getByRole('button', { name: 'This one' }).click();
    await expect.element(fourth.getByText(/Says 3/)).toBeVisible();
    expect(opening.elements()).toHaveLength(1);
    await expect.element(page.getByText(/Says [^3]/)).not.toBeInTheDocument();
    await expectAccessible();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await opening.click();
    expect(callsOf(hub, 'pairings.open')).toEqual([{ id: 'offer-3' }]);
  });

  test('leave the one that stood alone as it is: in its place, with its focus, and open', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'people/add');
    const [first, second, third] = offers;
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('too few hubs ask');
    hub.emit({ type: 'pairing', pairing: first });
    await vi.waitFor(() => expect(opening.elements()).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expect.element(opening).not.toHaveAttribute('aria-disabled');
    const pick = page.getByRole('button', { name: 'This one' });
    expect(pick.elements(), 'there is nothing to pick').toHaveLength(0);
    await expectAccessible();
    const element = opening.element();
    element.focus();
    const { x, y, width, height } = element.getBoundingClientRect();
    for (const pairing of [second, third]) {
      hub.emit({ type: 'pairing', pairing });
      await expect.element(page.getByText(pairing.label)).toBeVisible();
      expect(opening.element()).toBe(element);
      expect(document.activeElement).toBe(element);
      expect(element.getBoundingClientRect()).toMatchObject({ x, y, width, height });
      expect(element.getAttribute('aria-disabled')).toBeNull();
    }
    expect(pick.elements()).toHaveLength(3);
    await expectAccessible();
  });

  test('are said once, and leave the one that stood alone where it is', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'people/add');
    const said: string[] = [];
    for (const pairing of offers) {
      hub.emit({ type: 'pairing', pairing });
      await vi.advanceTimersByTimeAsync(ARM_MS);
      if (voice() !== said.at(-1)) said.push(voice());
    }
    expect(said.filter((words) => words.includes('asks to be added'))).toHaveLength(1);
    expect(said.join('\n')).not.toMatch(/Hub 0000 000[1-5]/);
    expect(opening.elements()).toHaveLength(1);
    await expect.element(page.getByText(/Says 0/)).toBeVisible();
  });
});

describe('a hub that asks while nobody may', () => {
  const closed = { open: false, closes_at: null, locked_until: null };
  const label = 'Hub 3f2a 91bc';

  test('HE-08: is one quiet line in People & hubs: no voice, no count, nothing of what it says of itself', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'people');
    hub.emit({ type: 'pairing_window', window: { ...closed, asked: { label } } });
    await expect
      .element(page.getByText(`A hub asks to be added. It shows as ${label}.`))
      .toBeVisible();
    expect(
      [...document.querySelectorAll('[role=status],[role=alert]')]
        .map((region) => region.textContent?.trim())
        .join(''),
    ).toBe('');
    await expect
      .element(
        page.getByRole('navigation').getByRole('link', { name: 'People & hubs', exact: true }),
      )
      .toBeVisible();
    await expectAccessible();
    hub.emit({ type: 'pairing_window', window: { ...closed, asked: { label: null } } });
    await expect.element(page.getByText('Several hubs ask to be added.')).toBeVisible();
    await page.getByRole('link', { name: /^Now/ }).click();
    await expect.element(page.getByText(/asks? to be added/)).not.toBeInTheDocument();
  });

  test('is gone from there when it asks no more', async () => {
    const hub = new FakeHubApi(snapshotOf({ pairing_window: { ...closed, asked: { label } } }));
    await showApp(hub, 'people');
    await expect.element(page.getByText(/asks to be added/)).toBeVisible();
    hub.emit({ type: 'pairing_window', window: { ...closed, asked: null } });
    await expect.element(page.getByText(/asks to be added/)).not.toBeInTheDocument();
  });
});
