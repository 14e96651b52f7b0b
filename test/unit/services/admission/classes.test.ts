// How harmful an agent's requests are is its owner's word: nothing the agent says of itself makes
// it less.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

const BY_ITSELF = { actor: 'agent:house', surface: 'agent' } as const;
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openPairedHubs());
  await mum.agent('house', ['home', 'home.locks'], { risk: 'R2' });
  await mum.work.agents.setClass(
    'house',
    { riskClass: 'R2', domains: classes({ home: 'R0', 'home.locks': 'R3' }) },
    OWNER,
  );
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

const classes = (given: Readonly<Record<string, 'R0' | 'R3'>>) =>
  Object.entries(given).map(([domain, riskClass]) => ({ domain, riskClass }));
const offer = (...domains: string[]) => mum.work.agents.update('house', { domains }, BY_ITSELF);
/** The class of the card a question about this makes; undefined when it is delivered unasked. */
const classOf = async (domain: string): Promise<string | undefined> => {
  const line = new AbortController();
  const asked = dad.work.sender.query({ to: 'mum', question: 'Open?', domain }, null, line.signal);
  const over = asked.catch(() => undefined);
  await clock.settle();
  const [card] = mum.work.approvals.pending();
  line.abort();
  await over;
  await clock.settle();
  return card?.risk_class;
};

it('keeps the class of a domain that the agent no longer offers', async () => {
  expect([await classOf('home.lights'), await classOf('home.locks')]).toEqual([undefined, 'R3']);
  await offer('home');
  expect([
    await classOf('home.lights'),
    await classOf('home.locks'),
    await classOf('home.locks.front'),
  ]).toEqual([undefined, 'R3', 'R3']);
  await offer('music');
  await offer('home', 'home.locks', 'home.locks.front');
  expect([await classOf('home.locks'), await classOf('home.locks.front')]).toEqual(['R3', 'R3']);
});

it('is not lowered by a narrower domain that the agent adds', async () => {
  await mum.work.agents.setClass(
    'house',
    { riskClass: 'R0', domains: classes({ home: 'R3' }) },
    OWNER,
  );
  await offer('home', 'home.lights');
  expect(await classOf('home.lights')).toBe('R3');
});

it('offers and finds only what the agent offers now', async () => {
  await offer('home');
  expect(mum.work.capabilitiesPayload().domains).toEqual(['home']);
  await mum.agent('keys', ['home.locks'], { risk: 'R3' });
  await clock.settle();
  const line = new AbortController();
  const asked = dad.work.sender
    .query({ to: 'mum', question: 'Open?', domain: 'home.locks' }, null, line.signal)
    .catch(() => undefined);
  await clock.settle();
  expect(mum.card.to_agent).toBe('keys');
  line.abort();
  await asked;
});

it('shows its owner a class that stands for a domain not offered now, and lets the owner take it back', async () => {
  const shown = (await offer('home')).domains;
  expect(shown).toEqual([
    { domain: 'home', risk_class: 'R0' },
    { domain: 'home.locks', risk_class: 'R3', offered: false },
  ]);
  await mum.work.agents.setClass(
    'house',
    { riskClass: 'R2', domains: classes({ home: 'R0' }) },
    OWNER,
  );
  expect((await offer('home')).domains).toEqual([{ domain: 'home', risk_class: 'R0' }]);
  expect(await classOf('home.locks')).toBeUndefined();
});

it('forgets a careful class that was the hub’s own, so that an agent cannot fill its list', async () => {
  for (let index = 0; index < 3; index++) await offer('home', `home.room-${index}`);
  expect(mum.work.agents.get('house').domains.map(({ domain }) => domain)).toEqual([
    'home',
    'home.room-2',
    'home.locks',
  ]);
});

it('is not lowered by another agent that takes the area over', async () => {
  await mum.agent('aaa', ['music'], { risk: 'R0' });
  await mum.work.agents.update(
    'aaa',
    { domains: ['music', 'home.locks'] },
    { actor: 'agent:aaa', surface: 'agent' },
  );
  expect(await classOf('home.locks')).toBe('R3');
  await mum.agent('aab', ['home.locks.front'], { risk: 'R0' });
  expect(await classOf('home.locks.front')).toBe('R3');
});

