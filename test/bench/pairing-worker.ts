// Pairs hubs with one that does not run, in its data folder. In a process of its own, because the
// schema's text needs Node's hooks: node --import ../support/raw-imports.mjs.
import { join } from 'node:path';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import { NO_LIVE_FACTS } from '../../main/services/links/peer-view.ts';
import { pinnedRow } from '../../main/services/links/pinned-row.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { pinOf } from '../fakes/sample-rows.ts';
import { systemDeps } from '../integration/quic-test-hub.ts';

export interface PairedKey {
  readonly keyHex: string;
  readonly name: string;
}

const { clock } = systemDeps;
const [, , home = '', text = '[]'] = process.argv;
const peers: readonly PairedKey[] = JSON.parse(text);
const store = openStore({ path: join(home, 'hub.db'), clock, log: SILENT_LOG });
await store.write((tables) => {
  for (const { keyHex, name } of peers)
    tables.putPeer(
      pinnedRow(
        pinOf(keyHex, name),
        undefined,
        { fixed: undefined, live: NO_LIVE_FACTS },
        clock.wallMs(),
      ),
    );
});
await store.close();
