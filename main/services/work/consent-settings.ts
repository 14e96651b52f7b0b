// Who decides in the place of the people at this hub: reads and changes the setting, with a row of the record for each change. That whoever
// changes it knows the owner passphrase is the caller's to make sure of (PROTOCOL.md, Consent).
import type { ConsentSettingDto } from '../../../preload/contract/consent.ts';
import { AppError } from '../../lib/app-error.ts';
import type { PeerRow, Store } from '../../ports/store.ts';
import type { ConsentClass } from '../../protocol/consent.ts';
import type { Holds } from '../attention/holds.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Decider } from './approvals.ts';
import type { ConsentGuard } from './consent-guard.ts';
import type { Consents } from './consents.ts';
import type { UnitOfWork } from './unit-of-work.ts';

interface Deps {
  readonly store: Store;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly guard: ConsentGuard;
  readonly consents: Pick<Consents, 'mayBeAsked' | 'changed'>;
  readonly holds: Pick<Holds, 'whoDecidesChanged'>;
  readonly pinnedPeer: (id: string) => PeerRow;
}

export class ConsentSettings {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  current(): ConsentSettingDto {
    const { store, guard, consents } = this.#deps;
    const setting = guard.setting(store.read);
    const deciding = new Set(guard.hubs(store.read).map(({ key }) => key));
    const paired = store.read.peers().filter(({ trust }) => trust === 'paired');
    return {
      from: setting?.from ?? null,
      hubs: paired.map((row) => ({
        id: row.agentId,
        name: row.petname,
        person: row.person,
        decides: deciding.has(row.key),
        can: consents.mayBeAsked(row),
      })),
    };
  }

  /** @param from null: the people here decide @throws AppError peer_not_found, pairing_required, bad_request, unsupported_feature */
  async set(ids: readonly string[], from: ConsentClass | null, person: Decider): Promise<ConsentSettingDto> {
    const { unit, guard, audit, pinnedPeer, consents, store, holds } = this.#deps;
    const rows = new Map(ids.map((id) => pinnedPeer(id)).map((row) => [row.key, row]));
    if (from !== null && rows.size === 0) throw unfit('Name at least one hub that decides.');
    const before = new Set(guard.hubs(store.read).map(({ key }) => key));
    for (const row of rows.values()) {
      if (row.trust !== 'paired') throw unfit(`${row.petname} is suspended: take that back first.`);
      if (!before.has(row.key) && !consents.mayBeAsked(row)) throw cannot(row.petname);
    }
    await unit.run((tables, after) => {
      const hubs = [...rows.values()].map(({ key, pairedAt }) => ({ key, paired_at: pairedAt }));
      guard.set(tables, from === null ? null : { from, hubs });
      holds.whoDecidesChanged(tables, after);
      audit.append(tables, {
        actor: person.tokenId,
        surface: person.surface,
        action: from === null ? 'consent.off' : 'consent.set',
        object: 'consent',
        detail: { from, hubs: hubs.map(({ key }) => key).join(' ') },
      });
    });
    consents.changed();
    return this.current();
  }
}

function unfit(sentence: string): AppError {
  return new AppError('bad_request', sentence, { failedBy: 'input' });
}

function cannot(name: string): AppError {
  return new AppError('unsupported_feature', `${name} cannot be asked yet: the hub there does not say that it takes such questions.`, {
    hint: 'Update the hub there, and let the two hubs meet once.',
  });
}
