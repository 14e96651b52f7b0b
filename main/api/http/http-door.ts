// The localhost door: node:http on 127.0.0.1 and on a Unix socket in the data folder. Turns
// requests into operations. Every request passes the guard, then its token, then the table's
// access, then the schema; a refusal happens as early as it can. Owns connections and their limits,
// and no rule of the hub. Plain node:http and no framework: the guard needs the raw headers before
// any routing, the routes come from one table, and a start is a tenth of a second shorter.
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { TokenService } from '../../services/auth/token-service.ts';
import type { Caller } from '../caller.ts';
import { appErrorOf, toldTo } from '../problem.ts';
import type { Door } from '../door/door.ts';
import { Connections } from './connections.ts';
import { EventStreams } from './event-streams.ts';
import { allowedHosts, checkRequest, hasBody } from './guard.ts';
import {
  CONNECTIONS_MAX,
  HEADERS_MAX,
  HEADERS_TIMEOUT_MS,
  HEADER_SIZE_MAX_BYTES,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUESTS_PER_CONNECTION_MAX,
  REQUEST_TIMEOUT_MS,
  TIMEOUT_CHECK_INTERVAL_MS,
} from './limits.ts';
import { RequestRun } from './request-run.ts';
import type { RequestServices } from './request-run.ts';
import { problemAnswer, rawAnswer, send } from './respond.ts';

const BEARER = /^Bearer ([A-Za-z0-9_-]{1,128})$/;
const LOOPBACK_ADDRESS = '127.0.0.1';
/** What stands in Host at the socket. */
const SOCKET_HOSTS: ReadonlySet<string> = new Set(['localhost']);

interface HttpDoorDeps extends Omit<RequestServices, 'streams'> {
  readonly clock: Clock;
  readonly tokens: TokenService;
}

export class HttpDoor {
  readonly #log: Log;
  readonly #streams: EventStreams;
  readonly #door: Door;
  readonly #connections = new Connections();
  readonly #run: RequestRun;
  readonly #servers: Server[] = [];

  constructor(deps: HttpDoorDeps) {
    this.#log = deps.log;
    this.#streams = new EventStreams(deps);
    this.#door = deps.door;
    this.#run = new RequestRun({ ...deps, streams: this.#streams });
  }

  /** Listens on 127.0.0.1. Port 0 picks a free one. Throws `address_in_use`. */
  async start(port: number): Promise<{ readonly port: number }> {
    let hosts: ReadonlySet<string> = new Set();
    const server = this.#makeServer(() => hosts);
    const taken = await listen(server, port);
    this.#servers.push(server);
    hosts = allowedHosts(taken);
    this.#streams.start();
    return { port: taken };
  }

  /**
   * Listens on a Unix socket too, for its owner alone. Nothing may stand at the path.
   * @throws Error where the system makes no socket there
   */
  async listenAt(path: string): Promise<void> {
    const server = this.#makeServer(() => SOCKET_HOSTS);
    this.#servers.push(server);
    server.listen({ path });
    await once(server, 'listening');
    chmodSync(path, 0o600);
  }

  #makeServer(hosts: () => ReadonlySet<string>): Server {
    const server = createServer({
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: HEADER_SIZE_MAX_BYTES,
      insecureHTTPParser: false,
      // The guard counts Host itself, so that this refusal carries the same headers as every other.
      requireHostHeader: false,
    });
    server.maxHeadersCount = HEADERS_MAX;
    server.maxConnections = CONNECTIONS_MAX;
    server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION_MAX;
    server.on('connection', (socket: Socket) => this.#connections.arrived(socket));
    server.on(
      'request',
      (request: IncomingMessage, response: ServerResponse) =>
        void this.#handle(request, response, hosts(), false),
    );
    server.on(
      'checkContinue',
      (request: IncomingMessage, response: ServerResponse) =>
        void this.#handle(request, response, hosts(), true),
    );
    server.on(
      'checkExpectation',
      (request: IncomingMessage, response: ServerResponse) =>
        void this.#handle(request, response, hosts(), false),
    );
    server.on('upgrade', (_request: IncomingMessage, socket: Duplex) =>
      refuseRaw(socket, 'This hub speaks plain HTTP here.'),
    );
    server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
      refuseRaw(socket, 'This hub is no proxy.'),
    );
    server.on('clientError', answerBrokenRequest);
    return server;
  }

  /** Ends every stream and connection and frees the port and the socket. Idempotent. */
  async stop(): Promise<void> {
    this.#streams.stop();
    await Promise.all(
      this.#servers.splice(0).map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      ),
    );
  }

  async #handle(
    request: IncomingMessage,
    response: ServerResponse,
    hosts: ReadonlySet<string>,
    expectsContinue: boolean,
  ): Promise<void> {
    let caller: Caller = { kind: 'anonymous' };
    try {
      const refusal = checkRequest(request, hosts);
      if (refusal !== undefined) {
        this.#log.debug('request refused at the door', { code: refusal.code });
        closeAfterAnswer(request, response);
        send(
          response,
          problemAnswer(
            new AppError(refusal.code, refusal.sentence, { failedBy: 'input' }),
            refusal.status,
          ),
        );
        return;
      }
      caller = this.#door.callers.identify(BEARER.exec(request.headers.authorization ?? '')?.[1]);
      if (caller.kind !== 'anonymous') this.#connections.proven(request.socket, response);
      await this.#run.answer(request, response, caller, expectsContinue);
    } catch (error) {
      closeAfterAnswer(request, response);
      const told = appErrorOf(toldTo(caller, error), this.#log);
      send(response, this.#run.refusal(request, caller, told));
    }
  }
}

/**
 * A body that was not read must not be taken for the next request, nor be waited for: the
 * connection ends with the answer.
 */
function closeAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  if (hasBody(request) && !request.complete && !response.headersSent)
    response.setHeader('connection', 'close');
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new AppError(
              'address_in_use',
              `Port ${port} on ${LOOPBACK_ADDRESS} is taken by another program.`,
              {
                hint: 'Stop that program, or choose another port with --api-port (0 picks a free one).',
                cause: error,
              },
            )
          : new AppError(
              'bad_configuration',
              `The hub could not listen on ${LOOPBACK_ADDRESS}:${port}.`,
              {
                hint: 'Choose another port with --api-port (0 picks a free one).',
                cause: error,
              },
            ),
      );
    });
    server.listen({ host: LOOPBACK_ADDRESS, port, exclusive: true }, () => {
      const address: AddressInfo | string | null = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

/** What the parser itself refuses: too long, too slow, or not HTTP. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    socket.end(
      rawAnswer(
        new AppError('headers_too_large', `Headers may be ${HEADER_SIZE_MAX_BYTES} bytes long.`),
      ),
    );
  } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.end(rawAnswer(new AppError('bad_request', 'The request took too long to arrive.'), 408));
  } else {
    socket.end(rawAnswer(new AppError('bad_request', 'This is not a request that can be read.')));
  }
}

function refuseRaw(socket: Duplex, sentence: string): void {
  socket.end(rawAnswer(new AppError('bad_request', sentence)));
}
