// Tables `feed` and `muted_topics`: notices for people, read or not, and what they are not told of.
import { IMPORTANCES } from '../../../../preload/contract/closed-lists.ts';
import type { FeedRow, MutedTopicRow, Reads, Tables } from '../../../ports/store.ts';
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
  tag: nullable(text('tag')),
} as const;

const NEW_FEED = new RowMapper<Omit<FeedRow, 'seq'>>(CONTENT);
const FEED = new RowMapper<FeedRow>({ seq: integer('seq'), ...CONTENT });
const SEQ = new RowMapper<Pick<FeedRow, 'seq'>>({ seq: integer('seq') });
const MUTED = new RowMapper<MutedTopicRow>({
  id: id('id'),
  party: party('party'),
  topic: text('topic'),
});

export const FEED_QUERIES = {
  page: `SELECT ${FEED.columns} FROM feed WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  byId: `SELECT ${FEED.columns} FROM feed WHERE id = ?`,
  removeTag: 'DELETE FROM feed WHERE party = ? AND tag = ? AND from_agent IS ? RETURNING seq',
  unreadCount: 'SELECT count(*) FROM feed WHERE read_at IS NULL',
} as const;

export function feedReads(
  statements: Statements,
): Pick<Reads, 'feed' | 'feedItem' | 'unreadFeedCount' | 'mutedTopics'> {
  return {
    feed: (page) =>
      statements.all(FEED, FEED_QUERIES.page, pageBefore(page), pageLimit(page.limit)),
    feedItem: (of) => statements.one(FEED, FEED_QUERIES.byId, idValue(of)),
    mutedTopics: () =>
      statements.all(MUTED, `SELECT ${MUTED.columns} FROM muted_topics ORDER BY party, topic`),
    unreadFeedCount: () => Number(statements.value(FEED_QUERIES.unreadCount)),
  };
}

export function feedWrites(
  statements: Statements,
): Pick<
  Tables,
  'insertFeed' | 'deleteFeedOfTag' | 'markFeedRead' | 'insertMutedTopic' | 'deleteMutedTopic'
> {
  const insert = `INSERT INTO feed (${NEW_FEED.columns}) VALUES (${NEW_FEED.placeholders})`;
  return {
    insertFeed: (row) => ({
      ...row,
      seq: statements.run(insert, ...NEW_FEED.write(row, statements)).seq,
    }),
    deleteFeedOfTag: ({ party: of, fromAgent, tag }) =>
      statements.all(SEQ, FEED_QUERIES.removeTag, of, tag, fromAgent).map(({ seq }) => seq),
    markFeedRead: (ids, at) => {
      const readAt = at === null ? null : Math.round(at);
      const change = `UPDATE feed SET read_at = ? WHERE read_at IS ${at === null ? 'NOT NULL' : 'NULL'}`;
      if (ids === 'all') statements.run(change, readAt);
      else for (const one of ids) statements.run(`${change} AND id = ?`, readAt, idValue(one));
    },
    insertMutedTopic: (row) =>
      void statements.run(
        `INSERT INTO muted_topics (${MUTED.columns}) VALUES (${MUTED.placeholders}) ON CONFLICT DO NOTHING`,
        ...MUTED.write(row, statements),
      ),
    deleteMutedTopic: (of) =>
      void statements.run('DELETE FROM muted_topics WHERE id = ?', idValue(of)),
  };
}
