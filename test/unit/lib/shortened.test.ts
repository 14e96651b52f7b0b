// Texts that are too long say so, and are never cut through a character.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginning, beginningInJson, listed, shortened } from '../../../main/lib/shortened.ts';
import { encodeMessage } from '../../../main/protocol/encode-envelope.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });

describe('a text', () => {
  it('that fits stays as it is, and a longer one ends in an ellipsis and fits', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 60 }), (text, max) => {
        const short = shortened(text, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(short.isWellFormed()).toBe(true);
        expect(short === text || (short.endsWith('…') && text.startsWith(short.slice(0, -1)))).toBe(
          true,
        );
      }),
    );
    expect(shortened('😀😀😀', 4)).toBe('😀…');
    expect(beginning('😀😀😀', 3)).toBe('😀');
  });

  it('takes as much room between hubs as was counted, to the byte', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 300 }), (text, max) => {
        const size = (part: string) => encodeMessage({ a: part }).length - '{"a":""}'.length;
        const part = beginningInJson(text, max);
        expect(text.startsWith(part)).toBe(true);
        expect(size(part)).toBeLessThanOrEqual(max);
        const next = String.fromCodePoint(text.codePointAt(part.length) ?? 0);
        if (part !== text) expect(size(part + next)).toBeGreaterThan(max);
      }),
    );
  });
});

it('a list says that there is more than it names', () => {
  expect(listed(['a', 'b'], 2)).toBe('a, b');
  expect(listed(['a', 'b', 'c'], 2)).toBe('a, b and more');
});
