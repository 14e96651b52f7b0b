// What the store forgets, a part of its port: the words of what ended long ago. Ids, digests, ends,
// answers to ids, the audit, rules and peers are no words, and there is no way to remove them. How
// long something is kept is a service's business.

/**
 * `tasks`: the words of ended tasks and of their approvals; the rows stay. `messages` (with
 * conversations that have none left), `deliveries`, `outbox`, `feed`: whole rows.
 */
export type KeptKind = 'tasks' | 'messages' | 'deliveries' | 'outbox' | 'feed';

/** How far the rows of a kind were looked through, in the order of their end. */
export interface PurgePlace {
  /** Wall clock, ms since 1970. */
  readonly at: number;
  readonly seq: number;
}

export interface PurgeOrder {
  readonly kind: KeptKind;
  /** Of the tasks only what programs asked a person for themselves. */
  readonly isPermissions?: boolean;
  /** What ended before this is removed. Wall clock, ms since 1970, as `at`. */
  readonly before: number;
  /** null: from the oldest. */
  readonly after: PurgePlace | null;
  /** Rows that are looked at. */
  readonly limit: number;
  /** When this is done. */
  readonly at: number;
}

export interface PurgeOutcome {
  readonly removed: number;
  /** The rows that were; of `outbox`, which has no numbers, none. */
  readonly seqs: readonly number[];
  /** Where to go on; null when nothing of this kind is left to be looked at. */
  readonly next: PurgePlace | null;
}

export interface RetentionWrites {
  /**
   * Looks at some of what ended before a time and removes of it what nothing open, waiting,
   * undelivered or untold needs.
   */
  purge(order: PurgeOrder): PurgeOutcome;
  /**
   * Removes what was said in one conversation. Returns the number of messages; null, and nothing is
   * removed, while something of it is open, waiting, undelivered or untold. @param at when this is
   * done
   */
  purgeConversation(conversationId: string, at: number): number | null;
}

/** Whether the words of a task were removed. */
export function isTaskPurged({ payload }: { readonly payload: string }): boolean {
  return payload === '';
}

/** Whether the words of an approval were removed; one that waits without any was damaged. */
export function isApprovalPurged({
  view,
  state,
}: {
  readonly view: string;
  readonly state: string;
}): boolean {
  return view === '' && state !== 'pending';
}
