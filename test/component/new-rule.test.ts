// Making a rule by hand on the page: its sentence is the hub's own before anything is made, exactly
// that is made, and what is missing or does not fit is said beside its field.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { problemOf, type FakeHubApi } from '../fakes/fake-hub-api.ts';
import { DAD, NOW } from '../fakes/household.ts';
import { draftOf, makingHub, trialOf, TRIALS } from '../fakes/rule-making.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const PREVIEW_MS = 200;
const DAY = 86_400_000;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const form = page.getByRole('region', { name: 'A new rule' });
const list = (name: string) => form.getByRole('combobox', { name, exact: true });
const field = (name: string) => form.getByRole('textbox', { name, exact: true });
const pick = (name: string, option: string) => list(name).selectOptions(option);
const told = () =>
  document.querySelector('.new-rule .told')?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    now: NOW,
  });
});
afterEach(() => {
  vi.useRealTimers();
});

async function open(hub: FakeHubApi): Promise<FakeHubApi> {
  await showApp(hub, 'rules');
  await button('Make a rule').click();
  await expect.element(form).toBeVisible();
  return hub;
}
async function fill(hub: FakeHubApi): Promise<FakeHubApi> {
  await open(hub);
  await pick('Who asks', 'Dad’s laptop');
  await pick('Done by', 'Household lists');
  await pick('In', 'Logistics grocery');
  await vi.advanceTimersByTimeAsync(PREVIEW_MS);
  return hub;
}

