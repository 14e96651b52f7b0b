// Why a question of consent is taken back, or the request behind it is ended without one: the sentences that people at the other hubs read.
import type { ConsentChoice } from '../../protocol/consent.ts';

/** @param who the person and the hub, as the record names them */
export function wasFirst(who: string, choice: ConsentChoice): string {
  return `${who} ${choice === 'allow' ? 'allowed' : 'declined'} it first.`;
}

export const OVER = 'It is over at the hub that asked.';
export const NOT_YOURS = 'Your hub decides about this no longer.';
export const TOO_LONG = 'An adult’s hub decides about this here, and the request is too long to be put before it. It was not run.';
export const CANNOT_BE_SHOWN =
  'An adult’s hub decides about this here, and the request cannot be shown there as it stands here. It was not run.';
