// The owner passphrase: what a person at a terminal proves to be more than a program with a shell. Owns its slow hash (scrypt) in the
// store's meta and the pace of tries: one at a time in each line, a wrong one holds the next by a second. Must never keep or log the passphrase.
import { scrypt, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { AppError } from '../../lib/app-error.ts';
import { fromBase64, toBase64 } from '../../lib/bytes.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { PASSPHRASE_FAILURE_DELAY_MS, PASSPHRASE_SCRYPT, PASSPHRASE_TRIES_WAITING_MAX } from './limits.ts';

const META_NAME = 'auth.passphrase';
const HASH_SIZE_BYTES = 32;
const SALT_SIZE_BYTES = 16;

const recordSchema = v.object({ salt: v.string(), hash: v.string(), N: v.number(), r: v.number(), p: v.number() });
type PassphraseRecord = v.InferOutput<typeof recordSchema>;

/**
 * Where a try waits. `owner`: who is logged in already or can read hub.json; `anyone`: everybody else, whose wrong guesses must not keep
 * the owner at the terminal out.
 */
export type PassphraseLine = 'owner' | 'anyone';

interface Turns {
  last: Promise<unknown>;
  waiting: number;
}

/** Who sets it, for the audit. */
interface SetBy {
  readonly actor: string;
  readonly surface: string;
}

export interface PassphraseServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

export class PassphraseService {
  readonly #deps: PassphraseServiceDeps;
  readonly #lines: Readonly<Record<PassphraseLine, Turns>> = {
    owner: { last: Promise.resolve(), waiting: 0 },
    anyone: { last: Promise.resolve(), waiting: 0 },
  };

  constructor(deps: PassphraseServiceDeps) {
    this.#deps = deps;
  }

  isSet(): boolean {
    return this.#deps.store.read.getMeta(META_NAME) !== undefined;
  }

  /** Sets the first one. The caller has made sure that this person may. Throws `conflict` when another was set in the meantime. */
  async setFirst(passphrase: string, by: SetBy): Promise<void> {
    await this.#replace(undefined, passphrase, by);
  }

  /**
   * Puts `passphrase` in the place of `current`. Throws as `check` does, and `conflict` when another change came in between.
   */
  async change(current: string, passphrase: string, by: SetBy, signal: AbortSignal, line: PassphraseLine = 'anyone'): Promise<void> {
    const before = this.#deps.store.read.getMeta(META_NAME);
    await this.check(current, signal, line);
    await this.#replace(before, passphrase, by);
  }

  /**
   * Throws `unauthenticated` when it is wrong (a second later), `passphrase_required` when none is set yet, and `rate_limited` when too
   * many wait in this line already.
   */
  async check(passphrase: string, signal: AbortSignal, line: PassphraseLine = 'anyone'): Promise<void> {
    if (!this.isSet()) {
      throw new AppError('passphrase_required', 'This hub has no owner passphrase yet.', {
        hint: 'Set one with "axon login" at a terminal, or in Settings.',
        failedBy: 'input',
      });
    }
    const turns = this.#lines[line];
    if (turns.waiting >= PASSPHRASE_TRIES_WAITING_MAX) {
      throw new AppError('rate_limited', 'Too many passphrases are being tried at once.', {
        retryAfterMs: PASSPHRASE_TRIES_WAITING_MAX * PASSPHRASE_FAILURE_DELAY_MS,
        failedBy: 'input',
      });
    }
    turns.waiting += 1;
    const turn = turns.last.then(() => this.#try(passphrase, signal));
    turns.last = turn.catch(() => undefined);
    try {
      if (!(await turn)) throw new AppError('unauthenticated', 'That is not the owner passphrase.', { failedBy: 'input' });
    } finally {
      turns.waiting -= 1;
    }
  }

  /** `before` is the record this one may replace; it is looked at in the same transaction, after the slow hash. */
  async #replace(before: string | undefined, passphrase: string, by: SetBy): Promise<void> {
    const salt = this.#deps.random.bytes(SALT_SIZE_BYTES);
    const { N, r, p } = PASSPHRASE_SCRYPT;
    const record: PassphraseRecord = { salt: toBase64(salt), hash: toBase64(await hash(passphrase, salt, { N, r, p })), N, r, p };
    const at = this.#deps.clock.wallMs();
    await this.#deps.store.write((tables) => {
      if (tables.getMeta(META_NAME) !== before) {
        throw new AppError('conflict', 'Another owner passphrase was set at the same moment; this one was not.', {
          hint: 'If that was not you, stop the hub and look at who uses this computer.',
          failedBy: 'input',
        });
      }
      tables.setMeta(META_NAME, JSON.stringify(record));
      tables.appendAudit({
        at,
        actor: by.actor,
        surface: by.surface,
        action: 'passphrase.set',
        object: 'owner',
        digest: null,
        detail: '{}',
      });
    });
  }

  async #try(passphrase: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const record = this.#record();
    const salt = fromBase64(record.salt);
    const expected = fromBase64(record.hash);
    if (salt === undefined || expected?.byteLength !== HASH_SIZE_BYTES) {
      throw new AppError('storage_failed', 'The stored owner passphrase is damaged.', { hint: 'Restore the data folder from a backup.' });
    }
    const right = timingSafeEqual(await hash(passphrase, salt, record), expected);
    if (!right) await new Promise<void>((resolve) => this.#deps.clock.setTimer(PASSPHRASE_FAILURE_DELAY_MS, resolve));
    return right;
  }

  #record(): PassphraseRecord {
    try {
      return v.parse(recordSchema, JSON.parse(this.#deps.store.read.getMeta(META_NAME) ?? ''));
    } catch (cause) {
      throw new AppError('storage_failed', 'The stored owner passphrase is damaged.', { cause });
    }
  }
}

function hash(passphrase: string, salt: Uint8Array, cost: { readonly N: number; readonly r: number; readonly p: number }): Promise<Buffer> {
  const { N, r, p } = cost;
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, HASH_SIZE_BYTES, { N, r, p, maxmem: PASSPHRASE_SCRYPT.maxmem }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
