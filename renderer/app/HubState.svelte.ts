// The page's one picture of its hub: a snapshot, kept up by numbered events. A gap in the numbers,
// or a line that was lost, means a new snapshot. Decides nothing and writes nothing; screens read
// it, controllers call the hub.
import type { ApprovalDto, PeerDto, UiEvent, UiSnapshot } from '../../preload/contract/dto.ts';
import type { PairingDto } from '../../preload/contract/pairing-dto.ts';
import type { Problem } from '../../preload/contract/errors.ts';
import type { HubApi, LinkState } from '../../preload/contract/hub-api.ts';
import { applyEvent, putApproval } from './apply-event.ts';

/** Events kept while a snapshot is on its way; more than that means another snapshot. */
const WAITING_EVENTS_MAX = 1_000;
const SNAPSHOT_RETRY_MS = 2_000;
/**
 * Conversations whose newest event is remembered; a thread older than these reads again when it is
 * opened.
 */
const CONVERSATIONS_MAX = 64;

type Phase = 'loading' | 'ready' | 'logged_out' | 'unreachable';

export class HubState {
  #snapshot = $state.raw<UiSnapshot | null>(null);
  #link = $state.raw<LinkState | null>(null);
  /**
   * Since when a snapshot that is needed cannot be had: what is shown may be old although the line
   * stands.
   */
  #staleSince = $state<number | null>(null);
  #phase = $state<Phase>('loading');
  #problem = $state.raw<Problem | null>(null);
  /**
   * The newest event that touched each conversation, so that an open thread knows when to read
   * again.
   */
  #conversationSeq = $state.raw<ReadonlyMap<string, number>>(new Map());
  #newestConversationSeq = $state(0);
  #goneConversations = $state.raw<ReadonlySet<string>>(new Set());

  readonly #api: HubApi;
  readonly #approvalListeners = new Set<(approval: ApprovalDto) => void>();
  readonly #removalListeners = new Set<(seqs: readonly number[]) => void>();
  readonly #snapshotListeners = new Set<(snapshot: UiSnapshot) => void>();
  #stopEvents: (() => void) | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #waiting: UiEvent[] = [];
  #refreshing = false;
  #stopped = false;

  constructor(api: HubApi) {
    this.#api = api;
  }

