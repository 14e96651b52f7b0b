// What every AXON message has in common, section by section: hello, the envelope, the stream that a
// kind travels on, and the errors that a hub answers with. A whole hub, Mum's, and hubs that say
// and answer what the test tells them to, over real QUIC.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMessageId } from '../../main/protocol/message-id.ts';
import type { JsonObject } from '../../main/lib/json-object.ts';
import type { RawReply } from '../unit/services/links/raw-hub.ts';
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
} from '../support/raw-peer.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const TASK = { task: 'Send a message' };
const ASKED = { question: 'What is on?' };
const OPTIONAL = ['delegate', 'ack', 'result', 'cancel', 'discover', 'capabilities'];
const accepted = { kind: 'ack', payload: { accepted: true } };
const error = (code: string, words = '') => ({
  kind: 'error',
  payload: { code, message: expect.stringContaining(words) },
});
const opened: RawPeer[] = [];
let mum: TestHub;
let mumToken: string;
let attic: RawPeer;
// What does not fit counts against whoever sends it: twenty of them in a minute close the line.
let mangled: RawPeer;
let astray: RawPeer;

async function pair(name: string, hello: JsonObject = {}): Promise<RawPeer> {
  const peer = await RawPeer.pair(mum, name, hello);
  opened.push(peer);
  return peer;
}

beforeAll(async () => {
  mum = await TestHub.start({ peerRateFactor: 100 });
  mumToken = await giveAgent(mum);
  attic = await pair('Attic');
  mangled = await pair('Mangled');
  astray = await pair('Astray');
}, 120_000);
afterAll(async () => {
  for (const peer of opened) await peer.stop();
  await mum.stop();
});

const dropped = (why: string) => mum.node.services.links.counters()[`dropped_${why}`] ?? 0;
/** What waits for Mum to decide. */
const cards = () => mum.node.services.work.approvals.pending();

