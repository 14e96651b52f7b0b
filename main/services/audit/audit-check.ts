// Checks the audit log: every row against the chain, every signature against the rows it covers,
// and the number of signatures against the counter in the key vault. Ends at the first row that
// does not fit, unless the owner has acknowledged it: then it goes on behind the acknowledgement.
// Runs in pieces, so that the hub goes on meanwhile; it can be cancelled. Changes nothing.
import type {
  AcknowledgedFindingDto,
  AuditCheckDto,
  TamperFindingDto,
  TamperKind,
} from '../../../preload/contract/audit.ts';
import { AppError } from '../../lib/app-error.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import {
  CHAIN_START,
  type AuditPosition,
  type AuditReads,
  type AuditSignatureRow,
} from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { WALK_ROWS_MAX, WALK_SIGNATURES_MAX } from './limits.ts';
import { signatureChecker } from './signature.ts';

/**
 * The action of an acknowledgement. It and its signature are one commit: an unsigned row of that
 * name is another program's.
 */
export const ACKNOWLEDGED = 'audit.acknowledged';

/** A place that is signed, and how many signatures there were then. */
export interface SignedPlace extends AuditPosition {
  readonly counter: number;
}

const BEGINNING: SignedPlace = { ...CHAIN_START, counter: 0 };

interface WalkDeps {
  readonly read: AuditReads;
  readonly databaseId: string;
  /** The key that signed, hex; null when this hub never had one. */
  readonly keyHex: string | null;
  readonly signal?: AbortSignal;
  /** Told how far the walk is. */
  readonly onProgress?: (progress: {
    readonly checked: number;
    readonly signed?: SignedPlace;
  }) => void;
}

interface Walked {
  /** The last row that was signed by this hub and fits. */
  readonly signed: SignedPlace;
  /** The last row that fits. */
  readonly position: AuditPosition;
  readonly finding: TamperFindingDto | null;
  readonly acknowledged: readonly AcknowledgedFindingDto[];
}

const KINDS = ['changed', 'missing', 'rechained', 'signature', 'older_copy', 'unreadable'] as const;
const CANCELLED = Symbol('cancelled');

/** One walk over the log: signed stretch by signed stretch, then what is not signed yet. */
export class LogWalk {
  readonly #deps: WalkDeps;
  readonly #isOwn: (row: AuditSignatureRow) => boolean;
  readonly #acknowledged: AcknowledgedFindingDto[] = [];
  /** What was done since the event loop had its last turn. */
  #done = 0;

  constructor(deps: WalkDeps) {
    this.#deps = deps;
    this.#isOwn = signatureChecker(deps.databaseId, deps.keyHex ?? '');
  }

  /** The whole log. @throws CANCELLED */
  all(): Promise<Walked> {
    return this.from(BEGINNING);
  }

  /**
   * The last signed stretch, and what is not signed yet; the whole log where that stretch has no
   * sound beginning.
   */
  recent(): Promise<Walked> {
    const { read } = this.#deps;
    const last = read.lastAuditSignature();
    const before =
      last === undefined || last.previous === 0
        ? undefined
        : read.auditSignatures(last.previous - 1, 1)[0];
    const chain = before === undefined ? undefined : read.auditChainAt(before.seq);
    const fits =
      chain !== undefined && before !== undefined && Buffer.compare(chain, before.chain) === 0;
    return fits && before.counter === last?.previous && this.#isOwn(before)
      ? this.from(before)
      : this.all();
  }

