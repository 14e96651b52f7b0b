// This computer's own IPv4 addresses, as other computers may reach them: for showing and for share tokens. Proves nothing.
import { networkInterfaces } from 'node:os';

/** @param only names of network interfaces, or null for all; loopback and link-local addresses are left out */
export function ownAddresses(only: readonly string[] | null): readonly string[] {
  return Object.entries(networkInterfaces())
    .filter(([name]) => only === null || only.includes(name))
    .flatMap(([, entries]) => entries ?? [])
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    .map(({ address }) => address);
}
