// What must hold of all hubs together, checked after every commit and at every answer, and of
// everything once quiet has come (PROTOCOL.md, Delegation states). It sees committed rows and what
// programs and people were told; it changes nothing.
import { isTerminal, type TaskState } from '../../main/core/task-state.ts';
import type { ApprovalRow, DeliveryRow, TaskRow } from '../../main/ports/store.ts';
import type { PartyKey } from '../../main/ports/transport.ts';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import type { Change } from './sim-disk.ts';
import type { SimHub } from './sim-hub.ts';
import type { World } from './world.ts';
import { verifyAudit } from '../support/verify-audit.ts';

const NEVER_RUN: readonly string[] = ['declined', 'expired', 'cancelled'];
const TIMERS_MAX = 600;
/** Clocks set by more than this, all in all, may cut the day short that a result has to arrive. */
const LATE_AFTER_MS = 20 * 3_600_000;
/** No agent here asks for longer than 20 seconds; what is beyond is the time that things take. */
const LEASE_MAX_MS = 40_000;
/** A clock that was set back makes a lease of the run before as long as the longest there is. */
const LEASE_AFTER_CLOCK_MAX_MS = 640_000;
const PENDING_MAX = 50;
const PENDING_PER_PARTY_MAX = 5;

/** What somebody was told, which has to be true for ever after. */
interface Promised {
  readonly what: string;
  readonly holds: () => boolean;
}

export interface Counts {
  asked: number;
  accepted: number;
  allowed: number;
  executed: number;
  completed: number;
  results: number;
  cancelled: number;
  queries: number;
}