  get phase(): Phase {
    return this.#phase;
  }
  get problem(): Problem | null {
    return this.#problem;
  }
  get link(): LinkState | null {
    if (this.#staleSince === null || this.#link?.state !== 'live') return this.#link;
    return { state: 'lost', since: this.#staleSince, retry_in_ms: SNAPSHOT_RETRY_MS };
  }
  /** True while what is shown is what the hub holds; when false nothing may be decided. */
  get live(): boolean {
    return this.#phase === 'ready' && this.link?.state !== 'lost';
  }
  /** Only read where a screen is drawn: screens exist once there is a snapshot. */
  get snapshot(): UiSnapshot {
    if (this.#snapshot === null) throw new TypeError('no snapshot yet');
    return this.#snapshot;
  }
  get hasSnapshot(): boolean {
    return this.#snapshot !== null;
  }
  /** How many requests a person here has to decide now. */
  get needYou(): number {
    return this.snapshot.approvals.filter(
      ({ held, decided_by_hubs: elsewhere }) => held === null && elsewhere === null,
    ).length;
  }
  conversationSeq(id: string): number {
    return this.#conversationSeq.get(id) ?? 0;
  }
  /** Whether somebody removed it while this page was open. */
  isConversationGone(id: string): boolean {
    return this.#goneConversations.has(id);
  }
  /** Grows with every event of any conversation. */
  get newestConversationSeq(): number {
    return this.#newestConversationSeq;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    await this.refresh();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#stopEvents?.();
    this.#stopEvents = null;
  }

  /** Takes a new snapshot; events that come meanwhile wait for it. */
  async refresh(): Promise<void> {
    if (this.#refreshing || this.#stopped) return;
    this.#refreshing = true;
    clearTimeout(this.#retry);
    const outcome = await this.#api.call('hub.snapshot', {});
    this.#refreshing = false;
    if (this.#stopped) return;
    if (!outcome.ok) return this.#failed(outcome.problem);
    this.#problem = null;
    this.#staleSince = null;
    this.#snapshot = outcome.value;
    this.#phase = 'ready';
    for (const approval of [...outcome.value.approvals, ...outcome.value.recently_decided])
      this.#tell(approval);
    for (const listener of this.#snapshotListeners) listener(outcome.value);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const event of waiting) this.#take(event);
    this.#listen(outcome.value.seq);
  }

  /** An approval fetched or decided by this page, ahead of its event. */
  putApproval(approval: ApprovalDto): void {
    const put = this.#snapshot === null ? null : putApproval(this.#snapshot, approval);
    if (this.#snapshot === null || put === null) return;
    this.#snapshot = { ...this.#snapshot, ...put };
    this.#tell(approval);
  }

  /** A hub that this page added, ahead of its event; what an event has brought already is newer. */
  putPeer(peer: PeerDto): void {
    if (this.#snapshot === null) return;
    const known = this.#snapshot.peers.find((other) => other.id === peer.id);
    if (known?.trust === peer.trust && known.key_change?.kept_at === peer.key_change?.kept_at)
      return;
    this.#snapshot = {
      ...this.#snapshot,
      peers: [...this.#snapshot.peers.filter((other) => other !== known), peer],
    };
  }

  /**
   * A pairing that this page began, ahead of its event; one that an event has brought already is
   * newer.
   */
  putPairing(pairing: PairingDto): void {
    if (this.#snapshot === null || this.#snapshot.pairings.some((other) => other.id === pairing.id))
      return;
    this.#snapshot = { ...this.#snapshot, pairings: [...this.#snapshot.pairings, pairing] };
  }

  /**
   * Told of every approval that a snapshot or an event brings, pending or decided. Returns the way
   * to stop.
   */
  onApproval(listener: (approval: ApprovalDto) => void): () => void {
    this.#approvalListeners.add(listener);
    return () => this.#approvalListeners.delete(listener);
  }

  /** Told of every new snapshot, after its approvals. Returns the way to stop. */
  onSnapshot(listener: (snapshot: UiSnapshot) => void): () => void {
    this.#snapshotListeners.add(listener);
    return () => this.#snapshotListeners.delete(listener);
  }

  /** Told of the numbers of notices that are not kept any longer. Returns the way to stop. */
  onFeedRemoved(listener: (seqs: readonly number[]) => void): () => void {
    this.#removalListeners.add(listener);
    return () => this.#removalListeners.delete(listener);
  }

  #tell(approval: ApprovalDto): void {
    for (const listener of this.#approvalListeners) listener(approval);
  }

  #listen(fromSeq: number): void {
    if (this.#stopEvents !== null) return;
    this.#stopEvents = this.#api.subscribe(fromSeq, {
      onEvent: (event) => this.#take(event),
      onGap: () => void this.refresh(),
      onLink: (link) => this.#onLink(link),
    });
  }

  #take(event: UiEvent): void {
    if (this.#refreshing || this.#snapshot === null) {
      if (this.#waiting.length < WAITING_EVENTS_MAX) this.#waiting.push(event);
      return;
    }
    if (event.seq <= this.#snapshot.seq) return;
    if (event.seq > this.#snapshot.seq + 1) {
      void this.refresh();
      return;
    }
    this.#snapshot = applyEvent(this.#snapshot, event);
    if (event.type === 'conversation') this.#touchConversation(event.id, event.seq);
    if (event.type === 'conversation_gone')
      this.#goneConversations = new Set(this.#goneConversations).add(event.id);
    if (event.type === 'approval') this.#tell(event.approval);
    if (event.type === 'feed_removed')
      for (const listener of this.#removalListeners) listener(event.seqs);
  }

  #onLink(link: LinkState): void {
    const before = this.#link?.state;
    this.#link = link;
    if (link.state === 'logged_out') {
      this.#phase = 'logged_out';
      return;
    }
    if (
      link.state === 'live' &&
      (before === 'logged_out' || (before === 'lost' && this.#phase !== 'ready'))
    )
      void this.refresh();
  }

  #failed(problem: Problem): void {
    this.#problem = problem;
    if (problem.code === 'unauthenticated') {
      this.#phase = 'logged_out';
      this.#waiting = [];
      return;
    }
    if (this.#snapshot === null) this.#phase = 'unreachable';
    else this.#staleSince ??= Date.now();
    this.#retry = setTimeout(() => void this.refresh(), SNAPSHOT_RETRY_MS);
  }

  #touchConversation(id: string, seq: number): void {
    const newest = [...this.#conversationSeq]
      .filter(([other]) => other !== id)
      .slice(1 - CONVERSATIONS_MAX);
    this.#conversationSeq = new Map([...newest, [id, seq]]);
    this.#newestConversationSeq = seq;
  }
}
