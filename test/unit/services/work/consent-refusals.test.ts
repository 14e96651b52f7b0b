// What becomes of a question that an adult's hub did not take: what failed on this side of the line costs nobody anything there, and what that hub
// refuses for now holds back what is sent again as well as what is new.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import { ConsentPace } from '../../../../main/services/work/consent-pace.ts';
import { ConsentHouse } from '../../../fakes/consent-house.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { keyOf } from '../../../fakes/sample-rows.ts';
import { NO_LIMITS, peerRow, type WorkHub } from '../../../fakes/work-hub.ts';

const MINUTE_MS = 60_000;
/** The longest that a child's hub leaves an adult's alone for want of room, and what it may be late by. */
const LONGEST_MS = 80 * MINUTE_MS;

let house: ConsentHouse;
let leo: WorkHub;
let mum: WorkHub;

const openHouse = async (options: ConstructorParameters<typeof ConsentHouse>[0] = {}) => {
  house = await new ConsentHouse(options).open();
  ({ leo, mum } = house);
};
const closeHouse = () => house.close();

describe('a line from here that has too much under way', () => {
  beforeEach(() => openHouse());
  afterEach(closeHouse);
  const busy = new AppError('overloaded', 'Too much is under way to mum already.', { failedBy: 'local' });

  it('is not taken for mum’s word: her hub is asked again ten seconds later, and nobody lost a turn', async () => {
    await house.guard();
    leo.messenger.failing = busy;
    await house.wants(['red', 'The red one']);
    expect(leo.messenger.failed).toBe(1);
    expect(house.questions()).toMatchObject([{ state: 'failed', code: 'overloaded' }]);
    expect(house.standing()).toEqual(['asking']);
    leo.messenger.failing = undefined;
    await house.wants(['blue', 'The blue one']);
    expect(house.asked(), 'others do not wait for it').toEqual(['The blue one']);
    await house.clock.advance(10_000);
    expect(house.asked()).toEqual(['The blue one', 'The red one']);
  });
});

describe('the pace of one hub', () => {
  const hub = keyOf('Mum');
  let clock: ManualClock;
  let pace: ConsentPace;
  beforeEach(() => {
    clock = new ManualClock();
    pace = new ConsentPace({ clock, random: { fraction: () => 0.5, bytes: () => new Uint8Array(), uuid: () => '' } }, () => undefined);
  });
  afterEach(() => pace.stop());

  it('is freed by its room, or by its coming back, though one of what was on its way came too fast', async () => {
    for (const end of ['hasRoom', 'cameBack'] as const) {
      for (let times = 0; times < 8; times += 1) {
        pace.full(hub);
        await clock.advance(pace.waitMs(hub));
      }
      pace.full(hub);
      pace.tooFast(hub);
      expect(pace.waitMs(hub)).toBeGreaterThan(30 * MINUTE_MS);
      pace[end](hub);
      expect(pace.waitMs(hub), end).toBe(10_000);
      await clock.advance(10_000);
      expect(pace.waitMs(hub), end).toBe(0);
    }
  });

  it('waits for want of room, too, where that comes after one that was too fast', () => {
    pace.tooFast(hub);
    pace.full(hub);
    expect(pace.waitMs(hub)).toBeGreaterThan(30_000);
    pace.hasRoom(hub);
    expect(pace.waitMs(hub)).toBe(10_000);
  });
});

