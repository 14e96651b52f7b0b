// What the database itself refuses, even to a program with a connection of its own: the last line
// behind the services.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KeptKind, PurgeOutcome } from '../../../../main/ports/retention.ts';
import { StoreConflict } from '../../../../main/ports/store.ts';
import {
  DEADLINE_SETTERS,
  ENDED_KINDS,
  ENDERS,
  VERDICT_ROLES,
  VERDICTS,
  WAITS_FOR,
} from '../../../../preload/contract/story.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../fakes/memory-store.ts';
import {
  approvalRow,
  AT,
  auditRow,
  keyOf,
  messageRow,
  peerRow,
  replayRow,
  taskRow,
} from '../../../fakes/sample-rows.ts';
import { verifyAudit } from '../../../support/verify-audit.ts';

let store: TemporaryStore;
let foreign: Database.Database;

beforeEach(async () => {
  store = openTemporaryStore();
  await store.write((tables) => {
    tables.insertTask(taskRow());
    tables.insertTask(
      taskRow({
        id: 'finished',
        state: 'completed',
        result: '{"status":"success"}',
        finishedAt: AT,
      }),
    );
    tables.insertApproval(approvalRow());
    tables.insertApproval(
      approvalRow({
        id: 'decided',
        state: 'declined',
        decidedAt: AT,
        decidedBy: 'ui:1',
        surface: 'browser',
      }),
    );
    tables.putReplay(replayRow({ reply: '{}' }));
    for (const action of ['pair', 'approve', 'decline']) tables.appendAudit(auditRow({ action }));
    tables.insertAuditSignature({
      ...tables.auditHead(),
      counter: 1,
      previous: 0,
      at: AT,
      key: keyOf('key'),
      signature: new Uint8Array(64),
    });
  });
  foreign = new Database(join(store.folder, 'hub.db'));
  foreign.pragma('recursive_triggers = ON');
});
afterEach(async () => {
  foreign.close();
  await store.close();
});

const attempt =
  (sql: string): (() => unknown) =>
  () =>
    foreign.prepare(sql).run();

describe('the audit', () => {
  test.each([
    "UPDATE audit SET action = 'nothing' WHERE seq = 1",
    'DELETE FROM audit WHERE seq = 3',
    'DELETE FROM audit',
    'INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE seq = 1',
    "INSERT INTO audit SELECT 0, at, actor, surface, 'before all', object, digest, detail, chain, monotonic_ms, rule FROM audit WHERE seq = 1",
    'UPDATE audit_signatures SET at = 0',
    'DELETE FROM audit_signatures',
    'INSERT INTO audit_signatures SELECT counter + 2, counter + 1, seq, chain, at, key, signature FROM audit_signatures',
  ])('is append-only: %s', (sql) => {
    expect(attempt(sql)).toThrow(/append-only/);
    expect(store.read.audit({ limit: 9 })).toHaveLength(3);
    expect(store.read.auditSignatures(0, 9)).toHaveLength(1);
  });

  test.each([
    ['a changed field', 'UPDATE audit SET detail = \'{"other":1}\' WHERE seq = 2', 2],
    ['a missing row', 'DELETE FROM audit WHERE seq = 2', 2],
    ['a missing last row', 'DELETE FROM audit WHERE seq = 3', 3],
    ['an exchanged chain', 'UPDATE audit SET chain = zeroblob(32) WHERE seq = 3', 3],
  ])('shows %s by its chain, even where the triggers were taken away', (_what, sql, brokenSeq) => {
    expect(verifyAudit(store.read)).toEqual({ rows: 3, brokenSeq: null });
    foreign.exec('DROP TRIGGER audit_unchanged; DROP TRIGGER audit_kept');
    foreign.exec(sql);
    expect(verifyAudit(store.read).brokenSeq).toBe(brokenSeq);
  });
});

