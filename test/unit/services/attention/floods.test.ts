// Somebody asks more than anybody answers: it is counted, it may not notify, muting it is offered,
// and nothing of it grows without end.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Floods } from '../../../../main/services/attention/floods.ts';
import type { AttentionDto } from '../../../../preload/contract/attention.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { keyOf } from '../../../fakes/sample-rows.ts';
import { BROWSER, peerRow, WorkHub } from '../../../fakes/work-hub.ts';
import {
  PENDING_PER_PARTY_MAX,
  PENDING_TOTAL_MAX,
} from '../../../../main/services/approvals/limits.ts';

const KID = keyOf('Kid');
const MINUTE_MS = 60_000;

describe('the count of what was asked in vain', () => {
  it('offers a mute after three refusals within ten minutes, and no more once they are older', async () => {
    const clock = new ManualClock();
    const floods = new Floods(clock, () => undefined);
    floods.add(KID, 'declined');
    await clock.advance(9 * MINUTE_MS);
    floods.add(KID, 'declined');
    expect([floods.isFlooding(KID), floods.list()]).toEqual([false, []]);
    floods.add(KID, 'too_many');
    expect(floods.list()).toMatchObject([{ party: KID, refused: 1, silent: true }]);
    await clock.advance(MINUTE_MS);
    expect([floods.isFlooding(KID), floods.list()]).toMatchObject([
      false,
      [{ refused: 1, silent: false }],
    ]);
    await clock.advance(9 * MINUTE_MS);
    expect(floods.list()).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  it('is told at most once a second, with the last number in the end', async () => {
    const clock = new ManualClock();
    const told: number[] = [];
    const floods: Floods = new Floods(clock, () => told.push(floods.list()[0]?.refused ?? 0));
    for (let round = 0; round < 500; round++) {
      floods.add(KID, 'too_many');
      await clock.advance(10);
    }
    await clock.advance(1_000);
    expect(told[0]).toBe(1);
    expect(told.at(-1)).toBe(500);
    expect(told.length).toBeLessThanOrEqual(7);
    floods.stop();
  });

  it('ends with the hub: what comes after sets no timer and tells nobody', () => {
    const clock = new ManualClock();
    let told = 0;
    const floods = new Floods(clock, () => (told += 1));
    floods.stop();
    for (let round = 0; round < 3; round++) floods.add(KID, 'too_many');
    expect([clock.timers, told, floods.list()]).toEqual([0, 0, []]);
  });

  it('does not count agents of this hub', () => {
    const floods = new Floods(new ManualClock(), () => undefined);
    for (let round = 0; round < 9; round++) floods.add('agent:claude', 'too_many');
    expect(floods.list()).toEqual([]);
  });
});

describe('a hub that is flooded', () => {
  const clock = new ManualClock();
  let mum: WorkHub;
  const kid = { key: KID, name: 'kid' };
  const dad = { key: keyOf('Dad'), name: 'dad' };

  beforeEach(async () => {
    mum = await new WorkHub({ name: 'mum', network: new MemoryNetwork(), clock }).start();
    await mum.agent('claude', ['family.chat']);
    await mum.store.write((tables) => [tables.putPeer(peerRow(kid)), tables.putPeer(peerRow(dad))]);
  });
  afterEach(async () => {
    await clock.settle();
    await mum.close();
  });

  const ask = async (task: string, from = kid.key) => {
    const payload = { task, domain: 'family.chat' };
    return (await mum.hears(from, { id: crypto.randomUUID(), kind: 'delegate', payload })).payload;
  };
  const told = (): AttentionDto | undefined =>
    mum.events.findLast((event) => event.type === 'do_not_disturb')?.attention;

  it('DL-08: 500 requests of one hub are five cards, one notification and one line with the count; the offered mute ends them', async () => {
    for (let round = 0; round < 500; round++) {
      await ask(`flood ${round}`);
      await clock.advance(480);
    }
    expect((await ask('Dinner is at 7', dad.key)).accepted).toBe(true);
    expect(mum.work.approvals.pending().map((card) => card.peer_name)).toEqual([
      'kid',
      'kid',
      'kid',
      'kid',
      'kid',
      'dad',
    ]);
    const notified = mum.events
      .filter((event) => event.type === 'attention')
      .map((event) => event.peer_name);
    expect(notified).toEqual(['kid', 'dad']);
    await clock.advance(1_000);
    expect(told()?.floods).toMatchObject([{ peer_name: 'kid', refused: 495, silent: true }]);

    await mum.work.doNotDisturb.mute('kid', clock.wallMs() + 86_400_000, BROWSER);
    const waiting = mum.work.approvals.pending().map((card) => [card.peer_name, card.held?.why]);
    expect(waiting.filter(([name]) => name === 'kid')).toEqual(Array(5).fill(['kid', 'muted']));
    expect(waiting.at(-1)).toEqual(['dad', undefined]);
    await clock.advance(1_000);
    expect(told()?.floods).toEqual([]);
    for (let round = 0; round < 10; round++) await ask(`more ${round}`);
    expect(mum.events.filter((event) => event.type === 'attention')).toHaveLength(2);
  });

  it('is not a hub that finds every place taken by others', async () => {
    for (let other = 0; other < PENDING_TOTAL_MAX / PENDING_PER_PARTY_MAX; other++) {
      const hub = { key: keyOf(`Other ${other}`), name: `other ${other}` };
      await mum.store.write((tables) => tables.putPeer(peerRow(hub)));
      for (let round = 0; round < PENDING_PER_PARTY_MAX; round++)
        await ask(`task ${round}`, hub.key);
    }
    for (let round = 0; round < 4; round++) {
      expect(await ask(`no place ${round}`, dad.key)).toMatchObject({
        accepted: false,
        code: 'overloaded',
      });
      const question = { question: 'Milk?', domain: 'family.chat' };
      const { payload } = await mum.hears(dad.key, {
        id: crypto.randomUUID(),
        kind: 'query',
        payload: question,
      });
      expect(payload).toMatchObject({ code: 'overloaded' });
    }
    expect([mum.work.doNotDisturb.floods.list(), mum.work.doNotDisturb.mayNotify(dad.key)]).toEqual(
      [[], true],
    );
  });

  it('is one that asks more than five things at once, questions as well', async () => {
    const lines: Promise<unknown>[] = [];
    for (let round = 0; round < PENDING_PER_PARTY_MAX + 3; round++) {
      const payload = { question: `Milk ${round}?`, domain: 'family.chat', deadline_ms: 5_000 };
      lines.push(mum.hears(kid.key, { id: crypto.randomUUID(), kind: 'query', payload }));
    }
    await clock.settle();
    expect(mum.work.doNotDisturb.floods.list()).toMatchObject([
      { party: KID, refused: 3, silent: true },
    ]);
    await clock.advance(5_000);
    await Promise.all(lines);
  });

  it('offers the mute after three declined requests, too, and notifies no more of that hub meanwhile', async () => {
    for (let round = 0; round < 3; round++) {
      await ask(`again ${round}`);
      await mum.decide(mum.card, 'decline');
      await clock.advance(2 * MINUTE_MS);
    }
    expect(told()?.floods).toMatchObject([{ peer_name: 'kid', refused: 0, silent: true }]);
    const before = mum.events.filter((event) => event.type === 'attention').length;
    expect(before).toBe(3);
    await ask('once more');
    expect(mum.events.filter((event) => event.type === 'attention')).toHaveLength(before);
  });
});
