// The settings of a hub, one row each. From these rows come what pages, the API and the command
// line read and change, what flags, AXON_ variables and config.json may say, and the switches of
// the Settings page. Their titles stand in strings/owner.ts. Imports from this folder only.
import * as v from 'valibot';
import { LOG_FORMS, LOG_LEVELS, THEMES } from './closed-lists.ts';
import {
  APPROVALS_WAIT_MINUTES_DEFAULT,
  APPROVALS_WAIT_MINUTES_MAX,
  APPROVALS_WAIT_MINUTES_MIN,
  KEEP_DAYS_MAX,
  KEEP_DAYS_MIN,
  KEEP_FEED_DAYS_DEFAULT,
  KEEP_MESSAGES_DAYS_DEFAULT,
  TURNS_DEFAULT,
  TURNS_MAX,
  TURNS_MIN,
  WAKES_DEFAULT,
  WAKES_MAX,
  WAKES_MIN,
} from './limits.ts';

/** Bounds and words that hold wherever a value is given. */
type Schema<Value> = v.GenericSchema<Value, Value>;

interface Setting<Value> {
  readonly schema: Schema<Value>;
  /** Until somebody says otherwise. */
  readonly default: NoInfer<Value>;
  /** What is typed behind its name at a terminal. */
  readonly value: string;
  /** The AXON_ variable and the member of config.json are named after the flag. */
  readonly flag?: { readonly name: string; readonly help: string };
  /**
   * Whether a flag or variable counts for its run whatever a person changed. Without this it counts
   * until a person changes the setting.
   */
  readonly fixedForRun?: 'always' | 'when off';
  /**
   * The section of the Settings page that shows its switch. A setting without one is drawn by hand.
   */
  readonly section?: SwitchSection;
  /** The desktop app alone can do it. */
  readonly desktopOnly?: true;
}
export type SwitchSection = 'general' | 'notifications' | 'network';

/** What can only be said at a start: with a flag, a variable or in config.json. */
interface StartOption<Value, Default extends Value | null> {
  readonly schema: Schema<Value>;
  readonly default: Default;
  /** What is typed behind the flag; null: nothing, the flag alone means "on". */
  readonly value: string | null;
  readonly help: string;
}

const setting = <Value>(row: Setting<Value>): Setting<Value> => row;
const option = <Value, const Default extends NoInfer<Value> | null>(
  row: StartOption<Value, Default>,
): StartOption<Value, Default> => row;

/**
 * Nothing invisible but a joiner between two signs that need one (of an emoji, or of letters other
 * than Latin, Greek, Cyrillic and Armenian ones), and the tags of three flags.
 */
