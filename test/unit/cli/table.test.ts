// Tables at a terminal: columns that line up whatever the names in them are written in.
import { expect, test } from 'vitest';
import { inWords, table } from '../../../main/cli/terminal.ts';

test('wide letters and pictures take two columns, a letter with its marks one, and hidden ones are shown', () => {
  const rows = [
    ['NAME', 'ID'],
    ['Mum', '1'],
    ['台所', '2'],
    ['Caf\u0065\u0301', '3'],
    ['\u{1f3e0}', '4'],
    ['a\u200bb', '5'],
  ];
  expect(table(rows)).toEqual([
    'NAME        ID',
    'Mum         1',
    '台所        2',
    'Cafe\u0301        3',
    '\u{1f3e0}          4',
    'a[U+200B]b  5',
  ]);
});

test('states of the contract are told in words', () => {
  expect(inWords('awaiting_approval')).toBe('awaiting approval');
});
