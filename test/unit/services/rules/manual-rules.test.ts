// Rules that are made by hand, and the tester: it says what would happen, and does nothing.
import { describe, expect, it } from 'vitest';
import { ANYBODY, ruledHubs } from '../../../fakes/ruled-hubs.ts';
import { BROWSER, OWNER } from '../../../fakes/work-hub.ts';

const hubs = ruledHubs();

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
    const wide = hubs().mum.work.rules.create(
      { effect: 'allow', ...ANYBODY, domain: 'family' },
      BROWSER,
    );
    await expect(wide).rejects.toMatchObject({ code: 'bad_request' });
    const made = await hubs().mum.work.rules.create(
      { effect: 'allow', ...ANYBODY, peer: 'dad', agent: 'claude', domain: 'family' },
      BROWSER,
    );
    expect(made).toMatchObject({ risk_max: 'R1', made_on: 'rules', peer_name: 'dad' });
    expect(await hubs().send('by hand')).toBe('queued');
    await hubs().mum.work.rules.create(
      { effect: 'never', ...ANYBODY, peer: 'dad', kind: 'delegate' },
      BROWSER,
    );
    expect(await hubs().send('no more')).toBe('declined');
    const nobody = hubs().mum.work.rules.create(
      { effect: 'never', ...ANYBODY, agent: 'nobody' },
      BROWSER,
    );
    await expect(nobody).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      hubs().mum.work.rules.create({ effect: 'never', ...ANYBODY, until: 5 }, BROWSER),
    ).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  it('an allowing rule for an area that the agent has no part in is refused: it would let in nothing', async () => {
    const { mum } = hubs();
    const allow = (domain: string) =>
      mum.work.rules.create(
        { effect: 'allow', ...ANYBODY, peer: 'dad', agent: 'claude', domain },
        BROWSER,
      );
    for (const domain of ['travel', 'family.lists', 'family.chats']) {
      await expect(allow(domain)).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('it has family.chat'),
      });
    }
    for (const domain of ['family', 'family.chat', 'family.chat.dinner'])
      expect(await allow(domain)).toMatchObject({ domain });
  });

  it('one made or given back while its hub is suspended works once that hub is let in again', async () => {
    const { mum } = hubs();
    await hubs().trust('suspended');
    const { id } = await mum.work.rules.create(
      { effect: 'allow', ...ANYBODY, peer: 'dad', agent: 'claude', domain: 'family.chat' },
      BROWSER,
    );
    await mum.work.rules.remove(id, BROWSER);
    await mum.work.rules.restore(id, BROWSER);
    await mum.store.write((tables) => {
      const row = tables.peer(hubs().dad.key);
      if (row) tables.putPeer({ ...row, trust: 'paired' });
    });
    expect(await hubs().send('let in')).toBe('queued');
  });

  it('are listed a page at a time, in the order they were made', async () => {
    const { rules } = hubs().mum.work;
    for (const domain of ['a', 'b', 'c'])
      await rules.create({ effect: 'never', ...ANYBODY, domain }, BROWSER);
    const first = rules.currentPage({ limit: 2 });
    expect(first.items.map(({ domain }) => domain)).toEqual(['a', 'b']);
    const second = rules.currentPage({ limit: 2, cursor: first.next ?? '' });
    expect([second.items.map(({ domain }) => domain), second.next]).toEqual([['c'], null]);
    expect(() => rules.currentPage({ limit: 2, cursor: 'nonsense' })).toThrow(/cursor/);
  });

  it('says what would happen and why, and does exactly nothing', async () => {
    await hubs().send('first');
    await hubs().choose('always');
    const before = hubs().mum.store.read.audit({ limit: 100 }).length;
    expect(hubs().mum.work.rules.test(like)).toMatchObject({
      decision: 'deliver',
      ground: 'allow',
      agent: 'claude',
      risk_class: 'R1',
      rule: { domain: 'family.chat' },
      considered: [{ miss: null }],
    });
    expect(hubs().mum.work.rules.test({ ...like, kind: 'query' })).toMatchObject({
      decision: 'ask',
      ground: 'default',
      considered: [{ miss: 'kind' }],
    });
    expect(hubs().mum.work.rules.test({ ...like, peer: 'local/lists' })).toMatchObject({
      decision: 'ask',
      considered: [],
    });
    expect(() => hubs().mum.work.rules.test({ ...like, peer: 'nobody' })).toThrow(/No hub/);
    expect(() =>
      hubs().mum.work.rules.test({ ...like, domain: 'travel', agent: 'nobody' }),
    ).toThrow(/no agent/);
    expect(hubs().mum.work.rules.current()[0]?.uses).toBe(0);
    expect(hubs().mum.store.read.audit({ limit: 100 })).toHaveLength(before);
  });

  it('knows of a pause, quiet hours, a mute and a stop, as the request that then comes meets them', async () => {
    const { mum, clock } = hubs();
    const { doNotDisturb, rules } = mum.work;
    await hubs().send('first');
    await hubs().choose('always');
    const tried = (domain: string) => {
      const { held, stopped } = rules.test({ ...like, domain });
      return stopped ? 'stopped' : (held?.why ?? null);
    };
    const met = async (domain: string) => {
      const state = await hubs().send('try', { domain });
      const [card] = mum.work.approvals.pending().filter(({ text }) => text === 'try');
      const why = card?.held?.why ?? null;
      await hubs().work();
      await hubs().clear();
      return state === 'declined' ? 'stopped' : why;
    };
    const hour = { from: '00:00', to: '23:59', days: [1, 2, 3, 4, 5, 6, 7], on: true };
    const until = clock.wallMs() + 3_600_000;
    const states = [
      ['nothing', () => doNotDisturb.resume(BROWSER), null, null],
      ['a pause', () => doNotDisturb.pause(null, BROWSER), 'paused', 'paused'],
      ['no pause', () => doNotDisturb.resume(BROWSER), null, null],
      ['a mute', () => doNotDisturb.mute('dad', until, BROWSER), null, 'muted'],
      ['no mute', () => doNotDisturb.unmute('dad', BROWSER), null, null],
      [
        'quiet hours',
        () => doNotDisturb.setQuietHours([{ name: 'All day', ...hour }], undefined, BROWSER),
        null,
        'quiet_hours',
      ],
      ['a stop', () => mum.work.stopEverything(BROWSER), 'stopped', 'stopped'],
    ] as const;
    for (const [name, begin, allowed, asked] of states) {
      await begin();
      for (const [domain, why] of [
        ['family.chat', allowed],
        ['family.lists', asked],
      ] as const) {
        expect([name, domain, tried(domain)]).toEqual([name, domain, why]);
        expect([name, domain, await met(domain)]).toEqual([name, domain, why]);
      }
    }
  });

  it('agrees with what then happens, for every hub, class and kind tried', async () => {
    await hubs().send('first');
    await hubs().choose('always');
    await hubs().mum.work.rules.create(
      { effect: 'never', ...ANYBODY, domain: 'family.lists' },
      BROWSER,
    );
    const told = { deliver: 'queued', ask: 'awaiting_approval', decline: 'declined' } as const;
    for (const riskClass of ['R0', 'R1', 'R2', 'R3'] as const) {
      await hubs().mum.work.agents.setClass('claude', { riskClass }, OWNER);
      for (const domain of ['family.chat', 'family.chat.dinner', 'family.lists']) {
        for (const from of ['openclaw', 'helper']) {
          const { decision } = hubs().mum.work.rules.test({ ...like, domain, asking_agent: from });
          expect([riskClass, domain, from, await hubs().send('try', { domain }, from)]).toEqual([
            riskClass,
            domain,
            from,
            told[decision],
          ]);
          await hubs().clear();
        }
      }
    }
  });

  it('no more than 500 are kept', async () => {
    await hubs().mum.store.write((tables) => {
      const made = tables.currentRules().length;
      const [draft] = [{ ...RULE_ROW, peer: hubs().dad.key }];
      for (let index = made; index < 500; index++)
        tables.insertRule({ ...draft, id: `rule-${index}` });
    });
    await expect(
      hubs().mum.work.rules.create({ effect: 'never', ...ANYBODY }, BROWSER),
    ).rejects.toMatchObject({ code: 'overloaded' });
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
  trustedSince: 1,
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

describe('a rule for requests that name no area', () => {
  const NONE = { domain: undefined, route: { to: 'claude' } };
  const open = {
    effect: 'allow',
    ...ANYBODY,
    peer: 'dad',
    agent: 'claude',
    domain: '',
    kind: 'delegate',
  } as const;

  it('is made on a card and by hand, lets in what names none, and says so as it is tried', async () => {
    expect(await hubs().send('first', NONE)).toBe('awaiting_approval');
    await hubs().choose('always');
    expect(hubs().mum.work.rules.current()).toMatchObject([{ domain: '', risk_max: 'R1' }]);
    expect(await hubs().send('second', NONE)).toBe('queued');
    expect(await hubs().send('with one', {})).toBe('awaiting_approval');
    expect(await hubs().send('not its own', { domain: 'garden', route: { to: 'claude' } })).toBe(
      'awaiting_approval',
    );
    for (const domain of [null, ''])
      expect(
        hubs().mum.work.rules.test({
          ...ANYBODY,
          kind: 'delegate',
          peer: 'dad',
          agent: 'claude',
          asking_agent: 'openclaw',
          domain,
          conversation: null,
        }),
      ).toMatchObject({ decision: 'deliver', ground: 'allow' });
  });

  it('asks again once a "never" is about any area of that agent, or the agent does more', async () => {
    const { mum } = hubs();
    await mum.work.rules.create(open, BROWSER);
    expect(await hubs().send('first', NONE)).toBe('queued');
    const never = await mum.work.rules.create(
      { effect: 'never', ...ANYBODY, peer: 'dad', domain: 'family.chat', kind: 'query' },
      BROWSER,
    );
    expect(await hubs().send('second', NONE)).toBe('awaiting_approval');
    await mum.work.rules.remove(never.id, BROWSER);
    expect(await hubs().send('third', NONE)).toBe('queued');
    await mum.work.agents.addArea('claude', { domain: 'home.locks', riskClass: 'R3' }, OWNER);
    expect(await hubs().send('fourth', NONE)).toBe('awaiting_approval');
  });

  it('is refused for an agent that does what others see, and offered on no card of it', async () => {
    const { mum } = hubs();
    await mum.work.agents.setClass('claude', { riskClass: 'R2' }, OWNER);
    await expect(mum.work.rules.create(open, BROWSER)).rejects.toMatchObject({
      code: 'bad_request',
      data: { field: 'domain' },
    });
    await hubs().send('first', NONE);
    expect(mum.card.wider).toEqual(['never']);
  });

  it('says nothing of a capability that is named: that is an area, and must be one of the agent', async () => {
    const { mum } = hubs();
    await mum.work.rules.create(open, BROWSER);
    const named = (capability: string) => ({ ...NONE, capability });
    expect(await hubs().send('first', named('home.locks'))).toBe('awaiting_approval');
    expect(await hubs().send('second', named('family.chat'))).toBe('awaiting_approval');
    await mum.work.rules.create({ ...open, domain: 'family.chat' }, BROWSER);
    expect(await hubs().send('third', named('family.chat'))).toBe('queued');
    expect(await hubs().send('fourth', named('home.locks'))).toBe('awaiting_approval');
  });
});
