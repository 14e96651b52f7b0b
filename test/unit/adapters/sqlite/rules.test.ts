// The table of rules: what goes in comes out, an ended rule counts no more, and what the database
// itself refuses, even to a program with a connection of its own.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RuleRow } from '../../../../main/ports/rules.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../fakes/memory-store.ts';
import { AT, keyOf, ruleRow } from '../../../fakes/sample-rows.ts';

let store: TemporaryStore;
beforeEach(() => {
  store = openTemporaryStore();
});
afterEach(() => store.close());

const insert = (...rows: readonly Omit<RuleRow, 'seq'>[]) =>
  store.write((tables) => rows.map((row) => tables.insertRule(row)));
const WIDE = {
  effect: 'never',
  peer: null,
  agent: null,
  domain: null,
  kind: null,
  askingAgent: null,
  riskMax: null,
} as const;

test('a rule comes back exactly, numbered in the order rules are made, and about a hub stands what names it or nobody', async () => {
  const [first, wide] = await insert(
    ruleRow(),
    ruleRow({ id: 'wide', ...WIDE }),
    ruleRow({ id: 'kid', peer: keyOf('Kid') }),
  );
  expect(first).toEqual({ ...ruleRow(), seq: 1 });
  expect(store.read.rule('rule-1')).toEqual(first);
  expect(store.read.currentRules().map(({ id }) => id)).toEqual(['rule-1', 'wide', 'kid']);
  expect(store.read.rulesAbout(keyOf('Mum PC'))).toEqual([first, wide]);
  expect(store.read.rulesAbout('agent:scribe')).toEqual([wide]);
});

test('uses count, a pause is kept, and an ended rule is among the ended ones alone', async () => {
  await insert(ruleRow(), ruleRow({ id: 'other' }));
  await store.write((tables) => {
    expect(tables.updateRule('rule-1', { uses: 3, lastUsedAt: AT + 5, suspended: true })).toBe(
      true,
    );
    expect(tables.updateRule('other', { endedAt: AT + 9, endedWhy: 'expired' })).toBe(true);
    expect(tables.updateRule('nobody', { uses: 1 })).toBe(false);
  });
  expect(store.read.currentRules()).toMatchObject([
    { id: 'rule-1', uses: 3, lastUsedAt: AT + 5, suspended: true },
  ]);
  expect(store.read.rulesAbout(keyOf('Mum PC'))).toHaveLength(1);
  expect(store.read.endedRules({ limit: 9 })).toMatchObject([{ id: 'other', endedWhy: 'expired' }]);
  expect(store.read.endedRules({ limit: 9, beforeSeq: 2 })).toEqual([]);
});

test.each([
  "UPDATE rules SET domain = 'family'",
  'UPDATE rules SET peer = NULL',
  "UPDATE rules SET effect = 'ask', risk_max = NULL",
  "UPDATE rules SET risk_max = 'R2'",
  'UPDATE rules SET expires_at = NULL',
  'UPDATE rules SET created_at = 0',
])('what a rule covers never changes: %s', async (sql) => {
  await insert(ruleRow());
  expect(attempt(sql)).toThrow(/what a rule covers never changes/);
  expect(store.read.rule('rule-1')).toMatchObject(ruleRow());
});

test('a rule that is over by itself stays over, one that was taken away may come back, and none is ever deleted', async () => {
  await insert(
    ruleRow({ endedAt: AT, endedWhy: 'peer_gone' }),
    ruleRow({ id: 'removed', endedAt: AT, endedWhy: 'removed' }),
  );
  const revive = (id: string) =>
    attempt(`UPDATE rules SET ended_at = NULL, ended_why = NULL WHERE id = '${id}'`);
  expect(revive('rule-1')).toThrow(/stays over/);
  expect(revive('removed')).not.toThrow();
  expect(attempt('DELETE FROM rules')).toThrow(/never deleted/);
  expect(store.read.currentRules().map(({ id }) => id)).toEqual(['removed']);
});

test.each<[string, Partial<RuleRow>]>([
  ['covers a dangerous request', { riskMax: 'R3' }],
  ['allows anybody', { peer: null }],
  ['allows any agent', { agent: null }],
  ['allows any area', { domain: null }],
  ['allows without a class', { riskMax: null }],
  ['refuses up to a class', { effect: 'never' }],
])('no rule can be written that %s', async (_what, change) => {
  await expect(insert(ruleRow(change))).rejects.toThrow(/CHECK constraint/);
});

function attempt(sql: string): () => unknown {
  return () => {
    const foreign = new Database(join(store.folder, 'hub.db'));
    try {
      return foreign.prepare(sql).run();
    } finally {
      foreign.close();
    }
  };
}
