// Which rows of the audit this process wrote: all after the one that was the last when it started, each right behind the one before. A record
// that holds others, or ends before them, was changed by another program meanwhile. Kept in memory only, where no program that writes the
// database can reach, and in bounded space: the last row vouches, by its chain, for all before it.
import type { AppendedRow, AuditPosition } from '../../ports/audit.ts';
import { NONE_ADDED, withRange, type AddedRows } from './added-rows.ts';
import { WRITTEN_ROWS_MAX } from './limits.ts';

export class WrittenRows {
  /** Of the newest rows that are not signed: says which one of them was changed, where the last one says only that one was. */
  readonly #chains = new Map<number, Uint8Array>();
  #last: AuditPosition | undefined;
  #added: AddedRows = NONE_ADDED;
  #changed: number | null = null;

  /** @param start the last row as this process starts; absent: nothing is known of who writes this record, and no row is foreign */
  constructor(start?: AuditPosition) {
    this.#last = start;
  }

  /** The number of the last row that this process wrote, or found there as it started; 0: it knows of none. */
  get lastSeq(): number {
    return this.#last?.seq ?? 0;
  }

  /** The first row in whose place this process came upon another one, or none, as it wrote the next; null: none. */
  get changed(): number | null {
    return this.#changed;
  }

  /** The rows that another program added: those this process came upon between two of its own, and those that stand behind its last one. */
  added(headSeq: number): AddedRows {
    if (this.#last === undefined || headSeq <= this.#last.seq) return this.#added;
    return withRange(this.#added, { from: this.#last.seq + 1, to: headSeq });
  }

  /** A row that this process wrote is durable; in the order in which they were written. */
  add({ seq, chain, previous }: AppendedRow): void {
    if (this.#last !== undefined) this.#lookBetween(this.#last, previous);
    this.#last = { seq, chain };
    // A number that was given again is one whose first row was taken away: it is the first that has to be there.
    if (!this.#chains.has(seq)) this.#chains.set(seq, chain);
    const [oldest] = this.#chains.keys();
    if (this.#chains.size > WRITTEN_ROWS_MAX && oldest !== undefined) this.#chains.delete(oldest);
  }

  /** Whether a row that is there stands in the place of another one that this process remembers. */
  isOther({ seq, chain }: AuditPosition): boolean {
    const known = seq === this.#last?.seq ? this.#last.chain : this.#chains.get(seq);
    return known !== undefined && Buffer.compare(known, chain) !== 0;
  }

  /** Rows up to this one are signed: the signature remembers them. */
  forgetUpTo(seq: number): void {
    for (const known of this.#chains.keys()) if (known <= seq) this.#chains.delete(known);
  }

  /** The process before this one knew that another program had added these. */
  remember(added: AddedRows): void {
    this.#added = added;
  }

  /** The owner said that the record is meant as it was then. @param since what this process wrote since */
  startAgain(since: WrittenRows): void {
    this.#chains.clear();
    for (const [seq, chain] of since.#chains) this.#chains.set(seq, chain);
    this.#last = since.#last;
    this.#added = since.#added;
    this.#changed = since.#changed;
  }

  /** @param last the last row that this process knows of @param previous the one it then found at the end */
  #lookBetween(last: AuditPosition, previous: AuditPosition): void {
    if (previous.seq > last.seq) this.#added = withRange(this.#added, { from: last.seq + 1, to: previous.seq });
    else if (previous.seq < last.seq) this.#changed ??= previous.seq + 1;
    else if (Buffer.compare(previous.chain, last.chain) !== 0) this.#changed ??= last.seq;
  }
}
