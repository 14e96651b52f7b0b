// Cancels a task, for whoever asked for it or for a person here. Decided in one commit against the
// state as it stands there: what is acknowledged as cancelled has not begun and never will. What an
// agent already holds is only asked to stop (PROTOCOL.md, Delegation states).
import type { Surface } from '../../../preload/contract/dto.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { TaskRow, Tables } from '../../ports/store.ts';
import type { Deliveries } from './deliveries.ts';
import type { TaskEndings } from '../tasks/task-endings.ts';
import { isInHand, isOpen } from '../tasks/task-moves.ts';
import type { OpenQueries } from './open-queries.ts';
import type { After } from '../base/unit-of-work.ts';

interface Cancel {
  readonly messageId: string;
  /** Escaped. */
  readonly reason: string | null;
  /** The cancel as it was written in a dialect. */
  readonly origin: JsonObject | null;
  readonly by: string;
  readonly surface: Surface;
  readonly from: 'asker' | 'hub';
}

interface Deps {
  readonly deliveries: Deliveries;
  readonly endings: TaskEndings;
  readonly queries: Pick<OpenQueries, 'isWithAgent'>;
}

export class Cancelling {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * For work that runs here. A question ends in any case, because nobody waits for its answer; so
   * for a question `asked_to_stop` means that its agent had begun. `undefined`: it has ended
   * before, or is not there.
   */
  cancel(
    tables: Tables,
    after: After,
    task: TaskRow | undefined,
    call: Cancel,
  ): 'cancelled' | 'asked_to_stop' | undefined {
    if (!task || !isOpen(task)) return undefined;
    if (isInHand(task)) {
      this.#deps.deliveries.putCancel(tables, after, task, call);
      return 'asked_to_stop';
    }
    const hasBegun = this.#deps.queries.isWithAgent(task.id);
    this.#deps.endings.end(tables, after, task, {
      state: 'cancelled',
      code: 'cancelled',
      reason: cancelledBy(call.from, call.reason),
      by: call.by,
      surface: call.surface,
      from: call.from,
    });
    return hasBegun ? 'asked_to_stop' : 'cancelled';
  }
}

/** The sentence that people read. @param reason escaped */
export function cancelledBy(from: Cancel['from'], reason: string | null): string {
  const words = reason === null || reason === '' ? '' : ` They said: "${reason}"`;
  return from === 'asker'
    ? `Whoever asked cancelled it.${words}`
    : `A person at this hub cancelled it.${words}`;
}
