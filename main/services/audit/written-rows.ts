// The rows of the audit that this process wrote since they were last signed: a record that holds others in their places, or ends before them,
// was changed by another program meanwhile. Kept in memory only, where no program that writes the database can reach.
import type { AuditPosition } from '../../ports/audit.ts';
import { WRITTEN_ROWS_MAX } from './limits.ts';

export class WrittenRows {
  readonly #chains = new Map<number, Uint8Array>();
  #last = 0;

  /** The highest number of a row that is remembered; 0: none is. */
  get lastSeq(): number {
    return this.#last;
  }

  add({ seq, chain }: AuditPosition): void {
    // A number that was given again is one whose first row was taken away: it is the first that has to be there.
    if (!this.#chains.has(seq)) this.#chains.set(seq, chain);
    this.#last = Math.max(this.#last, seq);
    const [oldest] = this.#chains.keys();
    if (this.#chains.size > WRITTEN_ROWS_MAX && oldest !== undefined) this.#chains.delete(oldest);
  }

  /** Whether another row than the one this process wrote has that number; false where it wrote none, or does not remember it. */
  isOther(seq: number, chain: Uint8Array): boolean {
    const known = this.#chains.get(seq);
    return known !== undefined && Buffer.compare(known, chain) !== 0;
  }

  /** Rows up to this one are signed: the signature remembers them. */
  forgetUpTo(seq: number): void {
    for (const known of this.#chains.keys()) if (known <= seq) this.#chains.delete(known);
    if (this.#chains.size === 0) this.#last = 0;
  }

  /** The owner said that the record is meant as it is. */
  forgetAll(): void {
    this.#chains.clear();
    this.#last = 0;
  }
}
