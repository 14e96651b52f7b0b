// The name of a removed agent is used again: whoever has it now is somebody else, here and for
// other hubs, and what the first one did stays told of the first one.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEX_LOOK_MS } from '../../../../main/services/history/limits.ts';
import { DELIVERY_STATES } from '../../../../preload/contract/closed-lists.ts';
import type { OperationParams } from '../../../../preload/contract/operations.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

const SECRET = 'the first one alone was told of gooseberries';
/** The third of March, at noon. */
const MARCH = Date.UTC(2027, 2, 3, 12);
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
  clock.jumpWall(MARCH - clock.wallMs());
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

const never = new AbortController().signal;

async function ask(text: string, to = 'mum'): Promise<void> {
  await dad.work.sender.delegate(delegation(to, text, { domain: 'family.chat' }), 'openclaw', null);
  await clock.settle();
}
const rule = (more: Partial<OperationParams<'rules.create'>>) =>
  mum.work.rules.create(
    {
      effect: 'never',
      peer: 'dad',
      agent: null,
      domain: 'family.chat',
      kind: null,
      asking_agent: null,
      topic: null,
      ...more,
    },
    BROWSER,
  );
const areas = { domains: ['family.chat'] };
const remove = (name: string) => mum.work.agents.remove(name, OWNER);
const again = () => mum.work.agents.create('claude', areas, undefined, OWNER);

it('gets the next handle behind the same name, and is no other agent', async () => {
  await mum.work.agents.setClass('claude', { riskClass: 'R0' }, OWNER);
  await ask(SECRET);
  await remove('claude');
  expect(await again()).toMatchObject({
    name: 'claude-2',
    connected_as: 'claude',
    display_name: 'Claude',
    risk_class: 'R2',
    active_tasks: 0,
    queued: 0,
    last_call_at: null,
  });
  await remove('claude-2');
  expect(await again()).toMatchObject({ name: 'claude-3', connected_as: 'claude' });
});

it('sees nothing of what the first one was asked, did and was told', async () => {
  await ask(SECRET);
  await mum.decide(mum.card, 'allow');
  const held = await mum.claim('claude');
  await mum.work.inbox.reply('claude', held.delivery_id, {
    status: 'completed',
    outcome: SECRET,
    truncated: false,
  });
  await ask('and of plums');
  await mum.decide(mum.card, 'allow');
  await clock.settle();
  while (mum.store.read.isSearchBehind()) await clock.advance(INDEX_LOOK_MS);
  const seen = async (agent: string) => ({
    found: (await mum.work.search.findAs(agent, 'gooseberries', { limit: 50 }, never)).items.length,
    threads: (await mum.work.conversations.listAs(agent, { limit: 50 }, never)).items.length,
    tasks: (await mum.work.tasks.list({ limit: 50 }, { agent })).items.length,
    inbox: mum.store.read.deliveriesOfAgent(agent, DELIVERY_STATES, { limit: 50 }).length,
    waits: mum.work.agents.get(agent).queued,
  });
  const before = await seen('claude');
  expect(
    Object.values(before).every((count) => count > 0),
    JSON.stringify(before),
  ).toBe(true);
  await remove('claude');
  await again();
  expect(await seen('claude-2')).toEqual({ found: 0, threads: 0, tasks: 0, inbox: 0, waits: 0 });
  expect(await mum.work.inbox.claim('claude-2', 10)).toEqual([]);
});

it('leaves the records with the first one, by its name and its last day', async () => {
  await mum.work.agents.rename('claude', 'Family chat', OWNER);
  await ask(SECRET);
  await mum.decide(mum.card, 'allow');
  await remove('claude');
  await again();
  const [decided] = mum.work.approvals.decided({ limit: 5 }, 'people').items;
  expect(decided?.to_name).toBe('Family chat (until 3 March)');
  expect(decided?.story.asked.for.agent).toBe('Family chat (until 3 March)');
  expect(mum.work.snapshot()).toMatchObject({
    agents: [{ name: 'claude-2', display_name: 'Claude' }],
    removed_agents: [{ name: 'claude', display_name: 'Family chat (until 3 March)' }],
  });
  clock.jumpWall(365 * 86_400_000);
  expect(mum.work.snapshot().removed_agents[0]?.display_name).toBe(
    'Family chat (until 3 March 2027)',
  );
});

it('is who a person and an agent here mean by the name, and nobody whom another hub knew', async () => {
  await remove('claude');
  await again();
  await mum.agent('lists');
  for (const to of ['local/claude', 'local/claude-2', 'local/Claude']) {
    await mum.work.sender.delegate(
      delegation(to, 'Hello', { domain: 'family.chat' }),
      'lists',
      null,
    );
    await clock.settle();
    expect(mum.card.to_agent, to).toBe('claude-2');
    await mum.decide(mum.card, 'decline');
  }
  await dad.work.sender.delegate(delegation('mum/claude', 'Hello'), 'openclaw', null).catch(String);
  await clock.settle();
  expect(mum.work.approvals.pending()).toEqual([]);
});

