// claude-crunch: six message types between an orchestrator and its agents. A hand-off and an
// escalation are delegations that a person is asked about; a vote is carried, and scored by nobody.
import { DOMAIN_NAME } from '../../preload/contract/formats.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok } from '../lib/result.ts';
import {
  DEADLINE_MAX_MS,
  deadlineOf,
  EVERYBODY,
  HAND_OFF,
  type Answered,
  type AxonMessage,
  type Dialect,
  type Follows,
  type Rank,
  type Reading,
  TASK_ACCEPTED,
} from './dialect.ts';
import {
  entryOf,
  firstText,
  given,
  listOf,
  objectOf,
  picked,
  textOf,
  toIso,
  topicFrom,
  wholeOf,
} from './members.ts';
import {
  anAgent,
  anything,
  aList,
  completed,
  membersOf,
  namedIn,
  listOfEach,
  nested,
  anObject,
  otherWords,
  respelled,
  aSender,
  spelled,
  aText,
  aWhole,
  oneOf,
  type Members,
  type Shape,
} from './spelling.ts';

/** The topic of a vote. */
export const VOTE_TOPIC = 'crunch.vote';
const AREA_LABEL = 'domain:';
const FILES = ['files_modified', 'files_created'];
/** Where it FAILED: as this hub writes what others did not understand. */
const UNREAD = 'not_understood';
const TOKENS_MAX = 1_000_000_000;
const TYPES = ['REQUEST', 'RESPONSE', 'HANDOFF', 'ESCALATE', 'BROADCAST', 'VOTE'] as const;
type CrunchType = (typeof TYPES)[number];
type Act = Pick<Reading, 'kind' | 'payload' | 'affects'> & Partial<Pick<Reading, 'until' | 'work'>>;
/** `follows`: something earlier is there that the message names. */
type Reader = (fields: JsonObject, message: JsonObject, follows: Follows) => Act;

const isUrgent = (priority: unknown): boolean => priority === 'CRITICAL' || priority === 'HIGH';
const priorityOf = (priority: unknown) => (isUrgent(priority) ? 'urgent' : 'normal');
const RANKS: Readonly<Record<string, Rank>> = { CRITICAL: 'critical', LOW: 'low' };
const STATUSES: Readonly<Record<string, string>> = {
  SUCCESS: 'completed',
  PARTIAL: 'partial',
  BLOCKED: 'failed',
  FAILED: 'failed',
};

const TYPE = oneOf(...TYPES);

const MEMBERS = membersOf({
  ...otherWords('to', 'correlation_id'),
  id: aText,
  type: TYPE,
  from: aSender,
  to: anAgent,
  correlation_id: aText,
  priority: oneOf('CRITICAL', 'HIGH', 'NORMAL', 'LOW'),
  payload: anObject,
  metadata: anything,
});

/** Text alone, or with what speaks for it and against it. */
const anOption: Shape = (value, name) => {
  const read = typeof value === 'string' ? ok({ option: value }) : OPTION(value, name);
  return read.ok && textOf(spelled(read.value, 'option')) === null
    ? err(`"${name}" must be text, or an object with "option"`)
    : read;
};
const OPTION = nested({ option: aText, pros: aList, cons: aList });

const PAYLOADS: Readonly<Record<CrunchType, Members>> = {
  REQUEST: membersOf({
    action: aText,
    context: anObject,
    constraints: nested({ timeout_ms: aWhole(1) }),
    deadline: anything,
  }),
  RESPONSE: membersOf({
    status: oneOf(...Object.keys(STATUSES)),
    result: nested({ summary: aText, outputs: anything, error: aText, code: anything }),
    findings: anything,
    metrics: nested({ tokens_used: anything }),
    handoff: anything,
  }),
  HANDOFF: membersOf({
    reason: aText,
    context_transfer: anObject,
    urgency: oneOf('IMMEDIATE', 'NORMAL'),
  }),
  ESCALATE: membersOf({
    escalation_type: oneOf('VETO', 'CONFLICT', 'BLOCKED', 'HUMAN_REQUIRED'),
    reason: aText,
    context: nested({
      decision_needed: aText,
      options: listOfEach(anOption),
      recommendation: anything,
      deadline: anything,
    }),
    veto_details: anything,
  }),
  BROADCAST: membersOf({
    event: oneOf('CONTEXT_UPDATE', 'CHECKPOINT', 'PHASE_CHANGE', 'ABORT'),
    content: nested({ message: aText, data: anything }),
    affects: listOfEach(aText),
  }),
  VOTE: membersOf({
    conflict_id: anything,
    position: anything,
    compromise: anything,
    veto: anything,
    veto_reason: anything,
  }),
};

