// GET /v1/approvals, the decision, and more time for it: for people only, bound to what the person was shown.
import type { Approvals } from '../../services/work/approvals.ts';
import type { KeepingOpen } from '../../services/work/keeping-open.ts';
import type { HandlersOf } from '../caller.ts';
import { personOf } from './who.ts';

export function approvalsHandlers(deps: { readonly approvals: Approvals; readonly keepingOpen: KeepingOpen }): HandlersOf<'approvals'> {
  const { approvals, keepingOpen } = deps;
  return {
    'approvals.list': async ({ state, limit, cursor }) =>
      state === 'decided' ? approvals.decided({ limit, cursor }) : { items: approvals.pending().slice(0, limit), next: null },
    'approvals.get': async ({ id }) => approvals.get(id),
    'approvals.decide': (params, caller) => approvals.decide(params, personOf(caller)),
    'approvals.keepOpen': ({ id, wait_ms }, caller) => keepingOpen.keepOpen(id, wait_ms, personOf(caller)),
  };
}
