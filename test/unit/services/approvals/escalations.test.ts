// A person at another hub is asked to choose: what the card holds, what the asker hears, and that
// neither an agent nor a rule ever chooses.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BROWSER, delegation, OWNER, WINDOW, type WorkHub } from '../../../fakes/work-hub.ts';
import { closeTwoHubs, newest, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';

const never = new AbortController().signal;
const OPTIONS = [
  {
    id: 'direct',
    label: '09:12, direct',
    pros: ['No change of trains'],
    cons: ['Costs 41.90 euros'],
  },
  {
    id: 'change',
    label: '10:40, one change',
    pros: ['Costs 19.90 euros'],
    cons: ['7 minutes in Fulda'],
  },
];
const QUESTION = 'Which train should I book?';
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const escalate = async (more = {}) => {
  const asked = delegation('mum', QUESTION, {
    options: OPTIONS,
    recommendation: 'direct',
    ...more,
  });
  const report = await dad.work.sender.delegate(asked, 'openclaw', null);
  await clock.settle();
  return report;
};
const seen = (id: string) => dad.work.tasks.get(id, { agent: 'openclaw' }, 0, never);
const decide = (words: { answer?: string; choice?: string }, by = BROWSER) => {
  const { id, revision, digest } = mum.card;
  return mum.work.approvals.decide({ id, revision, digest, decision: 'answer', ...words }, by);
};
/** As another hub sends it, past all that ours looks at. */
const sent = (payload: object) =>
  mum.hears(dad.key, {
    id: crypto.randomUUID(),
    kind: 'delegate',
    payload: { task: QUESTION, act: 'escalate', ...payload },
  });

describe('an escalation', () => {
  it('waits for a person with its options, and no agent is named', async () => {
    expect(await escalate()).toMatchObject({
      state: 'awaiting_approval',
      chosen: { peer_name: 'mum', agent: null },
    });
    expect(mum.card).toMatchObject({
      text: QUESTION,
      to_agent: '',
      risk_class: 'R0',
      risk_reason: 'nothing_runs',
      choice: { options: OPTIONS, recommended: 'direct' },
      wider: [],
    });
  });

  it('is answered by choosing: the asker hears the option, its id and who chose', async () => {
    const { id } = await escalate();
    const decided = await decide({ choice: 'change' }, WINDOW);
    expect(decided).toMatchObject({
      state: 'answered',
      own_answer: { text: '10:40, one change', choice: 'change' },
      surface: 'window',
      task_state: 'completed',
    });
    await clock.settle();
    expect(await seen(id)).toMatchObject({
      state: 'completed',
      untrusted: {
        outcome: '10:40, one change',
        data: { choice: 'change', decided_by: "mum's person" },
        answered_by: "mum's person",
      },
    });
    expect(await dad.claim('openclaw')).toMatchObject({
      kind: 'result',
      untrusted: { text: '10:40, one change' },
    });
    expect(
      mum.store.read.audit({ limit: 20 }).find(({ action }) => action === 'approval.answered'),
    ).toMatchObject({
      surface: 'window',
      detail: expect.stringContaining('"choice":"change"') as string,
    });
  });

  it('may be answered in the person’s own words instead, which choose nothing', async () => {
    const { id } = await escalate();
    expect((await decide({ answer: 'Take the bus.' })).own_answer).toEqual({
      text: 'Take the bus.',
      choice: null,
    });
    await clock.settle();
    expect((await seen(id)).untrusted).toMatchObject({
      outcome: 'Take the bus.',
      data: { choice: null, decided_by: "mum's person" },
    });
  });

  it('may be declined, and expires, as every delegation', async () => {
    const declined = await escalate();
    await mum.decide(mum.card, 'decline', BROWSER, { reason: 'neither' });
    await clock.settle();
    expect(await seen(declined.id)).toMatchObject({ state: 'declined', code: 'rejected' });
    const late = await escalate({ deadline_ms: 60_000 });
    await clock.advance(61_000);
    expect(await seen(late.id)).toMatchObject({ state: 'expired', code: 'approval_expired' });
  });

  it('is called off by whoever asked, and then nobody can choose', async () => {
    const { id } = await escalate();
    const { id: card, revision, digest } = mum.card;
    await dad.work.tasks.cancel(id, { agent: 'openclaw' }, 'Booked already');
    await clock.settle();
    expect(mum.work.approvals.get(card)).toMatchObject({ state: 'cancelled', own_answer: null });
    await expect(
      mum.work.approvals.decide(
        { id: card, revision, digest, decision: 'answer', choice: 'direct' },
        BROWSER,
      ),
    ).rejects.toMatchObject({ code: 'already_decided' });
    expect(await seen(id)).toMatchObject({ state: 'cancelled' });
  });

  it('cannot be allowed, and no agent gets it, after a restart either', async () => {
    await escalate();
    await expect(mum.decide(mum.card, 'allow')).rejects.toMatchObject({ code: 'bad_request' });
    await mum.restart();
    expect(mum.card.choice?.options).toHaveLength(2);
    await decide({ choice: 'direct' });
    expect(await mum.work.inbox.claim('claude', 1)).toEqual([]);
    expect(mum.store.read.deliveryOfTask(newest(mum).id, 'delegate')).toBeUndefined();
  });

  it.each([
    ['an option that is not there', { choice: 'plane' }],
    ['an option and words at once', { choice: 'direct', answer: 'And bring milk' }],
    ['nothing', {}],
  ])('is not decided by %s', async (_what, words) => {
    await escalate();
    await expect(decide(words)).rejects.toMatchObject({ code: 'bad_request' });
    expect(mum.card.state).toBe('pending');
  });

  it('is chosen once: the second surface hears who was first', async () => {
    const { id } = await escalate();
    const card = mum.card;
    const choose = (choice: string, by = BROWSER) =>
      mum.work.approvals.decide(
        { id: card.id, revision: card.revision, digest: card.digest, decision: 'answer', choice },
        by,
      );
    const [first, second] = await Promise.allSettled([choose('direct'), choose('change', WINDOW)]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
    expect(second).toMatchObject({
      reason: { code: 'already_decided', data: { surface: 'browser' } },
    });
    await clock.settle();
    expect((await seen(id)).untrusted?.data).toMatchObject({ choice: 'direct' });
  });

  it('needs no agent at the hub that is asked', async () => {
    await mum.work.agents.remove('claude', OWNER);
    const { id } = await escalate();
    await decide({ choice: 'direct' });
    await clock.settle();
    expect((await seen(id)).state).toBe('completed');
  });

  it('of an agent of this hub asks its own person', async () => {
    const asked = delegation('local', QUESTION, { options: OPTIONS });
    const report = await mum.work.sender.delegate(asked, 'claude', null);
    expect(report.state).toBe('awaiting_approval');
    await decide({ choice: 'direct' });
    const result = await mum.claim('claude');
    expect(result).toMatchObject({
      kind: 'result',
      task_id: report.id,
      untrusted: { text: '09:12, direct', origin: { from_agent: null } },
    });
  });

  it('work is not decided by a choice', async () => {
    await dad.work.sender.delegate(
      delegation('mum', 'Feed the cat', { domain: 'family.chat' }),
      'openclaw',
      null,
    );
    await clock.settle();
    await expect(decide({ choice: 'direct' })).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('a rule', () => {
  it('never answers an escalation, however much its sender may do', async () => {
    await dad.work.sender.delegate(
      delegation('mum', 'Feed the cat', { domain: 'family.chat', topic: 'cat' }),
      'openclaw',
      null,
    );
    await clock.settle();
    const { id, revision, digest } = mum.card;
    await mum.work.approvals.decide(
      { id, revision, digest, decision: 'allow', scope: 'always' },
      BROWSER,
    );
    expect(mum.store.read.currentRules()).toHaveLength(1);
    await escalate({ domain: 'family.chat', topic: 'cat' });
    expect(mum.card.choice).not.toBeNull();
    expect(await mum.work.inbox.claim('claude', 5)).toHaveLength(1);
  });

  it('turns an escalation away where it turns away all that the hub asks', async () => {
    const all = {
      peer: 'dad',
      agent: null,
      domain: null,
      kind: null,
      asking_agent: null,
      topic: null,
    } as const;
    await mum.work.rules.create({ effect: 'never', ...all }, BROWSER);
    await expect(escalate()).rejects.toMatchObject({ code: 'rejected' });
    expect(mum.work.approvals.pending()).toEqual([]);
  });
});

describe('a hostile escalation', () => {
  it.each([
    [
      'the same id twice',
      {
        options: [
          { id: 'a', label: 'A' },
          { id: 'a', label: 'B' },
        ],
      },
    ],
    [
      '1,000 options',
      { options: Array.from({ length: 1_000 }, (_, index) => ({ label: `Option ${index}` })) },
    ],
    [
      'a recommendation of an option that is not there',
      { options: OPTIONS, recommendation: 'plane' },
    ],
    ['no options, for an agent that would take it as work', { domain: 'family.chat' }],
    ['options that are null', { domain: 'family.chat', options: null }],
  ])('with %s is refused and asks nobody', async (_what, payload) => {
    expect(await sent(payload)).toMatchObject({
      kind: 'error',
      payload: { code: 'invalid_envelope' },
    });
    expect(mum.work.approvals.pending()).toEqual([]);
    expect(mum.store.read.tasks({ limit: 1 })).toEqual([]);
  });

  it('shows what turns its direction, and is told its own words unchanged', async () => {
    const label = '\u202Etcerid, 21:90';
    await sent({ options: [{ label }, { label: 'B' }], evil: { note: 'context' } });
    expect(mum.card.choice?.options[0]).toMatchObject({ id: '1', label: '[U+202E]tcerid, 21:90' });
    expect(mum.card.fields).toContainEqual(['evil.note', 'context']);
    expect((await decide({ choice: '1' })).own_answer?.text).toBe('[U+202E]tcerid, 21:90');
    await clock.settle();
    expect(mum.messenger.sent.find(({ kind }) => kind === 'result')?.payload.outcome).toBe(label);
  });

  it('whose stored card was damaged is not decided', async () => {
    await escalate();
    await mum.damageView(mum.card.id, 'Sell the house?');
    await expect(decide({ choice: 'direct' })).rejects.toMatchObject({ code: 'request_changed' });
  });
});

describe('what an agent sends', () => {
  it('asks nobody to choose at a hub that would read plain work, and the agent is told', async () => {
    dad.messenger.extensions = () => ['route/1', 'conversation/1', 'receipts/1', 'progress/1'];
    await expect(escalate()).rejects.toMatchObject({
      code: 'unsupported_feature',
      message: 'mum cannot ask its person to choose yet.',
    });
    expect(dad.messenger.sent.map(({ kind }) => kind)).not.toContain('delegate');
    expect(dad.store.read.tasks({ limit: 1 })).toEqual([]);
    expect(
      (await dad.work.sender.delegate(delegation('mum', 'Feed the cat'), 'openclaw', null)).state,
    ).not.toBe('failed');
  });

  it.each([
    ['one option', { options: OPTIONS.slice(1) }],
    ['a recommendation of none', { recommendation: 'plane' }],
    ['a recommendation without options', { options: undefined }],
  ])('with %s does not leave its hub', async (_what, more) => {
    await expect(escalate(more)).rejects.toMatchObject({ code: 'bad_request' });
    expect(dad.messenger.sent.map(({ kind }) => kind)).not.toContain('delegate');
  });
});
