// What does not fit in the audit, place by place: how it is put together, compared with what the owner was shown, and kept as the detail of a
// row. Pure; says nothing of what follows from it.
import { isJsonObject } from '../../lib/json-object.ts';
import { toHex } from '../../lib/bytes.ts';
import type { AuditFlaw, AuditPosition, OutsideRows } from '../../ports/audit.ts';
import { countOf, firstBeside, NONE_ADDED, withRange, type AddedRows } from './added-rows.ts';
import { ADDED_RANGES_MAX, FLAWS_MAX } from './limits.ts';

/** So much of a chain tells one from another. */
const MARK_SIZE_BYTES = 16;
const KINDS = ['missing', 'changed', 'remade', 'unsigned', 'seal_missing', 'outside'] as const;

/**
 * `remade`: the chain up to this row is not the one that was signed. `unsigned`: the seal up to this row is none that this hub made.
 * `seal_missing`: a seal after, or before, the one up to this row is gone. `outside`: rows or seals under numbers that no hub gives; of row 0.
 */
export interface ChainFlaw {
  readonly seq: number;
  readonly kind: (typeof KINDS)[number];
  /** What the chain comes to there, hex and shortened: what was meant was meant as it was. Absent: nothing tells how it was. */
  readonly mark?: string;
}

export interface Found {
  /** By their rows, each once as it was. */
  readonly flaws: readonly ChainFlaw[];
  /** Rows that another program added while the hub ran, and that fit. */
  readonly added: AddedRows;
}

export const NOTHING: Found = { flaws: [], added: NONE_ADDED };

export function isNothing({ flaws, added }: Found): boolean {
  return flaws.length === 0 && countOf(added) === 0;
}

/**
 * Both, by their rows; of one place each way it was, and without a mark only where none says how. So many that more change nothing about what
 * the owner has to do are left out.
 */
export function mergeFlaws(first: readonly ChainFlaw[], then: readonly ChainFlaw[]): readonly ChainFlaw[] {
  const flaws: ChainFlaw[] = [];
  for (const flaw of [...first, ...then]) if (!isAmong(flaw, flaws)) flaws.push(flaw);
  const isSaid = (flaw: ChainFlaw): boolean =>
    flaw.mark === undefined && flaws.some((other) => other.mark !== undefined && isSamePlace(flaw, other));
  return flaws
    .filter((flaw) => !isSaid(flaw))
    .toSorted((one, other) => one.seq - other.seq)
    .slice(0, FLAWS_MAX);
}

/** As the walk found it. */
export function chainFlaw({ seq, kind, chain }: AuditFlaw): ChainFlaw {
  return { seq, kind, mark: markOf(chain) };
}

/** A row that reads like the owner's word, fits, and was not signed as one. */
export function falseWord({ seq, chain }: AuditPosition): ChainFlaw {
  return { seq, kind: 'changed', mark: markOf(chain) };
}

/** Whatever stands under numbers that no hub gives is one place. */
export function outsidePlace({ chain }: OutsideRows): ChainFlaw {
  return { seq: 0, kind: 'outside', mark: markOf(chain) };
}

/** @param chain what it comes to */
export function markOf(chain: Uint8Array): string {
  return toHex(chain.subarray(0, MARK_SIZE_BYTES));
}

/** Whether all of it was named there. */
export function isCovered({ flaws, added }: Found, by: Found): boolean {
  return flaws.every((flaw) => isAmong(flaw, by.flaws)) && countOf(added) <= countOf(by.added);
}

/** Whether that place is one of those, and as it was then: where it has a mark, only the same one will do. */
export function isAmong(flaw: ChainFlaw, flaws: readonly ChainFlaw[]): boolean {
  return flaws.some((other) => isSamePlace(flaw, other) && (flaw.mark === undefined || flaw.mark === other.mark));
}

/** Whatever stands there. */
export function isSamePlace(one: ChainFlaw, other: ChainFlaw): boolean {
  return placeOf(one) === placeOf(other);
}

/** What a row of the record says of it. `row` and `flaw` are the first that was not known. */
export function foundDetail({ flaws, added }: Found, known: Found = NOTHING): Readonly<Record<string, unknown>> {
  const flaw = flaws.find((one) => !isAmong(one, known.flaws));
  const row = firstBeside(added, known.added);
  const first =
    flaw !== undefined && (row === undefined || flaw.seq <= row) ? flaw : row === undefined ? undefined : { seq: row, kind: 'added' };
  const isAllSaid = flaws.length === 0 || (flaws.length === 1 && first === flaw && flaw?.mark === undefined);
  return {
    ...(first === undefined ? {} : { row: first.seq, flaw: first.kind }),
    ...(isAllSaid ? {} : { flaws: flaws.map(({ seq, kind, mark }) => (mark === undefined ? [seq, kind] : [seq, kind, mark])) }),
    ...(added.ranges.length === 0 ? {} : { added: added.ranges.map(({ from, to }) => [from, to]) }),
    ...(added.more === 0 ? {} : { added_more: added.more }),
  };
}

/** @param text such a detail; what is none says nothing */
export function readFound(text: string): Found {
  const detail = objectOf(text);
  if (detail === undefined) return NOTHING;
  const { row, flaw, flaws, added, added_more: more } = detail;
  const told: readonly unknown[] = Array.isArray(flaws) ? flaws : [[row, flaw]];
  const ranges = listsOf(added, ADDED_RANGES_MAX).flatMap(([from, to]) => (isRow(from) && isRow(to) && from <= to ? [{ from, to }] : []));
  return {
    flaws: mergeFlaws(
      listsOf(told, FLAWS_MAX).flatMap(([seq, name, mark]) => {
        const kind = KINDS.find((one) => one === name);
        return isRow(seq) && kind !== undefined ? [{ seq, kind, ...(typeof mark === 'string' ? { mark } : {}) }] : [];
      }),
      [],
    ),
    added: { ...ranges.reduce(withRange, NONE_ADDED), more: isRow(more) ? more : 0 },
  };
}

/** A row and a signature over it are two places, and so is the chain that a signature says. */
function placeOf({ seq, kind }: ChainFlaw): string {
  if (kind === 'remade') return `chain ${seq}`;
  return kind === 'unsigned' || kind === 'seal_missing' ? `seal ${seq}` : `row ${seq}`;
}

function listsOf(value: unknown, max: number): readonly (readonly unknown[])[] {
  if (!Array.isArray(value)) return [];
  const items: readonly unknown[] = value;
  return items.slice(0, max).flatMap((item) => (Array.isArray(item) ? [item] : []));
}

function isRow(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
