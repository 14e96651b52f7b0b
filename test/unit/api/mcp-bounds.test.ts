// What a model is given at once stays short, however much was said before: every tool of the ten
// tasks, on a history of ten thousand messages.
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
import { parameters } from '../../../main/mcp/parameters.ts';
import { TOOLS } from '../../../main/mcp/tools.ts';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import type { ManualClock } from '../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../fakes/work-hub.ts';

const MESSAGES = 10_000;
const ANSWER_MAX_CHARACTERS = 20_000;
const CLAUDE: Caller = { kind: 'agent', tokenId: 't', agent: 'claude', scopes: [] };
const CONTEXT = { signal: new AbortController().signal, idempotencyKey: null };
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
afterAll(() => closeTwoHubs({ clock, dad, mum }));

/** As a model gets it. */
async function answerOf(name: keyof typeof TOOLS, given: object): Promise<string> {
  const tool = TOOLS[name];
  const handlers: Readonly<Record<string, unknown>> = {
    ...conversationsHandlers(mum.work),
    ...historyHandlers(mum.work),
    ...inboxHandlers({ ...mum.work, wakeUps: { forHook: () => Promise.resolve(false) } }),
    ...sendHandlers(mum.work),
    ...tasksHandlers(mum.work),
  };
  const handler = handlers[tool.operation] as (...said: unknown[]) => Promise<unknown>;
  const read = await parameters(tool.params as never)['~standard'].validate(given);
  if (read.issues !== undefined) throw new Error(JSON.stringify(read.issues));
  const params = v.parse(OPERATIONS[tool.operation].params, read.value);
  const running = handler(params, CLAUDE, CONTEXT);
  await clock.settle();
  const said = await running;
  return JSON.stringify(tool.enclose?.(said, given) ?? said);
}

const CALLS = [
  ['axon_conversations', {}],
  ['axon_conversations', { limit: 20 }],
  ['axon_search', { q: 'garden' }],
  ['axon_search', { q: 'garden', limit: 20 }],
  ['axon_history', { id: 'conversation 7' }],
] as const;

it.each(CALLS)('%s %j', async (name, given) => {
  const answer = await answerOf(name, given);
  expect(answer.length).toBeLessThan(ANSWER_MAX_CHARACTERS);
});

it('no longer page than that is had', async () => {
  for (const name of ['axon_conversations', 'axon_search'] as const)
    await expect(answerOf(name, { q: 'garden', limit: 200 })).rejects.toThrow('20');
});

it('a task, from what waits to its end', async () => {
  for (let count = 0; count < 4; count++) {
    const task = delegation('mum', TEXT.repeat(4), { domain: 'family.chat' });
    await dad.work.sender.delegate(task, 'openclaw', null);
    await clock.settle();
    await mum.decide(mum.card, 'allow');
  }
  // However many it would have.
  const taken = await answerOf('axon_inbox', { max: 32 });
  expect(taken.length).toBeLessThan(ANSWER_MAX_CHARACTERS);
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
    expect((await answerOf(name, given)).length).toBeLessThan(ANSWER_MAX_CHARACTERS);
});
