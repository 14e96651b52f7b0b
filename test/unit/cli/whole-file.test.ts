// A file that is there whole or not at all, on disks with hard links and without.
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { intoNewFile, type Naming } from '../../../main/cli/whole-file.ts';
import { AppError } from '../../../main/lib/app-error.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-file-'));
  path = join(folder, 'record.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const refused = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: operation not permitted`), { code });
};
const withoutLinks: Naming = { link: refused('EPERM'), rename: renameSync };
const two = async (write: (piece: string) => void): Promise<void> => {
  write('one ');
  write('two');
};

describe.for([
  ['a disk with hard links', undefined],
  ['a disk without', withoutLinks],
] as const)('on %s', ([, naming]) => {
  it('a whole file gets its name, and nothing is left beside it', async () => {
    await intoNewFile(path, two, naming);
    expect(readdirSync(folder)).toEqual(['record.json']);
    expect(readFileSync(path, 'utf8')).toBe('one two');
  });

  it('a file that somebody put there meanwhile stays as it is', async () => {
    const late = intoNewFile(path, async (write) => (write('mine'), writeFileSync(path, 'theirs')), naming);
    await expect(late).rejects.toMatchObject({ code: 'bad_request', message: `"${path}" is there already.` });
    expect(readdirSync(folder)).toEqual(['record.json']);
    expect(readFileSync(path, 'utf8')).toBe('theirs');
  });

  it('nothing is left of what was not written to its end', async () => {
    await expect(intoNewFile(path, () => Promise.reject(new Error('called off')), naming)).rejects.toThrow('called off');
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('where the file cannot get its name at all nothing is left, not even an empty file, and the error says what to do', async () => {
  const failed = await intoNewFile(path, two, { link: refused('EPERM'), rename: refused('EACCES') }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(AppError);
  expect(failed).toMatchObject({
    code: 'bad_request',
    message: `"${path}" cannot be made.`,
    hint: expect.stringContaining('a folder that you can'),
  });
  expect(readdirSync(folder)).toEqual([]);
});
