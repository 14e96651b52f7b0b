// Where the peer of a connection is reached: the address the library knows, the zone only the socket knows, and how both follow a peer
// behind a NAT to its new address. A path that is not validated yet counts for nothing.
import { shown, splitZone } from './addresses.ts';
import type { HostPort, QuicheConnection } from './native-binding.ts';

export class PeerAddress {
  /** As the socket writes it after a link-local address: "%eth0", or nothing. */
  readonly zone: string;
  readonly #native: QuicheConnection;
  readonly #local: HostPort;
  #peer: HostPort;
  #receiveInfo: { from: HostPort; to: HostPort };

  /** `host` as the socket writes it, zone included. */
  constructor(native: QuicheConnection, local: HostPort, host: string, port: number) {
    const { address, zone } = splitZone(host);
    this.zone = zone;
    this.#native = native;
    this.#local = local;
    this.#peer = { host: address, port };
    this.#receiveInfo = { from: this.#peer, to: local };
  }

  /** For people and records. */
  get host(): string {
    return shown(this.#peer.host + this.zone);
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
    return { from: { host: splitZone(host).address, port }, to: this.#local };
  }

  /** Follows the peer to where the library sends now, once that is validated; true when that is another address than before. */
  follow(): boolean {
    while (this.#native.pathEventNext() !== null) {
      // Drained so that they never pile up; the state of the paths says more than the events.
    }
    const peer = this.#native.pathStats().find((path) => path.active)?.peerHost;
    if (!peer || !this.#native.isPathValidated(this.#local, peer) || (peer.host === this.#peer.host && peer.port === this.#peer.port))
      return false;
    this.#peer = peer;
    this.#receiveInfo = { from: peer, to: this.#local };
    return true;
  }
}
