// The inbox of each agent as its doors see it. Owns who waits for new items and tells them;
// lifecycle.ts owns the items.
import { DELIVERY_KINDS, isWork } from '../../../preload/contract/delivery-kind.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import type { OperationParams, OperationResult } from '../../../preload/contract/operations.ts';
import type { Items } from '../../../preload/contract/results.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DeliveryRow, Store } from '../../ports/store.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { AgentReply } from './agent-reply.ts';
import { follow, type InboxReader } from './channel.ts';
import type { Deliveries } from './deliveries.ts';
import { readDeliveryBody } from './delivery-body.ts';
import type { ItemKinds, WaitingItem } from './items.ts';
import type { Attempt, GivenBack, Lifecycle } from './lifecycle.ts';
import { LEASE_DEFAULT_MS, WAITERS_PER_AGENT_MAX, WAITING_IDS_MAX } from './limits.ts';
import type { NativeItems } from './native-items.ts';
import type { OpenQueries } from './open-queries.ts';
import type { Progress } from './progress.ts';
import type { TaskViews } from '../tasks/task-views.ts';

interface ClaimRequest {
  readonly max: number;
  readonly wait_ms: number;
  readonly lease_ms: number;
  readonly kinds?: readonly DeliveryRow['kind'][] | undefined;
}

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly agents: AgentRegistry;
  readonly deliveries: Deliveries;
  readonly lifecycle: Lifecycle;
  readonly queries: Pick<OpenQueries, 'onQueued' | 'failAll' | 'waitingCount' | 'waiting'>;
  readonly progress: Progress;
  readonly natives: NativeItems;
  readonly views: Pick<TaskViews, 'story'>;
}

export class Inbox implements InboxReader {
  readonly #deps: Deps;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #waiters = new Map<string, number>();
  /** Each ends the wait of one that looks and takes nothing. */
  readonly #looks = new Set<() => void>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.deliveries.onQueued((agent) => this.#changed(agent));
    deps.queries.onQueued((agent) => this.#changed(agent));
  }

  start(): void {
    this.#deps.lifecycle.start();
  }

  stop(): void {
    this.#deps.lifecycle.stop();
    this.#deps.queries.failAll(new AppError('cancelled', 'This hub is stopping.'));
  }

