// What a person is told the first time only. A file in the app's own folder remembers that.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Runs `tell` unless this file is there, and leaves it there. Where it cannot, nothing is told. */
export async function tellOnce(file: string, tell: () => Promise<unknown>): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '', { flag: 'wx', mode: 0o600 });
  } catch {
    return;
  }
  await tell();
}
