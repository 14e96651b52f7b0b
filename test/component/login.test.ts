// The page that a browser shows to whoever is not logged in: plain words and the owner's
// passphrase, and a login link for who has one.
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-svelte';
import App from '../../renderer/app/App.svelte';
import '../../renderer/styles/all.css';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { snapshotOf } from '../fakes/household.ts';
import { callsOf, expectAccessible } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const stranger = {
  ok: false,
  problem: problemOf('unauthenticated', 'This needs a token.'),
} as const;

async function showLogin(
  answers: ConstructorParameters<typeof FakeHubApi>[1] = {},
): Promise<FakeHubApi> {
  const hub = new FakeHubApi(snapshotOf(), { 'hub.snapshot': () => stranger, ...answers });
  document.documentElement.lang = 'en';
  await render(App, { props: { api: hub } });
  await expect.element(page.getByRole('heading', { name: 'Log in to this hub' })).toBeVisible();
  return hub;
}

test('asks for the passphrase and says what else lets somebody in, without a word for terminals', async () => {
  const hub = await showLogin();
  await expect.element(page.getByText(/Go to the computer where AXON Hub runs\./)).toBeVisible();
  expect(document.body.textContent).not.toMatch(/\baxon |npx|[Tt]erminal|[Tt]oken|\b[Pp]ort\b/);
  await expectAccessible();
  await page.getByLabelText('Owner passphrase').fill('correct horse');
  await button('Log in').click();
  expect(callsOf(hub, 'hub.login')).toEqual([{ passphrase: 'correct horse' }]);
});

test('sends no empty passphrase', async () => {
  const hub = await showLogin();
  await page.getByLabelText('Owner passphrase').click();
  await userEvent.keyboard('{Enter}');
  expect(callsOf(hub, 'hub.login')).toEqual([]);
});

test('takes a login link from who has one, and says there where it comes from', async () => {
  const hub = await showLogin();
  await button('Use a login link').click();
  await expect.element(page.getByText('npx axon login')).toBeVisible();
  await expectAccessible();
  await page
    .getByLabelText('Login link or code')
    .fill(`http://${location.host}/#c=abcdefghijklmnopqrstuv`);
  await button('Log in').click();
  expect(callsOf(hub, 'hub.login')).toEqual([{ code: 'abcdefghijklmnopqrstuv' }]);
});
