// What goes wrong around the hubs: crashes, ways that are shut, clocks that are set, disks that
// fail, messages that come again. Draws when and what from the run's chance; ends when it is told,
// and puts everything right again.
import type { AgentProgram, Household } from './agent-program.ts';
import type { Chance } from './chance.ts';
import type { Network } from './network.ts';
import type { Mishap } from './sim-disk.ts';
import type { SimHub } from './sim-hub.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Stage {
  readonly household: Household;
  readonly network: Network;
  readonly agents: readonly AgentProgram[];
}

export class Trouble {
  readonly #stage: Stage;
  readonly #chance: Chance;
  readonly #pauseMs: number;
  #isOver = false;
  #isStopped = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#chance = stage.household.world.chance.fork();
    this.#pauseMs = this.#chance.between(1_500, 12_000);
  }

  start(): void {
    this.#plan();
  }

  /** The network heals, every hub runs, the disks are quick. */
  end(): void {
    this.#isOver = true;
    const { network, household } = this.#stage;
    network.openAll();
    network.temper.resetShare = 0;
    for (const hub of household.hubs) {
      hub.disk.mishap = undefined;
      hub.disk.commitMaxMs = 4;
      hub.start();
    }
  }

  #plan(): void {
    this.#stage.household.world.after(this.#chance.wait(this.#pauseMs), () => {
      if (this.#isOver) return;
      this.#strike();
      this.#plan();
    });
  }

  #strike(): void {
    const chance = this.#chance;
    const hub = chance.pick(this.#stage.household.hubs);
    const what = chance.weighted({
      crash: 10,
      crashInCommit: 10,
      crashAfterCommit: 10,
      stop: 5,
      part: 14,
      cut: 10,
      process: 5,
      clock: 6,
      farClock: 0.3,
      agent: 8,
      again: 14,
      forged: 3,
      slowDisk: 4,
      failingDisk: 0.7,
    });
    this.#stage.household.world.trace(`trouble ${what} at ${hub.name}`);
    if (what === 'crash') hub.crash();
    else if (what === 'crashInCommit') this.#plot(hub, 'dies_in_it');
    else if (what === 'crashAfterCommit') this.#plot(hub, 'dies_after_it');
    else if (what === 'failingDisk') this.#plot(hub, 'fails');
    else if (what === 'stop') void hub.stop();
    else if (what === 'part') this.#part(hub);
    else if (what === 'cut') this.#cut(hub);
    else if (what === 'process') hub.transport?.restartProcess();
    else if (what === 'clock')
      this.#setClock(hub, chance.between(-3, 3) * (chance.maybe(0.5) ? HOUR_MS : 60_000));
    else if (what === 'farClock') this.#setClock(hub, chance.between(-3, 3) * DAY_MS);
    else if (what === 'agent') chance.pick(this.#stage.agents).crash();
    else if (what === 'again') this.#sendAgain();
    else if (what === 'forged') this.#forge();
    else this.#slow(hub);
  }

  /** The next commit is the last one of this run. */
  #plot(hub: SimHub, mishap: Mishap): void {
    hub.disk.mishap = mishap;
  }

  #startLater(hub: SimHub): void {
    const delayMs = this.#chance.maybe(0.7)
      ? this.#chance.between(100, 5_000)
      : this.#chance.between(5_000, 60_000);
    this.#stage.household.world.after(delayMs, () => this.#start(hub));
  }

  /** Nothing is started any more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Every hub that goes down, for whatever reason, comes up again. */
  wentDown(hub: SimHub): void {
    if (this.#isOver) this.#stage.household.world.after(100, () => this.#start(hub));
    else this.#startLater(hub);
  }

  #start(hub: SimHub): void {
    if (!this.#isStopped) hub.start();
  }

  #part(hub: SimHub): void {
    const { network, household } = this.#stage;
    const chance = this.#chance;
    const others = household.hubs.filter(
      (other) => other !== hub && (chance.maybe(0.4) || chance.maybe(0.2)),
    );
    const isOneWay = chance.maybe(0.25);
    const lengthMs = chance.maybe(0.5) ? chance.between(500, 8_000) : chance.between(8_000, 60_000);
    for (const other of others) {
      network.shut(hub.host, other.host);
      if (!isOneWay) network.shut(other.host, hub.host);
      household.world.after(lengthMs * chance.between(0.9, 1.1), () => {
        network.open(hub.host, other.host);
        network.open(other.host, hub.host);
      });
    }
  }

  /** One connection breaks, and each side notices by itself. */
  #cut(hub: SimHub): void {
    const ends = hub.transport?.ends() ?? [];
    if (ends.length > 0) this.#chance.pick(ends).lose();
  }

  #setClock(hub: SimHub, byMs: number): void {
    hub.quartz.wallOffsetMs += byMs;
    this.#stage.household.ledger.clockSet(hub, byMs);
  }

  /** Something this hub took before comes once more, as it was. */
  #sendAgain(): void {
    const { network, household } = this.#stage;
    if (network.recent.length === 0) return;
    const { from, to, type, bytes } = this.#chance.pick(network.recent);
    const end = network.hostAt(to)?.endsTo(from)[0];
    if (
      end === undefined ||
      !REPEATED.test(text(bytes)) ||
      household.ledger.isGivenUp(to, text(bytes))
    )
      return;
    end.owner.receiveAgain(end, type, bytes);
  }

  /** A delegation that was taken before comes under the same id with other words. */
  #forge(): void {
    const { network } = this.#stage;
    const known = network.recent.filter(({ bytes }) => text(bytes).includes('"kind":"delegate"'));
    if (known.length === 0) return;
    const { from, to, type, bytes } = this.#chance.pick(known);
    const target = network.hostAt(to);
    const end = target?.endsTo(from)[0];
    if (end === undefined || !this.#stage.household.ledger.hasTaken(to, text(bytes))) return;
    end.owner.receiveAgain(
      end,
      type,
      new TextEncoder().encode(text(bytes).replace('"task":"task', '"task":"forged')),
    );
  }

  #slow(hub: SimHub): void {
    hub.disk.commitMaxMs = this.#chance.pick([50, 300, 3_000]);
    this.#stage.household.world.after(
      this.#chance.between(1_000, 15_000),
      () => (hub.disk.commitMaxMs = 4),
    );
  }
}

const REPEATED = /"kind":"(?:delegate|cancel|result|error|notify)"/;

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
