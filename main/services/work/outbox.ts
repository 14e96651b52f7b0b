// Results must arrive though their peer is away: each is stored with what caused it, sent, and sent again when the peer comes back, with growing
// waits, until the peer's receipt (or, for a peer without receipts, until the transport took it), for 24 hours (PROTOCOL.md, Delegation
// states). Always the very same message, so that the receiver can drop what it has.
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { OutboxRow, Store, Tables, TaskRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { PeerMessenger } from '../peer-messenger.ts';
import { OUTBOX_BACKOFF, OUTBOX_LIFETIME_MS } from './limits.ts';
import type { After, UnitOfWork } from './unit-of-work.ts';

export const RECEIPTS = 'receipts/1';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly messenger: PeerMessenger;
  readonly unit: UnitOfWork;
  /** Told when a message was given up after 24 hours, inside the commit that settles it. */
  readonly onExpired: (tables: Tables, after: After, row: OutboxRow) => void;
}

export interface OutboxDraft {
  readonly kind: 'result' | 'error';
  readonly ref: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export class Outbox {
  readonly #deps: Deps;
  readonly #attempts = new Map<string, number>();
  readonly #sending = new Set<string>();
  #timer: TimerHandle | undefined;
  #timerDueMs = 0;
  #stopPresence: (() => void) | undefined;
  #running = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#stopPresence = this.#deps.messenger.onPresence((peer, online) => {
      if (online) this.kick(peer);
    });
    for (const row of this.#deps.store.read.outboxDue(this.#deps.clock.wallMs())) this.kick(row.party);
    this.#arm();
  }

  stop(): void {
    this.#running = false;
    this.#stopPresence?.();
    this.#stopPresence = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Stores the message with the commit at hand; it leaves after that commit. @throws AppError payload_too_large */
  put(tables: Tables, after: After, task: TaskRow, draft: OutboxDraft): void {
    const { clock, random, messenger } = this.#deps;
    const at = clock.wallMs();
    const messageId = random.uuid();
    const raw = messenger.encode(task.party, { id: messageId, ...draft });
    tables.putOutbox({
      messageId,
      party: task.party,
      kind: draft.kind,
      raw,
      createdAt: at,
      expiresAt: at + OUTBOX_LIFETIME_MS,
      attempts: 0,
      settledAt: null,
    });
    tables.insertMessage({
      messageId,
      direction: 'out',
      party: task.party,
      kind: draft.kind,
      ref: draft.ref,
      conversationId: task.conversationId,
      taskId: task.id,
      fromAgent: task.toAgent,
      toAgent: task.fromAgent,
      raw,
      at,
    });
    after(() => this.kick(task.party));
  }

  /** Sends what waits for this peer now, if it is there. */
  kick(peer: KeyHex): void {
    if (!this.#running || !this.#deps.messenger.isOnline(peer)) return;
    for (const row of this.#deps.store.read.outboxOf(peer)) void this.#send(row);
  }

  /** The peer says that it has this message. Foreign and unknown ids change nothing. */
  async received(peer: KeyHex, messageId: string): Promise<void> {
    if (!this.#deps.store.read.outboxOf(peer).some((row) => row.messageId === messageId)) return;
    await this.#settle(peer, messageId);
  }

  async #send(row: OutboxRow): Promise<void> {
    if (this.#sending.has(row.messageId)) return;
    this.#sending.add(row.messageId);
    try {
      this.#attempts.set(row.messageId, (this.#attempts.get(row.messageId) ?? 0) + 1);
      const sent = await this.#deps.messenger.sendEncoded(row.party, row.raw);
      if (sent.ok && !this.#deps.messenger.extensions(row.party).includes(RECEIPTS)) await this.#settle(row.party, row.messageId);
    } catch (error) {
      this.#deps.log.warn('outbox message not sent', { error: String(error) });
    } finally {
      this.#sending.delete(row.messageId);
      this.#arm();
    }
  }

  async #settle(party: KeyHex, messageId: string): Promise<void> {
    await this.#deps.unit.run((tables) => {
      const row = tables.outboxOf(party).find((candidate) => candidate.messageId === messageId);
      const attempts = this.#attempts.get(messageId) ?? 0;
      if (row) tables.putOutbox({ ...row, attempts: row.attempts + attempts, settledAt: this.#deps.clock.wallMs() });
    });
    this.#attempts.delete(messageId);
  }

  /** One timer for all: wakes for the next try of what is in the air, and now and then for what has been waiting too long. */
  #arm(): void {
    if (!this.#running) return;
    const { clock, random } = this.#deps;
    const tries = [...this.#attempts.values()];
    const waitMs = tries.length === 0 ? OUTBOX_BACKOFF.maxMs : backoffMs(Math.min(...tries) - 1, random.fraction(), OUTBOX_BACKOFF);
    const dueMs = clock.monotonicMs() + waitMs;
    if (this.#timer && this.#timerDueMs <= dueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    this.#timer = clock.setTimer(waitMs, () => {
      this.#timer = undefined;
      void this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    const { store, clock, unit, log, onExpired } = this.#deps;
    const wallMs = clock.wallMs();
    try {
      if (store.read.outboxExpired(wallMs).length > 0) {
        await unit.run((tables, after) => {
          for (const row of tables.outboxExpired(wallMs)) {
            tables.putOutbox({ ...row, settledAt: wallMs });
            this.#attempts.delete(row.messageId);
            onExpired(tables, after, row);
          }
        });
      }
      for (const party of new Set(store.read.outboxDue(wallMs).map((row) => row.party))) this.kick(party);
    } catch (error) {
      log.warn('outbox not swept', { error: String(error) });
    }
    this.#arm();
  }
}
