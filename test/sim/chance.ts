// All chance of a simulated run, drawn from one seed: the same seed gives the same run, bit for
// bit. Never touches the machine's own chance.
import type { Random } from '../../main/ports/clock.ts';

/** xoshiro128**, seeded by splitmix32. */
export class Chance implements Random {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    let mixed = seed >>> 0;
    this.#state = Uint32Array.from({ length: 4 }, () => {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      let word = mixed;
      word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
      word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
      return (word ^ (word >>> 16)) >>> 0;
    });
  }

  /** A stream of its own, so that one more draw here changes nothing there. */
  fork(): Chance {
    return new Chance(this.word());
  }

  word(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#state;
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const [second, third] = [b ^ c ^ a, c ^ a ^ (b << 9)];
    const last = d ^ b;
    this.#state.set([a ^ d ^ b, second, third, (last << 11) | (last >>> 21)]);
    return result;
  }

  /** In [0, 1). */
  fraction(): number {
    return this.word() / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.fraction();
  }

  /** A whole number, both ends included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  maybe(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** Mostly short, sometimes long: times between things that happen by themselves. */
  wait(meanMs: number): number {
    return -Math.log(1 - this.fraction()) * meanMs;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.fraction() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /** One of the names, each as likely as its share. */
  weighted<Name extends string>(shares: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(shares).filter((name): name is Name => name in shares);
    let left = this.fraction() * names.reduce((sum, name) => sum + shares[name], 0);
    for (const name of names) {
      left -= shares[name];
      if (left < 0) return name;
    }
    return this.pick(names);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.word() & 0xff);
  }

  uuid(): string {
    const hex = [this.word(), this.word(), this.word(), this.word()]
      .map((word) => word.toString(16).padStart(8, '0'))
      .join('');
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
