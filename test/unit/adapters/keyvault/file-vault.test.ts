// The seed in a file: private, whole or not at all, never overwritten, never read through a link.
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileVault } from '../../../../main/adapters/keyvault/file-vault.ts';
import { Secret } from '../../../../main/lib/secret.ts';

const SEED = new Uint8Array(32).map((_, index) => index * 7);
const TEXT = Buffer.from(SEED).toString('base64');
const signal = new AbortController().signal;

let folder: string;
let path: string;
let vault: FileVault;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-vault-'));
  path = join(folder, 'identity.key');
  vault = new FileVault(path);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (content: string, mode = 0o600): void => {
  writeFileSync(path, content);
  chmodSync(path, mode);
};

describe('a file vault', () => {
  test('holds nothing before, and exactly the seed afterwards', async () => {
    expect(await vault.read(signal)).toEqual({ state: 'absent' });
    await vault.write(new Secret(SEED), signal);
    const read = await new FileVault(path).read(signal);
    expect(read.state).toBe('found');
    expect(read.state === 'found' && read.seed.expose()).toEqual(SEED);
  });

  test('writes the form of PROTOCOL.md: standard padded base64 of 32 bytes, 0600 whatever the umask, and leaves nothing else', async () => {
    const before = process.umask(0);
    try {
      await vault.write(new Secret(SEED), signal);
    } finally {
      process.umask(before);
    }
    expect(readFileSync(path, 'utf8')).toBe(`${TEXT}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['identity.key']);
  });

  test.each([TEXT, `${TEXT}\n`, `${TEXT}\r\n`])(
    'reads the seed with or without a line end: %j',
    async (content) => {
      put(content);
      expect((await vault.read(signal)).state).toBe('found');
    },
  );

  test('refuses to overwrite a seed, and keeps it', async () => {
    await vault.write(new Secret(SEED), signal);
    await expect(vault.write(new Secret(new Uint8Array(32)), signal)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(readFileSync(path, 'utf8')).toBe(`${TEXT}\n`);
    expect(readdirSync(folder)).toEqual(['identity.key']);
  });

  test('of two writers at once exactly one wins and nothing is mixed', async () => {
    const other = new Uint8Array(32).fill(9);
    const outcomes = await Promise.allSettled([
      vault.write(new Secret(SEED), signal),
      new FileVault(path).write(new Secret(other), signal),
    ]);
    const won = outcomes.findIndex((outcome) => outcome.status === 'fulfilled');
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    const read = await vault.read(signal);
    expect(read.state === 'found' && read.seed.expose()).toEqual(won === 0 ? SEED : other);
  });

  test('a draft that a crash left is neither taken for a seed nor in the way', async () => {
    mkdirSync(`${path}.new-abc`);
    writeFileSync(join(`${path}.new-abc`, 'draft'), 'half');
    expect(await vault.read(signal)).toEqual({ state: 'absent' });
    await vault.write(new Secret(SEED), signal);
    expect((await vault.read(signal)).state).toBe('found');
  });

  test.each([
    ['an empty file', ''],
    ['a short seed', Buffer.alloc(31).toString('base64')],
    ['a long seed', Buffer.alloc(33).toString('base64')],
    ['base64url', Buffer.alloc(32, 0xff).toString('base64url')],
    [
      'a second spelling of the same bytes',
      `${TEXT.slice(0, -2)}${TEXT.at(-2) === '9' ? '8' : '9'}=`,
    ],
    ['hex', Buffer.from(SEED).toString('hex')],
    ['two lines', `${TEXT}\n${TEXT}\n`],
    ['a long file', 'A'.repeat(100_000)],
  ])('calls %s damaged and does not touch it', async (_what, content) => {
    put(content);
    expect(await vault.read(signal)).toMatchObject({
      state: 'damaged',
      reason: expect.stringContaining(path),
    });
    await expect(vault.write(new Secret(SEED), signal)).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test.each([0o640, 0o604, 0o620, 0o644, 0o666])(
    'calls a file with the rights %o damaged',
    async (mode) => {
      put(TEXT, mode);
      expect(await vault.read(signal)).toMatchObject({
        state: 'damaged',
        reason: expect.stringMatching(/other users/),
      });
    },
  );

  test.runIf(process.getuid?.() === 0)('calls the file of another user damaged', async () => {
    put(TEXT);
    chownSync(path, 65_534, 65_534);
    expect(await vault.read(signal)).toMatchObject({
      state: 'damaged',
      reason: expect.stringMatching(/another user/),
    });
  });

  test('ST-03: never reads or writes through a link', async () => {
    const target = join(folder, 'elsewhere');
    writeFileSync(target, TEXT, { mode: 0o600 });
    symlinkSync(target, path);
    expect(await vault.read(signal)).toMatchObject({ state: 'damaged' });
    await expect(vault.write(new Secret(new Uint8Array(32)), signal)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(readFileSync(target, 'utf8')).toBe(TEXT);
  });

  test('ST-03: a pipe or a folder at the path is damaged, at once', async () => {
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    expect((await vault.read(signal)).state).toBe('damaged');
    rmSync(path);
    mkdirSync(path);
    expect((await vault.read(signal)).state).toBe('damaged');
  });

  test('a second name of the file is no harm', async () => {
    await vault.write(new Secret(SEED), signal);
    linkSync(path, join(folder, 'copy'));
    expect((await vault.read(signal)).state).toBe('found');
  });

  test('says that the disk did not take it, and leaves nothing', async () => {
    const lost = new FileVault(join(folder, 'no such folder', 'identity.key'));
    await expect(lost.write(new Secret(SEED), signal)).rejects.toMatchObject({
      code: 'storage_failed',
    });
  });

  test('does nothing once it was called off', async () => {
    const called = AbortSignal.abort();
    expect((await vault.read(called)).state).toBe('locked');
    await expect(vault.write(new Secret(SEED), called)).rejects.toThrow();
    expect(existsSync(path)).toBe(false);
  });

  test('takes only 32 bytes, and its reasons never hold the content', async () => {
    await expect(vault.write(new Secret(new Uint8Array(31)), signal)).rejects.toThrow(/32 bytes/);
    put(`${TEXT}!`);
    const read = await vault.read(signal);
    expect(read.state === 'damaged' && read.reason.includes(TEXT.slice(0, 8))).toBe(false);
  });
});
