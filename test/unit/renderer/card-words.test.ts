// What a waiting card says will become of the request, and who decides it: the words of its story,
// whatever else stands on the card. And how risky a task is called where only looking is expected.
import { describe, expect, test } from 'vitest';
import { riskWordsOf } from '../../../preload/contract/strings/now.ts';
import { ifNothingOf, whoDecidesOf } from '../../../preload/contract/strings/story.ts';
import { whyOf } from '../../../renderer/features/approvals/sentences.ts';
import { DINNER } from '../../fakes/household.ts';
import { DADS, LEOS, story } from '../../fakes/stories.ts';

describe('if nobody here does anything', () => {
  test.each([
    ['question', 'It is not answered. Dad’s laptop is told that nobody answered.'],
    ['task', 'It is not done. Dad’s laptop is told that nobody answered.'],
    ['choice', 'Nothing is chosen. Dad’s laptop is told that nobody answered.'],
    ['decision', 'It is not done. Dad’s laptop waits until its own time is over.'],
  ] as const)('a %s', (kind, said) => {
    const told = story({}, { kind });
    expect(ifNothingOf(told)).toBe(said);
    expect(whoDecidesOf(told)).toBeNull();
  });

  test('an adult’s hub may still decide it', () => {
    const told = story({}, { adults: [DADS, LEOS] });
    expect(whoDecidesOf(told)).toBe('Dad’s laptop or Leo’s tablet decides this.');
    expect(ifNothingOf(told)).toBe(
      'Dad’s laptop or Leo’s tablet may allow it, and then it runs without you. You can only decline it. If nobody decides, nothing runs.',
    );
  });

  test('nothing runs where no hub of an adult is left', () => {
    const told = story({}, { adults: [] });
    expect(whoDecidesOf(told)).toBe('No adult’s hub can decide this.');
    expect(ifNothingOf(told)).toBe('Nothing runs. Dad’s laptop is told that nobody decided.');
  });
});

describe('how risky it is', () => {
  test.each([
    ['delegate', 'R0', 'A task, not just a look.'],
    ['query', 'R0', 'Only looks.'],
    ['delegate', 'R1', 'Small and easy to undo.'],
    ['query', 'R3', 'Dangerous.'],
  ] as const)('a %s of class %s', (kind, risk_class, said) => {
    expect(riskWordsOf({ ...DINNER, kind, risk_class })).toBe(said);
  });

  test.each([
    [
      'delegate',
      'domain_class',
      'You marked Family chat “only looks”, which lets questions through.',
    ],
    [
      'delegate',
      'agent_class',
      'You marked Claude Code “only looks”, which lets questions through.',
    ],
    ['query', 'domain_class', 'You marked Family chat this way.'],
  ] as const)('and why, of a %s by %s where only looking is expected', (kind, reason, said) => {
    const asked = { ...DINNER, kind, risk_class: 'R0', risk_reason: reason } as const;
    expect(whyOf(asked)).toBe(said);
  });
});
