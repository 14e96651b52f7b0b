// What a person approves, byte for byte: one canonical JSON text over every field of a request,
// with all outside text escaped. The card is drawn from it, the digest covers it, and the agent
// receives the text that stands in it. Nothing here shortens, reorders or leaves out. The bytes of
// the message are not in the digest, and need not be: nothing runs from them, and escaping never
// makes two payloads look the same, so the digest tells any two payloads apart; they differ from
// their bytes in spacing and order alone. Nor is a number of the policy: what the rules and classes
// made of the request is in it as such, the class, where that came from, and the agent.
import { createHash } from 'node:crypto';
import {
  isOneOf,
  REQUEST_KINDS,
  RISK_CLASSES,
  RISK_REASONS,
  type RequestKind,
  type RiskClass,
  type RiskReason,
} from '../../preload/contract/closed-lists.ts';
import { AppError } from '../lib/app-error.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { parseStrictJson } from '../lib/strict-json.ts';
import {
  ENVELOPE_DEPTH_MAX,
  ENVELOPE_KEYS_PER_OBJECT_MAX,
  ENVELOPE_NODES_MAX,
} from '../protocol/limits.ts';
import {
  parseDelegate,
  parseQuery,
  type DelegatePayload,
  type QueryPayload,
} from '../protocol/payloads.ts';
import { jsonFields } from './json-fields.ts';
import { APPROVAL_VIEW_SIZE_MAX_BYTES } from './limits.ts';
import { escapeObject, escapeOfVersion } from './text-escape.ts';

/**
 * What sets them apart is which characters count as hidden: see escapeOfVersion. Version 1 is
 * built for requests that a hub decides which knows no other.
 */
export type ViewVersion = 1 | 2;
/** The version that is built otherwise. Stored ones of every version stay readable: see READERS. */
export const APPROVAL_VIEW_VERSION = 2;
/** No version of the view has more fields. */
const VIEW_FIELDS_MAX = 64;
const DIGEST_PREFIX = 'axon-hub/approval/v1\0';

/** Stands where an agent's name would: no agent and no rule has it. */
export const NO_RUNNER = '';

export interface ApprovalInput {
  /** The newest when absent. */
  readonly version?: ViewVersion;
  readonly kind: RequestKind;
  /** The payload as received, unescaped, every member of it. */
  readonly payload: JsonObject;
  /** What was read of this payload, where it was read before. */
  readonly asked?: DelegatePayload | QueryPayload;
  /** The asking hub's key, 64 hex digits, or `agent:<name>` for an agent of this hub. */
  readonly peerKey: string;
  /** The owner's name for the asking hub when the request came. */
  readonly peerName: string;
  /** The asking agent's name, where known; outside text, unescaped. */
  readonly fromAgent: string | null;
  /** The local agent that would run it; NO_RUNNER for an escalation, which none runs. */
  readonly toAgent: string;
  readonly riskClass: RiskClass;
  readonly riskReason: RiskReason;
  /** Wall clock, ms since 1970. */
  readonly receivedAt: number;
  /** Order of receipt on this hub. */
  readonly receivedSeq: number;
  readonly conversationId: string;
  readonly messageId: string;
}

/** The parsed view. All outside text in it is escaped. */
export interface ApprovalView {
  readonly version: ViewVersion;
  readonly kind: RequestKind;
  readonly peer_key: string;
  readonly peer_name: string;
  readonly from_agent: string | null;
  readonly to_agent: string;
  readonly domain: string | null;
  readonly risk_class: RiskClass;
  readonly risk_reason: RiskReason;
  /** The task or the question: exactly what the agent receives. */
  readonly text: string;
  /** Every member of the payload, the text's own included. */
  readonly payload: JsonObject;
  /** The sender's own words why; unchecked. */
  readonly reason: string | null;
  readonly report_back: boolean;
  readonly urgent: boolean;
  /** Counted from receipt. */
  readonly deadline_ms: number;
  readonly received_at: number;
  readonly received_seq: number;
  readonly conversation_id: string;
  readonly message_id: string;
}

