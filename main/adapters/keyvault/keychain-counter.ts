// The rollback counter in the operating system's keychain, in an entry of its own beside the
// identity's: whoever puts an older database back does not put that back with it. Holds no secret.
import { AppError } from '../../lib/app-error.ts';
import type { CounterMark, CounterRead, RollbackCounter } from '../../ports/rollback-counter.ts';
import { counterToText, textToCounter } from './counter-text.ts';
import { SlowKeychain, type KeychainCalls } from './keychain-calls.ts';
import { troubleOf, type KeychainAccess } from './system-keychain.ts';

/** The name under which a person finds the entries of a hub in the keychain's own window. */
export const KEYCHAIN_SERVICE = 'axon-hub';
/** Behind the account of the identity. */
export const COUNTER_SUFFIX = '-counter';
const LOCKED = 'The keychain of this computer is locked or did not let the hub in.';

interface KeychainCounterDeps {
  readonly access: KeychainAccess;
  readonly calls: KeychainCalls;
  /** The account of the identity. */
  readonly account: () => Promise<string>;
}

export class KeychainCounter implements RollbackCounter {
  readonly #deps: KeychainCounterDeps;

  constructor(deps: KeychainCounterDeps) {
    this.#deps = deps;
  }

  async read(signal: AbortSignal): Promise<CounterRead> {
    const { access, calls } = this.#deps;
    try {
      const account = await this.#account();
      const text = await calls.run(() => access.get(KEYCHAIN_SERVICE, account), signal);
      if (text === null) return { state: 'absent' };
      const mark = textToCounter(text);
      return mark === undefined ? { state: 'damaged' } : { state: 'found', mark };
    } catch (error) {
      if (!(error instanceof SlowKeychain) && troubleOf(error) === 'damaged')
        return { state: 'damaged' };
      return { state: 'locked', reason: LOCKED };
    }
  }

  async write(mark: CounterMark, signal: AbortSignal): Promise<void> {
    const { access, calls } = this.#deps;
    try {
      const account = await this.#account();
      await calls.run(() => access.set(KEYCHAIN_SERVICE, account, counterToText(mark)), signal);
    } catch (cause) {
      throw new AppError('identity_locked', LOCKED, { cause });
    }
  }

  async #account(): Promise<string> {
    return `${await this.#deps.account()}${COUNTER_SUFFIX}`;
  }
}
