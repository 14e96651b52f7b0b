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
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Home } from '../../../main/app/home.ts';

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
    const home = Home.open(${JSON.stringify(home)});
    ${then}`;
  return ['--input-type=module', '--eval', program];
}

/** A process that opens the folder, says so, and stays until it is ended. */
async function holder(more = ''): Promise<{
  readonly pid: number;
  end(signal: NodeJS.Signals): Promise<void>;
}> {
  const then = `
    home.writeRuntimeFile({ port: 1, pid: process.pid, boot_secret: 'old' });
    ${more}
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
      const opened = Home.open(home);
      opened.writeRuntimeFile({ port: 7117, pid: process.pid, boot_secret: 'secret' });
      expect(statSync(home).mode & 0o777).toBe(0o700);
      expect(statSync(join(home, 'hub.json')).mode & 0o777).toBe(0o600);
      expect(statSync(join(home, 'hub.lock.db')).mode & 0o777).toBe(0o600);
      opened.close();
    } finally {
      process.umask(before);
    }
  });

  test('ST-03: never writes the runtime file through a link', () => {
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'untouched');
    const opened = Home.open(home);
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
      expect(() => Home.open(home)).toThrow(refused('is shared'));
      expect([modeOf(home), readdirSync(home)]).toEqual([0o1777, []]);
    });

    test.each([0o755, 0o750, 0o777])(
      'when it holds what is not of a hub and has the rights %o',
      (mode) => {
        mkdirSync(home);
        writeFileSync(join(home, 'holiday.txt'), 'of somebody');
        writeFileSync(join(home, 'config.json'), '{}');
        chmodSync(home, mode);
        expect(() => Home.open(home)).toThrow(refused('not of a hub'));
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
      expect(() => Home.open(foreign)).toThrow(refused('belongs to another user'));
      expect(() => Home.open(link)).toThrow(refused('belongs to another user'));
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
    const opened = Home.open(home);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    opened.close();
  });

  test('takes one hub at a time, in this process as in another', async () => {
    const refused = expect.objectContaining({
      code: 'home_in_use',
      message: expect.stringContaining(home),
      hint: expect.stringContaining('--home'),
    });
    const other = await holder();
    expect(() => Home.open(home)).toThrow(refused);
    await other.end('SIGKILL');
    const own = Home.open(home);
    expect(() => Home.open(home)).toThrow(refused);
    expect(() => Home.open(home)).toThrow(refused);
    own.close();
    own.close();
    Home.open(home).close();
  });

  test('is free again after its hub was killed, and what that left is gone with the new start', async () => {
    await (await holder()).end('SIGKILL');
    expect(existsSync(join(home, 'hub.json'))).toBe(true);
    const opened = Home.open(home);
    expect(readdirSync(home)).toEqual(['hub.lock.db']);
    opened.close();
  });

  test('closes only what is its own', async () => {
    const first = Home.open(home);
    first.close();
    const second = Home.open(home);
    second.writeRuntimeFile({ port: 2, pid: process.pid, boot_secret: 'new' });
    first.close();
    expect(existsSync(join(home, 'hub.json'))).toBe(true);
    second.close();
  });

  describe('with the lock of an earlier version in it', () => {
    const EARLIER = { boot: null, started: null, nonce: '0011223344556677' };
    const lock = (): string => join(home, 'hub.lock');
    beforeEach(() => {
      mkdirSync(home, { mode: 0o700 });
    });

    // This very process runs: the number of a dead hub may be that of any program by now.
    test.each([process.pid, 1, 99_999_999])(
      'is free where its hub is gone, whatever program has the number %d by now',
      (pid) => {
        writeFileSync(lock(), JSON.stringify({ ...EARLIER, pid }));
        const store = new Database(join(home, 'hub.db'));
        store.exec('PRAGMA journal_mode = WAL; CREATE TABLE held (a)');
        store.close();
        const opened = Home.open(home);
        expect(existsSync(lock())).toBe(false);
        opened.close();
      },
    );

    test('is refused while its hub runs, whose number nobody has', () => {
      writeFileSync(lock(), JSON.stringify({ ...EARLIER, pid: 99_999_999 }));
      const store = new Database(join(home, 'hub.db'));
      store.exec('PRAGMA journal_mode = WAL; CREATE TABLE held (a)');
      expect(() => Home.open(home)).toThrow(expect.objectContaining({ code: 'home_in_use' }));
      expect(existsSync(lock())).toBe(true);
      store.close();
      Home.open(home).close();
      expect(existsSync(lock())).toBe(false);
    });

    test('is free where that is no lock, or there is no database', () => {
      writeFileSync(lock(), 'not a lock');
      Home.open(home).close();
      writeFileSync(lock(), 'not a lock');
      writeFileSync(join(home, 'hub.db'), 'not a database');
      Home.open(home).close();
      expect(readFileSync(join(home, 'hub.db'), 'utf8')).toBe('not a database');
    });
  });

  test.skipIf(process.platform === 'win32')(
    'is refused while its hub runs, as often as it is tried, when the lock file was removed',
    async () => {
      mkdirSync(home, { mode: 0o700 });
      const held = await holder(`
        const { default: Database } = await import('better-sqlite3');
        // A connection that nobody refers to is closed by the garbage collector.
        const store = (globalThis.store = new Database(${JSON.stringify(join(home, 'hub.db'))}));
        store.exec('PRAGMA journal_mode = WAL; CREATE TABLE held (a)');`);
      rmSync(join(home, 'hub.lock.db'));
      for (let start = 0; start < 3; start++) {
        expect(() => Home.open(home)).toThrow(expect.objectContaining({ code: 'home_in_use' }));
        expect(readFileSync(join(home, 'hub.json'), 'utf8')).toContain(`${held.pid}`);
      }
      await held.end('SIGKILL');
      Home.open(home).close();
    },
  );

  test('is free when something else was written into its lock, and then still takes one hub', () => {
    mkdirSync(home, { mode: 0o700 });
    for (const content of ['x', 'not a lock '.repeat(1_000)]) {
      writeFileSync(join(home, 'hub.lock.db'), content);
      const opened = Home.open(home);
      expect(() => Home.open(home)).toThrow(expect.objectContaining({ code: 'home_in_use' }));
      opened.close();
    }
  });

  test.skipIf(process.platform === 'win32')(
    'is refused at once when a pipe, a folder or a link lies where the lock should be',
    () => {
      mkdirSync(home, { mode: 0o700 });
      const path = join(home, 'hub.lock.db');
      for (const make of [
        () => void spawnSync('mkfifo', [path]),
        () => mkdirSync(path),
        () => symlinkSync(join(folder, 'elsewhere'), path),
      ]) {
        make();
        // In a process of its own: whoever waits for a writer of a pipe can only be killed.
        const { status, signal, stderr } = spawnSync(process.execPath, opening('home.close();'), {
          timeout: 10_000,
          killSignal: 'SIGKILL',
          encoding: 'utf8',
        });
        expect({ status, signal }).toEqual({ status: 1, signal: null });
        expect(stderr).toContain('the hub does not open it');
        rmSync(path, { recursive: true });
      }
      expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
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
