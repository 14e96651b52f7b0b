// A rule from its card to its end through the local door of a real hub: what the page decides once,
// the asking program is told each time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import type { RuleDto, RulePreviewDto } from '../../preload/contract/rules.ts';
import { callTool } from '../support/mcp-calls.ts';
import { TestHub } from '../support/test-hub.ts';

let hub: TestHub;
let asker: string;
let bot: string;
let page: string;

beforeAll(async () => {
  hub = await TestHub.start();
  asker = await hub.agent('asker');
  bot = await hub.agent('bot');
  page = await hub.page();
  await post(page, '/v1/agents/bot/class', { risk_class: 'R1', domains: ['family.lists'] }, 'PUT');
});
afterAll(() => hub.stop());

async function post(
  token: string,
  path: string,
  body: unknown,
  method = 'POST',
): Promise<{ readonly status: number; readonly json: unknown }> {
  const { status, text } = await hub.ask(path, {
    method,
    token,
    ...(body === undefined ? {} : { body }),
  });
  return { status, json: JSON.parse(text) };
}
async function list<T>(path: string): Promise<readonly T[]> {
  const { text } = await hub.ask(path, { token: page });
  return (JSON.parse(text) as { items: readonly T[] }).items;
}
const send = (task: string, domain = 'family.lists') =>
  post(asker, '/v1/delegate', { to: 'local/bot', task, domain });
const waiting = () => list<ApprovalDto>('/v1/approvals');
const decide = ({ id, revision, digest }: ApprovalDto, more: object) =>
  post(page, `/v1/approvals/${id}/decide`, { revision, digest, ...more });

async function work(): Promise<string> {
  const claimed = await post(bot, '/v1/inbox/claim', { max: 1 });
  const [item] = (
    claimed.json as { items: readonly { delivery_id: string; untrusted: { text: string } }[] }
  ).items;
  if (item === undefined) return 'nothing';
  await post(bot, `/v1/inbox/${item.delivery_id}/reply`, { outcome: 'Done' });
  return item.untrusted.text;
}

test('"always" is decided once: the same then runs without a card, anything else asks, and once it is taken away all asks', async () => {
  expect(await send('first')).toMatchObject({ status: 202, json: { state: 'awaiting_approval' } });
  const [card] = await waiting();
  if (card === undefined) throw new Error('no card');
  expect(card.wider).toEqual(['conversation', 'until', 'always', 'never']);
  expect(await decide(card, { decision: 'allow', scope: 'always' })).toMatchObject({
    status: 200,
    json: { state: 'approved' },
  });
  expect(await work()).toBe('first');

  expect(await send('second')).toMatchObject({ status: 202, json: { state: 'queued' } });
  expect(await waiting()).toEqual([]);
  expect(await work()).toBe('second');
  const [rule] = await list<RuleDto>('/v1/rules');
  expect(rule).toMatchObject({
    asking_local: 'asker',
    agent: 'bot',
    domain: 'family.lists',
    uses: 1,
    approval_id: card.id,
  });
  const [decided] = await list<ApprovalDto>('/v1/approvals?state=decided');
  expect(decided).toMatchObject({ text: 'second', surface: 'rule', rule_id: rule?.id });
  const audit = await list<{ action: string; digest: string | null; detail: unknown }>('/v1/audit');
  expect(audit.find(({ action }) => action === 'request.passed')).toMatchObject({
    digest: decided?.digest,
    detail: { rule: rule?.id },
  });

  expect(await send('elsewhere', 'family.chat')).toMatchObject({
    json: { state: 'awaiting_approval' },
  });
  expect(await work()).toBe('nothing');
  expect(await post(page, `/v1/rules/${rule?.id}`, undefined, 'DELETE')).toMatchObject({
    status: 200,
    json: { ended_why: 'removed' },
  });
  expect(await send('third')).toMatchObject({ json: { state: 'awaiting_approval' } });
});

test('"never" is told as declined, and nobody is disturbed', async () => {
  const card = (await waiting()).find(({ text }) => text === 'third');
  if (card === undefined) throw new Error('no card');
  const before = (await waiting()).length;
  expect(await decide(card, { decision: 'decline', scope: 'never' })).toMatchObject({
    status: 200,
    json: { state: 'declined' },
  });
  expect(await send('fourth')).toMatchObject({ status: 403, json: { code: 'rejected' } });
  expect(await waiting()).toHaveLength(before - 1);
  expect(
    await post(page, '/v1/rules/test', {
      kind: 'delegate',
      peer: 'local/asker',
      domain: 'family.lists',
    }),
  ).toMatchObject({
    json: { decision: 'decline', ground: 'never' },
  });
});

