// What a household decides once for many requests, over two hubs with real stores: each choice of the card, where it ends, and that what a
// rule let through is, byte for byte, what runs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import type { RuleChoice } from '../../../../preload/contract/rules.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, OWNER, WorkHub } from '../../../fakes/work-hub.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DONE = { status: 'completed', outcome: 'Done', truncated: false } as const;
const never = new AbortController().signal;

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
  await mum.work.agents.setClass('claude', { riskClass: 'R1' }, OWNER);
  await mum.agent('lists', ['family.lists'], { risk: 'R1' });
  await dad.agent('helper');
  await mum.knows(dad);
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

/** Dad's agent sends; the state it is told, or "declined" where the other hub says so. */
async function send(text: string, more: Parameters<typeof delegation>[2] = {}, from = 'openclaw'): Promise<string> {
  try {
    const report = await dad.work.sender.delegate(delegation('mum', text, { domain: 'family.chat', ...more }), from, null);
    await clock.settle();
    return report.state;
  } catch (error) {
    if (error instanceof AppError && error.code === 'rejected') return 'declined';
    throw error;
  }
}

async function choose(scope: RuleChoice, until?: number): Promise<void> {
  const { id, revision, digest } = mum.card;
  await mum.work.approvals.decide({ id, revision, digest, decision: scope === 'never' ? 'decline' : 'allow', scope, until }, BROWSER);
  await clock.settle();
}

const waiting = () => mum.work.approvals.pending().map(({ text }) => text);
async function clear(): Promise<void> {
  for (const card of mum.work.approvals.pending()) await mum.decide(card, 'decline');
}
/** Works off what waits for the agent. */
async function work(agent = 'claude'): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let items = await mum.work.inbox.claim(agent, 1); items[0]; items = await mum.work.inbox.claim(agent, 1)) {
    texts.push(items[0].untrusted.text ?? '');
    await mum.work.inbox.reply(agent, items[0].delivery_id, DONE);
  }
  return texts;
}

