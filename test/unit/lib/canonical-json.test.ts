// RFC 8785: one text for one value. The examples are the ones printed in the RFC.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../main/lib/canonical-json.ts';

/** JSON values as a parser gives them: well-formed strings, no minus zero. */
const jsonData = fc
  .jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
  .map((value): unknown => JSON.parse(JSON.stringify(value)));

describe('canonicalJson', () => {
  it('writes the example of RFC 8785, section 3.2.2', () => {
    const value: unknown = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
        '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code units, as in RFC 8785, section 3.2.3', () => {
    const value = {
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\ud83d\ude00': 5,
      '\u0080': 6,
      '\u00f6': 7,
    };
    expect(Object.keys(JSON.parse(canonicalJson(value)) as object)).toHaveLength(7);
    expect([...canonicalJson(value).matchAll(/:(\d)/g)].map((match) => match[1]).join('')).toBe(
      '2467153',
    );
  });

  it('gives one text whatever the order of the keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), jsonData), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed)).toBe(
          canonicalJson(Object.fromEntries(Object.entries(object))),
        );
      }),
    );
  });

  it('says the same value when it is parsed again, and the same text', () => {
    fc.assert(
      fc.property(jsonData, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('keeps null and an absent member apart', () => {
    expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}));
  });

  const looped: Record<string, unknown> = {};
  looped.self = looped;
  it.each([
    ['undefined', undefined],
    ['an undefined member', { a: undefined }],
    ['an undefined entry', [undefined]],
    ['NaN', Number.NaN],
    ['infinity', [Number.POSITIVE_INFINITY]],
    ['a function', { a: () => 1 }],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', new Uint8Array(2)],
    ['a big integer', 1n],
    ['an object with a text of its own', { toJSON: () => 'other' }],
    ['half a surrogate pair', 'a\ud800'],
    ['half a surrogate pair in a key', { '\udc00': 1 }],
    ['a value inside itself', looped],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalJson(value)).toThrow();
  });
});
