// The folder of one demo household among the system's temporary files, private to this user. Must
// never touch a folder of no demo.
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const NAME = /^axon-demo-[A-Za-z0-9]{6}$/;

/** Throws what the system says when there is no room for it. */
export function makeDemoFolder(temporary: string = tmpdir()): string {
  return mkdtempSync(join(temporary, 'axon-demo-'));
}

export function removeDemoFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Takes the home of one hub away, and the demo's folder with it when this was the last one in
 * there. Leaves a home of no demo alone.
 */
export function removeHomeOfDemo(home: string): void {
  if (!NAME.test(basename(dirname(home)))) return;
  removeDemoFolder(home);
  try {
    rmdirSync(dirname(home));
  } catch {
    // Another hub is still in there, or has just done the same.
  }
}
