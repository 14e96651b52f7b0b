// Notifications for people: what other hubs and agents push, and what the hub itself has to say. Stored first, shown after; outside words
// are escaped and cut to a bound when they are shown.
import type { FeedItemDto } from '../../../preload/contract/dto.ts';
import type { Items } from '../../../preload/contract/results.ts';
import { jsonFields, type JsonField } from '../../core/json-fields.ts';
import { escapeText } from '../../core/text-escape.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { FeedRow, PartyKey, Store, Tables } from '../../ports/store.ts';
import type { EventBus } from '../event-bus.ts';
import { FEED_TEXT_MAX_CHARACTERS } from './limits.ts';
import { pageOf, type Page } from './pages.ts';
import type { Parties } from './parties.ts';
import type { After, UnitOfWork } from './unit-of-work.ts';

export interface FeedEntry {
  readonly party: PartyKey;
  readonly fromAgent: string | null;
  readonly topic: string;
  readonly importance: FeedRow['importance'];
  readonly data: unknown;
  /** From somebody muted: it is kept, and counts as read. */
  readonly isSilent?: boolean;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventBus;
  readonly parties: Parties;
  readonly unit: UnitOfWork;
}

export class Feed {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Records a notification; nobody waits for it. */
  record(entry: FeedEntry): void {
    const { store } = this.#deps;
    const made = this.#row(entry.party, entry.fromAgent, entry.topic, entry.importance, entry.data);
    const row = entry.isSilent === true ? { ...made, readAt: made.at } : made;
    store.writeBehind((tables) => {
      this.#publish(tables.insertFeed(row), tables.unreadFeedCount());
    });
  }

  /** The hub's own words, in the commit of what they tell of. */
  notice(tables: Tables, after: After, topic: string, importance: FeedRow['importance'], text: string): void {
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

  async markRead(ids: readonly string[] | 'all'): Promise<number> {
    const unread = await this.#deps.unit.run((tables) => {
      tables.markFeedRead(ids, this.#deps.clock.wallMs());
      return tables.unreadFeedCount();
    });
    this.#deps.events.publish({ type: 'feed_read', ids, unread });
    return unread;
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
    return { id: random.uuid(), at: clock.wallMs(), party, fromAgent, topic, importance, data: JSON.stringify(data ?? null), readAt: null };
  }

  #publish(row: FeedRow, unread: number): void {
    this.#deps.events.publish({ type: 'feed', item: this.dto(row), unread });
  }
}

/** A text as it is; an object or a list field by field and as indented JSON. Escaped, with a mark where it was cut. */
function shown(data: string): Pick<FeedItemDto, 'text' | 'fields' | 'fields_left_out'> {
  const value: unknown = JSON.parse(data);
  if (value === null) return { text: '', fields: null, fields_left_out: 0 };
  if (typeof value === 'string') return { text: bounded(value), fields: null, fields_left_out: 0 };
  const all = jsonFields(value, bounded);
  const text = bounded(JSON.stringify(value, null, 2));
  // What has no members is one value without a name.
  if (all[0]?.[0] === '') return { text, fields: null, fields_left_out: 0 };
  const fields = fitting(all);
  return { text, fields, fields_left_out: all.length - fields.length };
}

/** The first fields, as far as there is room; what was begun stands whole. */
function fitting(all: readonly JsonField[]): readonly JsonField[] {
  let room = FEED_TEXT_MAX_CHARACTERS;
  const end = all.findIndex(([path, value]) => {
    const isFull = room <= 0;
    room -= path.length + value.length;
    return isFull;
  });
  return end === -1 ? all : all.slice(0, end);
}

/** Escaped, and with a mark where it was cut. */
function bounded(text: string): string {
  if (text.length <= FEED_TEXT_MAX_CHARACTERS) return escapeText(text);
  return `${escapeText(text.slice(0, FEED_TEXT_MAX_CHARACTERS).toWellFormed())}\n[...]`;
}
