// Which hub a person or an agent means by what they typed. Reads the directory's lists, changes nothing.
import { AppError } from '../../lib/app-error.ts';
import type { PeerRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex, readAgentId } from '../../protocol/agent-id.ts';
import { foldName, nearestNames } from './peer-names.ts';

const KEY_HEX = /^[0-9a-f]{64}$/;
/** What was typed is repeated in an error up to this length, in characters. */
const SHOWN_MAX = 80;
/** Names listed when none is near to what was typed. */
const LISTED_MAX = 8;

export interface KnownHubs {
  rows(): readonly PeerRow[];
  row(key: KeyHex): PeerRow | undefined;
  /** Every key there is something to say about. */
  knownKeys(): readonly KeyHex[];
  isListed(key: KeyHex): boolean;
  nameOf(key: KeyHex): string;
  petnames(): readonly string[];
}

/** The key that an agent id, a key in hex or a name in any case stands for. */
export function findHub(typed: string, hubs: KnownHubs): KeyHex | undefined {
  const lower = typed.toLowerCase();
  const known = hubs.knownKeys();
  if (KEY_HEX.test(lower)) return known.find((key) => key === lower);
  const agentId = readAgentId(typed);
  if (agentId !== undefined) return known.find((key) => agentIdOfKeyHex(key) === agentId);
  const folded = foldName(typed);
  const byPetname = hubs.rows().find(({ petname, trust }) => trust !== 'revoked' && foldName(petname) === folded);
  return byPetname?.key ?? known.find((key) => hubs.isListed(key) && foldName(hubs.nameOf(key)) === folded);
}

export interface ResolvedRecipient {
  readonly peer: PeerRow;
  /** The part after the slash of "hub/agent", or null. */
  readonly agent: string | null;
}

/** The hub that a person means to set something for, paired or suspended. Throws AppError peer_not_found or pairing_required. */
export function resolvePinned(id: string, hubs: KnownHubs): PeerRow {
  const name = id.trim();
  const key = findHub(name, hubs);
  if (key === undefined) throw hubNotFound(name, hubs);
  const row = hubs.row(key);
  if (row === undefined) {
    throw new AppError('pairing_required', `${hubs.nameOf(key)} is not paired with this hub yet.`, {
      hint: 'A person can pair the two hubs: press Add beside it, or run "axon pair".',
    });
  }
  if (row.trust === 'revoked') throw hubNotFound(name, hubs);
  return row;
}

/**
 * The paired hub that `to` means: an agent id, a petname in any case, or "hub/agent".
 * Throws AppError peer_not_found (nearest names in the hint), pairing_required or blocked.
 */
export function resolvePaired(to: string, hubs: KnownHubs): ResolvedRecipient {
  const slash = to.indexOf('/');
  const agent = slash < 0 ? '' : to.slice(slash + 1).trim();
  const row = resolvePinned(slash < 0 ? to : to.slice(0, slash), hubs);
  if (row.trust === 'suspended')
    throw new AppError('blocked', `${row.petname} is suspended here.`, { hint: 'Its owner can resume it under People & hubs.' });
  return { peer: row, agent: agent === '' ? null : agent };
}

/** AppError peer_not_found with the nearest names in the hint. */
export function hubNotFound(typed: string, hubs: KnownHubs): AppError {
  return new AppError('peer_not_found', `No hub is known as "${typed.slice(0, SHOWN_MAX)}".`, {
    hint: hintFor(typed, hubs.petnames()),
    failedBy: 'input',
  });
}

function hintFor(typed: string, names: readonly string[]): string {
  const nearest = nearestNames(typed, names);
  if (nearest.length > 0) return `Did you mean ${nearest.join(', ')}?`;
  if (names.length > 0) return `Known hubs: ${names.slice(0, LISTED_MAX).join(', ')}.`;
  return 'No hub is paired yet: a person finds those near by under People & hubs, or with "axon peers --nearby", and adds one there.';
}
