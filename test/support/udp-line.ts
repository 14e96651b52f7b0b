// A stretch of network between two hubs on loopback. It does to datagrams what networks do: loses,
// delays, reorders and repeats them, drops the large ones, and gives the dialler another port, as a
// NAT does. All chance comes from one seed. It never looks into a datagram.
import dgram from 'node:dgram';
import { Chance } from '../sim/chance.ts';

interface LineCounts {
  /** Given to the socket of whoever they are for, repeated ones included. */
  readonly passed: number;
  readonly lost: number;
  readonly repeated: number;
  /** Arrived after one that had entered later. */
  readonly overtaken: number;
  readonly tooLarge: number;
  readonly rebindings: number;
  /** The largest that came in. */
  readonly largestBytes: number;
}

export class UdpLine {
  /** Share of datagrams lost each way, 0 to 1. */
  loss = 0;
  /** Added each way. */
  delayMs = 0;
  /** Added on top of that, up to this much, for each datagram anew: what waits less overtakes. */
  jitterMs = 0;
  /** Share of datagrams that arrive a second time, 0 to 1, after a delay of their own. */
  repeats = 0;
  /** Larger datagrams vanish, as on a path whose packets must be small. */
  sizeMaxBytes = Infinity;
  /** After so many datagrams of the dialler it appears at another port. */
  rebindEvery = Infinity;
  /** Nothing passes. */
  isCut = false;
  /** Of the dialler's datagrams only so many pass. */
  outMax = Infinity;
  readonly #front = dgram.createSocket('udp4');
  #back = dgram.createSocket('udp4');
  readonly #hubPort: number;
  #dialler: { port: number; address: string } | null = null;
  readonly #ways: readonly [out: Way, home: Way];
  readonly #timers = new Set<NodeJS.Timeout>();
  #rebinding: Promise<number> | null = null;
  #sinceRebinding = 0;
  #fromDialler = 0;
  #isClosed = false;
  readonly #counts = {
    passed: 0,
    lost: 0,
    repeated: 0,
    overtaken: 0,
    tooLarge: 0,
    rebindings: 0,
    largestBytes: 0,
  };

  constructor(hubPort: number, seed = 1) {
    this.#hubPort = hubPort;
    const chance = new Chance(seed);
    this.#ways = [new Way(chance.fork()), new Way(chance.fork())];
  }

  get counts(): LineCounts {
    return { ...this.#counts };
  }

  /** Returns the port where the hub behind it can be dialled. */
  async open(): Promise<number> {
    const [out] = this.#ways;
    this.#front.on('message', (datagram, from) => {
      this.#dialler = from;
      this.#sinceRebinding += 1;
      if (this.#sinceRebinding >= this.rebindEvery) void this.rebind();
      this.#fromDialler += 1;
      if (this.#fromDialler > this.outMax) return;
      this.#carry(datagram, out, () => this.#back.send(datagram, this.#hubPort, '127.0.0.1'));
    });
    await bind(this.#front);
    await this.#listen(this.#back);
    return this.#front.address().port;
  }

  /**
   * From now on the hub sees the dialler at another port, and what it sends to the old one is lost.
   * Returns the new port.
   */
  rebind(): Promise<number> {
    this.#rebinding ??= this.#rebind().finally(() => (this.#rebinding = null));
    return this.#rebinding;
  }

  /** Sends the dialler a datagram as if it came from the hub, whatever the weather. */
  inject(datagram: Uint8Array): Promise<void> {
    const to = this.#dialler;
    if (to === null) throw new Error('nobody has dialled through this line yet');
    return new Promise((resolve) =>
      this.#front.send(datagram, to.port, to.address, () => resolve()),
    );
  }

  /** Sends the hub a datagram as if it came from the dialler, whatever the weather. */
  injectHome(datagram: Uint8Array): Promise<void> {
    return new Promise((resolve) =>
      this.#back.send(datagram, this.#hubPort, '127.0.0.1', () => resolve()),
    );
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#front.close();
    this.#back.close();
  }

  async #rebind(): Promise<number> {
    const next = dgram.createSocket('udp4');
    await this.#listen(next);
    const old = this.#back;
    this.#sinceRebinding = 0;
    if (this.#isClosed) {
      next.close();
      return 0;
    }
    this.#back = next;
    old.close();
    this.#counts.rebindings += 1;
    return next.address().port;
  }

  async #listen(socket: dgram.Socket): Promise<void> {
    const [, home] = this.#ways;
    socket.on('message', (datagram) => {
      const to = this.#dialler;
      if (to) this.#carry(datagram, home, () => this.#front.send(datagram, to.port, to.address));
    });
    await bind(socket);
  }

  #carry(datagram: Buffer, way: Way, send: () => void): void {
    const counts = this.#counts;
    counts.largestBytes = Math.max(counts.largestBytes, datagram.length);
    if (this.isCut) return;
    if (datagram.length > this.sizeMaxBytes) {
      counts.tooLarge += 1;
      return;
    }
    // Drawn for every datagram alike, so that one setting does not change the chance of another.
    const { isLost, isRepeated, waits } = way.draw(this);
    const number = way.next();
    if (isLost) counts.lost += 1;
    else this.#later(waits[0], () => this.#arrive(number, way, send));
    if (isLost || !isRepeated) return;
    counts.repeated += 1;
    this.#later(waits[1], () => this.#arrive(number, way, send));
  }

  #arrive(number: number, way: Way, send: () => void): void {
    if (this.isCut || this.#isClosed) return;
    this.#counts.passed += 1;
    if (way.isLate(number)) this.#counts.overtaken += 1;
    send();
  }

  #later(waitMs: number, work: () => void): void {
    if (waitMs === 0) return work();
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, waitMs);
    this.#timers.add(timer);
  }
}

interface Fate {
  readonly isLost: boolean;
  readonly isRepeated: boolean;
  /** Of the datagram, and of its repetition. */
  readonly waits: readonly [number, number];
}

/** One direction of a line: its own chance, and what has passed. */
class Way {
  readonly #chance: Chance;
  #entered = 0;
  #newest = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  draw({
    loss,
    repeats,
    delayMs,
    jitterMs,
  }: Pick<UdpLine, 'loss' | 'repeats' | 'delayMs' | 'jitterMs'>): Fate {
    const [lost, repeated, first, second] = Array.from({ length: 4 }, () =>
      this.#chance.fraction(),
    );
    const wait = (drawn = 0): number => delayMs + drawn * jitterMs;
    return {
      isLost: (lost ?? 1) < loss,
      isRepeated: (repeated ?? 1) < repeats,
      waits: [wait(first), wait(second)],
    };
  }

  next(): number {
    this.#entered += 1;
    return this.#entered;
  }

  isLate(number: number): boolean {
    const isLate = number < this.#newest;
    this.#newest = Math.max(this.#newest, number);
    return isLate;
  }
}

async function bind(socket: dgram.Socket): Promise<void> {
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
}
