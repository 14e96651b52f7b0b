// The AXON message types, section by section: each kind and each field of its payload, sent as it
// is written there, with its default, with fields nobody knows, and with what does not fit. Two
// whole hubs over real QUIC.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from '../../main/protocol/envelope.ts';
import { isJsonObject, type JsonObject } from '../../main/lib/json-object.ts';
import type { AgentReply } from '../../main/services/inbox/agent-reply.ts';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const LINE_WITHIN_MS = 30_000;
const REPLY_WITHIN_MS = 20_000;
const UNKNOWN = { not_in_any_version: { deep: [1, null] } };
const OWNER = { actor: 'ui:test', surface: 'browser' } as const;
let dad: TestHub;
let mum: TestHub;
let dadToken: string;

const keyOf = (hub: TestHub): string => hub.node.services.hub.current().public_key ?? '';

beforeAll(async () => {
  [dad, mum] = [await TestHub.start(), await TestHub.start()];
  for (const [hub, other, name] of [
    [dad, mum, 'Mum'],
    [mum, dad, 'Dad'],
  ] as const) {
    const address = `127.0.0.1:${other.node.services.hub.current().peer_port}`;
    const added = await hub.ask('/v1/peers', {
      method: 'POST',
      token: await hub.page(),
      body: { address, key: keyOf(other), name, trust: true },
    });
    expect(added.status, added.text).toBe(200);
  }
  dadToken = await dad.agent('planner');
  await mum.agent('family');
  await mum.node.services.work.agents.setClass(
    'family',
    { riskClass: 'R0', isDefault: true },
    OWNER,
  );
  await until('a line between them', LINE_WITHIN_MS, () =>
    [dad, mum].every((hub) => hub.node.services.links.isOnline(keyOf(other(hub))))
      ? true
      : undefined,
  );
}, 120_000);
afterAll(async () => {
  await dad.stop();
  await mum.stop();
});

const other = (hub: TestHub): TestHub => (hub === dad ? mum : dad);

/** What Mum's hub answers to exactly this payload. */
async function reply(
  kind: string,
  payload: JsonObject,
  ref: string | null = null,
): Promise<Pick<Envelope, 'kind' | 'payload'>> {
  const message = { id: randomUUID(), kind, ref, payload };
  const got = await dad.node.services.links.request(keyOf(mum), message, REPLY_WITHIN_MS);
  if (got.ok) {
    expect(got.value.ref).toBe(message.id);
    return got.value;
  }
  const { code, data } = got.error;
  const said = isJsonObject(data.untrusted) ? data.untrusted.message : undefined;
  return { kind: 'error', payload: { code, message: said } };
}

/** What Mum's agent is given of this message, once a person there has allowed it. */
const given = (): Promise<DeliveryDto> =>
  until('an item for the agent', REPLY_WITHIN_MS, async () => {
    const { approvals, inbox } = mum.node.services.work;
    for (const { id, revision, digest } of approvals.pending())
      await approvals.decide({ id, revision, digest, decision: 'allow' }, OWNER);
    return (await inbox.claim('family', 1))[0];
  });

/** A query, what its agent is given of it, and the response that goes back. */
async function answered(payload: JsonObject, more: Partial<AgentReply> = {}) {
  const coming = reply('query', payload);
  const item = await given();
  await mum.node.services.work.inbox.reply('family', item.delivery_id, {
    status: 'completed',
    summary: 'Three practices',
    truncated: false,
    ...more,
  });
  return { item: item.untrusted, response: await coming };
}

const ASKED = { question: 'What is on?' };
const TASK = { task: 'Send a message' };
const accepted = { kind: 'ack', payload: { accepted: true } };
const refused = (words: string) => ({
  kind: 'error',
  payload: { code: 'invalid_envelope', message: expect.stringContaining(words) },
});

/** Sends Mum a delegation, and puts the item of her agent away. */
async function delegated(payload: JsonObject) {
  const ack = await reply('delegate', { ...TASK, ...payload });
  const item = await given();
  await mum.node.services.work.inbox.reply('family', item.delivery_id, {
    status: 'completed',
    outcome: 'Sent.',
    truncated: false,
  });
  return { ack, item: item.untrusted };
}

