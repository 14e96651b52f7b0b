// Removes the words of what ended long ago: ten minutes after the start and then once a day, in
// small commits with pauses between. It stops after the commit under way when the hub stops. A
// commit also counts what it removed, so that the audit log gets all of it even after a crash. A
// clock that jumps far ahead stops the removal until the owner confirms the date. It must never
// touch what is open, waiting, held, undelivered or not told yet; the store refuses that, too
// (ports/retention.ts).
import { DATE_JUMP_DAYS_MAX } from '../../../preload/contract/limits.ts';
import { AppError } from '../../lib/app-error.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { KeptKind, PurgeOrder, PurgePlace } from '../../ports/retention.ts';
import type { Store, Tables } from '../../ports/store.ts';
import {
  CHANGE_PAUSE_MS,
  CHUNK_PAUSE_MS,
  CHUNK_ROWS,
  DATE_SEEN_MS,
  FIRST_PURGE_MS,
  PERMISSIONS_KEPT_MS,
  PURGE_INTERVAL_MS,
} from './limits.ts';
import { auditRow, type Actor } from '../base/audit-trail.ts';

/** Where the state stands in the store's meta. */
export const RETENTION_META = 'retention';

const DATE_JUMP_MS = DATE_JUMP_DAYS_MAX * 86_400_000;
/** In the order of their removal: what others need goes after them. */
const KINDS: readonly KeptKind[] = ['tasks', 'deliveries', 'messages', 'outbox', 'feed'];
const NOTHING_REMOVED: RemovedCounts = { tasks: 0, messages: 0, deliveries: 0, outbox: 0, feed: 0 };

type RemovedCounts = Readonly<Record<KeptKind, number>>;

interface RetentionState {
  /** The latest time of the wall clock that raised no question, ms since 1970. */
  readonly knownMs: number;
  /** Removed since the last row of the audit log about it. */
  readonly removed: RemovedCounts;
}

interface RetentionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long messages are kept after their end, ms; asked anew for every removal. */
  readonly keepMessagesMs: () => number;
  /** How long the feed is kept, ms. */
  readonly keepFeedMs: () => number;
  /** Notices with these numbers are gone, and so many of those left are unread. */
  readonly onFeedRemoved?: (seqs: readonly number[], unread: number) => void;
  /** The date is in question now, or was confirmed. */
  readonly onDate?: () => void;
}

type ChunkOrder = Pick<PurgeOrder, 'kind' | 'isPermissions' | 'before' | 'after'>;

export class Retention {
  readonly #deps: RetentionDeps;
  #knownMs: number;
  #isStopped = true;
  #timer: TimerHandle | undefined;
  /** Ends the pause between two commits. */
  #endPause: (() => void) | undefined;
  /** How often it was changed how long words are kept. */
  #changes = 0;
  #removal: Promise<void> = Promise.resolve();

  /**
   * Made before anything of this start is written: without a state, the newest row of the audit log
   * is the last time that is known.
   */
  constructor(deps: RetentionDeps) {
    this.#deps = deps;
    const { read } = deps.store;
    this.#knownMs =
      readState(read.getMeta(RETENTION_META))?.knownMs ??
      read.audit({ limit: 1 })[0]?.at ??
      deps.clock.wallMs();
  }

  /**
   * The date that the owner must confirm before anything is removed, ms since 1970; null when there
   * is no question.
   */
  get dateInQuestion(): number | null {
    const wallMs = this.#deps.clock.wallMs();
    return wallMs - this.#knownMs > DATE_JUMP_MS ? wallMs : null;
  }

