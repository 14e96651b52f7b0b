// Tells listeners that a task has changed, after the commit that changed it. Events only inform;
// nothing that must happen depends on them.
import type { Log } from '../../ports/log.ts';

export interface TaskChange {
  readonly taskId: string;
  /**
   * Of a question that no person here was asked about: its conversation, which is all that shows
   * it. Null for any other task.
   */
  readonly questionIn: string | null;
}

export class TaskEvents {
  readonly #log: Log;
  readonly #listeners = new Set<(change: TaskChange) => void>();

  constructor(deps: { readonly log: Log }) {
    this.#log = deps.log;
  }

  /** Called after each change of a task. */
  onChanged(listener: (change: TaskChange) => void): void {
    this.#listeners.add(listener);
  }

  /** Calls `changed` after each change of this task, until the returned function is called. */
  follow(taskId: string, changed: () => void): () => void {
    const told = (change: TaskChange): void => {
      if (change.taskId === taskId) changed();
    };
    this.#listeners.add(told);
    return () => this.#listeners.delete(told);
  }

  changed(taskId: string): void {
    this.#tell({ taskId, questionIn: null });
  }

  /** A question is over that no person here was asked about. */
  questionOver(taskId: string, questionIn: string): void {
    this.#tell({ taskId, questionIn });
  }

  #tell(change: TaskChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        const { taskId: task } = change;
        this.#log.error('not told of a changed task', { task, error: String(error) });
      }
    }
  }
}
