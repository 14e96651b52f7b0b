// Keys that sent too many malformed messages, or cost this hub far more than they brought, are kept out for a while, longer each time.
// Bounded; forgets the oldest first.
import type { Clock } from '../../ports/clock.ts';
import { CLOSE_CODES, type CloseCode, type KeyHex } from '../../ports/transport.ts';
import { COOL_OFF_FIRST_MS, COOL_OFF_KEYS_MAX, COOL_OFF_MAX_MS } from './limits.ts';

/** What a key is kept out for: how the audit calls it, and what the hub is told (PROTOCOL.md, Connection). */
export interface Offence {
  readonly action: string;
  readonly code: CloseCode;
  readonly reason: string;
}

export const OFFENCES = {
  malformed: { action: 'peer.malformed', code: CLOSE_CODES.malformed, reason: 'too many malformed messages' },
  tooCostly: { action: 'peer.too_costly', code: CLOSE_CODES.overLimit, reason: 'too much work for what it brought' },
} as const satisfies Readonly<Record<string, Offence>>;

interface Cooling {
  readonly offence: Offence;
  readonly untilMs: number;
  readonly lengthMs: number;
}

export class CoolOff {
  readonly #clock: Clock;
  readonly #keys = new Map<KeyHex, Cooling>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What the key is kept out for now; undefined: it is not. */
  reason(key: KeyHex): Offence | undefined {
    const cooling = this.#keys.get(key);
    return cooling !== undefined && this.#clock.monotonicMs() < cooling.untilMs ? cooling.offence : undefined;
  }

  /** Begins a cool-off; each one within an hour of the last is twice as long. False while one lasts, which both lines of a hub may be told of. */
  begin(key: KeyHex, offence: Offence): boolean {
    if (this.reason(key) !== undefined) return false;
    const now = this.#clock.monotonicMs();
    const before = this.#keys.get(key);
    const isRepeated = before !== undefined && now - before.untilMs < COOL_OFF_MAX_MS;
    const lengthMs = isRepeated ? Math.min(before.lengthMs * 2, COOL_OFF_MAX_MS) : COOL_OFF_FIRST_MS;
    this.#keys.delete(key);
    this.#keys.set(key, { offence, untilMs: now + lengthMs, lengthMs });
    const oldest = this.#keys.keys().next();
    if (this.#keys.size > COOL_OFF_KEYS_MAX && !oldest.done) this.#keys.delete(oldest.value);
    return true;
  }
}
