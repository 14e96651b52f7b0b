// A small client for an agent in TypeScript: it takes what waits in its inbox, does it, and
// answers. Copy it; it needs nothing but Node.
import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const PROOF_TIMEOUT_MS = 10_000;

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
  readonly #token: string;
  readonly #home: string;

  /** @param home the hub's data folder, where it writes hub.json */
  constructor(token: string, home: string) {
    this.#token = token;
    this.#home = home;
  }

  /** One call, as "/v1/delegate" with its body; without one it is a GET. Throws Refused. */
  async call(path: string, body?: object, signal?: AbortSignal): Promise<unknown> {
    const { port, boot_secret: secret } = JSON.parse(
      await readFile(join(this.#home, 'hub.json'), 'utf8'),
    ) as { port: number; boot_secret: string };
    const host = `127.0.0.1:${port}`;
    const connection = connect(port, '127.0.0.1').on('error', () => undefined);
    connection.setTimeout(PROOF_TIMEOUT_MS, () => connection.destroy());
    try {
      // Whatever else answers there gets no token: this very connection is proven first.
      const n = randomBytes(24).toString('hex');
      const proof = createHmac('sha256', `${secret} ${host}`).update(n).digest('hex');
      const headers = { host, connection: 'keep-alive' };
      const given = await ask(connection, { path: `/v1/proof?n=${n}`, headers, signal });
      if (!given.text.includes(proof) || connection.readyState !== 'open')
        throw new Error('It is not the hub that answers.');
      connection.setTimeout(0);
      const { status, text } = await ask(
        connection,
        {
          method: body === undefined ? 'GET' : 'POST',
          path,
          headers: {
            host,
            authorization: `Bearer ${this.#token}`,
            'content-type': 'application/json',
          },
          signal,
        },
        body === undefined ? '' : JSON.stringify(body),
      );
      const answer: unknown = JSON.parse(text);
      if (status >= 400) throw new Refused(answer as Refused);
      return answer;
    } finally {
      connection.destroy();
    }
  }

  /**
   * Hands over each item; what `work` returns is the answer, and what it throws a failure. Ends
   * with the signal: what `work` has done by then is told, and what it threw for the signal is given
   * back. Throws Refused when it may not take anything (more).
   */
  async listen(
    work: (item: Item, signal: AbortSignal) => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const claim = { max: 1, wait_ms: 25_000 };
    const over = tenSecondsAfter(signal);
    while (!signal.aborted) {
      // What was claimed and not acknowledged comes again.
      const claimed = await this.#again('/v1/inbox/claim', claim, signal);
      if (claimed instanceof Refused) throw claimed;
      for (const item of (claimed as { items: Item[] } | undefined)?.items ?? []) {
        const { attempt } = item;
        const taken = await this.#again(`/v1/inbox/${item.delivery_id}/ack`, { attempt }, signal);
        if (taken !== undefined && !(taken instanceof Refused))
          await this.#answer(item, await answerOf(work, item, signal), over);
      }
    }
  }

  /** Tells until the hub takes it or the signal comes. A refusal is told as a failure. */
  async #answer(
    item: Item,
    answer: object | 'given back' | undefined,
    over: AbortSignal,
  ): Promise<void> {
    if (answer === undefined) return;
    const inbox = `/v1/inbox/${item.delivery_id}`;
    if (answer === 'given back') {
      await this.#again(`${inbox}/nack`, { attempt: item.attempt }, over);
      return;
    }
    const told = await this.#again(`${inbox}/reply`, answer, over);
    if (!(told instanceof Refused)) return;
    const error = `Not sent: ${told.message}`;
    await this.#again(`${inbox}/reply`, { status: 'failed', error }, over);
  }

  /** Tries until the hub answers: it may be restarting. Undefined: the signal came. */
  async #again(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    while (!signal.aborted) {
      try {
        return await this.call(path, body, signal);
      } catch (error) {
        if (error instanceof Refused && error.code === 'unauthenticated') throw error;
        if (
          error instanceof Refused &&
          !['hub_locked', 'overloaded', 'rate_limited'].includes(error.code)
        )
          return error;
        if (!signal.aborted) await setTimeout(1_000);
      }
    }
    return undefined;
  }
}

/** What was done is still told for so long once the agent is to stop. */
function tenSecondsAfter(signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  const begin = () => AbortSignal.timeout(10_000).addEventListener('abort', () => over.abort());
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return over.signal;
}

/** One request on this connection, which stays open if the request says so. */
function ask(connection: Socket, options: RequestOptions, body = '') {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ ...options, createConnection: () => connection }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject);
      sent.on('close', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end(body);
  });
}

async function answerOf(
  work: (item: Item, signal: AbortSignal) => Promise<string | undefined>,
  item: Item,
  signal: AbortSignal,
) {
  try {
    const outcome = await work(item, signal);
    if (item.kind !== 'delegate' && item.kind !== 'query') return undefined;
    return outcome === undefined ? undefined : { outcome };
  } catch (error) {
    if (signal.aborted) return 'given back';
    return { status: 'failed', error: String(error) };
  }
}
