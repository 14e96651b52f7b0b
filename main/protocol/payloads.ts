// The payload of every kind but `pair` as a typed value with the defaults filled in (PROTOCOL.md,
// Kinds and payloads). Members not named here stay in the raw record and are otherwise ignored.
// What must never be misread (a task, a deadline) is refused when it does not fit; what is only a
// hint reads as its default. All text is outside text, as it came.
import {
  IMPORTANCES,
  RESULT_STATUSES,
  type Importance,
  type ResultStatus,
} from '../../preload/contract/closed-lists.ts';
import { readWireErrorCode, ERRORS, type WireErrorCode } from '../../preload/contract/errors.ts';
import { ENDERS, type Ender } from '../../preload/contract/story.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok, type Ok, type Result } from '../lib/result.ts';
import { readDecision, type Decision } from './decision.ts';
import { readApprovalQuestion, type ApprovalQuestion } from './remote-approval.ts';
import { readEscalation, type Escalation } from './escalation.ts';
import { Fields } from './fields.ts';
import * as limits from './limits.ts';

export interface Route {
  /** Name of the asking agent behind its hub. */
  readonly from: string | null;
  /** Name of the agent that is asked behind ours. */
  readonly to: string | null;
}

export interface Conversation {
  readonly id: string;
  /** Id of the message this one follows. */
  readonly parent: string | null;
}

/** What a query and a delegation have in common: for whom it is, and how long it may take. */
interface Addressed {
  /** As it came: may be no valid domain, which then matches nothing. */
  readonly domain: string | null;
  readonly capability: string | null;
  /** The sender's own words why; unchecked. */
  readonly reason: string | null;
  /** Counted from receipt; never more than a day. */
  readonly deadline_ms: number;
  readonly route: Route | null;
  readonly conversation: Conversation | null;
}

export interface QueryPayload extends Addressed {
  /** A structured question (a JSON object) reads as its canonical text. */
  readonly question: string;
  /** 0 = no limit. A guideline. */
  readonly max_tokens: number;
}

export interface DelegatePayload extends Addressed {
  readonly task: string;
  readonly context: JsonObject;
  readonly priority: 'normal' | 'urgent';
  readonly report_back: boolean;
  /** What a person is asked to choose from; null for work. */
  readonly escalation: Escalation | null;
  /**
   * The request of another hub that an adult is asked about; null for every other escalation, and
   * for work.
   */
  readonly approval: ApprovalQuestion | null;
}

export interface ResponsePayload {
  readonly data: unknown;
  readonly summary: string;
  readonly tokens_used: number | null;
  readonly truncated: boolean;
  /** The person who answered; null when an agent did. */
  readonly answered_by: string | null;
  readonly decision: Decision | null;
  /** The same in the dialect of the agent that wrote it (PROTOCOL.md, Dialects). */
  readonly origin: JsonObject | null;
}

export interface AckPayload {
  readonly accepted: boolean;
  readonly state: 'queued' | 'pending_approval' | 'working' | null;
  /** A person is asked later: in so many ms, where that is known. */
  readonly held: boolean;
  readonly held_ms: number | null;
  readonly estimated_ms: number | null;
  /** Why not, when not accepted. */
  readonly code: WireErrorCode | null;
  readonly reason: string | null;
  readonly retryable: boolean;
  /** Whose refusal it is; null: the hub does not say. */
  readonly ended_by: Ender | null;
}

/** Whoever asked took it back, and nobody had begun. */
export const ASKER = 'asker';
const TELLERS = [...ENDERS, ASKER] as const;
/** Whose end it is, as the hub that runs it says. */
export type Teller = (typeof TELLERS)[number];

interface ResultPayload {
  readonly status: ResultStatus;
  readonly outcome: string;
  readonly data: unknown;
  readonly error: string | null;
  readonly code: WireErrorCode | null;
  readonly tokens_used: number;
  /** It is not all that was to be said. */
  readonly truncated: boolean;
  /** The person who answered; null when an agent did. */
  readonly answered_by: string | null;
  readonly decision: Decision | null;
  /** Whose end it is; null: the hub does not say. */
  readonly ended_by: Teller | null;
  /** Of a failure: whether the same may work later; null: that is not said. */
  readonly retryable: boolean | null;
  /** Which agent had it at the end, where it was handed on; empty: it is not named. */
  readonly handed_on_to: string | null;
}