describe('"always" on a card', () => {
  beforeEach(async () => {
    await send('first');
    await choose('always');
    expect(await work()).toEqual(['first']);
  });

  it('lets the same through without asking, counts it, and puts it on record with the rule and the digest', async () => {
    expect(await send('second')).toBe('queued');
    expect(waiting()).toEqual([]);
    const item = await mum.claim('claude');
    const [rule] = mum.work.rules.current();
    expect(rule).toMatchObject({
      effect: 'allow',
      reach: 'always',
      peer_name: 'dad',
      agent: 'claude',
      domain: 'family.chat',
      kind: 'delegate',
      asking_agent: 'openclaw',
      risk_max: 'R1',
      made_on: 'card',
      uses: 1,
      last_used_at: clock.wallMs(),
      expires_at: (rule?.created_at ?? 0) + 30 * DAY,
    });
    const [decided] = mum.work.approvals.decided({ limit: 1 }).items;
    expect(decided).toMatchObject({ state: 'approved', surface: 'rule', rule_id: rule?.id, text: 'second' });
    expect(item).toMatchObject({
      untrusted: { text: 'second', digest: decided?.digest },
      approval: { surface: 'rule', digest: decided?.digest },
    });
    const passed = mum.work.audit({ limit: 50 }).items.find(({ action }) => action === 'request.passed');
    expect(passed).toMatchObject({ object: decided?.task_id, digest: decided?.digest, detail: { rule: rule?.id } });
    expect(mum.events.some((event) => event.type === 'attention' && event.approval_id === decided?.id)).toBe(false);
  });

  it.each([
    ['another area', { domain: 'family.lists', route: { to: 'claude' } }, 'openclaw'],
    ['no area', { domain: undefined, route: { to: 'claude' } }, 'openclaw'],
    ['another agent here', { domain: 'family.lists' }, 'openclaw'],
    ['another agent there', {}, 'helper'],
  ])('still asks for %s', async (_what, more, from) => {
    expect(await send('other', more, from)).toBe('awaiting_approval');
    expect(waiting()).toEqual(['other']);
  });

  it('still asks for a question where it was made for tasks', async () => {
    dad.work.sender.query({ to: 'mum', question: 'And?', domain: 'family.chat' }, 'openclaw', never).catch(() => undefined);
    await clock.settle();
    expect(waiting()).toEqual(['And?']);
    await clear();
  });

  it('still asks for another hub', async () => {
    const kid = await new WorkHub({ name: 'kid', network: new MemoryNetwork(), clock }).start();
    try {
      await mum.store.write((tables) => {
        const row = tables.peer(dad.key);
        if (row) tables.putPeer({ ...row, key: kid.key, petname: 'kid', agentId: kid.agentId });
      });
      const answer = await mum.hears(kid.key, {
        id: '0d9c41f0-1d3b-4c55-9a10-2f7be0c5e7d2',
        kind: 'delegate',
        payload: { task: 'from the kid', domain: 'family.chat', route: { from: 'openclaw' } },
      });
      expect(answer.payload).toMatchObject({ accepted: true });
      expect(waiting()).toEqual(['from the kid']);
    } finally {
      await kid.close();
    }
  });

  it('asks again once its owner calls the agent riskier, and opens nothing dangerous', async () => {
    for (const riskClass of ['R2', 'R3'] as const) {
      await mum.work.agents.setClass('claude', { riskClass }, OWNER);
      expect(await send(`as ${riskClass}`)).toBe('awaiting_approval');
    }
    expect(waiting()).toEqual(['as R2', 'as R3']);
  });

  it('asks again after its end, and the rule is told to be over', async () => {
    clock.jumpWall(30 * DAY - 1);
    expect(await send('in time')).toBe('queued');
    await clock.advance(HOUR);
    expect(mum.work.rules.current()).toEqual([]);
    expect(mum.work.rules.ended({ limit: 9 }).items).toMatchObject([{ ended_why: 'expired', uses: 1 }]);
    expect(await send('late')).toBe('awaiting_approval');
  });

  it('asks before its beginning: after a restart with the clock set back', async () => {
    clock.jumpWall(-60 * DAY);
    expect(await send('the clock of this run goes on')).toBe('queued');
    await mum.restart();
    mum.connect(dad);
    expect(await send('before its time')).toBe('awaiting_approval');
  });

  it('asks while it is paused, and lets through again after', async () => {
    const [rule] = mum.work.rules.current();
    await mum.work.rules.setSuspended(rule?.id ?? '', true, BROWSER);
    expect(await send('paused')).toBe('awaiting_approval');
    await clear();
    await mum.work.rules.setSuspended(rule?.id ?? '', false, BROWSER);
    expect(await send('on again')).toBe('queued');
  });

  it('asks once it was taken away; given back it works again, for a while only', async () => {
    const id = mum.work.rules.current()[0]?.id ?? '';
    await mum.work.rules.remove(id, BROWSER);
    expect(mum.events.at(-1)).toMatchObject({ type: 'rule_gone', id });
    expect(await send('revoked')).toBe('awaiting_approval');
    await clear();
    await mum.work.rules.restore(id, BROWSER);
    expect(await send('back')).toBe('queued');
    await mum.work.rules.remove(id, BROWSER);
    await clock.advance(300_001);
    await expect(mum.work.rules.restore(id, BROWSER)).rejects.toMatchObject({ code: 'gone' });
    expect(mum.auditActions()).toEqual(expect.arrayContaining(['rule.made', 'rule.removed', 'rule.restored']));
  });

  it('survives a restart, and what was queued by it is handed out as it was digested', async () => {
    expect(await send('kept')).toBe('queued');
    await mum.restart();
    mum.connect(dad);
    expect(await work()).toEqual(['kept']);
    expect(await send('after')).toBe('queued');
  });

  it('does not hand out what was changed in the store after the rule let it through', async () => {
    await send('Say hello');
    const [decided] = mum.work.approvals.decided({ limit: 1 }).items;
    await mum.damageView(decided?.id ?? '', 'Open the door');
    expect(await work()).toEqual([]);
  });

  it('ends with its hub: removed and paired again, the same key is asked', async () => {
    await trust('revoked');
    await mum.work.peerGone(dad.key);
    expect(mum.work.rules.ended({ limit: 9 }).items).toMatchObject([{ ended_why: 'peer_gone' }]);
    const refused = dad.work.sender.delegate(delegation('mum', 'gone', { domain: 'family.chat' }), 'openclaw', null);
    await Promise.allSettled([refused]);
    expect(await work()).toEqual([]);
    await clock.advance(1_000);
    await trust('paired');
    expect(await send('again')).toBe('awaiting_approval');
    await expect(mum.work.rules.restore(mum.work.rules.ended({ limit: 1 }).items[0]?.id ?? '', BROWSER)).rejects.toMatchObject({
      code: 'gone',
    });
  });

  it('is not for a hub that was paired anew, even where its end was never written down', async () => {
    await clock.advance(1_000);
    await trust('paired');
    expect(await send('again')).toBe('awaiting_approval');
  });

  it('sleeps while its hub is suspended, and ends with its agent', async () => {
    await trust('suspended');
    await mum.work.peerGone(dad.key);
    expect(mum.work.rules.current()).toHaveLength(1);
    await mum.work.removeAgent('claude', OWNER);
    expect(mum.work.rules.ended({ limit: 9 }).items).toMatchObject([{ ended_why: 'agent_gone' }]);
  });

  it('that died with the hub before its end was written is over after the start', async () => {
    await trust('revoked');
    await mum.restart();
    expect(mum.work.rules.current()).toEqual([]);
  });

  /** Pairing writes the moment, too. */
  async function trust(state: 'paired' | 'suspended' | 'revoked'): Promise<void> {
    await mum.store.write((tables) => {
      const row = tables.peer(dad.key);
      if (row) tables.putPeer({ ...row, trust: state, pairedAt: state === 'paired' ? clock.wallMs() : row.pairedAt });
    });
  }
});

