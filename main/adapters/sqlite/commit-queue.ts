// Group commit on one connection. Units of work queued in one turn of the event loop share one
// transaction at its end, each in its own savepoint, unless one is alone; nobody is answered
// before the commit is durable. A commit waits for the disk if anything in it is for good: a power
// cut may take the others until the next one that does. Records nobody waits for ride along, or
// follow within 50 ms by a commit of their own. After a failure of the disk nothing more is written
// until the log was proven writable again: a failed fsync is never simply retried.
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Durability, Tables } from '../../ports/store.ts';
import {
  BATCH_BEHIND_EVERY,
  BATCH_DURATION_MAX_MS,
  BATCH_WORKS_MAX,
  WRITE_BEHIND_DELAY_MAX_MS,
  WRITE_BEHIND_QUEUE_MAX,
  WRITE_QUEUE_MAX,
} from './limits.ts';
import { isStorageFailure, sqliteCode, translateError, type Statements } from './statements.ts';

interface QueuedWork {
  /** Its commit waits for the disk. */
  readonly isForGood: boolean;
  readonly run: (tables: Tables) => void;
  /** What it came to is durable. */
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What a work came to inside the transaction; it counts only once the transaction is committed. */
type Outcome =
  | { readonly work: QueuedWork; readonly failed: false }
  | { readonly work: QueuedWork; readonly failed: true; readonly error: unknown };

/** Has the queued works committed soon, once. Returns a function that cancels it. */
type ScheduleCommit = (commit: () => void) => () => void;

interface CommitQueueDeps {
  readonly statements: Statements;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * When a commit takes place; at the end of this turn of the event loop unless something else is
   * given.
   */
  readonly schedule?: ScheduleCommit;
}

const atEndOfTurn: ScheduleCommit = (commit) => {
  const turn = setImmediate(commit);
  return () => clearImmediate(turn);
};

export class CommitQueue {
  readonly #deps: CommitQueueDeps;
  readonly #promised: QueuedWork[] = [];
  readonly #behind: QueuedWork[] = [];
  #unschedule: (() => void) | undefined;
  #behindTimer: TimerHandle | undefined;
  /** So many of the oldest have waited their delay. */
  #behindDue = 0;
  #diskFailed = false;
  /** As open-database.ts leaves the connection. */
  #isSyncing = true;
  #closed = false;
  #behindDropped = 0;
  #behindFailed = 0;
  readonly #onCommit: (() => void)[] = [];

  constructor(deps: CommitQueueDeps) {
    this.#deps = deps;
  }

