// The owner's passphrase: the step of the first run that leads to it, and its form, which takes no
// typing error for a passphrase.
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { MUM, snapshotOf } from '../fakes/household.ts';
import { callsOf, expectAccessible, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabelText(name, { exact: true });
const fresh = { peers: [], agents: [], recently_decided: [], feed: [] };

describe('the owner passphrase', () => {
  test('is a step of the first run, which leads to its form and is done once it is set', async () => {
    const hub = new FakeHubApi(snapshotOf({ ...fresh, hub: { ...MUM, passphrase_set: false } }));
    await showApp(hub);
    const step = page.getByRole('listitem').filter({ hasText: 'Choose the owner passphrase' });
    await expect.element(step).not.toHaveTextContent('Done');
    hub.emit({ type: 'hub', hub: { ...MUM, passphrase_set: true } });
    await expect.element(step).toHaveTextContent('Choose the owner passphrase, Done');
    hub.emit({ type: 'hub', hub: { ...MUM, passphrase_set: false } });
    await step.getByRole('link', { name: 'Choose it' }).click();
    await expect.element(field('New passphrase')).toBeInViewport();
    await expect.element(field('Old passphrase')).not.toBeInTheDocument();
    await expectAccessible();
  });

  test('is asked for twice, and what is wrong stands beside its field', async () => {
    const hub = new FakeHubApi(snapshotOf({ hub: { ...MUM, passphrase_set: false } }));
    await showApp(hub, 'settings');
    await field('New passphrase').fill('short');
    await button('Set it').click();
    await expect
      .element(field('New passphrase'))
      .toHaveAccessibleDescription(/It needs at least 8 characters\.$/);
    await expect.element(field('New passphrase')).toHaveFocus();
    await field('New passphrase').fill('correct\u200bhorse');
    await button('Set it').click();
    await expect
      .element(field('New passphrase'))
      .toHaveAccessibleDescription(/It holds a character that nobody can see or type\.$/);
    await field('New passphrase').fill('correct horse');
    await field('The same again').fill('correct hose');
    await button('Set it').click();
    await expect
      .element(field('The same again'))
      .toHaveAccessibleDescription('It is not the same as the new passphrase above.');
    await expect.element(field('The same again')).toHaveAttribute('aria-invalid', 'true');
    await expectAccessible();
    expect(callsOf(hub, 'hub.setPassphrase')).toEqual([]);
    await field('The same again').fill('correct horse');
    await button('Set it').click();
    await expect.element(page.getByText('The passphrase is set.')).toBeVisible();
    expect(callsOf(hub, 'hub.setPassphrase')).toEqual([{ passphrase: 'correct horse' }]);
    await expect.element(field('The same again')).toHaveValue('');
  });

  test('needs the old one to be changed', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub, 'settings');
    await field('New passphrase').fill('correct horse');
    await field('The same again').fill('correct horse');
    await button('Set it').click();
    await expect
      .element(field('Old passphrase'))
      .toHaveAccessibleDescription('Type the passphrase that is set now.');
    expect(callsOf(hub, 'hub.setPassphrase')).toEqual([]);
    await field('Old passphrase').fill('battery staple');
    await button('Set it').click();
    await expect.element(page.getByText('The passphrase is set.')).toBeVisible();
    expect(callsOf(hub, 'hub.setPassphrase')).toEqual([
      { passphrase: 'correct horse', current: 'battery staple' },
    ]);
  });

  test('says at the field of the old one that it is another, and keeps what else was typed', async () => {
    const wrong = {
      ok: false,
      problem: problemOf('wrong_passphrase', 'That is not the owner passphrase.'),
    } as const;
    await showApp(new FakeHubApi(snapshotOf(), { 'hub.setPassphrase': () => wrong }), 'settings');
    await field('Old passphrase').fill('a guess');
    await field('New passphrase').fill('correct horse');
    await field('The same again').fill('correct horse');
    await button('Set it').click();
    await expect
      .element(field('Old passphrase'))
      .toHaveAccessibleDescription('That is not the owner passphrase.');
    await expect.element(field('Old passphrase')).toHaveFocus();
    await expect.element(field('New passphrase')).toHaveValue('correct horse');
  });

  test('says no longer that the old one is another once it was typed anew, and judges it at the next press alone', async () => {
    const wrong = {
      ok: false,
      problem: problemOf('wrong_passphrase', 'That is not the owner passphrase.'),
    } as const;
    const hub = new FakeHubApi(snapshotOf(), {
      'hub.setPassphrase': ({ current }) =>
        current === 'battery staple' ? { ok: true, value: { set: true } } : wrong,
    });
    await showApp(hub, 'settings');
    await field('Old passphrase').fill('a guess');
    await field('New passphrase').fill('correct horse');
    await field('The same again').fill('correct horse');
    await button('Set it').click();
    await expect.element(field('Old passphrase')).toHaveAttribute('aria-invalid', 'true');
    await field('The same again').fill('correct hose');
    await button('Set it').click();
    await expect.element(field('The same again')).toHaveFocus();
    await expect.element(field('Old passphrase')).toHaveAttribute('aria-invalid', 'false');
    await field('The same again').fill('correct horse');
    await button('Set it').click();
    await expect.element(field('Old passphrase')).toHaveAttribute('aria-invalid', 'true');
    await field('Old passphrase').fill('battery staple');
    await expect.element(field('Old passphrase')).toHaveAttribute('aria-invalid', 'false');
    await expect
      .element(page.getByText('That is not the owner passphrase.'))
      .not.toBeInTheDocument();
    await button('Set it').click();
    await expect.element(page.getByText('The passphrase is set.')).toBeVisible();
  });

  test('is told apart from others by what keeps passwords', async () => {
    await showApp(new FakeHubApi(snapshotOf()), 'settings');
    await expect
      .element(field('Old passphrase'))
      .toHaveAttribute('autocomplete', 'current-password');
    await expect.element(field('New passphrase')).toHaveAttribute('autocomplete', 'new-password');
    await expect.element(field('The same again')).toHaveAttribute('autocomplete', 'new-password');
    expect(
      document.querySelector<HTMLInputElement>('#passphrase input[autocomplete="username"]')?.value,
    ).toBe('owner');
  });
});
