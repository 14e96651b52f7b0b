// Checks the whole audit: every row against the chain, every seal against the rows it covers, and their number against the count in the key
// vault. One check at a time, in pieces, so that the hub goes on meanwhile; it can be called off. Changes nothing.
import type { AuditCheckDto, AuditFlawDto, UnsignedEndDto } from '../../../preload/contract/audit.ts';
import { AppError } from '../../lib/app-error.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import { CHAIN_START, type AuditPosition, type AuditSealRow, type WalkedRow } from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { WALK_ROWS_MAX, WALK_SEALS_MAX } from './limits.ts';
import { flawOf } from './flaws.ts';
import { isUnsignedEnd, readUnsignedDetail, type UnsignedRows } from './run-mark.ts';
import { sealChecker } from './seal.ts';
import type { ForeignRow, WrittenRows } from './written-rows.ts';

export interface AuditCheckDeps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  /** The key that seals are to be checked with, hex; null when this hub never had one. */
  readonly keyHex: () => string | null;
  readonly databaseId: () => string;
  /** What the key vault counts; null when it could not be asked, higher than any where it counts another database. */
  readonly keptCount: () => number | null;
  /** What the running hub wrote. */
  readonly written: WrittenRows;
  /** What the run before left unsigned as it ended; of a hub that does not run, what the last one did. null: nothing. */
  readonly leftUnsigned: () => UnsignedRows | null;
}

/** Where a check is. */
interface Walk {
  position: AuditPosition;
  lastSeal: AuditSealRow | undefined;
  readonly head: { readonly seq: number; readonly issuedSeq: number };
  readonly sealCount: number;
  /** Rows that tell of an end without signing everything. */
  readonly ends: number[];
  /** Done since the event loop had its last turn. */
  done: { readonly rows: number; readonly seals: number };
}

const NEVER: AuditCheckDto = {
  state: 'none',
  rows: 0,
  checked: 0,
  signed_seq: 0,
  seals: 0,
  counted: false,
  finished_at: null,
  flaw: null,
  problem: null,
  unsigned_end: null,
};

export class AuditCheck {
  readonly #deps: AuditCheckDeps;
  #current: AuditCheckDto = NEVER;
  #running: Promise<void> | undefined;
  #calledOff = new AbortController();

  constructor(deps: AuditCheckDeps) {
    this.#deps = deps;
  }

  /** How far the check is, or what the last one came to. */
  current(): AuditCheckDto {
    return this.#current.state === 'none' ? { ...NEVER, unsigned_end: this.#leftUnsigned(1) } : this.#current;
  }

  /** Begins a check; one that runs already goes on. */
  begin(): AuditCheckDto {
    if (this.#running === undefined) {
      this.#calledOff = new AbortController();
      this.#current = { ...NEVER, state: 'running', unsigned_end: this.#leftUnsigned(1) };
      this.#running = this.#run(this.#calledOff.signal).finally(() => (this.#running = undefined));
    }
    return this.#current;
  }

  /** Calls a running check off, and waits until it has let go. Idempotent. */
  async cancel(): Promise<AuditCheckDto> {
    this.#calledOff.abort();
    await this.#running;
    return this.#current;
  }

