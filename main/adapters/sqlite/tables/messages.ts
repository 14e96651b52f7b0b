// View `said`, the record of what was said: exchanges (table `tasks`) and what is none (table
// `messages`), in one order. The list of conversations is kept by triggers, so that it never has to
// count messages.
import { TASK_DIRECTIONS } from '../../../../preload/contract/closed-lists.ts';
import type {
  AskedRow,
  ConversationSummaryRow,
  MessageRow,
  Reads,
  Tables,
} from '../../../ports/store.ts';
import {
  choice,
  id,
  idValue,
  integer,
  longText,
  milliseconds,
  named,
  namedParty,
  nullable,
  text,
  type SqlValue,
} from '../columns.ts';
import { merged, pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';
import { IS_KNOWN_TO_AGENT } from './tasks.ts';

const CONTENT = {
  messageId: id('message_id'),
  direction: choice('direction', ['in', 'out', 'local']),
  party: namedParty('party'),
  kind: text('kind'),
  ref: nullable(id('ref')),
  conversationId: nullable(id('conversation_id')),
  taskId: nullable(id('task_id')),
  fromAgent: nullable(named('from_agent')),
  toAgent: nullable(named('to_agent')),
  payload: nullable(longText('payload')),
  at: milliseconds('at'),
} as const;

const NEW_MESSAGE = new RowMapper<Omit<MessageRow, 'seq'>>(CONTENT);
export const MESSAGE = new RowMapper<MessageRow>({ seq: integer('seq'), ...CONTENT });
const CONVERSATION = new RowMapper<ConversationSummaryRow>({
  conversationId: id('conversation_id'),
  party: namedParty('party'),
  lastSeq: integer('last_seq'),
  lastAt: milliseconds('last_at'),
  firstAt: milliseconds('first_at'),
  messages: integer('messages'),
});

/** From where to where in a conversation; null where nothing is. In the order of `spanOfAgent`. */
const SPAN = new RowMapper<{
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly messages: number;
}>({
  firstSeq: nullable(integer('first_seq')),
  lastSeq: nullable(integer('last_seq')),
  messages: integer('messages'),
});
const SAID = new RowMapper<Pick<MessageRow, 'party' | 'at'>>({
  party: CONTENT.party,
  at: CONTENT.at,
});
/** In the order of `askedSince`. */
const ASKED = new RowMapper<AskedRow>({
  seq: integer('seq'),
  direction: choice('direction', TASK_DIRECTIONS),
  party: CONTENT.party,
  kind: CONTENT.kind,
  ref: CONTENT.ref,
  fromAgent: CONTENT.fromAgent,
  toAgent: CONTENT.toAgent,
  at: CONTENT.at,
});
const REQUESTS_SINCE = `SELECT seq, direction, party, kind, CAST(NULL AS BLOB) AS ref, from_agent, to_agent, received_at AS at
  FROM tasks WHERE purged_at IS NULL AND received_at >= ?`;
const NOTICES_SINCE = `SELECT seq, CASE direction WHEN 'in' THEN 'incoming' WHEN 'out' THEN 'outgoing' ELSE 'local' END AS direction,
  party, kind, ref, from_agent, to_agent, at FROM messages WHERE kind = 'notify' AND to_agent IS NOT NULL AND at >= ?`;

type MessageFilter = Parameters<Reads['messages']>[1];

export function messagesQuery({ conversationId }: MessageFilter): string {
  const where = conversationId === undefined ? '' : 'conversation_id = ? AND ';
  return `SELECT ${MESSAGE.columns} FROM said WHERE ${where}seq < ? ORDER BY seq DESC LIMIT ?`;
}

/**
 * What one agent, given four times, sent or was given, but nothing of a request that it may not
 * know: that is asked of the request that the message is, or refers to.
 */
export const IS_SAID_WITH_AGENT = `((direction <> 'in' AND from_agent = ?) OR (direction <> 'out' AND to_agent = ?))
    AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.direction = CASE said.direction WHEN 'local' THEN 'local' ELSE 'incoming' END
      AND tasks.party = said.party AND tasks.message_id = coalesce(said.ref, said.message_id) AND NOT ${IS_KNOWN_TO_AGENT})`;
/** Those among the newest of a conversation. */
const OF_AGENT = `FROM said WHERE conversation_id = ?
    AND seq > coalesce((SELECT seq FROM said WHERE conversation_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?), 0)
    AND seq < ?
    AND ${IS_SAID_WITH_AGENT}`;

export const MESSAGE_QUERIES = {
  ofConversationAndAgent: `SELECT ${MESSAGE.columns} ${OF_AGENT} ORDER BY seq DESC LIMIT ?`,
  after: `SELECT ${MESSAGE.columns} FROM said WHERE conversation_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  spanOfAgent: `SELECT min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS messages ${OF_AGENT}`,
  isPartOf: `SELECT max(party = ?) FROM (
    SELECT * FROM (SELECT party FROM messages WHERE conversation_id = ? ORDER BY seq DESC LIMIT ?)
    UNION ALL SELECT * FROM (SELECT party FROM tasks WHERE conversation_id = ? ORDER BY seq DESC LIMIT ?))`,
  lastCancel: `SELECT ${MESSAGE.columns} FROM messages
    WHERE conversation_id = ? AND task_id = ? AND kind = 'cancel' AND direction = 'out' ORDER BY seq DESC LIMIT 1`,
  bySeq: `SELECT ${SAID.columns} FROM said WHERE seq = ?`,
  askedSince: `SELECT ${ASKED.columns} FROM (${merged([REQUESTS_SINCE, NOTICES_SINCE], 'at DESC')} LIMIT ?)`,
  conversations: `SELECT ${CONVERSATION.columns} FROM conversations WHERE last_seq < ? ORDER BY last_seq DESC LIMIT ?`,
  called: `SELECT ${CONVERSATION.columns} FROM conversations
    WHERE conversation_id = ? OR (conversation_id > ? AND conversation_id < ?) LIMIT ?`,
} as const;

/** The values of OF_AGENT. */
function ofAgent(
  conversation: SqlValue,
  agent: number,
  among: number,
  beforeSeq: number = Number.MAX_SAFE_INTEGER,
): readonly SqlValue[] {
  return [conversation, conversation, pageLimit(among), beforeSeq, agent, agent, agent, agent];
}

type MessageReads = Pick<
  Reads,
  | 'messages'
  | 'isKnownParty'
  | 'messagesAfter'
  | 'lastCancel'
  | 'isPartOf'
  | 'askedSince'
  | 'messagesOfAgent'
  | 'conversationOfAgent'
  | 'conversations'
  | 'conversationsCalled'
>;

export function messageReads(statements: Statements): MessageReads {
  const known = (name: string): number => statements.knownNumber(name);
  return {
    messages: (page, filter) => {
      const { conversationId } = filter;
      const values = conversationId === undefined ? [] : [idValue(conversationId)];
      return statements.all(
        MESSAGE,
        messagesQuery(filter),
        ...values,
        pageBefore(page),
        pageLimit(page.limit),
      );
    },
    isKnownParty: (party) => known(party) > 0,
    askedSince: (wallMs, limit) =>
      statements.all(ASKED, MESSAGE_QUERIES.askedSince, wallMs, wallMs, pageLimit(limit)),
    messagesAfter: (id, seq, limit) =>
      statements.all(MESSAGE, MESSAGE_QUERIES.after, idValue(id), seq, limit),
    lastCancel: ({ id: task, conversationId }) =>
      statements.one(MESSAGE, MESSAGE_QUERIES.lastCancel, idValue(conversationId), idValue(task)),
    isPartOf: (id, party, among) => {
      const newest = [idValue(id), pageLimit(among)];
      const values = [known(party), ...newest, ...newest];
      const found = statements.value(MESSAGE_QUERIES.isPartOf, ...values);
      return found === null ? undefined : found === 1;
    },
    messagesOfAgent: (conversation, agent, { among, limit, beforeSeq }) => {
      const of = ofAgent(idValue(conversation), known(agent), among, beforeSeq);
      return statements.all(
        MESSAGE,
        MESSAGE_QUERIES.ofConversationAndAgent,
        ...of,
        pageLimit(limit),
      );
    },
    conversationOfAgent: (conversationId, agent, among) => {
      const span = statements.one(
        SPAN,
        MESSAGE_QUERIES.spanOfAgent,
        ...ofAgent(idValue(conversationId), known(agent), among),
      );
      if (!span || span.firstSeq === null || span.lastSeq === null) return undefined;
      const first = statements.one(SAID, MESSAGE_QUERIES.bySeq, span.firstSeq);
      const last = statements.one(SAID, MESSAGE_QUERIES.bySeq, span.lastSeq);
      if (!first || !last) return undefined;
      const { messages, lastSeq } = span;
      return {
        conversationId,
        party: first.party,
        lastSeq,
        lastAt: last.at,
        firstAt: first.at,
        messages,
      };
    },
    conversationsCalled: (label, limit) => {
      // A semicolon comes next after a colon.
      const values = [idValue(label), `${label}:`, `${label};`, pageLimit(limit)];
      const found = statements.all(CONVERSATION, MESSAGE_QUERIES.called, ...values);
      return found.map(({ conversationId }) => conversationId);
    },
    conversations: (page) =>
      statements.all(
        CONVERSATION,
        MESSAGE_QUERIES.conversations,
        pageBefore(page),
        pageLimit(page.limit),
      ),
  };
}

export function messageWrites(statements: Statements): Pick<Tables, 'insertMessage'> {
  const insert = `INSERT INTO messages (${NEW_MESSAGE.columns}) SELECT ${NEW_MESSAGE.placeholders}
    WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE id = ? AND purged_at IS NOT NULL)
    ON CONFLICT (message_id, direction, party) DO NOTHING`;
  return {
    insertMessage: (row) => {
      const values = NEW_MESSAGE.write(row, statements);
      statements.run(insert, ...values, row.taskId === null ? null : idValue(row.taskId));
    },
  };
}
