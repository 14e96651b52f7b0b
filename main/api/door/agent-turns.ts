// Reads of agents that may take long, one at a time, so that people and other hubs come between.
// The agents take turns, whoever of them asks for more. An agent has so many places; beyond them it
// is told to come back.
import { AppError } from '../../lib/app-error.ts';
import { setTimeout as rest } from 'node:timers/promises';
import { READS_OF_AGENTS_MAX, READS_PER_AGENT_MAX, REST_BETWEEN_READS_MS } from './limits.ts';

export class AgentTurns {
  /** By agent, the one whose turn is next first; the reads that wait. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** By agent, waiting or at work. */
  readonly #places = new Map<string, number>();
  #taken = 0;
  #isWorking = false;

  /** @throws AppError rate_limited; cancelled for a caller who went away before its turn */
  async run<T>(agent: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    this.#enter(agent);
    try {
      await this.#turn(agent);
      try {
        if (signal.aborted) throw new AppError('cancelled', 'The caller went away.');
        return await read();
      } finally {
        await rest(REST_BETWEEN_READS_MS);
        this.#next();
      }
    } finally {
      this.#leave(agent);
    }
  }

  #enter(agent: string): void {
    const own = this.#places.get(agent) ?? 0;
    if (own >= READS_PER_AGENT_MAX)
      throw full(`This agent has ${own} searches and lists under way already.`);
    if (this.#taken >= READS_OF_AGENTS_MAX)
      throw full('The agents have too many searches and lists under way.');
    this.#places.set(agent, own + 1);
    this.#taken += 1;
  }

  #leave(agent: string): void {
    const own = (this.#places.get(agent) ?? 1) - 1;
    if (own > 0) this.#places.set(agent, own);
    else this.#places.delete(agent);
    this.#taken -= 1;
  }

  #turn(agent: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(agent, [...(this.#waiting.get(agent) ?? []), resolve]);
      if (!this.#isWorking) this.#next();
    });
  }

  #next(): void {
    const [first] = this.#waiting;
    this.#isWorking = first !== undefined;
    if (first === undefined) return;
    const [agent, [begin, ...later]] = first;
    this.#waiting.delete(agent);
    if (later.length > 0) this.#waiting.set(agent, later);
    begin?.();
  }
}

function full(message: string): AppError {
  return new AppError('rate_limited', message, {
    hint: 'Wait for the answer to one before you ask for the next.',
    retryAfterMs: 1_000,
    failedBy: 'input',
  });
}
