// The work of this hub's agents as one part: builds its services over the ports they are given, binds them to the peers' messages, and starts
// and stops them in order. Holds no rule of its own.
import { APPROVALS_WAIT_MINUTES_DEFAULT } from '../../../preload/contract/limits.ts';
import type { ApprovalDto, UiSnapshot } from '../../../preload/contract/dto.ts';
import { ownTimeZone } from '../../core/quiet-hours.ts';
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { PartyKey, Tables, TaskRow } from '../../ports/store.ts';
import { DoNotDisturb } from '../attention/do-not-disturb.ts';
import { Holds } from '../attention/holds.ts';
import { auditRowDto } from '../audit/audit-rows.ts';
import { remoteQuestionOf } from '../remote-approval/answers.ts';
import { RemoteApprovalGate } from '../remote-approval/gate.ts';
import { Questions } from '../remote-approval/questions.ts';
import { RemoteApprovalSettings } from '../remote-approval/settings.ts';
import { RuleBook } from '../rules/rule-book.ts';
import { RuleTrials } from '../rules/rule-trials.ts';
import { RuleViews } from '../rules/rule-views.ts';
import { Rules } from '../rules/rules.ts';
import { AgentRegistry, type Actor } from './agent-registry.ts';
import { Approvals } from './approvals.ts';
import { ApprovalViews } from './approval-views.ts';
import { AskingAgents } from './asking-agents.ts';
import { AuditTrail } from './audit-trail.ts';
import { CancelledIds } from './cancelled-ids.ts';
import { Cancelling } from './cancelling.ts';
import { Capabilities } from './capabilities.ts';
import { Conversations } from './conversations.ts';
import { Deadlines } from './deadlines.ts';
import { Deliveries } from './deliveries.ts';
import { DurableItems } from './durable-items.ts';
import { Feed } from './feed.ts';
import { Handover } from './handover.ts';
import { Idempotency } from './idempotency.ts';
import { Inbox } from './inbox.ts';
import { IncomingCancels } from './incoming-cancels.ts';
import { IncomingDelegations } from './incoming-delegations.ts';
import { IncomingNotices, type HubTopicHandler } from './incoming-notices.ts';
import { IncomingQueries } from './incoming-queries.ts';
import { IncomingResults, RECEIPT_TOPIC } from './incoming-results.ts';
import { Intake } from './intake.ts';
import { KeepingOpen } from './keeping-open.ts';
import { OnceOnly } from './once-only.ts';
import { OpenQueries } from './open-queries.ts';
import { Outbox } from './outbox.ts';
import { OutgoingCancels } from './outgoing-cancels.ts';
import { OutgoingDelegations } from './outgoing-delegations.ts';
import { OutgoingQueries } from './outgoing-queries.ts';
import { pageOf, type Page } from './pages.ts';
import { Parties } from './parties.ts';
import { Progress, PROGRESS_TOPIC } from './progress.ts';
import { ProgressReports } from './progress-reports.ts';
import { QueryDesk } from './query-desk.ts';
import { RecentMessages } from './recent-messages.ts';
import { Recipients } from './recipients.ts';
import { Registrations } from './registrations.ts';
import { Sender } from './sender.ts';
import { TaskEndings, type Ending } from './task-endings.ts';
import { TaskKeeper } from './task-keeper.ts';
import { Tasks } from './tasks.ts';
import { TaskViews } from './task-views.ts';
import { UnitOfWork, type After } from './unit-of-work.ts';
import type { WorkDeps } from './work-deps.ts';
import { WorkEvents } from './work-events.ts';

/** Cards that a new page shows as decided: the newest that people decided, and as many that rules did. */
const RECENTLY_DECIDED_MAX = 20;
/** Feed items that a new page starts with. */
const SNAPSHOT_FEED_MAX = 50;

