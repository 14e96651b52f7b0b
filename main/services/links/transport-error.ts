// What can go wrong on the way to another hub, as an error a person can act on.
import { AppError } from '../../lib/app-error.ts';
import type { TransportFailure } from '../../ports/transport.ts';

/** @param name the owner's name for the hub */
export function transportError(name: string, failure: TransportFailure): AppError {
  switch (failure.type) {
    case 'timeout':
      return new AppError('timeout', `${name} did not answer in time.`, { failedBy: 'timeout' });
    case 'overloaded':
      return new AppError('overloaded', `Too much is under way to ${name} already. Try again in a moment.`, { failedBy: 'local' });
    case 'too-large':
      return new AppError('payload_too_large', 'The message is too long for one message between hubs.', { failedBy: 'input' });
    case 'aborted':
      return new AppError('cancelled', 'The call was given up before an answer came.', { failedBy: 'local' });
    case 'closed':
      return new AppError('peer_unreachable', `The connection to ${name} was lost before an answer came.`, { failedBy: 'peer' });
    case 'reset':
      return new AppError('peer_unreachable', `${name} gave up on the message without an answer.`, { failedBy: 'peer' });
  }
}

/** For a hub to which there is no connection. @param trouble why, when that is known; @param hint what to do about it */
export function notConnected(name: string, trouble: string | null, hint: string): AppError {
  return new AppError('peer_unreachable', trouble ?? `${name} is not connected just now.`, { failedBy: 'peer', hint });
}

/** For an answer of another hub that is none. `data.failed_by` says whose fault it is to clients, for which `internal` is one of their own hub. */
export function badAnswer(sentence: string, hint?: string): AppError {
  return new AppError('internal', sentence, { failedBy: 'peer', data: { failed_by: 'peer' }, ...(hint === undefined ? {} : { hint }) });
}
