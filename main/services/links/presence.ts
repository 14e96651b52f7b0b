// Who is online: paired, and on a connection with hello done. When connections or trust change, it
// updates what is shown, probed and dialled, and tells its listeners of peers that come, go, or
// return on another connection. It notes when a peer was last seen as it goes.
import type { Clock } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { Dialler } from './dialler.ts';
import { STABLE_AFTER_MS } from './limits.ts';
import type { Link } from './link.ts';
import { TRUSTED_THERE } from './link-trouble.ts';
import type { LinkTable } from './link-table.ts';
import type { PeerDirectory } from './peer-directory.ts';
import type { LiveFacts } from './peer-view.ts';
import type { Prober } from './prober.ts';

interface PresenceDeps {
  readonly clock: Clock;
  readonly table: LinkTable;
  readonly directory: PeerDirectory;
  readonly prober: Prober;
  readonly dialler: Dialler;
}

type PresenceListener = (peer: KeyHex, online: boolean) => void;

export class Presence {
  readonly #deps: PresenceDeps;
  /** Since when, on the monotonic clock. */
  readonly #onlineSinceMs = new Map<KeyHex, number>();
  /**
   * The connection that listeners of an online peer were told of; another may be used for sending
   * by now.
   */
  readonly #lines = new Map<KeyHex, Link>();
  /**
   * What the prober was told last of an online peer: its connection, and whether that speaks the
   * reference profile.
   */
  readonly #probed = new Map<KeyHex, { readonly link: Link; readonly isReference: boolean }>();
  #isSilent = false;
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

  /** Listeners are told from now on. */
  start(): void {
    this.#isSilent = false;
  }

  /** Nobody is told anything more: every connection is about to end, one after the other. */
  silence(): void {
    this.#isSilent = true;
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
      link === undefined
        ? { host: null, port: null, roundTripMs: null, load: null }
        : { host: link.info.host, port: link.info.port, ...this.#welcome(key, link) };
    directory.setLive(key, { online: isOnline, connected: link !== undefined, ...place });
    const before = this.#lines.get(key);
    if (!isOnline) this.#lines.delete(key);
    else if (before === undefined || before.isGone) this.#lines.set(key, link);
    this.#probe(key, isOnline ? link : undefined);
    if (sinceMs !== undefined && !isOnline)
      void directory.note(key, { lastSeenAt: clock.wallMs() }).catch(() => undefined);
    if (isOnline !== (sinceMs !== undefined)) this.#tell(key, isOnline);
    // A hub that lost power may return on a new connection before the old one is known to be dead:
    // what was sent on the old one is due again.
    else if (isOnline && before !== link && before?.isGone === true && !before.isGivenUpWhole)
      this.#tell(key, true);
    if (link === undefined)
      dialler.again(key, sinceMs !== undefined && now - sinceMs >= STABLE_AFTER_MS);
  }

  /**
   * A hub that may pair says hello also to one that it does not trust: whether it trusts this one
   * shows in its answer to the prober. One that is never asked is taken at its hello.
   */
  #welcome(key: KeyHex, link: Link): Partial<LiveFacts> {
    const { directory } = this.#deps;
    const mayBeAsked = directory.row(key)?.features.includes('discover') === true;
    const isAsked = mayBeAsked && directory.isPaired(key) && !link.isReference;
    return isAsked && directory.live(key).notTrustedThere ? {} : TRUSTED_THERE;
  }

  /** On another connection, or with another profile, the peer is probed anew. */
  #probe(key: KeyHex, link: Link | undefined): void {
    const before = this.#probed.get(key);
    if (link === undefined) {
      if (this.#probed.delete(key)) this.#deps.prober.offline(key);
    } else if (
      (before?.link !== link || before.isReference !== link.isReference) &&
      !this.#isSilent
    ) {
      this.#probed.set(key, { link, isReference: link.isReference });
      this.#deps.prober.online(key);
    }
  }

  #tell(key: KeyHex, isOnline: boolean): void {
    if (!this.#isSilent) for (const listener of this.#listeners) listener(key, isOnline);
  }
}
