// The payloads of the AXON message types, section by section: each kind and each of its fields,
// sent as it is written there, with its default, with fields nobody knows, and with what does not
// fit. Two whole hubs over real QUIC, Dad's and Mum's. The Attic is a hub that answers what the
// test tells it to: so each answer is read, too. Envelope and streams have a file of their own.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from '../../main/protocol/envelope.ts';
import { isJsonObject, type JsonObject } from '../../main/lib/json-object.ts';
import type { AgentReply } from '../../main/services/inbox/agent-reply.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import {
  AGENT,
  atDoor,
  finish,
  giveAgent,
  given,
  RawPeer,
  UNKNOWN,
  WITHIN_MS,
} from '../support/raw-peer.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const ASKED = { question: 'What is on?' };
const TASK = { task: 'Send a message' };
const accepted = { kind: 'ack', payload: { accepted: true } };
const refused = (words: string) => ({
  kind: 'error',
  payload: { code: 'invalid_envelope', message: expect.stringContaining(words) },
});
let dad: TestHub;
let mum: TestHub;
let attic: RawPeer;
let dadToken: string;
let mumToken: string;

beforeAll(async () => {
  const start = () => TestHub.start({ peerRateFactor: 100 });
  [dad, mum] = [await start(), await start()];
  await pairHubs(dad, mum, ['Mum', 'Dad']);
  dadToken = await dad.agent('planner');
  mumToken = await giveAgent(mum);
  attic = await RawPeer.pair(mum, 'Attic');
}, 120_000);
afterAll(async () => {
  await attic.stop();
  await dad.stop();
  await mum.stop();
});

/** What Mum's hub answers to exactly this payload. */
async function reply(
  kind: string,
  payload: JsonObject,
  ref: string | null = null,
  id: string = randomUUID(),
): Promise<Pick<Envelope, 'kind' | 'payload'>> {
  const { links } = dad.node.services;
  const mumsKey = mum.node.services.identity.keyHex;
  const got = await links.request(mumsKey, { id, kind, ref, payload }, WITHIN_MS);
  if (got.ok) {
    expect(got.value.ref).toBe(id);
    return got.value;
  }
  const { code, data } = got.error;
  const said = isJsonObject(data.untrusted) ? data.untrusted.message : undefined;
  return { kind: 'error', payload: { code, message: said, retryable: data.retryable } };
}

/** A query, its card, what its agent is given of it, and the response that goes back. */
async function answered(payload: JsonObject, words: Partial<AgentReply> = {}) {
  const coming = reply('query', payload);
  const { item, card } = await given(mum);
  await finish(mum, item, words);
  return { card, item: item.untrusted, response: await coming };
}

/** Sends Mum a delegation, and has her agent do it. */
async function delegated(payload: JsonObject) {
  const ack = await reply('delegate', { ...TASK, ...payload });
  const { item, card } = await given(mum);
  await finish(mum, item);
  return { ack, card, item: item.untrusted };
}

/** What Mum's agent is told when it asks the Attic, which answers this. */
async function atticAnswers(path: 'query' | 'delegate', kind: string, payload: JsonObject) {
  attic.answers.set(path, { kind, payload });
  return atDoor(mum, mumToken, `/v1/${path}`, {
    to: 'Attic',
    ...(path === 'query' ? ASKED : TASK),
  });
}

const ended = (hub: TestHub, token: string, id: unknown) =>
  until('the end of the task', WITHIN_MS, async () => {
    const task = await atDoor(hub, token, `/v1/tasks/${String(id)}?wait=1000`);
    return task.finished_at === null ? undefined : task;
  });

