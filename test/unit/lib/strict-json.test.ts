// What the strict reader takes and refuses. Every refusal is a sentence; nothing thrown at it comes
// out as an exception.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../main/lib/bytes.ts';
import { parseStrictJson, readStrictJson, type JsonLimits } from '../../../main/lib/strict-json.ts';

const LIMITS: JsonLimits = {
  sizeMaxBytes: 65_536,
  depthMax: 32,
  nodesMax: 4096,
  keysPerObjectMax: 256,
};

function reasonFor(input: string | Uint8Array, limits = LIMITS): string {
  const result = parseStrictJson(input, limits);
  return result.ok ? `accepted ${JSON.stringify(result.value)}` : result.error;
}

describe('documents', () => {
  it('reads every type of value, with space around every token', () => {
    const text =
      ' \t\r\n{ "a" : [ 1 , -2.5 , 1e3 , true , false , null , "x\\n\\u00e9\\ud83d\\ude00" , { } , [ ] ] } \n';
    expect(parseStrictJson(text, LIMITS)).toEqual({
      ok: true,
      value: { a: [1, -2.5, 1000, true, false, null, 'x\né😀', {}, []] },
    });
  });

  it('reads bytes and text alike', () => {
    expect(parseStrictJson(utf8('{"ü":"😀"}'), LIMITS)).toEqual({ ok: true, value: { ü: '😀' } });
    expect(parseStrictJson('"alone"', LIMITS)).toEqual({ ok: true, value: 'alone' });
  });

  it.each([
    '',
    ' ',
    '{',
    '[',
    '[1,',
    '[1,]',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '[1 2]',
    '{"a":1 "b":2}',
    '"',
    '"\\',
    '"\\u12',
  ])('refuses the broken document %j', (text) => {
    expect(parseStrictJson(text, LIMITS).ok).toBe(false);
  });

  it.each([
    'tru',
    'nul',
    'True',
    'NaN',
    'Infinity',
    '-',
    '+1',
    '01',
    '1.',
    '.5',
    '1e',
    '0x10',
    '1_000',
    '// a\n1',
    '\u00a01',
    '"\t"',
    '"\\x41"',
    '"\\u00g0"',
  ])('refuses %j, which some parsers take', (text) => {
    expect(parseStrictJson(text, LIMITS).ok).toBe(false);
  });

  it('PW-12 (parser): refuses a second document and anything else after the first', () => {
    for (const text of ['{}{}', '{} {}', '1 2', '{}x', '{}\u0000', '[]]', '"a""b"', '{}//']) {
      expect(reasonFor(text)).toMatch(/^(something follows the end|a number is malformed)/);
    }
  });

  it('PW-12 (parser): takes 65,536 bytes and refuses 65,537, counted as UTF-8', () => {
    const fitting = JSON.stringify('é'.repeat(32_767));
    expect(utf8(fitting).byteLength).toBe(65_536);
    expect(parseStrictJson(fitting, LIMITS).ok).toBe(true);
    expect(parseStrictJson(utf8(fitting), LIMITS).ok).toBe(true);
    expect(reasonFor(`${fitting} `)).toBe('the message is 65537 bytes long; 65536 is the most');
    expect(reasonFor(utf8(`${fitting} `))).toBe(
      'the message is 65537 bytes long; 65536 is the most',
    );
    expect(reasonFor(new Uint8Array(10_000_000))).toContain('10000000 bytes');
  });
});

describe('bytes that are no text', () => {
  it('refuses a byte order mark, as bytes and as text', () => {
    expect(reasonFor(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).toContain('byte order mark');
    expect(reasonFor('\ufeff{}')).toContain('byte order mark');
  });

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a character cut short', [0x22, 0xf0, 0x9f, 0x98]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
    ['a code point beyond the last', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
  ])('refuses %s', (_name, bytes) => {
    expect(reasonFor(new Uint8Array(bytes))).toMatch(/not valid UTF-8/);
  });

  it.each([
    '"\ud800"',
    '"\udc00"',
    '"\udc00\ud800"',
    '"\ud800x"',
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud800\\n"',
    '"\\ud800\\ud800\\udc00"',
    '{"\\udfff":1}',
  ])('refuses half of a surrogate pair in %j', (text) => {
    expect(reasonFor(text)).toContain('half of a surrogate pair');
  });

  it('takes pairs, written out or escaped', () => {
    expect(parseStrictJson('["\ud83d\ude00","\\uD83D\\uDE00"]', LIMITS)).toEqual({
      ok: true,
      value: ['😀', '😀'],
    });
  });
});

describe('keys', () => {
  it('refuses the same key twice, however it is spelt', () => {
    expect(reasonFor('{"a":1,"b":2,"a":3}')).toBe('the key "a" stands twice in one object');
    expect(reasonFor('{"a":1,"\\u0061":2}')).toBe('the key "a" stands twice in one object');
    expect(reasonFor('{"x":{"<b>":1,"<b>":2}}')).toBe(
      'the key with unusual characters stands twice in one object',
    );
    expect(parseStrictJson('{"a":{"a":1},"b":{"a":1}}', LIMITS).ok).toBe(true);
  });

  it('refuses keys that reach into prototypes, at any depth and in any spelling', () => {
    for (const key of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__']) {
      expect(reasonFor(`{"a":[{"${key}":{}}]}`)).toMatch(/^the key "\w+" is not allowed$/);
    }
    expect(parseStrictJson('["__proto__","constructor"]', LIMITS).ok).toBe(true);
  });

  it('PW-14 (parser): takes 256 keys in an object and refuses 257, as well as 60,000', () => {
    const keys = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"${index}":0`).join()}}`;
    expect(parseStrictJson(keys(256), LIMITS).ok).toBe(true);
    expect(reasonFor(keys(257))).toBe('an object has more than 256 keys');
    expect(reasonFor(keys(60_000), { ...LIMITS, sizeMaxBytes: 10_000_000 })).toBe(
      'an object has more than 256 keys',
    );
  });
});

