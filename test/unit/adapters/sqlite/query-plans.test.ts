// Every read of the port is a search in an index: none walks a table, none sorts more than a page.
// Asked of SQLite itself.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPROVAL_QUERIES } from '../../../../main/adapters/sqlite/tables/approvals.ts';
import { AUDIT_QUERIES } from '../../../../main/adapters/sqlite/tables/audit.ts';
import {
  claimableQuery,
  countDeliveriesQuery,
  deliveriesOfAgentQuery,
  DELIVERY_QUERIES,
} from '../../../../main/adapters/sqlite/tables/deliveries.ts';
import { FEED_QUERIES } from '../../../../main/adapters/sqlite/tables/feed.ts';
import {
  MESSAGE_QUERIES,
  messagesQuery,
} from '../../../../main/adapters/sqlite/tables/messages.ts';
import { META_GET } from '../../../../main/adapters/sqlite/tables/meta.ts';
import { MUTE_QUERIES } from '../../../../main/adapters/sqlite/tables/mutes.ts';
import { OUTBOX_QUERIES } from '../../../../main/adapters/sqlite/tables/outbox.ts';
import { PURGE_QUERIES } from '../../../../main/adapters/sqlite/tables/retention.ts';
import { RULE_QUERIES } from '../../../../main/adapters/sqlite/tables/rules.ts';
import { SEARCH_QUERIES } from '../../../../main/adapters/sqlite/tables/search.ts';
import { Statements } from '../../../../main/adapters/sqlite/statements.ts';
import { TASK_QUERIES, tasksInStatesQuery } from '../../../../main/adapters/sqlite/tables/tasks.ts';
import { TOKEN_USE_QUERIES } from '../../../../main/adapters/sqlite/tables/token-use.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../fakes/memory-store.ts';

let store: TemporaryStore;
let connection: Database.Database;
beforeAll(() => {
  store = openTemporaryStore();
  connection = new Database(join(store.folder, 'hub.db'), { readonly: true });
  // The reads use a function of this program.
  expect(new Statements(connection).knownNumber('nobody')).toBe(0);
});
afterAll(async () => {
  connection.close();
  await store.close();
});

function planOf(sql: string): readonly string[] {
  const parameters = [...sql].filter((character) => character === '?').map(() => 1);
  return connection
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...parameters)
    .map((row) =>
      typeof row === 'object' && row !== null && 'detail' in row ? String(row.detail) : '',
    );
}

const QUERIES: Readonly<Record<string, string>> = {
  'meta by name': META_GET,
  ...prefixed('task', TASK_QUERIES),
  'tasks in one state': tasksInStatesQuery(1),
  'tasks in six states': tasksInStatesQuery(6),
  ...prefixed('approval', APPROVAL_QUERIES),
  ...prefixed('rule', RULE_QUERIES),
  ...prefixed('mute', MUTE_QUERIES),
  ...prefixed('delivery', DELIVERY_QUERIES),
  'claimable of all kinds': claimableQuery(0),
  'claimable of two kinds': claimableQuery(2),
  'deliveries of an agent in one state': deliveriesOfAgentQuery(1),
  'deliveries of an agent in five states': deliveriesOfAgentQuery(5),
  'count of deliveries': countDeliveriesQuery(2),
  'all messages': messagesQuery({}),
  'messages of a conversation': messagesQuery({ conversationId: 'c' }),
  ...prefixed('message', MESSAGE_QUERIES),
  ...prefixed('feed', FEED_QUERIES),
  ...prefixed('token use', TOKEN_USE_QUERIES),
  ...prefixed('outbox', OUTBOX_QUERIES),
  ...prefixed('audit', AUDIT_QUERIES),
  ...prefixed('purge', PURGE_QUERIES),
  ...prefixed('search', SEARCH_QUERIES),
};

/** Walks a partial index that holds only its own rows. */
const WALKS_ITS_OWN_INDEX = new Set([
  'approval pending',
  'approval countPending',
  'approval countPendingOf',
  'rule current',
  'feed unreadCount',
  'outbox parties',
]);
/** Takes the first row of the table's own order. */
const TAKES_THE_LAST_ROW = new Set(['audit last', 'audit lastSeal', 'search newest']);
/** The database's own table of the numbers it gave: a row a table. */
const WALKS_A_HANDFUL = new Set(['audit issued']);

function prefixed(
  name: string,
  queries: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(queries).map(([key, sql]) => [`${name} ${key}`, sql]));
}

test.each(Object.entries(QUERIES))('%s is an index lookup', (name, sql) => {
  const plan = planOf(sql);
  expect(plan.length).toBeGreaterThan(0);
  const sorts = plan.filter((step) => /TEMP B-TREE/.test(step));
  expect(sorts).toEqual([]);
  const scans = plan.filter((step) => /\bSCAN\b/.test(step) && !/CONSTANT ROW/.test(step));
  // What a view or a subquery gave is walked; how it came about is another step.
  const walked = scans.filter(
    (step) =>
      !/^SCAN search VIRTUAL TABLE INDEX \d+:M/.test(step) &&
      !/^SCAN (?:said|\(subquery-\d+\))$/.test(step),
  );
  const walks = WALKS_ITS_OWN_INDEX.has(name)
    ? walked.filter((step) => !/USING (COVERING )?INDEX/.test(step))
    : walked;
  expect(TAKES_THE_LAST_ROW.has(name) || WALKS_A_HANDFUL.has(name) ? [] : walks).toEqual([]);
});

test('what triggers look for among all that was said is merged from its parts, not sorted', () => {
  const triggers = connection
    .prepare<[], string>("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    .pluck()
    .all();
  const looks = triggers.flatMap((sql) => sql.match(/\(SELECT [^()]* FROM said[^()]*\)/g) ?? []);
  expect(looks.length).toBeGreaterThan(3);
  for (const look of looks)
    expect(planOf(look.slice(1, -1).replaceAll(/OLD\.\w+/g, '?')).join()).not.toMatch(
      /TEMP B-TREE/,
    );
});

test('the plan of a read without an index would be caught', () => {
  expect(planOf('SELECT payload FROM messages WHERE payload = ? ORDER BY kind').join()).toMatch(
    /SCAN messages.*TEMP B-TREE/,
  );
});
