// What the end of a connection, or the answer on one, tells about how the other side sees this hub, in a sentence for its owner. Pure. A hub that
// suspended this one closes as one that removed it does, so no sentence about that may say which of the two it was.
import type { AppError } from '../../lib/app-error.ts';
import { CLOSE_CODES } from '../../ports/transport.ts';
import type { Link } from './link.ts';
import type { LiveFacts } from './peer-view.ts';

export interface LinkEnd {
  /** The application code; null when the transport closed it. */
  readonly code: number | null;
  readonly by: 'local' | 'peer' | 'network';
}

/** undefined when the end says nothing. */
export function endTrouble(name: string, link: Link, { code, by }: LinkEnd): Partial<LiveFacts> | undefined {
  if (by !== 'peer') return undefined;
  if (code === CLOSE_CODES.notTrusted || code === CLOSE_CODES.revoked) {
    const why = 'it was suspended or removed there, and its owner can say which. One that is suspended is let back in there.';
    return { trouble: `${name} does not let this hub in: ${why}`, notTrustedThere: true };
  }
  // TLS 1.3 lets the dialler believe to be connected before the other side has judged its key.
  const isEarly = code === null && link.info.direction === 'outgoing' && !link.isGreeted;
  return isEarly
    ? {
        trouble: `${name} does not trust this hub yet: it closes the connection before a word is said. Its owner has to add this hub there.`,
        notTrustedThere: true,
      }
    : undefined;
}

/** A hub that says that the two are not paired has removed this one, or never finished pairing; undefined: it says nothing of that. */
export function answerTrouble(name: string, { code, failedBy }: AppError): Partial<LiveFacts> | undefined {
  if (failedBy !== 'peer' || code !== 'pairing_required') return undefined;
  return { trouble: `${name} is not paired with this hub any more. Pair the two again.`, notTrustedThere: true };
}
