// One delegation from its asking agent to the result, over two hubs that may lose power at any
// moment. Whoever gets no answer repeats the very same call, as people and agents do: nobody here
// knows what the hub that died had kept.
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { ApprovalDto, DeliveryDto, TaskDto } from '../../preload/contract/dto.ts';
import { HubRefusal, type HubApi, type HubProcess } from '../lan/hub-process.ts';

const INSIST_MS = 60_000;
const AGAIN_MS = 25;
/** Short, since an item whose delivery was never heard is delivered again only after it. */
const LEASE_MS = 4_000;

export interface Side {
  readonly hub: HubProcess;
  /** Its agent's token. */
  readonly token: string;
}

export const STEPS = [
  'delegate',
  'decide',
  'claim',
  'ack',
  'reply',
  'take the result',
  'put the result away',
] as const;
export type Step = (typeof STEPS)[number];

/** Called around each step; `during` runs beside it, and the story goes on when both have ended. */
export interface Interruptions {
  readonly before?: (step: Step) => Promise<void>;
  readonly during?: (step: Step, seen: () => Promise<boolean>) => Promise<void>;
}

/**
 * Repeats `call` until it is answered. A refusal is an answer, unless it says that repeating helps.
 */
async function insist<T>(call: () => Promise<T>): Promise<T> {
  const limit = performance.now() + INSIST_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (performance.now() > limit || (error instanceof HubRefusal && !error.problem.retryable))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** Every page of a list. */
async function all<T>(
  page: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly T[]; readonly next: string | null }>,
): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined; ;) {
    const { items: more, next } = await page(cursor);
    items.push(...more);
    if (next === null) return items;
    cursor = next;
  }
}

export class DelegationStory {
  readonly text: string;
  readonly #dad: Side;
  readonly #mum: Side;
  readonly #runsFile: string;
  readonly #key = randomUUID();

  /**
   * @param runsFile where Mum's agent writes down what it runs, so that it would notice a second
   * time even after a crash of its own
   */
  constructor(dad: Side, mum: Side, options: { readonly text: string; readonly runsFile: string }) {
    this.#dad = dad;
    this.#mum = mum;
    this.text = options.text;
    this.#runsFile = options.runsFile;
  }

  /** Tells it to its end, then checks that everything was done once. */
  async tell({ before, during }: Interruptions): Promise<void> {
    const step = async <T>(
      name: Step,
      act: () => Promise<T>,
      seen: () => Promise<boolean> = async () => true,
    ): Promise<T> => {
      await before?.(name);
      const [done] = await Promise.all([act(), during?.(name, seen)]);
      return done;
    };
    const report = await step(
      'delegate',
      () =>
        insist(() =>
          this.#asker().call(
            'send.delegate',
            { to: 'Mum', task: this.text, domain: 'family.chat' },
            this.#key,
          ),
        ),
      async () => (await this.approvals()).length > 0,
    );
    await step('decide', () => this.#decide());
    const item = await step('claim', () => insist(() => this.#claim(this.#worker(), 'delegate')));
    await step('ack', () => insist(() => this.#accept(() => this.#worker(), item)));
    appendFileSync(
      this.#runsFile,
      `${JSON.stringify({ task: item.task_id, text: item.untrusted.text })}\n`,
    );
    const outcome = `Done: ${this.text}`;
    await step(
      'reply',
      () =>
        insist(() => this.#worker().call('inbox.reply', { delivery: item.delivery_id, outcome })),
      async () =>
        (await this.#worker().call('tasks.get', { id: item.task_id ?? '' })).state === 'completed',
    );
    const result = await step('take the result', () =>
      insist(() => this.#claim(this.#asker(), 'result')),
    );
    expect(result).toMatchObject({
      task_id: report.id,
      untrusted: { text: outcome, payload: { status: 'completed' } },
    });
    await step('put the result away', () =>
      insist(() => this.#accept(() => this.#asker(), result)),
    );
    await this.#checkOnce(report.id, outcome);
  }

  /** What Mum is or was asked under this text. */
  async approvals(): Promise<readonly ApprovalDto[]> {
    const owner = await this.#mum.hub.owner();
    const lists = (['pending', 'decided'] as const).map((state) =>
      all((cursor) => owner.call('approvals.list', { state, cursor, limit: 200 })),
    );
    return (await Promise.all(lists)).flat().filter(({ text }) => text === this.text);
  }

  /**
   * How Dad's hub sees what it sent under this text; a hub that was away made an attempt that ended
   * at once.
   */
  async sent(): Promise<readonly TaskDto[]> {
    const tasks = await all((cursor) => this.#asker().call('tasks.list', { cursor, limit: 200 }));
    return tasks.filter(({ text, code }) => text === this.text && code !== 'peer_not_found');
  }

  #asker(): HubApi {
    return this.#dad.hub.api.withToken(this.#dad.token);
  }

  #worker(): HubApi {
    return this.#mum.hub.api.withToken(this.#mum.token);
  }

  /** Looks until the request is there, and allows it; when the answer is lost, looks again. */
  async #decide(): Promise<void> {
    await insist(async () => {
      const [approval] = await this.approvals();
      if (approval === undefined) throw new Error('nothing waits yet');
      if (approval.state === 'approved') return;
      const { id, revision, digest } = approval;
      await (
        await this.#mum.hub.owner()
      ).call('approvals.decide', { id, revision, digest, decision: 'allow' });
    });
  }

  async #claim(agent: HubApi, kind: DeliveryDto['kind']): Promise<DeliveryDto> {
    const { items } = await agent.call('inbox.claim', {
      max: 1,
      wait_ms: 1_000,
      lease_ms: LEASE_MS,
      kinds: [kind],
    });
    const [item] = items;
    if (item === undefined) throw new Error(`no ${kind} waits yet`);
    return item;
  }

  /**
   * Says "I have it"; when the lease ended while the hub was away, takes the very same item again.
   */
  async #accept(agent: () => HubApi, item: DeliveryDto): Promise<void> {
    try {
      await agent().call('inbox.ack', { delivery: item.delivery_id });
    } catch (error) {
      if (!(error instanceof HubRefusal) || error.problem.code !== 'conflict') throw error;
      const again = await this.#claim(agent(), item.kind);
      expect(again.delivery_id).toBe(item.delivery_id);
      await agent().call('inbox.ack', { delivery: item.delivery_id });
    }
  }

  async #checkOnce(taskId: string, outcome: string): Promise<void> {
    expect(await insist(() => this.sent())).toMatchObject([
      { id: taskId, state: 'completed', untrusted: { outcome } },
    ]);
    expect(await insist(() => this.approvals())).toMatchObject([
      { state: 'approved', task_state: 'completed' },
    ]);
    for (const agent of [() => this.#asker(), () => this.#worker()]) {
      expect((await insist(() => agent().call('inbox.claim', { max: 32 }))).items).toEqual([]);
    }
    const runs = readFileSync(this.#runsFile, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line.includes(JSON.stringify(this.text)));
    expect(runs).toHaveLength(1);
  }
}
