// What the hub says of its interface: /openapi.json, held to the standard, to the table and to a
// running hub; /skill.md; and the examples that an agent's author copies, run as they are.
import { Validator } from '@seriousme/openapi-schema-validator';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPENAPI, REQUEST_EXAMPLES, templateOf } from '../../main/api/openapi.ts';
import { OPERATIONS, operationEntry } from '../../preload/contract/operations.ts';
import type { OperationName } from '../../preload/contract/operations.ts';
import { AxonClient } from '../../resources/examples/axon-client.ts';
import { endAfterTest } from '../support/programs.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { TestHub } from '../support/test-hub.ts';

const RESOURCES = join(import.meta.dirname, '../../resources');
const NAMES = Object.keys(OPERATIONS) as OperationName[];
const BESIDE = ['health', 'openapi', 'skill', 'events', 'inbox.stream'];
let hub: TestHub;
let page: string;
beforeAll(async () => {
  hub = await TestHub.start();
  page = await hub.page();
}, 60_000);
afterAll(() => hub.stop());

interface Described {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly 'x-axon-access': string;
  readonly parameters: readonly unknown[];
  readonly requestBody?: unknown;
}

const described = Object.entries(OPENAPI.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Omit<Described, 'path' | 'method'>>).map(
    ([method, operation]): Described => ({ path, method, ...operation }),
  ),
);

describe('/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document, without a token, and says nothing of this hub', async () => {
    const { status, text, headers } = await hub.ask('/openapi.json');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toBeTypeOf('string');
    const checked = await new Validator().validate(JSON.parse(text));
    expect(checked.errors).toBeUndefined();
    expect(checked.valid).toBe(true);
    expect(text).not.toContain('Test hub');
    expect(text).not.toContain(String(hub.port));
    expect((await hub.ask('/openapi.json', { headers: { host: 'evil.example' } })).status).toBe(
      403,
    );
  });

  it('is the table: every operation with its method, path and access, and nothing else', () => {
    const table = NAMES.map((name) => {
      const { method, path, access } = operationEntry(name);
      return `${name} ${method.toLowerCase()} ${templateOf(path)} ${access}`;
    });
    const told = described
      .filter(({ operationId }) => !BESIDE.includes(operationId))
      .map((one) => `${one.operationId} ${one.method} ${one.path} ${one['x-axon-access']}`);
    expect(told.toSorted()).toEqual(table.toSorted());
  });

  it('says of every route who may call it, as a running hub does', async () => {
    for (const one of described) {
      const path = one.path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
      const answer = await hub.ask(path, {
        method: one.method.toUpperCase(),
        ...(['get', 'delete'].includes(one.method) ? {} : { body: {} }),
      });
      const isRefused = answer.status === 401 && answer.text.includes('This needs a token');
      expect(isRefused, `${one.operationId}: ${answer.text}`).toBe(one['x-axon-access'] !== 'none');
    }
  }, 120_000);

  it('tells of every request that changes something to send JSON, as the guard wants it', () => {
    const writes = described.filter(({ method }) => ['post', 'put', 'patch'].includes(method));
    expect(writes.length).toBeGreaterThan(30);
    expect(writes.filter(({ requestBody }) => requestBody === undefined)).toEqual([]);
    const keyed = described.filter(({ parameters }) =>
      JSON.stringify(parameters).includes('IdempotencyKey'),
    );
    expect(keyed.filter((one) => one.method !== 'post' || one['x-axon-access'] === 'none')).toEqual(
      [],
    );
  });

  it('gives examples that their operations take', () => {
    for (const [name, example] of Object.entries(REQUEST_EXAMPLES) as [OperationName, object][]) {
      const ids = [...operationEntry(name).path.matchAll(/:(\w+)/g)].map(([, key = '']) => key);
      const inPath = ids.map((key) => [key, '00000000-0000-4000-8000-000000000000'] as const);
      const params = { ...Object.fromEntries(inPath), ...example };
      expect(v.safeParse(OPERATIONS[name].params, params).success, name).toBe(true);
    }
  });
});

