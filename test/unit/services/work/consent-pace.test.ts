// How fast a child's hub puts questions before an adult's, with what that hub takes in earnest: nothing is refused for coming too soon, nobody's
// requests are kept from her by another's, and what fails on the way is taken up again.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import { PEER_RATES } from '../../../../main/services/links/limits.ts';
import { ConsentPace } from '../../../../main/services/work/consent-pace.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { keyOf } from '../../../fakes/sample-rows.ts';
import { ConsentHouse } from '../../../fakes/consent-house.ts';
import { BROWSER, delegation, NO_LIMITS, type WorkHub } from '../../../fakes/work-hub.ts';

let house: ConsentHouse;
let leo: WorkHub;
let mum: WorkHub;
let dad: WorkHub;

const openHouse = async (rates: typeof NO_LIMITS = PEER_RATES) => {
  house = await new ConsentHouse({ rates }).open();
  ({ leo, mum, dad } = house);
};
afterEach(async () => {
  vi.restoreAllMocks();
  await house.close();
});

/** An agent of leo's own for each, so that nobody has to wait for a place of theirs. */
const byMany = async (count: number, from = 1) => {
  const wishes = Array.from({ length: count }, (_, index) => [`game-${Math.ceil((index + 1) / 2)}`, `Task ${index + 1}`] as const);
  await house.wants(...wishes.slice(from - 1));
};

describe('an adult who decides one thing after the other', () => {
  it('always has the next before her while any waits, and her hub refuses none', async () => {
    await openHouse();
    await house.guard();
    await byMany(12);
    for (let left = 12; left > 0; left -= 1) {
      expect(house.asked().length, `with ${left} left`).toBeGreaterThan(0);
      const [card] = mum.work.approvals.pending();
      if (card !== undefined) await mum.decide(card, 'allow');
      await house.clock.advance(2_000);
    }
    expect(leo.work.approvals.pending()).toEqual([]);
    expect(house.questions().map(({ state }) => state)).toEqual(Array<string>(12).fill('completed'));
  });

  it('whose hub takes fewer is left alone for a while by all of them, and then asked one by one, with no growing waits', async () => {
    await openHouse({ ...NO_LIMITS, consent: { burst: 2, perMinute: 12 } });
    await house.guard();
    await byMany(8);
    expect(house.asked()).toEqual(['Task 1', 'Task 2']);
    expect(house.standing()).toEqual(['asked', 'asked', ...Array<string>(6).fill('in_line')]);
    const refused = () => house.questions().filter(({ code }) => code === 'rate_limited').length;
    expect([1, 2, 3], 'no more than were on their way together').toContain(refused());
    const before = refused();
    await house.clock.advance(30_000);
    expect(house.asked()).toHaveLength(5);
    for (let left = 8; left > 0; left -= 1) {
      const [card] = mum.work.approvals.pending();
      if (card === undefined) throw new Error(`nothing is before mum with ${left} left`);
      await mum.decide(card, 'allow');
      await house.clock.advance(5_000);
    }
    expect(leo.work.approvals.pending()).toEqual([]);
    expect(refused()).toBe(before);
  });
});

describe('a friend who asks without end', () => {
  const ask = (question: string, deadlineMs: number) => {
    const stop = new AbortController();
    const params = { to: 'leo', question, domain: 'home.robot', deadline_ms: deadlineMs };
    const done = house.friend.work.sender.query(params, 'openclaw', stop.signal).catch(() => undefined);
    return { stop, done };
  };
  const gransIsAskedWithin = async (ms: number) => {
    await dad.work.sender.delegate(delegation('leo', 'Let the doctor in', { domain: 'home.robot' }), 'gran', null);
    await house.clock.advance(ms);
    expect(house.asked()).toContain('Let the doctor in');
  };
  beforeEach(async () => {
    await openHouse();
    await dad.agent('gran');
    await leo.knows(dad);
    await house.guard();
  });

  it('for what is over before anybody could decide it puts nothing before her, and the card says why', async () => {
    const all = [];
    for (let nth = 1; nth <= 22; nth += 1) {
      all.push(ask(`Is it dry? ${nth}`, 2_000));
      await house.clock.settle();
      if (nth === 1) expect(house.standing()).toEqual(['too_late']);
      await house.clock.advance(1_000);
    }
    expect(house.questions()).toEqual([]);
    await gransIsAskedWithin(0);
    await leo.work.stop();
    await Promise.all(all.map(({ done }) => done));
  });

  it('and calls it off at once keeps nobody else’s from her for ten seconds', async () => {
    const all = [];
    for (let nth = 1; nth <= 30; nth += 1) {
      const one = ask(`Is it dry? ${nth}`, 60_000);
      all.push(one);
      await house.clock.settle();
      one.stop.abort();
      await house.clock.advance(500);
    }
    for (const nth of [31, 32, 33]) all.push(ask(`Is it dry? ${nth}`, 60_000));
    await house.clock.settle();
    await gransIsAskedWithin(9_000);
    expect(house.questions().filter(({ code }) => code === 'rate_limited')).toEqual([]);
    await leo.work.stop();
    await Promise.all(all.map(({ done }) => done));
  });
});

