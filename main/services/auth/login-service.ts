// One-time login codes for pages: 128 bits, single use, 90 s, void for everybody after five wrong tries. Codes live in memory alone: a
// restart ends them. Must never write a code to a log or the store.
import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../lib/app-error.ts';
import { toBase64Url, utf8 } from '../../lib/bytes.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { LOGIN_CODES_MAX, LOGIN_CODE_FAILURES_MAX, LOGIN_CODE_MAX_MS } from './limits.ts';

const LOGIN_CODE_SIZE_BYTES = 16;

export interface LoginServiceDeps {
  readonly clock: Clock;
  readonly random: Random;
}

export interface LoginCode {
  readonly code: string;
  /** Wall clock, ms: for display. */
  readonly expiresAt: number;
}

interface Outstanding {
  readonly sha256: Buffer;
  /** Monotonic, ms. */
  readonly endsAtMs: number;
}

export class LoginService {
  readonly #deps: LoginServiceDeps;
  #codes: readonly Outstanding[] = [];
  #failures = 0;

  constructor(deps: LoginServiceDeps) {
    this.#deps = deps;
  }

  /** A fresh code. Whoever asks is a person already: at a terminal, in the window or with an owner token. */
  makeCode(): LoginCode {
    const { clock, random } = this.#deps;
    const code = toBase64Url(random.bytes(LOGIN_CODE_SIZE_BYTES));
    if (this.#codes.length === 0) this.#failures = 0;
    this.#codes = [...this.#codes, { sha256: sha256(code), endsAtMs: clock.monotonicMs() + LOGIN_CODE_MAX_MS }].slice(-LOGIN_CODES_MAX);
    return { code, expiresAt: clock.wallMs() + LOGIN_CODE_MAX_MS };
  }

  /** Spends the code. Throws `unauthenticated` with the same words whether it was wrong, used, too old or void. */
  spend(code: string): void {
    const now = this.#deps.clock.monotonicMs();
    this.#codes = this.#codes.filter(({ endsAtMs }) => now < endsAtMs);
    const given = sha256(code);
    const left = this.#codes.filter((one) => !timingSafeEqual(one.sha256, given));
    const found = left.length < this.#codes.length;
    this.#codes = left;
    if (found) return;
    if (++this.#failures >= LOGIN_CODE_FAILURES_MAX) this.#codes = [];
    throw new AppError('unauthenticated', 'This login link was used already or is older than 90 seconds.', {
      hint: 'Get a new link with "axon login".',
      failedBy: 'input',
    });
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(utf8(text)).digest();
}
