// The real store on disks that are full, broken or read-only: it refuses with storage_failed, keeps
// reading, promises nothing it does not keep, and goes on by itself when the disk is back.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasRealPart } from '../../support/real-parts.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
const CHILD = [
  '--import',
  join(REPOSITORY, 'test', 'support', 'raw-imports.mjs'),
  join(import.meta.dirname, 'disk-child.ts'),
];

type Fact = Readonly<Record<string, unknown>>;

/** A store in a process of its own that does one step a word. */
class DiskChild {
  readonly #process: ChildProcess;
  readonly #facts: AsyncIterator<string>;

  constructor(command: string, parameters: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    const child = spawn(command, parameters, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    this.#process = child;
    this.#facts = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async next(): Promise<Fact> {
    const { value, done } = await this.#facts.next();
    if (done === true) throw new Error('the child ended');
    const fact: unknown = JSON.parse(value);
    if (typeof fact !== 'object' || fact === null) throw new Error(`the child said ${value}`);
    return { ...fact };
  }

  step(word: string): Promise<Fact> {
    this.#process.stdin?.write(`${word}\n`);
    return this.next();
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await ended;
  }
}

let folder: string;
let child: DiskChild | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-disk-'));
});
afterEach(async () => {
  await child?.end();
  child = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const ids = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const REFUSED = { code: 'storage_failed', message: expect.stringMatching(/disk|database/) };

describe.skipIf(!hasRealPart('small-disk'))('a full or read-only disk', () => {
  /** The mount lives in the child's own namespace and goes with it. */
  const onDisk = (prepare: string): DiskChild => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const script = `mount -t tmpfs -o size=8m,mode=0700 none '${disk}' && ${prepare} && exec "$@"`;
    return new DiskChild('unshare', [
      '--mount',
      'sh',
      '-c',
      script,
      'sh',
      process.execPath,
      ...CHILD,
      join(disk, 'hub.db'),
    ]);
  };

  test('F-03: refuses what it cannot keep, decides nothing, still reads, and goes on once there is space', async () => {
    child = onDisk(`head -c 3000000 /dev/zero > '${join(folder, 'disk', 'ballast')}'`);
    expect(await child.next()).toEqual({ opened: true });
    const filled = await child.step('fill');
    const acked = ids(filled['filled']);
    expect(acked.length).toBeGreaterThan(50);
    expect(filled).toMatchObject({
      code: 'storage_failed',
      message: 'The disk is full: nothing more can be recorded.',
    });

    await child.step('choke');
    expect(await child.step('decide')).toEqual({ decided: REFUSED, state: 'pending' });
    expect(await child.step('three')).toMatchObject({ outcomes: [REFUSED, REFUSED, REFUSED] });
    const kept = {
      tasks: acked,
      approvals: acked.length,
      audit: { rows: acked.length, brokenSeq: null },
    };
    expect(await child.step('read')).toEqual(kept);

    expect(await child.step('free')).toEqual({ freed: true });
    expect(await child.step('read')).toEqual(kept);
    expect(await child.step('decide')).toEqual({ decided: null, state: 'approved' });
    const more = await child.step('three');
    expect(more).toMatchObject({ outcomes: [null, null, null] });
    expect(await child.step('read')).toMatchObject({ tasks: [...acked, ...ids(more['three'])] });
    expect(await child.step('close')).toEqual({ closed: true });
  });

  test('F-05: a read-only disk is refused at the start with a sentence that names the file', async () => {
    const path = join(folder, 'disk', 'hub.db');
    const prepare = `echo close | "$@" > /dev/null && mount -o remount,ro '${join(folder, 'disk')}'`;
    child = onDisk(prepare);
    const fact = await child.next();
    expect(fact['refused']).toBe('storage_failed');
    expect(fact['message']).toContain(dirname(path));
    expect(fact['message']).toMatch(/its disk is read-only/);
  });
});

describe.skipIf(!hasRealPart('c-compiler'))('a disk that reports errors', () => {
  const broken = async (
    on: string,
  ): Promise<{ readonly path: string; readonly control: string }> => {
    const library = join(folder, 'failing-disk.so');
    const source = join(import.meta.dirname, 'failing-disk.c');
    expect(spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']).status).toBe(
      0,
    );
    const control = join(folder, 'fail-now');
    const path = join(folder, 'hub.db');
    child = new DiskChild(process.execPath, [...CHILD, path], {
      LD_PRELOAD: library,
      AXON_FAIL_WHEN: control,
      AXON_FAIL_ON: on,
    });
    expect(await child.next()).toEqual({ opened: true });
    return { path, control };
  };

  test.each([
    ['syncing the log', ''],
    ['writing the log', 'writes too'],
  ])(
    'F-04: an error in %s refuses the whole commit; nothing is retried until the disk was proven, and then all is well',
    async (_what, control) => {
      const disk = await broken('-wal');
      const before = await child?.step('three');
      expect(before).toMatchObject({ outcomes: [null, null, null] });
      writeFileSync(disk.control, control);
      expect(await child?.step('three')).toMatchObject({ outcomes: [REFUSED, REFUSED, REFUSED] });
      expect(await child?.step('three')).toMatchObject({ outcomes: [REFUSED, REFUSED, REFUSED] });
      expect(await child?.step('read')).toMatchObject({ tasks: before?.['three'] });

      rmSync(disk.control);
      const after = await child?.step('three');
      expect(after).toMatchObject({ outcomes: [null, null, null] });
      const kept = [...ids(before?.['three']), ...ids(after?.['three'])];
      expect(await child?.step('read')).toMatchObject({
        tasks: kept,
        audit: { rows: 6, brokenSeq: null },
      });

      // Killed, so that only what is on the disk counts: a refused work must not come back from a
      // rest in the log.
      await child?.end();
      child = new DiskChild(process.execPath, [...CHILD, disk.path]);
      expect(await child.next()).toEqual({ opened: true });
      expect(await child.step('read')).toMatchObject({
        tasks: kept,
        audit: { rows: 6, brokenSeq: null },
      });
    },
  );

  test('F-04: while the database file cannot be written the log keeps every acknowledged work', async () => {
    const disk = await broken('hub.db');
    writeFileSync(disk.control, 'writes too');
    const acked: string[] = [];
    for (let round = 0; round < 120; round++) {
      const fact = await child?.step('three');
      expect(fact).toMatchObject({ outcomes: [null, null, null] });
      acked.push(...ids(fact?.['three']));
    }
    rmSync(disk.control);
    await child?.end();
    child = new DiskChild(process.execPath, [...CHILD, disk.path]);
    expect(await child.next()).toEqual({ opened: true });
    expect(await child.step('read')).toMatchObject({
      tasks: acked,
      audit: { rows: acked.length, brokenSeq: null },
    });
  });
});
