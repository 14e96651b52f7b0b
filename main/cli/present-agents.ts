// What the agents of other hubs do, asked of every hub that is online, at once and each for a short
// time; of the others what they told last, with why it is not newer. Prints nothing.
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import type { CapabilitiesDto, PeerDto } from '../../preload/contract/dto.ts';
import { HubProblem, type HubClient } from './hub-client.ts';
import { localTime } from './local-time.ts';
import { quoted } from './quoted-text.ts';

/**
 * A hub of the home network answers in some hundredths of a second; whoever lists all of them waits
 * no longer for one that hangs.
 */
const ANSWER_WITHIN_MS = 3_000;
/** It may do anything all the same. */
const NO_AREA = 'names no area; ask it by its name';
const NO_ANSWER = 'It does not answer now.';

/** A hub with what is known of its agents, and why that is not of this moment; null where it is. */
interface ToldBy {
  readonly peer: PeerDto;
  readonly whyOld: string | null;
}

/** Throws what keeps this command from reaching the hub of this computer. */
export async function askPresent(client: HubClient, peer: PeerDto): Promise<ToldBy> {
  if (!peer.online) return { peer, whyOld: 'It is not online now.' };
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    const capabilities = await client.call(
      'peers.capabilities',
      { id: peer.id, refresh: true },
      signal,
    );
    return { peer: { ...peer, capabilities }, whyOld: null };
  } catch (error) {
    if (error instanceof HubProblem) {
      const { code, detail } = error.problem;
      return {
        peer,
        whyOld: code === 'peer_unreachable' || code === 'timeout' ? NO_ANSWER : detail,
      };
    }
    if (signal.aborted) return { peer, whyOld: NO_ANSWER };
    throw error;
  }
}

type PeerAgent = CapabilitiesDto['untrusted']['agents'][number];

/** Its areas, and what else it says it can do. */
function offerOf({ domains, capabilities }: PeerAgent): string {
  const areas = domains.length === 0 ? NO_AREA : domains.join(', ');
  return capabilities.length === 0 ? areas : `${areas}; can ${capabilities.join(', ')}`;
}

/** Which areas have no example, as words of the other hub; without areas there is none. */
function noExampleLines({ domains, examples }: PeerAgent): readonly string[] {
  return domains
    .filter((area) => !examples.some(({ domain }) => domain === area))
    .flatMap((area) => quoted(`  ${area}: no example given`));
}

/** @param known null where it never told */
export function capabilityLines(
  name: string,
  known: CapabilitiesDto | null,
  whyOld: string | null,
): readonly string[] {
  const old = whyOld === null ? '' : ` ${whyOld}`;
  if (known === null) return [`${name} has not told yet what its agents do.${old}`];
  const { domains, agents, more_agents: more } = known.untrusted;
  const none = agents.length === 0 ? 'no agent is connected there' : NO_AREA;
  return [
    `${name} says that it does:`,
    ...quoted(domains.join(', ') || none),
    ...agents.flatMap((agent) => [
      ...quoted(`agent ${agent.display_name}: ${offerOf(agent)}`),
      ...agent.examples.flatMap(({ domain, example }) =>
        quoted(`  ${domain}, for example: ${example}`),
      ),
      ...noExampleLines(agent),
    ]),
    ...(more === 0 ? [] : [`  and ${ENGLISH.people.moreAgents(more)}`]),
    ...(whyOld === null ? [] : [`  As of ${localTime(known.fetched_at)}.${old}`]),
  ];
}
