// Whether one more request may wait for a person: a few at once, from different computers, so that a stranger with ever fresh keys neither
// fills the screen nor keeps the family's own hub out. It looks and decides; it keeps nothing (PROTOCOL.md, Pairing).
import { AppError } from '../../lib/app-error.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { OFFER_PLACE_KEPT_MS, OFFERS_PER_ADDRESS_MAX, OFFERS_WAITING_MAX } from './limits.ts';
import type { PairingSession } from './pairing-session.ts';
import type { PairingShelf } from './pairing-shelf.ts';
import type { PairingWindow } from './pairing-window.ts';

export interface OfferFrom {
  readonly key: KeyHex;
  /** The address its connection has proved. */
  readonly host: string;
}

/**
 * The waiting request that gives its place to this one, if the places are all taken. Throws AppError not_authorized while pairing is closed
 * to this hub, and overloaded while it has a pairing going on here or there is no place for its request: it may ask again in a moment.
 * @param nowMs monotonic
 */
export function placeFor({ key, host }: OfferFrom, shelf: PairingShelf, window: PairingWindow, nowMs: number): PairingSession | undefined {
  if (!window.admits(key, host)) {
    throw new AppError('not_authorized', 'Pairing is closed here.', { hint: 'A person at this hub must open pairing first.' });
  }
  // A hub that asks anew gives up its older request: that one holds no place.
  const others = shelf.waiting().filter(({ peerKey }) => peerKey !== key);
  const fromThere = others.filter(({ peerAddress }) => peerAddress?.host === host);
  const isFull = others.length >= OFFERS_WAITING_MAX;
  // A hub that a person here chose keeps its place.
  const old = isFull ? others.find(({ isInvited, sinceMs }) => !isInvited && nowMs - sinceMs >= OFFER_PLACE_KEPT_MS) : undefined;
  if (shelf.running()?.peerKey === key || (isFull && old === undefined) || fromThere.length >= OFFERS_PER_ADDRESS_MAX) {
    throw new AppError('overloaded', 'Another request to pair waits here.', { hint: 'Try again in a minute.' });
  }
  return old;
}

/** For a person who would begin or open a second pairing: which one goes on, and how it is ended. */
export function anotherIsUnderWay({ id, dto: { label } }: PairingSession): AppError {
  return new AppError('conflict', `A pairing with ${label} is under way.`, {
    hint: `Finish it or stop it first, under People & hubs or with "axon pair cancel ${id}".`,
    failedBy: 'input',
    data: { id },
  });
}