describe('the other choices of a card', () => {
  it('"for this conversation" covers that one, ends two hours after the last request, and after twelve in any case', async () => {
    const inside = { conversation: { id: 'dinner-plans' } };
    await send('first', inside);
    await choose('conversation');
    expect(mum.work.rules.current()).toMatchObject([{ conversation_title: 'first', reach: 'conversation' }]);
    expect(await send('other')).toBe('awaiting_approval');
    await clear();
    for (let hours = 1; hours < 12; hours++) {
      clock.jumpWall(HOUR);
      expect(await send(`hour ${hours}`, inside)).toBe('queued');
    }
    clock.jumpWall(HOUR);
    expect(await send('too late', inside)).toBe('awaiting_approval');
    await choose('conversation');
    clock.jumpWall(2 * HOUR);
    expect(await send('too quiet', inside)).toBe('awaiting_approval');
  });

  it('"until" lets through until that time', async () => {
    await send('first');
    await choose('until', clock.wallMs() + 5 * HOUR);
    clock.jumpWall(5 * HOUR - 1_000);
    expect(await send('in time')).toBe('queued');
    await clock.advance(2_000);
    expect(await send('late')).toBe('awaiting_approval');
  });

  it('"until" is not made longer by setting the clock back', async () => {
    await send('first');
    await choose('until', clock.wallMs() + HOUR);
    clock.jumpWall(-20 * DAY);
    await clock.advance(HOUR - 1_000);
    expect(await send('in time')).toBe('queued');
    await clock.advance(2_000);
    expect(await send('late')).toBe('awaiting_approval');
  });

  it.each([undefined, 0, 1_000, Number.MAX_SAFE_INTEGER])('"until" %s is refused, and nothing is decided', async (until) => {
    await send('first');
    await expect(choose('until', until)).rejects.toMatchObject({ code: 'bad_request' });
    expect(waiting()).toEqual(['first']);
    expect(mum.work.rules.current()).toEqual([]);
  });

  it('"never" declines quietly and counts: no card, no notification, whichever of its agents asks and however', async () => {
    await send('first');
    await choose('never');
    const seen = mum.events.length;
    expect(await send('second')).toBe('declined');
    expect(await send('third', {}, 'helper')).toBe('declined');
    const asked = dad.work.sender.query({ to: 'mum', question: 'Why?', domain: 'family.chat' }, 'openclaw', never);
    await expect(asked).rejects.toMatchObject({ code: 'rejected' });
    await clock.settle();
    expect(waiting()).toEqual([]);
    expect(mum.events.slice(seen).filter(({ type }) => type === 'attention')).toEqual([]);
    expect(mum.work.rules.current()).toMatchObject([{ effect: 'never', uses: 3, expires_at: null, kind: null, asking_agent: null }]);
    expect(await work()).toEqual([]);
    expect(mum.work.approvals.decided({ limit: 3 }).items.map(({ state, surface }) => [state, surface])).toEqual(
      Array.from({ length: 3 }, () => ['declined', 'rule']),
    );
    expect(await send('elsewhere', { domain: 'family.lists' })).toBe('awaiting_approval');
  });

  it('offers what the class allows: no always for what others see but for a named topic, nothing at all for what is dangerous', async () => {
    const offered = async (riskClass: 'R0' | 'R1' | 'R2' | 'R3', more = {}) => {
      await mum.work.agents.setClass('claude', { riskClass }, OWNER);
      await send('what', more);
      const { wider } = mum.card;
      await clear();
      return wider;
    };
    expect(await offered('R0')).toEqual(['conversation', 'until', 'always', 'never']);
    expect(await offered('R1')).toEqual(['conversation', 'until', 'always', 'never']);
    expect(await offered('R2')).toEqual(['conversation', 'never']);
    expect(await offered('R2', { topic: 'dinner' })).toEqual(['conversation', 'always', 'never']);
    expect(await offered('R3', { topic: 'dinner' })).toEqual([]);
    expect(await offered('R1', { domain: undefined, route: { to: 'claude' } })).toEqual(['never']);
    expect(await offered('R1', { domain: 'home.locks', route: { to: 'claude' } })).toEqual(['never']);
  });

  it('"always" for one topic covers that topic and what lies below it', async () => {
    await mum.work.agents.setClass('claude', { riskClass: 'R2' }, OWNER);
    await send('first', { topic: 'dinner' });
    await choose('always');
    expect(await send('same', { topic: 'dinner' })).toBe('queued');
    expect(await send('below', { topic: 'dinner.guests' })).toBe('queued');
    expect(await send('other', { topic: 'dinners' })).toBe('awaiting_approval');
    expect(await send('none')).toBe('awaiting_approval');
  });

  it('a choice the card does not offer is refused by the hub itself, and nothing is decided', async () => {
    await mum.work.agents.setClass('claude', { riskClass: 'R2' }, OWNER);
    await send('seen by others');
    for (const scope of ['until', 'always'] as const) {
      await expect(choose(scope, clock.wallMs() + HOUR)).rejects.toMatchObject({ code: 'bad_request' });
    }
    const { id, revision, digest } = mum.card;
    const turned = { id, revision, digest, decision: 'allow', scope: 'never' } as const;
    await expect(mum.work.approvals.decide(turned, BROWSER)).rejects.toMatchObject({ code: 'bad_request' });
    expect([waiting(), mum.work.rules.current()]).toEqual([['seen by others'], []]);
  });

  it('a rule is made for the digest that was shown, or not at all', async () => {
    await send('first');
    const { id, revision } = mum.card;
    const other = { id, revision, digest: '0'.repeat(64), decision: 'allow', scope: 'always' } as const;
    await expect(mum.work.approvals.decide(other, BROWSER)).rejects.toMatchObject({ code: 'request_changed' });
    expect(mum.work.rules.current()).toEqual([]);
  });

  it('counts equal requests that a person allowed in a row, until one is declined', async () => {
    for (const [text, before] of [
      ['one', 0],
      ['two', 1],
      ['three', 2],
      ['four', 3],
    ] as const) {
      await send(text);
      expect(mum.card.allowed_before).toBe(before);
      await mum.decide(mum.card, 'allow');
    }
    await send('elsewhere', { domain: 'family.lists' });
    expect(mum.card.allowed_before).toBe(0);
    await clear();
    await send('five');
    await mum.decide(mum.card, 'decline');
    await send('six');
    expect(mum.card.allowed_before).toBe(0);
  });
});

