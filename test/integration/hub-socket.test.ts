// The hub's Unix socket: the same door as the port, for its owner alone.
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { axon, endPrograms, runtimeOf, startHeadless } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

let home: string | undefined;
afterEach(async () => {
  await endPrograms();
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

/** Status and text of a GET at the socket. */
function get(
  socketPath: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly [number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve([response.statusCode, text]));
    });
    sent.on('error', reject).end();
  });
}

test('answers as the port does, to its own name alone, and only its owner can open it', async () => {
  const hub = await TestHub.start();
  try {
    const socket = join(hub.home, 'hub.sock');
    const authorization = `Bearer ${await hub.agent('bot')}`;
    const host = 'localhost';
    const [status, text] = await get(socket, '/v1/whoami', { host, authorization });
    expect([status, JSON.parse(text).token.agent]).toEqual([200, 'bot']);
    expect((await get(socket, '/v1/whoami', { host }))[0]).toBe(401);
    for (const wrong of ['evil.example', `localhost:${hub.port}`, '127.0.0.1'])
      expect((await get(socket, '/health', { host: wrong }))[0], wrong).toBe(403);
    expect((await get(socket, '/health', { host, origin: 'http://evil.example' }))[0]).toBe(403);
    expect((await hub.ask('/health', { headers: { host } })).status).toBe(403);
    expect(lstatSync(socket).mode & 0o777).toBe(0o600);
    expect(lstatSync(hub.home).mode & 0o777).toBe(0o700);
    await hub.node.stop();
    expect(existsSync(socket)).toBe(false);
  } finally {
    await hub.stop();
  }
});

test('proves the hub for the place that was asked, and to an older client for any', async () => {
  const hub = await TestHub.start();
  try {
    const { boot_secret: secret } = runtimeOf(hub.home);
    const n = 'n'.repeat(32);
    const path = `/v1/proof?n=${n}`;
    const proof = (key: string): string => createHmac('sha256', key).update(n).digest('hex');
    const bySocket = await get(join(hub.home, 'hub.sock'), path, { host: 'localhost' });
    for (const [host, text] of [
      ['localhost', bySocket[1]],
      [hub.host, (await hub.ask(path)).text],
      [
        `localhost:${hub.port}`,
        (await hub.ask(path, { headers: { host: `localhost:${hub.port}` } })).text,
      ],
    ] as const) {
      const expected = { proof: proof(secret), proof_here: proof(`${secret} ${host}`) };
      expect(JSON.parse(text)).toEqual(expected);
    }
  } finally {
    await hub.stop();
  }
});

test('takes the place of what a killed hub left, and follows no link', async () => {
  home = mkdtempSync(join(tmpdir(), 'axon-socket-'));
  const first = await startHeadless(home);
  first.program.kill('SIGKILL');
  await first.program.ended();
  const socket = join(home, 'hub.sock');
  expect(lstatSync(socket).isSocket()).toBe(true);
  const elsewhere = join(home, 'elsewhere');
  writeFileSync(elsewhere, 'kept');
  rmSync(socket);
  symlinkSync(elsewhere, socket);
  await startHeadless(home);
  expect(lstatSync(socket).isSocket()).toBe(true);
  expect(lstatSync(elsewhere).isFile()).toBe(true);
}, 60_000);

test.each([
  ['a folder stands in its place', (folder: string) => mkdirSync(join(folder, 'hub.sock'))],
  ['the path is too long', undefined],
])('is left out if %s: axon takes the port', async (_why, put) => {
  home = mkdtempSync(join(tmpdir(), 'axon-socket-'));
  const folder = put === undefined ? join(home, 'x'.repeat(120)) : home;
  put?.(folder);
  const hub = await TestHub.start({ home: folder });
  try {
    expect(hub.logLines.join('\n')).toContain('the hub has no socket');
    expect(await axon(folder, ['status'])).toMatchObject({ code: 0 });
  } finally {
    await hub.stop();
  }
});

test('takes the place of a pipe', async () => {
  home = mkdtempSync(join(tmpdir(), 'axon-socket-'));
  expect(spawnSync('mkfifo', [join(home, 'hub.sock')]).status).toBe(0);
  const hub = await TestHub.start({ home });
  try {
    expect((await get(join(home, 'hub.sock'), '/health', { host: 'localhost' }))[0]).toBe(200);
  } finally {
    await hub.stop();
  }
});

test('HT-12: whoever imitates the hub there gets no token, and axon takes the port', async () => {
  const hub = await TestHub.start();
  const socket = join(hub.home, 'hub.sock');
  const heard: IncomingMessage[] = [];
  const imitator = createServer((call, response) => {
    heard.push(call);
    response.end(JSON.stringify({ proof: '0'.repeat(64), items: [] }));
  });
  try {
    const variables = { AXON_TOKEN: await hub.agent('bot') };
    rmSync(socket);
    await once(imitator.listen(socket), 'listening');
    expect(await axon(hub.home, ['peers'], variables)).toMatchObject({ code: 0 });
    expect(heard.map(({ url }) => url?.split('?')[0])).toEqual(['/v1/proof']);
    expect(heard[0]?.headers.authorization).toBeUndefined();
  } finally {
    imitator.close();
    await hub.stop();
  }
});

test('HT-12: is where axon goes, whoever answers at the port', async () => {
  home = mkdtempSync(join(tmpdir(), 'axon-socket-'));
  await startHeadless(home);
  const heard: unknown[] = [];
  const imitator = createServer((call, response) => {
    heard.push(call.headers);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(imitator, 'listening');
  const address = imitator.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  writeFileSync(join(home, 'hub.json'), JSON.stringify({ ...runtimeOf(home), port }));
  try {
    expect(await axon(home, ['status'])).toMatchObject({ code: 0 });
    expect(heard).toEqual([]);
  } finally {
    imitator.close();
  }
}, 60_000);
