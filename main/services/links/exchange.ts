// One message out over one connection, and its one reply in: envelopes made, sent, and the answer checked to belong to the question.
// Turns what can go wrong on the way into errors a person can act on; decides nothing about trust.
import { AppError } from '../../lib/app-error.ts';
import { utf8 } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Transport, TransportFailure } from '../../ports/transport.ts';
import { encodeEnvelope } from '../../protocol/encode-envelope.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { readError } from '../../protocol/error-payload.ts';
import { mayAnswer } from '../../protocol/kinds.ts';
import { parseEnvelope } from '../../protocol/parse-envelope.ts';
import { PROTOCOL_VERSION } from '../../protocol/versions.ts';
import type { OutgoingMessage } from '../peer-messenger.ts';
import type { Link } from './link.ts';

export interface ExchangeDeps {
  readonly transport: Pick<Transport, 'request' | 'send'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly ownAgentId: () => string;
  /** The owner's name for the hub behind a connection, for sentences. */
  readonly nameOf: (link: Link) => string;
  /** The other side broke the form in an answer. */
  readonly onMalformed: (link: Link) => void;
}

export class Exchange {
  readonly #deps: ExchangeDeps;

  constructor(deps: ExchangeDeps) {
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

  /** The reply, or the error: an `error` reply is one (failedBy peer), and so is an answer that does not belong to the request. */
  async request(link: Link, message: OutgoingMessage, timeoutMs: number, signal?: AbortSignal): Promise<Result<Envelope, AppError>> {
    const encoded = this.#tryEncode(link, message);
    if (!encoded.ok) return encoded;
    const end = link.begin();
    try {
      const answered = await this.#deps.transport.request(link.id, utf8(encoded.value), timeoutMs, signal);
      if (!answered.ok) return err(this.#failure(link, answered.error));
      return this.#readReply(link, message, answered.value);
    } finally {
      end();
    }
  }

  async send(link: Link, text: string): Promise<Result<void, AppError>> {
    const end = link.begin();
    try {
      const sent = await this.#deps.transport.send(link.id, utf8(text));
      return sent.ok ? ok() : err(this.#failure(link, sent.error));
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
    const parsed = parseEnvelope(bytes);
    if (!parsed.ok) return this.#badReply(link, `its answer was no message: ${parsed.error.reason}`);
    const { envelope } = parsed.value;
    if (envelope.from !== link.agentId || envelope.to !== this.#deps.ownAgentId())
      return this.#badReply(link, 'its answer names other hubs');
    if (envelope.kind === 'error' && (envelope.ref === message.id || envelope.ref === null)) return err(readError(envelope.payload));
    if (envelope.ref !== message.id) return this.#badReply(link, 'its answer belongs to another message');
    if (!mayAnswer(message.kind, envelope.kind))
      return this.#badReply(link, `a ${message.kind} cannot be answered with that kind of message`);
    return ok(envelope);
  }

  #badReply(link: Link, why: string): Result<never, AppError> {
    this.#deps.onMalformed(link);
    return err(
      new AppError('internal', `${this.#deps.nameOf(link)} answered, but ${why}.`, {
        failedBy: 'peer',
        hint: 'Both hubs should run a current version of AXON Hub.',
      }),
    );
  }

  #failure(link: Link, failure: TransportFailure): AppError {
    const name = this.#deps.nameOf(link);
    switch (failure.type) {
      case 'timeout':
        return new AppError('timeout', `${name} did not answer in time.`, { failedBy: 'timeout' });
      case 'overloaded':
        return new AppError('overloaded', `Too much is under way to ${name} already. Try again in a moment.`, { failedBy: 'local' });
      case 'too-large':
        return new AppError('payload_too_large', 'The message is too long for one message between hubs.', { failedBy: 'input' });
      case 'aborted':
        return new AppError('cancelled', 'The call was given up before an answer came.', { failedBy: 'local' });
      case 'closed':
        return new AppError('peer_unreachable', `The connection to ${name} was lost before an answer came.`, { failedBy: 'peer' });
      case 'reset':
        return new AppError('peer_unreachable', `${name} gave up on the message without an answer.`, { failedBy: 'peer' });
    }
  }

  newId(): string {
    return this.#deps.random.uuid();
  }
}
