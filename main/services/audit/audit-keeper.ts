// Signs the audit at intervals, and knows whether this database is the newest one this hub had: each seal is counted, and the count is kept
// in the key vault as well. A database that counts less was put back from an older copy; then no rule acts until the owner has said so, and none
// acts while the last seal is not this hub's, or what was added since does not fit its chain. Never signs such a chain unasked, and never holds
// the key.
import type { RecordState } from '../../../preload/contract/audit.ts';
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import { CHAIN_START, type AuditFlaw, type AuditPosition, type AuditReads, type AuditSealRow } from '../../ports/audit.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { CounterMark, RollbackCounter } from '../../ports/rollback-counter.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { IdentityService } from '../identity.ts';
import { COUNT_PAUSE_MAX_MS, SEAL_INTERVAL_MS, SEAL_ROWS_MAX, STOP_COUNT_MAX_MS, WALK_ROWS_MAX } from './limits.ts';
import { META_DATABASE_ID, sealChecker, sealMessage } from './seal.ts';

export interface AuditKeeperDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: Pick<IdentityService, 'ready' | 'keyHex' | 'sign' | 'counter'>;
  /** Told when the state changed. */
  readonly onState: () => void;
}

/** Who says that this record is meant. */
export interface Confirmer {
  readonly actor: string;
  readonly surface: string;
}

type Doubt = Exclude<RecordState, 'current' | 'unchecked'>;

/** `unsigned`: the last seal, up to this row, is none that this hub made. */
type Flaw = AuditFlaw | { readonly seq: number; readonly kind: 'unsigned' };

/** How far the chain fits, and what does not. */
interface Walked {
  readonly position: AuditPosition;
  readonly flaw: Flaw | null;
}

/** Which doubt the audit has a row about, so that it has one only. */
const META_NOTED_DOUBT = 'audit_doubt';

