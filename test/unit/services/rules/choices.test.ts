// The choices of a card beyond "always", over two hubs with real stores: what each covers and where
// it ends, and what no card offers.
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, ruledHubs } from '../../../fakes/ruled-hubs.ts';
import { BROWSER, OWNER } from '../../../fakes/work-hub.ts';

const never = new AbortController().signal;
const hubs = ruledHubs();

describe('the other choices of a card', () => {
  it('"for this conversation" covers that one, ends two hours after the last request, and after twelve in any case', async () => {
    const inside = { conversation: { id: 'dinner-plans' } };
    await hubs().send('first', inside);
    await hubs().choose('conversation');
    expect(hubs().mum.work.rules.current()).toMatchObject([
      { conversation_title: 'first', reach: 'conversation' },
    ]);
    expect(await hubs().send('other')).toBe('awaiting_approval');
    await hubs().clear();
    for (let hours = 1; hours < 12; hours++) {
      hubs().clock.jumpWall(HOUR);
      expect(await hubs().send(`hour ${hours}`, inside)).toBe('queued');
    }
    hubs().clock.jumpWall(HOUR);
    expect(await hubs().send('too late', inside)).toBe('awaiting_approval');
    await hubs().choose('conversation');
    hubs().clock.jumpWall(2 * HOUR);
    expect(await hubs().send('too quiet', inside)).toBe('awaiting_approval');
  });

  it('"until" lets through until that time', async () => {
    await hubs().send('first');
    await hubs().choose('until', hubs().clock.wallMs() + 5 * HOUR);
    hubs().clock.jumpWall(5 * HOUR - 1_000);
    expect(await hubs().send('in time')).toBe('queued');
    await hubs().clock.advance(2_000);
    expect(await hubs().send('late')).toBe('awaiting_approval');
  });

  it('"until" is not made longer by setting the clock back', async () => {
    await hubs().send('first');
    await hubs().choose('until', hubs().clock.wallMs() + HOUR);
    hubs().clock.jumpWall(-20 * DAY);
    await hubs().clock.advance(HOUR - 1_000);
    expect(await hubs().send('in time')).toBe('queued');
    await hubs().clock.advance(2_000);
    expect(await hubs().send('late')).toBe('awaiting_approval');
  });

  it.each([undefined, 0, 1_000, Number.MAX_SAFE_INTEGER])(
    '"until" %s is refused, and nothing is decided',
    async (until) => {
      await hubs().send('first');
      await expect(hubs().choose('until', until)).rejects.toMatchObject({ code: 'bad_request' });
      expect(hubs().waiting()).toEqual(['first']);
      expect(hubs().mum.work.rules.current()).toEqual([]);
    },
  );

  it('"never" declines quietly and counts: no card, no notification, whichever of its agents asks and however', async () => {
    await hubs().send('first');
    await hubs().choose('never');
    const seen = hubs().mum.events.length;
    expect(await hubs().send('second')).toBe('declined');
    expect(await hubs().send('third', {}, 'helper')).toBe('declined');
    const asked = hubs().dad.work.sender.query(
      { to: 'mum', question: 'Why?', domain: 'family.chat' },
      'openclaw',
      never,
    );
    await expect(asked).rejects.toMatchObject({ code: 'rejected' });
    await hubs().clock.settle();
    expect(hubs().waiting()).toEqual([]);
    expect(
      hubs()
        .mum.events.slice(seen)
        .filter(({ type }) => type === 'attention'),
    ).toEqual([]);
    expect(hubs().mum.work.rules.current()).toMatchObject([
      { effect: 'never', uses: 3, expires_at: null, kind: null, asking_agent: null },
    ]);
    expect(await hubs().work()).toEqual([]);
    expect(
      hubs()
        .mum.work.approvals.decided({ limit: 3 })
        .items.map(({ state, surface }) => [state, surface]),
    ).toEqual(Array.from({ length: 3 }, () => ['declined', 'rule']));
    expect(await hubs().send('elsewhere', { domain: 'family.lists' })).toBe('awaiting_approval');
  });

  it('offers what the class allows: no always for what others see but for a named topic, nothing at all for what is dangerous', async () => {
    const offered = async (riskClass: 'R0' | 'R1' | 'R2' | 'R3', more = {}) => {
      await hubs().mum.work.agents.setClass('claude', { riskClass }, OWNER);
      await hubs().send('what', more);
      const { wider } = hubs().mum.card;
      await hubs().clear();
      return wider;
    };
    expect(await offered('R0')).toEqual(['conversation', 'until', 'always', 'never']);
    expect(await offered('R1')).toEqual(['conversation', 'until', 'always', 'never']);
    expect(await offered('R2')).toEqual(['conversation', 'never']);
    expect(await offered('R2', { topic: 'dinner' })).toEqual(['conversation', 'always', 'never']);
    expect(await offered('R3', { topic: 'dinner' })).toEqual([]);
    const none = { domain: undefined, route: { to: 'claude' } };
    expect(await offered('R1', none)).toEqual(['conversation', 'until', 'always', 'never']);
    expect(await offered('R2', { ...none, topic: 'dinner' })).toEqual(['never']);
    expect(await offered('R1', { domain: 'home.locks', route: { to: 'claude' } })).toEqual([
      'never',
    ]);
  });

  it('"always" for one topic covers that topic and what lies below it', async () => {
    await hubs().mum.work.agents.setClass('claude', { riskClass: 'R2' }, OWNER);
    await hubs().send('first', { topic: 'dinner' });
    await hubs().choose('always');
    expect(await hubs().send('same', { topic: 'dinner' })).toBe('queued');
    expect(await hubs().send('below', { topic: 'dinner.guests' })).toBe('queued');
    expect(await hubs().send('other', { topic: 'dinners' })).toBe('awaiting_approval');
    expect(await hubs().send('none')).toBe('awaiting_approval');
  });

  it('a choice the card does not offer is refused by the hub itself, and nothing is decided', async () => {
    await hubs().mum.work.agents.setClass('claude', { riskClass: 'R2' }, OWNER);
    await hubs().send('seen by others');
    for (const scope of ['until', 'always'] as const) {
      await expect(hubs().choose(scope, hubs().clock.wallMs() + HOUR)).rejects.toMatchObject({
        code: 'bad_request',
      });
    }
    const { id, revision, digest } = hubs().mum.card;
    const turned = { id, revision, digest, decision: 'allow', scope: 'never' } as const;
    await expect(hubs().mum.work.approvals.decide(turned, BROWSER)).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect([hubs().waiting(), hubs().mum.work.rules.current()]).toEqual([['seen by others'], []]);
  });

  it('made for a request that names no agent it covers only such requests: every agent of that hub still asks', async () => {
    await hubs().send('first', {}, null);
    await hubs().choose('always');
    expect(await hubs().send('again', {}, null)).toBe('queued');
    expect(await hubs().send('in the name of an agent')).toBe('awaiting_approval');
    expect(hubs().mum.work.rules.current()).toMatchObject([{ asking_agent: '' }]);
  });

  it('a rule is made for the digest that was shown, or not at all', async () => {
    await hubs().send('first');
    const { id, revision } = hubs().mum.card;
    const other = {
      id,
      revision,
      digest: '0'.repeat(64),
      decision: 'allow',
      scope: 'always',
    } as const;
    await expect(hubs().mum.work.approvals.decide(other, BROWSER)).rejects.toMatchObject({
      code: 'request_changed',
    });
    expect(hubs().mum.work.rules.current()).toEqual([]);
  });

  it('counts equal requests that a person allowed in a row, until one is declined', async () => {
    for (const [text, before] of [
      ['one', 0],
      ['two', 1],
      ['three', 2],
      ['four', 3],
    ] as const) {
      await hubs().send(text);
      expect(hubs().mum.card.allowed_before).toBe(before);
      await hubs().mum.decide(hubs().mum.card, 'allow');
    }
    await hubs().send('elsewhere', { domain: 'family.lists' });
    expect(hubs().mum.card.allowed_before).toBe(0);
    await hubs().clear();
    await hubs().send('five');
    await hubs().mum.decide(hubs().mum.card, 'decline');
    await hubs().send('six');
    expect(hubs().mum.card.allowed_before).toBe(0);
  });
});
