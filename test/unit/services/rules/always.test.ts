// "Always" on a card, over two hubs with real stores: what it lets through is, byte for byte, what
// runs; where it ends; and what asks all the same.
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { DAY, HOUR, ruledHubs } from '../../../fakes/ruled-hubs.ts';
import { BROWSER, delegation, OWNER, WorkHub } from '../../../fakes/work-hub.ts';

const never = new AbortController().signal;
const hubs = ruledHubs();

describe('"always" on a card', () => {
  beforeEach(async () => {
    await hubs().send('first');
    await hubs().choose('always');
    expect(await hubs().work()).toEqual(['first']);
  });

  it('lets the same through without asking, counts it, and puts it on record with the rule and the digest', async () => {
    expect(await hubs().send('second')).toBe('queued');
    expect(hubs().waiting()).toEqual([]);
    const item = await hubs().mum.claim('claude');
    const [rule] = hubs().mum.work.rules.current();
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
      last_used_at: hubs().clock.wallMs(),
      expires_at: (rule?.created_at ?? 0) + 30 * DAY,
    });
    const [decided] = hubs().mum.work.approvals.decided({ limit: 1 }).items;
    expect(decided).toMatchObject({
      state: 'approved',
      surface: 'rule',
      rule_id: rule?.id,
      text: 'second',
    });
    expect(item).toMatchObject({
      untrusted: { text: 'second', digest: decided?.digest },
      approval: { surface: 'rule', digest: decided?.digest },
    });
    const passed = hubs()
      .mum.store.read.audit({ limit: 50 })
      .find(({ action }) => action === 'request.passed');
    expect(passed).toMatchObject({ object: decided?.task_id, digest: decided?.digest });
    expect(JSON.parse(passed?.detail ?? '')).toMatchObject({ rule: rule?.id });
    expect(
      hubs().mum.events.some(
        (event) => event.type === 'attention' && event.approval_id === decided?.id,
      ),
    ).toBe(false);
  });

  it.each([
    ['another area', { domain: 'family.lists', route: { to: 'claude' } }, 'openclaw'],
    ['no area', { domain: undefined, route: { to: 'claude' } }, 'openclaw'],
    ['another agent here', { domain: 'family.lists' }, 'openclaw'],
    ['another agent there', {}, 'helper'],
  ])('still asks for %s', async (_what, more, from) => {
    expect(await hubs().send('other', more, from)).toBe('awaiting_approval');
    expect(hubs().waiting()).toEqual(['other']);
  });

  it('still asks for a question where it was made for tasks', async () => {
    hubs()
      .dad.work.sender.query(
        { to: 'mum', question: 'And?', domain: 'family.chat' },
        'openclaw',
        never,
      )
      .catch(() => undefined);
    await hubs().clock.settle();
    expect(hubs().waiting()).toEqual(['And?']);
    await hubs().clear();
  });

  it('still asks for another hub', async () => {
    const kid = await new WorkHub({
      name: 'kid',
      network: new MemoryNetwork(),
      clock: hubs().clock,
    }).start();
    try {
      await hubs().mum.store.write((tables) => {
        const row = tables.peer(hubs().dad.key);
        if (row) tables.putPeer({ ...row, key: kid.key, petname: 'kid', agentId: kid.agentId });
      });
      const answer = await hubs().mum.hears(kid.key, {
        id: '0d9c41f0-1d3b-4c55-9a10-2f7be0c5e7d2',
        kind: 'delegate',
        payload: { task: 'from the kid', domain: 'family.chat', route: { from: 'openclaw' } },
      });
      expect(answer.payload).toMatchObject({ accepted: true });
      expect(hubs().waiting()).toEqual(['from the kid']);
    } finally {
      await kid.close();
    }
  });

  it('asks again once its owner calls the agent riskier, and opens nothing dangerous', async () => {
    for (const riskClass of ['R2', 'R3'] as const) {
      await hubs().mum.work.agents.setClass('claude', { riskClass }, OWNER);
      expect(await hubs().send(`as ${riskClass}`)).toBe('awaiting_approval');
    }
    expect(hubs().waiting()).toEqual(['as R2', 'as R3']);
  });

  it('asks again after its end, and the rule is told to be over', async () => {
    hubs().clock.jumpWall(30 * DAY - 1);
    expect(await hubs().send('in time')).toBe('queued');
    await hubs().clock.advance(HOUR);
    expect(hubs().mum.work.rules.current()).toEqual([]);
    expect(hubs().mum.work.rules.ended({ limit: 9 }).items).toMatchObject([
      { ended_why: 'expired', uses: 1 },
    ]);
    expect(await hubs().send('late')).toBe('awaiting_approval');
  });

  it('asks before its beginning: after a restart with the clock set back', async () => {
    hubs().clock.jumpWall(-60 * DAY);
    expect(await hubs().send('the clock of this run goes on')).toBe('queued');
    await hubs().mum.restart();
    hubs().mum.connect(hubs().dad);
    expect(await hubs().send('before its time')).toBe('awaiting_approval');
  });

  it('asks while it is paused, and lets through again after', async () => {
    const [rule] = hubs().mum.work.rules.current();
    await hubs().mum.work.rules.setSuspended(rule?.id ?? '', true, BROWSER);
    expect(await hubs().send('paused')).toBe('awaiting_approval');
    await hubs().clear();
    await hubs().mum.work.rules.setSuspended(rule?.id ?? '', false, BROWSER);
    expect(await hubs().send('on again')).toBe('queued');
  });

  it('asks once it was taken away; given back it works again, for a while only', async () => {
    const id = hubs().mum.work.rules.current()[0]?.id ?? '';
    await hubs().mum.work.rules.remove(id, BROWSER);
    expect(hubs().mum.events.findLast(({ type }) => type.startsWith('rule'))).toMatchObject({
      type: 'rule_gone',
      id,
    });
    expect(await hubs().send('revoked')).toBe('awaiting_approval');
    await hubs().clear();
    await hubs().mum.work.rules.restore(id, BROWSER);
    expect(await hubs().send('back')).toBe('queued');
    await hubs().mum.work.rules.remove(id, BROWSER);
    await hubs().clock.advance(300_001);
    await expect(hubs().mum.work.rules.restore(id, BROWSER)).rejects.toMatchObject({
      code: 'gone',
    });
    expect(hubs().mum.auditActions()).toEqual(
      expect.arrayContaining(['rule.made', 'rule.removed', 'rule.restored']),
    );
  });

  it('survives a restart, and what was queued by it is handed out as it was digested', async () => {
    expect(await hubs().send('kept')).toBe('queued');
    await hubs().mum.restart();
    hubs().mum.connect(hubs().dad);
    expect(await hubs().work()).toEqual(['kept']);
    expect(await hubs().send('after')).toBe('queued');
  });

  it('does not hand out what was changed in the store after the rule let it through', async () => {
    await hubs().send('Say hello');
    const [decided] = hubs().mum.work.approvals.decided({ limit: 1 }).items;
    await hubs().mum.damageView(decided?.id ?? '', 'Open the door');
    expect(await hubs().work()).toEqual([]);
  });

  it('ends with its hub: removed and paired again, the same key is asked', async () => {
    await hubs().trust('revoked');
    await hubs().mum.work.peerGone(hubs().dad.key);
    expect(hubs().mum.work.rules.ended({ limit: 9 }).items).toMatchObject([
      { ended_why: 'peer_gone' },
    ]);
    const refused = hubs().dad.work.sender.delegate(
      delegation('mum', 'gone', { domain: 'family.chat' }),
      'openclaw',
      null,
    );
    await Promise.allSettled([refused]);
    expect(await hubs().work()).toEqual([]);
    await hubs().clock.advance(1_000);
    await hubs().trust('paired');
    expect(await hubs().send('again')).toBe('awaiting_approval');
    await expect(
      hubs().mum.work.rules.restore(
        hubs().mum.work.rules.ended({ limit: 1 }).items[0]?.id ?? '',
        BROWSER,
      ),
    ).rejects.toMatchObject({
      code: 'gone',
    });
  });

  it('is not for a hub that was paired anew, even where its end was never written down', async () => {
    await hubs().clock.advance(1_000);
    await hubs().trust('paired');
    expect(await hubs().send('again')).toBe('awaiting_approval');
  });

  it('that was taken away is not given back for a hub that was paired anew since', async () => {
    const id = hubs().mum.work.rules.current()[0]?.id ?? '';
    await hubs().mum.work.rules.remove(id, BROWSER);
    await hubs().clock.advance(1_000);
    await hubs().trust('paired');
    await expect(hubs().mum.work.rules.restore(id, BROWSER)).rejects.toMatchObject({
      code: 'gone',
    });
  });

  it('however often it lets something in, what people decided stays in sight', async () => {
    for (let turn = 0; turn < 25; turn++) await hubs().send(`turn ${turn}`);
    const lately = hubs().mum.work.snapshot().recently_decided;
    expect(lately.filter(({ rule_id }) => rule_id === null).map(({ text }) => text)).toEqual([
      'first',
    ]);
    expect(lately.filter(({ rule_id }) => rule_id !== null)).toHaveLength(20);
  });

  it('sleeps while its hub is suspended, and ends with its agent', async () => {
    await hubs().trust('suspended');
    await hubs().mum.work.peerGone(hubs().dad.key);
    expect(hubs().mum.work.rules.current()).toHaveLength(1);
    await hubs().mum.work.agents.remove('claude', OWNER);
    expect(hubs().mum.work.rules.ended({ limit: 9 }).items).toMatchObject([
      { ended_why: 'agent_gone' },
    ]);
  });

  it('that died with the hub before its end was written is over after the start', async () => {
    await hubs().trust('revoked');
    await hubs().mum.restart();
    expect(hubs().mum.work.rules.current()).toEqual([]);
  });
});
