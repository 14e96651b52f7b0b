// An offer that answered a request, and the delegation that accepts it (PROTOCOL.md, Kinds and
// payloads). It carries both whole; the hub that made the offer compares them with its own record.
import { canonicalJson } from '../../lib/canonical-json.ts';
import { isJsonObject, readObject, type JsonObject } from '../../lib/json-object.ts';
import { durationOf, momentOf } from '../../lib/iso-time.ts';
import { escapeName } from '../../core/text-escape.ts';
import { inputError } from '../../lib/app-error.ts';
import type { Reads, TaskRow } from '../../ports/store.ts';
import { ACCEPT_PROPOSAL, PROPOSE } from '../../protocol/escalation.ts';
import type { Reading } from '../../dialects/dialect.ts';
import { readOrigin } from '../../dialects/origin.ts';
import { isLocal } from './parties.ts';
import { routeFrom, type AskedWork } from './work-request.ts';

const TASKS_AT_ONCE = 100;

/**
 * By which a message may refer to a task: its own id, and those of the messages that asked for it
 * and answered it.
 */
export function idsOf(task: TaskRow): readonly string[] {
  return [...askedIdsOf(task), ...(readingOf(task.result ?? '')?.ids ?? [])];
}

/** The same without the answer's. */
export function askedIdsOf({ messageId, payload }: TaskRow): readonly string[] {
  return [messageId, ...(readingOf(payload)?.ids ?? [])];
}

function readingOf(payload: string): Reading | undefined {
  const origin = readOrigin(readObject(payload));
  const read = origin?.dialect.read(origin.message, true);
  return read?.ok === true ? read.value : undefined;
}

/** What an acceptance of its offer says; undefined where it ended without one. */
export function termsOf(task: TaskRow): JsonObject | undefined {
  if (task.state === 'completed' || task.state === 'partial') return undefined;
  const { data } = readObject(task.result ?? '');
  const { task: work, question, context = {} } = readObject(task.payload);
  const text = work ?? question;
  if (!isJsonObject(data) || data['act'] !== PROPOSE) return undefined;
  const { offer } = data;
  if (text === undefined || offer === undefined) return undefined;
  return { message: task.messageId, request: { task: text, context }, offer };
}

/** Whether it named a time by which it had to be accepted, and that has passed. */
export function isOfferOver({ result, finishedAt }: TaskRow, now: number): boolean {
  const { data } = readObject(result ?? '');
  const said = isJsonObject(data) ? data['reply_by'] : undefined;
  const until = momentOf(said) ?? (finishedAt ?? now) + (durationOf(said) ?? Infinity);
  return until < now;
}

/** How an offer is refused that is accepted too late. */
export const OFFER_OVER = 'That offer is over: it said by when it had to be accepted.';

/** The task whose offer is accepted; undefined: nothing of the kind is there. */
export function acceptedTask(
  reads: Reads,
  { party, payload }: Pick<TaskRow, 'party'> & { readonly payload: JsonObject },
): TaskRow | undefined {
  if (payload['act'] !== ACCEPT_PROPOSAL || !isJsonObject(payload['accepts'])) return undefined;
  const { message } = payload['accepts'];
  if (typeof message !== 'string') return undefined;
  const task = isLocal(party)
    ? reads.task(message)
    : reads.taskByMessage('incoming', party, message);
  return task?.party === party && task.direction !== 'outgoing' ? task : undefined;
}

/**
 * The task whose offer this accepts, once; null for any other request.
 * @throws AppError invalid_envelope, not_authorized, conflict
 */
export function readAcceptance(reads: Reads, request: AskedWork, now: number): TaskRow | null {
  const { kind, payload, routeTo } = request;
  if (kind !== 'delegate' || payload['act'] !== ACCEPT_PROPOSAL) {
    // An agent would read it as accepted, and nobody would have compared it.
    if (payload['accepts'] === undefined) return null;
    throw inputError('invalid_envelope', 'It accepts an offer and is no acceptance.');
  }
  const task = acceptedTask(reads, request);
  const terms = task === undefined ? undefined : termsOf(task);
  if (task === undefined || terms === undefined)
    throw inputError('invalid_envelope', 'It accepts an offer that was not made here.');
  if (canonicalJson(payload['accepts']) !== canonicalJson(terms))
    throw inputError('invalid_envelope', 'It accepts another request or another offer.');
  if (!namesOffer(payload, task))
    throw inputError('invalid_envelope', 'Its message accepts another offer.');
  const from = routeFrom(payload);
  if ((from === null ? null : escapeName(from).name) !== task.fromAgent)
    throw inputError('not_authorized', 'Only the agent that asked can accept the offer.');
  if (routeTo !== null && routeTo !== task.toAgent)
    throw inputError(
      'not_authorized',
      'Only the agent that made the offer can get its acceptance.',
    );
  if (isOfferOver(task, now)) throw inputError('conflict', OFFER_OVER);
  if (isAccepted(reads, task, request.messageId))
    throw inputError('conflict', 'The offer was accepted before.');
  return task;
}

/** An agent of the same language reads the message, and not what is accepted beside it. */
function namesOffer({ origin }: JsonObject, task: TaskRow): boolean {
  const said = readingOf(JSON.stringify({ origin }));
  if (said === undefined) return true;
  if (said.replyTo !== null) return idsOf(task).includes(said.replyTo);
  const asked = readingOf(task.payload);
  return asked === undefined || asked.conversation === said.conversation;
}

/** How an acceptance ends that a person did not allow: it may be asked for again. */
const NEVER_RAN: ReadonlySet<string> = new Set(['expired', 'declined']);

function isAccepted(reads: Reads, offered: TaskRow, except: string): boolean {
  const { conversationId, party, messageId } = offered;
  let page = reads.tasks({ limit: TASKS_AT_ONCE }, { conversationId });
  while (page.length > 0) {
    for (const task of page) {
      if (task.party !== party || task.messageId === except || NEVER_RAN.has(task.state)) continue;
      const payload = readObject(task.payload);
      if (acceptedTask(reads, { party, payload })?.messageId === messageId) return true;
    }
    page = reads.tasks(
      { limit: TASKS_AT_ONCE, beforeSeq: page.at(-1)?.seq ?? 0 },
      { conversationId },
    );
  }
  return false;
}
