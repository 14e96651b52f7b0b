// Waiting at a terminal for what two hubs settle without a person: looks again and again, for a
// bounded time. It types nothing and prints nothing.
import { setTimeout as wait } from 'node:timers/promises';
import type { PairingDto } from '../../preload/contract/pairing-dto.ts';
import type { HubClient } from './hub-client.ts';

const LOOK_AGAIN_MS = 100;
/** The hub itself says after some ten seconds that nobody answers. */
const FIRST_ANSWER_WITHIN_MS = 30_000;
const SETTLED_WITHIN_MS = 10_000;
/** States that the two hubs leave by themselves. */
const UNSETTLED: ReadonlySet<PairingDto['state']> = new Set(['exchanging', 'confirming']);

/**
 * The pairing once the other hub has answered our request, whatever it said, or once the attempt
 * has ended. Throws when the signal aborts: the pairing is cancelled by then, if the hub still
 * takes that.
 */
export async function awaitFirstAnswer(
  owner: HubClient,
  pairing: PairingDto,
  signal: AbortSignal,
): Promise<PairingDto> {
  try {
    const isWithoutAnswer = ({ state, request }: PairingDto): boolean =>
      state === 'waiting_for_answer' && request === 'connecting';
    return await lookWhile(owner, pairing, isWithoutAnswer, FIRST_ANSWER_WITHIN_MS, signal);
  } catch (error) {
    if (signal.aborted)
      await owner.call('pairings.cancel', { id: pairing.id }).catch(() => undefined);
    throw error;
  }
}

/**
 * The pairing once the hubs have exchanged what needs nobody: then digits are shown or asked for.
 * Gives up waiting after a while.
 */
export function awaitSettled(owner: HubClient, pairing: PairingDto): Promise<PairingDto> {
  return lookWhile(owner, pairing, ({ state }) => UNSETTLED.has(state), SETTLED_WITHIN_MS);
}

/**
 * A pairing by invitation once it is through or has failed: nobody types anything. Gives up waiting
 * after a while.
 */
export function awaitInvited(owner: HubClient, pairing: PairingDto): Promise<PairingDto> {
  return lookWhile(
    owner,
    pairing,
    ({ state }) => state !== 'paired' && state !== 'failed',
    FIRST_ANSWER_WITHIN_MS,
  );
}

async function lookWhile(
  owner: HubClient,
  pairing: PairingDto,
  goesOn: (pairing: PairingDto) => boolean,
  withinMs: number,
  signal?: AbortSignal,
): Promise<PairingDto> {
  let now = pairing;
  for (let looks = withinMs / LOOK_AGAIN_MS; goesOn(now) && looks > 0; looks--) {
    await wait(LOOK_AGAIN_MS, undefined, { signal });
    const { items } = await owner.call('pairings.list', {}, signal);
    now = items.find(({ id }) => id === pairing.id) ?? now;
  }
  return now;
}
