// Pause and quiet hours in the store's meta, written as a whole. Settings that cannot be read count as "not paused, no quiet hours": otherwise a
// request could be held that nobody ever sees.
import * as v from 'valibot';
import type { QuietPeriod } from '../../core/quiet-hours.ts';
import type { Log } from '../../ports/log.ts';
import type { Reads, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';

const META_NAME = 'do_not_disturb';
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
  /** Keys of the hubs that may interrupt with urgent requests. */
  urgent: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
});

export interface DoNotDisturbSettings {
  readonly paused: { readonly since: number; readonly until: number | null } | null;
  readonly periods: readonly QuietPeriod[];
  readonly urgent: readonly KeyHex[];
}

const NOTHING: DoNotDisturbSettings = { paused: null, periods: [], urgent: [] };

/** Reads the settings, in a commit or outside of one. They are parsed again only when the stored text has changed. */
export class StoredSettings {
  readonly #log: Log;
  #text: string | undefined;
  #settings = NOTHING;

  constructor(deps: { readonly log: Log }) {
    this.#log = deps.log;
  }

  of(reads: Pick<Reads, 'getMeta'>): DoNotDisturbSettings {
    const text = reads.getMeta(META_NAME);
    if (text === this.#text) return this.#settings;
    this.#text = text;
    this.#settings = text === undefined ? NOTHING : this.#parse(text);
    return this.#settings;
  }

  #parse(text: string): DoNotDisturbSettings {
    try {
      return v.parse(record, JSON.parse(text));
    } catch {
      this.#log.warn('pause and quiet hours could not be read; there are none now');
      return NOTHING;
    }
  }
}

export function writeSettings(tables: Pick<Tables, 'setMeta'>, settings: DoNotDisturbSettings): void {
  tables.setMeta(META_NAME, JSON.stringify(settings));
}