describe('Version Negotiation: hello', () => {
  test.each([
    ['protocol_versions, selected_version: the highest in common', { protocol_versions: [1, 7] }],
    ['agent_name: optional', { protocol_versions: [1], agent_name: 'Dad' }],
    ['features: optional; unknown ones are ignored', { protocol_versions: [1], features: ['x'] }],
    ['an unknown field is ignored', { protocol_versions: [1], ...UNKNOWN }],
  ])('%s', async (_, payload) => {
    expect(await reply('hello', payload)).toMatchObject({
      kind: 'hello',
      payload: {
        protocol_versions: [1],
        selected_version: 1,
        features: expect.arrayContaining(['delegate', 'ack', 'result', 'cancel', 'discover']),
      },
    });
  });

  test.each([[[2]], [[]], [['1']], [undefined]])(
    'versions %j: incompatible_version',
    async (of) => {
      const payload = of === undefined ? {} : { protocol_versions: of };
      expect(await reply('hello', payload)).toMatchObject({
        kind: 'error',
        payload: { code: 'incompatible_version' },
      });
    },
  );

  test('a kind that the peer did not advertise is not sent', async () => {
    const { directory } = dad.node.services;
    const { features = [] } = directory.row(keyOf(mum)) ?? {};
    directory.note(keyOf(mum), { features: ['discover'] });
    try {
      expect(await reply('delegate', TASK)).toMatchObject({
        kind: 'error',
        payload: { code: 'unsupported_feature' },
      });
      const sent = await dad.ask('/v1/delegate', {
        method: 'POST',
        token: dadToken,
        body: { to: 'Mum', ...TASK },
      });
      expect([sent.status, JSON.parse(sent.text).code]).toEqual([409, 'unsupported_feature']);
    } finally {
      directory.note(keyOf(mum), { features });
    }
  });
});

describe('ping', () => {
  test.each([{}, UNKNOWN])('%j: a pong with status, uptime_secs, active_tasks', async (payload) => {
    expect(await reply('ping', payload)).toMatchObject({
      kind: 'pong',
      payload: {
        status: 'idle',
        uptime_secs: expect.any(Number),
        active_tasks: 0,
        agent_name: 'Test hub',
      },
    });
  });
});

describe('query', () => {
  test.each([
    ['question alone; domain is optional, max_tokens means no limit', {}, {}],
    ['domain', { domain: 'family.calendar' }, { domain: 'family.calendar' }],
    ['max_tokens', { max_tokens: 200 }, { max_tokens: 200 }],
    ['max_tokens: 0 = no limit', { max_tokens: 0 }, {}],
    ['deadline_ms', { deadline_ms: 20_000 }, {}],
    ['an unknown field is ignored', UNKNOWN, {}],
  ])('%s', async (_, payload, seen) => {
    const { item, response } = await answered({ ...ASKED, ...payload });
    expect(item).toMatchObject({ text: ASKED.question, payload: seen });
    expect(response.kind).toBe('response');
  });

  test.each([
    ['question', {}],
    ['question', { question: 7 }],
    ['domain', { ...ASKED, domain: 7 }],
    ['max_tokens', { ...ASKED, max_tokens: -1 }],
    ['deadline_ms', { ...ASKED, deadline_ms: '30' }],
  ])('%s that does not fit is refused by its name: %j', async (field, payload) => {
    expect(await reply('query', payload)).toMatchObject(refused(field));
  });

  test('deadline_ms: no person decides within it', async () => {
    expect(await reply('query', { ...ASKED, deadline_ms: 200 })).toMatchObject({
      kind: 'error',
      payload: { code: 'approval_expired' },
    });
  });
});

describe('response', () => {
  test.each([
    [
      'summary: always present',
      { summary: undefined, data: 1 },
      { summary: 'Answered with data.' },
    ],
    ['data: any JSON value', { data: [{ a: null }] }, { data: [{ a: null }] }],
    ['tokens_used', { tokens_used: 47 }, { tokens_used: 47 }],
    ['truncated', { truncated: true }, { truncated: true }],
    ['what is not said', {}, { data: null, truncated: false, summary: 'Three practices' }],
  ])('%s', async (_, said, payload) => {
    expect((await answered(ASKED, said)).response).toMatchObject({ kind: 'response', payload });
  });
});

