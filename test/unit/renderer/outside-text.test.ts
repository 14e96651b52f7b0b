import { describe, expect, test } from 'vitest';
import { escapeText } from '../../../main/core/text-escape.ts';
import {
  countCodes,
  piecesOf,
  piecesOfChange,
  piecesWithLast,
} from '../../../renderer/ui/outside-text.ts';
import { HOSTILE_TEXTS } from '../../fakes/hostile-texts.ts';

const whole = (pieces: readonly { readonly text: string }[]): string =>
  pieces.map((piece) => piece.text).join('');

describe('pieces of outside text', () => {
  test('put together they are the text, whatever it is', () => {
    for (const text of HOSTILE_TEXTS.flatMap((one) => [one, escapeText(one)]))
      expect(whole(piecesOf(text))).toBe(text);
  });

  test('the codes the hub makes are drawn as codes; what only looks like one is not made by the hub', () => {
    expect(piecesOf(escapeText('a\u202eb'))).toEqual([
      { text: 'a', look: 'plain' },
      { text: '[U+202E]', look: 'code' },
      { text: 'b', look: 'plain' },
    ]);
    expect(piecesOf(escapeText('[U+202E]')).map(({ text, look }) => `${look} ${text}`)).toEqual([
      'code [U+005B]',
      'plain U+202E]',
    ]);
    expect(countCodes(escapeText('\u200b\u200b'))).toBe(2);
  });

  test('the last word is pointed out where it stands', () => {
    expect(piecesWithLast('go to production.', 6, 16)).toEqual([
      { text: 'go to ', look: 'plain' },
      { text: 'production', look: 'last' },
      { text: '.', look: 'plain' },
    ]);
  });
});

describe('a change between two texts', () => {
  const read = (before: string, after: string) =>
    piecesOfChange(before, after).map(({ text, look }) => `${look}:${text}`);

  test('common words stand once, old ones struck, new ones marked', () => {
    expect(read('dinner is at 7 today', 'dinner is at 8 today')).toEqual([
      'plain:dinner is at ',
      'was:7',
      'now:8',
      'plain: today',
    ]);
  });

  test('without the old words it is the new text, without the new ones the old', () => {
    const cases = [
      ['a b c d', 'a x c y d'],
      ['', 'all new'],
      ['all gone', ''],
      ['same', 'same'],
      ['one two three', 'three two one'],
    ] as const;
    for (const [before, after] of cases) {
      const pieces = piecesOfChange(before, after);
      expect(whole(pieces.filter(({ look }) => look !== 'was'))).toBe(after);
      expect(whole(pieces.filter(({ look }) => look !== 'now'))).toBe(before);
    }
  });

  test('two long texts with nothing in common are compared in no time', () => {
    const before = Array.from({ length: 8_000 }, (_, index) => `old${index}`).join(' ');
    const after = Array.from({ length: 8_000 }, (_, index) => `new${index}`).join(' ');
    const started = performance.now();
    expect(piecesOfChange(before, after).length).toBeGreaterThan(1);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
