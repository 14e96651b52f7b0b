// A paired hub reduced to its manners on the wire: an identity, a real QUIC endpoint, hello, and
// answers to what a hub asks by itself. A hundred of them fit into one process. It dials again when
// its line breaks, and takes a line the hub dials.
import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../main/lib/json-object.ts';
import { Secret } from '../../../main/lib/secret.ts';
import type { DialTarget, Transport, TransportEvent } from '../../../main/ports/transport.ts';
import { FEATURES } from '../../../main/protocol/kinds.ts';
import { systemDeps, type Identity } from '../../integration/quic-test-hub.ts';
import { createInProcessTransport } from '../in-process-transport.ts';

const DIAL_LIMIT_MS = 5_000;
const DIAL_AGAIN_MS = 250;

export interface Reply {
  readonly kind: string;
  readonly payload: JsonObject;
}

export class LightPeer {
  readonly identity: Identity;
  readonly transport: Transport = createInProcessTransport(systemDeps);
  /** Lines that had their hello. */
  greetings = 0;
  readonly #host: string;
  readonly #hub: DialTarget;
  readonly #stopping = new AbortController();
  readonly #connected = new Set<() => void>();
  /** Lines with hello done, oldest first; the newest is used. */
  #lines: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  readonly #agents: readonly JsonObject[];

  /** @param agents what it offers, as its capabilities tell */
  constructor(
    identity: Identity,
    host: string,
    hub: DialTarget,
    agents: readonly JsonObject[] = [],
  ) {
    this.identity = identity;
    this.#host = host;
    this.#hub = hub;
    this.#agents = agents;
  }

  async start(): Promise<this> {
    this.transport.setAdmission({ paired: [this.#hub.keyHex], refused: [] });
    await this.transport.start(
      { seed: new Secret(this.identity.seed), host: this.#host, port: 0 },
      (event) => this.#take(event),
    );
    void this.#dial();
    return this;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.transport.stop();
  }

  get isConnected(): boolean {
    return this.#lines.length > 0;
  }

  /** Waits for a line with hello done. */
  async connected(): Promise<void> {
    while (!this.isConnected) await new Promise<void>((resolve) => this.#connected.add(resolve));
  }

  /** The reply, or the name of what went wrong on the way. */
  async ask(
    kind: string,
    payload: unknown,
    timeoutMs: number,
    id: string = randomUUID(),
  ): Promise<Reply | string> {
    const line = this.#lines.at(-1);
    if (line === undefined) return 'not connected';
    const answered = await this.transport.request(
      line,
      this.envelope(kind, payload, id),
      timeoutMs,
    );
    if (!answered.ok) return answered.error.type;
    return readReply(answered.value, id) ?? 'no reply to it';
  }

  /** Whether the transport took the one-way message. */
  async send(kind: string, payload: unknown): Promise<boolean> {
    const line = this.#lines.at(-1);
    return line !== undefined && (await this.transport.send(line, this.envelope(kind, payload))).ok;
  }

  /**
   * For messages that are none: the code of the error, the kind of another reply, or what went
   * wrong on the way.
   */
  async askBytes(bytes: Uint8Array, timeoutMs: number): Promise<string> {
    const line = this.#lines.at(-1);
    if (line === undefined) return 'not connected';
    const answered = await this.transport.request(line, bytes, timeoutMs);
    if (!answered.ok) return answered.error.type;
    const reply: unknown = JSON.parse(Buffer.from(answered.value).toString());
    if (!isJsonObject(reply) || !isJsonObject(reply['payload'])) return 'no reply';
    return String(reply['kind'] === 'error' ? reply['payload']['code'] : reply['kind']);
  }

  async sendBytes(bytes: Uint8Array): Promise<string> {
    const line = this.#lines.at(-1);
    if (line === undefined) return 'not connected';
    const sent = await this.transport.send(line, bytes);
    return sent.ok ? 'sent' : sent.error.type;
  }

  envelope(
    kind: string,
    payload: unknown,
    id: string = randomUUID(),
    ref: string | null = null,
  ): Uint8Array {
    const { agentId } = this.identity;
    return Buffer.from(
      JSON.stringify({
        v: 1,
        id,
        from: agentId,
        to: this.#hub.agentId,
        ts: Date.now(),
        kind,
        ref,
        payload,
      }),
    );
  }

  async #dial(): Promise<void> {
    if (this.#stopping.signal.aborted || this.isConnected) return;
    const limit = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(DIAL_LIMIT_MS)]);
    const dialled = await this.transport.dial(this.#hub, limit);
    if (dialled.ok) {
      const { connectionId } = dialled.value;
      const answered = await this.transport.request(
        connectionId,
        this.envelope('hello', HELLO),
        DIAL_LIMIT_MS,
      );
      if (answered.ok && JSON.parse(Buffer.from(answered.value).toString()).kind === 'hello')
        return this.#established(connectionId);
      this.transport.close(connectionId, 0, 'no hello');
    }
    this.#dialLater();
  }

  #dialLater(): void {
    clearTimeout(this.#timer);
    if (!this.#stopping.signal.aborted)
      this.#timer = setTimeout(() => void this.#dial(), DIAL_AGAIN_MS);
  }

  #established(connectionId: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#lines.push(connectionId);
    this.greetings += 1;
    for (const resolve of this.#connected) resolve();
    this.#connected.clear();
  }

  #take(event: TransportEvent): void {
    if (event.type === 'disconnected') {
      const before = this.#lines.length;
      this.#lines = this.#lines.filter((line) => line !== event.connection.connectionId);
      if (before > 0 && !this.isConnected) this.#dialLater();
    }
    if (event.type === 'request') this.#answer(event.connectionId, event.streamId, event.bytes);
  }

  #answer(connectionId: number, streamId: number, bytes: Uint8Array): void {
    const request: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (!isJsonObject(request) || typeof request['id'] !== 'string')
      throw new Error('the hub sent what is no message');
    const [kind, answer] = ANSWERS[String(request['kind'])] ?? [
      'error',
      { code: 'unknown_kind', message: 'not here', retryable: false },
    ];
    const payload = kind === 'capabilities' ? { ...answer, agents: this.#agents } : answer;
    this.transport.respond(
      connectionId,
      streamId,
      this.envelope(kind, payload, randomUUID(), request['id']),
    );
    if (request['kind'] === 'hello') this.#established(connectionId);
  }
}

const HELLO = { protocol_versions: [1], agent_name: 'Light peer', features: FEATURES };
const ANSWERS: Readonly<Record<string, readonly [kind: string, payload: JsonObject]>> = {
  hello: ['hello', { ...HELLO, selected_version: 1 }],
  ping: ['pong', { status: 'idle', uptime_secs: 1, active_tasks: 0 }],
  discover: ['capabilities', { agent_name: 'Light peer', domains: [] }],
};

function readReply(bytes: Uint8Array, id: string): Reply | undefined {
  const reply: unknown = JSON.parse(Buffer.from(bytes).toString());
  if (
    !isJsonObject(reply) ||
    reply['ref'] !== id ||
    typeof reply['kind'] !== 'string' ||
    !isJsonObject(reply['payload'])
  )
    return undefined;
  return { kind: reply['kind'], payload: reply['payload'] };
}
