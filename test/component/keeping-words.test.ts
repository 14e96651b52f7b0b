// The setting of how long words and the feed are kept: what can be chosen, what its removal means,
// and a hub that was started with a flag for it.
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { MUM, SETTINGS, snapshotOf } from '../fakes/household.ts';
import { callsOf, expectAccessible, showApp } from './support/page.ts';

const words = () => page.getByRole('group', { name: 'How long messages are kept' });
const feed = () => page.getByRole('group', { name: 'How long the feed is kept' });

test('offers a few lengths and the one that stands where it is another, and says what removal means', async () => {
  const hub = new FakeHubApi(snapshotOf());
  await showApp(hub, 'settings');
  await expect
    .element(words().getByRole('button', { name: '1 year' }))
    .toHaveAttribute('aria-pressed', 'true');
  await expect
    .element(
      page.getByText(
        /What was removed cannot be brought back\. After a change the hub removes nothing for 10 minutes/,
      ),
    )
    .toBeVisible();
  await words().getByRole('button', { name: '30 days' }).click();
  await feed().getByRole('button', { name: '90 days' }).click();
  await feed().getByRole('button', { name: '7 days' }).click();
  expect(callsOf(hub, 'settings.update')).toEqual([
    { keep_messages_days: 30 },
    { keep_feed_days: 7 },
  ]);
  hub.emit({
    type: 'settings',
    settings: { ...hub.snapshot.settings, keep_messages_days: 45, keep_feed_days: 730 },
  });
  await expect
    .element(words().getByRole('button', { name: '45 days' }))
    .toHaveAttribute('aria-pressed', 'true');
  await expect
    .element(feed().getByRole('button', { name: '2 years' }))
    .toHaveAttribute('aria-pressed', 'true');
  await expectAccessible();
});

test('says which flag or variable fixes it, and then nothing can be chosen there', async () => {
  const fixed = {
    ...SETTINGS,
    keep_messages_days: 30,
    fixed_at_start: { keep_messages_days: 'AXON_KEEP_MESSAGES' },
  } as const;
  const hub = new FakeHubApi(snapshotOf({ settings: fixed }));
  await showApp(hub, 'settings');
  await expect
    .element(
      page.getByText(
        'This hub was started with AXON_KEEP_MESSAGES. That applies until you start it without.',
      ),
    )
    .toBeVisible();
  await expect.element(page.getByText(/AXON_KEEP_FEED/)).not.toBeInTheDocument();
  await expect.element(page.getByText('30 days', { exact: true }).first()).toBeVisible();
  await expect.element(words()).not.toBeInTheDocument();
  await feed().getByRole('button', { name: '30 days' }).click();
  expect(callsOf(hub, 'settings.update')).toEqual([{ keep_feed_days: 30 }]);
  await expectAccessible();
});

test('a change that the hub did not keep is told, and the old length stays chosen', async () => {
  const problem = problemOf('storage_failed', 'The disk is full.');
  const hub = new FakeHubApi(snapshotOf(), { 'settings.update': () => ({ ok: false, problem }) });
  await showApp(hub, 'settings');
  await words().getByRole('button', { name: '90 days' }).click();
  await expect.element(page.getByText(/The disk is full/)).toBeVisible();
  await expect
    .element(words().getByRole('button', { name: '1 year' }))
    .toHaveAttribute('aria-pressed', 'true');
});

test('a date in question is asked about, confirmed as it was shown, and gone once the hub says so', async () => {
  const date = Date.UTC(2036, 2, 12, 12);
  const hub = new FakeHubApi(snapshotOf({ hub: { ...MUM, date_in_question: date } }), {
    'hub.confirmDate': () => {
      hub.emit({ type: 'hub', hub: MUM });
      return { ok: true, value: MUM };
    },
  });
  await showApp(hub, 'settings');
  await expect
    .element(page.getByText(/says (12 March 2036|March 12, 2036), more than 60 days after/))
    .toBeVisible();
  await expectAccessible();
  await page.getByRole('button', { name: 'The date is right' }).click();
  expect(callsOf(hub, 'hub.confirmDate')).toEqual([{ seen: date }]);
  await expect.element(page.getByText('Is the date right?')).not.toBeInTheDocument();
});

test('a date that the hub does not take as confirmed is still asked about, and why is told', async () => {
  const problem = problemOf('conflict', 'The clock of this computer says another date by now.');
  const snapshot = snapshotOf({ hub: { ...MUM, date_in_question: Date.UTC(2036, 2, 12, 12) } });
  const hub = new FakeHubApi(snapshot, { 'hub.confirmDate': () => ({ ok: false, problem }) });
  await showApp(hub, 'settings');
  await page.getByRole('button', { name: 'The date is right' }).click();
  await expect.element(page.getByText(/says another date by now/)).toBeVisible();
  await expect.element(page.getByText('Is the date right?')).toBeVisible();
});
