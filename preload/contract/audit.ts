// The record of who did what, as it crosses a process boundary. Same conventions as dto.ts. Imports nothing.

/**
 * Whether this hub's record is the newest one it had. `unchecked`: the key vault could not be asked yet. `older_copy`: an older copy of the
 * database was put back. `other_database`: another one was put in its place. `counter_lost`: the count that would tell is gone. `broken`: rows
 * since the last signature were changed, removed or added by another program, or that signature is not this hub's, or a check found that of
 * anything before. In any state but `current`
 * no rule acts and every request is asked; the last four end when the owner says that this record is meant.
 */
export type RecordState = 'current' | 'unchecked' | 'older_copy' | 'other_database' | 'counter_lost' | 'broken';

export interface PutBackWithIt {
  /** It waited in a database that was put back, so it may have been done since: no agent is handed it before the owner says that this is meant. */
  readonly may_be_done: boolean;
}

export interface AuditRowDto {
  readonly seq: number;
  /** Wall clock, ms since 1970; null where no time stands, as another program may have left it. */
  readonly at: number | null;
  /** ms on the clock of the process that wrote it; null in rows from before it was kept, or as above. */
  readonly monotonic_ms: number | null;
  /** A token id, a hub's key, an agent, or "hub". */
  readonly actor: string;
  readonly surface: string;
  /** "area.verb". */
  readonly action: string;
  readonly object: string;
  /** The rule that decided, when one did. */
  readonly rule: string | null;
  /** hex SHA-256 of what was decided about. */
  readonly digest: string | null;
  readonly detail: unknown;
}

/**
 * What does not fit. `row_changed`: `seq` is the row. `row_missing`: it is the first of those; the sentence names the last, too. `row_added`:
 * it is none of this hub's, and was put there while the hub ran, or under a number that no hub gives, where `seq` is 0; the sentence names
 * all such rows. `end_missing`: the record was longer; `seq` is the first row that is gone. `chain_remade`: the rows up to `seq` are not the
 * ones that were signed, or written. `seal_changed`, `seal_missing`: a signature; `seq` is the row up to which it was, or says it was.
 * `older_copy`: fewer signatures than the key vault counted; `seq` is the last row that is there.
 */
export type AuditFlawKind =
  'row_changed' | 'row_added' | 'row_missing' | 'end_missing' | 'chain_remade' | 'seal_changed' | 'seal_missing' | 'older_copy';

export interface AuditFlawDto {
  readonly kind: AuditFlawKind;
  readonly seq: number;
  /** Which row, and what that means. */
  readonly sentence: string;
  /** The owner has said that the record is meant in spite of this: it raises no doubt any more, and is named all the same. */
  readonly meant: boolean;
}

export interface AuditCheckDto {
  readonly state: 'none' | 'running' | 'done' | 'cancelled' | 'failed';
  /** Rows to check, and those that were. */
  readonly rows: number;
  readonly checked: number;
  /** Up to which row the record is signed; 0: not at all. */
  readonly signed_seq: number;
  readonly seals: number;
  /** False when the key vault could not be asked whether this is the newest record. */
  readonly counted: boolean;
  readonly finished_at: number | null;
  /** `done` and null: nothing was changed, removed or put elsewhere. Else the first of `flaws` that nobody has meant, or the first where all were. */
  readonly flaw: AuditFlawDto | null;
  /** All that does not fit, by the rows; a check of a record in which very much does not ends before its end. */
  readonly flaws: readonly AuditFlawDto[];
  /** `failed`: why. */
  readonly problem: string | null;
  /** The last time rows were left unsigned; until a check is done, what this start of the hub found. null: never. */
  readonly unsigned_end: UnsignedEndDto | null;
}

/** What nobody had signed yet when the hub ended: that nothing of it was changed or removed until it was, cannot be shown. */
export interface UnsignedEndDto {
  readonly rows: number;
  readonly from_seq: number;
  /** Wall clock of the first of them; null where it cannot be read. */
  readonly from_at: number | null;
  /** How often that happened in all. */
  readonly ends: number;
}
