// The audit log as one part: it is compared with the counter in the key vault and checked when the
// hub starts, signed while the hub runs, checked as a whole and exported when a person asks. Each
// signature is counted, and the count is kept in the key vault as well: a database that counts less
// is an older copy. A log that does not fit is not signed until the owner has acknowledged that.
// Never holds the key.
import type {
  AuditCheckDto,
  AuditRowDto,
  AuditState,
  TamperFindingDto,
} from '../../../preload/contract/audit.ts';
import type { Items, TextPiece } from '../../../preload/contract/results.ts';
import { type AppError, inputError, messageOf } from '../../lib/app-error.ts';
import { SerialQueue } from '../../lib/serial-queue.ts';
import type { AuditPosition } from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { CounterMark } from '../../ports/rollback-counter.ts';
import type { Store, Tables } from '../../ports/store.ts';
import { META_IDENTITY_KEY, type IdentityService } from '../base/identity.ts';
import { pageOf, type Page } from '../base/paging.ts';
import { ACKNOWLEDGED, AuditCheck, LogWalk, readFinding, type SignedPlace } from './audit-check.ts';
import { exportPiece, type AuditFormat } from './audit-export.ts';
import { auditRowDto } from './audit-rows.ts';
import { STOP_COUNT_MAX_MS } from './limits.ts';
import { META_DATABASE_ID, signedMessage } from './signature.ts';
import { Signer } from './signer.ts';
import { VaultCount } from './vault-count.ts';
import { auditRow, type Actor } from '../base/audit-trail.ts';

interface AuditDeps {
  /** A watched one, which tells `appended`. */
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: Pick<IdentityService, 'ready' | 'keyHex' | 'sign' | 'counter'>;
  /** Told when the state or the finding changed. */
  readonly onState: () => void;
}

type Detail = Readonly<Record<string, string | number | null>>;
type RestoredReason = 'older_copy' | 'other_database' | 'counter_lost';

const BY_HUB: Actor = { actor: 'hub', surface: 'hub' };
/** The finding that nobody has acknowledged yet, over restarts. */
const META_FINDING = 'audit_finding';
/**
 * Whether the hub that had this database last ended in order: whoever can write the database can
 * write this, too.
 */
const META_RUN = 'audit_run';

export class Audit {
  readonly #deps: AuditDeps;
  readonly #count: VaultCount;
  readonly #signer: Signer;
  readonly #check: AuditCheck;
  #state: AuditState = 'unchecked';
  #lockedBecause: string | null = null;
  #restoredBecause: RestoredReason | undefined;
  #finding: TamperFindingDto | null = null;
  /** The newest signature that this process made or found good. */
  #signed: SignedPlace | undefined;
  #acknowledgements = 0;
  #running = false;
  readonly #queue = new SerialQueue();

