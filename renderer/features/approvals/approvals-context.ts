// What the inbox hands down to its cards.
import { createContext } from 'svelte';
import type { ApprovalsController } from './ApprovalsController.svelte.ts';
import type { LayoutShiftGuard } from '../../app/layout-shift-guard.ts';

interface ApprovalsContext {
  readonly approvals: ApprovalsController;
  readonly places: LayoutShiftGuard;
}

export const [getApprovals, setApprovals] = createContext<ApprovalsContext>();
