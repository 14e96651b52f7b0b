// The search in what was said, by the keyboard alone.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { SearchHitDto } from '../../preload/contract/conversation-dto.ts';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import type { Items } from '../../preload/contract/results.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { DINNER_THREAD, snapshotOf } from '../fakes/household.ts';
import { callsOf, expectAccessible, showApp } from './support/page.ts';

const { search: text } = ENGLISH.conversations;
const [, , request, decision] = DINNER_THREAD.entries;
const box = () => page.getByRole('searchbox', { name: text.label });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function hitOf(change: Partial<SearchHitDto> = {}): SearchHitDto {
  return {
    conversation_id: DINNER_THREAD.conversation.id,
    seq: request?.seq ?? 0,
    at: request?.at ?? 0,
    direction: 'in',
    kind: 'delegate',
    from: { hub_name: 'Dad’s laptop', agent_name: 'OpenClaw' },
    to: { hub_name: 'Mum’s PC', agent_name: 'Claude Code' },
    snippet: [
      ['Tell the family chat that ', false],
      ['dinner', true],
      [' is at 7[U+202E]', false],
    ],
    state: 'completed',
    story: decision?.story ?? null,
    decision: decision ?? null,
    ...change,
  };
}

async function searched(items: readonly SearchHitDto[], next: string | null = null) {
  const hub = new FakeHubApi(snapshotOf(), {
    'history.search': () => ({ ok: true, value: { items, next } }),
  });
  await showApp(hub, 'now');
  await userEvent.keyboard('/');
  await expect.element(box()).toHaveFocus();
  await userEvent.keyboard('dinner{Enter}');
  return hub;
}

test('/ and a word find it: who asked whom, the hit marked, who decided, what came of it; Enter opens the place', async () => {
  const hub = await searched([hitOf()]);
  await expect.element(page.getByText(text.found(1, false))).toBeVisible();
  expect(callsOf(hub, 'history.search')).toHaveLength(1);
  const link = page.getByRole('link', { name: /OpenClaw, Dad’s laptop to Claude Code/ });
  await expect.element(link).toHaveTextContent(/Mum allowed it, on Mum’s PC\. Done\./);
  expect(link.element().querySelector('mark')?.textContent).toBe('dinner');
  await expect
    .element(link.getByRole('img', { name: 'hidden character U+202E' }))
    .toBeInTheDocument();
  await expectAccessible();
  await userEvent.keyboard('{Tab}{Tab}');
  await expect.element(link).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  await expect
    .poll(() => document.activeElement?.closest('.thread li')?.textContent)
    .toContain('dinner is at 7');
  await expect.element(link).toBeVisible();
  await expectAccessible();
});

test('nothing found, a refusal and more to come are told, and an emptied box brings the list back', async () => {
  const further = { ok: true as const, value: { items: [], next: '7' } };
  const answers = [
    // It looks further back by itself, but not for ever.
    ...Array.from({ length: 25 }, () => further),
    { ok: true as const, value: { items: [], next: null } },
    {
      ok: false as const,
      problem: problemOf('bad_request', 'There is no word in it to search for.'),
    },
  ];
  const hub = new FakeHubApi(snapshotOf(), {
    'history.search': () => answers.shift() ?? { ok: true, value: { items: [], next: null } },
  });
  await showApp(hub, 'conversations');
  await userEvent.keyboard('/dinner{Enter}');
  await expect.element(page.getByText(text.noneYet)).toBeVisible();
  await page.getByRole('button', { name: text.older }).click();
  await expect.element(page.getByText(text.none)).toBeVisible();
  await expectAccessible();
  await userEvent.fill(box(), '%%');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('There is no word in it to search for.')).toBeVisible();
  await userEvent.fill(box(), '');
  await expect
    .element(page.getByRole('link', { name: new RegExp(DINNER_THREAD.conversation.title) }))
    .toBeVisible();
});

test('what was found is not said to be all while there is more', async () => {
  await searched([hitOf()], '7');
  await expect.element(page.getByText('1 found so far', { exact: true })).toBeVisible();
});

test('what is said meanwhile joins the hits', async () => {
  const items = [hitOf()];
  let answer: CallOutcome<Items<SearchHitDto>> | undefined;
  const hub = new FakeHubApi(snapshotOf(), {
    'history.search': () => answer ?? { ok: true, value: { items: [...items], next: null } },
  });
  await showApp(hub, 'now');
  await userEvent.keyboard('/');
  await expect.element(box()).toHaveFocus();
  await userEvent.keyboard('action:delegate{Enter}');
  await expect.element(page.getByText(text.found(1, false))).toBeVisible();
  items.unshift(hitOf({ seq: 999, snippet: [['And dessert at 9', false]] }));
  hub.emit({ type: 'conversation', id: DINNER_THREAD.conversation.id });
  await vi.advanceTimersByTimeAsync(1_500);
  await expect.element(page.getByRole('link', { name: /And dessert at 9/ })).toBeVisible();
  await expect.element(page.getByText(text.found(2, false))).toBeVisible();
  // Its first look may find nothing, or the hub be away: what is shown stays.
  for (const outcome of [
    { ok: true as const, value: { items: [], next: '7' } },
    { ok: false as const, problem: problemOf('internal', 'Something broke.') },
  ]) {
    answer = outcome;
    hub.emit({ type: 'conversation', id: DINNER_THREAD.conversation.id });
    await vi.advanceTimersByTimeAsync(1_500);
    await expect.element(page.getByText(text.found(2, false))).toBeVisible();
  }
  expect(callsOf(hub, 'history.search')).toHaveLength(4);
});

test('long words stay inside a narrow page', async () => {
  await page.viewport(480, 800);
  try {
    await searched([hitOf({ snippet: [['x'.repeat(160), true]], conversation_id: null })]);
    await expect.element(page.getByText(text.noThread)).toBeVisible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(480);
    await expectAccessible();
  } finally {
    await page.viewport(1280, 800);
  }
});
