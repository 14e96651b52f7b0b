// Delegations and cancels are acted on once per peer and id, for ever (PROTOCOL.md, Delegation
// states, "Once only"). The same id with the same content gets the same answer again, and counts
// against no rate. The same id with other content is a conflict, and changes nothing. A hub that
// was restored from an older copy has lost the ids since: a delegation that was sent before its
// owner confirmed the copy is refused for a week, because it may have been done already.
import { inputError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReplayRow, Store, Tables } from '../../ports/store.ts';
import type { ReplyDraft } from '../base/peer-messenger.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { RECENT_ID_WINDOW_MS, RECENT_IDS_MAX, RESTORED_WINDOW_MS } from './limits.ts';

/** When the owner last confirmed an older copy, ms of the wall clock. */
const META_RESTORED_AT = 'restore_confirmed_at';

interface OnceKey {
  readonly party: PartyKey;
  readonly messageId: string;
  /** contentDigest of the message. */
  readonly digest: string;
  /** When its sender says that it was sent; absent where doing it twice does no harm. */
  readonly sentAt?: number;
}

/** @property isRefused nothing was made of the message, and nothing of it is on record */
export type Answered = ReplyDraft & { readonly isRefused?: boolean };

interface InFlight {
  readonly digest: string;
  readonly reply: Promise<ReplyDraft>;
}

export class ReplayGuard {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #unit: UnitOfWork;
  readonly #audit: AuditTrail;
  readonly #inFlight = new Map<string, InFlight>();

  constructor(deps: {
    readonly store: Store;
    readonly clock: Clock;
    readonly unit: UnitOfWork;
    readonly audit: AuditTrail;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#unit = deps.unit;
    this.#audit = deps.audit;
  }

  /**
   * The one answer to this id. `checkRate` runs before the commit and outside of replays; `work`
   * runs inside the commit that also stores its answer. A refusal is not stored: it leaves nothing
   * behind, and the same id may be tried again.
   * @throws AppError conflict for the same id with other content, and whatever `checkRate` and
   * `work` throw
   */
  async answer(
    key: OnceKey,
    checkRate: () => void,
    work: (tables: Tables, after: After) => Answered,
  ): Promise<ReplyDraft> {
    const known = this.#store.read.replay(key.party, key.messageId);
    if (known) return this.#again(key, known);
    const name = `${key.party} ${key.messageId}`;
    const inFlight = this.#inFlight.get(name);
    if (inFlight) return inFlight.digest === key.digest ? inFlight.reply : this.#conflict(key);
    if (key.sentAt !== undefined) this.#checkNotLost(key.sentAt);
    checkRate();
    const reply = this.#unit.run((tables, after) => {
      const { isRefused = false, ...draft } = work(tables, after);
      if (!isRefused) {
        tables.putReplay({
          party: key.party,
          messageId: key.messageId,
          contentDigest: key.digest,
          reply: JSON.stringify(draft),
          at: this.#clock.wallMs(),
        });
      }
      return draft;
    });
    this.#inFlight.set(name, { digest: key.digest, reply });
    try {
      return await reply;
    } finally {
      this.#inFlight.delete(name);
    }
  }

  /** In the commit in which the owner takes an older copy for the right one. */
  static restored(tables: Tables, atMs: number): void {
    tables.setMeta(META_RESTORED_AT, String(atMs));
  }

  #checkNotLost(sentAt: number): void {
    const restoredAt = Number(
      this.#store.read.getMeta(META_RESTORED_AT) ?? Number.NEGATIVE_INFINITY,
    );
    const isLately = this.#clock.wallMs() - restoredAt < RESTORED_WINDOW_MS;
    if (!isLately || sentAt >= restoredAt) return;
    throw inputError(
      'rejected',
      'This hub was restored from a backup after that was sent, so it cannot tell whether it was done already.',
      { hint: 'If it is still wanted, send it again under a fresh id.', data: { ended_by: 'hub' } },
    );
  }

  async #again(key: OnceKey, row: ReplayRow): Promise<ReplyDraft> {
    if (row.contentDigest !== key.digest || row.reply === null) return this.#conflict(key);
    return readDraft(row.reply);
  }

  async #conflict(key: OnceKey): Promise<ReplyDraft> {
    await this.#audit.refusal({
      actor: key.party,
      surface: 'peer',
      action: 'message.conflict',
      object: key.messageId,
      digest: key.digest,
    });
    throw inputError(
      'conflict',
      'This id was used before for something else. Nothing was changed; send it again under a fresh id.',
    );
  }
}

function readDraft(text: string): ReplyDraft {
  return JSON.parse(text) as ReplyDraft; // our own row
}

/**
 * Ids of the last ten minutes, by the hub or agent that sent them: queries and notifications that
 * came (one that comes again is not acted on twice), and requests that were cancelled before they
 * came ("Once only" and "Who may speak of it"). In memory.
 */
export class RecentIds {
  readonly #clock: Clock;
  readonly #perPartyMax: number;
  /** Of each party, when each id was kept, by the monotonic clock; the oldest first. */
  readonly #keptAtMs = new Map<PartyKey, Map<string, number>>();
  #size = 0;

  /** @param perPartyMax beyond it the oldest id of that party is forgotten */
  constructor(deps: { readonly clock: Clock }, perPartyMax = RECENT_IDS_MAX) {
    this.#clock = deps.clock;
    this.#perPartyMax = perPartyMax;
  }

  has(party: PartyKey, id: string): boolean {
    const keptAtMs = this.#keptAtMs.get(party)?.get(id);
    return keptAtMs !== undefined && !this.#isOld(keptAtMs);
  }

  keep(party: PartyKey, id: string): void {
    this.forget(party, id);
    const own = this.#keptAtMs.get(party) ?? new Map<string, number>();
    this.#keptAtMs.set(party, own.set(id, this.#clock.monotonicMs()));
    this.#size += 1;
    for (const [oldest, keptAtMs] of own) {
      if (own.size <= this.#perPartyMax && !this.#isOld(keptAtMs)) break;
      this.forget(party, oldest);
    }
    if (this.#size > RECENT_IDS_MAX) this.#forgetOldest();
  }

  forget(party: PartyKey, id: string): void {
    const own = this.#keptAtMs.get(party);
    if (own?.delete(id) !== true) return;
    this.#size -= 1;
    if (own.size === 0) this.#keptAtMs.delete(party);
  }

  #isOld(keptAtMs: number): boolean {
    return this.#clock.monotonicMs() - keptAtMs >= RECENT_ID_WINDOW_MS;
  }

  #forgetOldest(): void {
    let oldest:
      { readonly party: PartyKey; readonly id: string; readonly atMs: number } | undefined;
    for (const [party, own] of this.#keptAtMs) {
      for (const [id, atMs] of own) {
        if (oldest === undefined || atMs < oldest.atMs) oldest = { party, id, atMs };
        break;
      }
    }
    if (oldest !== undefined) this.forget(oldest.party, oldest.id);
  }
}
