// Removes the words of what ended long ago, some time after the start and then once a day: in small commits, with pauses between, and no further
// than the next one once the hub stops. What a person changes of how long words are kept counts after a pause. A commit that removes also
// counts what it removed, so that the audit is told all of it even after a crash.
// It must never touch what is open, waiting, held, undelivered or not told yet; the store refuses that, too (ports/retention.ts).
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PurgeOrder, PurgePlace } from '../../ports/retention.ts';
import type { Store, Tables } from '../../ports/store.ts';
import { believedAfter, firstBelief, firstReached, reachedAfter } from './believed-clock.ts';
import { CHANGE_PAUSE_MS, CHUNK_PAUSE_MS, CHUNK_ROWS, FIRST_LOOK_MS, LOOK_INTERVAL_MS, PURGE_INTERVAL_MS } from './limits.ts';
import { isAnythingRemoved, KINDS, NOTHING_REMOVED, reachedTimes, readState, writeState, type RetentionState } from './retention-state.ts';

/** Where the state stands in the store's meta. */
export const RETENTION_META = 'retention';

export interface RetentionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long words are kept after their end, ms; asked anew for every removal. */
  readonly keepMessagesMs: () => number;
  /** How long the feed is kept, ms. */
  readonly keepFeedMs: () => number;
  /** Notices with these numbers are gone, and so many of those left are unread. */
  readonly onFeedRemoved?: (seqs: readonly number[], unread: number) => void;
}

type ChunkOrder = Pick<PurgeOrder, 'kind' | 'before' | 'after'> & { readonly believedMs: number };

