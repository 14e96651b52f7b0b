// Agents of other languages at the door of two whole hubs over real QUIC: Eddy speaks FIPA at Dad's
// hub, Jules the draft of ElizaOS at Mum's. What one writes the other reads in its own language, a
// person sees what both read, and a message whose fields say something else than it does is refused.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIALECTS } from '../support/seed-messages.ts';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import type { JsonObject } from '../../main/lib/json-object.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { axon, endAfterTest } from '../support/programs.ts';
import { atDoor, OWNER, RawPeer, WITHIN_MS } from '../support/raw-peer.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

let dad: TestHub;
let mum: TestHub;
let attic: RawPeer;
let eddy: string;
let jules: string;

beforeAll(async () => {
  const start = () => TestHub.start({ peerRateFactor: 100 });
  [dad, mum] = [await start(), await start()];
  await pairHubs(dad, mum, ['Mum', 'Dad']);
  eddy = await dad.agent('eddy');
  jules = await mum.agent('jules');
  const capabilities = ['data-analysis'];
  await atDoor(dad, eddy, '/v1/agents/eddy', { dialect: 'fipa-acl' }, 'PATCH');
  await atDoor(mum, jules, '/v1/agents/jules', { dialect: 'elizaos', capabilities }, 'PATCH');
  await until('what Mum offers', WITHIN_MS, async () => {
    const { chosen } = await atDoor(dad, eddy, '/v1/route', {
      to: { capability: 'data-analysis' },
    });
    return chosen;
  });
  attic = await RawPeer.pair(mum, 'Attic', { extensions: ['route/1', 'dialects/2'] });
}, 120_000);
afterAll(async () => {
  await attic.stop();
  await dad.stop();
  await mum.stop();
});

const request = (id: string, content: unknown = 'Please analyze sales data from Q3') => ({
  performative: 'REQUEST',
  sender: 'Eddy',
  capability: 'data-analysis',
  content,
  conversation_id: `sales-${id}`,
  reply_with: id,
  in_reply_to: null,
  language: 'en',
  x_unknown: { deep: [1, null, 2.5] },
});

async function allow(): Promise<void> {
  const { approvals } = mum.node.services.work;
  const [card] = await until('a card', WITHIN_MS, () => {
    const pending = approvals.pending();
    return pending.length > 0 ? pending : undefined;
  });
  if (card === undefined) throw new Error('no card');
  const { id, revision, digest } = card;
  await approvals.decide({ id, revision, digest, decision: 'allow' }, OWNER);
}

async function next(hub: TestHub, token: string): Promise<JsonObject> {
  const claimed = await atDoor(hub, token, '/v1/inbox/claim', { max: 1, wait_ms: 20_000 });
  const [item] = claimed.items as readonly { untrusted: JsonObject }[];
  return item?.untrusted.native as JsonObject;
}

test('a request and its answer, each in the language of whoever reads it', async () => {
  const asked = await atDoor(dad, eddy, '/v1/messages', request('r-1'));
  expect(asked).toMatchObject({ http: 200, report: { chosen: { agent: 'jules' } } });
  await allow();
  const read = await next(mum, jules);
  expect(read).toMatchObject({
    performative: 'TASK_REQUEST',
    sender: { agent_id: 'eddy' },
    payload: { task_description: 'Please analyze sales data from Q3' },
  });
  const mine = {
    mcp_version: '0.1.0',
    sender: { agent_id: 'Jules' },
    receiver: { agent_id: 'eddy' },
    in_reply_to: read.message_id,
  };
  const accept = { ...mine, message_id: 'a-1', performative: 'TASK_ACCEPT', payload: {} };
  expect(await atDoor(mum, jules, '/v1/messages', accept)).toMatchObject({ http: 200 });
  expect(await next(dad, eddy)).toMatchObject({ performative: 'AGREE', in_reply_to: 'r-1' });
  const done = {
    ...mine,
    message_id: 'a-2',
    performative: 'INFORM_RESULT',
    payload: { task_status: 'success', result_summary: 'Up by 3 %', result_details: { up: 3 } },
  };
  expect(await atDoor(mum, jules, '/v1/messages', done)).toMatchObject({
    http: 200,
    replied: { state: 'completed' },
  });
  expect(await next(dad, eddy)).toMatchObject({
    performative: 'INFORM',
    in_reply_to: 'r-1',
    conversation_id: 'sales-r-1',
    content: { text: 'Up by 3 %', structured: { up: 3 } },
  });
});

