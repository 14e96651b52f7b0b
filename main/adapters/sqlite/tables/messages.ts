// Tables `messages` and `conversations`: the record of what crossed the wire, as it crossed it. The list of conversations is kept by a
// trigger, so that it never has to count messages.
import type { ConversationSummaryRow, MessageRow, Reads, Tables } from '../../../ports/store.ts';
import { choice, integer, milliseconds, nullable, party, text, type SqlValue } from '../columns.ts';
import { pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

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

export const MESSAGE_QUERIES = {
  ofConversationAndAgent: `SELECT ${MESSAGE.columns} FROM messages WHERE conversation_id = ?
    AND seq > coalesce((SELECT seq FROM messages WHERE conversation_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?), 0)
    AND ((direction <> 'in' AND from_agent = ?) OR (direction <> 'out' AND to_agent = ?)) ORDER BY seq DESC LIMIT ?`,
  byMessageId: `SELECT ${MESSAGE.columns} FROM messages WHERE message_id = ? ORDER BY seq LIMIT 1`,
  conversations: `SELECT ${CONVERSATION.columns} FROM conversations WHERE last_seq < ? ORDER BY last_seq DESC LIMIT ?`,
} as const;

export function messageReads(statements: Statements): Pick<Reads, 'messages' | 'messagesOfAgent' | 'message' | 'conversations'> {
  return {
    messages: (page, filter) => {
      const { sql, values } = messagesQuery(filter);
      return statements.all(MESSAGE, sql, ...values, pageBefore(page), pageLimit(page.limit));
    },
    messagesOfAgent: (conversation, agent, { among, limit }) => {
      const { ofConversationAndAgent } = MESSAGE_QUERIES;
      return statements.all(MESSAGE, ofConversationAndAgent, conversation, conversation, pageLimit(among), agent, agent, pageLimit(limit));
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
