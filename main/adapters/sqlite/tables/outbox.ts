// Tables `outbox` and `replays`: what must still reach a peer, and what was answered to ids that
// must never be done twice.
import {
  StoreConflict,
  type OutboxRow,
  type Reads,
  type ReplayRow,
  type Tables,
} from '../../../ports/store.ts';
import {
  digest,
  id,
  idValue,
  longText,
  milliseconds,
  named,
  namedParty,
  nullable,
  text,
} from '../columns.ts';
import { pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const OUTBOX = new RowMapper<OutboxRow>({
  messageId: id('message_id'),
  party: named('party'),
  kind: text('kind'),
  raw: longText('raw'),
  createdAt: milliseconds('created_at'),
  expiresAtUptimeMs: milliseconds('expires_at_uptime_ms'),
  settledAt: nullable(milliseconds('settled_at')),
});

const PARTY = new RowMapper<Pick<OutboxRow, 'party'>>({ party: named('party') });

const REPLAY = new RowMapper<ReplayRow>({
  party: namedParty('party'),
  messageId: id('message_id'),
  contentDigest: digest('content_digest'),
  reply: nullable(longText('reply')),
  at: milliseconds('at'),
});

export const OUTBOX_QUERIES = {
  ofParty: `SELECT ${OUTBOX.columns} FROM outbox WHERE party = ? AND settled_at IS NULL ORDER BY created_at, message_id`,
  pageOfParty: `SELECT ${OUTBOX.columns} FROM outbox WHERE party = ? AND settled_at IS NULL AND (created_at, message_id) > (?, ?)
    ORDER BY created_at, message_id LIMIT ?`,
  byId: `SELECT ${OUTBOX.columns} FROM outbox WHERE party = ? AND message_id = ?`,
  countOfParty: `SELECT count(*) FROM outbox WHERE party = ? AND settled_at IS NULL AND (kind = 'cancel') = ?`,
  parties: `SELECT ${PARTY.columns} FROM outbox WHERE settled_at IS NULL GROUP BY party`,
  expired: `SELECT ${OUTBOX.columns} FROM outbox WHERE settled_at IS NULL AND expires_at_uptime_ms <= ?
    ORDER BY expires_at_uptime_ms`,
  replay: `SELECT ${REPLAY.columns} FROM replays WHERE party = ? AND message_id = ?`,
} as const;

type OutboxReads = Pick<
  Reads,
  'outboxOf' | 'outboxMessage' | 'countOutbox' | 'outboxParties' | 'outboxExpired' | 'replay'
>;

export function outboxReads(statements: Statements): OutboxReads {
  const known = (name: string): number => statements.knownNumber(name);
  return {
    outboxOf: (of, page) => {
      if (page === undefined) return statements.all(OUTBOX, OUTBOX_QUERIES.ofParty, known(of));
      const { after } = page;
      const from =
        after === undefined
          ? [Number.MIN_SAFE_INTEGER, 0]
          : [after.createdAt, idValue(after.messageId)];
      return statements.all(
        OUTBOX,
        OUTBOX_QUERIES.pageOfParty,
        known(of),
        ...from,
        pageLimit(page.limit),
      );
    },
    outboxMessage: (of, messageId) =>
      statements.one(OUTBOX, OUTBOX_QUERIES.byId, known(of), idValue(messageId)),
    countOutbox: (of, what) =>
      Number(statements.value(OUTBOX_QUERIES.countOfParty, known(of), what === 'cancels' ? 1 : 0)),
    outboxParties: () => statements.all(PARTY, OUTBOX_QUERIES.parties).map((row) => row.party),
    outboxExpired: (uptimeMs) => statements.all(OUTBOX, OUTBOX_QUERIES.expired, uptimeMs),
    replay: (of, messageId) =>
      statements.one(REPLAY, OUTBOX_QUERIES.replay, known(of), idValue(messageId)),
  };
}

export function outboxWrites(statements: Statements): Pick<Tables, 'putOutbox' | 'putReplay'> {
  const put = `INSERT INTO outbox (${OUTBOX.columns}) VALUES (${OUTBOX.placeholders})
    ON CONFLICT (party, message_id) DO UPDATE SET ${OUTBOX.excluded('party', 'messageId')}`;
  const putReplay = `INSERT INTO replays (${REPLAY.columns}) VALUES (${REPLAY.placeholders})
    ON CONFLICT (party, message_id) DO UPDATE SET reply = excluded.reply
    WHERE content_digest = excluded.content_digest AND (reply IS NULL OR reply IS excluded.reply)`;
  return {
    putOutbox: (row) => void statements.run(put, ...OUTBOX.write(row, statements)),
    putReplay: (row) => {
      if (statements.run(putReplay, ...REPLAY.write(row, statements)).changes === 0) {
        throw new StoreConflict('this id was answered already, or stands for other content');
      }
    },
  };
}
