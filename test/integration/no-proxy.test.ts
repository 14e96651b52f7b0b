// What a reader is told to run asks the hub on this computer alone: with a proxy in the environment
// the proxy hears nothing, and nothing that is handed out would tell it anything.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { examples } from '../../preload/contract/examples.ts';
import { tryToken, wayToConnect } from '../../renderer/features/agents/snippets.ts';
import { axon, endAfterTest, endPrograms } from '../support/programs.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

let hub: TestHub;
let tokenFile: string;
let proxy: Server;
let heard = '';
let variables: Readonly<Record<string, string>>;
beforeAll(async () => {
  hub = await TestHub.start();
  tokenFile = join(hub.home, 'bot.secret');
  writeFileSync(tokenFile, await hub.agent('bot'), { mode: 0o600 });
  proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      heard += part.toString('latin1');
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const at = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  variables = {
    ...Object.fromEntries(
      [...names, ...names.map((name) => name.toUpperCase())].map((name) => [name, at]),
    ),
    NODE_USE_ENV_PROXY: '1',
    no_proxy: '',
    NO_PROXY: '',
    AXON_HOME: hub.home,
    AXON_TOKEN_FILE: tokenFile,
  };
});
beforeEach(() => (heard = ''));
afterAll(async () => {
  await endPrograms();
  proxy.close();
  await hub.stop();
});

/** Whether the hub has heard this agent since. */
const called = (agent: string): Promise<unknown> =>
  until(`a call of ${agent}`, 20_000, async () => {
    const { text } = await hub.ask(`/v1/agents/${agent}`, { token: await hub.page() });
    return (JSON.parse(text) as { last_call_at: number | null }).last_call_at ?? undefined;
  });

async function bash(line: string, input = ''): Promise<string> {
  const env = { PATH: process.env['PATH'], ...variables };
  const child = spawn('bash', ['--norc', '-c', line], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  endAfterTest(child);
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stdin.end(input);
  await once(child, 'close');
  return out;
}

test.skipIf(!hasRealPart('curl'))(
  'a line with curl that says nothing of proxies is heard by the proxy of this test',
  async () => {
    await bash(`curl -sS http://127.0.0.1:${hub.port}/health`);
    expect(heard).toContain('/health');
  },
);

describe('with a proxy in the environment', () => {
  const examples = [
    ['agent.py', 'python3', 'python'],
    ['agent.sh', 'sh', 'curl'],
  ] as const;
  test.each(examples.filter(([, , part]) => hasRealPart(part)))(
    '%s asks the hub, and the proxy hears nothing',
    async (file, program) => {
      const agent = file.replace('.', '-');
      const secret = join(hub.home, `${agent}.secret`);
      writeFileSync(secret, await hub.agent(agent), { mode: 0o600 });
      const child = spawn(program, [join(ROOT, 'resources/examples', file)], {
        env: { PATH: process.env['PATH'], ...variables, AXON_TOKEN_FILE: secret },
        stdio: 'ignore',
      });
      endAfterTest(child);
      await called(agent);
      expect(heard).toBe('');
    },
    60_000,
  );

  test('so do axon, and the client in TypeScript', async () => {
    expect(await axon(hub.home, ['peers'], variables)).toMatchObject({ code: 0 });
    const client = join(ROOT, 'resources/examples/axon-client.ts');
    const token = readFileSync(tokenFile, 'utf8');
    const code = `const { AxonClient } = await import('${client}');
      console.log(JSON.stringify(await new AxonClient('${token}', '${hub.home}').call('/v1/whoami')));`;
    expect(await bash(`'${process.execPath}' --input-type=module -e "$(cat)"`, code)).toContain(
      '"bot"',
    );
    expect(heard).toBe('');
  }, 60_000);

  test.skipIf(!hasRealPart('curl'))(
    'so do the lines with curl on the pages, by the socket and by the port',
    async () => {
      const token = readFileSync(tokenFile, 'utf8');
      const { curl, api_port: apiPort } = hub.node.services.hub.current();
      expect(curl).toContain('--unix-socket');
      for (const begin of [curl, `curl -sS --noproxy '*' http://127.0.0.1:${hub.port}`]) {
        expect(await bash(tryToken(begin), `${token}\n`)).toContain('"bot"');
        const here = { command: null, apiPort, curl: begin };
        const [register, fetched] = wayToConnect('curl', here).snippets.map(({ text }) => text);
        const { poll, secret } = JSON.parse(await bash(register ?? ''));
        expect(await bash(fetched ?? '', `${poll}\n${secret}\n`)).toContain('"pending"');
        const [registration] = hub.node.services.work.registrations.pending();
        const id = registration?.id ?? '';
        await hub.ask(`/v1/agents/registrations/${id}/decline`, {
          method: 'POST',
          token: await hub.page(),
          body: {},
        });
      }
      expect(heard).toBe('');
    },
    60_000,
  );
});

test('every line with curl that is handed out goes by the socket or past proxies, and no example asks in another way', () => {
  const inFolder = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:md|py|sh|ts|svelte)$/.test(name))
      .map((name) => join(folder, name));
  const paths = ['README.md', ...['resources', 'renderer', 'preload'].flatMap(inFolder)];
  const texts = paths.map((path) => [path, read(path)] as const);
  const wrong = [...texts, ['axon examples', examples('npx axon')] as const].flatMap(
    ([path, text]) =>
      text
        .replaceAll('\\\n', ' ')
        .split('\n')
        .filter((line) => /\bcurl\b.*(?:127\.0\.0\.1|localhost)/.test(line))
        .filter((line) => !/--unix-socket|--noproxy '\*'/.test(line))
        .map((line) => `${path}: ${line}`),
  );
  expect(wrong).toEqual([]);
  for (const [path, text] of texts.filter(([path]) => path.startsWith('resources')))
    expect(text, path).not.toMatch(/urlopen|\bfetch\(|\bwget\b/);
});
