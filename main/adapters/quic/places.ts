// Who gets a place among the connections (PROTOCOL.md, hello): pure rules over what is live. It
// closes nothing itself.
import type { Admission, CloseCode, KeyHex } from '../../ports/transport.ts';
import { CLOSE_CODES } from '../../ports/transport.ts';
import {
  CONNECTIONS_MAX,
  CONNECTIONS_PER_KEY_MAX,
  QUARANTINED_CONNECTIONS_MAX,
  STRANGER_PLACE_KEPT_MS,
} from './limits.ts';

export interface PlaceHolder {
  readonly connectionId: number;
  readonly keyHex: KeyHex;
  readonly direction: 'incoming' | 'outgoing';
  /** The address it proved. */
  readonly host: string;
  /** Since when it is connected, by the monotonic clock. */
  readonly sinceMs: number;
}

/** What is known of keys; see Admission, and Transport.keepPlaces. */
export interface Standing {
  readonly paired: ReadonlySet<KeyHex>;
  readonly refused: ReadonlySet<KeyHex>;
  readonly pairing: ReadonlySet<KeyHex>;
}

interface Eviction {
  readonly connectionId: number;
  readonly code: CloseCode;
  readonly reason: string;
}

export type PlaceDecision =
  | { readonly admitted: true; readonly evicted: readonly Eviction[] }
  | { readonly admitted: false; readonly code: CloseCode; readonly reason: string };

export const NO_STANDING: Standing = { paired: new Set(), refused: new Set(), pairing: new Set() };

/** The standing with what changes in it. */
export function changed(
  standing: Standing,
  change: Partial<Admission & { readonly pairing: readonly KeyHex[] }>,
): Standing {
  const { paired, refused, pairing } = { ...standing, ...change };
  return { paired: new Set(paired), refused: new Set(refused), pairing: new Set(pairing) };
}

/** Decides for a newcomer. `live` is everyone else with a place, oldest first. */
export function decidePlace(
  newcomer: PlaceHolder,
  live: readonly PlaceHolder[],
  standing: Standing,
  nowMs: number,
): PlaceDecision {
  const { paired, refused, pairing } = standing;
  if (refused.has(newcomer.keyHex))
    return { admitted: false, code: CLOSE_CODES.revoked, reason: 'this key is no longer trusted' };
  const evicted: Eviction[] = [];
  const same = live.filter((other) => other.keyHex === newcomer.keyHex);
  for (const other of same.slice(0, Math.max(0, same.length - CONNECTIONS_PER_KEY_MAX + 1))) {
    evicted.push({
      connectionId: other.connectionId,
      code: CLOSE_CODES.duplicate,
      reason: 'replaced by a newer connection',
    });
  }
  const gone = new Set(evicted.map((eviction) => eviction.connectionId));
  const others = live.filter((other) => !gone.has(other.connectionId));
  const strangers = others.filter((other) => !paired.has(other.keyHex));
  const isPaired = paired.has(newcomer.keyHex);
  const full = others.length >= CONNECTIONS_MAX;
  const crowded = !isPaired && strangers.length >= QUARANTINED_CONNECTIONS_MAX;
  if (!full && !crowded) return { admitted: true, evicted };
  const uninvited = strangers.filter(
    (other) => other.direction === 'incoming' && !pairing.has(other.keyHex),
  );
  // A paired hub, one that is being paired and one that a person here dials come before strangers
  // who came by themselves.
  const isWanted = isPaired || newcomer.direction === 'outgoing' || pairing.has(newcomer.keyHex);
  const displaced = isWanted ? uninvited[0] : displacedByStranger(newcomer, uninvited, nowMs);
  if (!displaced) return { admitted: false, code: CLOSE_CODES.overLimit, reason: 'no place left' };
  evicted.push({
    connectionId: displaced.connectionId,
    code: CLOSE_CODES.overLimit,
    reason: 'its place was needed',
  });
  return { admitted: true, evicted };
}

/**
 * Neither one computer nor many may hold every place for strangers. A newcomer whose address has no
 * place takes the newest place of the address that has the most; if each address has one, it takes
 * the oldest, once that had time to begin a pairing. A newcomer whose address has places takes the
 * oldest of those, after the same time, and never one of another address.
 */
function displacedByStranger(
  newcomer: PlaceHolder,
  uninvited: readonly PlaceHolder[],
  nowMs: number,
): PlaceHolder | undefined {
  const byAddress = Map.groupBy(uninvited, ({ host }) => host);
  const [largest] = [...byAddress.values()].toSorted((left, right) => right.length - left.length);
  const own = byAddress.get(newcomer.host);
  if (own === undefined && largest !== undefined && largest.length > 1) return largest.at(-1);
  const [oldest] = own ?? uninvited;
  return oldest !== undefined && nowMs - oldest.sinceMs >= STRANGER_PLACE_KEPT_MS
    ? oldest
    : undefined;
}
