// One-time login codes for pages: 128 bits, single use, 90 s, void after five wrong tries at that
// very code. The first characters say which code a try is at, so nobody who has not seen them can
// void the owner's code. Codes live in memory alone: a restart ends them. Must never write a code
// to a log or the store.
import { createHash, timingSafeEqual } from 'node:crypto';
import { inputError } from '../../lib/app-error.ts';
import { toBase64Url, utf8 } from '../../lib/bytes.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { LOGIN_CODES_MAX, LOGIN_CODE_FAILURES_MAX, LOGIN_CODE_MAX_MS } from './limits.ts';

const LOGIN_CODE_SIZE_BYTES = 16;

interface LoginServiceDeps {
  readonly clock: Clock;
  readonly random: Random;
}

interface LoginCode {
  readonly code: string;
  /** Wall clock, ms: for display. */
  readonly expiresAt: number;
}

/** The characters that identify a code: 24 bits. The other 104 bits are the secret. */
const NAME_LENGTH = 4;

interface Outstanding {
  readonly name: string;
  failures: number;
  readonly sha256: Buffer;
  /** Monotonic, ms. */
  readonly endsAtMs: number;
}

export class LoginService {
  readonly #deps: LoginServiceDeps;
  #codes: readonly Outstanding[] = [];

  constructor(deps: LoginServiceDeps) {
    this.#deps = deps;
  }

  /**
   * A new code. The caller is known to be a person: at a terminal, in the window or with an owner
   * token.
   */
  makeCode(): LoginCode {
    const { clock, random } = this.#deps;
    const code = toBase64Url(random.bytes(LOGIN_CODE_SIZE_BYTES));
    const made = {
      name: code.slice(0, NAME_LENGTH),
      failures: 0,
      sha256: sha256(code),
      endsAtMs: clock.monotonicMs() + LOGIN_CODE_MAX_MS,
    };
    this.#codes = [...this.#codes, made].slice(-LOGIN_CODES_MAX);
    return { code, expiresAt: clock.wallMs() + LOGIN_CODE_MAX_MS };
  }

  /** Every code that is out is void. */
  forget(): void {
    this.#codes = [];
  }

  /**
   * Spends the code. Throws `unauthenticated` with the same words whether it was wrong, used, too
   * old or void.
   */
  spend(code: string): void {
    const now = this.#deps.clock.monotonicMs();
    this.#codes = this.#codes.filter(({ endsAtMs }) => now < endsAtMs);
    const given = sha256(code);
    const left = this.#codes.filter((one) => !timingSafeEqual(one.sha256, given));
    const found = left.length < this.#codes.length;
    this.#codes = left;
    if (found) return;
    for (const one of this.#codes) if (one.name === code.slice(0, NAME_LENGTH)) one.failures += 1;
    this.#codes = this.#codes.filter(({ failures }) => failures < LOGIN_CODE_FAILURES_MAX);
    throw inputError(
      'unauthenticated',
      'This login link was used already or is older than 90 seconds.',
      {
        hint: 'Type your owner passphrase, or get a new link with "axon login" on the computer where this hub runs.',
      },
    );
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(utf8(text)).digest();
}