  async from(place: SignedPlace): Promise<Walked> {
    const { read, onProgress } = this.#deps;
    const end = read.auditHead().issuedSeq;
    const lastCounter = read.lastAuditSignature()?.counter ?? 0;
    let signed: SignedPlace = { seq: place.seq, chain: place.chain, counter: place.counter };
    while (signed.counter < lastCounter) {
      const finding = await this.#stretch(signed);
      const next =
        finding === null ? undefined : await this.#acknowledgement(finding, signed.counter);
      if (finding !== null && next === undefined) return this.#walked(signed, signed, finding);
      const { seq, chain, counter } = next ?? read.auditSignatures(signed.counter, 1)[0] ?? signed;
      signed = { seq, chain, counter };
      onProgress?.({ checked: seq, signed });
    }
    const { position, mismatch } = await this.#rows(signed, end, true);
    return this.#walked(
      signed,
      position,
      mismatch === null ? null : this.#finding(mismatch.kind, mismatch.seq),
    );
  }

  /** The rows behind a signed place up to the next signature. */
  async #stretch(signed: SignedPlace): Promise<TamperFindingDto | null> {
    const [row] = this.#deps.read.auditSignatures(signed.counter, 1);
    const first = signed.seq + 1;
    const isOwn =
      row !== undefined &&
      row.previous === signed.counter &&
      row.seq > signed.seq &&
      this.#isOwn(row);
    if (row === undefined || !isOwn) return this.#finding('signature', first);
    const { position, mismatch } = await this.#rows(signed, row.seq, false);
    if (mismatch !== null) return this.#finding(mismatch.kind, mismatch.seq);
    await this.#did(WALK_ROWS_MAX / WALK_SIGNATURES_MAX);
    return Buffer.compare(position.chain, row.chain) === 0
      ? null
      : this.#finding('rechained', first, row.seq);
  }

  async #rows(
    from: AuditPosition,
    end: number,
    isUnsigned: boolean,
  ): Promise<ReturnType<AuditReads['walkAudit']>> {
    let foreign: number | undefined;
    for (let position = from; position.seq < end;) {
      const walked = this.#deps.read.walkAudit(position, end, WALK_ROWS_MAX, ({ seq, action }) => {
        if (isUnsigned && action === ACKNOWLEDGED) foreign ??= seq;
      });
      if (foreign !== undefined) return { position, mismatch: { seq: foreign, kind: 'changed' } };
      if (walked.mismatch !== null) return walked;
      await this.#did(walked.position.seq - position.seq);
      ({ position } = walked);
      this.#deps.onProgress?.({ checked: position.seq });
      if (position.seq >= end) return walked;
    }
    return { position: from, mismatch: null };
  }

  /**
   * The signature over the row by which the owner acknowledged that finding or one before it: all
   * that was signed by then was in doubt. undefined: they have not.
   */
  async #acknowledgement(
    finding: TamperFindingDto,
    afterCounter: number,
  ): Promise<AuditSignatureRow | undefined> {
    const { read } = this.#deps;
    for (let after = afterCounter; ;) {
      const signatures = read
        .auditSignatures(after, WALK_SIGNATURES_MAX)
        .filter(({ counter }) => counter > after);
      for (const signature of signatures) {
        after = signature.counter;
        const [acknowledgement] = read.auditAfter(signature.seq - 1, signature.seq, 1);
        if (acknowledgement?.action !== ACKNOWLEDGED) continue;
        const row = rowIn(acknowledgement.detail);
        if (row === undefined || row > finding.up_to) continue;
        const chain = read.auditChainAt(signature.seq);
        if (
          chain === undefined ||
          Buffer.compare(chain, signature.chain) !== 0 ||
          !this.#isOwn(signature)
        )
          continue;
        const { at, actor } = acknowledgement;
        this.#acknowledged.push({ row, acknowledged_row: signature.seq, at, by: actor });
        return signature;
      }
      if (signatures.length === 0) return undefined;
      await this.#did(WALK_ROWS_MAX);
    }
  }

  #finding(kind: TamperKind, row: number, upTo = row): TamperFindingDto {
    return {
      kind,
      row,
      up_to: Math.max(row, upTo),
      following: this.#deps.read.auditCountAfter(row),
    };
  }

  #walked(signed: SignedPlace, position: AuditPosition, finding: TamperFindingDto | null): Walked {
    return { signed, position, finding, acknowledged: this.#acknowledged };
  }

  /** Counts the work, and yields to other tasks after one turn's share. @throws CANCELLED */
  async #did(rows: number): Promise<void> {
    this.#done += rows;
    if (this.#done >= WALK_ROWS_MAX) {
      this.#done = 0;
      await nextTurn();
    }
    if (this.#deps.signal?.aborted === true) throw CANCELLED;
  }
}

