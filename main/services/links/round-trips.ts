// How far each online peer is, as its connection itself measures it all the time: smoothed, and without the work behind an answer. Read from the
// transport now and then and shown to people; nothing is decided by it.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex, Transport } from '../../ports/transport.ts';
import { ROUND_TRIP_CHANGE_MIN, ROUND_TRIP_INTERVAL_MS } from './limits.ts';
import type { LinkTable } from './link-table.ts';
import type { PeerDirectory } from './peer-directory.ts';

export interface RoundTripsDeps {
  readonly clock: Clock;
  readonly transport: Pick<Transport, 'statistics'>;
  readonly table: LinkTable;
  readonly directory: PeerDirectory;
}

export class RoundTrips {
  readonly #deps: RoundTripsDeps;
  readonly #online = new Set<KeyHex>();
  #timer: TimerHandle | undefined;

  constructor(deps: RoundTripsDeps) {
    this.#deps = deps;
  }

  watch(key: KeyHex): void {
    this.#online.add(key);
    this.#plan();
  }

  leave(key: KeyHex): void {
    this.#online.delete(key);
    if (this.#online.size === 0) this.stop();
  }

  stop(): void {
    this.#online.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** A message and its answer took `measuredMs` just now: the way cannot be longer, whatever the first packets made of it. */
  async measured(key: KeyHex, measuredMs: number): Promise<void> {
    const told = await this.#read();
    const smoothedMs = told[this.#deps.table.sending(key)?.id ?? -1];
    this.#show(key, smoothedMs === undefined ? measuredMs : Math.min(smoothedMs, measuredMs));
  }

  #plan(): void {
    this.#timer ??= this.#deps.clock.setTimer(ROUND_TRIP_INTERVAL_MS, () => {
      this.#timer = undefined;
      void this.#refresh();
    });
  }

  async #refresh(): Promise<void> {
    const told = await this.#read();
    for (const key of this.#online) {
      const smoothedMs = told[this.#deps.table.sending(key)?.id ?? -1];
      if (smoothedMs !== undefined) this.#show(key, smoothedMs);
    }
    if (this.#online.size > 0) this.#plan();
  }

  /** Smoothed round trips in ms by connection; nothing while the transport is being started again. */
  async #read(): Promise<Readonly<Record<number, number>>> {
    try {
      return (await this.#deps.transport.statistics()).roundTripMs;
    } catch {
      return {};
    }
  }

  /** A small change is not worth telling every page. */
  #show(key: KeyHex, exactMs: number): void {
    if (this.#deps.table.sending(key) === undefined) return;
    const before = this.#deps.directory.live(key).roundTripMs;
    const roundTripMs = Math.round(exactMs * 100) / 100;
    if (before !== null && Math.abs(before - roundTripMs) < Math.max(1, before * ROUND_TRIP_CHANGE_MIN)) return;
    this.#deps.directory.setLive(key, { roundTripMs });
  }
}
