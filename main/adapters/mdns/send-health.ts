// Whether our packets leave on each interface: one that failed may be chance, several in a row mean that a firewall or the system holds them
// back. It counts; it sends nothing and decides nothing else.
import { SEND_FAILURES_MAX } from './limits.ts';

export class SendHealth {
  /** Failures in a row, by interface. */
  readonly #failures = new Map<string, number>();

  /** Notes how a packet fared. True when the interface became mute by it, or speaks again. */
  sent(name: string, hasLeft: boolean): boolean {
    const wasMute = this.isMute(name);
    if (hasLeft) this.#failures.delete(name);
    else this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1);
    return this.isMute(name) !== wasMute;
  }

  isMute(name: string): boolean {
    return (this.#failures.get(name) ?? 0) >= SEND_FAILURES_MAX;
  }

  forget(name: string): void {
    this.#failures.delete(name);
  }
}
