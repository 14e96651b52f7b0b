// Who a message is from, who it is for and what it answers, where a hub that is paired has chosen
// its ids and the names of its agents to be taken for somebody else.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { OWNER, WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
let eve: WorkHub;

beforeEach(async () => {
  clock = new ManualClock();
  const network = new MemoryNetwork();
  const start = (name: string) => new WorkHub({ name, network, clock }).start();
  [dad, mum, eve] = [await start('dad'), await start('mum'), await start('eve')];
  await dad.pair(eve);
  await dad.pair(mum);
  await eve.pair(mum);
  await join(mum, 'jules', 'claude-crunch');
  await join(dad, 'eddy', 'claude-crunch');
  await join(eve, 'eddy', 'claude-crunch');
});
afterEach(async () => {
  await clock.settle();
  for (const hub of [dad, mum, eve]) await hub.close();
});

async function join(hub: WorkHub, name: string, dialect: string): Promise<void> {
  await hub.work.agents.create(name, { dialect, topics: ['crunch'] }, 'R2', OWNER);
  await haveAsked();
}

/** What each hub was told of the others' agents. */
async function haveAsked(): Promise<void> {
  const hubs = [dad, mum, eve];
  for (const one of hubs) for (const other of hubs) await one.knows(other);
}

async function post(hub: WorkHub, agent: string, message: JsonObject): Promise<unknown> {
  const posted = hub.work.nativeMessages.post(agent, message, new AbortController().signal);
  const [ended] = await Promise.allSettled([posted, clock.settle()]);
  if (ended.status === 'rejected') throw ended.reason;
  return ended.value;
}
const request = (to: string) => ({
  id: 'MSG-1',
  type: 'REQUEST',
  from: 'eddy',
  to,
  payload: { action: 'validate' },
});
const response = (to: string) => ({
  id: 'MSG-2',
  type: 'RESPONSE',
  from: 'jules',
  to,
  correlation_id: 'MSG-1',
  payload: { status: 'SUCCESS', result: { summary: 'The door code is 4711' } },
});

describe('an answer', () => {
  test('goes to the hub that it names where two asked under one id, or to nobody', async () => {
    for (const hub of [dad, eve]) {
      await post(hub, 'eddy', request('jules'));
      await mum.decide(mum.card, 'allow');
      await mum.claim('jules');
    }
    await expect(post(mum, 'jules', response('eddy'))).rejects.toMatchObject({
      code: 'conflict',
      message: 'More than one agent used the id "MSG-1".',
    });
    await post(mum, 'jules', response('dad'));
    await clock.settle();
    expect((await dad.claim('eddy')).untrusted.native).toEqual(response('dad'));
    expect(eve.store.read.tasks({ limit: 1 })[0]?.result).toBeNull();
  });

  test('is not kept back by a notice of the same id', async () => {
    await post(dad, 'eddy', request('jules'));
    await mum.decide(mum.card, 'allow');
    await mum.claim('jules');
    const content = { message: 'Hello', data: {} };
    const payload = { event: 'CONTEXT_UPDATE', content, affects: [] };
    await post(eve, 'eddy', { ...request('*'), type: 'BROADCAST', payload });
    await clock.settle();
    await mum.claim('jules');
    expect(await post(mum, 'jules', response('eddy'))).toMatchObject({
      replied: { state: 'completed' },
    });
  });
});

test('an answer that names only its conversation goes to no hub that chose the same', async () => {
  await mum.work.agents.create('ana', { dialect: 'fipa-acl', capabilities: ['sums'] }, 'R2', OWNER);
  const asks = { performative: 'REQUEST', receiver: 'ana', conversation_id: 'c-1', content: 'Add' };
  for (const hub of [dad, eve]) {
    await join(hub, 'bob', 'fipa-acl');
    await post(hub, 'bob', asks);
    await mum.decide(mum.card, 'allow');
    await mum.claim('ana');
  }
  const answer = { performative: 'INFORM', conversation_id: 'c-1', content: 'The code is 4711' };
  await expect(post(mum, 'ana', answer)).rejects.toMatchObject({ code: 'conflict' });
  await post(mum, 'ana', { ...answer, receiver: 'dad' });
  expect((await dad.claim('bob')).untrusted.native).toMatchObject({ content: 'The code is 4711' });
});

test('what is said to somebody else in a conversation answers nothing of it', async () => {
  await join(mum, 'ana', 'fipa-acl');
  await join(mum, 'cook', 'fipa-acl');
  await join(dad, 'bob', 'fipa-acl');
  const asks = { performative: 'REQUEST', receiver: 'ana', conversation_id: 'c-1', content: 'Add' };
  await post(dad, 'bob', asks);
  await mum.decide(mum.card, 'allow');
  await mum.claim('ana');
  const aside = { performative: 'INFORM', conversation_id: 'c-1', content: 'Busy with sums' };
  await post(mum, 'ana', { ...aside, receiver: 'cook', capability: 'news' });
  expect((await mum.claim('cook')).kind).toBe('notify');
  expect(dad.store.read.tasks({ limit: 1 })[0]?.result).toBeNull();
});

