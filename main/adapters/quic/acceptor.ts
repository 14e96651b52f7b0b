// What happens to a datagram that belongs to no connection: almost always nothing. Guard, budget, Retry, and only then a connection,
// in that order (PROTOCOL.md, Connection). Nothing is kept for a source that has not proved its address.
import type { Clock, Random } from '../../ports/clock.ts';
import { addressOf, forSocket, shown, sourceOf, splitZone } from './addresses.ts';
import type { ConnectionIds } from './connection-ids.ts';
import type { Counters } from './counters.ts';
import {
  CONNECTION_ID_LENGTH_BYTES,
  FIRST_CONNECTION_ID_MIN_BYTES,
  INITIALS_BURST,
  INITIALS_PER_NETWORK_BURST,
  INITIALS_PER_NETWORK_PER_SECOND,
  INITIALS_PER_SECOND,
  INITIAL_DATAGRAM_MIN_BYTES,
  RETRIES_PER_SECOND,
} from './limits.ts';
import type { HostPort, Quiche, QuicheConfig, QuicheConnection } from './native-binding.ts';
import type { Datagram } from './packet-guard.ts';
import { RetryTokens } from './retry-tokens.ts';
import { SourceBudget } from './source-budget.ts';
import type { StatelessResets } from './stateless-resets.ts';

const QUIC_VERSION_1 = 1;

export interface Accepted {
  readonly native: QuicheConnection;
  readonly route: string;
  readonly source: string;
}

export class Acceptor {
  readonly #clock: Clock;
  readonly #ids: ConnectionIds;
  readonly #counters: Counters;
  readonly #binding: Quiche;
  readonly #config: QuicheConfig;
  readonly #local: HostPort;
  readonly #send: (bytes: Uint8Array, host: string, port: number) => void;
  readonly #retries = new SourceBudget({ perSecond: RETRIES_PER_SECOND, burst: RETRIES_PER_SECOND });
  readonly #ofAddress = new SourceBudget({ perSecond: INITIALS_PER_SECOND, burst: INITIALS_BURST });
  readonly #ofNetwork = new SourceBudget({ perSecond: INITIALS_PER_NETWORK_PER_SECOND, burst: INITIALS_PER_NETWORK_BURST });
  readonly #tokens: RetryTokens;
  readonly #resets: StatelessResets;

  constructor(deps: {
    readonly clock: Clock;
    readonly random: Random;
    readonly ids: ConnectionIds;
    readonly counters: Counters;
    readonly binding: Quiche;
    readonly config: QuicheConfig;
    readonly local: HostPort;
    readonly resets: StatelessResets;
    readonly send: (bytes: Uint8Array, host: string, port: number) => void;
  }) {
    this.#clock = deps.clock;
    this.#ids = deps.ids;
    this.#counters = deps.counters;
    this.#binding = deps.binding;
    this.#config = deps.config;
    this.#local = deps.local;
    this.#send = deps.send;
    this.#tokens = new RetryTokens(deps);
    this.#resets = deps.resets;
  }

  /** A connection for a datagram that shows a valid token; otherwise it is answered with a Retry or a reset, or not at all. */
  consider(datagram: Datagram, size: number, host: string, port: number): Accepted | undefined {
    if (datagram.type === 'short') return this.#reset(datagram.destination, size, host, port);
    if (datagram.type !== 'initial') return this.#drop('unknown-connection');
    if (size < INITIAL_DATAGRAM_MIN_BYTES) return this.#drop('short-initial');
    const address = `${shown(host)} ${port}`;
    const destination = Buffer.from(datagram.destination, 'latin1');
    if (datagram.token.length === 0) {
      if (destination.length < FIRST_CONNECTION_ID_MIN_BYTES) return this.#drop('malformed');
      if (!this.#retries.take('all', this.#clock.monotonicMs())) return this.#drop('over-budget');
      this.#retry(datagram.source, destination, address, host, port);
      return undefined;
    }
    const originalId = this.#tokens.verify(datagram.token, address, destination);
    if (!originalId || destination.length !== CONNECTION_ID_LENGTH_BYTES) return this.#drop('bad-token');
    const source = sourceOf(host);
    if (!this.#mayBegin(addressOf(host), source)) return this.#drop('over-budget');
    this.#counters.add('retries.validated');
    const peer = { host: splitZone(host).address, port };
    return { native: this.#accept(destination, originalId, peer), route: datagram.destination, source };
  }

  /** Only for an address that is proved: what others write on their packets costs it nothing. The network pays for what the address may send. */
  #mayBegin(address: string, network: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    return this.#ofAddress.take(address, nowMs) && this.#ofNetwork.take(network, nowMs);
  }

  /** The library copies its settings for each connection it makes: this one is told the token of its own id. */
  #accept(destination: Uint8Array, originalId: Uint8Array, peer: HostPort): QuicheConnection {
    try {
      this.#config.setStatelessResetToken(this.#resets.tokenNumberOf(destination));
      return this.#binding.Connection.accept(destination, originalId, this.#local, peer, this.#config);
    } catch {
      // The library has 128 bytes for all it tells a client, and a first id longer than its own leaves no room for the token.
      this.#counters.add('resets.without-token');
      this.#config.setStatelessResetToken(null);
      return this.#binding.Connection.accept(destination, originalId, this.#local, peer, this.#config);
    }
  }

  /** Tells a peer that keeps sending to a connection which died with an earlier process. */
  #reset(destination: string, size: number, host: string, port: number): undefined {
    this.#drop('unknown-connection');
    const reset = this.#resets.answer(Buffer.from(destination, 'latin1'), size, sourceOf(host));
    if (!reset) {
      this.#counters.add('resets.withheld');
      return;
    }
    this.#counters.add('resets.sent');
    this.#send(reset, host, port);
  }

  #retry(clientId: Uint8Array, destination: Uint8Array, address: string, host: string, port: number): void {
    const retryId = this.#ids.mint();
    const token = this.#tokens.mint(address, destination, retryId);
    const reply = Buffer.alloc(INITIAL_DATAGRAM_MIN_BYTES);
    const length = this.#binding.retry(Uint8Array.from(clientId), destination, retryId, token, QUIC_VERSION_1, reply);
    this.#counters.add('retries.sent');
    this.#send(reply.subarray(0, length), host, port);
  }

  #drop(reason: string): undefined {
    this.#counters.add(`dropped.${reason}`);
    return undefined;
  }
}

/** The address a dial to `host` uses on a socket of this family, with the zone split off for the native library. */
export function dialAddress(host: string, family: 4 | 6): { readonly full: string; readonly address: string } | undefined {
  const full = forSocket(host, family);
  return full === undefined ? undefined : { full, address: splitZone(full).address };
}
