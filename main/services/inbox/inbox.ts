// The inbox of each agent as its doors see it: questions that somebody waits for first, then what is durable. Owns waiting for something to
// come (long poll) and telling open streams; the items themselves are owned by OpenQueries and DurableItems.
import { isQuestion } from '../../../preload/contract/delivery-kind.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import type { Items } from '../../../preload/contract/results.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { DeliveryRow, Store } from '../../ports/store.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { AgentReply } from './agent-reply.ts';
import type { Deliveries } from './deliveries.ts';
import type { DurableItems } from './durable-items.ts';
import type { Attempt } from './leases.ts';
import { CLAIM_WAITERS_PER_AGENT_MAX, LEASE_DEFAULT_MS } from './limits.ts';
import type { OpenQueries } from './open-queries.ts';
import type { Progress } from './progress.ts';

interface ClaimRequest {
  readonly max: number;
  readonly wait_ms: number;
  readonly lease_ms: number;
  readonly kinds?: readonly DeliveryRow['kind'][] | undefined;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly agents: AgentRegistry;
  readonly deliveries: Deliveries;
  readonly items: DurableItems;
  readonly queries: OpenQueries;
  readonly progress: Progress;
}

export class Inbox {
  readonly #deps: Deps;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #waiters = new Map<string, number>();
  /** The newest durable item an agent was handed: the place of a question in its stream. */
  readonly #newestSeq = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.deliveries.onQueued((row) => this.#changed(row.agent));
    deps.queries.onQueued((agent) => this.#changed(agent));
  }

  start(): void {
    this.#deps.items.start();
  }

  stop(): void {
    this.#deps.items.stop();
    this.#deps.queries.stop();
  }

