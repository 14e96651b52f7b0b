import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { yamlLines } from '../../../main/cli/yaml.ts';

test('data is written in blocks, each text as JSON writes it', () => {
  const log = {
    version: '1.0',
    issue_number: 42,
    resolution: null,
    messages: [
      { id: 'MSG-1', findings: [], data: {}, seen: true },
      { id: 'MSG-2', to: ['a', 'b'] },
    ],
    pending: ['MSG-1'],
    nested: [[1, 2], [{ a: 1 }]],
  };
  expect(yamlLines(log).join('\n')).toBe(`version: "1.0"
issue_number: 42
resolution: null
messages:
  - id: "MSG-1"
    findings: []
    data: {}
    seen: true
  - id: "MSG-2"
    to:
      - "a"
      - "b"
pending:
  - "MSG-1"
nested:
  - - 1
    - 2
  - - a: 1`);
});

test('no word is taken for more than text, as a key or a value', () => {
  const words = { no: 'null', 'a: b': '- x', '# c': 'one\ntwo: 3', 'x\u202Ey': '\u202E # "q"' };
  expect(yamlLines(words)).toEqual([
    '"no": "null"',
    '"a: b": "- x"',
    '"# c": "one\\ntwo: 3"',
    '"x\\u202ey": "\\u202e # \\"q\\""',
  ]);
});

test('a hidden character of two halves and a key of any length are read as they were', () => {
  const words = {
    tag: 'x\u{E0041}y',
    'k\u{E0041}': 'a',
    said: String.raw`\udb40\udc41 \\udb40`,
    ['k'.repeat(1_200)]: 1,
    ['"'.repeat(1_200)]: [{ ['l'.repeat(1_200)]: ['a'] }],
  };
  const lines = yamlLines(words);
  expect(lines[0]).toBe(String.raw`tag: "x\U000e0041y"`);
  expect(parse(lines.join('\n'))).toEqual(words);
});
