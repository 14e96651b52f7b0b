// What the agents of other hubs do, asked of every hub that is online, several at once and each for a short time, so that a list of it is no
// older than the command; of the others what they told last, with why it is not newer. Prints nothing.
import type { CapabilitiesDto, PeerDto } from '../../preload/contract/dto.ts';
import { ERRORS, type ErrorCode, type Problem } from '../../preload/contract/errors.ts';
import { forCell } from './escape.ts';
import { CALLS_AT_ONCE_MAX, HubProblem, type HubClient } from './hub-client.ts';
import { localTime } from './local-time.ts';

/** A hub of the home network answers in some hundredths of a second; whoever lists all of them waits no longer for one that hangs. */
const ANSWER_WITHIN_MS = 3_000;
const SILENCE: readonly ErrorCode[] = ['peer_unreachable', 'timeout'];
/** Travel between hubs, and are refusals of the hub of this computer as well where no other hub said them. */
const ALSO_OWN: readonly ErrorCode[] = ['internal', 'rate_limited', 'not_authorized'];
const NO_ANSWER = 'it does not answer now';

/** A hub with what is known of its agents, and why that is not of this moment; null where it is. */
export interface ToldBy {
  readonly peer: PeerDto;
  readonly whyOld: string | null;
}

/**
 * In the order of `peers`. Never more at once than the line to the hub of this computer carries: the time of a hub begins when it is asked.
 * Throws what keeps the hub of this computer from asking.
 */
export async function askPresent(client: HubClient, peers: readonly PeerDto[]): Promise<readonly ToldBy[]> {
  const told: ToldBy[] = [];
  const waiting = peers.entries();
  const askInTurn = async (): Promise<void> => {
    // One iterator for all of them: each takes the next that nobody has taken.
    for (const [place, peer] of waiting) told[place] = await askOne(client, peer);
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE_MAX }, askInTurn));
  return told;
}

async function askOne(client: HubClient, peer: PeerDto): Promise<ToldBy> {
  if (!peer.online) return { peer, whyOld: 'it is not online now' };
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    const capabilities = await client.call('peers.capabilities', { id: peer.id, refresh: true }, signal);
    return { peer: { ...peer, capabilities }, whyOld: null };
  } catch (error) {
    if (error instanceof HubProblem && !isOwn(error.problem)) return { peer, whyOld: whyNot(error.problem) };
    if (signal.aborted && !(error instanceof HubProblem)) return { peer, whyOld: NO_ANSWER };
    throw error;
  }
}

/** A refusal of the hub of this computer, which says nothing of the one that was to be asked. */
function isOwn({ code, data }: Problem): boolean {
  if (data?.['untrusted'] !== undefined || data?.['failed_by'] === 'peer' || code === 'unsupported_feature' || SILENCE.includes(code))
    return false;
  return !('wire' in ERRORS[code]) || ALSO_OWN.includes(code);
}

/** As the end of a sentence. */
function whyNot({ code, detail }: Problem): string {
  if (SILENCE.includes(code)) return NO_ANSWER;
  if (code === 'unsupported_feature') return 'it tells no more';
  // A name at its beginning stays as it is.
  return detail.replace(/^(?:The|This|What) /, (word) => word.toLowerCase()).replace(/\.$/, '');
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
