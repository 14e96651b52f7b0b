// GET /v1/audit and what stands below: who did what, whether the record is whole, and the record as a file. For people only.
import type { Audit } from '../../services/audit/audit.ts';
import type { Work } from '../../services/work/work.ts';
import { actorOf } from '../actor.ts';
import type { HandlersOf } from '../caller.ts';

export function auditHandlers(deps: { readonly work: Pick<Work, 'audit'>; readonly audit: Audit }): HandlersOf<'audit'> {
  const { work, audit } = deps;
  return {
    'audit.list': async ({ limit, cursor }) => {
      const { doubt } = audit;
      return { ...work.audit({ limit, cursor }), ...(doubt === undefined ? {} : { doubt }) };
    },
    'audit.verify': async (_params, caller) => audit.verify(actorOf(caller)),
    'audit.verification': async () => audit.verification(),
    'audit.cancelVerification': () => audit.cancelVerification(),
    'audit.export': ({ format, cursor }, caller) => audit.exportPiece(format, cursor, actorOf(caller)),
    'audit.confirm': async ({ seen }, caller) => {
      await audit.confirm(actorOf(caller), seen);
      return { state: audit.state };
    },
  };
}
