// The identity seed in the operating system's keychain, one entry a data folder. Waits for the
// keychain only as long as it is allowed to, and answers `absent` only where that is certain.
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { AppError } from '../../lib/app-error.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyVault, VaultRead } from '../../ports/key-vault.ts';
import type { RollbackCounter } from '../../ports/rollback-counter.ts';
import { KeychainCalls, SlowKeychain } from './keychain-calls.ts';
import { KEYCHAIN_SERVICE, KeychainCounter } from './keychain-counter.ts';
import { seedToText, textToSeed } from './seed-text.ts';
import { systemKeychain, troubleOf, type KeychainAccess } from './system-keychain.ts';

const REASONS = {
  locked:
    'The keychain of this computer is locked or did not let the hub in. Unlock it and try again.',
  unavailable: 'This computer has no keychain.',
  damaged: 'The keychain holds something under the name of this hub that is not an identity.',
} as const;
const SLOW =
  'The keychain of this computer did not answer in time. It may be waiting for a person to unlock it.';

interface KeychainVaultDeps {
  /**
   * The data folder; it is there already. Each folder has an identity of its own, named by the
   * folder's real path.
   */
  readonly homeFolder: string;
  readonly clock: Clock;
  readonly access?: KeychainAccess;
  readonly timeoutMs?: number;
}

/**
 * The entry's account: the same for every spelling of one folder, and without the person's name in
 * it.
 */
export async function keychainAccount(homeFolder: string): Promise<string> {
  const real = await realpath(homeFolder);
  return `hub-${createHash('sha256').update(real).digest('hex').slice(0, 32)}`;
}

export class KeychainVault implements KeyVault {
  readonly kind = 'keychain';
  readonly counter: RollbackCounter;
  readonly #deps: KeychainVaultDeps;
  readonly #access: KeychainAccess;
  readonly #calls: KeychainCalls;

  constructor(deps: KeychainVaultDeps) {
    this.#deps = deps;
    this.#access = deps.access ?? systemKeychain();
    this.#calls = new KeychainCalls(deps.clock, deps.timeoutMs);
    this.counter = new KeychainCounter({
      access: this.#access,
      calls: this.#calls,
      account: () => keychainAccount(deps.homeFolder),
    });
  }

  /**
   * True while the system still works on a call that was given up. Such a call cannot be cancelled,
   * and an orderly end of the process waits for its thread: a program that has to end now ends
   * itself by a signal.
   */
  get hasOpenCall(): boolean {
    return this.#calls.hasOpenCall;
  }

  /**
   * - `found`: a seed. - `absent`: the keychain works, was seen to take an entry where that is in
   *   doubt, and holds no seed of this folder.
   * - `locked`: locked, refused, slow, aborted, or any failure not known for certain. - `damaged`:
   *   the entry is no seed, or there are two.
   * - `unavailable`: no session bus, no Secret Service on it, or one without a collection.
   */
  async read(signal: AbortSignal): Promise<VaultRead> {
    try {
      const account = await keychainAccount(this.#deps.homeFolder);
      const text = await this.#calls.run(() => this.#access.get(KEYCHAIN_SERVICE, account), signal);
      if (text === null) {
        if (this.#access.mayLackCollection) await this.#tryToWrite(account, signal);
        return { state: 'absent' };
      }
      const seed = textToSeed(text);
      return seed === undefined
        ? { state: 'damaged', reason: REASONS.damaged }
        : { state: 'found', seed };
    } catch (error) {
      if (error instanceof SlowKeychain) return { state: 'locked', reason: SLOW };
      const trouble = troubleOf(error);
      return { state: trouble, reason: REASONS[trouble] };
    }
  }

  /**
   * Throws AppError `conflict` when an entry is there, `identity_locked` when the keychain cannot
   * take one now.
   */
  async write(seed: Secret<Uint8Array>, signal: AbortSignal): Promise<void> {
    const text = seedToText(seed);
    const before = await this.read(signal);
    if (before.state === 'found' || before.state === 'damaged') {
      throw new AppError(
        'conflict',
        'The keychain holds an identity of this hub already; it is never overwritten.',
      );
    }
    if (before.state !== 'absent') throw new AppError('identity_locked', before.reason);
    const account = await keychainAccount(this.#deps.homeFolder);
    try {
      await this.#calls.run(() => this.#access.set(KEYCHAIN_SERVICE, account, text), signal);
    } catch (error) {
      const reason = error instanceof SlowKeychain ? SLOW : REASONS[troubleOf(error)];
      throw new AppError('identity_locked', reason, { cause: error });
    }
  }

  /**
   * Puts an entry without a secret in and takes it out again, so that "absent" never stands for a
   * keychain that can keep nothing.
   */
  async #tryToWrite(account: string, signal: AbortSignal): Promise<void> {
    const trial = `${account}-trial`;
    await this.#calls.run(() => this.#access.set(KEYCHAIN_SERVICE, trial, 'trial'), signal);
    await this.#calls.run(() => this.#access.delete(KEYCHAIN_SERVICE, trial), signal);
  }
}
