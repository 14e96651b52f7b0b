// A hub that is given a data folder it cannot have: it says why and what to do, at once, and leaves
// nothing behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { axon, endPrograms, Program, wordsOf } from '../support/programs.ts';
import { hasRealPart } from '../support/real-parts.ts';

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

describe('a hub whose database is damaged', () => {
  // As `axon hub`, without a window by itself, and at a terminal's command: the same words.
  test.each([
    ['cli', ['hub']],
    ['headless', []],
  ] as const)(
    'says so in one sentence, started as %s, and what can be done',
    async (program, words) => {
      const home = join(folder, 'home');
      const first = Program.start(program, [...words, '--home', home, ...DOORS]);
      await expect.poll(() => first.out, { timeout: 20_000 }).toContain('AXON Hub runs at');
      first.kill('SIGTERM');
      expect(await first.ended()).toMatchObject({ code: 0 });
      const file = join(home, 'hub.db');
      const whole = readFileSync(file);
      whole.fill(
        0,
        Math.floor(whole.length / 8192) * 4096,
        Math.floor(whole.length / 8192) * 4096 + 4096,
      );
      writeFileSync(file, whole);
      const start = () => Program.start(program, [...words, '--home', home, ...DOORS]).ended();
      const { code, out, error } = await start();
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(error).toMatch(
        /^The database ".*hub\.db" is damaged \(.*\); the hub does not start with it and changed nothing\.\nPut the whole data folder back from a backup of your own\. .*\n$/,
      );
      expect(error).not.toContain('snapshots');
      // What it says works: the same hub begins anew.
      for (const name of readdirSync(home).filter((one) => one.startsWith('hub.db')))
        renameSync(join(home, name), join(folder, name));
      const anew = Program.start(program, [...words, '--home', home, ...DOORS]);
      await expect.poll(() => anew.out, { timeout: 20_000 }).toContain('AXON Hub runs at');
      const status = JSON.parse((await axon(home, ['status', '--json'])).out);
      expect(status.hub).toMatchObject({ audit: 'restored' });
      anew.kill('SIGTERM');
      await anew.ended();
    },
    60_000,
  );
});

describe('a hub whose database opens and cannot be written', () => {
  test.skipIf(!hasRealPart('small-disk'))(
    'because its disk is full, says so at the start and takes nothing on',
    async () => {
      const home = join(folder, 'home');
      const first = Program.start('cli', ['hub', '--home', home, ...DOORS]);
      await expect.poll(() => first.out, { timeout: 20_000 }).toContain('AXON Hub runs at');
      first.kill('SIGTERM');
      await first.ended();
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      const script = `mount -t tmpfs -o size=4m,mode=0700 none '${disk}' && cp -a '${home}/.' '${disk}' && { cat /dev/zero > '${disk}/ballast' 2>/dev/null; exec "$@"; }`;
      const program = [process.execPath, ...wordsOf('cli', ['hub'])];
      const child = spawn(
        'unshare',
        ['--mount', 'sh', '-c', script, 'sh', ...program, '--home', disk, ...DOORS],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      );
      let [out, error] = ['', ''];
      child.stdout.on('data', (part: Buffer) => (out += part.toString()));
      child.stderr.on('data', (part: Buffer) => (error += part.toString()));
      await once(child, 'close');
      expect([child.exitCode, out], error).toEqual([1, '']);
      expect(error).toMatch(/^".*hub\.db" cannot be written: its disk is full\.\nFree some space/m);
    },
    60_000,
  );
});

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
      const hub = [process.execPath, ...wordsOf('cli', ['hub'])];
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
