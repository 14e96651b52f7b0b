// How far other hubs are with what our agents asked: recorded, and a delegation's state moved along as far as it tells. Promises nothing.
import { canMove } from '../../core/task-state.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store, TaskRow } from '../../ports/store.ts';
import type { NotifyPayload } from '../../protocol/payloads.ts';
import type { EventBus } from '../event-bus.ts';
import type { IncomingMessage } from '../peer-messenger.ts';
import type { OutgoingQueries } from './outgoing-queries.ts';
import { isOpen, moveTask } from './task-moves.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { readWireState, type ToldState } from './wire-states.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly unit: UnitOfWork;
  readonly queries: OutgoingQueries;
}

export class ProgressReports {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Foreign, unknown and finished refs change nothing. */
  async handle({ peer, envelope, raw }: IncomingMessage, payload: NotifyPayload): Promise<void> {
    const { store, clock, events, unit, queries } = this.#deps;
    const { ref } = envelope;
    if (ref === null) return;
    // A question is only written behind: its progress may be faster than its own record.
    const isAsked = queries.isOpen(peer.key, ref);
    const task =
      store.read.taskByMessage('outgoing', peer.key, ref) ??
      (isAsked ? await unit.run((tables) => queries.taskOf(tables, peer.key, ref)) : undefined);
    if (!task || !isOpen(task)) return;
    const at = clock.wallMs();
    store.writeBehind((tables) =>
      tables.insertMessage({
        messageId: envelope.id,
        direction: 'in',
        party: peer.key,
        kind: 'notify',
        ref,
        conversationId: hasWords(payload) ? task.conversationId : null,
        taskId: task.id,
        fromAgent: task.toAgent,
        toAgent: task.fromAgent,
        raw,
        at,
      }),
    );
    const to = seenState(payload);
    if (to !== undefined && (isAsked || task.state !== 'sending') && task.state !== to) {
      await unit.run((tables) => {
        const current: TaskRow | undefined = tables.task(task.id);
        if (current && canMove(current.state, to, 'outgoing')) moveTask(tables, current, to);
      });
    }
    events.publish({ type: 'conversation', id: task.conversationId });
  }
}

function hasWords(payload: NotifyPayload): boolean {
  return isJsonObject(payload.data) && typeof payload.data.text === 'string';
}

function seenState(payload: NotifyPayload): ToldState | undefined {
  return isJsonObject(payload.data) ? readWireState(payload.data.state) : undefined;
}
