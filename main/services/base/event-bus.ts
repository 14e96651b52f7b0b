// The numbered stream of everything a page needs after its snapshot. Keeps a bounded tail so that a
// reader can resume; a reader that asks for more than the tail holds is told of the gap and takes a
// new snapshot.
import type { UiEvent, UiEventBody } from '../../../preload/contract/dto.ts';

/**
 * Bounds the resume tail, by the characters of its texts: a reader that missed more takes a new
 * snapshot, which is shorter, and no resume comes near what cuts a slow reader.
 */
export const EVENT_TAIL_MAX_CHARACTERS = 65_536;

export class EventBus {
  #seq: number;
  readonly #tail: { readonly event: UiEvent; readonly size: number }[] = [];
  #tailSize = 0;
  readonly #listeners = new Set<(event: UiEvent) => void>();
  #tellKept: (() => void) | undefined;

  /**
   * @param firstSeq where counting begins. The wall clock in ms at start keeps the numbers of two
   * runs of the hub apart, so that a page which missed a restart sees a gap instead of somebody
   * else's numbers.
   */
  constructor(firstSeq = 0) {
    this.#seq = firstSeq;
  }

  /** The number of the newest event; a snapshot taken now carries it. */
  get seq(): number {
    return this.#seq;
  }

  /** After what was kept back until now: `attention` for a request follows the request. */
  publish(body: UiEventBody): void {
    if (this.isRead) this.#tellKept?.();
    const event: UiEvent = { ...body, seq: ++this.#seq };
    const size = JSON.stringify(event).length;
    this.#tail.push({ event, size });
    this.#tailSize += size;
    while (this.#tailSize > EVENT_TAIL_MAX_CHARACTERS)
      this.#tailSize -= this.#tail.shift()?.size ?? 0;
    for (const listener of this.#listeners) listener(event);
  }

  /**
   * More has changed than events tell: with the next one every page takes a new snapshot, and so
   * does a reader that resumes.
   */
  skip(): void {
    this.#seq++;
    this.#tail.length = 0;
    this.#tailSize = 0;
  }

  /** While nobody reads, events may be kept back unmade. */
  get isRead(): boolean {
    return this.#listeners.size > 0;
  }

  /** @param tellKept publishes what was kept back, if there is anything */
  onKept(tellKept: () => void): void {
    this.#tellKept = tellKept;
  }

  /**
   * Events after `seq`. undefined when the tail no longer reaches back that far or `seq` is from
   * another run of the hub.
   */
  since(seq: number): readonly UiEvent[] | undefined {
    this.#tellKept?.();
    if (seq > this.#seq) return undefined;
    const first = this.#tail[0]?.event;
    if (seq < this.#seq && (first === undefined || first.seq > seq + 1)) return undefined;
    return this.#tail.flatMap(({ event }) => (event.seq > seq ? event : []));
  }

  subscribe(listener: (event: UiEvent) => void): () => void {
    this.#tellKept?.();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