it('/skill.md is the file, which names only tools and commands that there are', async () => {
  const { status, text, headers } = await hub.ask('/skill.md');
  expect({ status, type: headers['content-type'] }).toEqual({
    status: 200,
    type: 'text/markdown; charset=utf-8',
  });
  expect(text).toBe(readFileSync(join(RESOURCES, 'SKILL.md'), 'utf8'));
  expect(text).toMatch(/^---\nname: axon-hub\ndescription: .{20,1024}\n---\n/);
  const { TOOLS } = await import('../../main/mcp/tools.ts');
  for (const [tool] of text.matchAll(/axon_\w+/g)) expect(Object.keys(TOOLS)).toContain(tool);
});

/** How an editor may write the file with the token of this agent. */
const FORMS: Readonly<Record<string, (text: string) => Buffer>> = {
  python: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'python-odd': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  shell: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'shell-odd': (text) => Buffer.from(`\ufeff${text}`),
};

describe('the examples do what they are asked', () => {
  const running: ChildProcess[] = [];
  afterAll(() => running.forEach((child) => child.kill('SIGKILL')));
  const tokenFileOf = async (name: string): Promise<string> => {
    const tokenFile = join(hub.home, `${name}.secret`);
    const text = `${await hub.agent(name)}\r\nof the kitchen\r\n`;
    const written = FORMS[name]?.(text) ?? Buffer.from(text);
    writeFileSync(tokenFile, written, { mode: 0o600 });
    return tokenFile;
  };
  const start = (program: string, file: string, tokenFile: string): ChildProcess => {
    const child = spawn(program, [file], {
      env: {
        PATH: process.env['PATH'],
        AXON_TOKEN_FILE: tokenFile,
        AXON_HOME: hub.home,
      },
      stdio: 'ignore',
    });
    endAfterTest(child);
    running.push(child);
    return child;
  };

  const examples = [
    ['python', 'python3', 'agent.py', 'Python has read: Water the garden', 'python'],
    ['shell', 'sh', 'agent.sh', 'The shell has it.', 'curl'],
  ] as const;
  it.each(examples.filter(([, , , , part]) => hasRealPart(part)))(
    '%s',
    async (name, program, file, outcome) => {
      start(program, join(RESOURCES, 'examples', file), await tokenFileOf(name));
      expect(await delegated(`local/${name}`)).toBe(outcome);
    },
    60_000,
  );

  const odd = String.raw`"\ud800"`;
  const oddExamples = [
    ['python-odd', 'python3', 'agent.py', 'f"Python has read: {text}"', 'python'],
    ['shell-odd', 'sh', 'agent.sh', '"The shell has it."', 'curl'],
  ] as const;
  it.each(oddExamples.filter(([, , , , part]) => hasRealPart(part)))(
    '%s: an answer that no hub takes ends its task as a failure, in the words of the hub',
    async (name, program, file, usual) => {
      const source = readFileSync(join(RESOURCES, 'examples', file), 'utf8');
      expect(source).toContain(usual);
      const changed = join(hub.home, file);
      writeFileSync(changed, source.replace(usual, odd));
      start(program, changed, await tokenFileOf(name));
      expect(await delegated(`local/${name}`, 'error')).toMatch(
        /^Not sent: The body is not what it should be: a string holds half of a surrogate pair/,
      );
    },
    60_000,
  );

  it('TypeScript: an answer that no hub takes ends its task as a failure, in the words of the hub', async () => {
    const [end, client] = [new AbortController(), await clientOf('typescript-odd')];
    const listening = client.listen(() => Promise.resolve('\ud800'), end.signal);
    expect(await delegated('local/typescript-odd', 'error')).toMatch(
      /^Not sent: The body is not what it should be: a string holds half of a surrogate pair/,
    );
    end.abort();
    await listening;
  }, 60_000);

  const stoppedAtItsEnd = [
    // Each is stopped when its work is done and not told yet.
    [
      'python-told',
      'python3',
      'agent.py',
      'telling = True',
      'telling = True\n                os.kill(os.getpid(), signal.SIGTERM)',
      'python',
    ],
    [
      'shell-told',
      'sh',
      'agent.sh',
      `delegate | query) answer`,
      `delegate | query) kill -TERM $$; answer`,
      'curl',
    ],
  ] as const;
  it.each(stoppedAtItsEnd.filter(([, , , , , part]) => hasRealPart(part)))(
    '%s: what is done when it is stopped is told, and then it ends',
    async (name, program, file, usual, stopped) => {
      const source = readFileSync(join(RESOURCES, 'examples', file), 'utf8');
      expect(source).toContain(usual);
      const changed = join(hub.home, `${name}-${file}`);
      writeFileSync(
        changed,
        source.replace(usual, () => stopped),
      );
      const child = start(program, changed, await tokenFileOf(name));
      expect(await delegated(`local/${name}`)).toMatch(/has/);
      await expect.poll(() => child.exitCode).toBe(0);
    },
    60_000,
  );

  it('TypeScript: what is done when it is stopped is told, and then it ends', async () => {
    const [end, client] = [new AbortController(), await clientOf('typescript-told')];
    const listening = client.listen(() => {
      end.abort();
      return Promise.resolve('Done.');
    }, end.signal);
    expect(await delegated('local/typescript-told')).toBe('Done.');
    await listening;
  }, 60_000);

  const isGivenBack = async (name: string, stop: () => unknown): Promise<void> => {
    const { id, asker } = await allowed(`local/${name}`);
    const task = async (): Promise<string> =>
      ((await asker.call(`/v1/tasks/${id}`)) as { state: string }).state;
    await expect.poll(task).toBe('running');
    stop();
    await expect.poll(task).toBe('queued');
  };

  it.skipIf(!hasRealPart('python'))(
    'Python gives back what it was stopped at',
    async () => {
      const source = readFileSync(join(RESOURCES, 'examples', 'agent.py'), 'utf8');
      const slow = join(hub.home, 'slow.py');
      writeFileSync(slow, source.replace('return f"Python has', 'time.sleep(60)\n    return f"'));
      const child = start('python3', slow, await tokenFileOf('slow-python'));
      await isGivenBack('slow-python', () => child.kill('SIGTERM'));
    },
    60_000,
  );

  it('TypeScript gives back what it was stopped at', async () => {
    const end = new AbortController();
    const client = await clientOf('slow-typescript');
    let begun = 0;
    const listening = client.listen(async (_, signal) => {
      begun += 1;
      return setTimeout(60_000, 'never', { signal });
    }, end.signal);
    await isGivenBack('slow-typescript', () => end.abort());
    await listening;
    expect(begun).toBe(1);
  }, 60_000);

  it('TypeScript', async () => {
    const [end, client] = [new AbortController(), await clientOf('typescript')];
    const listening = client.listen(async ({ untrusted }) => `Done: ${untrusted.text}`, end.signal);
    expect(await delegated('local/typescript')).toBe('Done: Water the garden');
    end.abort();
    await listening;
    await expect(client.call('/v1/delegate', { to: 'Nobody', task: 'x' })).rejects.toMatchObject({
      code: 'peer_not_found',
    });
  }, 60_000);
});

const clientOf = async (agent: string): Promise<AxonClient> =>
  new AxonClient(await hub.agent(agent), hub.home);

/** What came of a task for that agent, which a person allowed. */
async function delegated(to: string, part: 'outcome' | 'error' = 'outcome'): Promise<unknown> {
  const { id, asker } = await allowed(to);
  const task = await asker.call(`/v1/tasks/${id}?wait=30000`);
  return (task as { untrusted: Record<typeof part, string> | null }).untrusted?.[part];
}

async function allowed(to: string): Promise<{ readonly id: string; readonly asker: AxonClient }> {
  const asker = await clientOf(`asker-of-${to.slice('local/'.length)}`);
  const { id } = (await asker.call('/v1/delegate', { to, task: 'Water the garden' })) as {
    id: string;
  };
  const [card] = hub.node.services.work.approvals.pending();
  const { revision, digest } = card ?? {};
  await hub.ask(`/v1/approvals/${card?.id}/decide`, {
    method: 'POST',
    token: page,
    body: { revision, digest, decision: 'allow' },
  });
  return { id, asker };
}