/** The row that an acknowledgement names. */
function rowIn(detail: string): number | undefined {
  try {
    const value: unknown = JSON.parse(detail);
    return isJsonObject(value) && typeof value['row'] === 'number' ? value['row'] : undefined;
  } catch {
    return undefined;
  }
}

/** What was remembered of a finding; undefined: nothing, or it cannot be read. */
export function readFinding(text: string | undefined): TamperFindingDto | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isJsonObject(value)) return undefined;
    const { kind, row, up_to, following } = value;
    const known = KINDS.find((one) => one === kind);
    if (
      known === undefined ||
      typeof row !== 'number' ||
      typeof up_to !== 'number' ||
      typeof following !== 'number'
    )
      return undefined;
    return { kind: known, row, up_to, following };
  } catch {
    return undefined;
  }
}

interface AuditCheckDeps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly databaseId: () => string;
  readonly keyHex: () => string | null;
  /**
   * The key vault's count. null when the vault could not be asked; higher than any count if it
   * counts another database.
   */
  readonly keptCount: () => number | null;
}

const NEVER: AuditCheckDto = {
  state: 'none',
  rows: 0,
  checked: 0,
  signed_seq: 0,
  signatures: 0,
  counted: false,
  finished_at: null,
  finding: null,
  acknowledged: [],
  problem: null,
};

/** The check of the whole log that people ask for. One at a time. */
export class AuditCheck {
  readonly #deps: AuditCheckDeps;
  #current: AuditCheckDto = NEVER;
  #running: Promise<void> | undefined;
  #cancelled = new AbortController();

  constructor(deps: AuditCheckDeps) {
    this.#deps = deps;
  }

  /** How far the check is, or what the last one came to. */
  current(): AuditCheckDto {
    return this.#current;
  }

  /** Begins a check; one that runs already goes on. */
  begin(): AuditCheckDto {
    if (this.#running === undefined) {
      this.#cancelled = new AbortController();
      this.#current = { ...NEVER, state: 'running' };
      this.#running = this.#run(this.#cancelled.signal).finally(() => (this.#running = undefined));
    }
    return this.#current;
  }

  /** The finding was acknowledged, so the last check's result no longer counts. */
  forget(): void {
    if (this.#running === undefined) this.#current = NEVER;
  }

  /** Cancels a running check and waits until it has ended. Idempotent. */
  async cancel(): Promise<AuditCheckDto> {
    this.#cancelled.abort();
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
    const { store, databaseId, keyHex, keptCount, clock } = this.#deps;
    const ends = (end: Partial<AuditCheckDto>): void => {
      this.#current = { ...this.#current, ...end, finished_at: clock.wallMs() };
    };
    try {
      // The answer to whoever began it goes first.
      await nextTurn();
      const kept = keptCount();
      const { issuedSeq: rows, seq: last } = store.read.auditHead();
      const count = store.read.lastAuditSignature()?.counter ?? 0;
      this.#current = { ...this.#current, rows, counted: kept !== null };
      const walk = new LogWalk({
        read: store.read,
        databaseId: databaseId(),
        keyHex: keyHex(),
        signal,
        onProgress: ({ checked, signed }) => {
          const more =
            signed === undefined
              ? {}
              : { signed_seq: signed.seq, signatures: this.#current.signatures + 1 };
          this.#current = { ...this.#current, checked, ...more };
        },
      });
      const { finding, acknowledged } = await walk.all();
      const isOlder = finding === null && kept !== null && kept > count;
      const older: TamperFindingDto = { kind: 'older_copy', row: last, up_to: last, following: 0 };
      ends({ state: 'done', finding: isOlder ? older : finding, acknowledged });
    } catch (error) {
      if (error === CANCELLED) ends({ state: 'cancelled' });
      else
        ends({
          state: 'failed',
          problem: error instanceof AppError ? error.message : 'The audit log could not be read.',
        });
    }
  }
}
