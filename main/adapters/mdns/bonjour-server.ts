// The door to the bonjour-service package: one instance on one socket, seen through the four calls this adapter uses. The package's own
// publish and find are not used: they announce every interface's addresses, cannot change a TXT record without a goodbye, ask once
// and remember without bound. Its types keep the server behind them private, so its shape is checked here, once, when it is made.
import { Bonjour } from 'bonjour-service';
import type { OwnRecord } from './announcement.ts';
import type { Question } from './dns-records.ts';
import { MDNS_PORT, type GuardedSocket } from './guarded-socket.ts';

type OnSent = (error?: Error | null) => void;

/** multicast-dns, as far as it is used. */
interface MulticastDns {
  on(event: string, listener: (...values: unknown[]) => void): unknown;
  query(questions: readonly Question[], onSent: OnSent): void;
  respond(answer: { readonly answers: readonly OwnRecord[] }, onSent: OnSent): void;
  destroy(onClosed: () => void): void;
}

export interface BonjourServer {
  readonly mdns: MulticastDns;
  /** Makes the library answer queries with these records; it keeps the objects themselves. */
  register(records: readonly OwnRecord[]): void;
}

/** A running instance on `socket`, sending from `address`. `onError` hears of answers that could not be sent. */
export function openBonjour(socket: GuardedSocket, address: string, onError: (error: unknown) => void): BonjourServer {
  const options = {
    port: MDNS_PORT,
    interface: address,
    // Bound to the interface's own address a socket would receive no multicast.
    bind: '0.0.0.0',
    socket,
  };
  const server: unknown = Reflect.get(new Bonjour(options, onError), 'server');
  if (!isServer(server)) throw new TypeError('This version of bonjour-service is not the one the mDNS adapter was written for.');
  return server;
}

function isServer(value: unknown): value is BonjourServer {
  return hasMethods(value, ['register']) && 'mdns' in value && hasMethods(value.mdns, ['on', 'query', 'respond', 'destroy']);
}

function hasMethods(value: unknown, names: readonly string[]): value is object {
  return typeof value === 'object' && value !== null && names.every((name) => typeof Reflect.get(value, name) === 'function');
}
