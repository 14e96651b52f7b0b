// Who gets a place among the connections (PROTOCOL.md, hello): pure rules over what is live. It closes nothing itself.
import type { CloseCode, KeyHex } from '../../ports/transport.ts';
import { CLOSE_CODES } from '../../ports/transport.ts';
import { CONNECTIONS_MAX, CONNECTIONS_PER_KEY_MAX, QUARANTINED_CONNECTIONS_MAX } from './limits.ts';

export interface PlaceHolder {
  readonly connectionId: number;
  readonly keyHex: KeyHex;
  readonly direction: 'incoming' | 'outgoing';
  /** The address it proved. */
  readonly host: string;
}

export interface Eviction {
  readonly connectionId: number;
  readonly code: CloseCode;
  readonly reason: string;
}

export type PlaceDecision =
  | { readonly admitted: true; readonly evicted: readonly Eviction[] }
  | { readonly admitted: false; readonly code: CloseCode; readonly reason: string };

/** Decides for a newcomer. `live` is everyone else with a place, oldest first. */
export function decidePlace(
  newcomer: PlaceHolder,
  live: readonly PlaceHolder[],
  paired: ReadonlySet<KeyHex>,
  refused: ReadonlySet<KeyHex>,
): PlaceDecision {
  if (refused.has(newcomer.keyHex)) return { admitted: false, code: CLOSE_CODES.revoked, reason: 'this key is no longer trusted' };
  const evicted: Eviction[] = [];
  const same = live.filter((other) => other.keyHex === newcomer.keyHex);
  for (const other of same.slice(0, Math.max(0, same.length - CONNECTIONS_PER_KEY_MAX + 1))) {
    evicted.push({ connectionId: other.connectionId, code: CLOSE_CODES.duplicate, reason: 'replaced by a newer connection' });
  }
  const gone = new Set(evicted.map((eviction) => eviction.connectionId));
  const others = live.filter((other) => !gone.has(other.connectionId));
  const strangers = others.filter((other) => !paired.has(other.keyHex));
  const isPaired = paired.has(newcomer.keyHex);
  const full = others.length >= CONNECTIONS_MAX;
  const crowded = !isPaired && strangers.length >= QUARANTINED_CONNECTIONS_MAX;
  if (!full && !crowded) return { admitted: true, evicted };
  const uninvited = strangers.filter((other) => other.direction === 'incoming');
  // A paired hub, and a hub that a person here dials, come before strangers who came by themselves.
  const displaced = isPaired || newcomer.direction === 'outgoing' ? uninvited[0] : newestOfCrowd(newcomer, uninvited);
  if (!displaced) return { admitted: false, code: CLOSE_CODES.overLimit, reason: 'no place left' };
  evicted.push({ connectionId: displaced.connectionId, code: CLOSE_CODES.overLimit, reason: 'its place was needed' });
  return { admitted: true, evicted };
}

/** One computer must not hold every place: a stranger from an address without any takes the newest of the address with the most. */
function newestOfCrowd(newcomer: PlaceHolder, uninvited: readonly PlaceHolder[]): PlaceHolder | undefined {
  const byAddress = Map.groupBy(uninvited, ({ host }) => host);
  if (byAddress.has(newcomer.host)) return undefined;
  const [largest] = [...byAddress.values()].toSorted((left, right) => right.length - left.length);
  return largest === undefined || largest.length < 2 ? undefined : largest.at(-1);
}
