// Results and cancels must arrive even if the peer is away. Each is stored and sent until the peer
// confirms it, for at most 24 hours of uptime (PROTOCOL.md, Delegation states). A peer without
// receipts confirms by taking the message. Setting the clock changes nothing. It is always the same
// message, so the receiver can drop repeats. What waits for a removed hub is given up.
import { ERRORS } from '../../../preload/contract/errors.ts';
import { UNSAID } from '../../../preload/contract/strings/story.ts';
import type { AppError } from '../../lib/app-error.ts';
import { utf8 } from '../../lib/bytes.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { Result } from '../../lib/result.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { OutboxRow, Reads, Store, Tables, TaskRow } from '../../ports/store.ts';
import type { KeyHex, PartyKey } from '../../ports/transport.ts';
import { DECISIONS } from '../../protocol/decision.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import { parseEnvelope } from '../../protocol/parse-envelope.ts';
import { ASKER, parseAck, type Teller } from '../../protocol/payloads.ts';
import type { PeerMessenger } from '../base/peer-messenger.ts';
import {
  ACK_TIMEOUT_MS,
  OUTBOX_BACKOFF,
  OUTBOX_LIFETIME_MS,
  OUTBOX_PAGE,
  UPTIME_WRITE_INTERVAL_MS,
  CANCELS_AT_ONCE_MAX,
  CANCELS_REFUSED_PAUSE_MS,
} from './limits.ts';
import { decisionMember } from '../tasks/wire-states.ts';
import { isRemoved } from '../tasks/parties.ts';
import type { EndedTask, Ending, TaskEndings } from '../tasks/task-endings.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import { answererHere, answererOf, changeTask } from '../tasks/task-moves.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';

export const RECEIPTS = 'receipts/1';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly messenger: PeerMessenger;
  readonly unit: UnitOfWork;
  readonly endings: TaskEndings;
  readonly events: Pick<TaskEvents, 'changed'>;
  /**
   * Called when a result or an error is given up, because its time or its hub is gone. Inside the
   * commit that settles it.
   */
  readonly onExpired: (tables: Tables, after: After, row: OutboxRow) => void;
  /** Called with the outcome of a cancel, inside the commit that settles it. */
  readonly onCancelSettled: (
    tables: Tables,
    after: After,
    row: OutboxRow,
    outcome: CancelOutcome,
  ) => void;
}

/**
 * `cancelled`: it will not run there. `asked_to_stop`: its agent has it. `nothing_open`: it has
 * ended there, or never was there. `not_taken`: that hub takes no cancels. `expired`: no answer
 * came in all the time.
 */
export type CancelOutcome =
  'cancelled' | 'asked_to_stop' | 'nothing_open' | 'not_taken' | 'expired';

