// GET and PUT /v1/remote-approval: who decides in the place of the people at this hub. A logged-in
// page is not enough for a change, since it may be a child's: the owner passphrase is asked for
// each time.
import type { PassphraseService } from '../../services/auth/passphrase-service.ts';
import type { RemoteApprovalSettings } from '../../services/remote-approval/settings.ts';
import { AppError } from '../../lib/app-error.ts';
import { actorOf } from '../actor.ts';
import type { HandlersOf } from '../caller.ts';
import { personOf } from './who.ts';

export function remoteApprovalHandlers(deps: {
  readonly setting: RemoteApprovalSettings;
  readonly passphrase: Pick<PassphraseService, 'check'>;
}): HandlersOf<'remote_approval'> {
  return {
    'remote_approval.get': async () => deps.setting.current(),
    'remote_approval.set': async ({ from, hubs, seen, passphrase }, caller, { signal }) => {
      const person = personOf(caller);
      // A token of a terminal was given for the passphrase; a page's may have come from a link.
      if (caller.kind !== 'owner' || passphrase !== undefined) {
        const line = caller.kind === 'owner' ? 'owner' : 'page';
        await deps.passphrase.check(passphrase ?? missing(), signal, line, actorOf(caller));
      }
      return deps.setting.set(hubs, from, person, seen);
    },
  };
}

function missing(): never {
  throw new AppError(
    'passphrase_required',
    'Who decides about requests is changed with the owner passphrase alone.',
    {
      failedBy: 'input',
      hint: 'Give the owner passphrase; where none is set yet, choose one in Settings.',
    },
  );
}