describe('ping, pong', () => {
  test.each([{}, UNKNOWN])('ping %j: a pong with every field', async (payload) => {
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

  test.each([
    ['busy', 2],
    ['overloaded', 1],
  ])('status %s: its agent does one task, and takes %i', async (status, concurrency) => {
    const agent = `/v1/agents/${AGENT}`;
    await atDoor(mum, mumToken, agent, { concurrency }, 'PATCH');
    await reply('delegate', TASK);
    const { item } = await given(mum);
    const payload = { status, active_tasks: 1 };
    expect(await reply('ping', {})).toMatchObject({ kind: 'pong', payload });
    await finish(mum, item);
    await atDoor(mum, mumToken, agent, { concurrency: 4 }, 'PATCH');
  });

  const whole = { status: 'busy', uptime_secs: 3600, active_tasks: 2, agent_name: 'Attic' };
  const absent = { uptime_secs: null, active_tasks: null, agent_name: null };
  test.each([
    ['every field', whole, whole],
    ['status alone', { status: 'overloaded', ...UNKNOWN }, { status: 'overloaded', ...absent }],
    ['a status nobody knows', { status: 'asleep' }, undefined],
    ['uptime_secs that is no number', { ...whole, uptime_secs: '1h' }, undefined],
    ['active_tasks below zero', { ...whole, active_tasks: -1 }, undefined],
    ['agent_name that is no text', { ...whole, agent_name: 7 }, undefined],
  ])('a pong is read: %s', async (_, payload, pong) => {
    attic.answers.set('ping', { kind: 'pong', payload });
    const read = await mum.node.services.links.ping(attic.raw.key);
    expect(read.ok ? read.value.pong : undefined).toEqual(pong);
  });
});

describe('query', () => {
  test.each([
    ['question alone; domain is optional, max_tokens means no limit', {}, {}],
    ['domain', { domain: 'family.calendar' }, { domain: 'family.calendar' }],
    ['max_tokens', { max_tokens: 200 }, { max_tokens: 200 }],
    ['max_tokens: 0 = no limit', { max_tokens: 0 }, {}],
    ['an unknown field is ignored', UNKNOWN, {}],
  ])('%s', async (_, payload, seen) => {
    const { item, response } = await answered({ ...ASKED, ...payload });
    expect(item).toMatchObject({ text: ASKED.question, payload: seen });
    expect(response.kind).toBe('response');
  });

  test('question: structured', async () => {
    const { item } = await answered({ question: { day: 'Monday', about: ['swimming'] } });
    expect(item.text).toBe('{"about":["swimming"],"day":"Monday"}');
  });

  test.each([
    ['default 30000', {}, 30_000],
    ['as it is said', { deadline_ms: 20_000 }, 20_000],
  ])('deadline_ms: %s', async (_, payload, waits) => {
    const { card } = await answered({ ...ASKED, ...payload });
    expect((card?.deadline_at ?? 0) - (card?.received_at ?? 0)).toBe(waits);
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
  const noSummary = { summary: 'Answered with data.' };
  test.each([
    ['summary: always present', { summary: undefined, data: 1 }, noSummary],
    ['data: any JSON value', { data: [{ a: null }] }, { data: [{ a: null }] }],
    ['tokens_used', { tokens_used: 47 }, { tokens_used: 47 }],
    ['truncated', { truncated: true }, { truncated: true }],
    ['what is not said', {}, { data: null, truncated: false, summary: 'Done.' }],
  ])('%s', async (_, words, payload) => {
    expect((await answered(ASKED, words)).response).toMatchObject({ kind: 'response', payload });
  });

  const absent = { data: null, tokens_used: null, truncated: false };
  const whole = { data: { a: [1] }, summary: 'Two', tokens_used: 47, truncated: true };
  test.each([
    ['every field', { ...whole, ...UNKNOWN }, whole],
    ['summary alone', { summary: 'Two' }, { summary: 'Two', ...absent }],
  ])('is read: %s', async (_, payload, untrusted) => {
    const read = await atticAnswers('query', 'response', payload);
    expect(read).toMatchObject({ http: 200, state: 'answered', untrusted });
  });

  test.each([
    ['summary', { data: 1 }],
    ['tokens_used', { summary: 'Two', tokens_used: '47' }],
    ['truncated', { summary: 'Two', truncated: 'no' }],
  ])('%s that does not fit is not understood: %j', async (_, payload) => {
    const code = 'not_understood';
    expect(await atticAnswers('query', 'response', payload)).toMatchObject({ code });
  });
});

describe('delegate', () => {
  test.each([
    ['task alone', {}],
    ['context', { context: { dinner_time: '7:00 PM' } }],
    ['priority', { priority: 'urgent' }],
    ['report_back', { report_back: false }],
    ['deadline_ms', { deadline_ms: 60_000 }],
    ['an unknown field is ignored', UNKNOWN],
  ])('%s', async (_, payload) => {
    const { ack, item } = await delegated(payload);
    expect(ack).toMatchObject(accepted);
    expect(item).toMatchObject({ text: TASK.task, payload });
  });

  test.each([
    ['what is not said', {}, { urgent: false, report_back: true, lasts: DAY_MS }],
    ['priority: urgent', { priority: 'urgent' }, { urgent: true }],
    ['report_back: false', { report_back: false }, { report_back: false }],
    ['deadline_ms: 60000', { deadline_ms: 60_000 }, { lasts: 60_000 }],
  ])('means to the person: %s', async (_, payload, meant) => {
    const { card } = await delegated(payload);
    const lasts = (card?.deadline_at ?? 0) - (card?.received_at ?? 0);
    expect({ ...card, lasts }).toMatchObject(meant);
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

  test('report_back false: no result comes; true, the default: one does', async () => {
    const [quiet, loud] = [randomUUID(), randomUUID()];
    for (const [id, payload] of [
      [quiet, { report_back: false }],
      [loud, {}],
    ] as const) {
      expect(await attic.ask('delegate', { ...TASK, ...payload }, { id })).toMatchObject(accepted);
      await finish(mum, (await given(mum)).item);
    }
    // What is owed to one hub leaves in order, so a result of the first would be here by now.
    await attic.sees('the second result', ({ ref }) => ref === loud);
    expect(attic.raw.heard.filter(({ ref }) => ref === quiet)).toEqual([]);
  });
});

describe('ack', () => {
  test.each([
    ['accepted, estimated_ms', { accepted: true, estimated_ms: 5000 }, 'queued', 5000],
    ['accepted alone', { accepted: true, ...UNKNOWN }, 'queued', null],
    ['a state', { accepted: true, state: 'pending_approval' }, 'awaiting_approval', null],
    ['a state nobody knows', { accepted: true, state: 'dreaming' }, 'queued', null],
  ])('is read: %s', async (_, payload, state, estimated_ms) => {
    const read = await atticAnswers('delegate', 'ack', payload);
    expect(read).toMatchObject({ http: 202, state, estimated_ms });
  });

  const why = { code: 'overloaded', reason: 'Full. Try at 5.', retryable: false };
  test.each([
    ['accepted: false', { accepted: false }, 'rejected', null, false],
    ['with code, reason, retryable', { accepted: false, ...why }, 'overloaded', why.reason, false],
    ['retryable by its code', { accepted: false, code: 'overloaded' }, 'overloaded', null, true],
    ['a code nobody knows', { accepted: false, code: 'tired' }, 'internal', null, true],
  ])('refuses: %s', async (_, payload, code, message, retryable) => {
    const read = await atticAnswers('delegate', 'ack', payload);
    expect(read).toMatchObject({ code, data: { retryable, untrusted: { message } } });
  });

  test.each([
    ['accepted', {}],
    ['accepted', { accepted: 'yes' }],
    ['estimated_ms', { accepted: true, estimated_ms: 'soon' }],
  ])('%s that does not fit is not understood: %j', async (_, payload) => {
    const code = 'not_understood';
    expect(await atticAnswers('delegate', 'ack', payload)).toMatchObject({ code });
  });
});

describe('result', () => {
  test.each([
    ['completed', { outcome: 'Sent.', data: { thumbs: 1 } }, { error: null }],
    ['failed', { error: 'No line.', code: 'internal' }, { error: 'No line.' }],
    ['partial', { outcome: 'Half.' }, { outcome: 'Half.' }],
  ] as const)('status %s, with outcome, data and error', async (status, said, seen) => {
    const { id } = await atDoor(dad, dadToken, '/v1/delegate', { to: 'Mum', ...TASK });
    const { item } = await given(mum);
    await finish(mum, item, { status, summary: undefined, ...said });
    const untrusted = { status, ...seen };
    expect(await ended(dad, dadToken, id)).toMatchObject({ state: status, untrusted });
  });

  const none = { outcome: null, data: null, error: null };
  const half = { status: 'partial', outcome: 'Half.', data: [1] };
  test.each([
    ['status alone', { status: 'completed' }, 'completed', none],
    ['outcome, data', { ...half, ...UNKNOWN }, 'partial', { ...half, error: null }],
    ['error', { status: 'failed', error: 'No line.' }, 'failed', { ...none, error: 'No line.' }],
  ])('is read: %s', async (_, payload, state, untrusted) => {
    const { id } = await atticAnswers('delegate', 'ack', accepted.payload);
    await attic.tell('result', payload, { ref: id });
    expect(await ended(mum, mumToken, id)).toMatchObject({ state, untrusted });
  });

  test.each([
    ['status', { status: 'done' }],
    ['outcome', { status: 'completed', outcome: 7 }],
    ['error', { status: 'failed', error: {} }],
  ])('%s that does not fit ends nothing: %j', async (_, payload) => {
    const { id } = await atticAnswers('delegate', 'ack', accepted.payload);
    await attic.tell('result', payload, { ref: id });
    await attic.tell('result', { status: 'partial' }, { ref: id });
    expect(await ended(mum, mumToken, id)).toMatchObject({ state: 'partial' });
  });
});

describe('notify', () => {
  const told = (payload: JsonObject) => attic.tell('notify', payload);
  const newest = (topic: string) =>
    until(`the notice ${topic}`, WITHIN_MS, () => {
      const [item] = mum.node.services.work.feed.list({ limit: 1 }).items;
      return item?.topic === topic ? item : undefined;
    });

  test.each([
    ['topic alone', { topic: 'user.a' }, { importance: 'low' }],
    ['data', { topic: 'user.b', data: 'On the way' }, { text: 'On the way' }],
    ['importance: medium', { topic: 'user.c', importance: 'medium' }, { importance: 'medium' }],
    ['importance: high', { topic: 'user.d', importance: 'high' }, { importance: 'high' }],
    ['importance nobody knows is low', { topic: 'user.e', importance: 7 }, { importance: 'low' }],
    ['an unknown field is ignored', { topic: 'user.f', ...UNKNOWN }, { importance: 'low' }],
  ])('%s', async (_, payload, shown) => {
    await told(payload);
    expect(await newest(payload.topic)).toMatchObject({ peer_name: 'Attic', ...shown });
  });

  test.each([{}, { topic: 7 }, { topic: '' }])(
    'topic that does not fit is shown nowhere: %j',
    async (payload) => {
      const { feed } = mum.node.services.work;
      await told({ topic: 'before' });
      await newest('before');
      await told({ ...payload, data: 'lost' });
      await told({ topic: 'after' });
      await newest('after');
      expect(feed.list({ limit: 2 }).items.map(({ topic }) => topic)).toEqual(['after', 'before']);
    },
  );
});

describe('cancel', () => {
  const taken = async () => {
    const id = randomUUID();
    expect(await reply('delegate', TASK, null, id)).toMatchObject(accepted);
    return id;
  };

  test.each([{}, { reason: 'Plans changed' }, UNKNOWN])('%j, of what is not open', async (of) => {
    expect(await reply('cancel', of, randomUUID())).toMatchObject({
      kind: 'ack',
      payload: { accepted: false, code: 'rejected' },
    });
  });

  test('ref: what waits for a person is taken back, and never runs', async () => {
    const { approvals } = mum.node.services.work;
    const cancelled = await reply('cancel', { reason: 'Plans changed' }, await taken());
    expect(cancelled.payload).toEqual({ accepted: true });
    expect(approvals.pending()).toEqual([]);
    const [card] = approvals.decided({ limit: 1 }).items;
    expect(card).toMatchObject({ state: 'cancelled' });
    expect(card?.decline_reason).toContain('Plans changed');
  });

  test('reason: the agent that has it is asked to stop, and told why', async () => {
    const id = await taken();
    const { item } = await given(mum);
    const cancelled = await reply('cancel', { reason: 'Plans changed' }, id);
    expect(cancelled.payload).toEqual({ accepted: true, state: 'working' });
    const { item: stop } = await given(mum);
    expect(stop).toMatchObject({ kind: 'cancel', task_id: item.task_id });
    expect(stop.untrusted.text).toBe('Plans changed');
    await mum.node.services.work.inbox.ack(AGENT, stop.delivery_id, null);
    await finish(mum, item, { status: 'failed', code: 'cancelled' });
  });

  test('reason that does not fit is refused by its name', async () => {
    expect(await reply('cancel', { reason: 7 }, randomUUID())).toMatchObject(refused('reason'));
  });
});

describe('discover, capabilities', () => {
  const declared = {
    channels: ['apple-reminders', 'imessage'],
    tools: ['calendar_cli', 'web_search'],
    model: 'gemini-3-pro',
  };
  test.each([{}, UNKNOWN])('discover %j: what the agent declares', async (payload) => {
    const more = { concurrency: 3, domains: ['family', 'school'] };
    const example = { domain: 'school', example: 'When is the next test?' };
    const areas = ['family', example];
    const said = { ...declared, ...more, domains: areas };
    await atDoor(mum, mumToken, `/v1/agents/${AGENT}`, said, 'PATCH');
    const domains = ['family', 'school'];
    const offer = { ...declared, domains, max_concurrent_tasks: 3 };
    expect(await reply('discover', payload)).toMatchObject({
      kind: 'capabilities',
      payload: {
        agent_name: 'Test hub',
        ...offer,
        agents: [{ name: AGENT, ...offer, examples: { school: example.example } }],
      },
    });
  });

  const whole = {
    agent_name: 'Family Assistant',
    domains: ['family', 'groceries'],
    ...declared,
    max_concurrent_tasks: 4,
  };
  const nothing = { agent_name: null, max_concurrent_tasks: null, model: null };
  test.each([
    ['every field', { ...whole, ...UNKNOWN }, whole],
    ['none: all are optional', {}, { ...nothing, domains: [], channels: [], tools: [] }],
  ])('capabilities are read: %s', async (_, payload, untrusted) => {
    const { links, directory } = mum.node.services;
    attic.answers.set('discover', { kind: 'capabilities', payload });
    expect(await links.refreshCapabilities(attic.raw.key)).toMatchObject({ ok: true });
    expect(directory.dto(attic.raw.key).capabilities?.untrusted).toMatchObject(untrusted);
  });

  test.each([
    [{ school: 'When is the test?' }, [{ domain: 'school', example: 'When is the test?' }]],
    [undefined, []],
    [['When is the test?'], []],
    [{ school: 7, family: 'x'.repeat(257) }, []],
  ])('examples are a hint: %j', async (examples, read) => {
    const payload = { ...whole, agents: [{ name: 'kitchen', domains: ['school'], examples }] };
    attic.answers.set('discover', { kind: 'capabilities', payload });
    const { links, directory } = mum.node.services;
    expect(await links.refreshCapabilities(attic.raw.key)).toMatchObject({ ok: true });
    expect(directory.dto(attic.raw.key).capabilities?.untrusted.agents).toMatchObject([
      { name: 'kitchen', domains: ['school'], examples: read },
    ]);
  });

  test.each([
    ['agent_name', 7],
    ['domains', 'family'],
    ['channels', [7]],
    ['tools', {}],
    ['max_concurrent_tasks', -1],
    ['model', []],
  ])('%s that does not fit is not understood: %j', async (field, value) => {
    attic.answers.set('discover', { kind: 'capabilities', payload: { ...whole, [field]: value } });
    expect(await mum.node.services.links.refreshCapabilities(attic.raw.key)).toMatchObject({
      ok: false,
      error: { code: 'not_understood' },
    });
  });
});

describe('error', () => {
  const message = 'I have no work calendar. Try the work agent instead.';
  test.each([
    ['not_authorized', false],
    ['unknown_domain', false],
    ['overloaded', true],
    ['internal', true],
    ['timeout', true],
    ['cancelled', false],
    ['incompatible_version', false],
    ['unknown_kind', false],
    ['peer_not_found', false],
    ['invalid_envelope', false],
  ])('code %s, message, and retryable: %s unless it says otherwise', async (code, retryable) => {
    for (const said of [{}, { retryable: !retryable }]) {
      const read = await atticAnswers('query', 'error', { code, message, ...said, ...UNKNOWN });
      const data = { retryable, ...said, untrusted: { message } };
      expect(read).toMatchObject({ code, data });
    }
  });

  test.each([
    ['a code nobody knows', { code: 'tired', message }, message],
    ['nothing', {}, ''],
    ['what does not fit', { code: 7, message: 7, retryable: 'no' }, ''],
  ])('%s is internal', async (_, payload, text) => {
    const read = await atticAnswers('query', 'error', payload);
    const data = { retryable: true, untrusted: { message: text } };
    expect(read).toMatchObject({ code: 'internal', data });
  });
});
