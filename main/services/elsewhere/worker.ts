// Takes the items of one agent of elsewhere out of its inbox and gives each to a call of its own.
// It takes none before it has seen that the card is the one that a person confirmed.
import type { A2aAgentDto } from '../../../preload/contract/a2a.ts';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { AppError, messageOf } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store } from '../../ports/store.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { follow, type InboxReader, type InboxSink } from '../inbox/channel.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { A2aClient } from './a2a-client.ts';
import { ItemCall } from './item-call.ts';
import { CARD_BACKOFF, ITEMS_AT_ONCE } from './limits.ts';
import type { A2aRow } from './rows.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly agents: Pick<AgentRegistry, 'presence' | 'changed'>;
  readonly inbox: Inbox;
  readonly client: A2aClient;
  readonly keep: (delivery: string, task: string | null) => Promise<void>;
  /** Called when its card is no longer the one that was confirmed. */
  readonly cardChanged: () => void;
}

type Standing = Pick<A2aAgentDto, 'state' | 'trouble'>;

export class Worker {
  readonly #deps: Deps;
  readonly #row: A2aRow;
  readonly #stopping = new AbortController();
  readonly #calls = new Map<ItemCall, Promise<void>>();
  #standing: Standing = { state: 'away', trouble: null };
  #following: Promise<unknown> | undefined;
  /** While it can be called, it is there. */
  #goAway: (() => void) | undefined;
  /** Ends the wait of whoever takes work; nobody else waits for room. */
  #roomMade: () => void = () => undefined;

  constructor(deps: Deps, row: A2aRow) {
    this.#deps = deps;
    this.#row = row;
  }

  get standing(): Standing {
    return this.#standing;
  }

  start(): void {
    const { agent, tasks } = this.#row;
    for (const item of this.#deps.inbox.open(agent))
      this.#resume(item, tasks[item.delivery_id] ?? null);
    const taking = (take: (item: DeliveryDto) => void): Pick<InboxSink, 'take' | 'caughtUp'> => ({
      take: (items) => items.forEach(take),
      caughtUp: () => undefined,
    });
    const work = { ...taking((item) => this.#take(item)), ready: () => this.#ready() };
    // A cancel waits for no room, and for no card.
    const cancels = { ...taking((item) => void this.#cancel(item)), ready: () => undefined };
    this.#following = Promise.all([
      this.#follow(['delegate', 'query'], work),
      this.#follow(['cancel'], cancels),
      this.#prepare(),
    ]);
  }

  async #follow(
    kinds: readonly ('delegate' | 'query' | 'cancel')[],
    sink: InboxSink,
  ): Promise<void> {
    const { inbox, log, random } = this.#deps;
    // Whether it is there says its card, and not that this hub looks into its inbox.
    const reader: InboxReader = {
      claim: (...asked) => inbox.claim(...asked),
      leasedCount: (agent) => inbox.leasedCount(agent),
      onChange: (...asked) => inbox.onChange(...asked),
      streamOpened: () => () => undefined,
    };
    const following = { agent: this.#row.agent, kinds, batchMax: 1 };
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await follow(reader, following, sink, signal);
      } catch (error) {
        // As where the disk is full for a while.
        log.error('an A2A agent is not followed', { error: messageOf(error) });
        await this.#pause(backoffMs(failures, random.fraction(), CARD_BACKOFF));
      }
    }
  }

  /** Settles once nothing of it is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#roomMade();
    await this.#following;
    await Promise.all(this.#calls.values());
    this.#goAway?.();
    this.#goAway = undefined;
  }

  /** Nothing is taken before there is room, and the card was seen. undefined: take it now. */
  #ready(): Promise<void> | undefined {
    const isEmpty = this.#deps.inbox.waitingCount(this.#row.agent) === 0;
    return isEmpty ? undefined : this.#room().then(() => this.#prepare());
  }

  async #room(): Promise<void> {
    while (this.#calls.size >= ITEMS_AT_ONCE && !this.#stopping.signal.aborted)
      await new Promise<void>((resolve) => (this.#roomMade = resolve));
  }

  async #prepare(): Promise<void> {
    for (let tries = 0; !this.#stopping.signal.aborted; tries += 1) {
      if (await this.#isAsConfirmed()) return;
      await this.#pause(backoffMs(tries, this.#deps.random.fraction(), CARD_BACKOFF));
    }
  }

  async #isAsConfirmed(): Promise<boolean> {
    const { client } = this.#deps;
    const { url, digest, host } = this.#row;
    try {
      const { shown } = await client.card(new URL(url), this.#stopping.signal);
      if (shown.digest === digest) {
        this.#stands({ state: 'ready', trouble: null });
        return true;
      }
      this.#stands({ state: 'changed', trouble: `The card of ${host} has changed.` });
    } catch (error) {
      const isCard = error instanceof AppError && error.code === 'bad_request';
      this.#stands({ state: isCard ? 'changed' : 'away', trouble: messageOf(error) });
    }
    return false;
  }

  #stands(standing: Standing): void {
    const { agents } = this.#deps;
    const { agent, host } = this.#row;
    const isNew = standing.state !== this.#standing.state;
    this.#standing = standing;
    if (this.#stopping.signal.aborted) return;
    if (standing.state === 'ready') {
      agents.presence.touch(agent, { door: 'a2a', program: host });
      this.#goAway ??= agents.presence.streamOpened(agent);
    } else {
      this.#goAway?.();
      this.#goAway = undefined;
      if (isNew) agents.presence.wentAway(agent);
    }
    if (!isNew) return;
    agents.changed(agent);
    if (standing.state === 'changed') this.#deps.cardChanged();
  }

  #take(item: DeliveryDto): void {
    const call = this.#callOf(item, null);
    this.#running(call, call.run());
  }

  #resume(item: DeliveryDto, task: string | null): void {
    if (item.kind === 'cancel') return;
    const call = this.#callOf(item, task);
    // The run before took the cancel, and may not have passed it on.
    const { stopAt } = this.#deps.store.read.task(item.task_id ?? '') ?? { stopAt: null };
    if (stopAt !== null) call.cancel();
    this.#running(call, call.resume());
  }

  #callOf(item: DeliveryDto, task: string | null): ItemCall {
    const { agent, host, endpoint } = this.#row;
    const deps = { ...this.#deps, agent, host, endpoint };
    return new ItemCall(deps, item, task, this.#stopping.signal);
  }

  #running(call: ItemCall, ended: Promise<void>): void {
    this.#calls.set(call, ended);
    void ended.then(() => {
      this.#calls.delete(call);
      this.#roomMade();
    });
  }

  async #cancel(item: DeliveryDto): Promise<void> {
    const { inbox, log } = this.#deps;
    for (const call of this.#calls.keys()) if (call.taskId === item.task_id) call.cancel();
    try {
      await inbox.ack(this.#row.agent, item.delivery_id, null, item.attempt);
    } catch (error) {
      log.debug('a cancel was not taken', { error: messageOf(error) });
    }
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = this.#deps.clock.setTimer(ms, end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}
