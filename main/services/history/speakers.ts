// Who said something, and to whom. Reads only.
import type { SpeakerDto } from '../../../preload/contract/conversation-dto.ts';
import type { MessageRow } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { OWNER_PARTY, type Parties } from '../tasks/parties.ts';

/** An agent, and the hub it belongs to. */
export interface Side {
  readonly owner: PartyKey;
  readonly agent: string | null;
}

/** Who said it, and who it was for. */
export function sidesOf({
  direction,
  party,
  fromAgent,
  toAgent,
}: MessageRow): readonly [from: Side, to: Side] {
  return [
    { owner: direction === 'in' ? party : OWNER_PARTY, agent: fromAgent },
    { owner: direction === 'out' ? party : OWNER_PARTY, agent: toAgent },
  ];
}

/** The same, as people read it. */
export function speakersOf(
  parties: Parties,
  message: MessageRow,
): { readonly from: SpeakerDto; readonly to: SpeakerDto } {
  const [from, to] = sidesOf(message);
  return { from: speaker(parties, from), to: speaker(parties, to) };
}

/** Each once, in the order in which they first said or were told something. */
export function participantsOf(
  parties: Parties,
  messages: readonly MessageRow[],
): readonly SpeakerDto[] {
  const known = new Map<string, Side>();
  for (const message of messages.toReversed())
    for (const side of sidesOf(message))
      if (side.agent !== null) known.set(`${side.owner} ${side.agent}`, side);
  return [...known.values()].map((side) => speaker(parties, side));
}

function speaker(parties: Parties, { owner, agent }: Side): SpeakerDto {
  return {
    hub_name: parties.nameOf(owner),
    agent_name: agent === null ? null : parties.agentName(owner, agent),
  };
}
