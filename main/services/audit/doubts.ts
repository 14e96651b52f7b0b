// What does not fit in the audit and nobody has meant yet, and what of it the record itself has said: one row about each doubt, and another one
// as soon as there is more than the last one named. Remembered over a restart, because the next process cannot see it. Changes no state.
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store } from '../../ports/store.ts';
import { foundDetail, isCovered, mergeFlaws, NOTHING, readFound, type ChainFlaw, type Found } from './found.ts';
import type { SealedChain } from './sealed-chain.ts';

/** Which doubt the audit has a row about: its name, the count of the newest seal and that of the vault, the row, and what that names. */
const META_NOTED_DOUBT = 'audit_doubt';
const NOTED = /^\S+ (\d+) \S+ (?:(\d+) )?(\{.*)$/;

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

export class Doubts {
  readonly #deps: Deps;
  readonly #chain: SealedChain;
  #held: readonly ChainFlaw[] = [];
  #named: Found = NOTHING;
  #shown: Found = NOTHING;
  #rowSeq = 0;

  constructor({ store, clock, log }: Deps, chain: SealedChain) {
    this.#deps = { store, clock, log };
    this.#chain = chain;
    const [, counted, row = '0', named] = NOTED.exec(this.#noted) ?? [];
    if (named === undefined || counted !== String(this.#counted)) return;
    this.#rowSeq = Number(row);
    this.#named = readFound(named);
    this.#shown = this.#named;
    this.#held = this.#named.flaws;
    chain.written.remember(this.#named.added);
  }

  /** Places that do not fit and that nobody has meant yet. */
  get held(): readonly ChainFlaw[] {
    return this.#held;
  }

  /** What the record had named when the owner was last told: only that can be meant. */
  get shown(): Found {
    return this.#shown;
  }

  /** The newest row about the doubt that stands; 0: there is none. */
  get rowSeq(): number {
    return this.#rowSeq;
  }

  /** Rows were added that no row of the record names. */
  get isMoreAdded(): boolean {
    return !isCovered({ flaws: [], added: this.#chain.added }, this.#named);
  }

  /** Whether the record says that about the rows since its newest seal. */
  isNoted(why: string): boolean {
    return this.#noted.startsWith(`${why} ${this.#counted} `);
  }

  hold(flaws: readonly ChainFlaw[]): void {
    this.#held = mergeFlaws(this.#held, flaws);
  }

  /**
   * Has a row say which doubt it is and all that does not fit, unless one that can be shown has said so already.
   * @param kept what the vault counts, where it is known @throws AppError overloaded, storage_failed
   */
  async note(why: string, kept: number | null): Promise<void> {
    const { store, clock, log } = this.#deps;
    const found: Found = { flaws: this.#held, added: this.#chain.added };
    const counted = this.#counted;
    // One that was remembered without a number, or taken away, is none that anybody can be shown.
    const isShowable = this.#rowSeq > 0 && store.read.auditKept(this.#rowSeq) !== undefined;
    const about = { why, counted, kept, ...foundDetail(found, isShowable ? this.#named : NOTHING) };
    log.warn('the record is in doubt, and no rule acts', about);
    const noted = `${why} ${counted} ${kept} `;
    if (isShowable && `${this.#noted} `.startsWith(noted) && isCovered(found, this.#named)) return;
    this.#rowSeq = await store.write((tables) => {
      const detail = JSON.stringify(about);
      const row = { at: clock.wallMs(), actor: 'hub', surface: 'hub', object: 'audit', digest: null, detail };
      const { seq } = tables.appendAudit({ ...row, action: 'audit.doubted' });
      tables.setMeta(META_NOTED_DOUBT, `${noted}${seq} ${JSON.stringify(foundDetail(found))}`);
      return seq;
    });
    this.#named = found;
  }

  /** The owner is told that there is a doubt, or more of it. */
  show(): void {
    this.#shown = this.#named;
  }

  /** The owner has meant all of it. */
  end(): void {
    this.#held = [];
    this.#rowSeq = 0;
    this.#named = NOTHING;
    this.#shown = NOTHING;
  }

  get #noted(): string {
    return this.#deps.store.read.getMeta(META_NOTED_DOUBT) ?? '';
  }

  get #counted(): number {
    return this.#deps.store.read.lastAuditSeal()?.counter ?? 0;
  }
}
