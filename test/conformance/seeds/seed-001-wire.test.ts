// The requirements of document 001 about the wire, by their numbers: a whole hub, and others that say
// and answer what the document has them say, over real QUIC.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import {
  AGENT,
  atDoor,
  finish,
  giveAgent,
  given,
  OWNER,
  RawPeer,
  UNKNOWN,
  WITHIN_MS,
} from '../../support/raw-peer.ts';
import { TestHub } from '../../support/test-hub.ts';
import { until } from '../../support/until.ts';

const OPTIONAL = ['delegate', 'ack', 'result', 'cancel', 'discover', 'capabilities'];
const TASK = { task: 'Send a message' };
const ASKED = { question: 'What is on?' };
const ID = /^ed25519\.[0-9a-f]{32}$/;
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const opened: RawPeer[] = [];
let mum: TestHub;
let token: string;
let attic: RawPeer;

async function pair(name: string, hello: JsonObject = {}): Promise<RawPeer> {
  const peer = await RawPeer.pair(mum, name, hello);
  opened.push(peer);
  return peer;
}
beforeAll(async () => {
  mum = await TestHub.start({ peerRateFactor: 100 });
  token = await giveAgent(mum);
  attic = await pair('Attic');
}, 120_000);
afterAll(async () => {
  for (const peer of opened) await peer.stop();
  await mum.stop();
});

const dropped = (why: string) => mum.node.services.links.counters()[`dropped_${why}`] ?? 0;
const error = (code: string, words = '') => ({
  kind: 'error',
  payload: { code, message: expect.stringContaining(words) },
});

describe('seed 001: hello', () => {
  test('001.1 nothing is taken before hello', async () => {
    const { raw } = await RawPeer.start(mum);
    const { identity, peers } = mum.node.services;
    const { keyHex: key, agentId } = identity;
    const line = await raw.connect({ key, agentId, port: peers.port ?? 0 });
    const asked = await raw.ask(line, raw.envelope(agentId, 'query', ASKED));
    expect(asked).toMatchObject(error('not_authorized', 'hello'));
    const before = dropped('before_hello');
    await raw.transport.send(line.connectionId, raw.envelope(agentId, 'notify', { topic: 'a' }));
    await until('the drop', WITHIN_MS, () => dropped('before_hello') > before || undefined);
    await raw.transport.stop();
  });

  test('001.2, 001.37 the hub says hello first, unasked', () => {
    expect(attic.raw.heard[0]).toMatchObject({
      stream: 'bidirectional',
      kind: 'hello',
      ref: null,
      payload: { protocol_versions: [1], features: expect.arrayContaining(OPTIONAL) },
    });
  });

  test.each([[[1]], [[1, 2, 7]]])(
    '001.3, 001.4 hello with the versions %j is answered with the highest in common',
    async (protocol_versions) => {
      const id = randomUUID();
      const payload = { protocol_versions, agent_name: 'Attic', features: ['delegate'] };
      expect(await attic.ask('hello', payload, { id })).toMatchObject({
        kind: 'hello',
        ref: id,
        payload: {
          protocol_versions: [1],
          selected_version: 1,
          agent_name: 'Test hub',
          features: expect.arrayContaining(OPTIONAL),
        },
      });
    },
  );

  test('001.5 no version in common is incompatible_version', async () => {
    expect(await attic.ask('hello', { protocol_versions: [2, 3] })).toMatchObject(
      error('incompatible_version'),
    );
  });

  test('001.6, 001.7 what a hub does not know is not sent to it, what every hub knows is', async () => {
    const bare = await pair('Bare', { features: [] });
    bare.answers.set('query', { kind: 'response', payload: { summary: 'Nothing.' } });
    const to = { to: 'Bare' };
    expect(await atDoor(mum, token, '/v1/delegate', { ...to, ...TASK })).toMatchObject({
      code: 'unsupported_feature',
    });
    expect(await atDoor(mum, token, '/v1/query', { ...to, ...ASKED })).toMatchObject({ http: 200 });
    await atDoor(mum, token, '/v1/notify', { ...to, topic: 'user.a' });
    await bare.sees('the notice', ({ kind }) => kind === 'notify');
    const pinged = await atDoor(mum, token, `/v1/peers/${bare.raw.agentId}/ping`, {});
    expect(pinged).toMatchObject({ http: 200 });
    const kinds = bare.raw.heard.map(({ kind }) => kind);
    expect(kinds.filter((kind) => OPTIONAL.includes(kind))).toEqual([]);
  });
});

