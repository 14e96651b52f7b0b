// Remote approval: the question that one hub puts to an adult's hub about a request, and its
// verdict (PROTOCOL.md, Remote approval). Reads and writes both. Decides nothing; the digest shows
// whether the question is true.
import {
  REMOTE_CLASSES,
  REQUEST_KINDS,
  type RemoteClass,
  type RequestKind,
} from '../../preload/contract/closed-lists.ts';
import { AGENT_NAME } from '../../preload/contract/formats.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { ESCALATE, type Escalation } from './escalation.ts';
import { Fields } from './fields.ts';
import * as limits from './limits.ts';
import { isMessageId } from './message-id.ts';

/**
 * The versions of the text that a person approves, each with the extension of a hub that can make
 * it. No hub is asked about a text that it cannot make.
 */
const EXTENSION_OF = { 1: 'remote-approval/1', 2: 'remote-approval/2' } as const;
type TextVersion = keyof typeof EXTENSION_OF;

/** What a hub advertises that knows them all. */
export const REMOTE_APPROVAL: readonly string[] = Object.values(EXTENSION_OF);

/** Whether a hub of these extensions can draw a question about such a text. */
export function canMake(extensions: readonly string[], version: TextVersion): boolean {
  return extensions.includes(EXTENSION_OF[version]);
}

/** Whether a hub of these extensions can be asked about anything. */
export function canBeAsked(extensions: readonly string[]): boolean {
  return REMOTE_APPROVAL.some((extension) => extensions.includes(extension));
}

export type VerdictChoice = 'allow' | 'decline';

const KEY = /^[0-9a-f]{64}$/;
/** Before the name of an agent of the asking hub, where else a key stands. */
const AGENT_MARK = 'agent:';
/**
 * In the place of an agent: a person at the asking hub asks its agent for something. No agent can
 * have this name.
 */
export const PERSON_THERE = 'agent:@owner';

/** The words that stand in every question: nothing in them is of the request. */
const TASK = 'May this be done?';
const OPTIONS: readonly { readonly id: VerdictChoice; readonly label: string }[] = [
  { id: 'allow', label: 'Allow once' },
  { id: 'decline', label: 'Decline' },
];

/**
 * The request as the asking hub keeps it: what its digest is made of. All outside text in `payload`
 * and `from_agent` as it came.
 */
export interface ApprovalQuestion {
  /** The asking hub's own id of the request. */
  readonly id: string;
  /** Hex, over the view that both hubs make of the rest. */
  readonly digest: string;
  /** Of the text that the digest is of. Hubs that know only the first leave it out. */
  readonly version: TextVersion;
  readonly kind: RequestKind;
  /** The payload of the request as canonical JSON. */
  readonly payload: string;
  /**
   * The key of the hub that made the request, `agent:<name>` for an agent of the asking hub, or
   * `PERSON_THERE`.
   */
  readonly peer_key: string;
  /** The asking hub's name for it. */
  readonly peer_name: string;
  readonly from_agent: string | null;
  /** The agent of the asking hub that would do it. */
  readonly to_agent: string;
  readonly risk_class: RemoteClass;
  readonly risk_reason: string;
  readonly received_at: number;
  readonly received_seq: number;
  readonly conversation_id: string;
  readonly message_id: string;
}

/**
 * The payload of the delegation that asks. @param deadlineMs what is left of the time of the
 * request
 */
export function questionPayload(
  question: ApprovalQuestion,
  deadlineMs: number,
  isUrgent: boolean,
): JsonObject {
  const { version, ...first } = question;
  return {
    task: TASK,
    act: ESCALATE,
    options: OPTIONS.map((option) => ({ ...option })),
    priority: isUrgent ? 'urgent' : 'normal',
    report_back: true,
    deadline_ms: deadlineMs,
    approval: version === 1 ? first : { ...question },
  };
}

/**
 * null where there is none. Problems go to `fields`: read as any other escalation, the card would
 * show its sender's words.
 */
export function readApprovalQuestion(
  fields: Fields,
  escalation: Escalation | null,
): ApprovalQuestion | null {
  const asked = fields.raw('approval') ?? null;
  if (asked === null || fields.raw('act') !== ESCALATE) return null;
  if (!isJsonObject(asked)) return fields.refuse('approval', 'must be a JSON object', null);
  const plain = escalation?.options.map(({ id, label, pros, cons }) => ({
    id,
    label,
    points: pros.length + cons.length,
  }));
  if (
    JSON.stringify(plain) !== JSON.stringify(OPTIONS.map((option) => ({ ...option, points: 0 })))
  ) {
    fields.refuse(
      'options',
      'must be "allow" and "decline", with the labels of the page, in a remote approval',
      null,
    );
  }
  if (fields.raw('task') !== TASK)
    fields.refuse('task', `must be ${JSON.stringify(TASK)} in a remote approval`, null);
  const read = readQuestion(asked);
  return read.ok ? read.value : fields.refuse('approval', `does not fit: ${read.error}`, null);
}

