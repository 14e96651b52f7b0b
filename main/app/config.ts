// The settings a hub starts with. Order, strongest first: flags, AXON_ variables, config.json,
// defaults. Read once, checked, frozen. What a person changes while the hub runs is in
// SettingsService. Must never hold a secret.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import type { LogForm, LogLevel } from '../../preload/contract/closed-lists.ts';
import { FLAGS, SETTINGS, START_DEFAULTS, valueOfText } from '../../preload/contract/settings.ts';
import type { SettingKey, Settings, StartOptions } from '../../preload/contract/settings.ts';
import type { FixedSettings } from '../../preload/contract/settings-dto.ts';
import { AppError } from '../lib/app-error.ts';
import { decodeText } from '../lib/decode-text.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { parseJsonFile } from '../lib/strict-json.ts';
import { dataFolder } from '../lib/data-folder.ts';
import { whyUnread } from '../lib/why-unread.ts';

/** A config.json beyond one of these is somebody's mistake. */
const CONFIG_LIMITS = {
  sizeMaxBytes: 65_536,
  depthMax: 8,
  nodesMax: 4_096,
  keysPerObjectMax: 256,
} as const;

export interface Config {
  /** The data folder, absolute. */
  readonly home: string;
  /** What of the owner's settings was given at start. */
  readonly settings: Partial<Settings>;
  /** Those of them that count for this run, whatever a person changed. */
  readonly fixed: FixedSettings;
  /** A start at a terminal opens the pages in a browser. */
  readonly opensBrowser: boolean;
  /** 0 picks a free one. */
  readonly apiPort: number;
  /** UDP; 0 picks a free one. */
  readonly peerPort: number;
  /** Network interfaces for finding hubs, by name; null = every one. */
  readonly interfaces: readonly string[] | null;
  readonly logLevel: LogLevel;
  /** How a log line looks; null: text at a terminal, JSON elsewhere. */
  readonly logForm: LogForm | null;
  /** Requests of one token a second at the localhost API. */
  readonly requestsPerSecond: number;
  /** What a peer may send by default, times this. */
  readonly peerRateFactor: number;
}

