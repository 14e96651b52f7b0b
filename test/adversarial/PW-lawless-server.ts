// A hub that keeps no rules and is dialled: the native library driven by hand, with whatever
// certificate a test wants. Loopback only.
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { QuicheConfig, QuicheConnection } from '../../main/adapters/quic/native-binding.ts';
import { until } from '../support/until.ts';
import { binding, type RawSocket } from './PW-lawless-peer.ts';

const LIMIT_MS = 10_000;

export class LawlessServer {
  readonly #socket: RawSocket;
  readonly #config: QuicheConfig;
  readonly #out = Buffer.alloc(65_536);
  #native: QuicheConnection | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** For one connection. */
  constructor(socket: RawSocket, config: QuicheConfig) {
    this.#socket = socket;
    this.#config = config;
    socket.onDatagramFrom = (datagram, from) => this.#take(datagram, from);
  }

  /** How whoever dialled closed it. */
  closed(): Promise<{ readonly isApp: boolean; readonly errorCode: number }> {
    return until('the close', LIMIT_MS, () => {
      const said = this.#native?.peerError();
      return said ? { isApp: said.isApp, errorCode: said.errorCode } : undefined;
    });
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#socket.onDatagramFrom = () => {};
  }

  #take(datagram: Buffer, from: { host: string; port: number }): void {
    const to = this.#socket.address;
    this.#native ??= binding.Connection.accept(randomBytes(16), null, to, from, this.#config);
    this.#timer ??= setInterval(() => this.#flush(from), 5);
    try {
      this.#native.recv(datagram, { from, to });
    } catch {
      // Its own close follows with the flush.
    }
    this.#flush(from);
  }

  #flush(to: { host: string; port: number }): void {
    if (this.#native?.timeout() === 0) this.#native.onTimeout();
    for (;;) {
      const part = this.#native?.send(this.#out) ?? null;
      if (part === null) return;
      this.#socket.send(Buffer.from(this.#out.subarray(0, part[0])), to).catch(() => this.stop());
    }
  }
}
