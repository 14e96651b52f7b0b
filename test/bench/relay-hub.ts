// One hub of the bare relay, which P4 compares with: a query and its answer carried the same way by
// plain parts. An HTTP door with one token, one QUIC connection in this very process, one row a
// message, and the event stream of one agent. No approvals, no rules, no audit, no second process.
// The QUIC endpoint is the project's own, so that what is compared is all but the wire. Its door
// answers the calls of subjects/local-api.ts.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as v from 'valibot';
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { Secret } from '../../main/lib/secret.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { credentialsOf, seedOf } from './subjects/identities.ts';

export interface RelayOrder {
  readonly folder: string;
  readonly token: string;
  /** Where the other hub is; the one without an order to dial is dialled. */
  readonly dial: { readonly port: number } | null;
}

export interface RelayPorts {
  readonly api: number;
  readonly quic: number;
}

const HOST = '127.0.0.1';
const LIMIT_MS = 30_000;
const KEEP_ALIVE_MS = 600_000;
const QUERY = v.strictObject({
  to: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
  question: v.pipe(v.string(), v.minLength(1), v.maxLength(60_000)),
  domain: v.pipe(v.string(), v.maxLength(64)),
});
const REPLY = v.strictObject({
  status: v.literal('completed'),
  summary: v.string(),
  data: v.strictObject({ echo: v.string() }),
});
const MESSAGE = v.strictObject({
  id: v.pipe(v.string(), v.uuid()),
  thread: v.pipe(v.string(), v.uuid()),
  kind: v.picklist(['query', 'response']),
  text: v.pipe(v.string(), v.maxLength(65_536)),
});
type Message = v.InferOutput<typeof MESSAGE>;

process.once('disconnect', () => process.exit(0));
const { folder, token, dial }: RelayOrder = await new Promise((resolve) =>
  process.once('message', (order: RelayOrder) => resolve(order)),
);

const database = new Database(join(folder, 'relay.db'));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = NORMAL');
database.exec(`
  CREATE TABLE messages (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, peer TEXT NOT NULL,
    thread TEXT NOT NULL, direction TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL,
    text TEXT NOT NULL) STRICT;
  CREATE INDEX messages_peer ON messages (peer, at);
  CREATE INDEX messages_thread ON messages (thread, at)`);
const insert = database.prepare(`INSERT INTO messages (id, peer, thread, direction, kind, at, text)
  VALUES (?, ?, ?, ?, ?, ?, ?)`);
const insertAll = database.transaction((rows: readonly (readonly unknown[])[]) => {
  for (const row of rows) insert.run(...row);
});
let rows: (readonly unknown[])[] = [];

/** One commit for all that this turn of the event loop has written down. */
function record(direction: 'in' | 'out', { id, thread, kind, text }: Message): void {
  if (rows.length === 0)
    setImmediate(() => {
      insertAll(rows);
      rows = [];
    });
  rows.push([id, other.keyHex, thread, direction, kind, Date.now(), text]);
}

const other = credentialsOf(dial === null ? 'client' : 'server');
const transport = createInProcessTransport({
  clock: new SystemClock(),
  random: new SystemRandom(),
});
/** What the agent was handed and has not answered. */
const open = new Map<string, { readonly thread: string; readonly respond: Respond }>();
type Respond = (message: Message) => void;
let stream: ServerResponse | undefined;

const { port: quic } = await transport.start(
  {
    seed: new Secret(seedOf(dial === null ? 'server' : 'client')),
    host: HOST,
    port: 0,
  },
  (event) => {
    if (event.type === 'request')
      handOut(readMessage(event.bytes), (message) =>
        transport.respond(event.connectionId, event.streamId, bytesOf(message)),
      );
  },
);
transport.setAdmission({ paired: [other.keyHex], refused: [] });
const connection = dial === null ? undefined : await connect(dial.port);

async function connect(port: number): Promise<number> {
  const { keyHex, agentId } = other;
  const dialled = await transport.dial(
    { keyHex, agentId, host: HOST, port },
    AbortSignal.timeout(LIMIT_MS),
  );
  if (!dialled.ok) throw new Error(`the dial failed: ${dialled.error.type}`);
  return dialled.value.connectionId;
}

/** A query goes to the agent's stream. */
function handOut(query: Message, respond: Respond): void {
  record('in', query);
  open.set(query.id, { thread: query.thread, respond });
  const item = { delivery_id: query.id, kind: 'query', untrusted: { text: query.text } };
  stream?.write(`event: delivery\nid: ${query.id}\ndata: ${JSON.stringify(item)}\n\n`);
}

const tokenHash = hashOf(token);
const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) =>
    end(response, 500, { detail: String(error) }),
  );
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const said = request.headers.authorization ?? '';
  if (!timingSafeEqual(hashOf(said.slice('Bearer '.length)), tokenHash))
    return end(response, 401, { detail: 'another token' });
  const { method, url = '' } = request;
  if (method === 'GET' && url === '/v1/inbox/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    request.socket.setNoDelay(true);
    stream = response;
    return;
  }
  const body: unknown = JSON.parse(await textOf(request));
  if (url === '/v1/query') return end(response, 200, await ask(v.parse(QUERY, body)));
  reply(url.split('/')[3] ?? '', v.parse(REPLY, body));
  end(response, 200, {});
}

async function ask({ question }: v.InferOutput<typeof QUERY>): Promise<object> {
  if (connection === undefined) throw new Error('this hub dialled nobody');
  const id = randomUUID();
  const query = { id, thread: id, kind: 'query', text: question } as const;
  const asked = transport.request(connection, bytesOf(query), LIMIT_MS);
  record('out', query);
  const answered = await asked;
  if (!answered.ok) throw new Error(`a query failed: ${answered.error.type}`);
  const said = readMessage(answered.value);
  record('in', said);
  return { id, state: 'answered', untrusted: JSON.parse(said.text) };
}

/** What the agent says travels back as it is. */
function reply(id: string, said: v.InferOutput<typeof REPLY>): void {
  const waiting = open.get(id);
  if (waiting === undefined) throw new Error(`nothing is open under ${id}`);
  open.delete(id);
  const { thread, respond } = waiting;
  const message: Message = {
    id: randomUUID(),
    thread,
    kind: 'response',
    text: JSON.stringify(said),
  };
  respond(message);
  record('out', message);
}

function end(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    .end(text);
}

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function bytesOf(message: Message): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

function readMessage(bytes: Uint8Array): Message {
  return v.parse(MESSAGE, JSON.parse(Buffer.from(bytes).toString()));
}

// Longer than a pair of agents waits for its turn.
server.keepAliveTimeout = KEEP_ALIVE_MS;
await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
const { port: api } = server.address() as AddressInfo; // a TCP server that listens
process.send?.({ api, quic } satisfies RelayPorts);
