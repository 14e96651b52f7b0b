import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameSkeleton } from '../../../main/core/name-skeleton.ts';

describe('HE-07 (skeletons): names that look alike', () => {
  it.each([
    ['Mum PC', 'MUM  pc'],
    ["Mum's PC", 'Mums-PC'],
    ['Paul', 'PauI'],
    ['Paul', 'Pau1'],
    ['Paul', 'Pau|'],
    ['Office', '0ffice'],
    ['Mama', '\u041c\u0430\u043c\u0430'],
    ['Hope', '\u041d\u043e\u0440\u0435'],
    ['Toma', '\u03a4\u03bf\u03bc\u03b1'],
    ['Marna', 'Mama'],
    ['Vvill', 'Will'],
    ['Claire', 'Daire'],
    ['Josè', 'Jose'],
    ['Ｄａｄ', 'Dad'],
    ['خانه\u200cی ما', 'خانهی ما'],
    ['👨‍👩‍👧', '👨👩👧'],
    ['葛\u{e0100}家', '葛家'],
    ['ロボ', '口ボ'],
    ['علي', 'علی'],
  ])('%s and %s have one skeleton', (first, second) => {
    expect(nameSkeleton(first)).toBe(nameSkeleton(second));
  });

  it.each([
    ['Mum', 'Dad'],
    ['Mum PC', 'Mum Mac'],
    ['Hub 1', 'Hub 2'],
    ['家', '田'],
    ['🏠', '🚀'],
    ['कि', 'का'],
  ])('%s and %s do not', (first, second) => {
    expect(nameSkeleton(first)).not.toBe(nameSkeleton(second));
  });

  it('are the same for any name in capitals, in small letters and with spaces in it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9]{1,20}$/), (name) => {
        expect(nameSkeleton(name.toUpperCase())).toBe(nameSkeleton(name));
        expect(nameSkeleton(Array.from(name).join(' '))).toBe(nameSkeleton(name));
      }),
    );
  });

  it('come from any text without an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(typeof nameSkeleton(text)).toBe('string');
      }),
    );
  });
});
