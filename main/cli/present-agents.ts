// What the agents of other hubs do, asked of every hub that is online, all at once and for a short time, so that a list of it is no older than
// the command; of the others what they told last, with why it is not newer. Prints nothing.
import type { CapabilitiesDto, PeerDto } from '../../preload/contract/dto.ts';
import { forCell } from './escape.ts';
import { HubProblem, type HubClient } from './hub-client.ts';
import { localTime } from './local-time.ts';

/** A hub of the home network answers in some hundredths of a second; whoever lists all of them waits no longer for one that hangs. */
const ANSWER_WITHIN_MS = 3_000;

/** A hub with what is known of its agents, and why that is not of this moment; null where it is. */
export interface ToldBy {
  readonly peer: PeerDto;
  readonly whyOld: string | null;
}

/** In the order of `peers`. Throws what keeps the hub of this computer from being asked at all. */
export function askPresent(client: HubClient, peers: readonly PeerDto[]): Promise<readonly ToldBy[]> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  return Promise.all(peers.map((peer) => askOne(client, peer, signal)));
}

async function askOne(client: HubClient, peer: PeerDto, signal: AbortSignal): Promise<ToldBy> {
  if (!peer.online) return { peer, whyOld: 'it is not online now' };
  try {
    const capabilities = await client.call('peers.capabilities', { id: peer.id, refresh: true }, signal);
    return { peer: { ...peer, capabilities }, whyOld: null };
  } catch (error) {
    if (signal.aborted) return { peer, whyOld: 'it does not answer now' };
    if (!(error instanceof HubProblem)) throw error;
    return { peer, whyOld: error.problem.code === 'unsupported_feature' ? 'it tells no more' : 'it does not answer now' };
  }
}

/** Words of the other hub, none of which begins a line of its own. */
const oneLine = (texts: readonly string[]): string => texts.map(forCell).join(', ');

/** @param known null where it never told */
export function capabilityLines(name: string, known: CapabilitiesDto | null, whyOld: string | null): readonly string[] {
  if (known === null) return [`${name}: has not told yet what its agents do${whyOld === null ? '' : `, and ${whyOld}`}`];
  const { domains, agents } = known.untrusted;
  const nothing = agents.length === 0 ? 'no agent is connected there' : 'no domains';
  return [
    `${name}: ${oneLine(domains) || nothing}`,
    ...agents.map((agent) => `  agent ${forCell(agent.name)}: ${oneLine(agent.domains) || 'no domains'}`),
    ...(whyOld === null ? [] : [`  As of ${localTime(known.fetched_at)}: ${whyOld}.`]),
  ];
}
