// Rules for others than a hub's tasks: questions, which are answered on their line, and the agents
// of this hub among each other.
import { describe, expect, it } from 'vitest';
import { ANYBODY, ruledHubs } from '../../../fakes/ruled-hubs.ts';
import { BROWSER, delegation, OWNER } from '../../../fakes/work-hub.ts';

const never = new AbortController().signal;
const hubs = ruledHubs();

describe('a question', () => {
  const ask = (question: string) =>
    hubs().dad.work.sender.query({ to: 'mum', question, domain: 'family.chat' }, 'openclaw', never);

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
    expect(decided).toMatchObject({
      text: 'Second?',
      state: 'approved',
      surface: 'rule',
      rule_id: hubs().mum.work.rules.current()[0]?.id,
    });
    const item = await hubs().mum.claim('claude');
    expect(item).toMatchObject({
      kind: 'query',
      untrusted: { text: 'Second?', digest: decided?.digest },
      approval: { surface: 'rule' },
    });
    await hubs().mum.work.inbox.reply('claude', item.delivery_id, {
      status: 'completed',
      summary: 'Yes',
      truncated: false,
    });
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
      const report = await hubs().mum.work.sender.delegate(
        delegation('local/lists', text, { domain: 'family.lists' }),
        'claude',
        null,
      );
      return report.state;
    };
    expect(await ask('first')).toBe('awaiting_approval');
    await hubs().choose('always');
    expect(hubs().mum.work.rules.current()).toMatchObject([
      { asking_local: 'claude', peer_id: null, asking_agent: null },
    ]);
    expect(await ask('second')).toBe('queued');
    await hubs().mum.work.rules.create(
      { effect: 'never', ...ANYBODY, peer: 'local/claude' },
      BROWSER,
    );
    await expect(ask('third')).rejects.toMatchObject({ code: 'rejected' });
    expect(await hubs().work('lists')).toEqual(['first', 'second']);
  });

  it('is told the same when it sends again, under the same key, what a rule turned away: this hub refused', async () => {
    const { mum } = hubs();
    await mum.work.rules.create({ effect: 'never', ...ANYBODY, peer: 'local/claude' }, BROWSER);
    const params = delegation('local/lists', 'no', { domain: 'family.lists' });
    for (let time = 0; time < 2; time++) {
      const sent = mum.work.sender.delegate(params, 'claude', 'key-1');
      await expect(sent).rejects.toMatchObject({ code: 'rejected', failedBy: 'local' });
    }
    expect(mum.work.approvals.decided({ limit: 9 }).items).toHaveLength(1);
  });

  it('is told that it was declined when a person did so since, under the same key', async () => {
    const { mum } = hubs();
    const send = () =>
      mum.work.sender.delegate(
        delegation('local/lists', 'first', { domain: 'family.lists' }),
        'claude',
        'key-1',
      );
    expect(await send()).toMatchObject({ state: 'awaiting_approval' });
    await mum.decide(mum.card, 'decline');
    expect(await send()).toMatchObject({ state: 'declined' });
  });
});
