// GET /v1/audit and what stands below: who did what, whether the log was changed, and the log as a file. For people only.
import type { Audit } from '../../services/audit/audit.ts';
import type { Work } from '../../services/work/work.ts';
import { actorOf } from '../actor.ts';
import type { HandlersOf } from '../caller.ts';

export function auditHandlers(deps: { readonly work: Pick<Work, 'audit'>; readonly audit: Audit }): HandlersOf<'audit'> {
  const { work, audit } = deps;
  return {
    'audit.list': async ({ limit, cursor }) => work.audit({ limit, cursor }),
    'audit.verify': async (_params, caller) => audit.verify(actorOf(caller)),
    'audit.verification': async () => audit.verification(),
    'audit.cancelVerification': () => audit.cancelVerification(),
    'audit.export': ({ format, cursor }, caller) => audit.exportPiece(format, cursor, actorOf(caller)),
    'audit.acknowledge': async ({ row }, caller) => {
      await audit.acknowledge(actorOf(caller), row);
      return { state: audit.state };
    },
  };
}