describe('Version Negotiation: hello', () => {
  test.each([
    ['protocol_versions, selected_version: the highest in common', { protocol_versions: [1, 7] }],
    ['protocol_versions: in any order', { protocol_versions: [9, 7, 1] }],
    ['protocol_versions: repeated', { protocol_versions: [1, 1, 2, 1] }],
    ['agent_name: optional', { protocol_versions: [1], agent_name: 'Attic' }],
    ['features: optional; unknown ones are ignored', { protocol_versions: [1], features: ['x'] }],
    ['hints that do not fit', { protocol_versions: [1], agent_name: 7, features: 'all' }],
    ['an unknown field is ignored', { protocol_versions: [1], ...UNKNOWN }],
  ])('%s', async (_, payload) => {
    expect(await attic.ask('hello', payload)).toMatchObject({
      kind: 'hello',
      payload: {
        protocol_versions: [1],
        selected_version: 1,
        agent_name: 'Test hub',
        features: expect.arrayContaining(OPTIONAL),
      },
    });
  });

  test.each([[[2]], [[]], [['1']], [undefined]])(
    'versions %j: incompatible_version',
    async (protocol_versions) => {
      const reply = await attic.ask('hello', { protocol_versions });
      expect(reply).toMatchObject(error('incompatible_version'));
    },
  );

  test('is the first message of the hub that dialled, on a bidirectional stream', () => {
    expect(attic.raw.heard[0]).toMatchObject({
      stream: 'bidirectional',
      kind: 'hello',
      ref: null,
      payload: { protocol_versions: [1], features: expect.arrayContaining(OPTIONAL) },
    });
  });

  test.each([
    ['selected_version: one that was not offered', 'hello', { selected_version: 2 }],
    ['selected_version: none', 'hello', { protocol_versions: [1] }],
    ['incompatible_version', 'error', { code: 'incompatible_version', message: '' }],
  ])('is answered with %s: no message follows', async (name, kind, payload) => {
    const { directory, links } = mum.node.services;
    const peer = await RawPeer.start(mum);
    opened.push(peer);
    peer.answers.set('hello', { kind, payload });
    await peer.add(name.slice(0, 20));
    const trouble = await until('the trouble', WITHIN_MS, () => {
      return directory.dto(peer.raw.key).trouble ?? undefined;
    });
    expect(trouble).toContain('speaks another version of the protocol');
    expect(links.isOnline(peer.raw.key)).toBe(false);
    expect(peer.raw.heard.filter((heard) => heard.kind !== 'hello')).toEqual([]);
    await directory.remove(peer.raw.key, OWNER);
  });

  test('no other message is taken before it', async () => {
    const { raw } = await RawPeer.start(mum);
    const { identity, peers } = mum.node.services;
    const { keyHex: key, agentId } = identity;
    const line = await raw.connect({ key, agentId, port: peers.port ?? 0 });
    const before = dropped('before_hello');
    const asked = await raw.ask(line, raw.envelope(agentId, 'query', ASKED));
    expect(asked).toMatchObject(error('not_authorized', 'hello'));
    await raw.transport.send(line.connectionId, raw.envelope(agentId, 'notify', { topic: 'a' }));
    await until('the drop', WITHIN_MS, () => dropped('before_hello') > before || undefined);
    await raw.transport.stop();
  });

  test('features: what a peer did not name is not sent to it, and what is required is', async () => {
    const bare = await pair('Bare', { features: [] });
    const to = { to: 'Bare' };
    const sent = await atDoor(mum, mumToken, '/v1/delegate', { ...to, ...TASK });
    expect(sent).toMatchObject({ http: 409, code: 'unsupported_feature' });
    const { links } = mum.node.services;
    for (const kind of ['delegate', 'cancel', 'discover']) {
      const message = { id: randomUUID(), kind, ref: null, payload: {} };
      const error = { code: 'unsupported_feature' };
      expect(await links.request(bare.raw.key, message, WITHIN_MS)).toMatchObject({ error });
    }
    bare.answers.set('query', { kind: 'response', payload: { summary: 'Nothing.' } });
    expect(await atDoor(mum, mumToken, '/v1/query', { ...to, ...ASKED })).toMatchObject({
      http: 200,
    });
    await atDoor(mum, mumToken, '/v1/notify', { ...to, topic: 'user.a' });
    await bare.sees('the notice', ({ kind }) => kind === 'notify');
    const optional = bare.raw.heard.filter(({ kind }) => OPTIONAL.includes(kind));
    expect(optional.map(({ kind }) => kind)).toEqual([]);
  });

  test('features: who delegates gets ack and result, though it names neither', async () => {
    const shed = await pair('Shed', { features: ['delegate', 'discover'] });
    const id = randomUUID();
    expect(await shed.ask('delegate', TASK, { id })).toMatchObject(accepted);
    await finish(mum, (await given(mum)).item);
    expect(await shed.sees('the result', ({ ref }) => ref === id)).toMatchObject({
      kind: 'result',
    });
  });
});

