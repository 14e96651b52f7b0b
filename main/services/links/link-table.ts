// Every open connection, and which one of a key is used for sending. Two hubs may dial each other
// at once. After both hellos the connection dialled by the lower agent id stays; the other is
// drained and closed when idle (PROTOCOL.md, Connection). A connection is given up only after the
// one that stays has answered, because a hub that dials again may have lost the older one.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import {
  type CloseCode,
  type ConnectionInfo,
  type KeyHex,
  type Transport,
  CLOSE_CODES,
} from '../../ports/transport.ts';
import { DRAIN_IDLE_MS } from './limits.ts';
import { Link } from './link.ts';

interface LinkTableDeps {
  readonly clock: Clock;
  readonly transport: Pick<Transport, 'close' | 'checkAlive' | 'keepPlaces'>;
  readonly ownAgentId: () => string;
  /**
   * Checks over exactly this connection that the other side still answers, within
   * KEEP_CHECK_TIMEOUT_MS.
   */
  readonly isAlive: (link: Link) => Promise<boolean>;
  /** Something about the connections of this key changed. */
  readonly onChange: (key: KeyHex) => void;
  /** This connection is no more. */
  readonly onGone: (link: Link) => void;
  /** A connection of this key has its hello done. */
  readonly onEstablished: (key: KeyHex) => void;
}

export class LinkTable {
  readonly #deps: LinkTableDeps;
  readonly #links = new Map<number, Link>();
  readonly #primary = new Map<KeyHex, Link>();
  readonly #drainTimers = new Map<number, TimerHandle>();

  constructor(deps: LinkTableDeps) {
    this.#deps = deps;
  }

  get(connectionId: number): Link | undefined {
    return this.#links.get(connectionId);
  }

  all(): readonly Link[] {
    return [...this.#links.values()];
  }

  ofKey(key: KeyHex): readonly Link[] {
    return this.all().filter((link) => link.keyHex === key);
  }

  /** The connection to send on, or undefined while none has its hello done. */
  sending(key: KeyHex): Link | undefined {
    const primary = this.#primary.get(key);
    if (primary !== undefined && !primary.isGone) return primary;
    return this.ofKey(key).find((link) => link.isEstablished);
  }

  /** Registers a connection; the same one again is the same link. */
  opened(info: ConnectionInfo): { readonly link: Link; readonly isNew: boolean } {
    const known = this.#links.get(info.connectionId);
    if (known !== undefined) return { link: known, isNew: false };
    const link = new Link(info, this.#deps.clock);
    this.#links.set(link.id, link);
    return { link, isNew: true };
  }

  moved(info: ConnectionInfo): void {
    const link = this.#links.get(info.connectionId);
    if (link === undefined) return;
    link.info = info;
    this.#deps.onChange(link.keyHex);
  }

  /**
   * Hello is done on this connection: it may be used, and the other connections of its key are
   * weighed against it.
   */
  established(link: Link): void {
    if (link.isGone) return;
    // The same one again: its profile is another one now.
    if (link.isEstablished) return this.#deps.onChange(link.keyHex);
    link.established();
    const older = this.ofKey(link.keyHex).filter(
      (other) => other !== link && other.isEstablished && !other.isDraining,
    );
    this.#primary.set(link.keyHex, link);
    this.#deps.onChange(link.keyHex);
    this.#deps.onEstablished(link.keyHex);
    for (const other of older) void this.#weigh(other, link);
  }

  /** Closes a connection of ours and forgets it. */
  close(link: Link, code: CloseCode, reason: string): void {
    if (link.isGone) return;
    this.#deps.transport.close(link.id, code, reason);
    this.gone(link.id);
  }

  /** With these keys a pairing is under way: their connections keep their places. */
  keep(keys: Iterable<KeyHex>): void {
    this.#deps.transport.keepPlaces([...keys]);
  }

  closeKey(key: KeyHex, code: CloseCode, reason: string): void {
    for (const link of this.ofKey(key)) this.close(link, code, reason);
  }

  /** The connection is no more. Returns it when it was known. */
  gone(connectionId: number): Link | undefined {
    const link = this.#links.get(connectionId);
    if (link === undefined) return undefined;
    this.#links.delete(connectionId);
    this.#drainTimers.get(connectionId)?.cancel();
    this.#drainTimers.delete(connectionId);
    link.gone();
    this.#deps.onGone(link);
    if (this.#primary.get(link.keyHex) === link) {
      const heir = this.ofKey(link.keyHex).find((other) => other.isEstablished);
      if (heir === undefined) this.#primary.delete(link.keyHex);
      else {
        heir.isDraining = false;
        this.#primary.set(link.keyHex, heir);
      }
    }
    this.#deps.onChange(link.keyHex);
    return link;
  }

  /**
   * A sleep or another network leaves dead connections. The transport finds them: our own ping
   * would wait behind other work, and a slow hub would count as dead.
   */
  checkAllAlive(): void {
    for (const link of this.all()) this.#deps.transport.checkAlive(link.id);
  }

  /** Forgets everything; the transport closes the connections itself. */
  clear(): void {
    for (const link of this.all()) this.gone(link.id);
  }

  async #weigh(older: Link, newer: Link): Promise<void> {
    // If the other side has lost it, its requests fail within seconds and may be sent again. If it
    // is only slow, they continue.
    this.#deps.transport.checkAlive(older.id);
    const isAlive = await this.#deps.isAlive(older);
    if (older.isGone || newer.isGone) return;
    const [sending, drained] =
      isAlive && this.#keepsOlder(older, newer) ? [older, newer] : [newer, older];
    this.#primary.set(sending.keyHex, sending);
    drained.isDraining = true;
    drained.isGivenUpWhole = isAlive;
    this.#drain(drained);
    this.#deps.onChange(sending.keyHex);
  }

  /**
   * The one dialled by the lower agent id stays; of two dialled by the same side, the newer one.
   */
  #keepsOlder(older: Link, newer: Link): boolean {
    if (older.info.direction === newer.info.direction) return false;
    const ownIsLower = this.#deps.ownAgentId() < older.agentId;
    return (older.info.direction === 'outgoing') === ownIsLower;
  }

  #drain(link: Link): void {
    if (link.isGone || !link.isDraining) return;
    const idleMs = this.#deps.clock.monotonicMs() - link.lastUsedAtMs;
    if (link.inFlight === 0 && idleMs >= DRAIN_IDLE_MS) {
      this.close(link, CLOSE_CODES.duplicate, 'another connection is in use');
      return;
    }
    const waitMs = link.inFlight > 0 ? DRAIN_IDLE_MS : DRAIN_IDLE_MS - idleMs;
    const timer = this.#deps.clock.setTimer(waitMs, () => {
      this.#drainTimers.delete(link.id);
      this.#drain(link);
    });
    this.#drainTimers.set(link.id, timer);
  }
}
