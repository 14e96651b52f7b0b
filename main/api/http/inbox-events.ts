// GET /v1/inbox/stream: an agent's inbox as events. Each item is handed out under a lease, exactly as a claim would, with its durable seq as
// the event's id. A reader that comes back with Last-Event-ID gets again what was leased to it after that id and never reached it; then what
// waits; then `caught-up`. Never hands out more than the reader takes in, nor anything of another agent.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { streamData } from './event-streams.ts';
import type { EventStream } from './event-streams.ts';
import { STREAM_BATCH_MAX, STREAM_LEASED_MAX } from './limits.ts';

/** What the stream needs of the inbox. */
export interface InboxReader {
  /** Leases up to `max` items that wait. */
  claim(agent: string, max: number): Promise<readonly DeliveryDto[]>;
  /** Items leased to this agent and not yet acknowledged, with a seq above `afterSeq`, oldest first. */
  leasedAfter(agent: string, afterSeq: number, max: number): readonly DeliveryDto[];
  /** How many items are leased to this agent and not yet acknowledged. */
  leasedCount(agent: string): number;
  /** Called whenever something of this agent's inbox waits, or a lease was given back. Returns the way to stop. */
  onChange(agent: string, listener: () => void): () => void;
  /** The agent is there for as long as its stream is. */
  streamOpened(agent: string): () => void;
}

export function followInbox(stream: EventStream, inbox: InboxReader, agent: string, lastSeq: number | undefined): void {
  const follower = new InboxFollower(stream, inbox, agent);
  stream.onEnd(inbox.streamOpened(agent));
  stream.onEnd(inbox.onChange(agent, () => void follower.pump()));
  if (lastSeq !== undefined) follower.repeat(lastSeq);
  void follower.pump();
}

class InboxFollower {
  readonly #stream: EventStream;
  readonly #inbox: InboxReader;
  readonly #agent: string;
  #pumping = false;
  #again = false;
  #caughtUp = false;

  constructor(stream: EventStream, inbox: InboxReader, agent: string) {
    this.#stream = stream;
    this.#inbox = inbox;
    this.#agent = agent;
  }

  repeat(afterSeq: number): void {
    for (const item of this.#inbox.leasedAfter(this.#agent, afterSeq, STREAM_LEASED_MAX)) this.#send(item);
  }

  /**
   * Hands out until nothing waits or enough is leased. One run at a time; a change meanwhile makes it look again. A reader that has taken in
   * everything claims before this returns, so that the claim can join the commit that queued the item.
   */
  async pump(): Promise<void> {
    this.#again = true;
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#again && !this.#stream.ended) {
        this.#again = false;
        await this.#handOut();
      }
    } catch {
      // The store did not give: the reader comes back and finds everything where it was.
      this.#stream.end();
    } finally {
      this.#pumping = false;
    }
  }

  async #handOut(): Promise<void> {
    for (;;) {
      if (this.#stream.isBehind) await this.#stream.drained();
      const room = Math.min(STREAM_BATCH_MAX, STREAM_LEASED_MAX - this.#inbox.leasedCount(this.#agent));
      if (room <= 0 || this.#stream.ended) return;
      const items = await this.#inbox.claim(this.#agent, room);
      for (const item of items) this.#send(item);
      if (items.length > 0) continue;
      if (!this.#caughtUp) this.#stream.send({ event: 'caught-up', data: '{}' });
      this.#caughtUp = true;
      return;
    }
  }

  #send(item: DeliveryDto): void {
    this.#stream.send({ event: 'delivery', id: item.seq, data: streamData(item) });
  }
}