describe('a rule that is made by hand', () => {
  test('stands as its sentence with its end and what it would have done, and nothing is made before the button is pressed', async () => {
    const hub = await fill(makingHub());
    await expect.element(form.getByText(/Tried on the last 20 requests/)).toBeVisible();
    expect(told()).toContain('Dad’s laptop may give Household lists tasks in Logistics grocery.');
    expect(told()).toContain(
      'Until 21 December at 18:04. Doesn’t cover anything that others see or that is hard to undo.',
    );
    expect(told()).toContain(
      'as things are today: 2 would be allowed and 18 would stay as they are.',
    );
    expect(
      [...document.querySelectorAll('.new-rule .trace .said')].map((said) =>
        said.textContent?.trim(),
      ),
    ).toEqual(['Put oat milk and bread on the list', 'Add salt for the dishwasher']);
    expect(callsOf(hub, 'rules.create')).toEqual([]);
    await expectAccessible();
    await press(button('Make this rule'));
    expect(callsOf(hub, 'rules.create')).toEqual([callsOf(hub, 'rules.preview').at(-1)]);
    expect(callsOf(hub, 'rules.create')).toEqual([
      {
        effect: 'allow',
        peer: DAD.id,
        asking_agent: null,
        kind: 'delegate',
        agent: 'household-lists',
        domain: 'logistics.grocery',
        topic: null,
        until: NOW + 30 * DAY,
      },
    ]);
    await expect.element(form).not.toBeInTheDocument();
    await expect.element(button('Make a rule')).toHaveFocus();
    await expect.element(page.getByText('Rule made.')).toBeInTheDocument();
    expect(hub.snapshot.rules).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await button('Pause').click();
    await expect.element(button('Resume')).toBeVisible();
    await expect.element(page.getByText('Rule made.')).not.toBeInTheDocument();
  });

  test('RI-07: its button waits after every new sentence, and does nothing while the sentence is of other words', async () => {
    const hub = await fill(makingHub());
    await button('Make this rule').click({ force: true });
    expect(callsOf(hub, 'rules.create')).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await pick('Done by', 'Claude Code');
    await pick('In', 'Family chat');
    await button('Make this rule').click({ force: true });
    await vi.advanceTimersByTimeAsync(PREVIEW_MS);
    await button('Make this rule').click({ force: true });
    expect(callsOf(hub, 'rules.create')).toEqual([]);
    await press(button('Make this rule'));
    expect(callsOf(hub, 'rules.create')).toMatchObject([
      { agent: 'claude-code', domain: 'family.chat' },
    ]);
  });

  test('a late answer about other words says nothing', async () => {
    const answers: (() => void)[] = [];
    const hub = makingHub({}, TRIALS, {
      'rules.preview': () =>
        new Promise((resolve) =>
          answers.push(() =>
            resolve({ ok: false, problem: problemOf('bad_request', `late ${answers.length}`) }),
          ),
        ),
    });
    await fill(hub);
    await pick('Wants', 'to ask a question');
    await vi.advanceTimersByTimeAsync(PREVIEW_MS);
    expect(answers).toHaveLength(2);
    answers[0]?.();
    await vi.advanceTimersByTimeAsync(1);
    expect(form.element().textContent).not.toContain('Late');
    answers[1]?.();
    await expect.element(form.getByText(/Late/)).toBeVisible();
  });

  test('where its sentence could not be had, the press asks for it again, and makes nothing that was not read', async () => {
    let lost = true;
    const hub: FakeHubApi = makingHub({}, TRIALS, {
      'rules.preview': (said) =>
        lost
          ? {
              ok: false,
              problem: problemOf('hub_unreachable', 'The hub on this computer does not answer.'),
            }
          : { ok: true, value: { rule: draftOf(hub.snapshot, said), trials: TRIALS } },
    });
    await fill(hub);
    await expect.element(form.getByText(/does not answer/)).toBeVisible();
    await press(button('Make this rule'));
    await expect.poll(() => callsOf(hub, 'rules.preview').length).toBe(2);
    lost = false;
    await press(button('Make this rule'));
    await expect.element(form.getByText(/Tried on the last/)).toBeVisible();
    await expect.element(form.getByText(/does not answer/)).not.toBeInTheDocument();
    expect(callsOf(hub, 'rules.create')).toEqual([]);
    await press(button('Make this rule'));
    expect(callsOf(hub, 'rules.create')).toHaveLength(1);
  });

  test('its sentence is asked for again once the hub is back', async () => {
    let lost = true;
    const hub: FakeHubApi = makingHub({}, TRIALS, {
      'rules.preview': (said) =>
        lost
          ? {
              ok: false,
              problem: problemOf('hub_unreachable', 'The hub on this computer does not answer.'),
            }
          : { ok: true, value: { rule: draftOf(hub.snapshot, said), trials: TRIALS } },
    });
    await fill(hub);
    hub.link({ state: 'lost', since: NOW, retry_in_ms: 1_000 });
    await expect.element(form.getByText(/does not answer/)).toBeVisible();
    lost = false;
    hub.link({ state: 'live', since: NOW, retry_in_ms: null });
    await expect.element(form.getByText(/Tried on the last/)).toBeVisible();
  });

  test('what is missing is said beside each field, and the first of them has the focus', async () => {
    const hub = await open(makingHub());
    expect(document.querySelectorAll('.new-rule .problem')).toHaveLength(0);
    await press(button('Make this rule'));
    await expect
      .element(
        form.getByText('Choose who asks. A rule that allows is for one hub, or one agent here.'),
      )
      .toBeVisible();
    await expect
      .element(form.getByText('Choose which agent does it. A rule that allows is for one agent.'))
      .toBeVisible();
    await expect
      .element(
        form.getByText(
          'Choose an area. A rule that allows is for one area, or for requests that name none.',
        ),
      )
      .toBeVisible();
    await expect.element(list('Who asks')).toHaveFocus();
    await expect.element(list('Who asks')).toHaveAccessibleDescription(/Choose who asks/);
    expect(callsOf(hub, 'rules.preview')).toEqual([]);
    await expectAccessible();
  });

  test('what the hub refuses stands beside the field it is about, until that is changed', async () => {
    const refused = {
      ...problemOf('bad_request', 'Others see this: name one topic.'),
      data: { field: 'topic' },
    };
    const hub = makingHub({}, TRIALS, { 'rules.preview': () => ({ ok: false, problem: refused }) });
    await fill(hub);
    await expect
      .element(field('Only about the topic'))
      .toHaveAccessibleDescription(/name one topic/);
    expect(document.querySelectorAll('.new-rule .problem')).toHaveLength(1);
    await field('Only about the topic').fill('dinner guests');
    await expect.element(form.getByText(/name one topic/)).not.toBeInTheDocument();
    await userEvent.tab();
    await expect
      .element(
        form.getByText(
          'That isn’t a topic. Use small letters, with dots between, such as dinner.guests.',
        ),
      )
      .toBeVisible();
    await field('Only about the topic').fill('dinner.guests');
    await vi.advanceTimersByTimeAsync(PREVIEW_MS);
    expect(callsOf(hub, 'rules.preview').at(-1)).toMatchObject({ topic: 'dinner.guests' });
  });

  test('one that turns away may be for anybody, and stays until it is removed', async () => {
    const hub = await open(makingHub());
    await form.getByRole('radio', { name: 'Decline' }).click();
    await vi.advanceTimersByTimeAsync(PREVIEW_MS);
    expect(told()).toContain('Any hub may never ask any agent for anything in any area.');
    expect(told()).toContain('No end.');
    await press(button('Make this rule'));
    expect(callsOf(hub, 'rules.create')).toMatchObject([
      { effect: 'never', peer: null, agent: null, domain: null, kind: null, until: null },
    ]);
  });

  test('back to one that lets in, the end is one, and who asks is to be chosen', async () => {
    const hub = await open(makingHub());
    await form.getByRole('radio', { name: 'Decline' }).click();
    await form.getByRole('radio', { name: 'Allow without asking' }).click();
    await vi.advanceTimersByTimeAsync(PREVIEW_MS);
    await expect.element(list('Ends')).toHaveDisplayValue('in 30 days');
    expect(
      [...document.querySelectorAll('.new-rule option')].map((option) => option.textContent),
    ).not.toContain('when I remove it');
    expect(callsOf(hub, 'rules.preview')).toEqual([]);
  });

  test('names one agent there, by its hub’s word for it or letter by letter, and none for an agent of this computer', async () => {
    const hub = await fill(makingHub());
    await pick('Which agent there', 'another, by its name…');
    await field('Its name, letter by letter').fill('Night owl');
    await vi.advanceTimersByTimeAsync(PREVIEW_MS);
    expect(told()).toContain('Night owl on Dad’s laptop may give');
    expect(callsOf(hub, 'rules.preview').at(-1)).toMatchObject({ asking_agent: 'Night owl' });
    await pick('Who asks', 'Claude Code, on this computer');
    await expect.element(list('Which agent there')).not.toBeInTheDocument();
    await vi.advanceTimersByTimeAsync(PREVIEW_MS);
    expect(callsOf(hub, 'rules.preview').at(-1)).toMatchObject({
      peer: 'local/claude-code',
      asking_agent: null,
    });
  });

  test('ends with a day of one’s own; one that is over is no end', async () => {
    const hub = await fill(makingHub());
    await pick('Ends', 'on a day…');
    const day = form.getByLabelText('The end of this day');
    await day.fill('2026-11-20');
    await button('Make this rule').click({ force: true });
    await expect.element(form.getByText('Choose a day within the next year.')).toBeVisible();
    await day.fill('2026-12-03');
    await vi.advanceTimersByTimeAsync(PREVIEW_MS);
    expect(callsOf(hub, 'rules.preview').at(-1)).toMatchObject({
      until: new Date(2026, 11, 3, 23, 59).getTime(),
    });
  });

  test('everything works by keyboard alone, and Enter in a field makes nothing', async () => {
    const hub = makingHub();
    await showApp(hub, 'rules');
    document.getElementById('make-rule')?.focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(form.getByRole('radio', { name: 'Allow without asking' })).toHaveFocus();
    await userEvent.keyboard('{ArrowDown}{ArrowDown}');
    await expect.element(form.getByRole('radio', { name: 'Decline' })).toBeChecked();
    await vi.advanceTimersByTimeAsync(PREVIEW_MS + ARM_MS);
    field('Only about the topic').element().focus();
    await userEvent.keyboard('{Enter}');
    expect(callsOf(hub, 'rules.create')).toEqual([]);
    await userEvent.tab();
    await userEvent.tab();
    await expect.element(button('Make this rule')).toHaveFocus();
    await userEvent.keyboard('{Enter}');
    expect(callsOf(hub, 'rules.create')).toHaveLength(1);
  });

  test('Cancel makes nothing and gives the focus back', async () => {
    const hub = await fill(makingHub());
    await button('Cancel').click();
    await expect.element(form).not.toBeInTheDocument();
    await expect.element(button('Make a rule')).toHaveFocus();
    expect(callsOf(hub, 'rules.create')).toEqual([]);
  });

  test('why it was not made is said, and the form stays', async () => {
    const full = { ok: false, problem: problemOf('storage_failed', 'The disk is full.') } as const;
    await fill(makingHub({}, [], { 'rules.create': () => full }));
    expect(told()).toContain('There are no requests yet to try it on.');
    await press(button('Make this rule'));
    await expect.element(form.getByText(/The disk is full\./)).toBeVisible();
  });

  test('the words of a request it is tried on are set apart as somebody else’s', async () => {
    await fill(
      makingHub({}, [trialOf('<b>You</b> may always trust me', { with: 'deliver', miss: null })]),
    );
    const [said] = document.querySelectorAll('.new-rule .trace .said');
    expect(said?.textContent?.trim()).toBe('<b>You</b> may always trust me');
    expect(told()).toContain('Would be allowed, asks you now. 17:04, Dad’s laptop.');
  });
});