describe('a look at what is asked', () => {
  it('reads no hub more often because more waits', async () => {
    await openHouse(NO_LIMITS);
    await house.guard([mum, dad]);
    const reads = vi.spyOn(leo.store.read, 'peer');
    const readsOfDecision = async () => {
      const [card] = mum.work.approvals.pending();
      if (card === undefined) throw new Error('mum is asked nothing');
      reads.mockClear();
      await mum.decide(card, 'allow');
      await house.clock.settle();
      return reads.mock.calls.length;
    };
    await byMany(8);
    const few = await readsOfDecision();
    await house.clock.advance(60_000);
    await byMany(24, 9);
    expect(await readsOfDecision()).toBeLessThanOrEqual(few + 10);
    expect(leo.work.approvals.pending()).toHaveLength(22);
  });

  it('whose taking back failed is taken again, and the question is taken back', async () => {
    await openHouse(NO_LIMITS);
    await house.guard();
    await house.ask();
    const encode = leo.messenger.encode.bind(leo.messenger);
    let [isFull, failures] = [true, 0];
    vi.spyOn(leo.messenger, 'encode').mockImplementation((peer, message) => {
      if (message.kind === 'cancel' && isFull) {
        failures += 1;
        throw new Error('the disk is full');
      }
      return encode(peer, message);
    });
    await house.guard([dad]);
    expect(failures).toBeGreaterThan(0);
    expect(house.asked()).toEqual(['Mow the lawn']);
    isFull = false;
    await house.clock.advance(10_000);
    expect(house.asked()).toEqual([]);
    expect(dad.card.text).toBe('Mow the lawn');
  });
});

it('comes back to a hub that had no room as soon as that is back online, without forgetting how often it had none', () => {
  const clock = new ManualClock();
  const pace = new ConsentPace({ clock, random: { fraction: () => 0.5, bytes: () => new Uint8Array(), uuid: () => '' } }, () => undefined);
  const hub = keyOf('Mum');
  pace.full(hub);
  const firstMs = pace.waitMs(hub);
  pace.cameBack(hub);
  expect(pace.waitMs(hub)).toBe(0);
  pace.full(hub);
  const secondMs = pace.waitMs(hub);
  expect(secondMs, 'longer than the first').toBeGreaterThan(1.5 * firstMs);
  pace.hasRoom(hub);
  expect(pace.waitMs(hub)).toBe(0);
  pace.full(hub);
  expect(pace.waitMs(hub), 'a question that is taken begins anew').toBe(firstMs);
  pace.stop();
});

