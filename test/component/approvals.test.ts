// The approval card: what it shows, when it may be pressed, what becomes of it.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ShowRequest } from '../../preload/contract/bridge.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { ruleFrom } from '../fakes/household-rules.ts';
import {
  CAR,
  DEPLOY,
  DINNER,
  LONG,
  NOW,
  SALT,
  approvalOf,
  snapshotOf,
} from '../fakes/household.ts';
import { story } from '../fakes/stories.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const card = (name: RegExp | string) => page.getByRole('article', { name });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function showCards(hub: FakeHubApi): Promise<void> {
  await showApp(hub);
  await vi.advanceTimersByTimeAsync(ARM_MS);
}
const decided = (hub: FakeHubApi) => callsOf(hub, 'approvals.decide');

describe('what a card shows', () => {
  test('a card says who asks, the exact text, what would run and what happens if nobody answers', async () => {
    await showCards(new FakeHubApi(snapshotOf({ approvals: [DINNER] })));
    const shown = card('Dad’s laptop wants Claude Code to do a task in Family chat');
    await expect.element(shown).toBeInTheDocument();
    for (const words of [
      DINNER.text,
      'exact, 85 characters',
      '7:00 PM',
      'Others will see it.',
      'not checked',
      'It is not done.',
    ]) {
      await expect.element(shown.getByText(words)).toBeVisible();
    }
    await expectAccessible();
  });

  test('a deadline of another day says which day', async () => {
    const DAY_MS = 86_400_000;
    await showCards(
      new FakeHubApi(snapshotOf({ approvals: [{ ...DINNER, expires_at: NOW + DAY_MS - 60_000 }] })),
    );
    await expect.element(page.getByText(/, until tomorrow at /)).toBeVisible();
  });

  test('hidden characters stand as boxed codes and are counted', async () => {
    await showCards(new FakeHubApi(snapshotOf({ approvals: [LONG] })));
    await expect
      .element(page.getByRole('img', { name: 'hidden character U+202E' }))
      .toBeInTheDocument();
    await expect.element(page.getByText('2 hidden ones shown')).toBeInTheDocument();
    await expectAccessible();
  });

  test('a text with a few fields stands whole: nothing of it is hidden below a fold', async () => {
    const text = `${'One line of eight short words and no more. '.repeat(7)}`;
    const fields = ['dinner_time', 'location', 'guests', 'dessert', 'who_cooks'].map(
      (name) => [`context.${name}`, 'home'] as const,
    );
    await showCards(
      new FakeHubApi(snapshotOf({ approvals: [approvalOf('whole', { text, fields })] })),
    );
    const box = document.querySelector('.scroll');
    expect(box?.scrollHeight).toBeGreaterThan(256);
    expect(box?.scrollHeight).toBe(box?.clientHeight);
    await expect.element(page.getByText('Who cooks')).toBeVisible();
    await expect.element(page.getByText(/^More below/)).not.toBeInTheDocument();
    await expect.element(button('Allow once')).not.toHaveAttribute('aria-disabled');
  });

  test('cards stand by soonest end', async () => {
    await showCards(new FakeHubApi(snapshotOf({ approvals: [SALT, DINNER, CAR] })));
    const order = [...document.querySelectorAll('[data-card]')].map((element) =>
      element.getAttribute('data-card'),
    );
    expect(order).toEqual([CAR.id, DINNER.id, SALT.id]);
  });
});

