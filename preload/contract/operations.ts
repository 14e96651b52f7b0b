// The one schema of what a client may ask of the hub. From it come main's handlers, the preload
// functions, the HTTP routes and the test doubles. Each operation has its parameters (validated in
// main, never trusted from a client), who may call it, and its HTTP form: `:name` parts of the path
// are parameters; the rest travel as query (GET) or JSON body. Imports from this folder only.
import * as v from 'valibot';
import {
  CONVERSATION_FORMATS,
  IMPORTANCES,
  TASK_FILTERS,
  WEBHOOK_PRESETS,
} from './closed-lists.ts';
import {
  AGENT_AREAS_MAX,
  EXAMPLE_MAX_CHARACTERS,
  PERMISSION_WAIT_MAX_MS,
  PERMISSION_WAIT_MS,
} from './limits.ts';
import { A2A_OPERATIONS } from './a2a-operations.ts';
import { AGENT_FILE_OPERATIONS } from './agent-files.ts';
import { ATTENTION_OPERATIONS } from './attention-operations.ts';
import { AUDIT_OPERATIONS } from './audit-operations.ts';
import { DECISION_OPERATIONS } from './decision-operations.ts';
import { HUB_OPERATIONS } from './other-hub-operations.ts';
import { INBOX_OPERATIONS } from './inbox-operations.ts';
import {
  agentName,
  choiceOption,
  cursor,
  domain,
  identifier,
  jsonObject,
  limit,
  riskClass,
  shortText,
  text,
  uuid,
  whole,
  words,
} from './parameters.ts';
import { PASSPHRASE_MIN_CHARACTERS } from './passphrase.ts';
import type { OperationResults } from './results.ts';
import { RUNNER_OPERATIONS } from './runner-operations.ts';
import { SETTING_SCHEMAS } from './settings.ts';

/** Hubs, and agents, of a restored copy that can be named at once: more than a hub keeps. */
const KEPT_MAX = 1_000;

export const AGENT_SCOPES = [
  'peers:read',
  'send:query',
  'send:delegate',
  'send:notify',
  'inbox',
  'history',
] as const;
type AgentScope = (typeof AGENT_SCOPES)[number];

/** Why a terminal does not set the first one where agents are connected. */
export const FIRST_PASSPHRASE_ON_A_PAGE = {
  message:
    'An agent is connected already, so the first owner passphrase is set on a page that is logged in.',
  hint: 'Choose it in Settings of the app. Without the app, start the hub at a terminal and open the link that it prints.',
} as const;

/**
 * none: no token; any: any valid token; a scope: agents holding it, and people; owner: people only
 * (ui or owner token).
 */
export type Access = 'none' | 'any' | 'owner' | AgentScope;

export interface OperationEntry {
  /** What it does, in one short sentence. */
  readonly summary: string;
  readonly method: HttpMethod;
  readonly path: `/v1/${string}` | '/metrics';
  readonly access: Access;
  readonly params: v.GenericSchema;
  /** Open while the hub is locked. What people read is so anyway. */
  readonly whileLocked?: true;
  /** Without a token it has a pace of its own, and takes no place among the calls of everybody. */
  readonly ownPace?: true;
  /** Answered though the token that asked ended by it. */
  readonly outlivesToken?: true;
  /**
   * An answer without items counts only for a caller who waited for it: a repeat under the same key
   * asks again.
   */
  readonly emptyIsNoAnswer?: true;
  /** It may take long: calls of agents do it one at a time, and people never wait for it. */
  readonly readsMuch?: true;
  /** Text for a program that collects it, not JSON. */
  readonly answersText?: true;
  /** 202 with the address of a task, where the result comes. */
  readonly answersLater?: true;
}

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const agentDomains = v.pipe(
  v.array(
    v.union([
      domain,
      v.strictObject({ domain, risk_class: v.optional(v.nullable(riskClass), null) }),
    ]),
  ),
  v.maxLength(AGENT_AREAS_MAX),
);
/** What an agent offers: an area, alone or with one request that it would take. */
const offeredDomains = v.pipe(
  v.array(
    v.union([
      domain,
      v.strictObject({ domain, example: v.optional(text(EXAMPLE_MAX_CHARACTERS)) }),
    ]),
  ),
  v.maxLength(AGENT_AREAS_MAX),
);
const displayName = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
const agentProfile = {
  /** What it would like to be called; from then on only a person names it. */
  display_name: v.optional(displayName),
  /** What it speaks at POST /v1/messages, and what its inbox speaks to it. */
  dialect: v.optional(shortText, 'axon'),
  domains: v.optional(offeredDomains, []),
  capabilities: v.optional(words, []),
  channels: v.optional(words, []),
  tools: v.optional(words, []),
  topics: v.optional(words, []),
  /** false: it gets no message that is for everybody. */
  broadcasts: v.optional(v.boolean()),
  model: v.optional(text(128)),
  concurrency: v.optional(whole(1, 64), 4),
};