  constructor(deps: AuditDeps) {
    const { store, clock, log, identity } = deps;
    this.#deps = deps;
    this.#count = new VaultCount(clock);
    this.#signer = new Signer({
      clock,
      log,
      identity,
      count: this.#count,
      sign: () => this.sign(),
      mark: () => this.#mark(),
    });
    this.#check = new AuditCheck({
      store,
      clock,
      databaseId: () => this.#databaseId,
      keyHex: () => this.#keyHex(),
      keptCount: () => this.#keptCount(),
    });
  }

  get state(): AuditState {
    return this.#state;
  }

  /**
   * Why the counter in the vault cannot be read now; null when it can, or was not asked for yet.
   */
  get lockedBecause(): string | null {
    return this.#lockedBecause;
  }

  /** The first row that does not fit, where nobody has acknowledged it yet. */
  get finding(): TamperFindingDto | null {
    return this.#finding;
  }

  /**
   * False while the hub is locked: the log was not compared with the vault yet, or its owner has to
   * confirm that it was restored.
   */
  get isOpen(): boolean {
    return this.#state === 'ok' || this.#state === 'tampered';
  }

  get rulesMayAct(): boolean {
    return this.#state === 'ok';
  }

  /** The rows, the newest first. @throws AppError bad_request for a cursor that is none of ours */
  list(page: Page): Items<AuditRowDto> {
    return pageOf(page, (rows) => this.#deps.store.read.audit(rows), auditRowDto);
  }

  /** A row was added; its commit may yet fail. */
  appended(surface: string): void {
    this.#signer.appended(surface);
  }

  /**
   * Begins to sign, and writes down that the run before ended without order. Before anything else
   * is written. Idempotent.
   */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#next(() => this.#begin());
    this.#signer.start();
  }

  /**
   * The identity is there, or a person unlocked the vault: compares the database with the counter
   * there and checks the newest rows. The state stays `unchecked` while the vault cannot be asked.
   * Never rejects.
   */
  async check(signal: AbortSignal): Promise<void> {
    this.#count.askAgain();
    this.#signer.askAgain();
    await this.#next(() => this.#checkNow(signal));
  }

  /** Signs what was added since the last signature. Never rejects. */
  async sign(): Promise<void> {
    await this.#next(() => this.#sign());
  }

  /**
   * Cancels a running check, signs what is left, counts it, and ends. Idempotent, never rejects.
   */
  async stop(): Promise<void> {
    await this.#check.cancel();
    if (!this.#running) return;
    this.#running = false;
    const { store, clock } = this.#deps;
    await this.#signer.stop();
    // A commit takes along what nobody waits for.
    await store.write(() => undefined).catch(() => undefined);
    await this.sign();
    await this.#next(() => store.write((tables) => tables.setMeta(META_RUN, 'ended')));
    const late = new AbortController();
    const timer = clock.setTimer(STOP_COUNT_MAX_MS, () => late.abort());
    await this.#signer.raise(late.signal);
    timer.cancel();
  }

  /**
   * Begins a check of the whole log, or joins the one that runs. What it comes to is written down
   * after it.
   */
  verify(by: Actor): AuditCheckDto {
    const before = this.#check.current();
    const begun = this.#check.begin();
    if (before.state !== 'running') void this.#noteEnd(by, this.#acknowledgements);
    return begun;
  }

  verification(): AuditCheckDto {
    return this.#check.current();
  }

  cancelVerification(): Promise<AuditCheckDto> {
    return this.#check.cancel();
  }

  /** @param cursor absent: the first piece, which is written down @throws AppError bad_request */
  async exportPiece(
    format: AuditFormat,
    cursor: string | undefined,
    by: Actor,
  ): Promise<TextPiece> {
    if (cursor === undefined)
      await this.#deps.store.write(
        (tables) => void this.#append(tables, by, 'audit.exported', { format }),
      );
    return exportPiece(
      this.#deps.store.read,
      { database: this.#databaseId, key: this.#keyHex() },
      format,
      cursor,
    );
  }

  /**
   * The owner has seen that the log does not fit: one row says so, and with it begins a new signed
   * stretch.
   * @param row the first row that does not fit, as they were shown it
   * @throws AppError conflict, identity_locked, storage_failed
   */
  async acknowledge(by: Actor, row: number): Promise<void> {
    await this.#queue.run(async () => {
      const finding = this.#finding;
      if (this.#state !== 'tampered' || finding === null) {
        throw inputError('conflict', 'There is no tamper finding to acknowledge.');
      }
      if (finding.row !== row) {
        throw inputError(
          'conflict',
          `The first row that does not fit is row ${finding.row} by now.`,
          {
            hint: 'Look at it again, then acknowledge that one.',
          },
        );
      }
      const { kind, following } = finding;
      await this.#signAnew(by, ACKNOWLEDGED, { row, kind, following }, (tables) =>
        tables.setMeta(META_FINDING, ''),
      );
      this.#finding = null;
      this.#acknowledgements += 1;
      this.#check.forget();
      this.#is('ok');
    });
  }

  /**
   * The owner has acknowledged this older copy: one row says so, and it is the newest
   * copy from here on.
   * @param also what goes with it in the same commit
   * @throws AppError conflict, identity_locked, storage_failed
   */
  async confirmRestore(by: Actor, also?: (tables: Tables) => void): Promise<void> {
    await this.#queue.run(async () => {
      const why = this.#restoredBecause;
      if (this.#state !== 'restored' || why === undefined) throw notRestored();
      await this.#signAnew(by, 'hub.restore_confirmed', { why }, also);
      this.#is(this.#finding === null ? 'ok' : 'tampered');
    });
  }

  get #databaseId(): string {
    return this.#deps.store.read.getMeta(META_DATABASE_ID) ?? '';
  }

  #keyHex(): string | null {
    const { identity, store } = this.#deps;
    return identity.ready ? identity.keyHex : (store.read.getMeta(META_IDENTITY_KEY) ?? null);
  }

  /** How many signatures this database must hold, for a check. */
  #keptCount(): number | null {
    const { kept } = this.#count;
    if (kept === undefined) return null;
    return kept.databaseId === this.#databaseId ? kept.value : Number.POSITIVE_INFINITY;
  }

  #mark(): CounterMark | undefined {
    if (!this.rulesMayAct || this.#signed === undefined) return undefined;
    return { databaseId: this.#databaseId, value: this.#signed.counter };
  }

  async #begin(): Promise<void> {
    const { store, log } = this.#deps;
    const { read } = store;
    const isKilled = read.getMeta(META_RUN) === 'runs';
    const signed = read.lastAuditSignature()?.seq ?? 0;
    const rows = Math.max(0, read.auditHead().issuedSeq - signed);
    if (isKilled) log.warn('the hub ended unexpectedly before', { unsigned_rows: rows });
    await store.write((tables) => {
      tables.setMeta(META_RUN, 'runs');
      if (isKilled)
        this.#append(tables, BY_HUB, 'hub.ended_unexpectedly', { rows, from_row: signed + 1 });
    });
  }

  async #checkNow(signal: AbortSignal): Promise<void> {
    const { identity, store, log } = this.#deps;
    if (this.#state !== 'unchecked' || !identity.ready) return;
    const compared = await this.#compare(signal);
    if (compared === 'locked') return;
    const finding = await this.#firstFinding();
    const last = store.read.lastAuditSignature();
    this.#signed ??= last === undefined ? { seq: 0, chain: new Uint8Array(32), counter: 0 } : last;
    if (finding !== null) await this.#found(finding);
    if (compared === 'newest') {
      this.#is(finding === null ? 'ok' : 'tampered');
      if (this.#count.kept === undefined) await this.#signer.raise(signal);
      if (store.read.auditHead().issuedSeq > this.#signed.seq) this.#signer.soon();
      return;
    }
    log.warn('the hub is locked: its database was restored', { why: compared });
    this.#restoredBecause = compared;
    this.#is('restored');
  }

  /** This database against the counter in the vault. */
  async #compare(signal: AbortSignal): Promise<'newest' | 'locked' | RestoredReason> {
    const { identity, store, log } = this.#deps;
    if (identity.counter === undefined) return 'newest';
    const own = store.read.lastAuditSignature()?.counter ?? 0;
    const found = await identity.counter.read(signal);
    this.#lockedBecause = found.state === 'locked' ? found.reason : null;
    if (found.state === 'locked') {
      log.warn('the counter of the audit log cannot be read now', { reason: found.reason });
      return 'locked';
    }
    if (found.state === 'damaged') return 'counter_lost';
    if (found.state === 'absent') return own > 0 ? 'counter_lost' : 'newest';
    this.#count.wasRead(found.mark);
    if (found.mark.databaseId !== this.#databaseId) return 'other_database';
    return found.mark.value > own ? 'older_copy' : 'newest';
  }

  /**
   * What an earlier check found and nobody acknowledged; else what does not fit among the newest
   * rows.
   */
  async #firstFinding(): Promise<TamperFindingDto | null> {
    const { store, log } = this.#deps;
    const known = readFinding(store.read.getMeta(META_FINDING));
    if (known !== undefined) {
      this.#finding = known;
      return known;
    }
    try {
      const { finding, signed } = await this.#walk().recent();
      this.#signed = signed;
      return finding;
    } catch (error) {
      log.error('the audit log cannot be read', {
        error: messageOf(error),
      });
      return { kind: 'unreadable', row: 0, up_to: 0, following: 0 };
    }
  }

  #walk(): LogWalk {
    return new LogWalk({
      read: this.#deps.store.read,
      databaseId: this.#databaseId,
      keyHex: this.#keyHex(),
    });
  }

  async #sign(): Promise<void> {
    const { store, identity } = this.#deps;
    if (this.#state !== 'ok' || this.#signed === undefined || !identity.ready) return;
    const { position, finding } = await this.#walk().from(this.#signed);
    const isOther = (store.read.lastAuditSignature()?.counter ?? 0) !== this.#signed.counter;
    if (finding !== null || isOther) {
      const row = this.#signed.seq + 1;
      const lost = {
        kind: 'signature',
        row,
        up_to: row,
        following: store.read.auditCountAfter(row),
      } as const;
      await this.#found(finding ?? lost);
      return this.#is('tampered');
    }
    // Where a counter is kept at all, the first signature waits until it can be: one without it
    // would later look like a lost counter.
    if (identity.counter !== undefined && this.#count.kept === undefined) {
      if (this.#count.waitMs === 0) await this.#signer.raise();
      if (this.#count.kept === undefined) return;
    }
    if (position.seq === this.#signed.seq) return;
    const counter = this.#signed.counter + 1;
    await store.write((tables) => this.#insert(tables, position, counter));
    this.#signed = { ...position, counter };
  }

  /**
   * A row of the owner's and a signature over it alone, in one commit: what stands before it is
   * vouched for no further than before.
   */
  async #signAnew(
    by: Actor,
    action: string,
    detail: Detail,
    also?: (tables: Tables) => void,
  ): Promise<void> {
    const { store, identity } = this.#deps;
    const counter =
      Math.max(
        store.read.lastAuditSignature()?.counter ?? 0,
        this.#count.kept?.value ?? 0,
        this.#signed?.counter ?? 0,
      ) + 1;
    // The vault first: a counter that is ahead only makes the question come again, a signature
    // ahead of it would answer it unseen.
    if (identity.counter !== undefined) {
      const mark = { databaseId: this.#databaseId, value: counter };
      await this.#count.keep(identity.counter, mark, new AbortController().signal);
    }
    const position = await store.write((tables) => {
      const appended = this.#append(tables, by, action, detail);
      this.#insert(tables, appended, counter);
      also?.(tables);
      return appended;
    });
    this.#signed = { ...position, counter };
  }

  #insert(tables: Tables, { seq, chain }: AuditPosition, counter: number): void {
    const { clock, identity } = this.#deps;
    const previous = tables.lastAuditSignature()?.counter ?? 0;
    const row = {
      counter,
      previous,
      seq,
      chain,
      at: Math.round(clock.wallMs()),
      key: identity.keyHex,
    };
    tables.insertAuditSignature({
      ...row,
      signature: identity.sign(signedMessage(this.#databaseId, row)),
    });
  }

  #append(
    tables: Tables,
    { actor, surface }: Actor,
    action: string,
    detail: Detail,
  ): AuditPosition {
    return tables.appendAudit(
      auditRow(this.#deps.clock.wallMs(), { actor, surface, action, object: 'audit', detail }),
    );
  }

  /** A row does not fit: remembered until it is acknowledged, and written down once. */
  async #found(finding: TamperFindingDto): Promise<void> {
    const { store, log } = this.#deps;
    const isKnown = this.#finding?.row === finding.row;
    this.#finding = finding;
    if (isKnown) return;
    const { row, kind, following } = finding;
    log.warn('the audit log was tampered with, and no rule acts', { row, kind, following });
    await store.write((tables) => {
      tables.setMeta(META_FINDING, JSON.stringify(finding));
      this.#append(tables, BY_HUB, 'audit.tampered', { row, kind, following });
    });
  }

  /** @param acknowledgements as the check began: what was acknowledged since is found no more */
  async #noteEnd(by: Actor, acknowledgements: number): Promise<void> {
    const { state, finding } = await this.#check.whole();
    await this.#next(async () => {
      if (state === 'failed')
        await this.#suspect({ kind: 'unreadable', row: 0, up_to: 0, following: 0 });
      if (state !== 'done') return;
      const isNew = acknowledgements === this.#acknowledgements;
      if (finding !== null && finding.kind !== 'older_copy' && isNew) await this.#suspect(finding);
      const detail = { finding: finding?.kind ?? null, row: finding?.row ?? null };
      await this.#deps.store.write(
        (tables) => void this.#append(tables, by, 'audit.checked', detail),
      );
    });
  }

  /** A check of the whole log found a row: it counts where none before it is known. */
  async #suspect(finding: TamperFindingDto): Promise<void> {
    if (!this.isOpen || (this.#finding !== null && this.#finding.row <= finding.row)) return;
    await this.#found(finding);
    this.#is('tampered');
  }

  #is(state: AuditState): void {
    this.#state = state;
    this.#deps.onState();
  }

  /** One thing at a time; a failure is logged and stops nothing that comes after. */
  async #next(work: () => Promise<void>): Promise<void> {
    await this.#queue.run(work).catch((error: unknown) => {
      this.#deps.log.error('a step of the audit log failed', {
        error: messageOf(error),
      });
    });
  }
}

export function notRestored(): AppError {
  return inputError('conflict', 'There is no restore to confirm: this hub is not locked for one.');
}