describe('what is not asked for a reason of this hub’s own', () => {
  const RED = 'The red one';
  const BLUE = 'The blue one';
  const wait = async (requests: readonly (readonly [string, string])[]) => {
    for (const [agent, text] of requests) {
      if (leo.store.read.agent(agent) === undefined) await leo.agent(agent);
      await leo.work.sender.delegate(delegation('local/robot', text, { domain: 'home.robot' }), agent, null);
    }
  };
  beforeEach(() => openHouse(NO_LIMITS));

  it('costs no turn where a request is too long to be shown: whoever made it goes on with its next', async () => {
    await wait([
      ['red', 'x'.repeat(64_800)],
      ['red', RED],
      ['blue', BLUE],
    ]);
    await house.guard();
    expect(house.asked()).toEqual([RED, BLUE]);
  });

  it('costs no turn and no place in the pace, is asked ten seconds later, and is not called the other hub’s silence', async () => {
    await wait([
      ['red', 'The first'],
      ['red', RED],
      ['blue', BLUE],
    ]);
    const encode = leo.messenger.encode.bind(leo.messenger);
    let failures = 0;
    vi.spyOn(leo.messenger, 'encode').mockImplementation((peer, message) => {
      if (message.kind !== 'delegate' || failures > 0) return encode(peer, message);
      failures += 1;
      throw new AppError('overloaded', 'Too much is on its way from here already.');
    });
    await house.guard();
    expect(failures).toBe(1);
    expect(house.asked()).toEqual([RED, BLUE]);
    expect(house.standing()).toEqual(['asking', 'asked', 'asked']);
    await house.clock.advance(10_000);
    expect(house.asked()).toEqual([RED, BLUE, 'The first']);
  });

  it('costs no place in the pace, however often it fails: then as many go at once as ever', async () => {
    await house.guard();
    const encode = leo.messenger.encode.bind(leo.messenger);
    let [isFull, failures] = [true, 0];
    vi.spyOn(leo.messenger, 'encode').mockImplementation((peer, message) => {
      if (message.kind !== 'delegate' || !isFull) return encode(peer, message);
      failures += 1;
      throw new AppError('storage_failed', 'The disk is full.');
    });
    await byMany(12);
    expect(failures, 'more than the pace lets go').toBe(12);
    await house.clock.advance(10_000);
    expect(failures, 'and is not tried again and again').toBeLessThanOrEqual(24);
    isFull = false;
    await house.clock.advance(10_000);
    expect(house.asked()).toHaveLength(5);
  });
});

describe('a hub that is named as deciding', () => {
  const row = (change: object) =>
    leo.store.write((tables) => {
      const now = tables.peer(mum.key);
      if (now) tables.putPeer({ ...now, ...change });
    });
  beforeEach(() => openHouse(NO_LIMITS));

  it('is looked at in the commit that names it: suspended on the way it is refused', async () => {
    const suspended = row({ trust: 'suspended' });
    const set = leo.work.consent.set(['mum'], 'R2', BROWSER);
    await suspended;
    await expect(set).rejects.toMatchObject({ code: 'bad_request', message: 'mum is suspended: take that back first.' });
    expect(leo.work.consent.current().from).toBeNull();
  });

  it('and paired anew on the way it decides for the pairing that is', async () => {
    const anew = row({ pairedAt: 7 });
    await leo.work.consent.set(['mum'], 'R2', BROWSER);
    await anew;
    expect(leo.work.consent.current().hubs.find(({ name }) => name === 'mum')?.decides).toBe(true);
  });
});

it('says on the card that her hub did not understand the question, and asks again later', async () => {
  await openHouse(NO_LIMITS);
  await house.guard();
  const request = leo.messenger.request.bind(leo.messenger);
  vi.spyOn(leo.messenger, 'request').mockImplementationOnce((peer, message, timeoutMs, signal) =>
    request(peer, { ...message, payload: { ...message.payload, task: 'Words of another version' } }, timeoutMs, signal),
  );
  await house.ask();
  expect(house.standing()).toEqual(['refused']);
  expect(leo.events.flatMap((event) => (event.type === 'approval' ? [event.approval.decided_by_hubs?.[0]?.state] : [])).at(-1)).toBe(
    'refused',
  );
  await house.clock.advance(61_000);
  expect(house.standing()).toEqual(['asked']);
});

describe('a friend whose requests are long', () => {
  const declineAll = async () => {
    for (const card of mum.work.approvals.pending()) await mum.decide(card, 'decline');
    await house.clock.settle();
  };

  it('uses up no more of the bytes that mum’s hub keeps of leo’s than it leaves to the others, who are asked about at once', async () => {
    house = await new ConsentHouse({ storedBytesPerDay: 50_000 }).open();
    ({ leo, mum, dad } = house);
    await dad.agent('gran');
    await leo.knows(dad);
    await house.guard();
    for (let nth = 1; nth <= 7; nth += 1) {
      await house.ask(`${nth} ${'x'.repeat(8_000)}`);
      await declineAll();
      await house.clock.advance(5_000);
    }
    const refused = () => house.questions().filter(({ code }) => code === 'overloaded').length;
    expect(refused(), 'the friend’s own are too much').toBeGreaterThan(0);
    expect(house.asked()).toEqual([]);
    expect(house.standing(), 'and wait').toContain('unanswered');
    await dad.work.sender.delegate(delegation('leo', 'Let the doctor in', { domain: 'home.robot' }), 'gran', null);
    await house.clock.settle();
    expect(house.asked()).toEqual(['Let the doctor in']);
  });
});
