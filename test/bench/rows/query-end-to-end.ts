// P4: a query from an agent to an agent, through both hubs as they are built, against the bare
// relay. One hop of the A2A SDK, which stores nothing, stands beside it for information. P4b, P4c
// and P4d: other ways between the same two hubs, against the relay's query.
import { BenchHubs, RAISED, type BenchHousehold } from '../bench-hubs.ts';
import { BenchPair } from '../bench-process.ts';
import { sized } from '../effort.ts';
import type { Load, Measured } from '../load.ts';
import { processorMs } from '../processor.ts';
import { Relay } from '../relay.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, row, type Goal, type Part, type Row } from '../results.ts';
import { behind, p50, perSecond, ratios, takeTurns, type Round } from '../rounds.ts';
import type { SubjectName } from '../subjects/subjects.ts';

const BACK_TO_BACK: Load = { count: sized({ full: 300, quick: 5 }), inFlight: 1, gapMs: 0 };
const APART: Load = { count: sized({ full: 24, quick: 2 }), inFlight: 1, gapMs: 50 };
const IN_FLIGHT: Load = { count: sized({ full: 2_000, quick: 64 }), inFlight: 32, gapMs: 0 };
/** As many as may wait for their agent, which works them off after each round. */
const DELEGATIONS: Load = { ...IN_FLIGHT, count: sized({ full: 800, quick: 64 }) };
const ROUNDS = sized({ full: 9, quick: 1 });
const SETTINGS = RAISED.join(' ');

interface Sides {
  readonly subject: BenchPair;
  readonly relay: Relay;
  readonly household: BenchHousehold;
  readonly hubs: BenchHubs;
}

/** A row of parts that compare the subject with a query of the relay. */
async function besideRelay(
  id: string,
  title: string,
  subject: SubjectName,
  told: (household: BenchHousehold) => readonly [string, string],
  measure: (sides: Sides) => Promise<readonly Part[]>,
): Promise<Row> {
  const missing = refusal('build', 'proc');
  if (missing !== null) return absentRow(id, title, missing);
  return await BenchHubs.run(async (hubs) => {
    const household = await hubs.household();
    const relay = await hubs.keep(Relay.open());
    const pair = await hubs.keep(BenchPair.open(subject, { told: told(household) }));
    return row(id, title, await measure({ subject: pair, relay, household, hubs }));
  });
}

function turns({ subject, relay }: Sides, load: Load, loadOfRelay: Load = load) {
  return takeTurns(ROUNDS, {
    subject: () => subject.load(load),
    baseline: () => relay.agents.load(loadOfRelay),
  });
}

const UNIT = 'x a query of the bare relay';

function latencyPart(name: string, target: number, rounds: readonly Round[], more = ''): Part {
  const goal: Goal = { name: `${name}, p50`, unit: UNIT, bound: 'at most', target };
  return part(goal, ratios(rounds, p50), `${behind(rounds, p50, 'ms', 2)}${more}; ${SETTINGS}`);
}

function ratePart(target: number, rounds: readonly Round[], more = ''): Part {
  const goal: Goal = { name: '32 in flight, requests/s', unit: UNIT, bound: 'at least', target };
  return part(
    goal,
    ratios(rounds, perSecond),
    `${behind(rounds, perSecond, 'requests/s', 0)}${more}; ${SETTINGS}`,
  );
}

export function measureP4(): Promise<Row> {
  return besideRelay(
    'P4',
    'query from an agent to an agent, through both hubs',
    'hub-query',
    ({ toldEach }) => toldEach,
    async (sides) => {
      const a2a = await sides.hubs.keep(BenchPair.open('a2a'));
      const parts: Part[] = [];
      for (const [name, load, target] of [
        ['back to back', BACK_TO_BACK, 1.6],
        ['50 ms apart', APART, 1.3],
      ] as const) {
        const rounds = await takeTurns(ROUNDS, {
          subject: () => sides.subject.load(load),
          baseline: () => sides.relay.agents.load(load),
          hop: () => a2a.load(load),
        });
        const hop = median(rounds.map((round) => p50(round.hop))).toFixed(2);
        parts.push(latencyPart(name, target, rounds, `, one hop of the A2A SDK ${hop} ms`));
      }
      return [...parts, ...(await inFlightParts(sides, a2a))];
    },
  );
}

interface Metered extends Measured {
  readonly processorMs: number;
}

/** With what both mains take for it, and both hubs of the relay; agents are left out. */
async function inFlightParts(
  { subject, relay, household }: Sides,
  a2a: BenchPair,
): Promise<readonly Part[]> {
  const rounds = await takeTurns(ROUNDS, {
    subject: () => metered(subject, household.mains),
    baseline: () => metered(relay.agents, relay.processIds),
    hop: () => metered(a2a, []),
  });
  const hop = median(rounds.map((round) => perSecond(round.hop))).toFixed(0);
  const each = (seen: Metered): number => seen.processorMs / seen.latenciesMs.length;
  const goal = {
    name: '32 in flight, processor of both mains a query',
    unit: 'x both hubs of the bare relay',
    bound: 'at most',
    target: 2,
  } as const;
  const detail = `${behind(rounds, each, 'ms', 3)}, over ${IN_FLIGHT.count} queries a round`;
  return [
    ratePart(0.5, rounds, `, one hop of the A2A SDK ${hop}`),
    part(goal, ratios(rounds, each), detail),
  ];
}

async function metered(pair: BenchPair, processIds: readonly number[]): Promise<Metered> {
  const beforeMs = processorMs(processIds);
  const seen = await pair.load(IN_FLIGHT);
  return { ...seen, processorMs: processorMs(processIds) - beforeMs };
}

export function measureP4b(): Promise<Row> {
  return besideRelay(
    'P4b',
    'delegate from POST to its ack, committed at both hubs',
    'hub-delegation-ack',
    ({ toldBoth }) => toldBoth,
    async (sides) => [
      latencyPart('back to back', 2, await turns(sides, BACK_TO_BACK)),
      ratePart(0.4, await turns(sides, DELEGATIONS, IN_FLIGHT)),
    ],
  );
}

export function measureP4c(): Promise<Row> {
  return besideRelay(
    'P4c',
    'delegation that a rule allows, from POST to the result at the asker',
    'hub-delegation-result',
    ({ toldBoth }) => toldBoth,
    async (sides) => [latencyPart('back to back', 4, await turns(sides, BACK_TO_BACK))],
  );
}

export function measureP4d(): Promise<Row> {
  return besideRelay(
    'P4d',
    'ping of a peer through the local API, answered by its hub',
    'hub-ping',
    ({ told, peer }) => ['', JSON.stringify({ ...told.asking, peer })],
    async (sides) => [
      latencyPart('back to back', 1, await turns(sides, BACK_TO_BACK)),
      latencyPart('50 ms apart', 1, await turns(sides, APART)),
      ratePart(1, await turns(sides, IN_FLIGHT)),
    ],
  );
}
