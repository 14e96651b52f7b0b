// Table `tasks`: delegations and queries, each with its answer. Rows are never deleted: their ids
// answer replays for ever.
import {
  REQUEST_KINDS,
  SURFACES,
  TASK_DIRECTIONS,
  TASK_STATES,
} from '../../../../preload/contract/closed-lists.ts';
import {
  DEADLINE_SETTERS,
  ENDED_KINDS,
  ENDERS,
  VERDICT_ROLES,
  VERDICTS,
  WAITS_FOR,
} from '../../../../preload/contract/story.ts';
import {
  StoreConflict,
  type Reads,
  type Tables,
  type TaskAnswer,
  type TaskRow,
} from '../../../ports/store.ts';
import {
  choice,
  digest,
  flag,
  id,
  idValue,
  integer,
  longText,
  milliseconds,
  named,
  namedParty,
  nullable,
  text,
} from '../columns.ts';
import { merged, pageBefore, pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const CONTENT = {
  id: id('id'),
  direction: choice('direction', TASK_DIRECTIONS),
  kind: choice('kind', REQUEST_KINDS),
  party: namedParty('party'),
  messageId: id('message_id'),
  contentDigest: digest('content_digest'),
  state: choice('state', TASK_STATES),
  revision: integer('revision'),
  fromAgent: nullable(named('from_agent')),
  toAgent: nullable(named('to_agent')),
  domain: nullable(named('domain')),
  conversationId: id('conversation_id'),
  payload: longText('payload'),
  reportBack: flag('report_back'),
  urgent: flag('urgent'),
  receivedAt: milliseconds('received_at'),
  deadlineMs: milliseconds('deadline_ms'),
  elapsedMs: milliseconds('elapsed_ms'),
  elapsedAt: milliseconds('elapsed_at'),
  estimatedMs: nullable(milliseconds('estimated_ms')),
  result: nullable(longText('result')),
  code: nullable(text('code')),
  reason: nullable(text('reason')),
  decision: nullable(text('decision')),
  cancelCause: nullable(choice('cancel_cause', ['cancelled', 'hung_up', 'hub_restarted'])),
  cancelAnswer: nullable(choice('cancel_answer', ['asked_to_stop', 'not_taken'])),
  waitMs: nullable(milliseconds('wait_ms')),
  heldUntil: nullable(milliseconds('held_until')),
  heldWhy: nullable(choice('held_why', ['paused', 'quiet_hours', 'muted', 'person'])),
  finishedAt: nullable(milliseconds('finished_at')),
  askedPerson: nullable(text('asked_person')),
  deadlineBy: nullable(choice('deadline_by', DEADLINE_SETTERS)),
  waitsFor: nullable(choice('waits_for', WAITS_FOR)),
  verdict: nullable(choice('verdict', VERDICTS)),
  verdictBy: nullable(text('verdict_by')),
  verdictHub: nullable(namedParty('verdict_hub')),
  verdictSurface: nullable(choice('verdict_surface', SURFACES)),
  verdictRule: nullable(text('verdict_rule')),
  verdictAs: nullable(choice('verdict_as', VERDICT_ROLES)),
  verdictAt: nullable(milliseconds('verdict_at')),
  handedAt: nullable(milliseconds('handed_at')),
  handedTimes: nullable(integer('handed_times')),
  handedOnTo: nullable(named('handed_on_to')),
  stopParty: nullable(namedParty('stop_party')),
  stopPerson: nullable(text('stop_person')),
  stopAt: nullable(milliseconds('stop_at')),
  stopReachedAt: nullable(milliseconds('stop_reached_at')),
  stopObeyed: nullable(flag('stop_obeyed')),
  endedBy: nullable(choice('ended_by', ENDERS)),
  endedKind: nullable(choice('ended_kind', ENDED_KINDS)),
  tokens: nullable(integer('tokens')),
  toldAt: nullable(milliseconds('told_at')),
} as const;

const ANSWER_KINDS = ['response', 'result', 'error'] as const;
const ANSWER = new RowMapper<TaskAnswer>({
  messageId: id('answer_id'),
  kind: choice('answer_kind', ANSWER_KINDS),
  fromAgent: nullable(named('answer_from')),
  at: milliseconds('answer_at'),
});

const NEW_TASK = new RowMapper<Omit<TaskRow, 'seq'>>(CONTENT);
const TASK = new RowMapper<TaskRow>({ seq: integer('seq'), ...CONTENT });
const SELECT = `SELECT ${TASK.columns} FROM tasks`;
/**
 * A person or a rule allowed it, or nobody had to be asked: only the state of what was asked is
 * read, not what was shown.
 */
const IS_LET_IN = `coalesce((SELECT approvals.state FROM approvals WHERE task_id = tasks.id
  ORDER BY approvals.seq DESC LIMIT 1), 'approved') = 'approved'`;
/**
 * What one agent, given twice, may know of a task: `concerns` of the task views in words of the
 * database.
 */
export const IS_KNOWN_TO_AGENT = `((tasks.direction <> 'incoming' AND tasks.from_agent IS ?)
  OR (tasks.direction <> 'outgoing' AND tasks.to_agent IS ? AND ${IS_LET_IN}))`;
const SENT = `${SELECT} WHERE from_agent = ? AND direction <> 'incoming' AND seq < ?`;
const RUN = `${SELECT} WHERE to_agent = ? AND direction <> 'outgoing' AND seq < ? AND NOT (direction <> 'incoming' AND from_agent IS ?)`;
const NONE_BEFORE = `NOT EXISTS (SELECT 1 FROM tasks WHERE direction <> 'outgoing' AND seq < ? AND party = ?`;
const NEW_IN_REQUEST = nullable(choice('new in request', ['hub', 'agent', 'domain']));

export const TASK_QUERIES = {
  byId: `${SELECT} WHERE id = ?`,
  byMessage: `${SELECT} WHERE direction = ? AND party = ? AND message_id = ?`,
  newInRequest: `SELECT CASE WHEN ${NONE_BEFORE}) THEN 'hub'
    WHEN ? IS NULL THEN NULL
    WHEN ${NONE_BEFORE} AND from_agent IS ? AND to_agent IS ?) THEN 'agent'
    WHEN ? IS NULL THEN NULL
    WHEN ${NONE_BEFORE} AND from_agent IS ? AND to_agent IS ? AND domain IS ?) THEN 'domain' END`,
  newest: `${SELECT} WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  ofConversation: `${SELECT} WHERE conversation_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  ofAgent: `${merged([SENT, RUN], 'seq DESC')} LIMIT ?`,
  knownTo: `${merged([SENT, `${RUN} AND ${IS_LET_IN}`], 'seq DESC')} LIMIT ?`,
  ofConversationKnownTo: `${SELECT} WHERE conversation_id = ? AND seq < ? AND ${IS_KNOWN_TO_AGENT} ORDER BY seq DESC LIMIT ?`,
  firstOfConversation: `${SELECT} WHERE conversation_id = ? ORDER BY seq LIMIT 1`,
  firstOfConversationKnownTo: `${SELECT} WHERE conversation_id = ? AND ${IS_KNOWN_TO_AGENT} ORDER BY seq LIMIT 1`,
  openOfConversation: `SELECT 1 FROM tasks WHERE conversation_id = ? AND finished_at IS NULL LIMIT 1`,
  openOfConversationKnownTo: `SELECT 1 FROM tasks WHERE conversation_id = ? AND finished_at IS NULL AND ${IS_KNOWN_TO_AGENT} LIMIT 1`,
} as const;

/** Open tasks: one ordered selection a state, merged by seq. */
export function tasksInStatesQuery(states: number): string {
  return merged(
    Array.from({ length: states }, () => `${SELECT} WHERE state = ? AND finished_at IS NULL`),
    'seq',
  );
}

type TaskReads = Pick<
  Reads,
  | 'task'
  | 'taskByMessage'
  | 'newInRequest'
  | 'tasksInStates'
  | 'tasks'
  | 'firstTask'
  | 'hasOpenTask'
>;

export function taskReads(statements: Statements): TaskReads {
  const known = (name: string): number => statements.knownNumber(name);
  return {
    task: (taskId) => statements.one(TASK, TASK_QUERIES.byId, idValue(taskId)),
    taskByMessage: (direction, of, messageId) =>
      statements.one(TASK, TASK_QUERIES.byMessage, direction, known(of), idValue(messageId)),
    newInRequest: ({ seq, party: of, fromAgent, toAgent, domain }) => {
      const any = [seq, known(of)] as const;
      const to = statements.knownOrNull(toAgent);
      const pair = [...any, statements.knownOrNull(fromAgent), to] as const;
      const area = statements.knownOrNull(domain);
      const values = [...any, to, ...pair, area, ...pair, area];
      return NEW_IN_REQUEST.read(
        statements.value(TASK_QUERIES.newInRequest, ...values),
        statements,
      );
    },
    tasksInStates: (states) => {
      const wanted = [...new Set(states)];
      return wanted.length === 0
        ? []
        : statements.all(TASK, tasksInStatesQuery(wanted.length), ...wanted);
    },
    tasks: (page, filter = {}) => {
      const [before, limit] = [pageBefore(page), pageLimit(page.limit)];
      const knownTo = filter.knownTo === undefined ? undefined : known(filter.knownTo);
      const conversation =
        filter.conversationId === undefined ? undefined : idValue(filter.conversationId);
      if (knownTo !== undefined && conversation !== undefined) {
        const values = [conversation, before, knownTo, knownTo, limit];
        return statements.all(TASK, TASK_QUERIES.ofConversationKnownTo, ...values);
      }
      if (knownTo !== undefined) {
        const values = [knownTo, before, knownTo, before, knownTo, limit];
        return statements.all(TASK, TASK_QUERIES.knownTo, ...values);
      }
      if (conversation !== undefined)
        return statements.all(TASK, TASK_QUERIES.ofConversation, conversation, before, limit);
      if (filter.agent === undefined)
        return statements.all(TASK, TASK_QUERIES.newest, before, limit);
      const agent = known(filter.agent);
      return statements.all(TASK, TASK_QUERIES.ofAgent, agent, before, agent, before, agent, limit);
    },
    hasOpenTask: (conversationId, agent) => {
      const conversation = idValue(conversationId);
      if (agent === null)
        return statements.value(TASK_QUERIES.openOfConversation, conversation) !== undefined;
      const knownTo = known(agent);
      return (
        statements.value(TASK_QUERIES.openOfConversationKnownTo, conversation, knownTo, knownTo) !==
        undefined
      );
    },
    firstTask: (conversationId, knownTo) => {
      const conversation = idValue(conversationId);
      if (knownTo === undefined)
        return statements.one(TASK, TASK_QUERIES.firstOfConversation, conversation);
      return statements.one(
        TASK,
        TASK_QUERIES.firstOfConversationKnownTo,
        conversation,
        known(knownTo),
        known(knownTo),
      );
    },
  };
}

/** The numbers after the last one of all that was said: of a question, and of its answer. */
const PLACE = "(SELECT seq + 1 FROM sqlite_sequence WHERE name = 'messages')";
const PLACE_OF_ANSWER = "(SELECT seq + 2 FROM sqlite_sequence WHERE name = 'messages')";
const INSERT = `INSERT INTO tasks (seq, ${NEW_TASK.columns}) VALUES (${PLACE}, ${NEW_TASK.placeholders})`;
const INSERT_ANSWERED = `INSERT INTO tasks (seq, answer_seq, ${NEW_TASK.columns}, ${ANSWER.columns})
  VALUES (${PLACE}, ${PLACE_OF_ANSWER}, ${NEW_TASK.placeholders}, ${ANSWER.placeholders})`;
const ONCE = 'ON CONFLICT (id) DO NOTHING ON CONFLICT (message_id, party, direction) DO NOTHING';

export function taskWrites(
  statements: Statements,
): Pick<Tables, 'insertTask' | 'insertTaskOnce' | 'updateTask' | 'answerTask'> {
  return {
    insertTask: (row) => ({
      ...row,
      seq: statements.run(INSERT, ...NEW_TASK.write(row, statements)).seq,
    }),
    insertTaskOnce: (row, answer) => {
      const asked = NEW_TASK.write(row, statements);
      const { changes } =
        answer === null
          ? statements.run(`${INSERT} ${ONCE}`, ...asked)
          : statements.run(
              `${INSERT_ANSWERED} ${ONCE}`,
              ...asked,
              ...ANSWER.write(answer, statements),
            );
      return changes === 1;
    },
    updateTask: (taskId, expectedRevision, change) => {
      const { sql, values } = NEW_TASK.assign(change, statements);
      const set = sql === '' ? 'revision = revision + 1' : `${sql}, revision = revision + 1`;
      const update = `UPDATE tasks SET ${set} WHERE id = ? AND revision = ?`;
      return statements.run(update, ...values, idValue(taskId), expectedRevision).changes === 1;
    },
    answerTask: (taskId, answer) => {
      const { sql, values } = ANSWER.assign(answer, statements);
      const update = `UPDATE tasks SET answer_seq = ${PLACE}, ${sql}
        WHERE id = ? AND answer_seq IS NULL AND purged_at IS NULL`;
      if (statements.run(update, ...values, idValue(taskId)).changes !== 1)
        throw new StoreConflict('this task has an answer, or its words were removed');
    },
  };
}
