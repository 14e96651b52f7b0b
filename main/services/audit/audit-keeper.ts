// Signs the audit at intervals, and knows whether this database is the newest one this hub had: each seal is counted, and the count is kept
// in the key vault as well. A database that counts less was put back from an older copy; then no rule acts until the owner has said so.
// Never signs a chain that does not fit, and never holds the key.
import type { RecordState } from '../../../preload/contract/audit.ts';
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import { CHAIN_START, type AuditPosition, type AuditSealRow } from '../../ports/audit.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { CounterMark, RollbackCounter } from '../../ports/rollback-counter.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { IdentityService } from '../identity.ts';
import { SEAL_INTERVAL_MS, SEAL_ROWS_MAX, STOP_COUNT_MAX_MS, WALK_ROWS_MAX } from './limits.ts';
import { sealMessage } from './seal.ts';

export interface AuditKeeperDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: Pick<IdentityService, 'ready' | 'keyHex' | 'sign' | 'counter'>;
  /** Told when the state changed. */
  readonly onState: () => void;
}

/** Who says that the older record is meant. */
export interface Confirmer {
  readonly actor: string;
  readonly surface: string;
}

type Doubt = Exclude<RecordState, 'current' | 'unchecked'>;

const META_DATABASE_ID = 'database_id';
/** Which doubt the audit has a row about, so that it has one only. */
const META_NOTED_DOUBT = 'audit_doubt';

export class AuditKeeper {
  readonly #deps: AuditKeeperDeps;
  #state: RecordState = 'unchecked';
  /** The highest count the vault is known to hold; undefined: it takes none now, and then nothing is signed. */
  #kept: CounterMark | undefined;
  #lastRaisedMs = -Infinity;
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

