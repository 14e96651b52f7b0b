// Everything of one hub that stands between hubs, put together as the hub does it: real store, real
// protocol; the network and the clock are what the test gives. What a hub would do with work is a
// few lines here.
import { SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { Secret } from '../../main/lib/secret.ts';
import type { Clock, Random } from '../../main/ports/clock.ts';
import type { KeyVault, VaultRead } from '../../main/ports/key-vault.ts';
import type { Log } from '../../main/ports/log.ts';
import type { Resolver } from '../../main/ports/resolver.ts';
import type { Store } from '../../main/ports/store.ts';
import type { KeyHex, Transport } from '../../main/ports/transport.ts';
import { EventBus } from '../../main/services/base/event-bus.ts';
import { IdentityService } from '../../main/services/base/identity.ts';
import { KeyTrust } from '../../main/services/links/key-trust.ts';
import { PeerDirectory } from '../../main/services/links/peer-directory.ts';
import type { HubProfile } from '../../main/services/links/hub-profile.ts';
import { PeerLinks } from '../../main/services/links/peer-links.ts';
import { PairingService } from '../../main/services/pairing/pairing-service.ts';
import type { PeerDto, UiEvent } from '../../preload/contract/dto.ts';
import type { PairingDto } from '../../preload/contract/pairing-dto.ts';
import { openTemporaryStore, SILENT_LOG, type TemporaryStore } from './memory-store.ts';
import { pinOf } from './sample-rows.ts';

export class MemoryVault implements KeyVault {
  readonly kind = 'memory';
  seed: Uint8Array | undefined;

  constructor(seed?: Uint8Array) {
    this.seed = seed;
  }

  read(): Promise<VaultRead> {
    return Promise.resolve(
      this.seed === undefined
        ? { state: 'absent' }
        : { state: 'found', seed: new Secret(this.seed) },
    );
  }

  write(seed: Secret<Uint8Array>): Promise<void> {
    this.seed = seed.expose();
    return Promise.resolve();
  }
}

export interface StackOptions {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly name: string;
  readonly store?: TemporaryStore;
  readonly vault?: MemoryVault;
  readonly random?: Random;
  readonly resolver?: Resolver;
  readonly log?: Log;
  readonly host?: string;
}

export const PERSON = { actor: 'ui:test', surface: 'browser' } as const;

export class HubStack {
  readonly name: string;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly store: TemporaryStore;
  readonly vault: MemoryVault;
  readonly events = new EventBus();
  readonly seen: UiEvent[] = [];
  readonly identity: IdentityService;
  readonly directory: PeerDirectory;
  readonly links: PeerLinks;
  readonly keyTrust: KeyTrust;
  readonly pairing: PairingService;
  profile: Omit<HubProfile, 'namesItself'>;
  port = 0;
  readonly #host: string;

  constructor(options: StackOptions) {
    const { clock, transport, name, log = SILENT_LOG, random = new SystemRandom() } = options;
    this.name = name;
    this.clock = clock;
    this.transport = transport;
    this.#host = options.host ?? '127.0.0.1';
    this.store = options.store ?? openTemporaryStore(clock);
    this.vault = options.vault ?? new MemoryVault();
    this.profile = { name, person: null, platform: 'test' };
    this.events.subscribe((event) => this.seen.push(event));
    const store: Store = this.store;
    const resolver = options.resolver ?? { resolve: () => Promise.resolve([]) };
    this.identity = new IdentityService({ store, vaults: [this.vault], clock, random, log });
    this.directory = new PeerDirectory({
      store,
      clock,
      log,
      events: this.events,
      identity: this.identity,
      transport,
      ownName: () => this.profile.name,
    });
    this.keyTrust = new KeyTrust({ store, clock, directory: this.directory });
    this.links = new PeerLinks({
      onOwnKey: () => undefined,
      store,
      transport,
      resolver,
      clock,
      random,
      log,
      identity: this.identity,
      directory: this.directory,
      profile: () => ({ ...this.profile, namesItself: this.pairing.window.open }),
      pong: () => ({
        status: 'idle',
        uptime_secs: 1,
        active_tasks: 0,
        agent_name: this.profile.name,
      }),
      capabilities: () => ({
        agent_name: this.profile.name,
        domains: ['family.calendar'],
        agents: [],
      }),
    });
    this.pairing = new PairingService({
      store,
      clock,
      random,
      log,
      events: this.events,
      identity: this.identity,
      directory: this.directory,
      connections: this.links.unpaired,
      profile: () => ({ ...this.profile, namesItself: this.pairing.window.open }),
    });
  }

  async start(port = 0): Promise<this> {
    await this.identity.open(new AbortController().signal);
    this.port = (await this.links.start({ host: this.#host, port })).port;
    this.pairing.start();
    return this;
  }

  /** Stops everything but the store, as a restart does. */
  async halt(): Promise<void> {
    this.pairing.stop();
    await this.links.stop();
  }

  async stop(): Promise<void> {
    await this.halt();
    await this.store.close();
  }

  get key(): KeyHex {
    return this.identity.keyHex;
  }

  get agentId(): string {
    return this.identity.agentId;
  }

  /** Learns where the other hub is, as from the home network. */
  hears(other: HubStack): void {
    this.directory.foundNearby({
      agentId: other.agentId,
      keyHex: other.key,
      port: other.port,
      addresses: ['127.0.0.1'],
      label: other.name,
    });
  }

  /** Pins the other hub without a pairing, for tests of what comes after one. */
  async pins(other: HubStack, petname = other.name): Promise<void> {
    await this.store.write((tables) => this.directory.pinInside(tables, pinOf(other.key, petname)));
    this.directory.pinned(other.key);
  }

  peer(other: HubStack): PeerDto {
    return this.directory.dto(other.key);
  }

  /** The newest pairing. */
  get currentPairing(): PairingDto | undefined {
    return this.pairing.list().at(-1);
  }

  auditActions(): readonly string[] {
    return this.store.read.audit({ limit: 100 }).map(({ action }) => action);
  }
}
