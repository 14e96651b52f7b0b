// An offer that answered a request, and the delegation that accepts it (PROTOCOL.md, Kinds and
// payloads). It carries both whole; the hub that made the offer compares them with its own record.
import { canonicalJson } from '../../lib/canonical-json.ts';
import { isJsonObject, readObject, type JsonObject } from '../../lib/json-object.ts';
import { escapeName } from '../../core/text-escape.ts';
import { inputError } from '../../lib/app-error.ts';
import type { Reads, TaskRow } from '../../ports/store.ts';
import { ACCEPT_PROPOSAL, PROPOSE } from '../../protocol/escalation.ts';
import { isLocal } from './parties.ts';
import { routeFrom, type AskedWork } from './work-request.ts';

const TASKS_AT_ONCE = 100;

/** What an acceptance of its offer says; undefined where it ended without one. */
export function termsOf(task: TaskRow): JsonObject | undefined {
  const { data } = readObject(task.result ?? '');
  const { task: text, context = {} } = readObject(task.payload);
  if (!isJsonObject(data) || data['act'] !== PROPOSE || text === undefined) return undefined;
  return { message: task.messageId, request: { task: text, context }, offer: data['offer'] };
}

/** The task whose offer is accepted; undefined: nothing of the kind is there. */
export function acceptedTask(
  reads: Reads,
  { party, payload }: Pick<TaskRow, 'party'> & { readonly payload: JsonObject },
): TaskRow | undefined {
  if (payload['act'] !== ACCEPT_PROPOSAL || !isJsonObject(payload['accepts'])) return undefined;
  const message = String(payload['accepts']['message']);
  const task = isLocal(party)
    ? reads.task(message)
    : reads.taskByMessage('incoming', party, message);
  return task?.party === party && task.direction !== 'outgoing' ? task : undefined;
}

/**
 * The task whose offer this accepts, once; null for any other request.
 * @throws AppError invalid_envelope, not_authorized, conflict
 */
export function readAcceptance(reads: Reads, request: AskedWork): TaskRow | null {
  const { kind, payload, routeTo } = request;
  if (kind !== 'delegate' || payload['act'] !== ACCEPT_PROPOSAL) return null;
  const task = acceptedTask(reads, request);
  const terms = task === undefined ? undefined : termsOf(task);
  if (task === undefined || terms === undefined)
    throw inputError('invalid_envelope', 'It accepts an offer that was not made here.');
  if (canonicalJson(payload['accepts']) !== canonicalJson(terms))
    throw inputError('invalid_envelope', 'It accepts another request or another offer.');
  const from = routeFrom(payload);
  if ((from === null ? null : escapeName(from).name) !== task.fromAgent)
    throw inputError('not_authorized', 'Only the agent that asked can accept the offer.');
  if (routeTo !== null && routeTo !== task.toAgent)
    throw inputError(
      'not_authorized',
      'Only the agent that made the offer can get its acceptance.',
    );
  if (isAccepted(reads, task, request.messageId))
    throw inputError('conflict', 'The offer was accepted before.');
  return task;
}

function isAccepted(reads: Reads, offered: TaskRow, except: string): boolean {
  const { conversationId, party, messageId } = offered;
  let page = reads.tasks({ limit: TASKS_AT_ONCE }, { conversationId });
  while (page.length > 0) {
    for (const task of page) {
      if (task.party !== party || task.messageId === except || task.state === 'expired') continue;
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
