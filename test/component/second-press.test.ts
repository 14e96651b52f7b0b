// The second half of a double click: a button that came to stand where another was pressed, by a change of its row or because a row left, does
// nothing for a moment. Whatever stands at the spot of the first press is what the second one meets.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import type { Locator } from 'vitest/browser';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { CALENDAR_RULE, RULES } from '../fakes/household-rules.ts';
import { NOW, snapshotOf } from '../fakes/household.ts';
import { ARM_MS, callsOf, press, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Presses `first`, then once it is so what stands at the very same spot, at once and shortly before a button may open.
 * @returns what stood there, by its words
 */
async function pressTwice(first: Locator, isSo: () => Promise<unknown>): Promise<string | undefined> {
  const { left, top, width, height } = first.element().getBoundingClientRect();
  await press(first);
  await isSo();
  const there = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('button') ?? null;
  there?.click();
  await vi.advanceTimersByTimeAsync(ARM_MS - 1);
  there?.click();
  await vi.advanceTimersByTimeAsync(ARM_MS - 1);
  return there?.textContent.trim();
}

describe('RI-07: the second half of a double click on the page of the rules', () => {
  test('leaves a rule paused that the first half paused, and one in force that it let go on', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: [CALENDAR_RULE] }));
    await showApp(hub, 'rules');
    expect(await pressTwice(button('Pause'), () => expect.element(button('Go on')).toBeVisible())).toBe('Go on');
    expect(callsOf(hub, 'rules.update')).toEqual([{ id: CALENDAR_RULE.id, suspended: true }]);
    expect(await pressTwice(button('Go on'), () => expect.element(button('Pause')).toBeVisible())).toBe('Pause');
    expect(callsOf(hub, 'rules.update')).toHaveLength(2);
    expect(hub.snapshot.rules).toMatchObject([{ suspended: false }]);
  });

  test('leaves a rule that the first half brought back', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: [CALENDAR_RULE] }));
    await showApp(hub, 'rules');
    await press(button('Remove'));
    await expect.element(button('Bring back')).toBeVisible();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    expect(await pressTwice(button('Bring back'), () => expect.element(button('Remove')).toBeVisible())).toBe('Remove');
    expect(callsOf(hub, 'rules.remove')).toHaveLength(1);
    expect(hub.snapshot.rules).toHaveLength(1);
  });

  test('takes no rule away where another one has left, or the bar has that takes back', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: RULES }));
    await showApp(hub, 'rules');
    const [first] = RULES;
    hub.emit({ type: 'rule_gone', id: first?.id ?? '' });
    await expect.poll(() => button('Remove').first().element().getAttribute('aria-disabled')).toBe('true');
    await press(button('Remove').first());
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await button('Undo').click();
    await expect.element(button('Undo')).not.toBeInTheDocument();
    for (const remove of button('Remove').elements()) expect(remove.getAttribute('aria-disabled')).toBe('true');
  });
});
