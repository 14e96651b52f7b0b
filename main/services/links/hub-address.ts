// Reads what a person types to say where a hub is and which key it has. Pure; anything unclear is an error with the form that works.
import { isIP } from 'node:net';
import { AppError } from '../../lib/app-error.ts';
import { fromBase64, fromBase64Url, toHex } from '../../lib/bytes.ts';
import type { KeyHex } from '../../ports/transport.ts';

/** The UDP port of a hub unless another is named (PROTOCOL.md, Connection). */
export const PEER_PORT_DEFAULT = 7100;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;
const ADDRESS = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:[\]]+))(?::(?<port>[0-9]{1,5}))?$/;
const KEY_HEX = /^[0-9a-f]{64}$/i;

export interface HubAddress {
  readonly host: string;
  readonly port: number;
}

/** "host", "host:port", "192.0.2.7:7100", "[2001:db8::7]:7100" or a bare IPv6 address. Throws AppError bad_request. */
export function readHubAddress(text: string): HubAddress {
  const trimmed = text.trim();
  if (isIP(trimmed) === 6) return { host: trimmed, port: PEER_PORT_DEFAULT };
  const groups = ADDRESS.exec(trimmed)?.groups;
  const host = groups?.['bracketed'] ?? groups?.['plain'];
  const port = groups?.['port'] === undefined ? PEER_PORT_DEFAULT : Number(groups['port']);
  const isBracketed = groups?.['bracketed'] !== undefined;
  const hostFits = host !== undefined && (isBracketed ? isIP(host) === 6 : isIP(host) === 4 || HOST_NAME.test(host));
  if (host === undefined || !hostFits || port < 1 || port > 65_535) {
    throw new AppError('bad_request', 'That is not the address of a hub.', {
      hint: 'Write a host name or an IP address, with the port if it is not 7100: "attic.example:7100" or "[2001:db8::7]:7100".',
      failedBy: 'input',
    });
  }
  return { host, port };
}

export function writeHubAddress({ host, port }: HubAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A 32-byte public key as 64 hex digits, base64 or base64url. Throws AppError bad_request. */
export function readHubKey(text: string): KeyHex {
  const trimmed = text.trim();
  if (KEY_HEX.test(trimmed)) return trimmed.toLowerCase();
  const bytes = fromBase64(trimmed) ?? fromBase64Url(trimmed);
  if (bytes?.byteLength === 32) return toHex(bytes);
  throw new AppError('bad_request', 'That is not the public key of a hub.', {
    hint: 'Copy the whole key from the other hub: 64 hexadecimal digits, or 43 characters of base64.',
    failedBy: 'input',
  });
}