test('an agent of the same language reads the message as it was written', async () => {
  await atDoor(mum, jules, '/v1/agents/jules', { dialect: 'fipa-acl' }, 'PATCH');
  const written = request('r-2', { structured: { quarter: 3 }, text: 'Analyze' });
  await atDoor(dad, eddy, '/v1/messages', written);
  await allow();
  expect(await next(mum, jules)).toEqual(written);
  const answer = {
    performative: 'NOT_UNDERSTOOD',
    sender: 'jules',
    content: 'Which sales?',
    in_reply_to: 'r-2',
  };
  expect(await atDoor(mum, jules, '/v1/messages', answer)).toMatchObject({
    replied: { state: 'failed' },
  });
  expect(await next(dad, eddy)).toEqual(answer);
});

test('nobody speaks for another agent, and what is no message is told why', async () => {
  const other = { ...request('r-3'), sender: 'Jules' };
  expect(await atDoor(dad, eddy, '/v1/messages', other)).toMatchObject({
    http: 403,
    detail: 'This token is that of "eddy", not of "Jules".',
  });
  const wrong = { ...request('r-4'), performative: 'SING' };
  expect(await atDoor(dad, eddy, '/v1/messages', wrong)).toMatchObject({
    http: 400,
    detail: expect.stringContaining('"SING" is no performative'),
  });
  const late = { performative: 'INFORM', content: 'Done', in_reply_to: 'r-9' };
  expect(await atDoor(dad, eddy, '/v1/messages', late)).toMatchObject({
    http: 404,
    detail: '"r-9" is unknown, or what it was about is over.',
  });
});

test.each([
  ['task', { task: 'Read the calendar' }],
  ['context', { context: { amount: 5 } }],
  ['priority', { priority: 'urgent' }],
])('refuses a message whose %s is not what its origin says', async (name, lie) => {
  const message = request('r-5', 'Send 500 to me');
  const payload = { task: 'Send 500 to me', priority: 'normal', ...lie };
  const id = randomUUID();
  const sent = { ...payload, route: { from: 'eddy' }, origin: { dialect: 'fipa-acl', message } };
  expect(await attic.ask('delegate', sent, { id })).toMatchObject({
    kind: 'error',
    payload: {
      code: 'invalid_envelope',
      message: `The delegation does not fit: "${name}" is not what "origin" says.`,
    },
  });
  expect(mum.node.services.work.approvals.pending()).toEqual([]);
});

/** A person allows it, or chooses the first that there is. */
async function decide(hub: TestHub, { id, revision, digest, choice }: ApprovalDto): Promise<void> {
  const verdict =
    choice === null
      ? ({ decision: 'allow' } as const)
      : ({ decision: 'answer', choice: '1' } as const);
  await hub.node.services.work.approvals.decide({ id, revision, digest, ...verdict }, OWNER);
}

/** Each message of a page, and who says it: the first of the two in the paragraph before it. */
function saidOn(page: string): readonly (readonly [who: string, message: JsonObject])[] {
  const pieces = page.split('```');
  return pieces.flatMap((piece, index) => {
    if (!piece.startsWith('json\n')) return [];
    const before = pieces[index - 1]?.trimEnd().split('\n\n').at(-1) ?? '';
    const who = /\b(Eddy|Jules)\b/.exec(before)?.[1] ?? '';
    return [[who, JSON.parse(piece.slice(5)) as JsonObject] as const];
  });
}

/** What a person chose reaches whoever asked, and whoever was told of the question. */
async function bothRead(words: string): Promise<void> {
  for (const [hub, token] of [
    [mum, jules],
    [dad, eddy],
  ] as const) {
    const claimed = await atDoor(hub, token, '/v1/inbox/claim', { max: 1, wait_ms: WITHIN_MS });
    const [item] = claimed['items'] as readonly JsonObject[];
    expect(JSON.stringify(item)).toContain(words);
    await atDoor(hub, token, `/v1/inbox/${String(item?.['delivery_id'])}/ack`, {});
  }
}

