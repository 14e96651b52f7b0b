// The headless hub as a process: it starts, says where it is, keeps one folder to itself, survives
// being killed, and stops in order.
import { createSocket } from 'node:dgram';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodeText } from '../../main/lib/decode-text.ts';
import { Program, axon, choosePassphrase, runtimeOf, startHeadless } from '../support/programs.ts';
import type { HeadlessHub } from '../support/programs.ts';

let home: string;
const running: HeadlessHub[] = [];

beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'axon-headless-'))));
afterEach(async () => {
  for (const { program } of running.splice(0)) {
    program.kill('SIGKILL');
    await program.ended();
  }
  rmSync(home, { recursive: true, force: true });
});

async function start(): Promise<HeadlessHub> {
  const hub = await startHeadless(home);
  running.push(hub);
  return hub;
}

const health = async (port: number): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${port}/health`)).json();

describe('a headless hub', () => {
  test('answers, and stops in order on a signal with its files gone and its ports free', async () => {
    const { program, port } = await start();
    expect(await health(port)).toEqual({ status: 'ok', state: 'running' });
    program.kill('SIGTERM');
    expect(await program.ended()).toMatchObject({ code: 0 });
    expect(existsSync(join(home, 'hub.json'))).toBe(false);
    expect(existsSync(join(home, 'hub.sock'))).toBe(false);
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
  });

  test('goes on, and stops in order, when nobody reads its output any more', async () => {
    const { program, port } = await start();
    program.stopReading();
    const broken = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' };
    for (let i = 0; i < 5; i += 1) await fetch(`http://127.0.0.1:${port}/v1/sessions`, broken);
    expect(await health(port)).toMatchObject({ status: 'ok' });
    program.kill('SIGTERM');
    expect(await program.ended()).toMatchObject({ code: 0 });
  });

  test('HT-13: prints no login link where its output is not a terminal, and names the command that does', async () => {
    const { program } = await start();
    expect(program.out).toMatch(/npx axon (--home \S+ )?login/);
    expect(program.out + program.error).not.toContain('#c=');
  });

  test('refuses a second hub in its folder', async () => {
    await start();
    const second = await Program.start('headless', ['--api-port', '0', '--peer-port', '0'], {
      AXON_HOME: home,
    }).ended();
    expect(second.code).toBe(1);
    expect(second.error).toContain(`is using the data folder "${home}"`);
    expect(second.error).toContain('--home');
    expect(await health(runtimeOf(home).port)).toMatchObject({ status: 'ok' });
  });

  test('starts again after it was killed, as the same hub', async () => {
    const first = await start();
    await axon(home, ['agents', 'add', 'bot', '--passphrase-file', await choosePassphrase(home)]);
    const before = JSON.parse((await axon(home, ['status', '--json'])).out);
    first.program.kill('SIGKILL');
    await first.program.ended();
    const secret = runtimeOf(home).boot_secret;
    await start();
    expect(runtimeOf(home).boot_secret).not.toBe(secret);
    const after = JSON.parse((await axon(home, ['status', '--json'])).out);
    expect(after.hub.agent_id).toBe(before.hub.agent_id);
    expect(after.agents.registered).toBe(1);
  });

  test.each([
    { encoding: 'utf-8', hasMark: true },
    { encoding: 'utf-16le', hasMark: true },
    { encoding: 'utf-16be', hasMark: false },
  ] as const)('takes its settings from a config.json as editors write it: %j', async (form) => {
    const text = '{\r\n  "name": "Müllers Küche"\r\n}\r\n';
    writeFileSync(join(home, 'config.json'), encodeText(text, form));
    await start();
    const { hub } = JSON.parse((await axon(home, ['status', '--json'])).out);
    expect(hub.name).toBe('Müllers Küche');
  });

  test.each<[string, Buffer, string]>([
    ['a comment', Buffer.from('{\n  // mine\n}'), 'line 2, column 3: a comment is not allowed'],
    [
      'another encoding',
      Buffer.from('{"name":"M\xfcller"}', 'latin1'),
      'is not UTF-8 at line 1, col',
    ],
  ])('stays down where its config.json has %s, and says where', async (_title, bytes, words) => {
    writeFileSync(join(home, 'config.json'), bytes);
    const ended = await Program.start('headless', [], { AXON_HOME: home }).ended();
    expect(ended).toMatchObject({ code: 1, error: expect.stringContaining(words) });
    expect(existsSync(join(home, 'hub.lock'))).toBe(false);
  });

  test('F-15: says which port is taken and never takes another one', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    try {
      const refused = await Program.start(
        'headless',
        ['--api-port', String(port), '--peer-port', '0'],
        { AXON_HOME: home },
      ).ended();
      expect(refused.code).toBe(1);
      expect(refused.error).toContain(`Port ${port} on 127.0.0.1 is taken`);
      expect(refused.error).toContain('--api-port');
      const named = await Program.start(
        'cli',
        ['hub', '--home', home, '--api-port', String(port), '--peer-port', '0', '--no-browser'],
        {},
      ).ended();
      expect(named.error).toContain(
        `\nSuch as: npx axon hub --peer-port 0 --no-browser --home ${home} --api-port 0\n`,
      );
      const started = await Program.start(
        'headless',
        ['--home', home, `--api-port=${port}`, '--peer-port', '0', '--name', "Mum's PC"],
        { npm_lifecycle_event: 'start' },
      ).ended();
      expect(started.error).toContain(
        `\nSuch as: npm start -- --home ${home} --peer-port 0 --name 'Mum'\\''s PC' --api-port 0\n`,
      );
      expect(existsSync(join(home, 'hub.json'))).toBe(false);
      expect(existsSync(join(home, 'hub.sock'))).toBe(false);
    } finally {
      other.close();
    }
  });

  test('F-15: says that the port between hubs is taken, and stays down', async () => {
    const other = createSocket('udp4');
    await new Promise<void>((resolve) => other.bind(0, '0.0.0.0', resolve));
    const { port } = other.address();
    const refused = await Program.start(
      'headless',
      ['--api-port', '0', '--peer-port', String(port)],
      { AXON_HOME: home },
    ).ended();
    other.close();
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining(String(port)) });
    expect(refused.error).toContain('is taken by another program');
    expect(refused.error).toMatch(/\nSuch as: .* --api-port 0 --peer-port 0\n/);
    expect(existsSync(join(home, 'hub.json'))).toBe(false);
  });

  test('names the setting that is wrong', async () => {
    const refused = await Program.start('headless', [], {
      AXON_HOME: home,
      AXON_PEER_PORT: 'many',
    }).ended();
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('AXON_PEER_PORT') });
  });

  test('ST-02, E22: puts no secret of its own into its log or its output', async () => {
    const { program } = await start();
    const passphrase = await choosePassphrase(home);
    await axon(home, ['agents', 'add', 'bot', '--passphrase-file', passphrase]);
    const link = JSON.parse(
      (await axon(home, ['login', '--json', '--passphrase-file', passphrase])).out,
    );
    const secrets = [
      runtimeOf(home).boot_secret,
      readFileSync(join(home, 'tokens/bot.token'), 'utf8').trim().slice(-43),
      new URL(link.url).hash.slice('#c='.length),
      readFileSync(passphrase, 'utf8').trim(),
      readFileSync(join(home, 'identity.key'), 'utf8').trim(),
    ];
    for (const secret of secrets) expect(program.out + program.error).not.toContain(secret);
  });
});
