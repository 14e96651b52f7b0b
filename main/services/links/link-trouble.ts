// What can go wrong on the way to another hub, in sentences for its owner and as errors a person
// can act on. Pure. A hub that suspended this one closes like one that removed it, so no sentence
// may say which of the two it was.
import { AppError, inputError } from '../../lib/app-error.ts';
import { CLOSE_CODES, type TransportFailure } from '../../ports/transport.ts';
import type { Link } from './link.ts';
import type { LiveFacts } from './peer-view.ts';

/** The answer to our hello that no hub gives: whoever answers speaks the reference profile. */
export class SpeaksReference extends AppError {
  constructor() {
    super('unknown_kind', 'The other side speaks the reference profile, which has no hello.', {
      failedBy: 'peer',
    });
  }
}

/** A hub that answered as to one that it trusts. */
export const TRUSTED_THERE = { trouble: null, notTrustedThere: false } as const;

/** @param name the owner's name for the hub */
export function transportError(name: string, failure: TransportFailure): AppError {
  switch (failure.type) {
    case 'timeout':
      return new AppError('timeout', `${name} did not answer in time.`, { failedBy: 'timeout' });
    case 'overloaded':
      return new AppError(
        'overloaded',
        `Too much is under way to ${name} already. Try again in a moment.`,
        { failedBy: 'local' },
      );
    case 'too-large':
      return inputError(
        'payload_too_large',
        'The message is too long for one message between hubs.',
      );
    case 'aborted':
      return new AppError('cancelled', 'The call was given up before an answer came.', {
        failedBy: 'local',
      });
    case 'closed':
      return new AppError(
        'peer_unreachable',
        `The connection to ${name} was lost before an answer came.`,
        { failedBy: 'peer' },
      );
    case 'reset':
      return new AppError('peer_unreachable', `${name} gave up on the message without an answer.`, {
        failedBy: 'peer',
      });
  }
}

/**
 * For a hub to which there is no connection. @param trouble why, when that is known; @param hint
 * what to do about it
 */
export function notConnected(name: string, trouble: string | null, hint: string): AppError {
  return new AppError('peer_unreachable', trouble ?? `${name} is not connected just now.`, {
    failedBy: 'peer',
    hint,
  });
}

/**
 * For an invalid answer of another hub. `data.failed_by` tells clients whose fault it is: for them
 * `internal` is an error of their own hub.
 */
export function badAnswer(sentence: string, hint?: string): AppError {
  return new AppError('internal', sentence, {
    failedBy: 'peer',
    data: { failed_by: 'peer' },
    ...(hint === undefined ? {} : { hint }),
  });
}

/**
 * What the end of a connection says about how the other side sees this hub; undefined when it says
 * nothing.
 * @param code the application's; null when the transport closed it
 */
export function endTrouble(
  name: string,
  link: Link,
  code: number | null,
  by: 'local' | 'peer' | 'network',
): Partial<LiveFacts> | undefined {
  if (by !== 'peer') return undefined;
  if (code === CLOSE_CODES.notTrusted || code === CLOSE_CODES.revoked) {
    const why =
      'it was suspended or removed there, and its owner can say which. One that is suspended is let back in there.';
    return { trouble: `${name} refuses this hub: ${why}`, notTrustedThere: true };
  }
  // TLS 1.3 lets the dialler believe to be connected before the other side has judged its key.
  const isEarly = code === null && link.info.direction === 'outgoing' && !link.isEstablished;
  return isEarly
    ? {
        trouble: `${name} does not trust this hub yet: it closes the connection before a word is said. Its owner has to add this hub there.`,
        notTrustedThere: true,
      }
    : undefined;
}

/**
 * A hub that says that the two are not paired has removed this one, or never finished pairing;
 * undefined: it says nothing of that.
 */
export function answerTrouble(
  name: string,
  { code, failedBy }: AppError,
): Partial<LiveFacts> | undefined {
  if (failedBy !== 'peer' || code !== 'pairing_required') return undefined;
  return {
    trouble: `${name} is not paired with this hub any more. Pair the two again.`,
    notTrustedThere: true,
  };
}

/**
 * What a hello that failed means to a person. `known` is what the end of this very connection told.
 */
export function helloTrouble(name: string, error: AppError, known: string | null): string {
  const { code } = error;
  if (error instanceof SpeaksReference)
    return `${name} runs the public AXON daemon, which knows no digits: to let it in, add its share token and trust the key in it.`;
  if (code === 'incompatible_version')
    return `${name} speaks another version of the protocol: update the older of the two hubs.`;
  if (code === 'peer_unreachable')
    return known ?? `${name} closed the connection: it may not trust this hub yet.`;
  return code === 'timeout'
    ? `${name} did not answer hello in time.`
    : `${name} did not take our hello.`;
}
