// Whoever works for others always ends the task, and says how: `axon listen` around programs that
// print what no hub takes, leave something running, or are stopped at work.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryDto, TaskDto } from '../../preload/contract/dto.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { Program, endPrograms } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 25_000;

let dad: TestHub;
let mum: TestHub;
let asker: string;
let bot: string;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'axon-listen-ends-'));
  [dad, mum] = [await TestHub.start(), await TestHub.start()];
  await pairHubs(dad, mum, ['Mum', 'Dad']);
  asker = await dad.agent('asker');
  bot = await mum.agent('bot');
});
afterEach(async () => {
  await endPrograms();
  await Promise.all([dad.stop(), mum.stop()]);
  rmSync(folder, { recursive: true });
});

async function post<T>(hub: TestHub, token: string, path: string, body?: unknown): Promise<T> {
  const asking = body === undefined ? { token } : { token, method: 'POST', body };
  const { status, text } = await hub.ask(path, asking);
  if (status >= 300) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as T;
}

/** Dad's agent has given it to Mum's, and a person there has allowed it. */
async function allowedTask(): Promise<string> {
  const body = { to: 'Mum/bot', task: 'Do it', domain: 'bot.work' };
  const { id } = await post<{ id: string }>(dad, asker, '/v1/delegate', body);
  await allow();
  return id;
}

async function allow(): Promise<void> {
  const { approvals } = mum.node.services.work;
  const card = await until('a card', WITHIN_MS, () => approvals.pending()[0]);
  const { id: request, revision, digest } = card;
  const decision = { revision, digest, decision: 'allow' };
  await post(mum, await mum.page(), `/v1/approvals/${request}/decide`, decision);
}

const taskOf = (id: string) => post<TaskDto>(dad, asker, `/v1/tasks/${id}?wait=20000`);

function listen(script: string, flags: readonly string[] = ['--once']): Program {
  const words = ['listen', ...flags, '--', '/bin/sh', '-c', script];
  return Program.start('cli', words, { AXON_HOME: mum.home, AXON_TOKEN: bot, FOLDER: folder });
}

const file = (name: string) => join(folder, name);
const appears = (name: string) =>
  until(name, WITHIN_MS, () => (existsSync(file(name)) ? true : undefined));
