// Pause and quiet hours as they stand in the store's meta: written whole, read with care. What cannot be read counts as "not paused, no quiet
// hours", since putting a person off by mistake would be a request that nobody ever sees.
import * as v from 'valibot';
import type { QuietPeriod } from '../../core/quiet-hours.ts';
import type { Log } from '../../ports/log.ts';
import type { Reads, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';

const META_NAME = 'calm';
const LAST_MINUTE = 1_439;

const minute = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(LAST_MINUTE));
const moment = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const record = v.object({
  paused: v.nullable(v.object({ since: moment, until: v.nullable(moment) })),
  periods: v.array(
    v.object({
      name: v.string(),
      fromMinute: minute,
      toMinute: minute,
      days: v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(7))),
      on: v.boolean(),
    }),
  ),
  /** Keys of the hubs whose urgent requests pass. */
  urgent: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
});

export interface CalmRecord {
  readonly paused: { readonly since: number; readonly until: number | null } | null;
  readonly periods: readonly QuietPeriod[];
  readonly urgent: readonly KeyHex[];
}

const NOTHING: CalmRecord = { paused: null, periods: [], urgent: [] };

/** The record where it stands, in a commit or outside of one: there is no other copy that could differ. Parsed once while it stays the same. */
export class StoredCalm {
  readonly #log: Log;
  #text: string | undefined;
  #calm = NOTHING;

  constructor(deps: { readonly log: Log }) {
    this.#log = deps.log;
  }

  of(reads: Pick<Reads, 'getMeta'>): CalmRecord {
    const text = reads.getMeta(META_NAME);
    if (text === this.#text) return this.#calm;
    this.#text = text;
    this.#calm = text === undefined ? NOTHING : this.#parse(text);
    return this.#calm;
  }

  #parse(text: string): CalmRecord {
    try {
      return v.parse(record, JSON.parse(text));
    } catch {
      this.#log.warn('pause and quiet hours could not be read; there are none now');
      return NOTHING;
    }
  }
}

export function writeCalm(tables: Pick<Tables, 'setMeta'>, calm: CalmRecord): void {
  tables.setMeta(META_NAME, JSON.stringify(calm));
}
