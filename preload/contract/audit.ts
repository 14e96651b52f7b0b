// The audit log, as it crosses a process boundary. Same conventions as dto.ts. Imports types
// only.
import type { StoryDto } from './story.ts';

/**
 * `unchecked`: the log has not been compared with the counter in the key vault yet. `ok`: it fits.
 * `tampered`: a row does not fit; no rule acts and every request is asked until the owner
 * acknowledges that. `restored`: this is an older copy, another database, or its counter is gone;
 * the hub is locked until the owner confirms the restore. The hub is locked while `unchecked`, too.
 */
export type AuditState = 'unchecked' | 'ok' | 'tampered' | 'restored';

export interface AuditRowDto {
  readonly seq: number;
  /** Wall clock, ms since 1970; null where no time stands, as another program may have left it. */
  readonly at: number | null;
  /** ms on the clock of the process that wrote it; null where none stands, as above. */
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
  /** In a list, of a row about a request that is on record; absent: it is about none. */
  readonly request?: AuditRequestDto;
}

/** Where the conversation of a request is, at that request, and how it stands. */
export interface AuditRequestDto {
  readonly conversation_id: string;
  readonly message_id: string;
  readonly story: StoryDto;
}

/**
 * `changed`: the row does not fit its chain. `missing`: it was removed or moved. `rechained`: the
 * rows from `row` to `up_to` fit each other but not the signature over them. `signature`: the
 * signature over those rows was changed or removed. `older_copy`: the log holds fewer signatures
 * than the key vault counted; `row` is its last one. `unreadable`: the log could not be read.
 */
export type TamperKind =
  'changed' | 'missing' | 'rechained' | 'signature' | 'older_copy' | 'unreadable';

/** The first row of the log that does not fit. What stands behind it is vouched for by nothing. */
export interface TamperFindingDto {
  readonly kind: TamperKind;
  readonly row: number;
  readonly up_to: number;
  /** How many rows followed it when it was found. */
  readonly following: number;
}

/**
 * A finding that the owner has acknowledged: a new signed stretch begins with `acknowledged_row`.
 */
export interface AcknowledgedFindingDto {
  readonly row: number;
  readonly acknowledged_row: number;
  readonly at: number | null;
  readonly by: string;
}

export interface AuditCheckDto {
  readonly state: 'none' | 'running' | 'done' | 'cancelled' | 'failed';
  /** Rows to check, and those that were. */
  readonly rows: number;
  readonly checked: number;
  /** Up to which row the log is signed; 0: not at all. */
  readonly signed_seq: number;
  readonly signatures: number;
  /** False when the key vault could not be asked whether this is the newest copy. */
  readonly counted: boolean;
  readonly finished_at: number | null;
  /** `done` and null: nothing was changed, removed or moved but what was acknowledged. */
  readonly finding: TamperFindingDto | null;
  readonly acknowledged: readonly AcknowledgedFindingDto[];
  /** `failed`: why. */
  readonly problem: string | null;
}
