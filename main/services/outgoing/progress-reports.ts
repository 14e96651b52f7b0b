// Progress of other hubs with our agents' requests: recorded, and the state of a delegation updated
// to match. Promises nothing.
import { wholeOf } from '../../dialects/members.ts';
import { wantedFor } from '../../core/story-row.ts';
import { canMove } from '../../core/task-state.ts';
import { escapeName } from '../../core/text-escape.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MessageRow, Store, TaskRow } from '../../ports/store.ts';
import { DEADLINE_MAX_MS } from '../../protocol/limits.ts';
import type { NotifyPayload } from '../../protocol/payloads.ts';
import type { IncomingMessage } from '../base/peer-messenger.ts';
import type { Deliveries } from '../inbox/deliveries.ts';
import type { OutgoingQueries } from './outgoing-queries.ts';
import { DELIVERED, type TaskEndings } from '../tasks/task-endings.ts';
import { ENDED, keptDecision, readWireState, type ReportedState } from '../tasks/wire-states.ts';
import { changeTask, isOpen, moveTask } from '../tasks/task-moves.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
import { HELD_SAID_MAX_MS } from './limits.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: TaskEvents;
  readonly unit: UnitOfWork;
  readonly queries: OutgoingQueries;
  readonly endings: TaskEndings;
  readonly deliveries: Pick<Deliveries, 'putAcceptance'>;
}

export class ProgressReports {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Foreign, unknown and finished refs change nothing. */
  async handle({ peer, envelope }: IncomingMessage, payload: NotifyPayload): Promise<void> {
    const { store, clock, events, unit, queries, deliveries } = this.#deps;
    const { ref } = envelope;
    if (ref === null) return;
    // A question is only written behind: its progress may be faster than its own record.
    const isAsked = queries.isOpen(peer.key, ref);
    const task =
      store.read.taskByMessage('outgoing', peer.key, ref) ??
      (isAsked ? await unit.run((tables) => queries.taskOf(tables, peer.key, ref)) : undefined);
    if (!task || !isOpen(task)) return;
    const at = clock.wallMs();
    const report: Omit<MessageRow, 'seq'> = {
      messageId: envelope.id,
      direction: 'in',
      party: peer.key,
      kind: 'notify',
      ref,
      conversationId: hasWords(payload) ? task.conversationId : null,
      taskId: task.id,
      fromAgent: task.toAgent,
      toAgent: task.fromAgent,
      payload: JSON.stringify(envelope.payload),
      at,
    };
    const tell = (): void => events.changed(task.id);
    if (isEnded(payload, task)) return this.#delivered(task.id, peer.petname, report);
    const to = seenState(payload);
    const kept = keptDecision(task, payload.decision, at);
    const handed = handedOnTo(payload);
    const told = { ...kept, ...estimateOf(payload), ...handed };
    const isNew = to === 'held' || isAccepted(payload) || Object.keys(told).length > 0;
    const isUpdate = to !== undefined && (task.state !== to || isNew);
    if (!isUpdate || (!isAsked && task.state === 'sending')) {
      store.writeBehind((tables) => tables.insertMessage(report), tell);
      return;
    }
    const heldUntil = to === 'held' ? heldUntilOf(payload, at) : null;
    const waits =
      to === 'held' || to === 'awaiting_approval' ? ({ waitsFor: 'peer' } as const) : {};
    await unit.run((tables, after) => {
      tables.insertMessage(report);
      const current: TaskRow | undefined = tables.task(task.id);
      const now =
        current?.state === to
          ? changeTask(tables, current, { heldUntil, ...told })
          : current && canMove(current.state, to, 'outgoing')
            ? moveTask(tables, current, to, { heldUntil, ...waits, ...told })
            : undefined;
      if (now && isAccepted(payload)) deliveries.putAcceptance(tables, after, now, now.estimatedMs);
      after(tell);
    }, 'comes_again');
  }

  #delivered(id: string, by: string, report: Omit<MessageRow, 'seq'>): Promise<void> {
    const { events, unit, endings } = this.#deps;
    return unit.run((tables, after) => {
      tables.insertMessage(report);
      const task = tables.task(id);
      if (!task || !isOpen(task)) return;
      // Whoever asked wanted to hear nothing of it.
      endings.end(tables, after, task, { ...DELIVERED, by, surface: 'peer', from: 'asker' });
      after(() => events.changed(id));
    }, 'comes_again');
  }
}

/** Its agent is done with what was to report nothing. */
function isEnded({ data }: NotifyPayload, { kind, reportBack }: TaskRow): boolean {
  return isJsonObject(data) && data.state === ENDED && kind === 'delegate' && !reportBack;
}

/** Its agent has taken it on, and its language has no word for that. */
function isAccepted(payload: NotifyPayload): boolean {
  const { data } = payload;
  return isJsonObject(data) && data['accepted'] === true && seenState(payload) === 'running';
}

function hasWords(payload: NotifyPayload): boolean {
  return isJsonObject(payload.data) && typeof payload.data.text === 'string';
}

/** By our own clock. The other hub's value is bounded like every wait for a person. */
function heldUntilOf(payload: NotifyPayload, at: number): number | null {
  const heldMs = isJsonObject(payload.data) ? payload.data.held_ms : null;
  return typeof heldMs === 'number' && Number.isSafeInteger(heldMs) && heldMs >= 0
    ? at + Math.min(heldMs, HELD_SAID_MAX_MS)
    : null;
}

/** Whom its agent handed it on to, as that hub says; empty: it names none, null: nobody (more). */
function handedOnTo({ data }: NotifyPayload): { readonly handedOnTo: string | null } | undefined {
  const wanted = isJsonObject(data) ? data['wants_to_hand_on_to'] : undefined;
  if (typeof wanted === 'string')
    return { handedOnTo: wantedFor(wanted && escapeName(wanted).name) };
  const said = isJsonObject(data) ? data.handed_on_to : undefined;
  if (said === null) return { handedOnTo: null };
  if (typeof said !== 'string') return undefined;
  return { handedOnTo: said && escapeName(said).name };
}

function estimateOf({ data }: NotifyPayload): { readonly estimatedMs?: number } {
  const estimatedMs = wholeOf(isJsonObject(data) ? data['estimated_ms'] : null, 0, DEADLINE_MAX_MS);
  return estimatedMs === null ? {} : { estimatedMs };
}

function seenState(payload: NotifyPayload): ReportedState | undefined {
  return isJsonObject(payload.data) ? readWireState(payload.data.state) : undefined;
}
