// For whom `axon` speaks where several agents are connected and the hub takes the tokens of some of
// them no longer.
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axon, choosePassphrase, type Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

const WELL_FORMED = `axh_agent_${'0'.repeat(16)}_${'x'.repeat(43)}\n`;
let hub: TestHub;
const run = (...parameters: readonly string[]): Promise<Ended> => axon(hub.home, parameters);
const writeToken = (agent: string, text: string): void =>
  writeFileSync(join(hub.home, 'tokens', `${agent}.token`), text);

beforeAll(async () => {
  hub = await TestHub.start();
  const passphrase = await choosePassphrase(hub.home);
  for (const agent of ['a', 'b', 'c']) {
    expect(
      await axon(hub.home, ['--passphrase-file', passphrase, 'agents', 'add', agent]),
    ).toMatchObject({ code: 0 });
  }
});
afterAll(() => hub.stop());

test('what anyone may see is told by the next agent where the hub takes the token of the first one no longer', async () => {
  writeToken('a', WELL_FORMED);
  writeToken('b', 'no token at all\n');
  expect(await run('peers')).toMatchObject({ code: 0, error: '' });
  const listed = await run('agents', '--json');
  expect(listed).toMatchObject({ code: 0, error: '' });
  expect(listed.out).toContain('"name": "c"');
});

test('what each agent sees its own part of is told for none of several', async () => {
  for (const words of [['tasks'], ['history'], ['search', 'dinner']])
    expect(await run(...words)).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('Several agents are connected here.'),
    });
  expect(await run('tasks', '--as', 'c')).toMatchObject({ code: 0 });
});

test('a token of another hub in the environment is refused with the hub that was asked and the way out', async () => {
  const other = await TestHub.start();
  const file = join(other.home, 'stranger');
  const token = await other.agent('stranger');
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  try {
    for (const [variable, value] of [
      ['AXON_TOKEN', token],
      ['AXON_TOKEN_FILE', file],
    ] as const)
      for (const words of [['whoami'], ['peers'], ['tasks'], ['inbox'], ['listen', '--', 'true']]) {
        const { code, error } = await axon(hub.home, words, { [variable]: value });
        expect({ words, code }).toEqual({ words, code: 2 });
        expect(error).toContain(`The hub with the data folder ${hub.home} does not take the token`);
        expect(error).toContain(`Unset ${variable}, or give it a token of this hub`);
        expect(error).not.toContain('Bearer');
      }
  } finally {
    await other.stop();
  }
}, 60_000);

test('a refusal names the agent, or all of them where none can speak', async () => {
  writeToken('a', WELL_FORMED);
  const named = await run('peers', '--as', 'a');
  expect(named).toMatchObject({
    code: 2,
    out: '',
    error: expect.stringContaining('takes no token that stands here: a.') as string,
  });
  for (const agent of ['b', 'c']) writeToken(agent, WELL_FORMED);
  const none = await run('peers');
  expect(none).toMatchObject({
    code: 2,
    out: '',
    error: expect.stringContaining('takes no token that stands here: a, b, c.') as string,
  });
});
