// Translates what a peer of the reference profile sends into our own messages before the gate, and
// our answers back after it (PROTOCOL.md, Reference profile). Such a peer passes the same gate as
// every other hub: this file allows nothing and stores nothing.
import { AppError } from '../../../lib/app-error.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Envelope } from '../../../protocol/envelope.ts';
import { parseEnvelope } from '../../../protocol/parse-envelope.ts';
import {
  encodeReferenceEnvelope,
  parseReferenceEnvelope,
  type ParsedReferenceEnvelope,
  type ReferenceEnvelope,
} from '../../../protocol/reference/reference-envelope.ts';
import {
  CARRIED_REQUESTS,
  noticeOf,
  replyToReference,
  requestOf,
  type Message,
  type Reply,
} from '../../../protocol/reference/reference-mapping.ts';
import { PROTOCOL_VERSION } from '../../../protocol/versions.ts';
import type { Link } from '../link.ts';
import type { PendingReplies } from './pending-replies.ts';

interface ReferenceIncomingDeps {
  readonly clock: Clock;
  readonly questions: PendingReplies;
  readonly newId: () => string;
  readonly ownAgentId: () => string;
  /** True when this id is that of a delegation of ours to that key. */
  readonly isDelegationTo: (link: Link, id: string) => boolean;
  /** The other side has shown by its first words that it speaks this profile. */
  readonly onSpoken: (link: Link) => void;
}

/** A request in our words, and how to say the answer. */
export interface ForeignRequest {
  /** The request, or why it is none. */
  readonly asked: { readonly envelope: Envelope; readonly raw: string } | AppError;
  readonly isMalformed: boolean;
  /** The text of the answer. */
  readonly answer: (reply: Reply) => string;
}

/** A one-way message in our words; `taken` when it answered an open question. */
type ForeignMessage =
  { readonly envelope: Envelope; readonly raw: string } | 'taken' | 'malformed' | 'unknown_kind';

export class ReferenceIncoming {
  readonly #deps: ReferenceIncomingDeps;

  constructor(deps: ReferenceIncomingDeps) {
    this.#deps = deps;
  }

  /** undefined when these bytes are for our own profile to judge. */
  request(link: Link, bytes: Uint8Array): ForeignRequest | undefined {
    const parsed = this.#read(link, bytes);
    if (parsed === undefined) return undefined;
    if (!parsed.ok) {
      const { reason, id } = parsed.error;
      const asked = new AppError('invalid_envelope', `The message was not taken: ${reason}.`);
      const answer = ({ payload }: Reply): string =>
        encodeReferenceEnvelope({ id: this.#deps.newId(), kind: 'error', ref: id, payload });
      return { asked, isMalformed: true, answer };
    }
    const { envelope, raw } = parsed.value;
    const message = envelope.kind === 'request' ? requestOf(envelope) : undefined;
    return {
      asked: message === undefined ? notAsked() : { envelope: this.#envelope(link, message), raw },
      isMalformed: false,
      answer: (reply) => answerText(this.#deps.newId(), envelope, reply),
    };
  }

  /**
   * undefined when these bytes are for our own profile to judge. `isPeer`: only a peer's words can
   * answer a question.
   */
  message(link: Link, bytes: Uint8Array, isPeer: boolean): ForeignMessage | undefined {
    const parsed = this.#read(link, bytes);
    if (parsed === undefined) return undefined;
    if (!parsed.ok) return 'malformed';
    const { envelope, raw } = parsed.value;
    if (isPeer && this.#deps.questions.take(link.keyHex, envelope)) return 'taken';
    const reportsOn =
      isPeer && envelope.ref !== null && this.#deps.isDelegationTo(link, envelope.ref);
    const message = noticeOf(envelope, reportsOn);
    return message === undefined
      ? 'unknown_kind'
      : { envelope: this.#envelope(link, message), raw };
  }

  /**
   * A connection that has said hello is never of this profile; one that has said nothing yet may
   * show by its first message that it is.
   */
  #read(link: Link, bytes: Uint8Array): ReturnType<typeof parseReferenceEnvelope> | undefined {
    if (link.isEstablished && !link.isReference) return undefined;
    const parsed = parseReferenceEnvelope(bytes);
    if (!parsed.ok) return link.isReference && !parseEnvelope(bytes).ok ? parsed : undefined;
    if (!link.isReference && !opens(parsed.value)) return undefined;
    this.#deps.onSpoken(link);
    return parsed;
  }

  /** What its envelope leaves out is what the connection proves. */
  #envelope(link: Link, message: Message): Envelope {
    const { ownAgentId, clock } = this.#deps;
    return {
      v: PROTOCOL_VERSION,
      from: link.agentId,
      to: ownAgentId(),
      ts: clock.wallMs(),
      ...message,
    };
  }
}

/** The two kinds by which it is known. */
function opens({ envelope }: ParsedReferenceEnvelope): boolean {
  return envelope.kind === 'request' || envelope.kind === 'message';
}

/** The plain words say the answer twice: they are left out where only one of the two fits. */
function answerText(id: string, request: ReferenceEnvelope, reply: Reply): string {
  try {
    return encodeReferenceEnvelope(replyToReference(id, request, reply));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return encodeReferenceEnvelope(replyToReference(id, request, reply, false));
  }
}

function notAsked(): AppError {
  const kinds = [...CARRIED_REQUESTS].join(', ');
  return new AppError(
    'unknown_kind',
    `This hub answers a request with a "message", or with one of these as "axon_kind": ${kinds}.`,
  );
}
