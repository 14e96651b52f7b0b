// What the node keeps, as typed tables. Writes run as units of work: each is all or nothing, many
// share one commit, and the promise settles only after the commit is durable. Reads are synchronous
// and see committed rows only. Only services write.
import type { StoryColumns } from '../core/story-row.ts';
import type { TaskState } from '../core/task-state.ts';
import type { HoldReason } from '../../preload/contract/attention.ts';
import type { DeliveryKind } from '../../preload/contract/delivery-kind.ts';
import type {
  ApprovalState,
  DeliveryState,
  Importance,
  RequestKind,
  RiskClass,
  Surface,
  TaskDirection,
  TrustState,
} from '../../preload/contract/closed-lists.ts';
import type { IntroductionWay } from '../../preload/contract/introduction.ts';
import type { Role } from '../../preload/contract/role.ts';
import type { MuteReads, MuteWrites } from './attention.ts';
import type { AuditReads, AuditWrites } from './audit.ts';
import type { RetentionWrites } from './retention.ts';
import type { RuleReads, RuleWrites } from './rules.ts';
import type { SearchReads, SearchWrites } from './search.ts';
import type { KeyHex, PartyKey } from './transport.ts';

export interface PeerRow {
  readonly key: KeyHex;
  readonly agentId: string;
  /** The owner's own name for the hub; unique among peers. */
  readonly petname: string;
  readonly person: string | null;
  /** null: nobody has said. */
  readonly role: Role | null;
  readonly trust: Extract<TrustState, 'paired' | 'suspended' | 'revoked'>;
  /** What it calls itself; outside text. */
  readonly advertisedName: string | null;
  readonly platform: string | null;
  readonly features: readonly string[];
  readonly extensions: readonly string[];
  readonly highestVersion: number;
  readonly staticHost: string | null;
  readonly staticPort: number | null;
  readonly lastHost: string | null;
  readonly lastPort: number | null;
  readonly lastSeenAt: number | null;
  /** The last `capabilities` payload as JSON text; outside text. */
  readonly capabilities: string | null;
  readonly capabilitiesAt: number | null;
  readonly pairedAt: number;
  readonly revokedAt: number | null;
  /** How it came to be paired, by whose word and where, as the audit says it. */
  readonly introducedWay: IntroductionWay;
  readonly introducedBy: string;
  readonly introducedSurface: Surface;
}

export interface AgentDomainRow {
  readonly domain: string;
  /** null: that of the agent. */
  readonly riskClass: RiskClass | null;
  /** True when the class is its owner's word; else the hub's own careful one. */
  readonly byOwner: boolean;
  /**
   * False when the agent does not offer it (any more): then it counts for the risk and for nothing
   * else.
   */
  readonly isOffered: boolean;
  /** A request that it would take, in the words of the agent. */
  readonly example?: string;
}

export interface AgentRow {
  readonly name: string;
  readonly displayName: string;
  readonly dialect: string;
  readonly state: 'requested' | 'active';
  readonly riskClass: RiskClass;
  /** True once its owner has said so; else it is the class every new agent has. */
  readonly classByOwner: boolean;
  readonly domains: readonly AgentDomainRow[];
  readonly capabilities: readonly string[];
  readonly channels: readonly string[];
  readonly tools: readonly string[];
  readonly topics: readonly string[];
  readonly model: string | null;
  readonly concurrency: number;
  readonly isDefault: boolean;
  readonly createdAt: number;
  readonly lastCallAt: number | null;
}

