// What a conversation shows of a request beside its text: area, reason, fields and options; and of
// what an adult's hub decides for a child's, the request itself, at both hubs.
import { afterEach, describe, expect, it } from 'vitest';
import { askedOf, wouldDoOf } from '../../../../preload/contract/strings/story.ts';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import { closeTwoHubs, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

const PLAN = 'dinner-plans';

/** The request in the one conversation of a hub, for people or an agent. */
async function requestAt(hub: WorkHub, id: string, agent: string | null = null) {
  const { conversation, entries } = await hub.work.conversations.get(id, agent);
  const entry = entries.find(({ kind }) => kind === 'delegate' || kind === 'query');
  return { title: conversation.title, entry, request: entry?.request };
}

describe('of a request between two hubs', () => {
  let hubs: TwoHubs | undefined;
  afterEach(() => hubs && closeTwoHubs(hubs));

  async function ask(more: object): Promise<TwoHubs> {
    hubs = await openTwoHubs();
    await hubs.dad.work.sender.delegate(
      delegation('mum', 'Dinner is at 7', {
        domain: 'family.chat',
        conversation: { id: PLAN },
        ...more,
      }),
      'openclaw',
      null,
    );
    await hubs.clock.settle();
    return hubs;
  }

  it('shows area, reason and fields, escaped, at both hubs; no agent gets more than before', async () => {
    const { dad, mum } = await ask({
      reason: 'Grandma \u202evisits',
      priority: 'urgent',
      topic: 'dinner',
      context: { guests: ['Ann', 'Bo'], time: '19:00' },
    });
    for (const hub of [mum, dad]) {
      const { entry, request } = await requestAt(hub, PLAN);
      expect(entry?.text).toBe('Dinner is at 7');
      expect(request).toMatchObject({
        domain: 'family.chat',
        reason: 'Grandma [U+202E]visits',
        choice: null,
        decision: null,
        fields_left_out: 0,
      });
      expect(Object.fromEntries(request?.fields ?? [])).toEqual({
        priority: 'urgent',
        topic: 'dinner',
        'context.guests[0]': 'Ann',
        'context.guests[1]': 'Bo',
        'context.time': '19:00',
      });
    }
    expect((await requestAt(dad, PLAN, 'openclaw')).entry).not.toHaveProperty('request');
  });

  it('bounds what would fill the page, and says how much was left out', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`k${at}`, 'x'.repeat(500)]),
    );
    const { mum } = await ask({ context: many });
    const { request } = await requestAt(mum, PLAN);
    expect(request?.fields_left_out).toBeGreaterThan(20);
    expect((request?.fields.length ?? 0) + (request?.fields_left_out ?? 0)).toBe(40);
  });

  it('shows what a person is to choose from', async () => {
    const { mum } = await ask({
      act: 'escalate',
      options: [
        { id: 'bus', label: 'Take the bus', pros: ['cheap'] },
        { id: 'train', label: 'Take the train', cons: ['dear'] },
      ],
      recommendation: 'train',
    });
    const { request } = await requestAt(mum, PLAN);
    expect(request).toMatchObject({
      fields: [],
      choice: {
        recommended: 'train',
        options: [
          { label: 'Take the bus', pros: ['cheap'], cons: [] },
          { label: 'Take the train', pros: [], cons: ['dear'] },
        ],
      },
    });
  });
});

describe('of what an adult decides', () => {
  let house: RemoteApprovalHouse | undefined;
  afterEach(() => house?.close());

  it('is the request itself at both hubs, in its asker’s words, with for whom and who would do it', async () => {
    house = await new RemoteApprovalHouse().open();
    const { leo, mum } = house;
    await house.letDecide();
    await house.ask('Mow the \u202elawn', { reason: 'It is high', context: { where: 'garden' } });
    for (const hub of [leo, mum]) {
      const question = hub.store.read
        .tasks({ limit: 9 })
        .find(({ toAgent, fromAgent }) => toAgent === null && fromAgent === null);
      const { title, entry, request } = await requestAt(hub, question?.conversationId ?? '');
      expect([title, entry?.text]).toEqual(['Mow the [U+202E]lawn', 'Mow the [U+202E]lawn']);
      expect(request).toMatchObject({
        domain: 'home.robot',
        reason: 'It is high',
        fields: [['context.where', 'garden']],
      });
      const about = request?.decision;
      if (!about) throw new Error('it is a decision for another hub');
      expect(about.on_behalf_of?.asked_by).toBe('friend');
      expect(`${askedOf(about)} ${wouldDoOf(about)}`).toBe(
        hub === mum
          ? "leo asks mum's person whether it may be done. Decided here for leo. Robot on leo would do it."
          : 'leo asks mum whether it may be done. Robot would do it.',
      );
      const task = question && hub.work.tasks;
      expect((await task?.list({ limit: 9 }, { agent: 'robot' }))?.items ?? []).not.toContainEqual(
        expect.objectContaining({ id: question?.id }),
      );
    }
  });
});
