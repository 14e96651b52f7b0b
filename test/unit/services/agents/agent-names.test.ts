// What people read for an agent: the name its owner gave it, else its handle made readable; never a
// name that is another agent's or a hub's.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readableHandle } from '../../../../preload/contract/agent-name.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openPairedHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

/** Mum's hub is called "mum" there, and has one called "dad". */
const registered = async (name: string, display_name?: string): Promise<string> => {
  const { registration } = await mum.work.registrations.register(name, { display_name });
  const agent = await mum.work.registrations.confirm(
    registration.id,
    registration.code,
    undefined,
    OWNER,
  );
  expect(agent.display_name, 'what the person was shown beside the code').toBe(
    registration.display_name,
  );
  return agent.display_name;
};
const rename = (name: string, to: string) => mum.work.agents.rename(name, to, OWNER);

it('makes a readable name of a handle, and of nothing else', () => {
  const handles = ['claude-code', 'home.assistant_2', 'a', 'openclaw-2', 'gemini-cli', 'opencode'];
  expect(handles.map(readableHandle)).toEqual([
    'Claude Code',
    'Home Assistant 2',
    'A',
    'OpenClaw 2',
    'Gemini CLI',
    'opencode',
  ]);
  for (const said of ['', 'Claude-code', 'a--b', 'mum/x', '(name hidden)', '\u202ecba'])
    expect(readableHandle(said)).toBe(said);
});

it("hears a new program's own name where it is plain and nobody else's", async () => {
  expect(await registered('house', 'House keeper')).toBe('House keeper');
  expect(await registered('claude', 'H0use keeper')).toBe('Claude');
  expect(await registered('odd', '\u202erepeek')).toBe('Odd');
  expect(await registered('sly', 'Dad')).toBe('Sly');
  expect(await registered('slyer', 'MUM')).toBe('Slyer');
  expect(await registered('house.keeper')).toBe('House Keeper 2');
  expect(await registered('dad')).toBe('Dad (agent)');
  expect(await registered('you')).toBe('You (agent)');
});

it('gives no program the handle that people type for another agent', async () => {
  await mum.agent('claude-code', ['family.chat']);
  await rename('claude-code', 'Kitchen');
  await expect(registered('kitchen')).rejects.toMatchObject({ code: 'conflict' });
  expect(await registered('kitchen-helper')).toBe('Kitchen Helper');
});

it('hears no later name of a program', async () => {
  await registered('house', 'House keeper');
  const by = { actor: 'agent:house', surface: 'agent' } as const;
  expect((await mum.work.agents.update('house', { display_name: 'Bank' }, by)).display_name).toBe(
    'House keeper',
  );
});

it('is renamed by a person, and never to what looks like another agent or a hub', async () => {
  await mum.agent('claude-code', ['family.chat']);
  await mum.agent('lists', ['family.lists']);
  expect((await rename('lists', ' Shopping  ')).display_name).toBe('Shopping');
  for (const taken of ['Claude C0de', 'claude-code', 'Dad', 'Mum', 'mum.']) {
    await expect(rename('lists', taken), taken).rejects.toMatchObject({ code: 'conflict' });
  }
  for (const unfit of ['a/b', 'x\u200by', '\u202ex', 'x'.repeat(33), '...']) {
    await expect(rename('lists', unfit), unfit).rejects.toMatchObject({ code: 'bad_request' });
  }
  expect((await rename('lists', 'Lists')).display_name, 'its own names are free').toBe('Lists');
  await expect(
    mum.work.agents.create('new', { display_name: 'Dad' }, 'R2', OWNER),
  ).rejects.toMatchObject({ code: 'conflict' });
  await expect(rename('gone', 'Anything')).rejects.toMatchObject({ code: 'not_found' });
});

it('stands on cards, rules, conversations and trials, at once under a new name; what is decided is the handle', async () => {
  await dad.agent('open-claw', ['x']);
  await mum.knows(dad);
  await mum.agent('claude-code', ['family.chat'], { risk: 'R1' });
  await dad.work.sender.delegate(
    delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
    'open-claw',
    null,
  );
  await clock.settle();
  const before = mum.card;
  expect(before).toMatchObject({
    from_agent: 'open-claw',
    from_name: 'Open Claw',
    to_agent: 'claude-code',
    to_name: 'Claude Code',
  });
  const numbers = mum.events.length;
  await rename('claude-code', 'Kitchen helper');
  const [told] = mum.events.slice(numbers);
  expect(told, 'a gap in the numbers: pages take a new snapshot').toMatchObject({
    type: 'agent',
    seq: (mum.events[numbers - 1]?.seq ?? 0) + 2,
  });
  const { story } = before;
  const asked = { ...story.asked, for: { ...story.asked.for, agent: 'Kitchen helper' } };
  expect(mum.card).toEqual({
    ...before,
    to_name: 'Kitchen helper',
    story: { ...story, asked },
  });
  const { id, revision, digest } = before;
  await mum.work.approvals.decide(
    { id, revision, digest, decision: 'allow', scope: 'always' },
    BROWSER,
  );
  await clock.settle();
  expect(mum.work.rules.current()).toMatchObject([
    {
      agent: 'claude-code',
      agent_name: 'Kitchen helper',
      asking_agent: 'open-claw',
      asking_agent_name: 'Open Claw',
    },
  ]);
  const thread = await mum.work.conversations.get(before.conversation_id, null);
  expect(thread.entries.map(({ kind, agent_name }) => [kind, agent_name])).toEqual([
    ['delegate', 'Open Claw'],
    ['decision', 'Kitchen helper'],
  ]);
});

it('is taken by either name where a recipient is named', async () => {
  await mum.agent('claude-code', ['family.chat']);
  await mum.agent('lists', ['family.lists']);
  await rename('lists', 'Shopping');
  const sent = async (to: string) => {
    const { chosen } = await mum.work.sender.delegate(delegation(to, to), 'claude-code', null);
    return [chosen.agent, chosen.agent_name];
  };
  expect(await sent('local/lists')).toEqual(['lists', 'Shopping']);
  expect(await sent('local/shopping')).toEqual(['lists', 'Shopping']);
  await expect(sent('local/Nobody')).rejects.toMatchObject({ code: 'unknown_domain' });
});

it('of another hub reads like no hub here', async () => {
  await dad.agent('mum', ['x']);
  await mum.knows(dad);
  await mum.agent('claude-code', ['family.chat']);
  await dad.work.sender.delegate(
    delegation('mum', 'Dinner?', { domain: 'family.chat' }),
    'mum',
    null,
  );
  await clock.settle();
  expect(mum.card).toMatchObject({ peer_name: 'dad', from_agent: 'mum', from_name: 'Mum (agent)' });
});
