// Without a mouse or without eyes: the way by Tab, the keys of the page, and what is spoken when
// something comes by itself.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { SCREENS } from '../../renderer/app/Navigation.svelte.ts';
import { SPOKEN_STAYS_MS } from '../../renderer/ui/Spoken.svelte.ts';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { RULES } from '../fakes/household-rules.ts';
import { DINNER, KNOCK, NOW, SALT, SETTINGS, snapshotOf } from '../fakes/household.ts';
import { ARM_MS, callsOf, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('without a mouse', () => {
  test('what comes by itself is said once by one voice, and no countdown speaks', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT] }));
    await showApp(hub, 'feed');
    const voices = () =>
      [...document.querySelectorAll('[role=status]')]
        .map((voice) => voice.textContent)
        .filter((text) => text !== '');
    expect(voices()).toEqual([]);
    hub.emit({ type: 'approval', approval: DINNER });
    await vi.waitFor(() =>
      expect(voices()).toEqual(['A request from Dad’s laptop. 2 wait for you.']),
    );
    hub.emit({ type: 'approval', approval: { ...DINNER, revision: 2 } });
    hub.emit({ type: 'registration', registration: KNOCK });
    await vi.waitFor(() =>
      expect(voices()).toEqual(['A program on this computer wants to connect. 3 wait for you.']),
    );
    hub.link({ state: 'lost', since: NOW, retry_in_ms: 9_000 });
    await vi.waitFor(() =>
      expect(voices()).toEqual([
        expect.stringMatching(/^This page lost its hub at 18:04\. What you see is from then/),
      ]),
    );
    const [said] = voices();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(voices()).toEqual([said]);
    hub.link({ state: 'live', since: NOW, retry_in_ms: null });
    await vi.waitFor(() => expect(voices()).toEqual(['The hub is back. This page is live again.']));
  });

  test('what was said is taken back, and the same said again is heard again', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'settings');
    const voices = () =>
      [...document.querySelectorAll('[role=status]')]
        .map((voice) => voice.textContent)
        .filter((text) => text !== '');
    hub.emit({ type: 'approval', approval: DINNER });
    await vi.waitFor(() =>
      expect(voices()).toEqual(['A request from Dad’s laptop. 1 waits for you.']),
    );
    await vi.advanceTimersByTimeAsync(SPOKEN_STAYS_MS);
    await vi.waitFor(() => expect(voices()).toEqual([]));
    const heard: string[] = [];
    const listener = new MutationObserver(() => heard.push(...voices()));
    listener.observe(document.body, { subtree: true, childList: true, characterData: true });
    for (const looks of ['Dark', 'Light']) {
      await button(looks).click();
      await vi.waitFor(() => expect(voices()).toEqual(['Saved.']));
    }
    listener.disconnect();
    expect(heard.filter((text) => text === 'Saved.').length).toBeGreaterThan(1);
  });

  test('where single keys are switched off, U takes nothing back', async () => {
    const hub = new FakeHubApi(
      snapshotOf({ rules: RULES, settings: { ...SETTINGS, single_key_shortcuts: false } }),
    );
    await showApp(hub, 'rules');
    await button('Remove').first().click();
    await expect.element(page.getByRole('button', { name: /^Undo/ })).toBeVisible();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await userEvent.keyboard('u');
    expect(callsOf(hub, 'rules.restore')).toEqual([]);
    hub.emit({ type: 'settings', settings: SETTINGS });
    await userEvent.keyboard('u');
    await vi.waitFor(() => expect(callsOf(hub, 'rules.restore')).toHaveLength(1));
  });

  test('by Tab alone: past the screens to the card, its text before its buttons, and every stop shows where it is', async () => {
    await showApp(new FakeHubApi(snapshotOf({ approvals: [DINNER] })));
    await vi.advanceTimersByTimeAsync(700);
    const stops: string[] = [];
    for (let presses = 0; presses < 30 && stops.at(-1) !== 'Allow once'; presses++) {
      await userEvent.keyboard('{Tab}');
      const at = document.activeElement;
      if (at === null || at === document.body) continue;
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      expect({
        at: at.textContent,
        outlineStyle,
        visible: Number.parseFloat(outlineWidth) >= 2,
      }).toMatchObject({
        outlineStyle: 'solid',
        visible: true,
      });
      const box = at.getBoundingClientRect();
      expect(box.width * box.height, at.textContent).toBeGreaterThan(100);
      stops.push(
        (
          at.getAttribute('aria-label') ??
          at.querySelector('.word')?.firstChild?.textContent ??
          at.textContent
        )
          .trim()
          .replace(/\s*[ADR]$/, ''),
      );
    }
    expect(stops.map((stop) => stop.replace(/,.*$/, ''))).toEqual([
      'Go to the content',
      ...SCREENS.map((screen) => ENGLISH.common.screens[screen]),
      'Pause everything',
      'Exact identifiers',
      'With a reason',
      'Decline',
      'Allow once',
    ]);
  });

  test('the way past the screens leads into the content', async () => {
    await showApp(new FakeHubApi(snapshotOf({ approvals: [DINNER] })));
    await vi.advanceTimersByTimeAsync(700);
    await userEvent.keyboard('{Tab}{Enter}{Tab}');
    expect(document.activeElement?.textContent?.trim()).toBe('Exact identifiers');
  });

  test('a dialog keeps the focus inside and gives it back', async () => {
    await showApp(new FakeHubApi(snapshotOf()), 'settings');
    await button('Keys').click();
    const dialog = page.getByRole('dialog').element();
    for (let presses = 0; presses < 4; presses++) {
      await userEvent.keyboard('{Tab}');
      expect(
        document.activeElement === document.body || dialog.contains(document.activeElement),
      ).toBe(true);
    }
    await userEvent.keyboard('{Escape}');
    await expect.element(button('Keys')).toHaveFocus();
  });

  test('J and K go from card to card', async () => {
    await showApp(new FakeHubApi(snapshotOf({ approvals: [DINNER, SALT] })));
    await expect.element(page.getByRole('article').first()).toBeInTheDocument();
    await userEvent.keyboard('jj');
    expect(document.activeElement?.id).toBe(`approval-${SALT.id}`);
    await userEvent.keyboard('k');
    expect(document.activeElement?.id).toBe(`approval-${DINNER.id}`);
  });
});
