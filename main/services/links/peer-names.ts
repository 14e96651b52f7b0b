// What a hub may be called here: the owner's names, unique and unmistakable, and a neutral one for
// a hub that nobody named. Pure.
import { foldName, inQuotes, readableHandle } from '../../../preload/contract/agent-name.ts';
import { AGENT_NAME } from '../../../preload/contract/formats.ts';
import { nameSkeleton } from '../../core/name-skeleton.ts';
import { escapeName, HIDDEN_NAME } from '../../core/text-escape.ts';
import { inputError } from '../../lib/app-error.ts';
import { hasHidden } from '../../lib/hidden-characters.ts';
import { beginning } from '../../lib/shortened.ts';
import { readAgentId } from '../../protocol/agent-id.ts';
import { PETNAME_LENGTH_MAX } from './limits.ts';

/**
 * What this program calls itself and the people at it, and whoever it has no name for. Nothing from
 * elsewhere is shown under such a name.
 */
export const HOUSE_NAMES: readonly string[] = [
  'AXON Hub',
  'Hub',
  'This hub',
  'This computer',
  'Local',
  'You',
  'Owner',
  'A person',
  'A person here',
  'The person in charge',
  'A removed hub',
  'Unknown',
  'Nobody',
];
const HOUSE_SHAPES: ReadonlySet<string> = new Set(HOUSE_NAMES.map(nameSkeleton));
/** Words with a meaning of their own where a recipient is named. */
const RESERVED = new Set(['local', '*', 'hub', 'any', 'everyone']);

/** Two names that a person could take for each other; no two hubs may have such names. */
export function looksAlike(left: string, right: string): boolean {
  const [one, other] = [shapesOf(left), shapesOf(right)];
  return one.folded === other.folded || one.skeleton === other.skeleton;
}

interface Shapes {
  readonly folded: string;
  readonly skeleton: string;
}
/** Every agent of every hub is held against every name here, again and again. */
const known = new Map<string, Shapes>();
const KNOWN_MAX = 4_096;

function shapesOf(name: string): Shapes {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= KNOWN_MAX) known.clear();
  const shapes = { folded: foldName(name), skeleton: nameSkeleton(name) };
  known.set(name, shapes);
  return shapes;
}

/** The hub of `petnames` that people could take a hub of this name for. */
export function twinOf(said: string, petnames: readonly string[]): string | null {
  return petnames.find((petname) => looksAlike(petname, said)) ?? null;
}

/**
 * What a hub calls itself, as people are shown it: hidden, too, when they could take it for one of
 * `petnames`, which are the owner's.
 */
export function shownName(said: string, petnames: readonly string[]): string {
  const { name } = escapeName(said);
  const isTaken = petnames.some((petname) => looksAlike(petname, name));
  return isTaken || isHouseName(name) ? HIDDEN_NAME : name;
}

/**
 * As shownName, for the person a hub speaks of: one of the same name as a hub is likely, one in
 * letters that only look the same is a trick.
 */
export function shownPerson(said: string, petnames: readonly string[]): string {
  const { name } = escapeName(said);
  const isTrick = petnames.some(
    (petname) => looksAlike(petname, name) && foldName(petname) !== foldName(name),
  );
  return isTrick || isHouseName(name) ? HIDDEN_NAME : name;
}

export function isHouseName(name: string): boolean {
  return HOUSE_SHAPES.has(nameSkeleton(name));
}

/** Gives the name as it will be kept, or throws AppError bad_request with what is wrong with it. */
export function checkPetname(name: string): string {
  const kept = name.normalize('NFC').replace(/\s+/gu, ' ').trim();
  if (kept === '') throw inputError('bad_request', 'A hub needs a name.');
  if (kept.length > PETNAME_LENGTH_MAX) {
    throw inputError('bad_request', `A hub's name has at most ${PETNAME_LENGTH_MAX} characters.`);
  }
  // "/" splits "hub/agent".
  if (kept.includes('/') || hasHidden(kept)) {
    throw inputError('bad_request', 'A hub\'s name cannot hold "/" or invisible characters.');
  }
  if (RESERVED.has(foldName(kept)) || isHouseName(kept) || readAgentId(kept) !== undefined) {
    throw inputError(
      'bad_request',
      `"${kept}" has a meaning of its own and cannot be a hub's name.`,
    );
  }
  return kept;
}

/**
 * As checkPetname; throws AppError conflict, too, for a name that people could take for one of
 * `taken`.
 */
export function freePetname(name: string, taken: readonly string[]): string {
  const petname = checkPetname(name);
  const twin = taken.find((other) => looksAlike(other, petname));
  if (twin === undefined) return petname;
  throw inputError(
    'conflict',
    `A hub is called ${twin} already, which looks the same or nearly so.`,
  );
}

/**
 * What an agent is called that nobody here named: as it reads, and marked where a person could take
 * it for one of `others`, hubs and people, or for this program.
 */
export function agentNameBeside(readable: string, others: readonly string[]): string {
  const isTaken = others.some((other) => looksAlike(other, readable));
  return isTaken || isHouseName(readable) ? `${readable} (agent)` : readable;
}

/**
 * The same for an agent of another hub. Whatever is no handle stands in quotes that it cannot
 * close: in a line of ours, "Claude, Mum’s PC" would read as an agent of Mum's.
 * @param handle as it may be shown
 */
export function agentNameThere(handle: string, others: readonly string[]): string {
  if (handle === HIDDEN_NAME) return handle;
  return AGENT_NAME.test(handle)
    ? agentNameBeside(readableHandle(handle), others)
    : `"${inQuotes(handle)}"`;
}

/** A name that is not taken yet: the proposal itself, or with the first free number after it. */
export function uniqueName(proposal: string, taken: readonly string[]): string {
  const isTaken = (name: string): boolean => taken.some((other) => looksAlike(other, name));
  if (!isTaken(proposal)) return proposal;
  for (let number = 2; ; number++) {
    const suffix = ` ${number}`;
    const candidate = beginning(proposal, PETNAME_LENGTH_MAX - suffix.length).trimEnd() + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

/**
 * What a hub is called that nobody here named: its label. A key can be made whose label is the name
 * of another hub, so where it looks like one of `taken`, the whole agent id stands instead.
 */
export function neutralName(agentId: string, taken: readonly string[]): string {
  const label = hubLabel(agentId);
  return taken.some((name) => looksAlike(name, label)) ? agentId : label;
}

/**
 * What tells a hub from others on two screens, whatever either calls it: "Hub 3f2a 91bc". It
 * distinguishes; it proves nothing.
 */
export function hubLabel(agentId: string): string {
  const digits = agentId.slice('ed25519.'.length);
  return `Hub ${digits.slice(0, 4)} ${digits.slice(4, 8)}`;
}