/** What the payload itself decides, so that no caller can show one thing and store another. */
type FromPayload = Pick<
  ApprovalView,
  'text' | 'domain' | 'reason' | 'report_back' | 'urgent' | 'deadline_ms'
>;

/**
 * The view of a request and its digest (hex SHA-256).
 * @throws AppError bad_request for a payload that does not parse as its kind or is beyond the
 * limits of a message: nobody is asked then
 */
export function buildApprovalView(input: ApprovalInput): {
  readonly view: string;
  readonly digest: string;
} {
  const version = input.version ?? APPROVAL_VIEW_VERSION;
  const escape = escapeOfVersion(version);
  const read = readRequest(input, escape);
  if (!read.ok)
    throw new AppError('bad_request', `This request cannot be shown: ${read.error}.`, {
      failedBy: 'input',
    });
  const fields: ApprovalView = {
    version,
    kind: input.kind,
    peer_key: input.peerKey,
    peer_name: escape(input.peerName),
    from_agent: input.fromAgent === null ? null : escape(input.fromAgent),
    to_agent: input.toAgent,
    risk_class: input.riskClass,
    risk_reason: input.riskReason,
    payload: escapeObject(input.payload, escape),
    ...read.value,
    received_at: input.receivedAt,
    received_seq: input.receivedSeq,
    conversation_id: escape(input.conversationId),
    message_id: input.messageId,
  };
  const view = canonicalJson(fields);
  // What could not be read back could be approved and never run.
  const readBack = readApprovalView(view);
  if (!readBack.ok)
    throw new AppError('bad_request', `This request cannot be shown: ${readBack.error}.`, {
      failedBy: 'input',
    });
  return { view, digest: digestOfView(view) };
}

/** Hex SHA-256 over "axon-hub/approval/v1", a zero byte and the view. */
export function digestOfView(view: string): string {
  return createHash('sha256').update(DIGEST_PREFIX, 'utf8').update(view, 'utf8').digest('hex');
}

/**
 * Reads the fields of one stored version; undefined where they are not exactly the ones of that
 * version.
 */
export type ViewReader<View> = (stored: JsonObject) => View | undefined;

/** Reads a stored view of any version back: see readView. */
export const readApprovalView = (view: string): Result<ApprovalView, string> =>
  readView(view, READERS);

/**
 * Reads a stored view back by the reader of its version. The error is a sentence for the log: a
 * view that differs from what buildApprovalView writes was changed or damaged, and nothing may run
 * from it.
 */
export function readView<View>(
  view: string,
  readers: Readonly<Record<number, ViewReader<View>>>,
): Result<View, string> {
  const json = parseStrictJson(view, {
    sizeMaxBytes: APPROVAL_VIEW_SIZE_MAX_BYTES,
    // The payload stands one level deep here as in its envelope; the view's own members come on
    // top.
    depthMax: ENVELOPE_DEPTH_MAX,
    nodesMax: ENVELOPE_NODES_MAX + VIEW_FIELDS_MAX,
    keysPerObjectMax: ENVELOPE_KEYS_PER_OBJECT_MAX,
  });
  if (!json.ok) return err(`an approval's view is not valid: ${json.error}`);
  const stored = json.value;
  const read =
    isJsonObject(stored) && typeof stored.version === 'number'
      ? readers[stored.version]?.(stored)
      : undefined;
  if (read === undefined)
    return err(
      "an approval's view has no known version, lacks a field, or has one it should not have",
    );
  if (canonicalJson(stored) !== view) return err("an approval's view is not in canonical form");
  return ok(read);
}

/**
 * Whether a request as it is stored is the one that a person was shown: of that message and hub,
 * for that agent, and with that payload, member by member. What was put in its place since fits no
 * digest of the view's.
 */
