// Sentences and names of more than thirty languages, as people write them: they pass unchanged
// wherever text goes, with the joiners, selectors and spaces that they are spelt with. What
// deceives is marked in each of them, wherever it is put.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forLine, forTerminal, jsonForTerminal } from '../../../main/cli/escape.ts';
import { quoted } from '../../../main/cli/quoted-text.ts';
import { escapeJson, escapeName, escapeText } from '../../../main/core/text-escape.ts';
import { looksAlike } from '../../../main/services/links/peer-names.ts';
import languages from '../../fixtures/languages.json' with { type: 'json' };

/** Hides or moves something wherever it stands. */
const DECEIVERS = [
  ...'\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069',
  ...'\u00ad\u2060\u2061\u2064\u206a\ufeff\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\u2028\u2029',
  ...'\0\u0007\b\u000b\r\u001b\u007f\u009b\ue000\ufff9\u2003\u200a\u1680\u205f',
  ...'\u{e0001}\u{e0020}\u{e0041}\u{e0067}\u{e007f}\u{e01ef}\u{f0000}\u{1d173}',
];
const RAW = new RegExp(`[${DECEIVERS.join('')}]`, 'u');
const ENGLAND = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
/** More than one invisible sign at a place; an emoji's selector may come before its joiner. */
const TWO_AT_A_PLACE =
  /(?:\u034f|[\u200b-\u200d]|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]){2}|\ufe0f{2}/u;

const sentence = fc.constantFrom(...languages.map(({ text }) => text));
const deceived = fc
  .tuple(sentence, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...DECEIVERS)), { minLength: 1 }))
  .map(([text, insertions]) => insertions.reduce(withInsertion, text));

function withInsertion(text: string, [place, sign]: readonly [number, string]): string {
  const signs = Array.from(text);
  signs.splice(place % (signs.length + 1), 0, sign);
  return signs.join('');
}

/** What the escapes stand for, read apart from the code under test. */
function readBack(text: string): string {
  return text.replaceAll(/\[U\+([0-9A-F]{4,6})\]/g, (_code, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

it('there are thirty languages, and names in them', () => {
  expect(new Set(languages.map(({ language }) => language)).size).toBeGreaterThan(30);
  expect(languages.filter(({ name }) => name !== null).length).toBeGreaterThan(30);
});

describe.each(languages)('$language', ({ text, name }) => {
  it('passes unchanged as text, in data and at a terminal', () => {
    expect(escapeText(text)).toBe(text);
    const data = { [text]: [text, { deep: text }] };
    expect(escapeJson(data)).toEqual(data);
    expect(forTerminal(text)).toBe(text);
    expect(JSON.parse(jsonForTerminal(data))).toEqual(data);
  });

  it.skipIf(name === null)('passes unchanged as a name, but for the width of its spaces', () => {
    const plain = (name ?? '').replaceAll('\u3000', ' ');
    expect(escapeName(name ?? '')).toEqual({ name: plain, hidden: false });
    const withoutJoiners = plain.replaceAll(/[\u200b-\u200d]/gu, '');
    expect(looksAlike(plain, withoutJoiners)).toBe(true);
  });
});

it('no line of them is longer than a terminal, with what a break writes out', () => {
  const words = languages
    .map(({ text }) => text)
    .join('')
    .replaceAll(' ', '');
  for (const line of quoted(
    `${words}${'日' + '\u3000'.repeat(300)}${'葛\u{e0100}城'.repeat(80)}`,
  )) {
    const columns = Array.from(forLine(line), (sign) => (sign <= '~' ? 1 : 2));
    expect(columns.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(80);
  }
});

describe('what deceives', () => {
  it('reaches no page, agent or terminal unmarked, in whatever language it stands', () => {
    fc.assert(
      fc.property(deceived, (text) => {
        const shown = [
          escapeText(text),
          JSON.stringify(escapeJson({ [text]: [text] })),
          forTerminal(text),
          forTerminal(escapeText(text)),
          forLine(text),
          jsonForTerminal({ [text]: text }),
        ];
        for (const one of shown) expect(one.replaceAll(ENGLAND, '')).not.toMatch(RAW);
      }),
      { numRuns: 1000 },
    );
  });

  it('can be told from the words around it, which stay', () => {
    fc.assert(
      fc.property(deceived, (text) => {
        const shown = escapeText(text);
        expect(readBack(shown)).toBe(text);
        expect(forTerminal(shown)).toBe(shown);
        expect(JSON.parse(jsonForTerminal({ [text]: text }))).toEqual({ [text]: text });
      }),
      { numRuns: 1000 },
    );
  });

  it('is in no name', () => {
    const names = languages.flatMap(({ name }) => (name === null ? [] : [name]));
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), fc.constantFrom(...DECEIVERS), (...put) => {
        const [name, place, sign] = put;
        expect(escapeName(withInsertion(name, [place, sign])).name).not.toMatch(RAW);
      }),
    );
  });

  it('is more than one invisible sign at a place, and a joiner where letters need none', () => {
    const signs = fc.constantFrom(...'\u200b\u200c\u200d\u034f\ufe00\ufe0f\u{e0100}');
    fc.assert(
      fc.property(sentence, fc.nat(), signs, signs, (text, place, one, other) => {
        const doubled = withInsertion(text, [place, one + other]);
        expect(escapeText(doubled)).not.toMatch(TWO_AT_A_PLACE);
      }),
      { numRuns: 1000 },
    );
    const plain = fc.constantFrom('pay pal', 'плати пал', 'πληρωμή', 'вечеря', '한국어 집', 'שלום');
    fc.assert(
      fc.property(plain, fc.nat(), signs, (text, place, sign) => {
        const joined = withInsertion(text, [place, sign]);
        expect(escapeText(joined)).toBe(joined.replace(sign, (found) => shownAs(found)));
      }),
    );
  });
});

function shownAs(sign: string): string {
  return `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}
