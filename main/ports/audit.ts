// What the store keeps of the audit log: rows that are only ever added, each chained to the one
// before, and signatures over that chain. The storage keeps and walks them; what a row that does
// not fit means, and who signs, is a service's business.

export interface AuditRow {
  /** From 1, without a gap: a number that was given once is never given again. */
  readonly seq: number;
  /** Wall clock, ms since 1970; null where no time stands, as another program may have left it. */
  readonly at: number | null;
  /**
   * ms on the clock of the process that wrote it, which nobody can set; null where none stands, as
   * above.
   */
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
export type NewAuditRow = Omit<AuditRow, 'seq' | 'at' | 'monotonicMs' | 'rule'> & {
  readonly at: number;
  readonly rule?: string | null;
};

/** A row as it is chained. */
export interface ChainedAuditRow extends AuditRow {
  /**
   * SHA-256 over the chain of the row before and the bytes of every column of this one; read,
   * whatever bytes stand there.
   */
  readonly chain: Uint8Array;
}

/** A place in the chain; number 0 with CHAIN_START is before the first row. */
export interface AuditPosition {
  readonly seq: number;
  readonly chain: Uint8Array;
}

/**
 * The highest number of a row, or of a signature: one each millisecond would take nine thousand
 * years. What another program stores under a higher one, or one below 1, is no part of the log:
 * nothing reads it.
 */
export const AUDIT_NUMBER_MAX = 281_474_976_710_655;

export const CHAIN_START: AuditPosition = { seq: 0, chain: new Uint8Array(32) };

/** `missing`: there is no row of this number. `changed`: the row does not fit its chain. */
interface AuditMismatch {
  readonly seq: number;
  readonly kind: 'missing' | 'changed';
}

/** One signature over the chain up to a row, and with it over every row before. */
export interface AuditSignatureRow {
  /**
   * Rises with each signature; kept in the key vault too, so that an older copy of the database
   * shows.
   */
  readonly counter: number;
  /** The counter of the signature before; 0 for the first. */
  readonly previous: number;
  readonly seq: number;
  readonly chain: Uint8Array;
  readonly at: number;
  /** The public key it is to be checked with, hex. */
  readonly key: string;
  readonly signature: Uint8Array;
}

/** A row as a walk saw it. */
interface WalkedRow extends AuditPosition {
  readonly action: string;
}

/** No value that stands in a row or a signature is an error: it is to be shown, and named. */
export interface AuditReads {
  /** Newest first. */
  audit(page: { readonly limit: number; readonly beforeSeq?: number }): readonly AuditRow[];
  /** Oldest first: rows after `afterSeq` up to `upToSeq`. */
  auditAfter(afterSeq: number, upToSeq: number, limit: number): readonly ChainedAuditRow[];
  /** How many rows there are after that one. */
  auditCountAfter(seq: number): number;
  /**
   * What the chain of that row comes to, by what stands in it and in the row before; undefined: no
   * row of that number.
   */
  auditChainAt(seq: number): Uint8Array | undefined;
  /**
   * The newest row, and the highest number that was ever given to one: higher when the newest rows
   * were taken away. The next row is chained to what stands in this one, or as the first is where
   * that is no chain.
   */
  auditHead(): AuditPosition & { readonly issuedSeq: number };
  /**
   * Recomputes the chain over at most `limit` rows after `from`, up to `upToSeq`, and stops at the
   * first that does not fit. The position is that of the last row that fits. `look` is given each
   * row that fits.
   */
  walkAudit(
    from: AuditPosition,
    upToSeq: number,
    limit: number,
    look?: (row: WalkedRow) => void,
  ): { readonly position: AuditPosition; readonly mismatch: AuditMismatch | null };
  /**
   * In the order of their counters, after `afterCounter`. Of `previous`, `seq` and `at` one that no
   * hub writes is MAX_SAFE_INTEGER, which none signs; so with `lastAuditSignature`.
   */
  auditSignatures(afterCounter: number, limit: number): readonly AuditSignatureRow[];
  lastAuditSignature(): AuditSignatureRow | undefined;
}

export interface AuditWrites {
  /**
   * @returns where it stands, once its commit is durable @throws AppError storage_failed where no
   * number is left
   */
  appendAudit(row: NewAuditRow): AuditPosition;
  /** Throws StoreConflict unless its `previous` is the newest counter. */
  insertAuditSignature(row: AuditSignatureRow): void;
}