describe('approvals', () => {
  test.each([
    "UPDATE approvals SET view = x'00'",
    'UPDATE approvals SET digest = zeroblob(32)',
    'UPDATE approvals SET revision = 2',
    "UPDATE approvals SET risk_class = 'R0'",
    "UPDATE approvals SET task_id = 'finished'",
  ])('what a person was asked never changes: %s', (sql) => {
    expect(attempt(`${sql} WHERE id = 'approval-1'`)).toThrow(/never changes/);
    expect(store.read.approval('approval-1')).toEqual(approvalRow());
  });

  test.each([
    "UPDATE approvals SET state = 'approved'",
    "UPDATE approvals SET reason = 'x'",
    "UPDATE approvals SET state = 'pending'",
  ])('a decision never changes: %s', (sql) => {
    expect(attempt(`${sql} WHERE id = 'decided'`)).toThrow(/a decision never changes/);
    expect(store.read.approval('decided')?.state).toBe('declined');
  });

  test('an approval is never deleted', () => {
    expect(attempt('DELETE FROM approvals')).toThrow(/never deleted/);
  });
});

describe('tasks and replays', () => {
  test.each(["state = 'running'", 'result = NULL', "code = 'timeout'", 'finished_at = 1'])(
    'a finished task never changes: %s',
    (change) => {
      expect(attempt(`UPDATE tasks SET ${change} WHERE id = 'finished'`)).toThrow(
        /a finished task never changes/,
      );
      expect(store.read.task('finished')?.state).toBe('completed');
    },
  );

  test.each([
    "payload = x'00'",
    'party = 99',
    "message_id = 'y'",
    'content_digest = zeroblob(32)',
    "kind = 'query'",
    "direction = 'local'",
  ])('what was asked of a task never changes: %s', (change) => {
    expect(attempt(`UPDATE tasks SET ${change} WHERE id = 'task-1'`)).toThrow(/never changes/);
  });

  test.each(['from_agent = 1', 'to_agent = 1', "conversation_id = 'z'", 'received_at = 1'])(
    'who asked, whom, where and when never changes: %s',
    (change) => {
      expect(attempt(`UPDATE tasks SET ${change} WHERE id = 'task-1'`)).toThrow(/never changes/);
    },
  );

  test('an answer is set once, takes the next place, and a second one is refused with its work', async () => {
    const answer = { messageId: 'a', kind: 'result', fromAgent: 'planner', at: AT } as const;
    const set = (): Promise<void> =>
      store.write((tables) => {
        tables.setMeta('undone', '1');
        tables.answerTask('finished', answer);
      });
    await set();
    await store.write((tables) => tables.setMeta('undone', '0'));
    await expect(set()).rejects.toThrow(StoreConflict);
    expect(store.read.getMeta('undone')).toBe('0');
    const [said] = store.read.messages({ limit: 1 }, {});
    expect(said).toMatchObject({ seq: 3, messageId: 'a', direction: 'out', ref: 'finished' });
    for (const change of ["answer_id = 'b'", 'answer_seq = 9', 'answer_at = 1'])
      expect(attempt(`UPDATE tasks SET ${change} WHERE id = 'finished'`)).toThrow(/never changes/);
  });

  test('a refused change reaches the service as a conflict and undoes its work alone', async () => {
    const [refused, beside] = await Promise.allSettled([
      store.write((tables) => {
        tables.setMeta('undone', '1');
        return tables.updateTask('finished', 1, { state: 'running' });
      }),
      store.write((tables) => tables.updateTask('task-1', 1, { state: 'queued' })),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(StoreConflict) });
    expect(beside).toMatchObject({ status: 'fulfilled', value: true });
    expect(store.read.getMeta('undone')).toBeUndefined();
  });

  test('what comes late of a task whose words were removed does not bring its conversation back', async () => {
    await store.write((tables) => {
      tables.insertTask(
        taskRow({ id: 'over', state: 'failed', finishedAt: AT, conversationId: 'c' }),
      );
      expect(tables.purgeConversation('c', AT)).toBe(1);
      tables.insertMessage(messageRow({ messageId: 'l', taskId: 'over', conversationId: 'c' }));
    });
    const answer = { messageId: 'a', kind: 'response', fromAgent: null, at: AT } as const;
    const late = store.write((tables) => tables.answerTask('over', answer));
    await expect(late).rejects.toThrow(StoreConflict);
    expect(store.read.messages({ limit: 9 }, { conversationId: 'c' })).toEqual([]);
    const conversations = store.read.conversations({ limit: 9 });
    expect(conversations.map(({ conversationId }) => conversationId)).not.toContain('c');
    // Its next exchange begins it anew.
    await store.write((tables) => tables.insertTask(taskRow({ id: 'n', conversationId: 'c' })));
    expect(store.read.conversations({ limit: 1 })).toMatchObject([{ messages: 1 }]);
  });

  test.each([
    "UPDATE replays SET reply = x'00'",
    'UPDATE replays SET content_digest = zeroblob(32)',
    'DELETE FROM replays',
  ])('what was answered to an id stands for ever: %s', (sql) => {
    expect(attempt(sql)).toThrow(/never/);
    expect(store.read.replay(keyOf('Mum PC'), 'replay-1')?.reply).toBe('{}');
  });

  test('a value that this program does not write is an error that names its column, and bytes that do not inflate are one bad text', () => {
    foreign.exec(
      "DROP TRIGGER tasks_identity; UPDATE tasks SET party = 99, urgent = 1 WHERE id = 'task-1'",
    );
    expect(() => store.read.task('task-1')).toThrow(/"party"/);
    foreign.exec("UPDATE tasks SET party = 1, payload = x'00ff' WHERE id = 'task-1'");
    expect(store.read.task('task-1')?.payload).toBe('\ufffd');
  });
});