describe('seed 001: the envelope', () => {
  test('001.8, 001.9, 001.10 every member of an answer', async () => {
    const id = randomUUID();
    const { agentId } = mum.node.services.identity;
    expect(await attic.ask('ping', {}, { id })).toEqual({
      v: 1,
      id: expect.stringMatching(UUID_4),
      from: agentId,
      to: attic.raw.agentId,
      ts: expect.any(Number),
      kind: 'pong',
      ref: id,
      payload: expect.any(Object),
    });
    expect(agentId).toMatch(ID);
    expect(agentId).toHaveLength(40);
  });

  test.each([
    ['v', { v: 2 }],
    ['id', { id: '3f0c1f5e-8f53-1b6e-9a53-0d8a1c5b7e21' }],
    ['from', { from: 'dad' }],
    ['to', { to: `rsa.${'0'.repeat(32)}` }],
    ['ts', { ts: 'now' }],
    ['kind', { kind: 7 }],
    ['ref', { ref: 'that one' }],
  ])('001.8, 001.9 "%s" that does not fit is refused by its name', async (field, change) => {
    expect(await attic.ask('ping', {}, change)).toMatchObject(
      error('invalid_envelope', `"${field}"`),
    );
  });

  test('001.11 members that nobody knows are ignored', async () => {
    expect(await attic.ask('ping', UNKNOWN, UNKNOWN)).toMatchObject({ kind: 'pong' });
    const asked = attic.ask('query', { ...ASKED, ...UNKNOWN, domain: `${AGENT}.work` }, UNKNOWN);
    await finish(mum, (await given(mum)).item);
    expect(await asked).toMatchObject({ kind: 'response' });
  });
});

