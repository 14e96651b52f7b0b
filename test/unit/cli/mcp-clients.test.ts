// Our entry in the settings of the programs that speak MCP: the form each of them reads, and that
// nothing else in its file changes.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  askingLines,
  entryIn,
  entryText,
  MCP_CLIENTS,
  tokenFileOf,
  unaskedClient,
  withEntry,
  withoutEntry,
} from '../../../main/cli/mcp-clients.ts';
import type { McpClient } from '../../../main/cli/mcp-clients.ts';
import { ClientSettings } from '../../../main/cli/mcp-install.ts';

const ENTRY = {
  command: '/opt/node "24"/bin/node',
  args: ['/opt/axon hub/axon.cjs', 'mcp', '--home', 'C:\\Users\\Mum'],
  env: { AXON_TOKEN_FILE: '/home/mum/tokens/claude-code.token' },
};
const OTHER = { ...ENTRY, env: { AXON_TOKEN_FILE: '/elsewhere' } };

const clientOf = (id: string): McpClient => {
  const found = MCP_CLIENTS.find((client) => client.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};

const SETTINGS: Readonly<Record<string, string>> = {
  'claude-code':
    '{\n  "numStartups": 7,\n  "mcpServers": {\n    "git": { "command": "git-mcp" }\n  }\n}\n',
  cursor: '{\n\t"mcpServers": {\n\t\t"git": { "command": "git-mcp" }\n\t}\n}\n',
  openclaw: '{\n  // ours\n  "gateway": { "port": 1 },\n}\n',
  codex:
    '# mine\nmodel = "gpt"\n\n[mcp_servers.git]\ncommand = "git-mcp"\n\n[profiles.axon]\nmodel = "x"\n',
  'gemini-cli': '{\n  /* ours */\n  "theme": "dark"\n}\n',
  'qwen-code': '{\n  "model": "qwen"\n}\n',
  'copilot-cli': '{\n  "mcpServers": { "git": { "command": "git-mcp" } }\n}\n',
  opencode:
    '{\n    "$schema": "https://opencode.ai/config.json",\n    "mcp": {\n        "git": { "type": "local", "command": ["git-mcp"] },\n    },\n}\n',
};

test.each(MCP_CLIENTS)('$id: adds our entry, replaces it and takes it out again', (client) => {
  const before = SETTINGS[client.id] ?? '';
  const added = withEntry(client, before, ENTRY);
  expect(tokenFileOf(entryIn(client, added) ?? {})).toBe(ENTRY.env.AXON_TOKEN_FILE);
  const comments = before.match(/# mine|\/\/ ours|\/\* ours \*\//g) ?? [];
  for (const words of [...comments, ...(before.match(/\w+/g) ?? [])])
    expect(added).toContain(words);
  const again = withEntry(client, added, OTHER);
  expect(tokenFileOf(entryIn(client, again) ?? {})).toBe('/elsewhere');
  expect(again.match(/axon\.cjs/g)).toHaveLength(1);
  const after = withoutEntry(client, again);
  expect(entryIn(client, after)).toBeUndefined();
  expect(after).not.toContain('AXON_TOKEN_FILE');
  for (const comment of comments) expect(after).toContain(comment);
  const values = structuredClone(client.format.read(after));
  // What we emptied may stay as an empty table.
  const [parent = ''] = client.path;
  expect(values).toEqual({
    ...(after.includes(parent) ? { [parent]: expect.anything() as unknown } : {}),
    ...structuredClone(client.format.read(before) as object),
  });
  expect(withoutEntry(client, before)).toBe(before);
});

test.each(MCP_CLIENTS)('$id: writes a file that is not there or empty', (client) => {
  for (const empty of ['', '\n']) {
    const text = withEntry(client, empty, ENTRY);
    expect(text.trim()).toBe(entryText(client, ENTRY));
    expect(tokenFileOf(entryIn(client, text) ?? {})).toBe(ENTRY.env.AXON_TOKEN_FILE);
  }
});

test('each program gets the form that it reads', () => {
  expect(JSON.parse(entryText(clientOf('claude-code'), ENTRY))).toEqual({
    mcpServers: { axon: { type: 'stdio', ...ENTRY } },
  });
  for (const id of ['cursor', 'gemini-cli', 'qwen-code'])
    expect(JSON.parse(entryText(clientOf(id), ENTRY))).toEqual({ mcpServers: { axon: ENTRY } });
  expect(JSON.parse(entryText(clientOf('openclaw'), ENTRY))).toEqual({
    mcp: { servers: { axon: ENTRY } },
  });
  expect(JSON.parse(entryText(clientOf('copilot-cli'), ENTRY))).toEqual({
    mcpServers: { axon: { type: 'local', ...ENTRY, tools: ['*'] } },
  });
  expect(JSON.parse(entryText(clientOf('opencode'), ENTRY))).toEqual({
    mcp: {
      axon: {
        type: 'local',
        command: [ENTRY.command, ...ENTRY.args],
        environment: ENTRY.env,
        enabled: true,
      },
    },
  });
  expect(entryText(clientOf('codex'), { ...ENTRY, command: 'node', args: ['axon.cjs'] })).toBe(
    '[mcp_servers.axon]\ncommand = "node"\nargs = [ "axon.cjs" ]\n\n' +
      '[mcp_servers.axon.env]\nAXON_TOKEN_FILE = "/home/mum/tokens/claude-code.token"',
  );
});

test.each([
  ['cursor', '{ "mcpServers": '],
  ['cursor', '[]'],
  ['cursor', '{ "mcpServers": ["git"] }'],
  ['openclaw', '{ mcp: { servers: [] } }'],
  ['cursor', "{ mcpServers: { 'git': {} } }"],
  ['codex', 'mcp_servers = { axon = { command = "x" } }\n'],
  ['codex', 'model = \n'],
])('%s: leaves alone what it cannot change safely: %s', (id, text) => {
  expect(() => withEntry(clientOf(id), text, ENTRY)).toThrow('in a way that this command does not');
});

test.each([
  ['openclaw', "{\n  gateway: { 'port' 1 }\n}", /line 2, column 21: it is not JSON5/],
  ['cursor', '{\n  "mcpServers": {}\n  "x": 1\n}', /line 3, column 3: comma expected/],
  ['codex', 'model = "x"\nport = \n', /line 2, column \d+: /],
])('%s: says what is wrong and where, and how to go on', (id, text, words) => {
  let refused: unknown;
  try {
    withEntry(clientOf(id), text, ENTRY);
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({
    message: expect.stringMatching(words),
    hint: expect.stringContaining(`axon mcp install ${id} --show`),
  });
});

test('a person is told which programs ask before they use our tools, and can have it written that they need not', () => {
  const told = Object.fromEntries(
    MCP_CLIENTS.map((client) => [client.id, askingLines(client, {}).join('')]),
  );
  for (const id of ['codex', 'gemini-cli', 'qwen-code']) {
    const client = unaskedClient(clientOf(id));
    const text = withEntry(client, '', ENTRY);
    expect(told[id]).toContain(`axon mcp install ${id} --unasked`);
    expect(askingLines(client, entryIn(client, text) ?? {})).toEqual([]);
    // It stays when the entry is written anew, and goes with it.
    const again = withEntry(clientOf(id), text, OTHER);
    expect(askingLines(client, entryIn(client, again) ?? {})).toEqual([]);
    expect(withoutEntry(client, again)).not.toMatch(/axon|trust|approve/);
  }
  expect(entryText(unaskedClient(clientOf('codex')), ENTRY)).toContain(
    'default_tools_approval_mode = "approve"\n',
  );
  expect(told['claude-code']).toContain('"claude --allowedTools mcp__axon"');
  expect(told['cursor']).toBe('');
  expect(() => unaskedClient(clientOf('copilot-cli'))).toThrow('need not ask');
});

/** What our entry was put into: the text, as it is, around what was added. */
test.each([
  ['cursor', '{}'],
  ['cursor', '{\n}\n'],
  ['cursor', '{ "theme":"dark" }'],
  ['cursor', '{"mcpServers":{"git":{"command":"git-mcp"}}}'],
  ['cursor', '{\r\n\t"a" :  1,\r\n\t"mcpServers": {\r\n\t\t"git": {}  \r\n\t}\r\n}\r\n'],
  ['cursor', '{\n  "mcpServers": {},   // none yet\n  "b": [1,2]\n}'],
  ['opencode', '{\n  "mcp": {\n    "git": {}, // mine\n  },\n}\n'],
  ['openclaw', "{\n  gateway: { 'port': +0x1F, on: .5 }, // mine\n  mcp: { servers: {} },\n}\n"],
  ['openclaw', "// mine\n{mcp:{servers:{git:{command:'it\\'s \\\n on'}}}}\n// end"],
  ['openclaw', '{ "mcp": { "servers": { "a,b": "}", /* mine, */ }, }, }'],
  ['opencode', '{\n  "mcp": {\n    "git": {} /* mine */\n  }\n}\n'],
  ['codex', '# mine\r\nmodel = "gpt"\r\n'],
  ['codex', 'model = "gpt"\n\n\n'],
  ['codex', 'model = "gpt"'],
])(
  '%s: nothing but our entry is added, and its line ends are those of the file: %j',
  (id, text) => {
    const client = clientOf(id);
    const added = withEntry(client, text, ENTRY);
    const ends = new Set(text.match(/\r?\n/g));
    if (ends.size > 0) expect(new Set(added.match(/\r?\n/g))).toEqual(ends);
    // Every character of the file is still there, in one or two runs around ours.
    let head = 0;
    while (added[head] === text[head] && head < text.length) head += 1;
    expect(added.endsWith(text.slice(head))).toBe(true);
    const removed = withoutEntry(client, added);
    const [parent = ''] = client.path;
    if (text.includes(parent)) expect(removed).toBe(text);
    const twice = withEntry(client, withEntry(client, added, OTHER), ENTRY);
    expect(withoutEntry(client, twice)).toBe(removed);
  },
);

test.each([
  [
    'cursor',
    '{ "mcpServers": {\n  "axon": ENTRY, // ours\n  // git\n  "git": {} } }',
    ['// git', '"git": {} } }'],
  ],
  [
    'cursor',
    '{ "mcpServers": {\n  "git": {}, // git\n  "axon": ENTRY\n} }',
    ['"git": {} // git\n'],
  ],
  ['cursor', '{ "mcpServers": { "axon": ENTRY, } }', ['{ "mcpServers": {} }']],
  [
    'codex',
    '[mcp_servers.axon]\ncommand = "x"\nenv = { AXON_TOKEN_FILE = "/x" }\n\n# next\n[next]\n',
    ['\n# next\n[next]\n'],
  ],
])('%s: what stands around our entry stays when it goes: %j', (id, form, kept) => {
  const text = form.replace('ENTRY', JSON.stringify({ ...ENTRY }));
  const removed = withoutEntry(clientOf(id), text);
  for (const words of kept) expect(removed).toContain(words);
  expect(removed).not.toContain('AXON_TOKEN_FILE');
});

test.each(MCP_CLIENTS)(
  '$id: what a person added to our entry stays when it is replaced',
  (client) => {
    const { path, format } = client;
    const value = { ...client.valueOf(OTHER), trust: true };
    const variables = 'environment' in value ? 'environment' : 'env';
    const own = { ...value, [variables]: { ...OTHER.env, DEBUG: '1' } };
    const text = withEntry(client, format.write('', path, own), ENTRY);
    expect(structuredClone(entryIn(client, text))).toEqual({
      ...client.valueOf(ENTRY),
      trust: true,
      [variables]: { ...ENTRY.env, DEBUG: '1' },
    });
  },
);

test.each([
  null,
  '',
  'model = "gpt"',
  'model = "gpt"\n\n\n',
  '# mine\r\nmodel = "gpt"\r\n',
  '[mcp_servers]\n',
  '[mcp_servers.git]\ncommand = "git-mcp" # mine\n\n[profiles.axon]\nmodel = "x"\n',
])('Codex has its settings back byte for byte, and none where there were none: %j', (own) => {
  const folder = mkdtempSync(join(tmpdir(), 'axon-codex-'));
  vi.stubEnv('CODEX_HOME', folder);
  const [file, undo] = [join(folder, 'config.toml'), join(folder, 'undo', 'codex.json')];
  if (own !== null) writeFileSync(file, own);
  // A second time, for another agent, changes nothing of that.
  for (const entry of [ENTRY, OTHER])
    new ClientSettings(clientOf('codex')).install(entry, undo, 'codex');
  const settings = new ClientSettings(clientOf('codex'));
  settings.uninstall(settings.without(undo), undo);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(own);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test.each([
  ['codex', 'CODEX_HOME'],
  ['claude-code', 'CLAUDE_CONFIG_DIR'],
  ['opencode', 'XDG_CONFIG_HOME'],
  ['gemini-cli', 'GEMINI_CLI_HOME'],
  ['copilot-cli', 'COPILOT_HOME'],
])('%s: an empty %s names no folder', (id, variable) => {
  const { files } = clientOf(id);
  expect(files('/home/mum', { [variable]: '' })).toEqual(files('/home/mum', {}));
  expect(files('/home/mum', { [variable]: '/x' })).not.toEqual(files('/home/mum', {}));
});
