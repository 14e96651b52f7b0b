// One hub's side of a pairing in a process of its own, so that a test can kill it with SIGKILL
// between any two steps. It does what its parent tells it, and reports every change of its pairings
// and peers.
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { fromHex } from '../../main/lib/bytes.ts';
import type { Store } from '../../main/ports/store.ts';
import type { PeerDto } from '../../preload/contract/dto.ts';
import type { PairingDto } from '../../preload/contract/pairing-dto.ts';
import { HubStack, MemoryVault, PERSON } from '../fakes/hub-stack.ts';
import { SILENT_LOG, type TemporaryStore } from '../fakes/memory-store.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';

export type Order =
  | { readonly order: 'window' }
  | { readonly order: 'add'; readonly key: string; readonly port: number; readonly name: string }
  | { readonly order: 'begin'; readonly key: string }
  | { readonly order: 'open' }
  | { readonly order: 'type'; readonly digits: string };

export type Report =
  | { readonly report: 'ready'; readonly key: string; readonly port: number }
  | { readonly report: 'pairing'; readonly pairing: PairingDto }
  | { readonly report: 'peer'; readonly peer: PeerDto };

const clock = new SystemClock();
const random = new SystemRandom();
const [path = '', seedHex = '', portText = '0', name = 'Hub'] = process.argv.slice(2);
const hub = new HubStack({
  clock,
  name,
  transport: createInProcessTransport({ clock, random }),
  store: storeAt(path),
  vault: new MemoryVault(fromHex(seedHex)),
});
hub.events.subscribe((event) => {
  if (event.type === 'pairing') tell({ report: 'pairing', pairing: event.pairing });
  if (event.type === 'peer') tell({ report: 'peer', peer: event.peer });
});
process.on('message', (order: Order) => void obey(order));
await hub.start(Number(portText));
tell({ report: 'ready', key: hub.key, port: hub.port });

async function obey(order: Order): Promise<void> {
  const id = hub.currentPairing?.id ?? '';
  if (order.order === 'window') hub.pairing.setWindow(true, 5);
  else if (order.order === 'add')
    await hub.directory.addStatic({
      keyHex: order.key,
      host: '127.0.0.1',
      port: order.port,
      name: order.name,
    });
  else if (order.order === 'begin') hub.pairing.begin(order.key, null);
  else if (order.order === 'open') hub.pairing.open(id);
  else await hub.pairing.type(id, order.digits, PERSON);
}

function tell(report: Report): void {
  process.send?.(report);
}

function storeAt(file: string): TemporaryStore {
  const store: Store = openStore({ path: file, clock, log: SILENT_LOG });
  return {
    folder: file,
    read: store.read,
    write: (work, durability) => store.write(work, durability),
    writeBehind: (work, then) => store.writeBehind(work, then),
    onCommit: (tell) => store.onCommit(tell),
    close: () => store.close(),
  };
}
