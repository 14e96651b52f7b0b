// What a hub may be called here: the owner's names, unique and unmistakable, and the nearest ones when somebody mistyped. Pure.
import { nameSkeleton } from '../../core/name-skeleton.ts';
import { escapeName, HIDDEN_NAME } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import { readAgentId } from '../../protocol/agent-id.ts';
import { NEAREST_NAMES_MAX, PETNAME_LENGTH_MAX } from './limits.ts';

/** Words with a meaning of their own where a recipient is named. */
const RESERVED = new Set(['local', '*', 'hub']);
// Controls, bidirectional marks, zero-width and other characters that make two names look alike, and what splits "hub/agent".
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0/]/u;
/** Above this distance a name is no plausible slip of the fingers. */
const NEAREST_DISTANCE_MAX = 3;

/** Two names are the same when typed if their folded forms are equal. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** Two names that a person could take for each other; no two hubs may have such names. */
export function looksAlike(left: string, right: string): boolean {
  return foldName(left) === foldName(right) || nameSkeleton(left) === nameSkeleton(right);
}

/** What a hub calls itself, as people are shown it: hidden, too, when they could take it for one of `petnames`, which are the owner's. */
export function shownName(said: string, petnames: readonly string[]): string {
  const { name } = escapeName(said);
  return petnames.some((petname) => looksAlike(petname, name)) ? HIDDEN_NAME : name;
}

/** As shownName, for the person a hub speaks of: one of the same name as a hub is likely, one in letters that only look the same is a trick. */
export function shownPerson(said: string, petnames: readonly string[]): string {
  const { name } = escapeName(said);
  return petnames.some((petname) => looksAlike(petname, name) && foldName(petname) !== foldName(name)) ? HIDDEN_NAME : name;
}

/** Gives the name as it will be kept, or throws AppError bad_request with what is wrong with it. */
export function checkPetname(name: string): string {
  const kept = name.normalize('NFC').replace(/\s+/gu, ' ').trim();
  if (kept === '') throw new AppError('bad_request', 'A hub needs a name.', { failedBy: 'input' });
  if (kept.length > PETNAME_LENGTH_MAX) {
    throw new AppError('bad_request', `A hub's name has at most ${PETNAME_LENGTH_MAX} characters.`, { failedBy: 'input' });
  }
  if (FORBIDDEN.test(kept)) {
    throw new AppError('bad_request', 'A hub\'s name cannot hold "/" or invisible characters.', { failedBy: 'input' });
  }
  if (RESERVED.has(foldName(kept)) || readAgentId(kept) !== undefined) {
    throw new AppError('bad_request', `"${kept}" has a meaning of its own and cannot be a hub's name.`, { failedBy: 'input' });
  }
  return kept;
}

/** As checkPetname; throws AppError conflict, too, for a name that people could take for one of `taken`. */
export function freePetname(name: string, taken: readonly string[]): string {
  const petname = checkPetname(name);
  const twin = taken.find((other) => looksAlike(other, petname));
  if (twin === undefined) return petname;
  throw new AppError('conflict', `Another hub is called ${twin}, which looks the same or nearly so.`, { failedBy: 'input' });
}

/** A name that is not taken yet: the proposal itself, or with the first free number after it. */
export function uniqueName(proposal: string, taken: readonly string[]): string {
  const isTaken = (name: string): boolean => taken.some((other) => looksAlike(other, name));
  if (!isTaken(proposal)) return proposal;
  for (let number = 2; ; number++) {
    const suffix = ` ${number}`;
    const candidate = proposal.slice(0, PETNAME_LENGTH_MAX - suffix.length).trimEnd() + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

/** What a hub without a name of its own is called: "Hub 3f2a". */
export function neutralName(agentId: string): string {
  return `Hub ${agentId.slice('ed25519.'.length, 'ed25519.'.length + 4)}`;
}

/** What tells a hub from others on two screens, whatever either calls it: "Hub 3f2a 91bc". It distinguishes; it proves nothing. */
export function hubLabel(agentId: string): string {
  const digits = agentId.slice('ed25519.'.length);
  return `Hub ${digits.slice(0, 4)} ${digits.slice(4, 8)}`;
}

/** The known names closest to what was typed, nearest first. */
export function nearestNames(typed: string, names: readonly string[]): readonly string[] {
  const wanted = foldName(typed).slice(0, PETNAME_LENGTH_MAX);
  return names
    .map((name) => {
      const folded = foldName(name);
      const contains = wanted.length > 1 && (folded.includes(wanted) || wanted.includes(folded));
      return { name, distance: contains ? 0.5 : editDistance(wanted, folded) };
    })
    .filter(({ name, distance }) => distance <= Math.min(NEAREST_DISTANCE_MAX, Math.ceil(name.length / 2)))
    .sort((left, right) => left.distance - right.distance || left.name.localeCompare(right.name))
    .slice(0, NEAREST_NAMES_MAX)
    .map(({ name }) => name);
}

/** Levenshtein distance; both texts are short names. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