  /** False until this database is known to be the newest, or its owner said that it is meant. */
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
    this.#running = true;
    this.#stopping = new AbortController();
    this.#arm();
  }

  /** Compares the database with the count in the vault, once the identity is there. Never rejects. */
  async check(signal: AbortSignal): Promise<void> {
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

  /** The owner says that this record is meant, older as it is. @throws AppError conflict when there is no doubt, identity_locked */
  async confirm(by: Confirmer): Promise<void> {
    await this.#nextOrThrow(() => this.#confirm(by));
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { identity, store, log } = this.#deps;
    if (this.#state !== 'unchecked' || !identity.ready) return;
    const { counter } = identity;
    if (counter === undefined) return this.#is('current');
    const read = await counter.read(signal);
    if (read.state === 'locked') {
      log.warn('the count of the audit cannot be read now', { reason: read.reason });
      return;
    }
    const own = store.read.lastAuditSeal()?.counter ?? 0;
    if (read.state === 'found') {
      this.#kept = read.mark;
      if (read.mark.databaseId !== this.databaseId) return this.#doubt('other_database', own);
      return read.mark.value > own ? this.#doubt('older_copy', own) : this.#is('current');
    }
    if (own > 0 || read.state === 'damaged') return this.#doubt('counter_lost', own);
    this.#is('current');
    await this.#count(counter, 0, signal);
  }

  async #doubt(why: Doubt, own: number): Promise<void> {
    const { store, clock, log } = this.#deps;
    const kept = this.#kept?.value ?? null;
    log.warn('the record is not the newest this hub had', { why, counted: own, kept });
    this.#is(why);
    const noted = `${why} ${own} ${kept}`;
    if (store.read.getMeta(META_NOTED_DOUBT) === noted) return;
    await store.write((tables) => {
      tables.setMeta(META_NOTED_DOUBT, noted);
      const detail = JSON.stringify({ why, counted: own, kept });
      tables.appendAudit({
        at: clock.wallMs(),
        actor: 'hub',
        surface: 'hub',
        action: 'audit.doubted',
        object: 'audit',
        digest: null,
        detail,
      });
    });
  }

  async #confirm({ actor, surface }: Confirmer): Promise<void> {
    const { store, clock, identity } = this.#deps;
    const why = this.#state;
    if (why === 'current' || why === 'unchecked') {
      throw new AppError('conflict', 'There is nothing to confirm: no older record was put back.', { failedBy: 'input' });
    }
    const own = store.read.lastAuditSeal()?.counter ?? 0;
    const kept = this.#kept?.value ?? 0;
    const seal = await store.write((tables) => {
      const detail = JSON.stringify({ why, counted: own, kept });
      tables.appendAudit({ at: clock.wallMs(), actor, surface, action: 'audit.confirmed', object: 'audit', digest: null, detail });
      return this.#insertSeal(tables, tables.auditHead(), Math.max(own, kept) + 1);
    });
    this.#is('current');
    if (identity.counter !== undefined) await this.#count(identity.counter, seal.counter, this.#stopping.signal);
  }

  async #seal(): Promise<void> {
    const { store, identity, log } = this.#deps;
    if (this.#state !== 'current' || !identity.ready) return;
    // Where a count is kept at all, the first seal waits until it can be: a seal without one would later look like a lost count.
    if (identity.counter !== undefined && this.#kept === undefined) {
      await this.#count(identity.counter, store.read.lastAuditSeal()?.counter ?? 0, this.#stopping.signal);
      if (this.#kept === undefined) return;
    }
    const head = store.read.auditHead();
    const last = store.read.lastAuditSeal();
    if (head.seq <= (last?.seq ?? 0)) return;
    const position = await this.#walk(last ?? CHAIN_START, head.issuedSeq);
    if (position === undefined) {
      log.error('the audit does not fit its chain and is not signed', { after: last?.seq ?? 0 });
      return;
    }
    await store.write((tables) => this.#insertSeal(tables, position, (last?.counter ?? 0) + 1));
  }

  /** The end of the chain, checked from the last seal on; undefined when something does not fit. */
  async #walk(from: AuditPosition, upToSeq: number): Promise<AuditPosition | undefined> {
    let position: AuditPosition = { seq: from.seq, chain: from.chain };
    while (position.seq < upToSeq) {
      const walked = this.#deps.store.read.walkAudit(position, upToSeq, WALK_ROWS_MAX);
      if (walked.flaw !== null) return undefined;
      ({ position } = walked);
      await nextTurn();
    }
    return position;
  }

  #insertSeal(tables: Tables, { seq, chain }: AuditPosition, counter: number): AuditSealRow {
    const { clock, identity } = this.#deps;
    const previous = tables.lastAuditSeal()?.counter ?? 0;
    assert(counter > previous, 'a count only rises');
    const seal = { counter, previous, seq, chain, at: Math.round(clock.wallMs()), key: identity.keyHex };
    const signed = { ...seal, signature: identity.sign(sealMessage(this.databaseId, seal)) };
    tables.insertAuditSeal(signed);
    return signed;
  }

  /** Brings the vault's count up to the newest seal. */
  async #raise(signal: AbortSignal): Promise<void> {
    const { identity, store } = this.#deps;
    if (this.#state !== 'current' || !identity.ready || identity.counter === undefined) return;
    const own = store.read.lastAuditSeal()?.counter ?? 0;
    if (this.#kept !== undefined && this.#kept.value >= own) return;
    await this.#count(identity.counter, own, signal);
  }

  async #count(counter: RollbackCounter, value: number, signal: AbortSignal): Promise<void> {
    const mark: CounterMark = { databaseId: this.databaseId, value };
    try {
      await counter.write(mark, signal);
      this.#kept = mark;
    } catch (error) {
      this.#deps.log.warn('the count of the audit was not kept', { error: error instanceof Error ? error.message : 'unknown' });
    }
    this.#lastRaisedMs = this.#deps.clock.monotonicMs();
  }

  async #tick(): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#stopping;
    await this.check(signal);
    await this.seal();
    if (clock.monotonicMs() - this.#lastRaisedMs >= SEAL_INTERVAL_MS) await this.#next(() => this.#raise(signal));
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
