// The programs under out/ for projects that start them: built once before their first test, unless the run has just built them
// (AXON_TEST_BUILT=1).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const BUILDER = join(ROOT, 'node_modules/electron-vite/bin/electron-vite.js');

export function setup(): void {
  if (process.env['AXON_TEST_BUILT'] === '1') return;
  const { status } = spawnSync(process.execPath, [BUILDER, 'build', '--logLevel', 'warn'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed; its words stand above');
}
