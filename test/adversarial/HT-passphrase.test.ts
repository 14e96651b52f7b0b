// The owner passphrase at the localhost door of a real hub: several that set it at once, who is
// logged out when it changes, and others who try to keep the owner out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TestHub, readField } from '../support/test-hub.ts';
import type { HttpAnswer } from '../support/test-hub.ts';

const PASSPHRASE = 'a passphrase of the tests';
let hub: TestHub;

beforeEach(async () => {
  hub = await TestHub.start();
});
afterEach(() => hub.stop());

const bootSecret = (): string =>
  readField(readFileSync(join(hub.home, 'hub.json'), 'utf8'), 'boot_secret');
const put = (body: object, token?: string): Promise<HttpAnswer> =>
  hub.ask('/v1/passphrase', { method: 'PUT', body, ...(token === undefined ? {} : { token }) });
const login = (body: object): Promise<HttpAnswer> => hub.ask('/v1/login', { method: 'POST', body });
const statusWith = async (token: string): Promise<number> =>
  (await hub.ask('/v1/whoami', { token })).status;

describe('HT-13: the owner passphrase', () => {
  test('is set by exactly one of three that set the first one at once', async () => {
    const wanted = [1, 2, 3].map((number) => `${PASSPHRASE} ${number}`);
    const answers = await Promise.all(
      wanted.map((passphrase) => put({ passphrase, boot_secret: bootSecret() })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(answers.filter(({ text }) => text.includes('"code":"conflict"'))).toHaveLength(2);
    const kept = wanted[answers.findIndex(({ status }) => status === 200)];
    expect((await login({ passphrase: kept })).status).toBe(200);
  });

  test('is first set by whoever can read hub.json while no agent is connected, and after that on a logged-in page alone', async () => {
    await hub.agent('bot');
    const refused = await put({ passphrase: PASSPHRASE, boot_secret: bootSecret() });
    expect([refused.status, refused.text]).toEqual([
      401,
      expect.stringContaining('set on a page that is logged in'),
    ]);
    expect((await login({ passphrase: PASSPHRASE })).status).toBe(401);
    expect((await put({ passphrase: PASSPHRASE }, await hub.agent('other'))).status).toBe(401);
    expect((await put({ passphrase: PASSPHRASE }, await hub.page())).status).toBe(200);
    expect((await login({ passphrase: PASSPHRASE, boot_secret: bootSecret() })).status).toBe(200);
  });

  test('logs every other page and terminal out when it changes, and no agent', async () => {
    const [mine, other, agent] = [await hub.page(), await hub.page(), await hub.agent('bot')];
    expect((await put({ passphrase: PASSPHRASE }, mine)).status).toBe(200);
    const terminal = readField((await login({ passphrase: PASSPHRASE })).text, 'token');
    const all = (): Promise<readonly number[]> =>
      Promise.all([mine, other, terminal, agent].map((token) => statusWith(token)));
    expect(await all()).toEqual([200, 200, 200, 200]);
    expect(
      (await put({ passphrase: 'another passphrase', current: PASSPHRASE }, mine)).status,
    ).toBe(200);
    expect(await all()).toEqual([200, 401, 401, 200]);
    expect(
      (await put({ passphrase: 'a third passphrase', current: 'another passphrase' })).status,
    ).toBe(200);
    expect(await all()).toEqual([401, 401, 401, 200]);
  });

  test('lets nobody in by a link that was made before it changed', async () => {
    expect((await put({ passphrase: PASSPHRASE, boot_secret: bootSecret() })).status).toBe(200);
    const code = new URL(hub.node.makeLoginUrl()).hash.slice('#c='.length);
    expect((await put({ passphrase: 'another passphrase', current: PASSPHRASE })).status).toBe(200);
    expect((await login({ code })).status).toBe(401);
    expect(await statusWith(await hub.page())).toBe(200);
  });

  test('lets nobody in who gave the one before just as it changed', async () => {
    expect((await put({ passphrase: PASSPHRASE, boot_secret: bootSecret() })).status).toBe(200);
    const { passphrase, tokens } = hub.node.services;
    const check = passphrase.check.bind(passphrase);
    vi.spyOn(passphrase, 'check').mockImplementationOnce(async (...given) => {
      await check(...given);
      await put({ passphrase: 'another passphrase', current: PASSPHRASE });
    });
    const late = await login({ passphrase: PASSPHRASE });
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('was changed')]);
    expect(tokens.list()).toEqual([]);
    expect((await login({ passphrase: 'another passphrase' })).status).toBe(200);
  });
});

describe('HT-09: the owner gets in', () => {
  const passphrase = PASSPHRASE;

  test('at a terminal while others guess as fast as they may', async () => {
    expect((await put({ passphrase, boot_secret: bootSecret() })).status).toBe(200);
    const guesses = Array.from({ length: 12 }, () =>
      login({ passphrase: 'a wrong guess', boot_secret: 'nor the secret' }),
    );
    // Four find the line full.
    expect((await Promise.race(guesses)).status).toBe(429);
    const all = Promise.all(guesses).then(() => 'all guesses were answered');
    const entering = login({ passphrase, boot_secret: bootSecret() });
    expect(await Promise.race([all, entering])).toMatchObject({ status: 200 });
    const change = put({
      passphrase: 'another passphrase',
      current: passphrase,
      boot_secret: bootSecret(),
    });
    expect(await Promise.race([all, change])).toMatchObject({ status: 200 });
    await all;
  });

  test('while another program uses up all that is there for requests without a token', async () => {
    const code = new URL(hub.node.makeLoginUrl()).hash.slice('#c='.length);
    const ask = (): Promise<HttpAnswer> =>
      hub.ask('/v1/agents/registrations/7d3c5f0e-6f4b-4d25-9a3f-0c8a6f1d2b3c', {
        method: 'POST',
        body: { secret: 'x' },
      });
    const isOver = new AbortController();
    const flood = Array.from({ length: 32 }, async () => {
      while (!isOver.signal.aborted) await ask();
    });
    try {
      await vi.waitFor(async () => expect((await ask()).status).toBe(429), { timeout: 20_000 });
      expect((await hub.ask('/v1/proof?n=00112233445566778899aabbccddeeff')).status).toBe(200);
      expect((await put({ passphrase, boot_secret: bootSecret() })).status).toBe(200);
      expect((await login({ passphrase, boot_secret: bootSecret() })).status).toBe(200);
      for (let guess = 0; guess < 20; guess += 1) await login({ code: `${guess}`.padEnd(22, 'x') });
      expect((await login({ code })).status).toBe(200);
    } finally {
      isOver.abort();
      await Promise.all(flood);
    }
  });

  test('while forty requests without a token are never finished, and pages and /health are there', async () => {
    expect((await put({ passphrase, boot_secret: bootSecret() })).status).toBe(200);
    const head = `POST /v1/login HTTP/1.1\r\nHost: ${hub.host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`;
    const sockets = await Promise.all(Array.from({ length: 40 }, () => halfSent(head)));
    try {
      expect((await hub.ask('/health')).status).toBe(200);
      expect((await login({ passphrase })).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

/**
 * A request whose body is begun and never ended; settles when the hub waits for the rest, or
 * refused it.
 */
function halfSent(head: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: hub.port });
    socket.once('error', reject).once('data', () => {
      socket.write('{');
      resolve(socket);
    });
    socket.write(head);
  });
}
