// The file that package.json names as `axon`, and `npm start`, as a fresh clone has them: unbuilt,
// under an old Node, and started by npm.
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildAnew, buildIfNeeded, needsBuild } from '../../main/app/build.ts';

const ROOT = join(import.meta.dirname, '../..');
const BUILT = [
  'out/main/headless.js',
  'out/main/quic.js',
  'out/main/cli.js',
  'out/renderer/index.html',
] as const;
/** A Node that says it is an old one; what it starts is the real one again. */
const OLD_NODE =
  'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.19.0" })';
const running: ChildProcess[] = [];

/** Each with its whole process group: the hub that npm started outlives an npm that is killed. */
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended =
      child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    killGroup(child);
    await ended;
  }
});

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') return void child.kill('SIGKILL');
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
}

/** A folder to be a clone, as its real path. */
function emptyClone(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'axon-clone-')));
}

function put(clone: string, file: string, content: string | Buffer): void {
  mkdirSync(dirname(join(clone, file)), { recursive: true });
  writeFileSync(join(clone, file), content);
}

function start(clone: string, program: string, parameters: readonly string[]) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(AXON_|npm_|DISPLAY|WAYLAND)/.test(name),
  );
  const env = { ...Object.fromEntries(inherited), AXON_HOME: join(clone, 'home') };
  const child = spawn(program, parameters, {
    cwd: clone,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  running.push(child);
  const said = { child, out: '', error: '', ended: once(child, 'close') };
  child.stdout.on('data', (part: Buffer) => (said.out += part.toString()));
  child.stderr.on('data', (part: Buffer) => (said.error += part.toString()));
  return said;
}

const axon = (clone: string, parameters: readonly string[], flags: readonly string[] = []) =>
  start(clone, process.execPath, [...flags, join(clone, 'main/entry/axon.cjs'), ...parameters]);

describe('a fresh clone', () => {
  const clone = emptyClone();
  afterAll(() => rmSync(clone, { recursive: true, force: true }));
  beforeAll(() => {
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const file of listed.trim().split('\n')) {
      if (!file.startsWith('test/') && existsSync(join(ROOT, file)))
        put(clone, file, readFileSync(join(ROOT, file)));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  });

  test('builds itself at the first axon, and answers', { timeout: 120_000 }, async () => {
    const first = axon(clone, ['status', '--json']);
    await first.ended;
    expect(first.child.exitCode, first.error).toBe(1);
    expect(first.error).toContain('is not built yet: building');
    expect(first.error).toContain('"code": "hub_unreachable"');
    expect(first.out).toBe('');
    expect(needsBuild(clone)).toBeNull();
  });

  test.skipIf(process.platform === 'win32')(
    'stops its hub in order at Ctrl+C, which reaches npm and all it started',
    { timeout: 120_000 },
    async () => {
      const npm = start(clone, 'npm', [
        'start',
        '--',
        '--api-port',
        '0',
        '--peer-port',
        '0',
        '--discovery',
        'off',
      ]);
      await expect
        .poll(() => npm.out + npm.error, { timeout: 100_000 })
        .toContain('AXON Hub runs at');
      const runtime = join(clone, 'home/hub.json');
      expect(existsSync(runtime)).toBe(true);
      if (npm.child.pid === undefined) throw new Error('npm was not started');
      process.kill(-npm.child.pid, 'SIGINT');
      await expect.poll(() => existsSync(runtime), { timeout: 15_000 }).toBe(false);
    },
  );
});

describe('the file that package.json names', () => {
  let clone: string;
  beforeEach(() => {
    clone = emptyClone();
    put(clone, 'main/entry/axon.cjs', readFileSync(join(ROOT, 'main/entry/axon.cjs')));
    put(clone, 'package.json', '{"type":"module"}');
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  test('is in the repository, to be run by itself', () => {
    const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(bin).toEqual({ axon: 'main/entry/axon.cjs' });
    const tracked = execFileSync('git', ['ls-files', '--stage', '--', bin.axon], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(tracked).toMatch(/^100755 /);
  });

  test('says what to do where the packages are not installed', async () => {
    const command = axon(clone, ['status']);
    await command.ended;
    expect(command).toMatchObject({
      out: '',
      error: expect.stringContaining(`Run "npm ci" in ${clone}`),
    });
    expect(command.child.exitCode).toBe(1);
  });

  test('runs with the Node that npm brought along when this one is too old, and hands signals and exit codes on', async () => {
    mkdirSync(join(clone, 'node_modules/node/bin'), { recursive: true });
    symlinkSync(process.execPath, join(clone, 'node_modules/node/bin', basename(process.execPath)));
    const program =
      'process.on("SIGTERM", () => process.exit(7)); console.log(process.versions.node, ...process.argv.slice(2)); setInterval(() => {}, 60_000);';
    for (const file of BUILT) put(clone, file, '');
    put(clone, 'out/main/cli.js', program);
    const command = axon(clone, ['hub', '--name', 'a b'], ['--import', OLD_NODE]);
    await expect.poll(() => command.out).toBe(`${process.versions.node} hub --name a b\n`);
    command.child.kill('SIGTERM');
    await command.ended;
    expect(command.child.exitCode).toBe(7);
  });

  test('says which Node it needs where npm brought none', async () => {
    for (const file of BUILT) put(clone, file, 'console.log("ran")');
    const command = axon(clone, ['status'], ['--import', OLD_NODE]);
    await command.ended;
    expect(command).toMatchObject({ out: '', error: expect.stringContaining('this is 20.19.0') });
    expect(command.error).toContain('npm ci');
    expect(command.child.exitCode).toBe(1);
  });

  test('the state of the build is known by the files: missing, older than a source, or new enough', () => {
    for (const source of ['main/entry/cli.ts', 'resources/SKILL.md']) put(clone, source, '');
    expect(needsBuild(clone)).toBe('The hub is not built yet');
    for (const file of BUILT) put(clone, file, '');
    expect(needsBuild(clone)).toBeNull();
    const built = statSync(join(clone, BUILT[0])).mtimeMs / 1000;
    for (const source of ['main/entry/axon.cjs', 'resources/SKILL.md']) {
      utimesSync(join(clone, source), built + 5, built + 5);
      expect(needsBuild(clone)).toBe('The sources changed since the last build');
      utimesSync(join(clone, source), built - 5, built - 5);
      expect(needsBuild(clone)).toBeNull();
    }
  });

  /** Stands in for the builder: writes what a build leaves, with `mark` in it. */
  function putBuilder(mark: string, rest = ''): void {
    const program = `
      const { mkdirSync, writeFileSync } = require('fs');
      const { dirname, join } = require('path');
      for (const file of ${JSON.stringify(BUILT)}) {
        const path = join(process.env.AXON_BUILD_FOLDER, file.slice('out/'.length));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, ${JSON.stringify(mark)});
      }
      ${rest}`;
    put(clone, 'node_modules/electron-vite/bin/electron-vite.js', program);
    put(clone, 'node_modules/package.json', '{"type":"commonjs"}');
  }
  const build = (said: string[] = []): boolean => buildAnew(clone, (text) => said.push(text));
  const built = (): string => readFileSync(join(clone, BUILT[0]), 'utf8');
  const leftovers = (): readonly string[] =>
    readdirSync(clone).filter((name) => name.startsWith('out.'));

  test('a build takes the place of the former one when it is whole, and not when it failed', () => {
    putBuilder('first');
    expect(build()).toBe(true);
    put(clone, 'out/main/of-the-first.js', '');
    putBuilder('half', 'process.exit(1)');
    expect(build()).toBe(false);
    expect(built()).toBe('first');
    putBuilder('second');
    expect(build()).toBe(true);
    expect(built()).toBe('second');
    expect(existsSync(join(clone, 'out/main/of-the-first.js'))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  test('two builders that come together leave one whole build', () => {
    // The second one runs to its end in the middle of the first.
    const other = `import { buildAnew } from ${JSON.stringify(join(ROOT, 'main/app/build.ts'))}; process.exit(buildAnew(process.cwd(), () => {}) ? 0 : 1);`;
    const meanwhile = `
      if (process.env.MEANWHILE === undefined) {
        const words = ['--input-type=module', '--eval', ${JSON.stringify(other)}];
        const { status } = require('child_process').spawnSync(process.execPath, words, { env: { ...process.env, MEANWHILE: '1' } });
        writeFileSync(join(process.env.AXON_BUILD_FOLDER, 'other-ended'), String(status));
      }`;
    putBuilder('new', meanwhile);
    expect(build()).toBe(true);
    expect(readFileSync(join(clone, 'out/other-ended'), 'utf8')).toBe('0');
    expect(built()).toBe('new');
    expect(needsBuild(clone)).toBeNull();
    expect(leftovers()).toEqual([]);
  });

  test('a folder that takes no file is told in a sentence', () => {
    const said: string[] = [];
    const file = join(clone, 'package.json');
    expect(buildIfNeeded(file, (text) => said.push(text))).toBe(false);
    expect(said.join('\n')).toContain(`The hub cannot be built in ${file}`);
  });

  test('axon builds again where a file is missing', async () => {
    for (const file of BUILT.slice(0, 3)) put(clone, file, 'console.log("ran")');
    put(clone, 'node_modules/electron-vite/package.json', '{}');
    put(
      clone,
      'main/entry/start.ts',
      'import { writeFileSync } from "node:fs"; writeFileSync("rebuilt", process.argv[2] ?? "");',
    );
    const command = axon(clone, ['status']);
    await command.ended;
    expect(readFileSync(join(clone, 'rebuilt'), 'utf8'), command.error).toBe('build');
  });
});
