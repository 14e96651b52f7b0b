// The two cards of remote approval and the setting: an adult answers about exactly the request that
// the other hub keeps, a child cannot allow what an adult decides, and nobody changes who decides
// without the passphrase.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import {
  ASKED,
  ASKED_DANGEROUS,
  DAD_DECIDES,
  WAITING,
  WAITING_FOR_NOBODY,
} from '../fakes/remote-approval-cards.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { snapshotOf } from '../fakes/household.ts';
import { storyOfApproval } from '../fakes/stories.ts';
import type { RemoteApprovalDto } from '../../preload/contract/remote-approval.ts';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const decided = (hub: FakeHubApi) => callsOf(hub, 'approvals.decide');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function showCard(approval: ApprovalDto): Promise<FakeHubApi> {
  const hub = new FakeHubApi(snapshotOf({ approvals: [approval] }));
  await showApp(hub);
  await vi.advanceTimersByTimeAsync(ARM_MS);
  return hub;
}

describe('the card at an adult’s hub', () => {
  test('says who asks, for whom, and where it would run, and has its hidden characters written out', async () => {
    await showCard(ASKED);
    const card = page.getByRole('article', {
      name: 'Leo’s tablet wants your OK: its agent Home robot would do a task in Home doors',
    });
    await expect.element(card).toBeVisible();
    await expect
      .element(page.getByText('by Home robot on Leo’s tablet, if you allow it'))
      .toBeVisible();
    await expect.element(page.getByText('only your answer, with your name')).toBeVisible();
    const words = document.querySelector('article')?.textContent.replaceAll(/\s+/g, ' ') ?? '';
    expect(words).toContain('For Ben’s phone with Game Helper');
    expect(words).toContain('Ben’s phone wrote');
    expect(words).toContain('U+200B');
    const hubsName = document
      .querySelector('article .who .name')
      ?.textContent.replaceAll(/\s+/g, ' ')
      .trim();
    expect(hubsName, 'the key is Leo’s hub’s').toBe('Leo’s tablet verified key');
    expect(words, 'nothing is known of the key of Ben’s').not.toMatch(
      /Game Helper[ ,]*verified key/,
    );
    await expectAccessible();
  });

  test.each([
    [
      'by the name it has there',
      ASKED,
      'Leo’s tablet, for Ben’s phone with Game Helper wants your OK: Home robot on Leo’s tablet would do a task',
    ],
    [
      'as a program of that computer',
      ASKED_DANGEROUS,
      'Leo’s tablet, for a program on that computer with Game Helper wants your OK:',
    ],
    [
      'without an agent',
      { ...ASKED, from_agent: null, from_name: null },
      'Leo’s tablet, for Ben’s phone wants your OK: Home robot on Leo’s tablet would',
    ],
  ])('while it is held, says for whom the other hub asks, %s', async (_how, approval, sentence) => {
    await showCard({ ...approval, held: { why: 'quiet_hours', until: approval.expires_at } });
    await expect
      .element(page.getByRole('button', { name: 'Show now: the request from Leo’s tablet' }))
      .toBeVisible();
    const rows = [...document.querySelectorAll('ul.rows li')].map((row) =>
      row.textContent.replaceAll(/\s+/g, ' '),
    );
    expect(rows.filter((row) => row.includes(sentence))).toHaveLength(1);
    expect(rows.join(' '), 'Leo asks for nobody of his own').not.toContain('Leo’s tablet, Leo');
  });

  test('is allowed once or declined, and neither answered nor made a rule of', async () => {
    const hub = await showCard(ASKED);
    expect(document.querySelector('article .choices')).toBeNull();
    await expect.element(button('Answer yourself')).not.toBeInTheDocument();
    await press(button('Allow once'));
    const { id, revision, digest } = ASKED;
    expect(decided(hub)).toEqual([{ id, revision, digest, decision: 'allow' }]);
    const done = page.getByText('Leo’s tablet does not have the answer yet.', {
      exact: false,
    });
    await expect.element(done).toBeVisible();
    expect(document.body.textContent).not.toContain('was told');
  });

  test('RI-07: takes no press for 700 ms after it appears', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [ASKED] }));
    await showApp(hub);
    await button('Allow once').click({ force: true });
    expect(decided(hub)).toEqual([]);
  });

  test('asks for the last word of the request there, where that is dangerous', async () => {
    const hub = await showCard(ASKED_DANGEROUS);
    await button('Allow once').click({ force: true });
    expect(decided(hub)).toEqual([]);
    await page.getByRole('textbox').fill('in');
    await press(button('Allow once'));
    expect(decided(hub)).toMatchObject([{ decision: 'allow', last_word: 'in' }]);
  });
});

