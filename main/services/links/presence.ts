// Who is online: paired, and a connection with hello done is there. Brings what is shown, asked and dialled in line with that whenever
// connections or trust change, and tells whoever waits for a peer to come or go.
import type { Clock } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { Dialler } from './dialler.ts';
import { STABLE_AFTER_MS } from './limits.ts';
import type { LinkTable } from './link-table.ts';
import type { PeerDirectory } from './peer-directory.ts';
import type { Prober } from './prober.ts';

export interface PresenceDeps {
  readonly clock: Clock;
  readonly table: LinkTable;
  readonly directory: PeerDirectory;
  readonly prober: Prober;
  readonly dialler: Dialler;
}

export type PresenceListener = (peer: KeyHex, online: boolean) => void;

export class Presence {
  readonly #deps: PresenceDeps;
  /** Since when, on the monotonic clock. */
  readonly #onlineSinceMs = new Map<KeyHex, number>();
  readonly #listeners = new Set<PresenceListener>();

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
  }

  isOnline(key: KeyHex): boolean {
    return this.#onlineSinceMs.has(key);
  }

  listen(listener: PresenceListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The connections or the trust of this key changed. */
  refresh(key: KeyHex): void {
    const { clock, table, directory, dialler } = this.#deps;
    const link = table.sending(key);
    const isOnline = link !== undefined && directory.isPaired(key);
    const sinceMs = this.#onlineSinceMs.get(key);
    const now = clock.monotonicMs();
    if (!isOnline) this.#onlineSinceMs.delete(key);
    else if (sinceMs === undefined) this.#onlineSinceMs.set(key, now);
    const place =
      link === undefined ? { host: null, port: null, roundTripMs: null } : { host: link.info.host, port: link.info.port, trouble: null };
    directory.setLive(key, { online: isOnline, connected: link !== undefined, ...place });
    if (isOnline !== (sinceMs !== undefined)) this.#changed(key, isOnline);
    if (link === undefined) dialler.again(key, sinceMs !== undefined && now - sinceMs >= STABLE_AFTER_MS);
  }

  #changed(key: KeyHex, isOnline: boolean): void {
    if (isOnline) this.#deps.prober.online(key);
    else {
      this.#deps.prober.offline(key);
      this.#deps.directory.note(key, { lastSeenAt: this.#deps.clock.wallMs() });
    }
    for (const listener of this.#listeners) listener(key, isOnline);
  }
}
