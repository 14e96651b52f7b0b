// The work of this hub's agents, put together: the rooms of services from the ledger up, what each
// tells the others, and how they start and stop. Reads top to bottom; holds no rule of its own.
import { HUB_RESTARTED } from '../core/story-row.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { AppError } from '../lib/app-error.ts';
import type { Result } from '../lib/result.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { PeerRow, Store, Tables, TaskRow } from '../ports/store.ts';
import type { KeyHex, PartyKey } from '../ports/transport.ts';
import type { AttentionDto } from '../../preload/contract/attention.ts';
import type { TokenUseDto } from '../../preload/contract/dto.ts';
import { CAPABILITIES_TOPIC, PROGRESS_TOPIC, RECEIPT_TOPIC } from '../protocol/kinds.ts';
import { Admission } from '../services/admission/admission.ts';
import { AskingAgents, readCapabilities } from '../services/admission/asking-agents.ts';
import { CANCELLED_IDS_PER_PARTY_MAX } from '../services/admission/limits.ts';
import { IncomingCancels } from '../services/admission/incoming-cancels.ts';
import { IncomingDelegations } from '../services/admission/incoming-delegations.ts';
import { IncomingNotices } from '../services/admission/incoming-notices.ts';
import { IncomingQueries } from '../services/admission/incoming-queries.ts';
import { Permissions } from '../services/admission/permissions.ts';
import { QueryService } from '../services/admission/query-service.ts';
import { Turns } from '../services/admission/turns.ts';
import { RuleTrials } from '../services/admission/rule-trials.ts';
import { AgentRegistry } from '../services/agents/agent-registry.ts';
import { Capabilities } from '../services/agents/capabilities.ts';
import { Registrations } from '../services/agents/registrations.ts';
import { ApprovalViews } from '../services/approvals/approval-views.ts';
import { Approvals } from '../services/approvals/approvals.ts';
import { DeclinedWaiting } from '../services/approvals/declined-waiting.ts';
import { Holds } from '../services/approvals/holds.ts';
import { DoNotDisturb } from '../services/attention/do-not-disturb.ts';
import { Notifications } from '../services/attention/notifications.ts';
import type { EventBus } from '../services/base/event-bus.ts';
import type { PeerMessenger } from '../services/base/peer-messenger.ts';
import { AgentMessages } from '../services/history/agent-messages.ts';
import { AuditRequests } from '../services/history/audit-requests.ts';
import { ConversationExport } from '../services/history/conversation-export.ts';
import { ConversationRemoval } from '../services/history/conversation-removal.ts';
import { Conversations } from '../services/history/conversations.ts';
import { Feed } from '../services/history/feed.ts';
import { Search } from '../services/history/search.ts';
import { tokenUseOf } from '../services/history/token-use.ts';
import { Inspector } from '../services/history/inspector.ts';
import { SearchIndex } from '../services/history/search-index.ts';
import { Cancelling } from '../services/inbox/cancelling.ts';
import { Deliveries } from '../services/inbox/deliveries.ts';
import { DurableItems } from '../services/inbox/durable-items.ts';
import { EscalationNotices } from '../services/inbox/escalation-notices.ts';
import { Inbox } from '../services/inbox/inbox.ts';
import { Lifecycle } from '../services/inbox/lifecycle.ts';
import { NativeItems } from '../services/inbox/native-items.ts';
import { OpenQueries } from '../services/inbox/open-queries.ts';
import { Progress } from '../services/inbox/progress.ts';
import { stopEverything } from '../services/inbox/stop-everything.ts';
import type { PeerRates } from '../services/links/peer-rates.ts';
import { Candidates } from '../services/outgoing/candidates.ts';
import { IncomingResults } from '../services/outgoing/incoming-results.ts';
import { Outbox } from '../services/outgoing/outbox.ts';
import { OutgoingCancels } from '../services/outgoing/outgoing-cancels.ts';
import { OutgoingDelegations } from '../services/outgoing/outgoing-delegations.ts';
import { OutgoingQueries } from '../services/outgoing/outgoing-queries.ts';
import { ProgressReports } from '../services/outgoing/progress-reports.ts';
import { Recipients } from '../services/outgoing/recipients.ts';
import { NativeMessages } from '../services/outgoing/native-messages.ts';
import { Sender } from '../services/outgoing/sender.ts';
import { ToEverybody } from '../services/outgoing/to-everybody.ts';
import { Tasks } from '../services/outgoing/tasks.ts';
import { PageNotifier } from '../services/pages/page-notifier.ts';
import { workSnapshot, type WorkSnapshot } from '../services/pages/work-snapshot.ts';
import { remoteQuestionOf } from '../services/remote-approval/answers.ts';
import { RemoteApprovalGate } from '../services/remote-approval/gate.ts';
import { AdultRequests } from '../services/remote-approval/adult-requests.ts';
import { RemoteApprovalSettings } from '../services/remote-approval/settings.ts';
import { RuleBook } from '../services/rules/rule-book.ts';
import { RuleViews } from '../services/rules/rule-views.ts';
import { Rules } from '../services/rules/rules.ts';
import { AuditTrail, type Decider } from '../services/base/audit-trail.ts';
import { Deadlines } from '../services/tasks/deadlines.ts';
import { handOnWaitsAt, HandOffs, stopOf } from '../services/tasks/hand-offs.ts';
import { isPermission, mayBe } from '../services/tasks/task-moves.ts';
import { ESCALATE, HAND_OFF } from '../protocol/escalation.ts';
import { DelegationKeys } from '../services/tasks/delegation-keys.ts';
import { partyOfAgent, Parties } from '../services/tasks/parties.ts';
import { PERMISSION } from '../services/tasks/permission.ts';
import { ReplayGuard, RecentIds } from '../services/tasks/replay-guard.ts';
import { Stories } from '../services/tasks/stories.ts';
import { TaskEndings, type Ending } from '../services/tasks/task-endings.ts';
import { TaskEvents } from '../services/tasks/task-events.ts';
import { TaskTimeouts } from '../services/tasks/task-timeouts.ts';
import { TaskViews } from '../services/tasks/task-views.ts';
import { UnitOfWork, type After } from '../services/base/unit-of-work.ts';
import type { Gate } from '../services/tasks/verdict.ts';
import { isWaiting } from '../services/tasks/waiting.ts';

