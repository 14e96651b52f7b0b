// The rollback counter beside the seed: in a private file, and in the keychain. The real Secret
// Service stands in test/integration/keychain.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileCounter } from '../../../../main/adapters/keyvault/file-counter.ts';
import { KeychainVault } from '../../../../main/adapters/keyvault/keychain-vault.ts';
import type { KeychainAccess } from '../../../../main/adapters/keyvault/system-keychain.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const MARK = { databaseId: '0123456789abcdef0123456789abcdef', value: 41 };
const { signal } = new AbortController();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-counter-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the counter in a file', () => {
  const path = (): string => join(folder, 'audit.counter');

  test('is absent, then what was written last, in a file of its owner alone', async () => {
    const counter = new FileCounter(path());
    expect(await counter.read(signal)).toEqual({ state: 'absent' });
    for (const value of [0, 41, 999_999_999_999_999]) {
      await counter.write({ ...MARK, value }, signal);
      expect(await counter.read(signal)).toEqual({ state: 'found', mark: { ...MARK, value } });
    }
    expect((statSync(path()).mode & 0o777).toString(8)).toBe('600');
    expect(readFileSync(path(), 'utf8')).toBe(`1 ${MARK.databaseId} 999999999999999\n`);
  });

  test.each([
    '',
    '41',
    `1 ${MARK.databaseId} -1`,
    `1 ${MARK.databaseId} 041`,
    `2 ${MARK.databaseId} 41`,
    `1 ${MARK.databaseId} 41 x`,
    'x'.repeat(5_000),
  ])('is damaged where it holds anything else: %j', async (text) => {
    writeFileSync(path(), text);
    expect(await new FileCounter(path()).read(signal)).toEqual({ state: 'damaged' });
  });

  test('follows no link, neither when it is read nor when it is written', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, `1 ${MARK.databaseId} 7\n`);
    symlinkSync(target, path());
    const counter = new FileCounter(path());
    expect(await counter.read(signal)).toEqual({ state: 'damaged' });
    await counter.write(MARK, signal);
    expect(readFileSync(target, 'utf8')).toBe(`1 ${MARK.databaseId} 7\n`);
    expect(await counter.read(signal)).toEqual({ state: 'found', mark: MARK });
  });

  test('that cannot be written says so, and the one before stays', async () => {
    const counter = new FileCounter(path());
    await counter.write(MARK, signal);
    mkdirSync(`${path()}.new`);
    await expect(counter.write({ ...MARK, value: 42 }, signal)).rejects.toMatchObject({
      code: 'storage_failed',
    });
    expect(await counter.read(signal)).toEqual({ state: 'found', mark: MARK });
    chmodSync(folder, 0o700);
  });
});

describe('the counter in the keychain', () => {
  class MapKeychain implements KeychainAccess {
    readonly entries = new Map<string, string>();
    readonly mayLackCollection = false;
    failure: Error | undefined;
    get = (_service: string, account: string): Promise<string | null> =>
      this.#answer(() => this.entries.get(account) ?? null);
    set = (_service: string, account: string, password: string): Promise<void> =>
      this.#answer(() => void this.entries.set(account, password));
    delete = (_service: string, account: string): Promise<boolean> =>
      this.#answer(() => this.entries.delete(account));

    #answer<T>(run: () => T): Promise<T> {
      return this.failure === undefined ? Promise.resolve(run()) : Promise.reject(this.failure);
    }
  }

  test('has an entry of its own beside the identity, and a locked or spoiled keychain is told apart', async () => {
    const access = new MapKeychain();
    const { counter } = new KeychainVault({ homeFolder: folder, clock: new ManualClock(), access });
    expect(await counter.read(signal)).toEqual({ state: 'absent' });
    await counter.write(MARK, signal);
    expect([...access.entries.keys()]).toEqual([
      expect.stringMatching(/^hub-[0-9a-f]{32}-counter$/),
    ]);
    expect(await counter.read(signal)).toEqual({ state: 'found', mark: MARK });
    for (const account of access.entries.keys()) access.entries.set(account, 'spoiled');
    expect(await counter.read(signal)).toEqual({ state: 'damaged' });
    access.failure = new Error('the collection is locked');
    expect(await counter.read(signal)).toMatchObject({ state: 'locked' });
    await expect(counter.write(MARK, signal)).rejects.toMatchObject({ code: 'identity_locked' });
  });
});
