// Which open connections have shown a valid token for their current request. The others may fill
// only part of the places. When there are too many, the one that has waited longest is closed, so
// silent or slow sockets never keep a good client out.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { UNPROVEN_CONNECTIONS_MAX } from './limits.ts';

export class Connections {
  /** In the order in which they began to wait. */
  readonly #unproven = new Set<Socket>();

  arrived(socket: Socket): void {
    socket.once('close', () => this.#unproven.delete(socket));
    this.#wait(socket);
  }

  /** The connection carries a request with a valid token until that request is answered. */
  proven(socket: Socket, response: ServerResponse): void {
    this.#unproven.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) this.#wait(socket);
    });
  }

  #wait(socket: Socket): void {
    this.#unproven.add(socket);
    if (this.#unproven.size <= UNPROVEN_CONNECTIONS_MAX) return;
    const [oldest] = this.#unproven;
    if (oldest === undefined) return;
    this.#unproven.delete(oldest);
    oldest.destroy();
  }
}
