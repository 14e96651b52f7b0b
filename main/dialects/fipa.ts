// Lightweight FIPA-ACL: a performative, a capability instead of a recipient, a conversation, and
// replies by `reply_with` and `in_reply_to`.
import type { JsonObject } from '../lib/json-object.ts';
import { err, ok } from '../lib/result.ts';
import {
  ACCEPT_PROPOSAL,
  contextWith,
  deadlineOf,
  failureKindOf,
  isPartOf,
  OFFERED,
  TASK_ACCEPTED,
} from './dialect.ts';
import type { AxonMessage, Dialect, Follows, Reading, ReadingKind } from './dialect.ts';
import {
  entryOf,
  firstText,
  given,
  isNameOf,
  objectOf,
  textOf,
  toIso,
  topicFrom,
} from './members.ts';
import {
  anAgent,
  anything,
  completed,
  membersOf,
  namedIn,
  otherWords,
  respelled,
  aSender,
  spelled,
  aText,
  oneOf,
} from './spelling.ts';

type Act = Pick<Reading, 'kind' | 'payload'>;
/**
 * What a performative asks for. `answers`: where the message answers an earlier one; `follows`: one
 * that is there.
 */
type Meaning = (said: Said, answers: boolean, follows: Follows) => Act;
interface Said {
  /** Its words, or what it is about where it has none. */
  readonly text: string;
  readonly hasText: boolean;
  /** What was no text, as it came; undefined where all was text. */
  readonly data: unknown;
  readonly topic: string;
  /** By when it is to be answered, as it came. */
  readonly replyBy: unknown;
}

const task = (said: Said, more: JsonObject = {}): Act => ({
  kind: 'delegate',
  payload: given({
    task: said.text,
    context: said.data === undefined ? undefined : { content: said.data },
    ...more,
  }),
});
/**
 * What is asked for and not ordered: its act, for programs, and its words, for whoever reads a task
 * as something to be done.
 */
const ASKS: Readonly<Record<string, { readonly act: string; readonly words: string }>> = {
  CFP: { act: 'cfp', words: 'Make an offer for this, and do nothing yet' },
  PROPOSE: { act: OFFERED, words: 'Say yes or no to this offer, and do nothing yet' },
  SUBSCRIBE: { act: 'subscribe', words: 'Tell about this as often as it changes' },
};
const asked = (performative: string, { text, data }: Said): Act => {
  const { act, words = '' } = ASKS[performative] ?? {};
  return {
    kind: 'delegate',
    payload: { task: `${words}: ${text}`, context: given({ act, content: data }) },
  };
};
const question = ({ text, data }: Said): Act => ({
  kind: 'query',
  payload: { question: data === undefined ? text : `${text}: ${JSON.stringify(data)}` },
});
const done = ({ text, data }: Said, more: JsonObject = {}): Act => ({
  kind: 'result',
  payload: given({ status: 'completed', outcome: text, data, ...more }),
});
/** A counter-offer does not do what was asked: the request ends undone, with the offer. */
const offered = ({ text, data, replyBy }: Said): Act => ({
  kind: 'result',
  payload: given({
    status: 'failed',
    outcome: '',
    error: text,
    data: given({ act: 'propose', offer: data ?? text, reply_by: replyBy }),
    code: 'rejected',
  }),
});
const failed = ({ text, data }: Said, code: string): Act => ({
  kind: 'result',
  payload: given({ status: 'failed', outcome: text, error: text, data, code }),
});
const notice = ({ text, hasText, data, topic }: Said): Act => ({
  kind: 'notify',
  payload: { topic, data: data === undefined ? text : hasText ? { text, data } : data },
});
/** An INFORM of the same words would say something else. */
const told = (said: Said, act: string, words: string): Act => ({
  kind: 'notify',
  payload: {
    topic: said.topic,
    data: given({ act, text: `${words}: ${said.text}`, data: said.data }),
  },
});
const step =
  (kind: ReadingKind, payload: JsonObject = {}) =>
  (): Act => ({ kind, payload });
const decision = (word: string, { data }: Said): JsonObject =>
  given({ decision: word, content: data });
/** Of an offer; whatever else is accepted is not done by that. */
const accepted = (said: Said, follows: Follows): Act =>
  follows === 'offer'
    ? done(said, { data: decision('accept', said) })
    : { kind: 'accept', payload: { topic: TASK_ACCEPTED, data: {} } };