const READERS: Readonly<Record<CrunchType, Reader>> = {
  REQUEST(fields, { priority }) {
    const context = objectOf(fields['context']);
    const { timeout_ms: timeout, ...limits } = objectOf(fields['constraints']);
    const issue = spelled(context, 'issue');
    const title = textOf(spelled(issue, 'title'));
    const { until, within: left } = deadlineOf(fields['deadline']);
    const lengths = [wholeOf(timeout, 1, DEADLINE_MAX_MS), left].flatMap((ms) => ms ?? []);
    const within = lengths.length === 0 ? null : Math.min(...lengths);
    const isSooner = priority === 'HIGH' && until === null;
    const action = textOf(fields['action']);
    return {
      kind: 'delegate',
      payload: given({
        task: [action, title].flatMap((word) => word ?? []).join(': ') || 'REQUEST',
        context: given({ ...context, constraints: given(limits) }),
        domain: labelledArea(spelled(issue, 'labels')),
        priority: priorityOf(priority),
        deadline_ms: within ?? (isSooner ? DEADLINE_MAX_MS / 2 : undefined),
      }),
      until,
      ...(action === null ? {} : { work: action }),
    };
  },

  RESPONSE(fields) {
    const result = objectOf(fields['result']);
    const status = entryOf(STATUSES, fields['status']) ?? 'failed';
    const isBlocked = fields['status'] === 'BLOCKED';
    const failed = result['code'] === UNREAD ? UNREAD : 'internal';
    const metrics = objectOf(fields['metrics']);
    const outcome = textOf(result['summary']) ?? textOf(fields['status']) ?? 'RESPONSE';
    const error = textOf(result['error']) ?? outcome;
    return {
      kind: 'result',
      payload: given({
        status,
        outcome,
        data: given({
          status: isBlocked ? 'BLOCKED' : undefined,
          ...picked(result, ['outputs', ...FILES]),
          ...picked(fields, ['findings', 'handoff']),
          ...picked(metrics, ['duration_ms']),
        }),
        error: status === 'failed' ? error : undefined,
        code: status !== 'failed' ? undefined : isBlocked ? 'rejected' : failed,
        tokens_used: wholeOf(metrics['tokens_used'], 0, TOKENS_MAX),
      }),
    };
  },

  HANDOFF(fields, { priority }) {
    const transfer = objectOf(fields['context_transfer']);
    return {
      kind: 'delegate',
      payload: given({
        act: HAND_OFF,
        task: textOf(spelled(transfer, 'remaining_work')) ?? textOf(fields['reason']) ?? 'HANDOFF',
        reason: textOf(fields['reason']),
        context: { ...transfer, ...picked(fields, ['recommended_agent']) },
        priority: fields['urgency'] === 'IMMEDIATE' ? 'urgent' : priorityOf(priority),
      }),
    };
  },

  ESCALATE(fields, { priority }) {
    const context = objectOf(fields['context']);
    const reason = textOf(fields['reason']);
    const options = optionsOf(context['options']);
    const { until, within } = deadlineOf(context['deadline']);
    return {
      kind: 'delegate',
      payload: given({
        act: 'escalate',
        task: textOf(context['decision_needed']) ?? reason ?? 'ESCALATE',
        reason,
        context: { veto: fields['veto_details'] ?? null, type: fields['escalation_type'] ?? null },
        priority: priorityOf(priority),
        options,
        recommendation: options.find(({ label }) => label === context['recommendation'])?.['id'],
        deadline_ms: within,
      }),
      until,
    };
  },

  BROADCAST(fields, { priority }, follows) {
    const content = objectOf(fields['content']);
    const event = textOf(fields['event']) ?? 'message';
    if (follows !== false && event === 'ABORT')
      return { kind: 'cancel', payload: given({ reason: textOf(content['message']) }) };
    return {
      kind: 'notify',
      affects: texts(fields['affects']),
      payload: {
        topic: topicFrom(`crunch.${event}`) ?? 'crunch',
        data: given({ message: textOf(content['message']), data: content['data'] }),
        importance: importanceOf(priority),
      },
    };
  },

  VOTE(fields, { priority }, follows) {
    const { conflict_id, position, compromise, veto, veto_reason } = fields;
    const data = given({ conflict_id, position, compromise, veto, veto_reason });
    const choice = textOf(spelled(position, 'choice'));
    return follows !== false
      ? { kind: 'result', payload: { status: 'completed', outcome: choice ?? 'VOTE', data } }
      : {
          kind: 'notify',
          payload: { topic: VOTE_TOPIC, data, importance: importanceOf(priority) },
        };
  },
};