export interface NotifyPayload {
  readonly topic: string;
  readonly data: unknown;
  readonly importance: Importance;
  readonly route: Route | null;
  readonly conversation: Conversation | null;
  readonly decision: Decision | null;
  /** It takes the place of the sender's earlier notice of this tag (PROTOCOL.md, Extensions). */
  readonly tag: string | null;
}

interface CancelPayload {
  readonly reason: string | null;
}

export interface PongPayload {
  readonly status: 'idle' | 'busy' | 'overloaded';
  readonly uptime_secs: number | null;
  readonly active_tasks: number | null;
  readonly agent_name: string | null;
}

interface AgentCapabilities {
  readonly domains: readonly string[];
  readonly channels: readonly string[];
  readonly tools: readonly string[];
  readonly max_concurrent_tasks: number | null;
  readonly model: string | null;
}

export interface PeerAgentPayload extends AgentCapabilities {
  readonly name: string;
  readonly capabilities: readonly string[];
  /** A request in plain words that it would take, by domain. */
  readonly examples: ReadonlyMap<string, string>;
  /** false: it gets no message that is for everybody. */
  readonly broadcasts: boolean;
}

export interface CapabilitiesPayload extends AgentCapabilities {
  readonly agent_name: string | null;
  readonly agents: readonly PeerAgentPayload[];
  /** How many agents more there are, of which nothing is told for want of room. */
  readonly more_agents: number;
  /** Changes whenever anything else in here does. */
  readonly rev: string | null;
}

export interface ErrorPayload {
  readonly code: WireErrorCode;
  readonly message: string;
  readonly retryable: boolean;
}

interface SaidOfFailure {
  readonly decision: Decision | null;
  readonly ended_by: Teller | null;
  /** What came of it all the same; empty: that is not said. */
  readonly outcome: string;
  readonly data: unknown;
  readonly origin: JsonObject | null;
}

export interface HelloPayload {
  /** Empty when the list was no list of up to 16 whole numbers: then there is no common version. */
  readonly protocol_versions: readonly number[];
  readonly selected_version: number | null;
  readonly agent_name: string | null;
  readonly features: readonly string[];
  readonly extensions: readonly string[];
}

export function parseQuery(payload: JsonObject): Result<QueryPayload, string> {
  const fields = new Fields(payload);
  const structured = fields.raw('question');
  return fields.finish({
    question: isJsonObject(structured)
      ? canonicalJson(structured)
      : fields.text('question', 'What is on the family calendar this week?'),
    max_tokens: fields.integer('max_tokens', 0, 0),
    ...readAddressed(fields, limits.QUERY_DEADLINE_DEFAULT_MS),
  });
}

export function parseDelegate(payload: JsonObject): Result<DelegatePayload, string> {
  const fields = new Fields(payload);
  const escalation = readEscalation(fields);
  const approval = readApprovalQuestion(fields, escalation);
  return fields.finish({
    task: fields.text('task', 'Tell the family chat that dinner is at 7'),
    context: fields.object('context') ?? {},
    priority: fields.choice('priority', ['normal', 'urgent'], 'normal'),
    report_back: fields.flag('report_back', true),
    escalation,
    approval,
    ...readAddressed(fields, limits.DEADLINE_MAX_MS),
  });
}

export function parseResponse(payload: JsonObject): Result<ResponsePayload, string> {
  const fields = new Fields(payload);
  return fields.finish({
    data: fields.any('data'),
    summary: fields.text('summary', 'Three swim practices this week'),
    tokens_used: fields.integer('tokens_used', 0, null),
    truncated: fields.flag('truncated', false),
    answered_by: readName(payload.answered_by),
    decision: readDecision(payload.decision),
    origin: isJsonObject(payload.origin) ? payload.origin : null,
  });
}

export function parseAck(payload: JsonObject): Result<AckPayload, string> {
  const fields = new Fields(payload);
  const accepted = fields.requiredFlag('accepted');
  const code = accepted ? null : readWireErrorCode(fields.raw('code') ?? 'rejected');
  return fields.finish({
    accepted,
    state: readHint(fields.raw('state'), ['queued', 'pending_approval', 'working'], null),
    held: fields.raw('held') === true,
    held_ms: fields.integer('held_ms', 0, null),
    estimated_ms: fields.integer('estimated_ms', 0, null),
    code,
    reason: fields.optionalText('reason'),
    retryable: fields.flag('retryable', code !== null && ERRORS[code].retryable),
    ended_by: accepted ? null : readHint(fields.raw('ended_by'), ENDERS, null),
  });
}

