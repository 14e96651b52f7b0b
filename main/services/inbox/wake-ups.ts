// How often an agent is woken in a day, whatever wakes it: counted here and nowhere else. No other
// hub takes more than half of what the others have left, so notices of one never use up a day.
// Stored before the agent is woken: a hub that was killed counts one too many rather than too few.
import * as v from 'valibot';
import { StoredValue } from '../../lib/stored-value.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reads, Store, Tables } from '../../ports/store.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
import type { Inbox } from './inbox.ts';
import type { WaitingItem } from './items.ts';

const DAY_MS = 86_400_000;
/** This hub, whose own people and agents have no share. */
const HERE = '';

const STORED = v.object({
  day: v.number(),
  /** By the agent that was woken, and by the id of the hub that it was woken for. */
  times: v.record(v.string(), v.record(v.string(), v.number())),
});
type Stored = v.InferOutput<typeof STORED>;
const COUNTS = new StoredValue<Stored>('wake_ups', STORED, { day: 0, times: {} });

/** One that was counted. */
export interface WakeUp {
  readonly day: number;
  readonly agent: string;
  readonly hub: string;
}

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly unit: UnitOfWork;
  readonly inbox: Pick<Inbox, 'stillWaiting'>;
  readonly dayMax: () => number;
}

export class WakeUps {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether a hook or a runner may wake the agent for those of these items that still wait. */
  async forHook(agent: string, ids: readonly string[]): Promise<boolean> {
    const { inbox, unit } = this.#deps;
    const items = inbox.stillWaiting(agent, ids);
    if (items.length === 0) return false;
    return unit.run((tables) => this.count(tables, agent, items) !== null);
  }

  /** How often it was woken today. */
  today(agent: string): number {
    const { times } = this.#today(this.#deps.store.read);
    return Object.values(times[agent] ?? {}).reduce((sum, count) => sum + count, 0);
  }

  /** Inside the commit before it is woken for these. null: no more today. */
  count(tables: Tables, agent: string, items: readonly WaitingItem[]): WakeUp | null {
    const { day, times } = this.#today(tables);
    const before = times[agent] ?? {};
    const all = Object.values(before).reduce((sum, count) => sum + count, 0);
    const max = this.#deps.dayMax();
    const mayWake = (hub: string): boolean => {
      const own = before[hub] ?? 0;
      return hub === HERE ? all < max : 2 * own < max - (all - own);
    };
    const hub = items.map((item) => item.hub ?? HERE).find(mayWake);
    if (hub === undefined || all >= max) return null;
    const counted = { ...before, [hub]: (before[hub] ?? 0) + 1 };
    COUNTS.write(tables, { day, times: { ...times, [agent]: counted } });
    return { day, agent, hub };
  }

  /** Inside a commit: it was not woken after all. */
  revoke(tables: Tables, { day, agent, hub }: WakeUp): void {
    const today = this.#today(tables);
    const before = today.times[agent] ?? {};
    if (today.day !== day) return;
    const counted = { ...before, [hub]: Math.max(0, (before[hub] ?? 0) - 1) };
    COUNTS.write(tables, { day, times: { ...today.times, [agent]: counted } });
  }

  #today(reads: Pick<Reads, 'getMeta'>): Stored {
    const day = Math.floor(this.#deps.clock.wallMs() / DAY_MS);
    const counts = COUNTS.read(reads);
    return counts.day === day ? counts : { day, times: {} };
  }
}
