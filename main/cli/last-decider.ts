// Whether a hub is the only one that decides in the place of the people here: what takes it away
// leaves requests that nobody can allow.
import type { HubClient } from './hub-client.ts';

/** @param owner speaks for the person in charge @param id the agent id of the hub */
export async function lastDecider(owner: HubClient, id: string): Promise<boolean> {
  const { from, hubs } = await owner.call('remote_approval.get', {});
  const deciding = hubs.filter(({ decides }) => decides);
  return from !== null && deciding.length === 1 && deciding[0]?.id === id;
}
