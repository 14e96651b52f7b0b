// GET /v1/audit: who did what, for people.
import type { Work } from '../../services/work/work.ts';
import type { HandlersOf } from '../caller.ts';

export function auditHandlers(deps: { readonly work: Pick<Work, 'audit'> }): HandlersOf<'audit'> {
  return { 'audit.list': async ({ limit, cursor }) => deps.work.audit({ limit, cursor }) };
}
