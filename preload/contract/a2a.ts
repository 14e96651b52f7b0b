// Agents of elsewhere that this hub calls over A2A, as they cross a process boundary. Types and
// lists only.
import type { OutsideText } from './formats.ts';

/**
 * ready: it is called. changed: its card is another one, and a person has to confirm it. away: its
 * card cannot be read just now.
 */
export const A2A_STATES = ['ready', 'changed', 'away'] as const;
export type A2aState = (typeof A2A_STATES)[number];

/** What a card says of its agent, and where everything that it is given goes. */
export interface A2aCardDto {
  /** Where the card stands. */
  readonly url: string;
  /** The host and port that everything goes to. */
  readonly host: string;
  /** false: it is on this computer. */
  readonly leaves_computer: boolean;
  /** Of the whole card. */
  readonly digest: string;
  readonly name: OutsideText;
  readonly description: OutsideText | null;
  readonly skills: readonly OutsideText[];
  /** How many skills of it are not among these. */
  readonly more_skills: number;
}

export interface A2aAgentDto {
  /** The handle of the agent here. */
  readonly agent: string;
  readonly url: string;
  readonly host: string;
  readonly leaves_computer: boolean;
  readonly has_token: boolean;
  readonly state: A2aState;
  /** Why it is not called just now, one sentence; null: it is. */
  readonly trouble: string | null;
}
