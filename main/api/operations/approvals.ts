// GET /v1/approvals and the decision: for people only, bound to what the person was shown.
import type { Approvals } from '../../services/work/approvals.ts';
import type { HandlersOf } from '../caller.ts';
import { personOf } from './who.ts';

export function approvalsHandlers(deps: { readonly approvals: Approvals }): HandlersOf<'approvals'> {
  const { approvals } = deps;
  return {
    'approvals.list': async ({ state, limit, cursor }) =>
      state === 'decided' ? approvals.decided({ limit, cursor }) : { items: approvals.pending().slice(0, limit), next: null },
    'approvals.get': async ({ id }) => approvals.get(id),
    'approvals.decide': (params, caller) => approvals.decide(params, personOf(caller)),
  };
}
