// The link of an invitation, written and read: which hub waits where under which key, and the
// secret that replaces typed digits. A link comes from outside and proves nothing until the hub
// with that key has answered (PROTOCOL.md, Invitation). Pure.
import { type AppError, inputError } from '../../lib/app-error.ts';
import { fromBase64Url, fromHex, toBase64Url, toHex } from '../../lib/bytes.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { PAIRING_SECRET_BYTES } from '../../protocol/limits.ts';
import { type HubAddress, readHubAddress, writeHubAddress } from '../links/hub-address.ts';
import { INVITATION_ADDRESSES_MAX, INVITATION_LINK_MAX_CHARACTERS } from './limits.ts';

const SCHEME = 'axon://pair?';
const VERSION = '1';
const ONCE = ['v', 'k', 's', 'n'] as const;

interface InvitationLink {
  readonly keyHex: KeyHex;
  readonly secret: Uint8Array;
  readonly addresses: readonly HubAddress[];
  /** What the inviting hub calls itself; outside text. */
  readonly name: string;
}

export function writeInvitationLink({ keyHex, secret, addresses, name }: InvitationLink): string {
  const places = addresses.map((address) => `a=${writeHubAddress(address)}`);
  const key = toBase64Url(fromHex(keyHex) ?? new Uint8Array());
  return `${SCHEME}${[`v=${VERSION}`, `k=${key}`, ...places, `s=${toBase64Url(secret)}`, `n=${encodeURIComponent(name)}`].join('&')}`;
}

/**
 * Throws AppError bad_request with what is wrong, and never with any part of the text: it may hold
 * a secret.
 */
export function readInvitationLink(text: string): InvitationLink {
  const trimmed = text.trim();
  if (trimmed.length > INVITATION_LINK_MAX_CHARACTERS || !trimmed.toLowerCase().startsWith(SCHEME))
    throw notAnInvitation();
  const query = new URLSearchParams(trimmed.slice(SCHEME.length));
  if (ONCE.some((name) => query.getAll(name).length > 1)) throw notAnInvitation();
  if (query.get('v') !== VERSION) {
    throw inputError('bad_request', 'This invitation is of a kind that this hub does not know.', {
      hint: 'Bring both hubs to the same version, and ask for a new invitation.',
    });
  }
  const key = fromBase64Url(query.get('k') ?? '');
  const secret = fromBase64Url(query.get('s') ?? '');
  const places = query.getAll('a');
  if (key?.byteLength !== 32 || secret?.byteLength !== PAIRING_SECRET_BYTES)
    throw notAnInvitation();
  if (places.length === 0 || places.length > INVITATION_ADDRESSES_MAX) throw notAnInvitation();
  return {
    keyHex: toHex(key),
    secret,
    addresses: places.map(readHubAddress),
    name: query.get('n') ?? '',
  };
}

function notAnInvitation(): AppError {
  return inputError('bad_request', 'That is not a whole invitation.', {
    hint: 'Copy all of the link, from "axon://pair?" to its end, or ask for a new one.',
  });
}