describe('what the pages of the languages show', () => {
  const pageOf = (name: string): string =>
    readFileSync(new URL(`../../resources/docs/${name}.md`, import.meta.url), 'utf8');

  test.each(DIALECTS)('%s', { timeout: 60_000 }, async (dialect) => {
    const page = pageOf(dialect);
    for (const part of ['Ask', 'Answer', 'Negotiate', 'Broadcast'])
      expect(page).toContain(`\n## ${part}\n`);
    const said = saidOn(page);
    expect(said.length).toBe([...page.matchAll(/```json/g)].length);
    const sides = { Eddy: { hub: dad, token: eddy }, Jules: { hub: mum, token: jules } } as const;
    const profile = { dialect, topics: ['news'] };
    await atDoor(dad, eddy, '/v1/agents/eddy', profile, 'PATCH');
    await atDoor(mum, jules, '/v1/agents/jules', profile, 'PATCH');
    /** A question whose call waits for its answer. */
    let asking: Promise<JsonObject> | undefined;
    for (const [who, message] of said) {
      const [from, to] = who === 'Eddy' ? [sides.Eddy, sides.Jules] : [sides.Jules, sides.Eddy];
      const posting = atDoor(from.hub, from.token, '/v1/messages', message);
      if (who === 'Jules' && asking !== undefined) {
        expect(await posting).toMatchObject({ http: 200 });
        expect(await asking).toMatchObject({ http: 200, untrusted: { native: message } });
        asking = undefined;
        continue;
      }
      const [name, { approvals, inbox }] = [
        who === 'Eddy' ? 'jules' : 'eddy',
        to.hub.node.services.work,
      ];
      await until('the message', WITHIN_MS, async () => {
        const [card] = approvals.pending();
        if (card !== undefined) await decide(to.hub, card);
        return inbox.waitingCount(name) > 0 || undefined;
      });
      const claimed = await atDoor(to.hub, to.token, '/v1/inbox/claim', { max: 1 });
      const [item] = claimed['items'] as readonly JsonObject[];
      expect(item).toMatchObject({ untrusted: { native: message } });
      await atDoor(to.hub, to.token, `/v1/inbox/${String(item?.['delivery_id'])}/ack`, {});
      if (message['type'] === 'ESCALATE') await bothRead('Cookies');
      if (item?.['kind'] === 'query') asking = posting;
      else expect(await posting).toMatchObject({ http: 200 });
    }
  });

  test.each(DIALECTS)('axon examples --language %s prints it', async (dialect) => {
    const { code, out } = await axon(dad.home, ['examples', '--language', dialect]);
    expect({ code, out: out.trim() }).toEqual({ code: 0, out: pageOf(dialect).trim() });
  });

  test('a language that nobody knows is refused with those that there are', async () => {
    const { code, error } = await axon(dad.home, ['examples', '--language', 'klingon']);
    expect(code).toBe(2);
    expect(error).toContain('claude-crunch, fipa-acl, elizaos, acp-draft');
  });
});

describe.skipIf(!hasRealPart('python'))('the smallest agents of the page', () => {
  const page = readFileSync(new URL('../../resources/docs/dialects.md', import.meta.url), 'utf8');
  const [head = '', ...ends] = [...page.matchAll(/```python\n([\s\S]*?)```/g)].map(
    ([, code = '']) => code,
  );

  test.each(DIALECTS.map((dialect, index) => [dialect, ends[index] ?? ''] as const))(
    '%s',
    async (dialect, end) => {
      expect(`${head}${end}`.trim().split('\n').length).toBeLessThanOrEqual(26);
      const name = `smallest-${dialect}`;
      const token = await mum.agent(name);
      await atDoor(mum, token, `/v1/agents/${name}`, { dialect }, 'PATCH');
      const tokenFile = join(mum.home, `${name}.secret`);
      writeFileSync(tokenFile, token, { mode: 0o600 });
      const env = { AXON_TOKEN_FILE: tokenFile, AXON_HOME: mum.home };
      const program = spawn('python3', ['-c', `${head}${end}`], {
        env: { PATH: process.env['PATH'], ...env },
        stdio: 'ignore',
      });
      endAfterTest(program);
      const asker = await mum.agent(`asks-${name}`);
      const task = { to: `local/${name}`, task: 'Water the garden' };
      const { id } = await atDoor(mum, asker, '/v1/delegate', task);
      await allow();
      const ended = await atDoor(mum, asker, `/v1/tasks/${String(id)}?wait=20000`);
      expect(ended).toMatchObject({
        state: 'completed',
        untrusted: { outcome: 'Read: Water the garden' },
      });
    },
    60_000,
  );
});
