// The one operating error of the program: a code from the closed catalogue, a sentence a person can
// act on, and who failed. Only {code, message, data} of it ever crosses a process or reaches a
// client; causes and stacks stay in the log.
import { ERRORS, type ErrorCode } from '../../preload/contract/errors.ts';

type FailedBy = 'local' | 'peer' | 'timeout' | 'input';

interface AppErrorOptions {
  /** What the caller can try instead; shown as the problem document's `hint`. */
  readonly hint?: string;
  readonly failedBy?: FailedBy;
  readonly retryAfterMs?: number;
  /**
   * Small, JSON-safe facts for a client. Never a secret, never text from a peer outside an
   * `untrusted` field.
   */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly failedBy: FailedBy;
  readonly hint: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.failedBy = options.failedBy ?? 'local';
    this.hint = options.hint;
    this.retryAfterMs = options.retryAfterMs;
    this.data = options.data ?? {};
  }

  /** Whether the same may work later, by the word of whoever failed, or as usual. */
  get retryable(): boolean {
    const { retryable } = this.data;
    return typeof retryable === 'boolean' ? retryable : ERRORS[this.code].retryable;
  }
}

/** An error that lies with whoever asked. */
export function inputError(
  code: ErrorCode,
  message: string,
  options: Omit<AppErrorOptions, 'failedBy'> = {},
): AppError {
  return new AppError(code, message, { ...options, failedBy: 'input' });
}

/** What the log says of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
