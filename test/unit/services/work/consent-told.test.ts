// What an adult's hub says of an answer after it was given: that it waits, came there, was used or never came there, and nothing of what became
// of the request at the child's hub.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalDto } from '../../../../preload/contract/dto.ts';
import { ConsentHouse } from '../../../fakes/consent-house.ts';
import type { WorkHub } from '../../../fakes/work-hub.ts';

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
    await mum.store.write((tables) => tables.outboxOf(leo.key).forEach((row) => tables.putOutbox({ ...row, expiresAtUptimeMs: 0 })));
    await house.clock.advance(LONGEST_PAUSE_MS);
    expect(told(id)).toBe('given_up');
    expect(lastShown(id)?.consent?.told).toBe('given_up');
    await mum.restart();
    expect(told(id)).toBe('given_up');
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
  for (const { work } of [mum, leo]) {
    const question = work.conversations.list({ limit: 10 }, null).items.find((conversation) => conversation.id === id);
    expect(question).toMatchObject({ title: 'May this be done?', state: 'answered' });
    expect(work.conversations.get(id, null).entries.filter(({ kind }) => kind === 'result')).toMatchObject([{ state: 'answered' }]);
  }
});
