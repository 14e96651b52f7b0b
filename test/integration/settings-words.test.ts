// The settings at a terminal against a real hub: shown, changed within the same bounds as on the
// page, and told what this run fixes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../main/app/config.ts';
import { SETTING_KEYS, settingName } from '../../preload/contract/settings.ts';
import { axon, choosePassphrase, type Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

const SLOW = { timeout: 60_000 };
let hub: TestHub;
let passphrase: string;

const owner = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);
const now = () => hub.node.services.settings.current();

beforeAll(async () => {
  hub = await TestHub.start();
  passphrase = await choosePassphrase(hub.home);
  expect(await owner('agents', 'add', 'bot')).toMatchObject({ code: 0 });
}, 120_000);
afterAll(() => hub.stop());

describe('axon settings', () => {
  test('lists every setting by the name it has at a terminal, as it counts', SLOW, async () => {
    const { out } = await owner('settings');
    expect(out.match(/^\S+/gm)).toEqual(['SETTING', ...SETTING_KEYS.map(settingName)]);
    expect(out).toMatch(/^name +Test hub +-$/m);
    expect(out).toMatch(/^discovery +off +-$/m);
    expect(JSON.parse((await owner('settings', '--json')).out)).toEqual(now());
  });

  test(
    'shows one with what it means, and changes it at once, with its author on record',
    SLOW,
    async () => {
      expect((await owner('settings', 'approvals-wait')).out).toMatch(
        /^approvals-wait {2}720\nHow long a request waits for you\. /,
      );
      expect(await owner('settings', 'approvals-wait', '60')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^approvals-wait {2}60\n[^]*Saved\.\n$/),
      });
      expect(now().approvals_wait_minutes).toBe(60);
      await owner('settings', 'start-at-login', 'on');
      await owner('settings', 'person', ' Mum ');
      expect(now()).toMatchObject({ start_at_login: true, person: 'Mum' });
      expect((await owner('settings', 'person', '')).out).toMatch(/^person {2}-\n/);
      expect(now().person).toBeNull();
      const { out } = await owner('audit', 'list', '--json');
      const [row] = JSON.parse(out).items.filter(
        ({ action }: { action: string }) => action === 'settings.changed',
      );
      expect(row).toMatchObject({
        surface: 'command_line',
        actor: expect.stringMatching(/^owner:/),
      });
    },
  );

  test.each([
    ['approvals-wait', '0', 'a wait for a person has 1 to 1440 minutes'],
    ['keep-feed', '36501', 'a time to keep things has 1 to 36500 days'],
    ['keep-messages', 'all', 'a time to keep things has 1 to 36500 days'],
    ['discovery', 'maybe', 'it must be "on" or "off"'],
    ['theme', 'pink', 'it must be one of system, light, dark, contrast'],
    ['name', '', 'a name has 1 to 64 characters'],
  ])(
    'refuses %s %o in the words of a flag, and before it asks who is there',
    SLOW,
    async (name, value, words) => {
      const before = now();
      expect(await axon(hub.home, ['settings', name, value])).toMatchObject({
        code: 2,
        error: expect.stringContaining(`${name} is wrong: ${words}`),
      });
      expect(now()).toEqual(before);
      const key = SETTING_KEYS.find((key) => settingName(key) === name) ?? '';
      const token = await hub.page();
      const typed = /^\d+$/.test(value) ? Number(value) : value;
      const page = await hub.ask('/v1/settings', {
        method: 'PATCH',
        token,
        body: { [key]: typed },
      });
      expect([page.status, page.text]).toEqual([
        400,
        expect.stringContaining(JSON.stringify(words).slice(1, -1)),
      ]);
      const flag = () => readConfig({ argv: [`--${name}=${value}`], env: { AXON_HOME: hub.home } });
      if (name !== 'theme') expect(flag).toThrow(`--${name} is wrong: ${words}`);
    },
  );

  test('names the settings to whoever mistypes one', SLOW, async () => {
    const refused = await owner('settings', 'colour');
    expect(refused).toMatchObject({
      code: 2,
      error: expect.stringMatching(/no setting "colour"[^]*name, person, .*keep-feed/),
    });
  });

  test('is for the person in charge: no agent reads or changes them', SLOW, async () => {
    for (const words of [['settings'], ['settings', 'theme', 'dark']]) {
      expect(await axon(hub.home, ['--as', 'bot', ...words])).toMatchObject({
        code: 2,
        error: expect.stringContaining('passphrase'),
      });
    }
    expect(now().theme).toBe('system');
  });

  test(
    'says what a flag or variable fixes for this run, which one, and keeps a change for later',
    SLOW,
    async () => {
      const { settings, fixed } = readConfig({
        argv: ['--keep-messages', '30'],
        env: { AXON_DISCOVERY: 'off' },
      });
      await hub.node.stop();
      const node = await hub.restart({ settings, fixed });
      await node.start();
      const { out } = await owner('settings');
      expect(out).toMatch(/^keep-messages +30 +--keep-messages$/m);
      expect(out).toMatch(/^discovery +off +AXON_DISCOVERY=off$/m);
      const changed = await owner('settings', 'keep-messages', '90');
      expect(changed.out).toMatch(/^keep-messages {2}30\n/);
      expect(changed.out).toContain(
        'This hub was started with --keep-messages. That applies until you start it without.',
      );
      expect(changed.out).toContain('Your change is saved. It applies from then on.');
      await node.stop();
      const next = await hub.restart();
      expect(next.services.settings.current()).toMatchObject({
        keep_messages_days: 90,
        discovery: false,
      });
      expect(next.services.settings.current().fixed_at_start).toEqual({});
      await next.stop();
    },
  );
});
