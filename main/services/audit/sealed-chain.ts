// The audit's chain as this process knows it: up to which row a seal of this hub covers it, how it goes on from there, and the rows and the
// seal that this process wrote itself: where they are not, or others are, something was taken away or put there meanwhile. Decides nothing
// about a flaw.
import { assert } from '../../lib/assert.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import { CHAIN_START, type AuditPosition, type AuditReads, type WalkedRow } from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { IdentityService } from '../identity.ts';
import type { AddedRows } from './added-rows.ts';
import { chainFlaw, falseWord, isAmong, outsidePlace, type ChainFlaw, type Found } from './found.ts';
import { OUTSIDE_MAX, WALK_ROWS_MAX, WALK_SEALS_MAX } from './limits.ts';
import { META_DATABASE_ID, sealChecker, sealMessage } from './seal.ts';
import { meantBy, OWNERS_WORD, sealedRow, sealsUpTo, type SealedEnd } from './sealed-row.ts';
import { WrittenRows } from './written-rows.ts';

/** The last row of the audit, and the highest number that was ever given to one. */
export type AuditHead = ReturnType<AuditReads['auditHead']>;

/** How far the chain fits, and all that shows there: the first place that does not fit, and every row that another program added. */
export interface Walked {
  readonly position: AuditPosition;
  readonly found: Found;
}

export interface SealedChainDeps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly identity: Pick<IdentityService, 'keyHex' | 'sign'>;
}

export class SealedChain {
  /** What this process wrote for good. */
  readonly written: WrittenRows;
  /** The count of the newest seal that this process made or found good. */
  sealed = 0;
  /** What stands under numbers that no hub gives and the owner has meant, so that their words are not looked for at every walk. */
  #meantOutside: ChainFlaw | undefined;
  readonly #deps: SealedChainDeps;

  constructor(deps: SealedChainDeps) {
    this.#deps = deps;
    this.written = new WrittenRows(deps.store.read.auditHead());
  }

  get databaseId(): string {
    return this.#deps.store.read.getMeta(META_DATABASE_ID) ?? '';
  }

  /** Every row that another program added since this process started, up to the end as it is now. */
  get added(): AddedRows {
    return this.written.added(this.#deps.store.read.auditHead().seq);
  }

  /** The place that the last seal covers: only a seal that this hub made says what was counted, and nobody else can make one. */
  sealedEnd(): SealedEnd {
    const { store, identity } = this.#deps;
    const seal = store.read.lastAuditSeal();
    const position: AuditPosition = seal === undefined ? CHAIN_START : { seq: seal.seq, chain: seal.chain };
    if ((seal?.counter ?? 0) < this.sealed) return { position, flaw: { seq: position.seq, kind: 'seal_missing' } };
    if (seal === undefined) return { position, flaw: null };
    const isOwn = sealChecker(this.databaseId, identity.keyHex)(seal);
    return isOwn ? sealedRow(store.read, seal) : { position, flaw: { seq: seal.seq, kind: 'unsigned' } };
  }

  /**
   * The chain from the last seal to its end, in which the rows that this process wrote must stand, and since its start no others; and
   * nothing under numbers that no hub gives.
   */
  async walk(): Promise<Walked> {
    const outside = await this.#outside();
    const { position, found } = await this.#walk(this.sealedEnd(), this.written);
    return { position, found: outside === null ? found : { ...found, flaws: [outside, ...found.flaws] } };
  }

  /** The chain from what once was its end, in which the rows that this process wrote since must stand, and no others. */
  walkFrom({ issuedSeq: seq, chain }: AuditHead, since: WrittenRows): Promise<Walked> {
    return this.#walk({ position: { seq, chain }, flaw: null }, since);
  }

  async #walk(from: SealedEnd, written: WrittenRows): Promise<Walked> {
    const { read } = this.#deps.store;
    const end = Math.max(read.auditHead().issuedSeq, written.lastSeq);
    let walked = from;
    const seen: { wrong: ChainFlaw | null } = { wrong: null };
    const look = (row: WalkedRow): void => {
      // A word of the owner is signed as it is written: one that is not is nobody's.
      if (row.action === OWNERS_WORD) seen.wrong ??= falseWord(row);
      // Whatever stands in the place of a row that this process wrote, it is that one that is gone.
      if (written.isOther(row)) seen.wrong ??= { seq: row.seq, kind: 'changed' };
    };
    while (walked.flaw === null && seen.wrong === null && walked.position.seq < end) {
      const { position, flaw } = read.walkAudit(walked.position, end, WALK_ROWS_MAX, look);
      walked = { position, flaw: flaw === null ? null : chainFlaw(flaw) };
      await nextTurn();
    }
    // What was come upon while writing, and fits, shows by nothing else.
    const { changed } = written;
    const flaw: ChainFlaw | null = seen.wrong ?? walked.flaw ?? (changed === null ? null : { seq: changed, kind: 'changed' });
    // Right now, not as the walk began: what is signed next stands no later than this.
    const added = written.added(read.auditHead().seq);
    return { position: walked.position, found: { flaws: flaw === null ? [] : [flaw], added } };
  }

  /** What stands under numbers that no hub gives and nobody has meant, as the signed words of the owner say; null: nothing. */
  async #outside(): Promise<ChainFlaw | null> {
    const { store, identity } = this.#deps;
    const outside = store.read.auditOutside(OUTSIDE_MAX);
    if (outside === null) return null;
    const flaw = outsidePlace(outside);
    if (this.#meantOutside !== undefined && isAmong(flaw, [this.#meantOutside])) return null;
    const isRight = sealChecker(this.databaseId, identity.keyHex);
    let looked = 0;
    for (const seal of sealsUpTo(store.read, store.read.lastAuditSeal()?.counter ?? 0)) {
      if (isAmong(flaw, meantBy(store.read, seal, isRight))) {
        this.#meantOutside = flaw;
        return null;
      }
      looked += 1;
      if (looked % WALK_SEALS_MAX === 0) await nextTurn();
    }
    return flaw;
  }

  /** Signs the chain up to there. Its count is `sealed` once the commit is durable, which the caller says. */
  insertSeal(tables: Tables, { seq, chain }: AuditPosition, counter: number): void {
    const { clock, identity } = this.#deps;
    const previous = tables.lastAuditSeal()?.counter ?? 0;
    assert(counter > previous, 'a count only rises');
    const seal = { counter, previous, seq, chain, at: Math.round(clock.wallMs()), key: identity.keyHex };
    tables.insertAuditSeal({ ...seal, signature: identity.sign(sealMessage(this.databaseId, seal)) });
  }
}