  /** Leases up to `max` items that wait now, questions that somebody waits for first. */
  async claim(
    agent: string,
    max: number,
    leaseMs = LEASE_DEFAULT_MS,
    kinds: ItemKinds = null,
  ): Promise<readonly DeliveryDto[]> {
    const items = await this.#deps.lifecycle.claim(agent, max, leaseMs, kinds);
    return this.#speaksAxon(agent)
      ? items
      : items.map((item) => this.#deps.natives.show(agent, item));
  }

  /** What the agent was handed and is not done with. */
  open(agent: string): readonly DeliveryDto[] {
    return this.#deps.lifecycle.open(agent);
  }

  /** What the agent has seen last and is done with. */
  seen(agent: string): readonly DeliveryDto[] {
    return this.#deps.lifecycle.seen(agent);
  }

  /** Like `claim`, waiting up to `wait_ms` for the first item, until the caller goes away. */
  async claimWaiting(
    agent: string,
    request: ClaimRequest,
    signal: AbortSignal,
  ): Promise<readonly DeliveryDto[]> {
    const { max: batchMax, wait_ms: waitMs, lease_ms: leaseMs, kinds = null } = request;
    const taken: DeliveryDto[] = [];
    await this.#asWaiter(agent, waitMs, signal, (over) => {
      const sink = {
        take: (items: readonly DeliveryDto[]): void => {
          taken.push(...items);
          over.abort();
        },
        caughtUp: () => (waitMs === 0 ? over.abort() : undefined),
        ready: () => undefined,
      };
      return follow(this, { agent, kinds, leaseMs, batchMax }, sink, over.signal);
    });
    return taken;
  }

  /**
   * `waitingCount` as soon as it differs from `known`, or after `waitMs`, and what of it is new; at
   * once where all are to look again.
   * Takes nothing, and does not count as the agent being there.
   * @param wakes whoever asks is a hook, which wakes it
   */
  async untilWaiting(
    agent: string,
    { known, wait_ms: waitMs, wakes, work }: OperationParams<'inbox.waiting'>,
    signal: AbortSignal,
  ): Promise<OperationResult<'inbox.waiting'>> {
    const isNew = (): boolean => this.waitingCount(agent) !== known;
    const away = wakes ? this.#deps.agents.presence.hookWaits(agent) : undefined;
    try {
      if (waitMs > 0 && !isNew()) {
        await this.#asWaiter(agent, waitMs, signal, async (over) => {
          const end = (): void => over.abort();
          const stop = this.onChange(agent, () => isNew() && end());
          this.#looks.add(end);
          await aborted(over.signal);
          this.#looks.delete(end);
          stop();
        });
      }
    } finally {
      away?.();
    }
    const items = this.waiting(agent, work).map(({ id }) => id);
    return { waiting: this.waitingCount(agent), items };
  }

  /**
   * What came last: however much was left lying, what is new shows. Of work what may be taken next.
   */
  waiting(agent: string, isWorkOnly = false): readonly WaitingItem[] {
    const { store, queries } = this.#deps;
    const rows = isWorkOnly
      ? store.read.claimable(agent, WORK, WAITING_IDS_MAX)
      : store.read.newestOf(agent, 'queued', WAITING_IDS_MAX);
    return [...queries.waiting(agent), ...rows.map(waitingItem)].slice(0, WAITING_IDS_MAX);
  }

  /** Those of these that nobody has taken. */
  stillWaiting(agent: string, ids: readonly string[]): readonly WaitingItem[] {
    const { store, queries } = this.#deps;
    const questions = queries.waiting(agent).filter(({ id }) => ids.includes(id));
    const rows = ids.flatMap((id) => store.read.delivery(id) ?? []);
    const queued = rows.filter((row) => row.agent === agent && row.state === 'queued');
    return [...questions, ...queued.map(waitingItem)];
  }

  /** How many items wait for the agent, which nobody has taken. */
  waitingCount(agent: string): number {
    const { store, queries } = this.#deps;
    return store.read.countDeliveries(agent, ['queued']) + queries.waitingCount(agent);
  }

  /**
   * Puts up to `max` unacknowledged items that were leased to this agent after this one back into
   * its queue; all of them where it has no such item any more.
   */
  giveBack(agent: string, afterId: string, max: number): Promise<void> {
    const { store, lifecycle } = this.#deps;
    const after = store.read.delivery(afterId);
    return lifecycle.giveBack(agent, after?.agent === agent ? after.seq : 0, max);
  }

  /** Whether it outlives this run of the hub. */
  isKept(deliveryId: string): boolean {
    return this.#deps.lifecycle.isKept(deliveryId);
  }

  leasedCount(agent: string): number {
    return this.#deps.lifecycle.leasedCount(agent);
  }

  onChange(agent: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(agent) ?? new Set();
    this.#listeners.set(agent, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(agent) === listeners)
        this.#listeners.delete(agent);
    };
  }

  /** A day has more wake-ups than before: whoever waits looks at what is there once more. */
  lookAgain(): void {
    for (const end of this.#looks) end();
    for (const agent of this.#listeners.keys()) this.#changed(agent);
  }

  streamOpened(agent: string): () => void {
    return this.#deps.agents.presence.streamOpened(agent);
  }

  /**
   * @param attempt the attempt the agent speaks of: one that is over is a `conflict`, here and
   * below
   * @param isAccepted false: the agent only hands it on
   */
  async ack(
    agent: string,
    deliveryId: string,
    estimatedMs: number | null,
    attempt: Attempt = null,
    isAccepted = true,
  ): Promise<DeliveryDto> {
    const said = { estimatedMs, isAccepted };
    const item = await this.#deps.lifecycle.ack(agent, deliveryId, said, attempt);
    this.#changed(agent);
    return this.#speaksAxon(agent) ? item : this.#deps.natives.show(agent, item);
  }

  /** @param mayHaveRun nobody knows whether what was begun was done, so nobody does it again */
  nack(
    agent: string,
    deliveryId: string,
    attempt: Attempt = null,
    mayHaveRun = false,
  ): Promise<GivenBack> {
    return this.#deps.lifecycle.nack(agent, deliveryId, attempt, mayHaveRun);
  }

  /** @param progress what to tell whoever asked, in the agent's words */
  async extend(
    agent: string,
    deliveryId: string,
    leaseMs: number,
    progress: string | null,
    attempt: Attempt = null,
  ): Promise<number | null> {
    const { leaseUntil, task } = await this.#deps.lifecycle.extend(
      agent,
      deliveryId,
      leaseMs,
      attempt,
    );
    if (task && progress !== null)
      this.#deps.progress.tell(task, { state: 'running', text: progress });
    return leaseUntil;
  }

  async reply(
    agent: string,
    deliveryId: string,
    reply: AgentReply,
    attempt: Attempt = null,
  ): Promise<OperationResult<'inbox.reply'>> {
    const { lifecycle, views } = this.#deps;
    const { task, ...replied } = await lifecycle.reply(agent, deliveryId, reply, attempt);
    return { ...replied, story: task === undefined ? null : views.story(task, agent) };
  }

  /** Items given out no more, oldest first; `agent` null: of every agent. */
  dead(agent: string | null, limit: number, afterSeq: number): Items<DeliveryDto> {
    const agents = agent === null ? this.#deps.agents.active().map((row) => row.name) : [agent];
    return this.#deps.lifecycle.dead(agents, limit, afterSeq);
  }

  requeue(agent: string | null, deliveryId: string): Promise<void> {
    return this.#deps.lifecycle.requeue(agent, deliveryId);
  }

  /** What ended may have been what the next item of its conversation waited for. */
  taskEnded(agent: string): void {
    this.#changed(agent);
  }

  #speaksAxon(agent: string): boolean {
    return this.#deps.store.read.agent(agent)?.dialect === 'axon';
  }

  /** Runs `work` until it is done, the caller has gone or `waitMs` have passed. */
  async #asWaiter(
    agent: string,
    waitMs: number,
    signal: AbortSignal,
    work: (over: AbortController) => Promise<void>,
  ): Promise<void> {
    const waiters = this.#waiters.get(agent) ?? 0;
    if (waiters >= WAITERS_PER_AGENT_MAX) {
      throw inputError('overloaded', 'Too many calls of this agent wait for its inbox already.', {
        retryAfterMs: 1_000,
      });
    }
    this.#waiters.set(agent, waiters + 1);
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = this.#deps.clock.setTimer(waitMs, end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      await work(over);
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', end);
      const left = (this.#waiters.get(agent) ?? 1) - 1;
      if (left > 0) this.#waiters.set(agent, left);
      else this.#waiters.delete(agent);
    }
  }

  #changed(agent: string): void {
    for (const listener of this.#listeners.get(agent) ?? []) listener();
  }
}

const WORK = DELIVERY_KINDS.filter(isWork);

function waitingItem(row: DeliveryRow): WaitingItem {
  const hub = readDeliveryBody(row)?.trust.peer_id ?? null;
  return { id: row.deliveryId, seq: row.seq, hub };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
