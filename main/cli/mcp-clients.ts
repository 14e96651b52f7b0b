// The programs that speak MCP: where each keeps its servers, and how ours stands there. Text in,
// text out; mcp-install.ts reads and writes the files.
import * as jsonc from 'jsonc-parser';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml';
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

type Values = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string | undefined>>;

interface Format {
  /** @throws Error for text that cannot be read */
  readonly read: (text: string) => unknown;
  /** @param value undefined: without it */
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
    if (errors.length > 0) throw new Error('not JSON');
    return value;
  },
  write: (text, path, value) => {
    const indent = /^(?<tab>\t)|^(?<spaces> +)/m.exec(text)?.groups;
    const formattingOptions = {
      insertSpaces: indent?.['tab'] === undefined,
      tabSize: indent?.['spaces']?.length ?? 2,
      eol: '\n',
    };
    const edits = jsonc.modify(text, [...path], value, { formattingOptions });
    return jsonc.applyEdits(text, edits);
  },
};

/** Our tables are added at the end, and removed by their headers; the rest stays as it is. */
const TOML_FORMAT: Format = {
  read: parseToml,
  write: (text, path, value) => {
    const kept = withoutTable(text, path.join('.'));
    if (value === undefined) return kept;
    const nested = path.reduceRight<Values>((inner, key) => ({ [key]: inner }), value);
    const before = kept === '' ? '' : `${kept.replace(/\n*$/, '')}\n\n`;
    return `${before}${stringifyToml(nested)}`;
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
    files: (home, env) => [join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json')],
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
      env['OPENCLAW_CONFIG_PATH'] ??
        join(env['OPENCLAW_STATE_DIR'] ?? join(home, '.openclaw'), 'openclaw.json'),
    ],
  },
  {
    id: 'codex',
    title: 'Codex',
    format: TOML_FORMAT,
    path: ['mcp_servers', SERVER_NAME],
    valueOf: asItIs,
    files: (home, env) => [join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')],
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    format: JSON_FORMAT,
    path: ['mcpServers', SERVER_NAME],
    valueOf: asItIs,
    files: (home, env) => [join(env['GEMINI_CLI_HOME'] ?? home, '.gemini', 'settings.json')],
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
      const folder = join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'opencode');
      return [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')];
    },
  },
];

/** The text with our entry; whatever else stands in it stays. @throws AppError bad_request */
export function withEntry(client: McpClient, text: string, entry: ServerEntry): string {
  return changed(client, text, client.valueOf(entry));
}

/** The text without our entry. @throws AppError bad_request */
export function withoutEntry(client: McpClient, text: string): string {
  return entryIn(client, text) === undefined ? text : changed(client, text, undefined);
}

/** What the text has under our name, if it has anything. @throws AppError bad_request */
export function entryIn(client: McpClient, text: string): Values | undefined {
  const found = client.path.reduce<unknown>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    read(client, text),
  );
  return isJsonObject(found) ? found : undefined;
}

/** The token file that an entry of ours names; undefined for somebody else's entry. */
export function tokenFileOf(entry: Values): string | undefined {
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
  if (!isOnlyOurs || !same(entryIn(client, after), value)) throw unread(client);
  return after === '' || after.endsWith('\n') ? after : `${after}\n`;
}

/** What a writer cannot do with this text it says by throwing. */
function written(client: McpClient, text: string, value: Values | undefined): string {
  try {
    return client.format.write(text, client.path, value);
  } catch {
    throw unread(client);
  }
}

function read(client: McpClient, text: string): Values {
  if (text.trim() === '') return {};
  try {
    const value = client.format.read(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Said below.
  }
  throw unread(client);
}

function unread({ title }: McpClient): Error {
  return refusal(
    'bad_request',
    `The settings of ${title} are written in a way that this command does not change.`,
    'Nothing was changed. With --show it prints the entry, for you to put there.',
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

/** Without the table of this name and those inside it. */
function withoutTable(text: string, name: string): string {
  let isOurs = false;
  const kept = text.split('\n').filter((line) => {
    const header = /^\s*\[+\s*([^\]]*?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) isOurs = header === name || header.startsWith(`${name}.`);
    return !isOurs;
  });
  return kept.join('\n');
}
