// Schema 9: an answer of a person is a state of its own, for old records too.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../../main/adapters/sqlite/open-store.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { approvalRow } from '../../../fakes/sample-rows.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'databases');
let home: string;
let path: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'axon-answered-'));
  path = join(home, 'hub.db');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('F-08: what a person answered before schema 9 is a state of its own since, and all else stands as it stood', async () => {
  copyFileSync(join(FIXTURES, 'schema-8.db'), path);
  const before = new Database(path);
  before.exec('DROP TRIGGER approvals_decided');
  before.exec("UPDATE approvals SET reason = 'I told them myself.' WHERE id = 'approval-14'");
  before.exec("UPDATE approvals SET state = 'declined', reason = 'Not today.' WHERE id = 'approval-13'");
  before.exec("UPDATE approvals SET state = 'expired', reason = 'Nobody answered.' WHERE id = 'approval-12'");
  const rows = before.prepare<[], Readonly<Record<string, unknown>>>('SELECT * FROM approvals ORDER BY seq').all();
  before.close();
  const store = openStore({ path, clock: new ManualClock(), log: SILENT_LOG });
  const states = ['approval-15', 'approval-14', 'approval-13', 'approval-12', 'approval-16'].map((id) => store.read.approval(id)?.state);
  expect(states).toEqual(['approved', 'answered', 'declined', 'expired', 'pending']);
  await store.write((tables) => tables.insertApproval(approvalRow({ id: 'approval-21', taskId: 'task-20' })));
  await store.close();
  const after = new Database(path);
  const columns = 'seq, id, task_id, revision, digest, view, risk_class, created_at, expires_at, decided_at, decided_by, surface, reason';
  const wanted = rows.map((row) => (row['id'] === 'approval-14' ? { ...row, state: 'answered' } : row));
  expect(after.prepare(`SELECT state, decided_seq, rule_id, ${columns} FROM approvals ORDER BY seq LIMIT 20`).all()).toEqual(wanted);
  // The numbers it gave are given to nobody else.
  expect(after.prepare("SELECT seq FROM approvals WHERE id = 'approval-21'").get()).toEqual({ seq: 21 });
  const change = (sql: string) => () => after.exec(sql);
  expect(change("UPDATE approvals SET reason = 'x' WHERE id = 'approval-14'")).toThrow(/a decision never changes/);
  expect(change("DELETE FROM approvals WHERE id = 'approval-14'")).toThrow(/never deleted/);
  expect(change("UPDATE approvals SET view = 'x' WHERE id = 'approval-16'")).toThrow(/was asked never changes/);
  expect(change("UPDATE approvals SET state = 'answered' WHERE id = 'approval-16'")).toThrow(/CHECK/);
  expect(change("UPDATE approvals SET state = 'approved', reason = 'x' WHERE id = 'approval-16'")).toThrow(/CHECK/);
  expect(after.pragma('foreign_key_check')).toEqual([]);
  after.close();
});
