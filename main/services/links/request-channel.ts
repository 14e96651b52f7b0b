// Sends one message over one connection and checks that its one reply belongs to it. Failures on
// the way become errors a person can act on. It decides nothing about trust.
import { AppError } from '../../lib/app-error.ts';
import { utf8 } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Transport } from '../../ports/transport.ts';
import { encodeEnvelope } from '../../protocol/encode-envelope.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { readError } from '../../protocol/error-payload.ts';
import { mayAnswer } from '../../protocol/kinds.ts';
import { parseEnvelope } from '../../protocol/parse-envelope.ts';
import { PROTOCOL_VERSION } from '../../protocol/versions.ts';
import type { OutgoingMessage } from '../base/peer-messenger.ts';
import type { Link } from './link.ts';
import {
  inReferenceWords,
  isReferenceAnswer,
  type ReferenceChannel,
} from './reference/reference-channel.ts';
import { badAnswer, SpeaksReference, transportError } from './link-trouble.ts';

interface RequestChannelDeps {
  readonly transport: Pick<Transport, 'request' | 'send'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly ownAgentId: () => string;
  /** The owner's name for the hub behind a connection, for sentences. */
  readonly nameOf: (link: Link) => string;
  /** The other side broke the form in an answer. */
  readonly onMalformed: (link: Link) => void;
  /** For connections whose other side speaks the reference profile. */
  readonly reference: ReferenceChannel;
}

export class RequestChannel {
  readonly #deps: RequestChannelDeps;

  constructor(deps: RequestChannelDeps) {
    this.#deps = deps;
  }

  /** The text of a message to that agent id. Throws what encodeEnvelope throws. */
  encode(toAgentId: string, message: OutgoingMessage): string {
    const { id, kind, ref, payload } = message;
    return encodeEnvelope({
      v: PROTOCOL_VERSION,
      id,
      from: this.#deps.ownAgentId(),
      to: toAgentId,
      ts: this.#deps.clock.wallMs(),
      kind,
      ref,
      payload,
    });
  }

  /**
   * The reply, or the error: an `error` reply is one (failedBy peer), and so is an answer that does
   * not belong to the request. hello goes in our own words to everybody; its error is
   * SpeaksReference when the other side has none.
   */
  async request(
    link: Link,
    message: OutgoingMessage,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<Envelope, AppError>> {
    if (link.isReference && message.kind !== 'hello')
      return this.#deps.reference.request(link, message, timeoutMs, signal);
    const encoded = this.#tryEncode(link, message);
    if (!encoded.ok) return encoded;
    const end = link.begin();
    try {
      const answered = await this.#deps.transport.request(
        link.id,
        utf8(encoded.value),
        timeoutMs,
        signal,
      );
      if (!answered.ok) return err(transportError(this.#deps.nameOf(link), answered.error));
      return this.#readReply(link, message, answered.value);
    } finally {
      end();
    }
  }

  /** Sends a one-way message of `encode`, in the words of the other side. */
  async send(link: Link, text: string): Promise<Result<void, AppError>> {
    const said = link.isReference ? inReferenceWords(text) : ok(text);
    if (!said.ok) return said;
    const end = link.begin();
    try {
      const sent = await this.#deps.transport.send(link.id, utf8(said.value));
      return sent.ok ? ok() : err(transportError(this.#deps.nameOf(link), sent.error));
    } finally {
      end();
    }
  }

  #tryEncode(link: Link, message: OutgoingMessage): Result<string, AppError> {
    try {
      return ok(this.encode(link.agentId, message));
    } catch (error) {
      if (error instanceof AppError) return err(error);
      throw error;
    }
  }

  #readReply(link: Link, message: OutgoingMessage, bytes: Uint8Array): Result<Envelope, AppError> {
    if (message.kind === 'hello' && isReferenceAnswer(bytes, message.id))
      return err(new SpeaksReference());
    const parsed = parseEnvelope(bytes);
    if (!parsed.ok)
      return this.#badReply(link, `its answer was no message: ${parsed.error.reason}`);
    const { envelope } = parsed.value;
    if (envelope.from !== link.agentId || envelope.to !== this.#deps.ownAgentId())
      return this.#badReply(link, 'its answer names other hubs');
    if (envelope.kind === 'error' && (envelope.ref === message.id || envelope.ref === null))
      return err(readError(envelope.payload));
    if (envelope.ref !== message.id)
      return this.#badReply(link, 'its answer belongs to another message');
    if (!mayAnswer(message.kind, envelope.kind))
      return this.#badReply(link, `a ${message.kind} cannot be answered with that kind of message`);
    return ok(envelope);
  }

  #badReply(link: Link, why: string): Result<never, AppError> {
    this.#deps.onMalformed(link);
    return err(
      badAnswer(
        `${this.#deps.nameOf(link)} answered, but ${why}.`,
        'Both hubs should run a current version of AXON Hub.',
      ),
    );
  }

  newId(): string {
    return this.#deps.random.uuid();
  }
}