export class Retention {
  readonly #deps: RetentionDeps;
  #isStopped = true;
  #timer: TimerHandle | undefined;
  /** Ends the pause between two commits. */
  #endPause: (() => void) | undefined;
  #lookedAtMs = 0;
  /** null: not in this run. */
  #purgedAtMs: number | null = null;
  /** When it was last changed how long words are kept; null: not since the last whole removal. */
  #changedAtMs: number | null = null;
  #looking: Promise<void> = Promise.resolve();

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Removes nothing yet. Idempotent. */
  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#lookedAtMs = this.#deps.clock.monotonicMs();
    this.#lookIn(FIRST_LOOK_MS);
  }

  /**
   * Counts the running since the last look: a hub that runs an hour a day has little else. Resolves once that and the commit that may be under
   * way are over; there is none after it. Idempotent, never rejects.
   */
  async stop(): Promise<void> {
    if (!this.#isStopped) {
      this.#isStopped = true;
      this.#timer?.cancel();
      this.#timer = undefined;
      this.#endPause?.();
      this.#looking = this.#looking.then(() => this.#countLast());
    }
    await this.#looking;
  }

  /**
   * A person changed how long words are kept. A removal that is under way ends with its commit; the next one follows with the first look that comes
   * CHANGE_PAUSE_MS from now or later.
   */
  keepingChanged(): void {
    this.#changedAtMs = this.#deps.clock.monotonicMs();
    this.#endPause?.();
  }

  #lookIn(delayMs: number): void {
    if (this.#isStopped) return;
    this.#timer = this.#deps.clock.setTimer(delayMs, () => {
      this.#looking = this.#look().catch((error: unknown) => this.#deps.log.warn('old records not removed', { error: String(error) }));
      void this.#looking.then(() => this.#lookIn(LOOK_INTERVAL_MS));
    });
  }

  async #countLast(): Promise<void> {
    try {
      await this.#believe(this.#deps.clock.monotonicMs());
    } catch (error) {
      this.#deps.log.warn('the last minutes of running not counted', { error: String(error) });
    }
  }

  /** Follows the wall clock as far as the running since the last look lets it. @returns what time is believed now */
  async #believe(nowMonotonicMs: number): Promise<number> {
    const { store, clock } = this.#deps;
    const ranMs = nowMonotonicMs - this.#lookedAtMs;
    const believedMs = await store.write((tables) => {
      const state = this.#state(tables);
      const believed = believedAfter(state.believedMs, ranMs, clock.wallMs());
      tables.setMeta(RETENTION_META, writeState({ ...state, believedMs: believed }));
      return believed;
    });
    this.#lookedAtMs = nowMonotonicMs;
    return believedMs;
  }

  async #look(): Promise<void> {
    const { clock } = this.#deps;
    const now = clock.monotonicMs();
    const believedMs = await this.#believe(now);
    const changedAtMs = this.#changedAtMs;
    if (changedAtMs !== null && now - changedAtMs < CHANGE_PAUSE_MS) return;
    if (changedAtMs === null && this.#purgedAtMs !== null && now - this.#purgedAtMs < PURGE_INTERVAL_MS) return;
    const isOver = (): boolean => this.#isStopped || this.#changedAtMs !== changedAtMs;
    if (!(await this.#purge(believedMs, isOver))) return;
    this.#purgedAtMs = now;
    if (this.#changedAtMs === changedAtMs) this.#changedAtMs = null;
  }

  /** False when it was over before all was done: the hub stopped, or it was changed how long words are kept. */
  async #purge(believedMs: number, isOver: () => boolean): Promise<boolean> {
    // Where the wall clock says an earlier time than what is believed, the earlier one counts.
    const nowMs = Math.min(believedMs, this.#deps.clock.wallMs());
    for (const kind of KINDS) {
      const before = nowMs - (kind === 'feed' ? this.#deps.keepFeedMs() : this.#deps.keepMessagesMs());
      let place: PurgePlace | null = null;
      do {
        if (isOver()) return false;
        place = await this.#chunk({ kind, before, after: place, believedMs }, isOver);
        if (place !== null) await this.#pause();
      } while (place !== null);
    }
    if (isOver()) return false;
    await this.#deps.store.write((tables) => this.#tell(tables));
    return true;
  }

  async #chunk({ kind, before, after, believedMs }: ChunkOrder, isOver: () => boolean): Promise<PurgePlace | null> {
    const { store, clock } = this.#deps;
    const done = await store.write((tables) => {
      // It was over while it waited for its commit.
      if (isOver()) return null;
      const state = this.#state(tables);
      const at = clock.wallMs();
      const reached = state.reached[kind];
      // What is believed may lag behind after weeks of a clock that was: the later time keeps what is seen only now for longer.
      const seen = Math.max(believedMs, at);
      const { removed, seqs, next } = tables.purge({ kind, before, after, reached, seen, limit: CHUNK_ROWS, at });
      const counts = { ...state.removed, [kind]: state.removed[kind] + removed };
      const looked = next === null ? { ...state.reached, [kind]: reachedAfter(reached, before, believedMs) } : state.reached;
      if (removed > 0 || next === null) tables.setMeta(RETENTION_META, writeState({ ...state, reached: looked, removed: counts }));
      return { next, seqs, unread: kind === 'feed' && removed > 0 ? tables.unreadFeedCount() : null };
    });
    if (done === null) return null;
    const { next, seqs, unread } = done;
    if (unread !== null) this.#deps.onFeedRemoved?.(seqs, unread);
    return next;
  }

  /** One row of the audit about all that was removed since the last one. */
  #tell(tables: Tables): void {
    const state = this.#state(tables);
    if (!isAnythingRemoved(state.removed)) return;
    tables.appendAudit({
      at: this.#deps.clock.wallMs(),
      actor: 'hub',
      surface: 'hub',
      action: 'records.removed',
      object: 'hub',
      digest: null,
      detail: JSON.stringify(state.removed),
    });
    tables.setMeta(RETENTION_META, writeState({ ...state, removed: NOTHING_REMOVED }));
    this.#deps.log.info('old records removed', { ...state.removed });
  }

  #state(tables: Tables): RetentionState {
    const wallMs = this.#deps.clock.wallMs();
    const oldestMs = (): number | undefined => tables.auditAfter(0, Number.MAX_SAFE_INTEGER, 1)[0]?.at ?? undefined;
    const kept = readState(tables.getMeta(RETENTION_META), () => firstReached(oldestMs(), wallMs));
    if (kept !== undefined) return kept;
    const reached = reachedTimes(firstReached(oldestMs(), wallMs));
    return { believedMs: firstBelief(oldestMs(), wallMs), reached, removed: NOTHING_REMOVED };
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
