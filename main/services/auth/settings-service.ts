// What the owner may change while the hub runs: its name, discovery, looks. Owns the settings record in the store's meta and tells pages
// and other services of a change. What a person changed stands above what is given at start (flag, environment, config.json), now
// and after every restart; that above the defaults. Only discovery that is told off for a run is off in it, and times to keep words that a flag
// or variable gives count in it, whatever was changed.
// Must never hold what only a restart can apply (ports, folders).
import * as v from 'valibot';
import { THEMES } from '../../../preload/contract/closed-lists.ts';
import { APPROVALS_WAIT_MINUTES_DEFAULT, KEEP_FEED_DAYS_DEFAULT, KEEP_MESSAGES_DAYS_DEFAULT } from '../../../preload/contract/limits.ts';
import type { FixedSetting, SettingsDto } from '../../../preload/contract/settings-dto.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Reads, Store } from '../../ports/store.ts';
import type { EventBus } from '../base/event-bus.ts';

const META_NAME = 'settings';

const stored = v.partial(
  v.object({
    name: v.string(),
    person: v.nullable(v.string()),
    announce_name: v.boolean(),
    discovery: v.boolean(),
    theme: v.picklist(THEMES),
    start_at_login: v.boolean(),
    native_notifications: v.boolean(),
    single_key_shortcuts: v.boolean(),
    approvals_wait_minutes: v.number(),
    keep_messages_days: v.number(),
    keep_feed_days: v.number(),
  }),
);
type StoredSettings = v.InferOutput<typeof stored>;
type Changeable = Omit<SettingsDto, 'fixed_at_start'>;
type SettingsChange = { readonly [Name in keyof Changeable]?: Changeable[Name] | undefined };

const GIVEN_AT_START = ['name', 'discovery', 'approvals_wait_minutes', 'keep_messages_days', 'keep_feed_days'] as const;
type AtStart = Pick<SettingsChange, (typeof GIVEN_AT_START)[number]>;

/** What counts for one run, whatever a person changed: from its flags and variables. */
export interface ForThisRun {
  /** It announces nothing and finds nobody. */
  readonly discoveryOff?: boolean;
  /** Their values stand among those given at start. */
  readonly fixed?: readonly FixedSetting[];
}

const DEFAULTS: Omit<Changeable, 'name'> = {
  person: null,
  announce_name: false,
  discovery: true,
  theme: 'system',
  start_at_login: false,
  native_notifications: true,
  single_key_shortcuts: true,
  approvals_wait_minutes: APPROVALS_WAIT_MINUTES_DEFAULT,
  keep_messages_days: KEEP_MESSAGES_DAYS_DEFAULT,
  keep_feed_days: KEEP_FEED_DAYS_DEFAULT,
};

interface SettingsServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly log: Log;
  /** The name until the owner gives one; asked again each time, because the identity may be unlocked later. */
  readonly defaultName: () => string;
}

export class SettingsService {
  readonly #deps: SettingsServiceDeps;
  readonly #listeners = new Set<(now: SettingsDto, before: SettingsDto) => void>();
  readonly #atStart: AtStart;
  /** True in a run that was told to announce nothing and find nobody; a change of the setting counts from the next one on. */
  readonly discoveryOff: boolean;
  /** What a change counts for from the next run without its flag or variable on. */
  readonly #fixed: readonly FixedSetting[];
  #stored: StoredSettings;

  /**
   * @param atStart what was given at start: it counts until a person changes it, and a log line tells where one has
   * @param forThisRun what of that counts whatever a person changed
   */
  constructor(deps: SettingsServiceDeps, atStart: AtStart = {}, { discoveryOff = false, fixed = [] }: ForThisRun = {}) {
    this.#deps = deps;
    this.#atStart = atStart;
    this.discoveryOff = discoveryOff;
    this.#fixed = fixed;
    this.#stored = this.#read(deps.store.read);
    for (const name of GIVEN_AT_START) {
      const chosen = this.#stored[name];
      if (chosen === undefined || atStart[name] === undefined || atStart[name] === chosen) continue;
      if ((name === 'discovery' && discoveryOff) || fixed.some((other) => other === name)) continue;
      deps.log.warn('a setting given at start does not count: a person changed it in Settings', { setting: name });
    }
  }

  current(): SettingsDto {
    const stored = this.#stored;
    return {
      name: stored.name ?? this.#atStart.name ?? this.#deps.defaultName(),
      person: stored.person ?? DEFAULTS.person,
      announce_name: stored.announce_name ?? DEFAULTS.announce_name,
      discovery: !this.discoveryOff && (stored.discovery ?? this.#atStart.discovery ?? DEFAULTS.discovery),
      theme: stored.theme ?? DEFAULTS.theme,
      start_at_login: stored.start_at_login ?? DEFAULTS.start_at_login,
      native_notifications: stored.native_notifications ?? DEFAULTS.native_notifications,
      single_key_shortcuts: stored.single_key_shortcuts ?? DEFAULTS.single_key_shortcuts,
      approvals_wait_minutes: stored.approvals_wait_minutes ?? this.#atStart.approvals_wait_minutes ?? DEFAULTS.approvals_wait_minutes,
      keep_messages_days: this.#daysOf('keep_messages_days'),
      keep_feed_days: this.#daysOf('keep_feed_days'),
      fixed_at_start: this.#fixed,
    };
  }

  /** Keeps the change, then tells everybody. Fields that are undefined stay as they are. */
  async update(change: SettingsChange, by: { readonly actor: string; readonly surface: string }): Promise<SettingsDto> {
    const before = this.current();
    const wanted = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const at = this.#deps.clock.wallMs();
    this.#stored = await this.#deps.store.write((tables) => {
      const next = v.parse(stored, { ...this.#read(tables), ...wanted });
      tables.setMeta(META_NAME, JSON.stringify(next));
      const detail = JSON.stringify({ changed: Object.keys(wanted) });
      tables.appendAudit({
        at,
        actor: by.actor,
        surface: by.surface,
        action: 'settings.changed',
        object: 'settings',
        digest: null,
        detail,
      });
      return next;
    });
    const now = this.current();
    this.#deps.events.publish({ type: 'settings', settings: now });
    for (const listener of this.#listeners) listener(now, before);
    return now;
  }

  onChange(listener: (now: SettingsDto, before: SettingsDto) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #daysOf(name: FixedSetting): number {
    const given = this.#atStart[name];
    const chosen = this.#stored[name];
    return (this.#fixed.includes(name) ? (given ?? chosen) : (chosen ?? given)) ?? DEFAULTS[name];
  }

  #read(reads: Pick<Reads, 'getMeta'>): StoredSettings {
    const text = reads.getMeta(META_NAME);
    if (text === undefined) return {};
    try {
      return v.parse(stored, JSON.parse(text));
    } catch {
      this.#deps.log.warn('stored settings could not be read; the defaults are used');
      return {};
    }
  }
}