export class Ledger {
  readonly counts: Counts = {
    asked: 0,
    accepted: 0,
    allowed: 0,
    executed: 0,
    completed: 0,
    results: 0,
    cancelled: 0,
    queries: 0,
  };
  /** The clocks were set so wrongly that reports may come too late. */
  isLate = false;
  readonly #world: World;
  readonly #hubs = new Map<string, SimHub>();
  /** The texts that agents asked to be done, and whose hub took them in. */
  readonly #asked = new Map<string, { takenBy: string | undefined }>();
  /** The state of every task, hub by hub, as the commits told it. */
  readonly #states = new Map<string, Map<string, TaskState>>();
  readonly #accepted = new Set<string>();
  /**
   * Called off before it was known whether the other hub has it: there it may have been begun by
   * then.
   */
  readonly #cancelCause = new Set<string>();
  readonly #allowed = new Set<string>();
  readonly #decided = new Set<string>();
  readonly #handed = new Map<string, string>();
  readonly #results = new Map<string, string>();
  /** Items that an agent took for good, by hub. */
  readonly #taken = new Set<string>();
  readonly #executed = new Set<string>();
  readonly #promised: Promised[] = [];
  readonly #clocksSet = new Map<string, number>();
  readonly #heldSinceMs = new Map<string, number>();
  readonly #newestAudit = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  watch(hub: SimHub): void {
    this.#hubs.set(hub.key, hub);
  }

  asked(text: string): void {
    this.counts.asked += 1;
    this.#asked.set(text, { takenBy: undefined });
  }

  promised(what: string, holds: () => boolean): void {
    if (!holds()) this.#world.found(`was told what is not so: ${what}`);
    this.#promised.push({ what, holds });
  }

  /** A person says yes to exactly this. */
  allows(approvalId: string): void {
    this.#allowed.add(approvalId);
  }

  /** Of all that were told "decided", one. */
  decided(hub: SimHub, approvalId: string, state: string): void {
    if (this.#decided.has(approvalId))
      this.#world.found(`${hub.name}: the approval ${approvalId} was decided twice`);
    this.#decided.add(approvalId);
    if (state === 'approved') this.counts.allowed += 1;
    this.promised(
      `${hub.name}: approval ${approvalId} is ${state}`,
      () => hub.reads.approval(approvalId)?.state === state,
    );
  }

  /** An agent holds this now. */
  handed(hub: SimHub, item: DeliveryDto): void {
    if (
      item.kind === 'delegate' &&
      item.task_id !== null &&
      this.#handed.get(`${hub.name} ${item.task_id}`) !== item.delivery_id
    ) {
      this.#world.found(`${hub.name}: task ${item.task_id} was handed out under another id`);
    }
  }

  acked(item: DeliveryDto): void {
    if (item.kind === 'result') this.counts.results += 1;
  }

  /** An agent that follows the rules begins the work, after its ack. */
  executes(hub: SimHub, item: DeliveryDto): void {
    this.counts.executed += 1;
    const { text } = item.untrusted;
    const task = hub.reads.task(item.task_id ?? '');
    if (task === undefined || text === null)
      return this.#world.found(`${hub.name} runs what is not there: ${item.task_id}`);
    if (!this.#asked.has(text))
      this.#world.found(`${hub.name} runs what nobody asked for: "${text}"`);
    if (this.#executed.has(text) && !this.isLate)
      this.#world.found(`${hub.name} runs "${text}" for the second time`);
    this.#executed.add(text);
    const approval = hub.reads.approvalOfTask(task.id);
    if (approval?.state !== 'approved' || !this.#allowed.has(approval.id))
      this.#world.found(`${hub.name} runs "${text}", which nobody allowed`);
    if (textOf(task) !== text)
      this.#world.found(`${hub.name} runs "${text}" instead of "${textOf(task)}"`);
    const asking = this.#atAsker(hub, task);
    if (asking !== undefined && NEVER_RUN.includes(asking.state)) {
      this.#world.found(`${hub.name} runs "${text}" after its asker was told: ${asking.state}`);
    }
  }

  committed(hub: SimHub, changes: readonly Change[]): void {
    for (const change of changes) this.#judge(hub, change);
  }

  /**
   * Somebody set a computer's clock. Days make deadlines and the outbox end early, and reports too
   * late.
   */
  clockSet(hub: SimHub, byMs: number): void {
    const setMs = (this.#clocksSet.get(hub.name) ?? 0) + Math.abs(byMs);
    this.#clocksSet.set(hub.name, setMs);
    if (setMs > LATE_AFTER_MS) this.isLate = true;
  }

  /** The hub at this address has answered this very message. */
  hasTaken(host: string, raw: string): boolean {
    const { id, from, to } = this.#endsOf(host, raw);
    return (
      id !== undefined &&
      to !== undefined &&
      from !== undefined &&
      to.reads.replay(from.key, id) !== undefined
    );
  }

  /**
   * What was refused for now and given up by its asker has no stream any more on which a line could
   * bring it again.
   */
  isGivenUp(host: string, raw: string): boolean {
    const { id, from, to } = this.#endsOf(host, raw);
    const asked =
      id === undefined || to === undefined
        ? undefined
        : from?.reads.taskByMessage('outgoing', to.key, id);
    return asked !== undefined && isTerminal(asked.state) && !this.hasTaken(host, raw);
  }

  #endsOf(
    host: string,
    raw: string,
  ): {
    readonly id?: string;
    readonly from?: SimHub | undefined;
    readonly to?: SimHub | undefined;
  } {
    const envelope: unknown = JSON.parse(raw);
    if (typeof envelope !== 'object' || envelope === null) return {};
    const [id, sender]: unknown[] = [Reflect.get(envelope, 'id'), Reflect.get(envelope, 'from')];
    const [to, from] = [host, sender].map((name) =>
      [...this.#hubs.values()].find((hub) => hub.host === name || hub.agentId === name),
    );
    return typeof id === 'string' ? { id, from, to } : {};
  }

  /** What is bounded stays within its bounds; asked now and then. */
  sample(): void {
    for (const hub of this.#hubs.values()) {
      if (hub.timers > TIMERS_MAX) this.#world.found(`${hub.name} has ${hub.timers} timers`);
      const waiting = hub.reads.pendingApprovals();
      if (waiting.length > PENDING_MAX)
        this.#world.found(`${waiting.length} requests wait at ${hub.name}`);
      for (const party of this.#hubs.keys()) {
        const ofParty = waiting.filter((row) => isOf(hub.reads.task(row.taskId), party)).length;
        if (ofParty > PENDING_PER_PARTY_MAX)
          this.#world.found(`${ofParty} requests of one hub wait at ${hub.name}`);
      }
      const leaseMaxMs = this.#clocksSet.has(hub.name) ? LEASE_AFTER_CLOCK_MAX_MS : LEASE_MAX_MS;
      for (const item of hub.reads.expiredLeases(Number.MAX_SAFE_INTEGER)) {
        const heldSinceMs = Math.max(this.#heldSinceMs.get(item.deliveryId) ?? 0, hub.upSinceMs);
        if (hub.isUp && !hub.disk.hasFailed && this.#world.nowMs - heldSinceMs > leaseMaxMs)
          this.#world.found(`${hub.name}: the lease of ${item.kind} ${item.deliveryId} never ends`);
      }
    }
  }

  /** The newest record never goes. */
  checkAudit(hub: SimHub): void {
    const newest = hub.reads.audit({ limit: 1 })[0]?.seq ?? 0;
    if (newest < (this.#newestAudit.get(hub.name) ?? 0))
      this.#world.found(`${hub.name} lost records of its audit`);
    this.#newestAudit.set(hub.name, newest);
  }

  /** Nothing is open, nothing waits to be sent or taken. The sentence says what still is. */
  unrest(): string | undefined {
    for (const hub of this.#hubs.values()) {
      if (!hub.isUp) return `${hub.name} is down`;
      for (const [id, state] of this.#statesOf(hub)) {
        if (!isTerminal(state) && !this.#mayStayOpen(hub.reads.task(id)))
          return `${hub.name}: task ${id} is ${state}${this.#elsewhere(hub, id)}`;
      }
      const [unsent] = hub.reads.outboxParties().flatMap((party) => hub.reads.outboxOf(party));
      if (unsent !== undefined)
        return `${hub.name}: ${unsent.kind} ${unsent.messageId} is not settled`;
      const unread = [...this.#results.values()].find((id) => isUnread(hub.reads.delivery(id)));
      if (unread !== undefined) return `${hub.name}: result ${unread} is not taken`;
    }
    return undefined;
  }

  /** Everything, once quiet has come. */
  checkAll(): void {
    for (const { what, holds } of this.#promised)
      if (!holds()) this.#world.found(`is no longer so: ${what}`);
    for (const hub of this.#hubs.values()) {
      const { brokenSeq, rows } = verifyAudit(hub.reads);
      if (brokenSeq !== null)
        this.#world.found(`the audit of ${hub.name} is broken at ${brokenSeq}`);
      if (rows !== (hub.reads.audit({ limit: 1 })[0]?.seq ?? 0))
        this.#world.found(`the audit of ${hub.name} has gaps`);
      const tasks = hub.reads.tasks({ limit: 1_000 });
      if (tasks.length !== this.#statesOf(hub).size)
        this.#world.found(`${hub.name} has ${tasks.length} tasks of ${this.#statesOf(hub).size}`);
      for (const task of tasks) this.#checkEnd(hub, task);
    }
  }

  #judge(hub: SimHub, change: Change): void {
    switch (change.type) {
      case 'insertTask':
        return this.#taskMade(hub, hub.reads.task(change.id));
      case 'updateTask':
        if (change.state !== undefined) this.#taskMoved(hub, hub.reads.task(change.id));
        return;
      case 'decideApproval':
        return this.#approvalDecided(hub, hub.reads.approval(change.id), change.state);
      case 'insertDelivery':
        return this.#itemMade(hub, hub.reads.delivery(change.id));
      case 'updateDelivery':
        this.#heldSinceMs.set(change.id, this.#world.nowMs);
        return this.#itemMoved(hub, change);
      case 'settleOutbox':
        if (
          change.expired ||
          this.#hubs.get(change.party)?.reads.replay(hub.key, change.messageId) !== undefined ||
          this.#wasRefused(hub, change)
        )
          return;
        this.#world.found(
          `${hub.name} believes ${change.messageId} delivered, and ${this.#hubs.get(change.party)?.name} has it not`,
        );
    }
  }

  /** A cancel of what is not open there leaves nothing but a row in the audit. */
  #wasRefused(hub: SimHub, { party, messageId }: { party: PartyKey; messageId: string }): boolean {
    return (
      hub.reads.outboxMessage(party, messageId)?.kind === 'cancel' &&
      (this.#hubs.get(party)?.reads.audit({ limit: 1_000 }) ?? []).some(
        ({ action, actor }) => action === 'cancel.refused' && actor === hub.key,
      )
    );
  }

  #taskMade(hub: SimHub, task: TaskRow | undefined): void {
    if (task === undefined)
      return this.#world.found(`${hub.name}: a task that was made is not there`);
    this.#statesOf(hub).set(task.id, task.state);
    if (task.direction === 'outgoing' || task.kind !== 'delegate') return;
    const text = textOf(task);
    const asked = this.#asked.get(text);
    if (asked === undefined)
      return this.#world.found(`${hub.name} took in what nobody asked for: "${text}"`);
    // A key is remembered for a day by the wall clock: when that is set by days, a repeat is a new
    // request.
    if (asked.takenBy !== undefined && !this.isLate)
      this.#world.found(`"${text}" was taken in twice: at ${asked.takenBy} and at ${hub.name}`);
    asked.takenBy = hub.name;
    if (task.direction === 'incoming' && this.#atAsker(hub, task) === undefined) {
      this.#world.found(`${hub.name} was asked "${text}" by a hub that has no record of it`);
    }
  }

  #taskMoved(hub: SimHub, task: TaskRow | undefined): void {
    if (task === undefined) return this.#world.found(`${hub.name}: a task that moved is not there`);
    const before = this.#statesOf(hub).get(task.id);
    if (before === undefined)
      return this.#world.found(`${hub.name}: task ${task.id} moved and was never made`);
    this.#statesOf(hub).set(task.id, task.state);
    // Several moves of one commit look alike from here.
    if (isTerminal(before) && before !== task.state)
      this.#world.found(`${hub.name}: task ${task.id} moved from ${before} to ${task.state}`);
    if (task.direction === 'outgoing' && task.state === 'cancelling')
      this.#cancelCause.add(task.messageId);
    if (
      task.direction === 'outgoing' &&
      before === 'sending' &&
      task.state !== 'cancelling' &&
      !isTerminal(task.state)
    ) {
      this.#accepted.add(`${hub.name} ${task.id}`);
      this.counts.accepted += 1;
      const there = this.#hubs
        .get(task.party)
        ?.reads.taskByMessage('incoming', hub.key, task.messageId);
      if (there === undefined)
        this.#world.found(
          `${hub.name} was told that "${textOf(task)}" is taken, and it is not stored there`,
        );
    }
  }

  #approvalDecided(hub: SimHub, row: ApprovalRow | undefined, state: string): void {
    if (row?.state !== state)
      this.#world.found(
        `${hub.name}: the approval ${row?.id} was decided ${state} and is ${row?.state}`,
      );
    if (state === 'approved' && row !== undefined && !this.#allowed.has(row.id))
      this.#world.found(`${hub.name}: nobody allowed ${row.id}`);
  }

  #statesOf(hub: SimHub): Map<string, TaskState> {
    const known = this.#states.get(hub.name) ?? new Map<string, TaskState>();
    this.#states.set(hub.name, known);
    return known;
  }

  #itemMade(hub: SimHub, item: DeliveryRow | undefined): void {
    if (item?.taskId == null) return;
    const name = `${hub.name} ${item.taskId}`;
    if (item.kind === 'delegate') {
      if (this.#handed.has(name))
        this.#world.found(`${hub.name}: task ${item.taskId} went into an inbox twice`);
      this.#handed.set(name, item.deliveryId);
      const approval = hub.reads.approvalOfTask(item.taskId);
      if (approval?.state !== 'approved')
        this.#world.found(
          `${hub.name}: task ${item.taskId} went into an inbox while it is ${approval?.state}`,
        );
    }
    if (item.kind === 'result') {
      if (this.#results.has(name))
        this.#world.found(`${hub.name}: two results of task ${item.taskId} went into an inbox`);
      this.#results.set(name, item.deliveryId);
    }
  }

  /**
   * Judged in the order of the commits: the answers to two calls of one agent may come in another.
   */
  #itemMoved(hub: SimHub, { id, state }: Extract<Change, { type: 'updateDelivery' }>): void {
    const name = `${hub.name} ${id}`;
    if (state === 'running' || state === 'done') this.#taken.add(name);
    else if (state === 'claimed' && this.#taken.has(name))
      this.#world.found(`${hub.name}: item ${id} was handed out after its ack`);
  }

  #checkEnd(hub: SimHub, task: TaskRow): void {
    if (!isTerminal(task.state) && this.#mayStayOpen(task)) return;
    if (!isTerminal(task.state))
      this.#world.found(`${hub.name}: task ${task.id} never ended: ${task.state}`);
    const told = this.#statesOf(hub).get(task.id);
    if (told !== task.state)
      this.#world.found(`${hub.name}: task ${task.id} was ${told} and is ${task.state}`);
    if (task.kind !== 'delegate') return;
    if (task.state === 'completed') this.counts.completed += 1;
    if (task.state === 'cancelled') this.counts.cancelled += 1;
    const accepted = this.#accepted.has(`${hub.name} ${task.id}`);
    const wasCalledOff = task.reason?.startsWith('You cancelled it') === true;
    // Of one that was to report nothing only the end is told, and not to its agent.
    const isSilent = !task.reportBack && task.state === 'completed';
    const wantsResult = task.direction === 'outgoing' && accepted && !wasCalledOff && !isSilent;
    if (wantsResult && !this.#results.has(`${hub.name} ${task.id}`)) {
      this.#world.found(
        `${hub.name}: the agent that asked "${textOf(task)}" got no result of it (${task.state})`,
      );
    }
    const item = hub.reads.deliveryOfTask(task.id, 'result');
    if (item !== undefined && item.state !== 'done')
      this.#world.found(`${hub.name}: a result was left ${item.state}`);
    if (task.direction === 'incoming') this.#compare(hub, task);
    if (task.direction === 'outgoing' && accepted) this.#checkTaken(hub, task);
  }

  #elsewhere(hub: SimHub, id: string): string {
    const task = hub.reads.task(id);
    if (task?.direction !== 'outgoing') return '';
    const other = this.#hubs.get(task.party);
    return `, at ${other?.name} ${other?.reads.taskByMessage('incoming', hub.key, task.messageId)?.state ?? 'unknown'}`;
  }

  /**
   * A result whose day was cut short by a wrong clock never comes; its asker waits for the rest of
   * that day.
   */
  #mayStayOpen(task: TaskRow | undefined): boolean {
    return this.isLate && task?.direction === 'outgoing';
  }

  #checkTaken(hub: SimHub, task: TaskRow): void {
    const there = this.#hubs
      .get(task.party)
      ?.reads.taskByMessage('incoming', hub.key, task.messageId);
    if (there === undefined) this.#world.found(`"${textOf(task)}" was accepted and is lost`);
  }

  /** Both hubs tell the same end. */
  #compare(hub: SimHub, task: TaskRow): void {
    const asking = this.#atAsker(hub, task);
    if (asking === undefined)
      return this.#world.found(`${hub.name}: the asker of "${textOf(task)}" forgot it`);
    if (!task.reportBack || this.isLate) return;
    const accepted = this.#accepted.has(`${this.#hubs.get(task.party)?.name} ${asking.id}`);
    if (!accepted && asking.code === 'timeout') return;
    if (asking.state !== task.state) {
      this.#world.found(
        `"${textOf(task)}" ended ${task.state} (${task.code}) at ${hub.name} and ${asking.state} (${asking.code}) at its asker`,
      );
    } else if (
      task.state === 'completed' &&
      asking.result !== task.result &&
      !sameWords(asking.result, task.result)
    ) {
      this.#world.found(`"${textOf(task)}" has two different results`);
    }
  }

  #atAsker(hub: SimHub, task: TaskRow): TaskRow | undefined {
    if (task.direction !== 'incoming') return undefined;
    return this.#hubs.get(task.party)?.reads.taskByMessage('outgoing', hub.key, task.messageId);
  }
}

function isUnread(row: DeliveryRow | undefined): boolean {
  return row?.state === 'queued' || row?.state === 'claimed';
}

function isOf(task: TaskRow | undefined, party: string): boolean {
  return task?.party === party && task.kind === 'delegate';
}

export function textOf(task: TaskRow): string {
  const payload: unknown = JSON.parse(task.payload);
  const words: unknown =
    typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'task') : undefined;
  return typeof words === 'string' ? words : '';
}

function sameWords(first: string | null, second: string | null): boolean {
  return JSON.stringify(outcomeOf(first)) === JSON.stringify(outcomeOf(second));
}

function outcomeOf(result: string | null): unknown {
  const words: unknown = JSON.parse(result ?? 'null');
  return typeof words === 'object' && words !== null ? Reflect.get(words, 'outcome') : undefined;
}