export const CRUNCH: Dialect = {
  name: 'claude-crunch',

  detect(message) {
    const id = textOf(spelled(message, 'id'));
    return id?.startsWith('MSG-') === true && TYPE(spelled(message, 'type'), 'type').ok;
  },

  complete(said, asked, ids) {
    const message = completed(said, {
      id: `MSG-${ids.at}-${ids.fresh}`,
      correlation_id: spelled(asked, 'id'),
    });
    return CRUNCH.detect(message) ? message : undefined;
  },

  read(written, follows = false) {
    const spelt = respelled(written, MEMBERS);
    if (!spelt.ok) return spelt;
    const message = spelt.value;
    const type = TYPES.find((one) => one === message['type']);
    if (type === undefined) return err(`"type" must be one of ${TYPES.join(', ')}`);
    const id = textOf(message['id']);
    if (id === null) return err('"id" must be text, such as MSG-1705234567890-a3f2b7c9');
    if (!isJsonObject(message['payload'])) return err('"payload" must be an object');
    const to = textOf(message['to']);
    if (to === EVERYBODY && type !== 'BROADCAST')
      return err(`"to" may be "*" in a BROADCAST only, and this is a ${type}`);
    const fields = respelled(message['payload'], PAYLOADS[type], 'payload.');
    if (!fields.ok) return fields;
    if (type === 'RESPONSE' && textOf(fields.value['status']) === null)
      return err(`"payload.status" must be one of ${Object.keys(STATUSES).join(', ')}`);
    const rank = entryOf(RANKS, message['priority']);
    return ok({
      until: null,
      ...(rank === undefined ? {} : { rank }),
      ...READERS[type](fields.value, message, follows),
      from: namedIn(message['from']),
      to,
      capability: null,
      ids: [id],
      replyTo: textOf(message['correlation_id']),
      conversation: null,
    });
  },

  write(message) {
    const answered = message.answers?.message;
    return given({
      id: idOf(message),
      ...bodyOf(message),
      from: message.from,
      to: message.to,
      correlation_id:
        message.answers === null ? undefined : (spelled(answered, 'id') ?? idOf(message.answers)),
      timestamp: toIso(message.at),
      priority: message.payload['priority'] === 'urgent' ? 'HIGH' : 'NORMAL',
      metadata: spelled(answered, 'metadata') ?? {
        issue_number: 0,
        phase: 'delegated',
        attempt: 1,
      },
    });
  },
};

/** What an agent is told that a message is called which was not written in this language. */
function idOf({ id, at }: Pick<Answered, 'id' | 'at'>): string | undefined {
  return id === null ? undefined : `MSG-${at}-${id.slice(0, 8)}`;
}

function bodyOf({ kind, payload, conversation, work = 'do' }: AxonMessage): JsonObject {
  if (kind === 'result') return { type: 'RESPONSE', payload: responseOf(payload) };
  if (kind === 'query' || kind === 'delegate')
    return { type: 'REQUEST', payload: requestOf(payload, kind === 'query' ? 'answer' : work) };
  const isCancel = kind === 'cancel';
  const message =
    firstText(payload, 'reason', 'data') ??
    firstText(objectOf(payload['data']), 'message', 'text', 'outcome', 'task') ??
    (payload['topic'] === TASK_ACCEPTED ? 'Accepted' : textOf(payload['topic']));
  return {
    type: 'BROADCAST',
    payload: {
      event: isCancel ? 'ABORT' : 'CONTEXT_UPDATE',
      content: given({ message, data: isCancel ? { conversation } : payload['data'] }),
      affects: [],
    },
  };
}

