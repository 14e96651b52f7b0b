// The numbered stream of everything a page needs after its snapshot. Keeps a bounded tail so that a
// reader can resume; a reader that asks for more than the tail holds is told of the gap and takes a
// new snapshot.
import type { UiEvent, UiEventBody } from '../../../preload/contract/dto.ts';

/** Bounds the resume tail; a reader further behind takes a new snapshot. */
export const EVENT_TAIL_MAX = 1024;

export class EventBus {
  #seq: number;
  readonly #tail: UiEvent[] = [];
  readonly #listeners = new Set<(event: UiEvent) => void>();

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

  publish(body: UiEventBody): void {
    const event: UiEvent = { ...body, seq: ++this.#seq };
    this.#tail.push(event);
    if (this.#tail.length > EVENT_TAIL_MAX) this.#tail.shift();
    for (const listener of this.#listeners) listener(event);
  }

  /** More has changed than events tell: with the next one every page takes a new snapshot. */
  skip(): void {
    this.#seq++;
  }

  /**
   * Events after `seq`. undefined when the tail no longer reaches back that far or `seq` is from
   * another run of the hub.
   */
  since(seq: number): readonly UiEvent[] | undefined {
    if (seq > this.#seq) return undefined;
    const first = this.#tail[0];
    if (seq < this.#seq && (first === undefined || first.seq > seq + 1)) return undefined;
    return this.#tail.filter((event) => event.seq > seq);
  }

  subscribe(listener: (event: UiEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
