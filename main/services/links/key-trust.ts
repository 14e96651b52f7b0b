// Trust in a key by the owner's word. For a hub that cannot pair with digits, because its program
// has none or because its owner gave its share token some safe way: it is trusted by the whole key.
// This goes one way only; the other side must add this hub as well.
import type { PeerDto, Surface } from '../../../preload/contract/dto.ts';
import { inputError } from '../../lib/app-error.ts';
import type { IntroductionWay } from '../../../preload/contract/introduction.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { HubAddress } from './hub-address.ts';
import type { PeerDirectory } from './peer-directory.ts';
import { auditRow } from '../base/audit-trail.ts';

interface KeyTrustDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly directory: PeerDirectory;
}

export interface TrustedKey extends HubAddress {
  readonly keyHex: KeyHex;
  /** The owner's name for it; null proposes one. */
  readonly name: string | null;
  /** What the owner gave it by. */
  readonly way: Extract<IntroductionWay, 'share_token' | 'key'>;
}

export class KeyTrust {
  readonly #deps: KeyTrustDeps;

  constructor(deps: KeyTrustDeps) {
    this.#deps = deps;
  }

  /**
   * Pins the key at its address, in one commit: what is refused leaves nothing behind. A name given
   * here goes before an older one. Throws AppError bad_request for this hub's own key, conflict for
   * a name that is taken or a hub that the owner suspended, overloaded at the limit of peers.
   */
  async add(
    trusted: TrustedKey,
    actor: { readonly actor: string; readonly surface: Surface },
  ): Promise<PeerDto> {
    const { store, clock, directory } = this.#deps;
    const { keyHex: key, host, port, way } = trusted;
    const named = directory.checkedName(key, trusted.name);
    const petname = named ?? directory.proposePetname('', key);
    const introduction = { way, by: actor.actor, surface: actor.surface };
    const said = { petname, isNamedAnew: named !== null, address: { host, port }, introduction };
    await store.write((tables) => {
      // Judged here and not before: the owner may be suspending it at this moment, and that word
      // stands.
      if (tables.peer(key)?.trust === 'suspended') {
        throw inputError('conflict', `${directory.nameOf(key)} is suspended here.`, {
          hint: 'Resume it under People & hubs.',
        });
      }
      directory.pinInside(tables, {
        key,
        person: null,
        platform: null,
        advertisedName: null,
        ...said,
      });
      const at = clock.wallMs();
      tables.appendAudit(
        auditRow(at, { ...actor, action: 'peer.trusted_by_key', object: key, detail: { way } }),
      );
    });
    directory.pinned(key);
    return directory.dto(key);
  }
}
