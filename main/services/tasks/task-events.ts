// Tells who listens that a task has changed, after the commit that changed it. Events tell; nothing that must happen hangs on them.

export class TaskEvents {
  readonly #listeners = new Set<(taskId: string) => void>();

  /** Called after each change of a task. */
  onChanged(listener: (taskId: string) => void): void {
    this.#listeners.add(listener);
  }

  changed(taskId: string): void {
    for (const listener of this.#listeners) listener(taskId);
  }
}
