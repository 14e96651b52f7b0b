// A2A through its official client, over JSON-RPC and REST: between two whole hubs, with people who
// decide. Two hubs of their own, since every case needs a person on the other one.
import { generateKeyPairSync } from 'node:crypto';
import dns from 'node:dns';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TaskState, type ListTasksRequest, type Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../main/adapters/clock/system-clock.ts';
import { selfSignedCertificate } from '../../main/adapters/quic/certificate.ts';
import { cardAddress, readCard } from '../../main/services/elsewhere/card.ts';
import { outsideCall } from '../../main/adapters/outside/outside-call.ts';
import type { A2aAgentDto, A2aCardDto } from '../../preload/contract/a2a.ts';
import type {
  AgentDto,
  ApprovalDto,
  DeliveryDto,
  SendReportDto,
} from '../../preload/contract/dto.ts';
import { leavesOf } from '../../renderer/features/approvals/sentences.ts';
import {
  BINDINGS,
  a2aClient,
  a2aClientAt,
  eventWords,
  isTask,
  resultOf,
  sending,
  textOf,
  textPart,
  toldBy,
  userMessage,
  type BindingName,
} from '../support/a2a-clients.ts';
import { A2aServer } from '../support/a2a-servers.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { axon, choosePassphrase, endPrograms } from '../support/programs.ts';
import { TestHub, type Asking } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const CARD = '/.well-known/agent-card.json';

let mum: TestHub;
let dad: TestHub;
let mumsPage: string;
let dadsPage: string;
let chat: string;
let asker: string;
let toChat: string;
let passphrase: string;

beforeAll(async () => {
  // Faster than any person: more delegations in a minute than a hub takes from another one.
  const start = () => TestHub.start({ peerRateFactor: 100 });
  [mum, dad] = await Promise.all([start(), start()]);
  await pairHubs(dad, mum, ['Mum', 'Dad']);
  passphrase = await choosePassphrase(mum.home);
  [mumsPage, dadsPage] = [await mum.page(), await dad.page()];
  chat = await mum.agent('chat');
  asker = await dad.agent('asker');
  toChat = `/a2a/peers/${mum.node.services.identity.agentId}/agents/chat`;
  await ask(dad, '/v1/peers/Mum/capabilities?refresh=true', { token: asker });
}, 60_000);
afterAll(async () => {
  await endPrograms();
  await Promise.all([mum.stop(), dad.stop()]);
});

async function ask<T>(hub: TestHub, path: string, asking: Asking = {}): Promise<T> {
  const { status, text } = await hub.ask(path, asking);
  expect(status, text).toBeLessThan(300);
  return JSON.parse(text) as T;
}

const clientAt = (
  hub: TestHub,
  path: string,
  token: string,
  binding: BindingName = 'JSONRPC',
): Promise<Client> => a2aClient(`http://127.0.0.1:${hub.port}${path}${CARD}`, token, binding);

/** What a person of Mum decides about the one request that waits there. */
async function decides(decision: 'allow' | 'decline', reason?: string): Promise<void> {
  const card = await until('a card', 10_000, async () => {
    const { items } = await ask<{ items: ApprovalDto[] }>(mum, '/v1/approvals', {
      token: mumsPage,
    });
    return items.find(({ state }) => state === 'pending');
  });
  const { id, revision, digest } = card;
  await ask(mum, `/v1/approvals/${id}/decide`, {
    method: 'POST',
    token: mumsPage,
    body: { revision, digest, decision, ...(reason === undefined ? {} : { reason }) },
  });
}

async function taken(hub: TestHub, token: string, kind = 'delegate'): Promise<DeliveryDto> {
  return until(`a ${kind}`, 10_000, async () => {
    const body = { wait_ms: 1_000, kinds: [kind] };
    const { items } = await ask<{ items: DeliveryDto[] }>(hub, '/v1/inbox/claim', {
      method: 'POST',
      token,
      body,
    });
    return items[0];
  });
}

async function says(hub: TestHub, token: string, path: string, body: object): Promise<void> {
  await ask(hub, `/v1/inbox/${path}`, { method: 'POST', token, body });
}

