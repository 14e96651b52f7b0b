// Pairs two hubs over their HTTP APIs, for specs whose story begins after it: the same calls as the
// pages, and no other way in.
import type { HubDto } from '../../preload/contract/dto.ts';
import type { PairingDto, PairingState } from '../../preload/contract/pairing-dto.ts';
import type { HubApi } from '../lan/hub-process.ts';
import { until } from '../support/until.ts';

const STEP_LIMIT_MS = 20_000;

/**
 * `asking` asks `asked`, on this very computer unless told; each calls the other by the name given.
 * Resolves when both are online. @param askedAt its host, or an `axon://` link, which says all
 */
export async function pairByApi(
  asking: HubApi,
  asked: HubApi,
  names: { readonly asking: string; readonly asked: string },
  askedAt = '127.0.0.1',
): Promise<void> {
  const [hub, own] = [await running(asked), await running(asking)];
  const [peer, self] = [hub.agent_id ?? '', own.agent_id ?? ''];
  await asked.call('pairings.window', { open: true });
  await asking.call('peers.add', {
    ...(askedAt.startsWith('axon://')
      ? { address: askedAt }
      : { address: `${askedAt}:${hub.peer_port ?? ''}`, key: hub.public_key ?? '' }),
    name: names.asked,
  });
  const { id } = await asking.call('pairings.start', { peer, name: names.asked });
  const offered = await inState(asked, 'offered');
  await asked.call('pairings.open', { id: offered.id });
  const { six } = await inState(asked, 'show_six');
  await inState(asking, 'type_six');
  await asking.call('pairings.digits', { id, digits: six ?? '' });
  const { two } = await inState(asking, 'show_two');
  await inState(asked, 'type_two');
  await asked.call('pairings.digits', { id: offered.id, digits: two ?? '' });
  await online(asking, peer);
  await online(asked, self);
  await asked.call('peers.update', { id: self, name: names.asking });
}

/** The API answers a moment before the port between hubs is open. */
async function running(hub: HubApi): Promise<HubDto> {
  return await until('the port between hubs to be open', STEP_LIMIT_MS, async () => {
    const { hub: known } = await hub.call('hub.whoami', {});
    return known.peer_port === null ? undefined : known;
  });
}

/** Waits until this hub has a line to that peer; throws after `withinMs`. */
export async function online(hub: HubApi, peer: string, withinMs = STEP_LIMIT_MS): Promise<void> {
  await until('a line to the other hub', withinMs, async () => {
    const { items } = await hub.call('peers.list', { trust: 'paired' });
    return items.find((candidate) => candidate.id === peer && candidate.online);
  });
}

async function inState(hub: HubApi, state: PairingState): Promise<PairingDto> {
  return await until(`a pairing that is "${state}"`, STEP_LIMIT_MS, async () => {
    const { items } = await hub.call('pairings.list', {});
    return items.find((pairing) => pairing.state === state);
  });
}
