// The owner's word that a record in doubt is meant as it is: a row of it and the seal over that very row, in one commit, counted in the key
// vault before. By that a check tells it from a row that only reads so. Of what comes in once the word is given it signs what this process
// wrote; what comes to light meanwhile is said, not signed.
import { AppError } from '../../lib/app-error.ts';
import { AUDIT_NUMBER_MAX, type AppendedRow, type AuditPosition } from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { CONFIRM_COMMITS_MAX } from './limits.ts';
import { foundDetail, isCovered, isNothing, mergeFlaws, type ChainFlaw, type Found } from './found.ts';
import type { AuditHead, SealedChain } from './sealed-chain.ts';
import { OWNERS_WORD } from './sealed-row.ts';
import { WrittenRows } from './written-rows.ts';

/** Who says that this record is meant. */
export interface Confirmer {
  readonly actor: string;
  readonly surface: string;
}

/** What is confirmed, and the vault that counts it. */
export interface Confirmed {
  /** The doubt that the owner was shown. */
  readonly why: string;
  /** What does not fit, and what of it the owner was shown. */
  readonly held: readonly ChainFlaw[];
  readonly shown: Found;
  /** The highest count that the vault is known to hold. */
  readonly kept: number;
  /** @throws AppError when the vault did not keep that count */
  readonly keep: (count: number) => Promise<void>;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
}

/** What the row of the record says of it. */
type Word = Confirmer & { readonly detail: string };

/** Another row came in between: the chain is to be walked on before it is signed. */
const GREW = Symbol('grew');

export class Confirming {
  readonly #deps: Deps;
  readonly #chain: SealedChain;
  /** What this process wrote since the word was given; absent while none is. */
  #since: WrittenRows | undefined;
  /** The forged count that the owner was told of. */
  #toldCount: number | undefined;

  constructor(deps: Deps, chain: SealedChain) {
    this.#deps = deps;
    this.#chain = chain;
  }

  /** A row that this process wrote is durable. */
  committed(row: AppendedRow): void {
    this.#since?.add(row);
  }

  /**
   * Signs the record as it is, and takes what this process knows of it from there. Returns what nobody has meant yet, and then nothing is
   * signed; null: signed. One at a time.
   * @throws AppError conflict (the owner was not told of a forged count), storage_failed, overloaded, and what `keep` throws
   */
  async run(by: Confirmer, what: Confirmed): Promise<Found | null> {
    const head = this.#deps.store.read.auditHead();
    const since = new WrittenRows(head);
    this.#since = since;
    try {
      return await this.#run(by, what, head, since);
    } finally {
      this.#since = undefined;
    }
  }

  async #run(
    { actor, surface }: Confirmer,
    { why, held, shown, kept, keep }: Confirmed,
    head: AuditHead,
    since: WrittenRows,
  ): Promise<Found | null> {
    const chain = this.#chain;
    const { flaws, added } = (await chain.walk()).found;
    const found: Found = { flaws: mergeFlaws(held, flaws), added };
    if (!isCovered(found, shown)) return found;
    const counted = this.#deps.store.read.lastAuditSeal()?.counter ?? 0;
    const known = Math.max(kept, chain.sealed);
    const count = Math.max(counted, known) + 1;
    if (count > AUDIT_NUMBER_MAX) {
      throw new AppError('storage_failed', 'The count of signatures stands as high as it can: none can be counted above it.', {
        hint: 'Put the data folder back from a copy, then confirm that record.',
      });
    }
    if (flaws.some(({ kind }) => kind === 'unsigned')) this.#tellForgedCount(counted, known);
    // The count first: one that is ahead of the seals only makes the doubt stay, a seal ahead of its count would end it unseen.
    await keep(count);
    const detail = JSON.stringify({ why, counted, kept, ...foundDetail(found) });
    const unmeant = await this.#sign({ actor, surface, detail }, count, head, since);
    if (unmeant !== null) return unmeant;
    chain.sealed = count;
    chain.written.startAgain(since);
    this.#toldCount = undefined;
    return null;
  }

  /** The vault may have taken its time: what was added since is looked at, and signed only as it was seen. */
  async #sign(word: Word, count: number, head: AuditHead, since: WrittenRows): Promise<Found | null> {
    for (let commit = 0; commit < CONFIRM_COMMITS_MAX; commit++) {
      const { position, found } = await this.#chain.walkFrom(head, since);
      if (!isNothing(found)) return found;
      if (await this.#signAt(position, word, count)) return null;
    }
    throw new AppError('overloaded', 'The record grew all the time while it was being signed.', {
      hint: 'Confirm it once more in a minute.',
    });
  }

  /** False, and nothing is written, where that is the end of the record no more. */
  async #signAt({ seq, chain }: AuditPosition, { actor, surface, detail }: Word, count: number): Promise<boolean> {
    const { store, clock } = this.#deps;
    try {
      await store.write((tables) => {
        const end = tables.auditHead();
        if (end.issuedSeq !== seq || Buffer.compare(end.chain, chain) !== 0) throw GREW;
        tables.appendAudit({ at: clock.wallMs(), actor, surface, action: OWNERS_WORD, object: 'audit', digest: null, detail });
        this.#chain.insertSeal(tables, tables.auditHead(), count);
      });
      return true;
    } catch (error) {
      if (error === GREW) return false;
      throw error;
    }
  }

  /**
   * The next seal has to count above every one that is there, and so above one that somebody else wrote: that is no harm to what the count
   * shows, and still nothing that happens before the owner was told.
   */
  #tellForgedCount(forged: number, known: number): void {
    if (forged <= known) return;
    if (this.#toldCount === forged) return;
    this.#toldCount = forged;
    throw new AppError(
      'conflict',
      `A signature that this hub did not make claims to be number ${forged}; the last one this hub made is number ${known}.`,
      {
        failedBy: 'input',
        hint: `Confirm once more, and this hub counts on from ${forged}. Nothing is lost by that: every older copy still counts less.`,
      },
    );
  }
}