test('a choice the card does not offer, or for other words than were shown, makes no rule', async () => {
  await post(page, '/v1/agents/bot/class', { risk_class: 'R3' }, 'PUT');
  await send('dangerous', 'family.chat');
  const card = (await waiting()).find(({ text }) => text === 'dangerous');
  if (card === undefined) throw new Error('no card');
  const rules = await list<RuleDto>('/v1/rules');
  expect(card.wider).toEqual([]);
  for (const scope of ['conversation', 'until', 'always']) {
    expect(
      await decide(card, {
        decision: 'allow',
        scope,
        last_word: 'dangerous',
        until: Date.now() + 60_000,
      }),
    ).toMatchObject({
      status: 400,
    });
  }
  expect(
    await decide({ ...card, digest: '0'.repeat(64) }, { decision: 'decline', scope: 'never' }),
  ).toMatchObject({ status: 409 });
  expect(await list<RuleDto>('/v1/rules')).toEqual(rules);
  expect((await waiting()).some(({ id }) => id === card.id)).toBe(true);
});

test('one made by hand says before what it is and what it would have done, then lets in exactly that', async () => {
  await post(page, '/v1/agents/bot/class', { risk_class: 'R1', domains: ['family.chat'] }, 'PUT');
  for (const left of await waiting()) await decide(left, { decision: 'decline' });
  await send('talk', 'family.chat');
  const [card] = await waiting();
  if (card === undefined) throw new Error('no card');
  await decide(card, { decision: 'decline' });
  const said = {
    effect: 'allow',
    peer: 'local/asker',
    agent: 'bot',
    domain: 'family.chat',
    kind: 'delegate',
  };
  const before = await list<RuleDto>('/v1/rules');

  const preview = await post(page, '/v1/rules/preview', said);
  expect(preview).toMatchObject({
    status: 200,
    json: { rule: { effect: 'allow', agent: 'bot', domain: 'family.chat', risk_max: 'R1' } },
  });
  const { trials } = preview.json as RulePreviewDto;
  expect(trials[0]).toMatchObject({ text: 'talk', without: 'ask', with: 'deliver', miss: null });
  expect(
    trials
      .filter(({ domain }) => domain !== 'family.chat')
      .filter((trial) => trial.without !== trial.with),
  ).toEqual([]);
  expect(await list<RuleDto>('/v1/rules')).toEqual(before);

  const made = await post(page, '/v1/rules', said);
  expect(made).toMatchObject({ status: 200, json: { made_on: 'rules', kind: 'delegate' } });
  expect(await send('talk again', 'family.chat')).toMatchObject({
    status: 202,
    json: { state: 'queued' },
  });
  expect(await send('a list', 'family.photos')).toMatchObject({
    json: { state: 'awaiting_approval' },
  });
  const { id } = made.json as RuleDto;
  await post(page, `/v1/rules/${id}`, undefined, 'DELETE');
  expect(await send('talk no more', 'family.chat')).toMatchObject({
    json: { state: 'awaiting_approval' },
  });
});

test('one that could let in nothing is refused beside what is wrong with it, and none is made', async () => {
  const before = await list<RuleDto>('/v1/rules');
  const said = { effect: 'allow', peer: 'local/asker', agent: 'bot', domain: 'family.chat' };
  await post(page, '/v1/agents/bot/class', { risk_class: 'R2' }, 'PUT');
  const unnamed = await post(page, '/v1/rules', said);
  const dangerous = async (path: string) => post(page, path, { ...said, topic: 'dinner' });
  expect(unnamed).toMatchObject({
    status: 400,
    json: { code: 'bad_request', data: { field: 'topic' } },
  });
  await post(page, '/v1/agents/bot/class', { risk_class: 'R3' }, 'PUT');
  for (const path of ['/v1/rules', '/v1/rules/preview']) {
    expect(await dangerous(path)).toMatchObject({
      status: 400,
      json: { code: 'bad_request', data: { field: 'domain' } },
    });
  }
  expect(await post(page, '/v1/rules/preview', { ...said, conversation: 'c1' })).toMatchObject({
    status: 400,
  });
  expect(await list<RuleDto>('/v1/rules')).toEqual(before);
});