/**
 * Who to send to: an agent id, a petname, "hub/agent", the word "local/agent", or what is needed.
 */
const recipient = v.union([
  shortText,
  v.strictObject({ capability: shortText }),
  v.strictObject({ domain }),
]);
const route = v.optional(
  v.strictObject({ from: v.optional(shortText), to: v.optional(shortText) }),
);
const conversation = v.optional(
  v.strictObject({ id: v.optional(identifier), parent: v.optional(v.nullable(identifier)) }),
);
const deadline = v.optional(whole(1, 86_400_000));

const none = v.strictObject({});
const pageOf = { limit, cursor };

export const OPERATIONS = {
  'hub.proof': {
    summary:
      'Proves that this hub wrote hub.json: the HMAC of `n` with its boot secret, a space and the Host of the request.',
    method: 'GET',
    path: '/v1/proof',
    access: 'none',
    whileLocked: true,
    ownPace: true,
    params: v.strictObject({ n: v.pipe(v.string(), v.minLength(16), v.maxLength(128)) }),
  },
  'hub.whoami': {
    summary: 'Shows whose token this is, what it may do, and which hub this is.',
    method: 'GET',
    path: '/v1/whoami',
    access: 'any',
    params: none,
  },
  'hub.status': {
    summary: 'Shows how the hub is: its peers, agents, waiting requests and connections.',
    method: 'GET',
    path: '/v1/status',
    access: 'any',
    params: none,
  },
  /** Being able to read hub.json is being the owner's own user. */
  'hub.localStatus': {
    summary: 'Shows the status to a terminal that has no token but can read hub.json.',
    method: 'POST',
    path: '/v1/status',
    access: 'none',
    whileLocked: true,
    ownPace: true,
    params: v.strictObject({ boot_secret: text(128) }),
  },
  'hub.examples': {
    summary: 'Shows one complete exchange as annotated text.',
    method: 'GET',
    path: '/v1/examples',
    access: 'any',
    params: none,
  },
  'metrics.read': {
    summary: 'Shows the counters of the hub in the text format of Prometheus.',
    method: 'GET',
    path: '/metrics',
    access: 'any',
    answersText: true,
    params: none,
  },
  'hub.snapshot': {
    summary: 'Shows all that a page starts with.',
    method: 'GET',
    path: '/v1/snapshot',
    access: 'owner',
    params: none,
  },
  'hub.unlock': {
    summary: 'Tries the keychain again, and unlocks the hub if it opens.',
    method: 'POST',
    path: '/v1/unlock',
    access: 'owner',
    whileLocked: true,
    params: v.strictObject({}),
  },
  /** `keep_hubs` and `keep_agents`: what of the copy stays; everything else of it is removed. */
  'hub.confirmRestore': {
    summary: 'Confirms that the hub was restored from an older copy, and unlocks it.',
    method: 'POST',
    path: '/v1/restore/confirm',
    access: 'owner',
    whileLocked: true,
    params: v.strictObject({
      keep_hubs: v.pipe(v.array(text(128)), v.maxLength(KEPT_MAX)),
      keep_agents: v.pipe(v.array(text(128)), v.maxLength(KEPT_MAX)),
    }),
  },
  /** `seen`: the date that was shown, `date_in_question` of the hub. */
  'hub.confirmDate': {
    summary: 'Confirms the date after the clock of this computer jumped ahead.',
    method: 'POST',
    path: '/v1/date',
    access: 'owner',
    params: v.strictObject({ seen: whole(0, Number.MAX_SAFE_INTEGER) }),
  },
  'hub.login': {
    summary: 'Logs in with a one-time code or the owner passphrase, and gives a token.',
    method: 'POST',
    path: '/v1/login',
    access: 'none',
    whileLocked: true,
    ownPace: true,
    params: v.union([
      v.strictObject({ code: text(64) }),
      v.strictObject({ passphrase: text(1024), boot_secret: v.optional(text(128)) }),
    ]),
  },
  'hub.loginCode': {
    summary: 'Makes a link that logs a browser in once.',
    method: 'POST',
    path: '/v1/login-codes',
    access: 'owner',
    whileLocked: true,
    params: v.strictObject({}),
  },
  'hub.setPassphrase': {
    summary: 'Sets or changes the owner passphrase.',
    method: 'PUT',
    path: '/v1/passphrase',
    access: 'none',
    whileLocked: true,
    ownPace: true,
    params: v.strictObject({
      passphrase: v.pipe(
        v.string(),
        v.minLength(PASSPHRASE_MIN_CHARACTERS, 'it needs at least 8 characters'),
        v.maxLength(1024),
      ),
      current: v.optional(text(1024)),
      boot_secret: v.optional(text(128)),
    }),
  },
  'sessions.list': {
    summary: 'Lists the sessions and tokens that are valid.',
    method: 'GET',
    path: '/v1/sessions',
    access: 'owner',
    params: none,
  },
  /** An agent may end its own token, and no other. */
  'sessions.revoke': {
    summary: 'Ends a session or token at once.',
    method: 'DELETE',
    path: '/v1/sessions/:id',
    access: 'any',
    whileLocked: true,
    outlivesToken: true,
    params: v.strictObject({ id: identifier }),
  },
  'settings.get': {
    summary: 'Shows the settings.',
    method: 'GET',
    path: '/v1/settings',
    access: 'owner',
    params: none,
  },
  'settings.update': {
    summary: 'Changes the settings that are named.',
    method: 'PATCH',
    path: '/v1/settings',
    access: 'owner',
    params: v.partial(v.strictObject(SETTING_SCHEMAS)),
  },

  'agents.register': {
    summary: 'Asks to become an agent of this hub. A person confirms the code.',
    method: 'POST',
    path: '/v1/agents',
    access: 'none',
    params: v.strictObject({ name: agentName, ...agentProfile }),
  },
  'agents.registration': {
    summary: 'Shows how a registration stands and, once it is confirmed, the token.',
    method: 'POST',
    path: '/v1/agents/registrations/:id',
    access: 'none',
    params: v.strictObject({ id: uuid, secret: text(64) }),
  },
  'agents.confirm': {
    summary: 'Confirms a registration with the code that the program shows.',
    method: 'POST',
    path: '/v1/agents/registrations/:id/confirm',
    access: 'owner',
    params: v.strictObject({ id: uuid, code: text(8), risk_class: v.optional(riskClass) }),
  },
  'agents.declineRegistration': {
    summary: 'Declines a registration.',
    method: 'DELETE',
    path: '/v1/agents/registrations/:id',
    access: 'owner',
    params: v.strictObject({ id: uuid }),
  },
  'agents.create': {
    summary: 'Makes an agent and its token at once.',
    method: 'POST',
    path: '/v1/agents/create',
    access: 'owner',
    params: v.strictObject({ name: agentName, ...agentProfile, risk_class: v.optional(riskClass) }),
  },
  'agents.list': {
    summary: 'Lists the agents of this hub.',
    method: 'GET',
    path: '/v1/agents',
    access: 'any',
    params: none,
  },
  'agents.get': {
    summary: 'Shows one agent.',
    method: 'GET',
    path: '/v1/agents/:name',
    access: 'any',
    params: v.strictObject({ name: agentName }),
  },
  'agents.update': {
    summary: 'Changes what an agent says of itself.',
    method: 'PATCH',
    path: '/v1/agents/:name',
    access: 'inbox',
    params: v.strictObject({
      name: agentName,
      ...agentProfile,
      domains: v.optional(offeredDomains),
      capabilities: v.optional(words),
      channels: v.optional(words),
      tools: v.optional(words),
      topics: v.optional(words),
      concurrency: v.optional(whole(1, 64)),
      dialect: v.optional(shortText),
    }),
  },
  'agents.setPresence': {
    summary: 'Says whether an agent takes work now. It holds while the agent is online.',
    method: 'PUT',
    path: '/v1/agents/:name/presence',
    access: 'inbox',
    params: v.strictObject({ name: agentName, presence: v.picklist(['idle', 'busy']) }),
  },
  'agents.rename': {
    summary: 'Gives an agent the name that people see.',
    method: 'PUT',
    path: '/v1/agents/:name/display-name',
    access: 'owner',
    params: v.strictObject({ name: agentName, display_name: displayName }),
  },
  'agents.setClass': {
    summary: 'Sets how much harm an agent could do, overall and in each area.',
    method: 'PUT',
    path: '/v1/agents/:name/class',
    access: 'owner',
    params: v.strictObject({
      name: agentName,
      risk_class: riskClass,
      domains: v.optional(agentDomains),
      is_default: v.optional(v.boolean()),
    }),
  },
  'agents.addArea': {
    summary: 'Adds one area to an agent.',
    method: 'POST',
    path: '/v1/agents/:name/areas',
    access: 'owner',
    params: v.strictObject({ name: agentName, area: domain, risk_class: v.optional(riskClass) }),
  },
  'agents.removeArea': {
    summary: 'Removes one area of an agent.',
    method: 'DELETE',
    path: '/v1/agents/:name/areas/:area',
    access: 'owner',
    params: v.strictObject({ name: agentName, area: domain }),
  },
  'agents.setWebhook': {
    summary: 'Sets the webhook that is called when something waits for an agent.',
    method: 'PUT',
    path: '/v1/agents/:name/webhook',
    access: 'owner',
    params: v.strictObject({
      name: agentName,
      preset: v.picklist(WEBHOOK_PRESETS),
      address: shortText,
      secret: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(512))),
    }),
  },
  'agents.removeWebhook': {
    summary: 'Removes the webhook of an agent.',
    method: 'DELETE',
    path: '/v1/agents/:name/webhook',
    access: 'owner',
    params: v.strictObject({ name: agentName }),
  },
  'agents.issueToken': {
    summary: 'Gives an agent a new token, and ends its other ones.',
    method: 'POST',
    path: '/v1/agents/:name/tokens',
    access: 'owner',
    params: v.strictObject({ name: agentName }),
  },
  'agents.remove': {
    summary: 'Removes an agent and ends its tokens.',
    method: 'DELETE',
    path: '/v1/agents/:name',
    access: 'owner',
    params: v.strictObject({ name: agentName }),
  },

  ...A2A_OPERATIONS,
  ...RUNNER_OPERATIONS,

  ...AGENT_FILE_OPERATIONS,

  ...HUB_OPERATIONS,

  'send.query': {
    summary: 'Asks an agent of another hub a question, and waits for the answer.',
    method: 'POST',
    path: '/v1/query',
    access: 'send:query',
    params: v.strictObject({
      to: recipient,
      question: v.pipe(v.string(), v.minLength(1), v.maxLength(60_000)),
      domain: v.optional(text(64)),
      topic: v.optional(domain),
      max_tokens: v.optional(whole(0, 10_000_000)),
      deadline_ms: deadline,
      route,
      conversation,
    }),
  },
  'send.permission': {
    summary: 'Asks a person here whether this agent may use a tool of its own, and waits.',
    method: 'POST',
    path: '/v1/permission',
    access: 'send:query',
    params: v.strictObject({
      tool: v.pipe(v.string(), v.regex(/^[\w.:-]{1,128}$/, 'the name of a tool')),
      input: jsonObject,
      folder: v.pipe(v.string(), v.minLength(1), v.maxLength(4_096)),
      deadline_ms: v.optional(whole(1_000, PERMISSION_WAIT_MAX_MS), PERMISSION_WAIT_MS),
    }),
  },
  'send.delegate': {
    summary: 'Gives a task to an agent of another hub, or asks a person there to choose.',
    method: 'POST',
    path: '/v1/delegate',
    access: 'send:delegate',
    answersLater: true,
    params: v.strictObject({
      to: recipient,
      task: v.pipe(v.string(), v.minLength(1), v.maxLength(60_000)),
      context: v.optional(jsonObject),
      priority: v.optional(v.picklist(['normal', 'urgent']), 'normal'),
      report_back: v.optional(v.boolean(), true),
      deadline_ms: deadline,
      domain: v.optional(text(64)),
      topic: v.optional(domain),
      capability: v.optional(shortText),
      reason: v.optional(text(2_000)),
      /** Asks a person there to choose one of these, and no agent to do anything. */
      options: v.optional(v.pipe(v.array(choiceOption), v.maxLength(64))),
      /** The id of one of the options. */
      recommendation: v.optional(shortText),
      /** Accepts the offer with which this task ended, instead of being done. */
      accepts: v.optional(uuid),
      route,
      conversation,
    }),
  },
  /** To "*": to every paired hub and the agents of this one, each at most once. */
  'send.notify': {
    summary: 'Tells another hub something, or "*" all of them. Nothing comes back.',
    method: 'POST',
    path: '/v1/notify',
    access: 'send:notify',
    params: v.strictObject({
      to: recipient,
      topic: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
      data: v.optional(v.unknown(), null),
      importance: v.optional(v.picklist(IMPORTANCES), 'low'),
      /** It takes the place of your earlier notice of this tag. */
      tag: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(64))),
      ref: v.optional(v.nullable(uuid)),
      route,
    }),
  },
  /** The body is the message, in the dialect of the agent, or in one that can be told from it. */
  'send.message': {
    summary: 'Takes a message in a dialect: a request, a notice, an answer or a cancel.',
    method: 'POST',
    path: '/v1/messages',
    access: 'send:delegate',
    params: jsonObject,
  },
  'send.route': {
    summary: 'Shows which agent would get a request, and why. Nothing is sent.',
    method: 'POST',
    path: '/v1/route',
    access: 'peers:read',
    params: v.strictObject({
      to: recipient,
      kind: v.optional(v.picklist(['query', 'delegate', 'notify']), 'delegate'),
    }),
  },

  'tasks.list': {
    summary: 'Lists the tasks, the newest first.',
    method: 'GET',
    path: '/v1/tasks',
    access: 'history',
    readsMuch: true,
    /**
     * With a state, or where the tasks are long, a page may hold fewer items than its limit
     * although there is a next one.
     */
    params: v.strictObject({
      ...pageOf,
      conversation: v.optional(identifier),
      state: v.optional(v.picklist(TASK_FILTERS)),
    }),
  },
  'tasks.get': {
    summary: 'Shows a task: its state, who decided, and its result.',
    method: 'GET',
    path: '/v1/tasks/:id',
    access: 'history',
    params: v.strictObject({ id: uuid, wait: v.optional(whole(0, 55_000), 0) }),
  },
  'tasks.cancel': {
    summary: 'Cancels a task.',
    method: 'POST',
    path: '/v1/tasks/:id/cancel',
    access: 'send:delegate',
    params: v.strictObject({ id: uuid, reason: v.optional(text(2_000)) }),
  },

  ...INBOX_OPERATIONS,
  ...DECISION_OPERATIONS,
  ...ATTENTION_OPERATIONS,

  'conversations.list': {
    summary: 'Lists the conversations, the newest first.',
    method: 'GET',
    path: '/v1/conversations',
    access: 'history',
    readsMuch: true,
    params: v.strictObject(pageOf),
  },
  'conversations.get': {
    summary: 'Shows one conversation: what was asked, decided and answered.',
    method: 'GET',
    path: '/v1/conversations/:id',
    access: 'history',
    readsMuch: true,
    params: v.strictObject({ id: identifier }),
  },
  /** All pieces together, in order, are the file. */
  'conversations.export': {
    summary: 'Gives one piece of a conversation as text, the oldest first.',
    method: 'GET',
    path: '/v1/conversations/:id/export',
    access: 'history',
    readsMuch: true,
    params: v.strictObject({
      id: identifier,
      format: v.optional(v.picklist(CONVERSATION_FORMATS), 'markdown'),
      cursor: pageOf.cursor,
    }),
  },
  'conversations.remove': {
    summary: 'Removes what was said in a conversation, once nothing of it is under way.',
    method: 'DELETE',
    path: '/v1/conversations/:id',
    access: 'owner',
    params: v.strictObject({ id: identifier }),
  },
  'conversations.inspect': {
    summary: 'Shows all that is known of one message: its bytes, the decision, and when what was.',
    method: 'GET',
    path: '/v1/messages/inspect',
    access: 'owner',
    params: v.strictObject({ seq: whole(1, Number.MAX_SAFE_INTEGER) }),
  },
  'history.messages': {
    summary: 'Shows an agent what it was given and what it sent, in its own language.',
    method: 'GET',
    path: '/v1/messages',
    access: 'history',
    readsMuch: true,
    params: v.strictObject(pageOf),
  },
  'history.search': {
    summary: 'Finds what was said by its words, the newest first.',
    method: 'GET',
    path: '/v1/search',
    access: 'history',
    readsMuch: true,
    params: v.strictObject({ q: v.pipe(v.string(), v.minLength(1), v.maxLength(512)), ...pageOf }),
  },
  'feed.list': {
    summary: 'Lists the notices for people, the newest first.',
    method: 'GET',
    path: '/v1/feed',
    access: 'owner',
    params: v.strictObject(pageOf),
  },
  'feed.markRead': {
    summary: 'Marks notices as read, or as unread again.',
    method: 'PATCH',
    path: '/v1/feed',
    access: 'owner',
    params: v.strictObject({
      ids: v.union([v.literal('all'), v.pipe(v.array(uuid), v.maxLength(200))]),
      read: v.optional(v.boolean(), true),
    }),
  },
  'feed.mute': {
    summary: 'Mutes what the sender of a notice says about its topic.',
    method: 'POST',
    path: '/v1/feed/mutes',
    access: 'owner',
    params: v.strictObject({ notice: uuid }),
  },
  'feed.unmute': {
    summary: 'Ends such a mute.',
    method: 'DELETE',
    path: '/v1/feed/mutes/:id',
    access: 'owner',
    params: v.strictObject({ id: uuid }),
  },
  ...AUDIT_OPERATIONS,
} as const satisfies Record<string, OperationEntry>;

/** The entry with what stands in few of them. */
export const operationEntry = (name: OperationName): OperationEntry => OPERATIONS[name];

export type OperationName = keyof typeof OPERATIONS;
/** What a client sends: optional fields may be left out. */
export type OperationInput<Name extends OperationName> = v.InferInput<
  (typeof OPERATIONS)[Name]['params']
>;
/** What a handler receives after validation, defaults filled in. */
export type OperationParams<Name extends OperationName> = v.InferOutput<
  (typeof OPERATIONS)[Name]['params']
>;

export type { Items } from './results.ts';
export type OperationResult<Name extends OperationName> = OperationResults[Name];
