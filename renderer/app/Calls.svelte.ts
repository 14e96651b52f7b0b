// Calls that a person sets off on a page: one at a time about one thing, so that a second press
// while the first runs does nothing; what went wrong is kept beside the thing it was about. Knows
// no operation and shows nothing.
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import { problemWords } from './problem-words.ts';

export class Calls {
  #problems = $state.raw<ReadonlyMap<string, string>>(new Map());
  #busy = $state.raw<ReadonlySet<string>>(new Set());

  /** Why the last call about this did not work, as a sentence; null when it did. */
  problem(about: string): string | null {
    return this.#problems.get(about) ?? null;
  }

  busy(about: string): boolean {
    return this.#busy.has(about);
  }

  /** Sets what is said beside a thing; null takes it away. */
  say(about: string, problem: string | null): void {
    const problems = new Map(this.#problems);
    if (problem === null) problems.delete(about);
    else problems.set(about, problem);
    this.#problems = problems;
  }

  /** Takes away all that is said, as when the person has gone on to another place. */
  hush(): void {
    this.#problems = new Map();
  }

  /**
   * What the call brought; undefined when one about the same thing was still running, and this one
   * was not made.
   * @param beside the thing beside which it is said what went wrong, where that is another one
   */
  async run<T>(
    about: string,
    call: () => Promise<CallOutcome<T>>,
    beside = about,
  ): Promise<CallOutcome<T> | undefined> {
    if (this.#busy.has(about)) return undefined;
    this.#busy = new Set(this.#busy).add(about);
    const outcome = await call();
    this.#busy = new Set([...this.#busy].filter((other) => other !== about));
    this.say(beside, outcome.ok ? null : problemWords(outcome.problem));
    return outcome;
  }
}
