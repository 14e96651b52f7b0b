// The owner passphrase at the localhost door of a real hub: several that set it at once, who is logged out when it changes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestHub, readField } from '../support/test-hub.ts';
import type { HttpAnswer } from '../support/test-hub.ts';

const PASSPHRASE = 'a passphrase of the tests';
let hub: TestHub;

beforeEach(async () => {
  hub = await TestHub.start();
});
afterEach(() => hub.stop());

const bootSecret = (): string => readField(readFileSync(join(hub.home, 'hub.json'), 'utf8'), 'boot_secret');
const put = (body: object, token?: string): Promise<HttpAnswer> =>
  hub.ask('/v1/passphrase', { method: 'PUT', body, ...(token === undefined ? {} : { token }) });
const login = (body: object): Promise<HttpAnswer> => hub.ask('/v1/login', { method: 'POST', body });
const statusWith = async (token: string): Promise<number> => (await hub.ask('/v1/whoami', { token })).status;

describe('HT-13: the owner passphrase', () => {
  test('is set by exactly one of three that set the first one at once', async () => {
    const wanted = [1, 2, 3].map((number) => `${PASSPHRASE} ${number}`);
    const answers = await Promise.all(wanted.map((passphrase) => put({ passphrase, boot_secret: bootSecret() })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(answers.filter(({ text }) => text.includes('"code":"conflict"'))).toHaveLength(2);
    const kept = wanted[answers.findIndex(({ status }) => status === 200)];
    expect((await login({ passphrase: kept })).status).toBe(200);
  });

  test('logs every other page and terminal out when it changes, and no agent', async () => {
    const [mine, other, agent] = [await hub.page(), await hub.page(), await hub.agent('bot')];
    expect((await put({ passphrase: PASSPHRASE }, mine)).status).toBe(200);
    const terminal = readField((await login({ passphrase: PASSPHRASE })).text, 'token');
    const all = (): Promise<readonly number[]> => Promise.all([mine, other, terminal, agent].map((token) => statusWith(token)));
    expect(await all()).toEqual([200, 200, 200, 200]);
    expect((await put({ passphrase: 'another passphrase', current: PASSPHRASE }, mine)).status).toBe(200);
    expect(await all()).toEqual([200, 401, 401, 200]);
    expect((await put({ passphrase: 'a third passphrase', current: 'another passphrase' })).status).toBe(200);
    expect(await all()).toEqual([401, 401, 401, 200]);
  });
});
