// A hub that says what it likes: an identity and a transport, and envelopes made by hand. For what
// a well-behaved hub never sends.
import { randomBytes, randomUUID } from 'node:crypto';
import { toHex, utf8 } from '../../../../main/lib/bytes.ts';
import { Secret } from '../../../../main/lib/secret.ts';
import type {
  ConnectionInfo,
  Transport,
  TransportEvent,
} from '../../../../main/ports/transport.ts';
import { agentIdOfKeyHex } from '../../../../main/protocol/agent-id.ts';
import type { StreamType } from '../../../../main/protocol/kinds.ts';
import { publicKeyOfSeed } from '../../../../main/protocol/signature.ts';
import type { HubStack } from '../../../fakes/hub-stack.ts';

export interface RawReply {
  readonly kind: string;
  readonly from: string;
  readonly ref: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A message of the other side. */
export interface RawHeard extends RawReply {
  readonly id: string;
  readonly stream: StreamType;
}

type Addressee = Pick<HubStack, 'key' | 'agentId' | 'port'>;

export class RawHub {
  readonly transport: Transport;
  readonly seed: Uint8Array;
  readonly key: string;
  readonly agentId: string;
  readonly events: TransportEvent[] = [];
  /** Every message that came, in order. */
  readonly heard: RawHeard[] = [];
  readonly #endings = new Set<() => void>();
  /** What it answers to a request; undefined: nothing. */
  answer: (asked: RawHeard) => Pick<RawReply, 'kind' | 'payload'> | undefined = () => undefined;
  port = 0;

  constructor(transport: Transport, seed: Uint8Array = new Uint8Array(randomBytes(32))) {
    this.transport = transport;
    this.seed = seed;
    this.key = toHex(publicKeyOfSeed(seed));
    this.agentId = agentIdOfKeyHex(this.key);
  }

  async start(host = '127.0.0.1'): Promise<this> {
    const started = await this.transport.start(
      { seed: new Secret(this.seed), host, port: 0 },
      (event) => this.#take(event),
    );
    this.port = started.port;
    return this;
  }

  async connect(to: Addressee): Promise<ConnectionInfo> {
    const target = { keyHex: to.key, agentId: to.agentId, host: '127.0.0.1', port: to.port };
    const dialled = await this.transport.dial(target, new AbortController().signal);
    if (!dialled.ok) throw new Error(`the dial failed: ${dialled.error.type}`);
    return dialled.value;
  }

  envelope(
    to: string,
    kind: string,
    payload: unknown,
    change: Readonly<Record<string, unknown>> = {},
  ): Uint8Array {
    return utf8(
      JSON.stringify({
        v: 1,
        id: randomUUID(),
        from: this.agentId,
        to,
        ts: 1,
        kind,
        ref: null,
        payload,
        ...change,
      }),
    );
  }

  /** The reply, or undefined when none came. */
  async ask(connection: ConnectionInfo, bytes: Uint8Array): Promise<RawReply | undefined> {
    const answered = await this.transport.request(connection.connectionId, bytes, 10_000);
    if (!answered.ok) return undefined;
    return readMessage(answered.value);
  }

  hello(
    connection: ConnectionInfo,
    to: Pick<Addressee, 'agentId'>,
    versions: unknown = [1],
  ): Promise<RawReply | undefined> {
    const payload = {
      protocol_versions: versions,
      agent_name: 'raw',
      features: ['delegate', 'pair'],
    };
    return this.ask(connection, this.envelope(to.agentId, 'hello', payload));
  }

  /** Waits for the end of the connection; who waits bounds it. */
  untilEnded(connection: ConnectionInfo): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.ended(connection) === undefined) return;
        this.#endings.delete(check);
        resolve();
      };
      this.#endings.add(check);
      check();
    });
  }

  /** How the connection ended, if it did. */
  ended(connection: ConnectionInfo): Extract<TransportEvent, { type: 'disconnected' }> | undefined {
    return this.events.find(
      (event): event is Extract<TransportEvent, { type: 'disconnected' }> =>
        event.type === 'disconnected' && event.connection.connectionId === connection.connectionId,
    );
  }

  #take(event: TransportEvent): void {
    this.events.push(event);
    if (event.type === 'request' || event.type === 'message') this.#hear(event);
    for (const check of this.#endings) check();
  }

  #hear(event: Extract<TransportEvent, { type: 'request' | 'message' }>): void {
    const message = readMessage(event.bytes);
    if (message === undefined) return;
    const stream = event.type === 'request' ? 'bidirectional' : 'unidirectional';
    const heard = { ...message, stream } as const;
    this.heard.push(heard);
    const reply = event.type === 'request' ? this.answer(heard) : undefined;
    if (event.type !== 'request' || reply === undefined) return;
    const { kind, payload } = reply;
    const bytes = this.envelope(heard.from, kind, payload, { ref: heard.id });
    this.transport.respond(event.connectionId, event.streamId, bytes);
  }
}

function readMessage(bytes: Uint8Array): Omit<RawHeard, 'stream'> | undefined {
  const message: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return isMessage(message) ? message : undefined;
}

function isMessage(value: unknown): value is Omit<RawHeard, 'stream'> {
  return typeof value === 'object' && value !== null && 'kind' in value && 'payload' in value;
}