describe('in FIPA', () => {
  const asks = {
    performative: 'REQUEST',
    receiver: ['ana'],
    conversation_id: 'c-1',
    content: 'Add',
  };
  beforeEach(async () => {
    await join(mum, 'ana', 'fipa-acl');
    await mum.work.agents.update('ana', { capabilities: ['news'] }, OWNER);
    await join(mum, 'cook', 'fipa-acl');
    await mum.work.agents.update('cook', { capabilities: ['news'] }, OWNER);
    await join(dad, 'bob', 'fipa-acl');
    await haveAsked();
    await post(dad, 'bob', { ...asks, 'reply-with': 'r-1' });
    await mum.decide(mum.card, 'allow');
    await mum.claim('ana');
  });
  const answer = { performative: 'INFORM', content: 'Seven', capability: 'news' };

  test.each([{ 'in-reply-to': 'r-1' }, { inReplyTo: 'r-1' }, { 'Conversation-Id': 'c-1' }])(
    'an answer by %j ends the task',
    async (about) => {
      expect(await post(mum, 'ana', { ...answer, ...about })).toMatchObject({
        replied: { state: 'completed' },
      });
      expect((await dad.claim('bob')).kind).toBe('result');
    },
  );

  test.each([
    [{ 'in-reply-to': 'r-9' }, 'r-9'],
    [{ performative: 'failure', conversation_id: 'c-9' }, 'c-9'],
    [{ performative: 'Refuse', conversation_id: 'c-9' }, 'c-9'],
    [{ performative: 'agree', 'conversation-id': 'c-9' }, 'c-9'],
    [{ performative: 'CANCEL', conversation_id: 'c-9' }, 'c-9'],
  ])('an answer by %j is about nothing, and reaches nobody', async (about, id) => {
    await expect(post(mum, 'ana', { ...answer, ...about })).rejects.toMatchObject({
      code: 'not_found',
      message: `"${id}" is unknown, or what it was about is over.`,
    });
    expect(mum.store.read.tasks({ limit: 9 })).toHaveLength(1);
    expect(mum.work.inbox.open('cook')).toEqual([]);
  });

  test('a statement that begins a conversation of its own is a notice', async () => {
    await post(mum, 'ana', { ...answer, conversation_id: 'c-9', receiver: 'cook' });
    expect((await mum.claim('cook')).kind).toBe('notify');
    expect(dad.store.read.tasks({ limit: 1 })[0]?.result).toBeNull();
  });

  test('what is said of an own request is not told to whoever broadcast under its id', async () => {
    await dad.work.agents.update('bob', { capabilities: ['gossip'] }, OWNER);
    await join(eve, 'mallory', 'fipa-acl');
    const told = { performative: 'INFORM', capability: 'gossip', content: 'Psst' };
    await post(eve, 'mallory', { ...told, protocol: 'Broadcast', reply_with: 'r-1' });
    expect((await dad.claim('bob')).kind).toBe('notify');
    const more = { performative: 'INFORM', in_reply_to: 'r-1', content: 'It is 4711' };
    await post(dad, 'bob', more);
    expect((await mum.claim('ana')).untrusted.native).toEqual(more);
    expect(await eve.work.inbox.claim('mallory', 5)).toEqual([]);
    // Where it names whom it is for, it is for them.
    await post(dad, 'bob', { ...more, receiver: 'mallory', content: 'Psst?' });
    expect((await eve.claim('mallory')).untrusted.native).toMatchObject({ content: 'Psst?' });
  });

  test('who asked may say more of its own request, and does not answer it', async () => {
    const said = { performative: 'INFORM', in_reply_to: 'r-1', content: 'By Friday' };
    expect(await post(dad, 'bob', said)).toMatchObject({ report: { state: 'sent' } });
    const [task] = dad.store.read.tasks({ limit: 1 });
    const envelope = { kind: 'notify', ref: task?.messageId };
    expect(await mum.claim('ana')).toMatchObject({ envelope, untrusted: { native: said } });
    expect(task?.result).toBeNull();
    await expect(post(dad, 'bob', { ...said, performative: 'AGREE' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'This agent asked for that, and does not answer it itself.',
    });
  });

  test('who asked may say more in its own conversation', async () => {
    const more = { performative: 'INFORM', conversation_id: 'c-1', receiver: 'ana', content: 'Hm' };
    await post(dad, 'bob', { ...more, capability: 'crunch' });
    expect((await mum.claim('ana')).kind).toBe('notify');
  });
});

test('an id that is used again says so', async () => {
  await post(dad, 'eddy', request('jules'));
  await expect(
    post(dad, 'eddy', { ...request('jules'), payload: { action: 'another' } }),
  ).rejects.toMatchObject({ code: 'conflict', message: 'The id "MSG-1" was used before.' });
});

test.each(['fipa-acl', 'elizaos'])(
  '%s says why something was called off, and hears it',
  async (dialect) => {
    await join(dad, 'bob', dialect);
    await join(mum, 'ana', 'acp-draft');
    const mine = {
      mcp_version: '0.1.0',
      sender: { agent_id: 'bob' },
      receiver: { agent_id: 'ana' },
    };
    const asks =
      dialect === 'elizaos'
        ? { ...mine, message_id: 'r-1', performative: 'TASK_REQUEST', payload: {} }
        : { performative: 'REQUEST', receiver: 'ana', content: 'Add', reply_with: 'r-1' };
    await post(dad, 'bob', asks);
    await mum.decide(mum.card, 'allow');
    await mum.claim('ana');
    const cancel =
      dialect === 'elizaos'
        ? {
            ...mine,
            message_id: 'r-2',
            performative: 'CANCEL',
            payload: { reason_text: 'Too late' },
          }
        : { performative: 'CANCEL', content: 'Too late' };
    await post(dad, 'bob', { ...cancel, in_reply_to: 'r-1' });
    expect((await mum.claim('ana')).untrusted.native).toMatchObject({
      kind: 'cancel',
      payload: { reason: 'Too late' },
    });
  },
);

describe('a name', () => {
  test('means the hub that people call so before an agent elsewhere', async () => {
    await join(eve, 'mum', 'claude-crunch');
    expect(await post(dad, 'eddy', request('mum'))).toMatchObject({
      report: { chosen: { peer_name: 'mum' } },
    });
  });

  test('that agents of two hubs have is refused; with its hub it is clear', async () => {
    await join(eve, 'jules', 'claude-crunch');
    await expect(post(dad, 'eddy', request('Jules'))).rejects.toMatchObject({
      code: 'conflict',
      message: 'More than one agent is called "Jules".',
    });
    expect(await post(dad, 'eddy', request('mum/jules'))).toMatchObject({
      report: { chosen: { peer_name: 'mum', agent: 'jules' } },
    });
  });

  test('of any length is refused at once', async () => {
    const startedAt = performance.now();
    await expect(post(dad, 'eddy', request('\ufdfa'.repeat(86_000)))).rejects.toMatchObject({
      message: 'A name or an id has at most 256 characters.',
    });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  test('an area is one where no agent has it', async () => {
    await mum.work.agents.update('jules', { domains: ['home.doors'] }, OWNER);
    await haveAsked();
    await post(dad, 'eddy', request('home.doors'));
    expect(mum.card).toMatchObject({ domain: 'home.doors', text: 'validate' });
  });
});

test.each([
  ['acp-draft', { kind: 'delegate', id: '1', to: 'mum', payload: { task: 'Open' } }, 'boss'],
  ['claude-crunch', request('mum'), ['boss']],
  ['elizaos', { performative: 'TASK_REQUEST', message_id: '1', payload: {} }, 'boss'],
  [
    'fipa-acl',
    { performative: 'REQUEST', receiver: 'mum' },
    { agent_id: 'a-fipa-acl', name: 'boss' },
  ],
])('nobody speaks %s as another agent', async (dialect, message, from) => {
  const name = `a-${dialect}`;
  await join(dad, name, dialect);
  await expect(post(dad, name, { ...message, from, sender: from })).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test.each([true, false])(
  'a question that broke off is answered in the name of whom it was put to; others: %s',
  async (isOfferedElsewhere) => {
    await join(dad, 'fay', 'fipa-acl');
    const capabilities = ['locks'];
    await mum.work.agents.update('jules', { capabilities }, OWNER);
    if (isOfferedElsewhere) await eve.work.agents.update('eddy', { capabilities }, OWNER);
    await haveAsked();
    dad.messenger.pulses.set(eve.key, { load: 'busy', roundTripMs: 1 });
    const query = { performative: 'QUERY', capability: 'locks', content: 'Is it shut?' };
    const asked = post(dad, 'fay', { ...query, reply_with: 'q-1' });
    const failed = expect(asked).rejects.toMatchObject({
      code: 'peer_unreachable',
      data: { untrusted: { native: { sender: 'mum' } } },
    });
    await clock.settle();
    dad.cut(mum);
    await failed;
  },
);

test('nor does a hub say that one of another sent it', async () => {
  const message = { ...request('jules'), from: 'boss' };
  const payload = {
    task: 'validate',
    route: { from: 'eddy', to: 'jules' },
    origin: { dialect: 'claude-crunch', message },
  };
  const id = '00000000-0000-4000-8000-000000000001';
  await mum.hears(eve.key, { id, kind: 'delegate', payload });
  expect(mum.work.approvals.pending()).toEqual([]);
});
