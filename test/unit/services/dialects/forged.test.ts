// A request whose fields say something else than the message beside them is refused by the hub that
// takes it, whatever else is in it, and nobody is asked about it.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dialectNamed } from '../../../../main/dialects/index.ts';
import { originOf } from '../../../../main/dialects/origin.ts';
import { parseStrictJson } from '../../../../main/lib/strict-json.ts';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import { agentIdOfKeyHex } from '../../../../main/protocol/agent-id.ts';
import { ENVELOPE_JSON_LIMITS } from '../../../../main/protocol/limits.ts';
import { parseDelegate, parseQuery } from '../../../../main/protocol/payloads.ts';
import {
  closeTwoHubs,
  newest,
  openPairedHubs,
  openTwoHubs,
  type TwoHubs,
} from '../../../fakes/two-work-hubs.ts';
import { OWNER, type WorkHub } from '../../../fakes/work-hub.ts';
import { rounds } from '../../../support/counts.ts';
import { MESSAGES, text } from '../../../support/dialect-messages.ts';
import { DIALECTS } from '../../../support/seed-messages.ts';

const FORGED = rounds('forged requests of each dialect to a hub', { short: 100, long: 2_500 });
let hubs: TwoHubs;
beforeAll(async () => {
  hubs = await openTwoHubs();
});
afterAll(() => closeTwoHubs(hubs));

const LIES: fc.Arbitrary<readonly [string, unknown]> = fc.oneof(
  fc.tuple(fc.constantFrom('task', 'question', 'reason'), text),
  fc.tuple(fc.constant('context'), fc.dictionary(text, text, { minKeys: 1 })),
  fc.tuple(fc.constant('priority'), fc.constant('urgent')),
);

test.each(DIALECTS)('%s', { timeout: 600_000 }, async (name) => {
  const { dad, mum } = hubs;
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw new Error(name);
  let refused = 0;
  const forge = fc.asyncProperty(MESSAGES[name], LIES, async (message, [member, lie]) => {
    const read = dialect.read(message);
    fc.pre(read.ok);
    const { kind, payload: said, from } = read.value;
    fc.pre(kind === 'query' || kind === 'delegate');
    const parse = kind === 'query' ? parseQuery : parseDelegate;
    const origin = originOf({ dialect, message });
    const honest: JsonObject = { ...said, route: { from: from ?? 'eddy' }, origin };
    const payload = { ...honest, [member]: lie };
    // What no hub would take, or is no request of AXON, is refused for that.
    fc.pre(parseStrictJson(JSON.stringify(payload), ENVELOPE_JSON_LIMITS).ok);
    fc.pre(parse(honest).ok && parse(payload).ok);
    fc.pre(JSON.stringify(said[member]) !== JSON.stringify(lie));
    const answer = await mum.hears(dad.key, { id: crypto.randomUUID(), kind, payload });
    expect(answer).toMatchObject({ kind: 'error', payload: { code: 'invalid_envelope' } });
    expect(answer.payload['message']).toContain(`"${member}" is not what "origin" says`);
    refused += 1;
  });
  await fc.assert(forge, { numRuns: FORGED, maxSkipsPerRun: 1_000 });
  expect(refused).toBeGreaterThanOrEqual(FORGED);
  expect(mum.work.approvals.pending()).toEqual([]);
});

/** A notice of each language, in the name of this sender. */
const NOTICES: Readonly<Record<string, (from: string) => JsonObject>> = {
  'claude-crunch': (from) => ({
    id: 'MSG-1-a',
    type: 'BROADCAST',
    from,
    to: '*',
    payload: { event: 'PHASE_CHANGE', content: { message: 'Release' }, affects: [] },
  }),
  'fipa-acl': (sender) => ({
    performative: 'INFORM',
    sender,
    receiver: 'claude',
    capability: 'news',
    content: 'Release',
  }),
  elizaos: (from) => ({
    mcp_version: '0.1.0',
    message_id: 'm-1',
    performative: 'INFORM',
    sender: { agent_id: from },
    payload: { topic: 'news', content: 'Release' },
  }),
  'acp-draft': (from) => ({
    id: 'd-1',
    kind: 'notify',
    from,
    to: '*',
    payload: { topic: 'news', data: 'Release' },
  }),
};

test.each(DIALECTS)(
  'a broadcast of %s as somebody else comes without its message',
  async (name) => {
    const { dad, mum, clock } = hubs;
    const dialect = dialectNamed(name);
    const write = NOTICES[name];
    if (dialect === undefined || write === undefined) throw new Error(name);
    const sentBy = async (sender: string): Promise<JsonObject> => {
      const message = write(sender);
      const read = dialect.read(message);
      if (!read.ok) throw new Error(read.error);
      const route = { from: 'openclaw', to: 'claude' };
      const payload = { ...read.value.payload, route, origin: originOf({ dialect, message }) };
      await mum.isTold(dad.key, { id: crypto.randomUUID(), kind: 'notify', payload });
      await clock.settle();
      const item = await mum.claim('claude');
      await mum.work.inbox.ack('claude', item.delivery_id, null);
      return item.untrusted.payload as JsonObject;
    };
    expect(await sentBy('openclaw')).toHaveProperty('origin');
    for (const other of ['mums-own', agentIdOfKeyHex(mum.key), agentIdOfKeyHex(mum.key).slice(8)])
      expect(await sentBy(other)).not.toHaveProperty('origin');
    expect(await sentBy(agentIdOfKeyHex(dad.key))).toHaveProperty('origin');
  },
);

