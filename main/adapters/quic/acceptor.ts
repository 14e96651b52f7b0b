// What happens to a datagram that belongs to no connection: almost always nothing. Guard, budget,
// Retry, and only then a connection, in that order (PROTOCOL.md, Connection). Nothing is kept for a
// source that has not proved its address.
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { addressOf, shown, sourceOf, splitZone } from './addresses.ts';
import type { ConnectionIds } from './connection-ids.ts';
import type { Counters } from './counters.ts';
import {
  CONNECTION_ID_LENGTH_BYTES,
  FIRST_CONNECTION_ID_MIN_BYTES,
  INITIALS_OF_ADDRESS,
  INITIALS_OF_NETWORK,
  INITIAL_DATAGRAM_MIN_BYTES,
  RETRIES,
} from './limits.ts';
import type { HostPort, Quiche, QuicheConfig, QuicheConnection } from './native-binding.ts';
import type { Datagram } from './packet-guard.ts';
import { RetryTokens } from './retry-tokens.ts';

const QUIC_VERSION_1 = 1;

interface Accepted {
  readonly native: QuicheConnection;
  readonly route: string;
  readonly source: string;
}

export class Acceptor {
  readonly #ids: ConnectionIds;
  readonly #counters: Counters;
  readonly #binding: Quiche;
  readonly #config: QuicheConfig;
  readonly #local: HostPort;
  readonly #send: (bytes: Uint8Array, host: string, port: number) => void;
  readonly #retries: TokenBuckets;
  readonly #ofAddress: TokenBuckets;
  readonly #ofNetwork: TokenBuckets;
  readonly #tokens: RetryTokens;

  constructor(deps: {
    readonly clock: Clock;
    readonly random: Random;
    readonly ids: ConnectionIds;
    readonly counters: Counters;
    readonly binding: Quiche;
    readonly config: QuicheConfig;
    readonly local: HostPort;
    readonly send: (bytes: Uint8Array, host: string, port: number) => void;
  }) {
    this.#retries = new TokenBuckets(deps.clock);
    this.#ofAddress = new TokenBuckets(deps.clock);
    this.#ofNetwork = new TokenBuckets(deps.clock);
    this.#ids = deps.ids;
    this.#counters = deps.counters;
    this.#binding = deps.binding;
    this.#config = deps.config;
    this.#local = deps.local;
    this.#send = deps.send;
    this.#tokens = new RetryTokens(deps);
  }

  /**
   * A connection for a datagram that shows a valid token; otherwise it is answered with a Retry, or
   * not at all.
   */
  consider(datagram: Datagram, size: number, host: string, port: number): Accepted | undefined {
    if (datagram.type !== 'initial') return this.#drop('unknown-connection');
    if (size < INITIAL_DATAGRAM_MIN_BYTES) return this.#drop('short-initial');
    const address = `${shown(host)} ${port}`;
    const destination = Buffer.from(datagram.destination, 'latin1');
    if (datagram.token.length === 0) {
      if (destination.length < FIRST_CONNECTION_ID_MIN_BYTES) return this.#drop('malformed');
      if (this.#retries.take('all', RETRIES) > 0) return this.#drop('over-budget');
      this.#retry(datagram.source, destination, address, host, port);
      return undefined;
    }
    const originalId = this.#tokens.verify(datagram.token, address, destination);
    if (!originalId || destination.length !== CONNECTION_ID_LENGTH_BYTES)
      return this.#drop('bad-token');
    const source = sourceOf(host);
    if (!this.#mayBegin(addressOf(host), source)) return this.#drop('over-budget');
    this.#counters.add('retries.validated');
    const peer = { host: splitZone(host).address, port };
    return {
      native: this.#binding.Connection.accept(
        destination,
        originalId,
        this.#local,
        peer,
        this.#config,
      ),
      route: datagram.destination,
      source,
    };
  }

  /**
   * Only for an address that is proved: what others write on their packets costs it nothing. The
   * network pays for what the address may send.
   */
  #mayBegin(address: string, network: string): boolean {
    return (
      this.#ofAddress.take(address, INITIALS_OF_ADDRESS) === 0 &&
      this.#ofNetwork.take(network, INITIALS_OF_NETWORK) === 0
    );
  }

  #retry(
    clientId: Uint8Array,
    destination: Uint8Array,
    address: string,
    host: string,
    port: number,
  ): void {
    const retryId = this.#ids.mint();
    const token = this.#tokens.mint(address, destination, retryId);
    const reply = Buffer.alloc(INITIAL_DATAGRAM_MIN_BYTES);
    const length = this.#binding.retry(
      Uint8Array.from(clientId),
      destination,
      retryId,
      token,
      QUIC_VERSION_1,
      reply,
    );
    this.#counters.add('retries.sent');
    this.#send(reply.subarray(0, length), host, port);
  }

  #drop(reason: string): undefined {
    this.#counters.add(`dropped.${reason}`);
    return undefined;
  }
}