/** A program that asked to be an agent and waits for a person. */
export interface RegistrationRow {
  readonly id: string;
  readonly secretSha256: Uint8Array;
  readonly code: string;
  readonly agentName: string;
  readonly request: string;
  readonly state: 'pending' | 'confirmed' | 'declined';
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface TokenRow {
  readonly id: string;
  readonly kind: 'agent' | 'ui' | 'owner';
  readonly agent: string | null;
  readonly secretSha256: Uint8Array;
  readonly scopes: readonly string[];
  readonly label: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly idleExpiresAfterMs: number | null;
  readonly revokedAt: number | null;
}

export interface TaskRow extends StoryColumns {
  /** Order of receipt on this hub, among all that was said. */
  readonly seq: number;
  /** Id in our own API. For what we send it is the envelope's id. */
  readonly id: string;
  readonly direction: TaskDirection;
  readonly kind: RequestKind;
  /** Who asked (incoming, local) or who was asked (outgoing). */
  readonly party: PartyKey;
  /** Envelope id; unique per direction and party, kept for ever. */
  readonly messageId: string;
  /** SHA-256 hex over the canonical JSON of kind, ref and payload. */
  readonly contentDigest: string;
  readonly state: TaskState;
  readonly revision: number;
  /** The asking agent's name, where known. */
  readonly fromAgent: string | null;
  /**
   * The agent that runs it: ours (incoming, local) or the asked-for one (outgoing), where known.
   */
  readonly toAgent: string | null;
  readonly domain: string | null;
  readonly conversationId: string;
  /**
   * The payload as canonical JSON text, exactly as received or sent; empty once its words were
   * removed (ports/retention.ts).
   */
  readonly payload: string;
  readonly reportBack: boolean;
  readonly urgent: boolean;
  readonly receivedAt: number;
  /** Total time allowed from receipt, ms. */
  readonly deadlineMs: number;
  /** How much of it had passed at `elapsedAt` (wall clock); see PROTOCOL.md, Delegation states. */
  readonly elapsedMs: number;
  readonly elapsedAt: number;
  readonly estimatedMs: number | null;
  /** Terminal states only: result payload as JSON text, or null. */
  readonly result: string | null;
  /** Error code for declined, expired, cancelled and failed. */
  readonly code: string | null;
  readonly reason: string | null;
  /** Outgoing only: what the other hub says was decided there, as JSON text. */
  readonly decision: string | null;
  /** Why this hub cancels what it sent, from `cancelling` on; null for all else. */
  readonly cancelCause: 'cancelled' | 'hung_up' | 'hub_restarted' | null;
  /**
   * What the other hub said to that and the task stayed open: its agent has it, or that hub takes
   * no cancels.
   */
  readonly cancelAnswer: 'asked_to_stop' | 'not_taken' | null;
  /**
   * How long this hub waits for a person, ms from receipt, until the deadline at most; null: until
   * the deadline.
   */
  readonly waitMs: number | null;
  /** For `held`: when a person is asked, wall clock; null: not before somebody says so. */
  readonly heldUntil: number | null;
  /** For `held` here: why; null at the hub that asked. */
  readonly heldWhy: HoldReason | null;
  readonly finishedAt: number | null;
}

/** The message that told the end of a task in the words of its result. It is set once. */
export interface TaskAnswer {
  readonly messageId: string;
  readonly kind: 'response' | 'result' | 'error';
  /** null: no agent's word. */
  readonly fromAgent: string | null;
  readonly at: number;
}

export interface ApprovalRow {
  readonly id: string;
  readonly taskId: string;
  readonly revision: number;
  /** Hex SHA-256 of the view, with its prefix (core/approval-view). */
  readonly digest: string;
  /**
   * The canonical JSON that was digested: what the card is drawn from and what the agent receives;
   * empty once its words were removed.
   */
  readonly view: string;
  readonly state: ApprovalState;
  readonly riskClass: RiskClass;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly surface: string | null;
  /** The rule that decided, when one did. */
  readonly ruleId: string | null;
  /**
   * Why it was declined or ended otherwise. Of one that is answered: what a person answered instead
   * of letting an agent do it.
   */
  readonly reason: string | null;
}

export interface DeliveryRow {
  /** Durable order in the agent's inbox; never resets. */
  readonly seq: number;
  readonly deliveryId: string;
  readonly agent: string;
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  readonly taskId: string | null;
  readonly conversationId: string | null;
  readonly urgency: 0 | 1 | 2;
  /** JSON text handed to the agent: {trust, approval, envelope, untrusted}. */
  readonly body: string;
  readonly attempt: number;
  readonly leaseUntilWallMs: number | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** One thing that was said: a request, its answer, or what is neither. */
export interface MessageRow {
  /** Order of all that was said on this hub. */
  readonly seq: number;
  readonly messageId: string;
  readonly direction: 'in' | 'out' | 'local';
  readonly party: PartyKey;
  readonly kind: string;
  readonly ref: string | null;
  readonly conversationId: string | null;
  readonly taskId: string | null;
  readonly fromAgent: string | null;
  readonly toAgent: string | null;
  /**
   * Its payload, JSON text; null where its words are those of its task: a request, and the response
   * or result that ended it.
   */
  readonly payload: string | null;
  readonly at: number;
}

/** Who asked, or told, whom. */
export type AskedRow = Pick<TaskRow, 'seq' | 'direction' | 'party' | 'fromAgent' | 'toAgent'> &
  Pick<MessageRow, 'kind' | 'ref' | 'at'>;

export interface FeedRow {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  /** Hub key, `agent:<name>`, or null for the hub's own notices. */
  readonly party: PartyKey | null;
  readonly fromAgent: string | null;
  readonly topic: string;
  readonly importance: Importance;
  readonly data: string;
  readonly readAt: number | null;
  /** A notice takes the place of its sender's earlier one of the same tag. */
  readonly tag: string | null;
}

/** Notices of this sender about this topic count as read when they come. */
export interface MutedTopicRow {
  readonly id: string;
  readonly party: PartyKey;
  readonly topic: string;
}

/**
 * A message that must reach a peer even if it is away now: a result, an error in its place, or a
 * cancel.
 */
export interface OutboxRow {
  readonly messageId: string;
  readonly party: KeyHex;
  readonly kind: string;
  readonly raw: string;
  readonly createdAt: number;
  /** Given up once this hub has run so long in all; no wall clock is asked. */
  readonly expiresAtUptimeMs: number;
  readonly settledAt: number | null;
}

/** What we answered to an id that must never be done twice; kept for ever. */
export interface ReplayRow {
  readonly party: PartyKey;
  readonly messageId: string;
  readonly contentDigest: string;
  /** The reply envelope's kind and payload as JSON text, or null while it is being made. */
  readonly reply: string | null;
  readonly at: number;
}

export interface Page {
  readonly limit: number;
  /** Rows with a lower seq than this; absent = from the newest. */
  readonly beforeSeq?: number;
}

export type ApprovalDecisionRow = Pick<
  ApprovalRow,
  'digest' | 'state' | 'decidedAt' | 'decidedBy' | 'surface' | 'ruleId' | 'reason'
>;

export interface ConversationSummaryRow {
  readonly conversationId: string;
  readonly party: PartyKey;
  readonly lastSeq: number;
  readonly lastAt: number;
  readonly firstAt: number;
  readonly messages: number;
}

export type TaskFilter =
  | { readonly agent: string; readonly conversationId?: never; readonly knownTo?: never }
  | { readonly agent?: never; readonly conversationId?: string; readonly knownTo?: string };

/** Tokens used by agents of this hub for a party, and by agents of that party for this hub. */
export interface TokenUse {
  readonly here: number;
  readonly there: number;
}

/** Reads. `Tables` adds the writes. */
export interface Reads extends RuleReads, MuteReads, AuditReads, SearchReads {
  getMeta(name: string): string | undefined;
  peers(): readonly PeerRow[];
  peer(key: KeyHex): PeerRow | undefined;
  agents(): readonly AgentRow[];
  agent(name: string): AgentRow | undefined;
  registrations(): readonly RegistrationRow[];
  registration(id: string): RegistrationRow | undefined;
  tokens(): readonly TokenRow[];
  token(id: string): TokenRow | undefined;
  task(id: string): TaskRow | undefined;
  taskByMessage(
    direction: TaskRow['direction'],
    party: PartyKey,
    messageId: string,
  ): TaskRow | undefined;
  /** Tasks in any of `states`, oldest first. */
  tasksInStates(states: readonly TaskState[]): readonly TaskRow[];
  /**
   * Newest first; `agent` limits to tasks that agent sent or runs, `knownTo` to what it sent and
   * what it runs that was allowed.
   */
  tasks(page: Page, filter?: TaskFilter): readonly TaskRow[];
  /** The oldest of a conversation, of all or of what an agent may know. */
  firstTask(conversationId: string, knownTo?: string): TaskRow | undefined;
  /**
   * What of a request to this hub is new among all that its party made before; agents and area only
   * where an agent runs it.
   */
  newInRequest(request: TaskRow): 'hub' | 'agent' | 'domain' | null;
  approval(id: string): ApprovalRow | undefined;
  approvalOfTask(taskId: string): ApprovalRow | undefined;
  /** What became of it, without what was shown. */
  decisionOfTask(taskId: string): ApprovalDecisionRow | undefined;
  /**
   * Those of the requests before this one that are equal to it in party, agents, area and kind, the
   * newest request first.
   */
  approvalsOfEqual(
    request: TaskRow,
    limit: number,
  ): readonly Pick<ApprovalRow, 'state' | 'surface' | 'ruleId'>[];
  pendingApprovals(): readonly ApprovalRow[];
  /** How many wait in all, and how many of them this party asked for. */
  countPendingApprovals(party: PartyKey): { readonly all: number; readonly ofParty: number };
  /**
   * The tasks of the last requests to this hub, whether anybody was asked or not: their ids, the
   * newest first.
   */
  lastRequests(limit: number): readonly string[];
  /**
   * Newest decision first, all or those of `by` alone (an end by itself counts as people's); `seq`
   * is the order of decisions, the cursor.
   */
  decidedApprovals(
    page: Page,
    by?: 'people' | 'rules',
  ): readonly (ApprovalRow & { readonly seq: number })[];
  delivery(deliveryId: string): DeliveryRow | undefined;
  deliveryOfTask(taskId: string, kind: DeliveryRow['kind']): DeliveryRow | undefined;
  deliveriesOfAgent(
    agent: string,
    states: readonly DeliveryRow['state'][],
    page: { readonly limit: number; readonly afterSeq?: number },
  ): readonly DeliveryRow[];
  newestOf(agent: string, state: DeliveryRow['state'], limit: number): readonly DeliveryRow[];
  /**
   * What may be claimed next: queued, urgent first, then seq; one conversation at a time. `result`
   * and `cancel` neither wait for what runs in it nor hold it up.
   */
  claimable(
    agent: string,
    kinds: readonly DeliveryRow['kind'][] | null,
    limit: number,
  ): readonly DeliveryRow[];
  expiredLeases(wallMs: number): readonly DeliveryRow[];
  countDeliveries(agent: string, states: readonly DeliveryRow['state'][]): number;
  /** What was asked and told since then, the newest first. */
  askedSince(wallMs: number, limit: number): readonly AskedRow[];
  messages(page: Page, filter: { readonly conversationId?: string }): readonly MessageRow[];
  /** Whether anything was ever stored of this party. */
  isKnownParty(party: PartyKey): boolean;
  /** Tokens of the days after the one in which `sinceMs` falls (UTC). */
  tokenUse(party: PartyKey, sinceMs: number): TokenUse;
  /** @param agent counts only what this agent knows of; null = all */
  hasOpenTask(conversationId: string, agent: string | null): boolean;
  /**
   * Whether the party took part in the newest `among` messages of a conversation, or made its first
   * request where no message is left; undefined where there is nothing of it.
   */
  isPartOf(conversationId: string, party: PartyKey, among: number): boolean | undefined;
  /** Of one conversation, the oldest first. */
  messagesAfter(conversationId: string, seq: number, limit: number): readonly MessageRow[];
  /** The newest cancel of this request that was written for another hub. */
  lastCancel(task: Pick<TaskRow, 'id' | 'conversationId'>): MessageRow | undefined;
  /** One message; of an agent only what it took part in. */
  messageAt(seq: number, agent: string | null): MessageRow | undefined;
  /**
   * The newest that an agent of this hub sent or was given, among the newest `among` of a
   * conversation; of a request that was not allowed nothing. What others said there is passed over
   * by the first columns of each row, and its text is never read.
   */
  messagesOfAgent(
    conversationId: string,
    agent: string,
    page: Page & { readonly among: number },
  ): readonly MessageRow[];
  /**
   * The same messages counted, as if there were no others in that conversation; undefined where
   * there are none.
   */
  conversationOfAgent(
    conversationId: string,
    agent: string,
    among: number,
  ): ConversationSummaryRow | undefined;
  conversations(page: Page): readonly ConversationSummaryRow[];
  /** The ids of those that are called so, or so with something after a colon. */
  conversationsCalled(label: string, limit: number): readonly string[];
  feed(page: Page): readonly FeedRow[];
  feedItem(id: string): FeedRow | undefined;
  unreadFeedCount(): number;
  mutedTopics(): readonly MutedTopicRow[];
  /**
   * Unsettled rows of one peer, oldest first, expired ones included; a page of them where one is
   * asked for.
   */
  outboxOf(
    party: KeyHex,
    page?: { readonly limit: number; readonly after: OutboxRow | undefined },
  ): readonly OutboxRow[];
  outboxMessage(party: KeyHex, messageId: string): OutboxRow | undefined;
  /** Unsettled rows of one peer: its cancels, or all the others, which report to it. */
  countOutbox(party: KeyHex, of: 'cancels' | 'reports'): number;
  /** Peers with unsettled rows. */
  outboxParties(): readonly KeyHex[];
  /**
   * Unsettled rows whose time is over once this hub has run `uptimeMs`: to be settled without a
   * delivery.
   */
  outboxExpired(uptimeMs: number): readonly OutboxRow[];
  replay(party: PartyKey, messageId: string): ReplayRow | undefined;
}

export interface Tables
  extends Reads, RuleWrites, MuteWrites, AuditWrites, RetentionWrites, SearchWrites {
  setMeta(name: string, value: string): void;
  /** Adds what one report says; 0 adds nothing. @param at ms since the epoch */
  addTokens(party: PartyKey, at: number, where: keyof TokenUse, tokens: number): void;
  putPeer(row: PeerRow): void;
  deletePeer(key: KeyHex): void;
  putAgent(row: AgentRow): void;
  deleteAgent(name: string): void;
  putRegistration(row: RegistrationRow): void;
  deleteRegistration(id: string): void;
  putToken(row: TokenRow): void;
  /** For sessions that ended: agents' revoked tokens are kept. */
  deleteToken(id: string): void;
  /**
   * The request stands in its conversation from then on. Throws StoreConflict when (direction,
   * party, messageId) or id is taken. Assigns seq.
   */
  insertTask(row: Omit<TaskRow, 'seq'>): TaskRow;
  /** One that is over, with its answer where it has one. False when its identity is taken. */
  insertTaskOnce(row: Omit<TaskRow, 'seq'>, answer: TaskAnswer | null): boolean;
  /**
   * Updates when the stored revision equals `expectedRevision`; false otherwise, and nothing
   * changed. Sets revision + 1.
   */
  updateTask(
    id: string,
    expectedRevision: number,
    change: Partial<Omit<TaskRow, 'seq' | 'id' | 'revision'>>,
  ): boolean;
  /** Throws StoreConflict where it has an answer, or its words were removed. */
  answerTask(id: string, answer: TaskAnswer): void;
  insertApproval(row: ApprovalRow): void;
  /**
   * The decision itself: one UPDATE guarded by id, revision, digest and state = pending. Its
   * deadline is the caller's to look at.
   */
  decideApproval(
    id: string,
    guard: { readonly revision: number; readonly digest: string },
    change: Pick<ApprovalRow, 'state' | 'decidedAt' | 'decidedBy' | 'surface' | 'reason'> &
      Partial<Pick<ApprovalRow, 'ruleId'>>,
  ): boolean;
  /** It waits until another time, wall clock; false when it is decided, and nothing changed. */
  setApprovalEnd(id: string, expiresAt: number): boolean;
  insertDelivery(row: Omit<DeliveryRow, 'seq'>): DeliveryRow;
  updateDelivery(
    deliveryId: string,
    expectedState: DeliveryRow['state'],
    change: Partial<Omit<DeliveryRow, 'seq' | 'deliveryId'>>,
  ): boolean;
  /**
   * What is neither a request nor its answer. Keeps the first record of (direction, party,
   * messageId): a replay adds nothing and never throws. What belongs to a task whose words were
   * removed is not kept: its conversation does not come back.
   */
  insertMessage(row: Omit<MessageRow, 'seq'>): void;
  insertFeed(row: Omit<FeedRow, 'seq'>): FeedRow;
  /** Returns the numbers of those removed. */
  deleteFeedOfTag(row: Pick<FeedRow, 'party' | 'fromAgent' | 'tag'>): readonly number[];
  /** @param at null: they are unread again */
  markFeedRead(ids: readonly string[] | 'all', at: number | null): void;
  /** One that is muted already stays so. */
  insertMutedTopic(row: MutedTopicRow): void;
  deleteMutedTopic(id: string): void;
  putOutbox(row: OutboxRow): void;
  /**
   * Adds the row, or fills its `reply` in once. Throws StoreConflict for another digest or a
   * second, different reply.
   */
  putReplay(row: ReplayRow): void;
}

/**
 * A row with that identity is there already, or the change would rewrite what must not change.
 * Rolls back the work it came from.
 */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
}

/**
 * `for_good`: it is on the disk. `comes_again`: it outlives this process; a power cut may take it
 * until the next commit that is for good. That is for what promises nothing, and for what another
 * hub says again where it was lost.
 */
export type Durability = 'for_good' | 'comes_again';

export interface Store {
  readonly read: Reads;
  /**
   * Runs `work` in the next commit; resolves after it is durable, for good unless told otherwise. A
   * throw rolls back this work only.
   */
  write<T>(work: (tables: Tables) => T, durability?: Durability): Promise<T>;
  /**
   * Records within 50 ms without anyone waiting (messages that promise nothing). Failures are
   * counted and logged. `then` is called with what `work` returned once it can be read, and never
   * where it was dropped or refused: whoever tells of a row tells of one that can be read.
   */
  writeBehind<T>(work: (tables: Tables) => T, then?: (value: T) => void): void;
  /** Calls `tell` after each commit of this store, for as long as it is open. */
  onCommit(tell: () => void): void;
  /** Commits what is queued and closes. Idempotent. */
  close(): Promise<void>;
}
