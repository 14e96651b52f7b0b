// Connections to the hub that wrote hub.json, and to nothing else: each new one is asked for the
// proof before any request gets it, so that a program that takes the hub's place between two
// requests hears no more than that question. Goes to this computer alone, whatever proxies are set.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { httpRequestOf } from '../../preload/contract/http-form.ts';
import { AppError } from '../lib/app-error.ts';

const PROOF_TIMEOUT_MS = 5_000;
const PROOF_SIZE_MAX_CHARACTERS = 4_096;
const NO_PROOF = '00'.repeat(32);

/** Where the hub is, and what it proves itself with. */
export interface HubPlace {
  readonly port: number;
  /** The path of its Unix socket; null: the port is taken. */
  readonly socket: string | null;
  readonly bootSecret: string;
}

/** What answers there is not the hub. */
export class NotTheHub extends Error {
  override readonly name = 'NotTheHub';
}

export class ProvenAgent extends Agent {
  readonly #place: HubPlace;
  /** Those that are not proven yet: `destroy` knows only the others. */
  readonly #asked = new Set<Socket>();

  constructor(place: HubPlace) {
    super({ keepAlive: true });
    this.#place = place;
  }

  /** What stands in Host, which the proof covers. */
  get host(): string {
    const { port, socket } = this.#place;
    return socket === null ? `127.0.0.1:${port}` : 'localhost';
  }

  /** The connection exists once the hub has proven itself on it. */
  override createConnection(
    _options: unknown,
    created: (error: Error | null, connection?: Duplex) => void,
  ): undefined {
    const { port, socket: path } = this.#place;
    const socket = path === null ? connect({ host: '127.0.0.1', port }) : connect({ path });
    socket.on('error', () => undefined);
    this.#asked.add(socket);
    this.#prove(socket)
      .finally(() => this.#asked.delete(socket))
      .then(
        () => created(null, socket),
        (error: Error) => {
          socket.destroy();
          created(error);
        },
      );
  }

  override destroy(): void {
    for (const socket of this.#asked) socket.destroy();
    super.destroy();
  }

  /** Throws NotTheHub, and as node:http does. Leaves the connection open. */
  async #prove(socket: Socket): Promise<void> {
    const n = randomBytes(24).toString('base64url');
    const { path } = httpRequestOf('hub.proof', { n });
    const key = `${this.#place.bootSecret} ${this.host}`;
    const expected = createHmac('sha256', key).update(n).digest();
    if (!timingSafeEqual(await this.#proof(socket, path), expected)) throw new NotTheHub();
    // A request on a closed connection would wait for ever.
    if (socket.readyState !== 'open') throw new Error('the hub closed the connection');
  }

  /** What is given as the proof on this connection, once the connection is free again. */
  #proof(socket: Socket, path: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let answer = '';
      let why: Error | undefined;
      const sent = request({
        createConnection: () => socket,
        path,
        headers: { host: this.host, connection: 'keep-alive' },
        signal: AbortSignal.timeout(PROOF_TIMEOUT_MS),
      });
      sent.on('response', (response) => {
        response.setEncoding('latin1');
        response.on('data', (part: string) => {
          answer += part;
          if (answer.length > PROOF_SIZE_MAX_CHARACTERS) socket.destroy();
        });
        response.on('error', (error) => (why = error));
      });
      sent.on('error', (error) => (why = error.name === 'AbortError' ? tooLate(error) : error));
      // Only then is the connection free for a request.
      sent.on('close', () => {
        if (why === undefined) resolve(proofIn(answer));
        else reject(why);
      });
      sent.end();
    });
  }
}

function tooLate(cause: Error): AppError {
  return new AppError('timeout', 'The hub did not answer in time.', { failedBy: 'timeout', cause });
}

/** What is given as the proof; whatever else is said is none. */
function proofIn(answer: string): Buffer {
  const [, given] = /"proof_here":"([0-9a-f]{64})"/.exec(answer) ?? [];
  return Buffer.from(given ?? NO_PROOF, 'hex');
}
