// Rules on the page: what a card offers beyond this once and what each choice would do, the rules
// in force, and that no haste decides.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import type { RuleTestDto } from '../../preload/contract/rules.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { CALENDAR_RULE, RULED, RULES } from '../fakes/household-rules.ts';
import {
  DAD,
  DEPLOY,
  DINNER,
  NOW,
  SALT,
  agentOf,
  approvalOf,
  snapshotOf,
} from '../fakes/household.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const decided = (hub: FakeHubApi) => callsOf(hub, 'approvals.decide');
const ASKS: RuleTestDto = {
  decision: 'ask',
  ground: 'default',
  agent: 'claude-code',
  agent_name: 'Claude Code',
  risk_class: 'R2',
  rule: null,
  held: null,
  stopped: false,
  considered: [],
};

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    now: NOW,
  });
});
afterEach(() => {
  vi.useRealTimers();
});

async function showCard(hub: FakeHubApi): Promise<void> {
  await showApp(hub);
  await vi.advanceTimersByTimeAsync(ARM_MS);
}
async function openMore(hub: FakeHubApi): Promise<void> {
  await showCard(hub);
  await press(button('More choices'));
}

describe('the wider choices of a card', () => {
  test('stand in place under the card, with exactly what the picked one would allow', async () => {
    await openMore(new FakeHubApi(snapshotOf({ approvals: [DINNER] })));
    await expect.element(page.getByText('Exactly what this would allow')).toBeVisible();
    const would = document.querySelector('.would')?.textContent?.replaceAll(/\s+/g, ' ') ?? '';
    expect(would).toContain(
      'OpenClaw on Dad’s laptop may give Claude Code tasks in Family chat without asking you, only inside this conversation.',
    );
    expect(would).toContain(
      'It ends when nothing has come for 2 hours, tomorrow at 06:04 at the latest.',
    );
    expect(
      [...document.querySelectorAll('.choices .radio b')].map((choice) => choice.textContent),
    ).toEqual(['For this conversation', 'Never']);
    await expect
      .element(
        page.getByText(
          'You can’t allow this for a set time, because others see what happens in Family chat.',
        ),
      )
      .toBeVisible();
    await expectAccessible();
  });

  test('a small and reversible request may be allowed until a time or always, each with its own end', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT] }));
    await openMore(hub);
    const titles = [...document.querySelectorAll('.choices .radio')].map((choice) =>
      choice.textContent?.replaceAll(/\s+/g, ' ').trim(),
    );
    expect(titles).toEqual([
      'For this conversation Until nothing has come for 2 hours',
      'Until tonight Until today at 23:59',
      'For a week Until 28 November at 18:04',
      'For 30 days Until 21 December at 18:04',
      'Never Declined quietly from now on, and counted',
    ]);
    await page.getByRole('radio', { name: /Until tonight/ }).click();
    await press(button('Allow and remember'));
    const until = new Date(2026, 10, 21, 23, 59).getTime();
    expect(decided(hub)).toEqual([
      { id: SALT.id, revision: 1, digest: SALT.digest, decision: 'allow', scope: 'until', until },
    ]);
  });

  test('"never" declines, and says what it would turn away', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await openMore(hub);
    await page.getByRole('radio', { name: /Never/ }).click();
    await expect.element(page.getByText('Exactly what this would decline')).toBeVisible();
    expect(document.querySelector('.would')?.textContent).not.toContain('OpenClaw');
    await press(button('Decline and remember'));
    expect(decided(hub)).toEqual([
      { id: DINNER.id, revision: 1, digest: DINNER.digest, decision: 'decline', scope: 'never' },
    ]);
  });

  test('a dangerous request draws no wider choice, and the key for it opens none', async () => {
    await showCard(new FakeHubApi(snapshotOf({ approvals: [DEPLOY] })));
    document.getElementById(`approval-${DEPLOY.id}`)?.focus();
    await userEvent.keyboard('m');
    await expect.element(button('Answer yourself')).toBeVisible();
    expect(document.querySelector('.choices')).toBeNull();
  });

  test('RI-07: its button waits after the drawer opens and after every other choice', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT] }));
    await openMore(hub);
    await button('Allow and remember').click({ force: true });
    await vi.advanceTimersByTimeAsync(ARM_MS - 1);
    await button('Allow and remember').click({ force: true });
    expect(decided(hub)).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await page.getByRole('radio', { name: /For 30 days/ }).click();
    await button('Allow and remember').click({ force: true });
    expect(decided(hub)).toEqual([]);
    await press(button('Allow and remember'));
    expect(decided(hub)).toMatchObject([{ decision: 'allow', scope: 'always' }]);
  });

  test('a change of the request closes the drawer: what was picked was for other words', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT] }));
    await openMore(hub);
    hub.emit({
      type: 'approval',
      approval: { ...SALT, text: 'Add poison', revision: 2, digest: 'a'.repeat(64) },
    });
    await expect.element(page.getByText('Exactly what this would allow')).not.toBeInTheDocument();
    expect(decided(hub)).toEqual([]);
  });

  test('one drawer is open at a time, M opens it, Escape closes it and gives the focus back to the card', async () => {
    await showCard(new FakeHubApi(snapshotOf({ approvals: [DINNER] })));
    document.getElementById(`approval-${DINNER.id}`)?.focus();
    await userEvent.keyboard('r');
    await expect.element(button('Decline and say so')).toBeVisible();
    await userEvent.keyboard('{Escape}m');
    await expect.element(button('Allow and remember')).toBeVisible();
    await expect.element(button('Decline and say so')).not.toBeInTheDocument();
    await userEvent.keyboard('{Escape}');
    await expect.element(button('Allow and remember')).not.toBeInTheDocument();
    expect(document.activeElement?.id).toBe(`approval-${DINNER.id}`);
  });

  test('after three equal ones the card offers a rule, which opens the choice and decides nothing', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [{ ...SALT, allowed_before: 3 }] }));
    await showCard(hub);
    await expect.element(page.getByText('You have allowed this 3 times in a row.')).toBeVisible();
    await press(button('Make it a rule…'));
    await expect.element(page.getByRole('radio', { name: /For 30 days/ })).toBeChecked();
    expect(decided(hub)).toEqual([]);
  });

  test('after two nothing is offered', async () => {
    await showCard(new FakeHubApi(snapshotOf({ approvals: [{ ...SALT, allowed_before: 2 }] })));
    await expect.element(button('Allow once')).toBeVisible();
    await expect.element(button('Make it a rule…')).not.toBeInTheDocument();
  });

  test('what was remembered can be taken back for ten seconds; then the cards behind wait again', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT, DINNER] }));
    await showCard(hub);
    await press(
      page
        .getByRole('article', { name: /Logistics/ })
        .getByRole('button', { name: 'More choices' }),
    );
    await press(button('Allow and remember'));
    await expect.element(page.getByText('Remembered as a rule.').last()).toBeVisible();
    await expect
      .element(page.getByRole('article', { name: 'Mum allowed it, on Mum’s PC.', exact: true }))
      .toBeVisible();
    const [made] = hub.snapshot.rules;
    await press(button('Undo'));
    expect(callsOf(hub, 'rules.remove')).toEqual([{ id: made?.id }]);
    await expect.element(button('Undo')).not.toBeInTheDocument();
    await button('Allow once').click({ force: true });
    expect(decided(hub)).toHaveLength(1);
  });

  test('after those ten seconds it is not offered any more, and the key for it opens none', async () => {
    const hub = await remembering();
    await vi.advanceTimersByTimeAsync(9_999);
    await expect.element(button('Undo')).toBeVisible();
    await vi.advanceTimersByTimeAsync(1);
    await expect.element(button('Undo')).not.toBeInTheDocument();
    await userEvent.keyboard('u');
    expect(callsOf(hub, 'rules.remove')).toEqual([]);
    expect(hub.snapshot.rules).toHaveLength(1);
  });

  test('says visibly why it could not be taken back, and can be tried again, for ten seconds from then', async () => {
    const full = { ok: false, problem: problemOf('storage_failed', 'The disk is full.') } as const;
    let answer: (outcome: typeof full) => void = () => undefined;
    const hub = await remembering({
      'rules.remove': () => new Promise<typeof full>((resolve) => (answer = resolve)),
    });
    await vi.advanceTimersByTimeAsync(9_000);
    await press(button('Undo'));
    await button('Undo').click();
    expect(callsOf(hub, 'rules.remove')).toHaveLength(1);
    answer(full);
    await expect
      .element(page.getByText(/It could not be undone\. .*The disk is full\./))
      .toBeVisible();
    await expectAccessible();
    await vi.advanceTimersByTimeAsync(9_000);
    await press(button('Undo'));
    expect(callsOf(hub, 'rules.remove')).toHaveLength(2);
  });

  async function remembering(
    answers: ConstructorParameters<typeof FakeHubApi>[1] = {},
  ): Promise<FakeHubApi> {
    const hub = new FakeHubApi(snapshotOf({ approvals: [SALT] }), answers);
    await openMore(hub);
    await page.getByRole('radio', { name: /For 30 days/ }).click();
    await press(button('Allow and remember'));
    await expect.element(button('Undo')).toBeVisible();
    return hub;
  }

  test('a request that names no agent makes a rule for such requests alone, and the card says so', async () => {
    await openMore(
      new FakeHubApi(snapshotOf({ approvals: [{ ...SALT, from_agent: null, from_name: null }] })),
    );
    const would = document.querySelector('.would')?.textContent?.replaceAll(/\s+/g, ' ') ?? '';
    expect(would).toMatch(/, naming none of its agents, may /);
  });
});

