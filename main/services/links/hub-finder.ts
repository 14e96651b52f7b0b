// Finds the hub that a person or an agent names: by agent id, key, or name in any case. Reads the
// directory's lists, changes nothing. Messages go by the owner's names alone. A hub that nobody
// paired or named is never found by name, because it chose its key and with that its label.
import { AppError, inputError } from '../../lib/app-error.ts';
import { listed, shortened } from '../../lib/shortened.ts';
import type { PeerRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex, readAgentId } from '../../protocol/agent-id.ts';
import { NAMES_IN_HINT_MAX } from './limits.ts';
import { hubLabel } from './peer-names.ts';
import { foldName } from '../../../preload/contract/agent-name.ts';

const KEY_HEX = /^[0-9a-f]{64}$/;
/** What was typed is repeated in an error up to this length, in characters. */
const SHOWN_MAX = 80;

export interface KnownHubs {
  row(key: KeyHex): PeerRow | undefined;
  /** Every key there is something to say about. */
  knownKeys(): readonly KeyHex[];
  isListed(key: KeyHex): boolean;
  /** As people are shown it. */
  nameOf(key: KeyHex): string;
  /** The owner's name for it; null where it has none or was removed. */
  petnameOf(key: KeyHex): string | null;
  petnames(): readonly string[];
}

/**
 * Any known hub, paired or not, by agent id, key or the name it is shown under. Throws AppError
 * peer_not_found, or conflict for two of that name.
 */
export function findHub(id: string, hubs: KnownHubs): KeyHex {
  return find(id, hubs, (key) => (hubs.isListed(key) ? namesOf(key, hubs) : []));
}

/**
 * One that the owner named and nobody paired yet also goes by its label, as the screens of a
 * pairing show it: unless that is the name of another hub.
 */
function namesOf(key: KeyHex, hubs: KnownHubs): readonly string[] {
  const name = hubs.nameOf(key);
  const trust = hubs.row(key)?.trust;
  if (trust === 'paired' || trust === 'suspended' || hubs.petnameOf(key) === null) return [name];
  const label = hubLabel(agentIdOfKeyHex(key));
  return hubs.petnames().some((other) => foldName(other) === foldName(label))
    ? [name]
    : [name, label];
}

export interface ResolvedRecipient {
  readonly peer: PeerRow;
  /** The part after the slash of "hub/agent", or null. */
  readonly agent: string | null;
}

/**
 * The hub that a person means to set something for, paired or suspended. Throws AppError
 * peer_not_found or pairing_required.
 */
export function resolvePinned(id: string, hubs: KnownHubs): PeerRow {
  const key = find(id, hubs, (known) => {
    const petname = hubs.petnameOf(known);
    return petname === null ? [] : [petname];
  });
  const row = hubs.row(key);
  if (row === undefined || (row.trust === 'revoked' && hubs.isListed(key))) {
    throw new AppError('pairing_required', `${hubs.nameOf(key)} is not paired with this hub yet.`, {
      hint: 'A person can pair the two hubs: press Add beside it, or run "axon pair".',
    });
  }
  if (row.trust === 'revoked') throw hubNotFound(id.trim(), hubs);
  return row;
}

/**
 * The paired hub that `to` means: an agent id, a petname in any case, or "hub/agent".
 * Throws AppError peer_not_found (known names in the hint), pairing_required or blocked.
 */
export function resolvePaired(to: string, hubs: KnownHubs): ResolvedRecipient {
  const slash = to.indexOf('/');
  const agent = slash < 0 ? '' : to.slice(slash + 1).trim();
  const row = resolvePinned(slash < 0 ? to : to.slice(0, slash), hubs);
  if (row.trust === 'suspended')
    throw new AppError('blocked', `${row.petname} is suspended here.`, {
      hint: 'Its owner can resume it under People & hubs.',
    });
  return { peer: row, agent: agent === '' ? null : agent };
}

function find(id: string, hubs: KnownHubs, namesFor: (key: KeyHex) => readonly string[]): KeyHex {
  const typed = id.trim();
  const agentId = readAgentId(typed);
  const lower = typed.toLowerCase();
  const isMeant = (key: KeyHex): boolean => {
    if (agentId !== undefined) return agentIdOfKeyHex(key) === agentId;
    if (KEY_HEX.test(lower)) return key === lower;
    return namesFor(key).some((name) => foldName(name) === foldName(typed));
  };
  const [key, ...others] = hubs.knownKeys().filter(isMeant);
  if (key === undefined) throw hubNotFound(typed, hubs);
  if (others.length === 0) return key;
  const ids = listed([key, ...others].map(agentIdOfKeyHex), NAMES_IN_HINT_MAX, ' and ');
  throw inputError('conflict', `Several hubs show as "${shortened(typed, SHOWN_MAX)}": ${ids}.`, {
    hint: 'Give the agent id of the one you mean.',
  });
}

function hubNotFound(typed: string, hubs: KnownHubs): AppError {
  const names = hubs.petnames();
  const hint =
    names.length > 0
      ? `Known hubs: ${listed(names, NAMES_IN_HINT_MAX)}.`
      : 'No hub is paired yet: a person finds those nearby under People & hubs, or with "axon peers --nearby", and adds one there.';
  return inputError('peer_not_found', `No hub is known as "${shortened(typed, SHOWN_MAX)}".`, {
    hint,
  });
}
