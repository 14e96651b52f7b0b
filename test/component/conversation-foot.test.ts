// What a conversation opens: the details of a message, a copy of all as a file, and its removal.
// By the keyboard alone.
import { afterEach, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { CONVERSATIONS, DAD, DINNER_THREAD, snapshotOf } from '../fakes/household.ts';
import { callsOf, expectAccessible, showApp, tabTo, watchDownloads } from './support/page.ts';

const { alike, emptyTitle, remove, save, inspect, pick } = ENGLISH.conversations;
const { id } = DINNER_THREAD.conversation;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const row = () => page.getByRole('link', { name: /dinner is at 7/ });

afterEach(() => vi.restoreAllMocks());

test('says what goes and what stays, then the conversation is gone from the list', async () => {
  const hub = new FakeHubApi(snapshotOf());
  await showApp(hub, `conversations/${id}`);
  await tabTo(remove.open);
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText(remove.there('Dad’s laptop'))).toBeVisible();
  await expectAccessible();
  await tabTo(remove.yes);
  await expect.element(button(remove.yes)).not.toHaveAttribute('aria-disabled');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText(pick, { exact: true })).toBeVisible();
  await expect.element(row()).not.toBeInTheDocument();
  expect(callsOf(hub, 'conversations.remove')).toEqual([{ id }]);
});

test('leads to the conversations of the same name', async () => {
  const linked = ['shopping:9f86d081884c7d65'];
  const hub = new FakeHubApi(snapshotOf(), {
    'conversations.get': () => ({ ok: true, value: { ...DINNER_THREAD, linked } }),
  });
  await showApp(hub, `conversations/${id}`);
  await expect.element(page.getByText(alike)).toBeVisible();
  await expectAccessible();
  await page.getByRole('link', { name: /shopping:9f86/ }).click();
  await expect.poll(() => location.hash).toBe(`#/conversations/${linked.map(encodeURIComponent)}`);
});

test('after the only conversation is removed, nothing is left to be picked', async () => {
  const [only] = CONVERSATIONS.filter((one) => one.id === id);
  const hub = new FakeHubApi(snapshotOf(), {
    'conversations.list': () => ({
      ok: true,
      value: { items: only === undefined ? [] : [only], next: null },
    }),
  });
  await showApp(hub, `conversations/${id}`);
  await button(remove.open).click();
  await expect.element(button(remove.yes)).not.toHaveAttribute('aria-disabled');
  await button(remove.yes).click();
  await expect.element(page.getByText(emptyTitle)).toBeVisible();
});

test('says why it cannot go yet, and leaves it', async () => {
  const hub = new FakeHubApi(snapshotOf(), {
    'conversations.remove': () => ({
      ok: false,
      problem: problemOf(
        'conflict',
        'Something here is under way, or was not taken by the agent or hub that it is for.',
      ),
    }),
  });
  await showApp(hub, `conversations/${id}`);
  await button(remove.open).click();
  await expect.element(button(remove.yes)).not.toHaveAttribute('aria-disabled');
  await button(remove.yes).click();
  await expect.element(page.getByText(/under way/)).toBeVisible();
  await expect.element(row()).toBeVisible();
});

test('gives a copy of it as one file, made of every piece', async () => {
  const downloads = watchDownloads();
  const hub = new FakeHubApi(snapshotOf(), {
    'conversations.export': ({ cursor }) => ({
      ok: true,
      value:
        cursor === undefined ? { text: 'first, ', next: '50' } : { text: 'second', next: null },
    }),
  });
  await showApp(hub, `conversations/${id}`);
  await tabTo(save.markdown);
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText(save.saved('axon-conversation.md'))).toBeVisible();
  expect(await downloads()).toEqual([['axon-conversation.md', 'first, second']]);
  expect(callsOf(hub, 'conversations.export')).toEqual([
    { id, format: 'markdown' },
    { id, format: 'markdown', cursor: '50' },
  ]);
});

test('says why there is no copy, and saves nothing', async () => {
  const downloads = watchDownloads();
  const hub = new FakeHubApi(snapshotOf(), {
    'conversations.export': () => ({
      ok: false,
      problem: problemOf('gone', 'What was said in this conversation is no longer kept.'),
    }),
  });
  await showApp(hub, `conversations/${id}`);
  await button(save.csv).click();
  await expect.element(page.getByText(/no longer kept/)).toBeVisible();
  expect(await downloads()).toEqual([]);
});

test('tells the details of a message once somebody opens them', async () => {
  const hub = new FakeHubApi(snapshotOf());
  await showApp(hub, `conversations/${id}`);
  const [details] = page.getByText(inspect.open, { exact: true }).all();
  if (details === undefined) throw new Error('no details');
  expect(callsOf(hub, 'conversations.inspect')).toEqual([]);
  await details.click();
  await expect.element(page.getByText(inspect.bytes(36))).toBeVisible();
  await expect.element(page.getByText('{"question":"Is everyone home?"}')).toBeVisible();
  await expect.element(page.getByText(/allowed it.*, after 40 seconds$/)).toBeVisible();
  await expectAccessible();
  expect(callsOf(hub, 'conversations.inspect')).toEqual([{ seq: 1 }]);
});

test('the list keeps apart what has been quiet for a month', async () => {
  const [first, ...others] = CONVERSATIONS;
  if (first === undefined) throw new Error('no conversation');
  const items = [...others, { ...first, activity: 'archived' as const }];
  const hub = new FakeHubApi(snapshotOf(), {
    'conversations.list': () => ({ ok: true, value: { items, next: null } }),
  });
  await showApp(hub, 'conversations');
  const heading = page.getByRole('heading', { name: ENGLISH.conversations.archived });
  await expect.element(heading).toBeVisible();
  const list = heading.element().nextElementSibling;
  expect([...(list?.querySelectorAll('a') ?? [])].map(({ hash }) => hash)).toEqual([
    `#/conversations/${first.id}`,
  ]);
});

test('the page of a hub says what the agents used for each other', async () => {
  await showApp(new FakeHubApi(snapshotOf()), `people/hub/${DAD.id}`);
  await expect
    .element(page.getByText(/your agents used 12,400 tokens for it, and its agents 0 for you/))
    .toBeVisible();
});
