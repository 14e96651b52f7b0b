// Tables at a terminal: columns that line up whatever the names in them are written in.
import { describe, expect, test } from 'vitest';
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

describe('in a narrow window', () => {
  const id = 'ed25519.0123456789abcdef0123456789abcdef';
  const task = '0b8f5c1e-1111-4222-8333-444455556666';
  const rows = [
    ['NAME', 'STATE', 'TRUST', 'LAST SEEN', 'AGENT ID'],
    ['Mum', 'online', 'paired', 'now', id],
    ['Attic', 'near by', 'not paired', null, id],
  ];

  test('ids stand below their row, whole, with the name of their column, and the others line up as ever', () => {
    const lines = table(rows, 60);
    expect(lines).toEqual([
      'NAME   STATE    TRUST       LAST SEEN',
      '  AGENT ID',
      'Mum    online   paired      now',
      `  ${id}`,
      'Attic  near by  not paired  -',
      `  ${id}`,
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    const tasks = [
      ['ID', 'TEXT'],
      [task, 'word '.repeat(9).trim()],
    ];
    expect(table(tasks, 60)).toEqual(['TEXT', '  ID', 'word '.repeat(9).trim(), `  ${task}`]);
  });

  test('nothing stands below where all fits, where a pipe reads, or where there is no id', () => {
    expect(table(rows, 80)).toHaveLength(rows.length);
    expect(table(rows)).toEqual(table(rows, Number.POSITIVE_INFINITY));
    expect(table([['TEXT'], ['a'.repeat(70)]], 60)).toEqual(['TEXT', 'a'.repeat(70)]);
  });
});

test('states of the contract are told in words', () => {
  expect(inWords('awaiting_approval')).toBe('awaiting approval');
});
