// Connections to keys that nobody trusts yet, for pairing: opened when a person chose a hub, held
// during a pairing, closed when it is over or idle. They carry only what the gate allows an
// unpaired key (PROTOCOL.md, hello).
import type { TrustState } from '../../../preload/contract/dto.ts';
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { CLOSE_CODES, type KeyHex } from '../../ports/transport.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import type { Dialler, RoundTrouble } from './dialler.ts';
import type { RequestChannel } from './request-channel.ts';
import type { HubAddress } from './hub-address.ts';
import type { Incoming, OpenHandler } from './incoming.ts';
import {
  INTRODUCTION_WITHIN_MS,
  INTRODUCTIONS_AT_ONCE,
  REPLY_TIMEOUT_MS,
  STRANGER_IDLE_MS,
  STRANGER_SWEEP_MS,
} from './limits.ts';
import type { LinkTable } from './link-table.ts';
import type { PeerDirectory } from './peer-directory.ts';

interface UnpairedConnectionsDeps {
  readonly clock: Clock;
  readonly table: LinkTable;
  readonly dialler: Dialler;
  readonly channel: RequestChannel;
  readonly incoming: Incoming;
  readonly directory: PeerDirectory;
}

const isUnpaired = (trust: TrustState): boolean =>
  trust === 'discovered' || trust === 'quarantined';

export class UnpairedConnections {
  readonly #deps: UnpairedConnectionsDeps;
  readonly #listeners = new Set<(key: KeyHex) => void>();
  readonly #held = new Set<KeyHex>();
  #sweep: TimerHandle | undefined;

  constructor(deps: UnpairedConnectionsDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#sweep ??= this.#deps.clock.setTimer(STRANGER_SWEEP_MS, () => {
      this.#sweep = undefined;
      this.#closeIdleStrangers();
      this.start();
    });
  }

  stop(): void {
    this.#sweep?.cancel();
    this.#sweep = undefined;
    this.#held.clear();
  }

  /** The handler of a kind that a key may use before it is paired. */
  onRequest(kind: string, handler: OpenHandler): void {
    this.#deps.incoming.onOpenRequest(kind, handler);
  }

  /** Called when a connection to any key has its hello done. */
  onConnection(listener: (key: KeyHex) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  established(key: KeyHex): void {
    for (const listener of this.#listeners) listener(key);
  }

  isOpen(key: KeyHex): boolean {
    return this.#deps.table.sending(key) !== undefined;
  }

  /**
   * Connects to a hub that a person chose, if there is no connection yet.
   * @param named where it is by more than the network's word; dialled first
   * @param withinMs what dialling may take over all addresses; the resolver and hello have limits
   * of their own
   */
  async open(
    key: KeyHex,
    signal: AbortSignal,
    named?: readonly HubAddress[],
    withinMs?: number,
  ): Promise<Result<void, RoundTrouble>> {
    if (this.isOpen(key)) return ok();
    const dialled = await this.#deps.dialler.dialOnce(key, signal, named, withinMs);
    if (this.isOpen(key)) return ok();
    if (!dialled.ok) return dialled;
    return err({ sentence: `${this.#deps.directory.nameOf(key)} did not say hello.`, tried: [] });
  }

  /**
   * Says hello on a fresh connection to every hub nearby that is not paired, and to each that comes
   * in sight until `signal` ends: of each other's names, hubs learn in a hello alone, and what an
   * earlier one told may be old.
   */
  introduce(signal: AbortSignal): void {
    const { directory } = this.#deps;
    const isMeant = (key: KeyHex): boolean =>
      isUnpaired(directory.trustOf(key)) && directory.nearby(key) !== undefined;
    const due = directory.knownKeys().filter(isMeant);
    let running = 0;
    const next = (): void => {
      while (!signal.aborted && running < INTRODUCTIONS_AT_ONCE) {
        const key = due.shift();
        if (key === undefined) return;
        running++;
        void this.#meet(key, signal).finally(() => {
          running--;
          next();
        });
      }
    };
    const stopListening = directory.onWay((key) => {
      if (!isMeant(key) || due.includes(key)) return;
      due.push(key);
      next();
    });
    signal.addEventListener('abort', stopListening, { once: true });
    next();
  }

  /** What came of it shows in the list. The connection of a pairing is left alone. */
  async #meet(key: KeyHex, signal: AbortSignal): Promise<void> {
    if (this.#held.has(key)) return;
    this.#deps.table.closeKey(key, CLOSE_CODES.done, 'hello is said anew');
    await this.#deps.dialler
      .dialOnce(key, signal, [], INTRODUCTION_WITHIN_MS)
      .catch(() => undefined);
  }

  /** A request to a key, whether it is paired or not. */
  async request(
    key: KeyHex,
    kind: string,
    payload: JsonObject,
    signal?: AbortSignal,
  ): Promise<Result<Envelope, AppError>> {
    const { table, channel, directory } = this.#deps;
    const link = table.sending(key);
    if (link === undefined) {
      return err(
        new AppError('peer_unreachable', `${directory.nameOf(key)} is not connected just now.`, {
          failedBy: 'peer',
        }),
      );
    }
    return channel.request(
      link,
      { id: channel.newId(), kind, ref: null, payload },
      REPLY_TIMEOUT_MS,
      signal,
    );
  }

  /** Keeps the connection of an unpaired hub open, and its place, while people type. */
  hold(key: KeyHex): void {
    this.#held.add(key);
    this.#deps.table.keep(this.#held);
  }

  /** The pairing is over: the connection is closed soon unless the key is paired by now. */
  release(key: KeyHex): void {
    this.#held.delete(key);
    this.#deps.table.keep(this.#held);
  }

  #closeIdleStrangers(): void {
    const now = this.#deps.clock.monotonicMs();
    for (const link of this.#deps.table.all()) {
      const mayClose = !this.#deps.directory.isPaired(link.keyHex) && !this.#held.has(link.keyHex);
      if (mayClose && link.inFlight === 0 && now - link.lastUsedAtMs >= STRANGER_IDLE_MS) {
        this.#deps.table.close(link, CLOSE_CODES.done, 'nothing to say before pairing');
      }
    }
  }
}
