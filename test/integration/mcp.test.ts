// MCP through its real client: `axon mcp` as an agent starts it, against a whole hub.
import { Client, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../main/mcp/tools.ts';
import type { StoryDto } from '../../preload/contract/story.ts';
import { becameOf } from '../../preload/contract/strings/story.ts';
import { endPrograms, Program, wordsOf } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

const ERAS = ['legacy', { pin: '2026-07-28' }] as const;

let hub: TestHub;
let page: string;
const clients: Client[] = [];

/** An MCP client of one agent, whose server is `axon mcp` in a process of its own. */
async function clientOf(
  agent: string,
  mode: (typeof ERAS)[number] = 'legacy',
  token?: string,
): Promise<Client> {
  const file = join(hub.home, `${agent}.secret`);
  writeFileSync(file, token ?? (await hub.agent(agent)), { mode: 0o600 });
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: wordsOf('cli', ['mcp', '--home', hub.home]),
      env: { PATH: process.env['PATH'] ?? '', AXON_TOKEN_FILE: file },
      stderr: 'pipe',
    }),
  );
  clients.push(client);
  return client;
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
  return { isError: isError === true, said: structuredContent as never, content };
};

beforeAll(async () => {
  hub = await TestHub.start();
  page = await hub.page();
}, 60_000);
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await endPrograms();
});
afterAll(() => hub.stop());

describe.each(ERAS)('axon mcp, era %j', (era) => {
  it('lists every tool with its schemas, and none that approves', async () => {
    const client = await clientOf(era === 'legacy' ? 'old' : 'new', era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(TOOLS).toSorted());
    for (const { name, inputSchema, outputSchema, description, annotations } of tools) {
      expect(inputSchema.type, name).toBe('object');
      expect(outputSchema?.type, name).toBe('object');
      expect(description?.length, name).toBeGreaterThan(20);
      expect(annotations?.title, name).toBeTypeOf('string');
    }
    expect(tools.filter(({ name }) => /approv|allow|decide|pair|rule/.test(name))).toEqual([]);
    // A program without a person refuses what reaches outside.
    const reaching = tools.filter(({ annotations }) => annotations?.openWorldHint !== false);
    expect(reaching.map(({ name }) => name).toSorted()).toEqual([
      'axon_cancel',
      'axon_delegate',
      'axon_discover',
      'axon_escalate',
      'axon_notify',
      'axon_query',
    ]);
    expect((await call(client, 'axon_whoami')).said).toMatchObject({
      token: { agent: era === 'legacy' ? 'old' : 'new' },
    });
  }, 60_000);
});

describe.each(ERAS)('/mcp, era %j', (era) => {
  const agent = era === 'legacy' ? 'http-old' : 'http-new';
  const connect = async (token: string): Promise<Client> => {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: era } },
    );
    const url = new URL(`http://127.0.0.1:${hub.port}/mcp`);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    clients.push(client);
    return client;
  };

  it('is the same server, for the agent whose token it is, while that holds', async () => {
    const client = await connect(await hub.agent(agent));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(TOOLS).toSorted());
    expect((await call(client, 'axon_whoami')).said).toMatchObject({ token: { agent } });
    const here = await hub.ask(`/v1/agents/${agent}`, { token: page });
    expect(JSON.parse(here.text).line).toMatchObject({ door: 'mcp', program: 'node' });
    await hub.ask(`/v1/agents/${agent}`, { method: 'DELETE', token: page });
    await expect(call(client, 'axon_whoami')).rejects.toThrow();
  }, 60_000);

  it('says in JSON-RPC what it does not take', async () => {
    const client = await connect(await hub.agent(`${agent}-long`));
    const args = { to: 'local/doer', task: 'x'.repeat(270_000) };
    const failed = await call(client, 'axon_delegate', args).catch((error: unknown) => error);
    expect(SdkHttpError.isInstance(failed) && failed.data).toMatchObject({ status: 413 });
    const { text } = (failed as SdkHttpError).data;
    expect(JSON.parse(String(text))).toEqual({
      jsonrpc: '2.0',
      error: {
        code: -32_600,
        message: 'A request body may be 262144 bytes long, no more.',
        data: expect.objectContaining({ code: 'payload_too_large', retryable: false }),
      },
    });
  });

  it('is for agents alone', async () => {
    await expect(connect(page)).rejects.toThrow();
    await expect(connect('axh_agent_0000000000000000_wrong')).rejects.toThrow();
    const { status, text } = await hub.ask('/mcp', { method: 'POST', token: 'wrong', body: {} });
    expect({ status, hint: JSON.parse(text).hint }).toEqual({
      status: 401,
      hint: 'Connect the agent again: "axon agents connect NAME".',
    });
  });
});

