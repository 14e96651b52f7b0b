// Eddy and Jules as the ElizaOS draft has them: they log what they send, and read what they get in
// lines of a log. Only `axon` carries it between them, over a whole hub.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../main/lib/json-object.ts';
import { axon, endPrograms, type Ended } from '../support/programs.ts';
import { atDoor, OWNER, WITHIN_MS } from '../support/raw-peer.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

let hub: TestHub;
const tokens = new Map<string, string>();

beforeAll(async () => {
  hub = await TestHub.start();
  for (const name of ['eddy', 'jules']) {
    const token = await hub.agent(name);
    tokens.set(name, token);
    await atDoor(hub, token, `/v1/agents/${name}`, { dialect: 'elizaos' }, 'PATCH');
  }
});
afterEach(endPrograms);
afterAll(() => hub.stop());

const as = (agent: string, words: readonly string[], input?: string): Promise<Ended> =>
  axon(hub.home, words, { AXON_TOKEN: tokens.get(agent) ?? '' }, input);

const message = (id: string, performative: string, from: string, to: string, more: JsonObject) => ({
  mcp_version: '0.1.0',
  message_id: id,
  performative,
  sender: { agent_id: from },
  receiver: { agent_id: to },
  ...more,
});
const TASK = message('m-1', 'TASK_REQUEST', 'Eddy', 'Jules', {
  payload: { task_type: 'debug_code', task_description: 'Fix the IndexError' },
});
const ACCEPT = message('m-2', 'TASK_ACCEPT', 'Jules', 'Eddy', {
  in_reply_to: 'm-1',
  payload: { status: 'accepted' },
});
const RESULT = message('m-3', 'INFORM_RESULT', 'Jules', 'Eddy', {
  in_reply_to: 'm-1',
  payload: { task_status: 'success', result_summary: 'The list was empty' },
});
const sent = (value: unknown): string =>
  `12:01 eddy INFO MCP_MESSAGE_SENT: ${JSON.stringify(value)}`;

async function heard(agent: string): Promise<unknown> {
  const { code, out } = await as(agent, ['inbox', '--wait', '20', '--log-lines']);
  expect(code).toBe(0);
  expect(out).toMatch(/^MCP_MESSAGE_RECEIVED: \{.*\}\n$/);
  return JSON.parse(out.slice(out.indexOf('{')));
}

test(
  'what is only logged reaches the other, and its answer comes back',
  { timeout: 120_000 },
  async () => {
    const log = `started\n${sent(TASK)}\n${sent(TASK)}\n`;
    const ingested = await as('eddy', ['ingest', '--send'], log);
    expect(ingested).toMatchObject({ code: 0, out: '' });
    expect(ingested.error.match(/Sent to .*: TASK_REQUEST Eddy -> Jules m-1/g)).toHaveLength(1);
    const { approvals } = hub.node.services.work;
    const card = await until('a card', WITHIN_MS, () => approvals.pending()[0]);
    const { id, revision, digest } = card;
    await approvals.decide({ id, revision, digest, decision: 'allow' }, OWNER);
    expect(await heard('jules')).toEqual(TASK);
    for (const answer of [ACCEPT, RESULT]) {
      expect(await as('jules', ['ingest', '--send'], sent(answer))).toMatchObject({ code: 0 });
      expect(await heard('eddy')).toEqual(answer);
    }
  },
);

test('a log is shown, each message once, and nothing of it is sent', async () => {
  const file = join(hub.home, 'eddy.log');
  const received = `MCP_MESSAGE_RECEIVED: ${JSON.stringify([JSON.stringify(ACCEPT)])}`;
  writeFileSync(file, [sent(TASK), received, received, 'MCP_MESSAGE_SENT: [oops'].join('\n'));
  const { code, out, error } = await as('eddy', ['ingest', file]);
  expect({ code, out }).toEqual({
    code: 0,
    out: 'TASK_REQUEST Eddy -> Jules m-1\nTASK_ACCEPT Jules -> Eddy m-2\n',
  });
  expect(error).toContain('This line holds no message: MCP_MESSAGE_SENT: [oops');
  const json = await as('eddy', ['ingest', file, '--json']);
  expect(JSON.parse(json.out)).toEqual({ messages: [TASK, ACCEPT] });
  expect((await as('eddy', ['ingest', join(hub.home, 'none')])).code).not.toBe(0);
});

test('what the hub refuses is said, and the next line goes on', async () => {
  const other = { ...TASK, message_id: 'm-8', sender: { agent_id: 'Mallory' } };
  const next = { ...TASK, message_id: 'm-9' };
  const { code, error } = await as('eddy', ['ingest', '--send'], `${sent(other)}\n${sent(next)}\n`);
  expect(code).toBe(1);
  expect(error).toMatch(/Not sent: .* m-8\n[^]*not of "Mallory"/);
  expect(error).toMatch(/Sent to .* m-9/);
});
