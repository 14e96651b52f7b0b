// The addresses a peer was at before a NAT moved it. The library holds on to what was under way to them: it sends two packets' worth of data
// again and forgets the rest, until a later packet of the same path is acknowledged (RFC 9002, Section 6.1). So each such path is probed,
// and the probe goes to where the peer is now: its acknowledgement is what makes the library send all that was lost again. Only addresses
// that were validated in their own time belong here; for any other the answer would pass as proof that the peer is there.
import type { HostPort, QuicheConnection } from './native-binding.ts';

/** What it needs of the native connection. */
export type ProbedPaths = Pick<QuicheConnection, 'isPathValidated' | 'probePath'>;

export class LeftPaths {
  readonly #native: ProbedPaths;
  readonly #local: HostPort;
  /** As many as the library keeps paths, PATHS_MAX, at most. */
  #addresses: readonly HostPort[] = [];

  constructor(native: ProbedPaths, local: HostPort) {
    this.#native = native;
    this.#local = local;
  }

  get isEmpty(): boolean {
    return this.#addresses.length === 0;
  }

  includes(address: HostPort): boolean {
    return this.#addresses.some((left) => isSameAddress(left, address));
  }

  /** The peer went from one validated address to another. */
  moved(from: HostPort, to: HostPort): void {
    this.#addresses = [...this.#addresses.filter((left) => !isSameAddress(left, from) && !isSameAddress(left, to)), from];
    this.#probe(from);
  }

  /** Probes again where the library has given up: it takes a path for failed after three probes that were lost. */
  probeFailed(): void {
    for (const left of this.#addresses) if (!this.#native.isPathValidated(this.#local, left)) this.#probe(left);
  }

  #probe(address: HostPort): void {
    try {
      this.#native.probePath(this.#local, address);
    } catch {
      // The library no longer knows the path, nor then anything that was under way on it.
    }
  }
}

export function isSameAddress(one: HostPort, other: HostPort): boolean {
  return one.port === other.port && one.host === other.host;
}
