// Eddy and Jules as the ElizaOS draft has them: they log what they send, and read what they get in
// lines of a log. Only `axon` carries it between them, over a whole hub.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DIALECTS, dialectOf } from '../../main/dialects/index.ts';
import { encodeText } from '../../main/lib/decode-text.ts';
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
  const back = JSON.parse((await as(agent, ['ingest', '--json'], out)).out);
  expect(back).toEqual({ messages: [JSON.parse(out.slice(out.indexOf('{')))] });
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
    out: '2 messages:\n  | TASK_REQUEST Eddy -> Jules m-1\n  | TASK_ACCEPT Jules -> Eddy m-2\n',
  });
  expect(error).toContain('Line 4 holds no message: expected a JSON value at character 1.');
  expect(error).toContain('Lines that could not be read: 1.');
  const json = await as('eddy', ['ingest', file, '--json']);
  expect(JSON.parse(json.out)).toEqual({ messages: [TASK, ACCEPT] });
});

test('a log that cannot be read is refused with the reason', async () => {
  for (const [file, why] of [
    [join(hub.home, 'none'), 'there is no such file'],
    [hub.home, 'it is a folder'],
  ] as const)
    expect(await as('eddy', ['ingest', file])).toMatchObject({
      code: 2,
      error: expect.stringContaining(`"${file}" cannot be read: ${why}.`),
    });
});

test('a message that lacks a member is told by its line and the member, and is none', async () => {
  for (const member of ['mcp_version', 'message_id', 'performative', 'payload']) {
    const { [member]: _, ...rest } = Object.fromEntries(Object.entries(TASK));
    const { code, error, out } = await as('eddy', ['ingest'], sent(rest));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(`Line 1 holds no whole message: it lacks "${member}".`);
    expect(error).toContain('There is no message in standard input, which has one line.');
  }
  expect((await as('eddy', ['ingest'], 'MCP_MESSAGE_SENT: {"a":1}')).error).toContain(
    'it lacks "performative".',
  );
  const others = [
    { kind: 'query', id: 'q-1', payload: { question: 'Free?' } },
    { id: 'MSG-1', type: 'REQUEST', from: 'a', to: 'b', payload: {} },
    { performative: 'REQUEST', sender: 'a', content: 'b' },
    { ...TASK, messageId: 'm-77', message_id: undefined },
  ];
  const all = await as('eddy', ['ingest', '--json'], others.map(sent).join('\n'));
  expect(JSON.parse(all.out).messages).toHaveLength(others.length);
});

test('a message of no language is refused with what each language is known by', async () => {
  tokens.set('mute', await hub.agent('mute'));
  const { code, error } = await as('mute', ['ingest', '--send'], sent({ task: 'Do it' }));
  expect(code).toBe(1);
  for (const member of ['"mcp_version"', '"type"', '"kind"', '"performative"'])
    expect(error).toContain(member);
});

