// Tables `messages` and `conversations`: the record of what crossed the wire, as it crossed it. The list of conversations is kept by a
// trigger, so that it never has to count messages.
import type { ConversationSummaryRow, MessageRow, Reads, Tables } from '../../../ports/store.ts';
import { choice, integer, milliseconds, nullable, party, text, type SqlValue } from '../columns.ts';
import { pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';
import { IS_KNOWN_TO_AGENT } from './tasks.ts';

const CONTENT = {
  messageId: text('message_id'),
  direction: choice<MessageRow['direction']>('direction', { in: true, out: true, local: true }),
  party: party('party'),
  kind: text('kind'),
  ref: nullable(text('ref')),
  conversationId: nullable(text('conversation_id')),
  taskId: nullable(text('task_id')),
  fromAgent: nullable(text('from_agent')),
  toAgent: nullable(text('to_agent')),
  raw: text('raw'),
  at: milliseconds('at'),
} as const;

const NEW_MESSAGE = new RowMapper<Omit<MessageRow, 'seq'>>(CONTENT);
const MESSAGE = new RowMapper<MessageRow>({ seq: integer('seq'), ...CONTENT });
const CONVERSATION = new RowMapper<ConversationSummaryRow>({
  conversationId: text('conversation_id'),
  party: party('party'),
  lastSeq: integer('last_seq'),
  lastAt: milliseconds('last_at'),
  firstAt: milliseconds('first_at'),
  messages: integer('messages'),
});

/** From where to where in a conversation; null where nothing is. In the order of `spanOfAgent`. */
const SPAN = new RowMapper<{ readonly firstSeq: number | null; readonly lastSeq: number | null; readonly messages: number }>({
  firstSeq: nullable(integer('first_seq')),
  lastSeq: nullable(integer('last_seq')),
  messages: integer('messages'),
});
const SAID = new RowMapper<Pick<MessageRow, 'party' | 'at'>>({ party: CONTENT.party, at: CONTENT.at });

type MessageFilter = Parameters<Reads['messages']>[1];

export function messagesQuery(filter: MessageFilter): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const terms: string[] = [];
  const values: SqlValue[] = [];
  const given = { conversation_id: filter.conversationId, task_id: filter.taskId, party: filter.party };
  for (const [column, value] of Object.entries(given)) {
    if (value === undefined) continue;
    terms.push(`${column} = ? AND `);
    values.push(value);
  }
  return { sql: `SELECT ${MESSAGE.columns} FROM messages WHERE ${terms.join('')}seq < ? ORDER BY seq DESC LIMIT ?`, values };
}

/**
 * Among the newest of a conversation those an agent sent or was given, but none of a request that it may not know: that is asked of the
 * request that the message is, or refers to.
 */
const OF_AGENT = `FROM messages WHERE conversation_id = ?
    AND seq > coalesce((SELECT seq FROM messages WHERE conversation_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?), 0)
    AND ((direction <> 'in' AND from_agent = ?) OR (direction <> 'out' AND to_agent = ?))
    AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.direction = CASE messages.direction WHEN 'local' THEN 'local' ELSE 'incoming' END
      AND tasks.party = messages.party AND tasks.message_id = coalesce(messages.ref, messages.message_id) AND NOT ${IS_KNOWN_TO_AGENT})`;

export const MESSAGE_QUERIES = {
  ofConversationAndAgent: `SELECT ${MESSAGE.columns} ${OF_AGENT} ORDER BY seq DESC LIMIT ?`,
  spanOfAgent: `SELECT min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS messages ${OF_AGENT}`,
  bySeq: `SELECT ${SAID.columns} FROM messages WHERE seq = ?`,
  byMessageId: `SELECT ${MESSAGE.columns} FROM messages WHERE message_id = ? ORDER BY seq LIMIT 1`,
  conversations: `SELECT ${CONVERSATION.columns} FROM conversations WHERE last_seq < ? ORDER BY last_seq DESC LIMIT ?`,
} as const;

/** The values of OF_AGENT. */
function ofAgent(conversation: string, agent: string, among: number): readonly SqlValue[] {
  return [conversation, conversation, pageLimit(among), agent, agent, agent, agent];
}

export function messageReads(
  statements: Statements,
): Pick<Reads, 'messages' | 'messagesOfAgent' | 'conversationOfAgent' | 'message' | 'conversations'> {
  return {
    messages: (page, filter) => {
      const { sql, values } = messagesQuery(filter);
      return statements.all(MESSAGE, sql, ...values, pageBefore(page), pageLimit(page.limit));
    },
    messagesOfAgent: (conversation, agent, { among, limit }) =>
      statements.all(MESSAGE, MESSAGE_QUERIES.ofConversationAndAgent, ...ofAgent(conversation, agent, among), pageLimit(limit)),
    conversationOfAgent: (conversationId, agent, among) => {
      const span = statements.one(SPAN, MESSAGE_QUERIES.spanOfAgent, ...ofAgent(conversationId, agent, among));
      if (!span || span.firstSeq === null || span.lastSeq === null) return undefined;
      const first = statements.one(SAID, MESSAGE_QUERIES.bySeq, span.firstSeq);
      const last = statements.one(SAID, MESSAGE_QUERIES.bySeq, span.lastSeq);
      if (!first || !last) return undefined;
      const { messages, lastSeq } = span;
      return { conversationId, party: first.party, lastSeq, lastAt: last.at, firstAt: first.at, messages };
    },
    message: (messageId) => statements.one(MESSAGE, MESSAGE_QUERIES.byMessageId, messageId),
    conversations: (page) => statements.all(CONVERSATION, MESSAGE_QUERIES.conversations, pageBefore(page), pageLimit(page.limit)),
  };
}

export function messageWrites(statements: Statements): Pick<Tables, 'insertMessage'> {
  const insert = `INSERT INTO messages (${NEW_MESSAGE.columns}) VALUES (${NEW_MESSAGE.placeholders})
    ON CONFLICT (message_id, direction, party) DO NOTHING`;
  return { insertMessage: (row) => void statements.run(insert, ...NEW_MESSAGE.write(row)) };
}
