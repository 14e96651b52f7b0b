// Blocks keys that sent too many malformed messages for a while, longer each time. Bounded; forgets
// the oldest first.
import type { Clock } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { COOL_OFF_FIRST_MS, COOL_OFF_KEYS_MAX, COOL_OFF_MAX_MS } from './limits.ts';

interface Cooling {
  readonly untilMs: number;
  readonly lengthMs: number;
}

export class CoolOff {
  readonly #clock: Clock;
  readonly #keys = new Map<KeyHex, Cooling>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the key is kept out now. */
  isCooling(key: KeyHex): boolean {
    const cooling = this.#keys.get(key);
    return cooling !== undefined && this.#clock.monotonicMs() < cooling.untilMs;
  }

  /**
   * Begins a cool-off; each one within an hour of the last is twice as long. False while one lasts:
   * both connections of a hub may cause it.
   */
  begin(key: KeyHex): boolean {
    if (this.isCooling(key)) return false;
    const now = this.#clock.monotonicMs();
    const before = this.#keys.get(key);
    const isRepeated = before !== undefined && now - before.untilMs < COOL_OFF_MAX_MS;
    const lengthMs = isRepeated
      ? Math.min(before.lengthMs * 2, COOL_OFF_MAX_MS)
      : COOL_OFF_FIRST_MS;
    this.#keys.delete(key);
    this.#keys.set(key, { untilMs: now + lengthMs, lengthMs });
    const oldest = this.#keys.keys().next();
    if (this.#keys.size > COOL_OFF_KEYS_MAX && !oldest.done) this.#keys.delete(oldest.value);
    return true;
  }
}
