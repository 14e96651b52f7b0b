// What a hub gets that asks an adult for others: room of its own beside what it asks for itself, and a hearing however often she declines. Only a
// hub that the people here call a child's gets it; from every other a question of consent is a request like any.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PEER_RATES } from '../../../../main/services/links/limits.ts';
import { ConsentHouse } from '../../../fakes/consent-house.ts';
import { NO_LIMITS, type WorkHub } from '../../../fakes/work-hub.ts';

let house: ConsentHouse;
let leo: WorkHub;
let mum: WorkHub;

const openHouse = async (options: ConstructorParameters<typeof ConsentHouse>[0] = {}) => {
  house = await new ConsentHouse(options).open();
  ({ leo, mum } = house);
  await house.openMumsHome();
};
afterEach(() => house.close());

const leoIs = (role: 'child' | 'guest' | 'shared' | 'adult' | null) =>
  mum.store.write((tables) =>
    tables
      .peers()
      .filter(({ key }) => key === leo.key)
      .forEach((row) => tables.putPeer({ ...row, role })),
  );
const asked = () => mum.work.approvals.pending().map(({ consent }) => (consent === null ? 'plain' : 'question'));
const plain = (nth: number) => house.asksMum(`Tidy up ${nth}`);
const byMany = (count: number) =>
  house.wants(...Array.from({ length: count }, (_, index) => [`game-${index + 1}`, `Task ${index + 1}`] as const));

describe('a hub that is a child’s here', () => {
  it('has five places for its questions beside five for what it asks for itself', async () => {
    await openHouse();
    await leoIs('child');
    await house.guard();
    for (const nth of [1, 2, 3, 4, 5]) await plain(nth);
    await byMany(6);
    expect(asked().toSorted()).toEqual([...Array<string>(5).fill('plain'), ...Array<string>(5).fill('question')]);
  });
});

describe.each(['guest', 'shared', 'adult', null] as const)('a hub whose role here is %s', (role) => {
  beforeEach(async () => {
    await openHouse();
    await leoIs(role);
    await house.guard();
  });

  it('has five places for all that it asks, and its next question waits until one is decided', async () => {
    for (const nth of [1, 2, 3, 4]) await plain(nth);
    await byMany(3);
    expect(asked().toSorted()).toEqual([...Array<string>(4).fill('plain'), 'question']);
    await expect(plain(5)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('is silenced by three that are declined, as with any other request', async () => {
    for (const nth of [1, 2, 3]) {
      await house.ask(`Task ${nth}`);
      await house.decide(mum, 'decline');
      await house.clock.advance(61_000);
    }
    expect(mum.work.calm.dto().floods).toMatchObject([{ peer_name: 'leo', silent: true, offers_mute: true }]);
    const calls = () => mum.events.filter(({ type }) => type === 'attention').length;
    const before = calls();
    await house.ask('Task 4');
    expect(mum.card.text).toBe('Task 4');
    expect(calls(), 'it makes no sound').toBe(before);
  });
});

describe('a hub that is no child’s here', () => {
  it('is refused as a flood what it asks too much of', async () => {
    await openHouse();
    await leoIs('guest');
    for (const nth of [1, 2, 3, 4, 5]) await plain(nth);
    await house.guard();
    await byMany(3);
    expect(asked()).toEqual(Array<string>(5).fill('plain'));
    expect(mum.work.calm.dto().floods[0]?.refused).toBeGreaterThan(0);
  });

  it('asks at the rate of all that it asks', async () => {
    await openHouse({ rates: { ...PEER_RATES, consent: NO_LIMITS.consent, delegate: { burst: 2, perMinute: 1 } } });
    await leoIs('guest');
    await house.guard();
    await byMany(4);
    expect(asked()).toHaveLength(2);
    expect(house.questions().some(({ code }) => code === 'rate_limited')).toBe(true);
  });

  it('has no day’s bytes for its questions beside those for what it asks for itself', async () => {
    await openHouse({ storedBytesPerDay: 4_000 });
    await leoIs('guest');
    await house.guard();
    await plain(1);
    await house.asksMum(`Tidy up ${'x'.repeat(2_500)}`);
    await byMany(1);
    expect(asked()).toEqual(['plain', 'plain']);
    expect(house.questions().map(({ code }) => code)).toContain('overloaded');
  });
});
