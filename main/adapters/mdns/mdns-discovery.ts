// Discovery over multicast DNS: one endpoint for each usable interface, made again when the
// computer's addresses change, and one table of what was heard. Everything it reports is a hint; it
// never dials, pins or trusts (PROTOCOL.md, Discovery).
import { networkInterfaces } from 'node:os';
import { toHex } from '../../lib/bytes.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type {
  Advertisement,
  Discovery,
  DiscoveryCondition,
  DiscoveryEvent,
  UnusableWhy,
} from '../../ports/discovery.ts';
import type { Log } from '../../ports/log.ts';
import type { DnsRecord } from './dns-records.ts';
import { HubTable } from './hub-table.ts';
import { LINK_RETRY_MS, POLL_INTERVAL_MS, SEND_FAILURES_MAX } from './limits.ts';
import { LinkEndpoint } from './link-endpoint.ts';
import {
  readLinks,
  readUnusable,
  type InterfaceTable,
  type Link,
  type UnusableInterface,
} from './links.ts';

interface MdnsDiscoveryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /**
   * Names of the interfaces to use, loopback included if named; null = every one that is not
   * loopback.
   */
  readonly interfaces?: readonly string[] | null;
  /**
   * Where the QUIC socket listens: "0.0.0.0" (the default), "::" or one address. Only addresses it
   * answers on are announced.
   */
  readonly listenHost?: string;
  /**
   * True for the key of a paired hub, which gets into a full table in the place of an unpaired one.
   */
  readonly isPaired?: (keyHex: string) => boolean;
  /** The computer's interfaces; replaced in tests only. */
  readonly readInterfaces?: () => InterfaceTable;
}

/**
 * A Discovery that uses multicast DNS on the computer's own networks. Nothing is opened before
 * start().
 */
export function createMdnsDiscovery(deps: MdnsDiscoveryDeps): Discovery {
  let run: MdnsRun | null = null;
  return {
    async start(advertisement, onEvent) {
      if (run !== null) return await run.started;
      const starting = new MdnsRun(deps, advertisement, onEvent);
      run = starting;
      try {
        await starting.started;
      } catch (error) {
        if (run === starting) run = null;
        await starting.stop();
        throw error;
      }
    },
    async stop() {
      const ending = run;
      run = null;
      await ending?.stop();
    },
  };
}

/**
 * Whether our packets leave on each interface. One failure may be chance; several in a row mean
 * that a firewall or the system holds them back.
 */
export class SendHealth {
  /** Failures in a row, by interface. */
  readonly #failures = new Map<string, number>();

  /** Notes how a packet fared. True when the interface became mute by it, or speaks again. */
  sent(name: string, hasLeft: boolean): boolean {
    const wasMute = this.isMute(name);
    if (hasLeft) this.#failures.delete(name);
    else this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1);
    return this.isMute(name) !== wasMute;
  }

  isMute(name: string): boolean {
    return (this.#failures.get(name) ?? 0) >= SEND_FAILURES_MAX;
  }

  forget(name: string): void {
    this.#failures.delete(name);
  }
}

/** One start-to-stop life of the discovery. */
class MdnsRun {
  readonly started: Promise<void>;
  readonly #deps: MdnsDiscoveryDeps;
  readonly #advertisement: Advertisement | null;
  readonly #onEvent: (event: DiscoveryEvent) => void;
  readonly #table: HubTable;
  readonly #start: string;
  readonly #endpoints = new Map<string, LinkEndpoint>();
  readonly #failures = new Map<string, { readonly atMs: number; readonly why: UnusableWhy }>();
  readonly #health = new SendHealth();
  /** The interfaces that are no links, and the condition told last. */
  #unusable: readonly UnusableInterface[] = [];
  #condition = '';
  /** What was told last of each hub, as text to compare. */
  readonly #reported = new Map<string, string>();
  #ownIdPlaces = '[]';
  /**
   * The computer's interfaces at the last poll, and the usable ones among them, as text to compare.
   */
  #interfaces = '';
  #network = '';
  #timer: TimerHandle | null = null;
  #stopped = false;

