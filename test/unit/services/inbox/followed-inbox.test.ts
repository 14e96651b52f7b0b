// An agent that follows its inbox has what a person lets in with the very commit that lets it in:
// nothing waits in between, and what is taken back was never handed to anybody.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { STREAM_LEASED_MAX } from '../../../../main/api/http/limits.ts';
import { FollowedStream } from '../../../fakes/followed-stream.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeOneHub, openOneHub } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let hub: WorkHub;
let stream: FollowedStream;

beforeEach(async () => {
  ({ clock, hub } = await openOneHub());
  stream = new FollowedStream(hub, 'lists');
  await clock.settle();
});
afterEach(async () => {
  stream.end();
  await closeOneHub({ clock, hub });
});

const allow = () => {
  const { id, revision, digest } = hub.card;
  return hub.work.approvals.decide({ id, revision, digest, decision: 'allow' }, BROWSER);
};

it('is handed out in the commit that lets it in', async () => {
  await hub.work.sender.delegate(delegation('local/lists', 'Add salt'), 'claude', null);
  const states: number[] = [];
  // The works of one turn share a commit: these come after the decision and before the claim that
  // it sets off.
  const [decided] = await Promise.all([
    allow(),
    hub.store.write((tables) => void states.push(tables.countDeliveries('lists', ['queued']))),
    hub.store.write((tables) => void states.push(tables.countDeliveries('lists', ['claimed']))),
  ]);
  expect(decided.state).toBe('approved');
  expect(hub.store.read.countDeliveries('lists', ['claimed'])).toBe(1);
  await clock.settle();
  expect(stream.items).toHaveLength(1);
  expect(states).toEqual([1, 0]);
});

it('is handed to nobody when what let it in was taken back, and once when it is let in again', async () => {
  await hub.work.sender.delegate(delegation('local/lists', 'Add salt'), 'claude', null);
  const before = stream.sent;
  const write = hub.store.write.bind(hub.store);
  vi.spyOn(hub.store, 'write').mockImplementationOnce((work) =>
    write((tables) => {
      work(tables);
      expect(tables.countDeliveries('lists', ['queued'])).toBe(1);
      throw new Error('taken back');
    }),
  );
  await expect(allow()).rejects.toThrow('taken back');
  await clock.settle();
  expect([hub.store.read.countDeliveries('lists', ['queued', 'claimed']), stream.sent]).toEqual([
    0,
    before,
  ]);
  await allow();
  await clock.settle();
  expect(stream.items).toHaveLength(1);
});

it('brings what waited behind questions once nobody waits for their answers any more', async () => {
  await hub.agent('calendar', ['family.calendar'], { risk: 'R0' });
  const calendar = new FollowedStream(hub, 'calendar');
  const question = {
    to: 'local/calendar',
    question: 'Milk?',
    domain: 'family.calendar',
    deadline_ms: 5_000,
  };
  const never = new AbortController().signal;
  const asked = Array.from({ length: STREAM_LEASED_MAX }, () =>
    hub.work.sender.query(question, 'claude', never).catch(() => undefined),
  );
  await clock.settle();
  await hub.work.sender.delegate(delegation('local/calendar', 'Write it down'), 'claude', null);
  await allow();
  await clock.settle();
  expect(calendar.items).toHaveLength(STREAM_LEASED_MAX);
  await clock.advance(5_000);
  await Promise.all(asked);
  expect(calendar.items).toHaveLength(STREAM_LEASED_MAX + 1);
  calendar.end();
});
