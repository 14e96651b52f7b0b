// How the keychain's answers become states: by what the libraries of each system say, and by the
// clock. The real Secret Service stands in test/integration/keychain.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KEYCHAIN_SERVICE } from '../../../../main/adapters/keyvault/keychain-counter.ts';
import {
  keychainAccount,
  KeychainVault,
} from '../../../../main/adapters/keyvault/keychain-vault.ts';
import { KEYCHAIN_TIMEOUT_MS } from '../../../../main/adapters/keyvault/limits.ts';
import {
  troubleOf,
  type KeychainAccess,
} from '../../../../main/adapters/keyvault/system-keychain.ts';
import { Secret } from '../../../../main/lib/secret.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const SEED = new Uint8Array(32).fill(5);
const TEXT = Buffer.from(SEED).toString('base64');

/** A keychain that answers from a map, or as the test says. */
class ScriptedKeychain implements KeychainAccess {
  readonly entries = new Map<string, string>();
  readonly calls: string[] = [];
  mayLackCollection = false;
  answer: ((call: string) => Promise<unknown>) | undefined;
  openCalls = 0;
  mostOpenCalls = 0;

  get(service: string, account: string): Promise<string | null> {
    return this.#call('get', async () => this.entries.get(`${service}/${account}`) ?? null);
  }

  set(service: string, account: string, password: string): Promise<void> {
    return this.#call('set', async () => void this.entries.set(`${service}/${account}`, password));
  }

  delete(service: string, account: string): Promise<boolean> {
    return this.#call('delete', async () => this.entries.delete(`${service}/${account}`));
  }

  async #call<T>(name: string, run: () => Promise<T>): Promise<T> {
    this.calls.push(name);
    this.openCalls += 1;
    this.mostOpenCalls = Math.max(this.mostOpenCalls, this.openCalls);
    try {
      await this.answer?.(name);
      return await run();
    } finally {
      this.openCalls -= 1;
    }
  }
}

