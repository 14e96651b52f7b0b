// Delegations and cancels are acted on once per peer and id, for ever (PROTOCOL.md, Delegation
// states, "Once only"). The same id with the same content gets the same answer again, and counts
// against no rate. The same id with other content is a conflict, and changes nothing.
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReplayRow, Store, Tables } from '../../ports/store.ts';
import type { ReplyDraft } from '../base/peer-messenger.ts';
import type { AuditTrail } from '../base/audit-trail.ts';
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
