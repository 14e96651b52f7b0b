// How much a paired peer may ask of this hub: the default rates of a peer and the daily share of
// stored bytes. Answers with the error for the peer. Must be asked after an honest replay was
// recognised, because a replay counts against no rate.
import { type AppError, inputError } from '../../lib/app-error.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { PEER_RATES, STORED_BYTES_PER_DAY_MAX } from './limits.ts';

export type RatedKind = keyof typeof PEER_RATES;
/** The rate of each kind. Tests and benches pass higher ones. */
export type PeerRateTable = {
  readonly [Kind in RatedKind]: { readonly burst: number; readonly perMinute: number };
};

const MINUTES_PER_DAY = 24 * 60;
const PLURAL: Record<RatedKind, string> = {
  delegate: 'delegations',
  query: 'queries',
  notify: 'notifications',
  cancel: 'cancels',
};

export class PeerRates {
  readonly #buckets: TokenBuckets;
  readonly #table: PeerRateTable;
  readonly #storedBytesPerDay: number;

  constructor(
    clock: Clock,
    table: PeerRateTable = PEER_RATES,
    storedBytesPerDay: number = STORED_BYTES_PER_DAY_MAX,
  ) {
    this.#buckets = new TokenBuckets(clock);
    this.#table = table;
    this.#storedBytesPerDay = storedBytesPerDay;
  }

  /**
   * Counts one message of `kind` and the bytes it makes us store. The error is `rate_limited` or
   * `overloaded`, retryable, with the wait in ms; nothing of what was refused is stored.
   */
  take(peer: KeyHex, kind: RatedKind, storedBytes = 0): Result<void, AppError> {
    const room = this.#takeOne(peer, kind);
    if (!room.ok || storedBytes === 0) return room;
    const rate = {
      burst: this.#storedBytesPerDay,
      perMinute: this.#storedBytesPerDay / MINUTES_PER_DAY,
    };
    const waitMs = this.#buckets.take(`bytes ${peer}`, rate, storedBytes);
    if (waitMs === 0) return ok();
    const kibibytes = Math.floor(this.#storedBytesPerDay / 1024);
    const words = `This hub keeps at most ${kibibytes} KiB a day from you, and that is used up. Send less, or try again later.`;
    return err(inputError('overloaded', words, { retryAfterMs: waitMs }));
  }

  #takeOne(peer: KeyHex, kind: RatedKind): Result<void, AppError> {
    const rate = this.#table[kind];
    const waitMs = this.#buckets.take(`${kind} ${peer}`, rate);
    if (waitMs === 0) return ok();
    return err(
      inputError(
        'rate_limited',
        `Too many ${PLURAL[kind]}: this hub takes ${rate.perMinute} a minute from you. Try again in ${Math.ceil(waitMs / 1_000)} s.`,
        { retryAfterMs: waitMs },
      ),
    );
  }
}
