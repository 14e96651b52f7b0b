// Notices whose time is over while the page is open: they leave it, those that were fetched as
// well, and the badge counts what is left.
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { NOW, noticeOf, snapshotOf } from '../fakes/household.ts';
import { showApp } from './support/page.ts';

const MINUTE_MS = 60_000;
const NEWEST = Array.from({ length: 50 }, (_, index) =>
  noticeOf(`newest ${index}`, 1_000 - index, { at: NOW - index, unread: index === 0 }),
);
const OLD = noticeOf('old', 1, {
  topic: 'school',
  at: NOW - 500 * MINUTE_MS,
  text: 'What was said long ago',
  unread: true,
});

test('they leave, and the badge counts those that are left', async () => {
  const hub = new FakeHubApi(snapshotOf({ feed: NEWEST, feed_unread: 2 }), {
    // Its first page is what the page shows already.
    'feed.list': ({ cursor }) => ({
      ok: true,
      value: cursor === undefined ? { items: NEWEST, next: 'older' } : { items: [OLD], next: null },
    }),
  });
  await showApp(hub, 'feed');
  const badge = page.getByRole('navigation').getByRole('link', { name: /Feed/ });
  await expect.element(badge).toHaveAccessibleName(/2/);
  await page.getByRole('button', { name: 'Show older ones' }).click();
  await expect.element(page.getByText(OLD.text)).toBeVisible();
  hub.emit({ type: 'feed_removed', seqs: [OLD.seq], unread: 1 });
  await expect.element(page.getByText(OLD.text)).not.toBeInTheDocument();
  await expect.element(badge).toHaveAccessibleName(/1/);
  hub.emit({ type: 'feed_removed', seqs: NEWEST.map(({ seq }) => seq), unread: 0 });
  await expect.element(page.getByRole('heading', { level: 1, name: 'Feed' })).toBeVisible();
  expect(document.querySelectorAll('.rows.keep > li')).toHaveLength(0);
});
