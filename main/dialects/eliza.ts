// The multi-agent draft of ElizaOS: task requests with their accept, reject and results, queries,
// and capabilities. Paths in artifacts are text: this hub opens none.
import { DOMAIN_NAME } from '../../preload/contract/formats.ts';
import { durationOf } from '../lib/iso-time.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok } from '../lib/result.ts';
import { failureKindOf, isPartOf, TASK_ACCEPTED } from './dialect.ts';
import type { AxonMessage, Dialect, Offer, Reading, ReadingKind } from './dialect.ts';
import { entryOf, firstText, given, objectOf, textOf, toIso, topicFrom } from './members.ts';
import {
  anAgent,
  anything,
  aList,
  completed,
  membersOf,
  namedIn,
  nested,
  anObject,
  otherWords,
  respelled,
  aSender,
  spelled,
  aText,
  oneOf,
  type Members,
} from './spelling.ts';

const VERSION = '0.1.0';
const ONTOLOGY = /^[^:]+:ontology:([a-z0-9-]+(?:\/[a-z0-9-]+){0,5})\/([^/]+)$/;
/** `elizaos:code_debugging`, which names an area and nothing in it. */
const SHORT_ONTOLOGY = /^[^:]+:([a-z0-9_/-]+)$/;
const STATUSES: Readonly<Record<string, string>> = {
  success: 'completed',
  partial_success: 'partial',
  failure: 'failed',
};
type Act = Pick<Reading, 'kind' | 'payload' | 'endsNoTask' | 'isStatement' | 'work'>;
type Meaning = (fields: JsonObject, message: JsonObject) => Act;

const step = (kind: ReadingKind) => (): Act => ({ kind, payload: {} });
const refused =
  (code: string): Meaning =>
  (fields) => {
    const reason = firstText(fields, 'reason_text', 'error_text') ?? 'It was not done.';
    return {
      kind: 'result',
      payload: { status: 'failed', outcome: '', error: reason, code, data: fields },
    };
  };
const question: Meaning = (fields) => ({
  kind: 'query',
  payload: { question: textOf(fields['reference']) ?? conditionIn(fields) },
});

const WHY_NOT = { reason_code: aText, reason_text: aText, error_code: aText, error_text: aText };
const ASKED = membersOf({ condition: anything, reference: aText });
const CAPABILITIES_ASKED = membersOf({
  query_type: oneOf('summary', 'specific', 'action_details'),
  query_parameters: nested({ topics: aList, actions: aList, match_type: oneOf('all', 'any') }),
});
const PAYLOADS: Readonly<Record<string, Members>> = {
  TASK_REQUEST: membersOf({
    task_type: aText,
    task_description: aText,
    task_parameters: anObject,
    priority: oneOf('low', 'medium', 'high'),
  }),
  TASK_ACCEPT: membersOf({
    status: oneOf('accepted'),
    estimated_completion_time: anything,
    task_id_assigned: anything,
    comments: anything,
  }),
  TASK_REJECT: membersOf({ status: oneOf('rejected'), ...WHY_NOT }),
  INFORM_RESULT: membersOf({
    task_status: oneOf(...Object.keys(STATUSES)),
    result_summary: aText,
    result_details: anything,
    artifacts: anything,
  }),
  INFORM: membersOf({ topic: aText, content: anything }),
  QUERY_IF: ASKED,
  QUERY_REF: ASKED,
  FAILURE: membersOf({ status: oneOf('failure'), ...WHY_NOT }),
  NOT_UNDERSTOOD: membersOf(WHY_NOT),
  QUERY_CAPABILITIES: CAPABILITIES_ASKED,
  INFORM_CAPABILITIES: membersOf({ status: oneOf('success') }),
  CANCEL: membersOf({ reason_text: aText }),
};

const PERFORMATIVE = oneOf(...Object.keys(PAYLOADS));
const MEMBERS = membersOf({
  ...otherWords('receiver', 'in_reply_to'),
  mcp_version: aText,
  message_id: aText,
  performative: PERFORMATIVE,
  sender: aSender,
  receiver: anAgent,
  in_reply_to: aText,
  reply_with: aText,
  ontology: aText,
  payload: anObject,
});

