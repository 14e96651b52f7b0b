// What a model is given at once stays short, however much was said before: the tools of the ten
// tasks over MCP itself, on a history of ten thousand messages.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  conversationsHandlers,
  historyHandlers,
  inboxHandlers,
  sendHandlers,
  tasksHandlers,
} from '../../../main/api/operations/work.ts';
import type { Caller } from '../../../main/api/caller.ts';
import { inParts, type ToolCall } from '../../../main/mcp/parts.ts';
import { mcpServer } from '../../../main/mcp/server.ts';
import { TOOLS } from '../../../main/mcp/tools.ts';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import type { ManualClock } from '../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../fakes/work-hub.ts';

const MESSAGES = 10_000;
const ANSWER_MAX_CHARACTERS = 20_000;
const TEXT = 'The garden has to be watered in the evening, all of it. '.repeat(40);

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
beforeAll(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
  await mum.store.write((tables) => {
    for (let index = 0; index < MESSAGES; index++)
      tables.insertMessage({
        messageId: `message ${index}`,
        direction: index % 2 === 0 ? 'in' : 'out',
        party: dad.key,
        kind: 'notify',
        ref: null,
        conversationId: `conversation ${index % 40}`,
        taskId: null,
        fromAgent: index % 2 === 0 ? 'openclaw' : 'claude',
        toAgent: index % 2 === 0 ? 'claude' : 'openclaw',
        payload: JSON.stringify({ topic: 'garden', data: `${index}: ${TEXT}` }),
        at: clock.wallMs(),
      });
  });
}, 120_000);
afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await closeTwoHubs({ clock, dad, mum });
});

type Name = keyof typeof TOOLS;
const clients = new Map<WorkHub, Client>();

/** The line of the agent there. */
async function clientAt(hub: WorkHub): Promise<Client> {
  const before = clients.get(hub);
  if (before !== undefined) return before;
  const agent = hub === mum ? 'claude' : 'openclaw';
  const caller: Caller = { kind: 'agent', tokenId: 't', agent, scopes: [] };
  const handlers: Readonly<Record<string, unknown>> = {
    ...conversationsHandlers(hub.work),
    ...historyHandlers(hub.work),
    ...inboxHandlers({ ...hub.work, wakeUps: { forHook: () => Promise.resolve(false) } }),
    ...sendHandlers(hub.work),
    ...tasksHandlers(hub.work),
  };
  const server = mcpServer({
    version: '1',
    problemOf: () => undefined,
    call: (operation, given, signal) => {
      const handler = handlers[operation] as (...said: unknown[]) => Promise<unknown>;
      const params = v.parse(OPERATIONS[operation].params, given);
      return handler(params, caller, { signal, idempotencyKey: null });
    },
  });
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  clients.set(hub, client);
  return client;
}

/** As a model at mum's reads it, or one at dad's. */
async function answerTo(name: Name, given: JsonObject, hub = mum): Promise<string> {
  const client = await clientAt(hub);
  const running = client.callTool({ name, arguments: given });
  await clock.settle();
  const { isError, content } = await running;
  const [said] = content;
  const answer = said?.type === 'text' ? said.text : '';
  if (isError === true) throw new Error(answer);
  expect(answer.length, name).toBeLessThan(ANSWER_MAX_CHARACTERS);
  return answer;
}

interface Part {
  readonly texts: readonly { at: string; from: number; to: number; of: number; is_json: boolean }[];
  readonly read_on: ToolCall | null;
}

