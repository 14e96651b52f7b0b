// Keeping a request open longer, on its card and not while it is held; and the setting of how long
// requests wait.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { NOW, approvalOf, snapshotOf } from '../fakes/household.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const HOUR_MS = 3_600_000;
const KEEP = /^Keep open longer: until/;
const CARD = approvalOf('kept', {
  received_at: NOW - 10 * 60_000,
  expires_at: NOW + 50 * 60_000,
  wait_ms: HOUR_MS,
  keep_open_until: NOW + 110 * 60_000,
  deadline_at: NOW + 110 * 60_000,
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function show(hub: FakeHubApi): Promise<void> {
  await showApp(hub);
  await vi.advanceTimersByTimeAsync(ARM_MS);
}

const more = () => press(page.getByRole('button', { name: 'More choices' }));

test('a card says how long it waits, keeps open for as long as that adds, and offers it no more when nothing is gained', async () => {
  const hub = new FakeHubApi(snapshotOf({ approvals: [CARD] }));
  await show(hub);
  await expect.element(page.getByText('50 minutes')).toBeVisible();
  await expectAccessible();
  await more();
  await press(page.getByRole('button', { name: KEEP }));
  expect(callsOf(hub, 'approvals.keepOpen')).toEqual([{ id: CARD.id, wait_ms: HOUR_MS }]);
  await expect.element(page.getByText(/^1 hour (50|49) minutes$/)).toBeVisible();
  await expect.element(page.getByRole('button', { name: KEEP })).not.toBeInTheDocument();
  await expect.element(page.getByText('Whoever asked won’t wait longer than that.')).toBeVisible();
  await expectAccessible();
});

test('RI-07: a second click of the same hand meets no other button: the card waits again after it was kept open', async () => {
  const hub = new FakeHubApi(snapshotOf({ approvals: [CARD] }));
  await show(hub);
  await more();
  await press(page.getByRole('button', { name: KEEP }));
  // With more than an hour left it may be put off, too, and that stands where the first click was.
  const later = page.getByRole('button', { name: 'Later: ask me again in an hour' });
  await later.click({ force: true });
  expect(callsOf(hub, 'attention.hold')).toEqual([]);
  await expect
    .element(page.getByRole('button', { name: 'Allow once', exact: true }))
    .toHaveAttribute('aria-disabled', 'true');
  await press(later);
  expect(callsOf(hub, 'attention.hold')).toHaveLength(1);
});

test('what was kept open at another surface shows here, without a word of it being asked anew', async () => {
  const hub = new FakeHubApi(snapshotOf({ approvals: [CARD] }));
  await show(hub);
  hub.emit({
    type: 'approval',
    approval: {
      ...CARD,
      wait_ms: 2 * HOUR_MS,
      expires_at: NOW + 110 * 60_000,
      keep_open_until: null,
    },
  });
  await expect.element(page.getByText('1 hour 50 minutes')).toBeVisible();
  await expect.element(page.getByText('changed while you read')).not.toBeInTheDocument();
});

test('a card that waits as long as whoever asked offers nothing', async () => {
  await show(new FakeHubApi(snapshotOf({ approvals: [{ ...CARD, keep_open_until: null }] })));
  await expect.element(page.getByText('50 minutes')).toBeVisible();
  await expect.element(page.getByRole('button', { name: KEEP })).not.toBeInTheDocument();
});

test('what did not work is said on the card', async () => {
  const hub = new FakeHubApi(snapshotOf({ approvals: [CARD] }), {
    'approvals.keepOpen': () => ({
      ok: false,
      problem: problemOf('storage_failed', 'The disk is full.'),
    }),
  });
  await show(hub);
  await more();
  await press(page.getByRole('button', { name: KEEP }));
  await expect.element(page.getByRole('article').getByText(/The disk is full/)).toBeVisible();
});

test('what is held ends with the time of whoever asked, and says so instead of being kept open', async () => {
  const held = {
    ...CARD,
    wait_ms: CARD.deadline_at - CARD.received_at,
    expires_at: CARD.deadline_at,
    keep_open_until: null,
    held: { why: 'quiet_hours', until: NOW + 5 * HOUR_MS },
  } as const;
  const hub = new FakeHubApi(snapshotOf({ approvals: [held] }));
  await show(hub);
  await expect.element(page.getByText(/^It ends before that/)).toBeVisible();
  await expect.element(page.getByRole('button', { name: KEEP })).not.toBeInTheDocument();
  await expect.element(page.getByRole('button', { name: /^Show now/ })).toBeVisible();
  await expectAccessible();
});

test('the setting offers a few lengths, and the one that stands where it is another', async () => {
  const hub = new FakeHubApi(snapshotOf());
  await showApp(hub, 'settings');
  const choices = () => page.getByRole('group', { name: 'How long a request waits for you' });
  await expect
    .element(choices().getByRole('button', { name: '12 hours' }))
    .toHaveAttribute('aria-pressed', 'true');
  await choices().getByRole('button', { name: '4 hours' }).click();
  expect(callsOf(hub, 'settings.update')).toEqual([{ approvals_wait_minutes: 240 }]);
  hub.emit({
    type: 'settings',
    settings: { ...hub.snapshot.settings, approvals_wait_minutes: 90 },
  });
  await expect
    .element(choices().getByRole('button', { name: '1 hour 30 minutes' }))
    .toHaveAttribute('aria-pressed', 'true');
  await expectAccessible();
});

test('how often two agents go back and forth is chosen in the same way', async () => {
  const hub = new FakeHubApi(snapshotOf());
  await showApp(hub, 'settings');
  const name = 'How often two agents go back and forth by themselves';
  const choice = (count: string) =>
    page.getByRole('group', { name }).getByRole('button', { name: count, exact: true });
  await expect.element(choice('12')).toHaveAttribute('aria-pressed', 'true');
  await choice('30').click();
  expect(callsOf(hub, 'settings.update')).toEqual([{ turns_max: 30 }]);
});