/** What each fact of the story is made of: set at first, fixed from then on, and free all the time. */
const FACTS: Readonly<
  Record<string, { first: string; fixed: readonly string[]; free?: readonly string[] }>
> = {
  asked: { first: 'revision = revision', fixed: ["asked_person = 'Ana'", "deadline_by = 'hub'"] },
  waiting: { first: "waits_for = 'person'", fixed: [], free: ["waits_for = 'adult'"] },
  verdict: {
    first: "verdict = 'allowed', verdict_at = 1",
    fixed: [
      "verdict = 'declined'",
      'verdict = NULL',
      "verdict_by = 'Ana'",
      'verdict_hub = 1',
      "verdict_surface = 'window'",
      "verdict_rule = 'rule'",
      "verdict_as = 'adult'",
      'verdict_at = 2',
    ],
  },
  handed: {
    first: 'handed_at = 1',
    fixed: ['handed_at = 2', 'handed_at = NULL'],
    free: ['handed_times = 2', 'handed_on_to = 1'],
  },
  'stop asked': {
    first: 'stop_at = 1',
    fixed: ['stop_at = 2', 'stop_at = NULL', 'stop_party = 1', "stop_person = 'Ana'"],
  },
  'stop there': {
    first: 'stop_reached_at = 1',
    fixed: ['stop_reached_at = 2', 'stop_reached_at = NULL'],
  },
  'stop answered': { first: 'stop_obeyed = 1', fixed: ['stop_obeyed = 0', 'stop_obeyed = NULL'] },
  end: {
    first: "ended_kind = 'completed'",
    fixed: ["ended_kind = 'failed'", 'ended_kind = NULL', "ended_by = 'hub'", 'tokens = 1'],
  },
  told: { first: 'told_at = 1', fixed: ['told_at = 2', 'told_at = NULL'] },
  answer: {
    first: "answer_seq = 9, answer_id = 'a', answer_kind = 'result', answer_at = 1",
    fixed: [
      'answer_seq = 10',
      'answer_seq = NULL',
      "answer_id = 'b'",
      "answer_kind = 'error'",
      'answer_from = 1',
      'answer_at = 2',
    ],
  },
};

