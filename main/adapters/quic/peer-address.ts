// Where the peer of a connection is reached: the address the library knows, the zone only the
// socket knows, and how both follow a peer behind a NAT to its new address, with what was under way
// to the old one. A path that is not validated yet counts for nothing.
import { shown, splitZone } from './addresses.ts';
import type { Counters } from './counters.ts';
import type { HostPort, QuicheConnection } from './native-binding.ts';

/** Link-local addresses need the zone. */
const LINK_LOCAL_PREFIX = 'fe80:';

/** What sends a connection's datagrams. */
interface DatagramSender {
  readonly counters: Counters;
  /** Room for one datagram. */
  readonly sendBuffer: Buffer;
  sendDatagram(bytes: Uint8Array, host: string, port: number): void;
}

export class PeerAddress {
  /** As the socket writes it after a link-local address: "%eth0", or nothing. */
  readonly #zone: string;
  readonly #native: QuicheConnection;
  readonly #local: HostPort;
  #peer: HostPort;
  #receiveInfo: { from: HostPort; to: HostPort };
  readonly #left: LeftPaths;
  /** Where the peer was seen last that is not validated yet. */
  #stray: HostPort | null = null;

  /** `host` as the socket writes it, zone included. */
  constructor(native: QuicheConnection, local: HostPort, host: string, port: number) {
    const { address, zone } = splitZone(host);
    this.#zone = zone;
    this.#native = native;
    this.#local = local;
    this.#peer = { host: address, port };
    this.#receiveInfo = { from: this.#peer, to: local };
    this.#left = new LeftPaths(native, local);
  }

  /** For people and records. */
  get host(): string {
    return shown(this.#peer.host + this.#zone);
  }

  get port(): number {
    return this.#peer.port;
  }

  /** What the library is told of a datagram that came from here. */
  get receiveInfo(): { from: HostPort; to: HostPort } {
    return this.#receiveInfo;
  }

  /** Smoothed round trip in ms. */
  get roundTripMs(): number {
    return this.#native.pathStats().find((path) => path.active)?.rtt ?? 0;
  }

  /** The largest datagram that goes there, as far as it is known. */
  get pathMtuBytes(): number {
    return this.#native.maxSendUdpPayloadSize();
  }

  is(host: string, port: number): boolean {
    return port === this.#peer.port && splitZone(host).address === this.#peer.host;
  }

  /** What the library is told of a datagram that came from elsewhere. */
  strayInfo(host: string, port: number): { from: HostPort; to: HostPort } {
    this.#stray = { host: splitZone(host).address, port };
    return { from: this.#stray, to: this.#local };
  }

  /**
   * Follows the peer to where the library sends now, once that is validated; true when that is
   * another address than before.
   */
  follow(): boolean {
    while (this.#native.pathEventNext() !== null) {
      // Drained so that they never pile up; the state of the paths says more than the events.
    }
    const peer = this.#native.pathStats().find((path) => path.active)?.peerHost;
    if (
      !peer ||
      !this.#native.isPathValidated(this.#local, peer) ||
      isSameAddress(peer, this.#peer)
    )
      return false;
    this.#left.moved(this.#peer, peer);
    this.#peer = peer;
    this.#stray = null;
    this.#receiveInfo = { from: peer, to: this.#local };
    return true;
  }

  /**
   * Goes on asking after what was under way when the peer moved; to be called when the library has
   * let a timer run out.
   */
  recoverLost(): void {
    this.#left.probeFailed();
  }

  /**
   * Sends what is due, `max` datagrams at most, which leaves the other connections their turn; true
   * when there may be more. A connection that was closed before its handshake was confirmed could
   * go on for ever.
   */
  sendBurst(host: DatagramSender, max: number): boolean {
    for (let sent = 0; sent < max; sent += 1) {
      let part: ReturnType<QuicheConnection['send']>;
      try {
        part =
          this.#sendToStray(host.sendBuffer) ??
          this.#native.send(host.sendBuffer) ??
          this.#sendPastProbes(host.sendBuffer);
      } catch {
        host.counters.add('send.failed');
        return false;
      }
      if (part === null) return false;
      if (sent === 0) host.counters.traffic.sentBursts += 1;
      const [length, info] = part;
      const to = this.#left.includes(info.to) ? this.#peer : info.to;
      const datagram = Buffer.allocUnsafe(length);
      host.sendBuffer.copy(datagram, 0, 0, length);
      // The library does not know the zone.
      host.sendDatagram(
        datagram,
        to.host.startsWith(LINK_LOCAL_PREFIX) ? to.host + this.#zone : to.host,
        to.port,
      );
    }
    return true;
  }

  /**
   * The library sends nothing at all while a probe waits for room on a path whose window is full of
   * what was lost.
   */
  #sendPastProbes(buffer: Uint8Array): ReturnType<QuicheConnection['send']> {
    if (this.#left.isEmpty) return null;
    return this.#native.sendOnPath(buffer, this.#local, this.#peer);
  }

  /** First, so that nothing else keeps a new address from proving itself. */
  #sendToStray(buffer: Uint8Array): ReturnType<QuicheConnection['send']> {
    if (this.#stray === null) return null;
    try {
      return this.#native.sendOnPath(buffer, this.#local, this.#stray);
    } catch {
      // Whoever forges a datagram chooses this address; it keeps nothing else from being sent.
      return null;
    }
  }
}

/**
 * The addresses a peer was at before a NAT moved it. The library holds on to what was under way to
 * them: it sends two packets' worth of data again and forgets the rest, until a later packet of the
 * same path is acknowledged (RFC 9002, Section 6.1). So each such path is probed, and the probe
 * goes to where the peer is now: its acknowledgement is what makes the library send all that was
 * lost again. Only addresses that were validated in their own time belong here; for any other the
 * answer would pass as proof that the peer is there.
 */
class LeftPaths {
  readonly #native: QuicheConnection;
  readonly #local: HostPort;
  /** As many as the library keeps paths, PATHS_MAX, at most. */
  #addresses: readonly HostPort[] = [];

  constructor(native: QuicheConnection, local: HostPort) {
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
    this.#addresses = [
      ...this.#addresses.filter((left) => !isSameAddress(left, from) && !isSameAddress(left, to)),
      from,
    ];
    this.#probe(from);
  }

  /**
   * Probes again where the library has given up: it takes a path for failed after three probes that
   * were lost.
   */
  probeFailed(): void {
    for (const left of this.#addresses)
      if (!this.#native.isPathValidated(this.#local, left)) this.#probe(left);
  }

  #probe(address: HostPort): void {
    try {
      this.#native.probePath(this.#local, address);
    } catch {
      // The library no longer knows the path, nor then anything that was under way on it.
    }
  }
}

function isSameAddress(one: HostPort, other: HostPort): boolean {
  return one.port === other.port && one.host === other.host;
}