const MEANINGS: Readonly<Record<string, Meaning>> = {
  REQUEST: (said) => task(said),
  QUERY: question,
  QUERY_IF: question,
  QUERY_REF: question,
  INFORM: (said, answers) => (answers ? done(said) : notice(said)),
  FAILURE: (said) => failed(said, 'internal'),
  REFUSE: (said) => failed(said, 'rejected'),
  NOT_UNDERSTOOD: (said) => failed(said, 'not_understood'),
  PROPOSE: (said, answers) => (answers ? offered(said) : asked('PROPOSE', said)),
  CFP: (said) => asked('CFP', said),
  SUBSCRIBE: (said) => asked('SUBSCRIBE', said),
  ACCEPT_PROPOSAL: (said, _, follows) =>
    follows === false ? task(said, { act: ACCEPT_PROPOSAL }) : accepted(said, follows),
  REJECT_PROPOSAL: (said, _, follows) =>
    follows === false
      ? told(said, 'reject-proposal', 'This offer is not accepted')
      : failed({ ...said, data: decision('reject', said) }, 'rejected'),
  CONFIRM: notice,
  DISCONFIRM: (said) => told(said, 'disconfirm', 'This is not so'),
  AGREE: step('accept', { topic: TASK_ACCEPTED, data: {} }),
  CANCEL: ({ text, hasText }) => ({
    kind: 'cancel',
    payload: given({ reason: hasText ? text : undefined }),
  }),
};

const MEMBERS = membersOf({
  ...otherWords('receiver', 'in_reply_to'),
  performative: oneOf(...Object.keys(MEANINGS)),
  sender: aSender,
  receiver: anAgent,
  reply_to: anAgent,
  capability: aText,
  protocol: anything,
  content: anything,
  conversation_id: aText,
  reply_with: aText,
  in_reply_to: aText,
  reply_by: anything,
});

export const FIPA: Dialect = {
  name: 'fipa-acl',

  detect: (message) => textOf(spelled(message, 'performative')) !== null,

  complete(said, asked, ids) {
    const message = completed(said, {
      conversation_id: spelled(asked, 'conversation_id'),
      in_reply_to: spelled(asked, 'reply_with') ?? ids.asked,
    });
    return FIPA.detect(message) ? message : undefined;
  },

  read(written, follows = false) {
    const spelt = respelled(written, MEMBERS);
    if (!spelt.ok) return spelt;
    const message = spelt.value;
    const performative = textOf(message['performative']);
    const meaning = entryOf(MEANINGS, performative);
    if (performative === null || meaning === undefined)
      return err('"performative" must be a word such as REQUEST');
    const from = namedIn(message['sender']);
    const replyTo = textOf(message['reply_to']);
    if (replyTo !== null && from !== null && !isNameOf(replyTo, from))
      return err('"reply_to" must be the sender: answers go to whoever asked');
    const capability = textOf(message['capability']);
    const answered = textOf(message['in_reply_to']);
    const said = {
      ...contentOf(message['content'], capability ?? performative.toLowerCase()),
      replyBy: message['reply_by'],
    };
    const { kind, payload } = meaning(said, follows !== false || answered !== null, follows);
    const isAsked = kind === 'query' || kind === 'delegate';
    const isLasting = performative === 'SUBSCRIBE';
    const isBroadcast = textOf(message['protocol'])?.toLowerCase() === 'broadcast';
    const isForAll = isBroadcast && (isAsked || kind === 'notify');
    const { until, within } = deadlineOf(message['reply_by']);
    return ok({
      kind,
      payload: given({
        ...payload,
        deadline_ms: isAsked ? within : null,
      }),
      until: isAsked ? until : null,
      from: from ?? replyTo,
      to: textOf(message['receiver']),
      capability,
      ...(isForAll ? { isForAll } : {}),
      ...(isLasting ? { isLasting } : {}),
      ...(performative === 'INFORM' ? { isStatement: true } : {}),
      ids: [textOf(message['reply_with'])].flatMap((id) => id ?? []),
      replyTo: answered,
      conversation: textOf(message['conversation_id']),
    });
  },

  write(message) {
    const { kind, payload, at } = message;
    const answered = message.answers?.message;
    const performative = performativeOf(message);
    const answer = payload['status'] === 'failed' ? ['error', 'outcome'] : ['outcome', 'summary'];
    const text = firstText(payload, 'task', 'question', ...answer, 'reason');
    const context = contextWith(message);
    const structured = structuredIn({ ...payload, context }, performative, text);
    return given({
      performative,
      sender: message.from,
      receiver: message.to,
      capability:
        spelled(answered, 'capability') ??
        payload['capability'] ??
        payload['topic'] ??
        payload['domain'] ??
        'general',
      content: structured === undefined ? { text: text ?? '' } : given({ text, structured }),
      conversation_id: spelled(answered, 'conversation_id') ?? message.conversation,
      reply_with: isAnswered(kind) ? message.id : undefined,
      in_reply_to:
        message.answers === null
          ? undefined
          : (spelled(answered, 'reply_with') ?? message.answers.id),
      protocol: 'SingleRecipient',
      // The hub does not know in which language its words are.
      language: 'und',
      reply_by:
        typeof payload['deadline_ms'] === 'number'
          ? toIso(at + payload['deadline_ms'])
          : performative === 'PROPOSE'
            ? objectOf(payload['data'])['reply_by']
            : undefined,
    });
  },
};

