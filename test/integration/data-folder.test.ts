// A hub that is given a data folder it cannot have: it says why and what to do, at once, and leaves
// nothing behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endPrograms, Program } from '../support/programs.ts';
import { hasRealPart } from '../support/real-parts.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOORS = ['--api-port', '0', '--peer-port', '0', '--discovery', 'off'];
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'axon-no-home-'))));
afterEach(async () => {
  await endPrograms();
  rmSync(folder, { recursive: true, force: true });
});

const refusal = (home: string, why: string) => ({
  code: 1,
  out: '',
  error: expect.stringMatching(
    new RegExp(
      `The folder "${home}" cannot be the data folder of a hub: ${why}.*\nChoose a new or empty folder.*--home`,
    ),
  ),
});
const startIn = (home: string) => Program.start('cli', ['hub', '--home', home, ...DOORS]).ended();

describe('a hub whose data folder', () => {
  test('is a file, or lies below one, says so', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'not a folder');
    expect(await startIn(file)).toMatchObject(
      refusal(file, 'something else of that name is there'),
    );
    expect(await startIn(join(file, 'home'))).toMatchObject(
      refusal(join(file, 'home'), '(?:something else|its path leads)'),
    );
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test.runIf(process.platform === 'linux')(
    'lies where nothing can be made, says so instead of trying for ever',
    async () => {
      for (const home of ['/proc/axon', '/proc/axon/hub'])
        expect(await startIn(home)).toMatchObject(refusal(home, 'nothing can be made there'));
    },
  );

  test.skipIf(!hasRealPart('small-disk'))(
    'lies on a full disk, says that the disk is full',
    async () => {
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      const script = `mount -t tmpfs -o size=16k,mode=0700 none '${disk}' && { head -c 100000 /dev/zero > '${disk}/ballast' 2>/dev/null; exec "$@"; }`;
      const hub = [
        process.execPath,
        '--import',
        join(ROOT, 'test/support/raw-imports.mjs'),
        join(ROOT, 'main/entry/cli.ts'),
        'hub',
      ];
      const child = spawn(
        'unshare',
        ['--mount', 'sh', '-c', script, 'sh', ...hub, '--home', join(disk, 'home'), ...DOORS],
        {
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
      let error = '';
      child.stderr.on('data', (part: Buffer) => (error += part.toString()));
      await once(child, 'close');
      expect(child.exitCode, error).toBe(1);
      expect(error).toMatch(/cannot be written: its disk is full\.\n.*--home/);
    },
  );
});
