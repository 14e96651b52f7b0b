// Who keeps this process busy with little: one look at all connections with every sign of life, before the watchdog, which can only end the
// process for everybody, has seen enough. Much traffic is no offence: what counts is what each datagram costs. Pure bookkeeping; the endpoint
// closes the connections.
import type { KeyHex } from '../../ports/transport.ts';
import type { Effort } from './effort.ts';
import { BUSY_LOOP_SHARE_MIN, COSTLY_BEATS_MAX, COSTLY_LOOP_SHARE_MIN, COSTLY_PROCESSOR_MIN_MS } from './limits.ts';
import type { SignOfLife } from './watchdog.ts';

/** Times since the start of the process, as in its sign of life. */
export type Usage = Pick<SignOfLife, 'atMs' | 'processorMs' | 'activeMs'>;

export interface Costing {
  readonly keyHex: KeyHex | null;
  readonly effort: Pick<Effort, 'take'>;
}

export class Costs {
  #last: Usage | null = null;
  /** Looks in a row that found a key too costly. */
  #beats: ReadonlyMap<KeyHex, number> = new Map();

  /** The key whose connections are to be closed: of those that were too costly for long enough, the costliest. */
  judge(usage: Usage, connections: Iterable<Costing>): KeyHex | undefined {
    const spent = byKey(connections);
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
      if (share < COSTLY_LOOP_SHARE_MIN || (share * processorMs) / Math.max(1, datagrams) < COSTLY_PROCESSOR_MIN_MS) continue;
      const beats = (this.#beats.get(keyHex) ?? 0) + 1;
      costly.set(keyHex, beats);
      if (beats >= COSTLY_BEATS_MAX && spentMs > (worst?.spentMs ?? 0)) worst = { keyHex, spentMs };
    }
    this.#beats = costly;
    return worst?.keyHex;
  }
}

/** Both connections of a hub count as one. */
function byKey(connections: Iterable<Costing>): ReadonlyMap<KeyHex, ReturnType<Effort['take']>> {
  const sums = new Map<KeyHex, ReturnType<Effort['take']>>();
  for (const { keyHex, effort } of connections) {
    if (keyHex === null) continue;
    const { spentMs, datagrams } = effort.take();
    const sum = sums.get(keyHex) ?? { spentMs: 0, datagrams: 0 };
    sums.set(keyHex, { spentMs: sum.spentMs + spentMs, datagrams: sum.datagrams + datagrams });
  }
  return sums;
}
