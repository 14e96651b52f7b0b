// MCP Inspector, the reference client, as a stranger to this project: it lists the tools at both
// doors and calls every one of them, in a story between two paired hubs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../main/mcp/tools.ts';
import { runChecker } from '../support/real-clients.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { endPrograms, wordsOf, type Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const LIMIT_MS = 30_000;

type Said = Readonly<Record<string, unknown>>;
interface Answer {
  readonly result: { readonly structuredContent: Said; readonly tools: readonly Said[] };
}

let dad: TestHub;
let mum: TestHub;
let home: string;
let settings: string;
const called = new Set<string>();

/** An entry for each way that an agent gets to its hub, its token in no command line. */
async function entriesOf(hub: TestHub, agent: string): Promise<Readonly<Record<string, unknown>>> {
  const token = await hub.agent(agent);
  const file = join(home, `${agent}.secret`);
  writeFileSync(file, token, { mode: 0o600 });
  const url = `http://127.0.0.1:${hub.port}/mcp`;
  return {
    [`${agent} by http`]: {
      type: 'streamable-http',
      url,
      headers: { Authorization: `Bearer ${token}` },
    },
    [`${agent} by stdio`]: {
      command: process.execPath,
      args: wordsOf('cli', ['mcp', '--home', hub.home]),
      env: { AXON_TOKEN_FILE: file },
    },
  };
}

function inspect(server: string, ...parameters: readonly string[]): Promise<Ended> {
  const common = ['--cli', '--config', settings, '--server', server, '--format', 'json', '--quiet'];
  return runChecker('inspector', home, [...common, ...parameters]);
}

async function call(server: string, tool: keyof typeof TOOLS, given: Said = {}): Promise<Said> {
  called.add(tool);
  const words = ['--method', 'tools/call', '--tool-name', tool];
  const { code, out, error } = await inspect(
    server,
    ...words,
    '--tool-args-json',
    JSON.stringify(given),
  );
  expect({ code, error }, `${tool}\n${out}`).toEqual({ code: 0, error: '' });
  return (JSON.parse(out) as Answer).result.structuredContent;
}

/** A person at Mum's hub allows what waits there. */
async function allow(): Promise<void> {
  const card = await until('a card', LIMIT_MS, () => mum.node.services.work.approvals.pending()[0]);
  const { id, revision, digest } = card;
  const body = { revision, digest, decision: 'allow' };
  const token = await mum.page();
  const { status } = await mum.ask(`/v1/approvals/${id}/decide`, { method: 'POST', token, body });
  expect(status).toBe(200);
}

/** Takes the next item for Mum's agent, and says that it has it. */
async function take(kind: string): Promise<string> {
  const { items } = await call('doer by http', 'axon_inbox', { wait_ms: LIMIT_MS });
  const [item] = items as readonly { kind: string; delivery_id: string; attempt: number }[];
  expect(item?.kind).toBe(kind);
  const { delivery_id: delivery = '', attempt } = item ?? {};
  await call('doer by http', 'axon_ack', { delivery, attempt });
  return delivery;
}

