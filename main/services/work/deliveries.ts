// Puts items into agents' inboxes, inside the commit of what caused them, and tells the inbox: at once, so that a reader who waits can claim
// in the same commit, and again after it. Owns nothing of claiming.
import { isTask } from '../../../preload/contract/delivery-kind.ts';
import { escapeJson, escapeText } from '../../core/text-escape.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { DeliveryRow, PartyKey, TaskRow, Tables } from '../../ports/store.ts';
import type { DeliveryBody, Untrusted } from './delivery-body.ts';
import type { Parties } from './parties.ts';
import type { After } from './unit-of-work.ts';

interface NewDelivery {
  readonly agent: string;
  readonly kind: DeliveryRow['kind'];
  readonly taskId: string | null;
  readonly urgency: DeliveryRow['urgency'];
  readonly body: DeliveryBody;
}

/** Outside words as they came; they are escaped here, once. */
export interface OutsideWords {
  readonly party: PartyKey;
  readonly fromAgent: string | null;
  readonly kind: string;
  readonly text: string | null;
  readonly payload: unknown;
}

export const URGENCY = { low: 0, normal: 1, urgent: 2 } as const;

export class Deliveries {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #parties: Parties;
  readonly #listeners = new Set<(row: DeliveryRow) => void>();

  constructor(deps: { readonly clock: Clock; readonly random: Random; readonly parties: Parties }) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#parties = deps.parties;
  }

  put(tables: Tables, after: After, item: NewDelivery): DeliveryRow {
    const row = tables.insertDelivery({
      deliveryId: this.#random.uuid(),
      agent: item.agent,
      kind: item.kind,
      state: 'queued',
      taskId: item.taskId,
      // Only work makes others of its conversation wait: a notification beside it must not.
      conversationId: isTask(item.kind) ? item.body.conversation_id : null,
      urgency: item.urgency,
      body: JSON.stringify(item.body),
      attempt: 0,
      leaseUntilWallMs: null,
      createdAt: this.#clock.wallMs(),
      finishedAt: null,
    });
    // What a reader asks for now is worked right after this work, in its transaction: one commit less between a person's word and the agent.
    this.announce(row);
    after(() => this.announce(row));
    return row;
  }

  /** Tells the inbox that this item waits (again), or will once the running commit is durable. */
  announce(row: DeliveryRow): void {
    for (const listener of this.#listeners) listener(row);
  }

  onQueued(listener: (row: DeliveryRow) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The outcome of a task for the agent that asked for it; nothing when nobody here asked. */
  putResult(tables: Tables, after: After, task: TaskRow, messageId: string, payload: Readonly<Record<string, unknown>>): void {
    const agent = task.fromAgent;
    if (agent === null || task.direction === 'incoming' || !tables.agent(agent)) return;
    const text = [payload.outcome, payload.error].find((words) => typeof words === 'string' && words !== '');
    this.put(tables, after, {
      agent,
      kind: 'result',
      taskId: task.id,
      urgency: task.urgent ? URGENCY.urgent : URGENCY.normal,
      body: this.#body(task, messageId, 'result', {
        party: task.party,
        fromAgent: task.toAgent,
        kind: 'result',
        text: typeof text === 'string' ? text : null,
        payload,
      }),
    });
  }

  /** Tells the agent that runs a task to stop. */
  putCancel(tables: Tables, after: After, task: TaskRow, messageId: string, reason: string | null): void {
    if (task.toAgent === null || task.direction === 'outgoing') return;
    if (tables.deliveryOfTask(task.id, 'cancel')) return;
    this.put(tables, after, {
      agent: task.toAgent,
      kind: 'cancel',
      taskId: task.id,
      urgency: URGENCY.urgent,
      body: this.#body(task, messageId, 'cancel', {
        party: task.party,
        fromAgent: task.fromAgent,
        kind: 'cancel',
        text: reason,
        payload: { reason },
      }),
    });
  }

  untrusted(words: OutsideWords): Untrusted {
    return {
      origin: {
        peer_name: this.#parties.nameOf(words.party),
        peer_id: this.#parties.agentIdOf(words.party),
        from_agent: words.fromAgent,
      },
      kind: words.kind,
      text: words.text === null ? null : escapeText(words.text),
      payload: escapeJson(words.payload),
      digest: null,
    };
  }

  #body(task: TaskRow, messageId: string, kind: string, words: OutsideWords): DeliveryBody {
    return {
      conversation_id: task.conversationId,
      trust: this.#parties.trustOf(task.party),
      approval: null,
      envelope: { id: messageId, kind, ref: task.messageId, received_at: this.#clock.wallMs() },
      untrusted: this.untrusted(words),
    };
  }
}
