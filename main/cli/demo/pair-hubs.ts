// Pairs two demo hubs by their keys, with the calls of the pages and no other way in: one program
// holds both keys, so nobody has to type digits.
import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../lib/app-error.ts';
import type { DemoHub } from './demo-hub.ts';

const ONLINE_LIMIT_MS = 15_000;
const LOOK_AGAIN_MS = 50;

/** Throws `timeout` when they do not come together. */
export async function pairHubs(one: DemoHub, other: DemoHub): Promise<void> {
  const ids = [await trust(one, other), await trust(other, one)];
  for (const [index, hub] of [one, other].entries()) await online(hub, ids[index] ?? '');
}

/** The agent id of `there`, which `here` trusts from now on. */
async function trust(here: DemoHub, there: DemoHub): Promise<string> {
  const { hub } = await (await there.owner()).call('hub.whoami', {});
  const { name, person } = there.plan;
  const owner = await here.owner();
  const address = `127.0.0.1:${hub.peer_port ?? 0}`;
  const { id } = await owner.call('peers.add', {
    address,
    key: hub.public_key ?? '',
    name,
    trust: true,
  });
  await owner.call('peers.update', { id, person });
  return id;
}

async function online(hub: DemoHub, id: string): Promise<void> {
  const owner = await hub.owner();
  for (let looks = ONLINE_LIMIT_MS / LOOK_AGAIN_MS; looks > 0; looks--) {
    if ((await owner.call('peers.get', { id })).online) return;
    await setTimeout(LOOK_AGAIN_MS);
  }
  throw new AppError('timeout', `Waited too long for a line of ${hub.plan.name}.`, {
    failedBy: 'timeout',
  });
}