describe('a fact of the story', () => {
  const columns = (): readonly string[] =>
    foreign.prepare("SELECT name FROM pragma_table_info('tasks')").pluck().all().map(String);
  const row = (): unknown => foreign.prepare("SELECT * FROM tasks WHERE id = 'task-1'").get();
  const set = (change: string): (() => unknown) =>
    attempt(`UPDATE tasks SET ${change} WHERE id = 'task-1'`);

  test('has its columns in the table of facts, all of them', () => {
    const all = columns();
    const named = Object.values(FACTS)
      .flatMap(({ first, fixed, free = [] }) => [first, ...fixed, ...free])
      .flatMap((change) => [...change.matchAll(/(\w+) =/g)].map(([, column]) => column));
    expect(new Set([...named, 'revision'])).toEqual(
      new Set([...all.slice(all.indexOf('purged_at') + 1), 'revision']),
    );
  });

  test.each(Object.entries(FACTS))('"%s" is set once', (_fact, { first, fixed, free = [] }) => {
    expect(set(first)).not.toThrow();
    const before = row();
    for (const change of fixed) expect(set(change), change).toThrow(/never changes/);
    expect(row()).toEqual(before);
    for (const change of free) expect(set(change), change).not.toThrow();
  });

  test.each([
    ['deadline_by', DEADLINE_SETTERS],
    ['waits_for', WAITS_FOR],
    ['verdict', VERDICTS],
    ['verdict_as', VERDICT_ROLES],
    ['stop_obeyed', [0, 1]],
    ['ended_by', ENDERS],
    ['ended_kind', ENDED_KINDS],
  ])('%s takes the words of the program and no other', (column, words) => {
    const all = columns();
    const put = (value: unknown, index: number): unknown => {
      const changed = new Map<string, unknown>([
        ['id', `copy-${index}`],
        ['message_id', `copy-${index}`],
        ['seq', 50 + index],
        [column, value],
      ]);
      const values = all.map((name) => (changed.has(name) ? '?' : name));
      return foreign
        .prepare(`INSERT INTO tasks SELECT ${values.join()} FROM tasks WHERE id = 'task-1'`)
        .run(...all.flatMap((name) => (changed.has(name) ? [changed.get(name)] : [])));
    };
    for (const [index, word] of [null, ...words].entries())
      expect(() => put(word, index), String(word)).not.toThrow();
    const other = typeof words[0] === 'number' ? 2 : 'other';
    expect(() => put(other, 99)).toThrow(/CHECK constraint failed/);
  });

  test('an answer comes behind its question', () => {
    for (const seq of [0, 1])
      expect(set(`answer_seq = ${seq}, answer_at = 1`)).toThrow(/CHECK constraint failed/);
  });
});

describe('what was decided', () => {
  test.each([
    ['an answer without words', { state: 'answered', reason: null }],
    ['an approval with words', { state: 'approved', reason: 'Said' }],
  ] as const)('is never %s', async (_what, decision) => {
    await store.write((tables) => tables.insertTask(taskRow({ id: 'decided' })));
    const row = approvalRow({ id: 'of decided', taskId: 'decided', decidedAt: 1, ...decision });
    await expect(store.write((tables) => tables.insertApproval(row))).rejects.toThrow(
      'CHECK constraint failed',
    );
    expect(store.read.approval('of decided')).toBeUndefined();
  });
});

describe('how a hub came to be paired', () => {
  test('is always known, and is one of the ways there are', async () => {
    await store.write((tables) => tables.putPeer(peerRow()));
    const set = (change: string): (() => unknown) => attempt(`UPDATE peers SET ${change}`);
    for (const part of [
      'introduced_way = NULL',
      'introduced_by = NULL',
      'introduced_surface = NULL',
    ]) {
      expect(set(part), part).toThrow('NOT NULL constraint failed');
    }
    expect(set("introduced_way = 'hearsay'")).toThrow('CHECK constraint failed');
    expect(set("introduced_way = 'share_token'")).not.toThrow();
    expect(store.read.peer(keyOf('Mum PC'))).toMatchObject({
      introducedWay: 'share_token',
      introducedBy: 'ui:1',
      introducedSurface: 'browser',
    });
  });
});