/** The codes that these words stand for. */
const MEANT: Readonly<Record<string, unknown>> = {
  FAILURE: 'internal',
  REFUSE: 'rejected',
  NOT_UNDERSTOOD: 'not_understood',
};

/** Beside the words stand an offer, or the data, and what FIPA has no word for. */
function structuredIn(payload: JsonObject, performative: string, text: string | null): unknown {
  const { context, data, code, retryable, truncated } = payload;
  if (performative === 'PROPOSE' && data !== undefined) return offerIn(objectOf(data), text);
  const said = context ?? data ?? undefined;
  const meant = entryOf(MEANT, performative);
  const beside = given({
    status: isPartOf(payload) ? 'partial' : undefined,
    truncated: truncated === true ? truncated : undefined,
    ...(meant === undefined ? {} : { code: code === meant ? undefined : code, retryable }),
  });
  if (Object.keys(beside).length === 0) return said;
  return said === undefined ? beside : { ...beside, data: said };
}

/** Its words alone stand beside nothing. */
function offerIn({ act: _, offer, reply_by: __, ...more }: JsonObject, text: string | null) {
  if (Object.keys(more).length > 0) return { offer, ...more };
  return offer === text ? undefined : offer;
}

/** Whoever gets a cancel says with its answer that the work has stopped. */
function isAnswered(kind: AxonMessage['kind']): boolean {
  return kind === 'query' || kind === 'delegate' || kind === 'cancel';
}

function performativeOf(message: AxonMessage): string {
  const { kind, payload } = message;
  if (kind === 'query') return 'QUERY';
  if (kind === 'delegate')
    return payload['act'] === ACCEPT_PROPOSAL ? 'ACCEPT_PROPOSAL' : askedIn(payload);
  if (kind === 'cancel') return 'CANCEL';
  if (kind === 'notify' && payload['topic'] === TASK_ACCEPTED) return 'AGREE';
  const failure = kind === 'notify' ? null : failureKindOf(message);
  if (failure === null) return 'INFORM';
  if (failure === 'not_understood') return 'NOT_UNDERSTOOD';
  if (objectOf(payload['data'])['act'] === 'propose') return 'PROPOSE';
  return failure === 'refused' ? 'REFUSE' : 'FAILURE';
}

function askedIn({ context }: JsonObject): string {
  const { act } = objectOf(context);
  return Object.keys(ASKS).find((word) => ASKS[word]?.act === act) ?? 'REQUEST';
}

function contentOf(content: unknown, about: string): Omit<Said, 'replyBy'> {
  const members = objectOf(content);
  const words = 'text' in members ? 'text' : 'Text';
  const rest = 'structured' in members ? 'structured' : 'Structured';
  const text = textOf(content) ?? textOf(members[words]);
  const isKnown =
    Object.keys(members).every((name) => name === words || name === rest) &&
    (text !== null || rest in members);
  const isText = typeof content === 'string' || content === undefined || content === null;
  const data = isText ? undefined : isKnown ? members[rest] : content;
  return { text: text ?? about, hasText: text !== null, data, topic: topicFrom(about) ?? 'fipa' };
}
