// All or nothing, then the effects: runs work in one commit and lets it name what happens after
// that commit is durable (events, timers, messages). Nothing that promises something may leave the
// hub any other way (PROTOCOL.md, Delegation states).
import type { Log } from '../../ports/log.ts';
import type { Durability, Store, Tables } from '../../ports/store.ts';

/** Registers what to do once the commit is durable; dropped when the work fails. */
export type After = (effect: () => void) => void;

export class UnitOfWork {
  readonly #store: Store;
  readonly #log: Log;

  constructor(deps: { readonly store: Store; readonly log: Log }) {
    this.#store = deps.store;
    this.#log = deps.log;
  }

  /**
   * Resolves with the work's value after the commit and its effects. A throw of the work rolls all
   * of it back.
   */
  async run<T>(
    work: (tables: Tables, after: After) => T,
    durability: Durability = 'for_good',
  ): Promise<T> {
    const effects: (() => void)[] = [];
    const value = await this.#store.write(
      (tables) => work(tables, (effect) => effects.push(effect)),
      durability,
    );
    runEffects(effects, this.#log);
    return value;
  }
}

/** A throw of one is logged and does not stop the others: what was committed stands. */
export function runEffects(effects: readonly (() => void)[], log: Log): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (error) {
      log.error('consequence of a commit failed', { error: String(error) });
    }
  }
}