interface OutboxDraft {
  /** As it left before; else a new one. */
  readonly id?: string;
  readonly kind: 'result' | 'error' | 'cancel';
  readonly ref: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A message that was sent and not settled. */
interface InTheAir {
  readonly party: KeyHex;
  readonly attempts: number;
  readonly nextAtMs: number;
}

export class Outbox {
  readonly #deps: Deps;
  readonly #air = new Map<string, InTheAir>();
  readonly #draining = new Set<KeyHex>();
  readonly #again = new Set<KeyHex>();
  readonly #cancelPace: CancelPace;
  #uptimeWrittenMs = 0;
  #timer: TimerHandle | undefined;
  #timerDueMs = 0;
  #stopPresence: (() => void) | undefined;
  #running = false;
  /** How long this hub had run before, less the monotonic clock as it stood at the start. */
  readonly #uptimeOffsetMs: number;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#cancelPace = new CancelPace(deps);
    deps.endings.onEnding((tables, after, ended) => this.#report(tables, after, ended));
    this.#uptimeOffsetMs = readUptime(deps.store.read) - deps.clock.monotonicMs();
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#stopPresence = this.#deps.messenger.onPresence((peer) => this.#sendAgain(peer));
    for (const party of this.#deps.store.read.outboxParties()) this.kick(party);
    this.#arm();
  }

  stop(): void {
    this.#running = false;
    this.#stopPresence?.();
    this.#stopPresence = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#keepUptime(this.#uptimeMs());
  }

  /**
   * Stores the message with the commit at hand; it leaves after that commit.
   * @param lifetimeMs how long it is of use
   * @throws AppError payload_too_large
   */
  put(
    tables: Tables,
    after: After,
    task: TaskRow,
    draft: OutboxDraft,
    lifetimeMs = OUTBOX_LIFETIME_MS,
  ): void {
    const { clock, random, messenger } = this.#deps;
    const at = clock.wallMs();
    const messageId = draft.id ?? random.uuid();
    const uptimeMs = this.#uptimeMs();
    const raw = messenger.encode(task.party, { ...draft, id: messageId });
    // Together, so that a crash never makes the rest of its time longer than it is.
    tables.setMeta(UPTIME_META, String(uptimeMs));
    tables.putOutbox({
      messageId,
      party: task.party,
      kind: draft.kind,
      raw,
      createdAt: at,
      expiresAtUptimeMs: uptimeMs + lifetimeMs,
      settledAt: null,
    });
    const ours = task.direction === 'outgoing';
    const fromAgent = ours ? task.fromAgent : task.toAgent;
    if (draft.kind === 'result')
      tables.answerTask(task.id, { messageId, kind: 'result', fromAgent, at });
    else
      tables.insertMessage({
        messageId,
        direction: 'out',
        party: task.party,
        kind: draft.kind,
        ref: draft.ref,
        conversationId: task.conversationId,
        taskId: task.id,
        fromAgent,
        toAgent: ours ? task.toAgent : task.fromAgent,
        payload: JSON.stringify(draft.payload),
        at,
      });
    after(() => this.kick(task.party));
  }

  /**
   * Sends what is due for this peer now, if it is there: one message after the other, in the order
   * they were made.
   */
  kick(peer: KeyHex): void {
    if (!this.#running || !this.#deps.messenger.isOnline(peer)) return;
    if (this.#draining.has(peer)) {
      this.#again.add(peer);
      return;
    }
    this.#draining.add(peer);
    this.#drain(peer)
      .catch((error: unknown) => this.#deps.log.warn('outbox not sent', { error: String(error) }))
      .finally(() => {
        this.#draining.delete(peer);
        this.#arm();
        if (this.#again.delete(peer)) this.kick(peer);
      });
  }

  /** The peer says that it has this message. Foreign and unknown ids change nothing. */
  async received(peer: KeyHex, messageId: string): Promise<void> {
    const row = this.#deps.store.read.outboxMessage(peer, messageId);
    if (row?.settledAt !== null) return;
    await this.#settle(peer, messageId);
  }

  /**
   * Inside a commit, after what was open with that hub has ended. What waits for a removed hub
   * never leaves, even if its key is paired again. A suspended hub still gets it.
   */
  partyEnded(tables: Tables, after: After, party: PartyKey): void {
    if (!isRemoved(tables, party)) return;
    // What is given up is not among those that wait, so each page is the next one.
    for (let rows = nextOf(tables, party); rows.length > 0; rows = nextOf(tables, party)) {
      for (const row of rows) this.#giveUp(tables, after, row);
    }
  }

  /**
   * Inside the first commit of a run: the one before may have died before it gave up what waited
   * for removed hubs.
   */
  resume(tables: Tables, after: After): void {
    for (const party of tables.outboxParties()) this.partyEnded(tables, after, party);
  }

  /** Tells another hub how its request ended: by `result`, or by `error` if it wanted no report. */
  #report(tables: Tables, after: After, { task: ended, ending, result }: EndedTask): void {
    // A hub that was removed gets no more word from this one.
    if (ended.kind === 'query' || ended.direction !== 'incoming' || isRemoved(tables, ended.party))
      return;
    // What a person or this hub says is told in no agent's name.
    const isAgents =
      ending.from === 'runner' && ending.result !== undefined && result.answered_by === undefined;
    const task = { ...ended, toAgent: isAgents ? answererHere(ended) : null };
    const decision = this.#deps.messenger.extensions(task.party).includes(DECISIONS)
      ? decisionMember(tables, task)
      : {};
    const whose = tellerOf(ending);
    if (task.reportBack) {
      this.put(tables, after, task, {
        kind: 'result',
        ref: task.messageId,
        payload: { ...result, ...decision, ...whose, ...holderOf(ended) },
      });
    } else if (ending.code !== null && (ending.from !== 'runner' || isStopped(ending))) {
      const message = isStopped(ending)
        ? UNSAID.stopped
        : (ending.reason ?? ERRORS[ending.code].title);
      const { retryable } = ERRORS[ending.code];
      this.put(tables, after, task, {
        kind: 'error',
        ref: task.messageId,
        payload: { code: ending.code, message, retryable, ...decision, ...whose },
      });
    }
  }

  #giveUp(tables: Tables, after: After, row: OutboxRow): void {
    const { clock, onExpired, onCancelSettled } = this.#deps;
    tables.putOutbox({ ...row, raw: '', settledAt: clock.wallMs() });
    after(() => this.#air.delete(row.messageId));
    if (row.kind === 'cancel') onCancelSettled(tables, after, row, 'expired');
    else onExpired(tables, after, row);
  }

  /** What a peer that came or went may not have got is due again, as soon as it is there. */
  #sendAgain(peer: KeyHex): void {
    for (const [messageId, { party }] of this.#air) if (party === peer) this.#air.delete(messageId);
    this.kick(peer);
  }

  async #drain(peer: KeyHex): Promise<void> {
    const { store, messenger } = this.#deps;
    let rows: readonly OutboxRow[] = [];
    do {
      rows = store.read.outboxOf(peer, { limit: OUTBOX_PAGE, after: rows.at(-1) });
      for (const row of rows) {
        if (!this.#running || !messenger.isOnline(peer)) return;
        if (this.#isDue(row) && (row.kind !== 'cancel' || this.#cancelPace.mayBegin(peer)))
          await this.#send(row);
      }
    } while (rows.length === OUTBOX_PAGE);
  }

  #isDue(row: OutboxRow): boolean {
    const { clock } = this.#deps;
    const air = this.#air.get(row.messageId);
    return (
      row.expiresAtUptimeMs > this.#uptimeMs() &&
      (air === undefined || air.nextAtMs <= clock.monotonicMs())
    );
  }

  async #send(row: OutboxRow): Promise<void> {
    const { messenger, clock, random } = this.#deps;
    const attempts = (this.#air.get(row.messageId)?.attempts ?? 0) + 1;
    const nextAtMs =
      clock.monotonicMs() + backoffMs(attempts - 1, random.fraction(), OUTBOX_BACKOFF);
    this.#air.set(row.messageId, { party: row.party, attempts, nextAtMs });
    if (row.kind === 'cancel') {
      // Each is answered on its own stream in its own time, and holds up only the cancels after it.
      this.#cancelPace.begin(row.party);
      this.#cancel(row)
        .catch((error: unknown) => {
          this.#deps.log.warn('cancel not sent', { error: String(error) });
          return false;
        })
        .then((tooMany) => {
          this.#cancelPace.end(row.party, tooMany);
          this.kick(row.party);
        });
      return;
    }
    const sent = await messenger.sendEncoded(row.party, row.raw);
    if (sent.ok && !messenger.extensions(row.party).includes(RECEIPTS))
      await this.#settle(row.party, row.messageId);
  }

  /**
   * Any final answer settles it; a hub that takes no cancels gets none. True when the hub asked for
   * patience.
   */
  async #cancel(row: OutboxRow): Promise<boolean> {
    const { messenger } = this.#deps;
    const parsed = parseEnvelope(utf8(row.raw));
    let outcome: CancelOutcome | 'later' | undefined = 'not_taken';
    if (parsed.ok && messenger.features(row.party).includes('cancel')) {
      const { id, kind, ref, payload } = parsed.value.envelope;
      outcome = outcomeOf(
        await messenger.request(row.party, { id, kind, ref, payload }, ACK_TIMEOUT_MS),
      );
    }
    if (outcome === undefined || outcome === 'later') {
      this.#arm();
      return outcome === 'later';
    }
    await this.#settle(row.party, row.messageId, outcome);
    return false;
  }

  async #settle(party: KeyHex, messageId: string, outcome?: CancelOutcome): Promise<void> {
    // Whose receipt was lost is sent again, and dropped there.
    const durability = outcome === undefined ? 'comes_again' : 'for_good';
    await this.#deps.unit.run((tables, after) => {
      const row = tables.outboxMessage(party, messageId);
      if (row?.settledAt !== null) return;
      tables.putOutbox({ ...row, raw: '', settledAt: this.#deps.clock.wallMs() });
      if (outcome !== undefined) this.#deps.onCancelSettled(tables, after, row, outcome);
      else this.#told(tables, after, row);
    }, durability);
    this.#air.delete(messageId);
  }

  /** The asker's hub has the answer. */
  #told(tables: Tables, after: After, { raw, party }: OutboxRow): void {
    const { clock, events } = this.#deps;
    const parsed = parseEnvelope(utf8(raw));
    const ref = parsed.ok ? parsed.value.envelope.ref : null;
    const task = ref === null ? undefined : tables.taskByMessage('incoming', party, ref);
    if (task === undefined || task.toldAt !== null) return;
    changeTask(tables, task, { toldAt: clock.wallMs() });
    after(() => events.changed(task.id));
  }