it('is had again at once by a program that was lost before it fetched its token', async () => {
  const { registrations } = mum.work;
  const lost = await registrations.register('cook', areas);
  await registrations.confirm(lost.registration.id, lost.registration.code, undefined, OWNER);
  const { registration, secret } = await registrations.register('cook', areas);
  expect(registration).toMatchObject({ display_name: 'Cook', was_connected: true });
  expect(await registrations.poll(registration.id, secret)).toMatchObject({ state: 'pending' });
  expect(
    await registrations.confirm(registration.id, registration.code, undefined, OWNER),
  ).toMatchObject({ name: 'cook' });
  // One of them gets the token.
  expect(await registrations.poll(lost.registration.id, lost.secret)).toMatchObject({
    state: 'declined',
    token: null,
  });
  expect(await registrations.poll(registration.id, secret)).toEqual({
    state: 'confirmed',
    token: 'token of cook',
    agent: 'cook',
  });
});

it('is confirmed as a new one, and fetches a token of its own', async () => {
  await ask(SECRET);
  await remove('claude');
  const { registration, secret } = await mum.work.registrations.register('claude', areas);
  expect(registration).toMatchObject({
    agent_name: 'claude',
    display_name: 'Claude',
    was_connected: false,
    removed_at: MARCH,
  });
  await mum.work.registrations.confirm(registration.id, registration.code, undefined, OWNER);
  expect(await mum.work.registrations.poll(registration.id, secret)).toEqual({
    state: 'confirmed',
    token: 'token of claude-2',
    agent: 'claude-2',
  });
});

it('comes back as itself where only its token ended', async () => {
  await remove('claude');
  await again();
  const { registration } = await mum.work.registrations.register('claude', {});
  expect(registration).toMatchObject({ was_connected: true, removed_at: null });
  await mum.work.registrations.confirm(registration.id, registration.code, undefined, OWNER);
  expect(mum.work.agents.list().map(({ name }) => name)).toEqual(['claude-2']);
});

it('does not take the place of an agent that is there, and the way out that is named is one', async () => {
  await expect(again()).rejects.toMatchObject({
    code: 'conflict',
    hint: 'Choose another name, or remove that agent first.',
  });
  await remove('claude');
  await again();
  await expect(again()).rejects.toMatchObject({ code: 'conflict' });
});

it('takes no handle that somebody has', async () => {
  await mum.agent('claude-2');
  await mum.agent('other');
  await mum.work.agents.rename('other', 'claude-3', OWNER).catch(() => undefined);
  await remove('claude');
  const { name } = await again();
  expect(mum.work.agents.list().filter((agent) => agent.name === name)).toHaveLength(1);
  expect(name).not.toBe('claude-2');
});

describe('of the rules', () => {
  beforeEach(async () => {
    await mum.work.agents.setClass('claude', { riskClass: 'R1' }, OWNER);
    await mum.agent('lists', ['logistics.grocery'], { risk: 'R1' });
  });

  it('gets no permission back, and keeps each "never", on either side', async () => {
    await rule({ effect: 'allow', agent: 'claude' });
    await rule({ effect: 'never', agent: 'claude', kind: 'query' });
    await rule({
      effect: 'allow',
      peer: 'local/claude',
      agent: 'lists',
      domain: 'logistics.grocery',
    });
    await rule({
      effect: 'never',
      peer: 'local/claude',
      agent: 'lists',
      domain: null,
      kind: 'query',
    });
    await remove('claude');
    expect(mum.work.rules.current()).toEqual([]);
    await again();
    expect(mum.work.rules.current()).toMatchObject([
      { effect: 'never', peer_name: null, asking_local: 'claude-2', agent: 'lists', kind: 'query' },
      { effect: 'never', peer_name: 'dad', agent: 'claude-2', agent_name: 'Claude', kind: 'query' },
    ]);
    expect(mum.auditActions().filter((action) => action === 'rule.kept')).toHaveLength(2);
  });

  it('keeps no "never" that a person took away, or about a hub that is gone', async () => {
    const { id } = await rule({ agent: 'claude', kind: 'query' });
    await rule({ agent: 'claude', kind: 'delegate' });
    await mum.work.rules.remove(id, BROWSER);
    await remove('claude');
    await mum.endTrust(dad, 'revoked');
    await again();
    expect(mum.work.rules.current()).toEqual([]);
  });

  it('declines for the second what was never to be for the first', async () => {
    await rule({ agent: 'claude' });
    await remove('claude');
    await again();
    await expect(ask('Anything')).rejects.toMatchObject({ code: 'rejected' });
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.auditActions()).toContain('request.declined');
  });
});
