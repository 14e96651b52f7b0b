// Tells pages what changed of a hub: at once for what happens on a connection; of what the network tells, the first at once
// and the rest of a burst gathered.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { PeerDto } from '../../../preload/contract/dto.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import type { EventBus } from '../event-bus.ts';
import { NEARBY_PUBLISH_DELAY_MS } from './limits.ts';

export interface PeerPublisherDeps {
  readonly clock: Clock;
  readonly events: EventBus;
  /** What there is to show of a hub now, or undefined when it is not listed any more. */
  readonly view: (key: KeyHex) => PeerDto | undefined;
}

export class PeerPublisher {
  readonly #deps: PeerPublisherDeps;
  readonly #shown = new Set<KeyHex>();
  readonly #waiting = new Set<KeyHex>();
  #timer: TimerHandle | undefined;

  constructor(deps: PeerPublisherDeps) {
    this.#deps = deps;
  }

  now(key: KeyHex): void {
    this.#waiting.delete(key);
    const peer = this.#deps.view(key);
    if (peer !== undefined) {
      this.#shown.add(key);
      this.#deps.events.publish({ type: 'peer', peer });
    } else if (this.#shown.delete(key)) {
      this.#deps.events.publish({ type: 'peer_gone', id: agentIdOfKeyHex(key) });
    }
  }

  /** At once when it has been quiet, else with whatever else changes within NEARBY_PUBLISH_DELAY_MS. */
  soon(key: KeyHex): void {
    if (this.#timer !== undefined) {
      this.#waiting.add(key);
      return;
    }
    this.#gather();
    this.now(key);
  }

  #gather(): void {
    this.#timer = this.#deps.clock.setTimer(NEARBY_PUBLISH_DELAY_MS, () => {
      this.#timer = undefined;
      if (this.#waiting.size === 0) return;
      this.#gather();
      for (const changed of this.#waiting) this.now(changed);
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#waiting.clear();
  }
}