describe('PW-14 (parser): depth, size and numbers give a sentence, never a RangeError', () => {
  it('takes 32 levels and refuses 33', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(parseStrictJson(nested(32), LIMITS).ok).toBe(true);
    expect(reasonFor(nested(33))).toBe('the message is nested deeper than 32 levels');
    expect(reasonFor(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`)).toBe(
      'the message is nested deeper than 32 levels',
    );
  });

  it('refuses 32,000 levels of arrays and of objects, closed or not', () => {
    for (const text of [
      '['.repeat(32_000) + ']'.repeat(32_000),
      '['.repeat(65_000),
      `${'{"a":'.repeat(10_000)}1`,
    ]) {
      expect(reasonFor(text)).toBe('the message is nested deeper than 32 levels');
    }
  });

  it('counts on one pass even when no limit stops it', () => {
    const deep = '['.repeat(1_000_000);
    expect(
      reasonFor(deep, { sizeMaxBytes: 1e9, depthMax: 1e9, nodesMax: 1e9, keysPerObjectMax: 1e9 }),
    ).toBe('the JSON document ends too early');
  });

  it('takes 4,096 values and refuses 4,097', () => {
    const list = (values: number) => `[${Array.from({ length: values - 1 }, () => '0').join()}]`;
    expect(parseStrictJson(list(4096), LIMITS).ok).toBe(true);
    expect(reasonFor(list(4097))).toBe('the message holds more than 4096 values');
  });

  it.each([
    ['1e999', 'a number is too large to be one'],
    ['-1e999', 'a number is too large to be one'],
    ['-0', 'minus zero'],
    ['-0.0e5', 'minus zero'],
    ['-1e-999', 'minus zero'],
    ['9007199254740993', 'beyond 2^53 - 1'],
    ['-9007199254740992', 'beyond 2^53 - 1'],
    ['9007199254740993.0', 'beyond 2^53 - 1'],
    ['1e20', 'beyond 2^53 - 1'],
    ['1'.repeat(400), 'a number is too large to be one'],
  ])('refuses %s', (text, reason) => {
    expect(reasonFor(text)).toContain(reason);
    expect(reasonFor(`{"deadline_ms":${text}}`)).toContain(reason);
  });

  it.each([
    '0',
    '9007199254740991',
    '-9007199254740991',
    '1.5',
    '1e-7',
    '1e21',
    '6.02e23',
    '1E+3',
    '0.1e1',
  ])('takes %s', (text) => {
    expect(parseStrictJson(text, LIMITS)).toEqual({ ok: true, value: Number(text) });
  });
});

describe('properties', () => {
  it('takes what JSON.stringify writes, unless a limit or a rule of ours refuses it, and gives the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        const result = parseStrictJson(text, LIMITS);
        if (result.ok) expect(result.value).toEqual(JSON.parse(text));
        else expect(result.error).toMatch(/surrogate|not allowed|beyond 2\^53|minus zero/);
      }),
      { numRuns: 500 },
    );
  });

  it('never takes a text that JSON.parse refuses, and never throws, on mutilated documents', () => {
    const mutilated = fc
      .tuple(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.string({
          minLength: 0,
          maxLength: 3,
          unit: fc.constantFrom(...'{}[],:"\\u01eE+-.tfn \u0000\ud800'),
        }),
      )
      .map(([text, at, piece]) => {
        const position = at % (text.length + 1);
        return text.slice(0, position) + piece + text.slice(position + 1);
      });
    fc.assert(
      fc.property(mutilated, (text) => {
        const result = parseStrictJson(text, LIMITS);
        let lenient: { readonly value: unknown } | undefined;
        try {
          lenient = { value: JSON.parse(text) };
        } catch {
          lenient = undefined;
        }
        if (result.ok) expect(lenient).toEqual({ value: result.value });
        if (lenient === undefined) expect(result.ok).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('reads any bytes at all without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(typeof parseStrictJson(bytes, LIMITS).ok).toBe('boolean');
      }),
    );
  });
});

describe('what a refusal still knows', () => {
  it('carries the short strings of the outermost object that came before the fault, and no others', () => {
    const result = readStrictJson(
      `{"id":"abc","n":1,"deep":{"id":"inner"},"long":"${'x'.repeat(200)}","kind":"qu\\u0065ry","payload":{"a":1,"a":2}}`,
      LIMITS,
    );
    expect(result).toMatchObject({
      ok: false,
      error: {
        outerStrings: new Map([
          ['id', 'abc'],
          ['kind', 'query'],
        ]),
      },
    });
  });

  it('knows nothing of an outermost list', () => {
    expect(readStrictJson('["id","abc"', LIMITS)).toMatchObject({
      ok: false,
      error: { outerStrings: new Map() },
    });
  });
});

it.each([
  [String.raw`{"odd":1,"ro\\u0":2}`, String.raw`{"odd":1,"ro\u0075te":2}`, 'route'],
  [String.raw`{"even":1,"x_\\":2}`, String.raw`{"even":1,"x_\"":2}`, 'x_"'],
])('after %s, reads the key of %s', (before, text, key) => {
  const kept = parseStrictJson(before, LIMITS);
  const read = parseStrictJson(text, LIMITS);
  expect(kept.ok && read.ok && Object.keys(read.value as object)[1]).toBe(key);
});
