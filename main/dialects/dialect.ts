// What every dialect says of itself: how its messages read in the words of AXON, and how a message
// that was written in another one reads in it. Values in, values out: a dialect sends nothing and
// keeps nothing. A message crosses the wire whole beside its reading (`origin`), so nothing in it
// can get lost; the hub that takes it reads it again, and refuses it where the two readings differ.
import type { DeliveryKind } from '../../preload/contract/delivery-kind.ts';
import type { JsonObject } from '../lib/json-object.ts';
import type { Result } from '../lib/result.ts';

/** What a message asks for: one of the wire's kinds, or a step of work that was taken on. */
export type ReadingKind =
  'query' | 'delegate' | 'notify' | 'result' | 'accept' | 'cancel' | 'discover';

/** The topic under which whoever asked is told that its task was taken on. */
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
  /** What the one who gets it must be able to do, where the message names no agent. */
  readonly capability: string | null;
  /** By these a later message may refer to it. */
  readonly ids: readonly string[];
  /** The id of an earlier message that it answers or goes on from. */
  readonly replyTo: string | null;
  readonly conversation: string | null;
}

/** A message as an agent of another dialect is to read it. */
export interface Told {
  readonly kind: DeliveryKind;
  /** The AXON id, a UUID. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly conversation: string;
  readonly payload: JsonObject;
  /** The message that it answers: in the dialect itself where it was one of it, and its AXON id. */
  readonly answers: { readonly message: JsonObject | null; readonly id: string } | null;
}

/** What one agent, or all of a hub, say that they can do. */
export interface Offer {
  readonly domains: readonly string[];
  readonly capabilities: readonly string[];
  readonly channels: readonly string[];
  readonly tools: readonly string[];
  /** A request that would be taken, by domain. */
  readonly examples: ReadonlyMap<string, string>;
}

export interface Dialect {
  /** As it stands on the wire (PROTOCOL.md, Dialects). */
  readonly name: string;
  /** Whether a message of no declared dialect is one of this. */
  detect(message: JsonObject): boolean;
  /**
   * The error is a sentence for the agent that posted it. @param isAnswer something in its
   * conversation waits for an answer, though the message may not name it
   */
  read(message: JsonObject, isAnswer?: boolean): Result<Reading, string>;
  write(told: Told): JsonObject;
  /** The answer to a message that asks what somebody can do; absent where none asks that. */
  offer?(
    told: Omit<Told, 'kind' | 'payload' | 'answers'>,
    offer: Offer,
    asked: JsonObject,
  ): JsonObject;
}