const MEANINGS: Readonly<Record<string, Meaning>> = {
  TASK_REQUEST: (fields, message) => ({
    ...workIn(fields),
    kind: 'delegate',
    payload: given({
      task: textOf(fields['task_description']) ?? textOf(fields['task_type']) ?? 'TASK_REQUEST',
      context: objectOf(fields['task_parameters']),
      domain: domainOf(message['ontology']),
      priority: fields['priority'] === 'high' ? 'urgent' : undefined,
    }),
  }),
  TASK_ACCEPT: ({ estimated_completion_time: estimated, task_id_assigned, comments }) => ({
    kind: 'accept',
    payload: {
      topic: TASK_ACCEPTED,
      data: given({ estimated_ms: durationOf(estimated), task_id_assigned, comments }),
    },
  }),
  TASK_REJECT: refused('rejected'),
  INFORM_RESULT: (fields) => {
    const status = entryOf(STATUSES, fields['task_status']) ?? 'failed';
    const outcome =
      textOf(fields['result_summary']) ?? textOf(fields['task_status']) ?? 'INFORM_RESULT';
    return {
      kind: 'result',
      payload: given({
        status,
        outcome,
        data: detailsIn(fields, status === 'failed' ? { failure_class: 'outcome' } : {}),
        error: status === 'failed' ? outcome : undefined,
        code: status === 'failed' ? 'internal' : undefined,
      }),
    };
  },
  // Not in the draft, which has no word for what answers nothing.
  INFORM: (fields, { in_reply_to: replyTo }) => {
    const { topic, content, ...more } = fields;
    const data = content === undefined || Object.keys(more).length > 0 ? fields : content;
    return textOf(replyTo) === null
      ? { kind: 'notify', payload: { topic: topicFrom(textOf(topic) ?? '') ?? 'inform', data } }
      : {
          kind: 'result',
          // INFORM_RESULT does.
          endsNoTask: true,
          isStatement: true,
          payload: {
            status: 'completed',
            outcome: textOf(content) ?? '',
            ...(textOf(data) === null ? { data } : {}),
          },
        };
  },
  QUERY_IF: question,
  QUERY_REF: question,
  FAILURE: (fields, message) => {
    const { kind, payload } = refused('internal')(fields, message);
    return { kind, payload: { ...payload, data: { ...fields, failure_class: 'execution' } } };
  },
  NOT_UNDERSTOOD: refused('not_understood'),
  QUERY_CAPABILITIES: step('discover'),
  INFORM_CAPABILITIES: (fields) => ({
    kind: 'result',
    payload: { status: 'completed', outcome: 'Capabilities', data: fields },
  }),
  CANCEL: ({ reason_text: reason }) => ({
    kind: 'cancel',
    payload: given({ reason: textOf(reason) }),
  }),
};

export const ELIZA: Dialect = {
  name: 'elizaos',
  hasAcceptance: true,

  detect: (message) => textOf(spelled(message, 'mcp_version')) !== null,

  complete(said, asked, ids) {
    const message = completed(said, {
      mcp_version: spelled(asked, 'mcp_version'),
      message_id: ids.fresh,
      in_reply_to: spelled(asked, 'message_id'),
    });
    return textOf(spelled(said, 'performative')) === null ? undefined : message;
  },

  read(written) {
    const spelt = respelled(written, MEMBERS);
    if (!spelt.ok) return spelt;
    const message = spelt.value;
    const { performative, mcp_version: version = VERSION } = message;
    if (version !== VERSION) return err(`"mcp_version" must be ${VERSION}`);
    const [meaning, members] = [entryOf(MEANINGS, performative), entryOf(PAYLOADS, performative)];
    if (meaning === undefined || members === undefined)
      return err(`"performative" must be one of ${Object.keys(MEANINGS).join(', ')}`);
    const id = textOf(message['message_id']);
    if (id === null) return err('"message_id" must be text that is unique to the message');
    if (!isJsonObject(message['payload'])) return err('"payload" must be an object');
    const fields = respelled(message['payload'], members, 'payload.');
    if (!fields.ok) return fields;
    if (performative === 'INFORM_RESULT' && textOf(fields.value['task_status']) === null)
      return err(`"payload.task_status" must be one of ${Object.keys(STATUSES).join(', ')}`);
    return ok({
      ...meaning(fields.value, message),
      from: namedIn(message['sender']),
      to: textOf(message['receiver']),
      capability: null,
      ids: [id, textOf(message['reply_with'])].flatMap((one) => one ?? []),
      replyTo: textOf(message['in_reply_to']),
      conversation: null,
      until: null,
    });
  },

  write(message) {
    const answered = message.answers?.message;
    const { performative, payload, ontology } = bodyOf(message);
    const term = ontology ?? `elizaos:ontology:${termOf(message)}`;
    return given({
      mcp_version: VERSION,
      message_id: message.id,
      performative,
      sender: { agent_id: message.from },
      receiver: { agent_id: message.to },
      in_reply_to:
        message.answers === null
          ? undefined
          : (spelled(answered, 'reply_with') ??
            spelled(answered, 'message_id') ??
            message.answers.id),
      reply_with: message.kind === 'query' || message.kind === 'delegate' ? message.id : undefined,
      language: 'application/json',
      ontology: term,
      timestamp: toIso(message.at),
      payload,
    });
  },

  offer: ({ id, at, from, to }, offer, asked) => ({
    mcp_version: VERSION,
    message_id: id,
    performative: 'INFORM_CAPABILITIES',
    sender: { agent_id: from },
    receiver: { agent_id: to },
    in_reply_to: spelled(asked, 'message_id'),
    language: 'application/json',
    ontology: 'elizaos:ontology:agent/capability_information',
    timestamp: toIso(at),
    payload: {
      status: 'success',
      capabilities: capabilitiesOf(offer, askedIn(asked)),
    },
  }),
};