describe('when a card may be pressed', () => {
  test('RI-07: buttons are inert for 700 ms after the card appears, and a press then decides nothing', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showApp(hub);
    await vi.advanceTimersByTimeAsync(ARM_MS - 1);
    await expect.element(button('Allow once')).toHaveAttribute('aria-disabled', 'true');
    await expect.element(button('Decline')).toHaveAttribute('aria-disabled', 'true');
    await button('Allow once').click({ force: true });
    expect(decided(hub)).toEqual([]);
    // A press that came too early begins the wait again: quick taps never add up to a decision.
    await vi.advanceTimersByTimeAsync(ARM_MS - 1);
    await button('Allow once').click({ force: true });
    expect(decided(hub)).toEqual([]);
    await press(button('Allow once'));
    expect(decided(hub)).toEqual([
      { id: DINNER.id, revision: 1, digest: DINNER.digest, decision: 'allow' },
    ]);
  });

  test('Enter does nothing while the heading has the focus, and no button is the default', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCards(hub);
    expect(document.querySelector('[data-card] form, [data-card] [type=submit]')).toBeNull();
    document.getElementById(`approval-${DINNER.id}`)?.focus();
    await userEvent.keyboard('{Enter}');
    expect(decided(hub)).toEqual([]);
  });

  test('the window gaining focus arms the buttons anew', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCards(hub);
    window.dispatchEvent(new Event('focus'));
    await expect.element(button('Allow once')).toHaveAttribute('aria-disabled', 'true');
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expect.element(button('Allow once')).not.toHaveAttribute('aria-disabled');
  });

  test('a change while it is read arms the buttons anew, shows old and new words, and the press counts for what was shown', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCards(hub);
    const text = DINNER.text.replace('7', '8');
    hub.emit({
      type: 'approval',
      approval: { ...DINNER, text, revision: 2, digest: 'a'.repeat(64) },
    });
    await expect.element(page.getByText('changed while you read')).toBeInTheDocument();
    await button('Allow once').click({ force: true });
    expect(decided(hub)).toEqual([]);
    expect([...document.querySelectorAll('del')].map((element) => element.textContent)).toEqual([
      '7.',
    ]);
    expect([...document.querySelectorAll('ins')].map((element) => element.textContent)).toEqual([
      '8.',
    ]);
    await press(button('Allow once'));
    expect(decided(hub)).toEqual([
      { id: DINNER.id, revision: 2, digest: 'a'.repeat(64), decision: 'allow' },
    ]);
  });

  test('RI-07: a card that something above pushes down is inert again', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCards(hub);
    const above = document.createElement('div');
    above.className = 'pushed';
    above.append(document.createElement('p'), 'something new');
    document.querySelector('.page')?.prepend(above);
    await button('Allow once').click({ force: true });
    expect(decided(hub)).toEqual([]);
    await expect.element(button('Allow once')).toHaveAttribute('aria-disabled', 'true');
  });

  test('RI-07: while the pointer is among the cards a new one goes to the end, and no press meant for another decides it', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT] }));
    await showCards(hub);
    await card(/Attic/).hover();
    const before = document.querySelector(`[data-card="${SALT.id}"]`)?.getBoundingClientRect().top;
    hub.emit({ type: 'approval', approval: CAR });
    await expect.element(card(/answer a question/)).toBeInTheDocument();
    expect(
      [...document.querySelectorAll('[data-card]')].map((element) =>
        element.getAttribute('data-card'),
      ),
    ).toEqual([SALT.id, CAR.id]);
    expect(document.querySelector(`[data-card="${SALT.id}"]`)?.getBoundingClientRect().top).toBe(
      before,
    );
    await card(/answer a question/)
      .getByRole('button', { name: 'Allow once' })
      .click({ force: true });
    expect(decided(hub)).toEqual([]);
  });

  test('RI-07: the way by Tab keeps its order while a new card arrives, and no key on the way decides', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT] }));
    await showCards(hub);
    document.getElementById(`approval-${SALT.id}`)?.focus();
    const at = () => document.activeElement?.textContent.trim() ?? '';
    for (let presses = 0; presses < 8 && !at().startsWith('Decline'); presses++)
      await userEvent.keyboard('{Tab}');
    expect(at()).toMatch(/^Decline/);
    // It ends sooner, so it would stand above if nobody were among the cards.
    hub.emit({ type: 'approval', approval: CAR });
    await expect.element(card(/answer a question/)).toBeInTheDocument();
    expect(document.activeElement?.closest('[data-card]')?.getAttribute('data-card')).toBe(SALT.id);
    await userEvent.keyboard('{Tab}');
    expect(at()).toMatch(/^Allow once/);
    expect(document.activeElement?.closest('[data-card]')?.getAttribute('data-card')).toBe(SALT.id);
    // On into the new card: its buttons are there to be reached and closed to Enter and Space.
    for (
      let presses = 0;
      presses < 12 && document.activeElement?.closest(`[data-card="${CAR.id}"] .do`) === null;
      presses++
    ) {
      await userEvent.keyboard('{Tab}');
    }
    const reached = document.activeElement;
    expect(reached?.closest('[data-card]')?.getAttribute('data-card')).toBe(CAR.id);
    for (let presses = 0; presses < 4; presses++) await userEvent.keyboard('{Enter} {Tab}');
    expect(decided(hub)).toEqual([]);
    await expect.element(button('Decline and say so')).not.toBeInTheDocument();
  });

  test('RI-07: the card below a decided one is inert as it moves up', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER, SALT] }));
    await showCards(hub);
    await press(card(/Family chat/).getByRole('button', { name: 'Decline' }));
    await expect
      .element(card(/Attic/).getByRole('button', { name: 'Decline' }))
      .toHaveAttribute('aria-disabled', 'true');
    await card(/Attic/).getByRole('button', { name: 'Decline' }).click({ force: true });
    expect(decided(hub)).toHaveLength(1);
  });

  test('single keys work only while a card has the focus, and not when they are switched off', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCards(hub);
    await userEvent.keyboard('d');
    expect(decided(hub)).toEqual([]);
    hub.emit({
      type: 'settings',
      settings: { ...hub.snapshot.settings, single_key_shortcuts: false },
    });
    document.getElementById(`approval-${DINNER.id}`)?.focus();
    await userEvent.keyboard('d');
    expect(decided(hub)).toEqual([]);
    hub.emit({
      type: 'settings',
      settings: { ...hub.snapshot.settings, single_key_shortcuts: true },
    });
    await userEvent.keyboard('d');
    expect(decided(hub)).toEqual([
      { id: DINNER.id, revision: 1, digest: DINNER.digest, decision: 'decline' },
    ]);
  });

  test('a long text opens Allow only once its end has been in view; Decline is open before', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [LONG] }));
    await showCards(hub);
    await expect.element(page.getByText(/^More below: \d+ lines/)).toBeVisible();
    await expect.element(button('Allow once')).toHaveAttribute('aria-disabled', 'true');
    await expect.element(button('Decline')).not.toHaveAttribute('aria-disabled');
    const box = document.querySelector('.scroll');
    box?.scrollTo(0, box.scrollHeight);
    await expect.element(button('Allow once')).not.toHaveAttribute('aria-disabled');
    await press(button('Allow once'));
    expect(decided(hub)).toHaveLength(1);
  });

  test('something dangerous needs the last word typed', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DEPLOY] }));
    await showCards(hub);
    expect(document.querySelector('.last')?.textContent).toBe('production');
    const word = page.getByRole('textbox', { name: /type the last word/ });
    await word.fill('produc');
    await button('Allow once').click({ force: true });
    expect(decided(hub)).toEqual([]);
    await userEvent.click(word);
    await userEvent.keyboard('tion{Enter}');
    expect(decided(hub)).toEqual([]);
    await press(button('Allow once'));
    expect(decided(hub)).toEqual([
      {
        id: DEPLOY.id,
        revision: 1,
        digest: DEPLOY.digest,
        decision: 'allow',
        last_word: 'production',
      },
    ]);
    await expectAccessible();
  });

  test('nothing may be pressed while the hub is lost or the time is up', async () => {
    const hub = new FakeHubApi(
      snapshotOf({ approvals: [DINNER, approvalOf('late', { expires_at: NOW - 1 })] }),
    );
    await showCards(hub);
    await expect
      .element(
        card(/Family chat/)
          .nth(0)
          .getByRole('button', { name: 'Decline' }),
      )
      .toHaveAttribute('aria-disabled', 'true');
    hub.link({ state: 'lost', since: Date.now(), retry_in_ms: 4_000 });
    await expect.element(page.getByText(/^This page lost its hub at [0-9:]+\.$/)).toBeVisible();
    await card(/Family chat/)
      .nth(1)
      .getByRole('button', { name: 'Decline' })
      .click({ force: true });
    expect(decided(hub)).toEqual([]);
    await expectAccessible();
  });
});

