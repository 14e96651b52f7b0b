// The multi-agent draft of ElizaOS: task requests with their accept, reject and results, queries,
// and capabilities. Paths in artifacts are text: this hub opens none.
import { durationOf } from '../lib/iso-time.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok } from '../lib/result.ts';
import { TASK_ACCEPTED } from './dialect.ts';
import type { AxonMessage, Dialect, Offer, Reading, ReadingKind } from './dialect.ts';
import { entryOf, firstText, given, objectOf, textOf, toIso, topicFrom } from './members.ts';
import {
  anAgent,
  anything,
  aList,
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
const ONTOLOGY = /^[^:]+:ontology:([a-z0-9-]+(?:\/[a-z0-9-]+){0,5})\/[^/]+$/;
const STATUSES: Readonly<Record<string, string>> = {
  success: 'completed',
  partial_success: 'partial',
  failure: 'failed',
};
type Act = Pick<Reading, 'kind' | 'payload'>;
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
  payload: {
    question: textOf(fields['reference']) ?? textOf(fields['condition']) ?? JSON.stringify(fields),
  },
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

const MEMBERS = membersOf({
  ...otherWords('receiver', 'in_reply_to'),
  mcp_version: aText,
  message_id: aText,
  performative: oneOf(...Object.keys(PAYLOADS)),
  sender: aSender,
  receiver: anAgent,
  in_reply_to: aText,
  reply_with: aText,
  ontology: aText,
  payload: anObject,
});

const MEANINGS: Readonly<Record<string, Meaning>> = {
  TASK_REQUEST: (fields, message) => ({
    kind: 'delegate',
    payload: given({
      task: textOf(fields['task_description']) ?? textOf(fields['task_type']) ?? 'TASK_REQUEST',
      context: objectOf(fields['task_parameters']),
      domain: domainOf(message['ontology']),
      priority: fields['priority'] === 'high' ? 'urgent' : undefined,
    }),
  }),
  TASK_ACCEPT: ({ estimated_completion_time: estimated, comments }) => ({
    kind: 'accept',
    payload: {
      topic: TASK_ACCEPTED,
      data: given({ estimated_ms: durationOf(estimated), comments }),
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
        data:
          fields['artifacts'] === undefined
            ? fields['result_details']
            : given({ details: fields['result_details'], artifacts: fields['artifacts'] }),
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
      : { kind: 'result', payload: { status: 'completed', outcome: textOf(content) ?? '', data } };
  },
  QUERY_IF: question,
  QUERY_REF: question,
  FAILURE: refused('internal'),
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

  detect: (message) => textOf(spelled(message, 'mcp_version')) !== null,

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
      ontology,
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

function bodyOf({ kind, payload }: AxonMessage): Body {
  if (kind === 'delegate')
    return {
      performative: 'TASK_REQUEST',
      payload: given({
        task_type: 'general',
        task_description: payload['task'],
        task_parameters: payload['context'],
        priority: payload['priority'] === 'urgent' ? 'high' : undefined,
      }),
    };
  if (kind === 'query')
    return { performative: 'QUERY_REF', payload: { reference: payload['question'] ?? '' } };
  if (kind === 'cancel')
    return { performative: 'CANCEL', payload: given({ reason_text: payload['reason'] }) };
  if (kind === 'result') return resultOf(payload);
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

function acceptedOf({ estimated_ms: ms, comments }: JsonObject): JsonObject {
  const seconds = typeof ms === 'number' ? Math.ceil(ms / 1_000) : undefined;
  return { status: 'accepted', ...given({ estimated_completion_time: seconds, comments }) };
}

function resultOf(payload: JsonObject): Body {
  const { status, code, data } = payload;
  const text = firstText(payload, 'outcome', 'summary');
  const error = textOf(payload['error']) ?? text ?? 'It was not done.';
  if (status === 'failed' && code === 'rejected')
    return {
      performative: 'TASK_REJECT',
      ontology: 'elizaos:ontology:general/task_rejection',
      payload: { status: 'rejected', ...why(data), reason_text: error, ...offerIn(data) },
    };
  if (status === 'failed' && code === 'not_understood')
    return {
      performative: 'NOT_UNDERSTOOD',
      ontology: 'elizaos:ontology:general/message_not_understood',
      payload: { ...why(data), reason_text: error },
    };
  if (status === 'failed' && (data === null || data === undefined))
    return {
      performative: 'FAILURE',
      ontology: 'elizaos:ontology:general/action_execution_failure',
      payload: given({ status: 'failure', error_code: code, error_text: error }),
    };
  const report = objectOf(data);
  return {
    performative: 'INFORM_RESULT',
    payload: given({
      task_status: entryOf({ failed: 'failure', partial: 'partial_success' }, status) ?? 'success',
      result_summary: status === 'failed' ? error : (text ?? ''),
      result_details: report['details'] ?? data,
      artifacts: report['artifacts'],
    }),
  };
}

/** Why it was not done, where an agent of this language said so by a word of it. */
function why(data: unknown): JsonObject {
  return given({ reason_code: textOf(objectOf(data)['reason_code']) });
}

function offerIn(data: unknown): JsonObject {
  const { act, offer } = objectOf(data);
  return act === 'propose' ? given({ offer }) : {};
}

/** `elizaos:ontology:code/python/debug_request` is in `code.python`; other forms say nothing. */
function domainOf(ontology: unknown): string | null {
  const found = ONTOLOGY.exec(textOf(ontology) ?? '');
  return found?.[1]?.replaceAll('/', '.') ?? null;
}
