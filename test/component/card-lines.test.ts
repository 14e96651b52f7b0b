// Where things stand: the words of a card's buttons together where there is room, and where there
// is not, under the words above them; and no room for what is not wrong in a form.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import languages from '../fixtures/languages.json' with { type: 'json' };
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { DINNER, NOW, snapshotOf } from '../fakes/household.ts';
import { ARM_MS, showApp } from './support/page.ts';

const SCROLL_BAR_PX = 15;
const KEEPABLE = {
  ...DINNER,
  expires_at: NOW + 90 * 60_000,
  wait_ms: 3_600_000,
  deadline_at: NOW + 20 * 3_600_000,
  keep_open_until: NOW + 150 * 60_000,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await page.viewport(1280, 820);
});

async function showAt(width: number): Promise<void> {
  await page.viewport(width, 820);
  await showApp(new FakeHubApi(snapshotOf({ approvals: [KEEPABLE] })));
  await vi.advanceTimersByTimeAsync(ARM_MS);
}

const button = (name: string | RegExp): Element =>
  page.getByRole('button', { name }).first().element();

test('in a window of 1200 px with a scroll bar, what a card offers inside stands on one line', async () => {
  await showAt(1200 - SCROLL_BAR_PX);
  const middles = ['Allow once', 'More choices'].map((name) => {
    const { top, bottom } = button(name).getBoundingClientRect();
    return Math.round((top + bottom) / 2);
  });
  expect(new Set(middles).size).toBe(1);
});

test('what is not wrong in a form takes no room, and has some as soon as it is', async () => {
  await showApp(new FakeHubApi(snapshotOf()), 'settings');
  const field = page.getByLabelText('The same again', { exact: true }).element();
  const save = page.getByRole('button', { name: 'Set it' });
  const room = () =>
    save.element().getBoundingClientRect().top - field.getBoundingClientRect().bottom;
  expect(room()).toBeLessThanOrEqual(16);
  await page.getByLabelText('Old passphrase').fill('battery staple');
  await page.getByLabelText('New passphrase').fill('correct horse');
  await save.click();
  await expect
    .element(page.getByText('It is not the same as the new passphrase above.'))
    .toBeVisible();
  expect(room()).toBeGreaterThan(32);
});

test('the key of a button stands off its border, and in no word', async () => {
  await showAt(1280);
  document.querySelector<HTMLElement>('[data-card] h2')?.focus();
  for (const name of ['Allow once', 'Decline', 'More choices']) {
    const pressed = button(name);
    const key = pressed.querySelector('kbd');
    if (key === null) throw new Error(`${name} has no key`);
    const range = document.createRange();
    range.selectNodeContents(key);
    const letter = range.getBoundingClientRect();
    expect(pressed.getBoundingClientRect().right - letter.right, name).toBeGreaterThanOrEqual(6);
    const words = [...pressed.childNodes].filter(
      (node) => node !== key && (node.textContent ?? '').trim() !== '',
    );
    const place = document.createRange();
    for (const node of words) {
      place.selectNodeContents(node);
      expect(place.getBoundingClientRect().right, name).toBeLessThanOrEqual(letter.left);
    }
  }
});

test('what may be picked for an area is read whole in a window of 1180 px', async () => {
  await page.viewport(1180, 820);
  await showApp(new FakeHubApi(snapshotOf()), 'agents');
  const pickers = [...document.querySelectorAll<HTMLSelectElement>('.areas select')];
  expect(pickers.length).toBeGreaterThan(1);
  for (const picker of pickers) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(picker);
    const canvas = document.createElement('canvas').getContext('2d');
    if (canvas === null) throw new Error('nothing can be measured');
    canvas.font = font;
    const longest = Math.max(
      ...[...picker.options].map(({ text }) => canvas.measureText(text).width),
    );
    expect(
      picker.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight),
    ).toBeGreaterThanOrEqual(Math.floor(longest));
  }
});

test('five lengths of a wait stand on one line each, within their frame', async () => {
  const { settings } = snapshotOf();
  await showApp(
    new FakeHubApi(snapshotOf({ settings: { ...settings, approvals_wait_minutes: 1 } })),
    'settings',
  );
  const group = page.getByRole('group', { name: 'How long a request waits for you' }).element();
  const lengths = [...group.querySelectorAll('button')];
  expect(lengths).toHaveLength(5);
  const frame = group.getBoundingClientRect();
  for (const length of lengths) {
    const { left, right } = length.getBoundingClientRect();
    expect(
      Math.min(left - frame.left, frame.right - right),
      length.textContent,
    ).toBeGreaterThanOrEqual(0);
    const words = document.createRange();
    words.selectNodeContents(length);
    expect(words.getClientRects(), length.textContent).toHaveLength(1);
  }
});

test('what people write in thirty languages is drawn as they wrote it', async () => {
  const text = languages.map((one) => one.text.trim()).join('\n');
  await showApp(new FakeHubApi(snapshotOf({ approvals: [{ ...KEEPABLE, text }] })));
  for (const line of text.split('\n')) await expect.element(page.getByText(line)).toBeVisible();
});