test('the log lines that the page of languages shows are read, and each is of a whole message', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../resources/docs/dialects.md'), 'utf8');
  const lines = page
    .split('\n')
    .filter(
      (line) => /^[^`]*MCP_MESSAGE_(?:SENT|RECEIVED): \{/.test(line) || line.startsWith('{"level"'),
    );
  expect(lines).toHaveLength(6);
  const read = await as('eddy', ['ingest', '--json'], lines.join('\n'));
  expect(read).toMatchObject({ code: 0, error: '' });
  const { messages } = JSON.parse(read.out) as { messages: JsonObject[] };
  expect(messages).toHaveLength(lines.length);
  for (const message of messages) {
    const dialect = dialectOf(message);
    expect([dialect?.name, dialect?.read(message).ok]).toEqual([dialect?.name, true]);
  }
  expect(new Set(messages.map((message) => dialectOf(message)?.name))).toEqual(
    new Set(DIALECTS.map(({ name }) => name)),
  );
});

const COLOURED = `\u001b[32m[12:01:02.345] INFO\u001b[39m (eddy/4711): \u001b[36mMCP_MESSAGE_SENT: `;
test.each([
  ['utf-8', true],
  ['utf-16le', true],
  ['utf-16be', true],
  ['utf-16le', false],
] as const)(
  'a log in %s (with a mark: %s) is read, with colours, as JSON and from either line end',
  async (encoding, hasMark) => {
    const file = join(hub.home, 'eddy.log');
    const lines = [
      'started',
      `${COLOURED}${JSON.stringify(TASK)}\u001b[39m`,
      JSON.stringify({ level: 30, time: 1, msg: `MCP_MESSAGE_SENT: ${JSON.stringify(RESULT)}` }),
      `12:02 eddy INFO Alice says MCP_MESSAGE_SENT: ${JSON.stringify(ACCEPT)}`,
    ];
    writeFileSync(file, encodeText(lines.join('\r\n'), { encoding, hasMark }));
    const { code, out } = await as('eddy', ['ingest', file, '--json']);
    expect({ code, value: JSON.parse(out) }).toEqual({
      code: 0,
      value: { messages: [TASK, RESULT] },
    });
  },
);

test('a log with nothing in it is no success, and says why', async () => {
  const quoted = `12:02 Alice: MCP_MESSAGE_SENT: ${JSON.stringify(TASK)}\n`;
  for (const log of ['', 'started\n', quoted, `MCP_MESSAGE_SENT: {"a":1,"a":2}\n`])
    for (const words of [['ingest'], ['ingest', '--json']]) {
      const { code, error } = await as('eddy', words, log);
      expect({ code, error }).toMatchObject({
        code: 2,
        error: expect.stringContaining('There is no message in'),
      });
    }
  expect((await as('eddy', ['ingest'], quoted)).error).toContain(
    'One of its lines names one elsewhere',
  );
  const received = `MCP_MESSAGE_RECEIVED: ${JSON.stringify(ACCEPT)}\n`;
  expect(await as('eddy', ['ingest'], received)).toMatchObject({ code: 0 });
  expect(await as('eddy', ['ingest', '--send'], received)).toMatchObject({
    code: 2,
    error: expect.stringContaining('There is no message that the agent sent in'),
  });
});

test('a line that cannot be read costs itself only, and the others are sent', async () => {
  const next = { ...TASK, message_id: 'm-20' };
  const log = Buffer.concat([
    Buffer.from(`INFO: MCP_MESSAGE_SENT: ${'['.repeat(200_000)}\n`),
    Buffer.from(`INFO: MCP_MESSAGE_SENT: {"task":"na\xefve"}\n`, 'latin1'),
    Buffer.from(`INFO: MCP_MESSAGE_SENT: {"task":"${'x'.repeat(3_000_000)}"}\n`),
    Buffer.from(`INFO: MCP_MESSAGE_SENT: ${JSON.stringify(TASK)} and more\n`),
    Buffer.from(`${sent(next)}\n`),
  ]);
  const file = join(hub.home, 'bad.log');
  writeFileSync(file, log);
  const { code, error } = await as('eddy', ['ingest', '--send', file]);
  expect(code).toBe(1);
  expect(error).toMatch(/Line 1 holds no message: .*nested deeper/);
  expect(error).toContain('Line 2 is not UTF-8.');
  expect(error).toMatch(/Line 3 is longer than \d+ bytes\./);
  expect(error).toMatch(/Line 4 holds no message: something follows/);
  expect(error).toContain('Lines that could not be read: 4.');
  expect(error.match(/^Sent to .*$/gm)).toEqual([expect.stringContaining('m-20')]);
});

test('what the hub refuses is said, and the next line goes on', async () => {
  const other = { ...TASK, message_id: 'm-8', sender: { agent_id: 'Mallory' } };
  const next = { ...TASK, message_id: 'm-9' };
  const { code, error } = await as('eddy', ['ingest', '--send'], `${sent(other)}\n${sent(next)}\n`);
  expect(code).toBe(1);
  expect(error).toMatch(/Not sent: .* m-8\n[^]*not of "Mallory"/);
  expect(error).toMatch(/Sent to .* m-9/);
});
