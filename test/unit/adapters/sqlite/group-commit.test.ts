// Units of work on the real store: one commit a turn, each work on its own, nobody answered too
// early, every queue with its end.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import {
  BATCH_DURATION_MAX_MS,
  BATCH_WORKS_MAX,
  WRITE_BEHIND_DELAY_MAX_MS,
  WRITE_BEHIND_QUEUE_MAX,
  WRITE_QUEUE_MAX,
} from '../../../../main/adapters/sqlite/limits.ts';
import { openStore } from '../../../../main/adapters/sqlite/open-store.ts';
import type { Clock } from '../../../../main/ports/clock.ts';
import type { Log, LogFields } from '../../../../main/ports/log.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import {
  openTemporaryStore,
  SILENT_LOG,
  type TemporaryStore,
} from '../../../fakes/memory-store.ts';
import { auditRow, messageRow, taskRow } from '../../../fakes/sample-rows.ts';
import { commitLevels, FULL, NORMAL } from '../../../support/commit-levels.ts';

let clock: ManualClock;
let store: TemporaryStore;
let other: Database.Database;
let lines: { readonly message: string; readonly fields: LogFields | undefined }[];

beforeEach(() => {
  clock = new ManualClock();
  lines = [];
  const keep = (message: string, fields?: LogFields): void => void lines.push({ message, fields });
  const log: Log = { ...SILENT_LOG, warn: keep, error: keep, with: () => log };
  store = openTemporaryStore(clock, log);
  other = new Database(join(store.folder, 'hub.db'), { readonly: true });
});
afterEach(async () => {
  other.close();
  await store.close();
});

/** What another connection sees: committed rows only. */
const committed = (name: string): unknown =>
  other.prepare('SELECT value FROM meta WHERE name = ?').pluck().get(name);
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
/** The number in the log's header that grows by one with each commit. */
const commits = (): number => Number(other.pragma('data_version', { simple: true }));

describe('the disk', () => {
  test('is waited for by each commit that somebody waits for, and by no other', async () => {
    const levels = await commitLevels(async () => {
      const promised: Promise<void>[] = [];
      store.writeBehind((tables) => {
        tables.setMeta('behind', '1');
        // Asked for while that commit is made: it must not ride along.
        promised.push(store.write((later) => later.setMeta('promised', '1')));
      });
      await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
      await turn();
      await turn();
      await Promise.all(promised);
      store.writeBehind((tables) => tables.setMeta('behind', '2'));
      await store.write((tables) => tables.setMeta('promised', '2'));
      expect(committed('behind')).toBe('2');
    });
    expect(levels).toEqual([NORMAL, FULL, FULL]);
  });

  test('is not waited for by what comes again, unless something for good is in its commit', async () => {
    const levels = await commitLevels(async () => {
      const promised: Promise<void>[] = [];
      const again = (name: string): Promise<void> =>
        store.write((tables) => {
          tables.setMeta(name, '1');
          // Asked for while that commit is made: it must not ride along.
          promised.push(store.write((later) => later.setMeta(`${name} and more`, '1')));
        }, 'comes_again');
      const seen = again('alone').then(() => [committed('alone'), committed('alone and more')]);
      expect(await seen).toEqual(['1', undefined]);
      await Promise.all(promised);
      await Promise.all([again('first'), store.write((tables) => tables.setMeta('good', '1'))]);
      expect([committed('first'), committed('good')]).toEqual(['1', '1']);
      await Promise.all(promised);
    });
    expect(levels.slice(0, 3)).toEqual([NORMAL, FULL, FULL]);
    expect(levels).not.toContain(0);
  });
});

