// The two packages, made for real: the file of `npm pack`, and the desktop app by electron-builder,
// with a stand-in for Electron's program that holds nothing but its fuses. Each holds what its
// programs load and nothing else, and the packed app starts.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { extractAll } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadedBy } from '../../resources/packaging/loaded-chunks.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { measured } from '../support/counts.ts';
import { DesktopApp } from './desktop-app.ts';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'out/main');
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const FUSE_COUNT = 9;
/** The two states, as bytes of the program. */
const [OFF, ON] = Buffer.from('01');
const MEGABYTE = 1024 * 1024;

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'axon-packages-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every file below, by its path from there, with its size. */
function filesIn(place: string): ReadonlyMap<string, number> {
  return new Map(
    readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(place, file), statSync(file).size]),
  );
}

/** Both processes of the app, or the programs of the headless hub, with all that they load. */
const loaded = (...entries: readonly string[]): readonly string[] =>
  [...loadedBy(MAIN, entries), 'licences.txt'].map((path) => `out/main/${path}`);
const pages = (): readonly string[] =>
  [...filesIn(join(ROOT, 'out/renderer')).keys()].map((path) => `out/renderer/${path}`);

function report(name: string, files: ReadonlyMap<string, number>): number {
  const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
  measured(`${name}: ${files.size} files, ${(bytes / MEGABYTE).toFixed(1)} MB`);
  return bytes;
}

it('npm pack: the file of the headless hub holds what its programs load', () => {
  const place = join(folder, 'npm');
  const given = ['package.json', 'package-lock.json', 'README.md', 'LICENSE', 'main/entry', 'out'];
  for (const path of given) cpSync(join(ROOT, path), join(place, path), { recursive: true });
  const run = (...words: readonly string[]) => {
    const [program = '', ...rest] = words;
    const { status, stdout, stderr } = spawnSync(program, rest, { cwd: place, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stdout;
  };
  run(process.execPath, join(ROOT, 'resources/packaging/shrinkwrap.ts'));
  const [packed] = JSON.parse(run('npm', 'pack', '--json', '--ignore-scripts')) as {
    readonly files: readonly { readonly path: string; readonly size: number }[];
  }[];
  const files = new Map(packed?.files.map(({ path, size }) => [path, size]));
  expect([...files.keys()].toSorted()).toEqual(
    [
      ...loaded('cli.js', 'headless.js', 'quic.js'),
      ...pages(),
      'main/entry/axon.cjs',
      // npm puts in what package.json calls "main".
      'out/main/electron.js',
      'npm-shrinkwrap.json',
      'package.json',
      'README.md',
      'LICENSE',
    ].toSorted(),
  );
  expect(report('the file of npm pack', files)).toBeLessThan(6 * MEGABYTE);
}, 60_000);

describe.skipIf(process.platform !== 'linux')('electron-builder', () => {
  let app: string;
  let unpacked: string;

  beforeAll(() => {
    const stand = join(folder, 'electron');
    mkdirSync(join(stand, 'resources'), { recursive: true });
    mkdirSync(join(stand, 'locales'));
    // As Electron ships: the version of the fuses, how many there are, and their states.
    const fuses = Buffer.from([1, FUSE_COUNT, ...Buffer.from('1'.repeat(FUSE_COUNT))]);
    writeFileSync(join(stand, 'electron'), Buffer.concat([Buffer.from(SENTINEL), fuses]));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/electron-builder/cli.js'),
        '--linux',
        'dir',
        '--publish',
        'never',
        `-c.electronDist=${stand}`,
        `-c.directories.output=${join(folder, 'dist')}`,
      ],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect(status, `${stdout}${stderr}`).toBe(0);
    unpacked = join(folder, 'dist/linux-unpacked');
    app = join(folder, 'app');
    extractAll(join(unpacked, 'resources/app.asar'), app);
  }, 120_000);

  it('packs what the two processes of the app load, and of the native packages what runs here', () => {
    const files = filesIn(app);
    const trays = readdirSync(join(ROOT, 'resources/tray')).filter((name) => name.endsWith('.png'));
    const own = [...files.keys()].filter((path) => !path.startsWith('node_modules/'));
    expect(own.toSorted()).toEqual(
      [
        ...loaded('electron.js', 'quic.js'),
        ...pages(),
        'out/preload/index.cjs',
        'package.json',
        'resources/icon.png',
        ...trays.map((name) => `resources/tray/${name}`),
      ].toSorted(),
    );
    const native = [...files.keys()].filter((path) => path.endsWith('.node'));
    expect(native.toSorted()).toEqual([
      'node_modules/@matrixai/quic-linux-x64/node.napi.node',
      'node_modules/@napi-rs/keyring-linux-x64-gnu/keyring.linux-x64-gnu.node',
      'node_modules/better-sqlite3/prebuilds/linux-x64.node',
    ]);
    const outside = join(unpacked, 'resources/app.asar.unpacked');
    expect(native.filter((path) => !existsSync(join(outside, path)))).toEqual([]);
    const packages = new Set(
      [...files.keys()].flatMap(
        (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
      ),
    );
    expect([...packages].toSorted()).toEqual([
      '@matrixai/quic',
      '@matrixai/quic-linux-x64',
      '@napi-rs/keyring-linux-x64-gnu',
      'better-sqlite3',
      'keytar',
    ]);
    expect(report('the packed desktop app, without Electron', files)).toBeLessThan(20 * MEGABYTE);
  });

  it('flips the fuses of the program', async () => {
    const wire = await getCurrentFuseWire(join(unpacked, 'axon-hub'));
    const off = [
      FuseV1Options.RunAsNode,
      FuseV1Options.EnableNodeOptionsEnvironmentVariable,
      FuseV1Options.EnableNodeCliInspectArguments,
      FuseV1Options.LoadBrowserProcessSpecificV8Snapshot,
      FuseV1Options.GrantFileProtocolExtraPrivileges,
    ];
    const on = [
      FuseV1Options.EnableCookieEncryption,
      FuseV1Options.EnableEmbeddedAsarIntegrityValidation,
      FuseV1Options.OnlyLoadAppFromAsar,
    ];
    expect(off.map((fuse) => wire[fuse])).toEqual(off.map(() => OFF));
    expect(on.map((fuse) => wire[fuse])).toEqual(on.map(() => ON));
  });

  it('names no feed in an app that was packaged without one', () => {
    expect(JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))).not.toHaveProperty(
      'updates',
    );
    expect(existsSync(join(unpacked, 'resources/app-update.yml'))).toBe(false);
  });

  it.skipIf(!hasRealPart('chromium'))(
    'packs an app that starts, shows its pages and stops',
    async () => {
      const home = mkdtempSync(join(tmpdir(), 'axon-packed-'));
      const packed = DesktopApp.launch({ home, root: app, environment: { AXON_DISCOVERY: 'off' } });
      try {
        const page = await packed.page();
        await page.getByRole('navigation').first().waitFor();
        void packed.ask('quit').catch(() => undefined);
        expect(await packed.exited, packed.output.join('')).toBe(0);
      } finally {
        await packed.kill();
        rmSync(home, { recursive: true, force: true });
      }
    },
  );
});