describe('seed 001: the kinds', () => {
  test('001.12 a pong has every member', async () => {
    expect(await attic.ask('ping', {})).toMatchObject({
      kind: 'pong',
      payload: {
        status: expect.stringMatching(/^(idle|busy|overloaded)$/),
        uptime_secs: expect.any(Number),
        active_tasks: 0,
        agent_name: 'Test hub',
      },
    });
  });

  test('001.14, 001.15, 001.16, 001.17 a question, also a structured one, and its response', async () => {
    const question = JSON.stringify({ find: 'events', week: 7 });
    const payload = { question, domain: `${AGENT}.work`, max_tokens: 200 };
    const asked = attic.ask('query', payload);
    const { item } = await given(mum);
    expect(item.untrusted).toMatchObject({ text: question, payload });
    const leftMs = Number(item.deadline_at) - Date.now();
    expect(leftMs).toBeGreaterThan(20_000);
    expect(leftMs).toBeLessThanOrEqual(30_000);
    const words = {
      summary: 'Three',
      data: { events: [1, 2, 3] },
      tokens_used: 47,
      truncated: true,
    };
    await finish(mum, item, words);
    expect(await asked).toMatchObject({ kind: 'response', payload: words });
  });

  test('001.18, 001.20, 001.21, 001.22, 001.23 a delegation, its ack and its result', async () => {
    const id = randomUUID();
    const context = { dinner_time: '7:00 PM' };
    const payload = { ...TASK, context, priority: 'urgent', deadline_ms: 60_000 };
    expect(await attic.ask('delegate', payload, { id })).toMatchObject({
      kind: 'ack',
      ref: id,
      payload: { accepted: true },
    });
    const { item } = await given(mum);
    expect(item.untrusted.payload).toMatchObject(payload);
    expect(Number(item.deadline_at) - Date.now()).toBeLessThanOrEqual(60_000);
    await finish(mum, item, { status: 'partial', outcome: 'Half', data: { sent: 1 } });
    const result = await attic.sees('the result', (heard) => heard.ref === id);
    expect(result).toMatchObject({
      stream: 'unidirectional',
      kind: 'result',
      payload: { status: 'partial', outcome: 'Half', data: { sent: 1 }, error: null },
    });
    expect(JSON.stringify(result.payload)).not.toContain(TASK.task);
  });

  test.each(['completed', 'failed'] as const)('001.22 a result says %s', async (status) => {
    const id = randomUUID();
    await attic.ask('delegate', TASK, { id });
    const why = status === 'failed' ? { error: 'No signal' } : {};
    await finish(mum, (await given(mum)).item, { status, outcome: 'So', ...why });
    expect(await attic.sees('the result', (heard) => heard.ref === id)).toMatchObject({
      payload: { status, outcome: 'So', error: why.error ?? null },
    });
  });

  test('001.19 nobody is told the end without report_back', async () => {
    const id = randomUUID();
    await attic.ask('delegate', { ...TASK, report_back: false }, { id });
    await finish(mum, (await given(mum)).item);
    await attic.ask('ping', {});
    expect(attic.raw.heard.filter(({ ref }) => ref === id)).toEqual([]);
  });

  test('001.21 an ack says how long it may take, and so does whoever takes it on later', async () => {
    attic.answers.set('delegate', {
      kind: 'ack',
      payload: { accepted: true, estimated_ms: 5_000 },
    });
    const sent = await atDoor(mum, token, '/v1/delegate', { to: 'Attic', ...TASK });
    expect(sent).toMatchObject({ estimated_ms: 5_000 });
    const path = `/v1/tasks/${String(sent['id'])}`;
    expect(await atDoor(mum, token, path)).toMatchObject({ estimated_ms: 5_000 });
    const data = { state: 'working', estimated_ms: 9_000 };
    await attic.tell('notify', { topic: 'axon.progress', data }, { ref: sent['id'] });
    await until('the new estimate', WITHIN_MS, async () => {
      const { estimated_ms } = await atDoor(mum, token, path);
      return estimated_ms === 9_000 || undefined;
    });
  });

  test('001.24, 001.25 a notice goes to those who filter for it; its importance is low', async () => {
    await atDoor(mum, token, `/v1/agents/${AGENT}`, { topics: ['user'] }, 'PATCH');
    await attic.tell('notify', { topic: 'shop.milk' });
    await attic.tell('notify', { topic: 'user.location', data: { status: 'heading out' } });
    const { inbox } = mum.node.services.work;
    const [item] = await until('the notice', WITHIN_MS, async () => {
      const items = await inbox.claim(AGENT, 5);
      return items.length > 0 ? items : undefined;
    });
    expect(item?.untrusted.payload).toMatchObject({
      topic: 'user.location',
      data: { status: 'heading out' },
    });
    expect(await inbox.claim(AGENT, 5)).toEqual([]);
    const { feed } = mum.node.services.work;
    const shown = await until('the notice on the page', WITHIN_MS, () =>
      feed.list({ limit: 5 }).items.find(({ topic }) => topic === 'user.location'),
    );
    expect(shown).toMatchObject({ importance: 'low' });
  });

  test('001.26 a cancel names the delegation, and is acknowledged as far as it goes', async () => {
    const id = randomUUID();
    await attic.ask('delegate', TASK, { id });
    const cancel = { reason: 'Plans changed' };
    expect(await attic.ask('cancel', cancel, { ref: id })).toMatchObject({
      kind: 'ack',
      payload: { accepted: true },
    });
    expect(await attic.ask('cancel', cancel, { ref: randomUUID() })).toMatchObject({
      kind: 'ack',
      payload: { accepted: false },
    });
  });

  test('001.27 capabilities of agents that share what they choose', async () => {
    const offers = { channels: ['imessage'], tools: ['calendar_cli'], model: 'gemini-3-pro' };
    await atDoor(mum, token, `/v1/agents/${AGENT}`, offers, 'PATCH');
    expect(await attic.ask('discover', {})).toMatchObject({
      kind: 'capabilities',
      payload: {
        agent_name: 'Test hub',
        domains: [`${AGENT}.work`],
        channels: ['imessage'],
        tools: ['calendar_cli'],
        max_concurrent_tasks: expect.any(Number),
        model: 'gemini-3-pro',
      },
    });
    attic.answers.set('discover', { kind: 'capabilities', payload: {} });
    const path = `/v1/peers/${attic.raw.agentId}/capabilities?refresh=true`;
    expect(await atDoor(mum, token, path)).toMatchObject({ http: 200 });
  });
});

