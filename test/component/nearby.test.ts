// The hubs in sight on the pages: however fast they are announced and gone again, the list can be
// read and pressed.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { PeerDto } from '../../preload/contract/dto.ts';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { STRANGER, snapshotOf } from '../fakes/household.ts';
import { callsOf, expectAccessible, showApp } from './support/page.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const strangers = (from: number, to: number): readonly PeerDto[] =>
  Array.from({ length: to - from }, (_, index) => ({
    ...STRANGER,
    id: `ed25519.stranger-${from + index}`,
    label: `Hub ${from + index}`,
  }));
const labels = (): readonly string[] =>
  [...document.querySelectorAll('.hub-label[id^="near"]')].map(({ textContent }) => textContent);
const row = (label: string) => page.getByRole('listitem').filter({ hasText: label });

/** One hub goes and another comes, as one packet of a hostile computer has it. */
function replace(hub: FakeHubApi, gone: number, come: number): void {
  hub.emit({ type: 'peer_gone', id: `ed25519.stranger-${gone}` });
  for (const peer of strangers(come, come + 1)) hub.emit({ type: 'peer', peer });
}

describe.each(['people', 'people/add'])('MD-03: hubs that come and go fast, on %s', (place) => {
  test('move nothing that a person points at, and the row of one that has gone says so and adds nothing', async () => {
    const hub = new FakeHubApi(snapshotOf({ peers: strangers(0, 4) }));
    await showApp(hub, place);
    const add = row('Hub 1').getByRole('button', { name: 'Add', exact: true });
    await userEvent.hover(add);
    const before = add.element().getBoundingClientRect().top;
    replace(hub, 0, 4);
    replace(hub, 1, 5);
    await vi.advanceTimersByTimeAsync(2_000);
    await expect.poll(labels).toEqual(['Hub 0', 'Hub 1', 'Hub 2', 'Hub 3', 'Hub 4', 'Hub 5']);
    expect(add.element().getBoundingClientRect().top).toBe(before);
    await expect.element(row('Hub 1').getByText('no longer in sight')).toBeVisible();
    await expectAccessible();
    await userEvent.click(add, { force: true });
    expect(callsOf(hub, 'pairings.start')).toEqual([]);
    add.element().blur();
    await userEvent.hover(page.getByRole('heading', { level: 1 }));
    await expect.poll(labels).toEqual(['Hub 2', 'Hub 3', 'Hub 4', 'Hub 5']);
  });

  test('change the list once a second, the first of them at once, and new ones come last', async () => {
    const hub = new FakeHubApi(snapshotOf({ peers: strangers(0, 3) }));
    await showApp(hub, place);
    await userEvent.hover(page.getByRole('heading', { level: 1 }));
    replace(hub, 0, 3);
    await expect.poll(labels).toEqual(['Hub 1', 'Hub 2', 'Hub 3']);
    for (let turn = 1; turn < 20; turn += 1) replace(hub, turn, turn + 3);
    await vi.advanceTimersByTimeAsync(500);
    expect(labels()).toEqual(['Hub 1', 'Hub 2', 'Hub 3']);
    await vi.advanceTimersByTimeAsync(500);
    await expect.poll(labels).toEqual(['Hub 20', 'Hub 21', 'Hub 22']);
  });

  test('take sixteen rows, with more of them at each press and a word of caution until all are there', async () => {
    await showApp(new FakeHubApi(snapshotOf({ peers: strangers(0, 100) })), place);
    expect(labels()).toHaveLength(16);
    await expect.element(page.getByText('More hubs are in sight than a home has')).toBeVisible();
    await page.getByRole('button', { name: 'Show 48 more' }).click();
    await expect.poll(labels).toHaveLength(64);
    await expectAccessible();
    await page.getByRole('button', { name: 'Show 36 more' }).click();
    await expect.poll(labels).toHaveLength(100);
    await expect
      .element(page.getByText('More hubs are in sight than a home has'))
      .not.toBeInTheDocument();
  });
});
