// What was there before this start, and may therefore have been done already by this hub as it was before an older copy of its database was put back:
// items that waited for agents, and requests whose decision alone is new. None of it is handed out before the owner's word, nor while nobody knows
// yet. Only tells; holds nothing itself, and never decides.
import type { InboxPlace } from '../../ports/inbox.ts';
import type { DeliveryRow, Store, TaskRow } from '../../ports/store.ts';

interface Deps {
  readonly store: Store;
  readonly handsOutOld?: () => boolean;
  readonly isPutBack?: () => boolean;
}

const NOTHING: InboxPlace = { seq: 0, taskSeq: 0 };
/** Requests that an agent may yet be handed: their cards wait, or what was allowed does. */
const NOT_HANDED_OUT = ['awaiting_approval', 'held', 'approved', 'queued'] as const;

export class BeforeStart {
  readonly #deps: Deps;
  readonly #newest: InboxPlace;
  /** What was last told of to the pages. */
  #wasPutBack = false;

  constructor(deps: Deps) {
    const { read } = deps.store;
    this.#deps = deps;
    this.#newest = { seq: read.newestDeliverySeq(), taskSeq: read.tasks({ limit: 1 })[0]?.seq ?? 0 };
  }

  /** What is up to here is held back: it may have been done already, or nobody knows yet. 0: nothing is. */
  get held(): InboxPlace {
    return this.#deps.handsOutOld?.() === false ? this.#newest : NOTHING;
  }

  /** @param task the work that this item is to be done; undefined for what only tells an agent something */
  isHeld(row: Pick<DeliveryRow, 'seq'>, task: Pick<TaskRow, 'seq'> | undefined): boolean {
    const { seq, taskSeq } = this.held;
    return row.seq <= seq || (task !== undefined && task.seq <= taskSeq);
  }

  /** Whether this request, not handed out as far as this record knows, may have been, since the copy was made that was put back. */
  mayBeDone({ seq, direction, state }: Pick<TaskRow, 'seq' | 'direction' | 'state'>): boolean {
    if (this.#deps.isPutBack?.() !== true || direction === 'outgoing') return false;
    return seq <= this.#newest.taskSeq && NOT_HANDED_OUT.some((waiting) => waiting === state);
  }

  /** The requests whose cards say something else since this was last asked, because what is known of the record has changed. */
  changed(): readonly string[] {
    const isPutBack = this.#deps.isPutBack?.() === true;
    if (isPutBack === this.#wasPutBack) return [];
    this.#wasPutBack = isPutBack;
    const waiting = this.#deps.store.read.tasksInStates(NOT_HANDED_OUT);
    return waiting.filter(({ seq, direction }) => direction !== 'outgoing' && seq <= this.#newest.taskSeq).map(({ id }) => id);
  }
}
