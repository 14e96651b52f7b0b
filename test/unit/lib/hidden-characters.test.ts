// Which characters become visible escapes, which stay, and that nothing is lost or forged on the
// way.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  escapeHiddenInJson,
  hasHidden,
  showHidden,
  showHiddenAsOfVersion1,
} from '../../../main/lib/hidden-characters.ts';

/** The inverse, written apart from the code under test: what an escape stands for. */
function readBack(text: string): string {
  return text.replaceAll(/\[U\+([0-9A-F]{4,6})\]/g, (_escape, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

const NASTY = fc.oneof(
  fc.constantFrom(
    '[',
    ']',
    '[U+',
    '[U+202E]',
    '[u+0]',
    'U+005B]',
    '\u202e',
    '\u200d',
    '\u200c',
    '\ufe0f',
    '\u{e0041}',
    '\r',
    '\u0007',
  ),
  fc.constantFrom(
    '👩',
    '🚀',
    '🏽',
    '1',
    '\u20e3',
    'क',
    '्',
    'ක',
    '\ud800',
    '\udc00',
    '\n',
    '\t',
    'a',
    '005B',
    '\ufeff',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const nastyText = fc.array(NASTY, { maxLength: 12 }).map((parts) => parts.join(''));

describe('what becomes visible', () => {
  it.each([
    ['a carriage return', '\r', '[U+000D]'],
    ['a bell', '\u0007', '[U+0007]'],
    ['an escape sequence', '\u001b[31m', '[U+001B][31m'],
    ['NUL', '\u0000', '[U+0000]'],
    ['delete', '\u007f', '[U+007F]'],
    ['a C1 control', '\u009b', '[U+009B]'],
    ['right-to-left override', '\u202e', '[U+202E]'],
    ['an isolate', '\u2066x\u2069', '[U+2066]x[U+2069]'],
    ['direction marks', '\u200e\u200f\u061c', '[U+200E][U+200F][U+061C]'],
    ['zero-width space', 'a\u200bb', 'a[U+200B]b'],
    ['word joiner', '\u2060', '[U+2060]'],
    ['byte order mark', '\ufeff', '[U+FEFF]'],
    ['soft hyphen', '\u00ad', '[U+00AD]'],
    ['line and paragraph separators', '\u2028\u2029', '[U+2028][U+2029]'],
    ['tag characters', '\u{e0001}\u{e0041}\u{e007f}', '[U+E0001][U+E0041][U+E007F]'],
    ['supplementary variation selectors', '\u{e0100}\u{e01ef}', '[U+E0100][U+E01EF]'],
    ['Hangul fillers', '\u115f\u1160\u3164\uffa0', '[U+115F][U+1160][U+3164][U+FFA0]'],
    ['the blank braille cell', '\u2800', '[U+2800]'],
    ['noncharacters', '\ufdd0\uffff\u{1fffe}\u{10ffff}', '[U+FDD0][U+FFFF][U+1FFFE][U+10FFFF]'],
    ['signs of no agreed shape', '\ue000\u{f0000}', '[U+E000][U+F0000]'],
    ['blank and joining signs of old scripts', '\u{1d159}\u{13431}', '[U+1D159][U+13431]'],
    ['half a surrogate pair', 'a\ud800b', 'a[U+D800]b'],
    ['a joiner between letters', 'pay\u200dpal', 'pay[U+200D]pal'],
    ['a non-joiner between letters', 'pay\u200cpal', 'pay[U+200C]pal'],
    ['a joiner after an emoji and before a letter', '🚀\u200dx', '🚀[U+200D]x'],
    ['a second joiner in an emoji', '👩\u200d\u200d🚀', '👩[U+200D][U+200D]🚀'],
    ['a non-joiner in an emoji', '👩\u200c🚀', '👩[U+200C]🚀'],
    ['a second joiner in an Indic word', 'क्\u200d\u200dष', 'क्\u200d[U+200D]ष'],
    ['a selector after a letter', 'a\ufe0f', 'a[U+FE0F]'],
    ['a selector after a digit that is no keycap', '1\ufe0f2', '1[U+FE0F]2'],
    ['a second selector', '❤\ufe0f\ufe0f', '❤\ufe0f[U+FE0F]'],
    ['other selectors', '❤\ufe00', '❤[U+FE00]'],
    ['a Mongolian vowel separator', '\u180e', '[U+180E]'],
    ['a joiner between Arabic letters', 'مح\u200dمد', 'مح[U+200D]مد'],
    ['a second non-joiner in a Persian word', 'می\u200c\u200cخ', 'می[U+200C][U+200C]خ'],
    ['a non-joiner after a letter that joins nothing', 'دا\u200cر', 'دا[U+200C]ر'],
    ['a non-joiner at the end of a word', 'می\u200c خ', 'می[U+200C] خ'],
    [
      'marks that go on piling up behind a joiner',
      `म\u094d\u200d${'\u0951'.repeat(6)}`,
      `म\u094d[U+200D]${'\u0951'.repeat(5)}[U+0951]`,
    ],
    [
      'marks that pile up behind a joiner with another mark between',
      `म\u094d\u200d\u0903`,
      `म\u094d[U+200D]\u0903`,
    ],
    [
      'marks piled up around an enclosing one',
      `a${'\u0301'.repeat(3)}\u20dd${'\u0301'.repeat(3)}`,
      `a${'\u0301'.repeat(3)}\u20dd\u0301[U+0301][U+0301]`,
    ],
    [
      'enclosing marks piled up',
      `a${'\u20dd'.repeat(7)}`,
      `a${'\u20dd'.repeat(5)}[U+20DD][U+20DD]`,
    ],
    [
      'marks piled up with spacing ones between',
      `क${'\u0301\u0903'.repeat(3)}${'\u0301'.repeat(4)}`,
      `क${'\u0301\u0903'.repeat(3)}${'\u0301'.repeat(2)}[U+0301][U+0301]`,
    ],
    [
      'an endless row of spacing marks',
      `क${'\u0903'.repeat(11)}`,
      `क${'\u0903'.repeat(9)}[U+0903][U+0903]`,
    ],
    ['an ideographic space among Latin letters', 'pay\u3000\u3000now', 'pay[U+3000][U+3000]now'],
    ['an ideographic space beside a filler', '\u3164\u3000x', '[U+3164][U+3000]x'],
    [
      'the tags of other flags',
      '🏴\u{e0075}\u{e0073}\u{e0063}\u{e0061}\u{e007f}',
      '🏴[U+E0075][U+E0073][U+E0063][U+E0061][U+E007F]',
    ],
    [
      'the tags of a flag without one',
      'x\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      'x[U+E0067][U+E0062][U+E0065][U+E006E][U+E0067][U+E007F]',
    ],
    ['an ideograph’s selector after a letter', 'a\u{e0100}', 'a[U+E0100]'],
    ['selectors that make a message', '葛\u{e0101}城\u{e0102}', '葛\u{e0101}城[U+E0102]'],
    ['a word space between Latin letters', 'pay\u200bpal', 'pay[U+200B]pal'],
    ['a thin space in a word', 'pay\u2009pal', 'pay[U+2009]pal'],
    ['a thin space before a blank', '10\u2009\u2800g', '10[U+2009][U+2800]g'],
  ])('%s', (_name, text, shown) => {
    expect(showHidden(text)).toBe(shown);
    expect(hasHidden(text)).toBe(true);
  });
});

describe('what stays', () => {
  it.each([
    ['line feeds and tabs', 'a\n\tb'],
    ['accents and other scripts', 'Größe, año, Ελλάδα, Привет, مرحبا, שלום, 日本語, 한국어, ไทย'],
    ['combining marks', 'e\u0301'],
    ['emoji with selectors, skin tones and joiners', '❤️ 👩🏽‍🚀 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 1️⃣ #️⃣ ✔︎ 🇩🇪'],
    ['Indic joiners', 'क्‍ष ക്‍ ශ්‍රී র‍্য'],
    ['non-joiners in Persian, Kurdish and Urdu', 'می‌خواهم خانه‌ای ده‌چم عقل‌مند'],
    ['non-joiners between letters with their marks', 'مِی\u064e\u200cخَ'],
    [
      'ideographic spaces, any number of them',
      '\u3000\u3000我\u3000「日」\u3000\u3000AXON\n\u3000한',
    ],
    ['the shape of an ideograph', '葛\u{e0100}城市 渡邉\u{e0102}さん \u5026\ufe00'],
    ['three flags with tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
    [
      'word spaces of Khmer, Lao, Burmese and Thai',
      'ភាសា\u200bខ្មែរ ລາວ\u200bລາວ မြန်\u200bမာ ไทย\u200bไทย',
    ],
    ['brackets that are no escape', '[x] [U+] [U+G] [U+123456789] U+202E [ U+202E]'],
  ])('%s', (_name, text) => {
    expect(showHidden(text)).toBe(text);
    expect(hasHidden(text)).toBe(false);
  });
});

describe('escapes cannot be forged', () => {
  it('escapes the bracket of text that looks like an escape, in either case', () => {
    expect(showHidden('[U+202E]')).toBe('[U+005B]U+202E]');
    expect(showHidden('[u+202e]')).toBe('[U+005B]u+202e]');
    expect(showHidden('[U+005B]')).toBe('[U+005B]U+005B]');
  });

  it('lets the original be told from the result, whatever the text', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        expect(readBack(showHidden(text))).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('gives well-formed text in which nothing hidden is left', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        const shown = showHidden(text);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).not.toMatch(
          /(?![\t\n])[\p{Control}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/u,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('changes nothing twice: plain text comes out as it is, at any number of rounds', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        if (!hasHidden(text)) expect(showHidden(showHidden(text))).toBe(text);
      }),
    );
  });

  it('finds all that it would find without looking whether there is anything', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code);
      // Beside a bell, everything is looked at.
      const looked = showHidden(`\u0007a${character}`).slice('[U+0007]'.length);
      expect(showHidden(`a${character}`), code.toString(16)).toBe(looked);
      const piled = `a${character.repeat(11)}`;
      expect(showHidden(piled), code.toString(16)).toBe(
        showHidden(`\u0007${piled}`).slice('[U+0007]'.length),
      );
    }
  });

  it('stays quick on 64 KiB of the worst text', () => {
    const started = performance.now();
    for (const piece of [
      '\u202e',
      '[U+0]',
      '[',
      '\u200d',
      '👩\u200d',
      '\ufe0f',
      '\u3000',
      'a\u3000',
      '葛\u{e0100}',
      'می\u200c',
      '\u200c',
      'क\u094d\u200d',
      '\u{e0067}',
      '🏴\u{e0067}\u{e0062}',
      '\u0301',
      '\u0903',
      '\u0301\u0903\u0903\u0903',
    ])
      showHidden(piece.repeat(65_536 / piece.length));
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('the first version', () => {
  it.each([
    ['क्‍ष 👨‍👩‍👧 ❤️', 'क्‍ष 👨‍👩‍👧 ❤️'],
    ['می\u200cخواهم', 'می[U+200C]خواهم'],
    ['日\u3000\u3000本', '日[U+3000][U+3000]本'],
    ['葛\u{e0100} ไทย\u200bไทย', '葛[U+E0100] ไทย[U+200B]ไทย'],
    ['🏴\u{e0067}\u{e0062}\u{e007f}', '🏴[U+E0067][U+E0062][U+E007F]'],
    ['क\u200dक [U+202E]', 'क\u200dक [U+005B]U+202E]'],
    [`a${'\u0301'.repeat(6)}`, `a${'\u0301'.repeat(5)}[U+0301]`],
    [`a${'\u0301\u20dd'.repeat(6)}`, `a${'\u0301\u20dd'.repeat(6)}`],
  ])('shows %j as it ever did', (text, shown) => {
    expect(showHiddenAsOfVersion1(text)).toBe(shown);
  });
});

describe('JSON', () => {
  it('keeps its value, has ordinary joiners as they are, and all that is hidden as an escape', () => {
    const value = { 'می\u200cشود': `a\u202e\ue000\u2003${'\u0301'.repeat(7)}[U+202E]` };
    const written = escapeHiddenInJson(JSON.stringify(value));
    expect(JSON.parse(written)).toEqual(value);
    expect(written).toContain('می\u200cشود');
    expect(written).toContain('a\\u202e\\ue000\\u2003');
    expect(written).toContain(`${'\u0301'.repeat(5)}\\u0301\\u0301[U+202E]`);
  });
});
