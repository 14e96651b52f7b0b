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

  /** Hands over each item; what `work` returns is the answer. Ends with the signal. */
  async listen(
    work: (item: Item) => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        const claim = { max: 1, wait_ms: 25_000 };
        const { items } = (await this.call('/v1/inbox/claim', claim, signal)) as { items: Item[] };
        for (const item of items) await this.#answer(item, await this.#begin(item, work));
      } catch {
        // The hub may be restarting. What was claimed and not acknowledged comes again.
        if (!signal.aborted) await setTimeout(1_000);
      }
    }
  }

  async #begin(item: Item, work: (item: Item) => Promise<string | undefined>) {
    await this.call(`/v1/inbox/${item.delivery_id}/ack`, { attempt: item.attempt });
    return work(item);
  }

  async #answer({ delivery_id: id, kind }: Item, outcome: string | undefined): Promise<void> {
    if (outcome === undefined || (kind !== 'delegate' && kind !== 'query')) return;
    await this.call(`/v1/inbox/${id}/reply`, { outcome, summary: outcome });
  }
}
