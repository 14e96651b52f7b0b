// What an adult's hub says of an answer after it was given: that it waits, came there, was used or never came there, and nothing of what became
// of the request at the child's hub.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalDto } from '../../../../preload/contract/dto.ts';
import type { TaskRow } from '../../../../main/ports/store.ts';
import { questionOfTask } from '../../../../main/services/work/consent-question.ts';
import { givenUpMark } from '../../../../main/services/work/consent-told.ts';
import { ConsentHouse } from '../../../fakes/consent-house.ts';
import { ANYBODY } from '../../../fakes/ruled-hubs.ts';
import { BROWSER, type WorkHub } from '../../../fakes/work-hub.ts';

/** Between two looks at what waits too long. */
const LONGEST_PAUSE_MS = 600_000;

let house: ConsentHouse;
let leo: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  house = await new ConsentHouse().open();
  ({ leo, mum } = house);
});
afterEach(() => house.close());

const told = (id: string) => mum.work.approvals.get(id).consent?.told;
const givesUp = async () => {
  await mum.store.write((tables) => tables.outboxOf(leo.key).forEach((row) => tables.putOutbox({ ...row, expiresAtUptimeMs: 0 })));
  await house.clock.advance(LONGEST_PAUSE_MS);
};
const givenUpMarks = () => {
  const results = mum.store.read.messages({ limit: 10 }, {}).filter(({ direction, kind }) => direction === 'out' && kind === 'result');
  expect(results).toHaveLength(1);
  return results.filter(({ messageId }) => mum.store.read.replay(leo.key, givenUpMark(messageId)) !== undefined).length;
};
const lastShown = (id: string): ApprovalDto | undefined =>
  mum.events.flatMap((event) => (event.type === 'approval' && event.approval.id === id ? [event.approval] : [])).at(-1);

describe('the card of an adult', () => {
  it('says that nothing was said yet while the question waits', async () => {
    await house.guard();
    await house.ask();
    expect(mum.card.consent?.told).toBeNull();
  });

  it.each(['allow', 'decline'] as const)(
    'says that the answer (%s) waits while the child’s hub is off, and when it came there',
    async (choice) => {
      await house.guard();
      await house.ask();
      const { id } = mum.card;
      mum.cut(leo);
      await house.decide(mum, choice);
      expect(told(id)).toBe('waits');
      expect(lastShown(id)?.consent?.told).toBe('waits');
      mum.connect(leo);
      await house.clock.advance(10_000);
      expect(told(id)).toBe('told');
      expect(lastShown(id)?.consent?.told, 'the page is told, too').toBe('told');
    },
  );

  it('says that the answer waits while the child’s hub took it nowhere, however well the line is', async () => {
    await house.guard();
    await house.ask();
    const { id } = mum.card;
    mum.messenger.lost.add('result');
    await house.decide(mum, 'allow');
    expect(told(id)).toBe('waits');
  });

  it('says that the answer never came there, once it is given up, over a restart as well', async () => {
    await house.guard();
    await house.ask();
    const { id } = mum.card;
    mum.cut(leo);
    await house.decide(mum, 'allow');
    await givesUp();
    expect(givenUpMarks()).toBe(1);
    expect(told(id)).toBe('given_up');
    expect(lastShown(id)?.consent?.told).toBe('given_up');
    await mum.restart();
    expect(told(id)).toBe('given_up');
  });

  it('says nothing of an answer where nobody gave one, and none is given up: the question expired', async () => {
    await house.guard();
    await house.ask('Mow the lawn', { deadline_ms: 60_000 });
    const { id } = mum.card;
    mum.cut(leo);
    await house.clock.advance(61_000);
    expect(mum.work.approvals.get(id)).toMatchObject({ state: 'expired', consent: { told: null } });
    await givesUp();
    expect(told(id)).toBeNull();
    expect(mum.store.read.outboxParties(), 'and the word of it is given up').toEqual([]);
    expect(givenUpMarks()).toBe(0);
  });

  it('says nothing of an answer where a rule here turned the question away', async () => {
    await mum.work.rules.create({ ...ANYBODY, effect: 'never', peer: leo.agentId }, BROWSER);
    await house.guard();
    await house.ask();
    const [card] = mum.work.approvals.decided({ limit: 5 }, 'rules').items;
    expect(card?.state).toBe('declined');
    expect(card?.consent).toMatchObject({ told: null });
  });

  it('says that the answer was not used, where the child’s hub said so', async () => {
    await house.guard();
    await house.ask();
    const { id } = mum.card;
    const question = leo.messenger.sent.find(({ kind }) => kind === 'delegate');
    await house.decide(mum, 'allow');
    const payload = { topic: 'axon.consent', data: { used: false, state: 'expired', why: 'expired' }, importance: 'low' };
    await mum.isTold(leo.key, { id: crypto.randomUUID(), kind: 'notify', ref: question?.id ?? null, payload });
    await house.clock.settle();
    expect(told(id)).toBe('unused');
    expect(lastShown(id)?.consent?.told).toBe('unused');
  });
});

it('calls a question of consent answered, not done, in the conversations of either hub', async () => {
  await house.guard();
  await house.ask();
  const id = mum.card.conversation_id;
  await house.decide(mum, 'allow');
  for (const { work, store } of [mum, leo]) {
    const question = work.conversations.list({ limit: 10 }, null).items.find((conversation) => conversation.id === id);
    expect(question).toMatchObject({ title: 'May this be done?', state: 'answered' });
    const reads = vi.spyOn(store.read, 'task');
    expect(work.conversations.get(id, null).entries.filter(({ kind }) => kind === 'result')).toMatchObject([{ state: 'answered' }]);
    expect(reads, 'none is read twice').not.toHaveBeenCalled();
    reads.mockRestore();
  }
});

it('tells most tasks from a question of consent without reading their payload', () => {
  const unread = (row: Pick<TaskRow, 'kind' | 'toAgent'>) => ({
    ...row,
    get payload(): string {
      throw new Error('it was read');
    },
  });
  expect(questionOfTask(unread({ kind: 'delegate', toAgent: 'robot' }))).toBeUndefined();
  expect(questionOfTask(unread({ kind: 'query', toAgent: null }))).toBeUndefined();
  expect(() => questionOfTask(unread({ kind: 'delegate', toAgent: null }))).toThrow('it was read');
});
