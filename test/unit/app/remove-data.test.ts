// `axon hub uninstall --remove-data`: what is removed, in whose place, and what never is.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeData } from '../../../main/app/remove-data.ts';

let folder: string;
let home: string;
let stops: number;
const how = { isOfSystem: false, stop: () => void (stops += 1) };

/** What a hub and its command leave, with a link among it that leads elsewhere. */
function filled(place: string): void {
  mkdirSync(place, { mode: 0o700 });
  for (const name of [
    'hub.db',
    'hub.db-wal',
    'hub.lock.db',
    'identity.key',
    '.DS_Store',
    'identity.key.new-a1B2c3',
    'audit.counter.new',
  ])
    writeFileSync(join(place, name), '', { mode: 0o600 });
  for (const name of ['logs', 'tokens', 'snapshots', 'watch']) {
    mkdirSync(join(place, name));
    writeFileSync(join(place, name, 'x'), '');
  }
  symlinkSync(join(folder, 'photos'), join(place, 'agents'));
}

beforeEach(() => {
  // Where another user can pass through.
  folder = mkdtempSync(join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), 'axon-remove-'));
  home = join(folder, 'home');
  stops = 0;
  mkdirSync(join(folder, 'photos'));
  writeFileSync(join(folder, 'photos/dog.jpg'), '');
  filled(home);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const photos = () => readdirSync(join(folder, 'photos'));

test('removes the whole folder once the hub has stopped, and nothing behind a link in it', async () => {
  expect(await removeData(home, how)).toEqual({ keychain: false });
  expect([existsSync(home), photos(), stops]).toEqual([false, ['dog.jpg'], 1]);
});

test('removes what a link leads to, which is the data folder, and the link', async () => {
  const link = join(folder, 'link');
  symlinkSync(home, link);
  await removeData(link, how);
  expect(readdirSync(folder)).toEqual(['photos']);
});

describe('stops and removes nothing', () => {
  test('where the folder holds what no hub made, as a home folder does', async () => {
    for (const name of ['Documents', '.bashrc', 'hub', 'hub.db.bak'])
      writeFileSync(join(home, name), 'mine');
    await expect(removeData(home, how)).rejects.toThrow(
      /holds what is not of a hub, so nothing was removed: .*Documents.* and 1 more\./,
    );
    expect([stops, existsSync(join(home, 'hub.db'))]).toEqual([0, true]);
  });

  test('where there is no data', async () => {
    await expect(removeData(join(folder, 'photos'), how)).rejects.toThrow(/no data of a hub/);
    expect([stops, photos()]).toEqual([0, ['dog.jpg']]);
  });
});

describe.skipIf(process.getuid?.() !== 0)('the folder of another user', () => {
  const NOBODY = 65_534;
  beforeEach(() => {
    for (const name of ['', ...readdirSync(home, { recursive: true }).map(String)]) {
      const path = join(home, name);
      if (!name.startsWith('agents')) chownSync(path, NOBODY, NOBODY);
    }
    // As /var/lib is: to be passed through, and not to be written to.
    chmodSync(folder, 0o755);
  });

  test('is left alone by root, unless it is that of the whole computer’s hub', async () => {
    await expect(removeData(home, how)).rejects.toThrow(/belongs to another user/);
    expect(existsSync(join(home, 'hub.db'))).toBe(true);
    await removeData(home, { ...how, isOfSystem: true });
    expect([existsSync(home), photos(), process.geteuid?.()]).toEqual([false, ['dog.jpg'], 0]);
  });

  test('is emptied with that user’s rights: what it may not remove stays, and root is root again', async () => {
    mkdirSync(join(home, 'tokens/of-root'));
    writeFileSync(join(home, 'tokens/of-root/x'), '');
    await expect(removeData(home, { ...how, isOfSystem: true })).rejects.toThrow(/to its end/);
    expect(process.geteuid?.()).toBe(0);
  });
});
