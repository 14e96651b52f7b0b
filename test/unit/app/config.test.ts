// The settings of a start: where they come from, which stands above which, and that every mistake
// is named.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../main/app/config.ts';
import { hubFlags } from '../../../main/app/desktop.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { encodeText } from '../../../main/lib/decode-text.ts';
import { ERRORS } from '../../../preload/contract/errors.ts';
import { OPERATIONS } from '../../../preload/contract/operations.ts';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'axon-config-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const read = (
  argv: readonly string[] = [],
  env: Record<string, string> = {},
): ReturnType<typeof readConfig> => readConfig({ argv, env: { AXON_HOME: home, ...env } });
const file = (content: unknown): void =>
  writeFileSync(
    join(home, 'config.json'),
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  );

describe('settings', () => {
  test('have defaults', () => {
    expect(read()).toEqual({
      home,
      settings: {},
      fixed: {},
      opensBrowser: true,
      apiPort: 7117,
      peerPort: 7100,
      interfaces: null,
      logLevel: 'info',
      logForm: null,
      requestsPerSecond: 100,
      peerRateFactor: 1,
    });
  });

  test('take a name with joiners where a language or an emoji needs them, and no other invisible sign', () => {
    for (const name of [
      'Familie 👨\u200d👩\u200d👧',
      'خانه\u200cی ما',
      'ශ්\u200dරී',
      '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Hub',
    ])
      expect(read(['--name', name])).toMatchObject({ settings: { name } });
    for (const name of ['Da\u200dd', 'Dad\u202e', 'x\u{e0067}', '\u3164', 'Dad\u200c'])
      expect(() => read(['--name', name]), name).toThrow('none of them invisible');
  });

  test('come from flags before the environment before config.json', () => {
    file({ name: 'file', 'api-port': 1, 'peer-port': 1, discovery: false, 'log-level': 'error' });
    const env = { AXON_NAME: 'environment', AXON_API_PORT: '2', AXON_DISCOVERY: 'on' };
    expect(read(['--name', 'flag', '--peer-port=0'], env)).toMatchObject({
      settings: { name: 'flag', discovery: true },
      apiPort: 2,
      peerPort: 0,
      logLevel: 'error',
    });
  });

  test('tell discovery that is off for this run from one that config.json starts with', () => {
    file({ discovery: false });
    expect(read()).toMatchObject({ settings: { discovery: false } });
    expect(read().fixed).toEqual({});
    expect(read(['--discovery', 'on'])).toMatchObject({ settings: { discovery: true } });
    expect(read(['--discovery', 'on']).fixed).toEqual({});
    expect(read(['--discovery', 'off'], { AXON_DISCOVERY: 'on' })).toMatchObject({
      settings: { discovery: false },
      fixed: { discovery: '--discovery off' },
    });
    expect(read([], { AXON_DISCOVERY: 'off' }).fixed).toEqual({ discovery: 'AXON_DISCOVERY=off' });
    expect(read(['--discovery', 'on'], { AXON_DISCOVERY: 'off' }).fixed).toEqual({});
  });

  test('say how long a request waits for a person, in minutes', () => {
    file({ 'approvals-wait': 60 });
    expect(read().settings.approvals_wait_minutes).toBe(60);
    expect(read(['--approvals-wait', '1440']).settings.approvals_wait_minutes).toBe(1_440);
  });

  test('say how long the words of what ended and the feed are kept, in days', () => {
    file({ 'keep-messages': 30, 'keep-feed': 7 });
    expect(read().settings).toEqual({ keep_messages_days: 30, keep_feed_days: 7 });
    expect(read(['--keep-feed', '1'], { AXON_KEEP_MESSAGES: '36500' }).settings).toEqual({
      keep_messages_days: 36_500,
      keep_feed_days: 1,
    });
  });

  test('tell a time to keep things that is fixed for this run from one that config.json starts with', () => {
    file({ 'keep-messages': 30, 'keep-feed': 7 });
    expect(read().fixed).toEqual({});
    expect(read(['--keep-messages', '30']).fixed).toEqual({
      keep_messages_days: '--keep-messages',
    });
    expect(
      read(['--keep-messages', '30'], { AXON_KEEP_FEED: '7', AXON_KEEP_MESSAGES: '60' }).fixed,
    ).toEqual({
      keep_messages_days: '--keep-messages',
      keep_feed_days: 'AXON_KEEP_FEED',
    });
  });

  test.each([
    '0',
    '-1',
    '36501',
    '9999999',
    '1e9',
    '1.5',
    'NaN',
    'Infinity',
    ' 30',
    '30d',
    '0x10',
    '٣',
    'null',
    '99999999999999999999',
  ])('refuse %o as a number of days to keep things, wherever it is given', (text) => {
    for (const name of ['keep-messages', 'keep-feed']) {
      expect(() => read([`--${name}=${text}`])).toThrow(new RegExp(`--${name} is wrong`));
      const variable = `AXON_${name.toUpperCase().replace('-', '_')}`;
      expect(() => read([], { [variable]: text })).toThrow(new RegExp(`${variable} is wrong`));
      file({ [name]: text });
      expect(() => read()).toThrow(
        /config\.json is wrong: a time to keep things has 1 to 36500 days/,
      );
      file({});
    }
  });

  test.each([0, -1, 1.5, 36_501, null, [], {}, true])(
    'refuse %o as days in config.json and from a page',
    (value) => {
      file({ 'keep-messages': value });
      expect(() => read()).toThrow(/"keep-messages" in .*config\.json is wrong/);
      const { params } = OPERATIONS['settings.update'];
      for (const name of ['keep_messages_days', 'keep_feed_days'])
        expect(v.safeParse(params, { [name]: value }).success).toBe(false);
      expect(v.safeParse(params, { keep_messages_days: 1, keep_feed_days: 36_500 }).success).toBe(
        true,
      );
    },
  );

  test('open no browser where a flag, a variable or config.json says so', () => {
    expect(read(['--no-browser']).opensBrowser).toBe(false);
    expect(read(['--no-browser', '--name', 'Mum'])).toMatchObject({
      opensBrowser: false,
      settings: { name: 'Mum' },
    });
    expect(read([], { AXON_NO_BROWSER: 'on' }).opensBrowser).toBe(false);
    file({ 'no-browser': true });
    expect(read().opensBrowser).toBe(false);
    expect(read([], { AXON_NO_BROWSER: 'off' }).opensBrowser).toBe(true);
    expect(() => read(['--no-browser=on'])).toThrow(/--no-browser/);
  });

  test('are frozen, and --home stands above AXON_HOME', () => {
    const config = read(['--home', '/elsewhere', '--interface', 'eth0,wlan0']);
    expect(config.home).toBe('/elsewhere');
    expect(config.interfaces).toEqual(['eth0', 'wlan0']);
    expect(Object.isFrozen(config)).toBe(true);
  });

  test.each<[string, () => unknown, RegExp]>([
    ['a port that is no number', () => read(['--api-port', '71x']), /--api-port.*0 to 65535/],
    ['a wait of no minute', () => read(['--approvals-wait', '0']), /--approvals-wait.*1 to 1440/],
    [
      'a wait of more than a day',
      () => read([], { AXON_APPROVALS_WAIT: '1441' }),
      /AXON_APPROVALS_WAIT.*1 to 1440/,
    ],
    ['a rate of nothing', () => read(['--request-rate', '0']), /--request-rate/],
    [
      'a port beyond the last one',
      () => read(['--peer-port', '70000']),
      /--peer-port.*from 0 to 65535/,
    ],
    [
      'a level that is none',
      () => read([], { AXON_LOG_LEVEL: 'loud' }),
      /AXON_LOG_LEVEL is wrong: it must be one of debug, info, warn, error/,
    ],
    [
      'a switch that is neither on nor off',
      () => read([], { AXON_DISCOVERY: 'maybe' }),
      /AXON_DISCOVERY.*"on" or "off"/,
    ],
    ['an interface that is a command', () => read(['--interface', 'eth0; reboot']), /--interface/],
    ['a name of spaces', () => read(['--name', '   ']), /--name/],
  ])('refuse %s and name it', (_title, attempt, words) => {
    expect(failure(attempt)).toMatchObject({
      code: 'bad_configuration',
      message: expect.stringMatching(words),
    });
  });

  test.each<[string, readonly string[], RegExp]>([
    ['a flag that is none', ['--colour', 'red'], /--colour/],
    ['a flag without its value', ['--name'], /--name/],
    ['a stray word', ['start'], /start/],
  ])('refuse %s as words that were typed wrong', (_title, argv, words) => {
    expect(failure(() => read(argv))).toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(words),
    });
    expect(ERRORS.bad_request.exit).toBe(2);
  });

  test('of a desktop start are told from its own words and from switches of Chromium', () => {
    const chromium = [
      '--ozone-platform=wayland',
      '--disable-gpu',
      '--force-device-scale-factor=2',
      '--enable-features=A,B',
      '--no-sandbox',
    ];
    expect(
      hubFlags(['/opt/electron', '/opt/hub', '--hidden', ...chromium, '--name', 'Mum', '--colour']),
    ).toEqual(['--name', 'Mum', '--colour']);
  });

  test.each([
    ['utf-8', true],
    ['utf-16le', true],
    ['utf-16be', true],
    ['utf-16le', false],
  ] as const)('are read from a config.json in %s, with a mark: %s', (encoding, hasMark) => {
    const text = '{\r\n"name": "Müllers Küche",\r\n"api-port": 7118}\r\n';
    file(Buffer.from(encodeText(text, { encoding, hasMark })));
    expect(read()).toMatchObject({ apiPort: 7118, settings: { name: 'Müllers Küche' } });
  });

  test.each<[string, unknown, RegExp]>([
    ['is not JSON', '{name: 1}', /config\.json" is not JSON/],
    ['has a setting that is none', { colour: 'red' }, /colour/],
    ['has a wrong value', { 'api-port': 'many' }, /"api-port" in .*config\.json/],
    ['is a list', [], /config\.json/],
    [
      'has a comment',
      '{\n  // ours\n  "api-port": 7118\n}',
      /is not JSON: line 2, column 3: a comment is not allowed; take it out/,
    ],
    ['has a comma too many', '{\r\n  "api-port": 7118,\r\n}', /line 3, column 1: expected a key/],
    ['has a key twice', '{"api-port": 1, "api-port": 2}', /line 1, column 17: .*stands twice/],
    ['is no UTF-8', Buffer.from('{"name":\n"M\xfcller"}', 'latin1'), /is not UTF-8 at line 2, col/],
  ])('refuse a config.json that %s', (_title, content, words) => {
    file(content);
    expect(failure(() => read())).toMatchObject({
      code: 'bad_configuration',
      message: expect.stringMatching(words),
    });
  });
});

function failure(attempt: () => unknown): AppError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
