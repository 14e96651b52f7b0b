// The programs that speak MCP: where each keeps its servers, and how ours stands there. Text in,
// text out; mcp-install.ts reads and writes the files.
import * as jsonc from 'jsonc-parser';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse as parseToml, stringify as stringifyToml, TomlError } from 'smol-toml';
import { placeIn } from '../lib/decode-text.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { Json5Flaw, parseJson5 } from './json5-tree.ts';
import { CLASH, lineEndOf, nested, withoutProperty, withProperty } from './json-text.ts';
import { refusal } from './refusal.ts';

/** Our name among the servers of a program. */
export const SERVER_NAME = 'axon';

/** How a program starts our server. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

type Values = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string | undefined>>;

/** A folder that a variable names; one that is empty names none. */
function named(env: Env, variable: string): string | undefined {
  const value = env[variable];
  return value === undefined || value === '' ? undefined : value;
}

interface Format {
  /** @throws Error for text that cannot be read, with its place */
  readonly read: (text: string) => unknown;
  /**
   * Changes nothing outside our entry, blanks and line ends included.
   * @param value undefined: without it
   */
  readonly write: (text: string, path: readonly string[], value: Values | undefined) => string;
}

export interface McpClient {
  readonly id: string;
  readonly title: string;
  readonly format: Format;
  /** Where our entry stands in the file. */
  readonly path: readonly string[];
  readonly valueOf: (entry: ServerEntry) => Values;
  /**
   * With this in our entry the program uses our tools without asking its person, which it has to
   * where nobody is there; or how it is started then.
   */
  readonly unasked?: Values | string;
  /** The places where its file may be, the usual one first. */
  readonly files: (home: string, env: Env) => readonly string[];
}

/** JSON with comments and trailing commas, as editors keep it. */
const JSON_FORMAT: Format = {
  read: (text) => {
    const errors: jsonc.ParseError[] = [];
    const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first === undefined) return value;
    const flaw = jsonc
      .printParseErrorCode(first.error)
      .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    throw new Error(`${placeIn(text, first.offset)}:${flaw}`);
  },
  write: (text, path, value) => {
    if (value === undefined) return withoutProperty(text, path);
    if (text.trim() === '') return JSON.stringify(nested(path, value), null, 2);
    return withProperty(text, path, value);
  },
};

/** JSON as people write it by hand, too: names without quotes, single quotes, and more. */
const JSON5_FORMAT: Format = {
  read: (text) => {
    try {
      const root = parseJson5(text);
      return root && jsonc.getNodeValue(root);
    } catch (error) {
      if (!(error instanceof Json5Flaw)) throw error;
      throw new Error(`${placeIn(text, error.offset)}: ${error.message}`, { cause: error });
    }
  },
  write: (text, path, value) => {
    if (value === undefined) return withoutProperty(text, path, parseJson5);
    if (parseJson5(text) === undefined) return JSON_FORMAT.write('', path, value);
    return withProperty(text, path, value, parseJson5);
  },
};

/** Our tables are added at the end, and removed by their headers. */
const TOML_FORMAT: Format = {
  read: (text) => {
    try {
      return parseToml(text);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [first = ''] = error.message.split('\n');
      const flaw = first.replace('Invalid TOML document: ', '');
      throw new Error(`line ${error.line}, column ${error.column}: ${flaw}`, { cause: error });
    }
  },
  write: (text, path, value) => {
    const kept = withoutTable(text, path.join('.'));
    if (value === undefined) return kept;
    const end = lineEndOf(text);
    const gap = kept === '' ? '' : kept.endsWith('\n') ? end : end + end;
    return `${kept}${gap}${stringifyToml(nested(path, value)).replaceAll('\n', end)}`;
  },
};

const asItIs = ({ command, args, env }: ServerEntry): Values => ({ command, args, env });