describe('write', () => {
  test('a promise settles only once another connection can read the row', async () => {
    const seen = store.write((tables) => tables.setMeta('a', '1')).then(() => committed('a'));
    expect(committed('a')).toBeUndefined();
    expect(await seen).toBe('1');
  });

  test('works of one turn share one commit and run in their order', async () => {
    const before = commits();
    const order: number[] = [];
    const works = Array.from({ length: BATCH_WORKS_MAX }, (_, index) =>
      store.write((tables) => {
        order.push(index);
        tables.setMeta(`w${index}`, String(index));
        return index;
      }),
    );
    expect(await Promise.all(works)).toEqual(order);
    expect(order).toEqual(Array.from({ length: BATCH_WORKS_MAX }, (_, index) => index));
    expect(commits() - before).toBe(1);
  });

  test('a commit holds at most its number of works; the rest follows in the next turn', async () => {
    const settled: number[] = [];
    for (let index = 0; index < BATCH_WORKS_MAX + 1; index++) {
      void store.write((tables) => tables.setMeta(`w${index}`, '')).then(() => settled.push(index));
    }
    await turn();
    expect(settled).toHaveLength(BATCH_WORKS_MAX);
    expect(committed(`w${BATCH_WORKS_MAX}`)).toBeUndefined();
    await turn();
    expect(settled).toHaveLength(BATCH_WORKS_MAX + 1);
  });

  test('a commit is closed when its time is up, however many works wait', async () => {
    const settled: string[] = [];
    let nowMs = 0;
    const slow: Clock = {
      wallMs: () => clock.wallMs(),
      monotonicMs: () => (nowMs += BATCH_DURATION_MAX_MS),
      setTimer: (delayMs, run) => clock.setTimer(delayMs, run),
    };
    const timed = openTemporaryStore(slow);
    for (const name of ['a', 'b'])
      void timed.write((tables) => tables.setMeta(name, '')).then(() => settled.push(name));
    await turn();
    expect(settled).toEqual(['a']);
    await turn();
    expect(settled).toEqual(['a', 'b']);
    await timed.close();
  });

  test('a work that throws is undone alone and its caller gets its own error', async () => {
    const mistake = new Error('this one only');
    const [before, failed, after] = await Promise.allSettled([
      store.write((tables) => tables.insertTask(taskRow({ id: 'before' }))),
      store.write((tables) => {
        tables.insertTask(taskRow({ id: 'undone' }));
        tables.appendAudit(auditRow());
        throw mistake;
      }),
      store.write((tables) => tables.insertTask(taskRow({ id: 'after' }))),
    ]);
    expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(failed).toMatchObject({ status: 'rejected', reason: mistake });
    expect(store.read.tasks({ limit: 9 }).map((task) => task.id)).toEqual(['after', 'before']);
    expect(store.read.audit({ limit: 9 })).toEqual([]);
  });

  test('a conflict that a work turns into an error of its own undoes only that work', async () => {
    await store.write((tables) => tables.insertTask(taskRow()));
    const [failed, beside] = await Promise.allSettled([
      store.write((tables) => {
        try {
          tables.insertTask(taskRow());
        } catch (error) {
          throw new AppError('conflict', 'This id was used before.', { cause: error });
        }
      }),
      store.write((tables) => tables.setMeta('beside', 'kept')),
    ]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    expect([beside.status, committed('beside')]).toEqual(['fulfilled', 'kept']);
  });

  test('a later work of the same commit sees what an earlier one wrote', async () => {
    const [, seen] = await Promise.all([
      store.write((tables) => tables.setMeta('a', 'new')),
      store.write((tables) => tables.getMeta('a')),
    ]);
    expect(seen).toBe('new');
  });

  test('an asynchronous work is refused and nothing of it stays', async () => {
    const work = store.write((tables) => {
      tables.setMeta('a', '1');
      return Promise.resolve();
    });
    await expect(work).rejects.toThrow(/synchronous/);
    expect(store.read.getMeta('a')).toBeUndefined();
  });

  test('a work may queue another one, which gets a commit of its own', async () => {
    const inner = await store.write(() => ({
      later: store.write((tables) => tables.setMeta('inner', 'yes')),
    }));
    await inner.later;
    expect(committed('inner')).toBe('yes');
  });

  test('beyond the queue a write is refused at once and the queued ones still count', async () => {
    const works = Array.from({ length: WRITE_QUEUE_MAX }, (_, index) =>
      store.write((tables) => tables.setMeta('n', String(index))),
    );
    await expect(store.write((tables) => tables.setMeta('n', 'too many'))).rejects.toMatchObject({
      code: 'overloaded',
    });
    await Promise.all(works);
    expect(committed('n')).toBe(String(WRITE_QUEUE_MAX - 1));
    await expect(store.write((tables) => tables.getMeta('n'))).resolves.toBe(
      String(WRITE_QUEUE_MAX - 1),
    );
  });

  test('while another program holds the database a work is refused as storage_failed, and the next one works again', async () => {
    const holder = new Database(join(store.folder, 'hub.db'));
    holder.exec('BEGIN IMMEDIATE');
    await expect(store.write((tables) => tables.setMeta('a', '1'))).rejects.toMatchObject({
      code: 'storage_failed',
    });
    holder.exec('ROLLBACK');
    holder.close();
    await store.write((tables) => tables.setMeta('a', '2'));
    expect(committed('a')).toBe('2');
  });
});

describe('write behind', () => {
  test('a work that is alone and fails leaves nothing, and what joined it stands', async () => {
    const joined: Promise<unknown>[] = [];
    const failed = store.write((tables) => {
      tables.insertTask(taskRow({ id: 'undone' }));
      joined.push(store.write((other) => other.insertTask(taskRow({ id: 'joined' }))));
      throw new Error('changed its mind');
    });
    await expect(failed).rejects.toThrow('changed its mind');
    await Promise.all(joined);
    expect(store.read.tasks({ limit: 9 }).map(({ id }) => id)).toEqual(['joined']);
  });

  test('a record nobody waits for gets its share of every full batch', async () => {
    store.writeBehind((tables) => tables.setMeta('behind', 'kept'));
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS - 1);
    const promised = Array.from({ length: BATCH_WORKS_MAX * 3 }, (_, index) =>
      store.write((tables) => tables.setMeta(`promised ${index}`, 'kept')),
    );
    await promised[BATCH_WORKS_MAX / 2];
    expect([committed('behind'), committed(`promised ${BATCH_WORKS_MAX * 3 - 1}`)]).toEqual([
      'kept',
      undefined,
    ]);
    await Promise.all(promised);
  });

  test('a record nobody waits for is there after its delay, without a commit before', async () => {
    const before = commits();
    store.writeBehind((tables) => tables.insertMessage(messageRow()));
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS - 1);
    expect(commits() - before).toBe(0);
    await clock.advance(1);
    expect(commits() - before).toBe(1);
    expect(store.read.messages({ limit: 1 }, {})[0]?.messageId).toBe('message-1');
  });

  test('records that are due are all written, though each commit brings new ones', async () => {
    const more = (): void => store.writeBehind(() => more());
    more();
    for (let index = 0; index < BATCH_WORKS_MAX * 3; index += 1)
      store.writeBehind((tables) => tables.setMeta(`due ${index}`, 'kept'));
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
    expect(committed(`due ${BATCH_WORKS_MAX * 3 - 1}`)).toBe('kept');
  });

  test('records ride along with a promised commit in their order', async () => {
    const before = commits();
    for (const id of ['1', '2', '3'])
      store.writeBehind((tables) => tables.insertMessage(messageRow({ messageId: id })));
    await store.write((tables) => tables.setMeta('a', '1'));
    expect(commits() - before).toBe(1);
    expect(store.read.messages({ limit: 9 }, {}).map(({ messageId }) => messageId)).toEqual([
      '3',
      '2',
      '1',
    ]);
    expect(clock.timers).toBe(0);
  });

  test('promised works go before records that wait', async () => {
    const order: string[] = [];
    store.writeBehind(() => void order.push('record'));
    await store.write(() => void order.push('promise'));
    expect(order).toEqual(['promise', 'record']);
  });

  test('a record that fails is counted and logged and stops nobody', async () => {
    store.writeBehind(() => {
      throw new Error('unreadable');
    });
    store.writeBehind((tables) => tables.setMeta('after', 'yes'));
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
    expect(committed('after')).toBe('yes');
    expect(lines).toEqual([
      { message: 'record not written', fields: { error: 'unreadable', failed: 1 } },
    ]);
  });

  test('what is to follow a record is called with what it came to once another connection can read it', async () => {
    const told: unknown[] = [];
    store.writeBehind(
      (tables) => {
        tables.setMeta('behind', 'kept');
        return 7;
      },
      (value) => told.push([value, committed('behind')]),
    );
    await turn();
    expect(told).toEqual([]);
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
    expect(told).toEqual([[7, 'kept']]);
  });

  test('what is to follow a record never does where its commit was refused, or it was', async () => {
    const told: string[] = [];
    other.close();
    const lock = new Database(join(store.folder, 'hub.db'));
    store.writeBehind(
      () => {
        throw new Error('unreadable');
      },
      () => told.push('thrown'),
    );
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
    lock.exec('BEGIN IMMEDIATE');
    store.writeBehind(
      (tables) => tables.setMeta('behind', 'lost'),
      () => told.push('refused'),
    );
    await clock.advance(WRITE_BEHIND_DELAY_MAX_MS);
    lock.exec('ROLLBACK');
    lock.close();
    await store.write((tables) => tables.setMeta('after', 'yes'));
    expect([told, store.read.getMeta('behind'), store.read.getMeta('after')]).toEqual([
      [],
      undefined,
      'yes',
    ]);
  });

  test('beyond the queue the newest record is dropped, counted and logged', async () => {
    let written = 0;
    for (let index = 0; index < WRITE_BEHIND_QUEUE_MAX + 5; index++)
      store.writeBehind(() => void (written += 1));
    await store.close();
    expect(written).toBe(WRITE_BEHIND_QUEUE_MAX);
    expect(lines).toEqual([
      { message: 'record dropped: the queue is full', fields: { dropped: 1 } },
    ]);
  });
});