  constructor(
    deps: MdnsDiscoveryDeps,
    advertisement: Advertisement | null,
    onEvent: (event: DiscoveryEvent) => void,
  ) {
    this.#deps = deps;
    this.#advertisement = advertisement;
    this.#onEvent = onEvent;
    this.#start = toHex(deps.random.bytes(4));
    this.#table = new HubTable({
      ownAgentId: advertisement?.agentId ?? null,
      ownStart: this.#start,
      isPaired: deps.isPaired ?? (() => false),
    });
    this.started = this.#followLinks().then(() => this.#tellCondition());
    this.#schedulePoll();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.started.catch(() => undefined);
    await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.end()));
    this.#endpoints.clear();
  }

  #schedulePoll(): void {
    this.#timer = this.#deps.clock.setTimer(POLL_INTERVAL_MS, () => {
      this.#poll();
      if (!this.#stopped) this.#schedulePoll();
    });
  }

  #poll(): void {
    this.#followLinks().then(
      (changed) => {
        this.#tellCondition();
        if (changed && !this.#stopped) this.#onEvent({ type: 'network-changed' });
      },
      (error: unknown) =>
        this.#deps.log.error('mDNS could not follow the change of network', {
          error: String(error),
        }),
    );
    this.#report(this.#table.sweep(this.#deps.clock.monotonicMs()));
  }

  /**
   * Makes the endpoints match the computer's interfaces. Resolves, after new ones have announced,
   * to whether anything changed.
   */
  async #followLinks(): Promise<boolean> {
    const {
      interfaces = null,
      listenHost = '0.0.0.0',
      readInterfaces = networkInterfaces,
    } = this.#deps;
    const table = readInterfaces();
    const text = JSON.stringify(table);
    if (text === this.#interfaces && this.#failures.size === 0) return false;
    this.#interfaces = text;
    const options = { names: interfaces, listenHost };
    const links = new Map(readLinks(table, options).map((link) => [link.name, link]));
    this.#unusable = readUnusable(table, options);
    const network = JSON.stringify([...links].map(([name, link]) => [name, link.signature]));
    const changed = network !== this.#network;
    this.#network = network;
    for (const [name, endpoint] of this.#endpoints) {
      if (links.get(name)?.signature !== endpoint.link.signature) this.#drop(endpoint);
    }
    for (const name of this.#failures.keys()) if (!links.has(name)) this.#failures.delete(name);
    const nowMs = this.#deps.clock.monotonicMs();
    const announced: Promise<void>[] = [];
    for (const [name, link] of links) {
      const failure = this.#failures.get(name);
      if (
        this.#endpoints.has(name) ||
        (failure !== undefined && nowMs - failure.atMs < LINK_RETRY_MS)
      )
        continue;
      announced.push(this.#open(link));
    }
    await Promise.all(announced);
    return changed;
  }

  async #open(link: Link): Promise<void> {
    const { clock, log } = this.#deps;
    const endpoint = new LinkEndpoint({
      clock,
      log,
      link,
      advertisement: this.#advertisement,
      start: this.#start,
      onRecords: (from, source, records) => this.#hear(from, source, records),
      onSent: (sentOn, error) => this.#noteSent(sentOn, error === null),
      onFailure: (failed, error) => this.#fail(failed, error),
    });
    this.#endpoints.set(link.name, endpoint);
    log.info('mDNS endpoint opened', { link: link.name, address: link.address });
    await endpoint.begin();
  }

  /** Closes an endpoint whose interface went or changed, and forgets what came by it. */
  #drop(endpoint: LinkEndpoint): void {
    this.#endpoints.delete(endpoint.link.name);
    this.#health.forget(endpoint.link.name);
    this.#deps.log.info('mDNS endpoint closed', { link: endpoint.link.name });
    void endpoint.close();
    this.#report(this.#table.forgetLink(endpoint.link));
  }

  #fail(link: Link, error: unknown): void {
    const endpoint = this.#endpoints.get(link.name);
    if (endpoint?.link !== link) return;
    this.#deps.log.warn(
      'mDNS does not work on this interface; another program may hold UDP port 5353',
      {
        link: link.name,
        error: String(error),
      },
    );
    this.#failures.set(link.name, {
      atMs: this.#deps.clock.monotonicMs(),
      why: isPortTaken(error) ? 'port-taken' : 'blocked',
    });
    this.#drop(endpoint);
    this.#tellCondition();
  }

  /** An interface that failed counts as working again only once a packet has left. */
  #noteSent({ name }: Link, hasLeft: boolean): void {
    const isBack = hasLeft && this.#failures.delete(name);
    if (this.#health.sent(name, hasLeft) || isBack) this.#tellCondition();
  }

  /** Tells which interfaces work, when that is not what was told last. */
  #tellCondition(): void {
    if (this.#stopped) return;
    const names = [...this.#endpoints.keys()]
      .filter((name) => !this.#failures.has(name))
      .toSorted();
    const condition: DiscoveryCondition = {
      working: names.filter((name) => !this.#health.isMute(name)),
      unusable: [
        ...names
          .filter((name) => this.#health.isMute(name))
          .map((name) => ({ name, why: 'blocked' as const })),
        ...[...this.#failures].map(([name, { why }]) => ({ name, why })),
        ...this.#unusable,
      ],
    };
    const text = JSON.stringify(condition);
    if (text === this.#condition) return;
    this.#condition = text;
    this.#onEvent({ type: 'condition', condition });
  }

  #hear(link: Link, source: string, records: readonly DnsRecord[]): void {
    if (this.#stopped) return;
    const { touched, questions } = this.#table.hear(
      link,
      source,
      records,
      this.#deps.clock.monotonicMs(),
    );
    if (questions.length > 0) this.#endpoints.get(link.name)?.ask(questions);
    this.#report(touched);
  }

  /** Tells of each hub among `agentIds` whose picture differs from what was told last. */
  #report(agentIds: ReadonlySet<string>): void {
    for (const agentId of agentIds) {
      if (agentId === this.#advertisement?.agentId) {
        this.#reportOwnId();
        continue;
      }
      const known = this.#table.hub(agentId);
      const text = JSON.stringify(known);
      if (known === undefined) {
        if (this.#reported.delete(agentId)) this.#onEvent({ type: 'lost', agentId });
      } else if (text !== this.#reported.get(agentId)) {
        this.#reported.set(agentId, text);
        this.#onEvent({ type: 'found', hub: known.hub });
      }
    }
  }

  #reportOwnId(): void {
    const places = this.#table.ownIdPlaces();
    const text = JSON.stringify(places);
    if (text === this.#ownIdPlaces) return;
    this.#ownIdPlaces = text;
    this.#onEvent({ type: 'own-id', places });
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
