// Rows of the audit log in the API's form. What somebody else put there is shown, never guessed at.
// Pure.
import type { AuditRowDto } from '../../../preload/contract/audit.ts';
import type { AuditRow } from '../../ports/audit.ts';

export function auditRowDto(row: AuditRow): AuditRowDto {
  const { seq, at, monotonicMs, actor, surface, action, object, rule, digest } = row;
  return {
    seq,
    at,
    monotonic_ms: monotonicMs,
    actor,
    surface,
    action,
    object,
    rule,
    digest,
    detail: detailOf(row.detail),
  };
}

/** A row that was changed from outside may hold what is no JSON: it is shown as text. */
function detailOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