export class Work {
  readonly agents: AgentRegistry;
  readonly registrations: Registrations;
  readonly approvals: Approvals;
  readonly keepingOpen: KeepingOpen;
  readonly rules: Rules;
  readonly remoteApproval: RemoteApprovalSettings;
  readonly doNotDisturb: DoNotDisturb;
  readonly holds: Holds;
  readonly inbox: Inbox;
  readonly tasks: Tasks;
  readonly sender: Sender;
  readonly feed: Feed;
  readonly conversations: Conversations;
  readonly #deps: WorkDeps;
  readonly #unit: UnitOfWork;
  readonly #capabilities: Capabilities;
  readonly #keeper: TaskKeeper;
  readonly #outbox: Outbox;
  readonly #cancels: OutgoingCancels;
  readonly #delegations: OutgoingDelegations;
  readonly #notices: IncomingNotices;
  readonly #queries: OpenQueries;
  readonly #book: RuleBook;
  readonly #questions: Questions;
  #running = false;

  constructor(deps: WorkDeps) {
    this.#deps = deps;
    const unit = new UnitOfWork(deps);
    const audit = new AuditTrail({ ...deps, unit });
    const parties = new Parties(deps);
    const gate = new RemoteApprovalGate();
    const agents = new AgentRegistry({ ...deps, unit, audit, gate });
    const deadlines = new Deadlines(deps, (taskId) => void this.#keeper.due(taskId));
    const views = new TaskViews({ ...deps, parties, deadlines });
    const approvalWaitMs = deps.approvalWaitMs ?? (() => APPROVALS_WAIT_MINUTES_DEFAULT * 60_000);
    const approvalViews = new ApprovalViews({
      ...deps,
      parties,
      tasks: views,
      approvalWaitMs,
      remoteQuestionOf,
      decidingHubs: (row, task) => this.#questions.decidingHubs(row, task),
    });
    const doNotDisturb = new DoNotDisturb({ ...deps, unit, audit, parties, timeZone: deps.timeZone ?? ownTimeZone });
    const { floods } = doNotDisturb;
    const events = new WorkEvents({ ...deps, parties, agents, approvals: approvalViews, doNotDisturb });
    const progress = new Progress(deps);
    const holds = new Holds({
      ...deps,
      unit,
      doNotDisturb,
      progress,
      events,
      audit,
      gate,
      views: approvalViews,
      deadlines,
      approvalWaitMs,
    });
    const feed = new Feed({ ...deps, parties, unit });
    const deliveries = new Deliveries({ ...deps, parties });
    const outbox = new Outbox({
      ...deps,
      unit,
      onExpired: (tables, after, row) => {
        if (tables.peer(row.party)?.trust !== 'paired') return;
        feed.notice(tables, after, 'axon.outbox', 'high', `A result for ${parties.nameOf(row.party)} could not be delivered within a day.`);
      },
      onCancelSettled: (tables, after, row, outcome) => cancels.settled(tables, after, row, outcome),
    });
    const endings = new TaskEndings({ ...deps, deadlines, deliveries, outbox, audit });
    const handover = new Handover({ deliveries, parties });
    const queries = new OpenQueries({ ...deps, handover, tasks: views });
    const ruleViews = new RuleViews({ ...deps, parties, tasks: views });
    const rules = new RuleBook({ ...deps, unit, audit, views: ruleViews });
    const intake = new Intake({
      ...deps,
      agents,
      parties,
      deadlines,
      handover,
      events,
      audit,
      rules,
      doNotDisturb,
      holds,
      gate,
      approvalWaitMs,
    });
    const askers = new AskingAgents(deps);
    const recent = new RecentMessages(deps);
    const cancelled = new CancelledIds(deps);
    const once = new OnceOnly({ ...deps, unit, audit });
    const cancelling = new Cancelling({ ...deps, deliveries, endings });
    const desk = new QueryDesk({ ...deps, unit, parties, intake, handover, queries, endings, progress });
    const idempotency = new Idempotency(deps);
    const notices = new IncomingNotices({ ...deps, unit, agents, parties, deliveries, feed, askers, recent, audit, doNotDisturb });
    const items = new DurableItems({ ...deps, unit, deliveries, handover, endings, tasks: views, progress, events, feed, audit });
    const cancels: OutgoingCancels = new OutgoingCancels({ ...deps, unit, outbox, endings, deadlines, events });
    const delegations = new OutgoingDelegations({ ...deps, unit, deadlines, endings, events, audit, idempotency, cancels });
    const recipients = new Recipients({ ...deps, agents });
    const outgoingQueries = new OutgoingQueries({ ...deps, unit, cancels });
    this.#unit = unit;
    const isAsked = ({ id, direction, party, messageId }: TaskRow): boolean =>
      direction === 'outgoing' ? outgoingQueries.isOpen(party, messageId) : queries.isOpen(id);
    this.#keeper = new TaskKeeper({ ...deps, unit, deadlines, endings, rules, cancels, isAsked });
    this.#outbox = outbox;
    this.#cancels = cancels;
    this.#delegations = delegations;
    this.#notices = notices;
    this.#queries = queries;
    this.#book = rules;
    this.doNotDisturb = doNotDisturb;
    this.holds = holds;
    const trials = new RuleTrials({ ...deps, intake, parties, tasks: views });
    this.rules = new Rules({ ...deps, unit, book: rules, views: ruleViews, intake, trials, gate });
    this.#capabilities = new Capabilities({ ...deps, agents });
    this.agents = agents;
    this.feed = feed;
    this.registrations = new Registrations({ ...deps, unit, agents, audit });
    this.approvals = new Approvals({
      ...deps,
      unit,
      views: approvalViews,
      deadlines,
      endings,
      handover,
      queries,
      progress,
      events,
      audit,
      rules,
      gate,
      remoteQuestionOf,
      floods,
    });
    this.keepingOpen = new KeepingOpen({ ...deps, unit, views: approvalViews, deadlines, events, audit, gate, approvalWaitMs });
    const { approvals } = this;
    this.#questions = new Questions({
      ...deps,
      unit,
      gate,
      doNotDisturb,
      delegations,
      cancels,
      approvals,
      deadlines,
      endings,
      events,
      audit,
    });
    this.remoteApproval = new RemoteApprovalSettings({ ...deps, unit, audit, gate, holds, questions: this.#questions });
    this.inbox = new Inbox({ ...deps, agents, deliveries, items, queries, progress });
    this.tasks = new Tasks({ ...deps, unit, views, endings, cancels, cancelling, events });
    this.sender = new Sender({
      ...deps,
      unit,
      parties,
      recipients,
      delegations,
      queries: outgoingQueries,
      notices,
      desk,
      intake,
      idempotency,
    });
    this.conversations = new Conversations({ ...deps, parties, tasks: views });
    endings.onEnded((task) => {
      events.taskChanged(task.id);
      if (task.toAgent !== null && task.direction !== 'outgoing') this.inbox.taskEnded(task.toAgent);
    });
    const results = new IncomingResults({ ...deps, unit, endings, cancels, audit });
    const incoming = { ...deps, intake, once, askers, recent, cancelled, cancelling, events, audit, desk, floods };
    const questions = new IncomingQueries(incoming);
    this.#bind(new IncomingDelegations(incoming), questions, new IncomingCancels({ ...incoming, questions }), results);
    const reports = new ProgressReports({ ...deps, unit, queries: outgoingQueries });
    notices.onHubTopic(RECEIPT_TOPIC, ({ peer, envelope }) =>
      envelope.ref === null ? undefined : outbox.received(peer.key, envelope.ref),
    );
    notices.onHubTopic(PROGRESS_TOPIC, (message, payload) => reports.handle(message, payload));
  }

  /** Goes on where the run before ended; counting does so at once, the promise settles when that is written down. Idempotent, never rejects. */
  async start(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    this.#questions.start();
    const kept = this.#keeper.start();
    const ruled = this.#book.start();
    this.inbox.start();
    this.registrations.start();
    this.#outbox.start();
    this.#delegations.start();
    const looked = this.holds.start();
    await kept;
    await ruled;
    await looked;
    this.#questions.look();
  }

  /** Ends timers and waits; what is stored stays as it is. Idempotent. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#questions.stop();
    this.#delegations.stop();
    this.#book.stop();
    this.holds.stop();
    this.doNotDisturb.stop();
    this.#outbox.stop();
    this.#cancels.stop();
    this.registrations.stop();
    this.inbox.stop();
    this.agents.stop();
    await this.#keeper.stop();
  }

  /** Ends what waited in an older copy of the database. Before the start. */
  endRestored(by: Pick<Ending, 'by' | 'surface'>): Promise<void> {
    return this.#keeper.endRestored(by);
  }

  /** The answer to `discover`. */
  capabilitiesPayload(): JsonObject {
    return this.#capabilities.payload();
  }

  /** The answer to `ping`. */
  pong(): JsonObject {
    return this.#capabilities.pong();
  }

  /** Who handles a topic of the hubs' own (`axon.` ...), which never reaches the feed. */
  onHubTopic(topic: string, handler: HubTopicHandler): void {
    this.#notices.onHubTopic(topic, handler);
  }

  /** A hub is suspended or removed: ends what is open with it inside that commit. What is returned is to be called after it. */
  peerEnded(tables: Tables, key: PartyKey): () => void {
    return this.#unit.inside(tables, (_, after) => this.#partyEnded(tables, after, key));
  }

  /** A hub is not known any more, because its pairing was not stood by: what is open with it ends. */
  peerGone(key: PartyKey): Promise<void> {
    return this.#unit.run((tables, after) => this.#partyEnded(tables, after, key));
  }

  #partyEnded(tables: Tables, after: After, key: PartyKey): void {
    this.#keeper.partyEnded(tables, after, key);
    this.doNotDisturb.partyEnded(tables, after, key);
  }

