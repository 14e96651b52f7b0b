// The questions of consent that this hub has open, by the id of the task that asks, as its store has them. Kept beside the store because every
// end of every task looks here; never decides what is asked.
import type { PartyKey, Reads } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { questionOfTask } from './consent-question.ts';

export interface OpenConsent {
  readonly approvalId: string;
  /** The adult's hub. */
  readonly hub: KeyHex;
  /** Who wants done what it is about. */
  readonly asker: PartyKey;
}

const OPEN_STATES = ['sending', 'cancelling', 'awaiting_approval', 'held', 'queued', 'claimed', 'running'] as const;

export class OpenConsents {
  readonly #open = new Map<string, OpenConsent>();
  /** Those that were refused for now when they were sent again, until they are once more. */
  readonly #putOff = new Set<string>();

  get size(): number {
    return this.#open.size;
  }

  /** All of them, by the id of their task. */
  entries(): readonly (readonly [string, OpenConsent])[] {
    return [...this.#open];
  }

  get(taskId: string): OpenConsent | undefined {
    return this.#open.get(taskId);
  }

  set(taskId: string, question: OpenConsent): void {
    this.#open.set(taskId, question);
  }

  delete(taskId: string): void {
    this.#open.delete(taskId);
    this.#putOff.delete(taskId);
  }

  putOff(taskId: string): void {
    this.#putOff.add(taskId);
  }

  sentAgain(taskId: string): void {
    this.#putOff.delete(taskId);
  }

  isPutOff(taskId: string): boolean {
    return this.#putOff.has(taskId);
  }

  /** Takes up what the run before left open. */
  load(reads: Reads): void {
    this.#open.clear();
    this.#putOff.clear();
    for (const task of reads.tasksInStates(OPEN_STATES)) {
      if (task.direction !== 'outgoing' || task.fromAgent !== null) continue;
      const question = questionOfTask(task);
      if (question) this.#open.set(task.id, { approvalId: question.id, hub: task.party, asker: question.peer_key });
    }
  }

  /** Forgets what was never written down. */
  keepStored(reads: Reads): void {
    for (const id of this.#open.keys()) if (reads.task(id) === undefined) this.delete(id);
  }

  /** The id of the task that asks that hub about that request. */
  at(approvalId: string, hub: KeyHex): string | undefined {
    return this.entries().find(([, question]) => question.approvalId === approvalId && question.hub === hub)?.[0];
  }

  /** Those at one hub, or on their way to it. */
  out(hub: KeyHex): readonly OpenConsent[] {
    return this.entries().flatMap(([id, question]) => (question.hub === hub && !this.#putOff.has(id) ? [question] : []));
  }

  /** Those that are put off at one hub. */
  putOffAt(hub: KeyHex): readonly OpenConsent[] {
    return this.entries().flatMap(([id, question]) => (question.hub === hub && this.#putOff.has(id) ? [question] : []));
  }
}
