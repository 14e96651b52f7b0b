// Who may disturb quiet hours, as a person ticks it: the boxes show what the hub keeps, and nobody
// is named unseen.
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { QUIET_PERIODS_MAX } from '../../preload/contract/limits.ts';
import type { QuietPeriodDto } from '../../preload/contract/attention.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { CALM, DAD, PEERS, snapshotOf } from '../fakes/household.ts';
import { callsOf, expectAccessible, showApp } from './support/page.ts';

const NIGHT: QuietPeriodDto = {
  name: 'Night',
  from: '21:30',
  to: '07:00',
  days: [1, 2, 3, 4, 5, 6, 7],
  on: true,
};
const box = (name: string) =>
  page.getByRole('group', { name: /Can interrupt/ }).getByRole('checkbox', { name });

test('a box that the hub did not keep shows again what is so, next to why', async () => {
  const hub = new FakeHubApi(snapshotOf(), {
    'attention.setQuietHours': () => ({
      ok: false,
      problem: problemOf('storage_failed', 'The disk is full.'),
    }),
  });
  await showApp(hub, 'settings');
  await box(DAD.name).click();
  await expect.element(page.getByText(/disk is full/)).toBeVisible();
  await expect.element(box(DAD.name)).not.toBeChecked();
});

test('a suspended hub that may disturb is listed and can be taken off; one that may not is not offered', async () => {
  const suspended = { ...DAD, trust: 'suspended' as const };
  const peers = PEERS.map((peer) => (peer.id === DAD.id ? suspended : peer));
  const [other] = peers.filter(({ id, trust }) => id !== DAD.id && trust === 'paired');
  const attention = { ...CALM, quiet_hours: { periods: [NIGHT], urgent_peers: [DAD.id] } };
  const hub = new FakeHubApi(snapshotOf({ peers, attention }));
  await showApp(hub, 'settings');
  await expect.element(box(DAD.name)).toBeChecked();
  await expectAccessible();
  await box(other?.name ?? '').click();
  await expect.element(box(other?.name ?? '')).toBeChecked();
  await box(DAD.name).click();
  await expect.element(box(DAD.name)).not.toBeInTheDocument();
  expect(callsOf(hub, 'attention.setQuietHours')).toEqual([
    { periods: [NIGHT], urgent_peers: [DAD.id, other?.id] },
    { periods: [NIGHT], urgent_peers: [other?.id] },
  ]);
});

test('there is no place for more quiet hours than a household keeps', async () => {
  const periods = Array.from({ length: QUIET_PERIODS_MAX - 1 }, (_, index) => ({
    ...NIGHT,
    name: `Night ${index}`,
  }));
  const hub = new FakeHubApi(
    snapshotOf({ attention: { ...CALM, quiet_hours: { periods, urgent_peers: [] } } }),
  );
  await showApp(hub, 'settings');
  const add = page.getByRole('button', { name: 'Add quiet hours' });
  await expect.element(add).toBeVisible();
  hub.emit({
    type: 'do_not_disturb',
    attention: { ...CALM, quiet_hours: { periods: [...periods, NIGHT], urgent_peers: [] } },
  });
  await expect.element(add).not.toBeInTheDocument();
});
