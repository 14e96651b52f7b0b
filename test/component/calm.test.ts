// Few things at once, and nothing that moves by itself: the face of a card, what stays in its place
// after a decision, the rail, the feed.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import {
  approvalOf,
  DEPLOY,
  DINNER,
  KNOCK,
  noticeOf,
  NOW,
  SALT,
  snapshotOf,
  TRAIN,
} from '../fakes/household.ts';
import { ASKED, WAITING } from '../fakes/remote-approval-cards.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a card', () => {
  const LONG_WAIT = {
    expires_at: NOW + 5 * HOUR_MS,
    keep_open_until: NOW + 9 * HOUR_MS,
    deadline_at: NOW + 9 * HOUR_MS,
  };

  test.each([
    ['small', SALT],
    ['seen by others', DINNER],
    ['dangerous', DEPLOY],
    ['a choice', TRAIN],
    ['for another hub', ASKED],
    ['for an adult', WAITING],
  ])(
    'that is %s shows four choices at most, and the others behind one of them',
    async (_what, approval) => {
      await showApp(new FakeHubApi(snapshotOf({ approvals: [{ ...approval, ...LONG_WAIT }] })));
      await vi.advanceTimersByTimeAsync(ARM_MS);
      const face = () =>
        [...document.querySelectorAll('article .do button, article .facts button')].map((one) =>
          one.textContent.trim(),
        );
      await expect.poll(() => face().length).toBeGreaterThan(0);
      expect(face().length, face().join()).toBeLessThanOrEqual(4);
      if (approval === WAITING) return;
      await press(button('More choices'));
      await expect.element(button('Later: ask me again in an hour')).toBeVisible();
      await expect.element(page.getByRole('button', { name: /^Keep open longer/ })).toBeVisible();
      await expectAccessible();
    },
  );

  test('RI-07: what stands in the drawer takes no press for 700 ms after it opens', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [{ ...DINNER, ...LONG_WAIT }] }));
    await showApp(hub);
    await press(button('More choices'));
    await button('Later: ask me again in an hour').click({ force: true });
    expect(callsOf(hub, 'attention.hold')).toEqual([]);
    await press(button('Later: ask me again in an hour'));
    expect(callsOf(hub, 'attention.hold')).toHaveLength(1);
  });

  test('that is decided keeps its room under the pointer, so that the next one stays where it is until the pointer leaves', async () => {
    await showApp(new FakeHubApi(snapshotOf({ approvals: [SALT, DINNER] })));
    const second = page.getByRole('article').last();
    const top = () => Math.round(second.element().getBoundingClientRect().top);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    const before = top();
    await press(page.getByRole('article').first().getByRole('button', { name: 'Decline' }));
    await expect.element(page.getByText(/^Mum declined it, on Mum’s PC/).first()).toBeVisible();
    expect(top()).toBe(before);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(top()).toBe(before);
    await userEvent.hover(page.getByRole('navigation'));
    await expect.poll(() => page.getByRole('article').elements().length).toBe(1);
    expect(top()).toBeLessThan(before);
  });
});

test('everything can be paused from every screen', async () => {
  const hub = new FakeHubApi(snapshotOf());
  await showApp(hub, 'feed');
  await button('Pause everything').click();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(button('Pause everything')).toHaveFocus();
  await button('Pause everything').click();
  await button('1 hour').click();
  expect(callsOf(hub, 'attention.pause')).toEqual([{ until: 'in_an_hour' }]);
  await expect.element(button('Pause everything')).not.toBeInTheDocument();
  hub.emit({ type: 'do_not_disturb', attention: { ...hub.snapshot.attention, paused: null } });
  await expect.element(button('Pause everything')).toHaveAttribute('aria-expanded', 'false');
});

test('an empty Now says what rules did today', async () => {
  const ruled = (seed: string, state: 'approved' | 'declined') =>
    approvalOf(seed, { state, decided_at: NOW - 1_000, rule_id: 'rule', surface: 'rule' });
  const done = [ruled('one', 'approved'), ruled('two', 'approved'), ruled('three', 'declined')];
  await showApp(new FakeHubApi(snapshotOf({ recently_decided: done })));
  await expect
    .element(page.getByText('Today your rules allowed 2 requests and declined 1.'))
    .toBeVisible();
});

test('a program that knocks, and a hub that asks, stand on top of Now', async () => {
  await showApp(new FakeHubApi(snapshotOf({ approvals: [DINNER], registrations: [KNOCK] })));
  const strip = page.getByText('A program on this computer wants to connect.').element();
  const heading = page.getByRole('heading', { level: 1 }).element();
  expect(strip.getBoundingClientRect().bottom).toBeLessThan(heading.getBoundingClientRect().top);
});

test('notices of one sender about one topic stand together and name both once', async () => {
  const [about, other] = ['family.chat', 'family.school'];
  const feed = [
    noticeOf('newest', 9, { topic: about, at: NOW - 1_000 }),
    noticeOf('between', 8, { topic: other, at: NOW - 2_000 }),
    noticeOf('older', 7, { topic: about, at: NOW - 3_000 }),
  ];
  await showApp(new FakeHubApi(snapshotOf({ feed })), 'feed');
  const rows = [...document.querySelectorAll('[data-row]')];
  const seen = rows.map((row) => row.querySelectorAll('p:not(.sr) b').length);
  expect(
    rows.map((row) =>
      ['newest', 'older', 'between'].find((word) => row.textContent.includes(word)),
    ),
  ).toEqual(['newest', 'older', 'between']);
  expect(seen).toEqual([1, 0, 1]);
});

test('a scroll bar moves nothing', async () => {
  await showApp(new FakeHubApi(snapshotOf()), 'feed');
  const main = document.querySelector('main');
  if (main === null) throw new Error('no main');
  const width = main.clientWidth;
  main.style.height = '100px';
  expect(main.scrollHeight).toBeGreaterThan(main.clientHeight);
  expect(main.clientWidth).toBe(width);
  expect(getComputedStyle(main).scrollbarGutter).toBe('stable');
});
