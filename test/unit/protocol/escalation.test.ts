// The options of an escalation as they come over the wire: what is read, and what is refused with
// which words.
import { describe, expect, it } from 'vitest';
import { parseDelegate } from '../../../main/protocol/payloads.ts';
import * as limits from '../../../main/protocol/limits.ts';

const TRAINS = [
  { id: 'direct', label: '09:12, direct', pros: ['No change'], cons: ['Costs 41.90'] },
  { id: 'change', label: '10:40, one change' },
];
const read = (more: object) =>
  parseDelegate({ task: 'Which train?', act: 'escalate', options: TRAINS, ...more });
const problem = (more: object) => {
  const parsed = read(more);
  return parsed.ok ? 'taken' : parsed.error;
};
const labels = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ label: `Option ${index}` }));

describe('an escalation', () => {
  it('has its options with what speaks for and against each, and a recommendation', () => {
    const parsed = read({ recommendation: 'direct' });
    expect(parsed.ok && parsed.value.escalation).toEqual({
      options: [TRAINS[0], { ...TRAINS[1], pros: [], cons: [] }],
      recommendation: 'direct',
    });
  });

  it('numbers options without an id, and takes "option" for a label', () => {
    const parsed = read({
      options: [{ option: 'Option A' }, { label: 'Option B', option: 'context' }],
    });
    expect(
      parsed.ok && parsed.value.escalation?.options.map(({ id, label }) => [id, label]),
    ).toEqual([
      ['1', 'Option A'],
      ['2', 'Option B'],
    ]);
  });

  it('is only what has the act: options without it, and the acts of others, are context of plain work', () => {
    const acts = [
      'vote',
      'Escalate',
      'escalate ',
      'propose',
      '',
      null,
      undefined,
      7,
      { escalate: true },
      ['escalate'],
    ];
    for (const more of [
      ...acts.map((act) => ({ act })),
      { act: 'vote', options: undefined },
      { act: 7, options: 'none' },
    ]) {
      const parsed = read(more);
      expect(parsed.ok && parsed.value.escalation).toBeNull();
    }
  });

  it.each([
    [
      'the same id twice',
      {
        options: [
          { id: 'a', label: 'A' },
          { id: 'a', label: 'B' },
        ],
      },
      'the same id twice',
    ],
    [
      'an id that another gets by its place',
      { options: [{ id: '2', label: 'A' }, { label: 'B' }] },
      'the same id twice',
    ],
    [
      'two that read the same',
      { options: [{ label: 'Caf\u00E9' }, { label: 'Cafe\u0301 ' }] },
      'the same label twice',
    ],
    [
      'two that differ in white space alone',
      { options: [{ label: 'Pay  Ann' }, { label: 'Pay\u00A0\tAnn' }] },
      'the same label twice',
    ],
    ['1,000 options', { options: labels(1_000) }, 'at most 12 entries'],
    ['no options', { options: undefined }, 'at least 2 options'],
    ['options that are null', { options: null }, 'at least 2 options'],
    ['no option', { options: [] }, 'at least 2 options'],
    ['one option', { options: labels(1) }, 'at least 2 options'],
    ['options that are no list', { options: { a: 1 } }, '"options" must be a list'],
    ['an option that is no object', { options: ['A', 'B'] }, 'JSON objects'],
    [
      'an option without a label',
      { options: [{ id: 'a' }, { id: 'b', label: 'B' }] },
      'must be text',
    ],
    [
      'a label that is too long',
      { options: [...labels(1), { label: 'x'.repeat(limits.OPTION_LABEL_MAX_CHARACTERS + 1) }] },
      'at most 200',
    ],
    [
      'an id in other letters',
      { options: [...labels(1), { id: 'a\u202Eb', label: 'B' }] },
      '"id" must be',
    ],
    ['an empty id', { options: [...labels(1), { id: '', label: 'B' }] }, '"id" must be'],
    [
      'points that are no texts',
      { options: [...labels(1), { label: 'B', pros: [7] }] },
      '"pros" must be a list of texts',
    ],
    [
      'too many points',
      { options: [...labels(1), { label: 'B', cons: Array(9).fill('x') }] },
      'at most 8 entries',
    ],
    [
      'a point that is too long',
      { options: [...labels(1), { label: 'B', cons: ['x'.repeat(501)] }] },
      'at most 500',
    ],
    [
      'a recommendation of an option that is not there',
      { recommendation: 'train' },
      'the id of one of the options',
    ],
    [
      'a recommendation that is no text',
      { recommendation: ['direct'] },
      '"recommendation" must be text',
    ],
    ['no wish for an answer', { report_back: false }, '"report_back" must be true'],
  ])('with %s is refused', (_what, more, words) => {
    expect(problem(more)).toContain(words);
  });

  it('takes twelve options with text that turns its direction', () => {
    const parsed = read({ options: labels(12).map(({ label }) => ({ label: `\u202E${label}` })) });
    expect(parsed.ok && parsed.value.escalation?.options).toHaveLength(12);
  });
});
