// Two paired hubs over real stores, on one manual clock and a line in memory: dad's agent asks,
// mum's does it; or one hub whose own agent asks the other. What most tests of the work services
// begin with.
import type { PeerRow, TaskRow } from '../../main/ports/store.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryNetwork } from './memory-messenger.ts';
import { WorkHub, type WorkHubOptions } from './work-hub.ts';

export interface TwoHubs {
  readonly clock: ManualClock;
  /** Asks; its agent is "openclaw". */
  readonly dad: WorkHub;
  /** Is asked; its agent "claude" does what is of family.chat. */
  readonly mum: WorkHub;
}

/**
 * Two hubs that are paired, without their agents. @param ofDad what is not as usual at dad's,
 * @param ofMum at mum's
 */
export async function openPairedHubs(
  ofDad: Partial<WorkHubOptions> = {},
  ofMum: Partial<WorkHubOptions> = {},
): Promise<TwoHubs> {
  const clock = new ManualClock();
  const network = new MemoryNetwork();
  const dad = await new WorkHub({ name: 'dad', network, clock, ...ofDad }).start();
  const mum = await new WorkHub({ name: 'mum', network, clock, ...ofMum }).start();
  await dad.pair(mum);
  return { clock, dad, mum };
}

/** @param domains what dad's own agent offers @param ofDad what is not as usual at dad's */
export async function openTwoHubs(
  domains: readonly string[] = [],
  ofDad: Partial<WorkHubOptions> = {},
): Promise<TwoHubs> {
  const { clock, dad, mum } = await openPairedHubs(ofDad);
  await dad.agent('openclaw', domains);
  await mum.agent('claude', ['family.chat']);
  await mum.knows(dad);
  return { clock, dad, mum };
}

export async function closeTwoHubs({ clock, dad, mum }: TwoHubs): Promise<void> {
  await clock.settle();
  await dad.close();
  await mum.close();
}

export interface OneHub {
  readonly clock: ManualClock;
  /** Its agent "claude" asks; "lists" does what is of logistics.grocery. */
  readonly hub: WorkHub;
}

export async function openOneHub(): Promise<OneHub> {
  const clock = new ManualClock();
  const hub = await new WorkHub({ name: 'mum', network: new MemoryNetwork(), clock }).start();
  await hub.agent('claude');
  await hub.agent('lists', ['logistics.grocery']);
  return { clock, hub };
}

export async function closeOneHub({ clock, hub }: OneHub): Promise<void> {
  await clock.settle();
  await hub.close();
}

/** Another trust in a hub, as the store holds it: nothing that hangs on it ends by this. */
export async function putTrust(
  hub: WorkHub,
  other: Pick<WorkHub, 'key'>,
  trust: PeerRow['trust'],
): Promise<void> {
  await hub.store.write((tables) => {
    const row = tables.peer(other.key);
    if (row) tables.putPeer({ ...row, trust, revokedAt: trust === 'revoked' ? 1 : null });
  });
}

/** The newest task of a hub. */
export function newest(hub: WorkHub): TaskRow {
  const [task] = hub.store.read.tasks({ limit: 1 });
  if (!task) throw new Error(`${hub.name} has no task`);
  return task;
}