export const MCP_CLIENTS: readonly McpClient[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    format: JSON_FORMAT,
    path: ['mcpServers', SERVER_NAME],
    valueOf: (entry) => ({ type: 'stdio', ...asItIs(entry) }),
    files: (home, env) => [join(named(env, 'CLAUDE_CONFIG_DIR') ?? home, '.claude.json')],
    unasked: 'claude --allowedTools mcp__axon',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: JSON_FORMAT,
    path: ['mcpServers', SERVER_NAME],
    valueOf: asItIs,
    files: (home) => [join(home, '.cursor', 'mcp.json')],
  },
  {
    id: 'openclaw',
    title: 'OpenClaw',
    format: JSON5_FORMAT,
    path: ['mcp', 'servers', SERVER_NAME],
    valueOf: asItIs,
    files: (home, env) => [
      named(env, 'OPENCLAW_CONFIG_PATH') ??
        join(named(env, 'OPENCLAW_STATE_DIR') ?? join(home, '.openclaw'), 'openclaw.json'),
    ],
  },
  {
    id: 'codex',
    title: 'Codex',
    format: TOML_FORMAT,
    path: ['mcp_servers', SERVER_NAME],
    valueOf: asItIs,
    files: (home, env) => [join(named(env, 'CODEX_HOME') ?? join(home, '.codex'), 'config.toml')],
    unasked: { default_tools_approval_mode: 'approve' },
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    format: JSON_FORMAT,
    path: ['mcpServers', SERVER_NAME],
    valueOf: asItIs,
    files: (home, env) => [join(named(env, 'GEMINI_CLI_HOME') ?? home, '.gemini', 'settings.json')],
    unasked: { trust: true },
  },
  {
    id: 'qwen-code',
    title: 'Qwen Code',
    format: JSON_FORMAT,
    path: ['mcpServers', SERVER_NAME],
    valueOf: asItIs,
    files: (home) => [join(home, '.qwen', 'settings.json')],
    unasked: { trust: true },
  },
  {
    id: 'copilot-cli',
    title: 'Copilot CLI',
    format: JSON_FORMAT,
    path: ['mcpServers', SERVER_NAME],
    valueOf: (entry) => ({ type: 'local', ...asItIs(entry), tools: ['*'] }),
    files: (home, env) => [
      join(named(env, 'COPILOT_HOME') ?? join(home, '.copilot'), 'mcp-config.json'),
    ],
    unasked: 'copilot --allow-tool axon',
  },
  {
    id: 'opencode',
    title: 'opencode',
    format: JSON_FORMAT,
    path: ['mcp', SERVER_NAME],
    valueOf: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      environment: env,
      enabled: true,
    }),
    files: (home, env) => {
      const folder = join(named(env, 'XDG_CONFIG_HOME') ?? join(home, '.config'), 'opencode');
      return [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')];
    },
  },
];

/** As it is when its person agrees that it asks no more. @throws AppError bad_request */
export function unaskedClient(client: McpClient): McpClient {
  const { title, unasked, valueOf } = client;
  if (typeof unasked === 'object')
    return { ...client, valueOf: (entry) => ({ ...valueOf(entry), ...unasked }) };
  throw refusal(
    'bad_request',
    `Nothing in the entry of ${title} says that it need not ask.`,
    ...(unasked === undefined ? [] : [`Start it so: ${unasked}`]),
  );
}

/** What a person is told where the program asks before it uses our tools. */
export function askingLines({ id, title, unasked }: McpClient, entry: Values): readonly string[] {
  if (unasked === undefined) return [];
  const isWritten =
    typeof unasked === 'object' &&
    Object.entries(unasked).every(([key, value]) => entry[key] === value);
  if (isWritten) return [];
  const otherwise =
    typeof unasked === 'string'
      ? `started by "${unasked}" it does not ask`
      : `"axon mcp install ${id} --unasked" writes that it need not ask`;
  return [
    `${title} asks you before it uses these tools, and refuses most of them where nobody is there; ${otherwise}.`,
  ];
}

/**
 * The text with our entry; whatever else stands in it stays, and so does what a person added to our
 * entry. @throws AppError bad_request
 */
export function withEntry(client: McpClient, text: string, entry: ServerEntry): string {
  return changed(client, text, added(entryIn(client, text) ?? {}, client.valueOf(entry)));
}

/** Ours over what stands there, and likewise inside it: the environment. */
function added(there: Values, ours: Values): Values {
  const both = Object.entries(ours).map(([key, value]) => {
    const before = there[key];
    if (isJsonObject(value) && isJsonObject(before)) return [key, { ...before, ...value }];
    return [key, key === 'tools' ? (before ?? value) : value];
  });
  return { ...there, ...Object.fromEntries(both) };
}

