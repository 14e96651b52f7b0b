// Bodies keep every word; names are shown only when they are plain.
import { describe, expect, it } from 'vitest';
import {
  escapeGiven,
  escapeJson,
  escapeName,
  escapeText,
  HIDDEN_NAME,
} from '../../../main/core/text-escape.ts';

describe('bodies', () => {
  it('keep their words, line feeds and length in words, with hidden characters written out', () => {
    expect(escapeText('Send it\u202e now\r\n\tok')).toBe('Send it[U+202E] now[U+000D]\n\tok');
  });

  it('HE-07 (bodies): show odd spaces and marks piled up beyond any spelling, and leave what languages need', () => {
    expect(escapeText('pay\u2003 \u3000now\u00ad')).toBe('pay[U+2003] [U+3000]now[U+00AD]');
    expect(escapeText(`a${'\u0301'.repeat(7)}b`)).toBe(`a${'\u0301'.repeat(5)}[U+0301][U+0301]b`);
    for (const text of [
      'Nguyễn Thị Ánh',
      'שָׁלוֹם עֲלֵיכֶם',
      'क्षत्रिय',
      '5\u202fkm',
      'Ça va\u00a0?',
      'བསྒྲུབས',
      '👩‍🚀 ❤️',
    ])
      expect(escapeText(text)).toBe(text);
  });

  it('are escaped at any depth, keys too, and nothing but strings changes', () => {
    const value = {
      'a\u200b': ['x\u0000', 1, null, true, { 'b\u202e': { c: '\u2066' } }],
      plain: 'plain',
    };
    expect(escapeJson(value)).toEqual({
      'a[U+200B]': ['x[U+0000]', 1, null, true, { 'b[U+202E]': { c: '[U+2066]' } }],
      plain: 'plain',
    });
  });

  it('never merge two keys into one', () => {
    const value = { 'a\u200b': 1, 'a[U+200B]': 2 };
    expect(escapeJson(value)).toEqual({ 'a[U+200B]': 1, 'a[U+005B]U+200B]': 2 });
  });
});

it('tells a caller what it gave, on one line, whole or with an ellipsis, and nothing hidden', () => {
  expect(escapeGiven(' m-1_x!\n#2 ')).toBe('m-1_x! #2');
  expect(escapeGiven('a\u202eb')).not.toContain('\u202e');
  expect([...escapeGiven('x'.repeat(200))]).toHaveLength(80);
  expect(escapeGiven('x'.repeat(200))).toMatch(/^x+…$/);
});

describe('names', () => {
  it.each([
    'Dad',
    "Mum's PC",
    'Dad MacBook Pro (2)',
    'Küche & Flur',
    'Mamá',
    'Бабушка',
    'Γιαγιά',
    '田中さんの家',
    '김씨네 집',
    'بيت العائلة',
    'घर',
    'Attic 🏠',
    'Nguyễn Thị Ánh',
    'คุณย่า',
    'שָׁלוֹם',
    '👩‍🚀',
    '7',
    'Familie 👨‍👩‍👧‍👦',
    '🏴󠁧󠁢󠁳󠁣󠁴󠁿 Hub',
    'خانه\u200cی ما',
    'ශ්\u200dරී නිවස',
    '葛\u{e0100}城家',
  ])('shows %j', (name) => {
    expect(escapeName(name)).toEqual({ name, hidden: false });
  });

  it('shows a name trimmed and in its compatible form', () => {
    expect(escapeName('  Ｄａｄ ')).toEqual({ name: 'Dad', hidden: false });
    expect(escapeName('山田\u3000太郎')).toEqual({ name: '山田 太郎', hidden: false });
  });

  it.each([
    ['empty', ''],
    ['spaces only', '   '],
    ['punctuation only', '...'],
    ['right-to-left override', 'Dad\u202egpj'],
    ['a line feed inside', 'Dad\n[verified] Mum'],
    ['a tab', 'Dad\tMum'],
    ['zero-width space', 'Da\u200bd'],
    ['a joiner between letters', 'Da\u200dd'],
    ['a non-joiner between letters', 'Da\u200cd'],
    ['two joiners in a Persian word', 'خانه\u200c\u200cی'],
    ['marks that a joiner parts', 'ن\u064e\u0651\u0655\u200c\u064e\u0651\u0655ن'],
    ['tag characters', 'Dad\u{e0041}'],
    ['private use', 'Dad \ue000'],
    ['a Hangul filler', '\u3164'],
    ['Cyrillic among Latin', 'D\u0430d'],
    ['Greek among Latin', 'Dad\u03bf'],
    ['an unassigned character', 'Dad\u{e1000}'],
    ['NUL', 'Dad\u0000'],
    ['an escape look-alike', 'Dad [U+202E]'],
    ['a non-breaking line', 'Dad\u2028Mum'],
    ['an em space, which looks like several', 'Dad\u2003verified'],
    ['a hair space, which looks like none', 'Da\u200ad'],
    ['an ideographic space', 'Dad\u3000verified'],
    ['a non-breaking space', 'Dad\u00a0Mum'],
    ['a soft hyphen', 'Da\u00add'],
    ['a variation selector on a letter', 'Dad\ufe0f'],
    ['a supplementary variation selector', 'Dad\u{e0100}'],
    ['three marks on a Latin letter', 'Dadx\u0301\u0302\u0303'],
    ['four marks above one letter of any system', '\u0e01\u0e34\u0e34\u0e48\u0e4c'],
    ['half a surrogate pair', 'Dad\ud800'],
    ['33 characters', 'x'.repeat(33)],
    ['10,000 characters', 'x'.repeat(10_000)],
    ['a million characters that each become eighteen', '\ufdfa'.repeat(1_000_000)],
    ['a pile of marks that grows when it is normalised', '\ufdfa'.repeat(4)],
  ])('HE-07 (names): hides %s', (_case, name) => {
    expect(escapeName(name)).toEqual({ name: HIDDEN_NAME, hidden: true });
  });

  it('HE-07 (names): leaves markup as the characters it is made of', () => {
    expect(escapeName('<img onerror>')).toEqual({ name: '<img onerror>', hidden: false });
  });

  it('counts characters as people do: 32 families are a name, 33 are not', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(escapeName(family.repeat(32)).hidden).toBe(false);
    expect(escapeName(family.repeat(33)).hidden).toBe(true);
  });

  it('hides a name with a pile of combining marks', () => {
    expect(escapeName(`D${'\u0301'.repeat(50)}ad`).hidden).toBe(true);
  });
});
