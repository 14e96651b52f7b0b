// The part of the hub that needs an identity: the port between hubs, pairing and discovery. Opens
// them once the hub is not locked, and closes them in reverse. Owns that order, and nothing that
// happens inside.
import type { SettingsService } from '../services/auth/settings-service.ts';
import type { HubStatus } from '../services/pages/hub-status.ts';
import type { Copies } from '../services/links/copies.ts';
import type { DiscoveryService } from '../services/links/discovery-service.ts';
import type { PeerDirectory } from '../services/links/peer-directory.ts';
import type { PeerLinks } from '../services/links/peer-links.ts';
import type { PairingService } from '../services/pairing/pairing-service.ts';
import { SerialQueue } from '../lib/serial-queue.ts';

/** All addresses of IPv4: the discovery announces the same. */
const PEER_LISTEN_HOST = '0.0.0.0';

interface PeerSideDeps {
  readonly settings: SettingsService;
  readonly hub: HubStatus;
  readonly directory: PeerDirectory;
  readonly links: PeerLinks;
  readonly pairing: PairingService;
  readonly discovery: DiscoveryService;
  readonly copies: Copies;
}

export class PeerSide {
  readonly #deps: PeerSideDeps;
  readonly #port: number;
  #openPort: number | null = null;
  readonly #queue = new SerialQueue();
  #stopListening: () => void = () => undefined;

  /** @param port UDP; 0 picks a free one */
  constructor(deps: PeerSideDeps, port: number) {
    this.#deps = deps;
    this.#port = port;
  }

  /** The UDP port, or null while it is closed. */
  get port(): number | null {
    return this.#openPort;
  }

  /** Reads who is paired, which every door may be asked for before the identity is there. */
  load(): void {
    this.#deps.directory.load();
  }

  /** The identity is there: opens the port between hubs. Idempotent. */
  open(): Promise<void> {
    return this.#queue.run(() => this.#open());
  }

  close(): Promise<void> {
    return this.#queue.run(() => this.#close());
  }

  async #open(): Promise<void> {
    const { links, pairing, hub, settings, copies } = this.#deps;
    if (this.#openPort !== null) return;
    copies.start();
    const { port } = await links.start({ host: PEER_LISTEN_HOST, port: this.#port });
    this.#openPort = port;
    pairing.start();
    hub.peersOpened(port);
    this.#stopListening = settings.onChange((now, before) => {
      if (now.discovery !== before.discovery) void this.#queue.run(() => this.#followDiscovery());
    });
    await this.#followDiscovery();
  }

  async #close(): Promise<void> {
    const { links, pairing, discovery, hub, copies } = this.#deps;
    if (this.#openPort === null) return;
    this.#stopListening();
    await discovery.stop();
    copies.stop();
    pairing.stop();
    await links.stop();
    this.#openPort = null;
    hub.peersOpened(null);
  }

  async #followDiscovery(): Promise<void> {
    const { discovery, settings } = this.#deps;
    if (this.#openPort === null) return;
    if (settings.current().discovery) await discovery.start(this.#openPort);
    else await discovery.stop();
  }
}