type Door = (from: string, to: string, text: string) => Promise<unknown>;
let ids = 0;
const rpc = (to: string, text: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'SendMessage',
  params: a2aMessage(to, text),
});
const a2aMessage = (to: string, text: string) => ({
  message: {
    messageId: `m${(ids += 1)}`,
    role: 'ROLE_USER',
    parts: [{ text }],
    metadata: { domain: `${to}.work` },
  },
  configuration: { returnImmediately: true },
});
const DOORS: Readonly<Record<string, Door>> = {
  http: (from, to, task) =>
    post(from, '/v1/delegate', { to: `local/${to}`, task, domain: `${to}.work` }),
  mcp: (from, to, task) =>
    callTool(hub, from, 'axon_delegate', { to: `local/${to}`, task, domain: `${to}.work` }),
  a2a: (from, to, text) => post(from, `/a2a/agents/${to}`, rpc(to, text)),
  rest: (from, to, text) => post(from, `/a2a/agents/${to}/message:send`, a2aMessage(to, text)),
  language: (from, to, content) =>
    post(from, '/v1/messages', {
      performative: 'REQUEST',
      capability: `${to}.work`,
      content,
      reply_with: `r${(ids += 1)}`,
    }),
};

test('two agents that rules let through stop after twelve turns and are asked about once, whatever doors they speak by; one that only asks never is', async () => {
  for (const left of await waiting()) await decide(left, { decision: 'decline' });
  const tokens = new Map<string, string>();
  for (const name of ['ping', 'pong']) {
    const token = await hub.agent(name);
    tokens.set(name, token);
    const risk = { risk_class: 'R1', domains: [`${name}.work`] };
    await post(page, `/v1/agents/${name}/class`, risk, 'PUT');
    const speaks = { dialect: 'fipa-acl', capabilities: [`${name}.work`] };
    await post(token, `/v1/agents/${name}`, speaks, 'PATCH');
  }
  for (const [peer, agent] of [
    ['ping', 'pong'],
    ['pong', 'ping'],
    ['asker', 'pong'],
  ]) {
    const said = { effect: 'allow', peer: `local/${peer}`, agent, domain: `${agent}.work` };
    expect(await post(page, '/v1/rules', said)).toMatchObject({ status: 200 });
  }
  await post(asker, '/v1/agents/asker', { dialect: 'fipa-acl' }, 'PATCH');
  const doors = Object.values(DOORS);
  const doorOf = (turn: number): Door => doors[turn % doors.length] ?? expect.fail('no door');
  const speaks = async (turn: number, door = doorOf(turn)): Promise<void> => {
    const [from, to] = turn % 2 === 0 ? (['ping', 'pong'] as const) : (['pong', 'ping'] as const);
    await door(tokens.get(from) ?? '', to, `Turn ${turn}`);
  };
  const passed = async (): Promise<number> =>
    (await list<RuleDto>('/v1/rules')).reduce((sum, { uses }) => sum + uses, 0);
  const before = await passed();
  // The first is no turn.
  for (let turn = 0; turn < 13; turn += 1) await speaks(turn);
  expect(await waiting()).toEqual([]);
  expect(await passed()).toBe(before + 13);
  for (const door of doors) for (const turn of [13, 14]) await speaks(turn, door);
  expect(await passed()).toBe(before + 13);
  const cards = await waiting();
  expect(cards).toMatchObject([{ turns: 12, from_agent: 'pong', to_agent: 'ping' }]);
  const pong = tokens.get('pong') ?? '';
  for (let round = 0; round < 25; round += 1) {
    await doorOf(round)(asker, 'pong', `Poll ${round}`);
    const { json } = await post(pong, '/v1/inbox/claim', { max: 32 });
    for (const { delivery_id: id } of (json as { items: { delivery_id: string }[] }).items)
      await post(pong, `/v1/inbox/${id}/reply`, { outcome: 'Nothing new' });
  }
  expect(await waiting()).toEqual(cards);
  expect(await passed()).toBe(before + 13 + 25);
});
