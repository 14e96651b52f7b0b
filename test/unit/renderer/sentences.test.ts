import { describe, expect, test } from 'vitest';
import { areaOf, fieldsOf, leavesOf, outcomeOf, verbOf, whyOf } from '../../../renderer/features/approvals/sentences.ts';
import { CAR, DEPLOY, DINNER, SALT, approvalOf } from '../../fakes/household.ts';

describe('what the hub says of a request', () => {
  test('the verb comes from the kind and the area, never from the text', () => {
    expect([DINNER, CAR, approvalOf('x', { domain: null }), approvalOf('y', { domain: null, kind: 'query' })].map(verbOf)).toEqual([
      'do a task in Family chat',
      'answer a question in Family calendar',
      'do a task',
      'answer a question',
    ]);
  });

  test('what is no area is never spoken as one', () => {
    for (const domain of ['Family', 'family.', 'family..x', 'famil\u0443', 'family[U+200B]', 'a.b.c.d.e.f.g', '']) {
      expect(areaOf({ domain })).toBeUndefined();
      expect(verbOf(approvalOf('z', { domain }))).toBe('do a task');
    }
  });

  test('something dangerous says that it is asked every time', () => {
    expect(whyOf(DEPLOY)).toBe('You marked Work projects this way. It is asked every time.');
    expect(whyOf(CAR)).toBe('You marked Household lists this way.');
  });

  test('what leaves this computer follows the kind, the class and whether an answer is wanted', () => {
    expect(leavesOf(CAR)).toBe('The answer, which goes to Dad’s laptop');
    expect(leavesOf(SALT)).toBe('Only that it was done, or not');
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
    expect(fieldsOf(approvalOf('a', { fields, reason: 'because' })).map(([path]) => path)).toEqual(['context.location', 'toString']);
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
    const states = ['approved', 'declined', 'expired', 'cancelled'] as const;
    const titles = states.map(
      (state) => outcomeOf({ ...DINNER, state, decided_at: 0, decided_by: 'Mum', surface: 'window' }, 'elsewhere').title,
    );
    expect(new Set(titles).size).toBe(states.length);
  });
});
