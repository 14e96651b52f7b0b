// The gate for everything another hub sends. It checks the form, then sender and recipient, then
// hello, then trust. Only then the handler of the kind runs, which counts the message against its
// sender's rates. A request gets exactly one answer; a one-way message that may not pass is dropped
// and counted. Nothing is stored before the gate (PROTOCOL.md, Envelope and hello).
import { AppError, messageOf } from '../../lib/app-error.ts';
import { utf8 } from '../../lib/bytes.ts';
import { err, ok } from '../../lib/result.ts';
import type { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Log } from '../../ports/log.ts';
import { type Transport, CLOSE_CODES } from '../../ports/transport.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { errorPayload } from '../../protocol/error-payload.ts';
import { isKnownKind, mayOpen } from '../../protocol/kinds.ts';
import { parseEnvelope } from '../../protocol/parse-envelope.ts';
import type { IncomingMessage, ReplyDraft } from '../base/peer-messenger.ts';
import type { RequestChannel } from './request-channel.ts';
import type { HelloHandshake } from './hello-handshake.ts';
import { UNPAIRED_REQUESTS } from './limits.ts';
import type { Link } from './link.ts';
import type { PeerDirectory } from './peer-directory.ts';
import type { ForeignRequest, ReferenceIncoming } from './reference/reference-incoming.ts';

/** A request from a key that may not be paired. */
interface UnpairedRequest {
  readonly link: Link;
  readonly envelope: Envelope;
}
type RequestHandler = (message: IncomingMessage) => Promise<ReplyDraft>;
export type OpenHandler = (request: UnpairedRequest) => Promise<ReplyDraft>;
type MessageHandler = (message: IncomingMessage) => Promise<void>;
type Drop = 'malformed' | 'forged' | 'before_hello' | 'not_paired' | 'unknown_kind' | 'failed';

interface IncomingDeps {
  readonly transport: Pick<Transport, 'respond' | 'reset'>;
  readonly channel: RequestChannel;
  readonly hello: HelloHandshake;
  readonly directory: PeerDirectory;
  readonly buckets: TokenBuckets;
  readonly log: Log;
  readonly ownAgentId: () => string;
  readonly onMalformed: (link: Link) => void;
  /** `from` or `to` was not what the connection proves. */
  readonly onForged: (link: Link, envelope: Envelope) => void;
  readonly onDropped: (why: Drop) => void;
  /** For what comes in the words of the reference profile. */
  readonly reference: ReferenceIncoming;
}

export class Incoming {
  readonly #deps: IncomingDeps;
  readonly #requests = new Map<string, RequestHandler>();
  readonly #messages = new Map<string, MessageHandler>();
  /** Kinds that a key may use before it is paired. */
  readonly #open = new Map<string, OpenHandler>();

  constructor(deps: IncomingDeps) {
    this.#deps = deps;
  }

  onRequest(kind: string, handler: RequestHandler): void {
    this.#requests.set(kind, handler);
  }

  onMessage(kind: string, handler: MessageHandler): void {
    this.#messages.set(kind, handler);
  }

  onOpenRequest(kind: string, handler: OpenHandler): void {
    this.#open.set(kind, handler);
  }

