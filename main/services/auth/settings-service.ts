// What the owner may change while the hub runs. Owns the settings record in the store's meta and
// tells pages and other services of a change. Order, strongest first: fixed for this run by flag or
// variable; changed by a person; given at start (flag, environment, config.json); default. Must
// never hold what only a restart can apply (ports, folders).
import * as v from 'valibot';
import type { OperationInput } from '../../../preload/contract/operations.ts';
import {
  SETTING_DEFAULTS,
  SETTING_KEYS,
  SETTING_SCHEMAS,
  type Settings,
} from '../../../preload/contract/settings.ts';
import type { FixedSettings, SettingsDto } from '../../../preload/contract/settings-dto.ts';
import { readObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Reads, Store } from '../../ports/store.ts';
import type { EventBus } from '../base/event-bus.ts';
import { auditRow, type Actor } from '../base/audit-trail.ts';

const META_NAME = 'settings';

const stored = v.partial(v.object(SETTING_SCHEMAS));
/** None of them is there as undefined: they come from JSON. */
const readStored = (value: unknown): Partial<Settings> =>
  v.parse(stored, value) as Partial<Settings>;

interface SettingsServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly log: Log;
  /**
   * The name until the owner gives one; asked again each time, because the identity may be unlocked
   * later.
   */
  readonly defaultName: () => string;
}

export class SettingsService {
  readonly #deps: SettingsServiceDeps;
  readonly #listeners = new Set<(now: SettingsDto, before: SettingsDto) => void>();
  readonly #atStart: Partial<Settings>;
  readonly #fixed: FixedSettings;
  #stored: Partial<Settings>;

  /**
   * @param atStart what was given at start: it counts until a person changes it, and a log line
   * tells where one has
   * @param fixed what of that counts whatever a person changed; a change of it counts from the next
   * run without its flag or variable on
   */
  constructor(
    deps: SettingsServiceDeps,
    atStart: Partial<Settings> = {},
    fixed: FixedSettings = {},
  ) {
    this.#deps = deps;
    this.#atStart = atStart;
    this.#fixed = fixed;
    this.#stored = this.#read(deps.store.read);
    for (const key of SETTING_KEYS) {
      const chosen = this.#stored[key];
      if (
        chosen === undefined ||
        atStart[key] === undefined ||
        atStart[key] === chosen ||
        fixed[key] !== undefined
      )
        continue;
      deps.log.warn('a setting given at start does not count: a person changed it in Settings', {
        setting: key,
      });
    }
  }

  current(): SettingsDto {
    const fixed = Object.fromEntries(
      Object.entries(this.#atStart).filter(([key]) => key in this.#fixed),
    );
    return {
      ...SETTING_DEFAULTS,
      name: this.#deps.defaultName(),
      ...this.#atStart,
      ...this.#stored,
      ...fixed,
      fixed_at_start: this.#fixed,
    };
  }

  /** Keeps the change, then tells everybody. Fields that are undefined stay as they are. */
  async update(change: OperationInput<'settings.update'>, by: Actor): Promise<SettingsDto> {
    const before = this.current();
    const wanted = Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined),
    );
    const at = this.#deps.clock.wallMs();
    this.#stored = await this.#deps.store.write((tables) => {
      const next = readStored({ ...this.#read(tables), ...wanted });
      tables.setMeta(META_NAME, JSON.stringify(next));
      tables.appendAudit(
        auditRow(at, {
          ...by,
          action: 'settings.changed',
          object: 'settings',
          detail: { changed: Object.keys(wanted) },
        }),
      );
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

  #read(reads: Pick<Reads, 'getMeta'>): Partial<Settings> {
    const { log } = this.#deps;
    const text = reads.getMeta(META_NAME);
    if (text === undefined) return {};
    const kept = Object.entries(readObject(text)).filter(([key, value]) => {
      const isRead = v.is(stored, { [key]: value });
      if (!isRead)
        log.warn('a stored setting cannot be read; its default counts', { setting: key });
      return isRead;
    });
    return readStored(Object.fromEntries(kept));
  }
}
