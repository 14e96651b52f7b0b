// Shell completion: the printed script, in the shell it is for.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { axon } from '../support/programs.ts';

const script = async (shell: string): Promise<string> => {
  const { code, out } = await axon('/nowhere', ['completion', shell]);
  expect(code).toBe(0);
  return out;
};

const isHere = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

test.skipIf(!isHere('bash')).each([
  [['axon', 'del'], ['delegate']],
  [['axon', 'agents', 'con'], ['connect']],
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

test('zsh has the same by its own way, and fish a line for each', async () => {
  const zsh = (await script('zsh')).split('\n');
  expect(zsh[0]).toContain('bashcompinit');
  expect(zsh.slice(1).join('\n')).toBe(await script('bash'));
  const fish = await script('fish');
  expect(fish).toContain("complete -c axon -f -n '__fish_use_subcommand' -a delegate");
  expect(fish).toContain("complete -c axon -n '__fish_seen_subcommand_from delegate' -l deadline");
});
