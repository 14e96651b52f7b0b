// The settings a hub starts with: flags stand above AXON_ variables, those above config.json, that above the defaults. Read once, checked,
// frozen. What a person changes while the hub runs is not here but in SettingsService. Must never hold a secret.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { APPROVALS_WAIT_MINUTES_MAX, APPROVALS_WAIT_MINUTES_MIN, KEEP_DAYS_MAX, KEEP_DAYS_MIN } from '../../preload/contract/limits.ts';
import type { FixedSetting } from '../../preload/contract/settings-dto.ts';
import { LOG_FORMS, LOG_LEVELS } from '../adapters/log/line-log.ts';
import type { LogForm, LogLevel } from '../adapters/log/line-log.ts';
import { AppError } from '../lib/app-error.ts';
import { dataFolder } from '../lib/data-folder.ts';
import { PEER_PORT_DEFAULT } from '../services/links/hub-address.ts';

const API_PORT_DEFAULT = 7117;
const REQUESTS_PER_SECOND_DEFAULT = 100;
/** A config.json longer than this is somebody's mistake. */
const CONFIG_SIZE_MAX_BYTES = 65_536;

export interface Config {
  /** The data folder, absolute. */
  readonly home: string;
  /** These five count until a person changes them in Settings. */
  readonly name: string | undefined;
  readonly discovery: boolean | undefined;
  readonly approvalsWaitMinutes: number | undefined;
  /** How long the words of what ended are kept, and the feed. */
  readonly keepMessagesDays: number | undefined;
  readonly keepFeedDays: number | undefined;
  /** Those of them that a flag or a variable said: they count for this run, whatever a person changed. */
  readonly fixedAtStart?: readonly FixedSetting[];
  /** A flag or a variable said "off": then this run announces nothing and finds nobody, whatever a person changed. */
  readonly discoveryOff: boolean;
  /** 0 picks a free one. */
  readonly apiPort: number;
  /** UDP; 0 picks a free one. */
  readonly peerPort: number;
  /** Network interfaces for finding hubs, by name; null = every one. */
  readonly interfaces: readonly string[] | null;
  readonly logLevel: LogLevel;
  /** How a log line looks; undefined: text at a terminal, JSON elsewhere. */
  readonly logForm?: LogForm | undefined;
  /** Requests of one token a second at the localhost API. */
  readonly requestsPerSecond: number;
  /** What a peer may send by default, times this. */
  readonly peerRateFactor: number;
}

const A_PORT = 'a port is a whole number from 0 to 65535, and 0 picks a free one';
const A_NAME = 'a name has 1 to 64 characters';
const A_WAIT = `a wait for a person has ${APPROVALS_WAIT_MINUTES_MIN} to ${APPROVALS_WAIT_MINUTES_MAX} minutes`;
const A_TIME = `a time to keep things has ${KEEP_DAYS_MIN} to ${KEEP_DAYS_MAX} days`;
const A_LEVEL = `it must be one of ${LOG_LEVELS.join(', ')}`;
const A_FORM = `it must be one of ${LOG_FORMS.join(', ')}`;
const A_FACTOR = 'a whole number from 1 to 1000000';
const port = v.pipe(v.number(A_PORT), v.safeInteger(A_PORT), v.minValue(0, A_PORT), v.maxValue(65_535, A_PORT));
const factor = v.pipe(v.number(A_FACTOR), v.safeInteger(A_FACTOR), v.minValue(1, A_FACTOR), v.maxValue(1_000_000, A_FACTOR));
const keptDays = v.pipe(v.number(A_TIME), v.safeInteger(A_TIME), v.minValue(KEEP_DAYS_MIN, A_TIME), v.maxValue(KEEP_DAYS_MAX, A_TIME));
const settingsSchema = v.partial(
  v.strictObject({
    name: v.pipe(v.string(A_NAME), v.trim(), v.minLength(1, A_NAME), v.maxLength(64, A_NAME)),
    'api-port': port,
    'peer-port': port,
    interface: v.pipe(v.string(), v.regex(/^[\w.:-]{1,64}(?:,[\w.:-]{1,64}){0,15}$/, 'names of network interfaces, with commas between')),
    discovery: v.boolean(),
    'approvals-wait': v.pipe(
      v.number(A_WAIT),
      v.safeInteger(A_WAIT),
      v.minValue(APPROVALS_WAIT_MINUTES_MIN, A_WAIT),
      v.maxValue(APPROVALS_WAIT_MINUTES_MAX, A_WAIT),
    ),
    'keep-messages': keptDays,
    'keep-feed': keptDays,
    'log-level': v.picklist(LOG_LEVELS, A_LEVEL),
    log: v.picklist(LOG_FORMS, A_FORM),
    'request-rate': factor,
    'peer-rate-factor': factor,
  }),
);
type Settings = v.InferOutput<typeof settingsSchema>;

const NAMES = [
  'name',
  'api-port',
  'peer-port',
  'interface',
  'discovery',
  'approvals-wait',
  'keep-messages',
  'keep-feed',
  'log-level',
  'log',
  'request-rate',
  'peer-rate-factor',
] as const satisfies readonly (keyof Settings)[];
type SettingName = (typeof NAMES)[number];
const NUMBERS: ReadonlySet<SettingName> = new Set([
  'api-port',
  'peer-port',
  'approvals-wait',
  'keep-messages',
  'keep-feed',
  'request-rate',
  'peer-rate-factor',
]);

