// No change to the agents takes what an adult decides about out of the adults' sight: neither at once nor in several steps, whatever a request
// names, and however many areas a program makes up.
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RiskClass } from '../../../../preload/contract/dto.ts';
import { AGENT_AREAS_MAX } from '../../../../preload/contract/agent-limits.ts';
import { higherRisk, riskOf } from '../../../../main/core/risk.ts';
import { chooseAgent, longestDomain } from '../../../../main/core/routing.ts';
import { AppError } from '../../../../main/lib/app-error.ts';
import type { AgentRow, Store } from '../../../../main/ports/store.ts';
import { ConsentAreas } from '../../../../main/services/work/consent-areas.ts';
import { ConsentGuard } from '../../../../main/services/work/consent-guard.ts';
import { CONSENT_AREAS_MAX } from '../../../../main/services/work/limits.ts';
import { ConsentHouse } from '../../../fakes/consent-house.ts';
import { BROWSER, OWNER, type WorkHub } from '../../../fakes/work-hub.ts';
import { agent } from '../../core/agents.ts';

let house: ConsentHouse;
let leo: WorkHub;

beforeEach(async () => {
  house = await new ConsentHouse().open();
  leo = house.leo;
});
afterEach(() => house.close());

const BLOCKED = { code: 'blocked' };
const itself = (name: string) => ({ id: `t-${name}`, surface: 'agent' }) as const;
const makeDefault = (name: string, riskClass: RiskClass = 'R1') => leo.work.agents.setClass(name, { riskClass, isDefault: true }, OWNER);

describe('what the default agent gets', () => {
  beforeEach(async () => {
    await leo.agent('claw', [], { risk: 'R1' });
    await house.guard();
  });

  it('does not pass out of sight with the area of an agent that is removed', async () => {
    await leo.work.removeAgent('robot', OWNER);
    await expect(makeDefault('claw')).rejects.toMatchObject({
      ...BLOCKED,
      message: expect.stringContaining('not passed on to "claw"') as string,
      hint: expect.stringContaining('Raise the class of "claw"') as string,
    });
    await makeDefault('claw', 'R2');
    await house.ask();
    expect(house.mum.card).toMatchObject({ to_agent: 'claw', risk_class: 'R2' });
  });

  it('does not pass out of sight by naming another default agent, at once or after a time without one', async () => {
    const refusal = { ...BLOCKED, message: expect.stringContaining('requests that name no area') as string };
    await expect(makeDefault('claw')).rejects.toMatchObject(refusal);
    await leo.work.agents.setClass('robot', { riskClass: 'R2', isDefault: false }, OWNER);
    await expect(makeDefault('claw')).rejects.toMatchObject(refusal);
    await makeDefault('robot', 'R2');
    await house.friend.work.sender.delegate({ to: 'leo', task: 'Whatever', priority: 'normal', report_back: true }, 'openclaw', null);
    await house.clock.settle();
    expect(house.mum.card).toMatchObject({ to_agent: 'robot', risk_class: 'R2' });
  });

  it('does not pass out of sight as an area of its own', async () => {
    const lamps = (riskClass: RiskClass | null) => ({ riskClass: 'R1' as const, domains: [{ domain: 'home.lamps', riskClass }] });
    await expect(leo.work.agents.setClass('claw', lamps(null), OWNER)).rejects.toMatchObject(BLOCKED);
    await leo.work.agents.update('claw', { domains: ['home.lamps'] }, OWNER);
    expect(leo.work.agents.get('claw').domains).toEqual([{ domain: 'home.lamps', risk_class: 'R2' }]);
  });

  it('passes where the adults see it there, too, and where they never saw it', async () => {
    await leo.agent('helper', [], { risk: 'R3' });
    await makeDefault('helper', 'R3');
    await house.guard([], null);
    await makeDefault('claw');
    await leo.agent('lamp', [], { risk: 'R1' });
    await house.guard();
    await makeDefault('lamp');
    expect(leo.work.agents.get('lamp').is_default).toBe(true);
  });
});

describe('what an agent gets for a capability', () => {
  const able = (name: string, ...capabilities: string[]) => leo.work.agents.update(name, { capabilities }, itself(name));

  beforeEach(async () => {
    await leo.agent('claw', [], { risk: 'R1' });
    await able('robot', 'mow');
  });

  it('does not pass out of sight to the default agent, or to one that says the same or more of itself', async () => {
    await makeDefault('claw');
    await house.guard();
    await expect(able('robot')).rejects.toMatchObject({ ...BLOCKED, message: expect.stringContaining('requests for "mow"') as string });
    await expect(able('claw', 'mow.lawn')).rejects.toMatchObject(BLOCKED);
    await expect(leo.work.removeAgent('robot', OWNER)).rejects.toMatchObject(BLOCKED);
    await able('claw', 'sing');
  });

  it('does not come back out of sight after nobody could do it', async () => {
    await makeDefault('claw');
    await leo.work.agents.setClass('claw', { riskClass: 'R1', isDefault: false }, OWNER);
    await house.guard();
    await able('robot');
    await expect(able('claw', 'mow')).rejects.toMatchObject(BLOCKED);
    await expect(makeDefault('claw')).rejects.toMatchObject(BLOCKED);
    await able('claw', 'sing');
  });
});

