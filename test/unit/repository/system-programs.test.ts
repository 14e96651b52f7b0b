// The one list of what tests start beside npm's own: what stands on it is used, told and allowed, and
// nothing else can be started where continuous integration runs.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeNarrowPath } from '../../support/narrow-path.ts';
import { debianPackages, SYSTEM_PROGRAMS } from '../../support/system-programs.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const isDebian = spawnSync('dpkg-query', ['--version']).status === 0;

test('continuous integration installs the packages of the list, and no others', () => {
  const { stdout } = spawnSync(process.execPath, ['test/support/system-programs.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stdout.trim().split('\n')).toEqual(debianPackages());
  const installing = read('.ci/run')
    .split('\n')
    .filter((line) => line.includes('apt-get install'));
  expect(installing).toEqual([
    expect.stringMatching(/recommends \$\(\S+ test\/support\/system-programs\.ts\) >/),
  ]);
});

test('contributing.md shows the list', () => {
  const rows = SYSTEM_PROGRAMS.map(
    ([name, debian, usedFor, isOptional]) =>
      `| ${name === null ? '' : `\`${name}\``} | \`${debian}\` | ${usedFor} | ${isOptional ? 'yes' : 'no'} |`,
  );
  const page = read('resources/docs/contributing.md').replaceAll(/ +\|/g, ' |');
  expect(page.replaceAll('|  |', '| |')).toContain(rows.join('\n').replaceAll('|  |', '| |'));
});

describe.skipIf(!isDebian)('the PATH of continuous integration', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'axon-path-'));
    const program = join(folder, 'undeclared-program');
    writeFileSync(program, '#!/bin/sh\necho here\n');
    chmodSync(program, 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A test that starts `program`, and passes if that can be started. */
  function outcomeOf(program: string, path: string): string {
    const file = join(folder, 'starts.test.mjs');
    writeFileSync(
      file,
      `import { test } from 'node:test';
       import { spawnSync } from 'node:child_process';
       test('starts it', () => { const { error } = spawnSync('${program}', ['--version']); if (error) throw error; });`,
    );
    const { status, stdout } = spawnSync(process.execPath, ['--test', file], {
      env: { PATH: path },
      encoding: 'utf8',
    });
    return status === 0 ? 'passed' : (/ENOENT/.exec(stdout)?.[0] ?? stdout);
  }

  test('fails a test that starts an undeclared program, and none that starts a declared one', () => {
    const narrow = makeNarrowPath(join(folder, 'narrow'));
    const wide = `${folder}:${process.env['PATH'] ?? ''}`;
    expect(outcomeOf('undeclared-program', wide)).toBe('passed');
    expect(outcomeOf('undeclared-program', narrow)).toBe('ENOENT');
    for (const program of ['git', 'node', 'npm', 'sh', 'script'])
      expect(outcomeOf(program, narrow), program).toBe('passed');
  });

  test('leaves out what Debian has in folders of its own and no list names', () => {
    const narrow = makeNarrowPath(join(folder, 'narrow'));
    expect(outcomeOf('apt-get', `${narrow}:/usr/bin`)).toBe('passed');
    expect(outcomeOf('apt-get', narrow)).toBe('ENOENT');
  });
});
