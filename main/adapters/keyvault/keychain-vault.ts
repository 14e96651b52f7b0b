// The identity seed in the operating system's keychain, one entry a data folder. Waits for the keychain only as long as it is allowed to
// and asks one question at a time: each open call holds a thread of the process until a person answers its prompt.
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { AppError } from '../../lib/app-error.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyVault, VaultRead } from '../../ports/key-vault.ts';
import { KEYCHAIN_OPEN_CALLS_MAX, KEYCHAIN_TIMEOUT_MS } from './limits.ts';
import { seedToText, textToSeed } from './seed-text.ts';
import { systemKeychain, troubleOf, type KeychainAccess } from './system-keychain.ts';

/** The name under which a person finds the entry in the keychain's own window. */
export const KEYCHAIN_SERVICE = 'axon-hub';

const REASONS = {
  locked: 'The keychain of this computer is locked or did not let the hub in. Unlock it and try again.',
  unavailable: 'This computer has no keychain.',
  damaged: 'The keychain holds something under the name of this hub that is not an identity.',
} as const;
const SLOW = 'The keychain of this computer did not answer in time. It may be waiting for a person to unlock it.';

export interface KeychainVaultDeps {
  /** The data folder; it is there already. Each folder has an identity of its own, named by the folder's real path. */
  readonly homeFolder: string;
  readonly clock: Clock;
  readonly access?: KeychainAccess;
  readonly timeoutMs?: number;
}

/** The entry's account: the same for every spelling of one folder, and without the person's name in it. */
export async function keychainAccount(homeFolder: string): Promise<string> {
  const real = await realpath(homeFolder);
  return `hub-${createHash('sha256').update(real).digest('hex').slice(0, 32)}`;
}

export class KeychainVault implements KeyVault {
  readonly kind = 'keychain';
  readonly #deps: KeychainVaultDeps;
  readonly #access: KeychainAccess;
  readonly #timeoutMs: number;
  readonly #open = new Set<Promise<void>>();
  #lastBeganMs = 0;

  constructor(deps: KeychainVaultDeps) {
    this.#deps = deps;
    this.#access = deps.access ?? systemKeychain();
    this.#timeoutMs = deps.timeoutMs ?? KEYCHAIN_TIMEOUT_MS;
  }

  /**
   * True while the system still works on a call that was given up. Such a call cannot be cancelled, and an orderly end of the process
   * waits for its thread: a program that has to end now ends itself by a signal.
   */
  get hasOpenCall(): boolean {
    return this.#open.size > 0;
  }

  /**
   * - `found`: a seed. - `absent`: the keychain works, was seen to take an entry where that is in doubt, and holds no seed of this folder.
   * - `locked`: locked, refused, slow, aborted, or any failure not known for certain. - `damaged`: the entry is no seed, or there are two.
   * - `unavailable`: no session bus, no Secret Service on it, or one without a collection.
   */
  async read(signal: AbortSignal): Promise<VaultRead> {
    try {
      const account = await keychainAccount(this.#deps.homeFolder);
      const text = await this.#call(() => this.#access.get(KEYCHAIN_SERVICE, account), signal);
      if (text === null) {
        if (this.#access.mayLackCollection) await this.#tryToWrite(account, signal);
        return { state: 'absent' };
      }
      const seed = textToSeed(text);
      return seed === undefined ? { state: 'damaged', reason: REASONS.damaged } : { state: 'found', seed };
    } catch (error) {
      if (error instanceof SlowKeychain) return { state: 'locked', reason: SLOW };
      const trouble = troubleOf(error);
      return { state: trouble, reason: REASONS[trouble] };
    }
  }

  /** Throws AppError `conflict` when an entry is there, `identity_locked` when the keychain cannot take one now. */
  async write(seed: Secret<Uint8Array>, signal: AbortSignal): Promise<void> {
    const text = seedToText(seed);
    const before = await this.read(signal);
    if (before.state === 'found' || before.state === 'damaged') {
      throw new AppError('conflict', 'The keychain holds an identity of this hub already; it is never overwritten.');
    }
    if (before.state !== 'absent') throw new AppError('identity_locked', before.reason);
    const account = await keychainAccount(this.#deps.homeFolder);
    try {
      await this.#call(() => this.#access.set(KEYCHAIN_SERVICE, account, text), signal);
    } catch (error) {
      const reason = error instanceof SlowKeychain ? SLOW : REASONS[troubleOf(error)];
      throw new AppError('identity_locked', reason, { cause: error });
    }
  }

  /** Puts an entry without a secret in and takes it out again, so that "absent" never stands for a keychain that can keep nothing. */
  async #tryToWrite(account: string, signal: AbortSignal): Promise<void> {
    const trial = `${account}-trial`;
    await this.#call(() => this.#access.set(KEYCHAIN_SERVICE, trial, 'trial'), signal);
    await this.#call(() => this.#access.delete(KEYCHAIN_SERVICE, trial), signal);
  }

  /** Waits for its turn and for the answer; gives up, without ending the call, on `signal` or after the time limit. */
  #call<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => {
        settle();
        reject(new SlowKeychain());
      };
      let waiting = true;
      const settle = (): void => {
        waiting = false;
        timer.cancel();
        signal.removeEventListener('abort', giveUp);
      };
      const timer = this.#deps.clock.setTimer(this.#timeoutMs, giveUp);
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      void this.#inTurn(() => waiting, run).then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  /** Waits until no call is open that may still be answered, then runs unless nobody waits any more. */
  async #inTurn<T>(wanted: () => boolean, run: () => Promise<T>): Promise<T> {
    while (this.#open.size > 0 && !this.#mayPassOpenCalls()) await Promise.race(this.#open);
    if (!wanted()) throw new SlowKeychain();
    const call = run();
    const open = call.then(
      () => undefined,
      () => undefined,
    );
    this.#open.add(open);
    this.#lastBeganMs = this.#deps.clock.monotonicMs();
    void open.then(() => this.#open.delete(open));
    return call;
  }

  #mayPassOpenCalls(): boolean {
    return this.#open.size < KEYCHAIN_OPEN_CALLS_MAX && this.#deps.clock.monotonicMs() - this.#lastBeganMs >= this.#timeoutMs;
  }
}

class SlowKeychain extends Error {
  override readonly name = 'SlowKeychain';
}
