// Where the peer of a connection is reached: the address the library knows, the zone only the socket knows, and how both follow a peer
// behind a NAT to its new address, with what was under way to the old one. A path that is not validated yet counts for nothing.
import { shown, splitZone } from './addresses.ts';
import { isSameAddress, LeftPaths } from './left-paths.ts';
import type { HostPort, QuicheConnection } from './native-binding.ts';

export class PeerAddress {
  /** As the socket writes it after a link-local address: "%eth0", or nothing. */
  readonly zone: string;
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
    this.zone = zone;
    this.#native = native;
    this.#local = local;
    this.#peer = { host: address, port };
    this.#receiveInfo = { from: this.#peer, to: local };
    this.#left = new LeftPaths(native, local);
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

  /** The same for all that `is` here. */
  get key(): string {
    return addressKey(this.#peer.host, this.#peer.port);
  }

  is(host: string, port: number): boolean {
    return port === this.#peer.port && splitZone(host).address === this.#peer.host;
  }

  /** What the library is told of a datagram that came from elsewhere. */
  strayInfo(host: string, port: number): { from: HostPort; to: HostPort } {
    this.#stray = { host: splitZone(host).address, port };
    return { from: this.#stray, to: this.#local };
  }

  /** Follows the peer to where the library sends now, once that is validated; true when that is another address than before. */
  follow(): boolean {
    while (this.#native.pathEventNext() !== null) {
      // Drained so that they never pile up; the state of the paths says more than the events.
    }
    const peer = this.#native.pathStats().find((path) => path.active)?.peerHost;
    if (!peer || !this.#native.isPathValidated(this.#local, peer) || isSameAddress(peer, this.#peer)) return false;
    this.#left.moved(this.#peer, peer);
    this.#peer = peer;
    this.#stray = null;
    this.#receiveInfo = { from: peer, to: this.#local };
    return true;
  }

  /** Goes on asking after what was under way when the peer moved; to be called when the library has let a timer run out. */
  recoverLost(): void {
    this.#left.probeFailed();
  }

  /** The next datagram that is due, written into `buffer`, and where it goes; null when there is none. */
  next(buffer: Uint8Array): { readonly length: number; readonly to: HostPort } | null {
    const part = this.#sendToStray(buffer) ?? this.#native.send(buffer) ?? this.#sendPastProbes(buffer);
    if (part === null) return null;
    const [length, { to }] = part;
    return { length, to: this.#left.includes(to) ? this.#peer : to };
  }

  /** The library sends nothing at all while a probe waits for room on a path whose window is full of what was lost. */
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

/** One text for an address and a port, as the socket writes them, whatever the zone. */
export function addressKey(host: string, port: number): string {
  return `${splitZone(host).address} ${port}`;
}