describe('delegate', () => {
  test.each([
    ['task alone', {}],
    ['context', { context: { dinner_time: '7:00 PM' } }],
    ['priority', { priority: 'urgent' }],
    ['report_back', { report_back: false }],
    ['deadline_ms', { deadline_ms: 60_000 }],
  ])('%s', async (_, payload) => {
    const { ack, item } = await delegated(payload);
    expect(ack).toMatchObject(accepted);
    expect(item).toMatchObject({ text: TASK.task, payload });
  });

  test('an unknown field is ignored', async () => {
    expect((await delegated(UNKNOWN)).ack).toMatchObject(accepted);
  });

  test.each([
    ['task', { task: null }],
    ['context', { ...TASK, context: [] }],
    ['priority', { ...TASK, priority: 'soon' }],
    ['report_back', { ...TASK, report_back: 'no' }],
    ['deadline_ms', { ...TASK, deadline_ms: 0 }],
  ])('%s that does not fit is refused by its name: %j', async (field, payload) => {
    expect(await reply('delegate', payload)).toMatchObject(refused(field));
  });
});

describe('result', () => {
  /** A hub takes only so many delegations a minute. */
  const send = () =>
    until('room for another delegation', REPLY_WITHIN_MS, async () => {
      const sent = await dad.ask('/v1/delegate', {
        method: 'POST',
        token: dadToken,
        body: { to: 'Mum', ...TASK },
      });
      return sent.status === 202 ? String(JSON.parse(sent.text).id) : undefined;
    });
  const ended = (id: string) =>
    until('the end of the task', REPLY_WITHIN_MS, async () => {
      const { text } = await dad.ask(`/v1/tasks/${id}?wait=1000`, { token: dadToken });
      const task = JSON.parse(text);
      return task.finished_at === null ? undefined : task;
    });

  test.each([
    ['completed', { outcome: 'Sent.', data: { thumbs: 1 } }, { error: null }],
    ['failed', { error: 'No line.', code: 'internal' }, { error: 'No line.' }],
    ['partial', { outcome: 'Half.' }, { outcome: 'Half.' }],
  ] as const)('status %s, with outcome, data and error', async (status, said, seen) => {
    const id = await send();
    const item = await given();
    const words = { truncated: false, status, ...said };
    await mum.node.services.work.inbox.reply('family', item.delivery_id, words);
    expect(await ended(id)).toMatchObject({ state: status, untrusted: { status, ...seen } });
  });
});

describe('notify', () => {
  test.each([
    ['topic and data', { topic: 'user.location', data: { eta: '2h' } }, 'low'],
    ['importance', { topic: 'user.location', data: 1, importance: 'high' }, 'high'],
    ['importance nobody knows is low', { topic: 'user.x', importance: 'huge' }, 'low'],
    ['an unknown field is ignored', { topic: 'user.y', ...UNKNOWN }, 'low'],
  ])('%s', async (_, payload, importance) => {
    const message = { id: randomUUID(), kind: 'notify', ref: null, payload };
    expect((await dad.node.services.links.send(keyOf(mum), message)).ok).toBe(true);
    await until('the notice', REPLY_WITHIN_MS, () => {
      const [item] = mum.node.services.work.feed.list({ limit: 1 }).items;
      return item?.topic === payload.topic && item.importance === importance ? item : undefined;
    });
  });
});

describe('cancel', () => {
  test.each([{}, { reason: 'Plans changed' }, UNKNOWN])('%j, of what is not open', async (of) => {
    expect(await reply('cancel', of, randomUUID())).toMatchObject({
      kind: 'ack',
      payload: { accepted: false, code: 'rejected' },
    });
  });
});

describe('discover', () => {
  test.each([{}, UNKNOWN])('%j: capabilities', async (payload) => {
    expect(await reply('discover', payload)).toMatchObject({
      kind: 'capabilities',
      payload: {
        agent_name: 'Test hub',
        domains: ['family.work'],
        channels: [],
        tools: [],
        max_concurrent_tasks: 4,
        agents: [{ name: 'family' }],
      },
    });
  });
});

describe('error', () => {
  test('unknown_kind, for a request of a later version', async () => {
    expect(await reply('negotiate', {})).toMatchObject({
      kind: 'error',
      payload: { code: 'unknown_kind' },
    });
  });
});
