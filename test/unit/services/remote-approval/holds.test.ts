// What adults were asked about becomes the people's here once they decide again: they are notified,
// or it is held as all else is.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import { BROWSER, OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

let house: RemoteApprovalHouse;
let leo: WorkHub;

beforeEach(async () => {
  house = await new RemoteApprovalHouse().open();
  leo = house.leo;
  await house.letDecide();
});
afterEach(() => house.close());

const notified = () => leo.events.filter(({ type }) => type === 'attention').length;
/** As long after the last notification as the next one may come. */
const later = () => house.clock.advance(120_000);

describe('what a program of the child’s wants to do by itself', () => {
  it('is no request of an agent: nobody gets a card, and it is told so', async () => {
    const wish = { tool: 'Bash', input: { command: 'ls' }, folder: '/', deadline_ms: 50_000 };
    const never = new AbortController().signal;
    await expect(leo.work.permissions.ask('robot', wish, never)).rejects.toMatchObject({
      code: 'blocked',
    });
    await house.clock.settle();
    for (const { work } of house.hubs) expect(work.approvals.pending()).toEqual([]);
  });
});

describe('a request that an adult’s hub decided about', () => {
  it('notifies the people of the child’s hub once they decide again', async () => {
    await house.ask();
    await later();
    const before = notified();
    await house.letDecide([], null);
    expect([leo.card.task_state, leo.card.held, notified()]).toEqual([
      'awaiting_approval',
      null,
      before + 1,
    ]);
  });

  it('is held without a notification where they decide again during a pause, and asked about after it', async () => {
    await leo.work.doNotDisturb.pause(null, BROWSER);
    const { id } = await house.ask();
    expect(leo.card.held).toBeNull();
    await later();
    const before = notified();
    await house.letDecide([], null);
    expect([leo.card.task_state, leo.card.held?.why, notified()]).toEqual([
      'held',
      'paused',
      before,
    ]);
    expect((await house.told(id)).state).toBe('held');
    expect(house.mum.work.approvals.pending()).toEqual([]);
    await leo.work.doNotDisturb.resume(BROWSER);
    await house.clock.settle();
    expect([leo.card.task_state, leo.card.held, notified()]).toEqual([
      'awaiting_approval',
      null,
      before + 1,
    ]);
  });

  it('stays where it is while the adults go on deciding about it', async () => {
    await leo.work.doNotDisturb.pause(null, BROWSER);
    await house.ask();
    await later();
    const before = notified();
    await house.letDecide([house.mum, house.dad], 'R1');
    expect([leo.card.task_state, leo.card.held, notified()]).toEqual([
      'awaiting_approval',
      null,
      before,
    ]);
  });

  it('is neither held nor notified of once its time is over', async () => {
    leo.approvalWaitMs = 60_000;
    await leo.work.doNotDisturb.pause(null, BROWSER);
    await house.ask();
    const { id } = leo.card;
    const before = notified();
    house.clock.standStill(60_001);
    await leo.work.remoteApproval.set([], null, BROWSER);
    expect([leo.work.approvals.get(id).held, notified()]).toEqual([null, before]);
    await house.clock.advance(1);
    expect(leo.work.approvals.get(id).state).toBe('expired');
  });

  it('stays asked about when it was asked here before, whatever is changed for others', async () => {
    await house.letDecide([], null);
    await house.ask();
    await leo.work.doNotDisturb.setQuietHours(
      [{ name: 'Dinner', from: '00:00', to: '23:59', days: [1, 2, 3, 4, 5, 6, 7], on: true }],
      undefined,
      BROWSER,
    );
    expect(leo.card.held).toBeNull();
    await house.letDecide([house.mum], 'R3');
    await house.letDecide([], null);
    expect([leo.card.task_state, leo.card.held]).toEqual(['awaiting_approval', null]);
  });
});

describe('a question in the quiet hours of the adult who is asked', () => {
  const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
  const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 16);
  const mumIsQuiet = async () => {
    const [from, to] = [house.clock.wallMs() - 3_600_000, house.clock.wallMs() + 3_600_000].map(
      timeOf,
    );
    await house.mum.work.doNotDisturb.setQuietHours(
      [{ name: 'Dinner', from: from ?? '', to: to ?? '', days: EVERY_DAY, on: true }],
      undefined,
      BROWSER,
    );
  };
  const calls = () => house.mum.events.filter(({ type }) => type === 'attention').length;

  it('waits before her at once, silenced, where it is about what is dangerous, and notifies when they are over', async () => {
    await leo.work.agents.setClass('robot', { riskClass: 'R3' }, OWNER);
    await mumIsQuiet();
    await house.ask('Unlock the front door');
    expect(house.mum.card).toMatchObject({
      risk_class: 'R3',
      task_state: 'awaiting_approval',
      held: null,
    });
    expect([calls(), leo.card.decided_by_hubs?.[0]?.state]).toEqual([0, 'asked']);
    await house.clock.advance(3_601_000);
    expect(calls()).toBe(1);
  });

  it('is held where it is about less', async () => {
    await mumIsQuiet();
    await house.ask();
    expect(house.mum.card).toMatchObject({
      risk_class: 'R2',
      task_state: 'held',
      held: { why: 'quiet_hours' },
    });
    expect(calls()).toBe(0);
  });

  it('of what is dangerous is held while she has muted the hub that asks', async () => {
    await leo.work.agents.setClass('robot', { riskClass: 'R3' }, OWNER);
    await house.mum.work.doNotDisturb.mute('leo', house.clock.wallMs() + 3_600_000, BROWSER);
    await house.ask();
    expect(house.mum.card).toMatchObject({
      risk_class: 'R3',
      task_state: 'held',
      held: { why: 'muted' },
    });
  });
});