  /**
   * Queues a work for the commit at the end of this turn. Rejects with AppError `overloaded` or
   * `storage_failed`, or the work's own throw.
   */
  write<T>(run: (tables: Tables) => T, durability: Durability = 'for_good'): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#promised.length >= WRITE_QUEUE_MAX) {
      return Promise.reject(
        new AppError('overloaded', 'Too much waits to be recorded.', {
          hint: 'Try again in a second.',
          retryAfterMs: 1_000,
        }),
      );
    }
    return new Promise<T>((resolve, reject) => {
      this.#promised.push(queued(durability === 'for_good', run, resolve, reject));
      this.#schedule();
    });
  }

  /**
   * Queues a record that nobody waits for. `then` is called with what it came to once that is
   * durable.
   */
  writeBehind<T>(run: (tables: Tables) => T, then?: (value: T) => void): void {
    if (this.#closed || this.#behind.length >= WRITE_BEHIND_QUEUE_MAX) {
      this.#behindDropped += 1;
      if (this.#behindDropped === 1 || this.#behindDropped % 1_000 === 0) {
        const why = this.#closed ? 'the hub is stopping' : 'the queue is full';
        this.#deps.log.warn(`record dropped: ${why}`, { dropped: this.#behindDropped });
      }
      return;
    }
    this.#behind.push(
      queued(
        false,
        run,
        (value) => then?.(value),
        (error) => this.#countFailed(error),
      ),
    );
    this.#behindTimer ??= this.#deps.clock.setTimer(WRITE_BEHIND_DELAY_MAX_MS, () => {
      this.#behindTimer = undefined;
      this.#behindDue = this.#behind.length;
      this.#schedule();
    });
  }

  /** Calls `tell` after each commit, once those who waited for it are answered. */
  onCommit(tell: () => void): void {
    this.#onCommit.push(tell);
  }

  /** Commits everything that is queued, then takes nothing more. Idempotent. */
  drain(): void {
    this.#closed = true;
    this.#behindTimer?.cancel();
    this.#behindTimer = undefined;
    this.#unschedule?.();
    this.#unschedule = undefined;
    while (this.#promised.length + this.#behind.length > 0) this.#commitBatch();
  }

  #schedule(): void {
    this.#unschedule ??= (this.#deps.schedule ?? atEndOfTurn)(() => {
      this.#unschedule = undefined;
      // What a work asked for while it ran has joined its transaction by now.
      if (this.#promised.length + this.#behind.length > 0) this.#commitBatch();
      if (this.#promised.length > 0 || Math.min(this.#behindDue, this.#behind.length) > 0)
        this.#schedule();
    });
  }

  #commitBatch(): void {
    const outcomes: Outcome[] = [];
    const taken: QueuedWork[] = [];
    const isForGood = this.#promised.some((work) => work.isForGood);
    const isAlone = this.#promised.length + this.#behind.length === 1;
    try {
      this.#proveDisk();
      this.#syncs(isForGood);
      this.#deps.statements.execute('BEGIN IMMEDIATE');
      const startedAt = this.#deps.clock.monotonicMs();
      do {
        const work = this.#next(taken.length, isForGood);
        if (work === undefined) break;
        taken.push(work);
        // What a work asks for while it runs may join it: that one is undone by itself.
        outcomes.push(isAlone && taken.length === 1 ? this.#runAlone(work) : this.#runOne(work));
      } while (
        taken.length < BATCH_WORKS_MAX &&
        this.#deps.clock.monotonicMs() - startedAt < BATCH_DURATION_MAX_MS
      );
      this.#deps.statements.execute('COMMIT');
    } catch (error) {
      this.#failBatch(taken, error);
      return;
    }
    if (this.#behind.length === 0) {
      this.#behindTimer?.cancel();
      this.#behindTimer = undefined;
    }
    for (const outcome of outcomes) {
      this.#consequence(() =>
        outcome.failed ? outcome.work.reject(outcome.error) : outcome.work.resolve(),
      );
    }
    for (const tell of this.#onCommit) this.#consequence(tell);
  }

  /** Whether the next commits wait for the disk. */
  #syncs(on: boolean): void {
    if (this.#isSyncing === on) return;
    this.#deps.statements.execute(`PRAGMA synchronous = ${on ? 'FULL' : 'NORMAL'}`);
    this.#isSyncing = on;
  }

  /**
   * What was committed stands, and all who wait for it are answered, whatever somebody does who is
   * told of it.
   */
  #consequence(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#deps.log.error('consequence of a commit failed', { error: String(error) });
    }
  }

  /**
   * Promised works first, but for the share of what nobody waits for. What is for good does not
   * ride along with what is not.
   */
  #next(taken: number, isForGood: boolean): QueuedWork | undefined {
    const isTheirTurn = taken % BATCH_BEHIND_EVERY === BATCH_BEHIND_EVERY - 1;
    if (!isForGood && this.#promised[0]?.isForGood === true) return this.#nextBehind();
    return isTheirTurn
      ? (this.#nextBehind() ?? this.#promised.shift())
      : (this.#promised.shift() ?? this.#nextBehind());
  }

  #nextBehind(): QueuedWork | undefined {
    this.#behindDue = Math.max(0, this.#behindDue - 1);
    return this.#behind.shift();
  }

  /** The first of a transaction that nothing else waits for: to undo it is to begin anew. */
  #runAlone(work: QueuedWork): Outcome {
    try {
      work.run(this.#deps.tables);
      return { work, failed: false };
    } catch (error) {
      if (isStorageFailure(error) || !this.#deps.statements.inTransaction) throw error;
      this.#deps.statements.execute('ROLLBACK');
      this.#deps.statements.execute('BEGIN IMMEDIATE');
      return { work, failed: true, error };
    }
  }

  /** Throws only when the transaction as a whole cannot go on. */
  #runOne(work: QueuedWork): Outcome {
    this.#deps.statements.execute('SAVEPOINT work');
    try {
      work.run(this.#deps.tables);
      this.#deps.statements.execute('RELEASE work');
      return { work, failed: false };
    } catch (error) {
      if (isStorageFailure(error) || !this.#deps.statements.inTransaction) throw error;
      this.#deps.statements.execute('ROLLBACK TO work');
      this.#deps.statements.execute('RELEASE work');
      return { work, failed: true, error };
    }
  }

  /**
   * Everything taken is refused; what is still queued is refused as well when not even a
   * transaction could be begun.
   */
  #failBatch(taken: readonly QueuedWork[], cause: unknown): void {
    this.#diskFailed = true;
    try {
      this.#deps.statements.rollback();
    } catch (error) {
      this.#deps.log.error('rollback failed', { error: String(error) });
    }
    const error = storageError(cause);
    this.#deps.log.error('commit failed', {
      error: error.message,
      code: sqliteCode(cause) ?? null,
      works: taken.length,
    });
    const refused =
      taken.length > 0 ? taken : [...this.#promised.splice(0), ...this.#behind.splice(0)];
    for (const work of refused) work.reject(error);
  }

  /**
   * After a failure: copies the log into the database and cuts it to nothing, which writes and
   * syncs both files. Only then is the disk trusted again, and no frame of a refused commit is left
   * to be found by a later recovery. (If the process dies before, a refused commit may yet be found
   * whole in the log: refused means "not promised".)
   */
  #proveDisk(): void {
    if (!this.#diskFailed) return;
    if (this.#deps.statements.value('PRAGMA wal_checkpoint(TRUNCATE)') !== 0)
      throw new AppError('storage_failed', 'Another program holds the database.');
    this.#diskFailed = false;
    this.#deps.log.info('the disk takes records again');
  }

  #countFailed(error: unknown): void {
    this.#behindFailed += 1;
    this.#deps.log.warn('record not written', {
      error: error instanceof Error ? error.message : String(error),
      failed: this.#behindFailed,
    });
  }
}

function queued<T>(
  isForGood: boolean,
  run: (tables: Tables) => T,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): QueuedWork {
  let result: { readonly value: T } | undefined;
  return {
    isForGood,
    run: (tables) => {
      const value = run(tables);
      assert(
        !(value instanceof Promise),
        'a unit of work is synchronous: it ends with its transaction',
      );
      result = { value };
    },
    resolve: () => {
      assert(result !== undefined, 'a committed work has a result');
      resolve(result.value);
    },
    reject,
  };
}

function storageError(cause: unknown): AppError {
  const translated = translateError(cause);
  if (translated instanceof AppError && translated.code === 'storage_failed') return translated;
  return new AppError('storage_failed', 'The database did not take it.', { cause });
}

function closedError(): AppError {
  return new AppError('storage_failed', 'The hub is stopping and records nothing more.', {
    hint: 'Start the hub again.',
  });
}