describe('a commit of which somebody is told who throws', () => {
  test('still answers everybody in it, and tells everybody else', async () => {
    const told: string[] = [];
    const first = store.write((tables) => {
      tables.appendAudit(auditRow());
      return 'first';
    });
    const second = store.write(() => {
      return 'second';
    });
    const refused = store.write(() => {
      throw new Error('refused');
    });
    store.writeBehind(
      () => undefined,
      () => {
        throw new Error('nor for that');
      },
    );
    store.writeBehind(
      () => undefined,
      () => told.push('of the last'),
    );
    expect(await Promise.allSettled([first, second, refused])).toMatchObject([
      { status: 'fulfilled', value: 'first' },
      { status: 'fulfilled', value: 'second' },
      { status: 'rejected', reason: { message: 'refused' } },
    ]);
    expect(told).toEqual(['of the last']);
    expect(lines.map(({ message }) => message)).toEqual(['consequence of a commit failed']);
    expect(await store.write(() => 'after')).toBe('after');
  });
});

describe('close', () => {
  test('commits what is queued, leaves no timer, and may be called twice', async () => {
    const path = join(store.folder, 'hub.db');
    other.close();
    const promised = store.write((tables) => tables.setMeta('promised', 'kept'));
    store.writeBehind((tables) => tables.setMeta('behind', 'kept'));
    const second = openStore({ path, clock, log: SILENT_LOG });
    await store.close();
    await promised;
    await store.close();
    expect(clock.timers).toBe(0);
    expect([second.read.getMeta('promised'), second.read.getMeta('behind')]).toEqual([
      'kept',
      'kept',
    ]);
    await second.close();
  });

  test('afterwards a write is refused with a sentence', async () => {
    await store.close();
    await expect(store.write((tables) => tables.setMeta('a', '1'))).rejects.toMatchObject({
      code: 'storage_failed',
    });
  });
});
