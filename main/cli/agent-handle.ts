// Which agent a person means: people read names, the hub goes by handles, and both may be typed.
import { handleMeant, readableHandle } from '../../preload/contract/agent-name.ts';
import { AGENT_NAME } from '../../preload/contract/formats.ts';
import type { HubClient } from './hub-client.ts';
import { refusal } from './refusal.ts';

const byName = ({
  name,
  display_name: shown,
}: {
  readonly name: string;
  readonly display_name: string;
}) => ({ name, shown });

/**
 * The handle of an agent of this hub. One that nobody has is left to the hub. @throws AppError
 * not_found for what can be no handle
 */
export async function handleHere(client: HubClient, typed: string): Promise<string> {
  const { items } = await client.call('agents.list', {});
  const meant = handleMeant(
    typed,
    items.map((agent) => ({ ...byName(agent), asked: agent.connected_as })),
  );
  if (meant !== undefined) return meant;
  if (AGENT_NAME.test(typed)) return typed;
  const names = items.map(({ display_name }) => display_name).join(', ');
  throw refusal(
    'not_found',
    `No agent here is called "${typed}".`,
    names === '' ? undefined : `Agents here: ${names}.`,
  );
}

/** The handle of another hub's agent; what that hub has not told of stays as it was typed. */
export async function handleThere(client: HubClient, hub: string, typed: string): Promise<string> {
  const { capabilities } = await client.call('peers.get', { id: hub });
  return handleMeant(typed, (capabilities?.untrusted.agents ?? []).map(byName)) ?? typed;
}

/** Among handles alone: the one that was typed, or that reads so. */
export function handleAmong(handles: readonly string[], typed: string): string | undefined {
  return handleMeant(
    typed,
    handles.map((name) => ({ name, shown: readableHandle(name) })),
  );
}
