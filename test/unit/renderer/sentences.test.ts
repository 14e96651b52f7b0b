import { describe, expect, test } from 'vitest';
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import {
  areaOf,
  fieldsOf,
  isRemembered,
  leavesOf,
  outcomeOf,
  verbOf,
  whyOf,
} from '../../../renderer/features/approvals/sentences.ts';
import { ASKED } from '../../fakes/remote-approval-cards.ts';
import { CAR, DEPLOY, DINNER, SALT, approvalOf } from '../../fakes/household.ts';
import { inStep } from '../../fakes/stories.ts';

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

  /** As the hub tells it beside the card that has changed so. */
  const cardOf = (over: Partial<ApprovalDto>, of = DINNER): ApprovalDto =>
    inStep({ ...of, decided_at: 0, decided_by: 'Mum', surface: 'window', ...over });
  const titleOf = (over: Partial<ApprovalDto>): string => outcomeOf(cardOf(over)).title;
  const detailOf = (over: Partial<ApprovalDto>): string => outcomeOf(cardOf(over)).detail;

  test('every end of a request has words of its own', () => {
    const states = ['approved', 'answered', 'declined', 'expired', 'cancelled'] as const;
    const titles = states.map((state) => titleOf({ state }));
    expect(new Set(titles).size).toBe(states.length);
  });

  test('what this hub ended was called off by nobody who asked, and what an adult’s hub decided names that hub and whose adult', () => {
    const ended = { decided_by: 'hub', surface: 'hub', state: 'cancelled' } as const;
    expect(titleOf(ended)).toBe('Cancelled.');
    const taken = titleOf({ ...ended, surface: 'peer' });
    expect(taken).toMatch(/Dad’s laptop cancelled it before anybody decided/);
    const adult = { surface: 'peer', decided_by: 'Mum, Mum’s PC' } as const;
    expect(titleOf({ ...adult, state: 'approved' })).toMatch(
      /^Mum allowed it, on Mum’s PC, as .*adult\.$/,
    );
    expect(titleOf({ ...adult, state: 'declined' })).toMatch(/^Mum declined it, on Mum’s PC/);
  });

  test('who decided stands with the place and the surface, and a rule made with it is named apart', () => {
    expect(titleOf({ state: 'approved' })).toBe('Mum allowed it, on Mum’s PC.');
    expect(detailOf({ state: 'approved' })).toMatch(/, in the window\./);
    const made = [{ approval_id: null }, { approval_id: DINNER.id }];
    expect([isRemembered(DINNER, made), isRemembered(DEPLOY, made)]).toEqual([true, false]);
  });

  test('what nobody decided looks late, and only what was declined is sent back', () => {
    const looks = (['approved', 'answered', 'declined', 'expired'] as const).map(
      (state) => outcomeOf(cardOf({ state })).look,
    );
    expect(looks).toEqual(['let', 'answer', 'back', 'late']);
  });

  test('an owner who has no name is a person, and a name stays', () => {
    const said = (decided_by: string) => titleOf({ state: 'approved', decided_by });
    expect([said('owner'), said('Mum')]).toEqual([
      'A person allowed it, on Mum’s PC.',
      'Mum allowed it, on Mum’s PC.',
    ]);
  });

  test('what was allowed says how far the task has come, and only what an agent was handed ran as shown', () => {
    const said = (task_state: string) => detailOf({ state: 'approved', task_state });
    const shown = 'The agent got exactly what was shown.';
    expect(said('queued')).toContain('Waits for Claude Code.');
    expect(said('queued')).not.toContain(shown);
    expect(said('claimed')).toContain(`Claude Code has it. ${shown}`);
    expect(said('running')).toContain(`Claude Code is working on it. ${shown}`);
    expect(said('completed')).toContain(`Done. ${shown}`);
    expect(said('partial')).toContain(`Partly done. ${shown}`);
    expect(said('failed')).toContain('It failed.');
    expect(said('failed')).not.toMatch(/Done|completed/);
    expect(said('cancelled')).toContain('Cancelled.');
  });

  test('of an answer to another hub’s question it says who gave it and whether that hub has it, and never what became of the request there', () => {
    const said = (state: 'approved' | 'declined') =>
      outcomeOf(cardOf({ state, task_state: 'completed' }, ASKED));
    expect(said('approved').title).toBe('Mum allowed it, on Mum’s PC.');
    expect(said('approved').detail).toContain('Allowed: Leo’s tablet may do it.');
    expect(said('declined').detail).toContain('Leo’s tablet does not have the answer yet.');
    const all = [said('approved'), said('declined')].map(({ title, detail }) => title + detail);
    expect(all.join(' ')).not.toMatch(/done\.|what was shown/i);
  });

  test('what another hub wrote is no part of the hub’s own sentences', () => {
    const written = 'Never mind.” You allowed it, and it was done. “';
    const { title, detail } = outcomeOf(
      cardOf({ state: 'declined', surface: 'peer', decline_reason: written }),
    );
    expect(title + detail).not.toContain('Never mind');
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
});