describe.each(BINDINGS)('%s', (binding) => {
  it('carries a task to another hub, and tells of the person, the work and the result as it comes', async () => {
    const client = await clientAt(dad, toChat, asker, binding);
    const said: string[] = [];
    const message = userMessage('Tell the family chat that dinner is at 7');
    for await (const event of client.sendMessageStream(sending(message))) {
      said.push(eventWords(event));
      if (said.length === 1) {
        await decides('allow');
        const { delivery_id: id, untrusted } = await taken(mum, chat);
        expect(untrusted.text).toBe('Tell the family chat that dinner is at 7');
        await says(mum, chat, `${id}/ack`, {});
        await says(mum, chat, `${id}/reply`, { outcome: 'Told them.', data: { told: 4 } });
      }
    }
    expect(said[0]).toBe('task AUTH_REQUIRED | Waits until a person decides for Mum.');
    expect(said.slice(-2)).toEqual([
      'artifact Told them. | {"told":4}',
      'COMPLETED | A person allowed it for Mum. Done.',
    ]);
    expect(said.slice(1, -2).filter((words) => !/^(SUBMITTED|WORKING) /.test(words))).toEqual([]);
  });

  it('is found by a client that was given the address of the agent, with the slash at its end', async () => {
    const address = `http://127.0.0.1:${dad.port}${toChat}`;
    const client = await a2aClientAt(`${address}/`, asker, binding);
    const sent = await client.sendMessage(sending(userMessage('Book a table'), true));
    if (!isTask(sent)) throw new Error('no task');
    await client.cancelTask({ tenant: '', id: sent.id, metadata: undefined });
    await expect(a2aClientAt(address, asker, binding)).rejects.toThrow('404');
    const { text } = await dad.ask(`${toChat.replace(/[^/]+$/, '')}${CARD.slice(1)}`, {
      token: asker,
    });
    expect(text).toContain('The address of an agent ends with a slash.');
  });

  it('answers a client that waits as soon as a person has to decide, and again when it asks', async () => {
    const client = await clientAt(dad, toChat, asker, binding);
    const sent = await client.sendMessage(sending(userMessage('Book a table')));
    if (!isTask(sent)) throw new Error('no task');
    expect(toldBy(sent)).toBe('AUTH_REQUIRED | Waits until a person decides for Mum.');
    const events: string[] = [];
    const followed = (async () => {
      for await (const event of client.resubscribeTask({ tenant: '', id: sent.id }))
        events.push(eventWords(event));
    })();
    await until('the stream', 10_000, () => events[0]);
    await decides('decline', 'Not on a Monday');
    await followed;
    const words =
      'REJECTED | A person declined it for Mum. | A person declined this request: Not on a Monday';
    expect(events).toEqual(['task AUTH_REQUIRED | Waits until a person decides for Mum.', words]);
    expect(toldBy(await taskOf(client, sent))).toBe(words);
    await expect(client.cancelTask(named(sent))).rejects.toThrow('Declined.');
  });

  it('cancels before anybody decided, and asks an agent that has it to stop', async () => {
    const client = await clientAt(dad, toChat, asker, binding);
    const early = await client.sendMessage(sending(userMessage('Water the plants')));
    if (!isTask(early)) throw new Error('no task');
    expect(toldBy(await client.cancelTask(named(early)))).toBe(
      'CANCELED | Cancelled: nobody had begun.',
    );
    const late = await client.sendMessage(sending(userMessage('Count the plants'), true));
    if (!isTask(late)) throw new Error('no task');
    await decides('allow');
    const { delivery_id: id } = await taken(mum, chat);
    await says(mum, chat, `${id}/ack`, {});
    await until('the work', 10_000, async () =>
      toldBy(await taskOf(client, late)).startsWith('WORKING') ? true : undefined,
    );
    expect(toldBy(await client.cancelTask(named(late)))).toMatch(/^WORKING .*Asked chat on Mum/i);
    await taken(mum, chat, 'cancel');
    await says(mum, chat, `${id}/reply`, { status: 'cancelled' });
    await until('the end', 10_000, async () =>
      toldBy(await taskOf(client, late)).startsWith('CANCELED') ? true : undefined,
    );
    expect(toldBy(await taskOf(client, late))).toMatch(/Stopped\.$/);
  });

  it('takes the same messageId once, and for no other message', async () => {
    const client = await clientAt(dad, toChat, asker, binding);
    const message = userMessage('Feed the cat');
    const [first, second] = [
      await client.sendMessage(sending(message)),
      await client.sendMessage(sending(message)),
    ];
    expect(isTask(first) && isTask(second) && first.id === second.id).toBe(true);
    const other = sending({ ...message, parts: [textPart('Feed the dog')] });
    await expect(client.sendMessage(other)).rejects.toThrow(/messageId was used/);
    await decides('decline');
    expect(await pending()).toBe(0);
  });

  it('answers a question to an agent that only looks with a message, which nobody is asked about', async () => {
    const looker = await mum.agent(`looker-${binding.toLowerCase().replace('+', '-')}`);
    const name = `looker-${binding.toLowerCase().replace('+', '-')}`;
    await ask(mum, `/v1/agents/${name}/class`, {
      method: 'PUT',
      token: mumsPage,
      body: { risk_class: 'R0', domains: [{ domain: `${name}.work`, risk_class: 'R0' }] },
    });
    const client = await clientAt(mum, `/a2a/agents/${name}`, chat, binding);
    const message = userMessage('What is on Monday?', { metadata: { domain: `${name}.work` } });
    const asked = client.sendMessage(sending(message));
    const { delivery_id: id } = await taken(mum, looker, 'query');
    await says(mum, looker, `${id}/reply`, { summary: 'The dentist at 3.' });
    const answer = await asked;
    expect(isTask(answer) ? 'a task' : answer.parts.map(textOf)).toEqual(['The dentist at 3.']);
    // The same without its area may be about anything.
    const task = await client.sendMessage(sending(userMessage('What is on Monday?')));
    expect(isTask(task) && toldBy(task)).toBe(
      'AUTH_REQUIRED | Waits until a person decides for Test hub.',
    );
    await decides('decline');
  });

  it('says what it does not do', async () => {
    const client = await clientAt(dad, toChat, asker, binding);
    const file = {
      ...textPart(''),
      content: { $case: 'url' as const, value: 'https://files.example/cat.png' },
    };
    const refused: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
      [() => client.sendMessage(sending(userMessage('', { parts: [file] }))), /no files/],
      [() => client.sendMessage(sending(userMessage('   '))), /must have text/],
      [
        () => client.sendMessage(sending(userMessage('And', { taskId: crypto.randomUUID() }))),
        /added/,
      ],
      [() => client.listTasks(listing({ pageSize: 101 })), /100/],
      [() => client.listTasks(listing({ pageToken: 'none' })), /no such page/],
      [
        () => client.listTasks(listing({ statusTimestampAfter: '2026-01-01T00:00:00Z' })),
        /by their time/,
      ],
      // Its card says so, and the client asks no further.
      [async () => client.createTaskPushNotificationConfig(PUSH as never), /not supported/],
      [
        () => client.getTask({ tenant: '', id: 'nothing', historyLength: undefined }),
        /no such task/i,
      ],
    ];
    for (const [call, words] of refused) await expect(call()).rejects.toThrow(words);
    expect(await pending()).toBe(0);
  });

  it('has the error of the protocol for what it does not do', async () => {
    const token = asker;
    const rest = `/tasks/${PUSH.taskId}/pushNotificationConfigs`;
    for (const [method, http, below, code, reason] of [
      [
        'CreateTaskPushNotificationConfig',
        'POST',
        rest,
        -32_003,
        'PUSH_NOTIFICATION_NOT_SUPPORTED',
      ],
      ['GetTaskPushNotificationConfig', 'GET', `${rest}/one`, -32_003, 'PUSH_NOTIFICATION_NOT_'],
      ['ListTaskPushNotificationConfigs', 'GET', rest, -32_003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
      ['DeleteTaskPushNotificationConfig', 'DELETE', `${rest}/one`, -32_003, 'PUSH_NOTIFICATION_'],
      ['GetExtendedAgentCard', 'GET', '/extendedAgentCard', -32_007, 'EXTENDED_AGENT_CARD_NOT_'],
      ['tasks/list', 'GET', '/tasks/', -32_601, ''],
    ] as const) {
      const body = { jsonrpc: '2.0', id: 1, method, params: PUSH };
      const { text, status } =
        binding === 'JSONRPC'
          ? await dad.ask(toChat, { method: 'POST', token, body })
          : await dad.ask(toChat + below, {
              method: http,
              token,
              ...(http === 'POST' ? { body: PUSH } : {}),
            });
      const { error } = JSON.parse(text) as { error?: { code: number } };
      if (binding === 'JSONRPC') expect([method, error?.code]).toEqual([method, code]);
      else expect([method, status]).toEqual([method, reason === '' ? 404 : 400]);
      expect(text, method).toContain(reason);
    }
  });

  it('lists what this client gave to this agent, page by page', async () => {
    const lister = await dad.agent(`lister-${binding.length}`);
    const client = await clientAt(dad, toChat, lister, binding);
    const ids: string[] = [];
    for (const contextId of ['garden', 'house', 'garden']) {
      const task = await client.sendMessage(sending(userMessage('Look', { contextId }), true));
      ids.unshift(isTask(task) ? task.id : 'no task');
    }
    await (
      await clientAt(dad, toChat, asker, binding)
    ).sendMessage(sending(userMessage('X'), true));
    await until('the cards', 10_000, async () => ((await pending()) === 4 ? true : undefined));
    const first = await client.listTasks(listing({ pageSize: 2 }));
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3 });
    const second = await client.listTasks(listing({ pageSize: 2, pageToken: first.nextPageToken }));
    expect(second.nextPageToken).toBe('');
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(ids);
    const listed = async (more: object): Promise<readonly string[]> =>
      (await client.listTasks(listing(more))).tasks.map(({ id }) => id);
    expect(await listed({ contextId: 'garden' })).toEqual([ids[0], ids[2]]);
    await client.cancelTask({ tenant: '', id: ids[1] ?? '', metadata: undefined });
    // What changed last stands first.
    expect(await listed({})).toEqual([ids[1], ids[0], ids[2]]);
    expect(await listed({ status: TaskState.TASK_STATE_CANCELED })).toEqual([ids[1]]);
    for (let left = await pending(); left > 0; left--) await decides('decline');
  });
});