export function parseResult(payload: JsonObject): Result<ResultPayload, string> {
  const fields = new Fields(payload);
  const status = readHint(payload.status, RESULT_STATUSES, null);
  return fields.finish({
    status:
      status ??
      fields.refuse('status', 'must be "completed", "failed" or "partial"', 'failed' as const),
    outcome: fields.optionalText('outcome') ?? '',
    data: fields.any('data'),
    error: fields.optionalText('error'),
    code: fields.has('code') ? readWireErrorCode(fields.raw('code')) : null,
    tokens_used: readTokens(payload.tokens_used),
    truncated: payload.truncated === true,
    answered_by: readName(payload.answered_by),
    decision: readDecision(payload.decision),
    ended_by: readHint(payload.ended_by, TELLERS, null),
    retryable: typeof payload.retryable === 'boolean' ? payload.retryable : null,
    handed_on_to: typeof payload.handed_on_to === 'string' ? payload.handed_on_to : null,
  });
}

export function parseNotify(payload: JsonObject): Result<NotifyPayload, string> {
  const fields = new Fields(payload);
  return fields.finish({
    topic: fields.text('topic', 'user.location', { maxCharacters: limits.TOPIC_MAX_CHARACTERS }),
    data: fields.any('data'),
    importance: readHint(payload.importance, IMPORTANCES, 'low'),
    route: readRoute(fields),
    conversation: readConversation(fields),
    decision: readDecision(payload.decision),
    tag: fields.optionalText('tag', { maxCharacters: limits.TAG_MAX_CHARACTERS }),
  });
}

export function parseCancel(payload: JsonObject): Result<CancelPayload, string> {
  const fields = new Fields(payload);
  return fields.finish({ reason: fields.optionalText('reason') });
}

export function parsePong(payload: JsonObject): Result<PongPayload, string> {
  const fields = new Fields(payload);
  const status = readHint(payload.status, ['idle', 'busy', 'overloaded'], null);
  return fields.finish({
    status:
      status ?? fields.refuse('status', 'must be "idle", "busy" or "overloaded"', 'busy' as const),
    uptime_secs: fields.integer('uptime_secs', 0, null),
    active_tasks: fields.integer('active_tasks', 0, null),
    agent_name: fields.optionalText('agent_name'),
  });
}

export function parseCapabilities(payload: JsonObject): Result<CapabilitiesPayload, string> {
  const fields = new Fields(payload);
  return fields.finish({
    agent_name: fields.optionalText('agent_name'),
    ...readAgentCapabilities(fields),
    agents: fields.list('agents', limits.CAPABILITY_LIST_MAX, parsePeerAgent),
    more_agents: fields.integer('more_agents', 0, 0),
    rev: fields.optionalText('rev', { maxCharacters: limits.CAPABILITY_ENTRY_MAX_CHARACTERS }),
  });
}

/** Never refuses: an error that does not fit is an `internal` one. */
export function parseError(payload: JsonObject): Ok<ErrorPayload & SaidOfFailure> {
  const code = readWireErrorCode(payload.code);
  return ok({
    code,
    message: typeof payload.message === 'string' ? payload.message : '',
    retryable: typeof payload.retryable === 'boolean' ? payload.retryable : ERRORS[code].retryable,
    decision: readDecision(payload.decision),
    ended_by: readHint(payload.ended_by, TELLERS, null),
    outcome: typeof payload.outcome === 'string' ? payload.outcome : '',
    data: payload.data ?? null,
    origin: isJsonObject(payload.origin) ? payload.origin : null,
  });
}

/**
 * Never refuses: a list of versions that is none leaves no common version, and the rest of a hello
 * is hints.
 */
export function parseHello(payload: JsonObject): Result<HelloPayload, string> {
  return ok({
    protocol_versions: readVersions(payload.protocol_versions),
    selected_version: isVersion(payload.selected_version) ? payload.selected_version : null,
    agent_name:
      typeof payload.agent_name === 'string' && payload.agent_name !== ''
        ? payload.agent_name
        : null,
    features: readFeatures(payload.features),
    extensions: readFeatures(payload.extensions),
  });
}

