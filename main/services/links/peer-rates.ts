// How much a paired peer may ask of this hub: the default rates of a peer and the daily share of stored bytes, which those for whom it asks
// have to share. Answers with the error the peer is to get; must be asked after an honest replay has been recognised, since that counts
// against no rate.
import { AppError } from '../../lib/app-error.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { FairShares, type NoShare } from './fair-shares.ts';
import { PEER_RATES, STORED_BYTES_PER_DAY_MAX } from './limits.ts';

export type RatedKind = keyof typeof PEER_RATES;
/** Which rate a kind has, by kind; for a test or a bench a table with higher ones is given to the constructor. */
export type PeerRateTable = { readonly [Kind in RatedKind]: { readonly burst: number; readonly perMinute: number } };

const MINUTES_PER_DAY = 24 * 60;
const PLURAL: Record<RatedKind, string> = {
  delegate: 'delegations',
  query: 'queries',
  notify: 'notifications',
  cancel: 'cancels',
  consent: 'questions',
};

export class PeerRates {
  readonly #buckets: TokenBuckets;
  readonly #table: PeerRateTable;
  readonly #storedBytesPerDay: number;
  readonly #shares: FairShares;

  constructor(clock: Clock, table: PeerRateTable = PEER_RATES, storedBytesPerDay: number = STORED_BYTES_PER_DAY_MAX) {
    this.#buckets = new TokenBuckets(clock);
    this.#table = table;
    this.#storedBytesPerDay = storedBytesPerDay;
    this.#shares = new FairShares(clock, storedBytesPerDay);
  }

  /**
   * Counts one message of `kind` and the bytes it makes us store. The error is `rate_limited` or `overloaded`, retryable, with the
   * wait in ms; nothing of what was refused is stored.
   */
  take(peer: KeyHex, kind: Exclude<RatedKind, 'consent'>, storedBytes = 0): Result<void, AppError> {
    const room = this.#takeOne(peer, kind);
    if (!room.ok || storedBytes === 0) return room;
    const rate = { burst: this.#storedBytesPerDay, perMinute: this.#storedBytesPerDay / MINUTES_PER_DAY };
    const waitMs = this.#buckets.take(`bytes ${peer}`, rate, storedBytes);
    return waitMs === 0 ? ok() : err(this.#tooManyBytes({ of: 'hub', waitMs }));
  }

  /**
   * The same for a question of consent, which has bytes of its own. @param asker for whom the peer asks, as it says: an `overloaded` whose data
   * has `of_asker` is about that one alone, and others behind that peer are heard (PROTOCOL.md, Consent, Pace)
   */
  takeQuestion(peer: KeyHex, asker: string, storedBytes: number): Result<void, AppError> {
    const room = this.#takeOne(peer, 'consent');
    if (!room.ok) return room;
    const none = this.#shares.take(peer, asker, storedBytes);
    return none === undefined ? ok() : err(this.#tooManyBytes(none));
  }

  #takeOne(peer: KeyHex, kind: RatedKind): Result<void, AppError> {
    const rate = this.#table[kind];
    const waitMs = this.#buckets.take(`${kind} ${peer}`, rate);
    if (waitMs === 0) return ok();
    return err(
      new AppError(
        'rate_limited',
        `Too many ${PLURAL[kind]}: this hub takes ${rate.perMinute} a minute from you. Try again in ${Math.ceil(waitMs / 1_000)} s.`,
        { failedBy: 'input', retryAfterMs: waitMs },
      ),
    );
  }

  #tooManyBytes({ of, waitMs }: NoShare): AppError {
    const kibibytes = Math.floor(this.#storedBytesPerDay / 1024);
    const words =
      of === 'hub'
        ? `This hub keeps at most ${kibibytes} KiB a day from you, and that is used up. Send less, or try again later.`
        : `This hub keeps at most ${kibibytes} KiB a day from you, and the share of whoever asks this is used up. Send less for it, or try again later.`;
    return new AppError('overloaded', words, { failedBy: 'input', retryAfterMs: waitMs, data: of === 'asker' ? { of_asker: true } : {} });
  }
}
