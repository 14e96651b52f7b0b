// Checks the whole audit: every row against the chain, every seal against the rows it covers, and their number against the count in the key
// vault. One check at a time, in pieces, so that the hub goes on meanwhile; it can be called off. Changes nothing.
import type { AuditCheckDto, AuditFlawDto, UnsignedEndDto } from '../../../preload/contract/audit.ts';
import { AppError } from '../../lib/app-error.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import { CHAIN_START, type AuditFlaw, type AuditPosition, type AuditSealRow, type WalkedRow } from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { chainFlaw, falseWord, isAmong, isSamePlace, markOf, mergeFlaws, outsidePlace, type ChainFlaw } from './found.ts';
import { FLAWS_MAX, OUTSIDE_MAX, WALK_ROWS_MAX, WALK_SEALS_MAX } from './limits.ts';
import { addedFlaw, flawOf, gapFlaw, outsideFlaw } from './flaws.ts';
import { isUnsignedEnd, readUnsignedDetail, type UnsignedRows } from './run-mark.ts';
import { sealChecker } from './seal.ts';
import { meantBy, OWNERS_WORD, sealsUpTo } from './sealed-row.ts';
import type { WrittenRows } from './written-rows.ts';

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

type Gap = NonNullable<AuditFlaw['gap']> & { readonly as: ChainFlaw };

/** Where a check is. */
interface Walk {
  position: AuditPosition;
  lastSeal: AuditSealRow | undefined;
  readonly head: { readonly seq: number; readonly issuedSeq: number };
  readonly sealCount: number;
  /** A row in the place of another one was seen: the chain of all after it is another one, too. */
  isOtherSeen: boolean;
  /** The last row does not fit: the chain goes on from what stands there. */
  isPatched: boolean;
  /** Rows that are missing up to the last row of a signature, or further: what comes behind says whether anything vouches for that. */
  gap: Gap | null;
  /** The newest row that a good seal covers. */
  signedSeq: number;
  /** What rows tell of ends without signing everything. */
  readonly ends: UnsignedRows[];
  /** What the owner's words named. */
  readonly meant: ChainFlaw[];
  /** The first row behind the newest good seal that reads like such a word; null: none. */
  unsignedWord: AuditPosition | null;
  /** What does not fit, and as what it is held against the record; null: the count says that, or no place. */
  readonly found: { readonly flaw: AuditFlawDto; readonly as: ChainFlaw | null }[];
  /** How much of it nobody has meant: what was meant ends no check. */
  unmeant: number;
  /** Done since the event loop had its last turn. */
  done: { readonly rows: number; readonly seals: number };
}

/** The row that a seal covers and the one before. */
const WORD_ROWS = 2;

const NEVER: AuditCheckDto = {
  state: 'none',
  rows: 0,
  checked: 0,
  signed_seq: 0,
  seals: 0,
  counted: false,
  finished_at: null,
  flaw: null,
  flaws: [],
  problem: null,
  unsigned_end: null,
};

export class AuditCheck {
  readonly #deps: AuditCheckDeps;
  #current: AuditCheckDto = NEVER;
  #running: Promise<void> | undefined;
  #calledOff = new AbortController();
  #unmeant: readonly ChainFlaw[] = [];

  constructor(deps: AuditCheckDeps) {
    this.#deps = deps;
  }

  /** How far the check is, or what the last one came to. */
  current(): AuditCheckDto {
    return this.#current.state === 'none' ? { ...NEVER, unsigned_end: this.#leftUnsigned(1) } : this.#current;
  }

  /** What the last check found that nobody has meant; nothing while one runs. */
  get unmeant(): readonly ChainFlaw[] {
    return this.#unmeant;
  }

  /** Begins a check; one that runs already goes on. */
  begin(): AuditCheckDto {
    if (this.#running === undefined) {
      this.#calledOff = new AbortController();
      this.#unmeant = [];
      this.#current = { ...NEVER, state: 'running', unsigned_end: this.#leftUnsigned(1) };
      this.#running = this.#run(this.#calledOff.signal).finally(() => (this.#running = undefined));
    }
    return this.#current;
  }

  /** The owner has said that the record is meant since the last check ended: what it came to says nothing of the record now. */
  forget(): void {
    if (this.#running !== undefined) return;
    this.#unmeant = [];
    this.#current = NEVER;
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
      const walk = await this.#walk(signal);
      this.#ends(walk === 'called off' ? { state: 'cancelled' } : { state: 'done', ...this.#outcome(walk) });
    } catch (error) {
      const problem = error instanceof AppError ? error.message : 'The record could not be read.';
      this.#ends({ state: 'failed', problem });
    }
  }

