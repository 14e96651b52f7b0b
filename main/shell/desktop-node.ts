// The node as the desktop shell sees it: the same operations and events every other door uses, and
// a lifecycle. The shell has no authority of its own; what a window may do is decided behind
// invoke().
import type { UiEvent } from '../../preload/contract/dto.ts';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import type { Log } from '../ports/log.ts';

export interface DesktopNode {
  readonly log: Log;
  start(): Promise<void>;
  /** Idempotent; resolves when everything is closed. */
  stop(): Promise<void>;
  /**
   * Runs one operation for the person at the window. Both arguments come from a page and are
   * validated inside. Never throws.
   */
  invoke(name: unknown, params: unknown): Promise<CallOutcome<unknown>>;
  readonly events: {
    readonly seq: number;
    since(seq: number): readonly UiEvent[] | undefined;
    subscribe(listener: (event: UiEvent) => void): () => void;
  };
}
