// Whether offers are accepted: only while a person has opened pairing, and not for a while after
// too many failed checks. While it is closed, an open page can say that a hub asks, by a label made
// of its key and never by its own words (PROTOCOL.md, Pairing). Everything goes by the monotonic
// clock, which nobody can set; wall times are for display.
import { plural } from '../../../preload/contract/strings/shared-words.ts';
import { AppError } from '../../lib/app-error.ts';
import type { PairingWindowDto } from '../../../preload/contract/pairing-dto.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import { hubLabel } from '../links/peer-names.ts';
import {
  ASKING_HUBS_MAX,
  ASKING_REMEMBERED_MS,
  FAILURES_MAX,
  FAILURES_WITHIN_MS,
  LOCK_DURATION_MS,
  WINDOW_DURATION_MAX_MINUTES,
} from './limits.ts';

const MINUTE_MS = 60_000;

export class PairingWindow {
  readonly #clock: Clock;
  readonly #onChange: (window: PairingWindowDto) => void;
  #openUntilMs = -Infinity;
  #lockedUntilMs = -Infinity;
  #failuresAtMs: number[] = [];
  /** Hubs that the person here declined while this window was open. */
  readonly #declined = new Set<KeyHex>();
  /** Hubs that ask while it is closed. */
  readonly #asking = new Map<KeyHex, TimerHandle>();
  #end: TimerHandle | undefined;

  /** @param onChange what `dto` gives is different now */
  constructor(clock: Clock, onChange: (window: PairingWindowDto) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return !this.isLocked && this.#clock.monotonicMs() < this.#openUntilMs;
  }

  get isLocked(): boolean {
    return this.#clock.monotonicMs() < this.#lockedUntilMs;
  }

  /**
   * Whether this hub may ask now: one that was declined is heard again only when a person opens
   * pairing anew.
   */
  admits(key: KeyHex): boolean {
    return this.isOpen && !this.#declined.has(key);
  }

  declined(key: KeyHex): void {
    if (this.isOpen) this.#declined.add(key);
  }

  /** An unpaired hub asks while pairing is closed: it counts as asking for a few seconds. */
  asks(key: KeyHex): void {
    const known = this.#asking.get(key);
    if (
      this.isOpen ||
      this.isLocked ||
      (known === undefined && this.#asking.size >= ASKING_HUBS_MAX)
    )
      return;
    known?.cancel();
    this.#asking.set(
      key,
      this.#clock.setTimer(ASKING_REMEMBERED_MS, () => this.asksNoMore(key)),
    );
    if (known === undefined) this.#onChange(this.dto);
  }

  asksNoMore(key: KeyHex): void {
    this.#asking.get(key)?.cancel();
    if (this.#asking.delete(key)) this.#onChange(this.dto);
  }

  /** Throws AppError rate_limited while too many failures keep pairing shut. */
  refuseWhileLocked(): void {
    if (!this.isLocked) return;
    const leftMs = this.#lockedUntilMs - this.#clock.monotonicMs();
    const minutes = Math.max(1, Math.ceil(leftMs / MINUTE_MS));
    throw new AppError(
      'rate_limited',
      `Pairing is closed for ${plural(minutes, { one: '{n} more minute', other: '{n} more minutes' })}, because too many pairings failed.`,
      {
        retryAfterMs: Math.max(0, Math.round(leftMs)),
      },
    );
  }

  get dto(): PairingWindowDto {
    const [asking] = this.#asking.keys();
    const label =
      asking === undefined || this.#asking.size > 1 ? null : hubLabel(agentIdOfKeyHex(asking));
    return {
      open: this.isOpen,
      closes_at: this.isOpen ? this.#wallAt(this.#openUntilMs) : null,
      locked_until: this.isLocked ? this.#wallAt(this.#lockedUntilMs) : null,
      asked: asking === undefined || this.isOpen || this.isLocked ? null : { label },
    };
  }

  /** Opens for so many minutes from now; does nothing while locked. */
  open(minutes: number): void {
    if (this.isLocked) return;
    this.#forget();
    const durationMs = Math.min(minutes, WINDOW_DURATION_MAX_MINUTES) * MINUTE_MS;
    this.#openUntilMs = this.#clock.monotonicMs() + durationMs;
    this.#changeAfter(durationMs);
  }

  close(): void {
    if (!this.isOpen) return;
    this.#openUntilMs = -Infinity;
    this.#end?.cancel();
    this.#onChange(this.dto);
  }

  /** Counts a check that failed. */
  failed(): void {
    const now = this.#clock.monotonicMs();
    this.#failuresAtMs = [
      ...this.#failuresAtMs.filter((atMs) => now - atMs < FAILURES_WITHIN_MS),
      now,
    ];
    if (this.#failuresAtMs.length < FAILURES_MAX) return;
    this.#failuresAtMs = [];
    this.#openUntilMs = -Infinity;
    this.#lockedUntilMs = now + LOCK_DURATION_MS;
    this.#changeAfter(LOCK_DURATION_MS);
  }

  stop(): void {
    this.#end?.cancel();
    this.#forget();
    this.#openUntilMs = -Infinity;
  }

  /** Tells now, and again when pairing closes or a lock ends. */
  #changeAfter(delayMs: number): void {
    this.#end?.cancel();
    this.#end = this.#clock.setTimer(delayMs, () => {
      this.#openUntilMs = -Infinity;
      this.#lockedUntilMs = -Infinity;
      this.#onChange(this.dto);
    });
    this.#onChange(this.dto);
  }

  #forget(): void {
    this.#declined.clear();
    for (const timer of this.#asking.values()) timer.cancel();
    this.#asking.clear();
  }

  #wallAt(monotonicMs: number): number {
    return Math.round(this.#clock.wallMs() + monotonicMs - this.#clock.monotonicMs());
  }
}
