// Tokens that the agents of two hubs used lately for each other, by their own count.
import type { TokenUseDto } from '../../../preload/contract/dto.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;

export function tokenUseOf(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  party: PartyKey,
): TokenUseDto {
  return { days: DAYS, ...store.read.tokenUse(party, clock.wallMs() - DAYS * DAY_MS) };
}