function readAddressed(fields: Fields, deadlineMs: number): Addressed {
  return {
    domain: fields.optionalText('domain'),
    capability: fields.optionalText('capability', {
      maxCharacters: limits.CAPABILITY_MAX_CHARACTERS,
    }),
    reason: fields.optionalText('reason'),
    deadline_ms: Math.min(fields.integer('deadline_ms', 1, deadlineMs), limits.DEADLINE_MAX_MS),
    route: readRoute(fields),
    conversation: readConversation(fields),
  };
}

function readRoute(fields: Fields): Route | null {
  const members = fields.object('route');
  if (members === null) return null;
  const route = new Fields(members, 'route.');
  const name = { maxCharacters: limits.AGENT_NAME_MAX_CHARACTERS };
  return accept(
    fields,
    'route',
    route.finish({ from: route.optionalText('from', name), to: route.optionalText('to', name) }),
  );
}

function readConversation(fields: Fields): Conversation | null {
  const members = fields.object('conversation');
  if (members === null) return null;
  const conversation = new Fields(members, 'conversation.');
  const name = { maxCharacters: limits.CONVERSATION_ID_MAX_CHARACTERS };
  const read = {
    id: conversation.text('id', 'c-91', name),
    parent: conversation.optionalText('parent', name),
  };
  return accept(fields, 'conversation', conversation.finish(read));
}

function accept<T>(fields: Fields, name: string, result: Result<T, string>): T | null {
  return result.ok ? result.value : fields.refuse(name, `does not fit: ${result.error}`, null);
}

function readAgentCapabilities(fields: Fields): AgentCapabilities {
  const texts = (name: string) =>
    fields.texts(name, limits.CAPABILITY_LIST_MAX, {
      maxCharacters: limits.CAPABILITY_ENTRY_MAX_CHARACTERS,
    });
  return {
    domains: texts('domains'),
    channels: texts('channels'),
    tools: texts('tools'),
    max_concurrent_tasks: fields.integer('max_concurrent_tasks', 0, null),
    model: fields.optionalText('model', { maxCharacters: limits.CAPABILITY_ENTRY_MAX_CHARACTERS }),
  };
}

function parsePeerAgent(entry: unknown): Result<PeerAgentPayload, string> {
  if (!isJsonObject(entry)) return err('must be a list of JSON objects');
  const fields = new Fields(entry);
  const text = { maxCharacters: limits.CAPABILITY_ENTRY_MAX_CHARACTERS };
  const read = fields.finish({
    name: fields.text('name', 'kitchen', { maxCharacters: limits.AGENT_NAME_MAX_CHARACTERS }),
    capabilities: fields.texts('capabilities', limits.CAPABILITY_LIST_MAX, text),
    examples: readExamples(entry['examples']),
    broadcasts: entry['broadcasts'] !== false,
    ...readAgentCapabilities(fields),
  });
  return read.ok ? read : err(`holds an agent that does not fit: ${read.error}`);
}

/** A hint: what is no short text is left out. */
function readExamples(value: unknown): ReadonlyMap<string, string> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return new Map(
    entries.slice(0, limits.CAPABILITY_LIST_MAX).flatMap(([domain, example]) => {
      const isShort =
        typeof example === 'string' &&
        example.length <= limits.CAPABILITY_ENTRY_MAX_CHARACTERS &&
        domain.length <= limits.CAPABILITY_ENTRY_MAX_CHARACTERS;
      return isShort ? [[domain, example] as const] : [];
    }),
  );
}

function readHint<const Choice extends string, Absent>(
  value: unknown,
  choices: readonly Choice[],
  absent: Absent,
): Choice | Absent {
  return choices.find((choice) => choice === value) ?? absent;
}

/** A hint: what is no name of a person reads as none. */
function readName(value: unknown): string | null {
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= limits.PERSON_NAME_MAX_CHARACTERS
    ? value
    : null;
}

/** A hint: no result is lost for a bad count. */
function readTokens(value: unknown): number {
  return Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0;
}

function readVersions(value: unknown): readonly number[] {
  if (!Array.isArray(value) || value.length > limits.HELLO_VERSIONS_MAX) return [];
  const entries: readonly unknown[] = value;
  return entries.every(isVersion) ? entries : [];
}

function isVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function readFeatures(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const entries: readonly unknown[] = value;
  return entries
    .filter((entry) => typeof entry === 'string')
    .filter((entry) => entry !== '' && entry.length <= limits.HELLO_FEATURE_MAX_CHARACTERS)
    .slice(0, limits.HELLO_FEATURES_MAX);
}