it('carries a task from one agent to another, which a person allows in between', async () => {
  const [asker, doer] = [await clientOf('asker'), await clientOf('doer')];
  const { said: report } = await call(asker, 'axon_delegate', {
    to: 'local/doer',
    task: 'Tell the family chat that dinner is at 7',
  });
  const { id } = report as { id: string };
  const cards = JSON.parse((await hub.ask('/v1/approvals', { token: page })).text).items;
  const [card] = cards as { id: string; revision: number; digest: string }[];
  expect((await call(doer, 'axon_inbox')).said).toMatchObject({ items: [] });
  const decided = await hub.ask(`/v1/approvals/${card?.id}/decide`, {
    method: 'POST',
    token: page,
    body: { revision: card?.revision, digest: card?.digest, decision: 'allow' },
  });
  expect(decided.status).toBe(200);
  const { said: inbox } = await call(doer, 'axon_inbox', { wait_ms: 10_000 });
  const { items } = inbox as { items: { delivery_id: string; untrusted: { text: string } }[] };
  expect(items[0]?.untrusted.text).toBe('Tell the family chat that dinner is at 7');
  const delivery = items[0]?.delivery_id;
  expect(await call(doer, 'axon_ack', { delivery })).toMatchObject({ isError: false });
  expect((await call(doer, 'axon_reply', { delivery, outcome: 'Told them.' })).isError).toBe(false);
  expect((await call(asker, 'axon_task', { id, wait: 10_000 })).said).toMatchObject({
    state: 'completed',
    untrusted: { outcome: 'Told them.' },
  });
}, 60_000);

it('tells of a question whose program gave up that nobody had decided, and asks nobody any more', async () => {
  const token = await hub.agent('hasty');
  const [asker] = [await clientOf('hasty', 'legacy', token), await hub.agent('slow')];
  const pending = () =>
    hub.node.services.work.approvals.pending().filter(({ text }) => text === 'Are you there?');
  const asked = asker.callTool(
    { name: 'axon_query', arguments: { to: 'local/slow', question: 'Are you there?' } },
    { timeout: 8_000 },
  );
  const gaveUp = expect(asked).rejects.toThrow(/timed out/i);
  await expect.poll(() => pending().length, { timeout: 7_000 }).toBe(1);
  await gaveUp;
  await expect.poll(() => pending().length, { timeout: 5_000 }).toBe(0);
  const { items } = JSON.parse((await hub.ask('/v1/tasks', { token })).text);
  expect(items.map(({ story }: { story: StoryDto }) => becameOf(story))).toEqual([
    expect.stringMatching(/^Hasty on .* cancelled it before anybody decided\. No agent got it\.$/),
  ]);
}, 60_000);