const isAlive = (pid: number): boolean => {
  try {
    // A zombie is dead, and waits only for whoever started it to look.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
/** A process that was killed is there until its parent has noticed. */
const childEnds = (): Promise<unknown> => {
  const child = Number(readFileSync(file('child'), 'utf8'));
  return until('the end of the child', WITHIN_MS, () => !isAlive(child) || undefined);
};

describe('an answer that no hub takes as it is', () => {
  test.each([
    ['a number that would change', `echo '{"channel_id": 1035342667379599058}'`],
    ['half a surrogate pair', String.raw`printf '%s' '{"a":"\ud800"}'`],
    ['a key of objects', `echo '{"constructor": 1}'`],
    [
      '40 levels',
      `printf '{"a":%s1%s}' "$(printf '[%.0s' $(seq 40))" "$(printf ']%.0s' $(seq 40))"`,
    ],
    ['40 kB of JSON', `printf '{"a":"%s"}' "$(head -c 40000 /dev/zero | tr '\\0' x)"`],
  ])('arrives as the whole text, without data: %s', async (_, script) => {
    const id = await allowedTask();
    const listening = listen(script);
    const printed = await taskOf(id);
    expect(printed).toMatchObject({ state: 'completed', untrusted: { data: null } });
    expect(JSON.stringify(printed)).not.toContain('shortened');
    expect(await listening.ended()).toMatchObject({ code: 0 });
    expect(listening.error).toContain('without data');
  });

  test.each([
    ['60 kB of a letter of three bytes', `head -c 20000 /dev/zero | sed 's/\\x00/€/g'`, '€'],
    ['65 kB of plain text', `head -c 65000 /dev/zero | tr '\\0' x`, 'x'],
  ])('arrives shortened, and says so: %s', async (_, script, letter) => {
    const id = await allowedTask();
    const listening = listen(script);
    const task = await taskOf(id);
    expect(task.state).toBe('completed');
    const outcome = JSON.stringify(task);
    expect(outcome).toMatch(new RegExp(`${letter}{9000,}\\\\n… \\(shortened: the program printed`));
    expect(await listening.ended()).toMatchObject({ code: 0 });
    expect(listening.error).toContain('shortened to its first');
  });

  test('that holds a token is told as a failure in the words of the hub, and is no success', async () => {
    const id = await allowedTask();
    const listening = listen('printenv AXON_TOKEN');
    expect(await taskOf(id)).toMatchObject({
      state: 'failed',
      untrusted: {
        error: expect.stringMatching(/^The agent's answer could not be sent: A token belongs/),
      },
    });
    expect((await listening.ended()).code).toBe(2);
    expect(listening.error).not.toContain('shortened');
  });
});

describe.skipIf(process.platform === 'win32')('the program', () => {
  test('is done when it has exited, whatever it leaves in the background', async () => {
    const id = await allowedTask();
    const listening = listen('echo Posted.; sleep 60 & echo $! > "$FOLDER/left"');
    expect(await taskOf(id)).toMatchObject({ state: 'completed' });
    expect(await listening.ended()).toMatchObject({ code: 0 });
    const left = Number(readFileSync(file('left'), 'utf8'));
    expect(isAlive(left)).toBe(true);
    process.kill(left);
  });

  test('is ended with all that it started when its task is cancelled', async () => {
    const id = await allowedTask();
    const script = 'sleep 60 & echo $! > "$FOLDER/child"; wait; echo never';
    const listening = listen(script);
    await appears('child');
    await post(dad, asker, `/v1/tasks/${id}/cancel`, {});
    expect(await taskOf(id)).toMatchObject({ state: 'cancelled' });
    await childEnds();
    expect(await listening.ended()).toMatchObject({ code: 0 });
  });

  test.each(['whoever asked hangs up', 'a person stops everything'] as const)(
    'is ended with all that it started when its question is over: %s',
    async (how) => {
      const words = ['query', 'Mum/bot', 'Is it done?'];
      const asking = Program.start('cli', words, { AXON_HOME: dad.home, AXON_TOKEN: asker });
      await allow();
      const listening = listen('sleep 60 & echo $! > "$FOLDER/child"; wait; echo never');
      await appears('child');
      if (how === 'whoever asked hangs up') asking.kill('SIGINT');
      else await post(mum, await mum.page(), '/v1/stop', {});
      await childEnds();
      expect(await listening.ended()).toMatchObject({ code: 3 });
      expect(listening.error).toContain('nobody waits for the answer any more');
      expect(listening.error).not.toContain('replied');
    },
  );
});

test.skipIf(process.platform === 'win32')(
  'a program that has answered its question by itself goes on to its end',
  async () => {
    const words = ['query', 'Mum/bot', 'Is it done?'];
    const asking = Program.start('cli', words, { AXON_HOME: dad.home, AXON_TOKEN: asker });
    await allow();
    const script = 'cat > "$FOLDER/item"; touch "$FOLDER/begun"; sleep 5; touch "$FOLDER/finished"';
    const listening = listen(script);
    await appears('begun');
    const { delivery_id: delivery } = JSON.parse(readFileSync(file('item'), 'utf8')) as DeliveryDto;
    await post(mum, bot, `/v1/inbox/${delivery}/reply`, { status: 'completed', summary: 'Yes' });
    expect((await asking.ended()).out).toContain('Yes');
    await listening.ended();
    expect(existsSync(file('finished'))).toBe(true);
    expect(listening.error).not.toContain('nobody waits');
  },
);

describe.skipIf(process.platform === 'win32')('a listener that is stopped at work', () => {
  const SLOW = 'sleep 60 & echo $! > "$FOLDER/child"; touch "$FOLDER/begun"; wait';

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'ends the program and gives the task back, which the next one gets at once: %s',
    async (signal) => {
      const id = await allowedTask();
      const listening = listen(SLOW, []);
      await appears('begun');
      listening.kill(signal);
      expect(await listening.ended()).toMatchObject({ code: 0 });
      expect(listening.error).toContain('given back, not done');
      await childEnds();
      const next = listen('echo Posted.');
      expect(await taskOf(id)).toMatchObject({ state: 'completed' });
      expect(await next.ended()).toMatchObject({ code: 0 });
    },
  );

  test('says by its exit code that the one task it was for is not done', async () => {
    await allowedTask();
    const listening = listen(SLOW);
    await appears('begun');
    listening.kill('SIGTERM');
    expect((await listening.ended()).code).toBe(130);
  });

  test('tells what the program has finished', async () => {
    const id = await allowedTask();
    const listening = listen(`trap 'echo Posted.; exit 0' TERM; ${SLOW}; wait`, []);
    await appears('begun');
    listening.kill('SIGTERM');
    expect(await taskOf(id)).toMatchObject({ state: 'completed' });
    expect(await listening.ended()).toMatchObject({ code: 0 });
  });

  test('ends at once when it is told so again, and leaves nothing running', async () => {
    await allowedTask();
    const deaf = 'trap "" TERM INT; echo $$ > "$FOLDER/child"; touch "$FOLDER/begun"; sleep 60';
    const listening = listen(deaf, []);
    await appears('begun');
    let isOver = false;
    const ended = listening.ended().finally(() => (isOver = true));
    await until('the end', WITHIN_MS, () => {
      listening.kill('SIGTERM');
      return isOver || undefined;
    });
    expect((await ended).code).toBe(130);
    await childEnds();
    expect(listening.error).not.toContain('given back');
  });
});
