// The owner passphrase: what a person at a terminal proves to be more than a program with a shell.
// Owns its slow hash (scrypt) in the store's meta, the pace of tries (one at a time in each line, a
// wrong one holds the next by a second, several in a row for longer) and the rows of the record
// about wrong ones. Must never keep or log the passphrase.
import { plural } from '../../../preload/contract/strings/shared-words.ts';
import { scrypt, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import {
  PASSPHRASE_MIN_CHARACTERS,
  passphraseFlaw,
  tidyPassphrase,
} from '../../../preload/contract/passphrase.ts';
import { AppError, inputError, messageOf } from '../../lib/app-error.ts';
import { SerialQueue } from '../../lib/serial-queue.ts';
import { fromBase64, toBase64 } from '../../lib/bytes.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Reads, Store, Tables } from '../../ports/store.ts';
import { SECURITY_AUDIT } from '../base/limits.ts';
import {
  PASSPHRASE_BACK_OFF_MAX_MS,
  PASSPHRASE_FAILURE_DELAY_MS,
  PASSPHRASE_FAILURES_FREE,
  PASSPHRASE_SCRYPT,
  PASSPHRASE_TRIES_WAITING_MAX,
} from './limits.ts';
import { auditRow, type Actor } from '../base/audit-trail.ts';
import { UnitOfWork, type After } from '../base/unit-of-work.ts';

const META_NAME = 'auth.passphrase';
const HASH_SIZE_BYTES = 32;
const SALT_SIZE_BYTES = 16;

const recordSchema = v.object({
  salt: v.string(),
  hash: v.string(),
  N: v.number(),
  r: v.number(),
  p: v.number(),
});
type PassphraseRecord = v.InferOutput<typeof recordSchema>;

/**
 * Where a try waits. `owner`: a terminal, or who can read hub.json; `page`: a page that is logged
 * in, which may be a child's; `anyone`: everybody else. Wrong guesses in one of them keep nobody in
 * another out.
 */
export type PassphraseLine = 'owner' | 'page' | 'anyone';

interface Tries {
  readonly queue: SerialQueue;
  waiting: number;
  /** Wrong ones in a row. */
  failures: number;
  /** Monotonic; no try before it. */
  opensAtMs: number;
}

const NOBODY: Actor = { actor: 'anonymous', surface: 'hub' };
const noTries = (): Tries => ({
  queue: new SerialQueue(),
  waiting: 0,
  failures: 0,
  opensAtMs: -Infinity,
});

interface PassphraseServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
}