  /** How long this hub has run in all. Time that it was off does not count. */
  #uptimeMs(): number {
    return Math.floor(this.#uptimeOffsetMs + this.#deps.clock.monotonicMs());
  }

  #keepUptime(uptimeMs: number): void {
    this.#uptimeWrittenMs = uptimeMs;
    this.#deps.store.writeBehind((tables) => tables.setMeta(UPTIME_META, String(uptimeMs)));
  }

  /**
   * One timer for all: wakes for the next try of what is in the air, and now and then for what has
   * been waiting too long.
   */
  #arm(): void {
    if (!this.#running) return;
    const { clock } = this.#deps;
    const now = clock.monotonicMs();
    let dueMs = now + OUTBOX_BACKOFF.maxMs;
    for (const { nextAtMs } of this.#air.values())
      dueMs = Math.min(dueMs, Math.max(nextAtMs, now + SWEEP_PAUSE_MS));
    dueMs = Math.min(dueMs, this.#cancelPace.nextAtMs() ?? dueMs);
    if (this.#timer && this.#timerDueMs <= dueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    this.#timer = clock.setTimer(dueMs - now, () => {
      this.#timer = undefined;
      void this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    const { store, unit, log } = this.#deps;
    const uptimeMs = this.#uptimeMs();
    try {
      const waits = store.read.outboxParties();
      if (waits.length > 0 && uptimeMs - this.#uptimeWrittenMs >= UPTIME_WRITE_INTERVAL_MS)
        this.#keepUptime(uptimeMs);
      if (store.read.outboxExpired(uptimeMs).length > 0) {
        await unit.run((tables, after) => {
          tables.setMeta(UPTIME_META, String(uptimeMs));
          for (const row of tables.outboxExpired(uptimeMs)) this.#giveUp(tables, after, row);
        });
      }
      for (const party of waits) this.kick(party);
    } catch (error) {
      log.warn('outbox not swept', { error: String(error) });
    }
    this.#arm();
  }
}

/** Where the time this hub has run stands in the store's meta, in ms. */
const UPTIME_META = 'outbox.uptime_ms';

function readUptime(reads: Pick<Reads, 'getMeta'>): number {
  const uptimeMs = Number(reads.getMeta(UPTIME_META) ?? 0);
  return Number.isSafeInteger(uptimeMs) && uptimeMs > 0 ? uptimeMs : 0;
}

function nextOf(tables: Tables, party: KeyHex): readonly OutboxRow[] {
  return tables.outboxOf(party, { limit: OUTBOX_PAGE, after: undefined });
}

/**
 * The outcome that a cancel's answer states. `later` and undefined (it states none) mean that it is
 * sent again.
 */
function outcomeOf(reply: Result<Envelope, AppError>): CancelOutcome | 'later' | undefined {
  if (!reply.ok) {
    if (reply.error.failedBy !== 'peer' || reply.error.code === 'peer_unreachable')
      return undefined;
    return ERRORS[reply.error.code].retryable ? 'later' : 'not_taken';
  }
  const ack = parseAck(reply.value.payload);
  if (!ack.ok) return 'not_taken';
  if (!ack.value.accepted) return ack.value.retryable === true ? 'later' : 'nothing_open';
  return ack.value.state === null ? 'cancelled' : 'asked_to_stop';
}

/** At least so long between two looks, so that a peer that is away keeps nobody busy. */
const SWEEP_PAUSE_MS = 1_000;

interface Pace {
  atOnce: number;
  /** By the monotonic clock. */
  pausedUntilMs: number;
}

/** That it stopped is the answer to the one who asked for it, whatever report was wanted. */
function isStopped({ ended: { kind } }: Ending): boolean {
  return kind === 'stopped';
}

/** Whose end it is, for whoever asked. */
function tellerOf({ from, ended: { by, kind } }: Ending): { readonly ended_by?: Teller } {
  const isTakenBack = from === 'asker' && by === 'agent' && kind === 'cancelled';
  if (isTakenBack) return { ended_by: ASKER };
  return by === null || from === 'asker' ? {} : { ended_by: by };
}

/** Which agent had it at the end, where it was handed on. Its hub is not named. */
function holderOf(task: TaskRow): { readonly handed_on_to?: string } {
  return task.handedOnTo === null ? {} : { handed_on_to: answererOf(task).agent ?? '' };
}

/**
 * How fast cancels go to another hub: a few at a time, and none for a while once it says that these
 * are too many.
 */
class CancelPace {
  readonly #clock: Clock;
  /** Only of hubs with a cancel on its way, or in a pause. */
  readonly #paces = new Map<KeyHex, Pace>();

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Whether one more may leave for this hub now. */
  mayBegin(peer: KeyHex): boolean {
    const pace = this.#paces.get(peer);
    return (
      pace === undefined ||
      (pace.atOnce < CANCELS_AT_ONCE_MAX && pace.pausedUntilMs <= this.#clock.monotonicMs())
    );
  }

  begin(peer: KeyHex): void {
    const pace = this.#paces.get(peer) ?? { atOnce: 0, pausedUntilMs: 0 };
    pace.atOnce += 1;
    this.#paces.set(peer, pace);
  }

  /** @param tooMany the hub asked for patience */
  end(peer: KeyHex, tooMany: boolean): void {
    const pace = this.#paces.get(peer);
    if (pace === undefined) return;
    pace.atOnce -= 1;
    const now = this.#clock.monotonicMs();
    if (tooMany) pace.pausedUntilMs = now + CANCELS_REFUSED_PAUSE_MS;
    if (pace.atOnce === 0 && pace.pausedUntilMs <= now) this.#paces.delete(peer);
  }

  /** When the next pause is over, by the monotonic clock; undefined without one. */
  nextAtMs(): number | undefined {
    const now = this.#clock.monotonicMs();
    let nextAtMs: number | undefined;
    for (const [peer, { atOnce, pausedUntilMs }] of this.#paces) {
      if (pausedUntilMs > now) nextAtMs = Math.min(nextAtMs ?? pausedUntilMs, pausedUntilMs);
      else if (atOnce === 0) this.#paces.delete(peer);
    }
    return nextAtMs;
  }
}
