// The line between hubs without connections: stations that hear each other in memory, with the real
// bytes of the protocol on the way. A test can cut a line, swallow answers, and speak as any key
// with any message.
import { AppError } from '../../main/lib/app-error.ts';
import { err, ok, type Result } from '../../main/lib/result.ts';
import type { PeerRow, Store } from '../../main/ports/store.ts';
import type { KeyHex } from '../../main/ports/transport.ts';
import { agentIdOfKeyHex } from '../../main/protocol/agent-id.ts';
import { encodeEnvelope } from '../../main/protocol/encode-envelope.ts';
import type { Envelope } from '../../main/protocol/envelope.ts';
import { errorPayload, readError } from '../../main/protocol/error-payload.ts';
import { EXTENSIONS, FEATURES } from '../../main/protocol/kinds.ts';
import { parseEnvelope } from '../../main/protocol/parse-envelope.ts';
import type {
  IncomingMessage,
  OutgoingMessage,
  PeerMessenger,
  Pulse,
  ReplyDraft,
} from '../../main/services/base/peer-messenger.ts';

type RequestHandler = (message: IncomingMessage) => Promise<ReplyDraft>;
type MessageHandler = (message: IncomingMessage) => Promise<void>;

export class MemoryNetwork {
  readonly #stations = new Map<KeyHex, MemoryMessenger>();
  readonly #lines = new Map<string, AbortController>();

  join(station: MemoryMessenger): void {
    this.#stations.set(station.key, station);
  }

  leave(key: KeyHex): void {
    for (const other of this.#stations.keys()) if (other !== key) this.cut(key, other);
    this.#stations.delete(key);
  }

  station(key: KeyHex): MemoryMessenger | undefined {
    return this.#stations.get(key);
  }

  connect(first: KeyHex, second: KeyHex): void {
    if (this.isOpen(first, second)) return;
    this.#lines.set(name(first, second), new AbortController());
    this.#stations.get(first)?.presence(second, true);
    this.#stations.get(second)?.presence(first, true);
  }

  cut(first: KeyHex, second: KeyHex): void {
    const line = this.#lines.get(name(first, second));
    if (!line) return;
    this.#lines.delete(name(first, second));
    line.abort();
    this.#stations.get(first)?.presence(second, false);
    this.#stations.get(second)?.presence(first, false);
  }

  isOpen(first: KeyHex, second: KeyHex): boolean {
    return (
      this.#lines.has(name(first, second)) &&
      this.#stations.has(first) &&
      this.#stations.has(second)
    );
  }

  signal(first: KeyHex, second: KeyHex): AbortSignal {
    return this.#lines.get(name(first, second))?.signal ?? AbortSignal.abort();
  }
}

interface StationOptions {
  readonly network: MemoryNetwork;
  readonly key: KeyHex;
  readonly store: Store;
  readonly features?: readonly string[];
  readonly extensions?: readonly string[];
}

export class MemoryMessenger implements PeerMessenger {
  readonly key: KeyHex;
  readonly sent: Envelope[] = [];
  /** Answers of these kinds never arrive: the line breaks first. */
  readonly swallowed = new Set<string>();
  /** One-way messages of these kinds are taken and never arrive. */
  readonly lost = new Set<string>();
  /** Hubs that do not let this one in. */
  readonly shutOutBy = new Set<KeyHex>();
  /** Every request fails so on this side, before anything leaves. */
  failing: AppError | undefined;
  /** Requests that failed so. */
  failed = 0;
  /** What the last ping told of other hubs; nothing where absent. */
  readonly pulses = new Map<KeyHex, Pulse>();
  readonly #options: StationOptions;
  #extensions: readonly string[] | undefined;
  readonly #requests = new Map<string, RequestHandler>();
  readonly #messages = new Map<string, MessageHandler>();
  readonly #presence = new Set<(peer: KeyHex, online: boolean) => void>();

  constructor(options: StationOptions) {
    this.#options = options;
    this.key = options.key;
    options.network.join(this);
  }

  isOnline(peer: KeyHex): boolean {
    return this.#options.network.isOpen(this.key, peer);
  }

  pulse(peer: KeyHex): Pulse {
    return this.pulses.get(peer) ?? { load: null, roundTripMs: null };
  }