it('shows no hidden character of what an agent says of itself', async () => {
  const { tools, model } = await mum.work.agents.update(
    'house',
    { tools: ['\u001b[31mred'], model: 'm\u200b' },
    BY_ITSELF,
  );
  expect([tools, model]).toEqual([['[U+001B][31mred'], 'm[U+200B]']);
});

it('is the more careful of two where the owner names one area twice, in either order', async () => {
  const twice = (...classes: readonly ('R0' | 'R3' | null)[]) =>
    classes.map((riskClass) => ({ domain: 'home.doors', riskClass }));
  for (const domains of [
    twice('R0', 'R3'),
    twice('R3', 'R0'),
    twice('R0', null),
    twice(null, 'R0'),
    twice('R0', 'R3', 'R0'),
  ]) {
    const riskClass = domains.some((entry) => entry.riskClass === null) ? 'R3' : 'R0';
    const { domains: now } = await mum.work.agents.setClass('house', { riskClass, domains }, OWNER);
    expect(now.filter(({ domain }) => domain === 'home.doors')).toHaveLength(1);
    expect(await classOf('home.doors.front'), JSON.stringify(domains)).toBe('R3');
  }
});

describe('an area that the owner takes from an agent', () => {
  const areasOf = () => mum.work.agents.get('house').domains.map(({ domain }) => domain);

  it('goes alone, of as many as one may have, and another has its place', async () => {
    const all = Array.from({ length: 64 }, (_, nth) => `home.room-${nth}`);
    await mum.work.agents.setClass(
      'house',
      { riskClass: 'R2', domains: all.map((domain) => ({ domain, riskClass: 'R3' as const })) },
      OWNER,
    );
    await expect(offer('home.cellar')).rejects.toMatchObject({ code: 'conflict' });
    await mum.work.agents.removeArea('house', 'home.room-7', OWNER);
    expect(areasOf()).toEqual(all.filter((area) => area !== 'home.room-7'));
    expect(mum.auditActions()).toContain('agent.area_removed');
    await offer('home.cellar');
    expect(areasOf()).toContain('home.cellar');
  });

  it('is a word about that one area: there is none for one it does not have, and no other goes with it', async () => {
    await expect(mum.work.agents.removeArea('house', 'home.garden', OWNER)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(areasOf()).toEqual(['home', 'home.locks']);
    await mum.work.agents.removeArea('house', 'home.locks', OWNER);
    expect(areasOf()).toEqual(['home']);
  });
});

describe('an area that the owner gives an agent', () => {
  const area = (domain: string) =>
    mum.work.agents.get('house').domains.find((entry) => entry.domain === domain);

  it('has the class that the owner says, and without one is never less careful than the owner was', async () => {
    const add = (domain: string, riskClass: 'R0' | null) =>
      mum.work.agents.addArea('house', { domain, riskClass }, OWNER);
    await mum.work.agents.setClass(
      'house',
      { riskClass: 'R1', domains: [{ domain: 'home.locks', riskClass: 'R3' }] },
      OWNER,
    );
    await add('home.locks.front', null);
    await add('garden', null);
    await add('weather', 'R0');
    expect(area('home.locks.front')?.risk_class).toBe('R3');
    expect(area('garden')?.risk_class).toBe(null);
    expect(area('weather')?.risk_class).toBe('R0');
    expect(mum.auditActions()).toContain('agent.area_added');
    await expect(add('garden', 'R0')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('stays when the program offers other areas, and is no more than an agent may have', async () => {
    await mum.work.agents.addArea('house', { domain: 'garden', riskClass: null }, OWNER);
    await offer('kitchen');
    expect(area('garden')).toBeDefined();
    const all = Array.from({ length: 64 }, (_, nth) => `home.room-${nth}`);
    await mum.work.agents.setClass(
      'house',
      { riskClass: 'R2', domains: all.map((domain) => ({ domain, riskClass: 'R3' as const })) },
      OWNER,
    );
    await expect(
      mum.work.agents.addArea('house', { domain: 'attic', riskClass: null }, OWNER),
    ).rejects.toMatchObject({ code: 'conflict' });
  });
});
