// Rules for others than a hub's tasks: questions, which are answered on their line, and the agents
// of this hub among each other.
import { describe, expect, it } from 'vitest';
import { ANYBODY, DONE, HOUR, ruledHubs } from '../../../fakes/ruled-hubs.ts';
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

describe('two agents whose rules let everything through', () => {
  const letThrough = async (): Promise<void> => {
    const between = [
      ['local/claude', 'lists', 'family.lists'],
      ['local/lists', 'claude', 'family.chat'],
      ['dad', 'claude', 'family.chat'],
    ] as const;
    for (const [peer, agent, domain] of between) {
      const rule = { ...ANYBODY, effect: 'allow', peer, agent, domain } as const;
      await hubs().mum.work.rules.create(rule, BROWSER);
    }
  };
  const LISTS = { to: 'local/lists', domain: 'family.lists', asker: 'claude' };
  const CLAUDE = { to: 'local/claude', domain: 'family.chat', asker: 'lists' };
  const ask = async ({ to, domain, asker }: typeof LISTS): Promise<string> => {
    const work = delegation(to, 'Your turn', { domain });
    const { state } = await hubs().mum.work.sender.delegate(work, asker, null);
    return state;
  };
  /** By turns, in the end of whoever is asked the first. */
  const goOn = async (times: number): Promise<ReadonlySet<string>> => {
    const states = new Set<string>();
    for (let time = 0; time < times; time++) states.add(await ask(time % 2 === 0 ? LISTS : CLAUDE));
    return states;
  };
  const ALL_PASSED = new Set(['queued']);

  it('stop after twelve turns and ask once; a yes is for twelve more, a no for none', async () => {
    await letThrough();
    const { mum, clock } = hubs();
    // The first is no turn.
    expect(await goOn(13)).toEqual(ALL_PASSED);
    expect(await ask(CLAUDE)).toBe('awaiting_approval');
    expect(mum.card).toMatchObject({ turns: 12, from_agent: 'lists', to_agent: 'claude' });
    for (const again of [CLAUDE, LISTS])
      await expect(ask(again)).rejects.toMatchObject({ code: 'overloaded' });
    const [row] = mum.store.read
      .audit({ limit: 100 })
      .filter(({ action }) => action === 'request.asked');
    expect(row?.detail).toContain('"turns":12');
    expect(await mum.decide(mum.card, 'allow')).toMatchObject({ turns: null });
    expect(await goOn(12)).toEqual(ALL_PASSED);
    expect(await ask(LISTS)).toBe('awaiting_approval');
    await mum.decide(mum.card, 'decline');
    expect(await ask(LISTS)).toBe('awaiting_approval');
    await hubs().clear();
    await clock.advance(HOUR);
    expect(await ask(LISTS)).toBe('queued');
  });

  it('have their turns counted, and are asked about once, over every restart', async () => {
    await letThrough();
    const { mum, clock } = hubs();
    expect(await goOn(13)).toEqual(ALL_PASSED);
    await clock.advance(60_000);
    await mum.restart();
    expect(await ask(CLAUDE)).toBe('awaiting_approval');
    await mum.restart();
    expect(mum.card).toMatchObject({ turns: 12, from_agent: 'lists', to_agent: 'claude' });
    await expect(ask(LISTS)).rejects.toMatchObject({ code: 'overloaded' });
    await mum.decide(mum.card, 'allow');
    await mum.restart();
    expect(await goOn(12)).toEqual(ALL_PASSED);
    await mum.restart();
    expect(await ask(LISTS)).toBe('awaiting_approval');
    await hubs().clear();
    await clock.advance(HOUR);
    await mum.restart();
    expect(await ask(LISTS)).toBe('queued');
  });

  it('stop as early as their owner says', async () => {
    await letThrough();
    hubs().mum.turnsMax = 4;
    expect(await goOn(5)).toEqual(ALL_PASSED);
    expect(await ask(CLAUDE)).toBe('awaiting_approval');
    await hubs().clear();
  });

  it('never are those of which one asks, and the other answers and says how far it is', async () => {
    await letThrough();
    const { clock, dad, mum } = hubs();
    for (let time = 0; time < 14; time++) {
      expect(await hubs().send('Your turn')).toBe('queued');
      const { delivery_id: id, envelope } = await mum.claim('claude');
      const notice = { to: 'dad/openclaw', topic: 'chat', data: 'Half of it', ref: envelope.id };
      await mum.work.sender.notify({ ...notice, importance: 'low' }, 'claude');
      await clock.advance(1);
      await mum.work.inbox.reply('claude', id, DONE);
    }
    for (let time = 0; time < 40; time++) {
      expect(await ask(LISTS)).toBe('queued');
      const { delivery_id: id } = await mum.claim('lists');
      await mum.work.inbox.extend('lists', id, 60_000, 'Half of it');
      await mum.work.inbox.reply('lists', id, DONE);
    }
    await mum.store.write(() => undefined);
    await mum.restart();
    dad.connect(mum);
    expect(await hubs().send('Your turn')).toBe('queued');
    expect(await ask(LISTS)).toBe('queued');
    await hubs().clear();
  });

  it('count across hubs, whatever the agents there are called', async () => {
    await letThrough();
    const { dad, mum } = hubs();
    await dad.knows(mum);
    const back = async (): Promise<void> => {
      await mum.work.sender.delegate(delegation('dad/openclaw', 'And you?'), 'claude', null);
      await dad.decide(dad.card, 'allow');
    };
    for (let time = 0; time < 6; time++) {
      expect(await hubs().send('Your turn')).toBe('queued');
      await back();
    }
    expect(await hubs().send('Your turn')).toBe('queued');
    await mum.restart();
    dad.connect(mum);
    expect(await hubs().send('One way')).toBe('queued');
    await back();
    expect(await hubs().send('Once too often')).toBe('awaiting_approval');
    expect(mum.card).toMatchObject({ turns: 12, peer_name: 'dad', from_agent: 'openclaw' });
    // Whatever it calls itself.
    const another = hubs().send('Another', {}, 'helper');
    await expect(another).rejects.toMatchObject({ code: 'overloaded' });
    await mum.decide(mum.card, 'allow');
    expect(await hubs().send('Another', {}, 'helper')).toBe('queued');
    await hubs().clear();
  });

  it('have no more turns for the names that a hub makes up', async () => {
    await letThrough();
    const { dad, mum } = hubs();
    await dad.knows(mum);
    const states: string[] = [];
    for (let time = 0; time < 16; time++) {
      await dad.agent(`made-up-${time}`);
      await mum.knows(dad);
      states.push(await hubs().send('Your turn', {}, `made-up-${time}`));
      if (states.at(-1) !== 'queued') break;
      await mum.work.sender.delegate(delegation('dad/openclaw', 'And you?'), 'claude', null);
      await dad.decide(dad.card, 'allow');
    }
    expect(states).toEqual([...Array.from({ length: 12 }, () => 'queued'), 'awaiting_approval']);
    await hubs().clear();
  });

  it('tell the people, and no longer each other, what they have to tell without end', async () => {
    const { mum } = hubs();
    await letThrough();
    await ask(LISTS);
    const { delivery_id: id, envelope } = await mum.claim('lists');
    await mum.work.inbox.reply('lists', id, DONE);
    const tell = async (to: string, asker: string): Promise<unknown> => {
      const notice = {
        to: `local/${to}`,
        topic: 'chat',
        importance: 'low',
        data: 'Hello',
        // It has ended.
        ref: envelope.id,
      } as const;
      return (await mum.work.sender.notify(notice, asker)).agents;
    };
    for (let time = 0; time < 13; time++)
      expect(
        await (time % 2 === 0 ? tell('lists', 'claude') : tell('claude', 'lists')),
      ).toHaveLength(1);
    expect(await tell('claude', 'lists')).toEqual([]);
    await mum.store.write(() => undefined);
    await mum.restart();
    expect(await tell('claude', 'lists')).toEqual([]);
    await mum.store.write(() => undefined);
    const told = { from_agent: 'lists' };
    expect(mum.work.feed.list({ limit: 9 }).items).toMatchObject([told, told]);
  });
});
