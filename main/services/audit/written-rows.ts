// Which rows of the audit this process wrote: all after the one that was the last when it started, each right behind the one before. A record
// that holds others, or ends before them, was changed by another program meanwhile. Kept in memory only, where no program that writes the
// database can reach, and in bounded space: the last row vouches, by its chain, for all before it.
import type { AppendedRow, AuditPosition } from '../../ports/audit.ts';
import { WRITTEN_ROWS_MAX } from './limits.ts';

/** `added`: a row that this process did not write. `changed`: another row than the one it wrote, or that it found there. */
export interface ForeignRow {
  readonly seq: number;
  readonly kind: 'added' | 'changed';
}

export class WrittenRows {
  /** Of the newest rows that are not signed: says which one of them was changed, where the last one says only that one was. */
  readonly #chains = new Map<number, Uint8Array>();
  #last: AuditPosition | undefined;
  #foreign: ForeignRow | null = null;

  /** @param start the last row as this process starts; absent: nothing is known of who writes this record, and no row is foreign */
  constructor(start?: AuditPosition) {
    this.#last = start;
  }

  /** The number of the last row that this process wrote, or found there as it started; 0: it knows of none. */
  get lastSeq(): number {
    return this.#last?.seq ?? 0;
  }

  /** The first that this process came upon as it wrote the next row, which then stands behind it; null: none. */
  get foreign(): ForeignRow | null {
    return this.#foreign;
  }

  /** A row that this process wrote is durable; in the order in which they were written. */
  add({ seq, chain, previous }: AppendedRow): void {
    if (this.#last !== undefined) this.#foreign ??= foreignBetween(this.#last, previous);
    this.#last = { seq, chain };
    // A number that was given again is one whose first row was taken away: it is the first that has to be there.
    if (!this.#chains.has(seq)) this.#chains.set(seq, chain);
    const [oldest] = this.#chains.keys();
    if (this.#chains.size > WRITTEN_ROWS_MAX && oldest !== undefined) this.#chains.delete(oldest);
  }

  /** What a row that is there shows by itself: that it comes after all that this process wrote, or in the place of one it remembers. */
  judge({ seq, chain }: AuditPosition): ForeignRow | null {
    if (this.#last === undefined) return null;
    if (seq > this.#last.seq) return { seq, kind: 'added' };
    const known = seq === this.#last.seq ? this.#last.chain : this.#chains.get(seq);
    return known === undefined || Buffer.compare(known, chain) === 0 ? null : { seq, kind: 'changed' };
  }

  /** Rows up to this one are signed: the signature remembers them. */
  forgetUpTo(seq: number): void {
    for (const known of this.#chains.keys()) if (known <= seq) this.#chains.delete(known);
  }

  /** The owner said that the record is meant as it was then. @param since what this process wrote since */
  startAgain(since: WrittenRows): void {
    this.#chains.clear();
    for (const [seq, chain] of since.#chains) this.#chains.set(seq, chain);
    this.#last = since.#last;
    this.#foreign = since.#foreign;
  }
}

/** @param last the last row that this process knows of @param previous the one it then found at the end */
function foreignBetween(last: AuditPosition, previous: AuditPosition): ForeignRow | null {
  if (previous.seq > last.seq) return { seq: last.seq + 1, kind: 'added' };
  if (previous.seq < last.seq) return { seq: previous.seq + 1, kind: 'changed' };
  return Buffer.compare(previous.chain, last.chain) === 0 ? null : { seq: last.seq, kind: 'changed' };
}