describe('seed 001: errors and streams', () => {
  test('001.28, 001.29, 001.31 errors of the list say what to do instead', async () => {
    const stranger = `ed25519.${'0'.repeat(32)}`;
    for (const [code, words, coming] of [
      ['unknown_kind', 'query', attic.ask('negotiate', {})],
      ['invalid_envelope', '"task"', attic.ask('delegate', {})],
      ['not_authorized', '', attic.ask('ping', {}, { from: stranger })],
      ['peer_not_found', '', attic.ask('ping', {}, { to: stranger })],
      [
        'unknown_domain',
        'This hub has: family.',
        attic.ask('query', { ...ASKED, route: { to: 'cook' } }),
      ],
    ] as const)
      expect(await coming).toMatchObject({
        kind: 'error',
        payload: { code, message: expect.stringContaining(words), retryable: false },
      });
  });

  test('001.28, 001.30, 001.39 the words and the code of an agent that fails', async () => {
    for (const code of ['overloaded', 'timeout', 'internal', 'not_authorized']) {
      const asked = attic.ask('query', ASKED);
      const { item } = await given(mum);
      await finish(mum, item, { status: 'failed', error: 'The school site is down', code });
      expect(await asked).toMatchObject(error(code, 'The school site is down'));
    }
  });

  test('001.33 an error that nobody asked for, and a notice of no kind, do no harm', async () => {
    const before = dropped('unknown_kind');
    await attic.tell('error', { code: 'overloaded', message: 'Hot up here.' });
    await attic.tell('negotiate', {});
    await until('the drop', WITHIN_MS, () => dropped('unknown_kind') > before || undefined);
    expect(await attic.ask('ping', {})).toMatchObject({ kind: 'pong' });
  });

  test.each([
    ['hello', { protocol_versions: [1] }, 'hello'],
    ['ping', {}, 'pong'],
    ['discover', {}, 'capabilities'],
    ['cancel', {}, 'ack'],
    ['delegate', TASK, 'ack'],
  ])('001.34, 001.43 %s is answered on its stream', async (kind, payload, answer) => {
    const id = randomUUID();
    expect(await attic.ask(kind, payload, { id })).toMatchObject({ kind: answer, ref: id });
    if (kind === 'delegate') await finish(mum, (await given(mum)).item);
  });

  test.each(['result', 'notify', 'error'])(
    '001.34, 001.43 %s goes one way, and nowhere else',
    async (kind) => {
      const payload = { topic: 'user.wrong', status: 'completed', code: 'internal' };
      expect(await attic.ask(kind, payload)).toMatchObject(error('invalid_envelope'));
      await attic.tell(kind, { ...payload, message: 'So', outcome: 'So' });
      expect(await attic.ask('ping', {})).toMatchObject({ kind: 'pong' });
    },
  );

  test('001.35 an area covers those below it', async () => {
    const profile = { domains: ['family'] };
    const page = await mum.page();
    await atDoor(mum, page, `/v1/agents/${AGENT}`, profile, 'PATCH');
    const asked = attic.ask('query', { ...ASKED, domain: 'family.calendar' });
    await finish(mum, (await given(mum)).item);
    expect(await asked).toMatchObject({ kind: 'response' });
    await mum.node.services.directory.remove(attic.raw.key, OWNER);
  });
});
