// Which requests people were asked about without a sound, and have not been called for yet, as it stands in the store's meta: written with the
// commit that asks, taken out once they were called. So a hub that is started anew calls for those and for no others. What cannot be read counts
// as none.
import type { Reads, Tables } from '../../ports/store.ts';

const META_NAME = 'attention.owed';

/** The ids of their approvals, the oldest first. */
export function owedSounds(reads: Pick<Reads, 'getMeta'>): readonly string[] {
  return (reads.getMeta(META_NAME) ?? '').split(' ').filter((id) => id !== '');
}

/** People are asked about it in this commit, without a sound. Those that wait for nobody any more are forgotten: never more stay than may wait. */
export function oweSound(tables: Tables, approvalId: string): void {
  const owed = owedSounds(tables).filter((id) => id !== approvalId && tables.approval(id)?.state === 'pending');
  tables.setMeta(META_NAME, [...owed, approvalId].join(' '));
}

/** They were called for it. */
export function soundMade(tables: Tables, approvalId: string): void {
  const owed = owedSounds(tables);
  if (owed.includes(approvalId)) tables.setMeta(META_NAME, owed.filter((id) => id !== approvalId).join(' '));
}
