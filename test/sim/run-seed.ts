// One run from one seed: a household of hubs, agents and persons, a time of trouble, then healing,
// until quiet has come; and what broke a rule.
import { NO_LIMITS } from './rates.ts';
import { AgentProgram, type Household } from './agent-program.ts';
import { Ledger, type Counts } from './ledger.ts';
import { Network } from './network.ts';
import { Person } from './person.ts';
import { makeImage } from './sim-disk.ts';
import { AGENTS, fillDisk, HUBS, SimHub, type Mutant } from './sim-hub.ts';
import { Trouble } from './trouble.ts';
import { realTurn, World } from './world.ts';

export interface RunReport {
  readonly seed: number;
  /** Of everything that happened, in order. */
  readonly hash: string;
  readonly findings: readonly string[];
  readonly events: number;
  /** How much time passed in it. */
  readonly simulatedMs: number;
  readonly counts: Counts;
  readonly lines: readonly string[];
}

interface RunOptions {
  readonly mutant?: Mutant | undefined;
  readonly keepsLines?: boolean;
}

const TROUBLE_MIN_MS = 15_000;
const TROUBLE_MAX_MS = 90_000;
/** By then every deadline is over and every wait between two tries has been waited. */
const QUIET_WITHIN_MS = 1_200_000;
/** From the start of simulated wall clocks to the end of that day. */
const BEFORE_MIDNIGHT_MS = 16 * 3_600_000;
const LOOK_EVERY_MS = 5_000;

const IMAGES = Array.from({ length: HUBS }, (_, index) =>
  makeImage((tables) => fillDisk(tables, index)),
);

/** Runs one seed to its end. Never throws: what goes wrong is a finding. */
export async function runSeed(
  seed: number,
  { mutant, keepsLines = false }: RunOptions = {},
): Promise<RunReport> {
  const world = new World(seed, keepsLines);
  const unhandled = (error: unknown): void =>
    world.found(
      `nobody handled a rejection: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  process.on('unhandledRejection', unhandled);
  const ledger = new Ledger(world);
  const stage = build(world, ledger, mutant);
  try {
    await play(world, stage);
  } catch (error) {
    world.found(
      `the run broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
  await realTurn();
  await realTurn();
  process.off('unhandledRejection', unhandled);
  for (const hub of stage.household.hubs) hub.disk.close();
  const { findings, events, lines, nowMs } = world;
  return {
    seed,
    hash: world.hash(),
    findings,
    events,
    simulatedMs: nowMs,
    counts: ledger.counts,
    lines,
  };
}

interface Built {
  readonly household: Household;
  readonly network: Network;
  readonly agents: readonly AgentProgram[];
  readonly persons: readonly Person[];
  readonly trouble: Trouble;
}

function build(world: World, ledger: Ledger, mutant: Mutant | undefined): Built {
  const { chance } = world;
  const network = new Network(world, {
    latencyMs: chance.pick([0.5, 2, 20, 150]),
    slowShare: chance.pick([0, 0.02, 0.1]),
    slowMs: chance.pick([50, 500, 3_000]),
    resetShare: chance.pick([0, 0.01, 0.05]),
  });
  const rates = chance.maybe(0.5) ? NO_LIMITS : undefined;
  const hubs: SimHub[] = [];
  const dayTimeMs = chance.maybe(0.3)
    ? BEFORE_MIDNIGHT_MS - chance.between(0, 120_000)
    : chance.between(0, BEFORE_MIDNIGHT_MS);
  for (const [index, image] of IMAGES.entries()) {
    const quartz = {
      rate: 1 + chance.between(-0.002, 0.002),
      wallOffsetMs: dayTimeMs + chance.between(-60_000, 60_000),
    };
    const onCommit: ConstructorParameters<typeof SimHub>[0]['onCommit'] = (hub, changes) =>
      ledger.committed(hub, changes);
    hubs.push(
      new SimHub({
        world,
        network,
        index,
        image,
        quartz,
        rates,
        mutant,
        onCommit,
        onDown: (hub) => wentDown(hub),
      }),
    );
  }
  const household: Household = { world, ledger, hubs, isClosing: false, number: 0 };
  const agents = hubs.flatMap((hub) =>
    AGENTS.map((name) => new AgentProgram(household, hub, name)),
  );
  const persons = hubs.map((hub) => new Person(household, hub));
  const trouble = new Trouble({ household, network, agents });
  const wentDown = (hub: SimHub): void => {
    ledger.checkAudit(hub);
    trouble.wentDown(hub);
  };
  for (const hub of hubs) ledger.watch(hub);
  return { household, network, agents, persons, trouble };
}

async function play(world: World, { household, agents, persons, trouble }: Built): Promise<void> {
  const { ledger, hubs } = household;
  for (const hub of hubs) world.after(world.chance.between(0, 3_000), () => hub.start());
  for (const actor of [...agents, ...persons]) actor.start();
  trouble.start();
  const troubleMs = world.chance.between(TROUBLE_MIN_MS, TROUBLE_MAX_MS);
  for (let passed = 0; passed < troubleMs && world.findings.length === 0; passed += LOOK_EVERY_MS) {
    await world.run(LOOK_EVERY_MS);
    ledger.sample();
  }
  household.isClosing = true;
  trouble.end();
  await untilQuiet(world, ledger, agents);
  if (world.findings.length > 0) return;
  ledger.checkAll();
  trouble.stop();
  for (const hub of hubs) void hub.stop();
  await world.run(LOOK_EVERY_MS);
}

/**
 * Quiet is when nothing was open at two looks, one after the other: what is told last may still be
 * on its way at the first.
 */
async function untilQuiet(
  world: World,
  ledger: Ledger,
  agents: readonly AgentProgram[],
): Promise<void> {
  let quietLooks = 0;
  let unrest: string | undefined;
  for (
    let passed = 0;
    passed < QUIET_WITHIN_MS && quietLooks < 2 && world.findings.length === 0;
    passed += LOOK_EVERY_MS
  ) {
    await world.run(LOOK_EVERY_MS);
    ledger.sample();
    unrest = agents.find(({ unrest }) => unrest !== undefined)?.unrest ?? ledger.unrest();
    quietLooks = unrest === undefined ? quietLooks + 1 : 0;
  }
  if (unrest !== undefined) world.found(`no quiet after ${QUIET_WITHIN_MS / 1_000} s: ${unrest}`);
}