describe('a question whose ack was lost and which is refused when it is sent again', () => {
  afterEach(closeHouse);
  const lostAtFirst = async () => {
    await house.guard();
    leo.messenger.failing = new AppError('timeout', 'mum did not answer in time.', { failedBy: 'timeout' });
    await house.wants(['red', 'The red one']);
    leo.messenger.failing = undefined;
    expect(house.standing()).toEqual(['asking']);
  };
  const tries = () => leo.messenger.sent.filter(({ kind }) => kind === 'delegate').length;

  it('leaves that hub alone for growing times where it has no room, and its card says that it waits', async () => {
    await openHouse({ storedBytesPerDay: 500 });
    await lostAtFirst();
    await house.clock.advance(10 * MINUTE_MS);
    expect(tries()).toBeGreaterThan(1);
    expect(tries(), 'a minute, two, four').toBeLessThanOrEqual(5);
    expect(house.standing()).toEqual(['in_line']);
    await house.wants(['blue', 'The blue one']);
    expect(house.standing(), 'nor is it asked anything else').toEqual(['in_line', 'in_line']);
  });

  it('is taken once there is room', async () => {
    await openHouse();
    // To mum leo's hub is like any other, and what it asks for itself fills its places.
    await mum.store.write((tables) => tables.putPeer({ ...peerRow(leo), role: null }));
    await house.openMumsHome();
    for (let nth = 1; nth <= 5; nth += 1) await house.asksMum(`Tidy up ${nth}`);
    await lostAtFirst();
    await house.clock.advance(MINUTE_MS);
    expect(house.standing()).toEqual(['in_line']);
    const [first] = mum.work.approvals.pending();
    if (first === undefined) throw new Error('mum is asked nothing');
    await mum.decide(first, 'decline');
    await house.clock.advance(LONGEST_MS);
    expect(house.asked()).toContain('The red one');
    expect(house.standing()).toEqual(['asked']);
  });

  it('is sent again no sooner than ten seconds after one that was too fast', async () => {
    await openHouse({ rates: { ...NO_LIMITS, consent: { burst: 1, perMinute: 0.000_1 } } });
    await house.guard();
    await house.wants(['blue', 'The blue one']);
    leo.messenger.failing = new AppError('timeout', 'mum did not answer in time.', { failedBy: 'timeout' });
    await house.wants(['red', 'The red one']);
    leo.messenger.failing = undefined;
    const before = tries();
    await house.clock.advance(MINUTE_MS);
    expect(tries() - before).toBeGreaterThan(0);
    expect(tries() - before).toBeLessThanOrEqual(5);
    expect(house.standing()).toEqual(['asked', 'in_line']);
  });

  it('keeps no place from what others ask while it alone is left alone, and goes before what is new once it may', async () => {
    const long = 'x'.repeat(3_000);
    await openHouse({ storedBytesPerDay: 12_000 });
    for (const hub of [leo, mum]) hub.approvalWaitMs = 23 * 60 * MINUTE_MS;
    await house.guard();
    await house.wants(['white', 'The white one']);
    leo.messenger.failing = new AppError('timeout', 'mum did not answer in time.', { failedBy: 'timeout' });
    for (const agent of ['red', 'blue', 'pink', 'teal']) await house.wants([agent, `The ${agent} one ${long}`]);
    leo.messenger.failing = undefined;
    await house.clock.advance(10_000);
    const big = () => house.asked().filter((text) => text.endsWith(long)).length;
    expect(house.standing().filter((state) => state === 'unanswered')).toHaveLength(3);
    await house.wants(['green', 'The green one']);
    await house.wants(['black', 'The black one']);
    expect(house.asked()).toEqual(['The white one', expect.stringContaining(long), 'The green one', 'The black one']);
    await house.clock.advance(20 * 60 * MINUTE_MS);
    expect([house.asked().length, big(), house.standing().filter((state) => state === 'in_line').length]).toEqual([5, 2, 2]);
    await house.wants(['grey', 'The grey one']);
    const [white] = mum.work.approvals.pending();
    if (white === undefined) throw new Error('mum is asked nothing');
    await mum.decide(white, 'decline');
    await house.clock.advance(MINUTE_MS);
    expect([house.asked().length, big(), house.asked().includes('The grey one')]).toEqual([5, 3, false]);
    expect(
      house.questions().some(({ code }) => code === 'overloaded'),
      'none came where there was no place for it',
    ).toBe(false);
  });

  it('is sent again at once when that hub is back online', async () => {
    await openHouse({ storedBytesPerDay: 500 });
    await lostAtFirst();
    await house.clock.advance(10 * MINUTE_MS);
    const before = tries();
    leo.cut(mum);
    leo.connect(mum);
    await house.clock.settle();
    expect(tries()).toBe(before + 1);
  });
});
