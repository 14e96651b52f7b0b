// What of the paired hubs decides who may be asked: a text that changes when one comes, goes, is
// renamed, or is another's. For whoever reads the setting of remote approval, which no event tells
// of, to know when to read it again. Reads no setting itself.
import type { HubState } from './HubState.svelte.ts';

/** null while what is shown may be old. */
export function householdKey(hub: HubState): string | null {
  if (!hub.live) return null;
  return hub.snapshot.peers
    .map(({ id, name, role, trust, online }) => [id, name, role, trust, online].join())
    .join();
}
