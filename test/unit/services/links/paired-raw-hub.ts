// A whole hub and a raw one that it has paired, on one manual clock and a line in memory. What
// tests of a peer's lines begin with.
import { expect } from 'vitest';
import { HubStack } from '../../../fakes/hub-stack.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-transport.ts';
import { RawHub } from './raw-hub.ts';
import { pinOf } from '../../../fakes/sample-rows.ts';

interface PairedRawHub {
  readonly clock: ManualClock;
  readonly dad: HubStack;
  readonly raw: RawHub;
}

export async function openPairedRawHub(): Promise<PairedRawHub> {
  const clock = new ManualClock();
  const network = new MemoryNetwork(clock);
  const dad = await new HubStack({ clock, name: 'Dad', transport: network.create() }).start();
  const raw = await new RawHub(network.create()).start();
  await dad.store.write((tables) => dad.directory.pinInside(tables, pinOf(raw.key, 'Raw')));
  dad.directory.pinned(raw.key);
  return { clock, dad, raw };
}

/** Stops both; nothing of them may be left on the clock. */
export async function closePairedRawHub({ clock, dad, raw }: PairedRawHub): Promise<void> {
  await dad.stop();
  await raw.transport.stop();
  expect(clock.timers).toBe(0);
}
