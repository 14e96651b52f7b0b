// Our hooks in the settings of a coding program: where each keeps them, and how ours stand there.
// Text in, text out. All that a person has there stays as it is.
import * as jsonc from 'jsonc-parser';
import { basename, join } from 'node:path';
import { homedir } from 'node:os';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { programFile, shellWord } from './invocation.ts';
import { withElement, withoutElement, withoutProperty, withProperty } from './json-text.ts';
import { refusal } from './refusal.ts';

/** A day, s: such a hook waits for as long as its session is idle. */
const WAKE_TIMEOUT_S = 86_400;

/** Longer than a person is waited for, s. */
const ASK_TIMEOUT_S = 60;

/** One command of ours, and the events at which the program runs it. */
export interface Hook {
  readonly events: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
}

const PROGRAM = 'axon.cjs';
/** The words by which each of ours is known. */
const OUR_WORDS = ['--watch', 'ask'];
/** The same where a shell starts it. */
const OUR_LINE = /[/\\]axon\.cjs['"]? (?:ask|inbox --watch) /;

/** A program that has hooks. */
export interface HookedProgram {
  /** Where it keeps them. */
  readonly file: () => string;
  /** Whether one of them can wake it. */
  readonly wakes: boolean;
  /** How it is told what to start. @throws AppError bad_request: it cannot be */
  readonly start: (words: readonly string[]) => Readonly<Record<string, unknown>>;
  /** What it wants of a person before it runs them. */
  readonly wants?: string;
}

/** By the names of MCP_CLIENTS. */
export const HOOKED: ReadonlyMap<string, HookedProgram> = new Map([
  [
    'claude-code',
    {
      file: () => join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json'),
      wakes: true,
      start: ([command, ...args]) => ({ command, args }),
    },
  ],
  [
    'codex',
    {
      file: () => join(folderOf('CODEX_HOME', '.codex'), 'hooks.json'),
      wakes: false,
      start: (words) => ({ command: words.map(inShell).join(' ') }),
      wants:
        'Codex runs the hook only once you trust it: start it, and choose to trust the hook when it asks. "codex exec" asks nobody, and runs no such hook.',
    },
  ],
]);

function folderOf(variable: string, usual: string): string {
  const folder = process.env[variable];
  return folder === undefined || folder === '' ? join(homedir(), usual) : folder;
}

function inShell(word: string): string {
  const quoted = shellWord(word, process.platform);
  if (quoted !== null) return quoted;
  throw refusal('bad_request', `No quotes hold "${word}" in a line for a shell.`);
}

/** Wakes an idle session when something new waits for this agent. Holds no secret. */
export function wakeHook({ start }: HookedProgram, home: string, agent: string): Hook {
  const words = [ownProgram(), 'inbox', '--watch', '--home', home, '--as', agent];
  return {
    events: ['SessionStart', 'Stop'],
    value: {
      type: 'command',
      ...start([process.execPath, ...words]),
      asyncRewake: true,
      timeout: WAKE_TIMEOUT_S,
    },
  };
}

/** Puts what the program wants to do before a person of this hub. Holds no secret. */
export function askHook({ start }: HookedProgram, home: string, agent: string): Hook {
  const words = [ownProgram(), 'ask', '--home', home, '--as', agent];
  return {
    events: ['PermissionRequest'],
    value: { type: 'command', ...start([process.execPath, ...words]), timeout: ASK_TIMEOUT_S },
  };
}

/** What goes into the file, as it stands in one of its own. */
export function hooksText(hooks: readonly Hook[]): string {
  return withHooks('', hooks, '').trimEnd();
}

/** Those that stood there before are replaced. @throws AppError bad_request */
export function withHooks(text: string, hooks: readonly Hook[], file: string): string {
  let kept = withoutHooks(text, file);
  for (const { events, value } of hooks)
    for (const event of events) kept = added(kept, event, { hooks: [value] }, file);
  return text.trim() === '' ? `${kept}\n` : kept;
}

/** The text without our hooks, and without what held nothing else. @throws AppError bad_request */
export function withoutHooks(text: string, file: string): string {
  let kept = text;
  for (const [event, groups] of Object.entries(groupsOf(text, file)))
    if (Array.isArray(groups)) kept = withoutOurs(kept, ['hooks', event], groups);
  const isEmptied = kept !== text && Object.keys(groupsOf(kept, file)).length === 0;
  return isEmptied ? withoutProperty(kept, ['hooks']) : kept;
}

/** @param path of a list of groups */
function withoutOurs(text: string, path: readonly string[], groups: readonly unknown[]): string {
  if (groups.length > 0 && groups.every((group) => areOurs(hooksIn(group))))
    return withoutProperty(text, path);
  let kept = text;
  // From the end, so that the places before stay what they are.
  for (let at = groups.length - 1; at >= 0; at--) {
    const hooks = hooksIn(groups[at]);
    if (!hooks.some(isOurs)) continue;
    if (areOurs(hooks)) kept = withoutElement(kept, [...path, at]);
    else
      for (let one = hooks.length - 1; one >= 0; one--)
        if (isOurs(hooks[one])) kept = withoutElement(kept, [...path, at, 'hooks', one]);
  }
  return kept;
}

function areOurs(hooks: readonly unknown[]): boolean {
  return hooks.length > 0 && hooks.every(isOurs);
}

function hooksIn(group: unknown): readonly unknown[] {
  const hooks: unknown = isJsonObject(group) ? group['hooks'] : undefined;
  return Array.isArray(hooks) ? hooks : [];
}

function isOurs(hook: unknown): boolean {
  if (!isJsonObject(hook)) return false;
  const { command, args } = hook;
  if (!Array.isArray(args)) return typeof command === 'string' && OUR_LINE.test(command);
  const [program] = args as readonly unknown[];
  return (
    typeof program === 'string' &&
    basename(program) === PROGRAM &&
    OUR_WORDS.some((word) => args.includes(word))
  );
}

function groupsOf(text: string, file: string): JsonObject {
  const { hooks } = read(text, file);
  if (hooks === undefined) return {};
  if (isJsonObject(hooks)) return hooks;
  throw unfit(file, '"hooks" is no object');
}

function read(text: string, file: string): JsonObject {
  if (text.trim() === '') return {};
  const errors: jsonc.ParseError[] = [];
  const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isJsonObject(value)) throw unfit(file, 'it is no JSON object');
  // The last one would be read, and the first one changed.
  const root = jsonc.parseTree(text);
  const hooks = root && jsonc.findNodeAtLocation(root, ['hooks']);
  for (const object of [root, hooks]) {
    const names = object?.children?.map(({ children }) => String(children?.[0]?.value)) ?? [];
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw unfit(file, `"${twice}" stands there twice`);
  }
  return value;
}

/** Ours is the last one, and where it is the only one, the list was ours, too. */
function added(text: string, event: string, group: unknown, file: string): string {
  if (text.trim() === '') return JSON.stringify({ hooks: { [event]: [group] } }, null, 2);
  const groups = groupsOf(text, file)[event];
  if (groups === undefined) return withProperty(text, ['hooks', event], [group]);
  if (!Array.isArray(groups)) throw unfit(file, `"${event}" is no list`);
  return withElement(text, ['hooks', event], group);
}

/** @throws AppError bad_request: the app has no command */
function ownProgram(): string {
  const program = programFile();
  if (program !== null) return program;
  throw refusal('bad_request', 'This copy of AXON Hub has no command that another can start.');
}

function unfit(file: string, flaw: string): Error {
  return refusal(
    'bad_request',
    `The hooks in ${file} are written in a way that this command does not change: ${flaw}.`,
    'Nothing was changed. With --show the same command prints what goes there.',
  );
}
