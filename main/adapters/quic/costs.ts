// Who keeps this process busy with little: one look at all connections with every sign of life, before the watchdog, which can only end the
// process for everybody, has seen enough. Much traffic is no offence: what counts is what each datagram costs, on lines that have ended since
// the last look as well. Pure bookkeeping; the endpoint closes the connections.
import type { KeyHex } from '../../ports/transport.ts';
import type { Effort } from './effort.ts';
import { BUSY_LOOP_SHARE_MIN, COSTLY_BEATS_MAX, COSTLY_LOOP_SHARE_MIN, ENDED_COSTS_MAX } from './limits.ts';
import type { SignOfLife } from './watchdog.ts';

/** Times since the start of the process, as in its sign of life. */
export type Usage = Pick<SignOfLife, 'atMs' | 'processorMs' | 'activeMs'>;

export interface Costing {
  readonly keyHex: KeyHex | null;
  readonly effort: Pick<Effort, 'take'>;
}

type Sum = ReturnType<Effort['take']>;

export class Costs {
  readonly #costlyFromMs: number;
  /** Of connections that ended since the last look: their last turn may still go on. */
  readonly #ended = new Map<Costing['effort'], KeyHex>();
  #last: Usage | null = null;
  /** Looks in a row that found a key too costly. */
  #beats: ReadonlyMap<KeyHex, number> = new Map();

  /** @param costlyFromMs processor time for each datagram; see costlyFromMs of this computer's speed */
  constructor(costlyFromMs: number) {
    this.#costlyFromMs = costlyFromMs;
  }

  /** The connection ends, or what was left of it has: whoever connects again and again is judged by all of it. */
  ended({ keyHex, effort }: Costing): void {
    if (keyHex !== null) this.#ended.set(effort, keyHex);
    const first = this.#ended.keys().next();
    if (this.#ended.size > ENDED_COSTS_MAX && !first.done) this.#ended.delete(first.value);
  }

  /** The key whose connections are to be closed: of those that were too costly for long enough, the costliest. */
  judge(usage: Usage, connections: Iterable<Costing>): KeyHex | undefined {
    const spent = new Map<KeyHex, Sum>();
    for (const [effort, keyHex] of this.#ended) add(spent, keyHex, effort.take());
    this.#ended.clear();
    for (const { keyHex, effort } of connections) if (keyHex !== null) add(spent, keyHex, effort.take());
    const last = this.#last;
    this.#last = usage;
    const activeMs = last === null ? 0 : usage.activeMs - last.activeMs;
    const isBusy = last !== null && activeMs > 0 && activeMs >= BUSY_LOOP_SHARE_MIN * (usage.atMs - last.atMs);
    const processorMs = last === null ? 0 : usage.processorMs - last.processorMs;
    const costly = new Map<KeyHex, number>();
    let worst: { readonly keyHex: KeyHex; readonly spentMs: number } | undefined;
    for (const [keyHex, { spentMs, datagrams }] of spent) {
      const share = isBusy ? spentMs / activeMs : 0;
      // Of the processor's time, not of the clock's: a computer that is short of processors makes nobody costly.
      if (share < COSTLY_LOOP_SHARE_MIN || (share * processorMs) / Math.max(1, datagrams) < this.#costlyFromMs) continue;
      const beats = (this.#beats.get(keyHex) ?? 0) + 1;
      costly.set(keyHex, beats);
      if (beats >= COSTLY_BEATS_MAX && spentMs > (worst?.spentMs ?? 0)) worst = { keyHex, spentMs };
    }
    this.#beats = costly;
    return worst?.keyHex;
  }
}

/** All connections of a hub count as one. */
function add(sums: Map<KeyHex, Sum>, keyHex: KeyHex, { spentMs, datagrams }: Sum): void {
  const sum = sums.get(keyHex) ?? { spentMs: 0, datagrams: 0 };
  sums.set(keyHex, { spentMs: sum.spentMs + spentMs, datagrams: sum.datagrams + datagrams });
}