test('an answer that names another request of the agent comes without its message, and a decline is nobody’s but the hub’s', async () => {
  const own = await openPairedHubs();
  const { dad, mum, clock } = own;
  const dialect = dialectNamed('fipa-acl');
  if (dialect === undefined) throw new Error('no FIPA');
  for (const [hub, name] of [
    [dad, 'eddy'],
    [mum, 'jules'],
  ] as const)
    await hub.work.agents.create(name, { dialect: 'fipa-acl', domains: ['house'] }, 'R2', OWNER);
  await dad.knows(mum);
  await mum.knows(dad);
  const asks = async (
    id: string,
    content: string,
    decision: 'allow' | 'decline' = 'allow',
  ): Promise<string> => {
    const asked = dad.work.nativeMessages.post(
      'eddy',
      {
        performative: 'REQUEST',
        sender: 'eddy',
        receiver: 'jules',
        capability: 'house',
        content,
        reply_with: id,
        conversation_id: `about-${id}`,
      },
      new AbortController().signal,
    );
    await clock.settle();
    await mum.decide(mum.card, decision);
    await clock.settle();
    await asked;
    return newest(dad).messageId;
  };
  const answered = async (ref: string, in_reply_to: string): Promise<unknown> => {
    const message = { performative: 'INFORM', sender: 'jules', content: 'Done', in_reply_to };
    const origin = originOf({ dialect, message });
    const payload = { status: 'completed', outcome: 'Done', origin };
    await dad.isTold(mum.key, { id: crypto.randomUUID(), kind: 'result', ref, payload });
    await clock.settle();
    return readAndDone(dad, 'eddy');
  };
  const first = await asks('r-1', 'Lock the door');
  const second = await asks('r-2', 'Water the flowers');
  expect(await answered(second, 'r-1')).toMatchObject({
    in_reply_to: 'r-2',
    content: { text: 'Done' },
  });
  expect(await answered(first, 'r-1')).toMatchObject({ in_reply_to: 'r-1', sender: 'jules' });
  // What a person says is told in no agent's name.
  await asks('r-3', 'Open the door', 'decline');
  await clock.settle();
  expect(await readAndDone(dad, 'eddy')).toMatchObject({ performative: 'REFUSE', sender: 'mum' });
  await closeTwoHubs(own);
});

test('an error to a question comes without its message where it says something else', async () => {
  const own = await openPairedHubs();
  const { dad, mum, clock } = own;
  await dad.work.agents.create('eddy', { dialect: 'fipa-acl' }, 'R2', OWNER);
  await mum.work.agents.create('jules', { dialect: 'fipa-acl', domains: ['house'] }, 'R2', OWNER);
  await dad.knows(mum);
  await mum.knows(dad);
  const take = mum.messenger.takeRequest.bind(mum.messenger);
  const fails = async (lie: JsonObject): Promise<unknown> => {
    mum.messenger.takeRequest = async (...call) => {
      const reply = await take(...call);
      return { ...reply, payload: { ...reply.payload, ...lie } };
    };
    const query = { performative: 'QUERY', receiver: 'jules', capability: 'house' };
    const message = { ...query, content: 'Is it shut?', reply_with: 'q-1' };
    const asked = dad.work.nativeMessages.post('eddy', message, new AbortController().signal);
    const told = asked.catch(({ data }: { data: JsonObject }) => data);
    await clock.settle();
    await mum.decide(mum.card, 'allow');
    await clock.settle();
    await mum.claim('jules');
    await mum.work.nativeMessages.post('jules', FAILURE, new AbortController().signal);
    await clock.settle();
    return ((await told) as { untrusted: JsonObject }).untrusted['native'];
  };
  expect(await fails({})).toEqual(FAILURE);
  expect(await fails({ message: 'It is shut' })).toMatchObject({
    performative: 'FAILURE',
    content: { text: 'It is shut' },
  });
  expect(await fails({ code: 'rejected' })).toMatchObject({ performative: 'REFUSE' });
  const posing = { ...FAILURE, sender: 'eddy' };
  expect(await fails({ origin: { dialect: 'fipa-acl', message: posing } })).toMatchObject({
    sender: 'jules',
    content: { text: 'The key is gone' },
  });
  const other = { ...FAILURE, performative: 'INFORM' };
  expect(await fails({ origin: { dialect: 'fipa-acl', message: other } })).toMatchObject({
    performative: 'FAILURE',
    content: { text: 'The key is gone' },
  });
  await closeTwoHubs(own);
});

