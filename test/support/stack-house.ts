// Whole hubs on one network in memory and one clock that the test moves: made, paired, killed and
// started again, and all stopped at the end. What a hub does beyond that is the test's own
// business.
import { expect } from 'vitest';
import type { HubProfile } from '../../main/services/links/hub-profile.ts';
import { HubStack, type StackOptions } from '../fakes/hub-stack.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { MemoryNetwork, MemoryTransport } from '../fakes/memory-transport.ts';

/** What a hub has of its own; the house gives the rest. */
interface OwnOptions extends Partial<Omit<StackOptions, 'clock' | 'name'>> {
  readonly port?: number;
  readonly profile?: Partial<HubProfile>;
}

interface Couple {
  readonly dad: HubStack;
  readonly mum: HubStack;
}

export class StackHouse {
  readonly clock = new ManualClock();
  readonly network = new MemoryNetwork(this.clock);
  readonly #hubs = new Set<HubStack>();
  readonly #ends: (() => Promise<void>)[] = [];

  /** A hub that runs until the house is closed. */
  async hub(name: string, { port = 0, profile = {}, ...own }: OwnOptions = {}): Promise<HubStack> {
    const stack = new HubStack({
      clock: this.clock,
      name,
      transport: this.network.create(),
      ...own,
    });
    stack.profile = { ...stack.profile, ...profile };
    this.#hubs.add(stack);
    return stack.start(port);
  }

  /** Two hubs that trust each other and are online. */
  async couple(): Promise<Couple> {
    const [dad, mum] = [await this.hub('Dad'), await this.hub('Mum')];
    await dad.pins(mum);
    await mum.pins(dad);
    dad.hears(mum);
    await this.clock.until(
      () => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key),
      'both are online',
    );
    return { dad, mum };
  }

  /** The same hub anew, from what it keeps and at its port; the former one has been halted. */
  restart(former: HubStack): Promise<HubStack> {
    this.#hubs.delete(former);
    const { name, store, vault, port, profile } = former;
    return this.hub(name, { store, vault, port, profile });
  }

  /** Kills a hub without a word to anybody, and starts it again. */
  async killAndRestart(hub: HubStack): Promise<HubStack> {
    if (!(hub.transport instanceof MemoryTransport))
      throw new Error('a hub of this house is on its network');
    hub.transport.crash();
    await hub.halt();
    return this.restart(hub);
  }

  /** The test stops this one itself. */
  release(hub: HubStack): void {
    this.#hubs.delete(hub);
  }

  /** Something else that ends with the house. */
  endsWith(end: () => Promise<void>): void {
    this.#ends.push(end);
  }

  /** Stops everything; nothing of it may be left on the clock. */
  async close(): Promise<void> {
    await Promise.all([
      ...[...this.#hubs].map((hub) => hub.stop()),
      ...this.#ends.map((end) => end()),
    ]);
    expect(this.clock.timers).toBe(0);
  }
}
