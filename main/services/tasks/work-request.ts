// A delegation or a query that asks for work here, from another hub over the wire or from an agent
// of this hub. Pure reading of messages into that one form; decides nothing.
import type { RequestKind } from '../../../preload/contract/closed-lists.ts';
import type { ApprovalView } from '../../core/approval-view.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import { checkOrigin } from '../../dialects/origin.ts';
import { viewOfQuestion } from '../../core/remote-approval-view.ts';
import { isDomain } from '../../core/routing.ts';
import { escapeName } from '../../core/text-escape.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { PartyKey } from '../../ports/transport.ts';
import type { Actor } from '../base/audit-trail.ts';
import { contentDigest } from '../../protocol/content-digest.ts';
import {
  parseDelegate,
  parseQuery,
  type DelegatePayload,
  type QueryPayload,
} from '../../protocol/payloads.ts';

export interface WorkRequest {
  readonly kind: RequestKind;
  readonly direction: 'incoming' | 'local';
  readonly party: PartyKey;
  /** Whom the audit log names; the party where absent. */
  readonly by?: Actor;
  readonly messageId: string;
  readonly contentDigest: string;
  readonly payload: JsonObject;
  /** What was read of it. */
  readonly asked: DelegatePayload | QueryPayload;
  /** What is asked, in the sender's own words, unescaped. */
  readonly text: string;
  /** The asking agent as it may be shown; null when unknown. */
  readonly fromAgent: string | null;
  readonly routeTo: string | null;
  readonly domain: string | null;
  readonly capability: string | null;
  readonly conversationId: string | null;
  readonly reportBack: boolean;
  readonly urgent: boolean;
  /** A person is asked to choose, and no agent to do anything. */
  readonly isEscalation: boolean;
  /** The request of another hub about which the people here are asked; null for all else. */
  readonly remoteQuestion: ApprovalView | null;
  readonly deadlineMs: number;
  readonly receivedMonotonicMs: number;
}

/** What of a request decides who gets it and whether it is asked. */
export type AskedWork = Pick<
  WorkRequest,
  | 'kind'
  | 'party'
  | 'fromAgent'
  | 'messageId'
  | 'routeTo'
  | 'domain'
  | 'capability'
  | 'conversationId'
  | 'payload'
  | 'isEscalation'
> &
  Partial<Pick<WorkRequest, 'remoteQuestion' | 'urgent'>>;

type RequestSource = Pick<
  WorkRequest,
  'kind' | 'direction' | 'party' | 'by' | 'messageId' | 'payload' | 'receivedMonotonicMs'
>;

/** The error is a sentence for the sender. */
export function readWorkRequest(source: RequestSource): Result<WorkRequest, string> {
  const parsed =
    source.kind === 'delegate' ? parseDelegate(source.payload) : parseQuery(source.payload);
  if (!parsed.ok) return err(parsed.error);
  const hub = source.direction === 'local' ? null : agentIdOfKeyHex(source.party);
  const origin = checkOrigin(source.kind, source.payload, { hub });
  if (!origin.ok) return origin;
  const asked: WorkRequest['asked'] = parsed.value;
  const from = asked.route?.from ?? null;
  const question = 'approval' in asked ? asked.approval : null;
  const remoteQuestion = question === null ? ok(null) : viewOfQuestion(question);
  if (!remoteQuestion.ok) return err(`"approval" does not hold: ${remoteQuestion.error}`);
  return ok({
    ...source,
    asked,
    text: 'task' in asked ? asked.task : asked.question,
    contentDigest: contentDigest({ kind: source.kind, ref: null, payload: source.payload }),
    fromAgent: from === null ? null : escapeName(from).name,
    routeTo: asked.route?.to ?? null,
    domain: asked.domain ?? areaOf(asked.capability),
    capability: asked.capability,
    conversationId: asked.conversation?.id ?? null,
    reportBack: 'report_back' in asked ? asked.report_back : true,
    urgent: 'priority' in asked && asked.priority === 'urgent',
    isEscalation: 'escalation' in asked && asked.escalation !== null,
    remoteQuestion: remoteQuestion.value,
    deadlineMs: asked.deadline_ms,
  });
}

/** What must be done says where, if it can be the name of an area; a claim, as the area is. */
function areaOf(capability: string | null): string | null {
  return capability !== null && isDomain(capability) ? capability : null;
}

/**
 * What the request says it is about, below its area; null when it names nothing that could be a
 * topic. A claim, as the area is.
 */
export function topicOf(payload: JsonObject): string | null {
  const { topic } = payload;
  return typeof topic === 'string' && isDomain(topic) ? topic : null;
}

/**
 * The name the asking agent gives itself, unescaped: for comparing with what its hub advertised,
 * never for showing.
 */
export function routeFrom(payload: JsonObject): string | null {
  return routeMember(payload, 'from');
}

/** The agent that it names, unescaped. */
export function routeTo(payload: JsonObject): string | null {
  return routeMember(payload, 'to');
}

function routeMember({ route }: JsonObject, name: 'from' | 'to'): string | null {
  const agent = isJsonObject(route) ? route[name] : null;
  return typeof agent === 'string' ? agent : null;
}
