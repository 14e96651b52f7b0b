// What each dialect defines: how its messages read in AXON terms, and how an AXON message is
// written in it. Values in, values out: a dialect sends nothing and keeps nothing. A message
// crosses the wire whole beside its reading (`origin`), so nothing in it is lost. The hub that
// receives it reads it again, and refuses it if the two readings differ.
import type { DeliveryKind } from '../../preload/contract/delivery-kind.ts';
import type { WireErrorCode } from '../../preload/contract/errors.ts';
import { durationOf, momentOf } from '../lib/iso-time.ts';
import type { JsonObject } from '../lib/json-object.ts';
import type { Result } from '../lib/result.ts';
import { objectOf } from './members.ts';

/**
 * Whether something earlier is there that a message may answer or end, though it may not name it;
 * `offer`: something that was offered out of the blue, which a decision ends.
 */
export type Follows = boolean | 'offer';

/** In the context of what was asked without an offer before it: what is offered by it. */
export const OFFERED = 'propose';

/** The acts of a task that is handed on, and of an offer that is accepted. */
export const HAND_OFF = 'handoff';
export const ACCEPT_PROPOSAL = 'accept-proposal';

/** What a message follows that answers this request. */
export function followsOf(payload: unknown): Follows {
  return objectOf(objectOf(payload)['context'])['act'] === OFFERED ? 'offer' : true;
}

/** What a message asks for: one of the wire's kinds, or a step of work that was taken on. */
export type ReadingKind =
  'query' | 'delegate' | 'notify' | 'result' | 'accept' | 'cancel' | 'discover' | 'ping';

/** The longest that a message may give: a day. */
export const DEADLINE_MAX_MS = 86_400_000;

/** A moment, or a length of time; neither where it cannot be read, which starts no clock. */
export interface Deadline {
  /** Milliseconds since 1970. */
  readonly until: number | null;
  readonly within: number | null;
}

/** When it must be done, as a message says it in any form. @param unitMs what a number counts */
export function deadlineOf(said: unknown, unitMs?: number): Deadline {
  const within = durationOf(said, unitMs);
  return {
    // No time at all is over.
    until: typeof said === 'number' && said <= 0 ? 0 : momentOf(said),
    within: within === null ? null : Math.min(within, DEADLINE_MAX_MS),
  };
}

/** To every agent of the language, in place of a name. */
export const EVERYBODY = '*';

/** The topic of the notice to the asker that its task was accepted. */
export const TASK_ACCEPTED = 'task.accepted';

export interface Reading {
  readonly kind: ReadingKind;
  /**
   * The members of an AXON payload that it stands for. Of a result: those of a reply, whether it
   * ends a query or a delegation.
   */
  readonly payload: JsonObject;
  /** Agents, as the message names them. */
  readonly from: string | null;
  readonly to: string | null;
  /** Of a message to everybody: those whom it is about, as it names them; none is all. */
  readonly affects?: readonly string[];
  /** A request for everybody who has the capability. */
  readonly isForAll?: true;
  /** A request that is answered as often as there is something to say, until it is cancelled. */
  readonly isLasting?: true;
  /** An answer to a question; a task that it answers goes on. */
  readonly endsNoTask?: true;
  /** Whoever asked may say it of a request of its own, too. */
  readonly isStatement?: true;
  /** What the recipient must be able to do, where the message names no agent. */
  readonly capability: string | null;
  /** Ids by which a later message may refer to it. */
  readonly ids: readonly string[];
  /** The id of the earlier message that it answers or continues. */
  readonly replyTo: string | null;
  readonly conversation: string | null;
  /** When it must be done, where the message names a moment: milliseconds since 1970. */
  readonly until: number | null;
  readonly rank?: Rank;
  /** What kind of work is asked for, in a word. AXON has no member for it. */
  readonly work?: string;
}

/** Before all that is urgent, or after all else. AXON has no word for it. */
export type Rank = 'critical' | 'low';

/** Codes by which nobody begins with it, now or ever, unless its agent ended it with one. */
const REFUSALS: ReadonlySet<unknown> = new Set<WireErrorCode>([
  'rejected',
  'blocked',
  'not_authorized',
  'unknown_domain',
  'conflict',
  'pairing_required',
  'peer_not_found',
  'overloaded',
  'rate_limited',
]);
/** Codes of what made no sense to whoever got it. */
const UNREAD: ReadonlySet<unknown> = new Set<WireErrorCode>([
  'not_understood',
  'invalid_envelope',
  'unknown_kind',
]);

