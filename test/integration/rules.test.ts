// A rule from its card to its end through the local door of a real hub: what the page decides once,
// the asking program is told each time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import type { RuleDto, RulePreviewDto } from '../../preload/contract/rules.ts';
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
