// What agents of one hub ask each other right after a start, before its record was compared: it waits for that, so that the rules decide it, and
// no longer than is said. What came before a person by then stays before them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMPARISON_WAIT_MAX_MS } from '../../../../main/services/work/limits.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { ANYBODY } from '../../../fakes/ruled-hubs.ts';
import { BROWSER, delegation, WorkHub } from '../../../fakes/work-hub.ts';

const never = new AbortController().signal;
let clock: ManualClock;
let hub: WorkHub;
let isPutBack: boolean;
let isUnchecked: boolean;

beforeEach(async () => {
  clock = new ManualClock();
  isPutBack = false;
  isUnchecked = false;
  const options = { isPutBack: () => isPutBack, isUnchecked: () => isUnchecked };
  hub = await new WorkHub({ name: 'mum', network: new MemoryNetwork(), clock, ...options }).start();
  await hub.agent('claude');
  await hub.agent('lists', ['logistics.grocery'], { risk: 'R1' });
  await send('Add salt');
  const { id, revision, digest } = hub.card;
  await hub.work.approvals.decide({ id, revision, digest, decision: 'allow', scope: 'always' }, BROWSER);
  await hub.claim('lists');
  isUnchecked = true;
  await hub.restart();
});
afterEach(async () => {
  await clock.settle();
  await hub.close();
});

const send = (task: string, key: string | null = null) =>
  hub.work.sender.delegate(delegation('local/lists', task, { domain: 'logistics.grocery' }), 'claude', key);
const compared = () => {
  isUnchecked = false;
  hub.work.compared();
};
const waiting = () => hub.work.approvals.pending().map(({ text }) => text);
const passed = () => hub.store.read.audit({ limit: 100 }).filter(({ action }) => action === 'request.passed');

describe('a request that comes before the record was compared', () => {
  it('waits for it, and is decided by the rule', async () => {
    const asked = send('Add oat milk');
    await clock.advance(COMPARISON_WAIT_MAX_MS - 1_000);
    expect([waiting(), passed()]).toEqual([[], []]);
    compared();
    await expect(asked).resolves.toMatchObject({ state: 'queued' });
    expect([waiting(), passed().length, passed()[0]?.rule]).toEqual([[], 1, hub.work.rules.current()[0]?.id]);
  });

  it('is not made where its agent is removed meanwhile, or the token of whoever asks is taken back', async () => {
    const over = new AbortController();
    const given = delegation('local/lists', 'Add nuts', { domain: 'logistics.grocery' });
    const cancelled = (asked: Promise<unknown>) => expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    const outcomes = [
      cancelled(send('Add honey')),
      cancelled(hub.work.sender.query({ to: 'local/lists', question: 'What is on it?' }, 'claude', never)),
      cancelled(hub.work.sender.delegate(given, null, null, over.signal)),
    ];
    await clock.settle();
    over.abort();
    await hub.work.removeAgent('claude', { id: 'ui-1', surface: 'browser' });
    compared();
    await Promise.all(outcomes);
    expect([waiting(), passed()]).toEqual([[], []]);
  });

  it('as a question, too', async () => {
    await hub.work.rules.create({ effect: 'never', ...ANYBODY, peer: 'local/claude' }, BROWSER);
    const refused = expect(hub.work.sender.query({ to: 'local/lists', question: 'What is on it?' }, 'claude', never)).rejects.toMatchObject(
      {
        code: 'rejected',
      },
    );
    await clock.settle();
    expect(waiting()).toEqual([]);
    compared();
    await refused;
    expect(waiting()).toEqual([]);
  });

  it('has the time that whoever asks gave it, from when it came', async () => {
    const question = { to: 'local/lists', question: 'What is on it?', deadline_ms: 15_000 };
    const ended = expect(hub.work.sender.query(question, 'claude', never)).rejects.toMatchObject({ code: 'approval_expired' });
    await clock.advance(8_000);
    compared();
    await clock.settle();
    expect(waiting()).toEqual(['What is on it?']);
    await clock.advance(7_001);
    expect(waiting()).toEqual([]);
    await ended;
  });

  it('made twice with one key meanwhile is one', async () => {
    const [one, two] = [send('Add oat milk', 'key'), send('Add oat milk', 'key')];
    await clock.settle();
    compared();
    expect((await one).id).toBe((await two).id);
    expect(passed()).toHaveLength(1);
  });

  it('is put before a person where it was not in ten seconds, and stays there when it was', async () => {
    const asked = send('Add oat milk');
    await clock.advance(COMPARISON_WAIT_MAX_MS + 1);
    await expect(asked).resolves.toMatchObject({ state: 'awaiting_approval' });
    await expect(send('Add rice'), 'and the next waits no more').resolves.toMatchObject({ state: 'awaiting_approval' });
    compared();
    hub.work.released();
    await clock.settle();
    expect([waiting(), passed()]).toEqual([['Add oat milk', 'Add rice'], []]);
  });

  it('is put before a person as soon as the record turns out to be one that was put back', async () => {
    const asked = send('Add oat milk');
    await clock.settle();
    isPutBack = true;
    compared();
    await expect(asked).resolves.toMatchObject({ state: 'awaiting_approval' });
    expect(passed()).toEqual([]);
  });

  it('to a hub that is not known is refused at once', async () => {
    await expect(hub.work.sender.delegate(delegation('nowhere', 'x'), 'claude', null)).rejects.toMatchObject({ code: 'peer_not_found' });
  });
});
