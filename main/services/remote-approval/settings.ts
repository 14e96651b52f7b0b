// The setting of remote approval: reads and changes it, with a row of the audit log for each
// change. The caller checks that the person knows the owner passphrase (PROTOCOL.md, Remote
// approval).
import type { RemoteApprovalDto } from '../../../preload/contract/remote-approval.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import type { PeerRow, Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { RemoteClass } from '../../../preload/contract/closed-lists.ts';
import type { Holds } from '../approvals/holds.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { RemoteApprovalGate } from './gate.ts';
import type { AdultRequests } from './adult-requests.ts';
import type { AuditTrail, Decider } from '../base/audit-trail.ts';

interface Deps {
  readonly store: Store;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly gate: RemoteApprovalGate;
  readonly questions: Pick<AdultRequests, 'mayBeAsked' | 'changed'>;
  readonly holds: Pick<Holds, 'changeWhoDecides'>;
  readonly pinnedPeer: (id: string) => PeerRow;
}

/** The setting as somebody read it: from which class on, and the ids of the hubs that decide. */
interface SeenSetting {
  readonly from: RemoteClass | null;
  readonly hubs: readonly string[];
}

export class RemoteApprovalSettings {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  current(): RemoteApprovalDto {
    const { store, gate, questions } = this.#deps;
    const state = gate.state(store.read);
    const deciding = new Set(gate.hubs(store.read).map(({ key }) => key));
    const adults = store.read
      .peers()
      .filter(({ trust, role }) => trust === 'paired' && role === 'adult');
    return {
      from: state?.from ?? null,
      hubs: adults.map((row) => ({
        id: row.agentId,
        name: row.petname,
        person: row.person,
        decides: deciding.has(row.key),
        can: questions.mayBeAsked(row),
      })),
    };
  }

  /**
   * @param from null: the people here decide
   * @param seen what was read before this was chosen; undefined: whatever it is, this takes its
   * place
   * @throws AppError peer_not_found, pairing_required, bad_request (no hub, suspended, no adult's),
   * unsupported_feature, conflict
   */
  async set(
    ids: readonly string[],
    from: RemoteClass | null,
    person: Decider,
    seen?: SeenSetting,
  ): Promise<RemoteApprovalDto> {
    const { unit, gate, audit, pinnedPeer, questions, holds } = this.#deps;
    const keys = [...new Set(ids.map((id) => pinnedPeer(id).key))];
    if (from !== null && keys.length === 0) throw unfit('Name at least one hub that decides.');
    await unit.run((tables, after) => {
      if (seen !== undefined) this.#checkSeen(tables, seen);
      const before = new Set(gate.hubs(tables).map(({ key }) => key));
      const hubs = keys.map((key) => {
        // As it is in this commit: whoever was looked up may have been removed, suspended or paired
        // anew since.
        const row = tables.peer(key);
        if (row === undefined || row.trust === 'revoked')
          throw unfit('A hub that was named is not paired any more.');
        if (row.trust !== 'paired') throw unfit(`${row.petname} is suspended: resume it first.`);
        if (row.role !== 'adult') throw noAdults(row.petname);
        if (!before.has(key) && !questions.mayBeAsked(row)) throw cannot(row.petname);
        return { key, paired_at: row.pairedAt };
      });
      holds.changeWhoDecides(tables, after, () =>
        gate.set(tables, from === null ? null : { from, hubs }),
      );
      audit.append(tables, {
        actor: person.actor,
        surface: person.surface,
        action: from === null ? 'remote_approval.off' : 'remote_approval.set',
        object: 'remote_approval',
        detail: { from, hubs: hubs.map(({ key }) => key).join(' ') },
      });
    });
    questions.changed();
    return this.current();
  }

  /**
   * Inside the commit in which a hub stops being an adult's: it decides here no more, and whoever
   * knows the owner passphrase has to name it anew should it become one again.
   */
  adultNoMore(tables: Tables, after: After, key: KeyHex): void {
    const { gate, audit, questions } = this.#deps;
    if (!gate.unname(tables, key)) return;
    audit.append(tables, {
      actor: 'hub',
      surface: 'hub',
      action: 'peer.decides_no_more',
      object: key,
    });
    after(() => questions.changed());
  }

  #checkSeen(tables: Tables, { from, hubs }: SeenSetting): void {
    const { gate } = this.#deps;
    const deciding = gate.hubs(tables).map(({ agentId }) => agentId);
    const isSame = deciding.length === hubs.length && deciding.every((id) => hubs.includes(id));
    if (isSame && (gate.state(tables)?.from ?? null) === from) return;
    throw new AppError(
      'conflict',
      'Who decides was changed since this was read, so nothing was changed now.',
      {
        hint: 'Look at what stands there now, and choose again.',
      },
    );
  }
}

function unfit(sentence: string): AppError {
  return inputError('bad_request', sentence);
}

function noAdults(name: string): AppError {
  return inputError('bad_request', `${name} is not said to be an adult’s hub.`, {
    hint: 'Say under People & hubs, or with "axon peers set HUB --role adult", which hubs are adults’.',
  });
}

function cannot(name: string): AppError {
  return new AppError(
    'unsupported_feature',
    `${name} cannot be asked yet: the hub there does not say that it takes such questions.`,
    {
      hint: 'Update the hub there, and let the two hubs meet once.',
    },
  );
}
