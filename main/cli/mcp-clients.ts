// The programs that speak MCP: where each keeps its servers, and how ours stands there. Text in,
// text out; mcp-install.ts reads and writes the files.
import * as jsonc from 'jsonc-parser';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse as parseToml, stringify as stringifyToml, TomlError } from 'smol-toml';
import { LINE_END, placeIn } from '../lib/decode-text.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { refusal } from './refusal.ts';

/** Our name among the servers of a program. */
export const SERVER_NAME = 'axon';

/** How a program starts our server. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where the place for our entry is taken, or written in another way. */
const CLASH = 'the entry cannot be changed without changing others';

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
    throw new Error(`${placeIn(text, first.offset)}:${flaw}. JSON5 beyond comments is not read`);
  },
  write: (text, path, value) => {
    if (value === undefined) return withoutProperty(text, path);
    if (text.trim() === '') return JSON.stringify(nested(path, value), null, 2);
    return withProperty(text, path, value);
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
    format: JSON_FORMAT,
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
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    format: JSON_FORMAT,
    path: ['mcpServers', SERVER_NAME],
    valueOf: asItIs,
    files: (home, env) => [join(named(env, 'GEMINI_CLI_HOME') ?? home, '.gemini', 'settings.json')],
  },
  {
    id: 'qwen-code',
    title: 'Qwen Code',
    format: JSON_FORMAT,
    path: ['mcpServers', SERVER_NAME],
    valueOf: asItIs,
    files: (home) => [join(home, '.qwen', 'settings.json')],
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

function nested(path: readonly string[], value: Values): Values {
  return path.reduceRight<Values>((inner, key) => ({ [key]: inner }), value);
}

function lineEndOf(text: string): string {
  return LINE_END.exec(text)?.[0] ?? '\n';
}

/** JSON text with this value at a path. @throws Error where something else stands on the way */
function withProperty(text: string, path: readonly string[], value: Values): string {
  const root = jsonc.parseTree(text, [], { allowTrailingComma: true });
  const unit = /^(?:\t| +)(?=\S)/m.exec(text)?.[0] ?? '  ';
  const end = lineEndOf(text);
  const written = (content: unknown, indent: string | null): string =>
    indent === null
      ? JSON.stringify(content)
      : JSON.stringify(content, null, unit).replaceAll('\n', end + indent);
  const known = path.findLastIndex((_key, index) => nodeAt(root, path.slice(0, index)));
  const parent = nodeAt(root, path.slice(0, known));
  const key = path[known];
  if (parent?.type !== 'object' || key === undefined) throw new Error(CLASH);
  const isWide = isSpread(text, parent);
  const level = unit.repeat(known);
  const present = nodeAt(root, path);
  if (present !== undefined)
    return replaced(
      text,
      present.offset,
      present.length,
      written(value, isWide ? level + unit : null),
    );
  const properties = parent.children ?? [];
  const last = properties.at(-1);
  const indent = last === undefined ? level + unit : (indentOf(text, last.offset) ?? level + unit);
  const content = nested(path.slice(known + 1), value);
  const property = `${JSON.stringify(key)}: ${written(content, isWide ? indent : null)}`;
  if (last !== undefined) {
    const between = isWide ? `,${end}${indent}` : ', ';
    return replaced(text, last.offset + last.length, 0, between + property);
  }
  const isOneLine = !LINE_END.test(textOf(text, parent));
  const after = isOneLine ? end + level : '';
  return replaced(text, parent.offset + 1, 0, `${end}${indent}${property}${after}`);
}

/** JSON text without what stands at a path: its own lines, and one comma. */
function withoutProperty(text: string, path: readonly string[]): string {
  const root = jsonc.parseTree(text, [], { allowTrailingComma: true });
  const property = nodeAt(root, path)?.parent;
  const parent = property?.parent;
  if (property === undefined || parent === undefined) return text;
  const index = parent.children?.indexOf(property) ?? 0;
  const before = parent.children?.[index - 1];
  const ends = property.offset + property.length;
  const inner = parent.offset + 1;
  const comma =
    commaAfter(text, ends) ??
    (before === undefined ? undefined : commaAfter(text, before.offset + before.length));
  const blank =
    /(?:(?:\r\n|\r|\n)[ \t]*|[ \t]+)$/.exec(text.slice(inner, property.offset))?.[0] ?? '';
  let kept = replaced(text, property.offset - blank.length, blank.length + property.length, '');
  if (comma !== undefined) {
    const moved = comma < property.offset ? comma : comma - blank.length - property.length;
    kept = replaced(kept, moved, 1, '');
  }
  const rest = kept.slice(inner).search(/\S/);
  return kept[inner + rest] === '}' ? replaced(kept, inner, rest, '') : kept;
}

function nodeAt(root: jsonc.Node | undefined, path: readonly string[]): jsonc.Node | undefined {
  return root === undefined ? undefined : jsonc.findNodeAtLocation(root, [...path]);
}

function textOf(text: string, { offset, length }: jsonc.Node): string {
  return text.slice(offset, offset + length);
}

/** What is put into it begins a line of its own. */
function isSpread(text: string, object: jsonc.Node): boolean {
  return (object.children ?? []).length === 0 || LINE_END.test(textOf(text, object));
}

/** The blanks before a place, where nothing else stands before it on its line. */
function indentOf(text: string, offset: number): string | undefined {
  return /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(0, offset))?.[1];
}

/** Where a comma stands next behind a place, blanks and comments aside. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = jsonc.createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : undefined;
}

function replaced(text: string, offset: number, length: number, content: string): string {
  return text.slice(0, offset) + content + text.slice(offset + length);
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
