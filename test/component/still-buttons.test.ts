// A button stays where it is from the press to the release, whichever card has the focus; and where
// it was moved by something else, it shows that it is inert before anybody presses it.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { DINNER, NOW, SALT, snapshotOf, TRAIN } from '../fakes/household.ts';
import { ARM_MS, callsOf, showApp } from './support/page.ts';

/** Every form of a card: a phone, stacked, two-sided with wrapped and with unwrapped buttons. */
const WIDTHS_PX = [340, 480, 660, 724, 780, 860, 940, 1020, 1100, 1180, 1280, 1400] as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await page.viewport(1280, 820);
});

/** Whether each button that decides about this request says that it is inert. */
const inertIn = (id: string) =>
  [...document.querySelectorAll(`[data-card="${id}"] :is(.do, .choice) .btn`)].map(
    (button) => button.getAttribute('aria-disabled') === 'true',
  );
async function untilOpen(id: string): Promise<void> {
  await vi.advanceTimersByTimeAsync(ARM_MS);
  await expect.poll(() => inertIn(id)).not.toContain(true);
}

function places(): readonly (readonly [name: string, left: number, top: number])[] {
  return [...document.querySelectorAll('.card .btn')].map((button) => {
    const { left, top } = button.getBoundingClientRect();
    return [button.textContent.trim(), left, top];
  });
}

describe('RI-07: what gets or loses the focus', () => {
  test.for(WIDTHS_PX)('moves no button at %i px', async (width) => {
    await page.viewport(width, 820);
    await showApp(new FakeHubApi(snapshotOf({ approvals: [DINNER, TRAIN, SALT] })));
    const before = places();
    expect(before.length).toBeGreaterThan(10);
    for (const { id } of [DINNER, TRAIN, SALT]) {
      document.getElementById(`approval-${id}`)?.focus({ preventScroll: true });
      expect(places()).toEqual(before);
    }
  });

  test('leaves a choice under the pointer while the focus comes to it from the card above', async () => {
    await page.viewport(1180, 820);
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER, TRAIN] }));
    await showApp(hub);
    await untilOpen(TRAIN.id);
    document.getElementById(`approval-${DINNER.id}`)?.focus();
    await page.getByRole('button', { name: 'Choose option 2' }).click();
    expect(callsOf(hub, 'approvals.decide')).toMatchObject([{ id: TRAIN.id, choice: 'change' }]);
  });
});

describe('RI-07: what moves the buttons of a card', () => {
  test('a strip above every screen: they show it before a press', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [TRAIN] }));
    await showApp(hub);
    await untilOpen(TRAIN.id);
    hub.emit({
      type: 'do_not_disturb',
      attention: { ...hub.snapshot.attention, paused: { since: NOW, until: null, stopped: false } },
    });
    await expect.poll(() => document.querySelector('.top-strips .strip')).not.toBeNull();
    await expect.poll(() => inertIn(TRAIN.id)).not.toContain(false);
    await untilOpen(TRAIN.id);
  });

  test('something that grows within the card: they show it, and the card itself need not have moved', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [TRAIN] }));
    await showApp(hub);
    await untilOpen(TRAIN.id);
    document.querySelector<HTMLElement>('.exact summary')?.click();
    await expect.poll(() => inertIn(TRAIN.id)).not.toContain(false);
    await untilOpen(TRAIN.id);
  });
});
