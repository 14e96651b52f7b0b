// A data folder as a hub leaves it that was paired with others before: an identity in a file, and
// the rows of its peers.
import { join } from 'node:path';
import { FileVault } from '../../main/adapters/keyvault/file-vault.ts';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import { Secret } from '../../main/lib/secret.ts';
import { NO_LIVE_FACTS } from '../../main/services/links/peer-view.ts';
import { pinnedRow } from '../../main/services/links/pinned-row.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { systemDeps, type Identity } from '../integration/quic-test-hub.ts';
import { pinOf } from '../fakes/sample-rows.ts';

export interface PairedPeer {
  readonly identity: Identity;
  readonly name: string;
  /** Where its owner says it is; without it this hub waits to be dialled. */
  readonly place?: { readonly host: string; readonly port: number };
}

export async function prepareHome(
  home: string,
  identity: Identity,
  peers: readonly PairedPeer[],
): Promise<void> {
  const vault = new FileVault(join(home, 'identity.key'));
  await vault.write(new Secret(identity.seed), new AbortController().signal);
  const store = openStore({ path: join(home, 'hub.db'), clock: systemDeps.clock, log: SILENT_LOG });
  await store.write((tables) => {
    tables.setMeta('vault_kind', vault.kind);
    tables.setMeta('identity_key', identity.keyHex);
    for (const { identity: peer, name, place } of peers) {
      const pin = pinOf(peer.keyHex, name);
      const fixed = place && { keyHex: peer.keyHex, agentId: peer.agentId, name, ...place };
      tables.putPeer(
        pinnedRow(pin, undefined, { fixed, live: NO_LIVE_FACTS }, systemDeps.clock.wallMs()),
      );
    }
  });
  await store.close();
}
