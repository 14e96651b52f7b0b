// What the end of a connection tells about how the other side sees this hub, in a sentence for its owner. Pure.
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
  if (code === CLOSE_CODES.notTrusted || code === CLOSE_CODES.revoked)
    return { trouble: `${name} does not know this hub, or no longer: pair the two again if that is not meant so.`, notTrustedThere: true };
  // TLS 1.3 lets the dialler believe to be connected before the other side has judged its key.
  const isEarly = code === null && link.info.direction === 'outgoing' && !link.isGreeted;
  return isEarly
    ? {
        trouble: `${name} does not trust this hub yet: it closes the connection before a word is said. Its owner has to add this hub there.`,
        notTrustedThere: true,
      }
    : undefined;
}