const PUSH = { tenant: '', taskId: crypto.randomUUID(), id: 'one', url: 'http://127.0.0.1/' };

function listing(more: Partial<ListTasksRequest> = {}): ListTasksRequest {
  return {
    tenant: '',
    contextId: '',
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
    ...more,
  };
}

const named = ({ id }: Task) => ({ tenant: '', id, metadata: undefined });
const taskOf = (client: Client, { id }: Task): Promise<Task> =>
  client.getTask({ tenant: '', id, historyLength: undefined });

async function pending(): Promise<number> {
  const { items } = await ask<{ items: ApprovalDto[] }>(mum, '/v1/approvals', { token: mumsPage });
  return items.filter(({ state }) => state === 'pending').length;
}

it('lists the cards of the agents here and of each paired hub, which name their areas', async () => {
  const { items } = await ask<{ items: { name: string; card: string }[] }>(dad, '/a2a', {
    token: asker,
  });
  expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['Mum', 'Mum/Chat']));
  expect(items.map(({ name }) => name)).not.toContain('Asker');
  for (const { card } of items)
    expect((await dad.ask(new URL(card).pathname, { token: asker })).status, card).toBe(200);
  const card = await ask<{ name: string; skills: { id: string }[] }>(dad, toChat + CARD, {
    token: asker,
  });
  expect(card.name).toBe('Chat');
  expect(card.skills.map(({ id }) => id)).toEqual(['chat.work']);
  await dad.ask('/a2a', { token: await dad.agent('looker') });
  expect((await dad.ask('/v1/agents/looker', { token: dadsPage })).text).toContain('"door":"a2a"');
});

