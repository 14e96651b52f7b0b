// Signs the audit: soon after what a person did, at intervals all else; and knows whether this database is the newest one this hub had: each
// seal is counted, and the count is kept in the key vault as well. A database that counts less was put back from an older copy; then no rule
// acts until the owner has said so, and none acts while the last seal is not this hub's, or what was added since is not what this hub wrote.
// Never signs such a chain unasked, and never holds the key.
import type { RecordState } from '../../../preload/contract/audit.ts';
import { AppError } from '../../lib/app-error.ts';
import type { AppendedRow } from '../../ports/audit.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { CounterMark } from '../../ports/rollback-counter.ts';
import type { Store } from '../../ports/store.ts';
import type { IdentityService } from '../identity.ts';
import { Confirming, type Confirmer } from './confirming.ts';
import { Doubts } from './doubts.ts';
import { isNothing, type ChainFlaw } from './found.ts';
import { COUNT_SOON_MS, SEAL_INTERVAL_MS, SEAL_ROWS_MAX, SEAL_SOON_MS, STOP_COUNT_MAX_MS, STOP_SEALS_MAX } from './limits.ts';
import { markEnded, markRunning, unsignedDetail, unsignedEnd, unsignedRows, type UnsignedEnd, type UnsignedRows } from './run-mark.ts';
import { SealedChain } from './sealed-chain.ts';
import { VaultCount } from './vault-count.ts';
import type { AuditWatch } from './watched-store.ts';
import type { WrittenRows } from './written-rows.ts';

export interface AuditKeeperDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: Pick<IdentityService, 'ready' | 'keyHex' | 'sign' | 'counter'>;
  /** Told when the state changed. */
  readonly onState: () => void;
}

type Doubt = Exclude<RecordState, 'current' | 'unchecked'>;

/** Where people act: what was done there is signed soon. */
const SURFACES_OF_PEOPLE: readonly string[] = ['window', 'browser', 'command_line'];

