// Finding hubs on the home network. Everything found is a hint: it authorises nothing (PROTOCOL.md,
// Discovery).

export interface Advertisement {
  readonly agentId: string;
  /** Raw 32-byte public key, lower-case hex. */
  readonly keyHex: string;
  readonly peerPort: number;
}

export interface FoundHub {
  readonly agentId: string;
  readonly keyHex: string;
  readonly port: number;
  /** On-link addresses only, best first. */
  readonly addresses: readonly string[];
  /** The instance label as announced; outside text. */
  readonly label: string;
}

export interface AnnouncedPlace {
  /** An on-link address. */
  readonly host: string;
  readonly port: number;
}

/** Why hubs cannot be found over a network interface. */
export type UnusableWhy =
  /** The owner named it, and the computer has none of that name now. */
  | 'absent'
  /** Another program holds the UDP port of multicast DNS. */
  | 'port-taken'
  /** The system lets nothing out or in there: a firewall, or a socket error. */
  | 'blocked'
  /** It has no private IPv4 address, so it is no home network. */
  | 'no-home-address'
  /** Nobody else is on its link: a VPN or a direct line. */
  | 'point-to-point';

/** What the discovery can use of the computer's networks. */
export interface DiscoveryCondition {
  /** Names of interfaces on which it announces and listens. */
  readonly working: readonly string[];
  readonly unusable: readonly { readonly name: string; readonly why: UnusableWhy }[];
}

export type DiscoveryEvent =
  /** Never this hub's own id. */
  | { readonly type: 'found'; readonly hub: FoundHub }
  | { readonly type: 'lost'; readonly agentId: string }
  /**
   * Every place where another start than this one announces our own id now, of each source its
   * first before any other's second.
   */
  | { readonly type: 'own-id'; readonly places: readonly AnnouncedPlace[] }
  /** Told once after the start, and whenever it changes. */
  | { readonly type: 'condition'; readonly condition: DiscoveryCondition }
  /** The computer's addresses changed: dialling should start afresh. */
  | { readonly type: 'network-changed' };

export interface Discovery {
  /**
   * Browses, and announces when an advertisement is given. Resolves once the announcement was sent.
   */
  start(
    advertisement: Advertisement | null,
    onEvent: (event: DiscoveryEvent) => void,
  ): Promise<void>;
  /** Sends a goodbye and stops. Idempotent. */
  stop(): Promise<void>;
}