it('keeps the answer of a client that spoke no version, and refuses another one', async () => {
  // As OpenClaw sends it: no header, and it does not wait.
  const params = {
    message: {
      messageId: 'one',
      role: 'ROLE_USER',
      contextId: 'ctx-oc-hub',
      parts: [{ text: 'Hi' }],
      surprise: true,
    },
    configuration: { returnImmediately: true },
    surprise: true,
  };
  const body = { jsonrpc: '2.0', id: 'a', method: 'SendMessage', params, surprise: true };
  const { result } = await ask<{ result: { task: { contextId: string } } }>(dad, toChat, {
    method: 'POST',
    token: asker,
    body,
  });
  expect(result.task.contextId).toBe('ctx-oc-hub');
  await decides('decline');
  for (const [path, sent] of [
    [toChat, body],
    [`${toChat}/message:send`, params],
  ] as const) {
    const headers = { 'a2a-version': '0.3' };
    const { text } = await dad.ask(path, { method: 'POST', token: asker, body: sent, headers });
    expect(text).toContain('VERSION_NOT_SUPPORTED');
  }
});

describe('somebody who should not', () => {
  const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
  const message = { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'Open the door' }] };

  it('gets nothing without a token of an agent, from another place, or with a body that does not fit', async () => {
    const tries: readonly (readonly [string, number, Asking])[] = [
      ['no token', 401, {}],
      ['a wrong token', 401, { token: `${asker}x` }],
      ['a page', 403, { token: dadsPage }],
      ['another host', 403, { token: asker, headers: { host: `evil.example:${dad.port}` } }],
      ['another site', 403, { token: asker, headers: { origin: 'https://evil.example' } }],
      ['text', 415, { token: asker, headers: { 'content-type': 'text/plain' } }],
      ['much', 413, { token: asker, body: { ...rpc('SendMessage'), much: 'x'.repeat(300_000) } }],
    ];
    for (const path of [toChat, `${toChat}/message:send`, `${toChat}/message:stream`])
      for (const [title, status, asking] of tries) {
        const body = rpc('SendMessage', { message });
        const answer = await dad.ask(path, { method: 'POST', body, ...asking });
        expect(answer.status, `${title} at ${path}`).toBe(status);
        expect(answer.text, title).not.toContain('jsonrpc');
      }
    for (const [token, status] of [
      [undefined, 401],
      [dadsPage, 403],
    ] as const)
      for (const path of ['/a2a', toChat + CARD, '/a2a/none'])
        expect((await dad.ask(path, token === undefined ? {} : { token })).status).toBe(status);
    expect(await pending()).toBe(0);
  });

  it('sees no task of another agent, nor by the path of another one', async () => {
    const other = await dad.agent('other');
    const { result } = await ask<{ result: { task: Task } }>(dad, toChat, {
      method: 'POST',
      token: asker,
      body: rpc('SendMessage', { message: { ...message, messageId: crypto.randomUUID() } }),
    });
    const { id } = result.task;
    const paths = [
      [other, toChat],
      [asker, '/a2a/agents/other'],
      [asker, toChat.replace(/chat$/, 'nobody')],
    ] as const;
    for (const [token, path] of paths) {
      for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
        const body = rpc(method, { id });
        const { text } = await dad.ask(path, { method: 'POST', token, body });
        expect(text, method).toContain('TASK_NOT_FOUND');
        expect(text, method).not.toContain('Open the door');
      }
      expect((await dad.ask(`${path}/tasks/${id}`, { token })).status).toBe(404);
    }
    await decides('decline');
  });

  it('reaches nobody by another name than that of the card', async () => {
    const other = toChat.replace(/peers\/[^/]+/, 'peers/Mum');
    const send = rpc('SendMessage', { message: { ...message, messageId: crypto.randomUUID() } });
    for (const path of [other, toChat.replace(/chat$/, 'Chat'), '/a2a/peers/local/agents/other']) {
      const { text } = await dad.ask(path, { method: 'POST', token: asker, body: send });
      expect(JSON.parse(text).error.data[0].reason, path).toMatch(/NOT_FOUND/);
      expect((await dad.ask(path + CARD, { token: asker })).status, path).toBe(404);
    }
    expect(await pending()).toBe(0);
  });

  it('gets no method that decides, and no room for more streams than there is', async () => {
    for (const method of ['approvals.decide', 'Decide', '__proto__', 'constructor', 'toString']) {
      const { text } = await dad.ask(toChat, { method: 'POST', token: asker, body: rpc(method) });
      expect(JSON.parse(text).error.code, method).toBe(-32601);
    }
    const client = await clientAt(dad, toChat, asker);
    const over = new AbortController();
    const streams = Array.from({ length: 5 }, async (_, index) => {
      const sent = sending(userMessage(`Stream ${index}`));
      for await (const event of client.sendMessageStream(sent, { signal: over.signal }))
        return eventWords(event);
      return 'nothing';
    });
    const ends = await Promise.allSettled(streams);
    over.abort();
    const refused = ends.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (let left = 5 - refused.length; left > 0; left -= 1) await decides('decline');
    expect(await pending()).toBe(0);
  });

  it('is told when its token ends while it listens', async () => {
    const token = await dad.agent('leaver');
    const client = await clientAt(dad, toChat, token);
    let isOpen = false;
    const listened = (async () => {
      for await (const _ of client.sendMessageStream(sending(userMessage('Listen')))) isOpen = true;
    })();
    await until('the stream', 10_000, () => isOpen || undefined);
    await ask(dad, '/v1/agents/leaver', { method: 'DELETE', token: dadsPage });
    await listened.catch(() => undefined);
    const { status } = await dad.ask(toChat, { method: 'POST', token, body: rpc('GetTask') });
    expect(status).toBe(401);
    const { items } = await ask<{ items: ApprovalDto[] }>(mum, '/v1/approvals', {
      token: mumsPage,
    });
    for (const { state } of items) if (state === 'pending') await decides('decline');
  });
});

