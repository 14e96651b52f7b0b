// `axon hub` hands on what was given as it was given, and nothing else.
import { expect, test } from 'vitest';
import { makeProgram } from '../../../main/cli/program.ts';
import { FLAGS } from '../../../preload/contract/settings.ts';

async function handedOn(...words: readonly string[]): Promise<readonly string[]> {
  let flags: readonly string[] = [];
  const program = makeProgram({
    version: '0',
    isJson: false,
    run: () => Promise.reject(new Error('no command but the hub is run here')),
    runHub: async (given) => void (flags = given),
    checkStoppedAudit: () => Promise.reject(new Error('no record is checked here')),
    removeData: () => Promise.reject(new Error('no data is removed here')),
  });
  await program.parseAsync(['hub', ...words], { from: 'user' });
  return flags;
}

test('every flag of the table is taken and handed on, and none that was not given', async () => {
  expect(await handedOn()).toEqual([]);
  for (const { name, value } of FLAGS) {
    const words = value === null ? [`--${name}`] : [`--${name}`, 'off'];
    expect(await handedOn(...words), name).toEqual(words);
  }
  expect(await handedOn('--no-browser', '--name', "Mum's PC", '--home', '/elsewhere')).toEqual([
    '--name',
    "Mum's PC",
    '--no-browser',
    '--home',
    '/elsewhere',
  ]);
});
