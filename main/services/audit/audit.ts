// The audit as one part: signing it, comparing it with the count in the key vault, checking it and handing it out. Who may ask for any of it
// is the doors' business.
import type { AuditCheckDto, AuditRowDto, RecordState } from '../../../preload/contract/audit.ts';
import type { AppendedRow } from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store } from '../../ports/store.ts';
import { META_IDENTITY_KEY, type IdentityService } from '../identity.ts';
import { AuditCheck } from './audit-check.ts';
import { exportPiece, type AuditFormat, type ExportPiece } from './audit-export.ts';
import { AuditKeeper } from './audit-keeper.ts';
import { auditRowDto } from './audit-rows.ts';
import type { AuditWatch } from './watched-store.ts';

export interface AuditDeps {
  /** A watched one, whose watch is this audit. */
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: IdentityService;
  /** Told when the record's state changed. */
  readonly onState: () => void;
}

const PUT_BACK: readonly RecordState[] = ['older_copy', 'other_database', 'counter_lost'];

/** Who asks, for the record itself. */
export interface Auditor {
  readonly actor: string;
  readonly surface: string;
}

export class Audit implements AuditWatch {
  readonly #deps: AuditDeps;
  readonly #keeper: AuditKeeper;
  readonly #check: AuditCheck;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
    this.#keeper = new AuditKeeper(deps);
    this.#check = new AuditCheck({
      store: deps.store,
      clock: deps.clock,
      keyHex: () => this.#keyHex(),
      databaseId: () => this.#keeper.databaseId,
      keptCount: () => this.#keeper.keptCount,
      written: this.#keeper.written,
      leftUnsigned: () => this.#keeper.leftUnsigned,
    });
  }

  get state(): RecordState {
    return this.#keeper.state;
  }

  /** False until this record is known to be the newest, or its owner said that it is meant. */
  get rulesMayAct(): boolean {
    return this.#keeper.rulesMayAct;
  }

  /** This database was put back from a copy, or its count is gone, and its owner has not said yet that it is meant. */
  get isPutBack(): boolean {
    return PUT_BACK.includes(this.state);
  }

  /** It was, or nobody could ask yet. */
  get mayBePutBack(): boolean {
    return this.isPutBack || this.state === 'unchecked';
  }

  /** A row was added; its commit may yet fail. */
  appended(surface: string): void {
    this.#keeper.appended(surface);
  }

  /** A row is kept for good. */
  committed(row: AppendedRow): void {
    this.#keeper.committed(row);
  }

  /** Before anything else is written. */
  start(): void {
    this.#keeper.start();
  }

  /** The identity is there: compares the record with the count beside it. Never rejects. */
  identityReady(signal: AbortSignal): Promise<void> {
    return this.#keeper.check(signal);
  }

  /** Signs what was added since the last signature, without waiting for the interval. Never rejects. */
  seal(): Promise<void> {
    return this.#keeper.seal();
  }

  /** Calls a running check off, signs what is left, and ends. Idempotent, never rejects. */
  async stop(): Promise<void> {
    await this.#check.cancel();
    await this.#keeper.stop();
  }

  /**
   * Begins a check of the whole record, or joins the one that runs. What it comes to is put on record after it, and what nobody has meant yet
   * leaves the record in doubt.
   */
  verify(by: Auditor): AuditCheckDto {
    const before = this.#check.current();
    const { words } = this.#keeper;
    const begun = this.#check.begin();
    if (before.state !== 'running') void this.#noteEnd(by, words);
    return begun;
  }

  verification(): AuditCheckDto {
    return this.#check.current();
  }

  cancelVerification(): Promise<AuditCheckDto> {
    return this.#check.cancel();
  }

  /** @param cursor absent: the first piece, which is put on record @throws AppError bad_request */
  async exportPiece(format: AuditFormat, cursor: string | undefined, by: Auditor): Promise<ExportPiece> {
    if (cursor === undefined) await this.#note(by, 'audit.exported', { format });
    const about = { database: this.#keeper.databaseId, key: this.#keyHex() };
    return exportPiece(this.#deps.store.read, about, format, cursor);
  }

  /** The newest row about the doubt that stands; undefined: there is none. */
  get doubt(): AuditRowDto | undefined {
    const { doubtSeq } = this.#keeper;
    return doubtSeq < 1 ? undefined : this.#deps.store.read.auditAfter(doubtSeq - 1, doubtSeq, 1).map(auditRowDto)[0];
  }

  /**
   * The owner says that this record is meant, in spite of the doubt: what the last check said of it stands no more.
   * @param seen the number of the row about it that they have read; 0: none
   * @throws AppError conflict, identity_locked, storage_failed, overloaded
   */
  async confirm(by: Auditor, seen: number): Promise<void> {
    await this.#keeper.confirm(by, seen);
    this.#check.forget();
  }

  #keyHex(): string | null {
    const { identity, store } = this.#deps;
    return identity.ready ? identity.keyHex : (store.read.getMeta(META_IDENTITY_KEY) ?? null);
  }

  async #noteEnd(by: Auditor, words: number): Promise<void> {
    try {
      const { state, flaw } = await this.#check.whole();
      // Before anything else is written, which would be signed.
      if (state === 'failed') await this.#keeper.unread(words);
      if (state === 'done' && flaw !== null) await this.#keeper.suspect(this.#check.unmeant, words);
      if (state === 'done') await this.#note(by, 'audit.checked', { flaw: flaw?.kind ?? null, row: flaw?.seq ?? null });
    } catch (error) {
      this.#deps.log.warn('a check of the audit is not on record', { error: error instanceof Error ? error.message : 'unknown' });
    }
  }

  async #note({ actor, surface }: Auditor, action: string, detail: Readonly<Record<string, string | number | null>>): Promise<void> {
    const { store, clock } = this.#deps;
    const row = { at: clock.wallMs(), actor, surface, object: 'audit', digest: null, detail: JSON.stringify(detail) };
    await store.write((tables) => tables.appendAudit({ ...row, action }));
  }
}
