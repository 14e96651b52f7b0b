// Finding hubs on the home network. Everything found is a hint: it authorises nothing (PROTOCOL.md, Discovery).

export interface Advertisement {
  readonly agentId: string;
  /** Raw 32-byte public key, lower-case hex. */
  readonly keyHex: string;
  readonly peerPort: number;
  /** Shown as the instance label only when the owner opted in; otherwise a label made from the agent id. */
  readonly label: string | null;
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

export type DiscoveryEvent =
  | { readonly type: 'found'; readonly hub: FoundHub }
  | { readonly type: 'lost'; readonly agentId: string }
  /** The computer's addresses changed: dialling should start afresh. */
  | { readonly type: 'network-changed' };

export interface Discovery {
  /** Browses, and announces when an advertisement is given. Resolves once the announcement was sent. */
  start(advertisement: Advertisement | null, onEvent: (event: DiscoveryEvent) => void): Promise<void>;
  /** Asks the network again now. */
  refresh(): void;
  /** Sends a goodbye and stops. Idempotent. */
  stop(): Promise<void>;
}
