// The hub's own status: its state, ports, identity and the sentences its owner should read.
// Collects what other services know and tells pages when it changes. Decides nothing, and never
// holds a secret.
import type {
  DiscoveryDto,
  HubDto,
  HubState,
  RestoredCopyDto,
} from '../../../preload/contract/dto.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Audit } from '../audit/audit.ts';
import type { PassphraseService } from '../auth/passphrase-service.ts';
import type { SettingsService } from '../auth/settings-service.ts';
import type { EventBus } from '../base/event-bus.ts';
import type { IdentityService } from '../base/identity.ts';
import { DISCOVERY_OFF, DISCOVERY_OFF_THIS_RUN } from '../links/discovery-status.ts';
import { type HubAddress, writeHubAddress, writeShareToken } from '../links/hub-address.ts';
import { hubLabel } from '../links/peer-names.ts';

interface HubStatusDeps {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly identity: IdentityService;
  readonly settings: SettingsService;
  readonly passphrase: PassphraseService;
  readonly audit: () => Pick<Audit, 'state' | 'finding' | 'lockedBecause'>;
  readonly dateInQuestion: () => number | null;
  /** Where a copy of this hub runs. */
  readonly copyAt: () => HubAddress | null;
  /** The paired hubs and the agents of this database. */
  readonly keepable: () => RestoredCopyDto;
}

interface HubFacts {
  readonly version: string;
  /** As people call it: "Linux", "macOS", "Windows". */
  readonly platform: string;
  readonly desktop: boolean;
  /** What a line at a terminal begins with; null where there is no command. */
  readonly command: string | null;
  /** This computer's own addresses now. */
  readonly addresses: () => readonly string[];
}

export class HubStatus {
  readonly #deps: HubStatusDeps;
  readonly #facts: HubFacts;
  readonly #startedAt: number;
  #phase: 'starting' | 'up' | 'stopping' = 'starting';
  #apiPort = 0;
  #curl = '';
  #peerPort: number | null = null;
  #discovery: DiscoveryDto = DISCOVERY_OFF;

  constructor(deps: HubStatusDeps, facts: HubFacts) {
    this.#deps = deps;
    this.#facts = facts;
    this.#startedAt = deps.clock.wallMs();
  }

  current(): HubDto {
    const { identity, settings, passphrase } = this.#deps;
    const { name, person, discovery, fixed_at_start: fixed } = settings.current();
    const known = identity.state;
    const audit = this.#deps.audit();
    const copy = this.#deps.copyAt();
    return {
      state: this.#state(),
      state_detail: 'reason' in known ? known.reason : audit.lockedBecause,
      agent_id: known.state === 'ready' ? known.agentId : null,
      public_key: known.state === 'ready' ? known.keyHex : null,
      label: known.state === 'ready' ? hubLabel(known.agentId) : null,
      name,
      person,
      version: this.#facts.version,
      platform: this.#facts.platform,
      api_port: this.#apiPort,
      peer_port: this.#peerPort,
      share_tokens:
        known.state === 'ready'
          ? this.places().map((place) => writeShareToken(known.keyHex, place))
          : [],
      started_at: this.#startedAt,
      discovery,
      discovery_status: fixed.discovery !== undefined ? DISCOVERY_OFF_THIS_RUN : this.#discovery,
      key_storage: known.state === 'ready' ? known.vault : null,
      warnings: identity.warnings(),
      audit: audit.state,
      tamper_finding: audit.finding,
      date_in_question: this.#deps.dateInQuestion(),
      copy_at: copy === null ? null : writeHubAddress(copy),
      restored_copy: audit.state === 'restored' ? this.#deps.keepable() : null,
      passphrase_set: passphrase.isSet(),
      desktop: this.#facts.desktop,
      command: this.#facts.command,
      curl: this.#curl,
    };
  }

  /** @param curl how a line with curl begins that asks here */
  apiOpened(port: number, curl: string): void {
    this.#apiPort = port;
    this.#curl = curl;
  }

  /** @param port null when the port between hubs is closed */
  peersOpened(port: number | null): void {
    this.#peerPort = port;
    this.changed();
  }

  /** How finding other hubs goes now. */
  discoveryIs(discovery: DiscoveryDto): void {
    if (JSON.stringify(discovery) === JSON.stringify(this.#discovery)) return;
    this.#discovery = discovery;
    this.changed();
  }

  started(): void {
    this.#phase = 'up';
    this.changed();
  }

  stopping(): void {
    this.#phase = 'stopping';
    this.changed();
  }

  /** Tells pages what the hub is like now. */
  changed(): void {
    this.#deps.events.publish({ type: 'hub', hub: this.current() });
  }

  /** Where other hubs can reach this one; nowhere while the port between hubs is closed. */
  places(): readonly HubAddress[] {
    const port = this.#peerPort;
    return port === null ? [] : this.#facts.addresses().map((host) => ({ host, port }));
  }

  #state(): HubState {
    if (this.#phase === 'stopping') return 'stopping';
    const { state } = this.#deps.identity.state;
    if (state === 'missing' || state === 'damaged') return 'identity_missing';
    if (state === 'locked' || this.#deps.audit().lockedBecause !== null) return 'identity_locked';
    return this.#phase === 'up' && state === 'ready' ? 'running' : 'starting';
  }
}
