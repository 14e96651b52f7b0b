// What is wrong with what was typed, or with where it was typed. Nothing was done.
import type { ErrorCode } from '../../preload/contract/errors.ts';
import { AppError } from '../lib/app-error.ts';

/** @param hint what to do */
export function refusal(
  code: ErrorCode,
  message: string,
  hint?: string,
  cause?: unknown,
): AppError {
  return new AppError(code, message, {
    failedBy: 'input',
    cause,
    ...(hint === undefined ? {} : { hint }),
  });
}
