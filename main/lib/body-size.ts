// How long the body of a call to this hub may be, and what is said of a longer one: by the hub, and
// by its own command, which sends none that would be cut off on the way.
import { AppError } from './app-error.ts';

/** Counted while it comes in; beyond it 413. */
export const BODY_SIZE_MAX_BYTES = 262_144;

export function tooLarge(): AppError {
  return new AppError(
    'payload_too_large',
    `A request body may be ${BODY_SIZE_MAX_BYTES} bytes long, no more.`,
    { failedBy: 'input' },
  );
}
