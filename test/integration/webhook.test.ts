// The webhook of an agent against real programs on loopback: those that are slow, endless, lead
// elsewhere or fail cost nothing else, and a hub that is killed in a call does not make it again.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentDto } from '../../preload/contract/dto.ts';
import { axon, choosePassphrase, endPrograms, startHeadless } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

let hub: TestHub;
let page: string;
const servers: Server[] = [];
const heard: Record<string, number> = {};

/** A program that listens; where. */
async function program(name: string, answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    heard[name] = (heard[name] ?? 0) + 1;
    request.resume();
    answer(request, response);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/wake`;
}

beforeAll(async () => {
  hub = await TestHub.start();
  page = await hub.page();
}, 60_000);
afterEach(endPrograms);
afterAll(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await hub.stop();
});

const asPage = async (path: string, method: string, body?: object): Promise<string> => {
  const { status, text } = await hub.ask(path, { method, token: page, body });
  if (status !== 200) throw new Error(text);
  return text;
};
const agentNamed = async (name: string): Promise<AgentDto> =>
  JSON.parse(await asPage(`/v1/agents/${name}`, 'GET'));

test('hostile programs cost nothing else, and their lights say what happened', async () => {
  const elsewhere = await program('elsewhere', (_, response) => response.end());
  const hostile: Readonly<Record<string, RequestListener>> = {
    slow: () => undefined,
    endless: (_, response) => {
      response.writeHead(200);
      const more = (): boolean => response.write('x'.repeat(65_536));
      response.on('drain', more);
      more();
    },
    wordy: (_, response) => void response.writeHead(200, { much: 'x'.repeat(8_192) }).end(),
    leading: (_, response) => void response.writeHead(307, { location: elsewhere }).end(),
    failing: (_, response) => void response.writeHead(500).end(),
  };
  for (const [name, answer] of Object.entries(hostile)) {
    await hub.agent(name);
    const address = await program(name, answer);
    await asPage(`/v1/agents/${name}/webhook`, 'PUT', { preset: 'generic', address });
  }
  const begun = performance.now();
  for (const name of Object.keys(hostile))
    await asPage('/v1/notify', 'POST', { to: `local/${name}`, topic: 'x', data: 'x' });
  await expect.poll(() => heard['slow'], { timeout: 5_000 }).toBe(1);
  const between = performance.now();
  expect((await agentNamed('slow')).webhook?.last).toBeNull();
  expect(performance.now() - between).toBeLessThan(1_000);
  const outcomes = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.keys(hostile).map(async (name) => {
          const last = (await agentNamed(name)).webhook?.last;
          return [name, last && [last.outcome, last.status]] as const;
        }),
      ),
    );
  await expect.poll(outcomes, { timeout: 15_000 }).toEqual({
    slow: ['unclear', null],
    endless: ['taken', 200],
    wordy: ['unclear', null],
    leading: ['refused', 307],
    failing: ['unclear', 500],
  });
  expect(performance.now() - begun).toBeLessThan(12_000);
  expect(heard['elsewhere']).toBeUndefined();
}, 60_000);

test('only its owner sets one, and nobody is shown its secret', async () => {
  const token = await hub.agent('chat');
  const address = await program('chat', (_, response) => response.end());
  const body = { preset: 'generic', address };
  const asAgent = await hub.ask('/v1/agents/chat/webhook', { method: 'PUT', token, body });
  expect(asAgent.status).toBe(403);
  const set = await asPage('/v1/agents/chat/webhook', 'PUT', body);
  const { secret } = JSON.parse(set) as { readonly secret: string };
  expect(JSON.stringify(await agentNamed('chat'))).not.toContain(secret);
  expect(hub.logLines.join('')).not.toContain(secret);
  // Between hubs is UDP: there may be a program at the same number.
  const beside = `http://127.0.0.1:${hub.node.services.peers.port}/wake`;
  await asPage('/v1/agents/chat/webhook', 'PUT', { preset: 'generic', address: beside });
  const { port } = hub;
  const own = { preset: 'generic', address: `http://127.0.0.1:${port}/v1/notify` };
  const refused = await hub.ask('/v1/agents/chat/webhook', {
    method: 'PUT',
    token: page,
    body: own,
  });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('This hub itself')]);
});

test('a hub that is killed in a call calls once for an item, and says that it is not known', async () => {
  const address = await program('killed', () => undefined);
  // A proxy where nobody listens, which everything else of this process would go by.
  const proxied = { http_proxy: 'http://127.0.0.1:9', no_proxy: '', NODE_USE_ENV_PROXY: '1' };
  const { home, program: first } = await startHeadless(undefined, [], proxied);
  const file = await choosePassphrase(home);
  const asOwner = async (...words: readonly string[]): Promise<string> => {
    const { code, out, error } = await axon(home, [...words, '--passphrase-file', file]);
    if (code !== 0) throw new Error(error);
    return out;
  };
  for (const name of ['chat', 'teller']) await asOwner('agents', 'add', name);
  await asOwner('agents', 'webhook', 'chat', 'generic', address);
  expect(await axon(home, ['notify', 'local/chat', 'x', 'x', '--as', 'teller'])).toMatchObject({
    code: 0,
  });
  await expect.poll(() => heard['killed']).toBe(1);
  first.kill('SIGKILL');
  await first.ended();
  await startHeadless(home);
  const { items } = JSON.parse(await asOwner('agents', '--json')) as {
    readonly items: readonly AgentDto[];
  };
  expect(items.find(({ name }) => name === 'chat')).toMatchObject({
    reach: 'webhook',
    webhook: { last: { outcome: 'unclear', status: null } },
  });
  expect(await asOwner('agents')).toContain('Whether it was woken is not known.');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(heard['killed']).toBe(1);
}, 60_000);
