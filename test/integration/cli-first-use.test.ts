// What `axon` says at a hub that nobody has set up yet: how it is, and who may become the person in
// charge of it.
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodeText } from '../../main/lib/decode-text.ts';
import { Person } from '../support/person.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { axon, endPrograms, type Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

let hub: TestHub;
let passphrase: string;
const run = (...parameters: readonly string[]): Promise<Ended> => axon(hub.home, parameters);
const owner = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);

beforeEach(async () => {
  hub = await TestHub.start();
  passphrase = join(hub.home, 'passphrase');
  writeFileSync(passphrase, 'a passphrase of the tests\n', { mode: 0o600 });
});
afterEach(async () => {
  await endPrograms();
  await hub.stop();
});

describe('a hub nobody has set up yet', () => {
  test('shows its status without a token: name, keys, ports, where its identity is, discovery', async () => {
    const { hub: told } = JSON.parse((await run('status', '--json')).out);
    expect(told).toMatchObject({
      agent_id: expect.stringMatching(/^ed25519\./),
      public_key: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const shown = (await run('status')).out;
    for (const part of [
      told.name,
      told.agent_id,
      told.public_key,
      String(told.api_port),
      `UDP ${told.peer_port}`,
      hub.home,
    ]) {
      expect(shown).toContain(part);
    }
    for (const warning of told.warnings) expect(shown).toContain(`ATTENTION   ${warning}`);
    expect(shown).toContain(`Discovery   ${told.discovery_status.state}`);
  });

  test('gives that status to nobody who cannot read its runtime file', async () => {
    const asked = await hub.ask('/v1/status', { method: 'POST', body: { boot_secret: 'a guess' } });
    expect(asked.status).toBe(401);
    expect(asked.text).not.toContain('public_key');
  });

  test.skipIf(!hasRealPart('terminals'))(
    'says at a terminal what the first passphrase is for and how long it must be, before it is typed',
    async () => {
      const person = Person.start('cli', hub.home, ['agents', 'add', 'mine']);
      await expect.poll(() => person.screen).toContain('at least 8 characters');
      expect(person.screen).toContain('you choose it now');
      person.type('short\r');
      await expect.poll(() => person.screen).toContain('this one has 5.');
      person.type('long enough\r');
      await expect.poll(() => person.screen).toContain('The same again');
      person.type('long enough\r');
      expect(await person.ended(), person.screen).toBe(0);
      expect(person.screen).not.toContain('long enough');
      expect(person.screen).toContain('THE OWNER PASSPHRASE OF THIS HUB IS SET.');
      expect((await run('whoami')).out).toContain('mine on');
    },
  );

  test('lets no script become the person in charge by the way: only the command that chooses a passphrase does', async () => {
    for (const words of [
      ['agents', 'add', 'intruder'],
      ['approvals'],
      ['pair', 'window'],
      ['login', '--json'],
      ['invite', '--json'],
    ]) {
      for (const refused of [await owner(...words), await run(...words)]) {
        expect(refused, words.join(' ')).toMatchObject({ code: 2, out: '' });
        expect(refused.error).toMatch(
          new RegExp(
            `Choose it first: \\\\?"npx axon --home ${hub.home}(?: --passphrase-file \\S+)? passphrase`,
          ),
        );
      }
    }
    expect(JSON.parse((await run('status', '--json')).out).hub.passphrase_set).toBe(false);
    expect(hub.node.services.work.agents.list()).toEqual([]);
    expect(await owner('passphrase')).toMatchObject({
      code: 0,
      out: 'The owner passphrase is set.\n',
    });
    expect(await owner('approvals')).toMatchObject({ code: 0 });
  }, 60_000);

  test('lets nobody at a terminal choose the first passphrase once an agent is connected: that is done on a page', async () => {
    await hub.agent('bot');
    for (const refused of [await owner('passphrase'), await run('passphrase')]) {
      expect(refused).toMatchObject({
        code: 2,
        out: '',
        error: expect.stringContaining('set on a page that is logged in'),
      });
    }
    expect(JSON.parse((await run('status', '--json')).out).hub.passphrase_set).toBe(false);
    const page = await hub.page();
    expect(
      (
        await hub.ask('/v1/passphrase', {
          method: 'PUT',
          body: { passphrase: 'a passphrase of the tests' },
          token: page,
        })
      ).status,
    ).toBe(200);
    expect(await owner('approvals')).toMatchObject({ code: 0 });
  });

  test('refuses a short passphrase of a file in one sentence', async () => {
    writeFileSync(passphrase, 'short\n');
    const refused = await owner('passphrase');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.error).toBe('An owner passphrase has at least 8 characters; this one has 5.\n');
    const direct = await hub.ask('/v1/passphrase', {
      method: 'PUT',
      body: { passphrase: 'short' },
    });
    expect(JSON.parse(direct.text)).toMatchObject({
      title: 'The request does not fit',
      detail: 'passphrase: it needs at least 8 characters.',
    });
  });
});

/** A line as editors of several systems write it. */
const WRITTEN = [
  { encoding: 'utf-8', hasMark: true, ending: '\r\n' },
  { encoding: 'utf-8', hasMark: false, ending: ' \n' },
  { encoding: 'utf-8', hasMark: false, ending: '\nnot the secret\n' },
  { encoding: 'utf-8', hasMark: true, ending: '\r' },
  { encoding: 'utf-16le', hasMark: true, ending: '\r\n' },
  { encoding: 'utf-16be', hasMark: true, ending: ' \r\nnot the secret' },
  { encoding: 'utf-16le', hasMark: false, ending: '' },
] as const;

describe('a secret in a file', () => {
  test.each(WRITTEN)(
    'sets a passphrase that can be typed, and logs in: $encoding, mark $hasMark, ending $ending',
    async (form) => {
      const typed = 'Grüße an Oma';
      writeFileSync(passphrase, encodeText(`${typed}${form.ending}`, form));
      expect(await run('passphrase', '--passphrase-file', passphrase)).toMatchObject({ code: 0 });
      const { signal } = new AbortController();
      await hub.node.services.passphrase.check(`${typed} `, signal);
      if (form !== WRITTEN[0]) return;
      expect(await owner('agents')).toMatchObject({ code: 0 });
      await hub.node.services.passphrase.check('Gru\u0308ße an Oma', signal);
    },
  );

  test.each<[string, Buffer, string]>([
    [
      'one byte a letter',
      Buffer.from('Gr\xfc\xdfe an Oma\n', 'latin1'),
      'is not UTF-8 at line 1, column 3',
    ],
    [
      'nothing on its first line',
      Buffer.from('\r\ncorrect horse\n'),
      'has nothing on its first line',
    ],
    ['zeros', Buffer.from('correct\0horse\n'), 'holds a zero character at line 1, column 8'],
    ['a tab', Buffer.from('correct\thorse\n'), 'holds a character that nobody can see or type'],
    [
      'a hidden blank',
      Buffer.from('correct\u200bhorse\n'),
      'holds a character that nobody can see or type',
    ],
    ['blanks that make it long enough', Buffer.from('horse      \n'), 'this one has 5'],
    ['too much', Buffer.from('x'.repeat(5_000)), 'is longer than 4096 bytes'],
  ])('that has %s sets no passphrase, and says why', async (_name, bytes, why) => {
    writeFileSync(passphrase, bytes);
    const { code, error } = await run('passphrase', '--passphrase-file', passphrase);
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(why) });
    expect(hub.node.services.passphrase.isSet()).toBe(false);
  });

  test.skipIf(process.platform === 'win32')(
    'that is wrong and comes through a named pipe is refused, and waited for once',
    async () => {
      writeFileSync(passphrase, 'correct horse\n');
      expect(await run('passphrase', '--passphrase-file', passphrase)).toMatchObject({ code: 0 });
      const pipe = join(hub.home, 'pipe');
      expect(spawnSync('mkfifo', ['-m', '600', pipe]).status).toBe(0);
      const [refused] = await Promise.all([
        run('agents', '--passphrase-file', pipe),
        writeFile(pipe, 'wrong horse\n'),
      ]);
      expect(refused).toMatchObject({ code: 3, out: '' });
    },
  );

  test('is a token that speaks, however the file is written', async () => {
    const token = await hub.agent('bot');
    const file = join(hub.home, 'bot.token');
    for (const { ending, ...form } of WRITTEN) {
      writeFileSync(file, encodeText(`${token}${ending}`, form));
      const said = await axon(hub.home, ['whoami', '--json'], { AXON_TOKEN_FILE: file });
      expect(JSON.parse(said.out), JSON.stringify({ form, ending })).toMatchObject({
        token: { agent: 'bot' },
      });
    }
  }, 120_000);
});
