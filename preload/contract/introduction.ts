// How a hub came to be paired, as it crosses a process boundary: what was done at this hub, never a
// word of the other one. Same conventions as dto.ts. Imports types of this folder only.
import type { Surface } from './closed-lists.ts';

/**
 * What stood for the key: digits typed on both sides; an invitation that was made here, or one of
 * the other hub that was used here; a share token (axon://); or an address with the key or agent id
 * beside it. The last two are the owner's word, without digits.
 */
export const INTRODUCTION_WAYS = [
  'digits',
  'invitation_made_here',
  'invitation_used_here',
  'share_token',
  'key',
] as const;
export type IntroductionWay = (typeof INTRODUCTION_WAYS)[number];

export interface IntroductionDto {
  readonly way: IntroductionWay;
  /** When the key was pinned: PeerDto.paired_at. */
  readonly at: number;
  /**
   * Whose word it was here, as the audit names it: who typed the digits, made or used the
   * invitation, or trusted the key.
   */
  readonly by: string;
  /** Where that was done. */
  readonly surface: Surface;
}
