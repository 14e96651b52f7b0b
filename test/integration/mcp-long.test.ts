// What an agent says by MCP with much data, over both doors: what fits arrives whole, what does not
// is refused in words, and each call gets its answer.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerIn, MCP_ACCEPT, toolCall } from '../support/mcp-calls.ts';
import { TestHub } from '../support/test-hub.ts';

const MUCH = { text: 'x'.repeat(37_500), other: 'ä🥖日'.repeat(4_200) };
const TOO_MUCH = { text: 'x'.repeat(450_000), other: 'ä🥖日'.repeat(50_000) };
const ROOT = join(import.meta.dirname, '../..');
const HOOK = new URL('../support/raw-imports.mjs', import.meta.url).href;

let hub: TestHub;
let page: string;
let token: string;
let file: string;
beforeAll(async () => {
  hub = await TestHub.start();
  page = await hub.page();
  token = await hub.agent('doer');
  file = join(hub.home, 'doer.secret');
  writeFileSync(file, token, { mode: 0o600 });
}, 60_000);
afterAll(() => hub.stop());

const post = async (path: string, as: string, body: object): Promise<never> =>
  JSON.parse((await hub.ask(path, { method: 'POST', token: as, body })).text) as never;

/** A task that its person allowed, and that the agent has. */
async function item(): Promise<{ readonly id: string; readonly delivery: string }> {
  const { id }: { id: string } = await post('/v1/delegate', page, {
    to: 'local/doer',
    task: 'Say much',
  });
  const [card] = hub.node.services.work.approvals.pending();
  const { revision, digest } = card ?? {};
  await post(`/v1/approvals/${card?.id}/decide`, page, { revision, digest, decision: 'allow' });
  const { items }: { items: readonly { delivery_id: string }[] } = await post(
    '/v1/inbox/claim',
    token,
    {},
  );
  return { id, delivery: items[0]?.delivery_id ?? '' };
}

/** What `axon mcp` answers its client to each of these calls. */
async function called(...given: readonly object[]): Promise<readonly object[]> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--import', HOOK, join(ROOT, 'main/entry/cli.ts'), 'mcp', '--home', hub.home],
      env: { PATH: process.env['PATH'] ?? '', AXON_TOKEN_FILE: file },
      stderr: 'pipe',
    }),
  );
  try {
    const call = (one: object) =>
      client.callTool({ name: 'axon_reply', arguments: { ...one } }).then((result) => ({ result }));
    return await Promise.all(given.map(call));
  } finally {
    await client.close();
  }
}

async function posted(given: object): Promise<object> {
  const headers = { accept: MCP_ACCEPT };
  const body = toolCall('axon_reply', { ...given });
  return answerIn(await hub.ask('/mcp', { method: 'POST', token, headers, body }));
}

test.each([
  ['axon mcp', called],
  ['/mcp', posted],
] as const)(
  'arrives whole over %s',
  async (_, call) => {
    const { id, delivery } = await item();
    const [answer] = [await call({ delivery, outcome: 'Much', data: MUCH })].flat();
    expect(answer).toMatchObject({ result: { structuredContent: { state: 'completed' } } });
    const { text } = await hub.ask(`/v1/tasks/${id}`, { token: page });
    expect(JSON.parse(text).untrusted.data).toEqual(MUCH);
  },
  60_000,
);

test('is refused in words where it is too long, each time', async () => {
  const given = { delivery: (await item()).delivery, outcome: 'Much', data: TOO_MUCH };
  const detail = 'A request body may be 262144 bytes long, no more.';
  const content = [{ text: `${detail} (payload_too_large)` }];
  const refused = { result: { isError: true, content } };
  const calls = Array.from({ length: 12 }, () => given);
  expect(await called(...calls)).toMatchObject(calls.map(() => refused));
  expect(await posted(given)).toMatchObject({ error: { data: { status: 413, detail } } });
}, 60_000);