describe('what becomes of a card', () => {
  test('a decided card stays as a row for 5 s, and while the pointer is there, the focus goes to the next card’s heading', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER, SALT] }));
    await showCards(hub);
    await press(card(/Family chat/).getByRole('button', { name: 'Allow once' }));
    await expect
      .element(page.getByRole('article', { name: 'Mum allowed it, on Mum’s PC.' }))
      .toBeVisible();
    await vi.waitFor(() => expect(document.activeElement?.id).toBe(`approval-${SALT.id}`));
    await expectAccessible();
    await vi.advanceTimersByTimeAsync(4_900);
    await expect
      .element(page.getByRole('article', { name: 'Mum allowed it, on Mum’s PC.' }))
      .toBeInTheDocument();
    await vi.advanceTimersByTimeAsync(200);
    await expect
      .element(page.getByRole('article', { name: 'Mum allowed it, on Mum’s PC.' }))
      .toBeInTheDocument();
    await userEvent.hover(page.getByRole('navigation'));
    await expect
      .element(page.getByRole('article', { name: 'Mum allowed it, on Mum’s PC.' }))
      .not.toBeInTheDocument();
  });

  test('a decided card leaves where the page goes out of sight under the pointer, as the popover does', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER, SALT] }));
    await showCards(hub);
    await press(card(/Family chat/).getByRole('button', { name: 'Allow once' }));
    const decidedCard = page.getByRole('article', { name: 'Mum allowed it, on Mum’s PC.' });
    await vi.advanceTimersByTimeAsync(5_100);
    await expect.element(decidedCard).toBeInTheDocument();
    const sight = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    document.dispatchEvent(new Event('visibilitychange'));
    sight.mockRestore();
    await expect.element(decidedCard).not.toBeInTheDocument();
  });

  test('declining with a reason shows exactly what is told, and sends it', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCards(hub);
    await press(button('With a reason'));
    await page.getByRole('radio', { name: 'ask me in person' }).click();
    await expect
      .element(page.getByText('“A person declined this request: ask me in person”'))
      .toBeVisible();
    await expectAccessible();
    await press(button('Decline and say so'));
    expect(decided(hub)).toEqual([
      {
        id: DINNER.id,
        revision: 1,
        digest: DINNER.digest,
        decision: 'decline',
        reason: 'ask me in person',
      },
    ]);
  });

  test('a press that came second changes nothing and says who was first', async () => {
    const hub: FakeHubApi = new FakeHubApi(snapshotOf({ approvals: [DINNER] }), {
      'approvals.decide': () => {
        hub.emitUnheard({
          type: 'approval',
          approval: {
            ...DINNER,
            state: 'declined',
            decided_at: NOW,
            decided_by: 'Dad',
            surface: 'browser',
          },
        });
        return { ok: false, problem: problemOf('already_decided', 'Somebody else was first.') };
      },
    });
    await showCards(hub);
    await press(button('Allow once'));
    await expect
      .element(page.getByRole('article', { name: 'Dad declined it, on Mum’s PC.' }))
      .toBeVisible();
    await expect
      .element(page.getByText(/Someone else decided first. Your choice changed nothing/))
      .toBeVisible();
  });

  test('a decision the hub could not keep leaves the card and says that nothing was decided', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }), {
      'approvals.decide': () => ({
        ok: false,
        problem: problemOf('storage_failed', 'The disk is full.'),
      }),
    });
    await showCards(hub);
    await press(button('Allow once'));
    await expect.element(page.getByText('Nothing was decided. The disk is full.')).toBeVisible();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expect.element(button('Allow once')).not.toHaveAttribute('aria-disabled');
  });

  test.each([
    ['hub_unreachable', 'No answer.'],
    ['storage_failed', 'The disk is full.'],
  ] as const)(
    'a decision of which nobody knows what became of it says so: %s',
    async (code, detail) => {
      const problem = problemOf(code, detail);
      const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }), {
        'approvals.decide': () => ({ ok: false, problem }),
        'approvals.get': () => ({ ok: false, problem: problemOf('hub_unreachable', 'No answer.') }),
      });
      await showCards(hub);
      await press(button('Allow once'));
      await expect
        .element(page.getByText(`${detail} Whether this was decided is not known.`))
        .toBeVisible();
      await expect.element(page.getByText('Nothing was decided.')).not.toBeInTheDocument();
    },
  );

  test('declined, expired and called off keep different words', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER, SALT, CAR] }));
    await showCards(hub);
    hub.emit({
      type: 'approval',
      approval: {
        ...DINNER,
        state: 'declined',
        decided_at: NOW,
        decided_by: 'Mum',
        surface: 'window',
      },
    });
    hub.emit({
      type: 'approval',
      approval: { ...SALT, state: 'expired', decided_at: NOW, surface: 'clock' },
    });
    hub.emit({
      type: 'approval',
      approval: { ...CAR, state: 'cancelled', decided_at: NOW, surface: 'peer' },
    });
    for (const name of [
      'Mum declined it, on Mum’s PC.',
      /^Nobody here decided in time/,
      /Dad’s laptop cancelled it before anybody decided/,
    ]) {
      await expect.element(card(name)).toBeInTheDocument();
    }
  });

  test('when the hub comes back the buttons open as if the card had just appeared', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCards(hub);
    hub.link({ state: 'lost', since: Date.now(), retry_in_ms: 500 });
    await expect.element(page.getByText(/^This page lost its hub at [0-9:]+\.$/)).toBeVisible();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    hub.link({ state: 'live', since: Date.now(), retry_in_ms: null });
    await button('Decline').click({ force: true });
    expect(decided(hub)).toEqual([]);
    // The strip leaves and the card moves up, which the page sees some frames later: only then does
    // the wait begin for the last time.
    await expect.element(page.getByText(/^This page lost its hub at/)).not.toBeInTheDocument();
    await expect
      .poll(async () => {
        await vi.advanceTimersByTimeAsync(ARM_MS);
        if (decided(hub).length === 0) await button('Decline').click({ force: true });
        return decided(hub).length;
      })
      .toBe(1);
  });

  test('Escape closes the drawer of the card only, and what opened it has the focus', async () => {
    await showCards(new FakeHubApi(snapshotOf({ approvals: [DINNER] })));
    await press(button('With a reason'));
    await expect.element(page.getByRole('radio', { name: 'not now' })).toHaveFocus();
    await userEvent.keyboard('{Escape}');
    await expect.element(button('Decline and say so')).not.toBeInTheDocument();
    await expect.element(button('With a reason')).toHaveFocus();
  });

  test('while a reason is being given nothing but its own button answers, and the focus goes where the words are', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCards(hub);
    await userEvent.keyboard('jr');
    await expect.element(page.getByRole('radio', { name: 'not now' })).toHaveFocus();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    for (const name of ['Allow once', 'Decline']) {
      await expect.element(button(name)).toHaveAttribute('aria-disabled', 'true');
      await button(name).click({ force: true });
      await userEvent.keyboard('{Enter} ');
    }
    await userEvent.keyboard('adm');
    expect(decided(hub)).toEqual([]);
    await page.getByRole('radio', { name: 'In your own words…' }).click();
    await expect.element(page.getByRole('textbox', { name: 'Your words' })).toHaveFocus();
    await userEvent.keyboard('{Escape}');
    expect(document.activeElement?.id).toBe(`approval-${DINNER.id}`);
    await expect.element(button('Allow once')).not.toHaveAttribute('aria-disabled');
  });

  test('a rule that is suggested waits until the reason has been given', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [{ ...SALT, allowed_before: 3 }] }));
    await showCards(hub);
    await press(button('With a reason'));
    await page.getByRole('radio', { name: 'In your own words…' }).click();
    await page.getByRole('textbox', { name: 'Your words' }).fill('not this week');
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expect.element(button('Make it a rule…')).toHaveAttribute('aria-disabled', 'true');
    await button('Make it a rule…').click({ force: true });
    await expect
      .element(page.getByRole('textbox', { name: 'Your words' }))
      .toHaveValue('not this week');
    await button('Back').click();
    await press(button('Make it a rule…'));
    await expect.element(button('Allow and remember')).toBeInTheDocument();
    await button('Back').click();
    await expect.element(button('Make it a rule…')).toHaveFocus();
  });

  test.each([
    ['With a reason', () => page.getByRole('radio', { name: 'not now' })],
    ['More choices', () => page.getByRole('radio', { name: /^For this conversation/ })],
  ])(
    'a card that is settled elsewhere while %s is open keeps the focus on its new line, and says so',
    async (opener, first) => {
      const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER, SALT] }));
      await showCards(hub);
      await press(card(/Family chat/).getByRole('button', { name: opener }));
      await expect.element(first()).toHaveFocus();
      hub.emit({
        type: 'approval',
        approval: {
          ...DINNER,
          state: 'declined',
          decided_at: NOW,
          decided_by: 'Dad',
          surface: 'browser',
        },
      });
      await expect
        .element(page.getByRole('article', { name: 'Dad declined it, on Mum’s PC.' }))
        .toBeVisible();
      await vi.waitFor(() =>
        expect(document.activeElement?.textContent).toBe('Dad declined it, on Mum’s PC.'),
      );
      await expect
        .element(
          page.getByText('The request from Dad’s laptop is settled: Dad declined it, on Mum’s PC.'),
        )
        .toBeInTheDocument();
      await userEvent.hover(page.getByRole('navigation'));
      await vi.advanceTimersByTimeAsync(5_100);
      await vi.waitFor(() => expect(document.activeElement?.id).toBe(`approval-${SALT.id}`));
      // What was said is not there for whoever reads the page later.
      await expect.element(page.getByText(/is settled/)).not.toBeInTheDocument();
    },
  );

  test('a card that changes while a drawer is open keeps the focus, at its heading', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCards(hub);
    await press(button('With a reason'));
    await expect.element(page.getByRole('radio', { name: 'not now' })).toHaveFocus();
    hub.emit({
      type: 'approval',
      approval: {
        ...DINNER,
        text: DINNER.text.replace('7', '8'),
        revision: 2,
        digest: 'a'.repeat(64),
      },
    });
    await expect.element(page.getByText('changed while you read')).toBeInTheDocument();
    await vi.waitFor(() => expect(document.activeElement?.id).toBe(`approval-${DINNER.id}`));
  });

  test('what was allowed says how far the task has come, here and under what was decided lately', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER], recently_decided: [] }));
    await showCards(hub);
    const approved = {
      ...DINNER,
      state: 'approved',
      decided_at: NOW,
      decided_by: 'Mum',
      surface: 'window',
    } as const;
    hub.emit({ type: 'approval', approval: { ...approved, task_state: 'queued' } });
    await expect.element(page.getByText(/Waits for Claude Code\./)).toBeVisible();
    hub.emit({ type: 'approval', approval: { ...approved, task_state: 'running' } });
    await expect.element(page.getByText(/Claude Code is working on it\./)).toBeVisible();
    await vi.advanceTimersByTimeAsync(5_100);
    hub.emit({ type: 'approval', approval: { ...approved, task_state: 'completed' } });
    await expect.element(page.getByText('Mum allowed it, on Mum’s PC. Done.')).toBeVisible();
    const waits = {
      state: 'waits',
      agent: 'Claude Code',
      again: false,
      away: { since: null },
    } as const;
    const told = story({ state: 'queued', verdict: 'allowed', verdictBy: 'Mum' });
    if (told.verdict.outcome !== 'allowed') throw new Error('not allowed');
    hub.emit({
      type: 'approval',
      approval: {
        ...approved,
        story: { ...told, verdict: told.verdict, handed_over: waits, end: null },
      },
    });
    await expect.element(page.getByText(/Waits for Claude Code, which is away\./)).toBeVisible();
  });

  test('what was allowed and made a rule of is nowhere said to be allowed once, whoever allowed it', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT], recently_decided: [] }));
    await showCards(hub);
    document.getElementById(`approval-${SALT.id}`)?.focus();
    hub.emit({ type: 'rule', rule: ruleFrom(SALT, 'always', undefined) });
    const approved = {
      ...SALT,
      state: 'approved',
      decided_at: NOW,
      surface: 'browser',
      task_state: 'completed',
    } as const;
    hub.emit({ type: 'approval', approval: { ...approved, decided_by: 'Mum' } });
    await expect
      .element(page.getByRole('status').filter({ hasText: 'Mum allowed it, on Mum’s PC.' }))
      .toBeInTheDocument();
    await vi.advanceTimersByTimeAsync(5_100);
    await expect.element(page.getByText('Mum allowed it, on Mum’s PC. Done.')).toBeVisible();
    hub.emit({ type: 'approval', approval: { ...approved, decided_by: null } });
    await expect.element(page.getByText('A person allowed it, on Mum’s PC. Done.')).toBeVisible();
    expect(document.querySelector('main')?.textContent).not.toContain('Allowed once');
  });

  test('the ring around a heading with the focus goes through no line of words', async () => {
    await showCards(new FakeHubApi(snapshotOf({ approvals: [DINNER] })));
    await userEvent.keyboard('j');
    const heading = document.getElementById(`approval-${DINNER.id}`);
    if (heading === null) throw new Error('no heading');
    const { outlineOffset, outlineWidth } = getComputedStyle(heading);
    const ring = Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth);
    expect(ring).toBeGreaterThan(2);
    const box = heading.getBoundingClientRect();
    expect(heading.previousElementSibling?.getBoundingClientRect().bottom).toBeLessThanOrEqual(
      box.top - ring,
    );
    expect(heading.nextElementSibling?.getBoundingClientRect().top).toBeGreaterThanOrEqual(
      box.bottom + ring,
    );
  });

  test('a page that cannot get the snapshot it needs says that it is not live, and decides nothing', async () => {
    let broken = false;
    const hub: FakeHubApi = new FakeHubApi(snapshotOf({ approvals: [DINNER] }), {
      'hub.snapshot': () =>
        broken
          ? { ok: false, problem: problemOf('hub_unreachable', 'No answer.') }
          : { ok: true, value: hub.snapshot },
    });
    await showCards(hub);
    broken = true;
    hub.emitUnheard({ type: 'feed_read', ids: 'all', read: true, unread: 0 });
    hub.emit({ type: 'feed_read', ids: 'all', read: true, unread: 0 });
    await expect.element(page.getByText(/^This page lost its hub at [0-9:]+\.$/)).toBeVisible();
    await button('Decline').click({ force: true });
    expect(decided(hub)).toEqual([]);
    broken = false;
    await vi.advanceTimersByTimeAsync(2_000);
    await expect
      .element(page.getByText(/^This page lost its hub at [0-9:]+\.$/))
      .not.toBeInTheDocument();
  });

  test('a gap in the events is closed by a new snapshot, and a card decided meanwhile leaves', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER, SALT] }));
    await showCards(hub);
    hub.emitUnheard({
      type: 'approval',
      approval: {
        ...DINNER,
        state: 'approved',
        decided_at: NOW,
        decided_by: 'Mum',
        surface: 'browser',
      },
    });
    hub.emit({ type: 'feed_read', ids: 'all', read: true, unread: 0 });
    await expect.element(card('Mum allowed it, on Mum’s PC.')).toBeInTheDocument();
    expect(callsOf(hub, 'hub.snapshot')).toHaveLength(2);
  });
});