/** The text without our entry. @throws AppError bad_request */
export function withoutEntry(client: McpClient, text: string): string {
  return entryIn(client, text) === undefined ? text : changed(client, text, undefined);
}

/**
 * Whether one text is the other without our entry, and nothing else.
 * @throws AppError bad_request
 */
export function isWithout(client: McpClient, text: string, bare: string): boolean {
  const { path } = client;
  return (
    underOurName(client, bare) === undefined &&
    same(others(read(client, text), path), others(read(client, bare), path))
  );
}

/** The entry that the text has under our name. @throws AppError bad_request */
export function entryIn(client: McpClient, text: string): Values | undefined {
  const found = underOurName(client, text);
  return isJsonObject(found) ? found : undefined;
}

/** Whatever the text has under our name. @throws AppError bad_request */
export function underOurName(client: McpClient, text: string): unknown {
  return client.path.reduce<unknown>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    read(client, text),
  );
}

/** The token file that an entry of ours names; undefined for somebody else's. */
export function tokenFileOf(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return undefined;
  const env = entry['env'] ?? entry['environment'];
  const file = isJsonObject(env) ? env['AXON_TOKEN_FILE'] : undefined;
  return typeof file === 'string' ? file : undefined;
}

/** The entry as it stands in a file of its own, to be shown or pasted. */
export function entryText(client: McpClient, entry: ServerEntry): string {
  return client.format.write('', client.path, client.valueOf(entry)).trimEnd();
}

function changed(client: McpClient, text: string, value: Values | undefined): string {
  const { path } = client;
  const before = read(client, text);
  const after = written(client, text, value);
  const isOnlyOurs = same(others(before, path), others(read(client, after), path));
  if (!isOnlyOurs || !same(entryIn(client, after), value)) throw unread(client, CLASH);
  return text.trim() === '' && !after.endsWith('\n') ? `${after}\n` : after;
}

/** What a writer cannot do with this text it says by throwing. */
function written(client: McpClient, text: string, value: Values | undefined): string {
  try {
    return client.format.write(text, client.path, value);
  } catch (cause) {
    throw unread(client, CLASH, cause);
  }
}

function read(client: McpClient, text: string): Values {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = client.format.read(text);
  } catch (error) {
    throw unread(client, error instanceof Error ? error.message : 'it cannot be read', error);
  }
  if (isJsonObject(value)) return value;
  throw unread(client, 'it is not an object with settings in it');
}

/** @param flaw what is wrong, with its place where it has one */
function unread({ id, title }: McpClient, flaw: string, cause?: unknown): Error {
  return refusal(
    'bad_request',
    `The settings of ${title} are written in a way that this command does not change: ${flaw}.`,
    `Nothing was changed. Change them yourself: "axon mcp install ${id} --show" prints the entry, and "axon agents connect ${id}" gets its token.`,
    cause,
  );
}

/** All but our entry, and but what would be empty without it. */
function others(values: Values, [key = '', ...inner]: readonly string[]): Values {
  const { [key]: child, ...kept } = values;
  if (inner.length === 0) return kept;
  const rest = isJsonObject(child) ? others(child, inner) : child;
  const isEmpty = rest === undefined || (isJsonObject(rest) && Object.keys(rest).length === 0);
  return isEmpty ? kept : { ...kept, [key]: rest };
}

/** As values; a parser may give its objects another prototype. */
function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(structuredClone(a), structuredClone(b));
}

/**
 * Without the table of this name and those inside it. Comments behind them belong to what follows.
 */
function withoutTable(text: string, name: string): string {
  const kept: string[] = [];
  let behind: string[] = [];
  let isOurs = false;
  for (const line of text.split(/(?<=\n)/)) {
    const header = /^\s*\[+\s*([^\]]*?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) {
      const isNext = header === name || header.startsWith(`${name}.`);
      if (isOurs && !isNext) kept.push(...behind);
      behind = [];
      isOurs = isNext;
    }
    if (!isOurs) kept.push(line);
    else if (/^\s*(?:#|$)/.test(line)) behind.push(line);
    else behind = [];
  }
  if (!isOurs) return kept.join('');
  // The empty line that was put before it.
  if (behind.length === 0 && kept.at(-1)?.trim() === '') kept.pop();
  return [...kept, ...behind].join('');
}
