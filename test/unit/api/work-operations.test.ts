// Who may do what through the operations of agents, inboxes and approvals: an agent its own things,
// a person the rest.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentsHandlers } from '../../../main/api/operations/agents.ts';
import { approvalsHandlers } from '../../../main/api/operations/decisions.ts';
import {
  conversationsHandlers,
  historyHandlers,
  inboxHandlers,
  sendHandlers,
  tasksHandlers,
} from '../../../main/api/operations/work.ts';
import type { Caller } from '../../../main/api/caller.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../fakes/memory-messenger.ts';
import { delegation, WorkHub } from '../../fakes/work-hub.ts';

const CONTEXT = { signal: new AbortController().signal, idempotencyKey: null };
const PERSON: Caller = { kind: 'ui', tokenId: 'ui-1', surface: 'browser' };
const agent = (name: string): Caller => ({
  kind: 'agent',
  tokenId: `t-${name}`,
  agent: name,
  scopes: [],
});

let clock: ManualClock;
let network: MemoryNetwork;
let hub: WorkHub;

beforeEach(async () => {
  clock = new ManualClock();
  network = new MemoryNetwork();
  hub = await new WorkHub({ name: 'mum', network, clock }).start();
  await hub.agent('claude', ['family.chat']);
  await hub.agent('lists', ['logistics.grocery']);
});

afterEach(async () => {
  await clock.settle();
  await hub.close();
});

const nowhere = () => Promise.reject(new Error('has no part in this'));
const tokenOf = (name: string) =>
  Promise.resolve({ token: `token of ${name}`, id: name, expiresAt: null });

const agents = () =>
  agentsHandlers({
    agents: hub.work.agents,
    registrations: hub.work.registrations,
    webhooks: { set: nowhere, remove: nowhere },
    tokens: { issueForAgent: tokenOf, renewForAgent: tokenOf },
  });

it('lets an agent change itself and no other', async () => {
  const changed = await agents()['agents.update'](
    { name: 'claude', tools: ['web'] },
    agent('claude'),
    CONTEXT,
  );
  expect(changed.tools).toEqual(['web']);
  await expect(
    agents()['agents.update']({ name: 'lists', tools: ['web'] }, agent('claude'), CONTEXT),
  ).rejects.toMatchObject({
    code: 'forbidden',
  });
});

it('tells other hubs that an agent is busy, which only it says, for as long as it is online', async () => {
  const say = (presence: 'idle' | 'busy', caller: Caller) =>
    agents()['agents.setPresence']({ name: 'claude', presence }, caller, CONTEXT);
  const status = () => hub.work.pong()['status'];
  hub.work.agents.presence.touch('claude');
  expect(await say('busy', agent('claude'))).toEqual({ presence: 'busy' });
  expect(status()).toBe('busy');
  expect(hub.work.agents.get('claude').busy).toBe(true);
  for (const other of [agent('lists'), PERSON])
    await expect(say('idle', other)).rejects.toMatchObject({ code: 'forbidden' });
  expect(status()).toBe('busy');
  hub.work.agents.presence.touch('lists');
  expect(status()).toBe('idle');
  await clock.advance(91_000);
  hub.work.agents.presence.touch('claude');
  expect(status()).toBe('idle');
  await say('busy', agent('claude'));
  expect(status()).toBe('busy');
  await say('idle', agent('claude'));
  expect(status()).toBe('idle');
});

it('tells the pages of an agent once more when its token was made', async () => {
  const told = () =>
    hub.events.filter((event) => event.type === 'agent' && event.agent.name === 'lists').length;
  const before = told();
  await agents()['agents.issueToken']({ name: 'lists' }, PERSON, CONTEXT);
  expect(told()).toBe(before + 1);
});

it('tells the pages at once of the first call with a new token, and when it was', async () => {
  const LINE = { door: 'http', program: null } as const;
  const lastTold = () =>
    hub.events
      .flatMap((event) =>
        event.type === 'agent' && event.agent.name === 'lists' ? [event.agent] : [],
      )
      .at(-1);
  hub.work.agents.presence.touch('lists', LINE);
  expect(lastTold()).toMatchObject({ presence: 'online', last_call_at: clock.wallMs() });
  await clock.advance(10_000);
  await agents()['agents.issueToken']({ name: 'lists' }, PERSON, CONTEXT);
  expect(lastTold()).toMatchObject({ presence: 'away', line: null });
  await clock.advance(1_000);
  hub.work.agents.presence.touch('lists', LINE);
  expect(lastTold()).toMatchObject({ presence: 'online', last_call_at: clock.wallMs() });
});

