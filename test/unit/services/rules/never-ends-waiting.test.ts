// A rule "never" and the cards that wait when a person makes it, over two hubs with real stores:
// what it declines can be allowed by nobody any more, and whoever asked is told.
import { describe, expect, it } from 'vitest';
import { ANYBODY, HOUR, ruledHubs } from '../../../fakes/ruled-hubs.ts';
import { BROWSER } from '../../../fakes/work-hub.ts';
import { decidedOf } from '../../../../preload/contract/strings/story.ts';

const never = new AbortController().signal;
const hubs = ruledHubs();

/** How the cards at Mum's ended, by their text: state, surface and whose story it is. */
const ended = () =>
  Object.fromEntries(
    hubs()
      .mum.work.approvals.decided({ limit: 20 })
      .items.map(({ text, state, surface, story }) => [
        text,
        [state, surface, decidedOf(story)] as const,
      ]),
  );

/** The states of what Dad's hub asked for, by the text, as it stands there. */
const toldDad = async () =>
  Object.fromEntries(
    (await hubs().dad.work.tasks.list({ limit: 20 }, { person: BROWSER })).items.map(
      ({ text, state, code }) => [text, [state, code] as const],
    ),
  );

const RULE = 'Your rule “dad may never ask Claude for anything in Family chat” declined it.';
const BY_RULE = ['declined', 'rule', RULE];

describe('what waits when a person says "never"', () => {
  it('is declined by the rule of a card in the same commit, except that card itself and what the rule is not about', async () => {
    const { mum } = hubs();
    await hubs().send('first');
    await hubs().send('second');
    await hubs().send('third', {}, 'helper');
    await hubs().send('elsewhere', { domain: 'family.lists' });
    const card = mum.work.approvals.pending().find(({ text }) => text === 'first');
    if (card === undefined) throw new Error('no first card');
    const { id, revision, digest } = card;
    await mum.work.approvals.decide(
      { id, revision, digest, decision: 'decline', scope: 'never' },
      BROWSER,
    );
    expect(hubs().waiting()).toEqual(['elsewhere']);
    await hubs().clock.settle();
    expect(ended()).toEqual({
      first: ['declined', 'browser', "mum's person declined it, on mum."],
      second: BY_RULE,
      third: BY_RULE,
    });
    expect(await toldDad()).toMatchObject({
      first: ['declined', 'rejected'],
      second: ['declined', 'rejected'],
      third: ['declined', 'rejected'],
      elsewhere: ['awaiting_approval', null],
    });
    const [rule] = mum.work.rules.current();
    expect(rule).toMatchObject({ effect: 'never', uses: 2 });
    const declined = mum.store.read
      .audit({ limit: 50 })
      .filter(({ action }) => action === 'approval.declined');
    expect(declined.map(({ actor, surface, rule: by }) => [actor, surface, by])).toEqual([
      ['hub', 'rule', rule?.id],
      ['hub', 'rule', rule?.id],
      ['ui:1', 'browser', null],
    ]);
  });

  it.each([
    ['the rules page', (id: string) => hubs().mum.work.rules.get(id)],
    [
      'a rule that is restored',
      async (id: string) => {
        await hubs().mum.work.rules.remove(id, BROWSER);
        await hubs().send('second');
        expect(hubs().waiting()).toEqual(['second']);
        return hubs().mum.work.rules.restore(id, BROWSER);
      },
    ],
    [
      'a rule that is resumed',
      async (id: string) => {
        await hubs().mum.work.rules.setSuspended(id, true, BROWSER);
        await hubs().send('second');
        expect(hubs().waiting()).toEqual(['second']);
        return hubs().mum.work.rules.setSuspended(id, false, BROWSER);
      },
    ],
  ])('is declined by %s, too', async (_, again) => {
    await hubs().send('first');
    const { id } = await hubs().mum.work.rules.create(
      { ...ANYBODY, effect: 'never', domain: 'family.chat' },
      BROWSER,
    );
    await again(id);
    await hubs().clock.settle();
    expect(hubs().waiting()).toEqual([]);
    for (const state of Object.values(await toldDad()))
      expect(state).toEqual(['declined', 'rejected']);
  });

  it('ends when it is held for later, and when it is a question whose asker waits', async () => {
    const { dad, mum } = hubs();
    await hubs().send('later');
    await mum.work.holds.snooze(mum.card.id, hubs().clock.wallMs() + HOUR, BROWSER);
    const question = { to: 'mum', question: 'Why?', domain: 'family.chat' };
    const asked = dad.work.sender.query(question, 'openclaw', never);
    const refused = expect(asked).rejects.toMatchObject({ code: 'rejected' });
    await hubs().clock.settle();
    expect(hubs().waiting()).toEqual(['later', 'Why?']);
    await mum.work.rules.create({ ...ANYBODY, effect: 'never' }, BROWSER);
    await refused;
    expect(hubs().waiting()).toEqual([]);
    expect(await toldDad()).toMatchObject({ later: ['declined', 'rejected'] });
  });

  it('stays where the rule is not about it, asks, or allows: a person sees it', async () => {
    const { mum } = hubs();
    await hubs().send('first');
    const allow = {
      ...ANYBODY,
      effect: 'allow',
      peer: 'dad',
      agent: 'claude',
      domain: 'family.chat',
    } as const;
    await mum.work.rules.create(allow, BROWSER);
    await mum.work.rules.create({ ...ANYBODY, effect: 'ask' }, BROWSER);
    await mum.work.rules.create({ ...ANYBODY, effect: 'never', agent: 'lists' }, BROWSER);
    expect(hubs().waiting()).toEqual(['first']);
  });

  it('leaves what a program of this computer asks for itself to a person, and tries no rule on it', async () => {
    const { mum } = hubs();
    const wants = { tool: 'Bash', input: {}, folder: '/home/mum', deadline_ms: HOUR };
    const said = mum.work.permissions.ask('claude', wants, never);
    await hubs().clock.settle();
    const waits = hubs().waiting();
    expect(waits).toHaveLength(1);
    const draft = { ...ANYBODY, effect: 'never' } as const;
    expect(mum.work.rules.preview(draft).trials).toEqual([]);
    await mum.work.rules.create(draft, BROWSER);
    expect(hubs().waiting()).toEqual(waits);
    await mum.decide(mum.card, 'decline');
    expect((await said).decision).toBe('decline');
  });
});
