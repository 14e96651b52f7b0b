// What the desktop must show outside its window: how many requests wait, and when a native notification is due. One model feeds tray,
// badge and notification, so that they cannot disagree with the cards.
import type { ApprovalDto, UiEvent } from '../../preload/contract/dto.ts';

export interface AttentionView {
  /** Called with the number of requests that wait for a person, whenever it changes. */
  showCount(count: number): void;
  /** Fixed words and the owner's own name for the hub; never a word of the request. */
  notify(approvalId: string, peerName: string): void;
  /** The request was decided, is gone or is put off: take its notification away. */
  withdraw(approvalId: string): void;
}

export class Attention {
  readonly #pending = new Set<string>();
  readonly #view: AttentionView;
  #shown = -1;

  constructor(view: AttentionView) {
    this.#view = view;
  }

  get count(): number {
    return this.#pending.size;
  }

  /** Starts afresh from a snapshot. */
  reset(pending: readonly ApprovalDto[]): void {
    this.#pending.clear();
    for (const approval of pending) if (waitsNow(approval)) this.#pending.add(approval.id);
    this.#showCount();
  }

  apply(event: UiEvent): void {
    if (event.type === 'approval') this.#applyApproval(event.approval);
    if (event.type === 'attention' && this.#pending.has(event.approval_id)) this.#view.notify(event.approval_id, event.peer_name);
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
}

/** What is held disturbs nobody: it is asked later. */
function waitsNow({ state, held }: ApprovalDto): boolean {
  return state === 'pending' && held === null;
}