export class AuditKeeper {
  readonly #deps: AuditKeeperDeps;
  #state: RecordState = 'unchecked';
  /** The highest count the vault is known to hold; undefined: it takes none now, and then nothing is signed. */
  #kept: CounterMark | undefined;
  /** Monotonic: not before then is the vault asked to take a count, so that no prompt of it comes up every minute. */
  #countAgainMs = -Infinity;
  /** How often in a row it took none. */
  #refusals = 0;
  #appended = 0;
  #timer: TimerHandle | undefined;
  #running = false;
  /** Ends what waits for the vault when the hub stops. */
  #stopping = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: AuditKeeperDeps) {
    this.#deps = deps;
  }

  get state(): RecordState {
    return this.#state;
  }

  /** False until this database is known to be the newest and to fit, or its owner said that it is meant. */
  get rulesMayAct(): boolean {
    return this.#state === 'current';
  }

  /** The count that the vault holds, for a check; null while it is not known, higher than any where it is of another database. */
  get keptCount(): number | null {
    if (this.#kept === undefined) return null;
    return this.#kept.databaseId === this.databaseId ? this.#kept.value : Number.POSITIVE_INFINITY;
  }

  get databaseId(): string {
    return this.#deps.store.read.getMeta(META_DATABASE_ID) ?? '';
  }

  /** Begins to sign at intervals. Idempotent. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#stopping = new AbortController();
    this.#arm();
  }

  /** The identity is there, or a person unlocked the vault: compares the database with the count there. Never rejects. */
  async check(signal: AbortSignal): Promise<void> {
    if (this.#refusals > 0) this.#countAgainMs = -Infinity;
    this.#refusals = 0;
    await this.#next(() => this.#check(signal));
  }

  /** A row was added: many in a short time are signed without waiting for the interval. */
  appended(): void {
    this.#appended += 1;
    if (this.#appended < SEAL_ROWS_MAX || !this.#running) return;
    this.#appended = 0;
    void this.seal();
  }

  /** Signs what was added since the last seal. Never rejects. */
  async seal(): Promise<void> {
    await this.#next(() => this.#seal());
  }

  /** Signs what is left, counts it, and ends. Idempotent, never rejects. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#timer?.cancel();
    this.#stopping.abort();
    await this.seal();
    const late = new AbortController();
    const timer = this.#deps.clock.setTimer(STOP_COUNT_MAX_MS, () => late.abort());
    await this.#next(() => this.#raise(late.signal));
    timer.cancel();
  }

  /**
   * The owner says that this record is meant, as it is. The doubt stays while the vault does not keep the count.
   * @throws AppError conflict when there is no doubt, or one more than was shown; identity_locked, storage_failed when the count was not kept
   */
  async confirm(by: Confirmer): Promise<void> {
    await this.#nextOrThrow(() => this.#confirm(by));
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
      this.#kept = read.mark;
      if (read.mark.databaseId !== this.databaseId) return this.#doubt('other_database');
      return read.mark.value > own ? this.#doubt('older_copy') : this.#isNewest();
    }
    if (own > 0 || read.state === 'damaged') return this.#doubt('counter_lost');
    await this.#isNewest();
    if (this.rulesMayAct) await this.#count(counter, 0, signal);
  }

  /** The count raises no doubt; the seal that says it, and what was added since, must fit as well. */
  async #isNewest(): Promise<void> {
    const { flaw } = await this.#walk();
    if (flaw === null) this.#is('current');
    else await this.#doubt('broken', flaw);
  }

  async #doubt(why: Doubt, flaw: Flaw | null = null): Promise<void> {
    const { store, clock, log } = this.#deps;
    const counted = store.read.lastAuditSeal()?.counter ?? 0;
    const kept = this.#kept?.value ?? null;
    const about = { why, counted, kept, ...flawDetail(flaw) };
    log.warn('the record is in doubt, and no rule acts', about);
    this.#is(why);
    const noted = `${why} ${counted} ${kept}`;
    if (store.read.getMeta(META_NOTED_DOUBT) === noted) return;
    await store.write((tables) => {
      tables.setMeta(META_NOTED_DOUBT, noted);
      const detail = JSON.stringify(about);
      const row = { at: clock.wallMs(), actor: 'hub', surface: 'hub', object: 'audit', digest: null, detail };
      tables.appendAudit({ ...row, action: 'audit.doubted' });
    });
  }

  async #confirm({ actor, surface }: Confirmer): Promise<void> {
    const { store, clock, identity } = this.#deps;
    const why = this.#state;
    if (why === 'current' || why === 'unchecked') {
      throw new AppError('conflict', 'There is nothing to confirm: this record is in no doubt.', { failedBy: 'input' });
    }
    const { flaw } = await this.#walk();
    if (flaw !== null && why !== 'broken') {
      await this.#doubt('broken', flaw);
      throw new AppError('conflict', 'Rows or signatures of this record were changed or removed as well.', {
        failedBy: 'input',
        hint: 'Check the record to see which, then confirm it once more.',
      });
    }
    const own = store.read.lastAuditSeal()?.counter ?? 0;
    const kept = this.#kept?.value ?? 0;
    const value = Math.max(own, kept) + 1;
    // The count first: one that is ahead of the seals only makes the doubt stay, a seal ahead of its count would end it unseen.
    if (identity.counter !== undefined) await this.#keep(identity.counter, value, this.#stopping.signal);
    await store.write((tables) => {
      const detail = JSON.stringify({ why, counted: own, kept, ...flawDetail(flaw) });
      tables.appendAudit({ at: clock.wallMs(), actor, surface, action: 'audit.confirmed', object: 'audit', digest: null, detail });
      this.#insertSeal(tables, tables.auditHead(), value);
    });
    this.#is('current');
  }

  async #seal(): Promise<void> {
    const { store, identity, clock } = this.#deps;
    if (this.#state !== 'current' || !identity.ready) return;
    const { position, flaw } = await this.#walk();
    if (flaw !== null) return this.#doubt('broken', flaw);
    // Where a count is kept at all, the first seal waits until it can be: a seal without one would later look like a lost count.
    if (identity.counter !== undefined && this.#kept === undefined) {
      if (clock.monotonicMs() < this.#countAgainMs) return;
      await this.#count(identity.counter, store.read.lastAuditSeal()?.counter ?? 0, this.#stopping.signal);
      if (this.#kept === undefined) return;
    }
    const last = store.read.lastAuditSeal();
    if (position.seq <= (last?.seq ?? 0)) return;
    await store.write((tables) => this.#insertSeal(tables, position, (last?.counter ?? 0) + 1));
  }

  /** The place that the last seal covers: only a seal that this hub made says what was counted, and nobody else can make one. */
  #sealedEnd(): Walked {
    const { store, identity } = this.#deps;
    const seal = store.read.lastAuditSeal();
    if (seal === undefined) return { position: CHAIN_START, flaw: null };
    const isOwn = sealChecker(this.databaseId, identity.keyHex)(seal);
    if (isOwn) return sealedRow(store.read, seal);
    return { position: { seq: seal.seq, chain: seal.chain }, flaw: { seq: seal.seq, kind: 'unsigned' } };
  }

  /** The chain from the last seal to its end. */
  async #walk(): Promise<Walked> {
    const { read } = this.#deps.store;
    const { issuedSeq } = read.auditHead();
    let walked = this.#sealedEnd();
    while (walked.flaw === null && walked.position.seq < issuedSeq) {
      walked = read.walkAudit(walked.position, issuedSeq, WALK_ROWS_MAX);
      await nextTurn();
    }
    return walked;
  }

  #insertSeal(tables: Tables, { seq, chain }: AuditPosition, counter: number): void {
    const { clock, identity } = this.#deps;
    const previous = tables.lastAuditSeal()?.counter ?? 0;
    assert(counter > previous, 'a count only rises');
    const seal = { counter, previous, seq, chain, at: Math.round(clock.wallMs()), key: identity.keyHex };
    tables.insertAuditSeal({ ...seal, signature: identity.sign(sealMessage(this.databaseId, seal)) });
  }

  /** Brings the vault's count up to the newest seal. */
  async #raise(signal: AbortSignal): Promise<void> {
    const { identity, store } = this.#deps;
    if (this.#state !== 'current' || !identity.ready || identity.counter === undefined) return;
    const { flaw } = this.#sealedEnd();
    if (flaw !== null) return this.#doubt('broken', flaw);
    const own = store.read.lastAuditSeal()?.counter ?? 0;
    if (this.#kept !== undefined && this.#kept.value >= own) return;
    await this.#count(identity.counter, own, signal);
  }

  /** A count that is behind loses nothing: a refusal is logged. Never rejects. */
  async #count(counter: RollbackCounter, value: number, signal: AbortSignal): Promise<void> {
    await this.#keep(counter, value, signal).catch((error: unknown) => {
      this.#deps.log.warn('the count of the audit was not kept', { error: error instanceof Error ? error.message : 'unknown' });
    });
  }

  /** @throws AppError identity_locked, storage_failed when the vault did not take it */
  async #keep(counter: RollbackCounter, value: number, signal: AbortSignal): Promise<void> {
    const mark: CounterMark = { databaseId: this.databaseId, value };
    try {
      await counter.write(mark, signal);
      this.#kept = mark;
      this.#refusals = 0;
    } catch (cause) {
      this.#refusals += 1;
      if (cause instanceof AppError) throw cause;
      throw new AppError('identity_locked', 'The key vault did not keep the count of this record.', {
        hint: 'Unlock the keychain of this computer, then try again.',
        cause,
      });
    } finally {
      const pauseMs = Math.min(SEAL_INTERVAL_MS * 2 ** Math.max(0, this.#refusals - 1), COUNT_PAUSE_MAX_MS);
      this.#countAgainMs = this.#deps.clock.monotonicMs() + pauseMs;
    }
  }

  async #tick(): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#stopping;
    await this.#next(() => this.#check(signal));
    await this.seal();
    if (clock.monotonicMs() >= this.#countAgainMs) await this.#next(() => this.#raise(signal));
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
    await this.#nextOrThrow(work).catch((error: unknown) => {
      this.#deps.log.error('the audit was not signed', { error: error instanceof Error ? error.message : 'unknown' });
    });
  }

  #nextOrThrow(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/** Whether the row that a good seal covers is there, and is the one that was signed. */
function sealedRow(reads: AuditReads, { seq, chain }: AuditSealRow): Walked {
  const position = { seq, chain };
  const head = reads.auditHead();
  if (head.seq < seq) return { position: head, flaw: { seq: head.seq + 1, kind: 'missing' } };
  const [row] = reads.auditAfter(seq - 1, seq, 1);
  if (row === undefined) return { position, flaw: { seq, kind: 'missing' } };
  return { position, flaw: Buffer.compare(row.chain, chain) === 0 ? null : { seq, kind: 'changed' } };
}

function flawDetail(flaw: Flaw | null): { readonly row?: number; readonly flaw?: string } {
  return flaw === null ? {} : { row: flaw.seq, flaw: flaw.kind };
}
