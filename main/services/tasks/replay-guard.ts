// What comes twice is acted on once (PROTOCOL.md, Delegation states, "Once only"). The ids of
// delegations and cancels are stored for ever. The same id with the same content gets the same
// answer again, and counts against no rate; with other content it is a conflict that changes
// nothing. The ids of queries and notifications are remembered for a short while, in memory.
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReplayRow, Store, Tables } from '../../ports/store.ts';
import type { ReplyDraft } from '../base/peer-messenger.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
import { RECENT_MESSAGE_WINDOW_MS, RECENT_MESSAGES_MAX } from './limits.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { PartyKey } from '../../ports/transport.ts';

interface OnceKey {
  readonly party: PartyKey;
  readonly messageId: string;
  /** contentDigest of the message. */
  readonly digest: string;
}

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
   * The one answer to this id. `admit` runs before the commit and outside of replays (rates);
   * `work` runs inside the commit that also stores its answer. A retryable refusal is not stored:
   * the same id may be tried again.
   * @throws AppError conflict for the same id with other content, and whatever `admit` and `work`
   * throw
   */
  async answer(
    key: OnceKey,
    admit: () => void,
    work: (tables: Tables, after: After) => ReplyDraft,
  ): Promise<ReplyDraft> {
    const known = this.#store.read.replay(key.party, key.messageId);
    if (known) return this.#again(key, known);
    const name = `${key.party} ${key.messageId}`;
    const inFlight = this.#inFlight.get(name);
    if (inFlight) return inFlight.digest === key.digest ? inFlight.reply : this.#conflict(key);
    admit();
    const reply = this.#unit.run((tables, after) => {
      const draft = work(tables, after);
      if (isFinal(draft)) {
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
    throw new AppError(
      'conflict',
      'This id was used before for something else. Nothing was changed; send it again under a fresh id.',
      {
        failedBy: 'input',
      },
    );
  }
}

function isFinal(draft: ReplyDraft): boolean {
  return draft.payload.accepted !== false || draft.payload.retryable !== true;
}

function readDraft(text: string): ReplyDraft {
  return JSON.parse(text) as ReplyDraft; // our own row
}

/** Queries and notifications of a short while ago. What a repeat means is the caller's. */
export class RecentMessages {
  readonly #clock: Clock;
  /** When each was taken, by the monotonic clock; the oldest first. */
  readonly #takenAtMs = new Map<string, number>();

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  has(party: PartyKey, messageId: string): boolean {
    const takenAtMs = this.#takenAtMs.get(`${party} ${messageId}`);
    return (
      takenAtMs !== undefined && this.#clock.monotonicMs() - takenAtMs < RECENT_MESSAGE_WINDOW_MS
    );
  }

  keep(party: PartyKey, messageId: string): void {
    const name = `${party} ${messageId}`;
    this.#takenAtMs.delete(name);
    this.#takenAtMs.set(name, this.#clock.monotonicMs());
    if (this.#takenAtMs.size <= RECENT_MESSAGES_MAX) return;
    const oldest = this.#takenAtMs.keys().next();
    if (!oldest.done) this.#takenAtMs.delete(oldest.value);
  }
}