interface TaskServicesDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: EventBus;
  readonly messenger: PeerMessenger;
  readonly rates: PeerRates;
  /**
   * An agent id, a petname or "hub/agent" -> the paired hub. Throws peer_not_found with the known
   * names in its hint.
   */
  readonly resolvePeer: (to: string) => { readonly peer: PeerRow; readonly agent: string | null };
  /**
   * An agent id or a petname -> the hub, paired or suspended: for what a person sets. Throws as
   * resolvePeer.
   */
  readonly pinnedPeer: (id: string) => PeerRow;
  /**
   * Asks a peer for its capabilities and stores them. Never throws: an unreachable peer changes
   * nothing.
   */
  readonly refreshCapabilities: (peer: KeyHex) => Promise<Result<void, AppError>>;
  /** By whose clock quiet hours are. */
  readonly timeZone: () => string;
  /** How long requests wait for a person just now, ms. */
  readonly approvalWaitMs: () => number;
  /** How often two agents go back and forth by themselves. */
  readonly turnsMax: () => number;
  /** False while the audit log was tampered with: then no rule acts and everything is asked. */
  readonly rulesMayAct: () => boolean;
  readonly hubName: () => string;
  /** The host that what this agent is given goes to; null or absent: it is one of this computer. */
  readonly goesTo?: (agent: string) => string | null;
  /** null: not known yet. */
  readonly hubId?: () => string | null;
  /**
   * The name of the person at this hub, for the record of who decided; null when none was given.
   */
  readonly personName: () => string | null;
  /** Makes and stores a token for the agent; the only place its text ever is. */
  readonly mintAgentToken: (agent: string) => Promise<string>;
  /** Ends all tokens of the agent, and after the commit what they began. */
  readonly revokeAgentTokens: (tables: Tables, after: After, agent: string) => void;
}

