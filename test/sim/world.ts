// One simulated run: its time, everything that is going to happen in it, the trace of what did, and
// what was found wrong. Time passes only from event to event, and whatever an event sets going is
// let finish before the next. Knows nothing of hubs.
import { createHash, type Hash } from 'node:crypto';
import { Chance } from './chance.ts';

interface Planned {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** So many events share one turn of the real event loop. */
const EVENTS_PER_TURN = 64;
/** More of them are not kept: the first ones tell. */
const FINDINGS_MAX = 20;

export class World {
  readonly seed: number;
  readonly chance: Chance;
  /** What broke a rule, the first first. */
  readonly findings: string[] = [];
  /** Lines of the trace, kept when asked for. */
  readonly lines: string[] = [];
  events = 0;
  #nowMs = 0;
  #order = 0;
  readonly #queue: Planned[] = [];
  readonly #hash: Hash = createHash('sha256');
  readonly #keepsLines: boolean;

  constructor(seed: number, keepsLines = false) {
    this.seed = seed;
    this.chance = new Chance(seed);
    this.#keepsLines = keepsLines;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Events that have not happened and were not taken back. */
  get planned(): number {
    return this.#queue.filter(({ run }) => run !== undefined).length;
  }

  /** Plans something; returns the way to take it back. */
  after(delayMs: number, run: () => void): () => void {
    const planned: Planned = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      order: this.#order++,
      run,
    };
    this.#push(planned);
    return () => (planned.run = undefined);
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Writes down what happens; everything that tells two runs apart belongs in here. */
  trace(line: string): void {
    const text = `${this.#nowMs.toFixed(3)} ${line}\n`;
    this.#hash.update(text);
    if (this.#keepsLines) this.lines.push(text);
  }

  /** Writes bytes down without a line of their own. */
  traceBytes(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** A rule is broken. */
  found(what: string): void {
    this.trace(`FOUND ${what}`);
    if (this.findings.length < FINDINGS_MAX)
      this.findings.push(`at ${Math.round(this.#nowMs)} ms: ${what}`);
  }

  hash(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Lets time pass. Stops early once something was found. */
  async run(durationMs: number): Promise<void> {
    const untilMs = this.#nowMs + durationMs;
    await settle();
    for (
      let next = this.#queue[0];
      next !== undefined && next.atMs <= untilMs;
      next = this.#queue[0]
    ) {
      this.#pop();
      if (next.run === undefined) continue;
      this.#nowMs = next.atMs;
      next.run();
      this.events += 1;
      await settle();
      if (this.events % EVENTS_PER_TURN === 0) await realTurn();
      if (this.findings.length > 0) return;
    }
    this.#nowMs = untilMs;
  }

  #push(planned: Planned): void {
    const queue = this.#queue;
    let index = queue.push(planned) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = queue[parent];
      if (above === undefined || !isBefore(planned, above)) break;
      queue[index] = above;
      index = parent;
    }
    queue[index] = planned;
  }

  #pop(): void {
    const queue = this.#queue;
    const last = queue.pop();
    if (last === undefined || queue.length === 0) return;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      let below = queue[child];
      if (below === undefined) break;
      const right = queue[child + 1];
      if (right !== undefined && isBefore(right, below)) {
        below = right;
        child += 1;
      }
      if (!isBefore(below, last)) break;
      queue[index] = below;
      index = child;
    }
    queue[index] = last;
  }
}

function isBefore(first: Planned, second: Planned): boolean {
  return first.atMs < second.atMs || (first.atMs === second.atMs && first.order < second.order);
}

/** Every promise that can go on now has gone on: a tick begins only when no microtask is left. */
function settle(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Lets Node report what nobody handled. */
export function realTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
