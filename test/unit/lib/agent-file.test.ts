// Reads agents as files, and refuses with the line what is not understood.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAgentFile } from '../../../main/lib/agent-file.ts';

const HEAD = ['name: cook', 'model: qwen3:8b', 'endpoint: http://127.0.0.1:11434/v1'];
const fileOf = (more: readonly string[], head = HEAD, prompt = 'You cook.'): string =>
  ['---', ...head, ...more, '---', prompt].join('\n');

function read(text: string): unknown {
  const file = readAgentFile(text);
  return file.ok ? file.value : file.error;
}

test('a file with all its keys is read, in any order, with remarks, quotes and both forms of a list', () => {
  const text = fileOf(
    [
      'capabilities:   # what others ask for',
      '  - recipes      # Can find them',
      "  - 'shopping lists'",
      '# a remark',
      'areas: [home.kitchen, "home.shopping"]',
      'budget: 5000',
      'timeout: 30',
      'language: de-AT',
    ],
    HEAD,
    '\nYou cook.\n---\nAlways.\n',
  );
  expect(read(text.replaceAll('\n', '\r\n'))).toEqual({
    name: 'cook',
    capabilities: ['recipes', 'shopping lists'],
    areas: ['home.kitchen', 'home.shopping'],
    model: 'qwen3:8b',
    endpoint: {
      written: 'http://127.0.0.1:11434/v1',
      url: 'http://127.0.0.1:11434/v1/chat/completions',
      form: 'openai',
      host: '127.0.0.1:11434',
      isLoopback: true,
    },
    budget: 5_000,
    timeoutMs: 30_000,
    language: 'de-AT',
    prompt: 'You cook.\n---\nAlways.',
  });
  expect(read(fileOf([]))).toMatchObject({ budget: 100_000, timeoutMs: 120_000, language: null });
});

test.each([
  ['http://localhost:11434', 'http://localhost:11434/api/chat', 'ollama', true],
  ['http://[::1]:8080/v1/', 'http://[::1]:8080/v1/chat/completions', 'openai', true],
  [
    'https://models.example/api/v1',
    'https://models.example/api/v1/chat/completions',
    'openai',
    false,
  ],
])('the endpoint %s', (endpoint, url, form, isLoopback) => {
  const text = fileOf([], [...HEAD.slice(0, 2), `endpoint: ${endpoint}`]);
  expect(read(text)).toMatchObject({ endpoint: { url, form, isLoopback } });
});

describe('a broken file is refused with its line', () => {
  test.each([
    ['', /^Line 1: The file must begin/],
    ['You cook.', /^Line 1: The file must begin/],
    [['---', ...HEAD, 'You cook.'].join('\n'), /^Line 5: No line "---"/],
    [fileOf([], HEAD, '  \n'), /^Line 5: No prompt/],
    [fileOf([], HEAD.slice(0, 2)), /^Line 4: No "endpoint"/],
    [
      fileOf(['risk_class: R0']),
      /^Line 5: "risk_class" is no key of such a file\. Its keys: name, /,
    ],
    [fileOf(['class: R0']), /^Line 5: "class" is no key/],
    [fileOf(['name: other']), /^Line 5: "name" stands here a second time/],
    [fileOf(['just words']), /^Line 5: This is neither/],
    [fileOf(['  - loose'], ['name: cook']), /^Line 3: This entry belongs to no list/],
    [fileOf(['areas:', '  - home.kitchen', '  - Kitchen!']), /^Line 7: "Kitchen!" is no area/],
    [fileOf(['areas: [home,,shop]']), /^Line 5: An entry of this list holds nothing/],
    [fileOf(['budget: many']), /^Line 5: The budget is tokens a day: a whole number/],
    [fileOf(['budget: 0']), /^Line 5: The budget/],
    [fileOf(['timeout: 3601']), /^Line 5: The timeout is seconds: a whole number from 1 to 3600/],
    [fileOf(['timeout: [5]']), /^Line 5: "timeout" must hold one value/],
    [fileOf(['language: German, please']), /^Line 5: The language is its short name/],
    [fileOf(['language: |']), /^Line 5: Its value must be a word/],
    [fileOf(['language: "de']), /^Line 5: Its value must be a word/],
    [
      fileOf([], ['name: DataAnalyzer', ...HEAD.slice(1)]),
      /^Line 2: .*This would do: data-analyzer/,
    ],
    [fileOf([], ['name:', ...HEAD.slice(1)]), /^Line 2: "name" must hold one value/],
    [
      fileOf([], [...HEAD.slice(0, 2), 'endpoint: 127.0.0.1:11434']),
      /^Line 4: The endpoint is no address/,
    ],
    [
      fileOf([], [...HEAD.slice(0, 2), 'endpoint: file:///etc/passwd']),
      /^Line 4: The endpoint is no/,
    ],
    [
      fileOf([], [...HEAD.slice(0, 2), 'endpoint: http://me:pw@127.0.0.1/v1']),
      /^Line 4: .*an address alone/,
    ],
    [fileOf([], [...HEAD.slice(0, 2), 'endpoint: http://192.168.1.4/v1']), /^Line 4: .*https/],
    [
      fileOf([], [...HEAD.slice(0, 2), 'endpoint: http://127.0.0.1/chat']),
      /^Line 4: .*must end in \/v1/,
    ],
  ])('%j', (text, sentence) => {
    expect(read(text)).toMatch(sentence);
  });
});

test('the example of the pages is a file that is read', () => {
  const root = join(import.meta.dirname, '../../..');
  const example = readFileSync(join(root, 'resources/examples/cook.md'), 'utf8');
  expect(readFileSync(join(root, 'resources/docs/agents.md'), 'utf8')).toContain(
    `\`\`\`md\n${example}\`\`\`\n`,
  );
  expect(read(example)).toMatchObject({ name: 'cook', areas: ['family.dinner'] });
});