  #ends(end: Partial<AuditCheckDto>): void {
    this.#current = { ...this.#current, ...end, finished_at: this.#deps.clock.wallMs() };
  }

  /** What the owner has meant is named like all else, and held against the record no more. */
  #outcome(walk: Walk): Pick<AuditCheckDto, 'flaw' | 'flaws' | 'unsigned_end'> {
    const flaws = walk.found.map(({ flaw }) => flaw).toSorted((one, other) => one.seq - other.seq);
    const unmeant = walk.found.flatMap(({ flaw, as }) => (as === null || flaw.meant ? [] : [as]));
    this.#unmeant = mergeFlaws(unmeant, []);
    const added = addedFlaw(this.#deps.written.added(this.#deps.store.read.auditHead().seq));
    if (added !== undefined) flaws.splice(flaws.filter(({ seq }) => seq < added.seq).length, 0, added);
    return { flaw: flaws.find(({ meant }) => !meant) ?? flaws[0] ?? null, flaws, unsigned_end: this.#unsignedEnd(walk.ends) };
  }

  async #walk(signal: AbortSignal): Promise<Walk | 'called off'> {
    const { read } = this.#deps.store;
    const outside = read.auditOutside(OUTSIDE_MAX);
    const kept = this.#deps.keptCount();
    const { lastSeq: writtenSeq } = this.#deps.written;
    const head = read.auditHead();
    const sealCount = read.lastAuditSeal()?.counter ?? 0;
    this.#current = { ...this.#current, rows: head.issuedSeq, counted: kept !== null };
    const start = {
      position: CHAIN_START,
      lastSeal: undefined,
      signedSeq: 0,
      isOtherSeen: false,
      isPatched: false,
      gap: null,
      unsignedWord: null,
      unmeant: 0,
      done: { rows: 0, seals: 0 },
    };
    const walk: Walk = { ...start, head, sealCount, ends: [], meant: [], found: [] };
    const isRight = sealChecker(this.#deps.databaseId(), this.#deps.keyHex() ?? '');
    // The words first, which stand behind what they are about.
    for (const seal of sealsUpTo(read, sealCount)) {
      if (signal.aborted) return 'called off';
      walk.meant.push(...meantBy(read, seal, isRight));
      await didSome(walk, WORD_ROWS, 1);
    }
    if (outside !== null) noteAs(walk, outsideFlaw(outside), outsidePlace(outside));
    for (const seal of sealsUpTo(read, sealCount)) {
      if (signal.aborted || !(await this.#upToSeal(walk, seal, isRight(seal), signal))) return 'called off';
      if (walk.unmeant >= FLAWS_MAX) break;
      await didSome(walk, 0, 1);
    }
    if (!(await this.#rowsUpTo(walk, head.issuedSeq, signal))) return 'called off';
    endGap(walk, false);
    if (walk.unsignedWord !== null && !isEnded(walk)) note(walk, 'row_changed', falseWord(walk.unsignedWord));
    if (kept !== null && kept > sealCount) walk.found.push({ flaw: flawOf('older_copy', head.seq), as: null });
    if (writtenSeq > walk.position.seq && !isEnded(walk)) note(walk, 'end_missing', endOf(walk));
    // What was come upon while writing, and fits; of what is signed, the signatures say it.
    const { changed } = this.#deps.written;
    if (changed !== null && changed > walk.signedSeq && !walk.isOtherSeen && !isEnded(walk))
      note(walk, 'chain_remade', { seq: changed, kind: 'changed' }, walk.signedSeq);
    return walk;
  }

  /** The rows that a signature covers, and whether they are the ones that were signed. False: called off. */
  async #upToSeal(walk: Walk, seal: AuditSealRow, isRight: boolean, signal: AbortSignal): Promise<boolean> {
    const isGood = isRight && seal.seq >= walk.position.seq;
    if (!isGood) note(walk, 'seal_changed', { seq: seal.seq, kind: 'unsigned' });
    else if (seal.previous !== (walk.lastSeal?.counter ?? 0)) note(walk, 'seal_missing', { seq: seal.seq, kind: 'seal_missing' });
    const signedBefore = walk.signedSeq;
    walk.lastSeal = seal;
    // One that this hub did not make says nothing of how far the rows go.
    if (!isGood) return true;
    if (!(await this.#rowsUpTo(walk, seal.seq, signal))) return false;
    if (isEnded(walk)) return true;
    // Where the signed row itself is named already, that is all there is to say of it.
    const isRemade = !walk.isPatched && Buffer.compare(walk.position.chain, seal.chain) !== 0;
    if (isRemade) note(walk, 'chain_remade', { seq: seal.seq, kind: 'remade', mark: markOf(walk.position.chain) }, signedBefore);
    // What was signed is what the rows after it have to stand behind; what the hub wrote after that was taken away stands behind what was left.
    if (walk.gap === null || this.#isBehind(walk.gap, seal)) {
      walk.position = { seq: walk.position.seq, chain: seal.chain };
      endGap(walk, true);
    }
    walk.signedSeq = seal.seq;
    walk.unsignedWord = null;
    this.#current = { ...this.#current, seals: this.#current.seals + 1, signed_seq: seal.seq };
    return true;
  }

  /** Whether the row behind a gap stands behind the row that was signed, and is missing. */
  #isBehind({ toSeq }: Gap, { seq, chain }: AuditSealRow): boolean {
    return seq === toSeq && this.#deps.store.read.walkAudit({ seq, chain }, seq + 1, 1).flaw === null;
  }

  /** Rows up to here; behind one that does not fit it goes on with what stands there. False: called off. */
  async #rowsUpTo(walk: Walk, seq: number, signal: AbortSignal): Promise<boolean> {
    const { written, store } = this.#deps;
    const look = (row: WalkedRow): void => {
      const end = isUnsignedEnd(row.action) ? readUnsignedDetail(row.detail) : undefined;
      if (end !== undefined) walk.ends.push(end);
      if (row.action === OWNERS_WORD) walk.unsignedWord ??= row;
      if (!walk.isOtherSeen && written.isOther(row)) {
        walk.isOtherSeen = true;
        note(walk, 'chain_remade', { seq: row.seq, kind: 'changed' }, walk.signedSeq);
      }
    };
    while (walk.position.seq < seq && !isEnded(walk)) {
      if (signal.aborted) return false;
      const { flaw, after } = store.read.walkAudit(walk.position, seq, WALK_ROWS_MAX - walk.done.rows, look);
      const rows = after.seq - walk.position.seq;
      walk.position = after;
      walk.isPatched = flaw !== null;
      this.#current = { ...this.#current, checked: after.seq };
      const inGap = walk.gap !== null && flaw !== null && flaw.seq <= walk.gap.toSeq + 1;
      const isSameGap = inGap && flaw?.gap?.toSeq === walk.gap?.toSeq && after.seq === seq;
      if (!isSameGap) endGap(walk, walk.gap?.isContinued === true);
      if (flaw !== null && !inGap) foundAt(walk, flaw, seq);
      await didSome(walk, rows, 0);
    }
    return true;
  }

  /** What is on record of ends that left rows unsigned, or what the last one left and nobody has put on record yet. */
  #unsignedEnd(told: readonly UnsignedRows[]): UnsignedEndDto | null {
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

/** What a walk up to that row came upon. */
function foundAt(walk: Walk, flaw: AuditFlaw, upToSeq: number): void {
  const as = chainFlaw(flaw);
  if (flaw.kind === 'changed') note(walk, 'row_changed', as);
  else if (flaw.gap === undefined || flaw.seq > walk.head.seq) note(walk, 'end_missing', as);
  else {
    walk.gap = { ...flaw.gap, as };
    if (flaw.gap.toSeq < upToSeq) endGap(walk, flaw.gap.isContinued);
  }
}

/** How far it reaches is seen, and what stands behind it. */
function endGap(walk: Walk, isVouched: boolean): void {
  const { gap } = walk;
  if (gap === null) return;
  walk.gap = null;
  noteAs(walk, gapFlaw(gap.as.seq, gap.toSeq, isVouched), gap.as);
}

/** A place that does not fit. @param signedSeq needed for `chain_remade` only */
function note(walk: Walk, kind: Parameters<typeof flawOf>[0], as: ChainFlaw, signedSeq?: number): void {
  noteAs(walk, flawOf(kind, as.seq, signedSeq), as);
}

function noteAs(walk: Walk, flaw: AuditFlawDto, as: ChainFlaw): void {
  if (walk.found.some((one) => one.as !== null && isSamePlace(as, one.as))) return;
  const meant = isAmong(as, walk.meant);
  walk.found.push({ flaw: { ...flaw, meant }, as });
  if (!meant) walk.unmeant += 1;
}

/** Behind the last row that is there. */
function endOf({ position }: Walk): ChainFlaw {
  return { seq: position.seq + 1, kind: 'missing', mark: markOf(position.chain) };
}

/** Nothing is left of the record, or so much does not fit that the rest matters no more. */
function isEnded({ found, unmeant }: Walk): boolean {
  return unmeant >= FLAWS_MAX || found.some(({ flaw }) => flaw.kind === 'end_missing');
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