export function isViewOf(
  view: ApprovalView,
  request: Pick<
    ApprovalInput,
    'kind' | 'payload' | 'peerKey' | 'toAgent' | 'messageId' | 'receivedSeq'
  >,
): boolean {
  const { kind, payload, peerKey, toAgent, messageId, receivedSeq } = request;
  const isSameMessage =
    view.kind === kind && view.message_id === messageId && view.received_seq === receivedSeq;
  return (
    isSameMessage &&
    view.peer_key === peerKey &&
    view.to_agent === toAgent &&
    canonicalJson(view.payload) ===
      canonicalJson(escapeObject(payload, escapeOfVersion(view.version)))
  );
}

/**
 * Every member of the payload but the text itself, in the order of the view, as [path, value] pairs
 * for the card; all escaped.
 */
export function approvalFields(view: ApprovalView): readonly (readonly [string, string])[] {
  const textMember = view.kind === 'delegate' ? 'task' : 'question';
  // A structured question is shown as text and member by member: its text is our spelling of it.
  const others = Object.entries(view.payload).filter(
    ([key, value]) => key !== textMember || typeof value !== 'string',
  );
  return others.length === 0 ? [] : jsonFields(Object.fromEntries(others));
}

function readRequest(
  { kind, payload, asked }: ApprovalInput,
  escape: (text: string) => string,
): Result<FromPayload, string> {
  const parse = kind === 'delegate' ? parseDelegate : parseQuery;
  const parsed = asked === undefined ? parse(payload) : ok(asked);
  if (!parsed.ok) return parsed;
  const request = parsed.value;
  return ok({
    text: escape('task' in request ? request.task : request.question),
    domain: request.domain === null ? null : escape(request.domain),
    reason: request.reason === null ? null : escape(request.reason),
    report_back: 'report_back' in request ? request.report_back : true,
    urgent: 'priority' in request && request.priority === 'urgent',
    deadline_ms: request.deadline_ms,
  });
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isWhole = (value: unknown): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isIn =
  (list: readonly string[]) =>
  (value: unknown): boolean =>
    isOneOf(list, value);

type Checks<View> = { readonly [Field in keyof View]: (value: unknown) => boolean };

/** The fields of versions 1 and 2. They never change: cards of these versions are stored. */
const VERSIONS_1_AND_2: Checks<Omit<ApprovalView, 'version'>> = {
  kind: isIn(REQUEST_KINDS),
  peer_key: isText,
  peer_name: isText,
  from_agent: isTextOrNull,
  to_agent: isText,
  domain: isTextOrNull,
  risk_class: isIn(RISK_CLASSES),
  risk_reason: isIn(RISK_REASONS),
  text: isText,
  payload: isJsonObject,
  reason: isTextOrNull,
  report_back: isFlag,
  urgent: isFlag,
  deadline_ms: isWhole,
  received_at: isWhole,
  received_seq: isWhole,
  conversation_id: isText,
  message_id: isText,
};

/**
 * One reader a version. A new field of a payload needs none: the card shows it anyway. A new field
 * of the view itself does: raise APPROVAL_VIEW_VERSION, add a reader, and have each older one say
 * what the field is on its cards. Stored views and their digests stay. New views have other
 * digests than an older hub makes, so remote approval needs a new extension, and the version that
 * both know.
 */
export const READERS: Readonly<Record<number, ViewReader<ApprovalView>>> = {
  1: (stored) => (isOfVersion(stored, 1) ? stored : undefined),
  2: (stored) => (isOfVersion(stored, 2) ? stored : undefined),
};

/** Whether its fields are there, and no other. */
function isOfVersion(
  stored: JsonObject,
  version: ViewVersion,
): stored is JsonObject & ApprovalView {
  const checks: Checks<ApprovalView> = {
    ...VERSIONS_1_AND_2,
    version: (value) => value === version,
  };
  const fields = Object.entries<(value: unknown) => boolean>(checks);
  return (
    Object.keys(stored).length === fields.length &&
    fields.every(([name, fits]) => fits(stored[name]))
  );
}
