// Reads what a person types to say where a hub is and which key it has. Pure; anything unclear is
// an error with the form that works.
import { isIP } from 'node:net';
import { START_DEFAULTS } from '../../../preload/contract/settings.ts';
import { type AppError, inputError } from '../../lib/app-error.ts';
import { fromBase64, fromBase64Url, fromHex, toBase64Url, toHex } from '../../lib/bytes.ts';
import type { KeyHex } from '../../ports/transport.ts';

/** The UDP port of a hub unless another is named (PROTOCOL.md, Connection). */
const PEER_PORT_DEFAULT = START_DEFAULTS['peer-port'];
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;
const ADDRESS = /^(?<host>[^:[\]]+)(?::(?<port>[0-9]{1,5}))?$/;
const KEY_HEX = /^[0-9a-f]{64}$/i;
const SHARE_SCHEME = 'axon://';
const INVITATION = /^axon:\/\/pair\?/i;
const SHARE_TOKEN = /^axon:\/\//i;

export interface HubAddress {
  readonly host: string;
  readonly port: number;
}

/** "host", "host:port" or "192.0.2.7:7100". Throws AppError bad_request. */
export function readHubAddress(text: string): HubAddress {
  const trimmed = text.trim();
  if (isIP(/^\[([^\]]+)\]/.exec(trimmed)?.[1] ?? trimmed) === 6) {
    throw inputError('bad_request', 'Hubs reach each other over IPv4.', {
      hint: 'Write the IPv4 address of that hub, such as 192.168.1.20, or its name.',
    });
  }
  const groups = ADDRESS.exec(trimmed)?.groups;
  const host = groups?.['host'];
  const port = groups?.['port'] === undefined ? PEER_PORT_DEFAULT : Number(groups['port']);
  const hostFits = host !== undefined && (isIP(host) === 4 || HOST_NAME.test(host));
  if (!hostFits || port < 1 || port > 65_535) {
    throw inputError('bad_request', 'That is not the address of a hub.', {
      hint: 'Write a host name or an IPv4 address, with the port if it is not 7100: "attic.example:7100" or "192.168.1.20:7100".',
    });
  }
  return { host, port };
}

export function writeHubAddress({ host, port }: HubAddress): string {
  return `${host}:${port}`;
}

/** Where a hub is, and the key that it must show there. */
interface HubPlace extends HubAddress {
  readonly keyHex: KeyHex;
}

/**
 * Where a hub is and who it is, as a person gives it: an address with its public key beside it, or
 * a share token `axon://KEY@host:port` in place of the address, which holds both. Throws AppError
 * bad_request.
 */
export function readHubPlace(address: string, key: string | undefined): HubPlace {
  if (INVITATION.test(address.trim())) {
    throw inputError('bad_request', 'That is an invitation, not the address of a hub.', {
      hint: 'Run "axon join" and paste it there, or paste it under People & hubs, Add a hub.',
    });
  }
  const token = readShareToken(address);
  if (token === undefined) {
    if (key === undefined) throw notAKey();
    return { keyHex: readPublicKey(key), ...readHubAddress(address) };
  }
  if (key !== undefined && readPublicKey(key) !== token.keyHex) {
    throw inputError(
      'bad_request',
      'The link and the key beside it stand for two different hubs.',
      {
        hint: 'Give the link alone.',
      },
    );
  }
  return token;
}

/**
 * A share token: `axon://` + the public key as base64url without padding + `@host:port`. undefined
 * when the text is no such link.
 */
export function readShareToken(text: string): HubPlace | undefined {
  const trimmed = text.trim();
  if (!SHARE_TOKEN.test(trimmed)) return undefined;
  const [key = '', address = '', ...rest] = trimmed.slice(SHARE_SCHEME.length).split('@');
  const bytes = fromBase64Url(key);
  if (bytes?.byteLength !== 32 || rest.length > 0) throw notAKey();
  return { keyHex: toHex(bytes), ...readHubAddress(address) };
}

/** The share token of a hub; for the reference daemon and for anybody who adds it by address. */
export function writeShareToken(keyHex: KeyHex, address: HubAddress): string {
  return `${SHARE_SCHEME}${toBase64Url(fromHex(keyHex) ?? new Uint8Array())}@${writeHubAddress(address)}`;
}

/** A 32-byte public key as 64 hex digits, base64 or base64url. Throws AppError bad_request. */
export function readPublicKey(text: string): KeyHex {
  const trimmed = text.trim();
  if (KEY_HEX.test(trimmed)) return trimmed.toLowerCase();
  const bytes = fromBase64(trimmed) ?? fromBase64Url(trimmed);
  if (bytes?.byteLength !== 32) throw notAKey();
  return toHex(bytes);
}

function notAKey(): AppError {
  return inputError('bad_request', 'That is not the public key of a hub.', {
    hint: 'Copy it from Settings of the other hub (64 hexadecimal digits, or base64), or its axon:// link, which holds everything. An agent id is not enough.',
  });
}
