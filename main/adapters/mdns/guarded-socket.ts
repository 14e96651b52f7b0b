// The UDP socket handed to the mDNS library, with a guard in front: what is off-link, too large,
// too crowded or too frequent is dropped before it is decoded, and nothing that the library's
// handlers throw can leave it. It knows no service and no record.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Link } from './links.ts';
import {
  LINK_PACKETS,
  PACKET_QUESTIONS_MAX,
  PACKET_RECORDS_MAX,
  PACKET_SIZE_MAX_BYTES,
  SOURCE_PACKETS,
} from './limits.ts';

/** Port of mDNS. An answer from another port is not an mDNS answer (RFC 6762, 6). */
export const MDNS_PORT = 5353;
const HEADER_SIZE_BYTES = 12;
const OPCODE_MASK = 0x7800;
const RESPONSE_FLAG = 0x8000;

interface GuardedSocketDeps {
  readonly clock: Clock;
  readonly link: Link;
  /** Told of what the library's handlers throw while they read a packet. */
  readonly onThrow: (error: unknown) => void;
}

/** True when `message` may be decoded: an mDNS query or answer of sane size and counts. */
export function isSanePacket(message: Uint8Array, sourcePort: number): boolean {
  if (message.byteLength < HEADER_SIZE_BYTES || message.byteLength > PACKET_SIZE_MAX_BYTES)
    return false;
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const flags = view.getUint16(2);
  const questions = view.getUint16(4);
  const records = view.getUint16(6) + view.getUint16(8) + view.getUint16(10);
  if (
    (flags & OPCODE_MASK) !== 0 ||
    questions > PACKET_QUESTIONS_MAX ||
    questions + records > PACKET_RECORDS_MAX
  )
    return false;
  return (flags & RESPONSE_FLAG) === 0 || sourcePort === MDNS_PORT;
}

/**
 * True when a packet from `source` may be read now. Its own rate comes first, so that one that
 * floods takes nothing from the others.
 */
export function admits(packets: TokenBuckets, source: string): boolean {
  return packets.take(source, SOURCE_PACKETS) === 0 && packets.take('all', LINK_PACKETS) === 0;
}

/** The part of dgram.Socket that multicast-dns uses. Emits error, listening, message and close. */
export class GuardedSocket extends EventEmitter {
  readonly #socket: Socket;
  readonly #packets: TokenBuckets;
  readonly #deps: GuardedSocketDeps;
  #closed = false;

  constructor(deps: GuardedSocketDeps) {
    super();
    this.#deps = deps;
    this.#packets = new TokenBuckets(deps.clock);
    this.#socket = createSocket({ type: 'udp4', reuseAddr: true });
    this.#socket.on('error', (error) => this.emit('error', error));
    this.#socket.on('close', () => this.emit('close'));
    this.#socket.on('listening', () => {
      // Before anything is sent: without this a packet would leave by the default route, or by
      // none.
      this.#guarded(() => this.#socket.setMulticastInterface(deps.link.address));
      this.#guarded(() => this.emit('listening'));
    });
    this.#socket.on('message', (message, source) => this.#receive(message, source));
  }

  bind(port: number, address: string, onBound: () => void): void {
    this.#socket.bind({ port, address }, onBound);
  }

  address(): ReturnType<Socket['address']> {
    return this.#socket.address();
  }

  send(
    message: Uint8Array,
    offset: number,
    length: number,
    port: number,
    address: string,
    onSent: (error: Error | null) => void,
  ): void {
    if (this.#closed) return onSent(null);
    this.#socket.send(message, offset, length, port, address, onSent);
  }

  addMembership(group: string, address: string): void {
    this.#socket.addMembership(group, address);
  }

  dropMembership(group: string, address: string): void {
    this.#socket.dropMembership(group, address);
  }

  setMulticastInterface(address: string): void {
    this.#socket.setMulticastInterface(address);
  }

  setMulticastTTL(hops: number): void {
    this.#socket.setMulticastTTL(hops);
  }

  setMulticastLoopback(on: boolean): void {
    this.#socket.setMulticastLoopback(on);
  }

  close(onClosed: () => void): void {
    if (this.#closed) return onClosed();
    this.#closed = true;
    this.#socket.close(onClosed);
  }

  #receive(message: Buffer, source: RemoteInfo): void {
    const wanted =
      isSanePacket(message, source.port) &&
      this.#deps.link.hasSource(source.address) &&
      admits(this.#packets, source.address);
    if (!wanted) return;
    this.#guarded(() => this.emit('message', message, source));
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#deps.onThrow(error);
    }
  }
}