describe('areas that a program makes up', () => {
  const rooms = (round: number) => Array.from({ length: AGENT_AREAS_MAX }, (_, index) => `home.room-${round}-${index}`);

  it('are no more than are kept of an agent, and the next are refused with what to do', async () => {
    await house.guard();
    await leo.work.agents.update('robot', { domains: ['home.robot', ...rooms(0).slice(1)] }, itself('robot'));
    await expect(leo.work.agents.update('robot', { domains: rooms(1) }, itself('robot'))).rejects.toMatchObject({
      code: 'conflict',
      message: `This hub keeps at most ${AGENT_AREAS_MAX} areas of "robot", and with what people decided about earlier ones these are more.`,
      hint: expect.stringContaining('Offer fewer areas') as string,
    });
    const { domains } = await leo.work.agents.update('robot', { domains: ['home.robot'] }, itself('robot'));
    expect(domains).toHaveLength(AGENT_AREAS_MAX);
    expect(domains.filter(({ offered }) => offered === false)).toHaveLength(AGENT_AREAS_MAX - 1);
  });

  it('may be offered again or dropped where there are more from before', async () => {
    const row = leo.store.read.agent('robot');
    if (!row) throw new Error('no robot');
    const many = [...rooms(0), ...rooms(1)].map((domain) => ({ domain, riskClass: 'R2' as const, byOwner: true }));
    await leo.store.write((tables) => tables.putAgent({ ...row, domains: many }));
    const { domains } = await leo.work.agents.update('robot', { domains: rooms(0) }, itself('robot'));
    expect(domains).toHaveLength(many.length);
    await expect(leo.work.agents.update('robot', { domains: rooms(2) }, itself('robot'))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('come back in sight under any name, and after more than are remembered', async () => {
    await leo.agent('claw', [], { risk: 'R1' });
    await house.guard();
    await makeDefault('robot', 'R2');
    await leo.agent('maker', ['constructor'], { risk: 'R2' });
    await leo.work.removeAgent('maker', OWNER);
    const given = (domain: string) => leo.work.agents.setClass('claw', { riskClass: 'R1', domains: [{ domain, riskClass: null }] }, OWNER);
    await expect(given('constructor')).rejects.toMatchObject({
      ...BLOCKED,
      message: expect.stringContaining('so its class is not lowered') as string,
    });
    for (let round = 0; round <= CONSENT_AREAS_MAX / AGENT_AREAS_MAX; round++) {
      await leo.agent(`maker-${round}`, rooms(round), { risk: 'R2' });
      await leo.work.removeAgent(`maker-${round}`, OWNER);
    }
    await leo.work.agents.setClass('robot', { riskClass: 'R2', isDefault: false }, OWNER);
    await expect(given('music'), 'whatever it is').rejects.toMatchObject(BLOCKED);
    await house.guard([], null);
    await given('music');
  });
});

describe('any sequence of changes', () => {
  const AREAS = ['home', 'home.robot', 'home.robot.arm', 'music', 'constructor'];
  const CAPABILITIES = ['mow', 'mow.lawn', 'sing'];
  const ASKS = [null, ...AREAS, 'home.robot.arm.left', 'elsewhere'].flatMap((domain) =>
    [null, ...CAPABILITIES, 'mow.lawn.now', 'read'].map((capability) => ({ routeTo: null, domain, capability })),
  );
  const riskClass = fc.constantFrom<RiskClass>('R0', 'R1', 'R2', 'R3');
  const area = fc.record({
    domain: fc.constantFrom(...AREAS),
    riskClass: fc.option(riskClass),
    byOwner: fc.boolean(),
    isOffered: fc.boolean(),
  });
  const row = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    riskClass,
    classByOwner: fc.boolean(),
    domains: fc.uniqueArray(area, { maxLength: 4, selector: ({ domain }) => domain }),
    capabilities: fc.uniqueArray(fc.constantFrom(...CAPABILITIES), { maxLength: 2 }),
    isDefault: fc.boolean(),
  });
  const change = fc.oneof({ weight: 4, arbitrary: row }, { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c') });

  /** Who gets it, and whether an adult sees it; null: nobody gets it. */
  const isSeen = (agents: readonly AgentRow[], ask: (typeof ASKS)[number]): boolean | null => {
    const chosen = chooseAgent(agents, ask);
    if (!chosen.ok) return null;
    const { agent: doer } = chosen.value;
    const isOwn = ask.domain !== null && longestDomain(doer.domains, ask.domain) !== undefined;
    const { riskClass: given } = riskOf(doer, isOwn ? ask.domain : null);
    return higherRisk(given, 'R2') === given;
  };
  /** Writes it down as the registry does: one default agent at most. */
  const write = (store: Store, areas: ConsentAreas, wanted: AgentRow | string): Promise<void> =>
    store.write((tables) => {
      const agents = tables.agents();
      if (typeof wanted === 'string') {
        const removed = agents.find(({ name }) => name === wanted);
        if (removed) areas.write(tables, [], removed);
        return;
      }
      const noLonger = wanted.isDefault ? agents.filter(({ isDefault, name }) => isDefault && name !== wanted.name) : [];
      areas.write(tables, [...noLonger.map((other) => ({ ...other, isDefault: false })), wanted]);
    });

  it('leaves in sight what an adult saw last', async () => {
    const guard = new ConsentGuard();
    const areas = new ConsentAreas(guard);
    const { store } = leo;
    let [kept, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(row, { maxLength: 3, selector: ({ name }) => name }),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        async (agents, changes) => {
          await store.write((tables) => {
            guard.set(tables, null);
            for (const { name } of tables.agents()) tables.deleteAgent(name);
          });
          for (const { name, ...is } of agents) await write(store, areas, agent(name, is));
          await store.write((tables) => guard.set(tables, { from: 'R2', hubs: [] }));
          const last = new Map<(typeof ASKS)[number], boolean>();
          const look = (what: string): void => {
            const now = store.read.agents();
            for (const ask of ASKS) {
              const seen = isSeen(now, ask);
              if (seen === null) continue;
              expect(seen || last.get(ask) !== true, `${what}: ${JSON.stringify(ask)}`).toBe(true);
              last.set(ask, seen);
            }
          };
          look('at first');
          for (const wanted of changes) {
            try {
              await write(store, areas, typeof wanted === 'string' ? wanted : agent(wanted.name, wanted));
              kept += 1;
            } catch (error) {
              if (!(error instanceof AppError && error.code === 'blocked')) throw error;
              refused += 1;
            }
            look(JSON.stringify(wanted));
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(Math.min(kept, refused), 'some changes are made, and some are not').toBeGreaterThan(50);
  });

  it('is refused only where something would go out of sight, as long as somebody gets everything', async () => {
    const guard = new ConsentGuard();
    const areas = new ConsentAreas(guard);
    const { store } = leo;
    await store.write((tables) => guard.set(tables, { from: 'R2', hubs: [] }));
    await fc.assert(
      fc.asyncProperty(row, row, async (first, second) => {
        const before = [agent('a', { ...first, name: 'a', isDefault: true }), agent('b', { ...second, name: 'b', isDefault: false })];
        const [a, b] = before;
        if (!a || !b) throw new Error('two agents');
        await store.write((tables) => {
          for (const { name } of tables.agents()) tables.deleteAgent(name);
          for (const one of before) tables.putAgent(one);
        });
        const after = [
          { ...a, isDefault: false },
          { ...b, isDefault: true },
        ];
        const isWorse = ASKS.some((ask) => isSeen(before, ask) === true && isSeen(after, ask) === false);
        const attempt = (): void => areas.check(store.read, after);
        if (isWorse) expect(attempt).toThrow(AppError);
        else expect(attempt).not.toThrow();
      }),
      { numRuns: 150 },
    );
  });
});

it('a setting that is taken back forgets what was remembered', async () => {
  await leo.agent('claw', [], { risk: 'R1' });
  await house.guard();
  await leo.work.removeAgent('robot', OWNER);
  await leo.work.consent.set([], null, BROWSER);
  await house.guard();
  await makeDefault('claw');
  expect(leo.work.agents.get('claw').is_default).toBe(true);
});

it('an agent that stays after all keeps its tokens, whatever changes between the press and the commit', async () => {
  await leo.agent('claw', [], { risk: 'R1' });
  await makeDefault('claw');
  const decided = leo.work.consent.set(['mum'], 'R2', BROWSER);
  await expect(leo.work.removeAgent('robot', OWNER)).rejects.toMatchObject(BLOCKED);
  await decided;
  expect(leo.work.agents.get('robot').name).toBe('robot');
  expect(leo.revoked, 'its program goes on').toEqual([]);
});