// The result is read by the tests above; this one holds that data alone is a result, too.
it('gives data without words as the result', async () => {
  const client = await clientAt(dad, toChat, asker);
  const sent = await client.sendMessage(sending(userMessage('Count'), true));
  if (!isTask(sent)) throw new Error('no task');
  await decides('allow');
  const { delivery_id: id } = await taken(mum, chat);
  await says(mum, chat, `${id}/reply`, { data: { count: 3 } });
  const task = await until('the end', 10_000, async () => {
    const now = await taskOf(client, sent);
    return toldBy(now).startsWith('COMPLETED') ? now : undefined;
  });
  expect(resultOf(task)).toContain('{"count":3}');
});

describe('an A2A agent of elsewhere', () => {
  let server: A2aServer;
  let hostile: A2aServer;
  beforeAll(async () => {
    [server, hostile] = await Promise.all([A2aServer.start(), A2aServer.start()]);
    await added(server, 'counter', TOKEN);
  });
  afterAll(() => {
    server.stop();
    hostile.stop();
  });
  const TOKEN = 'the-word-that-only-it-knows';
  const post = (path: string, body: object) =>
    mum.ask(path, { method: 'POST', token: mumsPage, body });
  const look = (url: string): Promise<A2aCardDto> =>
    ask(mum, '/v1/a2a/cards', { method: 'POST', token: mumsPage, body: { url } });
  const rowOf = async (agent: string): Promise<A2aAgentDto | undefined> =>
    (await ask<{ items: A2aAgentDto[] }>(mum, '/v1/a2a/agents', { token: mumsPage })).items.find(
      (row) => row.agent === agent,
    );

  async function added(at: A2aServer, name: string, token?: string): Promise<void> {
    const { digest } = await look(at.url);
    await ask(mum, '/v1/a2a/agents', {
      method: 'POST',
      token: mumsPage,
      body: { name, url: at.url, digest, ...(token === undefined ? {} : { token }) },
    });
    await until(`${name} to be there`, 10_000, async () =>
      (await rowOf(name))?.state === 'ready' ? true : undefined,
    );
  }

  /** Dad's agent asks for it by A2A, and a person of Mum allows it. */
  async function allowed(agent: string, text: string): Promise<readonly [Client, Task]> {
    const path = `/a2a/peers/${mum.node.services.identity.agentId}/agents/${agent}`;
    await ask(dad, '/v1/peers/Mum/capabilities?refresh=true', { token: asker });
    const client = await clientAt(dad, path, asker);
    const sent = await client.sendMessage(sending(userMessage(text), true));
    if (!isTask(sent)) throw new Error('no task');
    await decides('allow');
    return [client, sent];
  }
  const ended = (client: Client, task: Task): Promise<Task> =>
    until('the end', 20_000, async () => {
      const now = await taskOf(client, task);
      return /^(COMPLETED|FAILED|CANCELED|REJECTED)/.test(toldBy(now)) ? now : undefined;
    });

  it('does what a person allowed, and is told by its own words', async () => {
    const [client, sent] = await allowed('counter', 'Count the plates');
    const task = await ended(client, sent);
    expect(toldBy(task)).toBe('COMPLETED | A person allowed it for Mum. Done.');
    expect(resultOf(task)).toBe('Count the plates: 3');
    expect(server.texts).toContain('Count the plates');
    const [said, answer] = await allowed('counter', 'Say three');
    expect(resultOf(await ended(said, answer))).toBe('three');
    const [failing, failed] = await allowed('counter', 'Fail');
    expect(toldBy(await ended(failing, failed))).toBe(
      'FAILED | A person allowed it for Mum. Counter on Mum could not do it. | It is locked.',
    );
    expect([...server.authorizations]).toEqual([`Bearer ${TOKEN}`]);
    const stored = ['hub.db', 'hub.db-wal'].map((name) => readFileSync(join(mum.home, name)));
    expect(Buffer.concat(stored).includes(TOKEN)).toBe(false);
    expect(mum.logLines.join('\n')).not.toContain(TOKEN);
  });

  it('answers a question, and cannot be answered what it asks', async () => {
    const asked = ask<SendReportDto>(dad, '/v1/query', {
      method: 'POST',
      token: asker,
      body: { to: 'Mum/counter', question: 'Say four', deadline_ms: 30_000 },
    });
    await decides('allow');
    expect((await asked).untrusted?.summary).toBe('four');
    const [client, sent] = await allowed('counter', 'Ask me');
    const words = toldBy(await ended(client, sent));
    expect(words).toContain('FAILED');
    expect(words).toContain(
      `${server.host} asks for more, which this hub cannot give. Which plates?`,
    );
  });

  it('is named on the card by the host that the request leaves to', async () => {
    const client = await clientAt(mum, '/a2a/agents/counter', chat);
    const sent = await client.sendMessage(sending(userMessage('Count the cups')));
    const { items } = await ask<{ items: ApprovalDto[] }>(mum, '/v1/approvals', {
      token: mumsPage,
    });
    const card = items.find(({ text }) => text === 'Count the cups');
    expect(card?.goes_to).toBe(server.host);
    expect(card?.runner).toMatchObject({ reach: 'called', presence: 'online' });
    expect(leavesOf(card as ApprovalDto)).toContain(`The request itself leaves to ${server.host}.`);
    await decides('decline');
    expect(isTask(sent) && toldBy(await taskOf(client, sent))).toContain('REJECTED');
    expect(server.texts).not.toContain('Count the cups');
  });

  it.each([
    ['CANCELED', 'Stopped. | I stopped.'],
    ['COMPLETED', 'Done, though Asker on Test hub asked it to stop.'],
    ['FAILED', 'Counter on Mum could not do it. Asked to stop; it ended otherwise. | By myself.'],
  ] as const)('is asked to stop when whoever asked cancels: %s', async (state, words) => {
    server.obeys = state === 'CANCELED';
    const before = server.cancelled.length;
    const [client, sent] = await allowed('counter', `Wait for ${state}`);
    await until('its task', 20_000, async () =>
      toldBy(await taskOf(client, sent)).startsWith('WORKING') ? true : undefined,
    );
    await client.cancelTask(named(sent));
    const task = await until('the cancel', 20_000, () => server.cancelled[before]);
    if (!server.obeys) {
      expect(toldBy(await taskOf(client, sent))).toMatch(
        /^WORKING .* Asked Counter on Mum to stop/,
      );
      server.end(task, TaskState[`TASK_STATE_${state}`], 'By myself.');
    }
    const end = await ended(client, sent);
    expect(toldBy(end)).toBe(`${state} | A person allowed it for Mum. ${words}`);
    expect(resultOf(end)).toBe(state === 'COMPLETED' ? 'By myself.' : '');
    expect(server.cancelled.length - before).toBe(1);
    server.obeys = true;
  });

  it('gets nothing once its card has changed, until a person has confirmed it', async () => {
    const before = (await rowOf('counter'))?.state;
    server.description = 'Counts, and more.';
    const [client, sent] = await allowed('counter', 'Count the chairs');
    await until('the change', 15_000, async () =>
      (await rowOf('counter'))?.state === 'changed' ? true : undefined,
    );
    expect({ before, has: server.texts.includes('Count the chairs') }).toEqual({
      before: 'ready',
      has: false,
    });
    expect(toldBy(await taskOf(client, sent))).toMatch(/^SUBMITTED/);
    const counter = await ask<AgentDto>(mum, '/v1/agents/counter', { token: mumsPage });
    expect(counter).toMatchObject({ reach: 'called', presence: 'away' });
    const feed = await ask<{ items: { text: string }[] }>(mum, '/v1/feed', { token: mumsPage });
    expect(feed.items.map(({ text }) => text)).toContain(
      `The card of Counter at ${server.host} has changed. It gets nothing until you have looked at it and confirmed it, under Agents.`,
    );
    const stale = await post('/v1/a2a/agents/counter/confirm', { digest: '0'.repeat(64) });
    expect(JSON.parse(stale.text)).toMatchObject({ code: 'request_changed' });
    const { digest, description } = await look(server.url);
    expect(description).toBe('Counts, and more.');
    await ask(mum, '/v1/a2a/agents/counter/confirm', {
      method: 'POST',
      token: mumsPage,
      body: { digest },
    });
    expect(resultOf(await ended(client, sent))).toBe('Count the chairs: 3');
  });

  it('is refused where its card is none, leads elsewhere, or stands where nothing is called', async () => {
    const refused = async (url: string): Promise<string> => {
      const { status, text } = await post('/v1/a2a/cards', { url });
      expect(status, url).toBeGreaterThanOrEqual(400);
      return (JSON.parse(text) as { detail: string }).detail;
    };
    hostile.endpoint = 'http://127.0.0.1:1/';
    expect(await refused(hostile.url)).toMatch(/sends its callers to another place/);
    hostile.endpoint = null;
    hostile.instead = (_, response) => {
      response.writeHead(302, { location: server.url }).end();
      return true;
    };
    expect(await refused(hostile.url)).toMatch(/does not follow/);
    hostile.instead = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"name":"${'x'.repeat(400_000)}"}`);
      return true;
    };
    expect(await refused(hostile.url)).toMatch(/gave no card\. .*is too long/);
    hostile.instead = (_, response) => !!response.destroy();
    expect(await refused(hostile.url)).toMatch(/gave no card\. .*no answer came/);
    expect(await refused('http://127.0.0.1:1/')).toMatch(/gave no card\. .*nothing listens there/);
    expect(await refused('http://192.0.2.1/')).toMatch(/only https/);
    expect(await refused('ftp://127.0.0.1/')).toMatch(/begins with/);
    expect(await refused(`http://127.0.0.1:${mum.port}/a2a/agents/chat`)).toMatch(/hub itself/);
    expect(await refused('http://me:secret@127.0.0.1:1/')).toMatch(/no more than a place/);
    hostile.instead = () => false;
    const { digest } = await look(hostile.url);
    for (const token of [chat, asker])
      for (const path of ['/v1/a2a/cards', '/v1/a2a/agents'])
        expect((await mum.ask(path, { method: 'POST', token, body: { digest } })).status).not.toBe(
          200,
        );
  });

  it('that redirects, breaks off, answers endlessly or fails is called once, and ends as what is known', async () => {
    await added(hostile, 'hostile');
    const instead: readonly (readonly [string, RegExp, A2aServer['instead']])[] = [
      [
        'redirects',
        /FAILED .*does not follow/,
        (_, response) => {
          response.writeHead(307, { location: server.url }).end();
          return true;
        },
      ],
      [
        'breaks off',
        /^FAILED .*may have been done/i,
        (request) => {
          request.socket.destroy();
          return true;
        },
      ],
      [
        'is endless',
        /^FAILED .*may have been done/i,
        (_, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          const more = (): unknown =>
            response.destroyed || response.write('['.repeat(16_384), more);
          more();
          return true;
        },
      ],
      [
        'fails',
        /^FAILED .*may have been done/i,
        (_, response) => {
          response.writeHead(500).end('{}');
          return true;
        },
      ],
    ];
    for (const [title, words, answer] of instead) {
      let calls = 0;
      hostile.instead = (request, response) => {
        if (request.method !== 'POST') return false;
        calls += 1;
        return answer(request, response);
      };
      const [client, sent] = await allowed('hostile', `Count what ${title}`);
      expect(toldBy(await ended(client, sent)), title).toMatch(words);
      expect(calls, title).toBe(1);
    }
    hostile.instead = () => false;
    // Nothing of it costs anybody else anything.
    const [client, sent] = await allowed('counter', 'Count the rest');
    expect(resultOf(await ended(client, sent))).toBe('Count the rest: 3');
  });

  it('that says too much, or speaks of another task, is over all the same', async () => {
    const message = (...parts: object[]) => ({
      result: { message: { messageId: 'm', role: 'ROLE_AGENT', parts } },
    });
    const task = (id: string, state: string, text: string) => ({
      id,
      status: { state: `TASK_STATE_${state}`, message: { parts: [{ text }] } },
    });
    const much = '面'.repeat(30_000);
    const answers: readonly (readonly [string, RegExp, readonly object[]])[] = [
      ['says much', /^COMPLETED [^面]*面+…$/, [message({ text: much })]],
      [
        'holds much',
        /^COMPLETED .*Here\n… \(without its data/,
        [message({ text: 'Here' }, { data: Array(5_000).fill(0) })],
      ],
      [
        'holds far too much',
        /^COMPLETED .*Here\n… \(without its data/,
        [message({ text: 'Here' }, { data: 'x'.repeat(60_000) })],
      ],
      ['refuses at length', /^FAILED .*面…$/, [{ error: { code: -32_603, message: much } }]],
      [
        'speaks of another task',
        /^FAILED .*may have been done/i,
        [
          { result: { task: task('mine', 'WORKING', '') } },
          { result: task('theirs', 'COMPLETED', 'Theirs') },
        ],
      ],
    ];
    for (const [title, words, said] of answers) {
      let calls = 0;
      hostile.instead = (request, response) => {
        if (request.method !== 'POST') return false;
        request.resume();
        const answer = said[Math.min(calls++, said.length - 1)];
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }));
        return true;
      };
      const [client, sent] = await allowed('hostile', `Count what ${title}`);
      const task = await ended(client, sent);
      expect(`${toldBy(task)} ${resultOf(task)}`.trim(), title).toMatch(words);
      expect(resultOf(task), title).not.toContain('Theirs');
    }
    hostile.instead = () => false;
  });

  it('that never answers is given up in its time', async () => {
    const call = outsideCall(new SystemClock());
    hostile.instead = () => true;
    const slow = {
      url: hostile.url,
      method: 'GET',
      headers: {},
      timeoutMs: 300,
      answerMaxBytes: 9,
    } as const;
    const started = performance.now();
    expect(await call(slow, new AbortController().signal)).toEqual({ kind: 'unclear' });
    expect(performance.now() - started).toBeLessThan(3_000);
    // Whatever a resolver says of this computer's own name.
    const { lookup } = dns;
    dns.lookup = ((_name: string, _options: object, found: (...said: unknown[]) => void) =>
      found(null, [{ address: '192.0.2.1', family: 4 }])) as unknown as typeof lookup;
    const named = { ...slow, url: hostile.url.replace('127.0.0.1', 'localhost') };
    hostile.instead = (_, response) => !!response.end();
    expect(await call(named, new AbortController().signal)).toMatchObject({ status: 200 });
    dns.lookup = lookup;
    // What Node makes no request of.
    const unfit = { ...slow, headers: { authorization: 'two\nlines' } };
    expect(await call(unfit, new AbortController().signal)).toEqual({ kind: 'not_there' });
    const nobody = { ...slow, url: 'http://127.0.0.1:1/' };
    expect(await call(nobody, new AbortController().signal)).toEqual({ kind: 'not_there' });
    hostile.instead = () => false;
  });

  it('is looked at, added, listed and confirmed at a terminal', async () => {
    const owner = async (...words: string[]): Promise<string> => {
      const { code, out, error } = await axon(mum.home, [
        '--passphrase-file',
        passphrase,
        ...words,
      ]);
      expect(code, error).toBe(0);
      return out;
    };
    hostile.description = 'Kind,\u001b[31m really.';
    hostile.skillCount = 23;
    const card = await owner('agents', 'a2a-look', hostile.url);
    expect(card).toContain('Its card says, not checked:\n  | Counter\n  | Kind,');
    const unbroken = card.replaceAll('\n  : ', '');
    expect(unbroken).toMatch(/^ {2}\| Skills: Counting(, Counting){19} and 3 more$/m);
    expect(card).not.toContain('\u001b');
    const digest = /--digest ([0-9a-f]{64})/.exec(card)?.[1] ?? '';
    const secret = join(mum.home, 'a2a.token');
    writeFileSync(secret, 'another-word\n', { mode: 0o600 });
    const flags = ['--digest', digest, '--token-file', secret];
    expect(await owner('agents', 'a2a-add', 'kind', hostile.url, ...flags)).toContain(
      `What it is given goes to ${hostile.host}.`,
    );
    expect(await owner('agents', 'a2a-list')).toMatch(new RegExp(`kind +\\w+ +${hostile.host}`));
    expect(await owner('agents', 'a2a-confirm', 'kind', '--digest', digest)).toContain(
      `Kind is called at ${hostile.host} again.`.replace('Kind', 'kind'),
    );
    expect([...hostile.authorizations]).toContain('Bearer another-word');
  });

  it('goes on with what it is being given while its card is confirmed anew', async () => {
    let posted = false;
    let delayMs = 0;
    server.workMs = () => 1_500;
    server.delayMs = () => delayMs;
    server.instead = ({ method, url }) => {
      const isSent = method === 'POST' && url === '/' && !posted;
      posted ||= isSent;
      delayMs = isSent ? 600 : 0;
      return false;
    };
    const [client, sent] = await allowed('counter', 'Later the spoons');
    await until('the call', 10_000, () => posted || undefined);
    const { digest } = await look(server.url);
    const confirm = () => post('/v1/a2a/agents/counter/confirm', { digest });
    for (const { status, text } of await Promise.all([confirm(), confirm()]))
      expect(status, text).toBe(200);
    expect(resultOf(await ended(client, sent))).toBe('Later the spoons: 3');
    [server.instead, server.delayMs] = [() => false, () => 0];
  });

  it('is given its work, too, once the store takes something again', async () => {
    const { inbox } = mum.node.services.work;
    let failures = 0;
    inbox.claim = () => Promise.reject(new Error(`the disk is full ${(failures += 1)}`));
    const [client, sent] = await allowed('counter', 'Count the forks');
    await until('a failure', 10_000, () => failures > 0 || undefined);
    Reflect.deleteProperty(inbox, 'claim');
    expect(resultOf(await ended(client, sent))).toBe('Count the forks: 3');
  });

  it('goes on with what it had begun when the hub starts again', async () => {
    const [client, sent] = await allowed('counter', 'Wait for the hub');
    await until('the work', 10_000, () => server.texts.includes('Wait for the hub') || undefined);
    await until('its task', 10_000, async () =>
      toldBy(await taskOf(client, sent)).startsWith('WORKING') ? true : undefined,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    await mum.node.services.a2a.stop();
    server.endAll('It is back.');
    expect(toldBy(await taskOf(client, sent))).toMatch(/^WORKING/);
    mum.node.services.a2a.start();
    expect(toldBy(await ended(client, sent))).toBe(
      'COMPLETED | A person allowed it for Mum. Done.',
    );
    expect(server.texts.filter((text) => text === 'Wait for the hub')).toHaveLength(1);
    // Of what was asked to stop, that it was.
    const [other, stopped] = await allowed('counter', 'Wait for the stop');
    await until('its task', 10_000, async () =>
      toldBy(await taskOf(other, stopped)).startsWith('WORKING') ? true : undefined,
    );
    server.instead = ({ method }) => method === 'POST';
    await other.cancelTask(named(stopped));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await mum.node.services.a2a.stop();
    server.instead = () => false;
    mum.node.services.a2a.start();
    expect(toldBy(await ended(other, stopped))).toMatch(/^CANCELED/);
  });

  it('gets what waits once there is room, also where it had all it takes before a start of the hub', async () => {
    const texts = ['one', 'two', 'three', 'four'].map((which) => `Wait for number ${which}`);
    const begun = [];
    for (const text of texts) begun.push(await allowed('counter', text));
    await until('the work', 10_000, () =>
      texts.every((text) => server.texts.includes(text)) ? true : undefined,
    );
    const [client, fifth] = await allowed('counter', 'Count the knives');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await mum.node.services.a2a.stop();
    mum.node.services.a2a.start();
    await new Promise((resolve) => setTimeout(resolve, 300));
    server.endAll('It is back.');
    for (const [at, task] of begun) expect(toldBy(await ended(at, task))).toMatch(/^COMPLETED/);
    expect(resultOf(await ended(client, fifth))).toBe('Count the knives: 3');
    await mum.node.services.a2a.stop();
    mum.node.services.a2a.start();
  });

  it('beyond this computer is one only over a connection that the system trusts, and by the word of a person', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const der = selfSignedCertificate(privateKey, 'nobody', 'localhost').toString('base64');
    const cert = `-----BEGIN CERTIFICATE-----\n${der.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----`;
    const key = privateKey.export({ format: 'pem', type: 'pkcs8' });
    let requests = 0;
    const impostor = createServer({ key, cert }, (_, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
    const { port } = impostor.address() as AddressInfo; // a TCP server that listens
    const { status, text } = await post('/v1/a2a/cards', { url: `https://localhost:${port}` });
    impostor.close();
    expect({ status, requests, text }).toMatchObject({ status: 503, requests: 0 });
    const address = cardAddress('https://count.example/agents/1/', []);
    expect(address.href).toBe('https://count.example/agents/1/.well-known/agent-card.json');
    const card = (url: string): Uint8Array =>
      Buffer.from(
        JSON.stringify({
          name: 'Counter',
          supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
        }),
      );
    expect(readCard(address, card('https://count.example/rpc'))).toMatchObject({
      endpoint: 'https://count.example/rpc',
      shown: { host: 'count.example', leaves_computer: true },
    });
    for (const elsewhere of [
      'http://count.example/rpc',
      'https://count.example:444/rpc',
      'https://me@count.example/rpc',
      'https://127.0.0.1/rpc',
      '/rpc',
    ])
      expect(() => readCard(address, card(elsewhere)), elsewhere).toThrow(/another place/);
  });

  it('is gone with its agent, and calls stop', async () => {
    await ask(mum, '/v1/agents/hostile', { method: 'DELETE', token: mumsPage });
    expect(await rowOf('hostile')).toBeUndefined();
    expect((await rowOf('counter'))?.has_token).toBe(true);
  });
});
