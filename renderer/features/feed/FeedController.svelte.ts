// The feed of a page: which notices are shown, older ones fetched when asked for, what is marked
// read. The newest live in HubState.
import type { FeedItemDto } from '../../../preload/contract/dto.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import type { Items } from '../../../preload/contract/results.ts';
import type { HubState } from '../../app/HubState.svelte.ts';
import { problemWords } from '../../app/problem-words.ts';

type FeedFilter = 'all' | 'unread' | 'high';
/** How many older notices one call fetches. */
const PAGE_SIZE = 50;
/** What a snapshot brings at least, when there is more. */
const SNAPSHOT_FULL = 50;

export class FeedController {
  filter = $state<FeedFilter>('all');
  #older = $state.raw<readonly FeedItemDto[]>([]);
  #cursor: string | undefined;
  #ended = $state(false);
  #problem = $state<string | null>(null);
  #busy = $state(false);
  readonly #api: HubApi;
  readonly #hub: HubState;
  /** Removed while older ones were being fetched. */
  #goneMeanwhile: readonly number[] = [];
  readonly #stopListening: () => void;

  constructor(deps: { readonly api: HubApi; readonly hub: HubState }) {
    this.#api = deps.api;
    this.#hub = deps.hub;
    this.#stopListening = deps.hub.onFeedRemoved((seqs) => this.#forget(seqs));
  }

  get problem(): string | null {
    return this.#problem;
  }
  get busy(): boolean {
    return this.#busy;
  }
  /** There may be older notices than those shown. */
  get more(): boolean {
    return !this.#ended && this.#all.length >= SNAPSHOT_FULL;
  }

  get #all(): readonly FeedItemDto[] {
    const newest = this.#hub.snapshot.feed;
    const known = new Set(newest.map((item) => item.id));
    const older = this.#older.filter((item) => !known.has(item.id));
    return [...newest, ...older].sort((one, other) => other.seq - one.seq);
  }

  get shown(): readonly FeedItemDto[] {
    const { filter } = this;
    return this.#all.filter(
      (item) =>
        filter === 'all' || (filter === 'unread' ? item.unread : item.importance === 'high'),
    );
  }

  async showOlder(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    this.#goneMeanwhile = [];
    const known = new Set(this.#all.map(({ id }) => id));
    // The first page holds what the snapshot brought: it reads on until something is new.
    let page = await this.#readOlder();
    while (page?.next != null && page.items.every(({ id }) => known.has(id)))
      page = await this.#readOlder();
    this.#busy = false;
  }

  async #readOlder(): Promise<Items<FeedItemDto> | undefined> {
    const outcome = await this.#api.call('feed.list', {
      limit: PAGE_SIZE,
      ...(this.#cursor === undefined ? {} : { cursor: this.#cursor }),
    });
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    if (!outcome.ok) return undefined;
    this.#older = [
      ...this.#older,
      ...outcome.value.items.filter(({ seq }) => !this.#goneMeanwhile.includes(seq)),
    ];
    this.#cursor = outcome.value.next ?? undefined;
    this.#ended = outcome.value.next === null;
    return outcome.value;
  }

  stop(): void {
    this.#stopListening();
  }

  #forget(seqs: readonly number[]): void {
    if (this.#busy) this.#goneMeanwhile = [...this.#goneMeanwhile, ...seqs];
    this.#older = this.#older.filter(({ seq }) => !seqs.includes(seq));
  }

  /** @param read false: they are unread again */
  async mark(ids: 'all' | readonly string[], read: boolean): Promise<void> {
    const outcome = await this.#api.call('feed.markRead', {
      ids: ids === 'all' ? 'all' : [...ids],
      read,
    });
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    if (!outcome.ok) return;
    const meant = ids === 'all' ? null : new Set(ids);
    this.#older = this.#older.map((item) =>
      meant === null || meant.has(item.id) ? { ...item, unread: !read } : item,
    );
  }

  isMuted(item: FeedItemDto): boolean {
    return this.#hub.snapshot.muted_topics.some(
      ({ topic, peer_id, from_agent }) =>
        topic === item.topic &&
        peer_id === item.peer_id &&
        (peer_id !== null || from_agent === item.from_agent),
    );
  }

  async mute(notice: string): Promise<void> {
    const outcome = await this.#api.call('feed.mute', { notice });
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
  }

  async unmute(id: string): Promise<void> {
    const outcome = await this.#api.call('feed.unmute', { id });
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
  }
}
