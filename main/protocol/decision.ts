// `decision/1`: what people or rules of a hub decided about a request, as whoever asked is told
// beside its report (PROTOCOL.md, Extensions).
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { PERSON_NAME_MAX_CHARACTERS } from './limits.ts';

export const DECISIONS = 'decision/1';

const OUTCOMES = ['allowed', 'declined', 'answered', 'expired', 'passed'] as const;
const DECIDERS = ['person', 'rule', 'clock', 'nobody'] as const;
const ADULT = 'adult';

export interface Decision {
  readonly outcome: (typeof OUTCOMES)[number];
  readonly by: (typeof DECIDERS)[number];
  /**
   * The name that this hub's owner shows to paired hubs; null where there is none. A claim of that
   * hub.
   */
  readonly person: string | null;
  /** A person of another hub decided it, as the adult of the household. */
  readonly as?: typeof ADULT;
  /** ms since 1970, by the clock of the hub that decided. */
  readonly at: number;
  /** A person at the hub that runs it asked for it to stop; absent: nobody did. */
  readonly stopped?: Stopped;
}

export interface Stopped {
  /** As in `Decision`. */
  readonly person: string | null;
  /** As in `Decision`. */
  readonly at: number;
}

/**
 * Who can have which outcome: time runs out by the clock, a person answers, a rule that declines
 * does not tell, and what passed nobody was asked about.
 */
const COMES_BY: Readonly<Record<Decision['outcome'], readonly Decision['by'][]>> = {
  allowed: ['person', 'rule'],
  declined: ['person'],
  answered: ['person'],
  expired: ['clock'],
  passed: ['nobody'],
};

/** As another hub tells it. A hint: what does not fit reads as none. */
export function readDecision(value: unknown): Decision | null {
  if (!isJsonObject(value)) return null;
  const outcome = OUTCOMES.find((known) => known === value.outcome);
  const by = DECIDERS.find((known) => known === value.by);
  const moment = readMoment(value);
  if (outcome === undefined || by === undefined || moment === undefined) return null;
  if (!COMES_BY[outcome].includes(by)) return null;
  const isAdults = by === 'person' && value.as === ADULT;
  // Only what was let in can be stopped.
  const isLetIn = outcome === 'allowed' || outcome === 'passed';
  const stopped = isLetIn && isJsonObject(value.stopped) ? readMoment(value.stopped) : undefined;
  return {
    outcome,
    by,
    ...moment,
    ...(isAdults ? { as: ADULT } : {}),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

function readMoment({ at, person }: JsonObject): Stopped | undefined {
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0) return undefined;
  const isName =
    typeof person === 'string' && person !== '' && person.length <= PERSON_NAME_MAX_CHARACTERS;
  return { person: isName ? person : null, at };
}

export function writeDecision({ stopped, ...decision }: Decision): JsonObject {
  return {
    ...withoutNobody(decision),
    ...(stopped === undefined ? {} : { stopped: withoutNobody(stopped) }),
  };
}

function withoutNobody<Named extends { readonly person: string | null }>({
  person,
  ...rest
}: Named): JsonObject {
  return { ...rest, ...(person === null ? {} : { person }) };
}
