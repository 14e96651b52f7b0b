import { describe, expect, test } from 'vitest';
import {
  areaOf,
  fieldsOf,
  isAgentThere,
  isRemembered,
  leavesOf,
  outcomeOf,
  progressOf,
  verbOf,
  whyOf,
} from '../../../renderer/features/approvals/sentences.ts';
import { words } from '../../../renderer/app/words.ts';
import { ASKED } from '../../fakes/remote-approval-cards.ts';
import { CAR, DEPLOY, DINNER, SALT, agentOf, approvalOf } from '../../fakes/household.ts';

describe('what the hub says of a request', () => {
  test('the verb comes from the kind and the area, never from the text', () => {
    expect(
      [
        DINNER,
        CAR,
        approvalOf('x', { domain: null }),
        approvalOf('y', { domain: null, kind: 'query' }),
      ].map(verbOf),
    ).toEqual([
      'do a task in Family chat',
      'answer a question in Family calendar',
      'do a task',
      'answer a question',
    ]);
  });

  test('what is no area is never spoken as one', () => {
    for (const domain of [
      'Family',
      'family.',
      'family..x',
      'famil\u0443',
      'family[U+200B]',
      'a.b.c.d.e.f.g',
      '',
    ]) {
      expect(areaOf({ domain })).toBeUndefined();
      expect(verbOf(approvalOf('z', { domain }))).toBe('do a task');
    }
  });

  test('something dangerous says that it is asked every time', () => {
    expect(whyOf(DEPLOY)).toBe('You marked Work projects this way. You are asked every time.');
    expect(whyOf(CAR)).toBe('You marked Household lists this way.');
  });

  test('what leaves this computer follows the kind, the class and whether an answer is wanted', () => {
    expect(leavesOf(CAR)).toBe('The answer, which goes to Dad’s laptop');
    expect(leavesOf(SALT)).toBe('Only whether it was done');
    expect(leavesOf(DINNER)).toContain('What Claude Code sends out');
  });

  test('a field stands under the text unless the card says the very same elsewhere', () => {
    const fields = [
      ['context.location', 'home'],
      ['domain', 'family.chat'],
      ['reason', 'because'],
      ['priority', 'normal'],
      ['report_back', 'true'],
      ['deadline_ms', '840000'],
      ['toString', 'x'],
    ] as const;
    expect(fieldsOf(approvalOf('a', { fields, reason: 'because' })).map(([path]) => path)).toEqual([
      'context.location',
      'toString',
    ]);
    const odd = [
      ['domain', 'family.chat and more'],
      ['reason', 'another one'],
      ['priority', 'URGENT!!!'],
      ['report_back', '"<b>"'],
      ['deadline_ms', '840000 please'],
    ] as const;
    expect(fieldsOf(approvalOf('b', { fields: odd, reason: 'because' }))).toEqual(odd);
  });

  test('every end of a request has words of its own', () => {
    const states = ['approved', 'answered', 'declined', 'expired', 'cancelled'] as const;
    const titles = states.map(
      (state) =>
        outcomeOf(
          { ...DINNER, state, decided_at: 0, decided_by: 'Mum', surface: 'window' },
          'elsewhere',
          true,
          false,
        ).title,
    );
    expect(new Set(titles).size).toBe(states.length);
    const told = [
      'awaiting_approval',
      'held',
      'approved',
      'answered',
      'declined',
      'expired',
      'cancelled',
      'failed',
    ];
    const said = told.map((state) => words.conversations.states[state]);
    expect([said.includes(undefined), new Set(said).size]).toEqual([false, told.length]);
  });

  test('what this hub ended was called off by nobody who asked, and what an adult’s hub decided names that hub', () => {
    const said = (over: object) =>
      outcomeOf({ ...DINNER, decided_at: 0, decided_by: 'hub', ...over }, 'elsewhere', true, false)
        .title;
    expect(said({ state: 'cancelled', surface: 'hub' })).toBe('Ended by this hub');
    expect(said({ state: 'cancelled', surface: 'peer' })).toBe('Cancelled by Dad’s laptop');
    const adult = { surface: 'peer', decided_by: 'Mum, Mum’s PC' };
    expect(said({ ...adult, state: 'approved' })).toBe('Allowed once by Mum, Mum’s PC');
    expect(said({ ...adult, state: 'declined' })).toBe('Declined by Mum, Mum’s PC');
  });

  test('what a rule was made with was not allowed once, with a name and without one, as long as the rule stands', () => {
    const said = (decided_by: string | null, rules: readonly { approval_id: string | null }[]) => {
      const approval = {
        ...DINNER,
        state: 'approved',
        decided_at: 0,
        decided_by,
        surface: 'window',
      } as const;
      return outcomeOf(approval, 'here', true, isRemembered(approval, rules)).title;
    };
    const made = [{ approval_id: null }, { approval_id: DINNER.id }];
    expect([said('Mum', made), said(null, made)]).toEqual([
      'Allowed by Mum, here',
      'Allowed, here',
    ]);
    const others = [{ approval_id: null }, { approval_id: DEPLOY.id }];
    expect([said('Mum', others), said(null, others)]).toEqual([
      'Allowed once by Mum, here',
      'Allowed once, here',
    ]);
  });

  test('an owner who has no name is “you”, and a name stays', () => {
    const said = (decided_by: string) =>
      outcomeOf(
        { ...DINNER, state: 'approved', decided_at: 0, decided_by, surface: 'window' },
        'here',
        true,
        false,
      ).title;
    expect([said('owner'), said('Mum')]).toEqual([
      'Allowed once by you, here',
      'Allowed once by Mum, here',
    ]);
  });

  test('what was allowed says how far the task has come, and that its agent is missing only while it waits', () => {
    const said = (task_state: string, isThere: boolean) =>
      progressOf({ task_state, to_name: 'Claude Code' }, isThere);
    expect(
      [
        'approved',
        'queued',
        'claimed',
        'running',
        'completed',
        'partial',
        'failed',
        'cancelled',
      ].map((state) => said(state, true)),
    ).toEqual([
      'It waits for Claude Code to take it.',
      'It waits for Claude Code to take it.',
      'Claude Code has taken it.',
      'Claude Code is working on it.',
      'Claude Code has done it.',
      'Claude Code has done part of it.',
      'It was not done: it failed.',
      'It has since been cancelled.',
    ]);
    expect(said('queued', false)).toBe(
      'It waits for Claude Code, which is not connected just now.',
    );
    expect(said('running', false)).toBe('Claude Code is working on it.');
    expect(said('something_new', true)).toBe('');
  });

  test('of an answer to another hub’s question it says where it goes, and never what became of the request there', () => {
    const said = (state: 'approved' | 'declined' | 'expired') =>
      outcomeOf(
        { ...ASKED, state, task_state: 'completed', decided_at: 0, surface: 'window' },
        'here',
        true,
        false,
      ).detail;
    const goes = 'Leo’s tablet gets the answer as soon as it can be reached.';
    expect(said('approved')).toContain(goes);
    expect(said('declined')).toContain(goes);
    expect([said('approved'), said('declined')].join(' ')).not.toMatch(/told|done/);
    expect(said('expired')).toBe('');
    const taken = outcomeOf(
      { ...ASKED, state: 'cancelled', decline_reason: 'Dad allowed it first.' },
      'elsewhere',
      true,
      false,
    );
    expect(taken.detail, 'it may have been done').toBe('Dad allowed it first.');
  });

  test('the handles of a request are no fields where the card names those agents, and stay fields where it does not', () => {
    const fields = [
      ['route.from', 'openclaw'],
      ['route.to', 'claude-code'],
    ] as const;
    expect(fieldsOf({ ...DINNER, fields })).toEqual([]);
    expect(fieldsOf({ ...DINNER, from_agent: '(name hidden)', to_agent: 'lists', fields })).toEqual(
      fields,
    );
  });

  test('an agent is there while it is connected', () => {
    const agents = [
      agentOf('claude-code', { display_name: 'Claude Code' }),
      agentOf('old', { presence: 'away' }),
    ];
    expect(
      ['claude-code', 'old', 'gone'].map((to_agent) => isAgentThere({ to_agent }, agents)),
    ).toEqual([true, false, false]);
  });
});