it('sends in the name of the calling agent, whatever the route says', async () => {
  const send = sendHandlers(hub.work);
  await send['send.delegate'](
    delegation('local/lists', 'Add salt', { route: { from: 'somebody-else' } }),
    agent('claude'),
    CONTEXT,
  );
  expect(hub.card.from_agent).toBe('claude');
});

it('writes down who asked and at which surface, here and at another hub', async () => {
  const dad = await new WorkHub({ name: 'dad', network, clock }).start();
  await hub.pair(dad);
  const send = sendHandlers(hub.work);
  const waits = new AbortController();
  const context = { ...CONTEXT, signal: waits.signal };
  const question = { to: 'local/lists', question: 'Is there salt?' };
  const questions: Promise<unknown>[] = [];
  for (const caller of [PERSON, agent('claude')]) {
    await send['send.delegate'](delegation('local/lists', 'Add salt'), caller, CONTEXT);
    questions.push(send['send.query'](question, caller, context));
    await send['send.delegate'](delegation('dad', 'Add salt'), caller, CONTEXT).catch(() => null);
  }
  await clock.settle();
  const asked = hub.store.read
    .audit({ limit: 20 })
    .filter(({ action }) => ['request.asked', 'delegation.sent'].includes(action))
    .map(({ action, actor, surface }) => [action, actor, surface]);
  const persons = ['ui:ui-1', 'browser'];
  const agents = ['agent:claude', 'agent'];
  for (const who of [persons, agents])
    expect(asked.filter(([, ...by]) => by.join() === who.join()).map(([action]) => action)).toEqual(
      expect.arrayContaining(['request.asked', 'request.asked', 'delegation.sent']),
    );
  expect(asked).toHaveLength(6);
  waits.abort();
  await Promise.allSettled(questions);
  await dad.close();
});

it('names who did it in one form, whatever was done', async () => {
  await hub.work.sender.delegate(delegation('local/lists', 'Add salt'), 'claude', null);
  const { id, revision, digest } = hub.card;
  await approvalsHandlers(hub.work)['approvals.decide'](
    { id, revision, digest, decision: 'allow' },
    PERSON,
    CONTEXT,
  );
  await agents()['agents.update']({ name: 'claude', tools: ['web'] }, agent('claude'), CONTEXT);
  await agents()['agents.remove']({ name: 'lists' }, PERSON, CONTEXT);
  const actorsOf = (action: string) =>
    hub.store.read
      .audit({ limit: 100 })
      .flatMap((row) => (row.action === action ? [row.actor] : []));
  expect(actorsOf('approval.allowed')).toEqual(['ui:ui-1']);
  expect(actorsOf('agent.updated')).toEqual(['agent:claude']);
  expect(actorsOf('agent.removed')).toEqual(['ui:ui-1']);
});

it('takes a decision from a person only', async () => {
  await hub.work.sender.delegate(delegation('local/lists', 'Add salt'), 'claude', null);
  const { id, revision, digest } = hub.card;
  const approvals = approvalsHandlers(hub.work);
  const decision = { id, revision, digest, decision: 'allow' } as const;
  await expect(
    (async () => approvals['approvals.decide'](decision, agent('lists'), CONTEXT))(),
  ).rejects.toMatchObject({
    code: 'forbidden',
  });
  expect(hub.card.state).toBe('pending');
  expect((await approvals['approvals.decide'](decision, PERSON, CONTEXT)).surface).toBe('browser');
  expect(
    (await approvals['approvals.list']({ state: 'decided', limit: 5 }, PERSON, CONTEXT)).items.map(
      (item) => item.id,
    ),
  ).toEqual([id]);
});

it('lists all that wait, however few were asked for, because no cursor leads on', async () => {
  for (const task of ['Add salt', 'Add sugar'])
    await hub.work.sender.delegate(delegation('local/lists', task), 'claude', null);
  const list = approvalsHandlers(hub.work)['approvals.list'];
  const { items, next } = await list({ state: 'pending', limit: 1 }, PERSON, CONTEXT);
  expect([items.length, next]).toEqual([2, null]);
});

