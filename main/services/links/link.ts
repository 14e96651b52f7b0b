// One authenticated connection and where it stands: hello, what is under way on it, what went wrong
// on it. Holds state and small rules about itself; it sends nothing and knows no other connection.
import type { Clock } from '../../ports/clock.ts';
import type { ConnectionInfo, KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import type { HelloPayload } from '../../protocol/payloads.ts';
import { MALFORMED_PER_MINUTE_MAX, WAITING_FOR_HELLO_MAX } from './limits.ts';

const MINUTE_MS = 60_000;

export class Link {
  info: ConnectionInfo;
  readonly agentId: string;
  /** Hello is done, or not needed. */
  isEstablished = false;
  /** What the other side said in hello; outside text. */
  hello: HelloPayload | undefined;
  /**
   * The other side speaks the reference profile: it knows no hello (PROTOCOL.md, Reference
   * profile).
   */
  isReference = false;
  /** What its end told of how the other side sees this hub, as a sentence. */
  endTrouble: string | null = null;
  /** Not used for sending any more; closed when idle. */
  isDraining = false;
  /** It answered when it was given up for another: nothing that went into it is lost. */
  isGivenUpWhole = false;
  lastUsedAtMs: number;
  readonly #clock: Clock;
  readonly #gone = new AbortController();
  readonly #established: Promise<boolean>;
  #settleEstablished: (isDone: boolean) => void = () => undefined;
  #inFlight = 0;
  #waiting = 0;
  #malformedAtMs: number[] = [];

  constructor(info: ConnectionInfo, clock: Clock) {
    this.info = info;
    this.agentId = agentIdOfKeyHex(info.keyHex);
    this.#clock = clock;
    this.lastUsedAtMs = clock.monotonicMs();
    this.#established = new Promise((resolve) => (this.#settleEstablished = resolve));
  }

  get id(): number {
    return this.info.connectionId;
  }

  get keyHex(): KeyHex {
    return this.info.keyHex;
  }

  get isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Aborted when the connection is gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  established(): void {
    this.isEstablished = true;
    this.#settleEstablished(true);
  }

  gone(): void {
    this.#settleEstablished(this.isEstablished);
    this.#gone.abort();
  }

  /**
   * Counts work on the connection, so that it is not closed under it. Call the returned function
   * once when it is over.
   */
  begin(): () => void {
    this.#inFlight++;
    this.lastUsedAtMs = this.#clock.monotonicMs();
    return () => {
      this.#inFlight--;
      this.lastUsedAtMs = this.#clock.monotonicMs();
    };
  }

  /**
   * True once hello is done. On a connection we dialled, a message may overtake the answer to our
   * hello: it waits for that. On one that was dialled to us, and beyond the limit of waiting
   * messages, there is nothing to wait for.
   */
  async untilEstablished(): Promise<boolean> {
    if (this.isEstablished) return true;
    if (this.info.direction === 'incoming' || this.#waiting >= WAITING_FOR_HELLO_MAX) return false;
    this.#waiting++;
    const isDone = await this.#established;
    this.#waiting--;
    return isDone;
  }

  /** Counts a message that broke the form; true when there were too many within a minute. */
  malformed(): boolean {
    const now = this.#clock.monotonicMs();
    this.#malformedAtMs = this.#malformedAtMs.filter((atMs) => now - atMs < MINUTE_MS);
    this.#malformedAtMs.push(now);
    return this.#malformedAtMs.length >= MALFORMED_PER_MINUTE_MAX;
  }
}