interface ConfigSources {
  /** The flags, without the program's own name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Throws AppError `bad_configuration` that names the setting and where it was given, `bad_request` for words that are no settings. */
export function readConfig({ argv, env }: ConfigSources): Config {
  const flags = readFlags(argv);
  const home = dataFolder(flags.get('home'), env);
  const fromEnv = new Map<string, string>();
  for (const name of NAMES) {
    const value = nonEmpty(env[environmentName(name)]);
    if (value !== undefined) fromEnv.set(name, value);
  }
  const ofThisRun: Settings = {
    ...checked(fromText(fromEnv, environmentName), environmentName),
    ...checked(fromText(flags, flagName), flagName),
  };
  const settings: Settings = { ...readFile(join(home, 'config.json')), ...ofThisRun };
  return Object.freeze({
    home,
    name: settings.name,
    discovery: settings.discovery,
    approvalsWaitMinutes: settings['approvals-wait'],
    keepMessagesDays: settings['keep-messages'],
    keepFeedDays: settings['keep-feed'],
    fixedAtStart: fixedBy(ofThisRun),
    discoveryOff: ofThisRun.discovery === false,
    apiPort: settings['api-port'] ?? API_PORT_DEFAULT,
    peerPort: settings['peer-port'] ?? PEER_PORT_DEFAULT,
    interfaces: settings.interface === undefined ? null : Object.freeze(settings.interface.split(',')),
    logLevel: settings['log-level'] ?? 'info',
    logForm: settings.log,
    requestsPerSecond: settings['request-rate'] ?? REQUESTS_PER_SECOND_DEFAULT,
    peerRateFactor: settings['peer-rate-factor'] ?? 1,
  });
}

/** What the flags and variables of a run fix for it. */
function fixedBy(ofThisRun: Settings): readonly FixedSetting[] {
  const fixed: FixedSetting[] = [];
  if (ofThisRun['keep-messages'] !== undefined) fixed.push('keep_messages_days');
  if (ofThisRun['keep-feed'] !== undefined) fixed.push('keep_feed_days');
  return Object.freeze(fixed);
}

function readFlags(argv: readonly string[]): ReadonlyMap<string, string> {
  const options = Object.fromEntries([...NAMES, 'home'].map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false });
    return new Map(Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  } catch (error) {
    const sentence = error instanceof Error ? (error.message.split('.')[0] ?? '') : 'A flag is wrong';
    throw new AppError('bad_request', `${sentence}.`, {
      hint: `The flags are ${[...NAMES, 'home'].map(flagName).join(', ')}.`,
      failedBy: 'input',
      cause: error,
    });
  }
}

function readFile(path: string): Settings {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // A data folder that is none is told of where it is made.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return {};
    throw new AppError('bad_configuration', `"${path}" cannot be read.`, {
      hint: 'Give it to your user, or take it away: a hub needs none.',
      failedBy: 'input',
      cause: error,
    });
  }
  const inFile = (name: string): string => `"${name}" in ${path}`;
  try {
    if (text.length > CONFIG_SIZE_MAX_BYTES) throw new RangeError('too long');
    const value: unknown = JSON.parse(text);
    return checked(value, inFile);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('bad_configuration', `"${path}" is not JSON.`, {
      hint: `It should look like {"name": "Mum's PC", "api-port": 7117}.`,
      failedBy: 'input',
      cause: error,
    });
  }
}

/** Text from a flag or a variable as the value its setting has. */
function fromText(given: ReadonlyMap<string, string>, where: (name: string) => string): Record<string, unknown> {
  const values: [string, unknown][] = [];
  for (const name of NAMES) {
    const text = given.get(name);
    if (text !== undefined) values.push([name, readText(name, text, where)]);
  }
  return Object.fromEntries(values);
}

function readText(name: SettingName, text: string, where: (name: string) => string): unknown {
  if (NUMBERS.has(name)) {
    if (/^[0-9]{1,7}$/.test(text)) return Number(text);
    throw wrong(where(name), name.endsWith('port') ? 'it must be a port number from 0 to 65535' : 'it must be a whole number');
  }
  if (name !== 'discovery') return text;
  if (['on', 'true', '1', 'yes'].includes(text)) return true;
  if (['off', 'false', '0', 'no'].includes(text)) return false;
  throw wrong(where(name), 'it must be "on" or "off"');
}

function checked(value: unknown, where: (name: string) => string): Settings {
  if (Array.isArray(value)) throw wrong(where('the whole'), 'it must be a JSON object');
  const parsed = v.safeParse(settingsSchema, value);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw wrong(where(v.getDotPath(issue) ?? 'the whole'), issue.message);
}

function wrong(where: string, sentence: string): AppError {
  return new AppError('bad_configuration', `The setting ${where} is wrong: ${sentence}.`, { failedBy: 'input' });
}

function environmentName(name: string): string {
  return `AXON_${name.toUpperCase().replaceAll('-', '_')}`;
}

function flagName(name: string): string {
  return `--${name}`;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
