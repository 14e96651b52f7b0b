// Our messages to a peer of the reference profile, and the replies (PROTOCOL.md, Reference
// profile). Its daemon answers every request at once with "unhandled", which only says that it was
// delivered. So a request that needs an answer waits on.
import { AppError } from '../../../lib/app-error.ts';
import { utf8 } from '../../../lib/bytes.ts';
import { err, ok, type Result } from '../../../lib/result.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Transport } from '../../../ports/transport.ts';
import type { Envelope } from '../../../protocol/envelope.ts';
import { readError } from '../../../protocol/error-payload.ts';
import { parseEnvelope } from '../../../protocol/parse-envelope.ts';
import {
  encodeReferenceEnvelope,
  parseReferenceEnvelope,
} from '../../../protocol/reference/reference-envelope.ts';
import {
  answerOf,
  assumedAnswer,
  declinesHello,
  isPlainResponse,
  saysDelivered,
  toReference,
  type Message,
} from '../../../protocol/reference/reference-mapping.ts';
import { PROTOCOL_VERSION } from '../../../protocol/versions.ts';
import type { Link } from '../link.ts';
import { badAnswer, transportError } from '../link-trouble.ts';
import type { Answered, PendingReplies } from './pending-replies.ts';

interface ReferenceChannelDeps {
  readonly transport: Pick<Transport, 'request'>;
  readonly clock: Clock;
  readonly questions: PendingReplies;
  readonly newId: () => string;
  readonly ownAgentId: () => string;
  /** The owner's name for whoever is behind a connection. */
  readonly nameOf: (link: Link) => string;
  /** The other side broke the form in an answer. */
  readonly onMalformed: (link: Link) => void;
}

type Outcome = Result<Envelope, AppError>;

/** True when the answer to the hello with this id is that of the reference daemon. */
export function isReferenceAnswer(bytes: Uint8Array, helloId: string): boolean {
  const parsed = parseReferenceEnvelope(bytes);
  return parsed.ok && parsed.value.envelope.ref === helloId && declinesHello(parsed.value.envelope);
}

export class ReferenceChannel {
  readonly #deps: ReferenceChannelDeps;

  constructor(deps: ReferenceChannelDeps) {
    this.#deps = deps;
  }

  /**
   * As RequestChannel.request: the reply in our words, or the error. What must be answered may be
   * so long after its stream has ended.
   */
  async request(
    link: Link,
    message: Message,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Outcome> {
    const encoded = encodeFor(message);
    if (!encoded.ok) return encoded;
    const assumed = assumedAnswer(message.kind);
    const ended = new AbortController();
    const stop = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
    if (assumed !== undefined) {
      const said = await this.#overStream(link, message, encoded.value, timeoutMs, stop);
      return said === DELIVERED
        ? ok(this.#envelope(link, message, { id: this.#deps.newId(), reply: assumed }))
        : said;
    }
    const asked = {
      key: link.keyHex,
      id: message.id,
      kind: message.kind,
      timeoutMs,
      name: this.#deps.nameOf(link),
    };
    const question = this.#deps.questions.open(asked, signal);
    const answer = question.answer.then((answered) =>
      answered.ok ? this.#read(link, message, answered.value) : answered,
    );
    try {
      const first = await Promise.race([
        this.#overStream(link, message, encoded.value, timeoutMs, stop),
        answer,
      ]);
      if (first !== DELIVERED) return first;
      question.delivered();
      return await answer;
    } finally {
      question.close();
      ended.abort();
    }
  }

  async #overStream(
    link: Link,
    message: Message,
    text: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Outcome | Delivered> {
    const end = link.begin();
    try {
      const answered = await this.#deps.transport.request(link.id, utf8(text), timeoutMs, signal);
      if (!answered.ok) return err(transportError(this.#deps.nameOf(link), answered.error));
      const parsed = parseReferenceEnvelope(answered.value);
      if (!parsed.ok || parsed.value.envelope.ref !== message.id) return this.#badReply(link);
      const { envelope } = parsed.value;
      if (saysDelivered(envelope)) return DELIVERED;
      const reply = answerOf(message.kind, envelope);
      if (reply === undefined && isPlainResponse(envelope)) return DELIVERED;
      return reply === undefined
        ? this.#badReply(link)
        : this.#read(link, message, { id: envelope.id, reply });
    } finally {
      end();
    }
  }

  /** An answer in our words: an `error` is the error. */
  #read(link: Link, message: Message, answered: Answered): Outcome {
    const { kind, payload } = answered.reply;
    return kind === 'error' ? err(readError(payload)) : ok(this.#envelope(link, message, answered));
  }

  /** What its envelope leaves out is what the connection proves. */
  #envelope(link: Link, message: Message, { id, reply }: Answered): Envelope {
    const { ownAgentId, clock } = this.#deps;
    return {
      v: PROTOCOL_VERSION,
      id,
      from: link.agentId,
      to: ownAgentId(),
      ts: clock.wallMs(),
      ref: message.id,
      ...reply,
    };
  }

  #badReply(link: Link): Result<never, AppError> {
    this.#deps.onMalformed(link);
    return err(badAnswer(`${this.#deps.nameOf(link)} answered with something that is no answer.`));
  }
}

const DELIVERED = 'delivered';
type Delivered = typeof DELIVERED;

/**
 * A one-way message that was encoded in our own words before, in those of the reference profile.
 */
export function inReferenceWords(text: string): Result<string, AppError> {
  const parsed = parseEnvelope(utf8(text));
  return parsed.ok
    ? encodeFor(parsed.value.envelope)
    : err(new AppError('internal', 'A stored message of this hub does not read.'));
}

function encodeFor(message: Message): Result<string, AppError> {
  const mapped = toReference(message);
  if (mapped === undefined) {
    return err(
      new AppError(
        'unsupported_feature',
        `The other side takes no messages of the kind "${message.kind}".`,
        { failedBy: 'peer' },
      ),
    );
  }
  try {
    return ok(encodeReferenceEnvelope(mapped));
  } catch (error) {
    if (error instanceof AppError) return err(error);
    throw error;
  }
}
