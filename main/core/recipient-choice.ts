// Chooses the agent for a request that names only an area or a capability: the best fit, then the
// least busy, the most reliable, the fastest connection, and last the order of ids. Every choice
// comes with the sentence that explains it. A match authorises nothing.
import { escapeName } from './text-escape.ts';
import { longestDomain } from './routing.ts';

export interface Need {
  readonly what: 'domain' | 'capability';
  readonly word: string;
}

/** `absent`: an agent of this hub whose program does not run; its inbox keeps what comes. */
export type Load = 'idle' | 'busy' | 'overloaded' | 'absent';

/** Why somebody who offers it cannot be chosen. */
export type Obstacle =
  | { readonly why: 'away'; readonly since: string | null }
  | { readonly why: 'suspended' | 'takes_no_tasks' };

export interface Candidate {
  /** As people name it: "Mum's PC/Chat", "Lists on this hub". */
  readonly name: string;
  /** Decides last. */
  readonly id: string;
  /** Its areas or its capabilities, whichever is needed. */
  readonly offers: readonly string[];
  readonly load: Load;
  /** How its last tasks ended. */
  readonly succeeded: number;
  readonly failed: number;
  /** 0 within this hub; null: not measured yet. */
  readonly roundTripMs: number | null;
  readonly obstacle: Obstacle | null;
}

export interface Choice<C> {
  readonly chosen: C;
  readonly why: string;
  /** The others that offer it, the next best first, each with the reason against it. */
  readonly others: readonly { readonly candidate: C; readonly why: string }[];
}

interface Fitting<C> {
  readonly candidate: C;
  /** The word of its own that fits, fit to be shown. */
  readonly word: string;
  readonly length: number;
}

/** One step of the comparison. The lower rank is better. */
interface Step {
  readonly rank: (one: Fitting<Candidate>) => number;
  /** "Mum's PC offers "family" and ...". */
  readonly better: (other: string) => string;
  /** About the one that was not chosen. */
  readonly worse: string;
}

const LOADS: readonly Load[] = ['idle', 'busy', 'overloaded', 'absent'];
/** With fewer tasks than this nothing is said about how reliable somebody is. */
const JUDGED_FROM = 3;

const STEPS: readonly Step[] = [
  {
    rank: ({ candidate }) => Number(candidate.load === 'absent'),
    better: (other) => `is running, unlike ${other}`,
    worse: 'It is not running.',
  },
  {
    rank: ({ candidate }) => LOADS.indexOf(candidate.load),
    better: (other) => `is less busy than ${other}`,
    worse: 'It is busier.',
  },
  {
    rank: ({ candidate }) => failureBand(candidate),
    better: (other) => `fails less often than ${other}`,
    worse: 'It fails more often.',
  },
  {
    rank: ({ candidate }) => distanceBand(candidate.roundTripMs),
    better: (other) => `has a faster connection than ${other}`,
    worse: 'Its connection is slower.',
  },
];

/** What happens to a request that names only what is needed. */
export function chooseRecipient<C extends Candidate>(
  candidates: readonly C[],
  need: Need,
): Choice<C> | undefined {
  const fitting = fittingOnes(candidates, need);
  const ready = fitting.filter(({ candidate }) => candidate.obstacle === null).sort(byRank);
  const [best, second] = ready;
  if (best === undefined) return undefined;
  const hindered = fitting.filter(({ candidate }) => candidate.obstacle !== null);
  return {
    chosen: best.candidate,
    why: second === undefined ? aloneWords(best, hindered.length > 0) : comparedWords(best, second),
    others: [
      ...ready.slice(1).map((other) => ({
        candidate: other.candidate,
        why: worseWords(best, other),
      })),
      ...hindered.map(({ candidate }) => ({ candidate, why: `It ${obstacleWords(candidate)}.` })),
    ],
  };
}

/** A sentence for each one that offers it and cannot be chosen just now. */
export function whoCould(candidates: readonly Candidate[], need: Need): readonly string[] {
  return fittingOnes(candidates, need)
    .filter(({ candidate }) => candidate.obstacle !== null)
    .map(({ candidate }) => `${candidate.name} offers it, but ${obstacleWords(candidate)}.`);
}

function fittingOnes<C extends Candidate>(
  candidates: readonly C[],
  need: Need,
): readonly Fitting<C>[] {
  return candidates
    .flatMap((candidate) => {
      const word = bestWord(candidate.offers, need);
      if (word === undefined) return [];
      return [{ candidate, word: escapeName(word).name, length: word.length }];
    })
    .sort((first, second) => (first.candidate.id < second.candidate.id ? -1 : 1));
}

/** The longest of the words that the needed one is, or lies in; so an exact one goes first. */
function bestWord(offers: readonly string[], { what, word }: Need): string | undefined {
  if (what === 'domain')
    return longestDomain(
      offers.map((domain) => ({ domain })),
      word,
    )?.domain;
  return offers
    .filter((offered) => offered !== '' && (word === offered || word.startsWith(`${offered}.`)))
    .sort((first, second) => second.length - first.length)[0];
}

function byRank(first: Fitting<Candidate>, second: Fitting<Candidate>): number {
  const step = decidingStep(first, second);
  return (
    second.length - first.length || (step === undefined ? 0 : step.rank(first) - step.rank(second))
  );
}

/** The first step in which the two differ. */
function decidingStep(first: Fitting<Candidate>, second: Fitting<Candidate>): Step | undefined {
  return STEPS.find(({ rank }) => rank(first) !== rank(second));
}

/** 0: it nearly always works, or too little is known; 1: mostly; 2: rarely. */
function failureBand({ succeeded, failed }: Candidate): number {
  const all = succeeded + failed;
  if (all < JUDGED_FROM || succeeded >= all * 0.9) return 0;
  return succeeded >= all * 0.5 ? 1 : 2;
}

/** Each band is twice as wide as the one before, so that small differences decide nothing. */
function distanceBand(roundTripMs: number | null): number {
  if (roundTripMs === null) return Number.MAX_SAFE_INTEGER;
  return roundTripMs === 0 ? -1 : Math.floor(Math.log2(Math.max(1, roundTripMs)));
}

function aloneWords({ candidate, word }: Fitting<Candidate>, othersAreHindered: boolean): string {
  const start = othersAreHindered ? 'Just now, only' : 'Only';
  return `${start} ${candidate.name} offers "${word}".`;
}

function comparedWords(best: Fitting<Candidate>, second: Fitting<Candidate>): string {
  const [name, other] = [best.candidate.name, second.candidate.name];
  if (best.length !== second.length)
    return `${name} offers "${best.word}"; ${other} offers only "${second.word}".`;
  const step = decidingStep(best, second);
  return step === undefined
    ? `${name} and ${other} offer "${best.word}" equally well, so the order of their ids decided.`
    : `${name} offers "${best.word}" and ${step.better(other)}.`;
}

function worseWords(best: Fitting<Candidate>, other: Fitting<Candidate>): string {
  if (best.length !== other.length) return `It offers only "${other.word}".`;
  return decidingStep(best, other)?.worse ?? 'It is equally good; its id comes later.';
}

function obstacleWords({ obstacle }: Candidate): string {
  if (obstacle?.why === 'suspended') return 'is suspended';
  if (obstacle?.why !== 'away') return 'takes no tasks';
  return obstacle.since === null ? 'is away' : `has been away since ${obstacle.since}`;
}
