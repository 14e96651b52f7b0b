// The interface by which lower rooms notify the people of this hub. Types only.
import type { FeedRow, Tables } from '../../ports/store.ts';
import type { After } from '../base/unit-of-work.ts';
import type { PartyKey } from '../../ports/transport.ts';

export interface FeedEntry {
  readonly party: PartyKey;
  readonly fromAgent: string | null;
  readonly topic: string;
  readonly importance: FeedRow['importance'];
  readonly data: unknown;
  /** It takes the place of the sender's earlier notice of this tag. */
  readonly tag?: string | null;
  /** From somebody muted: it is kept, and counts as read. */
  readonly isSilent?: boolean;
}

export interface PeopleFeed {
  /** Records a notification; nobody waits for it. */
  record(entry: FeedEntry): void;
  /** The hub's own words, in the commit of what they tell of. */
  notice(
    tables: Tables,
    after: After,
    topic: string,
    importance: FeedRow['importance'],
    text: string,
  ): void;
}
