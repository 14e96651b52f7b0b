// The one row that a seal covers: whether it is there as it was signed, and what it says where it is the owner's word. Looks at no other row,
// and changes nothing.
import { CHAIN_START, type AuditPosition, type AuditReads, type AuditSealRow, type WalkedRow } from '../../ports/audit.ts';
import { chainFlaw, markOf, readFound, type ChainFlaw } from './found.ts';
import { WALK_SEALS_MAX } from './limits.ts';

/**
 * The action of the owner's word. It and the seal over it are one commit: a row of that name that no seal covers by itself was put there by
 * another program, whatever signs it later.
 */
export const OWNERS_WORD = 'audit.confirmed';

/** How far the chain fits, and where it does not. */
export interface SealedEnd {
  readonly position: AuditPosition;
  readonly flaw: ChainFlaw | null;
}

/** Whether the row that a good seal covers is there, and is the one that was signed; where not, as a check finds it. */
export function sealedRow(reads: AuditReads, { seq, chain }: AuditSealRow): SealedEnd {
  const position = { seq, chain };
  const head = reads.auditHead();
  if (head.seq < seq) return { position: head, flaw: { seq: head.seq + 1, kind: 'missing', mark: markOf(head.chain) } };
  const kept = reads.auditKept(seq)?.chain ?? null;
  if (kept !== null && Buffer.compare(kept, chain) === 0) return { position, flaw: null };
  const alone = walkRow(reads, seq);
  return { position, flaw: alone.flaw === null ? { seq, kind: 'remade', mark: markOf(alone.position.chain) } : chainFlaw(alone.flaw) };
}

/**
 * What the owner meant by the row that this seal covers. Nothing unless it is a word, comes to the very chain that was signed, and this hub
 * signed that. @param isRight whether this hub made that seal
 */
export function meantBy(reads: AuditReads, seal: AuditSealRow, isRight: (seal: AuditSealRow) => boolean): readonly ChainFlaw[] {
  const { seq, chain } = seal;
  const word = { action: '', detail: '' };
  const { position, flaw } = walkRow(reads, seq, ({ action, detail }) => Object.assign(word, { action, detail }));
  const isSigned = flaw === null && word.action === OWNERS_WORD && Buffer.compare(position.chain, chain) === 0 && isRight(seal);
  return isSigned ? readFound(word.detail).flaws : [];
}

/** All seals up to that count, however many, a page at a time. */
export function* sealsUpTo({ auditSeals }: AuditReads, counter: number): Generator<AuditSealRow> {
  for (let after = 0; ;) {
    const seals = auditSeals(after, WALK_SEALS_MAX).filter((seal) => seal.counter <= counter);
    yield* seals;
    const last = seals.at(-1);
    // They rise, in any table that this program knows.
    if (last === undefined || last.counter <= after) return;
    after = last.counter;
  }
}

/** The row behind the last one that stands before it, whether that fits or not: no other row there comes to a chain that was signed. */
function walkRow(reads: AuditReads, seq: number, look?: (row: WalkedRow) => void): ReturnType<AuditReads['walkAudit']> {
  const last = reads.auditSeqBefore(seq);
  const before = last === 0 ? CHAIN_START : reads.walkAudit({ seq: last - 1, chain: CHAIN_START.chain }, last, 1).after;
  const walked = reads.walkAudit(before, seq, 1, look);
  // What the hub wrote right behind an end that was cut off goes on from there.
  return walked.flaw?.gap?.isContinued === true && walked.after.seq < seq ? reads.walkAudit(walked.after, seq, 1, look) : walked;
}
