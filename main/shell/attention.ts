// What the desktop must show outside its pages: which requests wait, which hubs are online, what
// has to be answered before all else, and when a native notification is due. One picture feeds
// tray, menu, badge and notification, so that they cannot disagree with the cards and the page.
import type { AttentionDto } from '../../preload/contract/attention.ts';
import type {
  ApprovalDto,
  HubDto,
  PeerDto,
  UiEvent,
  UiSnapshot,
} from '../../preload/contract/dto.ts';
import type { AskedDto } from '../../preload/contract/story.ts';
import { waitsForPeople } from '../../preload/contract/strings/story.ts';

export interface DesktopPicture {
  /** The requests that wait for a person, in the order of the page. */
  readonly waiting: readonly (Pick<ApprovalDto, 'id' | 'peer_name'> & Pick<AskedDto, 'kind'>)[];
  /** The owner's names of the hubs that everything stops for. */
  readonly stops: readonly string[];
  /** The hubs of the household, by the owner's names. */
  readonly hubs: readonly Pick<PeerDto, 'id' | 'name' | 'online'>[];
  readonly paused: AttentionDto['paused'];
  readonly hub: Pick<HubDto, 'state' | 'copy_at'>;
}

interface AttentionView {
  /** Called whenever any of it has changed. */
  show(picture: DesktopPicture): void;
  /** Fixed words and the owner's own name for the hub; never a word of the request. */
  notify(approvalId: string, peerName: string): void;
  /** The request was decided, is gone or is put off: take its notification away. */
  withdraw(approvalId: string): void;
  /** Once for each such hub, in fixed words and the owner's own name for it. */
  notifyStop(peerId: string, peerName: string): void;
  /** A person has answered, or the hub itself is back. */
  withdrawStop(peerId: string): void;
}

export class Attention {
  readonly #pending = new Map<string, ApprovalDto>();
  /** The owner's names of the hubs in whose place another key answers, by their ids. */
  readonly #stops = new Map<string, string>();
  /** Those that nobody was notified of yet, because it is quiet. */
  readonly #unsaid = new Set<string>();
  readonly #hubs = new Map<string, DesktopPicture['hubs'][number]>();
  readonly #view: AttentionView;
  /** undefined: there was no snapshot yet, so that nothing is known. */
  #hub: DesktopPicture['hub'] | undefined;
  #paused: AttentionDto['paused'] = null;
  #shown = '';
  #isQuiet = false;

  constructor(view: AttentionView) {
    this.#view = view;
  }

  /**
   * Starts afresh from a snapshot: what it does not hold is over.
   * @param told what the hub told before anybody followed it, as at its start: whom it called for
   * what still waits is called now
   */
  reset(
    {
      approvals,
      peers,
      attention,
      hub,
    }: Pick<UiSnapshot, 'approvals' | 'peers' | 'attention' | 'hub'>,
    told: readonly UiEvent[] = [],
  ): void {
    const waiting = new Map(approvals.filter(waitsNow).map((approval) => [approval.id, approval]));
    for (const id of this.#pending.keys()) {
      if (waiting.has(id)) continue;
      this.#pending.delete(id);
      this.#view.withdraw(id);
    }
    for (const [id, approval] of waiting) this.#pending.set(id, approval);
    this.#hubs.clear();
    for (const peer of peers) this.#knowHub(peer);
    this.#hub = hub;
    this.#knowAttention(attention);
    this.#show();
    const held = new Set(peers.map(({ id }) => id));
    for (const id of this.#stops.keys()) if (!held.has(id)) this.#stopEnds(id);
    for (const peer of peers) this.#applyKeyChange(peer);
    this.#say();
    for (const event of told) this.#call(event);
  }

  apply(event: UiEvent): void {
    if (event.type === 'approval') this.#applyApproval(event.approval);
    this.#call(event);
    if (event.type === 'hub' && this.#hub !== undefined) this.#hub = event.hub;
    if (event.type === 'peer') {
      this.#knowHub(event.peer);
      this.#applyKeyChange(event.peer);
    }
    if (event.type === 'peer_gone') {
      this.#hubs.delete(event.id);
      this.#stopEnds(event.id);
    }
    if (event.type === 'do_not_disturb') {
      this.#knowAttention(event.attention);
      this.#say();
    }
    this.#show();
  }

  #call(event: UiEvent): void {
    if (event.type === 'attention' && this.#pending.has(event.approval_id))
      this.#view.notify(event.approval_id, event.peer_name);
  }

  #applyApproval(approval: ApprovalDto): void {
    if (waitsNow(approval)) {
      this.#pending.set(approval.id, approval);
    } else if (this.#pending.delete(approval.id)) {
      this.#view.withdraw(approval.id);
    }
    this.#show();
  }

  #knowHub({ id, name, online, trust }: PeerDto): void {
    if (trust === 'paired') this.#hubs.set(id, { id, name, online });
    else this.#hubs.delete(id);
  }

  #applyKeyChange({ id, name, key_change: change }: PeerDto): void {
    if (change?.kept_at !== null) return this.#stopEnds(id);
    const known = this.#stops.get(id);
    if (known === name) return;
    this.#stops.set(id, name);
    this.#show();
    if (known !== undefined) return;
    this.#unsaid.add(id);
    this.#say();
  }

  #stopEnds(id: string): void {
    if (!this.#stops.delete(id)) return;
    if (!this.#unsaid.delete(id)) this.#view.withdrawStop(id);
    this.#show();
  }

  #knowAttention({ paused, quiet_now: quietNow }: AttentionDto): void {
    this.#paused = paused;
    this.#isQuiet = paused !== null || quietNow !== null;
  }

  /** Nothing of the other key gets in meanwhile, so that it may wait until nobody sleeps. */
  #say(): void {
    if (this.#isQuiet) return;
    for (const id of this.#unsaid) this.#view.notifyStop(id, this.#stops.get(id) ?? '');
    this.#unsaid.clear();
  }

  #show(): void {
    if (this.#hub === undefined) return;
    const { state, copy_at } = this.#hub;
    const picture: DesktopPicture = {
      waiting: [...this.#pending.values()]
        .toSorted(
          (one, other) => one.expires_at - other.expires_at || one.received_at - other.received_at,
        )
        .map(({ id, peer_name, story }) => ({ id, peer_name, kind: story.asked.kind })),
      stops: [...this.#stops.values()],
      hubs: [...this.#hubs.values()].toSorted((one, other) => one.name.localeCompare(other.name)),
      paused: this.#paused,
      hub: { state, copy_at },
    };
    const shown = JSON.stringify(picture);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#view.show(picture);
  }
}

function waitsNow({ story }: ApprovalDto): boolean {
  return waitsForPeople(story);
}
