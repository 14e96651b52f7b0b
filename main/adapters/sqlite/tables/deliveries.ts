// Table `deliveries`: the durable inbox of each local agent, and which item may be delivered next.
import { DELIVERY_STATES } from '../../../../preload/contract/closed-lists.ts';
import { DELIVERY_KINDS } from '../../../../preload/contract/delivery-kind.ts';
import type { DeliveryRow, Reads, Tables } from '../../../ports/store.ts';
import {
  choice,
  id,
  idValue,
  integer,
  longText,
  milliseconds,
  named,
  nullable,
  urgency,
} from '../columns.ts';
import { merged, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

/**
 * What passes the items of its conversation, because the running one may be waiting for exactly it.
 */
const PASSES = {
  delegate: false,
  query: false,
  notify: false,
  result: true,
  cancel: true,
} as const satisfies Record<DeliveryRow['kind'], boolean>;
const PASSING = Object.entries(PASSES).flatMap(([kind, passes]) => (passes ? [`'${kind}'`] : []));

const CONTENT = {
  deliveryId: id('delivery_id'),
  agent: named('agent'),
  kind: choice('kind', DELIVERY_KINDS),
  state: choice('state', DELIVERY_STATES),
  taskId: nullable(id('task_id')),
  conversationId: nullable(id('conversation_id')),
  urgency: urgency('urgency'),
  body: longText('body'),
  attempt: integer('attempt'),
  leaseUntilWallMs: nullable(milliseconds('lease_until_wall_ms')),
  createdAt: milliseconds('created_at'),
  finishedAt: nullable(milliseconds('finished_at')),
} as const;

const NEW_DELIVERY = new RowMapper<Omit<DeliveryRow, 'seq'>>(CONTENT);
const DELIVERY = new RowMapper<DeliveryRow>({ seq: integer('seq'), ...CONTENT });
const SELECT = `SELECT ${DELIVERY.columns} FROM deliveries AS d`;

/**
 * The queue in claim order. A conversation's item waits while another of it is claimed or running,
 * and behind the first of its queue; a result or a cancel passes, because the running item may be
 * waiting for exactly it.
 * @param kinds number of kinds asked for; 0 = all
 */
export function claimableQuery(kinds: number): string {
  const asked = (table: string): string =>
    kinds === 0
      ? ''
      : ` AND ${table}.kind IN (${Array.from({ length: kinds }, () => '?').join(', ')})`;
  return `${SELECT} WHERE d.agent = ? AND d.state = 'queued'${asked('d')}
    AND (d.conversation_id IS NULL OR d.kind IN (${PASSING.join(', ')}) OR (
      NOT EXISTS (SELECT 1 FROM deliveries AS busy WHERE busy.agent = d.agent AND busy.conversation_id = d.conversation_id
        AND busy.finished_at IS NULL AND busy.state IN ('claimed', 'running') AND busy.kind NOT IN (${PASSING.join(', ')}))
      AND d.seq = (SELECT first.seq FROM deliveries AS first WHERE first.agent = d.agent AND first.conversation_id = d.conversation_id
        AND first.finished_at IS NULL AND first.state = 'queued' AND first.kind NOT IN (${PASSING.join(', ')})${asked('first')}
        ORDER BY first.urgency DESC, first.seq LIMIT 1)))
    ORDER BY d.urgency DESC, d.seq LIMIT ?`;
}

/** One ordered selection a state, merged by seq. */
export function deliveriesOfAgentQuery(states: number): string {
  const selections = Array.from(
    { length: states },
    () => `${SELECT} WHERE d.agent = ? AND d.state = ? AND d.seq > ?`,
  );
  return `${merged(selections, 'seq')} LIMIT ?`;
}

export function countDeliveriesQuery(states: number): string {
  return `SELECT count(*) FROM deliveries WHERE agent = ? AND state IN (${Array.from({ length: states }, () => '?').join(', ')})`;
}

export const DELIVERY_QUERIES = {
  isQueued: `SELECT 1 FROM deliveries WHERE agent = ? AND state = 'queued' LIMIT 1`,
  newestOf: `${SELECT} WHERE d.agent = ? AND d.state = ? ORDER BY d.seq DESC LIMIT ?`,
  byId: `${SELECT} WHERE d.delivery_id = ?`,
  ofTask: `${SELECT} WHERE d.task_id = ? AND d.kind = ? ORDER BY d.seq DESC LIMIT 1`,
  expiredLeases: `${SELECT} WHERE d.state = 'claimed' AND d.lease_until_wall_ms <= ? ORDER BY d.lease_until_wall_ms`,
} as const;

type DeliveryReads = Pick<
  Reads,
  | 'delivery'
  | 'deliveryOfTask'
  | 'deliveriesOfAgent'
  | 'newestOf'
  | 'claimable'
  | 'expiredLeases'
  | 'countDeliveries'
>;

export function deliveryReads(statements: Statements): DeliveryReads {
  const known = (name: string): number => statements.knownNumber(name);
  return {
    delivery: (deliveryId) => statements.one(DELIVERY, DELIVERY_QUERIES.byId, idValue(deliveryId)),
    deliveryOfTask: (taskId, kind) =>
      statements.one(DELIVERY, DELIVERY_QUERIES.ofTask, idValue(taskId), kind),
    deliveriesOfAgent: (agent, states, page) => {
      const wanted = [...new Set(states)];
      if (wanted.length === 0) return [];
      const selected = wanted.flatMap((state) => [known(agent), state, page.afterSeq ?? 0]);
      return statements.all(
        DELIVERY,
        deliveriesOfAgentQuery(wanted.length),
        ...selected,
        pageLimit(page.limit),
      );
    },
    newestOf: (agent, state, limit) =>
      statements.all(DELIVERY, DELIVERY_QUERIES.newestOf, known(agent), state, pageLimit(limit)),
    claimable: (agent, kinds, limit) => {
      const asked = kinds === null ? [] : [...new Set(kinds)];
      if (kinds !== null && asked.length === 0) return [];
      // Mostly there is nothing, and to ask for one row is a tenth of the whole question.
      if (statements.value(DELIVERY_QUERIES.isQueued, known(agent)) === undefined) return [];
      return statements.all(
        DELIVERY,
        claimableQuery(asked.length),
        known(agent),
        ...asked,
        ...asked,
        pageLimit(limit),
      );
    },
    expiredLeases: (wallMs) => statements.all(DELIVERY, DELIVERY_QUERIES.expiredLeases, wallMs),
    countDeliveries: (agent, states) => {
      const wanted = [...new Set(states)];
      return wanted.length === 0
        ? 0
        : Number(statements.value(countDeliveriesQuery(wanted.length), known(agent), ...wanted));
    },
  };
}

export function deliveryWrites(
  statements: Statements,
): Pick<Tables, 'insertDelivery' | 'updateDelivery'> {
  const insert = `INSERT INTO deliveries (${NEW_DELIVERY.columns}) VALUES (${NEW_DELIVERY.placeholders})`;
  return {
    insertDelivery: (row) => ({
      ...row,
      seq: statements.run(insert, ...NEW_DELIVERY.write(row, statements)).seq,
    }),
    updateDelivery: (deliveryId, expectedState, change) => {
      const { sql, values } = NEW_DELIVERY.assign(change, statements);
      const set = sql === '' ? 'state = state' : sql;
      const update = `UPDATE deliveries SET ${set} WHERE delivery_id = ? AND state = ?`;
      return statements.run(update, ...values, idValue(deliveryId), expectedState).changes === 1;
    },
  };
}
