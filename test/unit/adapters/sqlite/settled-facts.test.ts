// Facts that the store keeps in memory are those of the database, whoever writes it and however a
// unit of work ends.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Statements } from '../../../../main/adapters/sqlite/statements.ts';
import { settledTableOf } from '../../../../main/adapters/sqlite/settled-facts.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../fakes/memory-store.ts';
import {
  agentRow,
  muteRow,
  peerRow,
  ruleRow,
  taskRow,
  tokenRow,
} from '../../../fakes/sample-rows.ts';
import { writeInOtherProcess } from '../../../support/other-process.ts';

let store: TemporaryStore;
let other: Database.Database;
beforeEach(() => {
  store = openTemporaryStore();
  other = new Database(join(store.folder, 'hub.db'));
});
afterEach(async () => {
  other.close();
  await store.close();
});

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const PEER = peerRow();
const TOKEN = tokenRow();

/** How many statements of `pattern` are executed by what `run` does. */
function executions(pattern: RegExp, run: () => void): number {
  let count = 0;
  const prototype: object = Object.getPrototypeOf(other.prepare('SELECT 1'));
  const spies = ['get', 'all'].map((name) => {
    const original: unknown = Reflect.get(prototype, name);
    if (typeof original !== 'function') throw new Error(`better-sqlite3 has no ${name}`);
    return vi.spyOn(prototype as Record<string, () => unknown>, name).mockImplementation(function (
      this: { readonly source: string },
      ...values: unknown[]
    ) {
      if (pattern.test(this.source)) count++;
      return Reflect.apply(original, this, values);
    });
  });
  run();
  for (const spy of spies) spy.mockRestore();
  return count;
}

test('what does not change is read once', async () => {
  await store.write((tables) => tables.putPeer(PEER));
  const read = (): void => {
    for (let index = 0; index < 50; index++) expect(store.read.peer(PEER.key)).toEqual(PEER);
  };
  expect(executions(/FROM peers/, read)).toBe(1);
  await turn();
  expect(executions(/FROM peers/, read)).toBe(0);
});

describe('seen at once is', () => {
  test('what this hub writes, in the unit of work and after it', async () => {
    await store.write((tables) => {
      expect(tables.peer(PEER.key)).toBeUndefined();
      tables.putPeer(PEER);
      expect(tables.peer(PEER.key)).toEqual(PEER);
      tables.putPeer({ ...PEER, trust: 'suspended' });
      expect(tables.peers()).toEqual([{ ...PEER, trust: 'suspended' }]);
    });
    expect(store.read.peer(PEER.key)?.trust).toBe('suspended');
  });

  test('a token that is revoked', async () => {
    await store.write((tables) => tables.putToken(TOKEN));
    expect(store.read.token(TOKEN.id)?.revokedAt).toBeNull();
    await store.write((tables) => tables.putToken({ ...TOKEN, revokedAt: 7 }));
    expect(store.read.token(TOKEN.id)?.revokedAt).toBe(7);
    expect(store.read.tokens()[0]?.revokedAt).toBe(7);
  });

  test('what another process writes, from the next turn on and in the next unit of work', async () => {
    await store.write((tables) => {
      tables.putToken(TOKEN);
      tables.putPeer(PEER);
      tables.putAgent(agentRow({ name: 'cook' }));
      tables.setMeta('fact', 'old');
      tables.insertRule(ruleRow());
      tables.putMute(muteRow());
    });
    const facts = (): unknown => [
      store.read.token(TOKEN.id)?.revokedAt,
      store.read.tokens().length,
      store.read.peer(PEER.key)?.petname,
      store.read.peers()[0]?.petname,
      store.read.agents().length,
      store.read.getMeta('fact'),
      store.read.currentRules()[0]?.suspended,
      store.read.mute(PEER.key)?.until,
    ];
    const { until } = muteRow();
    expect(facts()).toEqual([null, 1, PEER.petname, PEER.petname, 1, 'old', false, until]);
    writeInOtherProcess(
      store.folder,
      `UPDATE tokens SET revoked_at = 9; UPDATE peers SET petname = 'Attic'; DELETE FROM agents;
       UPDATE meta SET value = 'new' WHERE name = 'fact'; UPDATE rules SET suspended = 1;
       UPDATE mutes SET until = until + 1`,
    );
    await turn();
    expect(facts()).toEqual([9, 1, 'Attic', 'Attic', 0, 'new', true, until + 1]);
    writeInOtherProcess(store.folder, "UPDATE peers SET petname = 'Cellar'");
    expect(await store.write((tables) => tables.peer(PEER.key)?.petname)).toBe('Cellar');
  });
});

describe('gone with it is what was read in a unit of work', () => {
  test('that was rolled back', async () => {
    const failed = store.write((tables) => {
      tables.putPeer(PEER);
      tables.setMeta('fact', 'never');
      tables.insertTask(taskRow({ party: 'agent:nobody-before' }));
      expect([tables.peer(PEER.key), tables.getMeta('fact')]).toEqual([PEER, 'never']);
      throw new RangeError('the work fails');
    });
    await expect(failed).rejects.toThrow('the work fails');
    expect([store.read.peer(PEER.key), store.read.peers(), store.read.getMeta('fact')]).toEqual([
      undefined,
      [],
      undefined,
    ]);
    // The number of a name that was rolled back may be another's by now.
    await store.write((tables) => tables.insertTask(taskRow({ party: 'agent:somebody-else' })));
    await store.write((tables) =>
      tables.insertTask(
        taskRow({ id: 'second', messageId: 'second', party: 'agent:nobody-before' }),
      ),
    );
    const parties = store.read.tasks({ limit: 2 }).map(({ party }) => party);
    expect(parties).toEqual(['agent:nobody-before', 'agent:somebody-else']);
  });

  test('whose whole commit failed', async () => {
    other.exec('BEGIN IMMEDIATE');
    const failed = store.write((tables) => tables.putPeer(PEER));
    await expect(failed).rejects.toMatchObject({ code: 'storage_failed' });
    other.exec('ROLLBACK');
    expect(store.read.peer(PEER.key)).toBeUndefined();
  }, 30_000);
});

test('gone is, too, what was read in a transaction that SQLite rolled back by itself', () => {
  const statements = new Statements(other);
  const fact = (): unknown =>
    statements.settled('meta', 'fact', () =>
      statements.value("SELECT value FROM meta WHERE name = 'fact'"),
    );
  statements.execute('BEGIN IMMEDIATE');
  statements.run("INSERT INTO meta (name, value) VALUES ('fact', 'never')");
  expect([fact(), statements.numberOf('somebody') > 0]).toEqual(['never', true]);
  other.exec('ROLLBACK');
  statements.rollback();
  expect([fact(), statements.knownNumber('somebody')]).toEqual([undefined, 0]);
});

test.each([
  [
    'INSERT INTO peers (key) VALUES (?) ON CONFLICT (key) DO UPDATE SET key = excluded.key',
    'peers',
  ],
  ['UPDATE rules SET uses = ? WHERE id = ?', 'rules'],
  ['DELETE FROM tokens WHERE id = ?', 'tokens'],
  ['SELECT name FROM agents', undefined],
  ['INSERT INTO tasks (id) VALUES (?)', undefined],
  ['UPDATE feed SET read_at = ? WHERE id IN (SELECT id FROM meta)', undefined],
])('%s writes to %s', (sql, table) => {
  expect(settledTableOf(sql)).toBe(table);
});