describe('the removal of words', () => {
  const over = {
    state: 'completed',
    result: '{"outcome":"done"}',
    reason: 'r',
    finishedAt: AT,
  } as const;
  const done = { state: 'approved', decidedAt: AT, decidedBy: 'ui:1', surface: 'browser' } as const;
  const purge = (kind: KeptKind, limit = 50): Promise<PurgeOutcome> =>
    store.write((tables) => tables.purge({ kind, before: AT + 1, after: null, limit, at: AT }));

  beforeEach(async () => {
    await store.write((tables) => {
      tables.insertTask(taskRow({ id: 'over', ...over }));
      tables.insertApproval(approvalRow({ id: 'of-over', taskId: 'over', ...done }));
      tables.insertMessage(
        messageRow({ messageId: 'of-over', taskId: 'over', conversationId: 'c' }),
      );
    });
  });

  test.each([
    ['of an open task', "UPDATE tasks SET purged_at = 1, payload = x'' WHERE id = 'task-1'"],
    ['and not of all of them', "UPDATE tasks SET purged_at = 1, payload = x'' WHERE id = 'over'"],
    [
      'with the end',
      "UPDATE tasks SET purged_at = 1, payload = x'', result = NULL, reason = NULL, state = 'failed' WHERE id = 'over'",
    ],
    [
      'with the digest',
      "UPDATE tasks SET purged_at = 1, payload = x'', result = NULL, reason = NULL, content_digest = zeroblob(32) WHERE id = 'over'",
    ],
    [
      'with the id',
      "UPDATE tasks SET purged_at = 1, payload = x'', result = NULL, reason = NULL, message_id = 'x' WHERE id = 'over'",
    ],
    [
      'with the code',
      "UPDATE tasks SET purged_at = 1, payload = x'', result = NULL, reason = NULL, code = 'timeout' WHERE id = 'over'",
    ],
    [
      'of a card whose task has its own',
      "UPDATE approvals SET purged_at = 1, view = x'', reason = NULL WHERE id = 'of-over'",
    ],
    [
      'of a card that waits',
      "UPDATE approvals SET purged_at = 1, view = x'' WHERE id = 'approval-1'",
    ],
    [
      'of a message of a task that has its own',
      "DELETE FROM messages WHERE message_id = 'of-over'",
    ],
  ])('is refused %s', (_what, sql) => {
    expect(attempt(sql)).toThrow(/only the words of|a message stays|never changes/);
  });

  test('leaves words where other words are put in their place', () => {
    expect(
      attempt(
        "UPDATE tasks SET purged_at = 1, payload = x'00', result = NULL, reason = NULL WHERE id = 'over'",
      ),
    ).toThrow(/CHECK constraint|only the words of/);
    expect(store.read.task('over')?.payload).not.toBe('');
  });

  test('happens once, changes nothing besides, and gives nothing back', async () => {
    const [task, approval] = [store.read.task('over'), store.read.approval('of-over')];
    expect((await purge('tasks')).removed).toBe(2);
    expect(store.read.task('over')).toEqual({ ...task, payload: '', result: null, reason: null });
    expect(store.read.approval('of-over')).toEqual({ ...approval, view: '' });
    expect((await purge('messages')).removed).toBe(1);
    expect(store.read.conversations({ limit: 9 })).toMatchObject([
      { conversationId: 'conversation of task-1', messages: 1 },
    ]);
    for (const sql of [
      "UPDATE tasks SET purged_at = NULL WHERE id = 'over'",
      "UPDATE tasks SET purged_at = 2 WHERE id = 'over'",
      "UPDATE tasks SET payload = x'00' WHERE id = 'over'",
      "UPDATE tasks SET result = x'00' WHERE id = 'over'",
      "UPDATE approvals SET purged_at = NULL WHERE id = 'of-over'",
      "UPDATE approvals SET view = x'00' WHERE id = 'of-over'",
      "UPDATE approvals SET reason = 'x' WHERE id = 'of-over'",
    ]) {
      expect(attempt(sql), sql).toThrow(/only the words of|never changes/);
    }
    expect(store.read.task('over')?.payload).toBe('');
  });

  test('takes a bounded number of rows, and goes on where it was', async () => {
    const first = await purge('tasks', 1);
    expect(first).toMatchObject({ removed: 1, next: { at: AT } });
    const rest = await store.write((tables) =>
      tables.purge({ kind: 'tasks', before: AT + 1, after: first.next, limit: 50, at: AT }),
    );
    expect(rest).toEqual({ removed: 1, seqs: [expect.any(Number)], next: null });
  });

  test('takes nothing that ended at the very time', async () => {
    const none = await store.write((tables) =>
      tables.purge({ kind: 'tasks', before: AT, after: null, limit: 50, at: AT }),
    );
    expect(none).toEqual({ removed: 0, seqs: [], next: null });
  });
});
