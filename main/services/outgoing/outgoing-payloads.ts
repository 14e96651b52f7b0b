// Turns a client's parameters into the payloads of the wire (PROTOCOL.md, Kinds and payloads).
// Pure; leaves out what was not given.
import type { OperationParams } from '../../../preload/contract/operations.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { ACCEPT_PROPOSAL, ESCALATE } from '../../protocol/escalation.ts';
import type { Recipient } from './candidates.ts';
import type { To } from './recipients.ts';

interface Addressing {
  readonly to: To;
  readonly domain?: string | undefined;
  readonly capability?: string | undefined;
  readonly topic?: string | undefined;
  readonly route?:
    { readonly from?: string | undefined; readonly to?: string | undefined } | undefined;
  readonly conversation?:
    { readonly id?: string | undefined; readonly parent?: string | null | undefined } | undefined;
}

/** What a message of a dialect adds to its AXON fields. */
export interface NativeMembers {
  readonly origin?: JsonObject;
  /** What whoever it goes to can do, where each of them is named. */
  readonly capability?: string | undefined;
  readonly act?: string;
  /** Of an acceptance: what it accepts. */
  readonly terms?: JsonObject;
  /** When it must be done, in ms since 1970: one moment, however often it is sent. */
  readonly until?: number;
}

export function queryPayload(
  params: OperationParams<'send.query'> & NativeMembers,
  recipient: Recipient,
  asker: string | null,
): JsonObject {
  const { question, max_tokens, deadline_ms, origin } = params;
  return given({
    question,
    max_tokens,
    deadline_ms,
    origin,
    ...addressing(params, recipient, asker),
  });
}

export function delegatePayload(
  params: OperationParams<'send.delegate'> & NativeMembers,
  recipient: Recipient,
  asker: string | null,
): JsonObject {
  const { task, context, priority, report_back, deadline_ms, reason } = params;
  const { options, recommendation, origin, act, terms } = params;
  const escalation =
    options === undefined
      ? {}
      : { act: ESCALATE, options: options.map((option) => given(option)), recommendation };
  return given({
    task,
    context,
    priority,
    report_back,
    deadline_ms,
    reason,
    act,
    origin,
    ...escalation,
    ...(terms === undefined ? {} : { act: ACCEPT_PROPOSAL, accepts: terms }),
    ...addressing(params, recipient, asker),
  });
}

export function notifyPayload(
  params: OperationParams<'send.notify'> & NativeMembers,
  recipient: Recipient,
  asker: string | null,
): JsonObject {
  const { topic, data, importance, tag, origin } = params;
  return given({ topic, data, importance, tag, origin, route: routeOf(params, recipient, asker) });
}

function addressing(params: Addressing, recipient: Recipient, asker: string | null): JsonObject {
  const { to, conversation } = params;
  const needed = typeof to === 'string' ? {} : to;
  const capability = params.capability ?? ('capability' in needed ? needed.capability : undefined);
  return {
    domain: params.domain ?? ('domain' in needed ? needed.domain : undefined),
    capability,
    topic: params.topic,
    route: routeOf(params, recipient, asker),
    conversation:
      conversation?.id === undefined
        ? undefined
        : given({ id: conversation.id, parent: conversation.parent ?? undefined }),
  };
}

/** `from` is always the calling agent: nobody can speak for another one. */
function routeOf(
  params: Pick<Addressing, 'route'>,
  recipient: Recipient,
  asker: string | null,
): JsonObject | undefined {
  const to = recipient.agent ?? params.route?.to;
  const route = given({ from: asker ?? undefined, to });
  return Object.keys(route).length === 0 ? undefined : route;
}

function given(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