  /**
   * Takes an agent away in one commit: its tokens and all that was meant for it. Where it stays, its program goes on as before.
   * @throws AppError not_found, blocked
   */
  async removeAgent(name: string, actor: Actor): Promise<void> {
    await this.#unit.run((tables, after) => {
      this.agents.checkRemovable(tables, name);
      after(this.#deps.revokeAgentTokens(tables, name));
      this.#keeper.agentRemoved(tables, after, name);
      this.registrations.agentRemoved(tables, name);
      this.agents.remove(tables, after, name, actor);
      after(() => this.#queries.failAllOf(name, new AppError('unhandled', 'The agent that was asked was removed from its hub.')));
    });
  }

  /** What a new page needs of this part. */
  snapshot(): Pick<
    UiSnapshot,
    'agents' | 'registrations' | 'approvals' | 'recently_decided' | 'rules' | 'feed' | 'feed_unread' | 'attention'
  > {
    return {
      agents: this.agents.list(),
      registrations: this.registrations.pending(),
      approvals: this.approvals.pending(),
      recently_decided: [...this.#lately('people'), ...this.#lately('rules')],
      rules: this.rules.current(),
      feed: this.feed.list({ limit: SNAPSHOT_FEED_MAX }).items,
      feed_unread: this.feed.unreadCount(),
      attention: this.doNotDisturb.dto(),
    };
  }

  /** Each its own list: however much the rules decide, what people decided stays in sight. */
  #lately(by: 'people' | 'rules'): readonly ApprovalDto[] {
    return this.approvals.decided({ limit: RECENTLY_DECIDED_MAX }, by).items;
  }

  audit(page: Page) {
    return pageOf(page, (rows) => this.#deps.store.read.audit(rows), auditRowDto);
  }

  #bind(delegations: IncomingDelegations, queries: IncomingQueries, cancels: IncomingCancels, results: IncomingResults): void {
    const { messenger } = this.#deps;
    messenger.onRequest('delegate', (message) => delegations.handle(message));
    messenger.onRequest('query', (message) => queries.handle(message));
    messenger.onRequest('cancel', (message) => cancels.handle(message));
    messenger.onMessage('result', (message) => results.handle(message));
    messenger.onMessage('error', (message) => results.handle(message));
    messenger.onMessage('notify', (message) => this.#notices.handle(message));
  }
}