let folder: string;
let clock: ManualClock;
let access: ScriptedKeychain;
let vault: KeychainVault;
const signal = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-keychain-'));
  clock = new ManualClock();
  access = new ScriptedKeychain();
  vault = new KeychainVault({ homeFolder: folder, clock, access });
});
afterEach(() => {
  expect(clock.timers).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

/** Waits for file system and promises alike; the clock stands still meanwhile. */
const until = async (condition: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 10_000 && !condition(); turn++)
    await new Promise((resolve) => setImmediate(resolve));
  expect(condition()).toBe(true);
};

describe('states', () => {
  test('absent before, found after, and never overwritten', async () => {
    expect(await vault.read(signal)).toEqual({ state: 'absent' });
    await vault.write(new Secret(SEED), signal);
    const read = await vault.read(signal);
    expect(read.state === 'found' && read.seed.expose()).toEqual(SEED);
    await expect(vault.write(new Secret(new Uint8Array(32)), signal)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect([...access.entries.values()]).toEqual([TEXT]);
  });

  test('an entry that is no seed is damaged, and never overwritten', async () => {
    access.entries.set(`${KEYCHAIN_SERVICE}/${await keychainAccount(folder)}`, 'hunter2');
    const read = await vault.read(signal);
    expect(read.state).toBe('damaged');
    expect(read.state === 'damaged' && read.reason).not.toMatch(/hunter2/);
    await expect(vault.write(new Secret(SEED), signal)).rejects.toMatchObject({ code: 'conflict' });
  });

  test.each([
    [
      'unavailable',
      'Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled at compile time, set your DBUS_SESSION_BUS_ADDRESS instead',
    ],
    [
      'unavailable',
      'Platform failure: DBus error: Failed to connect to socket /run/user/1000/bus: No such file or directory',
    ],
    [
      'unavailable',
      'Platform failure: DBus error: The name org.freedesktop.secrets was not provided by any .service files',
    ],
    ['unavailable', "Couldn't access platform storage: Secret Service: no result found"],
    ['unavailable', 'Platform failure: A default keychain could not be found.'],
    ['locked', "Couldn't access platform storage: Secret Service: unlock prompt was dismissed"],
    [
      'locked',
      'Platform failure: DBus error: Process org.freedesktop.secrets exited with status 1',
    ],
    [
      'locked',
      'Platform failure: DBus error: Failed to connect to socket /run/user/1000/bus: Permission denied',
    ],
    [
      'locked',
      'Platform failure: DBus error: Did not receive a reply. Possible causes include: the reply timeout expired',
    ],
    ['locked', 'Platform failure: User interaction is not allowed.'],
    ['locked', 'Platform failure: The user name or passphrase you entered is not correct.'],
    ['locked', 'Platform failure: User canceled the operation.'],
    ['locked', "Couldn't access platform storage: Windows ERROR_NO_SUCH_LOGON_SESSION"],
    ['locked', 'anything this program never heard of'],
    ['locked', 'Cannot find native binding'],
    ['damaged', 'Data is not UTF-8 encoded'],
    ['damaged', 'Entry is matched by 2 credentials: [...]'],
  ])('%s: %s', async (state, message) => {
    expect(troubleOf(new Error(message))).toBe(state);
    access.answer = () => Promise.reject(new Error(message));
    const read = await vault.read(signal);
    expect(read).toMatchObject({ state, reason: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(read.state !== 'found' && read.state !== 'absent' && read.reason).not.toContain(message);
    await expect(vault.write(new Secret(SEED), signal)).rejects.toMatchObject({
      code: state === 'damaged' ? 'conflict' : 'identity_locked',
    });
    expect(access.entries.size).toBe(0);
  });

  test('where a keychain may have no place to write, absent was seen to take an entry and leaves none', async () => {
    access.mayLackCollection = true;
    expect(await vault.read(signal)).toEqual({ state: 'absent' });
    expect(access.calls).toEqual(['get', 'set', 'delete']);
    expect(access.entries.size).toBe(0);
    access.answer = (call) =>
      call === 'set'
        ? Promise.reject(new Error('Secret Service: no result found'))
        : Promise.resolve();
    expect((await vault.read(signal)).state).toBe('unavailable');
    access.answer = (call) =>
      call === 'set'
        ? Promise.reject(new Error('Secret Service: unlock prompt was dismissed'))
        : Promise.resolve();
    expect((await vault.read(signal)).state).toBe('locked');
  });
});

describe('time', () => {
  test('F-16: a keychain that hangs is locked after the time limit, and nothing is left waiting', async () => {
    access.answer = () => new Promise(() => undefined);
    const read = vault.read(signal);
    await until(() => access.openCalls === 1);
    await clock.advance(KEYCHAIN_TIMEOUT_MS);
    expect(await read).toMatchObject({
      state: 'locked',
      reason: expect.stringMatching(/did not answer in time/),
    });
    expect(vault.hasOpenCall).toBe(true);
  });

  test('F-16: an aborted wait is locked at once', async () => {
    access.answer = () => new Promise(() => undefined);
    const controller = new AbortController();
    const read = vault.read(controller.signal);
    await until(() => access.openCalls === 1);
    controller.abort();
    expect((await read).state).toBe('locked');
    expect((await vault.read(AbortSignal.abort())).state).toBe('locked');
  });

  test('F-16: while one call is open no second one is begun; once a person unlocked, the next read finds the seed', async () => {
    access.entries.set(`${KEYCHAIN_SERVICE}/${await keychainAccount(folder)}`, TEXT);
    let unlock = (): void => undefined;
    access.answer = () => new Promise<void>((resolve) => (unlock = resolve));
    const controller = new AbortController();
    const first = vault.read(controller.signal);
    await until(() => access.openCalls === 1);
    controller.abort();
    expect((await first).state).toBe('locked');

    const impatient = new AbortController();
    const second = vault.read(impatient.signal);
    await clock.settle();
    impatient.abort();
    expect((await second).state).toBe('locked');
    const third = vault.read(signal);
    await clock.settle();
    expect(access.calls).toEqual(['get']);

    access.answer = undefined;
    unlock();
    expect((await third).state).toBe('found');
    expect(access.calls).toEqual(['get', 'get']);
    expect(access.mostOpenCalls).toBe(1);
    expect(vault.hasOpenCall).toBe(false);
  });

  test('F-16: a call that is never answered is passed after the time limit, but no third one is begun', async () => {
    access.answer = () => new Promise(() => undefined);
    for (const expected of [1, 2, 2]) {
      const read = vault.read(signal);
      await until(() => access.openCalls === expected && clock.timers === 1);
      await clock.advance(KEYCHAIN_TIMEOUT_MS);
      expect((await read).state).toBe('locked');
    }
    expect(access.mostOpenCalls).toBe(2);
  });

  test('a writing that was given up and still went through is found, never doubled', async () => {
    let unlock = (): void => undefined;
    access.answer = (call) =>
      call === 'set' ? new Promise<void>((resolve) => (unlock = resolve)) : Promise.resolve();
    const writing = vault.write(new Secret(SEED), signal);
    const refused = expect(writing).rejects.toMatchObject({ code: 'identity_locked' });
    await until(() => access.calls.includes('set'));
    await clock.advance(KEYCHAIN_TIMEOUT_MS);
    await refused;
    unlock();
    const read = await vault.read(signal);
    expect(read.state === 'found' && read.seed.expose()).toEqual(SEED);
    await expect(vault.write(new Secret(new Uint8Array(32)), signal)).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('the account', () => {
  test('is one a data folder, the same by every path to it, and tells nothing about the person', async () => {
    const real = join(folder, 'real');
    mkdirSync(join(folder, 'other'));
    mkdirSync(real);
    symlinkSync(real, join(folder, 'alias'));
    const account = await keychainAccount(real);
    expect(account).toMatch(/^hub-[0-9a-f]{32}$/);
    expect(await keychainAccount(join(folder, 'alias'))).toBe(account);
    expect(await keychainAccount(join(folder, 'other', '..', 'real', '.'))).toBe(account);
    expect(await keychainAccount(join(folder, 'other'))).not.toBe(account);
  });

  test('a folder that is not there is no reason for a new identity', async () => {
    const lost = new KeychainVault({ homeFolder: join(folder, 'gone'), clock, access });
    expect((await lost.read(signal)).state).toBe('locked');
    expect(access.calls).toEqual([]);
  });
});