describe('Envelope', () => {
  const pong = { kind: 'pong' };

  test('of a reply: every field', async () => {
    const id = randomUUID();
    const reply: RawReply & { id?: unknown } = await attic.ask('ping', {}, { id });
    const { agentId } = mum.node.services.identity;
    expect(reply).toEqual({
      v: 1,
      id: expect.any(String),
      from: agentId,
      to: attic.raw.agentId,
      ts: expect.any(Number),
      kind: 'pong',
      ref: id,
      payload: expect.any(Object),
    });
    expect([isMessageId(String(reply.id)), reply.id === id]).toEqual([true, false]);
  });

  test.each([
    ['an unknown member is ignored', UNKNOWN],
    ['ts: long ago; it is for display only', { ts: 0 }],
    ['ts: far ahead', { ts: 4_000_000_000_000 }],
    ['ref: absent is null', { ref: undefined }],
    ['ref: of nothing that is known', { ref: randomUUID() }],
    ['payload: absent, where a kind has none', { payload: undefined }],
  ])('is taken: %s', async (_, change) => {
    expect(await attic.ask('ping', {}, change)).toMatchObject(pong);
  });

  test.each([
    ['v', { v: 2 }],
    ['v', { v: '1' }],
    ['v', { v: undefined }],
    ['id', { id: 'one' }],
    ['id', { id: '3F0C1F5E-8F53-4B6E-9A53-0D8A1C5B7E21' }],
    ['id', { id: '3f0c1f5e-8f53-1b6e-9a53-0d8a1c5b7e21' }],
    ['from', { from: 'dad' }],
    ['from', { from: undefined }],
    ['to', { to: `ED25519.${'0'.repeat(32)}` }],
    ['to', { to: `rsa.${'0'.repeat(32)}` }],
    ['ts', { ts: '1771108000000' }],
    ['ts', { ts: 1.5 }],
    ['ts', { ts: -1 }],
    ['kind', { kind: 7 }],
    ['kind', { kind: 'two words' }],
    ['ref', { ref: 'that one' }],
    ['ref', { ref: 7 }],
    ['payload', { payload: [] }],
    ['payload', { kind: 'query', payload: undefined }],
  ])('%s that does not fit is refused by its name: %j', async (field, change) => {
    const id = randomUUID();
    const reply = await mangled.ask('ping', {}, { id, ...change });
    expect(reply).toMatchObject(error('invalid_envelope', `"${field}"`));
    expect(reply.ref).toBe(field === 'id' ? null : id);
  });

  const stranger = `ed25519.${'0'.repeat(32)}`;
  test.each([
    ['from: not of the key of the connection', { from: stranger }, 'not_authorized'],
    ['to: another hub', { to: stranger }, 'peer_not_found'],
  ])('%s: refused, one-way dropped, and the connection stays', async (_, change, code) => {
    const before = dropped('forged');
    expect(await attic.ask('ping', {}, change)).toMatchObject(error(code));
    await attic.tell('notify', { topic: 'user.forged' }, change);
    await until('the drop', WITHIN_MS, () => dropped('forged') > before || undefined);
    expect(await attic.ask('ping', {})).toMatchObject(pong);
  });

  test('kind: one nobody knows is unknown_kind, and dropped on a unidirectional stream', async () => {
    const before = dropped('unknown_kind');
    expect(await attic.ask('negotiate', {})).toMatchObject(error('unknown_kind', 'query'));
    await attic.tell('negotiate', {});
    await until('the drop', WITHIN_MS, () => dropped('unknown_kind') === before + 2 || undefined);
  });

  test('id: a delegation that comes again is one, and other content under it a conflict', async () => {
    const id = randomUUID();
    const first = await attic.ask('delegate', TASK, { id });
    expect((await attic.ask('delegate', TASK, { id })).payload).toEqual(first.payload);
    expect(cards()).toHaveLength(1);
    const other = await attic.ask('delegate', { task: 'Another' }, { id });
    expect(other).toMatchObject(error('conflict'));
    await finish(mum, (await given(mum)).item);
  });

  test('id: a query that comes again is refused, and a notice shown once', async () => {
    const id = randomUUID();
    const query = { ...ASKED, domain: `${AGENT}.work` };
    const asked = attic.ask('query', query, { id });
    await finish(mum, (await given(mum)).item);
    expect(await asked).toMatchObject({ kind: 'response' });
    expect(await attic.ask('query', query, { id })).toMatchObject(error('conflict'));

    const notice = randomUUID();
    for (const id of [notice, notice, randomUUID()])
      await attic.tell('notify', { topic: id }, { id });
    const { feed } = mum.node.services.work;
    const shown = await until('the last notice', WITHIN_MS, () => {
      const { items } = feed.list({ limit: 3 });
      return items[0]?.topic === notice || items.length < 2 ? undefined : items;
    });
    expect(shown.filter(({ topic }) => topic === notice)).toHaveLength(1);
  });
});