describe('haste', () => {
  test('RI-07: fifty keys a second while twenty requests arrive decide nothing, wherever the focus is', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCard(hub);
    document.getElementById(`approval-${DINNER.id}`)?.focus();
    // The first letters fall while the person's own card is still inert, as in typing that goes on
    // when the window comes forward.
    window.dispatchEvent(new Event('focus'));
    const keys = ['a', 'd', 'm', 'Enter', ' ', 'a', 'Tab', 'Enter', 'd', ' '];
    for (let request = 0; request < 20; request++) {
      hub.emit({
        type: 'approval',
        approval: approvalOf(`flood ${request}`, { expires_at: NOW + 60_000 * (20 - request) }),
      });
      for (const key of keys) {
        await userEvent.keyboard(key.length === 1 ? key : `{${key}}`);
        await vi.advanceTimersByTimeAsync(20);
      }
    }
    expect(decided(hub)).toEqual([]);
    expect(callsOf(hub, 'rules.create')).toEqual([]);
    expect(hub.snapshot.approvals).toHaveLength(21);
  });

  test('RI-07: nor do fifty clicks a second on whatever stands at one spot, an Allow button at first', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [DINNER] }));
    await showCard(hub);
    const first = document.querySelector('.in.do .btn');
    first?.scrollIntoView({ block: 'center' });
    const place = first?.getBoundingClientRect();
    const spot = { x: (place?.left ?? 0) + 20, y: (place?.top ?? 0) + 20 };
    expect(first?.contains(document.elementFromPoint(spot.x, spot.y))).toBe(true);
    window.dispatchEvent(new Event('focus'));
    for (let request = 0; request < 20; request++) {
      for (let press = 0; press < 10; press++) {
        document.elementFromPoint(spot.x, spot.y)?.closest('button')?.click();
        await vi.advanceTimersByTimeAsync(20);
      }
      hub.emit({
        type: 'approval',
        approval: approvalOf(`flood ${request}`, { expires_at: NOW + 60_000 * (request + 1) }),
      });
    }
    expect(decided(hub)).toEqual([]);
  });
});

