// Runs inside a session bus of its own: a real gnome-keyring, and a real hub that is started and
// stopped over a data folder, which is copied and restored as a whole. Prints as JSON lines what the
// hub says of its audit log. Argument: the data folder.
import { cpSync, rmSync, writeSync } from 'node:fs';
import { SystemClock, SystemRandom } from '../../../main/adapters/clock/system-clock.ts';
import { createNode, type HubNode } from '../../../main/app/node.ts';
import { SILENT_LOG } from '../../fakes/memory-store.ts';
import { createInProcessTransport } from '../../support/in-process-transport.ts';
import { Keyring } from './keyring.ts';

const [, , home = ''] = process.argv;
const copy = `${home}-copy`;
const TIMEOUT_MS = 10_000;
const PERSON = { actor: 'owner:1', surface: 'command_line' } as const;
const clock = new SystemClock();
const random = new SystemRandom();

const keyring = new Keyring(clock, TIMEOUT_MS);

async function start(): Promise<HubNode> {
  const facts = {
    apiPort: 0,
    peerPort: 0,
    interfaces: null,
    logLevel: 'warn',
    logForm: null,
  } as const;
  const node = await createNode(
    {
      home,
      ...facts,
      settings: { name: 'Hub', discovery: false },
      fixed: {},
      opensBrowser: false,
      requestsPerSecond: 100,
      peerRateFactor: 1,
    },
    {
      clock,
      random,
      log: SILENT_LOG,
      desktop: false,
      rendererDirectory: null,
      transport: createInProcessTransport({ clock, random }),
    },
  );
  await node.start();
  return node;
}

/** One run of the hub, in which its owner does something that is put on record. */
async function runOnce(confirm = false): Promise<void> {
  const node = await start();
  const { audit, hub, opening, settings } = node.services;
  const { audit: state, key_storage: storage } = hub.current();
  let confirmed: string | null = null;
  if (confirm) {
    await opening.confirmRestore(PERSON, { hubs: [], agents: [] });
    confirmed = audit.state;
  }
  await settings.update({ person: `Person ${random.uuid().slice(0, 8)}` }, PERSON);
  writeSync(1, `${JSON.stringify({ storage, state, confirmed, rules: audit.rulesMayAct })}\n`);
  await node.stop();
}

await keyring.start('correct horse');
try {
  await runOnce();
  cpSync(home, copy, { recursive: true });
  await runOnce();
  rmSync(home, { recursive: true });
  cpSync(copy, home, { recursive: true });
  await runOnce();
  await runOnce(true);
  await runOnce();
} finally {
  await keyring.end();
}
