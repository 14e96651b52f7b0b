// For a page with cards while it is set up: those of hubs that ask more than anybody answers stand
// behind one line.
import { untrack } from 'svelte';
import type { HubState } from '../../app/HubState.svelte.ts';
import type { ApprovalsController } from './ApprovalsController.svelte.ts';

export function foldFloods(approvals: ApprovalsController, hub: HubState): void {
  $effect.pre(() => {
    const ids = hub.snapshot.attention.floods
      .filter(({ refused, silent }) => refused > 0 && silent)
      .map(({ peer_id }) => peer_id);
    untrack(() => approvals.setFlooding(ids));
  });
}
