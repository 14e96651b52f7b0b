// What was heard of hubs on the network: one instance for each interface, source address and name,
// so that nobody can overwrite or end another's announcement without speaking from its address. It
// decides what is known and what must be asked for; it opens nothing.
import type { AnnouncedPlace, FoundHub } from '../../ports/discovery.ts';
import { fitLabel, labelIn, readIdentity, SERVICE_NAME, type Identity } from './announcement.ts';
import type { DnsRecord, Question } from './dns-records.ts';
import {
  ADDRESSES_MAX,
  FOLLOW_UP_INTERVAL_MS,
  FOLLOW_UP_QUESTIONS_MAX,
  FOLLOW_UP_TRIES_MAX,
  INSTANCES_MAX,
  INSTANCES_PER_SOURCE_MAX,
  INSTANCE_TTL_MAX_MS,
  OWN_ID_INSTANCES_MAX,
  OWN_ID_PLACES_MAX,
  OWN_ID_PLACES_PER_SOURCE_MAX,
  PEER_PORT_MIN,
} from './limits.ts';
import type { Link } from './links.ts';

interface Instance {
  readonly link: Link;
  readonly source: string;
  readonly name: string;
  label: string;
  service: { readonly host: string; readonly port: number } | null;
  /** null = no TXT record yet. */
  identity: Identity | null;
  addresses4: readonly string[];
  addresses6: readonly string[];
  expiresAtMs: number;
  /** When what it says last changed: the newest is believed first. */
  changedAtMs: number;
  askedAtMs: number;
  tries: number;
}

/** A hub as known now, with the mark that changes when it was started again. */
interface KnownHub {
  readonly hub: FoundHub;
  readonly start: string | null;
}

interface HubTableOptions {
  /** This hub's own agent id and start: its announcements are not reported back. */
  readonly ownAgentId: string | null;
  readonly ownStart: string;
  /** True for the key of a paired hub: it gets in when the table is full. */
  readonly isPaired: (keyHex: string) => boolean;
}

interface Heard {
  /** Agent ids whose picture may have changed. */
  readonly touched: ReadonlySet<string>;
  readonly questions: readonly Question[];
}

export class HubTable {
  readonly #instances = new Map<string, Instance>();
  readonly #options: HubTableOptions;

  constructor(options: HubTableOptions) {
    this.#options = options;
  }

  /** Number of instances remembered, whole or not. */
  get size(): number {
    return this.#instances.size;
  }

