// The agents as A2A knows them: each has a path of its own, below which its card, its JSON-RPC and
// its REST interface stand. Pure.
export const A2A_PATH = '/a2a';

/** An agent of this hub, another hub, or an agent of that one. */
export type Address =
  | { readonly at: 'here'; readonly agent: string }
  | { readonly at: 'peer'; readonly hub: string; readonly agent: string | null };

export interface Place {
  readonly address: Address;
  /** What follows the path of the agent: '' or '/...'. */
  readonly below: string;
}

const PLACES =
  /^\/a2a\/(?:agents\/(?<here>[^/:]+)|peers\/(?<hub>[^/:]+)(?:\/agents\/(?<agent>[^/:]+))?)(?<below>\/.*)?$/;

/** undefined: no agent has this path. */
export function placeOf(path: string): Place | undefined {
  const found = PLACES.exec(path)?.groups;
  if (found === undefined) return undefined;
  const [here, hub, agent] = [found['here'], found['hub'], found['agent']].map(decoded);
  const below = found['below'] ?? '';
  if (here !== undefined) return { address: { at: 'here', agent: here }, below };
  if (hub === undefined) return undefined;
  return { address: { at: 'peer', hub, agent: agent ?? null }, below };
}

export function pathOf(address: Address): string {
  if (address.at === 'here') return `${A2A_PATH}/agents/${encodeURIComponent(address.agent)}`;
  const hub = `${A2A_PATH}/peers/${encodeURIComponent(address.hub)}`;
  return address.agent === null ? hub : `${hub}/agents/${encodeURIComponent(address.agent)}`;
}

/** As a request names its recipient. */
export function recipientOf(address: Address): string {
  if (address.at === 'here') return `local/${address.agent}`;
  return address.agent === null ? address.hub : `${address.hub}/${address.agent}`;
}

function decoded(part: string | undefined): string | undefined {
  if (part === undefined) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
