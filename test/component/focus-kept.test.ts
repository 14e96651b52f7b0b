// Whoever uses the keyboard is never left without a place: what had the focus may leave the page,
// and something stands in for it, which is no button that the next press of the same hand could
// decide with.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { RULES } from '../fakes/household-rules.ts';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import {
  CALM,
  DAD,
  KNOCK,
  NOW,
  SALT,
  approvalOf,
  noticeOf,
  snapshotOf,
} from '../fakes/household.ts';
import type { UiSnapshot } from '../../preload/contract/dto.ts';
import { ARM_MS, callsOf, showApp } from './support/page.ts';

const HOUR_MS = 3_600_000;
const DECIDED_STAYS_MS = 5_000;
const PATIENT = approvalOf('patient', {
  expires_at: NOW + 3 * HOUR_MS,
  deadline_at: NOW + 20 * HOUR_MS,
});
const KEPT = approvalOf('kept', {
  expires_at: NOW + 50 * 60_000,
  wait_ms: HOUR_MS,
  keep_open_until: NOW + 110 * 60_000,
  deadline_at: NOW + 110 * 60_000,
});
const [NEWEST, MIDDLE, OLDEST] = [
  noticeOf('the first', 3, { unread: true }),
  noticeOf('the second', 2, { unread: true }),
  noticeOf('the third', 1, { unread: true }),
];
const held = { why: 'quiet_hours', until: NOW + 5 * HOUR_MS } as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Presses the first button of each name with Enter, as it stands after its wait. */
async function pressed(
  over: Partial<UiSnapshot>,
  place: string,
  ...names: readonly (string | RegExp)[]
): Promise<void> {
  await showApp(new FakeHubApi(snapshotOf(over)), place);
  for (const name of names) {
    await vi.advanceTimersByTimeAsync(ARM_MS);
    page.getByRole('button', { name }).first().element().focus();
    await userEvent.keyboard('{Enter}');
  }
}

const heading = (name: string | RegExp) => page.getByRole('heading', { name }).first();

