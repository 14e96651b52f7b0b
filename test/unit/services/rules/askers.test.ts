// Rules for others than a hub's tasks: questions, which are answered on their line, and the agents of this hub among each other.
import { describe, expect, it } from 'vitest';
import { ANYBODY, ruledHubs } from '../../../fakes/ruled-hubs.ts';
import { BROWSER, delegation, OWNER } from '../../../fakes/work-hub.ts';

const never = new AbortController().signal;
const hubs = ruledHubs();

describe('a question', () => {
  const ask = (question: string) => hubs().dad.work.sender.query({ to: 'mum', question, domain: 'family.chat' }, 'openclaw', never);

  it('that a rule lets through is on record before its agent gets it, and answered on its line', async () => {
    const first = ask('First?');
    await hubs().clock.settle();
    await hubs().choose('always');
    await hubs().work();
    await first;
    const second = ask('Second?');
    await hubs().clock.settle();
    expect(hubs().waiting()).toEqual([]);
    const [decided] = hubs().mum.work.approvals.decided({ limit: 1 }).items;
    expect(decided).toMatchObject({ text: 'Second?', state: 'approved', surface: 'rule', rule_id: hubs().mum.work.rules.current()[0]?.id });
    const item = await hubs().mum.claim('claude');
    expect(item).toMatchObject({ kind: 'query', untrusted: { text: 'Second?', digest: decided?.digest }, approval: { surface: 'rule' } });
    await hubs().mum.work.inbox.reply('claude', item.delivery_id, { status: 'completed', summary: 'Yes', truncated: false });
    await hubs().clock.settle();
    expect(await second).toMatchObject({ state: 'answered', untrusted: { summary: 'Yes' } });
    expect(hubs().mum.work.approvals.get(decided?.id ?? '').task_state).toBe('completed');
  });

  it('that only looks passes without a rule, and is asked where a rule says ask', async () => {
    await hubs().mum.work.agents.setClass('claude', { riskClass: 'R0' }, OWNER);
    const first = ask('First?');
    await hubs().clock.settle();
    expect(await hubs().work()).toEqual(['First?']);
    await first;
    await hubs().mum.work.rules.create({ effect: 'ask', ...ANYBODY, domain: 'family' }, BROWSER);
    ask('Second?').catch(() => undefined);
    await hubs().clock.settle();
    expect(hubs().waiting()).toEqual(['Second?']);
    await hubs().clear();
  });
});

describe('one agent asking another of the same hub', () => {
  it('meets the same rules, with the asking agent as the hub', async () => {
    const ask = async (text: string) => {
      const report = await hubs().mum.work.sender.delegate(delegation('local/lists', text, { domain: 'family.lists' }), 'claude', null);
      return report.state;
    };
    expect(await ask('first')).toBe('awaiting_approval');
    await hubs().choose('always');
    expect(hubs().mum.work.rules.current()).toMatchObject([{ asking_local: 'claude', peer_id: null, asking_agent: null }]);
    expect(await ask('second')).toBe('queued');
    await hubs().mum.work.rules.create({ effect: 'never', ...ANYBODY, peer: 'local/claude' }, BROWSER);
    await expect(ask('third')).rejects.toMatchObject({ code: 'rejected' });
    expect(await hubs().work('lists')).toEqual(['first', 'second']);
  });
});
