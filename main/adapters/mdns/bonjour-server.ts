// The door to the bonjour-service package: one instance on one socket, seen through the few calls
// this adapter uses. The package's own publish and find are not used: they announce every
// interface's addresses, cannot change a TXT record without a goodbye, ask once and remember
// without bound. Its types keep the server behind them private, so its shape is checked here, once,
// when it is made.
import { Bonjour } from 'bonjour-service';
import type { OwnRecord } from './announcement.ts';
import type { Question } from './dns-records.ts';
import { MDNS_PORT, type GuardedSocket } from './guarded-socket.ts';

type OnSent = (error?: Error | null) => void;

interface BonjourOptions {
  readonly socket: GuardedSocket;
  /** The IPv4 address of the interface to send from. */
  readonly address: string;
  /** Asked before each answer to somebody else's question; false leaves it unanswered. */
  readonly mayAnswer: () => boolean;
  /** Hears of answers that could not be sent. */
  readonly onError: (error: unknown) => void;
}

/** multicast-dns, as far as it is used. */
interface MulticastDns {
  on(event: 'error' | 'warning' | 'response', listener: (...values: unknown[]) => void): unknown;
  query(questions: readonly Question[], onSent: OnSent): void;
  respond(answer: { readonly answers: readonly OwnRecord[] }, onSent: OnSent): void;
  destroy(onClosed: () => void): void;
}

interface Server {
  readonly mdns: MulticastDns;
  register(records: readonly OwnRecord[]): void;
}

export class BonjourServer {
  readonly #server: Server;
  readonly #respond: MulticastDns['respond'];

  /**
   * Binds the socket. Failures arrive as the event `error`. Throws TypeError when the package is
   * not the one this was written for.
   */
  constructor(options: BonjourOptions) {
    const { socket, address, mayAnswer, onError } = options;
    // Bound to the interface's own address a socket would receive no multicast.
    const settings = { port: MDNS_PORT, interface: address, bind: '0.0.0.0', socket };
    const server: unknown = Reflect.get(new Bonjour(settings, onError), 'server');
    if (!isServer(server))
      throw new TypeError(
        'This version of bonjour-service is not the one the mDNS adapter was written for.',
      );
    this.#server = server;
    const { mdns } = server;
    this.#respond = mdns.respond.bind(mdns);
    // The library answers each question of each query at once, as often as it is put; through here
    // it asks first.
    mdns.respond = (answer, onSent) => (mayAnswer() ? this.#respond(answer, onSent) : onSent());
  }

  on(event: 'error' | 'warning' | 'response', listener: (...values: unknown[]) => void): void {
    this.#server.mdns.on(event, listener);
  }

  /** Makes the library answer queries with these records; it keeps the objects themselves. */
  register(records: readonly OwnRecord[]): void {
    this.#server.register(records);
  }

  ask(questions: readonly Question[], onSent: OnSent): void {
    this.#server.mdns.query(questions, onSent);
  }

  /** Sends records that nobody asked for. */
  announce(answers: readonly OwnRecord[], onSent: OnSent): void {
    this.#respond({ answers }, onSent);
  }

  /** Closes the socket. Throws when it is closed already. */
  close(onClosed: () => void): void {
    this.#server.mdns.destroy(onClosed);
  }
}

function isServer(value: unknown): value is Server {
  return (
    hasMethods(value, ['register']) &&
    'mdns' in value &&
    hasMethods(value.mdns, ['on', 'query', 'respond', 'destroy'])
  );
}

function hasMethods(value: unknown, names: readonly string[]): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof Reflect.get(value, name) === 'function')
  );
}
