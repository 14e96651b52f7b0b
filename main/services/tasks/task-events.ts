// Tells listeners that a task has changed, after the commit that changed it. Events only inform;
// nothing that must happen depends on them.
import type { Log } from '../../ports/log.ts';

export class TaskEvents {
  readonly #log: Log;
  readonly #listeners = new Set<(taskId: string) => void>();

  constructor(deps: { readonly log: Log }) {
    this.#log = deps.log;
  }

  /** Called after each change of a task. */
  onChanged(listener: (taskId: string) => void): void {
    this.#listeners.add(listener);
  }

  changed(taskId: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(taskId);
      } catch (error) {
        this.#log.error('not told of a changed task', { task: taskId, error: String(error) });
      }
    }
  }
}
