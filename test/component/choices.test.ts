// A request that asks the person to choose: every option as quoted text of its own, nothing picked
// beforehand, and the choice is the answer.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { approvalOf, snapshotOf, TRAIN } from '../fakes/household.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const decided = (hub: FakeHubApi) => callsOf(hub, 'approvals.decide');
const BOUND = { id: TRAIN.id, revision: TRAIN.revision, digest: TRAIN.digest } as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function showCard(approval = TRAIN): Promise<FakeHubApi> {
  const hub = new FakeHubApi(snapshotOf({ approvals: [approval] }));
  await showApp(hub);
  await vi.advanceTimersByTimeAsync(ARM_MS);
  return hub;
}

describe('a card that asks to choose', () => {
  test('shows each option as quoted text of its own with what speaks for and against it, and the recommendation as unchecked', async () => {
    await showCard();
    await expect
      .element(page.getByRole('article', { name: 'Nana’s flat wants you to choose one of two' }))
      .toBeVisible();
    const options = [...document.querySelectorAll('.option')].map((option) =>
      option.textContent.replaceAll(/\s+/g, ' '),
    );
    expect(options).toHaveLength(2);
    expect(options[0]).toContain('and recommends it (not checked)');
    expect(options[0]).toContain('Saturday 09:12, direct');
    expect(options[0]).toContain('For: No change of trains');
    expect(options[0]).toContain('Against: Costs 41.90 euros');
    expect(options[1]).not.toContain('recommends');
    expect(
      document.querySelector('.option input, .option [aria-pressed], .option [aria-checked]'),
    ).toBeNull();
    await expectAccessible();
  });

  test('says that nothing runs, and offers neither to allow nor to allow more', async () => {
    await showCard();
    await expect.element(page.getByText('Nothing runs here.')).toBeVisible();
    await expect
      .element(page.getByText('Nothing is chosen. Nana’s flat is told that nobody answered.'))
      .toBeVisible();
    await expect.element(button('Allow once')).not.toBeInTheDocument();
    await press(button('More choices'));
    expect(document.querySelector('article .choices')).toBeNull();
  });

  test('shows as a field whatever else an option holds', async () => {
    await showCard();
    await expect.element(page.getByText('by the window')).toBeVisible();
    expect(
      document.querySelectorAll('.quoted-text .fields dd, .quoted-text .fields td'),
    ).toHaveLength(1);
  });

  test('choosing one is the decision and the answer, bound to what was shown', async () => {
    const hub = await showCard();
    await press(button('Choose option 2'));
    expect(decided(hub)).toEqual([{ ...BOUND, decision: 'answer', choice: 'change' }]);
    await expect.element(page.getByText('Mum chose, on Mum’s PC.')).toBeVisible();
    await expect.element(page.getByText('Saturday 10:40, one change')).toBeVisible();
    await expectAccessible();
  });

  test('RI-07: its buttons are inert for 700 ms after the card appears, and a press then chooses nothing', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [TRAIN] }));
    await showApp(hub);
    await button('Choose option 1').click({ force: true });
    expect(decided(hub)).toEqual([]);
    await press(button('Choose option 1'));
    expect(decided(hub)).toHaveLength(1);
  });

  test('a change while it is read arms the options anew', async () => {
    const hub = await showCard();
    hub.emit({
      type: 'approval',
      approval: { ...TRAIN, text: 'Which plane?', revision: 2, digest: 'a'.repeat(64) },
    });
    await button('Choose option 1').click({ force: true });
    expect(decided(hub)).toEqual([]);
  });

  test('A, M and Enter decide nothing on it, D chooses none', async () => {
    const hub = await showCard();
    document.getElementById(`approval-${TRAIN.id}`)?.focus();
    await userEvent.keyboard('am{Enter}');
    expect(decided(hub)).toEqual([]);
    await userEvent.keyboard('d');
    expect(decided(hub)).toEqual([{ ...BOUND, decision: 'decline' }]);
  });

  test('it may be answered in one’s own words, and meanwhile no option can be chosen', async () => {
    const hub = await showCard();
    await press(button('More choices'));
    await press(button('Answer in your own words'));
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Take the bus.');
    await expect.element(button('Choose option 1')).toHaveAttribute('aria-disabled', 'true');
    await button('Choose option 1').click({ force: true });
    await press(button('Send this answer'));
    expect(decided(hub)).toEqual([{ ...BOUND, decision: 'answer', answer: 'Take the bus.' }]);
  });

  test('hidden characters of an option stand as boxed codes', async () => {
    const options = [
      { id: '1', label: '[U+202E]tcerid', pros: ['[U+200B]'], cons: [] },
      { id: '2', label: 'B', pros: [], cons: [] },
    ];
    await showCard(
      approvalOf('bidi', { ...TRAIN, choice: { options, recommended: null }, fields: [] }),
    );
    await expect
      .element(page.getByRole('img', { name: 'hidden character U+202E' }))
      .toBeInTheDocument();
    await expect
      .element(page.getByRole('img', { name: 'hidden character U+200B' }))
      .toBeInTheDocument();
  });

  test('twelve long options stay readable on a narrow page', async () => {
    const options = Array.from({ length: 12 }, (_, index) => ({
      id: String(index),
      label: `Option ${index} ${'with-a-very-long-word-'.repeat(8)}`,
      pros: ['x'.repeat(500)],
      cons: [],
    }));
    await page.viewport(380, 520);
    await showCard(
      approvalOf('many', { ...TRAIN, choice: { options, recommended: '11' }, fields: [] }),
    );
    expect(document.querySelectorAll('.option')).toHaveLength(12);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(380);
    await expectAccessible();
    await page.viewport(1280, 800);
  });
});