/** Follows the calls that the answers name. What they showed of each long text, by its last word. */
async function readWhole(
  next: ToolCall,
  call: (name: Name, given: JsonObject) => string | Promise<string>,
): Promise<Readonly<Record<string, unknown>>> {
  const texts: Record<string, string> = {};
  const read: Record<string, unknown> = {};
  for (let calls = 0, on: ToolCall | null | undefined = next; on; calls++) {
    expect(calls).toBeLessThan(200);
    const answer: JsonObject = JSON.parse(await call(on.tool as Name, on.arguments as JsonObject));
    const { texts: parts, read_on }: Part = (answer['part'] ?? { texts: [] }) as Part;
    for (const { at, from, to, of, is_json } of parts) {
      const shown = at.split('.').reduce((value, key) => Object(value)[key], answer as unknown);
      const word = at.split('.').at(-1) ?? '';
      texts[word] = (texts[word] ?? '').slice(0, from) + String(shown);
      expect([texts[word].length, to <= of]).toEqual([to, true]);
      if (to === of) read[word] = is_json ? JSON.parse(texts[word]) : texts[word];
    }
    on = read_on;
  }
  expect(Object.keys(read).toSorted()).toEqual(Object.keys(texts).toSorted());
  return read;
}

const CALLS = [
  ['axon_conversations', {}],
  ['axon_conversations', { limit: 20 }],
  ['axon_search', { q: 'garden' }],
  ['axon_search', { q: 'garden', limit: 20 }],
  ['axon_history', { id: 'conversation 7' }],
] as const;

it.each(CALLS)('%s %j', async (name, given) => {
  expect(await answerTo(name, given)).not.toContain('read_on');
});

it('no longer page than that is had', async () => {
  for (const name of ['axon_conversations', 'axon_search'] as const)
    await expect(answerTo(name, { q: 'garden', limit: 200 })).rejects.toThrow('20');
});

it('a task, from what waits to its end', async () => {
  for (let count = 0; count < 4; count++) {
    const task = delegation('mum', TEXT.repeat(4), { domain: 'family.chat' });
    await dad.work.sender.delegate(task, 'openclaw', null);
    await clock.settle();
    await mum.decide(mum.card, 'allow');
  }
  // However many it would have.
  const taken = await answerTo('axon_inbox', { max: 32 });
  const { items, waiting } = JSON.parse(taken) as {
    readonly items: readonly { readonly delivery_id: string; readonly task_id: string }[];
    readonly waiting: number;
  };
  expect([items.length, waiting]).toEqual([1, 3]);
  const [{ delivery_id: delivery = '', task_id: id = '' } = {}] = items;
  for (const [name, given] of [
    ['axon_ack', { delivery }],
    ['axon_task', { id }],
    ['axon_reply', { delivery, outcome: 'Watered.' }],
    ['axon_task', { id }],
  ] as const)
    await answerTo(name, given);
});

it('what is sent, and what is taken back', async () => {
  for (const name of ['axon_delegate', 'axon_escalate'] as const) {
    const options = Array.from({ length: 4 }, (_, n) => ({
      id: `o${n}`,
      label: `${n} ${TEXT.slice(0, 60)}`,
    }));
    const more = name === 'axon_escalate' ? { options } : { domain: 'family.chat' };
    const sent = await answerTo(name, { to: 'mum', task: TEXT.repeat(4), ...more }, dad);
    const { id } = JSON.parse(sent) as { readonly id: string };
    await answerTo('axon_cancel', { id, reason: TEXT.slice(0, 200) }, dad);
    // Why it came to nothing.
    expect(await answerTo('axon_task', { id }, dad)).toContain('cancelled');
  }
  await answerTo('axon_notify', { to: 'mum', topic: 'garden', data: TEXT }, dad);
});

const LONG = 'Ein "Wort", und noch eines 🌱. '.repeat(1_000);