describe('the card that waits at a child’s hub', () => {
  test('says who decides and how far that is, and offers to decline alone', async () => {
    const hub = await showCard(WAITING);
    await expect.element(page.getByText('Mum’s PC or Dad’s laptop decides this')).toBeVisible();
    await expect.element(page.getByText('Mum’s PC has the question.')).toBeVisible();
    await expect
      .element(page.getByText('Dad’s laptop can’t be reached. The question waits for it.'))
      .toBeVisible();
    await expect
      .element(page.getByRole('heading', { level: 1, name: '1 request waits for an adult' }))
      .toBeVisible();
    expect(document.querySelector('.risk')?.textContent).not.toContain('You are asked every time');
    for (const name of ['Allow once', 'More choices', 'Answer yourself', 'Later'])
      await expect.element(button(name)).not.toBeInTheDocument();
    await expectAccessible();
    page.getByRole('heading', { level: 2 }).first().element().focus();
    for (const key of ['a', 'm', 'w']) await userEvent.keyboard(key);
    expect(decided(hub)).toEqual([]);
    await expect
      .element(
        page.getByText('Mum’s PC or Dad’s laptop may allow it, and then it runs without you.', {
          exact: false,
        }),
      )
      .toBeVisible();
    await press(button('Decline'));
    expect(decided(hub)).toMatchObject([{ id: WAITING.id, decision: 'decline' }]);
  });

  test('takes who decides from the story of the request, and not from the list beside it', async () => {
    const [mum] = WAITING.decided_by_hubs ?? [];
    if (mum === undefined) throw new Error('no hub decides');
    const told = storyOfApproval({ ...WAITING, decided_by_hubs: [mum] });
    await showCard({ ...WAITING, story: { ...told } });
    await expect.element(page.getByText('Mum’s PC decides this.', { exact: true })).toBeVisible();
    await expect.element(page.getByText('Mum’s PC may allow it', { exact: false })).toBeVisible();
  });

  test('says whom it asks where nobody has said how careful to be, and afterwards who allowed it', async () => {
    const hub = await showCard({ ...WAITING, risk_class: 'R2', risk_reason: 'default_class' });
    const why = 'Nobody has set how risky Home doors is, so Mum’s PC or Dad’s laptop is asked.';
    await expect.element(page.getByText(why, { exact: false })).toBeVisible();
    expect(document.querySelector('main')?.textContent).not.toContain('you are asked');
    const decidedNow = {
      state: 'approved',
      surface: 'peer',
      decided_by: 'Mum, Mum’s PC',
      decided_at: WAITING.received_at,
    } as const;
    hub.emit({ type: 'approval', approval: { ...WAITING, ...decidedNow } });
    await expect
      .element(page.getByRole('heading', { name: /^Mum allowed it, on Mum’s PC, as .*adult\.$/ }))
      .toBeVisible();
  });

  test('is spoken of as what it is, and is not among what waits for a person here', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [] }));
    await showApp(hub);
    hub.emit({ type: 'approval', approval: WAITING });
    const said = page.getByRole('status').filter({ hasText: 'about which an adult’s hub decides' });
    await expect
      .element(said)
      .toHaveTextContent(
        'A request from Ben’s phone, about which an adult’s hub decides. Nothing needs you.',
      );
    await expect
      .element(page.getByRole('heading', { level: 1, name: '1 request waits for an adult' }))
      .toBeVisible();
  });

  test('RI-07: takes no press for 700 ms after it comes back to the people here, where Allow appears', async () => {
    // What was said is the taller side of the card: nothing on it moves when the other side
    // changes.
    const fields = Array.from({ length: 12 }, (_, at) => [`place.${at}`, 'The back door'] as const);
    const tall = { ...WAITING, risk_class: 'R2', fields } as const;
    await page.viewport(1280, 900);
    const hub = await showCard(tall);
    const { top } = button('Decline').element().getBoundingClientRect();
    hub.emit({ type: 'approval', approval: { ...tall, decided_by_hubs: null } });
    const allow = button('Allow once');
    await expect.element(allow).toBeVisible();
    expect(button('Decline').element().getBoundingClientRect().top).toBe(top);
    await expect.element(allow).toHaveAttribute('aria-disabled', 'true');
    await allow.click({ force: true });
    await vi.advanceTimersByTimeAsync(ARM_MS - 1);
    await allow.click({ force: true });
    expect(decided(hub)).toEqual([]);
    await press(allow);
    expect(decided(hub)).toMatchObject([{ decision: 'allow' }]);
  });

  test('says so when nobody is left who may decide', async () => {
    await showCard(WAITING_FOR_NOBODY);
    await expect.element(page.getByText('No adult’s hub can decide this')).toBeVisible();
    await expect.element(button('Allow once')).not.toBeInTheDocument();
  });
});

