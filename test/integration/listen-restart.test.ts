// `axon listen` and a hub that goes away, or does not take something for now: work that a program
// finished is told, wherever the hub comes back.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WAITERS_PER_AGENT_MAX } from '../../main/services/inbox/limits.ts';
import { axon, choosePassphrase, Program } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

/** Waits for a file to appear, then prints: the test decides how long the work takes. */
const SLOW_WORK =
  'const w=()=>require("fs").existsSync(process.argv[1])?console.log("Posted."):setImmediate(w);w()';

let hub: TestHub;
let folder: string;
let passphrase: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'axon-listen-'));
  hub = await TestHub.start();
  passphrase = await choosePassphrase(hub.home, join(folder, 'passphrase'));
  await owner('agents', 'add', 'asker');
  await owner('agents', 'add', 'bot', '--domain', 'family.chat');
});
afterEach(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true });
});

const run = (...parameters: readonly string[]) => axon(hub.home, parameters);
const owner = (...parameters: readonly string[]) =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);

async function allowedTask(): Promise<string> {
  const { id } = JSON.parse(
    (
      await run(
        'delegate',
        'Test hub/bot',
        'Post it',
        '--domain',
        'family.chat',
        '--as',
        'asker',
        '--json',
      )
    ).out,
  );
  const [card] = JSON.parse((await owner('approvals', '--json')).out).items;
  expect(await owner('approvals', 'allow', card.id, '--digest', card.digest)).toMatchObject({
    code: 0,
  });
  return id;
}

test('tells the result of finished work after the hub was away and came back at another port', async () => {
  const id = await allowedTask();
  const flag = join(folder, 'done');
  const listening = Program.start(
    'cli',
    ['listen', '--as', 'bot', '--once', '--', process.execPath, '-e', SLOW_WORK, flag],
    {
      AXON_HOME: hub.home,
    },
  );
  await expect.poll(() => listening.error).toContain('delegate from');
  await hub.node.stop();
  writeFileSync(flag, '');
  await expect.poll(() => listening.error).toContain('trying again');
  const again = await hub.restart();
  await again.start();
  try {
    expect(await listening.ended()).toMatchObject({ code: 0 });
    expect(await run('tasks', id, '--wait', '--as', 'asker')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Posted.'),
    });
  } finally {
    await again.stop();
  }
});

test('says why a hub that answers does not take something for now, and goes on once it does', async () => {
  const held = new AbortController();
  const request = { max: 1, wait_ms: 55_000, lease_ms: 60_000, kinds: ['notify'] } as const;
  const { inbox } = hub.node.services.work;
  const waiting = Array.from({ length: WAITERS_PER_AGENT_MAX }, () =>
    inbox.claimWaiting('bot', request, held.signal),
  );
  const id = await allowedTask();
  const listening = Program.start(
    'cli',
    ['listen', '--as', 'bot', '--once', '--', process.execPath, '-e', 'console.log("Posted.")'],
    {
      AXON_HOME: hub.home,
    },
  );
  await expect
    .poll(() => listening.error)
    .toContain('Too many calls of this agent wait for its inbox already; trying again in 1 s.');
  held.abort();
  await Promise.all(waiting);
  expect(await listening.ended()).toMatchObject({ code: 0 });
  expect(listening.error).not.toContain('does not answer');
  expect(JSON.parse((await run('tasks', id, '--as', 'asker', '--json')).out)).toMatchObject({
    state: 'completed',
  });
});

test('reports a program that cannot be started as the failure of the task', async () => {
  const id = await allowedTask();
  const program = join(folder, 'without-interpreter');
  writeFileSync(program, '#!/no/such/interpreter\n', { mode: 0o755 });
  await run('listen', '--as', 'bot', '--once', '--', program);
  // What is quoted is wrapped, each line after a colon of its own.
  const { code, out } = await run('tasks', id, '--wait', '--as', 'asker');
  expect([code, out.replaceAll(/[\s:]+/g, ' ')]).toEqual([
    4,
    expect.stringContaining('cannot be started'),
  ]);
});

test('ends the program when its task is called off', async () => {
  const id = await allowedTask();
  const listening = Program.start(
    'cli',
    [
      'listen',
      '--as',
      'bot',
      '--once',
      '--',
      process.execPath,
      '-e',
      SLOW_WORK,
      join(folder, 'never'),
    ],
    {
      AXON_HOME: hub.home,
    },
  );
  await expect.poll(() => listening.error).toContain('delegate from');
  expect(await run('cancel', id, 'plans changed', '--as', 'asker')).toMatchObject({ code: 4 });
  expect(await listening.ended()).toMatchObject({ code: 0 });
  expect(listening.error).toContain('it was cancelled');
  expect(JSON.parse((await run('tasks', id, '--as', 'asker', '--json')).out)).toMatchObject({
    state: 'cancelled',
  });
});
