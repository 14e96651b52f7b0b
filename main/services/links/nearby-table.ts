// Hubs heard of on the home network: hints for dialling and for the "Nearby" list, bounded, in
// memory only. Nothing here authorises anything, and nothing of it is stored (PROTOCOL.md,
// Discovery).
import { isIP } from 'node:net';
import type { Clock } from '../../ports/clock.ts';
import type { FoundHub } from '../../ports/discovery.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import { ADVERTISED_TEXT_MAX, NEARBY_ADDRESSES_MAX, NEARBY_MAX } from './limits.ts';
import { shortened } from '../../lib/shortened.ts';

const KEY = /^[0-9a-f]{64}$/;

export interface NearbyHub extends FoundHub {
  /** Wall clock, for display. */
  readonly lastHeardAt: number;
}

interface NearbyChange {
  readonly hub: NearbyHub;
  /** It is new, or can be reached in another way than before. */
  readonly moved: boolean;
  readonly relabelled: boolean;
  /** The key that had to make place. */
  readonly evicted: KeyHex | undefined;
}

export class NearbyTable {
  readonly #clock: Clock;
  /** In order of hearing: the first is the one not heard for longest. */
  readonly #hubs = new Map<KeyHex, NearbyHub>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: KeyHex): NearbyHub | undefined {
    return this.#hubs.get(key);
  }

  all(): readonly NearbyHub[] {
    return [...this.#hubs.values()];
  }

  /**
   * Takes an announcement; undefined when it does not hold together or no place can be made for it.
   * `isKept`: never push this one out.
   */
  found(announced: FoundHub, isKept: (key: KeyHex) => boolean): NearbyChange | undefined {
    if (!KEY.test(announced.keyHex) || agentIdOfKeyHex(announced.keyHex) !== announced.agentId)
      return undefined;
    if (!Number.isInteger(announced.port) || announced.port < 1 || announced.port > 65_535)
      return undefined;
    const addresses = announced.addresses
      .filter((address) => isIP(address) !== 0)
      .slice(0, NEARBY_ADDRESSES_MAX);
    const before = this.#hubs.get(announced.keyHex);
    const evicted =
      before === undefined && this.#hubs.size >= NEARBY_MAX ? this.#victim(isKept) : undefined;
    if (before === undefined && this.#hubs.size >= NEARBY_MAX && evicted === undefined)
      return undefined;
    if (evicted !== undefined) this.#hubs.delete(evicted);
    const hub: NearbyHub = {
      agentId: announced.agentId,
      keyHex: announced.keyHex,
      port: announced.port,
      addresses,
      label: shortened(announced.label, ADVERTISED_TEXT_MAX),
      lastHeardAt: this.#clock.wallMs(),
    };
    this.#hubs.delete(hub.keyHex);
    this.#hubs.set(hub.keyHex, hub);
    const moved =
      before === undefined ||
      before.port !== hub.port ||
      before.addresses.join(' ') !== addresses.join(' ');
    return { hub, moved, relabelled: before !== undefined && before.label !== hub.label, evicted };
  }

  /** Forgets a hub that said goodbye. */
  lost(agentId: string): KeyHex | undefined {
    for (const hub of this.#hubs.values()) {
      if (hub.agentId === agentId) {
        this.#hubs.delete(hub.keyHex);
        return hub.keyHex;
      }
    }
    return undefined;
  }

  clear(): readonly KeyHex[] {
    const keys = [...this.#hubs.keys()];
    this.#hubs.clear();
    return keys;
  }

  #victim(isKept: (key: KeyHex) => boolean): KeyHex | undefined {
    for (const key of this.#hubs.keys()) if (!isKept(key)) return key;
    return undefined;
  }
}
