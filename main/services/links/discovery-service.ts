// Connects the home network to the directory: announces this hub, and puts announcements it hears
// into the nearby table. The owner can switch it off and on: one call at a time. An announcement is
// only ever a hint (PROTOCOL.md, Discovery).
import { messageOf } from '../../lib/app-error.ts';
import type { DiscoveryDto } from '../../../preload/contract/dto.ts';
import type { AnnouncedPlace, Discovery, DiscoveryEvent } from '../../ports/discovery.ts';
import type { Log } from '../../ports/log.ts';
import type { IdentityService } from '../base/identity.ts';
import {
  DISCOVERY_FAILED,
  DISCOVERY_OFF,
  DISCOVERY_STARTING,
  discoveryStatus,
} from './discovery-status.ts';
import type { PeerDirectory } from './peer-directory.ts';

export interface DiscoveryServiceDeps {
  readonly discovery: Discovery;
  readonly directory: Pick<PeerDirectory, 'foundNearby' | 'lostNearby' | 'forgetNearby'>;
  readonly identity: Pick<IdentityService, 'agentId' | 'keyHex'>;
  /** Where others announce the id of this hub now; nowhere any more when there are none. */
  readonly onOwnId: (places: readonly AnnouncedPlace[]) => void;
  /** The computer's addresses changed: dial everybody afresh. */
  readonly redial: () => void;
  /** How it goes has changed: for the hub's own pages. */
  readonly onStatus: (status: DiscoveryDto) => void;
  readonly log: Log;
}

export class DiscoveryService {
  readonly #deps: DiscoveryServiceDeps;
  #isRunning = false;
  #status: DiscoveryDto = DISCOVERY_OFF;

  constructor(deps: DiscoveryServiceDeps) {
    this.#deps = deps;
  }

  /** Whether hubs can find each other, and why not. */
  get status(): DiscoveryDto {
    return this.#status;
  }

  /**
   * Announces this hub at its peer port and listens. A network that does not let us is a warning,
   * not a failure. Idempotent.
   */
  async start(peerPort: number): Promise<void> {
    if (this.#isRunning) return;
    const { discovery, identity, log } = this.#deps;
    const advertisement = { agentId: identity.agentId, keyHex: identity.keyHex, peerPort };
    try {
      this.#isRunning = true;
      this.#is(DISCOVERY_STARTING);
      await discovery.start(advertisement, (event) => this.#heard(event));
    } catch (error) {
      this.#isRunning = false;
      this.#is(DISCOVERY_FAILED);
      log.warn('discovery could not start', {
        error: messageOf(error),
      });
    }
  }

  /** Says goodbye and forgets who is near. Idempotent. */
  async stop(): Promise<void> {
    this.#is(DISCOVERY_OFF);
    if (!this.#isRunning) return;
    this.#isRunning = false;
    // A goodbye that nobody hears is a warning, and keeps nothing else from being done.
    try {
      await this.#deps.discovery.stop();
    } catch (error) {
      this.#deps.log.warn('discovery could not say goodbye', {
        error: messageOf(error),
      });
    }
    this.#deps.directory.forgetNearby();
    this.#deps.onOwnId([]);
  }

  #heard(event: DiscoveryEvent): void {
    if (!this.#isRunning) return;
    if (event.type === 'own-id') this.#deps.onOwnId(event.places);
    else if (event.type === 'found') this.#deps.directory.foundNearby(event.hub);
    else if (event.type === 'lost') this.#deps.directory.lostNearby(event.agentId);
    else if (event.type === 'condition') this.#is(discoveryStatus(event.condition));
    else this.#deps.redial();
  }

  #is(status: DiscoveryDto): void {
    const before = this.#status;
    if (JSON.stringify(status) === JSON.stringify(before)) return;
    this.#status = status;
    this.#deps.onStatus(status);
    const { state, message, interfaces } = status;
    if (message !== null)
      this.#deps.log.warn(message, {
        state,
        interfaces: interfaces.length === 0 ? null : interfaces.join(' '),
      });
    else if (before.message !== null && state === 'working')
      this.#deps.log.info('hubs can be found again', { interfaces: interfaces.join(' ') });
  }
}
