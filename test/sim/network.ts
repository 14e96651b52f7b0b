// The network between simulated computers: how long things take, which ways are shut, and the
// connections over it as QUIC makes them appear. A stream arrives whole or not at all, streams
// overtake one another, and either side of a broken connection notices on its own, later.
import type { World } from './world.ts';
import type { SimTransport } from './sim-transport.ts';

/**
 * A connection goes silent at most so long before its end is noticed, and at least so long,
 * depending on when something was last heard.
 */
const SILENCE_MIN_MS = 10_000;
const SILENCE_MAX_MS = 18_000;
/** Recent messages kept for being sent once more. */
const RECENT_MAX = 64;

interface NetworkTemper {
  readonly latencyMs: number;
  /** Share of messages that take much longer than the others. */
  readonly slowShare: number;
  readonly slowMs: number;
  /** Share of streams that are reset on their way. */
  resetShare: number;
}

interface RecentMessage {
  readonly from: string;
  readonly to: string;
  readonly type: 'request' | 'message';
  readonly bytes: Uint8Array;
}

export class Network {
  readonly world: World;
  readonly temper: NetworkTemper;
  readonly recent: RecentMessage[] = [];
  readonly #hosts = new Map<string, SimTransport>();
  /** Shut ways as "from to", each with the number of the shutting. */
  readonly #shut = new Map<string, number>();
  #shuttings = 0;
  #nextConnectionId = 1;

  constructor(world: World, temper: NetworkTemper) {
    this.world = world;
    this.temper = temper;
  }

  hostAt(host: string): SimTransport | undefined {
    return this.#hosts.get(host);
  }

  join(host: string, transport: SimTransport): void {
    this.#hosts.set(host, transport);
  }

  leave(host: string, transport: SimTransport): void {
    if (this.#hosts.get(host) === transport) this.#hosts.delete(host);
  }

  nextConnectionId(): number {
    return this.#nextConnectionId++;
  }

  isShut(from: string, to: string): boolean {
    return this.#shut.has(`${from} ${to}`);
  }

  /**
   * Nothing gets from one computer to the other until `open`. Who hears nothing for long enough
   * gives its connections up.
   */
  shut(from: string, to: string): void {
    const way = `${from} ${to}`;
    if (this.#shut.has(way)) return;
    const number = ++this.#shuttings;
    this.#shut.set(way, number);
    this.world.trace(`net shut ${way}`);
    for (const end of this.#hosts.get(to)?.endsTo(from) ?? []) {
      this.world.after(this.silenceMs(), () => {
        if (this.#shut.get(way) === number) end.lose();
      });
    }
  }

  open(from: string, to: string): void {
    if (this.#shut.delete(`${from} ${to}`)) this.world.trace(`net open ${from} ${to}`);
  }

  openAll(): void {
    this.#shut.clear();
    this.world.trace('net open all');
  }

  delayMs(): number {
    const { chance } = this.world;
    const { latencyMs, slowShare, slowMs } = this.temper;
    return (
      chance.between(latencyMs * 0.5, latencyMs * 1.5) +
      (chance.maybe(slowShare) ? chance.wait(slowMs) : 0)
    );
  }

  silenceMs(): number {
    return this.world.chance.between(SILENCE_MIN_MS, SILENCE_MAX_MS);
  }

  isReset(): boolean {
    return this.world.chance.maybe(this.temper.resetShare);
  }

  /**
   * Carries something there. While the way is shut it is tried again, for as long as whoever sends
   * it does; then it arrives, once.
   * @param isWanted false once the sender has given up
   */
  carry(from: string, to: string, isWanted: () => boolean, arrive: () => void): void {
    this.world.after(this.delayMs(), () => {
      if (!isWanted()) return;
      if (!this.isShut(from, to)) arrive();
      else
        this.world.after(this.world.chance.between(200, 2_000), () =>
          this.carry(from, to, isWanted, arrive),
        );
    });
  }

  remember(message: RecentMessage): void {
    this.recent.push(message);
    if (this.recent.length > RECENT_MAX) this.recent.shift();
  }
}
