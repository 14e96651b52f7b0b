// Answering oneself on a card instead of letting an agent do it: what is shown, when it may be
// pressed, what becomes of it.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { ANSWER_MAX_CHARACTERS } from '../../preload/contract/limits.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { DEPLOY, DINNER, approvalOf, snapshotOf } from '../fakes/household.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = () => page.getByRole('textbox', { name: 'Your answer' });
const decided = (hub: FakeHubApi) => callsOf(hub, 'approvals.decide');
const ANSWER = 'I told them myself.';
/** The same request, answered in another place. */
const ELSEWHERE = {
  state: 'answered',
  own_answer: { text: 'At 8.', choice: null },
  decided_by: 'Mum',
  surface: 'browser',
  decided_at: DINNER.received_at,
  task_state: 'completed',
} as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function showCard(approval = DINNER): Promise<FakeHubApi> {
  const hub = new FakeHubApi(snapshotOf({ approvals: [approval] }));
  await showApp(hub);
  await vi.advanceTimersByTimeAsync(ARM_MS);
  return hub;
}
async function openDrawer(): Promise<void> {
  await press(button('More choices'));
  await press(button('Answer yourself'));
  await vi.advanceTimersByTimeAsync(ARM_MS);
}

describe('answering oneself', () => {
  test('the drawer shows exactly what the other hub is told, and the answer carries what was shown', async () => {
    const hub = await showCard();
    await openDrawer();
    await expect.element(field()).toHaveFocus();
    await field().fill(ANSWER);
    await expect.element(page.getByText('Exactly what Dad’s laptop is told')).toBeVisible();
    await expect.element(page.getByText('Nothing runs. Claude Code doesn’t get it.')).toBeVisible();
    await expectAccessible();
    await press(button('Send this answer'));
    expect(decided(hub)).toEqual([
      { id: DINNER.id, revision: 1, digest: DINNER.digest, decision: 'answer', answer: ANSWER },
    ]);
    await expect.element(page.getByText('Mum answered it, on Mum’s PC.')).toBeVisible();
    await expect.element(page.getByText(ANSWER)).toBeVisible();
    await expectAccessible();
  });

  test('RI-07: its button is inert for 700 ms after the drawer opens, and until there are words', async () => {
    const hub = await showCard();
    await press(button('More choices'));
    await press(button('Answer yourself'));
    await field().fill(ANSWER);
    await button('Send this answer').click({ force: true });
    expect(decided(hub)).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await field().fill('   ');
    await button('Send this answer').click({ force: true });
    expect(decided(hub)).toEqual([]);
    await field().fill(ANSWER);
    await press(button('Send this answer'));
    expect(decided(hub)).toHaveLength(1);
  });

  test('Enter makes a new line, and the letters of an answer are no keys', async () => {
    const hub = await showCard();
    await openDrawer();
    await field().click();
    await userEvent.keyboard('dad{Enter}ram');
    await expect.element(field()).toHaveValue('dad\nram');
    expect(decided(hub)).toEqual([]);
  });

  test('while an answer is being written no other button of the card decides', async () => {
    const hub = await showCard();
    await openDrawer();
    await field().fill(ANSWER);
    for (const name of ['Allow once', 'Decline', 'More choices', 'With a reason']) {
      await expect.element(button(name)).toHaveAttribute('aria-disabled', 'true');
      await button(name).click({ force: true });
    }
    expect(decided(hub)).toEqual([]);
    await expect.element(field()).toHaveValue(ANSWER);
  });

  test('Escape and Back close the drawer, give the focus back and keep the words', async () => {
    await showCard();
    await press(button('More choices'));
    await press(button('Answer yourself'));
    await field().fill(ANSWER);
    await userEvent.keyboard('{Escape}');
    await expect.element(field()).not.toBeInTheDocument();
    await expect.element(button('More choices')).toHaveFocus();
    await press(button('More choices'));
    await press(button('Answer yourself'));
    await expect.element(field()).toHaveValue(ANSWER);
  });

  test('W opens it from the keyboard', async () => {
    await showCard();
    document.getElementById(`approval-${DINNER.id}`)?.focus();
    await userEvent.keyboard('w');
    await expect.element(field()).toHaveFocus();
  });

  test('a dangerous request is answered without its last word: nothing runs', async () => {
    const hub = await showCard(DEPLOY);
    await openDrawer();
    await field().fill(ANSWER);
    await press(button('Send this answer'));
    expect(decided(hub)).toMatchObject([{ decision: 'answer', answer: ANSWER }]);
  });

  test('the field takes no more than an answer may hold, and says how much is left', async () => {
    await showCard();
    await openDrawer();
    await expect.element(field()).toHaveAttribute('maxlength', String(ANSWER_MAX_CHARACTERS));
    await field().fill('x'.repeat(ANSWER_MAX_CHARACTERS - 1));
    await expect.element(page.getByText('1 character left')).toBeVisible();
  });

  test('it is not offered where no answer is wanted', async () => {
    await showCard(approvalOf('told', { report_back: false, leaves: 'nothing' }));
    await expect.element(button('Decline')).toBeVisible();
    await expect.element(button('Answer yourself')).not.toBeInTheDocument();
  });

  test('a change of the request closes the drawer and sends nothing', async () => {
    const hub = await showCard();
    await openDrawer();
    await field().fill(ANSWER);
    hub.emit({
      type: 'approval',
      approval: { ...DINNER, text: 'Tell them nothing', revision: 2, digest: 'a'.repeat(64) },
    });
    await expect.element(field()).not.toBeInTheDocument();
    expect(decided(hub)).toEqual([]);
  });

  test('when somebody else was first, the card says by whom and with what', async () => {
    const hub: FakeHubApi = new FakeHubApi(snapshotOf({ approvals: [DINNER] }), {
      'approvals.decide': () => {
        hub.emitUnheard({ type: 'approval', approval: { ...DINNER, ...ELSEWHERE } });
        return { ok: false, problem: problemOf('already_decided', 'Somebody else was first.') };
      },
    });
    await showApp(hub);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await openDrawer();
    await field().fill(ANSWER);
    await press(button('Send this answer'));
    await expect.element(page.getByText(/^Mum answered it, on Mum’s PC/)).toBeVisible();
    await expect.element(page.getByText('At 8.', { exact: true })).toBeVisible();
    await expect.element(page.getByText(/Your choice changed nothing/)).toBeVisible();
  });
});
