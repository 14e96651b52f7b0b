// The one list of what tests start beside npm's own: what stands on it is used, told and allowed, and
// nothing else can be started where continuous integration runs.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

const supportFile = (name: string): string => `test/support/${name}.ts`;

test('what a computer has not got is skipped aloud, and fails where nothing may be skipped', () => {
  const asks = (variables: Record<string, string>) =>
    spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { hasRealPart } from '${join(ROOT, supportFile('real-parts'))}';
         process.stdout.write(String(hasRealPart('curl')));`,
      ],
      { env: { PATH: '', ...variables }, encoding: 'utf8' },
    );
  const skipped = asks({});
  expect(skipped).toMatchObject({ status: 0, stdout: 'false' });
  expect(skipped.stderr).toMatch(/^SKIPPED: .*curl/m);
  const refused = asks({ AXON_TEST_REQUIRE_ALL: '1' });
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toContain('curl');
});

test('the long run has both commands of the README in a bare Debian, and the short one has not', () => {
  const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;
  const stepsOf = (script: string): string => {
    const words = (scripts[script] ?? '').split(' ');
    expect(words[0]).toBe('node');
    const { status, stderr } = spawnSync(process.execPath, [...words.slice(1), '--only', 'none'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    return stderr;
  };
  expect(stepsOf('test:long')).toMatch(/ debian, installed\.$/m);
  expect(stepsOf('test')).not.toContain('debian');
  // As the README gives them.
  for (const command of ['npm ci && npm start', 'npm ci && npm test'])
    expect(read('README.md')).toContain(command);
  const lines = read('test/newcomer.sh').split('\n');
  expect(lines).toEqual(expect.arrayContaining(['npm ci', 'npm test']));
  expect(lines.some((line) => line.startsWith('npm start '))).toBe(true);
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

  test('is that of `npm test` in .ci/run, where nothing may be skipped', () => {
    const clone = join(folder, 'clone');
    for (const inside of ['.ci', 'test/support', 'node_modules/.bin', 'stubs'])
      mkdirSync(join(clone, inside), { recursive: true });
    for (const file of ['.ci/run', ...['system-programs', 'narrow-path'].map(supportFile)])
      copyFileSync(join(ROOT, file), join(clone, file));
    symlinkSync(process.execPath, join(clone, 'node_modules/.bin/node'));
    // In the place of what would install: says what it is asked, and by which PATH.
    const told = join(clone, 'told');
    const says = `#!/bin/sh\necho "$(basename "$0") $* PATH=$PATH ALL=$AXON_TEST_REQUIRE_ALL" >> ${told}\n`;
    for (const name of ['npm', 'npx', 'apt-get'])
      writeFileSync(join(clone, 'stubs', name), says, { mode: 0o755 });
    writeFileSync(join(clone, 'stubs', 'id'), '#!/bin/sh\necho 0\n', { mode: 0o755 });
    symlinkSync(process.execPath, join(clone, 'stubs/node'));
    const env = { PATH: `${clone}/stubs:${process.env['PATH'] ?? ''}`, HOME: clone };
    const { status, stderr } = spawnSync('bash', ['.ci/run'], {
      cwd: clone,
      env,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines = readFileSync(told, 'utf8').trim().split('\n');
    expect(lines.at(-1)).toBe(`npm test PATH=${clone}/test/.output/path ALL=1`);
    expect(lines.filter((line) => line.startsWith('apt-get install'))).toEqual([
      expect.stringContaining(debianPackages().join(' ')),
    ]);
  });

  test('leaves out what Debian has in folders of its own and no list names', () => {
    const narrow = makeNarrowPath(join(folder, 'narrow'));
    expect(outcomeOf('apt-get', `${narrow}:/usr/bin`)).toBe('passed');
    expect(outcomeOf('apt-get', narrow)).toBe('ENOENT');
  });
});
