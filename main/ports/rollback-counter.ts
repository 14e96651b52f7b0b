// The one number that is kept outside the database, beside the identity: a database whose own count
// is lower was restored from an older copy.

export interface CounterMark {
  /** Which database counted. */
  readonly databaseId: string;
  readonly value: number;
}

export type CounterRead =
  | { readonly state: 'found'; readonly mark: CounterMark }
  /** It can be read, and nothing was ever kept. */
  | { readonly state: 'absent' }
  /** What is kept is no mark. */
  | { readonly state: 'damaged' }
  /** It cannot be read now. */
  | { readonly state: 'locked'; readonly reason: string };

export interface RollbackCounter {
  /** Never rejects. */
  read(signal: AbortSignal): Promise<CounterRead>;
  /**
   * Replaces what is kept. Throws AppError `identity_locked` or `storage_failed` when it was not
   * kept.
   */
  write(mark: CounterMark, signal: AbortSignal): Promise<void>;
}
