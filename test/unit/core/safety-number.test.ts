import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../main/lib/bytes.ts';
import { safetyNumber } from '../../../main/core/safety-number.ts';

const keyHex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex);

describe('the safety number', () => {
  it('is twelve groups of five digits, the same on both sides', () => {
    fc.assert(
      fc.property(keyHex, keyHex, (a, b) => {
        expect(safetyNumber(a, b)).toMatch(/^\d{5}( \d{5}){11}$/);
        expect(safetyNumber(a, b)).toBe(safetyNumber(b, a));
      }),
    );
  });

  it('is another one for any other key', () => {
    fc.assert(
      fc.property(keyHex, keyHex, keyHex, (a, b, other) => {
        fc.pre(b !== other);
        expect(safetyNumber(a, other)).not.toBe(safetyNumber(a, b));
      }),
    );
  });

  it('stays what it is from version to version', () => {
    // Computed by another program from the description in PROTOCOL.md, Pairing.
    expect(safetyNumber('01'.repeat(32), '00'.repeat(32))).toBe(
      '43169 93780 83258 60435 05520 35377 76322 74306 59551 76994 81613 88036',
    );
  });

  it('is made of keys and nothing else', () => {
    expect(() => safetyNumber('00'.repeat(31), '00'.repeat(32))).toThrow();
    expect(() => safetyNumber('AA'.repeat(32), '00'.repeat(32))).toThrow();
  });
});