it('gives back what the program took and did not answer, begun or not, when it ends', async () => {
  const [asker, doer] = [await clientOf('giver'), await clientOf('leaver')];
  const deliveries: string[] = [];
  for (const task of ['Begun', 'Taken', 'Answered']) {
    const { said } = await call(asker, 'axon_delegate', { to: 'local/leaver', task });
    const { approvals } = hub.node.services.work;
    const card = approvals.pending().find(({ task_id: id }) => id === (said as { id: string }).id);
    const { id, revision, digest } = card ?? { id: '', revision: 0, digest: '' };
    await hub.ask(`/v1/approvals/${id}/decide`, {
      method: 'POST',
      token: page,
      body: { revision, digest, decision: 'allow' },
    });
    const { said: inbox } = await call(doer, 'axon_inbox', { wait_ms: 10_000 });
    const [item] = (inbox as { items: { delivery_id: string }[] }).items;
    const delivery = item?.delivery_id ?? '';
    deliveries.push(delivery);
    if (task !== 'Taken') await call(doer, 'axon_ack', { delivery });
    if (task === 'Answered') await call(doer, 'axon_reply', { delivery, outcome: 'Done' });
  }
  const { inbox } = hub.node.services.work;
  expect(inbox.waitingCount('leaver')).toBe(0);
  await doer.close();
  await expect.poll(() => inbox.waitingCount('leaver')).toBe(2);
  const again = await inbox.claim('leaver', 9);
  expect(again.map(({ delivery_id: id }) => id).toSorted()).toEqual(
    deliveries.slice(0, 2).toSorted(),
  );
}, 60_000);

it('answers what is wrong in words, and leaves the connection open', async () => {
  const client = await clientOf('lost');
  const unknown = await call(client, 'axon_discover', { id: 'Nobody' });
  expect(unknown).toMatchObject({ isError: true });
  expect(JSON.stringify(unknown.content)).toContain('peer_not_found');
  expect(
    (await call(client, 'axon_task', { id: 'x' }).catch(() => ({ isError: true }))).isError,
  ).toBe(true);
  expect((await call(client, 'axon_whoami')).isError).toBe(false);
}, 60_000);

it('answers what it was asked before its input ended, in time or with an error, and ends', async () => {
  const file = join(hub.home, 'brief.secret');
  writeFileSync(file, await hub.agent('brief'), { mode: 0o600 });
  const clientInfo = { name: 'test', version: '1.0.0' };
  const asked = [
    ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }],
    ['tools/call', { name: 'axon_whoami', arguments: {} }],
    ['tools/call', { name: 'axon_inbox', arguments: { wait_ms: 10_000 } }],
  ].map(([method, params], id) => JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  const words = ['mcp', '--home', hub.home];
  const program = Program.start('cli', words, { AXON_TOKEN_FILE: file }, `${asked.join('\n')}\n`);
  const { code, out } = await program.ended();
  expect(code).toBe(0);
  const answers = out.trim().split('\n');
  expect(answers.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([0, 1, 2]);
  expect(answers[1]).toContain('brief');
  expect(answers[2]).toContain('The input ended before this was answered.');
}, 30_000);

it('is there for a program that was started before the hub', async () => {
  const token = await hub.agent('early');
  await hub.node.stop();
  const client = await clientOf('early', 'legacy', token);
  expect(await call(client, 'axon_whoami')).toMatchObject({ isError: true });
  const again = await hub.restart();
  await again.start();
  try {
    expect(await call(client, 'axon_whoami')).toMatchObject({ isError: false });
  } finally {
    await again.stop();
  }
}, 60_000);

it('answers the first call of any kind after the hub has started again', async () => {
  const first = await hub.restart();
  await first.start();
  const token = readFileSync(join(hub.home, 'early.secret'), 'utf8');
  const client = await clientOf('early', 'legacy', token);
  expect(await call(client, 'axon_whoami')).toMatchObject({ isError: false });
  let running = first;
  try {
    for (const [tool, params] of [
      ['axon_peers', {}],
      ['axon_notify', { to: 'local/asker', topic: 'shopping', data: 'Milk' }],
      ['axon_inbox', {}],
    ] as const) {
      await running.stop();
      running = await hub.restart();
      await running.start();
      const { isError, content } = await call(client, tool, params);
      expect({ tool, isError, content }).toMatchObject({ tool, isError: false });
    }
  } finally {
    await running.stop();
  }
}, 60_000);
