// A file that is there whole or not at all.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { intoNewFile } from '../../../main/cli/whole-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-file-'));
  path = join(folder, 'record.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const two = async (write: (piece: string) => void): Promise<void> => {
  write('one ');
  write('two');
};

it('a whole file is its owner’s alone', async () => {
  await intoNewFile(path, two);
  expect(readFileSync(path, 'utf8')).toBe('one two');
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('a file that is there stays as it is', async () => {
  writeFileSync(path, 'theirs');
  await expect(intoNewFile(path, two)).rejects.toMatchObject({
    code: 'bad_request',
    message: `"${path}" is there already.`,
  });
  expect(readFileSync(path, 'utf8')).toBe('theirs');
});

it('nothing is left of what was not written to its end', async () => {
  await expect(intoNewFile(path, () => Promise.reject(new Error('called off')))).rejects.toThrow(
    'called off',
  );
  expect(readdirSync(folder)).toEqual([]);
});

it('where no file can be made the error says what to do', async () => {
  mkdirSync(path);
  await expect(intoNewFile(join(path, 'no folder', 'record.json'), two)).rejects.toMatchObject({
    code: 'bad_request',
    hint: expect.stringContaining('a folder that you can') as string,
  });
});