export interface TaskServices {
  readonly agents: AgentRegistry;
  readonly registrations: Registrations;
  readonly approvals: Approvals;
  readonly rules: Rules;
  readonly remoteApproval: RemoteApprovalSettings;
  readonly doNotDisturb: DoNotDisturb;
  readonly stopEverything: (person: Decider) => Promise<AttentionDto>;
  readonly holds: Holds;
  readonly inbox: Inbox;
  readonly tasks: Tasks;
  /** Calls `changed` after each change of the task, until the returned function is called. */
  readonly followTask: (taskId: string, changed: () => void) => () => void;
  readonly sender: Sender;
  readonly nativeMessages: NativeMessages;
  readonly permissions: Permissions;
  readonly feed: Feed;
  readonly conversations: Conversations;
  readonly conversationExport: ConversationExport;
  readonly conversationRemoval: ConversationRemoval;
  readonly inspector: Inspector;
  readonly auditRequests: AuditRequests;
  readonly tokenUse: (party: PartyKey) => TokenUseDto;
  readonly agentMessages: AgentMessages;
  readonly search: Search;
  /** What a new page needs of this part. */
  snapshot(): WorkSnapshot;
  /** The answer to `discover`. */
  capabilitiesPayload(): JsonObject;
  /** The answer to `ping`. */
  pong(): JsonObject;
  /** A hub is suspended or removed: ends what is open with it inside that commit. */
  peerEnded(tables: Tables, after: After, key: PartyKey): void;
  /**
   * A hub is not known any more, because its pairing was not stood by: what is open with it ends.
   */
  peerGone(key: PartyKey): Promise<void>;
  /** Ends what waited in an older copy of the database. Before the start. */
  endRestored(by: Pick<Ending, 'by' | 'surface'>): Promise<void>;
  /**
   * Goes on where the run before ended; counting does so at once, the promise settles when that is
   * written down. Idempotent, never rejects.
   */
  start(): Promise<void>;
  /** Ends timers and waits; what is stored stays as it is. Idempotent. */
  stop(): Promise<void>;
}

