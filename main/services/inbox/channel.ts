// How items reach an agent's program. A channel follows the inbox of its agent and puts delivered
// items into a sink, never more than that accepts. The long poll ends with the first items, an
// event stream with its connection. A new channel needs only a sink and its bounds.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import type { ItemKinds } from './items.ts';

/** What a channel needs of the inbox. */
export interface InboxReader {
  /** Leases up to `max` items that wait. */
  claim(
    agent: string,
    max: number,
    leaseMs?: number,
    kinds?: ItemKinds,
  ): Promise<readonly DeliveryDto[]>;
  /** How many items are leased to this agent and not yet acknowledged. */
  leasedCount(agent: string): number;
  /**
   * Called whenever something of this agent's inbox waits, or a lease was given back. Returns the
   * way to stop.
   */
  onChange(agent: string, listener: () => void): () => void;
  /** The agent is there for as long as somebody follows its inbox. */
  streamOpened(agent: string): () => void;
}

export interface InboxSink {
  /**
   * Called with items that are leased to the agent from now on. After an abort it still gets those
   * whose claim was under way.
   */
  take(items: readonly DeliveryDto[]): void;
  /** Nothing more waits now. */
  caughtUp(): void;
  /** Settles once the program has taken in what it was given; undefined: it has. */
  ready(): Promise<void> | undefined;
}

interface Following {
  readonly agent: string;
  readonly kinds?: ItemKinds;
  readonly leaseMs?: number;
  /** Items claimed at once. */
  readonly batchMax: number;
  /** Items leased to the agent at once; no more are claimed for it. */
  readonly leasedMax?: number;
}

/**
 * Delivers until `signal` is aborted, then settles once the last claim has ended. Rejects when the
 * store does not answer.
 */
export async function follow(
  inbox: InboxReader,
  following: Following,
  sink: InboxSink,
  signal: AbortSignal,
): Promise<void> {
  const away = inbox.streamOpened(following.agent);
  let stopListening = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const follower = new Follower(inbox, following, sink, signal, { resolve, reject });
      stopListening = inbox.onChange(following.agent, () => follower.pump());
      signal.addEventListener('abort', () => follower.pump(), { once: true });
      follower.pump();
    });
  } finally {
    stopListening();
    away();
  }
}

interface End {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class Follower {
  readonly #inbox: InboxReader;
  readonly #following: Following;
  readonly #sink: InboxSink;
  readonly #signal: AbortSignal;
  readonly #end: End;
  #pumping = false;
  #again = false;

  constructor(
    inbox: InboxReader,
    following: Following,
    sink: InboxSink,
    signal: AbortSignal,
    end: End,
  ) {
    this.#inbox = inbox;
    this.#following = following;
    this.#sink = sink;
    this.#signal = signal;
    this.#end = end;
  }

  /**
   * Delivers until nothing waits or enough is leased. One run at a time; a change meanwhile makes
   * it look again. If the program has taken everything so far, it claims before this returns, so
   * that the claim can join the commit that queued the item.
   */
  pump(): void {
    this.#again = true;
    if (!this.#pumping) void this.#run();
  }

  async #run(): Promise<void> {
    this.#pumping = true;
    try {
      while (this.#again && !this.#signal.aborted) {
        this.#again = false;
        await this.#lease();
      }
      if (this.#signal.aborted) this.#end.resolve();
    } catch (error) {
      this.#end.reject(error);
    } finally {
      this.#pumping = false;
    }
  }

  async #lease(): Promise<void> {
    const { agent, kinds = null, leaseMs, batchMax, leasedMax = Infinity } = this.#following;
    while (!this.#signal.aborted) {
      const behind = this.#sink.ready();
      if (behind !== undefined) await behind;
      const room =
        leasedMax === Infinity
          ? batchMax
          : Math.min(batchMax, leasedMax - this.#inbox.leasedCount(agent));
      if (room <= 0 || this.#signal.aborted) return;
      const items = await this.#inbox.claim(agent, room, leaseMs, kinds);
      if (items.length === 0) return this.#sink.caughtUp();
      this.#sink.take(items);
    }
  }
}