/** Which kind of failure a result is, in languages that tell them apart; null: it is none. */
export function failureKindOf({
  payload: { status, code },
  isTakenOn,
}: Pick<AxonMessage, 'payload' | 'isTakenOn'>): 'refused' | 'not_understood' | 'failed' | null {
  if (status !== 'failed') return null;
  if (UNREAD.has(code)) return 'not_understood';
  return REFUSALS.has(code) && isTakenOn !== true ? 'refused' : 'failed';
}

/** Whether it is a part of what was asked for; of an answer to a question, which says no status. */
export function isPartOf({ status, summary, truncated }: JsonObject): boolean {
  return status === 'partial' || (summary !== undefined && truncated === true);
}

/** The topic of what is said about an earlier message without ending it. */
const ANSWER = 'answer';

/** An answer to what does not end by it, so it is told. */
export function asNotice(reading: Reading): Reading {
  const { status, code, error, outcome, data } = reading.payload;
  if (reading.kind !== 'result') return reading;
  const words = status === 'failed' ? { error } : { outcome };
  const topic = status === 'failed' ? `failure.${String(code)}`.replaceAll('_', '-') : ANSWER;
  return {
    ...reading,
    kind: 'notify',
    payload: { topic, data: data === undefined ? words : { ...words, data } },
  };
}

export interface Answered {
  readonly message: JsonObject | null;
  /** null: it has none but those in it. */
  readonly id: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A message in AXON terms, to be written in a dialect. */
export interface AxonMessage {
  readonly kind: DeliveryKind;
  /** The AXON id, a UUID. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly conversation: string;
  readonly payload: JsonObject;
  /**
   * The message that it answers: its AXON id, when it came, and its text if it was written in this
   * dialect.
   */
  readonly answers: Answered | null;
  /** Of a request in another language: what kind of work it is. */
  readonly work?: string | undefined;
  /** Of a failure: an agent had begun with it, and it refused nothing. */
  readonly isTakenOn?: boolean;
}

/** What one agent, or a whole hub, offers. */
export interface Offer {
  readonly domains: readonly string[];
  readonly capabilities: readonly string[];
  readonly channels: readonly string[];
  readonly tools: readonly string[];
  /** All of it at a time; null: unknown. */
  readonly tasksAtOnce: number | null;
  /** null: unknown, or more than one. */
  readonly model: string | null;
  /** An example of a request that would be accepted, by domain. */
  readonly examples: ReadonlyMap<string, string>;
}

export interface Acknowledgement {
  readonly accepted: boolean;
  /** null: unknown. */
  readonly estimatedMs: number | null;
  /** Why not; null: it is accepted. */
  readonly reason: string | null;
}

/** What an answer is told apart by. */
export interface OwnIds {
  /** A new one. */
  readonly fresh: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The AXON id of what it answers, which the hub knows in every language. */
  readonly asked: string;
}

/** What a task comes with, in a language without a member for the kind of work. */
export function contextWith({ payload, work }: Pick<AxonMessage, 'payload' | 'work'>): unknown {
  const { context } = payload;
  return work === undefined ? context : { task_type: work, ...objectOf(context) };
}

export interface Dialect {
  /** As it stands on the wire (PROTOCOL.md, Dialects). */
  readonly name: string;
  /** Whoever takes on a task says so before its result. */
  readonly hasAcceptance?: true;
  /** Whether a message without a declared dialect is one of this. */
  detect(message: JsonObject): boolean;
  /** The error is a sentence for the agent that posted it. */
  read(message: JsonObject, follows?: Follows): Result<Reading, string>;
  write(message: AxonMessage): JsonObject;
  /**
   * What somebody wrote in answer to a message, who need not copy ids: with those that it leaves
   * out. undefined: it is no message of this language.
   */
  complete(said: JsonObject, asked: JsonObject, ids: OwnIds): JsonObject | undefined;
  /**
   * The answer to a message that asks for capabilities; absent if this dialect has no such message.
   */
  offer?(
    message: Omit<AxonMessage, 'kind' | 'payload' | 'answers'>,
    offer: Offer,
    asked: JsonObject,
  ): JsonObject;
  /** The same of a message that asks how somebody is. */
  pong?(
    message: Omit<AxonMessage, 'kind' | 'payload' | 'answers'>,
    pong: JsonObject,
    asked: JsonObject,
  ): JsonObject;
  /** The same of a message that is settled with the call that sent it. */
  ack?(
    message: Omit<AxonMessage, 'kind' | 'payload' | 'answers'>,
    ack: Acknowledgement,
    asked: JsonObject,
  ): JsonObject;
}