export class AuditKeeper implements AuditWatch {
  readonly #deps: AuditKeeperDeps;
  #state: RecordState = 'unchecked';
  readonly #chain: SealedChain;
  readonly #count: VaultCount;
  readonly #confirming: Confirming;
  readonly #doubts: Doubts;
  #words = 0;
  #leftUnsigned: UnsignedRows | null = null;
  #appended = 0;
  #timer: TimerHandle | undefined;
  #soonTimer: TimerHandle | undefined;
  #countTimer: TimerHandle | undefined;
  #raising: Promise<void> | undefined;
  #isCountDue = false;
  #running = false;
  /** Ends what waits for the vault when the hub stops. */
  #stopping = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: AuditKeeperDeps) {
    this.#deps = deps;
    this.#chain = new SealedChain(deps);
    this.#count = new VaultCount(deps);
    this.#confirming = new Confirming(deps, this.#chain);
    this.#doubts = new Doubts(deps, this.#chain);
  }

  get state(): RecordState {
    return this.#state;
  }

  /** False until this database is known to be the newest and to fit, or its owner said that it is meant. */
  get rulesMayAct(): boolean {
    return this.#state === 'current';
  }

  /** How many seals this database must hold, for a check; null while it is not known, higher than any where the vault counts another one. */
  get keptCount(): number | null {
    const { kept } = this.#count;
    if (kept === undefined) return null;
    return kept.databaseId === this.databaseId ? Math.max(kept.value, this.#chain.sealed) : Number.POSITIVE_INFINITY;
  }

  /** What this process wrote. */
  get written(): WrittenRows {
    return this.#chain.written;
  }

  get databaseId(): string {
    return this.#chain.databaseId;
  }

  /** The newest row about the doubt that stands; 0: there is none. */
  get doubtSeq(): number {
    return this.#doubts.rowSeq;
  }

  /** How often the owner has said that this record is meant. */
  get words(): number {
    return this.#words;
  }

  /** What the run before this one left unsigned as it ended; null: nothing. */
  get leftUnsigned(): UnsignedRows | null {
    return this.#leftUnsigned;
  }

  /** Begins to sign, and puts on record how the run before ended. Before anything else is written. Idempotent. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#stopping = new AbortController();
    const { read } = this.#deps.store;
    const [end, left] = [unsignedEnd(read), unsignedRows(read)];
    this.#leftUnsigned = end !== undefined && left.rows > 0 ? left : null;
    void this.#next(() => this.#begin(end, left));
    this.#arm();
  }

  /** The identity is there, or a person unlocked the vault: compares the database with the count there. Never rejects. */
  async check(signal: AbortSignal): Promise<void> {
    this.#count.askAgain();
    await this.#next(() => this.#check(signal));
  }

  /** A row was added: one of what a person did is signed soon, many in a short time at once. */
  appended(surface: string): void {
    this.#appended += 1;
    if (!this.#running) return;
    if (SURFACES_OF_PEOPLE.includes(surface)) this.#sealSoon();
    if (this.#appended < SEAL_ROWS_MAX) return;
    this.#appended = 0;
    void this.seal();
  }

  committed(row: AppendedRow): void {
    this.#chain.written.add(row);
    this.#confirming.committed(row);
  }

  /**
   * A check of the whole record found something. Never rejects.
   * @param flaws that nobody has meant yet @param words how often the owner had said that it is meant as the check began: one that a word came
   * into says what was, and not what is
   */
  async suspect(flaws: readonly ChainFlaw[], words: number): Promise<void> {
    await this.#next(async () => {
      if (words !== this.#words) return;
      this.#doubts.hold(flaws);
      // Any other doubt goes first, and what is held then is said when the owner wants to end that.
      if (this.#state === 'current' || this.#state === 'broken') await this.#doubtWhatShows();
    });
  }

  /** A check of the whole record came to no end, because it cannot be read. Never rejects. @param words as with `suspect` */
  async unread(words: number): Promise<void> {
    await this.#next(async () => {
      if (words === this.#words && this.#state === 'current') await this.#doubt('broken');
    });
  }

  /** Signs what was added since the last seal. Never rejects. */
  async seal(): Promise<void> {
    await this.#next(() => this.#seal());
  }

  /** Signs what is left, counts it, and ends. Idempotent, never rejects. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    for (const timer of [this.#timer, this.#soonTimer, this.#countTimer]) timer?.cancel();
    this.#soonTimer = undefined;
    this.#countTimer = undefined;
    this.#stopping.abort();
    await this.#raising;
    await this.#next(() => this.#end());
    const late = new AbortController();
    const timer = this.#deps.clock.setTimer(STOP_COUNT_MAX_MS, () => late.abort());
    await this.#raiseOnce(late.signal).catch((error: unknown) => this.#unsigned(error));
    timer.cancel();
  }

  /**
   * The owner says that this record is meant, as it is. The doubt stays while the vault does not keep the count.
   * Where there is more than was shown it stays in the doubt that it is in: what waits until a database that was put back is meant waits on.
   * @param seen the newest row about the doubt that the owner has read; 0: none
   * @throws AppError conflict when there is no doubt, or another row about it, or none that was read, or more than was shown, as
   * what was added while the vault was asked; identity_locked, storage_failed when the count was not kept; overloaded
   */
  async confirm(by: Confirmer, seen: number): Promise<void> {
    await this.#nextOrThrow(() => this.#confirm(by, seen));
  }

  async #begin(end: UnsignedEnd | undefined, left: UnsignedRows): Promise<void> {
    const { store, clock, log } = this.#deps;
    if (end !== undefined) log.warn('how the hub ended before', { action: end, unsigned_rows: left.rows });
    await store.write((tables) => {
      markRunning(tables);
      if (end === undefined) return;
      const row = { at: clock.wallMs(), actor: 'hub', surface: 'hub', object: 'hub', digest: null, detail: unsignedDetail(left) };
      tables.appendAudit({ ...row, action: end });
    });
  }

  /** Signs until nothing is left, what was written behind included, and marks whether that came about. */
  async #end(): Promise<void> {
    const { store } = this.#deps;
    for (let round = 0; round < STOP_SEALS_MAX; round++) {
      // A commit takes along what nobody waits for.
      await store.write(() => undefined);
      await this.#seal().catch((error: unknown) => this.#unsigned(error));
      if (this.#state !== 'current' || unsignedRows(store.read).rows === 0) break;
    }
    await store.write(markEnded);
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { identity, store, log } = this.#deps;
    if (this.#state !== 'unchecked' || !identity.ready) return;
    const { counter } = identity;
    if (counter === undefined) return this.#isNewest();
    const read = await counter.read(signal);
    if (read.state === 'locked') {
      log.warn('the count of the audit cannot be read now', { reason: read.reason });
      return;
    }
    const own = store.read.lastAuditSeal()?.counter ?? 0;
    if (read.state === 'found') {
      this.#count.wasRead(read.mark);
      if (read.mark.databaseId !== this.databaseId) return this.#doubt('other_database');
      return read.mark.value > own ? this.#doubt('older_copy') : this.#isNewest();
    }
    if (own > 0 || read.state === 'damaged') return this.#doubt('counter_lost');
    await this.#isNewest();
    if (this.rulesMayAct) await this.#count.raise(counter, this.#mark(0), signal);
  }

  /** The count raises no doubt; the seal that says it, and what was added since, must fit as well. */
  async #isNewest(): Promise<void> {
    if (await this.#doubtWhatShows()) return;
    // What only the run before could see goes on until the owner has said that it is meant, which is signed and counted.
    if (this.#doubts.isNoted('broken')) return this.#doubt('broken');
    const { read } = this.#deps.store;
    this.#chain.sealed = read.lastAuditSeal()?.counter ?? 0;
    this.#is('current');
    if (unsignedRows(read).rows > 0) this.#sealSoon();
  }

  /** Raises a doubt where something does not fit, or is held against this record. @returns whether it did */
  async #doubtWhatShows(): Promise<boolean> {
    const { found } = await this.#chain.walk();
    if (isNothing(found) && this.#doubts.held.length === 0) return false;
    await this.#doubt('broken', found.flaws);
    return true;
  }

  async #doubt(why: Doubt, flaws: readonly ChainFlaw[] = []): Promise<void> {
    this.#doubts.hold(flaws);
    this.#is(why);
    await this.#doubts.note(why, this.#count.kept?.value ?? null);
    this.#doubts.show();
  }

  async #confirm(by: Confirmer, seen: number): Promise<void> {
    const { identity } = this.#deps;
    const why = this.#state;
    if (why === 'current' || why === 'unchecked') {
      throw new AppError('conflict', 'There is nothing to confirm: this record is in no doubt.', { failedBy: 'input' });
    }
    if (seen < 1 || seen !== this.#doubts.rowSeq) {
      // Where none could be written, as on a full disk, or it was taken away, it is now, to be read.
      await this.#doubt(why);
      throw new AppError('conflict', 'Another row of this record says by now what is in doubt.', {
        failedBy: 'input',
        hint: 'Read the newest row about it, then confirm it once more.',
      });
    }
    const keep = async (count: number): Promise<void> => {
      if (identity.counter !== undefined) await this.#count.keep(identity.counter, this.#mark(count), this.#stopping.signal);
    };
    const { held, shown } = this.#doubts;
    const kept = this.#count.kept?.value ?? 0;
    const unmeant = await this.#confirming.run(by, { why, held, shown, kept, keep });
    if (unmeant !== null) {
      await this.#doubt(why, unmeant.flaws);
      throw new AppError('conflict', 'Rows or signatures of this record were changed, removed or added as well.', {
        failedBy: 'input',
        hint: 'Check the record to see which, then confirm it once more.',
      });
    }
    this.#words += 1;
    this.#doubts.end();
    this.#is('current');
  }

  async #seal(): Promise<void> {
    const { store, identity } = this.#deps;
    // What is added to a record in doubt is not signed, and is named before this process forgets it; the owner is told when they want to mean it.
    if (this.#state === 'broken' && this.#doubts.isMoreAdded) return this.#doubts.note('broken', this.#count.kept?.value ?? null);
    if (this.#state !== 'current' || !identity.ready) return;
    const { position, found } = await this.#chain.walk();
    if (!isNothing(found)) return this.#doubt('broken', found.flaws);
    // Where a count is kept at all, the first seal waits until it can be: a seal without one would later look like a lost count.
    if (identity.counter !== undefined && this.#count.kept === undefined) {
      if (this.#count.waitMs(SEAL_INTERVAL_MS) > 0) return;
      await this.#count.raise(identity.counter, this.#mark(this.#chain.sealed), this.#stopping.signal);
      if (this.#count.kept === undefined) return;
    }
    const last = store.read.lastAuditSeal();
    if (position.seq <= (last?.seq ?? 0)) return;
    const counter = (last?.counter ?? 0) + 1;
    await store.write((tables) => this.#chain.insertSeal(tables, position, counter));
    this.#chain.sealed = counter;
    this.#chain.written.forgetUpTo(position.seq);
  }

  #mark(value: number): CounterMark {
    return { databaseId: this.databaseId, value };
  }

  #sealSoon(): void {
    if (!this.#running) return;
    this.#soonTimer ??= this.#deps.clock.setTimer(SEAL_SOON_MS, () => {
      this.#soonTimer = undefined;
      void this.seal().then(() => this.#countSoon());
    });
  }

  /** Has the vault count what was signed, now or as soon as it may be asked; what is signed until then is counted with it. */
  #countSoon(): void {
    if (!this.#running || this.#countTimer !== undefined) return;
    this.#isCountDue = this.#raising !== undefined;
    const waitMs = this.#count.waitMs(COUNT_SOON_MS);
    // What the vault refused is asked again at the interval, or once a person unlocked it.
    if (this.#isCountDue || waitMs > COUNT_SOON_MS) return;
    this.#countTimer = this.#deps.clock.setTimer(waitMs, () => {
      this.#countTimer = undefined;
      this.#raise();
    });
  }

  /** Beside the signing: a vault that takes its time, or waits for a person, holds no signature up. */
  #raise(): void {
    if (!this.#running) return;
    this.#raising ??= this.#raiseOnce(this.#stopping.signal)
      .catch((error: unknown) => this.#unsigned(error))
      .finally(() => {
        this.#raising = undefined;
        if (this.#isCountDue) this.#countSoon();
      });
  }

  /** Brings the vault's count up to the newest seal. */
  async #raiseOnce(signal: AbortSignal): Promise<void> {
    const { identity, store } = this.#deps;
    if (this.#state !== 'current' || !identity.ready || identity.counter === undefined) return;
    const { flaw } = this.#chain.sealedEnd();
    if (flaw !== null) return this.#next(() => this.#doubt('broken', [flaw]));
    const own = store.read.lastAuditSeal()?.counter ?? 0;
    const { kept } = this.#count;
    if (kept !== undefined && kept.value >= own) return;
    await this.#count.raise(identity.counter, this.#mark(own), signal);
  }

  async #tick(): Promise<void> {
    await this.#next(() => this.#check(this.#stopping.signal));
    await this.seal();
    if (this.#count.waitMs(SEAL_INTERVAL_MS) === 0) this.#raise();
    this.#arm();
  }

  #arm(): void {
    if (!this.#running) return;
    this.#timer?.cancel();
    this.#timer = this.#deps.clock.setTimer(SEAL_INTERVAL_MS, () => void this.#tick());
  }

  #is(state: RecordState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#deps.onState();
  }

  /** One thing at a time; a failure is logged and stops nothing that comes after. */
  async #next(work: () => Promise<void>): Promise<void> {
    await this.#nextOrThrow(work).catch((error: unknown) => this.#unsigned(error));
  }

  #unsigned(error: unknown): void {
    this.#deps.log.error('the audit was not signed', { error: error instanceof Error ? error.message : 'unknown' });
  }

  #nextOrThrow(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}
