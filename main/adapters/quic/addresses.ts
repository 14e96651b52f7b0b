// IP addresses as the socket, quiche and people write them. Literals only: a name would make the
// native library ask DNS and block.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const MAPPED_PREFIX = '::ffff:';

/** Splits "fe80::1%eth0" into the address and "%eth0" (empty when there is none). */
export function splitZone(host: string): { readonly address: string; readonly zone: string } {
  const at = host.indexOf('%');
  return at < 0
    ? { address: host, zone: '' }
    : { address: host.slice(0, at), zone: host.slice(at) };
}

/**
 * How a socket of the given family writes the address of `host`, or undefined when it cannot reach
 * it or it is no IP literal.
 */
export function forSocket(host: string, family: 4 | 6): string | undefined {
  const { address, zone } = splitZone(host);
  const kind = isIP(address);
  if (kind === 4) return family === 4 ? address : `${MAPPED_PREFIX}${address}`;
  if (kind !== 6) return undefined;
  const plain = shown(address);
  if (isIP(plain) === 4) return forSocket(plain, family);
  return family === 6 ? `${plain}${zone}` : undefined;
}

/**
 * The address for people and for comparing: a mapped IPv4 address as plain IPv4, IPv6 in its
 * shortest form.
 */
export function shown(host: string): string {
  const { address, zone } = splitZone(host);
  if (!ipaddr.isValid(address)) return host;
  return `${ipaddr.process(address).toString()}${zone}`;
}

/**
 * One address whose packets are counted together: IPv4 by /32 (mapped addresses too), IPv6 by /128.
 */
export function addressOf(host: string): string {
  return shown(splitZone(host).address);
}

/**
 * The source whose packets are counted together: IPv4 by /32 (mapped addresses too), IPv6 by /64.
 */
export function sourceOf(host: string): string {
  const { address } = splitZone(host);
  if (!ipaddr.isValid(address)) return 'unreadable';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return parsed
    .toByteArray()
    .slice(0, 8)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
