// Pairs two demo hubs as two people would: one opens its door, the other asks, six digits go one way and two come back. It uses the same
// calls as the pages and no other way in.
import { AppError } from '../../lib/app-error.ts';
import type { PairingDto, PairingState } from '../../../preload/contract/pairing-dto.ts';
import type { HubClient } from '../hub-client.ts';
import type { DemoHub } from './demo-hub.ts';

const STEP_LIMIT_MS = 15_000;
const LOOK_AGAIN_MS = 50;

/** Throws `timeout` when a step does not come. */
export async function pairHubs(asking: DemoHub, asked: DemoHub): Promise<void> {
  const [initiator, responder] = [await asking.owner(), await asked.owner()];
  const { hub } = await responder.call('hub.whoami', {});
  if (hub.agent_id === null || hub.public_key === null || hub.peer_port === null) {
    throw new AppError('identity_locked', `${asked.plan.name} has no identity yet.`);
  }
  await responder.call('pairings.window', { open: true, minutes: 5 });
  await initiator.call('peers.add', { address: `127.0.0.1:${hub.peer_port}`, key: hub.public_key, name: asked.plan.name });
  const { id } = await initiator.call('pairings.start', { peer: hub.agent_id, name: asked.plan.name });
  const offered = await pairingIn(responder, 'offered');
  await responder.call('pairings.open', { id: offered.id });
  const six = await shown(responder, 'show_six', (pairing) => pairing.six);
  await pairingIn(initiator, 'type_six');
  await initiator.call('pairings.digits', { id, digits: six });
  const two = await shown(initiator, 'show_two', (pairing) => pairing.two);
  await pairingIn(responder, 'type_two');
  await responder.call('pairings.digits', { id: offered.id, digits: two });
  await pairedWith(initiator, hub.agent_id);
  const own = await initiator.call('hub.whoami', {});
  await pairedWith(responder, own.hub.agent_id ?? '');
  await responder.call('peers.update', { id: own.hub.agent_id ?? '', name: asking.plan.name, person: asking.plan.person });
  await initiator.call('peers.update', { id: hub.agent_id, name: asked.plan.name, person: asked.plan.person });
}

async function shown(owner: HubClient, state: PairingState, read: (pairing: PairingDto) => string | null): Promise<string> {
  const digits = read(await pairingIn(owner, state));
  if (digits === null) throw new AppError('internal', 'The digits are not shown.');
  return digits;
}

function pairingIn(owner: HubClient, state: PairingState): Promise<PairingDto> {
  return until(async () => {
    const { items } = await owner.call('pairings.list', {});
    const failed = items.find((pairing) => pairing.state === 'failed');
    if (failed !== undefined) throw new AppError('rejected', failed.failure ?? 'The pairing failed.');
    return items.find((pairing) => pairing.state === state);
  }, `a pairing that is "${state}"`);
}

async function pairedWith(owner: HubClient, id: string): Promise<void> {
  await until(async () => {
    const { items } = await owner.call('peers.list', { trust: 'paired' });
    return items.find((peer) => peer.id === id && peer.online);
  }, 'the pairing to end');
}

async function until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  const limit = Date.now() + STEP_LIMIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > limit) throw new AppError('timeout', `Waited too long for ${what}.`, { failedBy: 'timeout' });
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