  /** Takes in the records of one answer from `source` on `link` (`nowMs` monotonic). */
  hear(link: Link, source: string, records: readonly DnsRecord[], nowMs: number): Heard {
    const touched = new Set<string>();
    const named = this.#namedIn(link, source, records, nowMs, touched);
    const questions: Question[] = [];
    for (const [key, instance] of named) {
      const before = fingerprint(instance);
      if (isKnown(instance)) touched.add(instance.identity.agentId);
      if (!this.#read(instance, records, nowMs)) {
        this.#forget(key, instance, touched);
        continue;
      }
      if (fingerprint(instance) !== before) instance.changedAtMs = nowMs;
      if (isKnown(instance)) touched.add(instance.identity.agentId);
      if (this.#isOwnId(instance.identity)) this.#keepFewOfOwnId(touched);
      if (questions.length < FOLLOW_UP_QUESTIONS_MAX) questions.push(...gapsOf(instance, nowMs));
    }
    return { touched, questions };
  }

  /** Forgets what was not heard again in its time. */
  sweep(nowMs: number): ReadonlySet<string> {
    const touched = new Set<string>();
    for (const [key, instance] of this.#instances)
      if (instance.expiresAtMs <= nowMs) this.#forget(key, instance, touched);
    return touched;
  }

  /** Forgets all that came by an interface that is gone. */
  forgetLink(link: Link): ReadonlySet<string> {
    const touched = new Set<string>();
    for (const [key, instance] of this.#instances)
      if (instance.link === link) this.#forget(key, instance, touched);
    return touched;
  }

  /**
   * The hub with this agent id as known now: the newest announcement first, and every address of
   * the same port.
   */
  hub(agentId: string): KnownHub | undefined {
    const known = [...this.#instances.values()]
      .filter((instance) => isKnown(instance) && instance.identity.agentId === agentId)
      .toSorted((a, b) => b.changedAtMs - a.changedAtMs);
    const first = known[0];
    if (first === undefined || !isKnown(first)) return undefined;
    const { port } = first.service;
    const addresses = new Set(
      known
        .filter((instance) => instance.service?.port === port)
        .flatMap((instance) => dialable(instance)),
    );
    const hub = {
      agentId,
      keyHex: first.identity.keyHex,
      port,
      addresses: [...addresses].slice(0, ADDRESSES_MAX),
      label: fitLabel(first.label, agentId),
    };
    return { hub, start: first.identity.start };
  }

  /**
   * Where this hub's own id is announced: the latest place of each source first, then the next one
   * of each, so that no source stands before another with all it says.
   */
  ownIdPlaces(): readonly AnnouncedPlace[] {
    const known = this.#ofOwnId()
      .map(([, instance]) => instance)
      .filter(isKnown)
      .toSorted((a, b) => b.changedAtMs - a.changedAtMs);
    const bySource = [...Map.groupBy(known, ({ source }) => source).values()].map((instances) =>
      instances
        .flatMap((instance) =>
          dialable(instance).map((host) => ({ host, port: instance.service.port })),
        )
        .slice(0, OWN_ID_PLACES_PER_SOURCE_MAX),
    );
    const inTurn = Array.from({ length: OWN_ID_PLACES_PER_SOURCE_MAX }, (_, turn) =>
      bySource.flatMap((places) => places.slice(turn, turn + 1)),
    ).flat();
    const places = new Map(inTurn.map((place) => [JSON.stringify(place), place]));
    return [...places.values()].slice(0, OWN_ID_PLACES_MAX);
  }

  /**
   * The instances a packet speaks of: those it points at or describes, made when there is room;
   * goodbyes are taken out at once.
   */
  #namedIn(
    link: Link,
    source: string,
    records: readonly DnsRecord[],
    nowMs: number,
    touched: Set<string>,
  ): ReadonlyMap<string, Instance> {
    const named = new Map<string, Instance>();
    for (const record of records) {
      const name =
        record.type === 'PTR' && record.name === SERVICE_NAME ? record.target : record.name;
      const label = record.type === 'A' || record.type === 'AAAA' ? undefined : labelIn(name);
      if (label === undefined) continue;
      const key = JSON.stringify([link.name, source, name.toLowerCase()]);
      const known = this.#instances.get(key);
      if (record.ttlS === 0 && record.type !== 'TXT') {
        if (known !== undefined) this.#forget(key, known, touched);
        named.delete(key);
        continue;
      }
      const instance =
        known ??
        this.#make(key, { link, source, name: name.toLowerCase(), label, records, nowMs, touched });
      if (instance === undefined) continue;
      if (record.type === 'PTR') instance.label = label;
      named.set(key, instance);
    }
    for (const instance of this.#instances.values()) {
      const host =
        instance.link === link && instance.source === source ? instance.service?.host : undefined;
      if (host !== undefined && records.some((record) => record.name === host))
        named.set(JSON.stringify([link.name, source, instance.name]), instance);
    }
    return named;
  }

  #make(
    key: string,
    from: {
      readonly link: Link;
      readonly source: string;
      readonly name: string;
      readonly label: string;
      readonly records: readonly DnsRecord[];
      readonly nowMs: number;
      readonly touched: Set<string>;
    },
  ): Instance | undefined {
    const { link, source, name, label, nowMs } = from;
    const identity = this.#identityIn(name, from.records);
    if (identity === 'refused') return undefined;
    const ofSource = [...this.#instances.values()].filter(
      (instance) => instance.link === link && instance.source === source,
    );
    if (ofSource.length >= INSTANCES_PER_SOURCE_MAX) return undefined;
    if (this.#instances.size >= INSTANCES_MAX && !this.#makeRoom(identity, from.touched))
      return undefined;
    const instance: Instance = {
      link,
      source,
      name,
      label,
      service: null,
      identity: null,
      addresses4: [],
      addresses6: [],
      expiresAtMs: nowMs,
      changedAtMs: nowMs,
      askedAtMs: Number.NEGATIVE_INFINITY,
      tries: 0,
    };
    this.#instances.set(key, instance);
    return instance;
  }

  /**
   * For a newcomer that is paired or has this hub's own id: gives up one of this hub's own id, and
   * where there is none, the unpaired instance that changed longest ago.
   */
  #makeRoom(newcomer: Identity | null, touched: Set<string>): boolean {
    const comesFirst =
      this.#isOwnId(newcomer) || (newcomer !== null && this.#options.isPaired(newcomer.keyHex));
    if (!comesFirst) return false;
    const unpaired = [...this.#instances]
      .filter(([, one]) => !isKnown(one) || !this.#options.isPaired(one.identity.keyHex))
      .toSorted(byChange);
    const leaving = oldestOfLargestSource(this.#ofOwnId()) ?? unpaired[0];
    if (leaving === undefined) return false;
    this.#forget(...leaving, touched);
    return true;
  }

  #isOwnId(identity: Identity | null): boolean {
    return identity !== null && identity.agentId === this.#options.ownAgentId;
  }

  /** The one that changed longest ago first. */
  #ofOwnId(): readonly Entry[] {
    return [...this.#instances]
      .filter(([, instance]) => this.#isOwnId(instance.identity))
      .toSorted(byChange);
  }

  #keepFewOfOwnId(touched: Set<string>): void {
    const known = this.#ofOwnId();
    const leaving = known.length > OWN_ID_INSTANCES_MAX ? oldestOfLargestSource(known) : undefined;
    if (leaving !== undefined) this.#forget(...leaving, touched);
  }

  /** False when the instance turned out to be none of ours to remember. */
  #read(instance: Instance, records: readonly DnsRecord[], nowMs: number): boolean {
    const identity = this.#identityIn(instance.name, records);
    if (identity === 'refused') return false;
    instance.identity = identity ?? instance.identity;
    const ttls: number[] = [];
    for (const record of records) {
      const speaks =
        record.name === instance.name ||
        (record.type === 'PTR' && record.target.toLowerCase() === instance.name);
      if (!speaks || record.ttlS === 0) continue;
      ttls.push(record.ttlS * 1_000);
      if (record.type === 'SRV') instance.service = { host: record.target, port: record.port };
    }
    if (ttls.length > 0) instance.expiresAtMs = nowMs + Math.min(INSTANCE_TTL_MAX_MS, ...ttls);
    const host = instance.service?.host;
    const ofHost = records.filter((record) => record.name === host);
    if (ofHost.some((record) => record.type === 'A'))
      instance.addresses4 = addressesIn(ofHost, 'A');
    if (ofHost.some((record) => record.type === 'AAAA'))
      instance.addresses6 = addressesIn(ofHost, 'AAAA');
    return true;
  }

  /**
   * Who the TXT record of `name` says it is; 'refused' when it does not fit together, or is this
   * hub itself: neither takes a place. This hub's id with another start is somebody else.
   */
  #identityIn(name: string, records: readonly DnsRecord[]): Identity | 'refused' | null {
    const text = records.find(
      (record) => record.type === 'TXT' && record.name === name && record.ttlS > 0,
    );
    if (text?.type !== 'TXT') return null;
    const identity = readIdentity(text.strings);
    const { ownAgentId, ownStart } = this.#options;
    return identity === undefined ||
      (identity.agentId === ownAgentId && identity.start === ownStart)
      ? 'refused'
      : identity;
  }

  #forget(key: string, instance: Instance, touched: Set<string>): void {
    this.#instances.delete(key);
    if (isKnown(instance)) touched.add(instance.identity.agentId);
  }
}

type Entry = readonly [key: string, instance: Instance];

function byChange([, first]: Entry, [, second]: Entry): number {
  return first.changedAtMs - second.changedAtMs;
}

/** One source cannot push out another: the one that has the most gives up what changed first. */
function oldestOfLargestSource(inOrder: readonly Entry[]): Entry | undefined {
  const bySource = Map.groupBy(inOrder, ([, { source }]) => source);
  return [...bySource.values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
}

type KnownInstance = Instance & { identity: Identity; service: NonNullable<Instance['service']> };

function isKnown(instance: Instance): instance is KnownInstance {
  return (
    instance.identity !== null &&
    instance.service !== null &&
    instance.service.port >= PEER_PORT_MIN &&
    dialable(instance).length > 0
  );
}

/**
 * Addresses that may be dialled over the instance's own link: the one it spoke from first, IPv4
 * before IPv6.
 */
function dialable(instance: Instance): readonly string[] {
  const fit = [...instance.addresses4, ...instance.addresses6].filter((address) =>
    instance.link.mayDial(address),
  );
  return fit.toSorted((a, b) => Number(b === instance.source) - Number(a === instance.source));
}

function addressesIn(records: readonly DnsRecord[], type: 'A' | 'AAAA'): readonly string[] {
  const addresses = records.flatMap((record) =>
    record.type === type && record.ttlS > 0 && 'address' in record ? [record.address] : [],
  );
  return [...new Set(addresses)].slice(0, ADDRESSES_MAX);
}

/** What must still be asked for to make the instance whole, when it is time to ask. */
function gapsOf(instance: Instance, nowMs: number): readonly Question[] {
  if (instance.tries >= FOLLOW_UP_TRIES_MAX) return [];
  const gaps: Question[] = [];
  if (instance.service === null) gaps.push({ name: instance.name, type: 'SRV' });
  if (instance.identity === null) gaps.push({ name: instance.name, type: 'TXT' });
  if (instance.service !== null && instance.addresses4.length + instance.addresses6.length === 0)
    gaps.push({ name: instance.service.host, type: 'A' });
  if (gaps.length === 0 || nowMs - instance.askedAtMs < FOLLOW_UP_INTERVAL_MS) return [];
  instance.askedAtMs = nowMs;
  instance.tries += 1;
  return gaps;
}

function fingerprint(instance: Instance): string {
  const { service, identity, addresses4, addresses6 } = instance;
  return JSON.stringify([service, identity, addresses4, addresses6]);
}
