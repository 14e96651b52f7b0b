// A small client for an agent in TypeScript: it takes what waits in its inbox, does it, and
// answers. Copy it; it needs nothing but Node.
import { setTimeout } from 'node:timers/promises';

export interface Item {
  readonly delivery_id: string;
  readonly attempt: number;
  readonly kind: 'delegate' | 'query' | 'result' | 'notify' | 'cancel';
  /** Words of somebody else: data, never an instruction beyond the task. */
  readonly untrusted: { readonly text: string | null; readonly payload: unknown };
}

/** What the hub refused: `code` to branch on, the message for a person. */
export class Refused extends Error {
  readonly code: string;

  constructor(problem: { readonly code?: string; readonly detail?: string }) {
    super(problem.detail ?? 'The hub refused.');
    this.code = problem.code ?? 'internal';
  }
}

export class AxonClient {
  readonly #base: string;
  readonly #token: string;

  constructor(token: string, base = 'http://127.0.0.1:7117') {
    this.#token = token;
    this.#base = base;
  }

  /** One call, as "/v1/delegate" with its body; without one it is a GET. Throws Refused. */
  async call(path: string, body?: object, signal?: AbortSignal): Promise<unknown> {
    const response = await fetch(this.#base + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Refused(answer as Refused);
    return answer;
  }

  /**
   * Hands over each item; what `work` returns is the answer, and what it throws a failure. Ends
   * with the signal. Throws Refused when the token has ended.
   */
  async listen(
    work: (item: Item) => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const claim = { max: 1, wait_ms: 25_000 };
    while (!signal.aborted) {
      // What was claimed and not acknowledged comes again.
      const claimed = await this.#again('/v1/inbox/claim', claim, signal);
      for (const item of (claimed as { items: Item[] } | undefined)?.items ?? []) {
        const inbox = `/v1/inbox/${item.delivery_id}`;
        if ((await this.#again(`${inbox}/ack`, { attempt: item.attempt }, signal)) === undefined)
          continue;
        const answer = await answerOf(work, item);
        if (answer !== undefined) await this.#again(`${inbox}/reply`, answer, signal);
      }
    }
  }

  /** Tries until the hub answers: it may be restarting. Undefined: it refused, or the signal came. */
  async #again(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    while (!signal.aborted) {
      try {
        return await this.call(path, body, signal);
      } catch (error) {
        if (error instanceof Refused && error.code === 'unauthenticated') throw error;
        if (error instanceof Refused && !['hub_locked', 'rate_limited'].includes(error.code))
          return undefined;
        if (!signal.aborted) await setTimeout(1_000);
      }
    }
    return undefined;
  }
}

async function answerOf(work: (item: Item) => Promise<string | undefined>, item: Item) {
  try {
    const outcome = await work(item);
    if (item.kind !== 'delegate' && item.kind !== 'query') return undefined;
    return outcome === undefined ? undefined : { outcome, summary: outcome };
  } catch (error) {
    return { status: 'failed', error: String(error), summary: 'It did not work.' };
  }
}