test('a request that was chosen outside the page has the focus at its heading, and nothing of it is pressed', async () => {
  const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER, SALT] }));
  let open: ((request: ShowRequest) => void) | undefined;
  await showApp(hub, 'rules', { onShow: (listener) => (open = listener) });
  for (const { id } of [SALT, DINNER, SALT]) {
    open?.({ place: `#/now/${id}`, link: null });
    await expect.poll(() => document.activeElement?.id).toBe(`approval-${id}`);
    await userEvent.keyboard('{Enter}');
  }
  open?.({ place: '#/now/gone', link: null });
  await expect.element(page.getByRole('heading', { name: '2 requests need you' })).toBeVisible();
  expect(decided(hub)).toEqual([]);
});

describe('the popover of the tray', () => {
  const LEFT = { ...DINNER, id: 'fourth', expires_at: DINNER.expires_at + 86_400_000 };
  const four = [CAR, DINNER, SALT, LEFT];

  async function showPopover(hub: FakeHubApi) {
    const left: (string | null)[] = [];
    await showApp(hub, 'now', { leavePopover: (place) => left.push(place) });
    await vi.advanceTimersByTimeAsync(ARM_MS);
    return left;
  }

  test('shows the first three requests in full, how many more there are, and the way to them', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: four }));
    const left = await showPopover(hub);
    await expect.element(page.getByRole('heading', { name: '4 requests need you' })).toBeVisible();
    expect(document.querySelectorAll('[data-card]')).toHaveLength(3);
    await expect.element(page.getByText(DINNER.text)).toBeInTheDocument();
    await expectAccessible();
    await button('1 more, in the window').click();
    await button('Open AXON Hub').click();
    expect(left).toEqual(['#/now', '#/now']);
    expect(decided(hub)).toEqual([]);
  });

  test('RI-07: a card that had no room before is inert for 700 ms once it has, as when a flood is folded away', async () => {
    const later = { ...SALT, id: 'fourth', domain: 'lists.other', expires_at: LEFT.expires_at };
    const hub = new FakeHubApi(snapshotOf({ approvals: [CAR, DINNER, SALT, later] }));
    await showPopover(hub);
    const appeared = () => document.querySelector(`[data-card="${later.id}"]`);
    expect(appeared()).toBeNull();
    const flood = {
      peer_id: DINNER.peer_id ?? '',
      peer_name: DINNER.peer_name,
      since: NOW,
      refused: 3,
      silent: true,
    };
    const attention = { ...hub.snapshot.attention, floods: [flood] };
    hub.emit({ type: 'do_not_disturb', attention });
    await expect.poll(appeared).not.toBeNull();
    await expect.element(button('2 more, in the window')).toBeVisible();
    const decline = page.getByRole('article').last().getByRole('button', { name: 'Decline' });
    await expect.element(decline).toHaveAttribute('aria-disabled', 'true');
    await decline.click({ force: true });
    expect(decided(hub)).toEqual([]);
  });

  test('leads to the window for every other place, goes on Escape, and keeps showing what waits', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    const left = await showPopover(hub);
    window.location.hash = '#/rules';
    await expect.poll(() => left).toEqual(['#/rules']);
    expect(window.location.hash).toBe('#/now');
    await userEvent.keyboard('{Escape}');
    expect(left).toEqual(['#/rules', null]);
    document.getElementById(`approval-${DINNER.id}`)?.focus();
    await button('More choices').click();
    await userEvent.keyboard('{Escape}');
    expect(left).toEqual(['#/rules', null]);
  });

  test('says that nothing waits and who is online, and pauses', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [] }));
    await showPopover(hub);
    await expect.element(page.getByRole('heading', { name: 'Nothing needs you' })).toBeVisible();
    await expect.element(page.getByText(/^Online: /)).toBeVisible();
    await expectAccessible();
    await button('Pause everything').click();
    await button('1 hour').click();
    expect(callsOf(hub, 'attention.pause')).toEqual([{ until: 'in_an_hour' }]);
  });
});