  features(peer: KeyHex): readonly string[] {
    return this.isOnline(peer) ? (this.#options.network.station(peer)?.ownFeatures ?? []) : [];
  }

  extensions(peer: KeyHex): readonly string[] {
    return this.isOnline(peer) ? (this.#options.network.station(peer)?.ownExtensions ?? []) : [];
  }

  isShutOut(peer: KeyHex): boolean {
    return this.shutOutBy.has(peer);
  }

  acknowledges(): boolean {
    return true;
  }

  get ownFeatures(): readonly string[] {
    return this.#options.features ?? FEATURES;
  }

  get ownExtensions(): readonly string[] {
    return this.#extensions ?? this.#options.extensions ?? EXTENSIONS;
  }

  /** From now on it says that it knows these. */
  ownExtensionsAre(extensions: readonly string[]): void {
    this.#extensions = extensions;
  }

  async request(
    peer: KeyHex,
    message: OutgoingMessage,
    _timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<Envelope, AppError>> {
    const { network } = this.#options;
    const station = network.station(peer);
    if (!this.isOnline(peer) || !station) return err(gone());
    if (this.failing) {
      this.failed += 1;
      return err(this.failing);
    }
    const line = network.signal(this.key, peer);
    const raw = this.encode(peer, message);
    this.sent.push(readEnvelope(raw));
    const over = new AbortController();
    const listening = { once: true, signal: over.signal } as const;
    const broken = new Promise<Result<Envelope, AppError>>((resolve) => {
      const end = () => resolve(err(gone()));
      line.addEventListener('abort', end, listening);
      // The other side does not notice: to it the line is as it was.
      const givenUp = () =>
        resolve(
          err(
            new AppError('cancelled', 'The call was given up before an answer came.', {
              failedBy: 'local',
            }),
          ),
        );
      signal?.addEventListener('abort', givenUp, listening);
    });
    return Promise.race([this.#exchange(station, raw, line), broken]).finally(() => over.abort());
  }

  async send(peer: KeyHex, message: OutgoingMessage): Promise<Result<void, AppError>> {
    return this.sendEncoded(peer, this.encode(peer, message));
  }

  encode(peer: KeyHex, message: OutgoingMessage): string {
    const { id, kind, ref, payload } = message;
    return encodeEnvelope({
      v: 1,
      id,
      from: agentIdOfKeyHex(this.key),
      to: agentIdOfKeyHex(peer),
      ts: 1_771_108_000_000,
      kind,
      ref,
      payload,
    });
  }

  async sendEncoded(peer: KeyHex, raw: string): Promise<Result<void, AppError>> {
    const station = this.#options.network.station(peer);
    if (!this.isOnline(peer) || !station) return err(gone());
    const envelope = readEnvelope(raw);
    this.sent.push(envelope);
    if (!this.lost.has(envelope.kind)) station.takeMessage(this.key, raw).catch(() => undefined);
    return ok();
  }

  onRequest(kind: string, handler: RequestHandler): void {
    this.#requests.set(kind, handler);
  }

  onMessage(kind: string, handler: MessageHandler): void {
    this.#messages.set(kind, handler);
  }

  onPresence(listener: (peer: KeyHex, online: boolean) => void): () => void {
    this.#presence.add(listener);
    return () => this.#presence.delete(listener);
  }

  presence(peer: KeyHex, online: boolean): void {
    for (const listener of this.#presence) listener(peer, online);
  }

  /** A request as its bytes came from `from`; the answer as an envelope. */
  async takeRequest(from: KeyHex, raw: string, signal: AbortSignal): Promise<Envelope> {
    const envelope = readEnvelope(raw);
    const answer = await this.#answer(this.#peer(from), envelope, raw, signal);
    return readEnvelope(
      this.encode(from, { id: crypto.randomUUID(), ref: envelope.id, ...answer }),
    );
  }

  /** A one-way message as its bytes came from `from`. */
  async takeMessage(from: KeyHex, raw: string): Promise<void> {
    const envelope = readEnvelope(raw);
    await this.#messages.get(envelope.kind)?.({
      peer: this.#peer(from),
      envelope,
      raw,
      signal: new AbortController().signal,
    });
  }

  async #exchange(
    station: MemoryMessenger,
    raw: string,
    signal: AbortSignal,
  ): Promise<Result<Envelope, AppError>> {
    const reply = await station.takeRequest(this.key, raw, signal);
    if (station.swallowed.has(reply.kind)) return err(gone());
    return reply.kind === 'error' ? err(readError(reply.payload)) : ok(reply);
  }

  async #answer(
    peer: PeerRow,
    envelope: Envelope,
    raw: string,
    signal: AbortSignal,
  ): Promise<ReplyDraft> {
    try {
      const handler = this.#requests.get(envelope.kind);
      if (!handler) throw new AppError('unknown_kind', 'This kind is not known here.');
      return await handler({ peer, envelope, raw, signal });
    } catch (error) {
      const known = error instanceof AppError ? error : new AppError('internal', String(error));
      return { kind: 'error', payload: errorPayload(known) };
    }
  }

  #peer(key: KeyHex): PeerRow {
    const peer = this.#options.store.read.peer(key);
    if (peer?.trust !== 'paired') throw new AppError('pairing_required', 'Not paired.');
    return peer;
  }
}

function name(first: KeyHex, second: KeyHex): string {
  return [first, second].sort().join(' ');
}

function gone(): AppError {
  return new AppError('peer_unreachable', 'There is no line to that hub.', { failedBy: 'peer' });
}

/** @throws Error for what is no envelope */
export function readEnvelope(raw: string): Envelope {
  const parsed = parseEnvelope(new TextEncoder().encode(raw));
  if (!parsed.ok) throw new Error(`not a message: ${parsed.error.reason}`);
  return parsed.value.envelope;
}
