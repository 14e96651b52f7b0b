// What the store keeps of the audit: rows that are only ever added, each chained to the one before, and seals, the signatures over that
// chain. The storage keeps and walks them; what a flaw means, and who signs, is a service's business.

export interface AuditRow {
  /** From 1, without a gap: a number that was given once is never given again. */
  readonly seq: number;
  /** Wall clock, ms since 1970; null where no time stands, as another program may have left it. */
  readonly at: number | null;
  /** ms on the clock of the process that wrote it, which nobody can set; null in rows from before it was written down, or as above. */
  readonly monotonicMs: number | null;
  readonly actor: string;
  readonly surface: string;
  readonly action: string;
  readonly object: string;
  /** The rule that decided, when one did. */
  readonly rule: string | null;
  /** hex SHA-256 of what was decided about. */
  readonly digest: string | null;
  /** JSON text. */
  readonly detail: string;
}

/** The storage gives the number and the monotonic time. */
export type NewAuditRow = Omit<AuditRow, 'seq' | 'at' | 'monotonicMs' | 'rule'> & { readonly at: number; readonly rule?: string | null };

/** A row as it is chained. */
export interface ChainedAuditRow extends AuditRow {
  /** SHA-256 over the chain of the row before and the bytes of every column of this one; read, whatever bytes stand there. */
  readonly chain: Uint8Array;
}

/** A place in the chain; number 0 with CHAIN_START is before the first row. */
export interface AuditPosition {
  readonly seq: number;
  readonly chain: Uint8Array;
}

/**
 * The highest number of a row, or of a signature: one each millisecond would take nine thousand years. What stands under a higher one, or one
 * below 1, was put there by another program, and leaves the numbers of this one to it.
 */
export const AUDIT_NUMBER_MAX = 281_474_976_710_655;

export const CHAIN_START: AuditPosition = { seq: 0, chain: new Uint8Array(32) };

/** `missing`: no row of this number, nor of those up to where the gap ends. `changed`: the row does not fit its chain. */
export interface AuditFlaw {
  readonly seq: number;
  readonly kind: 'missing' | 'changed';
  /** What the chain comes to with what stands there: another one as soon as that, or anything before it, is changed once more. */
  readonly chain: Uint8Array;
  /** Of rows that are missing with a row behind them; absent: `changed`, or nothing stands there. */
  readonly gap?: {
    readonly toSeq: number;
    /** The row behind goes on from the one before, as where an end was cut off before that was written. Else nothing here vouches for it. */
    readonly isContinued: boolean;
  };
}

/** One signature over the chain up to a row, and with it over every row before. */
export interface AuditSealRow {
  /** Rises with each seal; kept in the key vault too, so that an older copy of the database shows. */
  readonly counter: number;
  /** The counter of the seal before; 0 for the first. */
  readonly previous: number;
  readonly seq: number;
  readonly chain: Uint8Array;
  readonly at: number;
  /** The public key it is to be checked with, hex. */
  readonly key: string;
  readonly signature: Uint8Array;
}

/** Where a row was put. */
export interface AppendedRow extends AuditPosition {
  /** The row that was the last one until then. */
  readonly previous: AuditPosition;
}

/** A row as a walk saw it. */
export interface WalkedRow extends AuditPosition {
  readonly action: string;
  readonly detail: string;
}

/** What stands in a row, of which nothing is believed: whoever can write the database may have put any value there. */
export interface KeptRow {
  /** null: no time. */
  readonly at: number | null;
  readonly chain: Uint8Array | null;
}

/** What stands below number 1 or above AUDIT_NUMBER_MAX, where this program writes nothing: rows and seals of another program. */
export interface OutsideRows {
  readonly rows: number;
  readonly seals: number;
  /** Of the first rows, in decimal digits. */
  readonly numbers: readonly string[];
  /** Comes of how many there are and of the bytes of the first ones: another one as soon as any of that is changed. */
  readonly chain: Uint8Array;
}

/** No value that stands in a row or a seal is an error: it is to be shown, and named. Rows and seals are those from 1 to AUDIT_NUMBER_MAX. */
export interface AuditReads {
  /** Newest first. */
  audit(page: { readonly limit: number; readonly beforeSeq?: number }): readonly AuditRow[];
  /** Oldest first: rows after `afterSeq` up to `upToSeq`. */
  auditAfter(afterSeq: number, upToSeq: number, limit: number): readonly ChainedAuditRow[];
  /** The number of the last row before that one; 0: none. */
  auditSeqBefore(seq: number): number;
  /** Undefined: no row of that number. */
  auditKept(seq: number): KeptRow | undefined;
  /**
   * The newest row, and the highest number that was ever given to one: higher when the newest rows were taken away. The next row is chained to
   * what stands in this one, or as the first is where that is no chain.
   */
  auditHead(): AuditPosition & { readonly issuedSeq: number };
  /**
   * Recomputes the chain over at most `limit` rows after `from`, up to `upToSeq`, and stops at the first that does not fit. The position is
   * that of the last row that fits, `after` where what comes behind the flaw is to be walked on from: a row behind a gap that does not go on from
   * the one before is passed over, for the flaw's chain covers it; a gap that reaches further than `upToSeq` is walked on from there. `look` is
   * given each row that fits.
   */
  walkAudit(
    from: AuditPosition,
    upToSeq: number,
    limit: number,
    look?: (row: WalkedRow) => void,
  ): { readonly position: AuditPosition; readonly flaw: AuditFlaw | null; readonly after: AuditPosition };
  /**
   * In the order of their counters, after `afterCounter`. Of `previous`, `seq` and `at` one that no hub writes is MAX_SAFE_INTEGER, which none
   * signs; so with `lastAuditSeal`.
   */
  auditSeals(afterCounter: number, limit: number): readonly AuditSealRow[];
  lastAuditSeal(): AuditSealRow | undefined;
  /**
   * null: nothing, as it should be. Asked before any walk. @param limit of the rows and of the seals that are looked at
   * @throws AppError storage_failed where the rows or the seals have no numbers of their own any more
   */
  auditOutside(limit: number): OutsideRows | null;
}

export interface AuditWrites {
  /**
   * @param onDurable called once, as soon as the commit with the row is durable and before anybody is answered; never when it was refused
   * @returns where it stands, once its commit is durable @throws AppError storage_failed where no number is left
   */
  appendAudit(row: NewAuditRow, onDurable?: (row: AppendedRow) => void): AppendedRow;
  /** Throws StoreConflict unless its `previous` is the newest counter. */
  insertAuditSeal(row: AuditSealRow): void;
}