const NAME_SIGNS =
  /^(?:[^\p{C}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|(?<=[^\p{ASCII}\u00a0-\u058f\p{C}])[\u200c\u200d](?=[^\p{ASCII}\u00a0-\u058f\p{C}])|(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f})*$/u;
const NAME_WORDS = 'a name has 1 to 64 characters, none of them invisible';
const onOff = v.boolean('it must be "on" or "off" (in JSON true or false)');
const name = (words: string) =>
  v.pipe(
    v.string(words),
    v.trim(),
    v.minLength(1, words),
    v.maxLength(64, words),
    v.regex(NAME_SIGNS, words),
  );
const whole = (min: number, max: number, words: string) =>
  v.pipe(v.number(words), v.safeInteger(words), v.minValue(min, words), v.maxValue(max, words));
const oneOf = <const Words extends readonly string[]>(list: Words) =>
  v.picklist(list, `it must be one of ${list.join(', ')}`);
const days = whole(
  KEEP_DAYS_MIN,
  KEEP_DAYS_MAX,
  `a time to keep things has ${KEEP_DAYS_MIN} to ${KEEP_DAYS_MAX} days`,
);
const port = whole(0, 65_535, 'a port is a whole number from 0 to 65535, and 0 picks a free one');
const factor = whole(1, 1_000_000, 'it must be a whole number from 1 to 1000000');

/** What a person may change while the hub runs. */
export const SETTINGS = {
  name: setting({
    schema: v.pipe(name(NAME_WORDS), v.regex(/^[^/]*$/, 'a hub\'s name has no "/"')),
    // The hub's own label, which only its identity tells.
    default: '',
    value: 'name',
    flag: {
      name: 'name',
      help: 'how other hubs see this one, until a person changes it (default: "Hub" and eight characters of its agent id)',
    },
  }),
  person: setting({ schema: v.nullable(name(NAME_WORDS)), default: null, value: 'name' }),
  discovery: setting({
    schema: onOff,
    default: true,
    value: 'on|off',
    flag: {
      name: 'discovery',
      help: 'find hubs of the home network by mDNS, until a person changes it; "off" counts for its run (default: on)',
    },
    fixedForRun: 'when off',
    section: 'network',
  }),
  theme: setting({ schema: oneOf(THEMES), default: 'system', value: THEMES.join('|') }),
  start_at_login: setting({
    schema: onOff,
    default: false,
    value: 'on|off',
    section: 'general',
    desktopOnly: true,
  }),
  native_notifications: setting({
    schema: onOff,
    default: true,
    value: 'on|off',
    section: 'notifications',
    desktopOnly: true,
  }),
  single_key_shortcuts: setting({ schema: onOff, default: true, value: 'on|off' }),
  /** How long a request waits for a person, unless whoever asked waits less. */
  approvals_wait_minutes: setting({
    schema: whole(
      APPROVALS_WAIT_MINUTES_MIN,
      APPROVALS_WAIT_MINUTES_MAX,
      `a wait for a person has ${APPROVALS_WAIT_MINUTES_MIN} to ${APPROVALS_WAIT_MINUTES_MAX} minutes`,
    ),
    default: APPROVALS_WAIT_MINUTES_DEFAULT,
    value: 'minutes',
    flag: {
      name: 'approvals-wait',
      help: `how long a request waits for a person, until a person changes it: ${APPROVALS_WAIT_MINUTES_MIN} to ${APPROVALS_WAIT_MINUTES_MAX} (default: ${APPROVALS_WAIT_MINUTES_DEFAULT}, half a day)`,
    },
  }),
  /** How often two agents go back and forth by themselves within an hour. */
  turns_max: setting({
    schema: whole(
      TURNS_MIN,
      TURNS_MAX,
      `two agents go back and forth ${TURNS_MIN} to ${TURNS_MAX} times before you are asked`,
    ),
    default: TURNS_DEFAULT,
    value: 'times',
  }),
  /** How often an agent is woken in a day by a hook or a webhook. */
  wakes_max: setting({
    schema: whole(
      WAKES_MIN,
      WAKES_MAX,
      `an agent is woken ${WAKES_MIN} to ${WAKES_MAX} times a day`,
    ),
    default: WAKES_DEFAULT,
    value: 'times',
  }),
  /** How many days the words of what ended are kept, and notices in the feed. */
  keep_messages_days: setting({
    schema: days,
    default: KEEP_MESSAGES_DAYS_DEFAULT,
    value: 'days',
    flag: {
      name: 'keep-messages',
      help: `how long the words of what ended are kept, in this run whatever a person changed: ${KEEP_DAYS_MIN} to ${KEEP_DAYS_MAX} (default: ${KEEP_MESSAGES_DAYS_DEFAULT})`,
    },
    fixedForRun: 'always',
  }),
  keep_feed_days: setting({
    schema: days,
    default: KEEP_FEED_DAYS_DEFAULT,
    value: 'days',
    flag: {
      name: 'keep-feed',
      help: `how long notices stay in the feed, in this run whatever a person changed: ${KEEP_DAYS_MIN} to ${KEEP_DAYS_MAX} (default: ${KEEP_FEED_DAYS_DEFAULT})`,
    },
    fixedForRun: 'always',
  }),
};

/** By their flags. */
export const START_OPTIONS = {
  'api-port': option({
    schema: port,
    default: 7117,
    value: 'port',
    help: 'the local port, HTTP for this computer only; 0 picks a free one (default: 7117)',
  }),
  'peer-port': option({
    schema: port,
    default: 7100,
    value: 'port',
    help: 'the port between hubs, QUIC over UDP; 0 picks a free one (default: 7100)',
  }),
  interface: option({
    schema: v.pipe(
      v.string(),
      v.regex(
        /^[\w.:-]{1,64}(?:,[\w.:-]{1,64}){0,15}$/,
        'names of network interfaces, with commas between',
      ),
    ),
    default: null,
    value: 'names',
    help: 'find hubs on these network interfaces only, with commas between (default: all)',
  }),
  'no-browser': option({
    schema: onOff,
    default: false,
    value: null,
    help: 'do not open the pages in a browser; without it a start at a terminal does, where there is one',
  }),
  'log-level': option({
    schema: oneOf(LOG_LEVELS),
    default: 'info',
    value: 'level',
    help: 'debug, info, warn or error (default: info)',
  }),
  log: option({
    schema: oneOf(LOG_FORMS),
    default: null,
    value: 'form',
    help: 'text or json (default: text at a terminal, json elsewhere)',
  }),
  'request-rate': option({
    schema: factor,
    default: 100,
    value: 'number',
    help: 'requests of one token a second, for measurements (default: 100)',
  }),
  'peer-rate-factor': option({
    schema: factor,
    default: 1,
    value: 'number',
    help: 'what a peer may send, times this, for measurements (default: 1)',
  }),
};

export type SettingKey = keyof typeof SETTINGS;
export type Settings = {
  readonly [Key in SettingKey]: v.InferOutput<(typeof SETTINGS)[Key]['schema']>;
};
type StartRows = typeof START_OPTIONS;
export type StartOptions = {
  readonly [Name in keyof StartRows]:
    v.InferOutput<StartRows[Name]['schema']> | StartRows[Name]['default'];
};
/** Those that are on or off. */
export type SwitchKey = {
  [Key in SettingKey]: Settings[Key] extends boolean ? Key : never;
}[SettingKey];

// `Object.fromEntries` forgets which value belongs to which key, so its type is written down.
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];
export const SETTING_DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, row]) => [key, row.default]),
) as Settings;
export const SETTING_SCHEMAS = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, { schema }]) => [key, schema]),
) as {
  [Key in SettingKey]: (typeof SETTINGS)[Key]['schema'];
};