  /** Leases up to `max` items that wait now. */
  async claim(
    agent: string,
    max: number,
    leaseMs = LEASE_DEFAULT_MS,
    kinds: ClaimRequest['kinds'] = undefined,
  ): Promise<readonly DeliveryDto[]> {
    const asked = kinds ?? null;
    const questions = asked === null || asked.includes('query') ? this.#deps.queries.claim(agent, max, leaseMs, this.#seq(agent)) : [];
    if (questions.length >= max) return questions;
    const durableKinds = asked?.filter((kind) => !isQuestion(kind)) ?? null;
    const items = await this.#deps.items.claim(agent, max - questions.length, leaseMs, durableKinds).catch((error: unknown) => {
      // The questions are leased already: they must reach their agent whatever became of the rest.
      if (questions.length === 0) throw error;
      this.#deps.log.warn('durable items not claimed', { error: String(error) });
      return [];
    });
    const newest = Math.max(this.#seq(agent), ...items.map((item) => item.seq));
    this.#newestSeq.set(agent, newest);
    return [...questions, ...items];
  }

  /** Like `claim`, waiting up to `wait_ms` for the first item, until the caller goes away. */
  async claimWaiting(agent: string, request: ClaimRequest, signal: AbortSignal): Promise<readonly DeliveryDto[]> {
    const waiting = this.#waiters.get(agent) ?? 0;
    if (waiting >= CLAIM_WAITERS_PER_AGENT_MAX) {
      throw new AppError('overloaded', 'Too many claims of this agent wait already.', { failedBy: 'input', retryAfterMs: 1_000 });
    }
    this.#waiters.set(agent, waiting + 1);
    const away = this.#deps.agents.streamOpened(agent);
    try {
      const endsAt = this.#deps.clock.monotonicMs() + request.wait_ms;
      for (;;) {
        const change = this.#nextChange(agent, endsAt, signal);
        try {
          const items = signal.aborted ? [] : await this.claim(agent, request.max, request.lease_ms, request.kinds);
          if (items.length > 0 || signal.aborted || this.#deps.clock.monotonicMs() >= endsAt) return items;
          await change.settled;
        } finally {
          change.stop();
        }
      }
    } finally {
      away();
      const left = (this.#waiters.get(agent) ?? 1) - 1;
      if (left > 0) this.#waiters.set(agent, left);
      else this.#waiters.delete(agent);
    }
  }

  /** Items leased to this agent and not acknowledged, above `afterSeq`, oldest first. */
  leasedAfter(agent: string, afterSeq: number, max: number): readonly DeliveryDto[] {
    const items = this.#deps.items.leased(agent, afterSeq, max);
    return [...items, ...this.#deps.queries.leased(agent, this.#seq(agent))].slice(0, max);
  }

  /** The same in number. */
  leasedCount(agent: string): number {
    return this.#deps.items.leasedCount(agent) + this.#deps.queries.leased(agent, 0).length;
  }

  /** Called whenever something waits in this agent's inbox or a lease was given back. Returns the way to stop. */
  onChange(agent: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(agent) ?? new Set();
    this.#listeners.set(agent, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(agent) === listeners) this.#listeners.delete(agent);
    };
  }

  /** The agent is there for as long as its stream is. */
  streamOpened(agent: string): () => void {
    return this.#deps.agents.streamOpened(agent);
  }

  /** @param attempt the hand-out the agent speaks of: one that is over is a `conflict`, here and below */
  async ack(agent: string, deliveryId: string, estimatedMs: number | null, attempt: Attempt = null): Promise<DeliveryDto> {
    if (this.#deps.queries.has(deliveryId)) return this.#deps.queries.ack(agent, deliveryId, this.#seq(agent), attempt);
    const item = await this.#deps.items.ack(agent, deliveryId, estimatedMs, attempt);
    this.#changed(agent);
    return item;
  }

  async nack(agent: string, deliveryId: string, attempt: Attempt = null): Promise<'queued' | 'dead'> {
    if (this.#deps.queries.has(deliveryId)) return this.#deps.queries.nack(agent, deliveryId, attempt);
    return this.#deps.items.nack(agent, deliveryId, attempt);
  }

  /** @param progress what to tell whoever asked, in the agent's words */
  async extend(
    agent: string,
    deliveryId: string,
    leaseMs: number,
    progress: string | null,
    attempt: Attempt = null,
  ): Promise<number | null> {
    if (this.#deps.queries.has(deliveryId)) return this.#deps.queries.extend(agent, deliveryId, leaseMs, attempt).leaseUntil;
    const { leaseUntil, task } = await this.#deps.items.extend(agent, deliveryId, leaseMs, attempt);
    if (task && progress !== null) await this.#deps.progress.tell(task, { state: 'running', text: progress });
    return leaseUntil;
  }

  async reply(agent: string, deliveryId: string, reply: AgentReply, attempt: Attempt = null): Promise<string> {
    if (this.#deps.queries.has(deliveryId)) return this.#deps.queries.reply(agent, deliveryId, reply, attempt);
    const state = await this.#deps.items.reply(agent, deliveryId, reply, attempt);
    this.#changed(agent);
    return state;
  }

  /** Items nobody took, oldest first; `agent` null: of every agent. */
  dead(agent: string | null, limit: number, afterSeq: number): Items<DeliveryDto> {
    const agents = agent === null ? this.#deps.agents.active().map((row) => row.name) : [agent];
    const rows = agents.flatMap((name) => this.#deps.items.dead(name, limit + 1, afterSeq)).sort((first, second) => first.seq - second.seq);
    const items = rows.slice(0, limit);
    return { items, next: rows.length > limit ? String(items.at(-1)?.seq ?? '') : null };
  }

  requeue(agent: string | null, deliveryId: string): Promise<void> {
    return this.#deps.items.requeue(agent, deliveryId);
  }

  /** What ended may have been what the next item of its conversation waited for. */
  taskEnded(agent: string): void {
    this.#changed(agent);
  }

  #seq(agent: string): number {
    return this.#newestSeq.get(agent) ?? 0;
  }

  #changed(agent: string): void {
    for (const listener of this.#listeners.get(agent) ?? []) listener();
  }

  #nextChange(agent: string, endsAt: number, signal: AbortSignal): { readonly settled: Promise<void>; readonly stop: () => void } {
    let wake: () => void = () => undefined;
    const settled = new Promise<void>((resolve) => {
      wake = () => resolve();
    });
    const stopListening = this.onChange(agent, wake);
    const timer = this.#deps.clock.setTimer(Math.max(0, endsAt - this.#deps.clock.monotonicMs()), wake);
    signal.addEventListener('abort', wake, { once: true });
    const stop = () => {
      stopListening();
      timer.cancel();
      signal.removeEventListener('abort', wake);
    };
    return { settled, stop };
  }
}