describe('Stream Mapping', () => {
  test.each([
    ['hello', { protocol_versions: [1] }, 'hello'],
    ['ping', {}, 'pong'],
    ['cancel', {}, 'ack'],
    ['discover', {}, 'capabilities'],
  ])('%s on a bidirectional stream is answered there', async (kind, payload, answer) => {
    const id = randomUUID();
    expect(await attic.ask(kind, payload, { id })).toMatchObject({ kind: answer, ref: id });
  });

  test.each([
    ['result', 'travels on a unidirectional stream'],
    ['notify', 'travels on a unidirectional stream'],
    ['error', 'travels on a unidirectional stream'],
    ['pong', 'is an answer'],
    ['response', 'is an answer'],
    ['ack', 'is an answer'],
    ['capabilities', 'is an answer'],
  ])('%s on a bidirectional stream is refused: it %s', async (kind, why) => {
    const payload = { topic: 'user.wrong', status: 'completed', accepted: true };
    expect(await attic.ask(kind, payload)).toMatchObject(error('invalid_envelope', why));
  });

  test.each([
    'hello',
    'ping',
    'query',
    'delegate',
    'cancel',
    'discover',
    'pong',
    'response',
    'ack',
    'capabilities',
  ])('%s on a unidirectional stream is dropped, and the connection stays', async (kind) => {
    const [before, heard] = [dropped('malformed'), astray.raw.heard.length];
    await astray.tell(kind, { ...TASK, ...ASKED, protocol_versions: [1] });
    await until('the drop', WITHIN_MS, () => dropped('malformed') === before + 1 || undefined);
    expect(await astray.ask('ping', {})).toMatchObject({ kind: 'pong' });
    expect([cards(), astray.raw.heard.slice(heard)]).toEqual([[], []]);
  });

  test('what the hub sends: each kind on its own type of stream, with its ref', async () => {
    attic.answers.set('query', { kind: 'response', payload: { summary: 'Nothing.' } });
    attic.answers.set('delegate', accepted);
    const to = { to: 'Attic' };
    await atDoor(mum, mumToken, '/v1/query', { ...to, ...ASKED, max_tokens: 200 });
    await atDoor(mum, mumToken, '/v1/notify', { ...to, topic: 'user.a', importance: 'high' });
    const { id } = await atDoor(mum, mumToken, '/v1/delegate', { ...to, ...TASK });
    await atDoor(mum, mumToken, `/v1/tasks/${String(id)}/cancel`, { reason: 'Plans changed' });
    const theirs = randomUUID();
    await attic.ask('delegate', TASK, { id: theirs });
    await finish(mum, (await given(mum)).item);
    const two = { stream: 'bidirectional', ref: null };
    const one = { ...two, stream: 'unidirectional' };
    for (const [kind, expected] of Object.entries({
      ping: { ...two, payload: {} },
      discover: { ...two, payload: {} },
      query: { ...two, payload: { ...ASKED, max_tokens: 200 } },
      delegate: { ...two, id, payload: { ...TASK, priority: 'normal', report_back: true } },
      cancel: { ...two, ref: id, payload: { reason: 'Plans changed' } },
      notify: { ...one, payload: { topic: 'user.a', data: null, importance: 'high' } },
      result: { ...one, ref: theirs, payload: { status: 'completed', outcome: 'Done.' } },
    })) {
      const { ref } = expected;
      const heard = await attic.sees(kind, (heard) => heard.kind === kind && heard.ref === ref);
      expect(heard).toMatchObject(expected);
    }
  });

  test('an unsolicited error of the hub: nobody asked for a report, and a person declined', async () => {
    const id = randomUUID();
    await attic.ask('delegate', { ...TASK, report_back: false }, { id });
    const { approvals } = mum.node.services.work;
    for (const { id, revision, digest } of cards())
      await approvals.decide({ id, revision, digest, decision: 'decline' }, OWNER);
    expect(await attic.sees('the error', ({ ref }) => ref === id)).toMatchObject({
      stream: 'unidirectional',
      kind: 'error',
      payload: { code: 'rejected', retryable: false },
    });
  });

  test('an unsolicited error of a peer ends the task it names, and without one nothing', async () => {
    attic.answers.set('delegate', accepted);
    const { id } = await atDoor(mum, mumToken, '/v1/delegate', { to: 'Attic', ...TASK });
    const payload = { code: 'overloaded', message: 'Too hot up here.' };
    for (const ref of [null, randomUUID()]) await attic.tell('error', payload, { ref });
    expect(await attic.ask('ping', {})).toMatchObject({ kind: 'pong' });
    expect(await atDoor(mum, mumToken, `/v1/tasks/${String(id)}`)).toMatchObject({
      state: 'queued',
    });
    await attic.tell('error', payload, { ref: id });
    const task = await until('the end', WITHIN_MS, async () => {
      const task = await atDoor(mum, mumToken, `/v1/tasks/${String(id)}?wait=1000`);
      return task.finished_at === null ? undefined : task;
    });
    expect(task).toMatchObject({
      state: 'failed',
      code: 'overloaded',
      untrusted: { error: payload.message },
    });
  });
});

