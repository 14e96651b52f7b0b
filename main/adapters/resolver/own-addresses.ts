// This computer's own IPv4 addresses, as other computers may reach them, and which addresses are in
// its own networks: for showing and for share tokens. Proves nothing.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Made by programs, mostly for themselves: other computers seldom reach this one there. */
const VIRTUAL =
  /^(?:docker|podman|veth|br-|virbr|lxc|lxd|cni|vmnet|vmware|vboxnet|virtualbox|vethernet|utun|tun|tap|wg|tailscale|zt)/i;

/**
 * Those of the computer's own networks first and of virtual ones last, since only a few have room
 * in an invitation; loopback and link-local addresses are left out. Where the owner named nothing
 * but the loopback, for hubs on this one computer, its address is what there is.
 * @param only names of network interfaces, or null for all
 */
export function ownAddresses(
  only: readonly string[] | null,
  readInterfaces: typeof networkInterfaces = networkInterfaces,
): readonly string[] {
  const named = Object.entries(readInterfaces()).filter(
    ([name]) => only === null || only.includes(name),
  );
  const isThisComputerAlone =
    only !== null && named.every(([, entries]) => entries?.every(({ internal }) => internal));
  return named
    .toSorted(([one], [other]) => Number(VIRTUAL.test(one)) - Number(VIRTUAL.test(other)))
    .flatMap(([, entries]) => entries ?? [])
    .filter(
      ({ family, internal, address }) =>
        family === 'IPv4' && (!internal || isThisComputerAlone) && !address.startsWith('169.254.'),
    )
    .map(({ address }) => address);
}

/**
 * Whether an address is in a network that this computer is in, as in one home. Tunnels and other
 * virtual networks are none of these: who is reached by them may be anywhere. False for a name.
 */
export function isOnOwnNetwork(host: string, readInterfaces = networkInterfaces): boolean {
  const family = isIP(host);
  if (family === 0) return false;
  const own = new BlockList();
  for (const [name, entries] of Object.entries(readInterfaces())) {
    for (const { cidr, address } of VIRTUAL.test(name) ? [] : (entries ?? []))
      if (cidr !== null)
        own.addSubnet(address, Number(cidr.slice(cidr.indexOf('/') + 1)), familyOf(isIP(address)));
  }
  return own.check(host, familyOf(family));
}

function familyOf(version: number): 'ipv4' | 'ipv6' {
  return version === 6 ? 'ipv6' : 'ipv4';
}