const FAILURE = {
  performative: 'FAILURE',
  sender: 'jules',
  content: 'The key is gone',
  in_reply_to: 'q-1',
};

describe('in the name of somebody else', () => {
  let own: TwoHubs;
  beforeAll(async () => {
    own = await openPairedHubs();
    const { dad, mum } = own;
    for (const [hub, name] of [
      [dad, 'eddy'],
      [dad, 'nina'],
      [mum, 'jules'],
      [mum, 'rosa'],
    ] as const)
      await hub.work.agents.create(name, { dialect: 'fipa-acl' }, 'R2', OWNER);
    await dad.knows(mum);
    await mum.knows(dad);
  });
  afterAll(() => closeTwoHubs(own));

  /** Eddy asks, and a person there allows it. */
  async function asks(performative: string, receiver: string, reply_with: string) {
    const { dad, mum, clock } = own;
    const message = { performative, sender: 'eddy', receiver, content: 'Lock up', reply_with };
    const { signal } = new AbortController();
    const posted = dad.work.nativeMessages.post('eddy', message, signal);
    await clock.settle();
    await mum.decide(mum.card, 'allow');
    await clock.settle();
    return { posted, ref: newest(dad).messageId };
  }
  const says = (performative: string, sender: string, in_reply_to: string) => {
    const message = { performative, sender, content: 'Well', in_reply_to, x_own: 1 };
    return { message, origin: { dialect: 'fipa-acl', message } };
  };
  /** What Eddy reads of a result that the other hub sends so. */
  async function read(ref: string, origin: JsonObject): Promise<unknown> {
    const { dad, mum, clock } = own;
    const payload = { status: 'completed', outcome: 'Well', origin };
    await dad.isTold(mum.key, { id: crypto.randomUUID(), kind: 'result', ref, payload });
    await clock.settle();
    return readAndDone(dad, 'eddy');
  }

  test('a cancel comes without its message', async () => {
    const { dad, mum, clock } = own;
    for (const sender of ['nina', 'eddy']) {
      const { ref } = await asks('REQUEST', 'jules', `c-${sender}`);
      const { delivery_id: work } = await mum.claim('jules');
      await mum.work.inbox.ack('jules', work, null);
      const { message, origin } = says('CANCEL', sender, `c-${sender}`);
      const payload = { reason: 'Well', origin };
      await mum.hears(dad.key, { id: crypto.randomUUID(), kind: 'cancel', ref, payload });
      const cancel = await readAndDone(mum, 'jules');
      if (sender === 'eddy') expect(cancel).toEqual(message);
      else {
        expect(cancel).toMatchObject({ performative: 'CANCEL', sender: 'eddy' });
        expect(cancel).not.toHaveProperty('x_own');
      }
      const stopped = { status: 'cancelled', outcome: '', truncated: false } as const;
      await mum.work.inbox.reply('jules', work, stopped);
      await clock.settle();
      await readAndDone(dad, 'eddy');
    }
  });

  test('so does the answer to a question', async () => {
    const { mum, clock } = own;
    for (const sender of ['rosa', 'jules']) {
      const { posted } = await asks('QUERY', 'jules', `q-${sender}`);
      const { delivery_id: delivery } = await mum.claim('jules');
      const { message, origin } = says('INFORM', sender, `q-${sender}`);
      const reply = { status: 'completed', outcome: 'Well', truncated: false, origin } as const;
      await mum.work.inbox.reply('jules', delivery, reply);
      await clock.settle();
      const native = (await posted).untrusted?.native;
      if (sender === 'jules') expect(native).toEqual(message);
      else expect(native).toMatchObject({ sender: 'jules', in_reply_to: `q-${sender}` });
    }
  });

  test('so does a result', async () => {
    const { dad, mum } = own;
    const others = ['rosa', 'nina', 'eddy', agentIdOfKeyHex(dad.key)];
    const honest = ['jules', agentIdOfKeyHex(mum.key)];
    for (const sender of [...others, ...honest]) {
      const { ref } = await asks('REQUEST', 'jules', `r-${sender}`);
      const { message, origin } = says('INFORM', sender, `r-${sender}`);
      const result = await read(ref, origin);
      if (honest.includes(sender)) expect(result).toEqual(message);
      else expect(result).toMatchObject({ sender: 'jules', content: { text: 'Well' } });
    }
  });

  test('where a hub was asked, any of its agents may have done it, and nobody else', async () => {
    for (const [sender, isTheirs] of [
      ['rosa', true],
      ['nina', false],
    ] as const) {
      const { ref } = await asks('REQUEST', 'mum', `h-${sender}`);
      const { message, origin } = says('INFORM', sender, `h-${sender}`);
      const result = await read(ref, origin);
      if (isTheirs) expect(result).toEqual(message);
      else expect(result).toMatchObject({ sender: 'mum', content: { text: 'Well' } });
    }
  });
});

async function readAndDone(hub: WorkHub, agent: string): Promise<unknown> {
  const { delivery_id: id, untrusted } = await hub.claim(agent);
  await hub.work.inbox.ack(agent, id, null);
  return untrusted.native;
}