describe('error: what the hub says, with the code and what to do instead', () => {
  const looks = { ...ASKED, domain: `${AGENT}.work` };
  const asks: Readonly<Record<string, () => Promise<RawReply>>> = {
    not_authorized: () => attic.ask('ping', {}, { from: `ed25519.${'0'.repeat(32)}` }),
    peer_not_found: () => attic.ask('ping', {}, { to: `ed25519.${'0'.repeat(32)}` }),
    incompatible_version: () => attic.ask('hello', { protocol_versions: [2] }),
    unknown_kind: () => attic.ask('negotiate', {}),
    invalid_envelope: () => attic.ask('query', {}),
    unknown_domain: async () => {
      const { agents } = mum.node.services.work;
      await agents.setClass(AGENT, { riskClass: 'R0', isDefault: false }, OWNER);
      const reply = await attic.ask('query', { ...ASKED, domain: 'work.calendar' });
      await agents.setClass(AGENT, { riskClass: 'R0', isDefault: true }, OWNER);
      return reply;
    },
    timeout: () => attic.ask('query', { ...looks, deadline_ms: 200 }),
    cancelled: async () => {
      const id = randomUUID();
      await attic.ask('cancel', {}, { ref: id });
      return attic.ask('query', looks, { id });
    },
    overloaded: async () => {
      const ids = Array.from({ length: 5 }, () => randomUUID());
      for (const id of ids) await attic.ask('delegate', TASK, { id });
      const reply = await attic.ask('query', ASKED);
      for (const ref of ids) await attic.ask('cancel', {}, { ref });
      return reply;
    },
  };

  test.each([
    ['not_authorized', false, 'must be the agent id'],
    ['peer_not_found', false, 'This hub is ed25519.'],
    ['incompatible_version', false, 'speaks version 1'],
    ['unknown_kind', false, 'This hub answers: hello,'],
    ['invalid_envelope', false, '"question" must be text, such as'],
    ['unknown_domain', false, `${AGENT}.work`],
    ['timeout', true, ''],
    ['cancelled', false, ''],
    ['overloaded', true, ''],
  ])('%s, retryable: %s, "%s"', async (code, retryable, words) => {
    const reply = await asks[code]?.();
    expect(reply).toMatchObject(error(code, words));
    expect(reply?.payload.retryable).toBe(retryable);
    expect(String(reply?.payload.message)).toMatch(/^\S.* .*\.$/);
  });
});
