// What the desktop must show outside its window: how many requests wait, in which hubs' places
// another key answers, and when a native notification is due. One model feeds tray, badge and
// notification, so that they cannot disagree with the cards and the page.
import type { AttentionDto } from '../../preload/contract/attention.ts';
import type { ApprovalDto, PeerDto, UiEvent, UiSnapshot } from '../../preload/contract/dto.ts';

interface AttentionView {
  /** Called with the number of requests that wait for a person, whenever it changes. */
  showCount(count: number): void;
  /** Fixed words and the owner's own name for the hub; never a word of the request. */
  notify(approvalId: string, peerName: string): void;
  /** The request was decided, is gone or is put off: take its notification away. */
  withdraw(approvalId: string): void;
  /** Called with the owner's names of the hubs that everything stops for, whenever they change. */
  showStops(peerNames: readonly string[]): void;
  /** Once for each such hub, in fixed words and the owner's own name for it. */
  notifyStop(peerId: string, peerName: string): void;
  /** A person has answered, or the hub itself is back. */
  withdrawStop(peerId: string): void;
}

export class Attention {
  readonly #pending = new Set<string>();
  /** The owner's names of the hubs in whose place another key answers, by their ids. */
  readonly #stops = new Map<string, string>();
  /** Those that nobody was notified of yet, because it is quiet. */
  readonly #unsaid = new Set<string>();
  readonly #view: AttentionView;
  #shown = -1;
  #isQuiet = false;

  constructor(view: AttentionView) {
    this.#view = view;
  }

  get count(): number {
    return this.#pending.size;
  }

  /**
   * Starts afresh from a snapshot: what it does not hold is over.
   * @param told what the hub told before anybody followed it, as at its start: whom it called for
   * what still waits is called now
   */
  reset(
    { approvals, peers, attention }: Pick<UiSnapshot, 'approvals' | 'peers' | 'attention'>,
    told: readonly UiEvent[] = [],
  ): void {
    const waiting = new Set(approvals.filter(waitsNow).map(({ id }) => id));
    for (const id of this.#pending) {
      if (waiting.has(id)) continue;
      this.#pending.delete(id);
      this.#view.withdraw(id);
    }
    for (const id of waiting) this.#pending.add(id);
    this.#showCount();
    this.#isQuiet = isQuiet(attention);
    const held = new Set(peers.map(({ id }) => id));
    for (const id of this.#stops.keys()) if (!held.has(id)) this.#stopEnds(id);
    for (const peer of peers) this.#applyPeer(peer);
    this.#say();
    for (const event of told) this.#call(event);
  }

  apply(event: UiEvent): void {
    if (event.type === 'approval') this.#applyApproval(event.approval);
    this.#call(event);
    if (event.type === 'peer') this.#applyPeer(event.peer);
    if (event.type === 'peer_gone') this.#stopEnds(event.id);
    if (event.type === 'do_not_disturb') this.#doNotDisturbIs(event.attention);
  }

  #call(event: UiEvent): void {
    if (event.type === 'attention' && this.#pending.has(event.approval_id))
      this.#view.notify(event.approval_id, event.peer_name);
  }

  #applyApproval(approval: ApprovalDto): void {
    if (waitsNow(approval)) {
      this.#pending.add(approval.id);
    } else if (this.#pending.delete(approval.id)) {
      this.#view.withdraw(approval.id);
    }
    this.#showCount();
  }

  #showCount(): void {
    if (this.#shown === this.count) return;
    this.#shown = this.count;
    this.#view.showCount(this.count);
  }

  #applyPeer({ id, name, key_change: change }: PeerDto): void {
    if (change?.kept_at !== null) return this.#stopEnds(id);
    const known = this.#stops.get(id);
    if (known === name) return;
    this.#stops.set(id, name);
    this.#showStops();
    if (known !== undefined) return;
    this.#unsaid.add(id);
    this.#say();
  }

  #stopEnds(id: string): void {
    if (!this.#stops.delete(id)) return;
    if (!this.#unsaid.delete(id)) this.#view.withdrawStop(id);
    this.#showStops();
  }

  #doNotDisturbIs(attention: AttentionDto): void {
    this.#isQuiet = isQuiet(attention);
    this.#say();
  }

  /** Nothing of the other key gets in meanwhile, so that it may wait until nobody sleeps. */
  #say(): void {
    if (this.#isQuiet) return;
    for (const id of this.#unsaid) this.#view.notifyStop(id, this.#stops.get(id) ?? '');
    this.#unsaid.clear();
  }

  #showStops(): void {
    this.#view.showStops([...this.#stops.values()]);
  }
}

/**
 * What is held disturbs nobody, since it is asked later; and what an adult's hub decides waits for
 * nobody here.
 */
function waitsNow({ state, held, decided_by_hubs: elsewhere }: ApprovalDto): boolean {
  return state === 'pending' && held === null && elsewhere === null;
}

function isQuiet({ paused, quiet_now: quietNow }: AttentionDto): boolean {
  return paused !== null || quietNow !== null;
}
