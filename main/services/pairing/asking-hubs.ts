// Which hubs ask to be paired while pairing is closed, so that a page which somebody opened can say that one does. It never makes anybody
// look: it knows labels made of keys and not a word of what a hub says of itself, it is one line at most, and that line rests for a while when
// nobody wanted it, whoever asks (PROTOCOL.md, Pairing).
import type { PairingWindowDto } from '../../../preload/contract/pairing-dto.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import { hubLabel } from '../links/peer-names.ts';
import { ASKING_HUBS_MAX, ASKING_QUIET_MS, ASKING_SHOWN_MS } from './limits.ts';

export class AskingHubs {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  /** Until when each counts as asking, monotonic. */
  readonly #untilMs = new Map<KeyHex, number>();
  /** How long the line has been shown since it last rested, up to the last look. */
  #shownMs = 0;
  /** Monotonic. */
  #lookedAtMs = 0;
  #told: string | null | undefined;
  #timer: TimerHandle | undefined;

  /** @param onChange what `dto` gives is different now */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get dto(): PairingWindowDto['asked'] {
    const label = this.#label();
    return label === undefined ? null : { label };
  }

  /** A hub that is not paired asks, and counts as asking for so long. */
  asks(key: KeyHex, forMs: number): void {
    const now = this.#clock.monotonicMs();
    if (this.#untilMs.size === 0 && now - this.#lookedAtMs >= ASKING_QUIET_MS) this.#shownMs = 0;
    const isFull = !this.#untilMs.has(key) && this.#untilMs.size >= ASKING_HUBS_MAX;
    if (isFull || this.#shownMs >= ASKING_SHOWN_MS) return;
    this.#untilMs.set(key, now + forMs);
    this.#look();
  }

  asksNoMore(key: KeyHex): void {
    if (this.#untilMs.delete(key)) this.#look();
  }

  /** A person opened pairing: whoever asks shows up there, and nothing is told from here. */
  forget(): void {
    this.#untilMs.clear();
    this.#shownMs = 0;
    this.#told = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** undefined: nobody asks; null: several do. */
  #label(): string | null | undefined {
    const [first] = this.#untilMs.keys();
    if (first === undefined) return undefined;
    return this.#untilMs.size === 1 ? hubLabel(agentIdOfKeyHex(first)) : null;
  }

  #look(): void {
    const now = this.#clock.monotonicMs();
    if (this.#told !== undefined) this.#shownMs += now - this.#lookedAtMs;
    this.#lookedAtMs = now;
    const isEnough = this.#shownMs >= ASKING_SHOWN_MS;
    for (const [key, untilMs] of this.#untilMs) if (isEnough || now >= untilMs) this.#untilMs.delete(key);
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#untilMs.size > 0) {
      const nextMs = Math.min(...this.#untilMs.values(), now + ASKING_SHOWN_MS - this.#shownMs);
      this.#timer = this.#clock.setTimer(nextMs - now, () => this.#look());
    }
    const label = this.#label();
    if (label === this.#told) return;
    this.#told = label;
    this.#onChange();
  }
}
