// Shell completion: the printed script, in the shell it is for.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { axon } from '../support/programs.ts';
import { hasRealPart } from '../support/real-parts.ts';

const script = async (shell: string): Promise<string> => {
  const { code, out } = await axon('/nowhere', ['completion', shell]);
  expect(code).toBe(0);
  return out;
};

const isHere = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

test.skipIf(!isHere('bash')).each([
  [['axon', 'del'], ['delegate']],
  [
    ['axon', 'agents', 'con'],
    ['confirm', 'connect'],
  ],
  [['axon', 'delegate', "Mum's PC", '--dead'], ['--deadline']],
  [['axon', 'agents', 'connect', 'claude-code', '--dom'], ['--domain']],
  [['axon', 'tasks', '--js'], ['--json']],
])('bash completes %j', async (typed, expected) => {
  const asked = [
    await script('bash'),
    `COMP_WORDS=(${typed.map((word) => `"${word}"`).join(' ')}); COMP_CWORD=${typed.length - 1}`,
    '_axon; printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  const { stdout, stderr } = spawnSync('bash', ['-c', asked], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n').toSorted()).toEqual(expected);
});

test('offers what the help shows: "help", and no hidden command', async () => {
  const [first = ''] = /(?<=^ +''\) echo ').*(?=')/m.exec(await script('bash')) ?? [];
  const commands = first.split(' ').filter((word) => !word.startsWith('--'));
  expect(commands).toEqual(expect.arrayContaining(['help', 'demo', 'delegate']));
  expect(commands).not.toContain('demo-hub');
});

/** The file of the script, in a folder of its own, which is a home for the shell too. */
async function scriptFile(
  shell: string,
): Promise<{ readonly home: string; readonly file: string }> {
  const home = mkdtempSync(join(tmpdir(), 'axon-completion-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const file = join(home, 'script');
  writeFileSync(file, await script(shell));
  return { home, file };
}

describe.skipIf(!hasRealPart('zsh'))('zsh', () => {
  test.each([
    ['axon del', 'axon delegate'],
    ['axon agents ', 'remove-area'],
    ['axon delegate x --dead', 'axon delegate x --deadline'],
    ['axon agents connect claude-code --dom', 'claude-code --domain'],
  ])('at a terminal completes "%s"', async (typed, shown) => {
    const { home, file } = await scriptFile('zsh');
    const session = [
      'zmodload zsh/zpty',
      'zpty z zsh -f -i',
      `zpty -w z "source ${file}; echo LOAD''ED"`,
      "zpty -r -m z out '*LOADED*'",
      `zpty -w -n z "${typed}"$'\\t'`,
      `zpty -r -m z out '*${shown}*' && print completed`,
    ].join('\n');
    const { stdout } = spawnSync('zsh', ['-f', '-c', session], {
      encoding: 'utf8',
      env: { ...process.env, HOME: home, ZDOTDIR: home, TERM: 'xterm' },
      cwd: home,
      timeout: 20_000,
    });
    expect(stdout).toBe('completed\n');
  });
});

describe.skipIf(!hasRealPart('fish'))('fish', () => {
  test.each([
    ['axon del', ['delegate']],
    ['axon agents con', ['confirm', 'connect']],
    ['axon delegate x --dead', ['--deadline']],
    ['axon agents connect claude-code --dom', ['--domain']],
    ['axon agents connect con', []],
    ['axon login --home scr', ['script']],
  ])('completes "%s"', async (typed, expected) => {
    const { home, file } = await scriptFile('fish');
    const asked = `source ${file}; complete -C '${typed}'`;
    const { stdout, stderr } = spawnSync('fish', ['-c', asked], {
      encoding: 'utf8',
      env: { ...process.env, HOME: home },
      cwd: home,
    });
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual(expected);
  });
});
