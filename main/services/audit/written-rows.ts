// The rows of the audit that this process wrote since they were last signed: a record that holds others in their places, or ends before them,
// was changed by another program meanwhile. Kept in memory only, where no program that writes the database can reach.
import type { AuditPosition } from '../../ports/audit.ts';
import { WRITTEN_ROWS_MAX } from './limits.ts';

export class WrittenRows {
  readonly #chains = new Map<number, Uint8Array>();
  #last = 0;
  #twice: number | null = null;

  /** The highest number of a row that is remembered; 0: none is. */
  get lastSeq(): number {
    return this.#last;
  }

  /** The first number that was written twice, because the row that had it was taken away between; null: none was. */
  get twice(): number | null {
    return this.#twice;
  }

  add({ seq, chain }: AuditPosition): void {
    const known = this.#chains.get(seq);
    if (known !== undefined && Buffer.compare(known, chain) !== 0) this.#twice ??= seq;
    else this.#chains.set(seq, chain);
    this.#last = Math.max(this.#last, seq);
    const [oldest] = this.#chains.keys();
    if (this.#chains.size > WRITTEN_ROWS_MAX && oldest !== undefined) this.#chains.delete(oldest);
  }

  /** Whether another row than the one this process wrote has that number; false where it wrote none, or does not remember it. */
  isOther(seq: number, chain: Uint8Array): boolean {
    const known = this.#chains.get(seq);
    return this.#twice === seq || (known !== undefined && Buffer.compare(known, chain) !== 0);
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
    this.#twice = null;
  }
}
