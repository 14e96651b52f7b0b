// Notifications for people: what other hubs and agents push, and what the hub itself has to say.
// Stored first, shown after; outside words are escaped and cut to a bound when they are shown.
import type { FeedItemDto, MutedTopicDto } from '../../../preload/contract/dto.ts';
import type { Items } from '../../../preload/contract/results.ts';
import { escapeText } from '../../core/text-escape.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { FeedRow, Store, Tables } from '../../ports/store.ts';
import type { EventBus } from '../base/event-bus.ts';
import { FEED_TEXT_MAX_CHARACTERS } from './limits.ts';
import { pageOf, type Page } from '../base/paging.ts';
import { agentOfParty, type Parties } from '../tasks/parties.ts';
import type { FeedEntry, PeopleFeed } from '../tasks/people-feed.ts';
import { shownData, type ShownData } from './shown-data.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { PartyKey } from '../../ports/transport.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventBus;
  readonly parties: Parties;
  readonly unit: UnitOfWork;
}

export class Feed implements PeopleFeed {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  record(entry: FeedEntry): void {
    const { store, events } = this.#deps;
    const { party, fromAgent, topic, importance, data, tag = null } = entry;
    const made = { ...this.#row(party, fromAgent, topic, importance, data), tag };
    const isSilent = entry.isSilent === true || this.#isMuted(party, topic);
    const row = isSilent ? { ...made, readAt: made.at } : made;
    store.writeBehind(
      (tables) => {
        const replaced = tag === null ? [] : tables.deleteFeedOfTag(row);
        return { replaced, kept: tables.insertFeed(row), unread: tables.unreadFeedCount() };
      },
      ({ replaced, kept, unread }) => {
        if (replaced.length > 0) events.publish({ type: 'feed_removed', seqs: replaced, unread });
        this.#publish(kept, unread);
      },
    );
  }

  notice(
    tables: Tables,
    after: After,
    topic: string,
    importance: FeedRow['importance'],
    text: string,
  ): void {
    const row = tables.insertFeed(this.#row(null, null, topic, importance, text));
    const unread = tables.unreadFeedCount();
    after(() => this.#publish(row, unread));
  }

  list(page: Page): Items<FeedItemDto> {
    return pageOf(
      page,
      (rows) => this.#deps.store.read.feed(rows),
      (row) => this.dto(row),
    );
  }

  unreadCount(): number {
    return this.#deps.store.read.unreadFeedCount();
  }

  /** @param read false: they are unread again */
  async markRead(ids: readonly string[] | 'all', read: boolean): Promise<number> {
    const unread = await this.#deps.unit.run((tables) => {
      tables.markFeedRead(ids, read ? this.#deps.clock.wallMs() : null);
      return tables.unreadFeedCount();
    });
    this.#deps.events.publish({ type: 'feed_read', ids, read, unread });
    return unread;
  }

  mutedTopics(): readonly MutedTopicDto[] {
    const { store, parties } = this.#deps;
    return store.read.mutedTopics().map(({ id, party, topic }) => {
      const agent = agentOfParty(party);
      return {
        id,
        peer_id: parties.agentIdOf(party),
        peer_name: parties.nameOf(party),
        from_agent: agent,
        from_name: agent === null ? null : parties.agentName(party, agent),
        topic: escapeText(topic),
      };
    });
  }

  /**
   * What this sender says of this topic counts as read from now on.
   * @param id of one such notice
   * @throws AppError not_found, bad_request (the hub's own notices are not muted)
   */
  async mute(id: string): Promise<readonly MutedTopicDto[]> {
    const item = this.#deps.store.read.feedItem(id);
    if (!item) throw new AppError('not_found', 'There is no such notice any more.');
    const { party, topic } = item;
    if (party === null)
      throw inputError('bad_request', 'What the hub itself tells cannot be muted.');
    const row = { id: this.#deps.random.uuid(), party, topic };
    await this.#deps.unit.run((tables) => tables.insertMutedTopic(row));
    return this.#tellMuted();
  }

  async unmute(id: string): Promise<readonly MutedTopicDto[]> {
    await this.#deps.unit.run((tables) => tables.deleteMutedTopic(id));
    return this.#tellMuted();
  }

  /** What was muted of a hub or an agent goes with it, in the commit that removes it. */
  partyEnded(tables: Tables, after: After, party: PartyKey): void {
    if (tables.peer(party)?.trust === 'suspended') return;
    const muted = tables.mutedTopics().filter((row) => row.party === party);
    for (const { id } of muted) tables.deleteMutedTopic(id);
    if (muted.length > 0) after(() => this.#tellMuted());
  }

  #tellMuted(): readonly MutedTopicDto[] {
    const topics = this.mutedTopics();
    this.#deps.events.publish({ type: 'muted_topics', topics });
    return topics;
  }

  #isMuted(party: PartyKey, topic: string): boolean {
    return this.#deps.store.read
      .mutedTopics()
      .some((muted) => muted.party === party && muted.topic === topic);
  }

  dto(row: FeedRow): FeedItemDto {
    const { parties } = this.#deps;
    const own = row.party === null;
    return {
      id: row.id,
      seq: row.seq,
      at: row.at,
      peer_id: row.party === null ? null : parties.agentIdOf(row.party),
      peer_name: row.party === null ? null : parties.nameOf(row.party),
      from_agent: row.fromAgent,
      from_name:
        row.fromAgent === null || row.party === null
          ? row.fromAgent
          : parties.agentName(row.party, row.fromAgent),
      topic: own ? row.topic : escapeText(row.topic),
      importance: row.importance,
      ...shown(row.data),
      unread: row.readAt === null,
    };
  }

  #row(
    party: PartyKey | null,
    fromAgent: string | null,
    topic: string,
    importance: FeedRow['importance'],
    data: unknown,
  ): Omit<FeedRow, 'seq'> {
    const { clock, random } = this.#deps;
    return {
      id: random.uuid(),
      at: clock.wallMs(),
      party,
      fromAgent,
      topic,
      importance,
      data: JSON.stringify(data ?? null),
      readAt: null,
      tag: null,
    };
  }

  #publish(row: FeedRow, unread: number): void {
    this.#deps.events.publish({ type: 'feed', item: this.dto(row), unread });
  }
}

/** Nothing said is no words. */
function shown(data: string): ShownData {
  const value: unknown = JSON.parse(data);
  return shownData(value ?? '', FEED_TEXT_MAX_CHARACTERS);
}