function workIn({ task_type: type }: JsonObject): Pick<Reading, 'work'> {
  const work = textOf(type);
  return work === null ? {} : { work };
}

function askedIn(message: JsonObject): JsonObject {
  const read = respelled(objectOf(spelled(message, 'payload')), CAPABILITIES_ASKED);
  return read.ok ? read.value : {};
}

/** All there is, or the actions alone (`action_details`), or whether all is there (`specific`). */
function capabilitiesOf(
  { domains, capabilities, examples }: Offer,
  { query_type: type, query_parameters: wanted }: JsonObject,
): JsonObject {
  const described = (name: string) => given({ name, description: examples.get(name) });
  const actions = [...capabilities, ...domains].map(described);
  const { match_type: match, ...parameters } = objectOf(wanted);
  const asked = Object.values(parameters).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).flatMap((word: unknown) => textOf(word) ?? []),
  );
  const matches = actions.filter(({ name }) => asked.includes(String(name)));
  if (type === 'action_details') return { actions: asked.length === 0 ? actions : matches };
  if (type !== 'specific') return { topics: domains, actions };
  const matched = asked.filter((word) => actions.some(({ name }) => name === word));
  const isMatch = match === 'any' || matched.length === asked.length;
  return { match_result: isMatch && matched.length > 0, matched_capabilities: matched };
}

interface Body {
  readonly performative: string;
  readonly payload: JsonObject;
  readonly ontology?: string;
}

function bodyOf(message: AxonMessage): Body {
  const { kind, payload } = message;
  if (kind === 'delegate')
    return {
      performative: 'TASK_REQUEST',
      payload: given({
        task_type: message.work ?? 'general',
        task_description: payload['task'],
        task_parameters: payload['context'],
        priority: payload['priority'] === 'urgent' ? 'high' : undefined,
      }),
    };
  if (kind === 'query')
    return { performative: 'QUERY_REF', payload: { reference: payload['question'] ?? '' } };
  if (kind === 'cancel')
    return { performative: 'CANCEL', payload: given({ reason_text: payload['reason'] }) };
  if (kind === 'result') return resultOf(message);
  if (payload['topic'] === TASK_ACCEPTED)
    return {
      performative: 'TASK_ACCEPT',
      ontology: 'elizaos:ontology:general/task_acceptance',
      payload: acceptedOf(objectOf(payload['data'])),
    };
  return {
    performative: 'INFORM',
    payload: given({ topic: payload['topic'], content: payload['data'] }),
  };
}

/** The concept of a message that has no term in the draft, in the area of what it is about. */
function termOf({ kind, payload, answers }: AxonMessage): string {
  const asked = ONTOLOGY.exec(textOf(spelled(answers?.message, 'ontology')) ?? '');
  if (kind === 'result') {
    const [, area = 'general', concept = 'task_request'] = asked ?? [];
    const isDone = payload['status'] !== 'failed' && !isPartOf(payload);
    const answered = concept.replace(/_request$/, '');
    const term = entryOf(isDone ? CONCEPTS.done : CONCEPTS.undone, answered);
    return `${area}/${term ?? `${answered}_result`}`;
  }
  const area = (textOf(payload['domain']) ?? 'general').replaceAll('.', '/');
  return `${area}/${CONCEPTS.asked[kind] ?? 'information'}`;
}

/** What the draft calls the answers to its own terms; what has none is called by its request. */
const CONCEPTS: Readonly<Record<'asked' | 'done' | 'undone', Readonly<Record<string, string>>>> = {
  asked: { delegate: 'task_request', query: 'query', cancel: 'task_cancellation' },
  done: { debug: 'solution_provided', refactor: 'refactor_suggestion' },
  undone: { debug: 'debug_analysis', refactor: 'refactor_suggestion' },
};

