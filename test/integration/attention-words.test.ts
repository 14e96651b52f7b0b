// When a person is asked, at a terminal against a real hub: pause, quiet hours, mutes and requests
// that are put off.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axon, choosePassphrase, type Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { newIdentity } from './quic-test-hub.ts';

const SLOW = { timeout: 60_000 };
const TOKYO_AHEAD_MS = 9 * 3_600_000;
let hub: TestHub;
let passphrase: string;

const owner = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);
/** By a clock that no test machine has by chance. */
const inTokyo = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters], { TZ: 'Asia/Tokyo' });

beforeAll(async () => {
  hub = await TestHub.start();
  passphrase = await choosePassphrase(hub.home);
  expect(await owner('agents', 'add', 'asker')).toMatchObject({ code: 0 });
  expect(await owner('agents', 'add', 'bot', '--domain', 'family.chat')).toMatchObject({ code: 0 });
  const leo = {
    keyHex: newIdentity().keyHex,
    host: '127.0.0.1',
    port: 9,
    name: 'Leo',
    way: 'key',
  } as const;
  await hub.node.services.keyTrust.add(leo, { actor: 'ui:test', surface: 'browser' });
}, 120_000);
afterAll(() => hub.stop());

describe('axon', () => {
  test('pauses everything until a person goes on, or for a time', SLOW, async () => {
    expect(await owner('pause')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Everything is paused until you resume.'),
    });
    expect((await inTokyo('pause', '--for', '2h')).out).toMatch(
      /Everything is paused until \d{4}-\d\d-\d\d \d\d:\d\d \(Asia\/Tokyo\)\./,
    );
    expect((await axon(hub.home, ['status'])).out).toMatch(
      /^Held back +Everything is paused until \d{4}/m,
    );
    const { paused } = hub.node.services.work.doNotDisturb.dto();
    expect(((paused?.until ?? 0) - (paused?.since ?? 0)) / 3_600_000).toBeCloseTo(2, 1);
    expect((await owner('resume')).out).not.toContain('paused');
    expect(hub.node.services.work.doNotDisturb.dto().paused).toBeNull();
    expect(await owner('pause', '--for', 'a while')).toMatchObject({
      code: 2,
      error: expect.stringContaining('30m, 2h, 1d or 1w'),
    });
    expect(await axon(hub.home, ['--as', 'asker', 'pause'])).not.toMatchObject({ code: 0 });
  });

  test(
    'keeps quiet hours, changes them by their name, and says who may disturb them',
    SLOW,
    async () => {
      expect((await owner('quiet')).out).toBe('No quiet hours.\n');
      await owner('quiet', 'set', 'Night', '--from', '21:30', '--to', '07:00');
      expect((await owner('quiet')).out).toContain('Night: every day 21:30 to 07:00');
      await owner(
        'quiet',
        'set',
        'Night',
        '--from',
        '22:00',
        '--to',
        '06:00',
        '--days',
        'fri,sat',
        '--off',
      );
      expect((await owner('quiet', 'list')).out).toContain(
        'Night: Fri, Sat 22:00 to 06:00. Switched off.',
      );
      expect((await owner('quiet', 'urgent', 'Leo', '--json')).out).toContain(
        hub.node.services.directory.list('paired')[0]?.id ?? '?',
      );
      expect((await owner('quiet')).out).toContain('Can interrupt with urgent requests: Leo\n');
      expect(await owner('quiet', 'urgent', 'Nobody')).toMatchObject({ code: 2 });
      const same = await owner('quiet', 'set', 'Odd', '--from', '10:00', '--to', '10:00');
      expect(same).toMatchObject({
        code: 2,
        error: expect.stringContaining('another time than they begin'),
      });
      expect(await owner('quiet', 'remove', 'Odd')).toMatchObject({
        code: 2,
        error: expect.stringContaining('no quiet hours called "Odd"'),
      });
      await owner('quiet', 'remove', 'Night');
      expect(hub.node.services.work.doNotDisturb.dto().quiet_hours.periods).toEqual([]);
    },
  );

  test('mutes a hub for a day or as long as it is told, and hears it again', SLOW, async () => {
    expect((await owner('peers', 'mute', 'Leo')).out).toMatch(/^Leo is muted until \d{4}/);
    expect((await owner('quiet')).out).toContain('Leo is muted until');
    expect((await axon(hub.home, ['status'])).out).toMatch(/^Held back +Leo is muted until \d{4}/m);
    expect((await axon(hub.home, ['--as', 'asker', 'peers'])).out).toMatch(
      /^Leo +away, muted +paired/m,
    );
    expect(await owner('peers', 'unmute', 'Leo')).toMatchObject({
      code: 0,
      out: 'Leo is heard again.\n',
    });
    expect((await axon(hub.home, ['status'])).out).not.toContain('Held back');
    expect(await owner('peers', 'mute', 'Nobody', '--for', '1w')).toMatchObject({ code: 2 });
    expect(await owner('peers', 'mute', 'Leo', '--for', '9w')).toMatchObject({
      code: 2,
      error: expect.stringContaining('next 31 days'),
    });
  });

  test(
    'puts a request off, lists it as held, counts it apart and asks again when told',
    SLOW,
    async () => {
      const work = {
        domain: 'family.chat',
        task: 'Say hello',
        priority: 'normal',
        report_back: true,
      } as const;
      await hub.node.services.work.sender.delegate({ to: 'local/bot', ...work }, 'asker', null);
      const [card] = hub.node.services.work.approvals.pending();
      expect((await owner('approvals', 'later', card?.id ?? '', '--for', '2h')).out).toMatch(
        /^Held until \d{4}/,
      );
      expect((await owner('approvals')).out).toMatch(/ Put off by a person\. /);
      expect((await owner('approvals', 'show', card?.id ?? '')).out).toContain(
        'You put these off.',
      );
      const shown = (await inTokyo('approvals', 'show', card?.id ?? '')).out;
      const untils = shown.match(/until \d{4}-.*/gi) ?? [];
      expect(untils).toHaveLength(2);
      for (const words of untils)
        expect(words).toMatch(/until \d{4}-\d\d-\d\d \d\d:\d\d \(Asia\/Tokyo\)/i);
      // While it is held only the asker's own deadline ends it.
      const [held] = hub.node.services.work.approvals.pending();
      const expiresThere = new Date((held?.expires_at ?? 0) + TOKYO_AHEAD_MS)
        .toISOString()
        .slice(0, 16)
        .replace('T', ' ');
      expect(shown).toContain(`Waits until ${expiresThere} (Asia/Tokyo).`);
      const asked = await axon(hub.home, ['--as', 'asker', 'tasks', card?.task_id ?? '']);
      expect(asked.out).toMatch(/A person is asked at \d{4}-\d\d-\d\d \d\d:\d\d \([\w/]+\)\./);
      expect((await owner('status')).out).toContain('0 for a person, 1 held until later');
      expect((await owner('approvals', 'now')).out).toBe(
        '1 of the held requests waits for you now.\n',
      );
      expect((await owner('status')).out).toMatch(/1 for a person\n/);
    },
  );
});
