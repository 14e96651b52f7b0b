// Who decides in the place of the people at this hub: reads and changes the setting, with a row of the record for each change. That whoever
// changes it knows the owner passphrase is the caller's to make sure of (PROTOCOL.md, Consent).
import type { ConsentSettingDto } from '../../../preload/contract/consent.ts';
import { AppError } from '../../lib/app-error.ts';
import type { PeerRow, Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
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
  readonly holds: Pick<Holds, 'changeWhoDecides'>;
  readonly pinnedPeer: (id: string) => PeerRow;
}

/** The setting as somebody read it: from which class on, and the ids of the hubs that decide. */
interface ConsentSeen {
  readonly from: ConsentClass | null;
  readonly hubs: readonly string[];
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
    const adults = store.read.peers().filter(({ trust, role }) => trust === 'paired' && role === 'adult');
    return {
      from: setting?.from ?? null,
      hubs: adults.map((row) => ({
        id: row.agentId,
        name: row.petname,
        person: row.person,
        decides: deciding.has(row.key),
        can: consents.mayBeAsked(row),
      })),
    };
  }

  /**
   * @param from null: the people here decide
   * @param seen what was read before this was chosen; undefined: whatever it is, this takes its place
   * @throws AppError peer_not_found, pairing_required, bad_request (no hub, suspended, no adult's), unsupported_feature, conflict
   */
  async set(ids: readonly string[], from: ConsentClass | null, person: Decider, seen?: ConsentSeen): Promise<ConsentSettingDto> {
    const { unit, guard, audit, pinnedPeer, consents, holds } = this.#deps;
    const keys = [...new Set(ids.map((id) => pinnedPeer(id).key))];
    if (from !== null && keys.length === 0) throw unfit('Name at least one hub that decides.');
    await unit.run((tables, after) => {
      if (seen !== undefined) this.#checkSeen(tables, seen);
      const before = new Set(guard.hubs(tables).map(({ key }) => key));
      const hubs = keys.map((key) => {
        // As it is in this commit: whoever was looked up may have been removed, suspended or paired anew since.
        const row = tables.peer(key);
        if (row === undefined || row.trust === 'revoked') throw unfit('A hub that was named is not paired any more.');
        if (row.trust !== 'paired') throw unfit(`${row.petname} is suspended: take that back first.`);
        if (row.role !== 'adult') throw noAdults(row.petname);
        if (!before.has(key) && !consents.mayBeAsked(row)) throw cannot(row.petname);
        return { key, paired_at: row.pairedAt };
      });
      holds.changeWhoDecides(tables, after, () => guard.set(tables, from === null ? null : { from, hubs }));
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

  /**
   * Inside the commit in which a hub stops being an adult's: it decides here no more, and whoever knows the owner passphrase has to name it
   * anew should it become one again. What is returned is to be called after that commit.
   */
  adultNoMore(tables: Tables, key: KeyHex): () => void {
    const { guard, audit, consents } = this.#deps;
    if (!guard.unname(tables, key)) return () => undefined;
    audit.append(tables, { actor: 'hub', surface: 'hub', action: 'peer.decides_no_more', object: key });
    return () => consents.changed();
  }

  #checkSeen(tables: Tables, { from, hubs }: ConsentSeen): void {
    const { guard } = this.#deps;
    const deciding = guard.hubs(tables).map(({ agentId }) => agentId);
    const isSame = deciding.length === hubs.length && deciding.every((id) => hubs.includes(id));
    if (isSame && (guard.setting(tables)?.from ?? null) === from) return;
    throw new AppError('conflict', 'Who decides was changed since this was read, so nothing was changed now.', {
      hint: 'Look at what stands there now, and choose again.',
    });
  }
}

function unfit(sentence: string): AppError {
  return new AppError('bad_request', sentence, { failedBy: 'input' });
}

function noAdults(name: string): AppError {
  return new AppError('bad_request', `${name} is not said to be an adult’s hub.`, {
    failedBy: 'input',
    hint: 'Say under People & hubs, or with "axon peers set HUB --role adult", which hubs are adults’.',
  });
}

function cannot(name: string): AppError {
  return new AppError('unsupported_feature', `${name} cannot be asked yet: the hub there does not say that it takes such questions.`, {
    hint: 'Update the hub there, and let the two hubs meet once.',
  });
}
