// Removing the words of what ended long ago, a bounded number of rows at a time. What must stay is
// refused by triggers as well; here it is passed over, so that one row that is still needed does
// not keep the others.
import type {
  KeptKind,
  PurgeOrder,
  PurgePlace,
  RetentionWrites,
} from '../../../ports/retention.ts';
import { readObject } from '../../../lib/json-object.ts';
import { idValue, integer, longText, text } from '../columns.ts';
import { pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';
import { searchWrites } from './search.ts';

interface Notification {
  readonly seq: number;
  readonly state: string;
  readonly body: string;
}

const PLACE = new RowMapper<PurgePlace>({ at: integer('at'), seq: integer('seq') });
const IN_ORDER = 'ORDER BY 1, 2 LIMIT ?';
const NOT_TOLD = `EXISTS (SELECT 1 FROM outbox WHERE outbox.party = messages.party AND outbox.message_id = messages.message_id
  AND outbox.settled_at IS NULL AND messages.direction = 'out')`;

/**
 * Of each kind what ended before a time and after a place, in the order of its end; of permissions,
 * which are few, in the order in which they were asked for.
 */
export const PURGE_QUERIES = {
  tasks: `SELECT finished_at AS at, seq FROM tasks WHERE purged_at IS NULL AND finished_at < ? AND (finished_at, seq) > (?, ?) ${IN_ORDER}`,
  permissions: `SELECT finished_at AS at, seq FROM tasks WHERE to_agent IS NULL AND direction <> 'outgoing' AND direction = 'local' AND kind = 'query'
    AND purged_at IS NULL AND finished_at < ? AND seq > ? ORDER BY seq LIMIT ?`,
  messages: `SELECT at, seq FROM messages WHERE at < ? AND (at, seq) > (?, ?) ${IN_ORDER}`,
  deliveries: `SELECT finished_at AS at, seq FROM deliveries WHERE finished_at < ? AND (finished_at, seq) > (?, ?) ${IN_ORDER}`,
  feed: `SELECT at, seq FROM feed WHERE at < ? AND (at, seq) > (?, ?) ${IN_ORDER}`,
  outbox: `DELETE FROM outbox WHERE (party, message_id) IN (SELECT party, message_id FROM outbox
    WHERE settled_at IS NOT NULL AND settled_at < ? ORDER BY settled_at LIMIT ?)`,
} as const;

/** One task, unless it is open or something of it waits. */
const PURGE_TASK = `UPDATE tasks SET payload = x'', result = NULL, reason = NULL, purged_at = ?
  WHERE seq = ? AND purged_at IS NULL AND state IN ('completed', 'partial', 'failed', 'declined', 'expired', 'cancelled')
    AND NOT EXISTS (SELECT 1 FROM approvals WHERE task_id = tasks.id AND state = 'pending')
    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE task_id = tasks.id AND state <> 'done')
    AND NOT EXISTS (SELECT 1 FROM outbox JOIN messages ON messages.message_id = outbox.message_id AND messages.party = outbox.party
      WHERE outbox.settled_at IS NULL AND messages.direction = 'out' AND messages.task_id = tasks.id)
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE party = tasks.party AND message_id = tasks.answer_id AND settled_at IS NULL)`;
const PURGE_APPROVALS = `UPDATE approvals SET view = x'', reason = CASE state WHEN 'answered' THEN '' END, purged_at = ?
  WHERE task_id = (SELECT id FROM tasks WHERE seq = ?) AND purged_at IS NULL`;

/** One row, unless something needs it. */
const REMOVE = {
  messages: `DELETE FROM messages WHERE seq = ? AND NOT ${NOT_TOLD}
    AND NOT EXISTS (SELECT 1 FROM tasks WHERE id = messages.task_id AND purged_at IS NULL)`,
  deliveries: `DELETE FROM deliveries WHERE seq = ? AND state = 'done'
    AND NOT EXISTS (SELECT 1 FROM tasks WHERE id = deliveries.task_id AND purged_at IS NULL)`,
  feed: 'DELETE FROM feed WHERE seq = ?',
} as const satisfies Partial<Record<KeptKind, string>>;

const ITS_TASKS = 'SELECT id FROM tasks WHERE conversation_id = ?';
/** Notifications are no task's, and say only in their body to which conversation they belong. */
const NOTIFICATION = new RowMapper<Notification>({
  seq: integer('seq'),
  state: text('state'),
  body: longText('body'),
});
const NOTIFICATIONS = `SELECT ${NOTIFICATION.columns} FROM deliveries WHERE task_id IS NULL AND kind = 'notify'
  AND created_at BETWEEN ? AND ?`;
const NOTICED = `SELECT min(at) AS first, max(at) AS last FROM messages WHERE conversation_id = ? AND kind = 'notify' HAVING count(*) > 0`;
const SPAN = new RowMapper<{ readonly first: number; readonly last: number }>({
  first: integer('first'),
  last: integer('last'),
});
/** Between a message and what an agent gets of it. */
const SOON_MS = 60_000;
/** What keeps the words of a conversation. Each takes its id. */
const KEPT_BY = [
  `SELECT 1 FROM tasks WHERE conversation_id = ?
    AND state NOT IN ('completed', 'partial', 'failed', 'declined', 'expired', 'cancelled')`,
  `SELECT 1 FROM approvals WHERE state = 'pending' AND task_id IN (${ITS_TASKS})`,
  `SELECT 1 FROM deliveries WHERE state <> 'done' AND task_id IN (${ITS_TASKS})`,
  `SELECT 1 FROM messages JOIN outbox USING (party, message_id)
    WHERE conversation_id = ? AND direction = 'out' AND settled_at IS NULL`,
  `SELECT 1 FROM tasks JOIN outbox ON outbox.party = tasks.party AND outbox.message_id = tasks.answer_id
    WHERE conversation_id = ? AND settled_at IS NULL`,
];
const ITS_PLACES = 'SELECT 0 AS at, seq FROM tasks WHERE conversation_id = ?';
/** After its tasks have lost their words. */
const REMOVE_WITH_IT = [
  `DELETE FROM deliveries WHERE task_id IN (${ITS_TASKS})`,
  `DELETE FROM outbox WHERE (party, message_id) IN
    (SELECT party, message_id FROM messages WHERE conversation_id = ? AND direction = 'out')`,
  `DELETE FROM outbox WHERE (party, message_id) IN
    (SELECT party, answer_id FROM tasks WHERE conversation_id = ? AND answer_id IS NOT NULL)`,
];
/** How many messages a conversation has. */
const ITS_LENGTH = 'SELECT messages FROM conversations WHERE conversation_id = ?';

export function retentionWrites(statements: Statements): RetentionWrites {
  const { clearSearch } = searchWrites(statements);
  const removeOne = (kind: Exclude<KeptKind, 'outbox'>, seq: number, at: number): number => {
    if (kind !== 'tasks') return statements.run(REMOVE[kind], seq).changes;
    const { changes } = statements.run(PURGE_TASK, at, seq);
    if (changes === 1) statements.run(PURGE_APPROVALS, at, seq);
    return changes;
  };
  const notificationsOf = (conversationId: string): readonly Notification[] => {
    const [told] = statements.all(SPAN, NOTICED, idValue(conversationId));
    if (told === undefined) return [];
    return statements
      .all(NOTIFICATION, NOTIFICATIONS, told.first - SOON_MS, told.last + SOON_MS)
      .filter(({ body }) => readObject(body)['conversation_id'] === conversationId);
  };
  return {
    purge: ({ kind, isPermissions, before, after, limit, at }: PurgeOrder) => {
      const rows = pageLimit(limit);
      const from = after ?? { at: Number.MIN_SAFE_INTEGER, seq: 0 };
      if (kind === 'outbox') {
        const removed = statements.run(PURGE_QUERIES.outbox, before, rows).changes;
        return { removed, seqs: [], next: removed < rows ? null : from };
      }
      const places =
        isPermissions === true
          ? statements.all(PLACE, PURGE_QUERIES.permissions, before, from.seq, rows)
          : statements.all(PLACE, PURGE_QUERIES[kind], before, from.at, from.seq, rows);
      const seqs = places.map(({ seq }) => seq).filter((seq) => removeOne(kind, seq, at) > 0);
      if ((kind === 'messages' || kind === 'tasks') && seqs.length > 0) clearSearch();
      const last = places.at(-1);
      return {
        removed: seqs.length,
        seqs,
        next: last === undefined || places.length < rows ? null : last,
      };
    },
    purgeConversation: (conversationId, at) => {
      const id = idValue(conversationId);
      const notifications = notificationsOf(conversationId);
      if (
        KEPT_BY.some((query) => statements.value(query, id) !== undefined) ||
        notifications.some(({ state }) => state !== 'done')
      )
        return null;
      const length = Number(statements.value(ITS_LENGTH, id) ?? 0);
      // First: else each removal looks for what is left of it.
      statements.run('DELETE FROM conversations WHERE conversation_id = ?', id);
      for (const { seq } of statements.all(PLACE, ITS_PLACES, id)) removeOne('tasks', seq, at);
      for (const query of REMOVE_WITH_IT) statements.run(query, id);
      for (const { seq } of notifications)
        statements.run('DELETE FROM deliveries WHERE seq = ?', seq);
      statements.run('DELETE FROM messages WHERE conversation_id = ?', id);
      clearSearch();
      return length;
    },
  };
}
