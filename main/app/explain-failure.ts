// What a person reads when a hub could not start, and the exit code that goes with it.
import { ERRORS } from '../../preload/contract/errors.ts';
import { AppError } from '../lib/app-error.ts';

/** Writes the sentence and the hint to standard error. Returns the exit code. */
export function explainFailure(error: unknown): number {
  const known =
    error instanceof AppError
      ? error
      : new AppError('internal', `${ERRORS.internal.title}: ${describeError(error)}`);
  process.stderr.write(`${known.message}\n`);
  if (known.hint !== undefined) process.stderr.write(`${known.hint}\n`);
  return ERRORS[known.code].exit;
}

export function describeError(reason: unknown): string {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
}
