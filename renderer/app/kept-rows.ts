// The rows of a list that is read anew: those that are over keep their place for as long as the
// page is open, so that no other row slides under the pointer of whoever has just ended one. Pure.

/** A row, and whether what it stands for has ended since it was listed. */
export interface KeptRow<T> {
  readonly item: T;
  readonly over: boolean;
}

/** What was shown, in its order, each with its newest state; then what has come since. */
export function keepRows<T extends { readonly id: string }>(
  shown: readonly KeptRow<T>[],
  listed: readonly T[],
): readonly KeptRow<T>[] {
  const left = new Map(listed.map((item) => [item.id, item]));
  const kept = shown.map(({ item: before }) => {
    const item = left.get(before.id);
    left.delete(before.id);
    return { item: item ?? before, over: item === undefined };
  });
  return [...kept, ...[...left.values()].map((item) => ({ item, over: false }))];
}

/**
 * The same rows, of which that one is over: before the list that will tell so is read anew, nobody
 * can end it once more.
 */
export function endRow<T extends { readonly id: string }>(
  shown: readonly KeptRow<T>[],
  id: string,
): readonly KeptRow<T>[] {
  return shown.map((row) => (row.item.id === id ? { ...row, over: true } : row));
}
