// Closed lists of words that cross a process boundary, each written once: schemas, types, the
// choices of a command and the keys of tables derive from them. Kinds of deliveries and roles have
// files of their own. Imports nothing.

/** What asks for something. */
export const REQUEST_KINDS = ['delegate', 'query'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/**
 * From the mildest on. R0 look, R1 small and reversible, R2 others see it or hard to undo, R3
 * dangerous or unknown.
 */
export const RISK_CLASSES = ['R0', 'R1', 'R2', 'R3'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];
/** The classes that may be put to an adult. */
export const REMOTE_CLASSES = ['R1', 'R2', 'R3'] as const satisfies readonly RiskClass[];
export type RemoteClass = (typeof REMOTE_CLASSES)[number];

/** Where the class of a request comes from. */
export const RISK_REASONS = [
  'agent_class',
  'domain_class',
  'default_class',
  'new_agent',
  'no_domain',
  'nothing_runs',
  'own_tool',
  'unknown',
] as const;
export type RiskReason = (typeof RISK_REASONS)[number];

export const IMPORTANCES = ['low', 'medium', 'high'] as const;
export type Importance = (typeof IMPORTANCES)[number];

/** answered: a person answered it, and no agent runs it. */
export const APPROVAL_STATES = [
  'pending',
  'approved',
  'answered',
  'declined',
  'expired',
  'cancelled',
] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const DELIVERY_STATES = ['queued', 'claimed', 'running', 'done', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The ways in which an agent reaches its hub. */
export const AGENT_DOORS = ['http', 'mcp', 'a2a', 'terminal'] as const;
export type AgentDoor = (typeof AGENT_DOORS)[number];

/** What this hub itself does to reach an agent: it calls it, or starts its program. */
export const HUB_WAYS = ['called', 'runner', 'runner_used', 'file'] as const;
export type HubWay = (typeof HUB_WAYS)[number];
/** How an agent comes to know that something waits: this hub sees to it, it is woken, it looks. */
export const REACHES = [...HUB_WAYS, 'hook', 'webhook', 'itself', 'nothing'] as const;
export type Reach = (typeof REACHES)[number];

/** The programs whose own form a webhook has. */
export const WEBHOOK_PRESETS = ['opencode', 'openclaw', 'generic'] as const;
export type WebhookPreset = (typeof WEBHOOK_PRESETS)[number];
/**
 * How the last call of a webhook went. Only `taken` woke the agent; of `unclear` that is not known,
 * and of the others it did not.
 */
export const WEBHOOK_OUTCOMES = [
  'taken',
  'not_there',
  'refused',
  'unclear',
  'limit',
  'unreadable',
] as const;
export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

/** How whoever did it says it went. */
export const RESULT_STATUSES = ['completed', 'partial', 'failed'] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];
/** How an agent may end an item: `cancelled` only once somebody asked it to stop. */
export const REPLY_STATUSES = [...RESULT_STATUSES, 'cancelled'] as const;
export type ReplyStatus = (typeof REPLY_STATUSES)[number];

/**
 * Only what another hub runs is `sending` (no word of it yet) or `cancelling` (cancelled here, no
 * word of that yet).
 */
export const OPEN_TASK_STATES = [
  'sending',
  'cancelling',
  'received',
  'awaiting_approval',
  'held',
  'approved',
  'queued',
  'claimed',
  'running',
] as const;
/** These never change. */
export const TERMINAL_TASK_STATES = [
  ...RESULT_STATUSES,
  'declined',
  'expired',
  'cancelled',
] as const;
export type TerminalTaskState = (typeof TERMINAL_TASK_STATES)[number];
export const TASK_STATES = [...OPEN_TASK_STATES, ...TERMINAL_TASK_STATES] as const;
export type TaskState = (typeof TASK_STATES)[number];
/** Which tasks a list shows: those of one state, or all that have not ended. */
export const TASK_FILTERS = ['open', ...TASK_STATES] as const;

export const TASK_DIRECTIONS = ['incoming', 'outgoing', 'local'] as const;
export type TaskDirection = (typeof TASK_DIRECTIONS)[number];

export type TrustState =
  'unknown' | 'discovered' | 'quarantined' | 'paired' | 'suspended' | 'revoked';
/** What the owner may set for a hub that is paired. */
export const PAIRED_TRUST_STATES = ['paired', 'suspended'] as const satisfies readonly TrustState[];
export type PairedTrustState = (typeof PAIRED_TRUST_STATES)[number];

export const RULE_EFFECTS = ['allow', 'ask', 'never'] as const;
export type RuleEffect = (typeof RULE_EFFECTS)[number];
/** What a conversation is exported as. */
export const CONVERSATION_FORMATS = ['markdown', 'csv', 'jsonl'] as const;
export type ConversationFormat = (typeof CONVERSATION_FORMATS)[number];

/** How far an allowing rule goes: one conversation, until a time, or on and on. */
export const RULE_REACHES = ['conversation', 'until', 'always'] as const;
export type RuleReach = (typeof RULE_REACHES)[number];
/** What a person may choose on a card beyond this one request. */
export const RULE_CHOICES = [...RULE_REACHES, 'never'] as const;
export type RuleChoice = (typeof RULE_CHOICES)[number];

/** Where people act. */
export const PEOPLE_SURFACES = ['window', 'browser', 'command_line'] as const;
export type PeopleSurface = (typeof PEOPLE_SURFACES)[number];
export const SURFACES = [...PEOPLE_SURFACES, 'clock', 'rule', 'peer', 'agent', 'hub'] as const;
export type Surface = (typeof SURFACES)[number];

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const LOG_FORMS = ['text', 'json'] as const;
export type LogForm = (typeof LOG_FORMS)[number];

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;

/** Whether `list` has this word: for words that come as any text. */
export function isOneOf<const Member extends string>(
  list: readonly Member[],
  word: unknown,
): word is Member {
  return list.some((member) => member === word);
}
