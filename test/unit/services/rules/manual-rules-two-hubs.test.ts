// A rule made on the Rules page or at a terminal, over two hubs with real stores: it does what its
// sentence says, never more, and what it would do is told before it is made.
import { describe, expect, it } from 'vitest';
import { ANYBODY, DAY, HOUR, ruledHubs } from '../../../fakes/ruled-hubs.ts';
import { BROWSER, OWNER } from '../../../fakes/work-hub.ts';
import type { OperationParams } from '../../../../preload/contract/operations.ts';
import type { RuleDto } from '../../../../preload/contract/rules.ts';

const hubs = ruledHubs();
const CHAT = {
  ...ANYBODY,
  effect: 'allow',
  peer: 'dad',
  agent: 'claude',
  domain: 'family.chat',
} as const;
type Said = OperationParams<'rules.create'>;
const make = (said: Partial<Said> = {}): Promise<RuleDto> =>
  hubs().mum.work.rules.create({ ...CHAT, ...said }, BROWSER);
const refused = (field: string) => ({ code: 'bad_request', data: { field } });

describe('a rule made by hand that lets in', () => {
  it('lets the same in without asking, and asks for every other hub, agent, area, kind and class', async () => {
    await make({ kind: 'delegate', asking_agent: 'openclaw' });
    expect(await hubs().send('the same')).toBe('queued');
    expect(hubs().waiting()).toEqual([]);
    expect(await hubs().send('another agent there', {}, 'helper')).toBe('awaiting_approval');
    expect(await hubs().send('nobody named', {}, null)).toBe('awaiting_approval');
    expect(await hubs().send('another area', { domain: 'family.lists' })).toBe('awaiting_approval');
    expect(await hubs().send('no area', { domain: undefined, route: { to: 'claude' } })).toBe(
      'awaiting_approval',
    );
    await hubs().clear();
    expect(hubs().mum.work.rules.test({ ...TESTED, peer: 'local/lists' })).toMatchObject({
      decision: 'ask',
    });
    expect(hubs().mum.work.rules.test({ ...TESTED, kind: 'query' })).toMatchObject({
      decision: 'ask',
    });
    expect(hubs().mum.work.rules.test(TESTED)).toMatchObject({ decision: 'deliver' });
    await hubs().mum.work.agents.setClass('claude', { riskClass: 'R2' }, OWNER);
    expect(await hubs().send('another class')).toBe('awaiting_approval');
  });

  it('asks after its end, which is in 30 days when nothing was said of it', async () => {
    const { created_at, expires_at } = await make();
    expect(expires_at).toBe(created_at + 30 * DAY);
    hubs().clock.jumpWall(30 * DAY - 1);
    expect(await hubs().send('in time')).toBe('queued');
    await hubs().clock.advance(HOUR);
    expect(await hubs().send('late')).toBe('awaiting_approval');
    expect(hubs().mum.work.rules.ended({ limit: 1 }).items).toMatchObject([
      { ended_why: 'expired' },
    ]);
  });

  it('asks once it was removed, and ends with its hub: paired again, that one is asked about', async () => {
    const { id } = await make();
    await hubs().mum.work.rules.remove(id, BROWSER);
    expect(await hubs().send('removed')).toBe('awaiting_approval');
    await hubs().clear();
    await make();
    await hubs().trust('revoked');
    await hubs().mum.work.peerGone(hubs().dad.key);
    expect(hubs().mum.work.rules.ended({ limit: 1 }).items).toMatchObject([
      { ended_why: 'peer_gone' },
    ]);
    await hubs().clock.advance(1_000);
    await hubs().trust('paired');
    expect(await hubs().send('paired again')).toBe('awaiting_approval');
    expect(hubs().mum.work.rules.current()).toEqual([]);
  });

  it('what others see (R2) needs a named topic, and is let in about that one alone', async () => {
    await hubs().mum.work.agents.setClass('claude', { riskClass: 'R2' }, OWNER);
    await expect(make()).rejects.toMatchObject(refused('topic'));
    const made = await make({ topic: 'dinner' });
    expect(made).toMatchObject({ topic: 'dinner', risk_max: 'R2' });
    expect(await hubs().send('about dinner', { topic: 'dinner' })).toBe('queued');
    expect(await hubs().send('about another', { topic: 'lunch' })).toBe('awaiting_approval');
    expect(await hubs().send('about nothing')).toBe('awaiting_approval');
  });

  it('none is made for what is dangerous (R3), topic or not; one for a wider area opens its harmless part alone', async () => {
    const classed = (riskClass: 'R1' | 'R3', chat: 'R1' | 'R3') =>
      hubs().mum.work.agents.setClass(
        'claude',
        { riskClass, domains: [{ domain: 'family.chat', riskClass: chat }] },
        OWNER,
      );
    await classed('R3', 'R3');
    await expect(make()).rejects.toMatchObject(refused('domain'));
    await expect(make({ topic: 'dinner' })).rejects.toMatchObject(refused('domain'));
    await classed('R3', 'R1');
    await make({ domain: 'family' });
    expect(await hubs().send('the harmless part')).toBe('queued');
    await classed('R1', 'R3');
    expect(await hubs().send('dangerous by now')).toBe('awaiting_approval');
  });

  it('says beside what the refusal belongs', async () => {
    await expect(make({ peer: null })).rejects.toMatchObject(refused('peer'));
    await expect(make({ agent: null })).rejects.toMatchObject(refused('agent'));
    await expect(make({ domain: null })).rejects.toMatchObject(refused('domain'));
    await expect(make({ domain: 'travel' })).rejects.toMatchObject(refused('domain'));
    await expect(make({ until: 5 })).rejects.toMatchObject(refused('until'));
    await expect(make({ until: null })).rejects.toMatchObject(refused('until'));
    await expect(make({ peer: 'local/lists', asking_agent: 'lists' })).rejects.toMatchObject(
      refused('asking_agent'),
    );
    await expect(make({ agent: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
      data: { field: 'agent' },
    });
    await expect(make({ peer: 'local/nobody' })).rejects.toMatchObject({
      code: 'not_found',
      data: { field: 'peer' },
    });
    expect(hubs().mum.work.rules.current()).toEqual([]);
  });
});

describe('a rule before it is made', () => {
  it('is told as it then stands, refused as it would be, and nothing is made, counted or written', async () => {
    await hubs().send('one');
    const { rules } = hubs().mum.work;
    const audit = hubs().mum.store.read.audit({ limit: 100 }).length;
    const said = { ...CHAT, topic: 'dinner', kind: 'query' } as const;
    const { rule } = rules.preview(said);
    expect(() => rules.preview({ ...CHAT, domain: 'travel' })).toThrow(/no area "travel"/);
    expect(hubs().mum.store.read.audit({ limit: 100 })).toHaveLength(audit);
    expect(rules.current()).toEqual([]);
    const {
      id: _id,
      uses: _uses,
      last_used_at: _at,
      suspended: _paused,
      ended_at: _ended,
      ended_why: _why,
      ...made
    } = await make(said);
    expect(made).toEqual(rule);
  });

  it('is tried on the last requests, with and without it, the newest first, and says what then happens', async () => {
    await hubs().send('a chat');
    await hubs().send('a list', { domain: 'family.lists' });
    await hubs().clear();
    const trials = (said: Partial<Said>) =>
      hubs()
        .mum.work.rules.preview({ ...CHAT, ...said })
        .trials.map((tried) => [tried.text, tried.without, tried.with]);
    expect(trials({})).toEqual([
      ['a list', 'ask', 'ask'],
      ['a chat', 'ask', 'deliver'],
    ]);
    expect(trials({ effect: 'never', agent: null, domain: 'family' })).toEqual([
      ['a list', 'ask', 'decline'],
      ['a chat', 'ask', 'decline'],
    ]);
    await make();
    expect(trials({ effect: 'ask', domain: 'family.chat' })).toEqual([
      ['a list', 'ask', 'ask'],
      ['a chat', 'deliver', 'ask'],
    ]);
    expect(await hubs().send('a chat again')).toBe('queued');
  });

  it('shows the first words of each request, and why it says nothing about it', async () => {
    await hubs().send('long '.repeat(2_000));
    expect(hubs().mum.work.rules.preview(CHAT).trials[0]?.text).toBe(
      `${'long '.repeat(40).slice(0, 199)}…`,
    );
    await hubs().send('a chat', {}, 'helper');
    const [tried] = hubs().mum.work.rules.preview({ ...CHAT, asking_agent: 'openclaw' }).trials;
    expect(tried).toMatchObject({
      text: 'a chat',
      peer_name: 'dad',
      from_agent: 'helper',
      to_agent: 'claude',
      domain: 'family.chat',
      ground: 'default',
      miss: 'asking_agent',
    });
  });

  it('is tried on twenty at most, and on none of a hub or for an agent that is not there any more', async () => {
    for (let turn = 0; turn < 25; turn++) {
      await hubs().send(`turn ${turn}`);
      await hubs().clear();
      await hubs().clock.advance(HOUR / 20);
    }
    const texts = () =>
      hubs()
        .mum.work.rules.preview({ ...ANYBODY, effect: 'never' })
        .trials.map(({ text }) => text);
    expect(texts()).toHaveLength(20);
    expect(texts()[0]).toBe('turn 24');
    await hubs().mum.work.agents.remove('claude', OWNER);
    expect(texts()).toEqual([]);
    await hubs().trust('suspended');
    expect(texts()).toEqual([]);
  });
});

const TESTED = {
  kind: 'delegate',
  peer: 'dad',
  agent: 'claude',
  domain: 'family.chat',
  asking_agent: 'openclaw',
  topic: null,
  conversation: null,
} as const;