  /** A whole message on a bidirectional stream. Never rejects. */
  async request(link: Link, streamId: number, bytes: Uint8Array): Promise<void> {
    const end = link.begin();
    try {
      await this.#request(link, streamId, bytes);
    } catch (error) {
      this.#deps.log.error('incoming request failed', {
        error: messageOf(error),
      });
      this.#deps.transport.reset(link.id, streamId, CLOSE_CODES.done);
    } finally {
      end();
    }
  }

  /** A whole message on a unidirectional stream. Never rejects. */
  async message(link: Link, bytes: Uint8Array): Promise<void> {
    const end = link.begin();
    try {
      const dropped = await this.#message(link, bytes);
      if (dropped !== undefined) this.#deps.onDropped(dropped);
    } catch (error) {
      this.#deps.onDropped('failed');
      this.#deps.log.warn('incoming message failed', {
        error: messageOf(error),
      });
    } finally {
      end();
    }
  }

  async #request(link: Link, streamId: number, bytes: Uint8Array): Promise<void> {
    const foreign = this.#deps.reference.request(link, bytes);
    if (foreign !== undefined) return this.#foreignRequest(link, streamId, foreign);
    const parsed = parseEnvelope(bytes);
    if (!parsed.ok) {
      const { reason, id } = parsed.error;
      this.#deps.onDropped('malformed');
      this.#respondError(
        link,
        streamId,
        id,
        new AppError('invalid_envelope', `The message was not taken: ${reason}.`),
      );
      this.#deps.onMalformed(link);
      return;
    }
    const { envelope, raw } = parsed.value;
    if (envelope.kind === 'hello' && this.#forgery(link, envelope) === undefined) {
      return this.#hello(link, streamId, envelope);
    }
    try {
      const reply = await this.#answer(link, envelope, raw);
      this.#respond(link, streamId, envelope.id, reply);
    } catch (error) {
      this.#respondError(link, streamId, envelope.id, this.#asAppError(error, envelope.kind));
    }
  }

  /** The same gate as for every other request; only the words of the answer differ. */
  async #foreignRequest(
    link: Link,
    streamId: number,
    { asked, isMalformed, answer }: ForeignRequest,
  ): Promise<void> {
    let reply: ReplyDraft;
    try {
      if (asked instanceof AppError) throw asked;
      reply = await this.#answer(link, asked.envelope, asked.raw);
    } catch (error) {
      const kind = asked instanceof AppError ? 'unknown' : asked.envelope.kind;
      reply = { kind: 'error', payload: errorPayload(this.#asAppError(error, kind)) };
    }
    if (isMalformed) this.#deps.onDropped('malformed');
    if (!link.isGone)
      this.#deps.transport.respond(link.id, streamId, utf8(this.#inForeignWords(reply, answer)));
    if (isMalformed) this.#deps.onMalformed(link);
  }

  /** What does not fit into one message is answered with the error that says so. */
  #inForeignWords(reply: ReplyDraft, answer: ForeignRequest['answer']): string {
    try {
      return answer(reply);
    } catch (error) {
      return answer({ kind: 'error', payload: errorPayload(this.#asAppError(error, reply.kind)) });
    }
  }

  async #hello(link: Link, streamId: number, envelope: Envelope): Promise<void> {
    try {
      if (this.#deps.directory.isRefused(link.keyHex))
        throw new AppError('not_authorized', 'This hub does not talk to yours.');
      this.#takeOpenRate(link);
      const { reply, sent } = await this.#deps.hello.answer(link, envelope.payload);
      this.#respond(link, streamId, envelope.id, reply);
      sent();
    } catch (error) {
      this.#respondError(link, streamId, envelope.id, this.#asAppError(error, envelope.kind));
    }
  }

  /** Throws AppError for everything that is answered with `error`. */
  async #answer(link: Link, envelope: Envelope, raw: string): Promise<ReplyDraft> {
    const { directory } = this.#deps;
    const forgery = this.#forgery(link, envelope);
    if (forgery !== undefined) {
      this.#deps.onForged(link, envelope);
      throw forgery;
    }
    // The reference profile has no hello: who is not paired is told so at once.
    if (!link.isReference && !(await link.untilEstablished()))
      throw new AppError(
        'not_authorized',
        'Say hello first: it is the first message on every connection.',
      );
    const peer = directory.row(link.keyHex);
    const isPaired = peer?.trust === 'paired';
    const openHandler = this.#open.get(envelope.kind);
    if (openHandler !== undefined && (!isPaired || !this.#requests.has(envelope.kind))) {
      if (directory.isRefused(link.keyHex))
        throw new AppError('not_authorized', 'This hub does not talk to yours.');
      this.#takeOpenRate(link);
      return openHandler({ link, envelope });
    }
    if (!isPaired) {
      throw new AppError(
        'pairing_required',
        'This hub takes only hello, ping and pair from yours.',
        {
          hint: 'A person must pair the two hubs first.',
        },
      );
    }
    const handler = this.#requests.get(envelope.kind);
    if (handler === undefined) throw this.#unknownKind(envelope.kind);
    return handler({ peer, envelope, raw, signal: link.signal });
  }

  async #message(link: Link, bytes: Uint8Array): Promise<Drop | undefined> {
    const foreign = this.#deps.reference.message(
      link,
      bytes,
      this.#deps.directory.isPaired(link.keyHex),
    );
    if (foreign === 'taken') return undefined;
    if (foreign === 'unknown_kind') return foreign;
    const parsed =
      foreign === undefined
        ? parseEnvelope(bytes)
        : foreign === 'malformed'
          ? err(foreign)
          : ok(foreign);
    if (!parsed.ok) {
      this.#deps.onMalformed(link);
      return 'malformed';
    }
    const { envelope, raw } = parsed.value;
    if (this.#forgery(link, envelope) !== undefined) {
      this.#deps.onForged(link, envelope);
      return 'forged';
    }
    if (!link.isReference && !(await link.untilEstablished())) return 'before_hello';
    const peer = this.#deps.directory.row(link.keyHex);
    if (peer?.trust !== 'paired') return 'not_paired';
    const handler = this.#messages.get(envelope.kind);
    if (handler === undefined || !mayOpen(envelope.kind, 'unidirectional')) {
      if (!isKnownKind(envelope.kind) || mayOpen(envelope.kind, 'unidirectional'))
        return 'unknown_kind';
      this.#deps.onMalformed(link);
      return 'malformed';
    }
    await handler({ peer, envelope, raw, signal: link.signal });
    return undefined;
  }

  #forgery(link: Link, envelope: Envelope): AppError | undefined {
    if (envelope.from !== link.agentId) {
      return new AppError(
        'not_authorized',
        '"from" must be the agent id of the key this connection was made with.',
        {
          hint: `Yours is ${link.agentId}.`,
        },
      );
    }
    if (envelope.to !== this.#deps.ownAgentId()) {
      return new AppError('peer_not_found', '"to" names another hub; this hub passes nothing on.', {
        hint: `This hub is ${this.#deps.ownAgentId()}.`,
      });
    }
    return undefined;
  }

  #takeOpenRate(link: Link): void {
    if (this.#deps.directory.isPaired(link.keyHex)) return;
    const waitMs = this.#deps.buckets.take(`open ${link.keyHex}`, UNPAIRED_REQUESTS);
    if (waitMs > 0)
      throw new AppError(
        'rate_limited',
        `Too many requests before pairing. Try again in ${Math.ceil(waitMs / 1_000)} s.`,
        {
          retryAfterMs: waitMs,
        },
      );
  }

  #unknownKind(kind: string): AppError {
    const handled = ['hello', ...new Set([...this.#open.keys(), ...this.#requests.keys()])].join(
      ', ',
    );
    if (isKnownKind(kind) && !mayOpen(kind, 'bidirectional')) {
      const isOneWay = mayOpen(kind, 'unidirectional');
      const why = isOneWay
        ? `A ${kind} travels on a unidirectional stream.`
        : `A ${kind} is an answer and opens no stream.`;
      return new AppError('invalid_envelope', `${why} Requests this hub answers: ${handled}.`);
    }
    this.#deps.onDropped('unknown_kind');
    return new AppError('unknown_kind', `This hub answers: ${handled}.`);
  }

  #asAppError(error: unknown, kind: string): AppError {
    if (error instanceof AppError) return error;
    this.#deps.log.error('handler failed', {
      kind: isKnownKind(kind) ? kind : 'unknown',
      error: messageOf(error),
    });
    return new AppError('internal', 'Something broke in this hub.');
  }

  #respond(link: Link, streamId: number, ref: string | null, reply: ReplyDraft): void {
    if (link.isGone) return;
    const message = {
      id: this.#deps.channel.newId(),
      kind: reply.kind,
      ref,
      payload: reply.payload,
    };
    this.#deps.transport.respond(
      link.id,
      streamId,
      utf8(this.#deps.channel.encode(link.agentId, message)),
    );
  }

  #respondError(link: Link, streamId: number, ref: string | null, error: AppError): void {
    this.#respond(link, streamId, ref, { kind: 'error', payload: errorPayload(error) });
  }
}