function readQuestion(asked: JsonObject): Result<ApprovalQuestion, string> {
  const fields = new Fields(asked);
  const name = { maxCharacters: limits.QUESTION_NAME_MAX_CHARACTERS };
  const kind = fields.choice('kind', REQUEST_KINDS, '');
  const riskClass = fields.choice('risk_class', REMOTE_CLASSES, '');
  const version = fields.integer('version', 1, 1);
  if (version !== 1 && version !== 2)
    return err('"version" must be 2, or absent: this hub knows no later one');
  const digest = fields.text('digest', 'a SHA-256 in hex');
  if (!/^[0-9a-f]{64}$/.test(digest))
    fields.refuse('digest', 'must be a SHA-256 in 64 hex digits', null);
  // The adult's card shows these as they are, beside her own hub's words, so only their plain forms
  // pass.
  const toAgent = fields.text('to_agent', 'claude', name);
  if (!AGENT_NAME.test(toAgent)) fields.refuse('to_agent', 'must be the name of an agent', null);
  const peerKey = fields.text('peer_key', 'agent:claude', name);
  if (!isParty(peerKey))
    fields.refuse(
      'peer_key',
      'must be a key in 64 hex digits, "agent:" and the name of an agent, or "agent:@owner"',
      null,
    );
  const ids = ['id', 'message_id'].map((member) => {
    const id = fields.text(member, '5a1d7c1e-94b0-4d5c-8a0e-2f6b7c8d9e01');
    if (!isMessageId(id)) fields.refuse(member, 'must be a UUID version 4 in lower case', null);
    return id;
  });
  const [id = '', messageId = ''] = ids;
  if (kind === '' || riskClass === '') return err('"kind" and "risk_class" must be there');
  return fields.finish({
    id,
    digest,
    version,
    kind,
    payload: fields.text('payload', '{"task":"Feed the cat"}'),
    peer_key: peerKey,
    peer_name: fields.text('peer_name', 'Dad’s laptop', name),
    from_agent: fields.optionalText('from_agent', name),
    to_agent: toAgent,
    risk_class: riskClass,
    risk_reason: fields.text('risk_reason', 'agent_class', name),
    received_at: fields.integer('received_at', 0, 0),
    received_seq: fields.integer('received_seq', 0, 0),
    conversation_id: fields.text('conversation_id', 'an id', name),
    message_id: messageId,
  });
}

/** The question that a stored payload of ours asks; undefined for any other delegation. */
export function questionIn(payload: JsonObject): ApprovalQuestion | undefined {
  if (payload.act !== ESCALATE || !isJsonObject(payload.approval)) return undefined;
  const read = readQuestion(payload.approval);
  return read.ok ? read.value : undefined;
}

/** What a result's `data` holds. */
export interface Verdict {
  readonly choice: VerdictChoice;
  readonly digest: string;
  /** The adult's own words why not; outside text. */
  readonly reason: string | null;
  /** The adult's name as that hub gives it; null where nobody is named there. Outside text. */
  readonly person: string | null;
}

/**
 * @param status of the result that holds it: a refusal that says "allow" is no answer. The error is
 * a sentence for the record.
 */
export function readVerdict(status: string, data: unknown): Result<Verdict, string> {
  if (!isJsonObject(data)) return err('it holds no choice');
  const { choice, digest, reason, decided_by: person } = data;
  if (choice !== 'allow' && choice !== 'decline') return err('it chooses neither of the two');
  if ((status === 'completed') !== (choice === 'allow'))
    return err('it chooses one thing and its status says another');
  return typeof digest === 'string'
    ? ok({ choice, digest, reason: textOf(reason), person: textOf(person) })
    : err('it names no digest');
}

/** The label of a choice, as the answer's outcome says it. */
export function labelOf(choice: VerdictChoice): string {
  return OPTIONS.find(({ id }) => id === choice)?.label ?? choice;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function isParty(text: string): boolean {
  if (text === PERSON_THERE) return true;
  return text.startsWith(AGENT_MARK)
    ? AGENT_NAME.test(text.slice(AGENT_MARK.length))
    : KEY.test(text);
}