describe.skipIf(!hasRealPart('clients'))('MCP Inspector', () => {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'axon-inspector-'));
    settings = join(home, 'servers.json');
    [dad, mum] = [await TestHub.start(), await TestHub.start()];
    await pairHubs(dad, mum, ["Mum's PC", "Dad's laptop"]);
    const mcpServers = { ...(await entriesOf(dad, 'asker')), ...(await entriesOf(mum, 'doer')) };
    writeFileSync(settings, JSON.stringify({ mcpServers }), { mode: 0o600 });
    // It only looks, so that a question to it needs no person.
    const rated = await mum.ask('/v1/agents/doer/class', {
      method: 'PUT',
      token: await mum.page(),
      body: { risk_class: 'R0' },
    });
    expect(rated.status).toBe(200);
  }, 60_000);
  afterAll(async () => {
    await endPrograms();
    await Promise.all([dad.stop(), mum.stop()]);
    rmSync(home, { recursive: true, force: true });
  });

  it.each([
    ['stdio', 'legacy'],
    ['http', 'modern'],
  ])(
    'lists every tool by %s, era %s, and finds no fault in their schemas',
    async (way, era) => {
      // With --strict, a schema that clients stumble over ends it with an exit code of its own.
      const list = ['--method', 'tools/list', '--strict', '--protocol-era', era];
      const { code, out } = await inspect(`asker by ${way}`, ...list);
      expect(code).toBe(0);
      const { tools } = (JSON.parse(out) as Answer).result;
      expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
    },
    LIMIT_MS,
  );

  it('asks who it is and who is there', async () => {
    expect(await call('asker by stdio', 'axon_whoami')).toMatchObject({
      token: { kind: 'agent', agent: 'asker' },
    });
    expect(await call('asker by stdio', 'axon_peers')).toMatchObject({
      items: [{ name: "Mum's PC", online: true }],
    });
    expect(
      await call('asker by http', 'axon_discover', { id: "Mum's PC", refresh: true }),
    ).toMatchObject({ untrusted: { agents: [{ name: 'doer', domains: ['doer.work'] }] } });
    const needed = { to: { domain: 'doer.work' } };
    expect(await call('asker by http', 'axon_find_agent', needed)).toMatchObject({
      chosen: { peer_name: "Mum's PC", agent: 'doer' },
    });
  }, 60_000);

  it('gives a task by stdio, which a person allows and the other agent does', async () => {
    const { id } = await call('asker by stdio', 'axon_delegate', {
      to: "Mum's PC",
      task: 'Water the garden',
      domain: 'doer.work',
    });
    await allow();
    const delivery = await take('delegate');
    await call('doer by http', 'axon_reply', { delivery, outcome: 'It is wet.' });
    expect(await call('asker by http', 'axon_task', { id, wait: LIMIT_MS })).toMatchObject({
      state: 'completed',
      untrusted: { outcome: 'It is wet.' },
    });
  }, 60_000);

  it('asks a question, and gets the answer in the same call', async () => {
    const question = { to: "Mum's PC", question: 'Is it wet?', domain: 'doer.work' };
    const asked = call('asker by http', 'axon_query', question);
    const delivery = await take('query');
    await call('doer by http', 'axon_reply', { delivery, summary: 'Yes.', data: { wet: true } });
    expect((await asked)['untrusted']).toMatchObject({ summary: 'Yes.', data: { wet: true } });
  }, 60_000);

  it('tells something, asks a person to choose, takes that back, and reads what was said', async () => {
    await call('asker by http', 'axon_notify', {
      to: "Mum's PC/doer",
      topic: 'garden',
      data: 'Wet',
    });
    await take('notify');
    const { id } = await call('asker by http', 'axon_escalate', {
      to: "Mum's PC",
      task: 'Which train?',
      options: [{ label: '09:12' }, { label: '10:40' }],
    });
    await call('asker by http', 'axon_cancel', { id });
    expect(await call('asker by http', 'axon_task', { id, wait: LIMIT_MS })).toMatchObject({
      state: 'cancelled',
    });
    const { untrusted } = await call('asker by http', 'axon_conversations');
    const { items } = untrusted as { items: readonly { id: string }[] };
    const [{ id: conversation } = { id: '' }] = items;
    const said = await call('asker by http', 'axon_history', { id: conversation });
    expect(JSON.stringify(said)).toContain('Which train?');
    const found = await until('the index to have it', LIMIT_MS, async () => {
      const { untrusted } = await call('asker by http', 'axon_search', { q: 'train' });
      const said = untrusted as { items: readonly unknown[] };
      return said.items.length > 0 ? JSON.stringify(said) : undefined;
    });
    expect(found).toContain(conversation);
  }, 60_000);

  it('has called every tool', () => {
    expect([...called].toSorted()).toEqual(Object.keys(TOOLS).toSorted());
  });
});