describe('a question', () => {
  const ask = (question: string) => dad.work.sender.query({ to: 'mum', question, domain: 'family.chat' }, 'openclaw', never);

  it('that a rule lets through is on record before its agent gets it, and answered on its line', async () => {
    const first = ask('First?');
    await clock.settle();
    await choose('always');
    await work();
    await first;
    const second = ask('Second?');
    await clock.settle();
    expect(waiting()).toEqual([]);
    const [decided] = mum.work.approvals.decided({ limit: 1 }).items;
    expect(decided).toMatchObject({ text: 'Second?', state: 'approved', surface: 'rule', rule_id: mum.work.rules.current()[0]?.id });
    const item = await mum.claim('claude');
    expect(item).toMatchObject({ kind: 'query', untrusted: { text: 'Second?', digest: decided?.digest }, approval: { surface: 'rule' } });
    await mum.work.inbox.reply('claude', item.delivery_id, { status: 'completed', summary: 'Yes', truncated: false });
    await clock.settle();
    expect(await second).toMatchObject({ state: 'answered', untrusted: { summary: 'Yes' } });
    expect(mum.work.approvals.get(decided?.id ?? '').task_state).toBe('completed');
  });

  it('that only looks passes without a rule, and is asked where a rule says ask', async () => {
    await mum.work.agents.setClass('claude', { riskClass: 'R0' }, OWNER);
    const first = ask('First?');
    await clock.settle();
    expect(await work()).toEqual(['First?']);
    await first;
    await mum.work.rules.create({ effect: 'ask', ...ANYBODY, domain: 'family' }, BROWSER);
    ask('Second?').catch(() => undefined);
    await clock.settle();
    expect(waiting()).toEqual(['Second?']);
    await clear();
  });
});