function requestOf(payload: JsonObject, action: string): JsonObject {
  const text = firstText(payload, 'task', 'question') ?? '';
  const [title = ''] = text.split('\n');
  return {
    action,
    context: {
      issue: { number: 0, title, body: text, labels: [], state: '' },
      knowledge_brief: { related_issues: [], patterns: [], decisions: [] },
      files: [],
      ...given({ task_parameters: payload['context'] }),
    },
    constraints: given({
      timeout_ms: payload['deadline_ms'],
      max_output_tokens: payload['max_tokens'],
      required_outputs: [],
      forbidden_actions: [],
    }),
  };
}

function responseOf(payload: JsonObject): JsonObject {
  const data = objectOf(payload['data']);
  const isBlocked = data['status'] === 'BLOCKED' || data['act'] === 'propose';
  const failed = isBlocked ? 'BLOCKED' : 'FAILED';
  const status = entryOf({ failed, partial: 'PARTIAL' }, payload['status']) ?? 'SUCCESS';
  return given({
    status,
    result: given({
      summary: firstText(payload, 'outcome', 'summary', 'error') ?? '',
      outputs:
        'decided_by' in data
          ? { decision: decisionOf(data, payload) }
          : isBesideOutputs(data)
            ? payload['data']
            : (data['outputs'] ?? payload['data']),
      ...picked(data, FILES),
      error: payload['error'],
      truncated: payload['truncated'] === true ? true : undefined,
      ...failureIn(payload),
    }),
    findings: data['findings'] ?? [],
    metrics: given({ tokens_used: payload['tokens_used'], ...picked(data, ['duration_ms']) }),
    ...picked(data, ['handoff']),
  });
}

/** Whether there is more than a RESPONSE has members for. */
function isBesideOutputs(data: JsonObject): boolean {
  const known = ['outputs', ...FILES, 'findings', 'handoff', 'duration_ms'];
  const { status, ...others } = data;
  const isMore = status !== undefined && status !== 'BLOCKED';
  return isMore || Object.keys(others).some((name) => !known.includes(name));
}

/** Which kind of failure it is, and whether to try again: this language has no word for it. */
function failureIn({ status, code, retryable }: JsonObject): JsonObject {
  return status === 'failed' ? { code: code === 'internal' ? undefined : code, retryable } : {};
}

/** An agent of this language never saw the ids of its options, and knows them by their words. */
function decisionOf(data: JsonObject, payload: JsonObject): JsonObject {
  const isChoice = textOf(data['choice']) !== null;
  return given({ ...data, option: isChoice ? payload['outcome'] : undefined });
}

/** Of the label `domain:security`, the area. */
function labelledArea(labels: unknown): string | undefined {
  return texts(labels)
    .flatMap((label) => (label.startsWith(AREA_LABEL) ? label.slice(AREA_LABEL.length) : []))
    .find((area) => DOMAIN_NAME.test(area));
}

/** A person needs something to choose: with none, two options; with one, another. */
function optionsOf(value: unknown): readonly JsonObject[] {
  const said = listOf(value).flatMap((entry) => {
    const { option, pros, cons } = objectOf(entry);
    const label = textOf(option);
    return label === null ? [] : [{ label, pros: texts(pros), cons: texts(cons) }];
  });
  const labels = said.map(({ label }) => label.trim());
  const added = ['Accept', 'Override'].filter((label) => !labels.includes(label));
  const missing = Math.max(0, 2 - said.length);
  const more = missing === 0 ? [] : added.slice(-missing).map((label) => ({ label }));
  return [...said, ...more].map((option, index) => ({ id: String(index + 1), ...option }));
}

function texts(value: unknown): readonly string[] {
  return listOf(value).flatMap((entry) => textOf(entry) ?? []);
}

function importanceOf(priority: unknown): string {
  return isUrgent(priority) ? 'high' : priority === 'LOW' ? 'low' : 'medium';
}