function acceptedOf({ estimated_ms: ms, task_id_assigned, comments }: JsonObject): JsonObject {
  const seconds = typeof ms === 'number' ? Math.ceil(ms / 1_000) : undefined;
  const more = { estimated_completion_time: seconds, task_id_assigned, comments };
  return { status: 'accepted', ...given(more) };
}

function resultOf(message: AxonMessage): Body {
  const { payload, answers } = message;
  const { code, data, retryable } = payload;
  const text = firstText(payload, 'outcome', 'summary');
  const error = textOf(payload['error']) ?? text ?? 'It was not done.';
  const failure = failureKindOf(message);
  const report = objectOf(data);
  const more = { result_details: report['act'] === 'propose' ? undefined : data, retryable };
  if (failure === 'refused')
    return {
      performative: 'TASK_REJECT',
      ontology: 'elizaos:ontology:general/task_rejection',
      payload: given({
        status: 'rejected',
        reason_code: textOf(report['reason_code']) ?? (code === 'rejected' ? undefined : code),
        reason_text: error,
        ...offerIn(data),
        ...more,
      }),
    };
  if (failure === 'not_understood')
    return {
      performative: 'NOT_UNDERSTOOD',
      ontology: 'elizaos:ontology:general/message_not_understood',
      payload: given({
        reason_code: reasonOf(answers?.message) ?? textOf(report['reason_code']),
        reason_text: error,
        ...more,
      }),
    };
  const { failure_class: kind } = report;
  const isCrash = kind === undefined ? code !== undefined : kind === 'execution';
  if (failure === 'failed' && isCrash)
    return {
      performative: 'FAILURE',
      ontology: 'elizaos:ontology:general/action_execution_failure',
      payload: given({
        status: 'failure',
        error_code: textOf(report['error_code']) ?? code,
        error_text: error,
        ...more,
      }),
    };
  const { artifacts, failure_class: _, ...members } = report;
  const { details, ...others } = members;
  const isAlone = details !== undefined && Object.keys(others).length === 0;
  return {
    performative: 'INFORM_RESULT',
    payload: given({
      task_status:
        failure === null ? (isPartOf(payload) ? 'partial_success' : 'success') : 'failure',
      result_summary: failure === null ? (text ?? '') : error,
      result_details: isJsonObject(data) ? (isAlone ? details : members) : data,
      artifacts,
      retryable: failure === null ? undefined : retryable,
      truncated: payload['truncated'] === true ? true : undefined,
    }),
  };
}

/** Of a result: its details, with the artifacts and whatever else is known beside their members. */
function detailsIn({ result_details: details, artifacts }: JsonObject, more: JsonObject): unknown {
  const beside = given({ artifacts, ...more });
  if (Object.keys(beside).length === 0) return details;
  return { ...(isJsonObject(details) ? details : given({ details })), ...beside };
}

/** A statement to be verified, as a question for people. */
function conditionIn(fields: JsonObject): string {
  const { condition } = fields;
  const stated = textOf(condition);
  if (stated !== null) return stated;
  if (!isJsonObject(condition)) return JSON.stringify(fields);
  const said = Object.entries(condition).map(
    ([name, value]) => `${name}: ${textOf(value) ?? JSON.stringify(value)}`,
  );
  return `Is this so? ${said.join(', ')}`;
}

/** Why a message of this language is not understood, by the reasons of the draft. */
function reasonOf(message: JsonObject | null | undefined): string | undefined {
  if (message === null || message === undefined || ELIZA.read(message).ok) return undefined;
  const isKnown = PERFORMATIVE(spelled(message, 'performative'), 'performative').ok;
  return isKnown ? 'invalid_payload_structure' : 'unknown_performative';
}

function offerIn(data: unknown): JsonObject {
  const { act, offer } = objectOf(data);
  return act === 'propose' ? given({ offer }) : {};
}

/**
 * `elizaos:ontology:code/python/debug_request` is in `code.python`, `elizaos:code_debugging` in
 * `code-debugging`.
 */
function domainOf(ontology: unknown): string | null {
  const said = textOf(ontology) ?? '';
  const found = ONTOLOGY.exec(said) ?? SHORT_ONTOLOGY.exec(said);
  const area = found?.[1]?.replaceAll('/', '.').replaceAll('_', '-') ?? '';
  return DOMAIN_NAME.test(area) ? area : null;
}