it('what is longer comes in parts, each of which says so and how to read on', async () => {
  for (const hub of [mum, dad])
    for (let left = 1; left > 0;) {
      const { items, waiting } = JSON.parse(await answerTo('axon_inbox', {}, hub));
      for (const { delivery_id: delivery } of items) await answerTo('axon_ack', { delivery }, hub);
      left = waiting;
    }
  const context = { garden: LONG.slice(0, 9_000), beds: Array.from({ length: 900 }, (_, n) => n) };
  const task = { ...delegation('mum', LONG.slice(0, 20_000)), domain: 'family.chat', context };
  const { id } = await dad.work.sender.delegate(task, 'openclaw', null);
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  let delivery = '';
  const atMum = async (name: Name, given: JsonObject): Promise<string> => {
    const answer = await answerTo(name, given);
    if (name === 'axon_inbox') delivery = JSON.parse(answer).items[0].delivery_id;
    return answer;
  };
  const asked = await readWhole({ tool: 'axon_inbox', arguments: {} }, atMum);
  expect(asked).toEqual({ text: task.task, payload: expect.objectContaining({ context }) });
  const outcome = LONG.slice(0, 22_000);
  await answerTo('axon_reply', { delivery, outcome });
  await clock.settle();
  const atDad = (name: Name, given: JsonObject): Promise<string> => answerTo(name, given, dad);
  expect(await readWhole({ tool: 'axon_inbox', arguments: {} }, atDad)).toMatchObject({
    text: outcome,
  });
  expect(await readWhole({ tool: 'axon_task', arguments: { id } }, atDad)).toMatchObject({
    text: task.task,
    outcome,
  });
  const { items } = JSON.parse(await atDad('axon_conversations', {})).untrusted;
  await atDad('axon_history', { id: items[0].id });
});

it('an answer to a question, too', async () => {
  await mum.agent('calendar', ['family.calendar'], { risk: 'R0' });
  const asking = async (name: Name, given: JsonObject): Promise<string> => {
    // Its record is written a moment after it.
    if (name === 'axon_task') await clock.advance(100);
    return answerTo(name, given, dad);
  };
  const data = { days: Array.from({ length: 2_000 }, (_, day) => ({ day })) };
  const question = { to: 'mum', domain: 'family.calendar', question: 'Free?' };
  const read = readWhole({ tool: 'axon_query', arguments: question }, asking);
  await clock.settle();
  const item = await mum.claim('calendar');
  const reply = { status: 'completed', summary: 'Free.', data, truncated: false } as const;
  await mum.work.inbox.reply('calendar', item.delivery_id, reply);
  await clock.settle();
  expect(await read).toEqual({ data });
});

it('whatever an answer holds, it is short and all of it can be read', async () => {
  const hostile = '\u0000"\\😀\ud800'.repeat(1_000);
  const answers: readonly JsonObject[] = [
    { text: hostile },
    { data: { [hostile]: hostile } },
    {
      items: Array.from({ length: 1_024 }, (_, id) => ({ id, name: `hub ${id}`, none: undefined })),
    },
    Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`text${n}`, hostile])),
    { few: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`text${n}`, hostile])) },
    { deep: { deeper: [{ text: hostile }, { short: 'word' }] }, number: 7 },
  ];
  for (const answer of answers) {
    const again = { tool: 'axon_task', arguments: {} };
    const pieces: string[] = [];
    await readWhole(again, (_, { offset }) => {
      const piece = JSON.stringify(inParts(answer, Number(offset ?? 0), again));
      expect(piece.length).toBeLessThan(ANSWER_MAX_CHARACTERS);
      return pieces[pieces.push(piece) - 1] ?? '';
    });
    expect(pieces.length).toBeGreaterThan(1);
  }
  const short = { text: 'x'.repeat(17_000) };
  expect(inParts(short, 5, null)).toBe(short);
  expect(inParts({ text: hostile }, 0, null)['part']).toMatchObject({ read_on: null });
});

it('every tool whose answers may be long says how to read on', () => {
  // Short, whatever was said: who one is, and where an answer or a notice went.
  const short = ['axon_whoami', 'axon_reply', 'axon_notify'];
  for (const [name, { params, ...tool }] of Object.entries(TOOLS))
    expect('offset' in params.entries || 'more' in tool, name).toBe(!short.includes(name));
});
