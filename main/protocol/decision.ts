// `decision/1`: what people or rules of a hub decided about a request, as whoever asked is told
// beside its report (PROTOCOL.md, Extensions).
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { PERSON_NAME_MAX_CHARACTERS } from './limits.ts';

export const DECISIONS = 'decision/1';

const OUTCOMES = ['allowed', 'declined', 'answered', 'expired'] as const;
const DECIDERS = ['person', 'rule', 'clock'] as const;

export interface Decision {
  readonly outcome: (typeof OUTCOMES)[number];
  readonly by: (typeof DECIDERS)[number];
  /**
   * The name that this hub's owner shows to paired hubs; null where there is none. A claim of that
   * hub.
   */
  readonly person: string | null;
  /** ms since 1970, by the clock of the hub that decided. */
  readonly at: number;
}

/**
 * Who can have which outcome: time runs out by the clock, a person answers, and a rule that
 * declines does not tell.
 */
const COMES_BY: Readonly<Record<Decision['outcome'], readonly Decision['by'][]>> = {
  allowed: ['person', 'rule'],
  declined: ['person'],
  answered: ['person'],
  expired: ['clock'],
};

/** As another hub tells it. A hint: what does not fit reads as none. */
export function readDecision(value: unknown): Decision | null {
  if (!isJsonObject(value)) return null;
  const outcome = OUTCOMES.find((known) => known === value.outcome);
  const by = DECIDERS.find((known) => known === value.by);
  const { at, person } = value;
  if (
    outcome === undefined ||
    by === undefined ||
    typeof at !== 'number' ||
    !Number.isSafeInteger(at) ||
    at < 0
  )
    return null;
  if (!COMES_BY[outcome].includes(by)) return null;
  const isName =
    typeof person === 'string' && person !== '' && person.length <= PERSON_NAME_MAX_CHARACTERS;
  return { outcome, by, person: isName ? person : null, at };
}

export function writeDecision({ person, ...decision }: Decision): JsonObject {
  return { ...decision, ...(person === null ? {} : { person }) };
}