  /** Looks at the clock; removes nothing yet. Idempotent. */
  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#after(() => this.#knownDate());
    this.#removeIn(FIRST_PURGE_MS);
  }

  /**
   * Resolves once the commit that may be under way is over; there is none after it. Idempotent,
   * never rejects.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#endPause?.();
    await this.#removal;
  }

  /**
   * A person changed how long words are kept. A removal under way ends with its commit; the next
   * one follows CHANGE_PAUSE_MS from now.
   */
  keepingChanged(): void {
    this.#changes += 1;
    this.#endPause?.();
    this.#removeIn(CHANGE_PAUSE_MS);
  }

  /**
   * The owner says that the date is right. Does nothing when there is no question.
   * @param seenMs the date that was shown
   * @throws AppError conflict when the clock says another date by now
   */
  async confirmDate(seenMs: number, by: Actor): Promise<void> {
    const { store, clock } = this.#deps;
    const nowMs = clock.wallMs();
    const isConfirmed = await store.write((tables) => {
      const state = this.#state(tables);
      if (nowMs - state.knownMs <= DATE_JUMP_MS) return false;
      if (Math.abs(nowMs - seenMs) > DATE_SEEN_MS)
        throw new AppError('conflict', 'The clock of this computer says another date by now.');
      tables.appendAudit(
        auditRow(nowMs, {
          ...by,
          action: 'settings.date_confirmed',
          object: 'hub',
          detail: { known: state.knownMs, confirmed: nowMs },
        }),
      );
      tables.setMeta(RETENTION_META, writeState({ ...state, knownMs: nowMs }));
      return true;
    });
    if (!isConfirmed) return;
    this.#knownMs = nowMs;
    this.#removeIn(CHANGE_PAUSE_MS);
    this.#deps.onDate?.();
  }

  #removeIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#isStopped) return;
    this.#timer = this.#deps.clock.setTimer(delayMs, () => {
      this.#removeIn(PURGE_INTERVAL_MS);
      this.#after(() => this.#remove());
    });
  }

  #after(run: () => Promise<unknown>): void {
    this.#removal = this.#removal.then(run).then(
      () => undefined,
      (error: unknown) => this.#deps.log.warn('old records not removed', { error: String(error) }),
    );
  }

  /**
   * What the clock says; null when it jumped too far ahead. A clock that is behind does not count
   * as known, so that setting it right is no jump.
   */
  async #knownDate(): Promise<number | null> {
    const { store, clock, log, onDate } = this.#deps;
    const nowMs = clock.wallMs();
    if (nowMs - this.#knownMs > DATE_JUMP_MS) {
      log.warn(
        'old records not removed: the clock jumped ahead, and the owner has not confirmed the date',
      );
      onDate?.();
      return null;
    }
    if (nowMs <= this.#knownMs) return nowMs;
    await store.write((tables) =>
      tables.setMeta(RETENTION_META, writeState({ ...this.#state(tables), knownMs: nowMs })),
    );
    this.#knownMs = nowMs;
    return nowMs;
  }

  async #remove(): Promise<void> {
    const changes = this.#changes;
    const isOver = (): boolean => this.#isStopped || this.#changes !== changes;
    if (isOver()) return;
    const nowMs = await this.#knownDate();
    if (nowMs === null) return;
    const messagesMs = this.#deps.keepMessagesMs();
    const asKept = KINDS.map((kind) => {
      const keptMs = kind === 'feed' ? this.#deps.keepFeedMs() : messagesMs;
      return { kind, before: nowMs - keptMs } as const;
    });
    const permissionsMs = Math.min(messagesMs, PERMISSIONS_KEPT_MS);
    const first = { kind: 'tasks', isPermissions: true, before: nowMs - permissionsMs } as const;
    for (const order of [first, ...asKept]) {
      let place: PurgePlace | null = null;
      do {
        if (isOver()) return;
        place = await this.#chunk({ ...order, after: place }, isOver);
        if (place !== null) await this.#pause();
      } while (place !== null);
    }
    if (!isOver()) await this.#deps.store.write((tables) => this.#tell(tables));
  }

  async #chunk(order: ChunkOrder, isOver: () => boolean): Promise<PurgePlace | null> {
    const { store, clock } = this.#deps;
    const { kind } = order;
    const done = await store.write((tables) => {
      // It was over while it waited for its commit.
      if (isOver()) return null;
      const { removed, seqs, next } = tables.purge({
        ...order,
        limit: CHUNK_ROWS,
        at: clock.wallMs(),
      });
      if (removed > 0) {
        const state = this.#state(tables);
        const counts = { ...state.removed, [kind]: state.removed[kind] + removed };
        tables.setMeta(RETENTION_META, writeState({ ...state, removed: counts }));
      }
      return {
        next,
        seqs,
        unread: kind === 'feed' && removed > 0 ? tables.unreadFeedCount() : null,
      };
    });
    if (done === null) return null;
    const { next, seqs, unread } = done;
    if (unread !== null) this.#deps.onFeedRemoved?.(seqs, unread);
    return next;
  }

  /** One row of the audit log about all that was removed since the last one. */
  #tell(tables: Tables): void {
    const state = this.#state(tables);
    if (KINDS.every((kind) => state.removed[kind] === 0)) return;
    tables.appendAudit(
      auditRow(this.#deps.clock.wallMs(), {
        actor: 'hub',
        surface: 'hub',
        action: 'records.removed',
        object: 'hub',
        detail: state.removed,
      }),
    );
    tables.setMeta(RETENTION_META, writeState({ ...state, removed: NOTHING_REMOVED }));
    this.#deps.log.info('old records removed', { ...state.removed });
  }

  #state(tables: Tables): RetentionState {
    return (
      readState(tables.getMeta(RETENTION_META)) ?? {
        knownMs: this.#knownMs,
        removed: NOTHING_REMOVED,
      }
    );
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#deps.clock.setTimer(CHUNK_PAUSE_MS, () => this.#endPause?.());
      this.#endPause = () => {
        this.#endPause = undefined;
        timer.cancel();
        resolve();
      };
      if (this.#isStopped) this.#endPause();
    });
  }
}

/** Strict: anything this program would not have written reads as nothing. */
export function readState(text: string | undefined): RetentionState | undefined {
  const value = parsed(text);
  if (!isJsonObject(value) || !isCount(value.known_ms) || !isJsonObject(value.removed))
    return undefined;
  const removed = { ...NOTHING_REMOVED };
  for (const kind of KINDS) {
    const count = value.removed[kind];
    if (!isCount(count)) return undefined;
    removed[kind] = count;
  }
  return { knownMs: value.known_ms, removed };
}

function writeState({ knownMs, removed }: RetentionState): string {
  return JSON.stringify({ known_ms: Math.round(knownMs), removed });
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