describe('the Rules screen', () => {
  test('says rules as sentences, with end, beginning and use, and whose words are not the hub’s', async () => {
    await showApp(new FakeHubApi(snapshotOf({ rules: RULES })), 'rules');
    const rows = [...document.querySelectorAll('.rows > li')].map(
      (row) => row.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '',
    );
    expect(rows.find((row) => row.includes('Family calendar'))).toMatch(
      /^Dad’s laptop may ask Household lists about Family calendar\. ?Until 3 December at 18:04\. Made on a card, 3 November\. Used 41 times, last today at 16:04\./,
    );
    expect(rows.find((row) => row.includes('Dinner') || row.includes('dinner'))).toContain(
      'Until today at 20:04, if it stays quiet.',
    );
    expect(rows.find((row) => row.includes('Leo’s tablet'))).toContain(
      'may never ask any agent for anything in Screen time.',
    );
    expect(rows.find((row) => row.includes('Screen time'))).toContain('Declined quietly 17 times');
    expect(rows.find((row) => row.includes('Home music'))).toContain('Paused.');
    expect(
      [...document.querySelectorAll('.rows .said')].map((said) => said.textContent?.trim()),
    ).toEqual(expect.arrayContaining(['OpenClaw', 'Tell the family chat that dinner is at 7']));
    await expectAccessible();
  });

  test('pauses, and goes on', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: [CALENDAR_RULE] }));
    await showApp(hub, 'rules');
    await button('Pause').click();
    await press(button('Resume'));
    await expect.element(button('Pause')).toBeVisible();
    expect(callsOf(hub, 'rules.update')).toEqual([
      { id: CALENDAR_RULE.id, suspended: true },
      { id: CALENDAR_RULE.id, suspended: false },
    ]);
  });

  test('removes with undo, by button or U; the row keeps its place, so that no other slides under the pointer', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: RULES }));
    await showApp(hub, 'rules');
    const count = document.querySelectorAll('.rows > li').length;
    await button('Remove').first().click();
    await expect.element(page.getByText('Removed.', { exact: true })).toBeVisible();
    expect(document.querySelectorAll('.rows > li')).toHaveLength(count);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await userEvent.keyboard('u');
    await expect.element(page.getByText('Removed.', { exact: true })).not.toBeInTheDocument();
    expect(hub.snapshot.rules).toHaveLength(RULES.length);
    await press(button('Remove').first());
    await vi.advanceTimersByTimeAsync(10_000);
    await expect.element(button('Undo')).not.toBeInTheDocument();
    expect(hub.snapshot.rules).toHaveLength(RULES.length - 1);
    const struck = [
      ...document.querySelectorAll('.rows > .gone .rule-sentence, .rows > .gone .rule-sentence *'),
    ];
    expect(new Set(struck.map((part) => getComputedStyle(part).textDecorationLine))).toEqual(
      new Set(['line-through']),
    );
    await press(button('Bring back'));
    await expect.element(page.getByText('Removed.', { exact: true })).not.toBeInTheDocument();
    expect(hub.snapshot.rules).toHaveLength(RULES.length);
  });

  test('RI-07: the second half of a double click on “Remove” does not bring the rule back', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: [CALENDAR_RULE] }));
    await showApp(hub, 'rules');
    await vi.advanceTimersByTimeAsync(ARM_MS);
    const place = button('Remove').element().getBoundingClientRect();
    const spot = [place.right - 10, place.top + place.height / 2] as const;
    await button('Remove').click();
    await expect.element(button('Bring back')).toBeVisible();
    const second = document.elementFromPoint(...spot)?.closest('button');
    expect(second?.textContent).toContain('Bring back');
    second?.click();
    await vi.advanceTimersByTimeAsync(ARM_MS - 1);
    second?.click();
    expect(callsOf(hub, 'rules.restore')).toEqual([]);
    await press(button('Bring back'));
    await expect.element(button('Remove')).toBeVisible();
    expect(callsOf(hub, 'rules.restore')).toEqual([{ id: CALENDAR_RULE.id }]);
  });

  test('a rule that was removed here and given back elsewhere is a rule as before', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: [CALENDAR_RULE] }));
    await showApp(hub, 'rules');
    await button('Remove').click();
    await expect.element(page.getByText('Removed.', { exact: true })).toBeVisible();
    hub.emit({ type: 'rule', rule: CALENDAR_RULE });
    await expect.element(page.getByText('Removed.', { exact: true })).not.toBeInTheDocument();
    await expect.element(button('Undo')).not.toBeInTheDocument();
    await press(button('Pause'));
    await press(button('Remove'));
    expect(callsOf(hub, 'rules.remove')).toHaveLength(2);
    expect(document.querySelectorAll('.rows > li.gone')).toHaveLength(1);
  });

  test('says why what was removed could not be given back', async () => {
    const full = { ok: false, problem: problemOf('storage_failed', 'The disk is full.') } as const;
    await showApp(
      new FakeHubApi(snapshotOf({ rules: [CALENDAR_RULE] }), { 'rules.restore': () => full }),
      'rules',
    );
    await button('Remove').click();
    await press(button('Undo'));
    await expect.element(page.getByText(/The disk is full\./)).toBeVisible();
  });

  test('says why when it did not work, beside the rule', async () => {
    const gone = { ok: false, problem: problemOf('gone', 'This rule is over.') } as const;
    await showApp(
      new FakeHubApi(snapshotOf({ rules: [CALENDAR_RULE] }), { 'rules.remove': () => gone }),
      'rules',
    );
    await button('Remove').click();
    await expect.element(page.getByText(/This rule is over/)).toBeVisible();
  });

  test('the tester asks the hub what would happen and says it with the reason, rule by rule', async () => {
    const hub = new FakeHubApi(snapshotOf({ rules: RULES }), {
      'rules.test': () => ({
        ok: true,
        value: { ...ASKS, considered: [{ rule: CALENDAR_RULE, miss: 'kind' }] },
      }),
    });
    await showApp(hub, 'rules');
    await button('Try it').click();
    await expect.element(page.getByText('It would ask you.')).toBeVisible();
    await expect
      .element(page.getByText('This rule is about the other kind of request.'))
      .toBeVisible();
    expect(callsOf(hub, 'rules.test')).toMatchObject([
      { kind: 'delegate', asking_agent: null, agent: null, domain: null },
    ]);
    await button('Pause').first().click();
    await expect.element(page.getByText('It would ask you.')).not.toBeInTheDocument();
    await button('Try it').click();
    await expect.element(page.getByText('It would ask you.')).toBeVisible();
    await page.getByRole('combobox', { name: 'Wants' }).selectOptions('to ask a question');
    await expect.element(page.getByText('It would ask you.')).not.toBeInTheDocument();
  });

  test('what the tester is told of the question before is not said of another one', async () => {
    const answer = Promise.withResolvers<CallOutcome<RuleTestDto>>();
    const hub = new FakeHubApi(snapshotOf({ rules: RULES }), {
      'rules.test': () => answer.promise,
    });
    await showApp(hub, 'rules');
    await button('Try it').click();
    await page.getByRole('combobox', { name: 'Wants' }).selectOptions('to ask a question');
    answer.resolve({ ok: true, value: ASKS });
    await expect.element(button('Try it')).not.toHaveAttribute('aria-disabled');
    await expect.element(page.getByText('It would ask you.')).not.toBeInTheDocument();
  });

  test('an area that is dangerous at two agents is named once', async () => {
    const domains = [{ domain: 'work.projects', risk_class: 'R3' }] as const;
    const agents = [agentOf('claude-code', { domains }), agentOf('reminders', { domains })];
    await showApp(new FakeHubApi(snapshotOf({ agents })), 'rules');
    await expect
      .element(page.getByText('Work projects always asks where it is marked dangerous.'))
      .toBeVisible();
  });

  test('the tester asks in the name of an agent there, of which the hub itself is none', async () => {
    const said = DAD.capabilities;
    const dad = {
      ...DAD,
      capabilities: said && {
        ...said,
        untrusted: { ...said.untrusted, agent_name: 'Dads laptop' },
      },
    };
    const hub = new FakeHubApi(snapshotOf({ rules: RULES, peers: [dad] }));
    await showApp(hub, 'rules');
    await page.getByRole('combobox', { name: 'Who' }).selectOptions('Dad’s laptop');
    const asker = page.getByRole('combobox', { name: 'Which agent there' });
    const named = [...asker.element().querySelectorAll('option')].map(
      (option) => option.textContent,
    );
    expect(named).toEqual(['none named', 'Cursor', 'OpenClaw', 'another, by its name…']);
    await asker.selectOptions('OpenClaw');
    await button('Try it').click();
    await asker.selectOptions('another, by its name…');
    await expect.element(button('Try it')).toHaveAttribute('aria-disabled', 'true');
    await page.getByLabelText('Its name, letter by letter').fill('helper-dad');
    await button('Try it').click();
    expect(callsOf(hub, 'rules.test')).toMatchObject([
      { asking_agent: 'openclaw' },
      { asking_agent: 'helper-dad' },
    ]);
  });

  test('without rules it says so, and is accessible', async () => {
    await showApp(new FakeHubApi(snapshotOf()), 'rules');
    await expect.element(page.getByText('There are no rules yet')).toBeVisible();
    await expectAccessible();
  });

  test('what rules did stands under Now, apart from what people decided', async () => {
    await showApp(new FakeHubApi(snapshotOf({ rules: RULES, recently_decided: RULED })));
    await expect.element(page.getByText('Done by your rules')).toBeVisible();
    await expect
      .element(
        page.getByText(
          /Your rule “Attic may give Household lists tasks in Shopping list” allowed it\. Done\./,
        ),
      )
      .toBeVisible();
    await expect.element(page.getByText('Recently decided')).not.toBeInTheDocument();
  });

  test('what rules did is told by all that the rule names, its agent and topic too', async () => {
    const narrow = RULES.map((rule) =>
      rule.id === RULED[0]?.rule_id
        ? { ...rule, asking_agent: 'claude', asking_agent_name: 'Claude', topic: 'milk' }
        : rule,
    );
    await showApp(new FakeHubApi(snapshotOf({ rules: narrow, recently_decided: RULED })));
    const told = /Claude on Attic may give Household lists tasks in Shopping list,? only .*milk/;
    await expect.element(page.getByText(told)).toBeVisible();
  });
});