const ANYBODY = { peer: null, agent: null, domain: null, kind: null, asking_agent: null, topic: null } as const;

describe('rules made by hand, and the tester', () => {
  const like = {
    kind: 'delegate',
    peer: 'dad',
    agent: null,
    domain: 'family.chat',
    asking_agent: 'openclaw',
    topic: null,
    conversation: null,
  } as const;

  it('an allowing rule names hub, agent and area; others may be as wide as the owner wants', async () => {
    const wide = mum.work.rules.create({ effect: 'allow', ...ANYBODY, domain: 'family' }, BROWSER);
    await expect(wide).rejects.toMatchObject({ code: 'bad_request' });
    const made = await mum.work.rules.create({ effect: 'allow', ...ANYBODY, peer: 'dad', agent: 'claude', domain: 'family' }, BROWSER);
    expect(made).toMatchObject({ risk_max: 'R1', made_on: 'rules', peer_name: 'dad' });
    expect(await send('by hand')).toBe('queued');
    await mum.work.rules.create({ effect: 'never', ...ANYBODY, peer: 'dad', kind: 'delegate' }, BROWSER);
    expect(await send('no more')).toBe('declined');
    const nobody = mum.work.rules.create({ effect: 'never', ...ANYBODY, agent: 'nobody' }, BROWSER);
    await expect(nobody).rejects.toMatchObject({ code: 'not_found' });
    await expect(mum.work.rules.create({ effect: 'never', ...ANYBODY, until: 5 }, BROWSER)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('says what would happen and why, and does exactly nothing', async () => {
    await send('first');
    await choose('always');
    const before = mum.store.read.audit({ limit: 100 }).length;
    expect(mum.work.rules.test(like)).toMatchObject({
      decision: 'deliver',
      ground: 'allow',
      agent: 'claude',
      risk_class: 'R1',
      rule: { domain: 'family.chat' },
      considered: [{ miss: null }],
    });
    expect(mum.work.rules.test({ ...like, kind: 'query' })).toMatchObject({
      decision: 'ask',
      ground: 'default',
      considered: [{ miss: 'kind' }],
    });
    expect(mum.work.rules.test({ ...like, peer: 'local/lists' })).toMatchObject({ decision: 'ask', considered: [] });
    expect(() => mum.work.rules.test({ ...like, peer: 'nobody' })).toThrow(/no hub/);
    expect(() => mum.work.rules.test({ ...like, domain: 'travel', agent: 'nobody' })).toThrow(/no agent/);
    expect(mum.work.rules.current()[0]?.uses).toBe(0);
    expect(mum.store.read.audit({ limit: 100 })).toHaveLength(before);
  });

  it('agrees with what then happens, for every hub, class and kind tried', async () => {
    await send('first');
    await choose('always');
    await mum.work.rules.create({ effect: 'never', ...ANYBODY, domain: 'family.lists' }, BROWSER);
    const told = { deliver: 'queued', ask: 'awaiting_approval', decline: 'declined' } as const;
    for (const riskClass of ['R0', 'R1', 'R2', 'R3'] as const) {
      await mum.work.agents.setClass('claude', { riskClass }, OWNER);
      for (const domain of ['family.chat', 'family.chat.dinner', 'family.lists']) {
        for (const from of ['openclaw', 'helper']) {
          const { decision } = mum.work.rules.test({ ...like, domain, asking_agent: from });
          expect([riskClass, domain, from, await send('try', { domain }, from)]).toEqual([riskClass, domain, from, told[decision]]);
          await clear();
        }
      }
    }
  });

  it('no more than 500 are kept', async () => {
    await mum.store.write((tables) => {
      const made = tables.currentRules().length;
      const [draft] = [{ ...RULE_ROW, peer: dad.key }];
      for (let index = made; index < 500; index++) tables.insertRule({ ...draft, id: `rule-${index}` });
    });
    await expect(mum.work.rules.create({ effect: 'never', ...ANYBODY }, BROWSER)).rejects.toMatchObject({ code: 'overloaded' });
  });
});

describe('one agent asking another of the same hub', () => {
  it('meets the same rules, with the asking agent as the hub', async () => {
    const ask = async (text: string) => {
      const report = await mum.work.sender.delegate(delegation('local/lists', text, { domain: 'family.lists' }), 'claude', null);
      return report.state;
    };
    expect(await ask('first')).toBe('awaiting_approval');
    await choose('always');
    expect(mum.work.rules.current()).toMatchObject([{ asking_local: 'claude', peer_id: null, asking_agent: null }]);
    expect(await ask('second')).toBe('queued');
    await mum.work.rules.create({ effect: 'never', ...ANYBODY, peer: 'local/claude' }, BROWSER);
    await expect(ask('third')).rejects.toMatchObject({ code: 'rejected' });
    expect(await work('lists')).toEqual(['first', 'second']);
  });
});

const RULE_ROW = {
  effect: 'ask',
  reach: 'always',
  agent: null,
  domain: null,
  kind: null,
  askingAgent: null,
  topic: null,
  conversation: null,
  riskMax: null,
  createdAt: 1,
  expiresAt: null,
  idleMs: null,
  lastUsedAt: null,
  suspended: false,
  madeOn: 'rules',
  madeBy: 'ui-1',
  approvalId: null,
  uses: 0,
  endedAt: null,
  endedWhy: null,
} as const;
