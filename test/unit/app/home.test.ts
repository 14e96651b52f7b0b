// The data folder: private, one hub at a time, and free again after a hub was killed. Other
// processes here are real ones.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SystemRandom } from '../../../main/adapters/clock/system-clock.ts';
import { Home } from '../../../main/app/home.ts';

const random = new SystemRandom();
let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-home-'));
  home = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Words for Node: open the folder, then do what `then` says. */
function opening(then: string): readonly string[] {
  const program = `
    import { Home } from ${JSON.stringify(join(import.meta.dirname, '../../../main/app/home.ts'))};
    import { SystemRandom } from ${JSON.stringify(join(import.meta.dirname, '../../../main/adapters/clock/system-clock.ts'))};
    const home = Home.open(${JSON.stringify(home)}, new SystemRandom());
    ${then}`;
  return ['--input-type=module', '--eval', program];
}

/** A process that opens the folder, says so, and stays until it is ended. */
async function holder(): Promise<{
  readonly pid: number;
  end(signal: NodeJS.Signals): Promise<void>;
}> {
  const then = `
    home.writeRuntimeFile({ port: 1, pid: process.pid, boot_secret: 'old' });
    process.stdin.resume();
    console.log('open');`;
  const child = spawn(process.execPath, opening(then), { stdio: ['pipe', 'pipe', 'ignore'] });
  const refused = once(child, 'exit').then(() =>
    Promise.reject(new Error('the folder was not opened')),
  );
  // It also ends after it was open; only the race below may hear of it.
  refused.catch(() => undefined);
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), refused]);
  return {
    pid: child.pid ?? 0,
    end: async (signal) => {
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

describe('the data folder', () => {
  test('ST-03: is made for its owner alone, and so is everything in it, whatever the umask', () => {
    const before = process.umask(0);
    try {
      const opened = Home.open(home, random);
      opened.writeRuntimeFile({ port: 7117, pid: process.pid, boot_secret: 'secret' });
      expect(statSync(home).mode & 0o777).toBe(0o700);
      expect(statSync(join(home, 'hub.json')).mode & 0o777).toBe(0o600);
      expect(statSync(join(home, 'hub.lock')).mode & 0o777).toBe(0o600);
      opened.close();
    } finally {
      process.umask(before);
    }
  });

  test('ST-03: never writes the runtime file through a link', () => {
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'untouched');
    const opened = Home.open(home, random);
    symlinkSync(victim, join(home, 'hub.json'));
    opened.writeRuntimeFile({ port: 7117, pid: process.pid, boot_secret: 'secret' });
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(JSON.parse(readFileSync(join(home, 'hub.json'), 'utf8'))).toMatchObject({ port: 7117 });
    opened.close();
  });

  describe.skipIf(process.platform === 'win32')('ST-03: is refused and left as it is', () => {
    const modeOf = (path: string): number => statSync(path).mode & 0o7777;
    const refused = (why: string): unknown =>
      expect.objectContaining({
        code: 'storage_failed',
        message: expect.stringContaining(why),
        hint: expect.stringContaining('--home'),
      });

    test('when users share it', () => {
      mkdirSync(home);
      chmodSync(home, 0o1777);
      expect(() => Home.open(home, random)).toThrow(refused('is shared'));
      expect([modeOf(home), readdirSync(home)]).toEqual([0o1777, []]);
    });

    test.each([0o755, 0o750, 0o777])(
      'when it holds what is not of a hub and has the rights %o',
      (mode) => {
        mkdirSync(home);
        writeFileSync(join(home, 'holiday.txt'), 'of somebody');
        writeFileSync(join(home, 'config.json'), '{}');
        chmodSync(home, mode);
        expect(() => Home.open(home, random)).toThrow(refused('not of a hub'));
        expect([modeOf(home), readdirSync(home).toSorted()]).toEqual([
          mode,
          ['config.json', 'holiday.txt'],
        ]);
      },
    );

    test('when it belongs to another user, also behind a link', () => {
      const isRoot = process.getuid?.() === 0;
      const foreign = isRoot ? home : '/usr';
      if (isRoot) {
        mkdirSync(home, { mode: 0o755 });
        chownSync(home, 65_534, 65_534);
      }
      const before = modeOf(foreign);
      const link = join(folder, 'link');
      symlinkSync(foreign, link);
      expect(() => Home.open(foreign, random)).toThrow(refused('belongs to another user'));
      expect(() => Home.open(link, random)).toThrow(refused('belongs to another user'));
      expect(modeOf(foreign)).toBe(before);
    });
  });

  test.each<[string, readonly string[]]>([
    ['empty', []],
    ['prepared for a hub', ['config.json']],
    ['that of a hub', ['hub.db', 'notes.txt']],
  ])('ST-03: is made private when others may enter it and it is %s', (_what, names) => {
    mkdirSync(home);
    for (const name of names) writeFileSync(join(home, name), '');
    chmodSync(home, 0o755);
    const opened = Home.open(home, random);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    opened.close();
  });

  test('takes one hub at a time, and names the one that has it', async () => {
    const other = await holder();
    expect(() => Home.open(home, random)).toThrow(
      expect.objectContaining({
        code: 'home_in_use',
        message: expect.stringContaining(String(other.pid)),
        data: { pid: other.pid },
      }),
    );
    await other.end('SIGKILL');
  });

  test('is free again after its hub was killed, and the old runtime file is gone with the new start', async () => {
    await (await holder()).end('SIGKILL');
    expect(existsSync(join(home, 'hub.lock'))).toBe(true);
    const opened = Home.open(home, random);
    opened.writeRuntimeFile({ port: 2, pid: process.pid, boot_secret: 'new' });
    expect(readFileSync(join(home, 'hub.json'), 'utf8')).not.toContain('old');
    opened.close();
    expect(readdirSync(home)).toEqual([]);
  });

  test('is free when another process only got the number of the dead one', () => {
    const opened = Home.open(home, random);
    const lock = join(home, 'hub.lock');
    const content = JSON.parse(readFileSync(lock, 'utf8'));
    opened.close();
    writeFileSync(lock, JSON.stringify({ ...content, started: '1', nonce: 'of somebody else' }));
    const again = Home.open(home, random);
    expect(JSON.parse(readFileSync(lock, 'utf8')).nonce).not.toBe('of somebody else');
    again.close();
  });

  test('is free when the lock is damaged, and closes only its own lock', () => {
    const opened = Home.open(home, random);
    const lock = join(home, 'hub.lock');
    writeFileSync(lock, 'not a lock');
    const again = Home.open(home, random);
    opened.close();
    expect(existsSync(lock)).toBe(true);
    again.close();
    again.close();
    expect(existsSync(lock)).toBe(false);
  });

  test.skipIf(process.platform === 'win32')(
    'is not waited for when a pipe lies where the lock should be',
    () => {
      mkdirSync(home, { mode: 0o700 });
      expect(spawnSync('mkfifo', [join(home, 'hub.lock')]).status).toBe(0);
      // In a process of its own: whoever waits for a writer of a pipe can only be killed.
      const { status, signal } = spawnSync(process.execPath, opening('home.close();'), {
        timeout: 10_000,
        killSignal: 'SIGKILL',
      });
      expect({ status, signal }).toEqual({ status: 0, signal: null });
      expect(readdirSync(home)).toEqual([]);
    },
  );

  test('goes to exactly one of several hubs that start at once over a dead lock', async () => {
    await (await holder()).end('SIGKILL');
    const starts = await Promise.allSettled([holder(), holder(), holder()]);
    const won = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    expect(won).toHaveLength(1);
    await Promise.all(won.map((one) => one.end('SIGKILL')));
  });
});