export const START_DEFAULTS = Object.fromEntries(
  Object.entries(START_OPTIONS).map(([name, row]) => [name, row.default]),
) as StartOptions;

/** How a setting is called at a terminal: by its flag, or else by its key with dashes. */
export function settingName(key: SettingKey): string {
  return flagOf(key)?.name ?? key.replaceAll('_', '-');
}

/** Everything that can be said at a start, by flag. */
export const FLAGS: readonly {
  readonly name: string;
  readonly schema: v.GenericSchema;
  readonly value: string | null;
  readonly help: string;
  /** Where a person may change it, too. */
  readonly key?: SettingKey;
}[] = [
  ...SETTING_KEYS.flatMap((key) => {
    const { schema, value } = SETTINGS[key];
    const flag = flagOf(key);
    return flag === undefined ? [] : [{ ...flag, schema, value, key }];
  }),
  ...Object.entries(START_OPTIONS).map(([name, row]) => ({ name, ...row })),
];

function flagOf(key: SettingKey): Setting<unknown>['flag'] {
  return SETTINGS[key].flag;
}

/** What was typed, as the value it means; whether that will do is for the schema to say. */
export function valueOfText({ type }: v.GenericSchema, text: string): unknown {
  if (type === 'boolean' && ['on', 'true', '1', 'yes'].includes(text)) return true;
  if (type === 'boolean' && ['off', 'false', '0', 'no'].includes(text)) return false;
  if (type === 'number' && /^[0-9]{1,7}$/.test(text)) return Number(text);
  return type === 'nullable' && text === '' ? null : text;
}

/** The switches of one section of the Settings page, in the order of the table. */
export function switchesOf(
  section: SwitchSection,
): readonly { readonly key: SwitchKey; readonly desktopOnly: boolean }[] {
  return SETTING_KEYS.filter((key) => isSwitch(key)).flatMap((key) => {
    const row: Setting<boolean> = SETTINGS[key];
    return row.section === section ? [{ key, desktopOnly: row.desktopOnly === true }] : [];
  });
}

function isSwitch(key: SettingKey): key is SwitchKey {
  return SETTINGS[key].schema.type === 'boolean';
}
