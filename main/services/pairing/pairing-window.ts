// Whether offers are taken at all: only while a person has opened pairing, and not for a while after too many failed checks
// (PROTOCOL.md, Pairing). It is open while both clocks say so, so that a sleep does not keep it open; a lock goes by the monotonic clock alone,
// which nobody can set, and its wall time is for display.
import { AppError } from '../../lib/app-error.ts';
import type { PairingWindowDto } from '../../../preload/contract/pairing-dto.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { AskingHubs } from './asking-hubs.ts';
import { isOver, msLeft, stretchFromNow, type Stretch } from './both-clocks.ts';
import {
  FAILURES_MAX,
  FAILURES_WITHIN_MS,
  FRUITLESS_OFFERS_MAX,
  FRUITLESS_PER_ADDRESS_MAX,
  FRUITLESS_REMEMBERED_MAX,
  LOCK_DURATION_MS,
  WINDOW_DURATION_MAX_MINUTES,
  WINDOW_LOOK_INTERVAL_MS,
} from './limits.ts';

const MINUTE_MS = 60_000;

export class PairingWindow {
  readonly #clock: Clock;
  readonly #onChange: (window: PairingWindowDto) => void;
  #opened: Stretch | undefined;
  #lockedUntilMs: number | undefined;
  #failuresAtMs: number[] = [];
  /** Requests of a hub that came to nothing while this window was open. */
  readonly #fruitless = new Map<KeyHex, number>();
  readonly #fruitlessFrom = new Map<string, number>();
  readonly #asking: AskingHubs;
  #timer: TimerHandle | undefined;

  /** @param onChange pairing was opened, closed or locked; `onAsked` only what `asked` says has changed */
  constructor(clock: Clock, onChange: (window: PairingWindowDto) => void, onAsked: (window: PairingWindowDto) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#asking = new AskingHubs(clock, () => onAsked(this.dto));
  }

  get isOpen(): boolean {
    return !this.isLocked && this.#opened !== undefined && !isOver(this.#opened, this.#clock);
  }

  /** Whether this hub may ask now, from that address: what others did there is not held against a hub that did nothing. */
  admits(key: KeyHex, host: string): boolean {
    const fruitless = this.#fruitless.get(key) ?? 0;
    const isAddressHeard = fruitless === 0 || (this.#fruitlessFrom.get(host) ?? 0) < FRUITLESS_PER_ADDRESS_MAX;
    return this.isOpen && fruitless < FRUITLESS_OFFERS_MAX && isAddressHeard;
  }

  /** A request of this hub came to nothing: `isDeclined` by the person here, which ends it for this window, or taken back by the hub. */
  cameToNothing(key: KeyHex, host: string | undefined, isDeclined: boolean): void {
    remember(this.#fruitless, key, isDeclined ? FRUITLESS_OFFERS_MAX : (this.#fruitless.get(key) ?? 0) + 1);
    if (host !== undefined) remember(this.#fruitlessFrom, host, (this.#fruitlessFrom.get(host) ?? 0) + 1);
  }

  /** A hub that is not paired asks while pairing is closed, and counts as asking for so long. */
  asksInVain(key: KeyHex, forMs: number): void {
    if (!this.isOpen && !this.isLocked) this.#asking.asks(key, forMs);
  }

  asksNoMore(key: KeyHex): void {
    this.#asking.asksNoMore(key);
  }

  /** Throws AppError rate_limited while too many failures keep pairing shut. */
  refuseWhileLocked(): void {
    if (!this.isLocked || this.#lockedUntilMs === undefined) return;
    const leftMs = this.#lockedUntilMs - this.#clock.monotonicMs();
    const minutes = Math.max(1, Math.ceil(leftMs / MINUTE_MS));
    throw new AppError('rate_limited', `Pairing is closed for ${minutes} more minutes, because too many pairings failed.`, {
      retryAfterMs: Math.max(0, Math.round(leftMs)),
    });
  }

  get isLocked(): boolean {
    return this.#lockedUntilMs !== undefined && this.#clock.monotonicMs() < this.#lockedUntilMs;
  }

  get dto(): PairingWindowDto {
    return {
      open: this.isOpen,
      closes_at: this.isOpen && this.#opened !== undefined ? this.#wallIn(msLeft(this.#opened, this.#clock)) : null,
      locked_until:
        this.isLocked && this.#lockedUntilMs !== undefined ? this.#wallIn(this.#lockedUntilMs - this.#clock.monotonicMs()) : null,
      asked: this.isOpen || this.isLocked ? null : this.#asking.dto,
    };
  }

  /** Opens for so many minutes from now; does nothing while locked. */
  open(minutes: number): void {
    if (this.isLocked) return;
    this.#forgetFruitless();
    this.#asking.forget();
    const durationMs = Math.min(minutes, WINDOW_DURATION_MAX_MINUTES) * MINUTE_MS;
    this.#opened = stretchFromNow(this.#clock, durationMs);
    this.#changeAgainAfter(durationMs);
    this.#onChange(this.dto);
  }

  close(): void {
    if (this.#opened === undefined) return;
    this.#opened = undefined;
    this.#forgetFruitless();
    if (!this.isLocked) this.#cancelTimer();
    this.#onChange(this.dto);
  }

  /** Counts a check that failed. */
  failed(): void {
    const now = this.#clock.monotonicMs();
    this.#failuresAtMs = this.#failuresAtMs.filter((atMs) => now - atMs < FAILURES_WITHIN_MS);
    this.#failuresAtMs.push(now);
    if (this.#failuresAtMs.length < FAILURES_MAX) return;
    this.#failuresAtMs = [];
    this.#opened = undefined;
    this.#lockedUntilMs = now + LOCK_DURATION_MS;
    this.#changeAgainAfter(LOCK_DURATION_MS);
    this.#onChange(this.dto);
  }

  stop(): void {
    this.#cancelTimer();
    this.#asking.forget();
    this.#opened = undefined;
  }

  #forgetFruitless(): void {
    this.#fruitless.clear();
    this.#fruitlessFrom.clear();
  }

  /** Tells when pairing closes or a lock ends; looks often enough that a window which ended in a sleep is told soon after it. */
  #changeAgainAfter(delayMs: number): void {
    this.#cancelTimer();
    const wasOpen = this.isOpen;
    const lookMs = Math.min(delayMs, WINDOW_LOOK_INTERVAL_MS);
    this.#timer = this.#clock.setTimer(lookMs, () => {
      this.#timer = undefined;
      if (lookMs < delayMs && this.isOpen === wasOpen) return this.#changeAgainAfter(delayMs - lookMs);
      // What was over once stays over, though the wall clock be set back.
      if (!this.isOpen) this.#opened = undefined;
      this.#onChange(this.dto);
    });
  }

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wallIn(ms: number): number {
    return Math.round(this.#clock.wallMs() + ms);
  }
}

/** Sets a count as the newest and forgets the oldest beyond the maximum. */
function remember(counts: Map<string, number>, of: string, count: number): void {
  counts.delete(of);
  counts.set(of, count);
  const oldest = counts.keys().next();
  if (counts.size > FRUITLESS_REMEMBERED_MAX && !oldest.done) counts.delete(oldest.value);
}