describe('the focus goes on', () => {
  test('to the title, when the only card is put off', async () => {
    await pressed({ approvals: [PATIENT] }, 'now', 'More choices', /^Later/);
    await expect.element(heading('Nothing needs you')).toHaveFocus();
  });

  test('to the title, when the last decided card has left', async () => {
    await pressed({ approvals: [SALT] }, 'now', 'Decline');
    await vi.advanceTimersByTimeAsync(DECIDED_STAYS_MS);
    await expect.element(page.getByRole('article')).not.toBeInTheDocument();
    await expect.element(heading('Nothing needs you')).toHaveFocus();
  });

  test('to the heading of a card that was kept open as long as it can be', async () => {
    await pressed({ approvals: [KEPT] }, 'now', 'More choices', /^Keep open longer/);
    await expect.element(page.getByRole('article').getByRole('heading').first()).toHaveFocus();
  });

  test('to the next of what is held, when one is shown now', async () => {
    await pressed(
      {
        approvals: [
          { ...PATIENT, held },
          { ...SALT, held },
        ],
      },
      'now',
      /^Show now/,
    );
    await expect.element(page.getByRole('listitem').filter({ hasText: SALT.text })).toHaveFocus();
  });

  test('to the title, when the strip of the pause leaves with its button', async () => {
    await pressed(
      {
        approvals: [SALT],
        attention: { ...CALM, paused: { since: NOW, until: null, stopped: false } },
      },
      'now',
      'Resume now',
    );
    await expect.element(heading('1 request needs you')).toHaveFocus();
  });

  test('not at all, when a rule is removed and its row stays, and to the title, when that is taken back', async () => {
    await pressed({ rules: RULES }, 'rules', 'Remove');
    await expect.element(page.getByRole('button', { name: 'Bring back' })).toHaveFocus();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    page.getByRole('button', { name: /^Undo/ }).element().focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('heading', { level: 1 })).toHaveFocus();
  });

  test('back to the button that opened the question, when it is not to be muted after all', async () => {
    await pressed({}, `people/hub/${DAD.id}`, 'Mute');
    await expect.element(page.getByRole('group', { name: /^Mute/ })).toHaveFocus();
    page.getByRole('button', { name: 'Cancel' }).element().focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('button', { name: 'Mute', exact: true })).toHaveFocus();
  });

  test.each([
    ['Suspend', 'Keep it'],
    ['Remove', 'Keep it'],
    ['Mute', 'Cancel'],
  ])(
    'to the question that %s asks, and back to its button with Escape, from anywhere in it',
    async (what, no) => {
      await pressed({}, `people/hub/${DAD.id}`, new RegExp(`^${what}$`));
      const question = page.getByRole('group', { name: new RegExp(`^${what}`) });
      await expect.element(question).toHaveFocus();
      await userEvent.keyboard('{Escape}');
      await expect.element(question).not.toBeInTheDocument();
      const opener = page.getByRole('button', { name: what, exact: true });
      await expect.element(opener).toHaveFocus();
      await userEvent.keyboard('{Enter}');
      await expect.element(question).toHaveFocus();
      question.getByRole('button', { name: no }).element().focus();
      await userEvent.keyboard('{Escape}');
      await expect.element(opener).toHaveFocus();
    },
  );

  test.each(['All', 'Unread'])(
    'to the button of the next notice, when one is marked read under %s, which waits before it does the same',
    async (filter) => {
      const hub = new FakeHubApi(snapshotOf({ feed: [NEWEST, MIDDLE, OLDEST], feed_unread: 3 }));
      await showApp(hub, 'feed');
      await page.getByRole('button', { name: filter, exact: true }).click();
      await vi.advanceTimersByTimeAsync(ARM_MS);
      const buttonOf = (text: string) =>
        page
          .getByRole('listitem')
          .filter({ hasText: text })
          .getByRole('button', { name: 'Mark read' });
      const first = buttonOf('the second').element();
      first.focus();
      await userEvent.keyboard('{Enter}');
      await expect
        .element(page.getByRole('button', { name: 'Mark read' }).nth(2))
        .not.toBeInTheDocument();
      await expect.element(buttonOf('the third')).toHaveFocus();
      await userEvent.keyboard('{Enter}');
      expect(callsOf(hub, 'feed.markRead')).toEqual([{ ids: [MIDDLE.id], read: true }]);
      await vi.advanceTimersByTimeAsync(ARM_MS);
      // Behind it there is none: back to the one before.
      await userEvent.keyboard('{Enter}');
      await expect.element(buttonOf('the first')).toHaveFocus();
      await vi.advanceTimersByTimeAsync(ARM_MS);
      await userEvent.keyboard('{Enter}');
      expect(callsOf(hub, 'feed.markRead')).toEqual(
        [MIDDLE, OLDEST, NEWEST].map(({ id }) => ({ ids: [id], read: true })),
      );
      if (filter === 'All')
        await expect
          .element(page.getByRole('listitem').filter({ hasText: 'the first' }))
          .toHaveFocus();
      else await expect.element(heading('Feed')).toHaveFocus();
    },
  );

  test('to a heading, when a program that knocks is refused', async () => {
    await pressed({ registrations: [KNOCK] }, 'agents', 'Refuse');
    await expect.poll(() => document.activeElement?.matches('h1, h2, h3')).toBe(true);
  });
});

test('whoever has put the focus down keeps it down when something else leaves', async () => {
  const hub = new FakeHubApi(snapshotOf({ approvals: [PATIENT, SALT] }));
  await showApp(hub);
  await vi.advanceTimersByTimeAsync(ARM_MS);
  const more = page.getByRole('button', { name: 'More choices' }).first().element();
  more.focus();
  more.blur();
  // A frame, in which it is seen that nothing has left.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  hub.emit({ type: 'approval', approval: { ...PATIENT, held } });
  await expect.element(page.getByText(PATIENT.text).first()).toBeVisible();
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  expect(document.activeElement).toBe(document.body);
});
