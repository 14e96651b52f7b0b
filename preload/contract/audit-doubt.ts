// What a row about a doubt names, read from its detail: for whoever tells it to a person. Pure; what is none names nothing.

export interface NamedInDoubt {
  /** From and to, both included. */
  readonly added: readonly (readonly [number, number])[];
  /** Rows beside those. */
  readonly addedMore: number;
  /** Rows at which something does not fit. */
  readonly flaws: readonly number[];
}

/** All that the row names, or the one place that there is. @param detail of an `audit.doubted` or `audit.confirmed` */
export function namedInDoubt(detail: unknown): NamedInDoubt {
  const facts = new Map(typeof detail === 'object' && detail !== null ? Object.entries(detail) : []);
  const [row, flaw, more] = [facts.get('row'), facts.get('flaw'), facts.get('added_more')];
  const added = listsIn(facts.get('added')).flatMap(([from, to]) =>
    typeof from === 'number' && typeof to === 'number' ? [[from, to] as const] : [],
  );
  const flaws = listsIn(facts.get('flaws')).flatMap(([seq]) => (typeof seq === 'number' ? [seq] : []));
  const alone = flaws.length === 0 && typeof flaw === 'string' && flaw !== 'added' ? [typeof row === 'number' ? row : 0] : flaws;
  return { added, addedMore: typeof more === 'number' ? more : 0, flaws: alone };
}

function listsIn(value: unknown): readonly (readonly unknown[])[] {
  return Array.isArray(value) ? value.filter((item): item is readonly unknown[] => Array.isArray(item)) : [];
}