export class PassphraseService {
  readonly #deps: PassphraseServiceDeps;
  readonly #lines: Readonly<Record<PassphraseLine, Tries>> = {
    owner: noTries(),
    page: noTries(),
    anyone: noTries(),
  };
  readonly #rows: TokenBuckets;
  readonly #unit: UnitOfWork;

  constructor(deps: PassphraseServiceDeps) {
    this.#deps = deps;
    this.#unit = new UnitOfWork(deps);
    this.#rows = new TokenBuckets(deps.clock);
  }

  isSet(): boolean {
    return this.#deps.store.read.getMeta(META_NAME) !== undefined;
  }

  /**
   * Sets the first one. The caller has made sure that this person may. Throws `conflict` when
   * another was set in the meantime, `bad_request` for one that cannot be typed or is too short.
   */
  async setFirst(passphrase: string, by: Actor): Promise<void> {
    await this.#replace(undefined, passphrase, by);
  }

  /**
   * What checks later, inside a commit, that it is still the one of now. It throws `conflict` where
   * it was changed since.
   */
  unchanged(): (reads: Pick<Reads, 'getMeta'>) => void {
    const before = this.#deps.store.read.getMeta(META_NAME);
    return (reads) => {
      if (reads.getMeta(META_NAME) === before) return;
      throw inputError('conflict', 'The owner passphrase was changed at the same moment.', {
        hint: 'Log in again.',
      });
    };
  }

  /**
   * Puts `passphrase` in the place of `current`. Throws as `check` and `setFirst` do.
   * @param also what goes with it in the same commit
   */
  async change(
    current: string,
    passphrase: string,
    by: Actor,
    signal: AbortSignal,
    line: PassphraseLine = 'anyone',
    also?: (tables: Tables, after: After) => void,
  ): Promise<void> {
    refuseFlawed(passphrase);
    const before = this.#deps.store.read.getMeta(META_NAME);
    await this.check(current, signal, line, by);
    await this.#replace(before, passphrase, by, also);
  }

  /**
   * Throws `wrong_passphrase` when it is wrong (a second later, with a row of the record),
   * `passphrase_required` when none is set yet, and `rate_limited` when too many wait in this line
   * already, or too many in a row were wrong in it.
   */
  async check(
    passphrase: string,
    signal: AbortSignal,
    line: PassphraseLine = 'anyone',
    by: Actor = NOBODY,
  ): Promise<void> {
    if (!this.isSet()) {
      throw inputError('passphrase_required', 'This hub has no owner passphrase yet.', {
        hint: 'Set one with "axon login" on the computer where this hub runs, or in Settings of its window.',
      });
    }
    const tries = this.#lines[line];
    if (tries.waiting >= PASSPHRASE_TRIES_WAITING_MAX) {
      throw inputError('rate_limited', 'Too many passphrases are being tried at once.', {
        retryAfterMs: PASSPHRASE_TRIES_WAITING_MAX * PASSPHRASE_FAILURE_DELAY_MS,
      });
    }
    tries.waiting += 1;
    try {
      if (!(await tries.queue.run(() => this.#try(passphrase, signal, line, by))))
        throw inputError('wrong_passphrase', 'That is not the owner passphrase.');
    } finally {
      tries.waiting -= 1;
    }
  }

  /**
   * `before` is the record this one may replace; it is looked at in the same transaction, after the
   * slow hash.
   */
  async #replace(
    before: string | undefined,
    passphrase: string,
    by: Actor,
    also?: (tables: Tables, after: After) => void,
  ): Promise<void> {
    refuseFlawed(passphrase);
    const salt = this.#deps.random.bytes(SALT_SIZE_BYTES);
    const { N, r, p } = PASSPHRASE_SCRYPT;
    const record: PassphraseRecord = {
      salt: toBase64(salt),
      hash: toBase64(await hash(tidyPassphrase(passphrase), salt, { N, r, p })),
      N,
      r,
      p,
    };
    const at = this.#deps.clock.wallMs();
    await this.#unit.run((tables, after) => {
      if (tables.getMeta(META_NAME) !== before) {
        throw inputError(
          'conflict',
          'Another owner passphrase was set at the same moment; this one was not.',
          {
            hint: 'If that was not you, stop the hub and look at who uses this computer.',
          },
        );
      }
      tables.setMeta(META_NAME, JSON.stringify(record));
      tables.appendAudit(auditRow(at, { ...by, action: 'passphrase.set', object: 'owner' }));
      also?.(tables, after);
    });
  }

  async #try(
    passphrase: string,
    signal: AbortSignal,
    line: PassphraseLine,
    by: Actor,
  ): Promise<boolean> {
    if (signal.aborted) return false;
    const { clock } = this.#deps;
    const tries = this.#lines[line];
    const closedForMs = tries.opensAtMs - clock.monotonicMs();
    if (closedForMs > 0) throw tooOften(tries.failures, closedForMs);
    const record = this.#record();
    const salt = fromBase64(record.salt);
    const expected = fromBase64(record.hash);
    if (salt === undefined || expected?.byteLength !== HASH_SIZE_BYTES) {
      throw new AppError('storage_failed', 'The stored owner passphrase is damaged.', {
        hint: 'Restore the data folder from a backup.',
      });
    }
    // One that was set before blanks were taken off may have them.
    const spellings = new Set([tidyPassphrase(passphrase), passphrase.normalize('NFKC')]);
    let right = false;
    for (const spelling of spellings)
      right ||= timingSafeEqual(await hash(spelling, salt, record), expected);
    tries.failures = right ? 0 : tries.failures + 1;
    if (right) return true;
    tries.opensAtMs = clock.monotonicMs() + backOffMs(line, tries.failures);
    await this.#noteWrong(line, by);
    await new Promise<void>((resolve) => clock.setTimer(PASSPHRASE_FAILURE_DELAY_MS, resolve));
    return false;
  }

  /**
   * Rows are bounded line by line, so that those about one crowd out none about another. Never
   * rejects: a guess costs its time, and is answered as wrong, on a full disk as well.
   */
  async #noteWrong(line: PassphraseLine, by: Actor): Promise<void> {
    if (this.#rows.take(line, SECURITY_AUDIT) > 0) return;
    const { clock, store, log } = this.#deps;
    const row = auditRow(clock.wallMs(), {
      ...by,
      action: 'passphrase.refused',
      object: 'owner',
      detail: { line },
    });
    try {
      await store.write((tables) => tables.appendAudit(row));
    } catch (error) {
      log.warn('a wrong owner passphrase is not on record', {
        line,
        error: messageOf(error),
      });
    }
  }

  #record(): PassphraseRecord {
    try {
      return v.parse(recordSchema, JSON.parse(this.#deps.store.read.getMeta(META_NAME) ?? ''));
    } catch (cause) {
      throw new AppError('storage_failed', 'The stored owner passphrase is damaged.', { cause });
    }
  }
}

function refuseFlawed(passphrase: string): void {
  const flaw = passphraseFlaw(passphrase);
  if (flaw === null) return;
  throw flaw === 'short'
    ? inputError(
        'bad_request',
        `An owner passphrase has at least ${PASSPHRASE_MIN_CHARACTERS} characters; blanks around it do not count.`,
      )
    : inputError(
        'bad_request',
        'That passphrase holds a character that nobody can see or type, so it was not set.',
        { hint: 'Choose one of letters, digits, signs and blanks.' },
      );
}

/** @param passphrase in NFKC */
function hash(
  passphrase: string,
  salt: Uint8Array,
  cost: { readonly N: number; readonly r: number; readonly p: number },
): Promise<Buffer> {
  const { N, r, p } = cost;
  return new Promise((resolve, reject) => {
    scrypt(
      passphrase,
      salt,
      HASH_SIZE_BYTES,
      { N, r, p, maxmem: PASSPHRASE_SCRYPT.maxmem },
      (error, key) => {
        if (error === null) resolve(key);
        else reject(error);
      },
    );
  });
}

/**
 * How long a line stays closed after so many wrong ones in a row, ms; 0: no longer than each holds
 * the next anyway.
 */
function backOffMs(line: PassphraseLine, failures: number): number {
  const over = failures - PASSPHRASE_FAILURES_FREE;
  if (over < 0) return 0;
  return Math.min(
    PASSPHRASE_BACK_OFF_MAX_MS[line],
    PASSPHRASE_FAILURE_DELAY_MS * 2 ** Math.min(over + 1, 30),
  );
}

function tooOften(failures: number, closedForMs: number): AppError {
  const seconds = Math.ceil(closedForMs / 1_000);
  return inputError(
    'rate_limited',
    `A wrong owner passphrase was given ${plural(failures, { one: 'once', other: '{n} times in a row' })}; the next is taken in ${seconds} s.`,
    {
      retryAfterMs: Math.ceil(closedForMs),
      hint: 'A terminal of this computer is not held up by that.',
    },
  );
}