interface ConfigSources {
  /** The flags, without the program's own name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Values by the names of their flags: each is as its schema wants it. */
type Given = ReadonlyMap<string, unknown>;

/**
 * Throws AppError `bad_configuration` that names the setting and where it was given, `bad_request`
 * for words that are no settings.
 */
export function readConfig({ argv, env }: ConfigSources): Config {
  const typed = readFlags(argv);
  const home = dataFolder(typed.get('home'), env);
  const variables = readText((name) => nonEmpty(env[environmentName(name)]), environmentName);
  const flags = readText((name) => typed.get(name), flagName);
  const given: Given = new Map([...readFile(join(home, 'config.json')), ...variables, ...flags]);
  // What stands in `given` has passed the schemas of its rows.
  const settings = Object.fromEntries(
    FLAGS.flatMap(({ name, key }) => (key && given.has(name) ? [[key, given.get(name)]] : [])),
  ) as Partial<Settings>;
  const start = { ...START_DEFAULTS, ...(Object.fromEntries(given) as Partial<StartOptions>) };
  return Object.freeze({
    home,
    settings,
    fixed: fixedBy(variables, flags),
    opensBrowser: !start['no-browser'],
    apiPort: start['api-port'],
    peerPort: start['peer-port'],
    interfaces: start.interface?.split(',') ?? null,
    logLevel: start['log-level'],
    logForm: start.log,
    requestsPerSecond: start['request-rate'],
    peerRateFactor: start['peer-rate-factor'],
  });
}

/** The settings that count for this run, with what said so. */
function fixedBy(variables: Given, flags: Given): FixedSettings {
  const fixed = FLAGS.flatMap(({ name, key }): [SettingKey, string][] => {
    const value = flags.get(name) ?? variables.get(name);
    if (key === undefined || value === undefined) return [];
    const { fixedForRun } = SETTINGS[key];
    const counts = fixedForRun === 'always' || (fixedForRun === 'when off' && value === false);
    const off = fixedForRun === 'when off';
    return counts
      ? [
          [
            key,
            flags.has(name)
              ? flagName(name) + (off ? ' off' : '')
              : environmentName(name) + (off ? '=off' : ''),
          ],
        ]
      : [];
  });
  return Object.freeze(Object.fromEntries(fixed));
}

function readFlags(argv: readonly string[]): ReadonlyMap<string, string> {
  const names = [...FLAGS.map(({ name }) => name), 'home'];
  const bare = new Set(FLAGS.filter(({ value }) => value === null).map(({ name }) => name));
  const options = Object.fromEntries(
    names.map((name) => [
      name,
      { type: bare.has(name) ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    const { values } = parseArgs({
      args: [...argv],
      options,
      strict: true,
      allowPositionals: false,
    });
    return new Map(
      Object.entries(values).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value === true ? 'on' : String(value)]],
      ),
    );
  } catch (error) {
    const sentence =
      error instanceof Error ? (error.message.split('.')[0] ?? '') : 'A flag is wrong';
    throw new AppError('bad_request', `${sentence}.`, {
      hint: `The flags are ${names.map(flagName).join(', ')}.`,
      failedBy: 'input',
      cause: error,
    });
  }
}

function readFile(path: string): Given {
  const bytes = bytesOf(path);
  if (bytes === undefined) return new Map();
  if (bytes.byteLength > CONFIG_LIMITS.sizeMaxBytes)
    throw notJson(path, `is longer than ${CONFIG_LIMITS.sizeMaxBytes} bytes`);
  const decoded = decodeText(bytes);
  if (!decoded.ok) throw notJson(path, decoded.error);
  const json = parseJsonFile(decoded.value.text, CONFIG_LIMITS);
  if (!json.ok) throw notJson(path, `is not JSON: ${json.error}`);
  const inFile = (name: string): string => `"${name}" in ${path}`;
  if (!isJsonObject(json.value)) throw wrong(inFile('the whole'), 'it must be a JSON object');
  const members = new Map(Object.entries(json.value));
  const unknown = [...members.keys()].find((name) => !FLAGS.some((flag) => flag.name === name));
  if (unknown !== undefined) throw wrong(inFile(unknown), 'there is no such setting');
  return checked(members, inFile);
}

/**
 * Undefined where there is no such file: a data folder that is none is told of where it is made.
 */
function bytesOf(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    )
      return undefined;
    throw new AppError('bad_configuration', `"${path}" cannot be read: ${whyUnread(error)}.`, {
      hint: 'Give it to your user, or take it away: a hub needs none.',
      failedBy: 'input',
      cause: error,
    });
  }
}

/** @param flaw as "is not JSON: ..." */
function notJson(path: string, flaw: string): AppError {
  return new AppError('bad_configuration', `"${path}" ${flaw}.`, {
    hint: `It should look like {"name": "Mum's PC", "api-port": 7117}, without comments.`,
    failedBy: 'input',
  });
}

/** What flags or variables say. */
function readText(
  given: (name: string) => string | undefined,
  where: (name: string) => string,
): Given {
  const said = FLAGS.flatMap(({ name, schema }): [string, unknown][] => {
    const text = given(name);
    return text === undefined ? [] : [[name, valueOfText(schema, text)]];
  });
  return checked(new Map(said), where);
}

function checked(values: Given, where: (name: string) => string): Given {
  return new Map(
    FLAGS.filter(({ name }) => values.has(name)).map(({ name, schema }): [string, unknown] => {
      const parsed = v.safeParse(schema, values.get(name));
      if (parsed.success) return [name, parsed.output];
      throw wrong(where(name), parsed.issues[0].message);
    }),
  );
}

function wrong(where: string, sentence: string): AppError {
  return new AppError('bad_configuration', `The setting ${where} is wrong: ${sentence}.`, {
    failedBy: 'input',
  });
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