describe('the setting', () => {
  const form = '.remote-approval';
  async function showSetting(
    answers: ConstructorParameters<typeof FakeHubApi>[1] = {},
  ): Promise<FakeHubApi> {
    const hub = new FakeHubApi(snapshotOf(), {
      'remote_approval.get': () => ({ ok: true, value: DAD_DECIDES }),
      ...answers,
    });
    await showApp(hub, 'settings');
    await expect.element(page.getByText('Dad’s laptop decides.', { exact: false })).toBeVisible();
    return hub;
  }

  test('offers the paired hubs, but none that cannot be asked, and says why', async () => {
    await showSetting();
    const hubs = page.getByRole('group', { name: 'Whose hub decides' });
    await expect.element(hubs.getByRole('checkbox', { name: 'Dad’s laptop' })).toBeChecked();
    await expect.element(hubs.getByRole('checkbox', { name: 'Greenhouse' })).toBeDisabled();
    await expect
      .element(page.getByText('Greenhouse can’t be asked', { exact: false }))
      .toBeVisible();
    await expect
      .element(page.getByText('Only hubs whose role is “Adult”', { exact: false }))
      .toBeVisible();
    await expect.element(page.getByText('agents stay as they are', { exact: false })).toBeVisible();
    expect(document.querySelector(form)).not.toBeNull();
    await expectAccessible();
  });

  test('where no paired hub is said to be an adult’s says what to do, and offers nothing', async () => {
    await showApp(
      new FakeHubApi(snapshotOf(), {
        'remote_approval.get': () => ({ ok: true, value: { from: null, hubs: [] } }),
      }),
      'settings',
    );
    await expect
      .element(page.getByText('None of your hubs has the role “Adult”.', { exact: false }))
      .toBeVisible();
    await expect.element(button('Save who decides')).not.toBeInTheDocument();
  });

  test('is kept with the passphrase and not without it', async () => {
    const hub = await showSetting({
      'remote_approval.set': ({ passphrase }) =>
        passphrase === 'right and long'
          ? { ok: true, value: { ...DAD_DECIDES, from: 'R3' } }
          : {
              ok: false,
              problem: problemOf('wrong_passphrase', 'That is not the owner passphrase.'),
            },
    });
    await button('Save who decides').click();
    expect(callsOf(hub, 'remote_approval.set')).toEqual([]);
    await expect.element(page.getByText('Type the owner passphrase.')).toBeVisible();
    await expect.element(page.getByLabelText('Owner passphrase', { exact: true })).toHaveFocus();
    await button('Dangerous only').click();
    await page.getByLabelText('Owner passphrase', { exact: true }).fill('a guess');
    await button('Save who decides').click();
    const passphrase = page.getByLabelText('Owner passphrase', { exact: true });
    await expect
      .element(passphrase)
      .toHaveAccessibleDescription(/That is not the owner passphrase\.$/);
    await expect.element(passphrase).toHaveFocus();
    await expect
      .element(page.getByText('That is not the owner passphrase.', { exact: false }))
      .toBeVisible();
    await expect
      .element(page.getByRole('button', { name: 'Dangerous only', pressed: true }))
      .toBeVisible();
    await expect.element(page.getByText('Type the owner passphrase.')).not.toBeInTheDocument();
    await page.getByLabelText('Owner passphrase', { exact: true }).fill('right and long');
    await button('Save who decides').click();
    await expect
      .element(page.getByText('For “Dangerous only” and anything riskier.', { exact: false }))
      .toBeVisible();
    expect(callsOf(hub, 'remote_approval.set').at(-1)).toMatchObject({
      from: 'R3',
      hubs: [DAD_DECIDES.hubs[0]?.id],
      passphrase: 'right and long',
    });
    expect(callsOf(hub, 'remote_approval.set').at(-1)).toMatchObject({
      seen: { from: DAD_DECIDES.from, hubs: [DAD_DECIDES.hubs[0]?.id] },
    });
  });

  test('says no longer that the passphrase is another once it was typed anew, and leads to what is wrong now', async () => {
    const wrong = {
      ok: false,
      problem: problemOf('wrong_passphrase', 'That is not the owner passphrase.'),
    } as const;
    const hub = await showSetting({ 'remote_approval.set': () => wrong });
    const passphrase = page.getByLabelText('Owner passphrase', { exact: true });
    const decides = page
      .getByRole('group', { name: 'Whose hub decides' })
      .getByRole('checkbox', { name: 'Dad’s laptop' });
    await passphrase.fill('a guess');
    await button('Save who decides').click();
    await expect.element(passphrase).toHaveAttribute('aria-invalid', 'true');
    await passphrase.fill('right and long');
    await expect.element(passphrase).toHaveAttribute('aria-invalid', 'false');
    await expect
      .element(page.getByText('That is not the owner passphrase.', { exact: false }))
      .not.toBeInTheDocument();
    await decides.click();
    await button('Save who decides').click();
    await expect.element(decides).toHaveFocus();
    await expect.element(passphrase).toHaveAttribute('aria-invalid', 'false');
    expect(callsOf(hub, 'remote_approval.set')).toHaveLength(1);
  });

  test('leaves no passphrase in the field, whatever came of it, and offers none to be kept by the browser', async () => {
    let answer: (() => void) | undefined;
    await showSetting({
      'remote_approval.set': () =>
        new Promise((resolve) => {
          answer = () =>
            resolve({
              ok: false,
              problem: problemOf('hub_unreachable', 'The hub does not answer.'),
            });
        }),
    });
    const field = page.getByLabelText('Owner passphrase', { exact: true });
    await expect.element(field).toHaveAttribute('autocomplete', 'one-time-code');
    await expect.element(field).toHaveAttribute('type', 'password');
    await field.fill('right and long');
    await button('Save who decides').click();
    await expect.poll(() => answer).toBeDefined();
    await expect.element(field).toHaveValue('');
    answer?.();
    await expect
      .element(page.getByText('The hub does not answer.', { exact: false }))
      .toBeVisible();
    await expect.element(field).toHaveValue('');
  });

  test('is read again as hubs come and go, and what is chosen stays chosen', async () => {
    let value = DAD_DECIDES;
    const hub = await showSetting({ 'remote_approval.get': () => ({ ok: true, value }) });
    await expect.element(page.getByRole('checkbox', { name: 'Greenhouse' })).toBeDisabled();
    await button('Dangerous only').click();
    value = { ...value, hubs: value.hubs.map((other) => ({ ...other, can: true })) };
    const [peer] = hub.snapshot.peers;
    if (peer === undefined) throw new Error('no hub is paired');
    hub.emit({ type: 'peer', peer: { ...peer, online: !peer.online } });
    await expect.element(page.getByRole('checkbox', { name: 'Greenhouse' })).toBeEnabled();
    await expect.element(button('Dangerous only')).toHaveAttribute('aria-pressed', 'true');
  });

  test('shows what another page has kept meanwhile, and says so', async () => {
    let value = DAD_DECIDES;
    await showSetting({ 'remote_approval.get': () => ({ ok: true, value }) });
    await button('Dangerous only').click();
    value = { ...value, from: 'R1' };
    window.dispatchEvent(new Event('focus'));
    await expect
      .element(page.getByText('For “Small” and anything riskier.', { exact: false }))
      .toBeVisible();
    await expect
      .element(page.getByText('Someone changed this meanwhile.', { exact: false }))
      .toBeVisible();
    await expect.element(button('Small')).toHaveAttribute('aria-pressed', 'true');
  });
});

