// The computer's network interfaces as mDNS sees them, and which addresses may be dialled over
// each: only on-link ones, never loopback, multicast, broadcast, metadata or global (PROTOCOL.md,
// Discovery). It reads values; it opens nothing.
import { BlockList, isIP } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import type { DiscoveryCondition, UnusableWhy } from '../../ports/discovery.ts';
import { LINKS_MAX } from './limits.ts';

export type InterfaceTable = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** One interface with at least one IPv4 address that others on the link may dial. */
export interface Link {
  readonly name: string;
  /** The IPv4 address multicast is sent from. */
  readonly address: string;
  /** Own addresses to announce on this link, best first. */
  readonly ownAddresses: readonly string[];
  /** Changes whenever the interface was replaced or re-addressed. */
  readonly signature: string;
  /** True for a source on this link, of whatever range. */
  hasSource(address: string): boolean;
  /** True for an address that may be dialled over this link. */
  mayDial(address: string): boolean;
}

export type UnusableInterface = DiscoveryCondition['unusable'][number];

export interface LinkOptions {
  /** Names of the interfaces to use; null = every one that is not loopback. */
  readonly names: readonly string[] | null;
  /**
   * Where the QUIC socket listens: a literal address, or "0.0.0.0" / "::" for all. Nothing else is
   * announced.
   */
  readonly listenHost: string;
}

const HOME_RANGES = new BlockList();
HOME_RANGES.addSubnet('10.0.0.0', 8);
HOME_RANGES.addSubnet('172.16.0.0', 12);
HOME_RANGES.addSubnet('192.168.0.0', 16);
HOME_RANGES.addSubnet('100.64.0.0', 10);
HOME_RANGES.addSubnet('169.254.0.0', 16);
HOME_RANGES.addSubnet('fc00::', 7, 'ipv6');

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);

/** Where clouds answer with credentials: never a hub, even where they are on-link. */
const METADATA = new BlockList();
for (const address of ['169.254.169.254', '169.254.170.2', '100.100.100.200'])
  METADATA.addAddress(address);
for (const address of ['fd00:ec2::254', 'fd20:ce::254']) METADATA.addAddress(address, 'ipv6');

/** The usable links among `interfaces`, in a stable order, at most LINKS_MAX. */
export function readLinks(interfaces: InterfaceTable, options: LinkOptions): readonly Link[] {
  const all = Object.values(interfaces).flatMap((entries) => entries ?? []);
  const links: Link[] = [];
  for (const name of Object.keys(interfaces).toSorted()) {
    if (options.names !== null && !options.names.includes(name)) continue;
    const link = readLink(name, interfaces[name] ?? [], all, options);
    if (link !== undefined && links.length < LINKS_MAX) links.push(link);
  }
  return links;
}

/**
 * The interfaces that are no usable link, and why; loopback only when it was named. At most
 * LINKS_MAX.
 */
export function readUnusable(
  interfaces: InterfaceTable,
  options: LinkOptions,
): readonly UnusableInterface[] {
  const usable = new Set(readLinks(interfaces, options).map(({ name }) => name));
  const names = options.names ?? Object.keys(interfaces).toSorted();
  const unusable: UnusableInterface[] = [];
  for (const name of names) {
    const entries = interfaces[name] ?? [];
    const isUnaskedLoopback = options.names === null && entries.some(({ internal }) => internal);
    if (usable.has(name) || isUnaskedLoopback || unusable.length >= LINKS_MAX) continue;
    unusable.push({ name, why: whyUnusable(entries) });
  }
  return unusable;
}

function whyUnusable(entries: readonly NetworkInterfaceInfo[]): UnusableWhy {
  if (entries.length === 0) return 'absent';
  const prefixes = entries
    .filter(({ family }) => family === 'IPv4')
    .map(({ cidr }) => cidr?.split('/')[1]);
  return prefixes.length > 0 && prefixes.every((prefix) => prefix === '32')
    ? 'point-to-point'
    : 'no-home-address';
}

function readLink(
  name: string,
  entries: readonly NetworkInterfaceInfo[],
  all: readonly NetworkInterfaceInfo[],
  options: LinkOptions,
): Link | undefined {
  const loopback = entries.some((entry) => entry.internal);
  if (loopback && options.names === null) return undefined;
  const nets = new BlockList();
  const edges = new BlockList();
  for (const entry of entries) addNet(entry, nets, edges);
  const ranges = loopback ? LOOPBACK : HOME_RANGES;
  const mayDial = (address: string): boolean =>
    holds(nets, address) &&
    holds(ranges, address) &&
    !holds(edges, address) &&
    !holds(METADATA, address);
  const own = all
    .map((entry) => entry.address)
    .filter((address) => mayDial(address) && listensOn(options.listenHost, address));
  const address = entries.find(
    (entry) => entry.family === 'IPv4' && own.includes(entry.address),
  )?.address;
  if (address === undefined) return undefined;
  const ownAddresses = [...new Set([address, ...own])].toSorted((a, b) => isIP(a) - isIP(b));
  const signature = JSON.stringify([
    entries.map((entry) => [entry.cidr, entry.mac, entry.family === 'IPv6' ? entry.scopeid : 0]),
    ownAddresses,
  ]);
  return {
    name,
    address,
    ownAddresses,
    signature,
    hasSource: (source) => holds(nets, source),
    mayDial,
  };
}

/** Adds the entry's subnet, and its network and broadcast addresses, which no host has. */
function addNet(entry: NetworkInterfaceInfo, nets: BlockList, edges: BlockList): void {
  const prefix = Number(entry.cidr?.split('/')[1] ?? Number.NaN);
  if (!Number.isInteger(prefix)) return;
  if (entry.family === 'IPv6') {
    if (prefix > 0 && prefix <= 128) nets.addSubnet(entry.address, prefix, 'ipv6');
    return;
  }
  // A point-to-point address (/32) has nobody on its link.
  if (prefix < 1 || prefix > 31) return;
  nets.addSubnet(entry.address, prefix);
  if (prefix === 31) return;
  const size = 2 ** (32 - prefix);
  const first = Math.floor(fromDotted(entry.address) / size) * size;
  edges.addAddress(toDotted(first));
  edges.addAddress(toDotted(first + size - 1));
}

function listensOn(listenHost: string, address: string): boolean {
  if (listenHost === '::') return true;
  if (listenHost === '0.0.0.0') return isIP(address) === 4;
  return listenHost === address;
}

function holds(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function fromDotted(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function toDotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
