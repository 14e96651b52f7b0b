// Where the code is kept that V8 made of the bundles, and where it never is: V8 would run what
// somebody else puts there.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SUBJECT = join(import.meta.dirname, '../../../main/app/compiled-code.ts');
const posix = test.skipIf(process.platform === 'win32');

let folder: string;
let kept: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-compiled-'));
  kept = join(folder, 'compiled');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Where a process keeps its code that runs `program`, started with umask 0. */
function keptBy(program: string): string {
  const { NODE_COMPILE_CACHE: _ours, ...env } = process.env;
  const script = `
    import { getCompileCacheDir } from 'node:module';
    import { keepCompiled } from ${JSON.stringify(SUBJECT)};
    process.umask(0);
    keepCompiled(${JSON.stringify(program)});
    console.log(getCompileCacheDir() ?? 'nowhere');`;
  const words = ['--no-warnings', '--input-type=module', '--eval', script];
  return spawnSync(process.execPath, words, { env, encoding: 'utf8' }).stdout.trim();
}

posix('compiled code is kept beside the bundle, for its owner alone, whatever the umask', () => {
  expect(keptBy(join(folder, 'headless.js'))).toContain(join(kept, 'v'));
  expect(statSync(kept).mode & 0o777).toBe(0o700);
});

test.each<[string, () => void]>([
  ['that others may write to', () => (mkdirSync(kept), chmodSync(kept, 0o777))],
  ['that its group may write to', () => (mkdirSync(kept), chmodSync(kept, 0o770))],
  ['that is a link', () => symlinkSync(tmpdir(), kept)],
  ['that is a file', () => writeFileSync(kept, '')],
])('no compiled code is read from a folder %s', (_which, make) => {
  make();
  expect(keptBy(join(folder, 'headless.js'))).toBe('nowhere');
});

test('a bundle beside which nothing can be made runs without kept code', () => {
  expect(keptBy(join(folder, 'missing', 'headless.js'))).toBe('nowhere');
});

test('nothing is kept of sources', () => {
  expect(keptBy(join(folder, 'headless.ts'))).toBe('nowhere');
  expect(existsSync(kept)).toBe(false);
});