describe('the page of a hub', () => {
  const DECIDER = DAD_DECIDES.hubs[0]?.id ?? '';
  const showHub = async (
    answers: ConstructorParameters<typeof FakeHubApi>[1],
  ): Promise<FakeHubApi> => {
    const hub = new FakeHubApi(snapshotOf(), answers);
    await showApp(hub, `people/hub/${DECIDER}`);
    return hub;
  };
  const decides = page.getByText('It decides what is asked of this computer', { exact: false });
  const warning = page.getByText('Dad’s laptop is the only hub that decides here.', {
    exact: false,
  });

  test('that decides here says so, and warns that nobody can allow anything once it is removed', async () => {
    await showHub({ 'remote_approval.get': () => ({ ok: true, value: DAD_DECIDES }) });
    await expect
      .element(
        page.getByText(
          'It decides what is asked of this computer, for “Others see it” and anything riskier.',
        ),
      )
      .toBeVisible();
    await expect.element(warning).not.toBeInTheDocument();
    for (const what of ['Suspend', 'Remove']) {
      await button(what).click();
      await expect.element(warning).toBeVisible();
    }
    await expectAccessible();
  });

  test('warns as well where it is said to be no adult’s any more', async () => {
    await showHub({ 'remote_approval.get': () => ({ ok: true, value: DAD_DECIDES }) });
    await expect.element(decides).toBeVisible();
    await button('Name and role').click();
    await expect
      .element(page.getByRole('combobox', { name: 'Role in the household' }))
      .toHaveValue('adult');
    await expect.element(warning).not.toBeInTheDocument();
    await page.getByRole('combobox', { name: 'Role in the household' }).selectOptions('Child');
    await expect.element(warning).toBeVisible();
    await expectAccessible();
    await page.getByRole('combobox', { name: 'Role in the household' }).selectOptions('Adult');
    await expect.element(warning).not.toBeInTheDocument();
  });

  const NOBODY = { from: null, hubs: [] } as const;
  const CHANGES: readonly (readonly [string, (hub: FakeHubApi) => void | Promise<void>])[] = [
    ['the window comes to the front', () => void window.dispatchEvent(new Event('focus'))],
    [
      'a hub comes or goes',
      (hub) =>
        hub.snapshot.peers
          .slice(0, 1)
          .forEach((peer) => hub.emit({ type: 'peer', peer: { ...peer, online: !peer.online } })),
    ],
    ['it is to be suspended', () => button('Suspend').click()],
    ['it is to be removed', () => button('Remove').click()],
  ];
  test.each(CHANGES)(
    'knows what it has come to decide since it was opened once %s',
    async (_when, change) => {
      let value: RemoteApprovalDto = NOBODY;
      const hub = await showHub({ 'remote_approval.get': () => ({ ok: true, value }) });
      await vi.waitFor(() => expect(callsOf(hub, 'remote_approval.get')).not.toHaveLength(0));
      value = DAD_DECIDES;
      await change(hub);
      await expect.element(decides).toBeVisible();
    },
  );

  test.each(CHANGES)(
    'is asked about again, where that could not be read at first, once %s',
    async (_when, change) => {
      let isFull = true;
      const full = {
        ok: false,
        problem: problemOf('storage_failed', 'The disk is full.'),
      } as const;
      const hub = await showHub({
        'remote_approval.get': () => (isFull ? full : { ok: true, value: DAD_DECIDES }),
      });
      await vi.waitFor(() => expect(callsOf(hub, 'remote_approval.get')).not.toHaveLength(0));
      isFull = false;
      await change(hub);
      await expect.element(decides).toBeVisible();
      isFull = true;
      const before = callsOf(hub, 'remote_approval.get').length;
      window.dispatchEvent(new Event('focus'));
      await vi.waitFor(() =>
        expect(callsOf(hub, 'remote_approval.get').length).toBeGreaterThan(before),
      );
      await expect.element(decides).toBeVisible();
    },
  );

  test('that decides nothing here says and warns nothing of the kind', async () => {
    await showHub({});
    await button('Remove').click();
    await expect
      .element(page.getByText('Its waiting requests end and are not done', { exact: false }))
      .toBeVisible();
    expect(document.body.textContent).not.toContain('decides');
  });
});
