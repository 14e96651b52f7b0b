// Tables at a terminal: each row is one line whatever the names in it hold, and what somebody else
// wrote stands below it.
import { afterEach, expect, test } from 'vitest';
import { inWords, table } from '../../../main/cli/terminal.ts';

const { columns, isTTY } = process.stdout;
afterEach(() => {
  Object.assign(process.stdout, { columns, isTTY });
});

test('columns line up, and what would move the cursor, hide or begin a line is shown', () => {
  const rows = [
    ['NAME', 'ID'],
    ['Mum', '1'],
    ['a\u200bb', '2'],
    ['c\nd\te', null],
  ];
  expect(table(rows)).toEqual([
    'NAME          ID',
    'Mum           1',
    'a[U+200B]b    2',
    'c[U+000A]d e  -',
  ]);
});

test('words of somebody else stand below their row, behind the margin', () => {
  const rows = [
    ['STATE', 'ID'],
    ['pending', '1'],
    ['held', '2'],
  ];
  expect(table(rows, ['STATE  ID\nheld', null])).toEqual([
    'STATE    ID',
    'pending  1',
    '  | STATE  ID',
    '  | held',
    'held     2',
  ]);
});

test('at a terminal a row that is too long goes on further in, with its id whole', () => {
  Object.assign(process.stdout, { columns: 60, isTTY: true });
  const id = 'ed25519.0123456789abcdef0123456789abcdef';
  const [, row = '', below] = table([
    ['NAME', 'STATE', 'AGENT ID'],
    ['Mum, who is away on a long journey', 'online', id],
  ]);
  expect([row.trimEnd(), below]).toEqual([
    'Mum, who is away on a long journey  online',
    `      ${id}`,
  ]);
});

test('states of the contract are told in words', () => {
  expect(inWords('awaiting_approval')).toBe('awaiting approval');
});