/** @param moreGates asked after those of the house */
export function composeTaskServices(
  deps: TaskServicesDeps,
  moreGates: readonly Gate[] = [],
): TaskServices {
  const { store, events: pageEvents, messenger } = deps;

  // The ledger.
  const unit = new UnitOfWork(deps);
  const audit = new AuditTrail({ ...deps, unit });
  const parties = new Parties(deps);
  const deadlines = new Deadlines(deps, (taskId) => void keeper.due(taskId));
  const endings = new TaskEndings({ ...deps, deadlines, audit });
  const events = new TaskEvents(deps);
  const remoteGate = new RemoteApprovalGate();
  const stories = new Stories({
    ...deps,
    parties,
    awaySince: (agent) => agents.presence.awaySince(agent),
    handOnWaitsAt,
    adultsFor: (reads, task) =>
      isWaiting(task) && remoteGate.coversTask(reads, task) ? remoteGate.hubs(reads) : null,
  });
  const standing = (taskId: string): Partial<TaskRow> => queries.standing(taskId);
  const views = new TaskViews({ ...deps, parties, deadlines, stories, standing });
  const replays = new ReplayGuard({ ...deps, unit, audit });
  const recent = new RecentIds(deps);
  const idempotency = new DelegationKeys(deps);
  const cancelQuestion = (tables: Tables, after: After, question: TaskRow): unknown =>
    cancels.begin(tables, after, question, 'hub_restarted', HUB_RESTARTED);
  const keeper: TaskTimeouts = new TaskTimeouts({
    ...deps,
    unit,
    deadlines,
    endings,
    cancelQuestion,
  });

  // Who is here, what the household has settled, and when it wants to be asked.
  const agents: AgentRegistry = new AgentRegistry({
    ...deps,
    unit,
    audit,
    gate: remoteGate,
    hubNames: (reads) => parties.hubNames(reads),
  });
  const registrations = new Registrations({ ...deps, unit, agents, audit });
  const capabilities = new Capabilities({ ...deps, agents });
  const ruleViews = new RuleViews({ ...deps, parties, tasks: views });
  const ruleBook = new RuleBook({ ...deps, unit, audit, views: ruleViews });
  const doNotDisturb = new DoNotDisturb({
    ...deps,
    unit,
    audit,
    parties,
  });
  const { floods } = doNotDisturb;
  const notifications = new Notifications({ ...deps, parties, doNotDisturb });
  const turns = new Turns(deps);

  // What agents are given to do.
  const feed = new Feed({ ...deps, parties, unit });
  const deliveries = new Deliveries({ ...deps, parties, endings });
  const progress = new Progress({ ...deps, endings });
  const queries = new OpenQueries({ ...deps, deliveries, tasks: views, events });
  const items = new DurableItems({
    ...deps,
    unit,
    deliveries,
    endings,
    tasks: views,
    progress,
    events,
    feed,
    audit,
  });
  const lifecycle = new Lifecycle({ ...deps, memory: queries, durable: items });
  const natives = new NativeItems(deps);
  const inbox = new Inbox({
    ...deps,
    agents,
    deliveries,
    lifecycle,
    queries,
    progress,
    natives,
    views,
  });
  const handOffs: HandOffs = new HandOffs({
    ...deps,
    parties,
    endings,
    events,
    tell: (task, handedOnTo) => progress.tell(task, { state: 'running', handedOnTo }),
    tellWanted: (task, wantsToHandOnTo) =>
      progress.tell(task, { state: 'running', wantsToHandOnTo }),
    cancelHere: (tables, after, task, stop) =>
      void cancelling.cancel(tables, after, task, { ...stop, origin: null }),
    cancelThere: (tables, after, task, { reason, asks }) =>
      void cancels.begin(tables, after, task, 'hung_up', reason, { stop: stopOf(asks) }),
  });
  const escalations = new EscalationNotices({ ...deps, parties, deliveries });
  endings.onEnding((tables, after, ended) => {
    if (ended.before.handedOnTo !== null || mayBe(HAND_OFF, ended.task))
      handOffs.ended(tables, after, ended);
    if (mayBe(ESCALATE, ended.task)) escalations.ended(tables, after, ended);
  });
  const cancelling = new Cancelling({
    ...deps,
    deliveries,
    endings,
    queries,
    handOffs,
    audit,
    remoteQuestionOf,
  });

  // What people decide.
  const approvalViews: ApprovalViews = new ApprovalViews({
    ...deps,
    parties,
    tasks: views,
    remoteQuestionOf,
    decidingHubs: (row, task) => questions.decidingHubs(row, task),
    reached: (agent) => agents.reached(agent),
    turnsBefore: (task) => turns.askedAbout(task),
  });
  const decided = {
    ...deps,
    unit,
    audit,
    events,
    deadlines,
    gate: remoteGate,
    views: approvalViews,
  };
  const holds = new Holds({ ...decided, doNotDisturb, progress, notifications });
  const declinedWaiting = new DeclinedWaiting({ ...decided, endings, rules: ruleBook });
  const approvals = new Approvals({
    ...decided,
    declinedWaiting,
    endings,
    deliveries,
    queries,
    progress,
    rules: ruleBook,
    remoteQuestionOf,
    permissionOf: (task) => (isPermission(task) ? PERMISSION : null),
    floods,
    goOn: (task) => turns.goOn(task),
  });

  // What our agents send.
  const outbox = new Outbox({
    ...deps,
    unit,
    endings,
    events,
    onExpired: (tables, after, row) => {
      if (tables.peer(row.party)?.trust !== 'paired') return;
      feed.notice(
        tables,
        after,
        'axon.outbox',
        'high',
        `A result for ${parties.nameOf(row.party)} could not be delivered within a day.`,
      );
    },
    onCancelSettled: (tables, after, row, outcome) => cancels.settled(tables, after, row, outcome),
  });
  const cancels: OutgoingCancels = new OutgoingCancels({
    ...deps,
    unit,
    outbox,
    endings,
    deadlines,
    events,
  });
  const delegations = new OutgoingDelegations({
    ...deps,
    unit,
    deadlines,
    endings,
    events,
    audit,
    idempotency,
    cancels,
    parties,
    handOffs,
  });
  const outgoingQueries: OutgoingQueries = new OutgoingQueries({ ...deps, unit, cancels, events });
  const candidates = new Candidates({ ...deps, parties, agents });
  const recipients = new Recipients({ ...deps, parties, agents, candidates });
  const results = new IncomingResults({ ...deps, unit, endings, cancels, audit });
  const reports = new ProgressReports({
    ...deps,
    unit,
    endings,
    deliveries,
    queries: outgoingQueries,
    events,
  });

  // Adults' hubs.
  const questions: AdultRequests = new AdultRequests({
    ...decided,
    doNotDisturb,
    ask: (hub, payload, deadlineMs, onSend) => delegations.ask(hub, payload, deadlineMs, onSend),
    cancel: (tables, after, question, reason) =>
      void cancels.begin(tables, after, question, 'cancelled', reason),
    approvals,
    endings,
  });
  const remoteApproval = new RemoteApprovalSettings({
    ...deps,
    unit,
    audit,
    gate: remoteGate,
    holds,
    questions,
  });

  // How a request becomes allow, ask, hold or decline.
  const gates: readonly Gate[] = [ruleBook, remoteGate, turns, doNotDisturb, ...moreGates];
  const admission = new Admission({
    ...deps,
    agents,
    parties,
    deadlines,
    deliveries,
    events,
    notifications,
    audit,
    rules: ruleBook,
    doNotDisturb,
    gates,
    askElsewhere: () => questions.look(),
    turns,
    holds,
    handOffs,
    escalations,
  });
  const trials = new RuleTrials({ ...deps, admission, parties, tasks: views });
  const rules = new Rules({
    ...deps,
    unit,
    book: ruleBook,
    views: ruleViews,
    assess: (reads, request) => admission.assess(reads, request),
    trialsOf: (rule) => trials.of(rule),
    followRule: (tables, after, rule) => declinedWaiting.follow(tables, after, rule),
    isStopped: (reads) => doNotDisturb.isStopped(reads),
    isForAdults: (reads, riskClass) => remoteGate.covers(reads, riskClass),
  });
  const askers = new AskingAgents(deps);
  const cancelled = new RecentIds(deps, CANCELLED_IDS_PER_PARTY_MAX);
  const queryService = new QueryService({
    ...deps,
    unit,
    events,
    admission,
    deliveries,
    queries,
    endings,
    progress,
  });
  const permissions = new Permissions({ ...deps, queryService, gate: remoteGate });
  const notices = new IncomingNotices({
    ...deps,
    unit,
    agents,
    parties,
    deliveries,
    feed,
    askers,
    recent,
    audit,
    doNotDisturb,
    turns,
  });
  const incoming = {
    ...deps,
    admission,
    replays,
    askers,
    recent,
    cancelled,
    cancelling,
    events,
    audit,
    queryService,
    queries,
    floods,
  };
  const incomingDelegations = new IncomingDelegations(incoming);
  const incomingQueries = new IncomingQueries(incoming);
  const incomingCancels = new IncomingCancels({ ...incoming, questions: incomingQueries });

  // What clients see.
  const tasks = new Tasks({ ...deps, unit, views, endings, cancels, cancelling, events });
  const conversations = new Conversations({ ...deps, parties, tasks: views });
  const conversationExport = new ConversationExport({ ...deps, parties, conversations });
  const conversationRemoval = new ConversationRemoval({ ...deps, unit, audit, events: pageEvents });
  const auditRequests = new AuditRequests({ ...deps, tasks: views });
  const inspector = new Inspector({ ...deps, parties, tasks: views, approvals });
  const agentMessages = new AgentMessages({ ...deps, natives, items, parties });
  const search = new Search({ ...deps, parties, conversations, tasks: views });
  const searchIndex = new SearchIndex(deps);
  const sender = new Sender({
    ...deps,
    unit,
    parties,
    recipients,
    delegations,
    queries: outgoingQueries,
    notices,
    queryService,
    admission,
    idempotency,
    turns,
    views,
  });
  const everybody = new ToEverybody({ ...deps, unit, deliveries, parties, recipients });
  endings.onEnding((tables, after, ended) => {
    if (ended.task.kind === 'query') everybody.questionEnded(tables, after, ended);
  });
  const nativeMessages = new NativeMessages({
    ...deps,
    everybody,
    capabilities,
    agents,
    inbox,
    natives,
    recipients,
    sender,
    tasks,
  });
  const pages = new PageNotifier({ ...deps, events: pageEvents, agents, approvalViews });

  // Who is told of what.
  events.onChanged((change) => pages.taskChanged(change));
  endings.onEnding((_, after, { task }) => {
    const { toAgent } = task;
    if (toAgent !== null && task.direction !== 'outgoing') after(() => inbox.taskEnded(toAgent));
    after(() => events.changed(task.id));
  });
  keeper.onResume((tables, after) => outbox.resume(tables, after));
  keeper.onResume((tables, after) => cancels.start(tables, after));
  keeper.onResume((tables, after) => handOffs.resume(tables, after));
  agents.onReturning((tables, after, before, name) =>
    ruleBook.agentReturned(tables, after, before, name),
  );
  agents.onRemoving((tables, after, name) => {
    deps.revokeAgentTokens(tables, after, name);
    after(() => capabilities.announce());
    ruleBook.agentRemoved(tables, after, name);
    keeper.agentRemoved(tables, after, name);
    cancels.agentRemoved(tables, after, name);
    registrations.declineUnfetched(tables, name);
    deliveries.agentRemoved(tables, name);
    feed.partyEnded(tables, after, partyOfAgent(name));
    after(() =>
      queries.failAllOf(
        name,
        new AppError('unhandled', 'The agent that was asked was removed from its hub.'),
      ),
    );
  });
  const partyEnded = (tables: Tables, after: After, key: PartyKey): void => {
    ruleBook.partyEnded(tables, after, key);
    keeper.partyEnded(tables, after, key);
    outbox.partyEnded(tables, after, key);
    doNotDisturb.partyEnded(tables, after, key);
    feed.partyEnded(tables, after, key);
  };
  notices.onHubTopic(RECEIPT_TOPIC, ({ peer, envelope }) =>
    envelope.ref === null ? undefined : outbox.received(peer.key, envelope.ref),
  );
  notices.onHubTopic(CAPABILITIES_TOPIC, async ({ peer }, { data }) => {
    const rev = isJsonObject(data) ? data.rev : undefined;
    if (typeof rev !== 'string' || readCapabilities(store.read.peer(peer.key))?.rev !== rev)
      await askers.refresh(peer.key);
  });
  agents.onWritten(() => capabilities.announce());
  notices.onHubTopic(PROGRESS_TOPIC, (message, payload) => reports.handle(message, payload));
  messenger.onRequest('delegate', (message) => incomingDelegations.handle(message));
  messenger.onRequest('query', (message) => incomingQueries.handle(message));
  messenger.onRequest('cancel', (message) => incomingCancels.handle(message));
  messenger.onMessage('result', (message) => results.handle(message));
  messenger.onMessage('error', (message) => results.handle(message));
  messenger.onMessage('notify', (message) => notices.handle(message));

  let running = false;
  return {
    agents,
    registrations,
    approvals,
    rules,
    remoteApproval,
    doNotDisturb,
    stopEverything: (person) =>
      stopEverything({ ...deps, unit, doNotDisturb, cancelling, queries, events }, person),
    holds,
    inbox,
    tasks,
    followTask: (taskId, changed) => events.follow(taskId, changed),
    sender,
    nativeMessages,
    permissions,
    feed,
    conversations,
    conversationExport,
    conversationRemoval,
    inspector,
    auditRequests,
    tokenUse: (party) => tokenUseOf(deps, party),
    agentMessages,
    search,
    snapshot: () =>
      workSnapshot({ agents, parties, registrations, approvals, rules, feed, doNotDisturb }),
    capabilitiesPayload: () => capabilities.payload(),
    pong: () => capabilities.pong(),
    peerEnded: partyEnded,
    peerGone: (key) => unit.run((tables, after) => partyEnded(tables, after, key)),
    endRestored: (by) => keeper.endRestored(by),
    async start() {
      if (running) return;
      running = true;
      questions.start();
      capabilities.start();
      const written = [keeper.start(), ruleBook.start()];
      inbox.start();
      registrations.start();
      searchIndex.start();
      outbox.start();
      delegations.start();
      await Promise.all([...written, holds.start()]);
      questions.look();
    },
    async stop() {
      if (!running) return;
      running = false;
      questions.stop();
      searchIndex.stop();
      delegations.stop();
      everybody.stop();
      ruleBook.stop();
      holds.stop();
      doNotDisturb.stop();
      outbox.stop();
      cancels.stop();
      registrations.stop();
      inbox.stop();
      agents.presence.stop();
      await keeper.stop();
    },
  };
}