  /** Begins and waits for the end. */
  async whole(): Promise<AuditCheckDto> {
    this.begin();
    await this.#running;
    return this.#current;
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      // The answer to whoever began it goes first.
      await nextTurn();
      const flaw = await this.#walk(signal);
      this.#ends(flaw === 'called off' ? { state: 'cancelled' } : { state: 'done', flaw });
    } catch (error) {
      const problem = error instanceof AppError ? error.message : 'The record could not be read.';
      this.#ends({ state: 'failed', problem });
    }
  }

  #ends(end: Partial<AuditCheckDto>): void {
    this.#current = { ...this.#current, ...end, finished_at: this.#deps.clock.wallMs() };
  }

  async #walk(signal: AbortSignal): Promise<AuditFlawDto | null | 'called off'> {
    const { read } = this.#deps.store;
    const kept = this.#deps.keptCount();
    const { written } = this.#deps;
    const { lastSeq: writtenSeq } = written;
    const head = read.auditHead();
    const sealCount = read.lastAuditSeal()?.counter ?? 0;
    this.#current = { ...this.#current, rows: head.issuedSeq, counted: kept !== null };
    const walk: Walk = { position: CHAIN_START, lastSeal: undefined, head, sealCount, ends: [], done: { rows: 0, seals: 0 } };
    const isRight = sealChecker(this.#deps.databaseId(), this.#deps.keyHex() ?? '');
    for (;;) {
      const seals = read.auditSeals(walk.lastSeal?.counter ?? 0, WALK_SEALS_MAX).filter(({ counter }) => counter <= sealCount);
      if (seals.length === 0) break;
      for (const seal of seals) {
        if (signal.aborted) return 'called off';
        const flaw = this.#sealFlaw(walk, seal, isRight) ?? (await this.#rowsUpTo(walk, seal.seq, signal));
        if (flaw !== null) return flaw;
        if (Buffer.compare(walk.position.chain, seal.chain) !== 0) return flawOf('chain_remade', seal.seq, walk.lastSeal?.seq);
        walk.lastSeal = seal;
        this.#current = { ...this.#current, seals: this.#current.seals + 1, signed_seq: seal.seq };
        await didSome(walk, 0, 1);
      }
    }
    const flaw = await this.#rowsUpTo(walk, head.issuedSeq, signal);
    if (flaw !== null) return flaw;
    if (kept !== null && kept > sealCount) return flawOf('older_copy', head.seq);
    if (writtenSeq > walk.position.seq) return flawOf('end_missing', walk.position.seq + 1);
    if (written.foreign !== null) return foreignFlaw(written.foreign, walk);
    this.#current = { ...this.#current, unsigned_end: this.#unsignedEnd(walk.ends) };
    return null;
  }

  #sealFlaw({ lastSeal, position }: Walk, seal: AuditSealRow, isRight: (seal: AuditSealRow) => boolean): AuditFlawDto | null {
    if (!isRight(seal) || seal.seq < position.seq) return flawOf('seal_changed', seal.seq);
    return seal.previous === (lastSeal?.counter ?? 0) ? null : flawOf('seal_missing', seal.seq);
  }

  /** Rows as they were up to here, or what does not fit. */
  async #rowsUpTo(walk: Walk, seq: number, signal: AbortSignal): Promise<AuditFlawDto | null | 'called off'> {
    const { written, store } = this.#deps;
    const found: { foreign: ForeignRow | null } = { foreign: null };
    const look = (row: WalkedRow): void => {
      if (isUnsignedEnd(row.action)) walk.ends.push(row.seq);
      found.foreign ??= written.judge(row);
    };
    while (walk.position.seq < seq) {
      if (signal.aborted) return 'called off';
      const { position, flaw } = store.read.walkAudit(walk.position, seq, WALK_ROWS_MAX - walk.done.rows, look);
      const rows = position.seq - walk.position.seq;
      walk.position = position;
      this.#current = { ...this.#current, checked: position.seq };
      if (found.foreign !== null) return foreignFlaw(found.foreign, walk);
      if (flaw?.kind === 'changed') return flawOf('row_changed', flaw.seq);
      if (flaw !== null) return flawOf(flaw.seq > walk.head.seq ? 'end_missing' : 'row_missing', flaw.seq);
      await didSome(walk, rows, 0);
    }
    return null;
  }

  /** What is on record of ends that left rows unsigned, or what the last one left and nobody has put on record yet. */
  #unsignedEnd(ends: readonly number[]): UnsignedEndDto | null {
    const { auditAfter } = this.#deps.store.read;
    const told = ends.flatMap((seq) => readUnsignedDetail(auditAfter(seq - 1, seq, 1)[0]?.detail ?? '') ?? []);
    const last = told.at(-1);
    const left = this.#leftUnsigned(told.length + 1);
    // One that was ended again before it had signed anything has left more, from the same row on.
    const isNew = left !== null && (last === undefined || left.from_seq > last.fromSeq || left.rows > last.rows);
    if (isNew || last === undefined) return left;
    return endDto(last, told.length);
  }

  #leftUnsigned(ends: number): UnsignedEndDto | null {
    const left = this.#deps.leftUnsigned();
    return left === null ? null : endDto(left, ends);
  }
}

function foreignFlaw({ seq, kind }: ForeignRow, { lastSeal }: Walk): AuditFlawDto {
  return kind === 'added' ? flawOf('row_added', seq) : flawOf('chain_remade', seq, lastSeal?.seq);
}

function endDto({ rows, fromSeq, fromAt }: UnsignedRows, ends: number): UnsignedEndDto {
  return { rows, from_seq: fromSeq, from_at: fromAt, ends };
}

/** Counts what was done, across signatures, and lets everything else go on once it is a turn's share. */
async function didSome(walk: Walk, rows: number, seals: number): Promise<void> {
  walk.done = { rows: walk.done.rows + rows, seals: walk.done.seals + seals };
  if (walk.done.rows < WALK_ROWS_MAX && walk.done.seals < WALK_SEALS_MAX) return;
  walk.done = { rows: 0, seals: 0 };
  await nextTurn();
}
