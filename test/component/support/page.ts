// Draws the real app over a hub in memory, inside a component test, and looks at it as a person or
// a screen reader would.
import axe from 'axe-core';
import { render } from 'vitest-browser-svelte';
import { expect, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Locator } from 'vitest/browser';
import type { ShowRequest } from '../../../preload/contract/bridge.ts';
import App from '../../../renderer/app/App.svelte';
import '../../../renderer/styles/all.css';
import type { FakeHubApi } from '../../fakes/fake-hub-api.ts';

/** How long a button stays inert after it appears, moves or changes. */
export const ARM_MS = 700;

/** What is asked of the page from outside it, and what it asks of the desktop. */
interface Outside {
  readonly leavePopover?: (place: string | null) => void;
  readonly onShow?: (listener: (request: ShowRequest) => void) => void;
}

export async function showApp(
  hub: FakeHubApi,
  place = 'now',
  outside: Outside = {},
): Promise<void> {
  document.documentElement.lang = 'en';
  document.documentElement.dataset['theme'] = hub.snapshot.settings.theme;
  window.history.replaceState(null, '', `#/${place}`);
  const target = document.createElement('div');
  target.id = 'app';
  document.body.replaceChildren(target);
  // The page has the focus, as it has when a person looks at it; gaining it is a case of its own.
  await userEvent.click(document.body);
  await render(App, { target, props: { api: hub, ...outside } });
  const landmark = outside.leavePopover === undefined ? 'navigation' : 'main';
  await expect.element(page.getByRole(landmark)).toBeInTheDocument();
}

/** Every rule of WCAG 2.2 A and AA that axe knows, over the whole page. */
export async function expectAccessible(): Promise<void> {
  // What fades in is judged as it will stand.
  await Promise.all(
    document.getAnimations().map((animation) => animation.finished.catch(() => undefined)),
  );
  const running = axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    // The test's own document has no title of ours to judge.
    rules: { 'document-title': { enabled: false } },
  });
  const { violations } = await whileTimersRun(running);
  expect(
    violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`,
    ),
  ).toEqual([]);
}

/**
 * Presses a button as a person does: once it is open. The test's clock goes on whenever its wait
 * begins anew, which the page may say later than the test asks: it sees that a button has moved
 * only when it draws it. From the press on the clock stands still again.
 */
export async function press(button: Locator): Promise<void> {
  const press = { begun: false };
  const begin = (): void => void (press.begun = true);
  document.addEventListener('pointerdown', begin, { capture: true, once: true });
  const pressing = button.click().finally(begin);
  while (!press.begun) {
    await drawn();
    if (!press.begun && button.query()?.getAttribute('aria-disabled') === 'true')
      await vi.advanceTimersByTimeAsync(ARM_MS);
  }
  await pressing;
}

/** Resolves when what changed stands on the page, and the page has measured where. */
function drawn(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/**
 * axe waits on timers, which a test may have stopped: they go on, a millisecond at a time, until it
 * is done.
 */
async function whileTimersRun<T>(running: Promise<T>): Promise<T> {
  const state = { done: false };
  const settled = running.finally(() => (state.done = true));
  while (vi.isFakeTimers() && !state.done) await vi.advanceTimersByTimeAsync(1);
  return settled;
}

export const callsOf = (hub: FakeHubApi, name: string): readonly unknown[] =>
  hub.calls.filter((call) => call.name === name).map((call) => call.params);

/** Goes on by the Tab key to what says `name`. Throws when none leads there. */
export async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await userEvent.tab();
    if (document.activeElement?.textContent?.trim() === name) return;
  }
  throw new Error(`no Tab leads to "${name}"`);
}

/** Takes the files that the page hands to the browser. Returns [name, text] of each so far. */
export function watchDownloads(): () => Promise<readonly (readonly [string, string])[]> {
  const texts = new Map<string, Promise<string>>();
  const saved: (readonly [string, string])[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    const url = `blob:${texts.size}`;
    texts.set(url, blob instanceof Blob ? blob.text() : Promise.resolve(''));
    return url;
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push([this.download, this.href]);
  });
  return () =>
    Promise.all(saved.map(async ([name, url]) => [name, (await texts.get(url)) ?? ''] as const));
}
