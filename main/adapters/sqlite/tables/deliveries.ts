// Table `deliveries`: the durable inbox of each local agent, and which item may be handed out next.
import type { DeliveryRow, Reads, Tables } from '../../../ports/store.ts';
import { choice, integer, milliseconds, nullable, text, urgency } from '../columns.ts';
import { merged, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const CONTENT = {
  deliveryId: text('delivery_id'),
  agent: text('agent'),
  kind: choice<DeliveryRow['kind']>('kind', { delegate: true, query: true, notify: true, result: true, cancel: true }),
  state: choice<DeliveryRow['state']>('state', { queued: true, claimed: true, running: true, done: true, dead: true }),
  taskId: nullable(text('task_id')),
  conversationId: nullable(text('conversation_id')),
  urgency: urgency('urgency'),
  body: text('body'),
  attempt: integer('attempt'),
  leaseUntilWallMs: nullable(milliseconds('lease_until_wall_ms')),
  createdAt: milliseconds('created_at'),
  finishedAt: nullable(milliseconds('finished_at')),
} as const;

const NEW_DELIVERY = new RowMapper<Omit<DeliveryRow, 'seq'>>(CONTENT);
const DELIVERY = new RowMapper<DeliveryRow>({ seq: integer('seq'), ...CONTENT });
const SELECT = `SELECT ${DELIVERY.columns} FROM deliveries AS d`;

/**
 * The queue in claim order. A conversation's item waits while another of it is claimed or running, and behind the first of its queue;
 * a result or a cancel passes, because the running item may be waiting for exactly it. Only what is after a place is told, in the same order:
 * the `+` keeps SQLite from finding that by an index that would have to be sorted.
 * @param kinds number of kinds asked for; 0 = all
 * @param byTask of work only what was asked after a place, too
 */
export function claimableQuery(kinds: number, byTask = false): string {
  const asked = (table: string): string =>
    kinds === 0 ? '' : ` AND ${table}.kind IN (${Array.from({ length: kinds }, () => '?').join(', ')})`;
  const newTask = byTask ? " AND (d.kind <> 'delegate' OR (SELECT tasks.seq FROM tasks WHERE tasks.id = d.task_id) > ?)" : '';
  return `${SELECT} WHERE d.agent = ? AND d.state = 'queued' AND +d.seq > ?${newTask}${asked('d')}
    AND (d.conversation_id IS NULL OR d.kind IN ('result', 'cancel') OR (
      NOT EXISTS (SELECT 1 FROM deliveries AS busy WHERE busy.agent = d.agent AND busy.conversation_id = d.conversation_id
        AND busy.state IN ('claimed', 'running') AND busy.kind NOT IN ('result', 'cancel'))
      AND d.seq = (SELECT first.seq FROM deliveries AS first WHERE first.agent = d.agent AND first.conversation_id = d.conversation_id
        AND first.state = 'queued' AND first.kind NOT IN ('result', 'cancel')${asked('first')}
        ORDER BY first.urgency DESC, first.seq LIMIT 1)))
    ORDER BY d.urgency DESC, d.seq LIMIT ?`;
}

/** One ordered selection a state, merged by seq. */
export function deliveriesOfAgentQuery(states: number): string {
  const selections = Array.from({ length: states }, () => `${SELECT} WHERE d.agent = ? AND d.state = ? AND d.seq > ?`);
  return `${merged(selections, 'seq')} LIMIT ?`;
}

export function countDeliveriesQuery(states: number): string {
  return `SELECT count(*) FROM deliveries WHERE agent = ? AND state IN (${Array.from({ length: states }, () => '?').join(', ')}) AND seq > ?`;
}

export const DELIVERY_QUERIES = {
  byId: `${SELECT} WHERE d.delivery_id = ?`,
  ofTask: `${SELECT} WHERE d.task_id = ? AND d.kind = ? ORDER BY d.seq DESC LIMIT 1`,
  newest: 'SELECT seq FROM deliveries WHERE seq >= 1 ORDER BY seq DESC LIMIT 1',
  expiredLeases: `${SELECT} WHERE d.state = 'claimed' AND d.lease_until_wall_ms <= ? ORDER BY d.lease_until_wall_ms`,
} as const;

type DeliveryReads = Pick<
  Reads,
  'newestDeliverySeq' | 'delivery' | 'deliveryOfTask' | 'deliveriesOfAgent' | 'claimable' | 'expiredLeases' | 'countDeliveries'
>;

export function deliveryReads(statements: Statements): DeliveryReads {
  return {
    delivery: (deliveryId) => statements.one(DELIVERY, DELIVERY_QUERIES.byId, deliveryId),
    deliveryOfTask: (taskId, kind) => statements.one(DELIVERY, DELIVERY_QUERIES.ofTask, taskId, kind),
    deliveriesOfAgent: (agent, states, page) => {
      const wanted = [...new Set(states)];
      if (wanted.length === 0) return [];
      const selected = wanted.flatMap((state) => [agent, state, page.afterSeq ?? 0]);
      return statements.all(DELIVERY, deliveriesOfAgentQuery(wanted.length), ...selected, pageLimit(page.limit));
    },
    claimable: (agent, kinds, limit, { seq, taskSeq } = { seq: 0, taskSeq: 0 }) => {
      const asked = kinds === null ? [] : [...new Set(kinds)];
      if (kinds !== null && asked.length === 0) return [];
      const byTask = taskSeq > 0;
      const after = byTask ? [seq, taskSeq] : [seq];
      return statements.all(DELIVERY, claimableQuery(asked.length, byTask), agent, ...after, ...asked, ...asked, pageLimit(limit));
    },
    expiredLeases: (wallMs) => statements.all(DELIVERY, DELIVERY_QUERIES.expiredLeases, wallMs),
    newestDeliverySeq: () => Number(statements.value(DELIVERY_QUERIES.newest) ?? 0),
    countDeliveries: (agent, states, afterSeq = 0) => {
      const wanted = [...new Set(states)];
      return wanted.length === 0 ? 0 : Number(statements.value(countDeliveriesQuery(wanted.length), agent, ...wanted, afterSeq));
    },
  };
}

export function deliveryWrites(statements: Statements): Pick<Tables, 'insertDelivery' | 'updateDelivery'> {
  const insert = `INSERT INTO deliveries (${NEW_DELIVERY.columns}) VALUES (${NEW_DELIVERY.placeholders})`;
  return {
    insertDelivery: (row) => ({ ...row, seq: statements.run(insert, ...NEW_DELIVERY.write(row)).seq }),
    updateDelivery: (deliveryId, expectedState, change) => {
      const { sql, values } = NEW_DELIVERY.assign(change);
      const set = sql === '' ? 'state = state' : sql;
      const update = `UPDATE deliveries SET ${set} WHERE delivery_id = ? AND state = ?`;
      return statements.run(update, ...values, deliveryId, expectedState).changes === 1;
    },
  };
}