it('gives an inbox to its agent, not to a person', async () => {
  const inbox = inboxHandlers({ inbox: hub.work.inbox, wakeUps: { forHook: nowhere } });
  const claim = { max: 1, wait_ms: 0, lease_ms: 60_000, kinds: undefined };
  await expect(inbox['inbox.claim'](claim, PERSON, CONTEXT)).rejects.toMatchObject({
    code: 'bad_request',
  });
  expect(await inbox['inbox.claim'](claim, agent('lists'), CONTEXT)).toEqual({
    items: [],
    next: null,
    waiting: 0,
  });
});

it('shows an agent the conversations and tasks it is part of, and pages through them', async () => {
  for (const text of ['one', 'two', 'three'])
    await hub.work.sender.delegate(delegation('local/lists', text), 'claude', null);
  await hub.agent('stranger');
  const tasks = tasksHandlers({ tasks: hub.work.tasks });
  const first = await tasks['tasks.list']({ limit: 2 }, agent('claude'), CONTEXT);
  expect(first.items.map((task) => task.text)).toEqual(['three', 'two']);
  const rest = await tasks['tasks.list'](
    { limit: 2, cursor: first.next ?? '' },
    agent('claude'),
    CONTEXT,
  );
  expect([rest.items.map((task) => task.text), rest.next]).toEqual([['one'], null]);
  await expect(
    (async () => tasks['tasks.list']({ limit: 2, cursor: 'x' }, PERSON, CONTEXT))(),
  ).rejects.toMatchObject({
    code: 'bad_request',
  });
  const conversations = conversationsHandlers(hub.work);
  expect(
    (await conversations['conversations.list']({ limit: 5 }, agent('stranger'), CONTEXT)).items,
  ).toEqual([]);
  // The agent they are meant for is part of them once they are let in.
  expect(
    (await conversations['conversations.list']({ limit: 5 }, agent('lists'), CONTEXT)).items,
  ).toEqual([]);
  for (const card of hub.work.approvals.pending()) await hub.decide(card, 'allow');
  expect(
    (await conversations['conversations.list']({ limit: 5 }, agent('lists'), CONTEXT)).items,
  ).toHaveLength(3);
});

it('tells an agent nothing of how much others say: neither by empty pages nor by numbers', async () => {
  await hub.agent('gardener');
  await hub.agent('busy');
  const asks = async (text: string, by: string): Promise<void> => {
    const about = { conversation: { id: text } };
    await hub.work.sender.delegate(delegation('local/lists', text, about), by, null);
    await hub.decide(hub.card, 'decline');
  };
  const conversations = conversationsHandlers(hub.work);
  const pages = async (): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    for (let cursor: string | undefined; found.length < 9;) {
      const page = { limit: 2, cursor };
      const { items, next } = await conversations['conversations.list'](
        page,
        agent('gardener'),
        CONTEXT,
      );
      found.push([items.map(({ id }) => id), next !== null]);
      if (next === null) break;
      cursor = next;
    }
    return found;
  };
  for (const id of ['roses', 'lawn', 'pond']) {
    await asks(id, 'gardener');
    for (let count = 0; count < 5; count++) await asks(`${id}, others ${count}`, 'busy');
  }
  await asks('roses', 'gardener');
  for (const isIndexed of [false, true]) {
    if (isIndexed) while (await hub.store.write((tables) => tables.tendSearch(4)));
    expect(await pages(), `with the index made: ${isIndexed}`).toEqual([
      [['roses', 'pond'], true],
      [['lawn'], false],
    ]);
  }
  const { entries } = await conversations['conversations.get'](
    { id: 'roses' },
    agent('gardener'),
    CONTEXT,
  );
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
  const history = historyHandlers(hub.work);
  const found = await history['history.search'](
    { q: 'roses', limit: 9 },
    agent('gardener'),
    CONTEXT,
  );
  expect(found.items.map(({ seq, decision }) => [seq, decision?.seq])).toEqual(
    found.items.map((_, at) => [at + 1, at + 1]),
  );
  expect(found.items.length).toBeGreaterThan(1);
  const shown = await history['history.search']({ q: 'roses', limit: 9 }, PERSON, CONTEXT);
  expect(shown.items.map(({ seq }) => seq).at(-1)).toBeGreaterThan(0);
  expect(shown.items.length).toBeGreaterThan(found.items.length);
});
