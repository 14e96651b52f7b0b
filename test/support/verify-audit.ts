// The whole chain of an audit recomputed in one go, however long, for what looks at a store from
// outside. Changes nothing.
import { CHAIN_START, type AuditReads } from '../../main/ports/audit.ts';

const ROWS_AT_ONCE = 1_000;

/** How many rows there are, and the number of the first that does not fit, or null. */
export function verifyAudit(reads: Pick<AuditReads, 'auditHead' | 'walkAudit'>): {
  readonly rows: number;
  readonly brokenSeq: number | null;
} {
  const { seq: rows, issuedSeq } = reads.auditHead();
  for (let position = CHAIN_START; position.seq < issuedSeq;) {
    const walked = reads.walkAudit(position, issuedSeq, ROWS_AT_ONCE);
    if (walked.mismatch !== null) return { rows, brokenSeq: walked.mismatch.seq };
    ({ position } = walked);
  }
  return { rows, brokenSeq: null };
}
