// Table `feed`: notices for people, read or not.
import { IMPORTANCES } from '../../../../preload/contract/closed-lists.ts';
import type { FeedRow, Reads, Tables } from '../../../ports/store.ts';
import { choice, id, idValue, integer, milliseconds, nullable, party, text } from '../columns.ts';
import { pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const CONTENT = {
  id: id('id'),
  at: milliseconds('at'),
  party: nullable(party('party')),
  fromAgent: nullable(text('from_agent')),
  topic: text('topic'),
  importance: choice('importance', IMPORTANCES),
  data: text('data'),
  readAt: nullable(milliseconds('read_at')),
} as const;

const NEW_FEED = new RowMapper<Omit<FeedRow, 'seq'>>(CONTENT);
const FEED = new RowMapper<FeedRow>({ seq: integer('seq'), ...CONTENT });

export const FEED_QUERIES = {
  page: `SELECT ${FEED.selected} FROM feed WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  unreadCount: 'SELECT count(*) FROM feed WHERE read_at IS NULL',
} as const;

export function feedReads(statements: Statements): Pick<Reads, 'feed' | 'unreadFeedCount'> {
  return {
    feed: (page) =>
      statements.all(FEED, FEED_QUERIES.page, pageBefore(page), pageLimit(page.limit)),
    unreadFeedCount: () => Number(statements.value(FEED_QUERIES.unreadCount)),
  };
}

export function feedWrites(statements: Statements): Pick<Tables, 'insertFeed' | 'markFeedRead'> {
  const insert = `INSERT INTO feed (${NEW_FEED.columns}) VALUES (${NEW_FEED.placeholders})`;
  return {
    insertFeed: (row) => ({
      ...row,
      seq: statements.run(insert, ...NEW_FEED.write(row, statements)).seq,
    }),
    markFeedRead: (ids, at) => {
      const readAt = Math.round(at);
      if (ids === 'all')
        statements.run('UPDATE feed SET read_at = ? WHERE read_at IS NULL', readAt);
      else
        for (const one of ids)
          statements.run(
            'UPDATE feed SET read_at = ? WHERE id = ? AND read_at IS NULL',
            readAt,
            idValue(one),
          );
    },
  };
}
