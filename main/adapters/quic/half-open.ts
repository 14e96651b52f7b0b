// The handshakes of strangers in progress, oldest first, with a cap for all and one for each source
// (PROTOCOL.md, Connection). Whoever is pushed out is handed back to be dropped; nothing is closed
// here.
import { HALF_OPEN_MAX, HALF_OPEN_PER_SOURCE_MAX } from './limits.ts';

export class HalfOpen<Connection> {
  readonly #sources = new Map<Connection, string>();
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#sources.size;
  }

  /** Adds a handshake; returns the one it pushed out, if any. */
  add(connection: Connection, source: string): Connection | undefined {
    const pushedOut = this.#pushedOutBy(source);
    if (pushedOut !== undefined) this.remove(pushedOut);
    this.#sources.set(connection, source);
    this.#counts.set(source, (this.#counts.get(source) ?? 0) + 1);
    return pushedOut;
  }

  /** The handshake is done or dropped. Idempotent. */
  remove(connection: Connection): void {
    const source = this.#sources.get(connection);
    if (source === undefined) return;
    this.#sources.delete(connection);
    const count = (this.#counts.get(source) ?? 1) - 1;
    if (count > 0) this.#counts.set(source, count);
    else this.#counts.delete(source);
  }

  #pushedOutBy(source: string): Connection | undefined {
    const crowdedSource = (this.#counts.get(source) ?? 0) >= HALF_OPEN_PER_SOURCE_MAX;
    if (!crowdedSource && this.#sources.size < HALF_OPEN_MAX) return undefined;
    for (const [connection, from] of this.#sources)
      if (!crowdedSource || from === source) return connection;
    return undefined;
  }
}
