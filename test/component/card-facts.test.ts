// The facts on a card: each label stands on the line its value begins on, whatever stands behind
// the value, and no two buttons overlap.
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { AGENTS, DEPLOY, DINNER, SALT, snapshotOf, TRAIN } from '../fakes/household.ts';
import { showApp } from './support/page.ts';

const THEMES = ['light', 'dark', 'contrast'] as const;
/** As wide as a window, a phone, and the narrowest that is supported. */
const WIDTHS_PX = [1280, 480, 320] as const;
/** Two fonts of one size may differ by the rounding of their baselines. */
const ROUNDING_PX = 1;

afterEach(async () => {
  document.documentElement.style.removeProperty('font-size');
  await page.viewport(1280, 820);
});

/** The bottom of the first line of its text. */
function firstLineOf(element: Element): number {
  const range = document.createRange();
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
  if (text === null) throw new Error('it says nothing');
  range.selectNodeContents(text);
  return range.getClientRects()[0]?.bottom ?? Number.NaN;
}

function offsets(): readonly (readonly [label: string, px: number])[] {
  return [...document.querySelectorAll('.facts dt')].map((label) => {
    const value = label.nextElementSibling;
    if (value === null) throw new Error(`${label.textContent} has no value`);
    return [label.textContent, firstLineOf(label) - firstLineOf(value)];
  });
}

test.for(
  THEMES.flatMap((theme) =>
    WIDTHS_PX.flatMap((width) => [100, 200].map((percent) => [theme, width, percent] as const)),
  ),
)(
  'in %s at %i px and text of %i percent each label stands beside its value',
  async ([theme, width, percent]) => {
    await page.viewport(width, 820);
    document.documentElement.style.fontSize = `${percent}%`;
    const snapshot = snapshotOf({ approvals: [SALT, DEPLOY, DINNER, TRAIN] });
    await showApp(new FakeHubApi({ ...snapshot, settings: { ...snapshot.settings, theme } }));
    const found = offsets();
    expect(found.length).toBeGreaterThanOrEqual(10);
    expect(found.filter(([, px]) => Math.abs(px) > ROUNDING_PX)).toEqual([]);
  },
);

test('a card says how its agent comes to know of it, as it is now', async () => {
  const [agent] = AGENTS;
  if (agent?.name !== DINNER.to_agent) throw new Error('it is for another agent');
  const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
  await showApp(hub);
  await expect.element(page.getByText('It looks by itself.')).toBeVisible();
  const away = { ...agent, presence: 'away', reach: 'nothing', line: null } as const;
  hub.emit({ type: 'agent', agent: away });
  await expect.element(page.getByText(/Away since .* It gets work when it looks\./)).toBeVisible();
});
