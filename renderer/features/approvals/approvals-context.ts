// What the inbox hands down to its cards.
import { createContext } from 'svelte';
import type { ApprovalsController } from './ApprovalsController.svelte.ts';
import type { PlaceWatch } from '../../app/place-watch.ts';

interface ApprovalsContext {
  readonly approvals: ApprovalsController;
  readonly places: PlaceWatch;
}

export const [getApprovals, setApprovals] = createContext<ApprovalsContext>();
