// Owns which hubs this hub knows: the pinned peers and their names, the hubs heard nearby or named
// by address, and their current state. From that it gives the transport its places. Writes the peer
// rows; only a pairing that fails takes its own away. It must never let a hint (mDNS, an address, a
// name) change whom a key belongs to: the key is the identity (PROTOCOL.md, Identity and hello).
import { AppError, inputError } from '../../lib/app-error.ts';
import type { PeerDto, TrustState } from '../../../preload/contract/dto.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { FoundHub } from '../../ports/discovery.ts';
import type { Log } from '../../ports/log.ts';
import type { PeerRow, Store, Tables } from '../../ports/store.ts';
import type { KeyHex, Transport } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import type { EventBus } from '../base/event-bus.ts';
import type { IdentityService } from '../base/identity.ts';
import {
  findHub,
  type KnownHubs,
  resolvePaired,
  resolvePinned,
  type ResolvedRecipient,
} from './hub-finder.ts';
import { NEARBY_PUBLISH_DELAY_MS, PEERS_MAX } from './limits.ts';
import { KeyChanges } from './key-changes.ts';
import { NearbyTable, type NearbyHub } from './nearby-table.ts';
import { checkPetname, freePetname, hubLabel, uniqueName } from './peer-names.ts';
import {
  mergeStored,
  NO_VERSION,
  type OwnerChange,
  type Pin,
  pinnedRow,
  StoredPeers,
} from './pinned-row.ts';
import { type LiveFacts, makePeerDto, NO_LIVE_FACTS } from './peer-view.ts';
import { StaticHubs, type StaticHub } from './static-hubs.ts';
import type { Actor } from '../base/audit-trail.ts';
import { UnitOfWork, type After } from '../base/unit-of-work.ts';

interface PeerDirectoryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventBus;
  readonly identity: Pick<IdentityService, 'keyHex' | 'ready'>;
  readonly transport: Pick<Transport, 'setAdmission'>;
  /** What this hub is called. */
  readonly ownName: () => string;
  /** Whether an address is in a network of this computer; none is when absent. */
  readonly isOnOwnNetwork?: (host: string) => boolean;
}

/** What may change in a peer's row without changing whom it stands for. */
export type PeerChange = Partial<
  Omit<PeerRow, 'key' | 'agentId' | 'trust' | 'pairedAt' | 'revokedAt'>
>;

export class PeerDirectory implements KnownHubs {
  /** Where others say what ends together with the trust in a hub. */
  readonly stored = new StoredPeers();
  readonly keyChanges: KeyChanges;
  readonly #deps: PeerDirectoryDeps;
  readonly #unit: UnitOfWork;
  /** What is true of each key just now; nothing for a key of which there is nothing to say. */
  readonly #live = new Map<KeyHex, LiveFacts>();
  readonly #nearby: NearbyTable;
  readonly #statics: StaticHubs;
  readonly #trustListeners = new Set<(key: KeyHex, trust: TrustState) => void>();
  readonly #wayListeners = new Set<(key: KeyHex) => void>();
  /** Revoked keys that a person is just pairing again: they may connect meanwhile. */
  readonly #pardoned = new Set<KeyHex | 'all'>();
  /** Keys that pages were shown. */
  readonly #shown = new Set<KeyHex>();
  /** What the network told of since the last batch, and when the next one is due. */
  readonly #heard = new Set<KeyHex>();
  #batch: TimerHandle | undefined;
  #isStopped = false;

  constructor(deps: PeerDirectoryDeps) {
    this.#deps = deps;
    this.#unit = new UnitOfWork(deps);
    this.#nearby = new NearbyTable(deps.clock);
    this.#statics = new StaticHubs(deps.store);
    this.keyChanges = new KeyChanges(deps);
  }

  /** Gives the transport its places. Call before doors open and before the transport starts. */
  load(): void {
    this.#isStopped = false;
    this.#statics.load();
    this.keyChanges.load();
    this.#setAllowedKeys();
  }

  /** Connections that close from now on are told to nobody: what is kept may be closed, too. */
  stop(): void {
    this.#isStopped = true;
    this.#batch?.cancel();
    this.#batch = undefined;
    this.#heard.clear();
  }

  /** The pinned row of a key, tombstones included. */
  row(key: KeyHex): PeerRow | undefined {
    return this.#deps.store.read.peer(key);
  }

  rows(): readonly PeerRow[] {
    return this.#deps.store.read.peers();
  }

  isPaired(key: KeyHex): boolean {
    return this.row(key)?.trust === 'paired';
  }

  isRefused(key: KeyHex): boolean {
    const trust = this.row(key)?.trust;
    return (
      trust === 'suspended' ||
      (trust === 'revoked' && !this.#pardoned.has('all') && !this.#pardoned.has(key))
    );
  }

  trustOf(key: KeyHex): TrustState {
    const row = this.row(key);
    if (row !== undefined) return row.trust;
    if (this.live(key).connected) return 'quarantined';
    return this.#nearby.get(key) === undefined ? 'unknown' : 'discovered';
  }

  /** True when this key last spoke the reference profile, which knows no versions. */
  isReference(key: KeyHex): boolean {
    const row = this.row(key);
    return row?.highestVersion === NO_VERSION && row.trust !== 'revoked';
  }

  /** True for a peer that has never said hello: it may be a program that has none. */
  mayHaveNoHello(key: KeyHex): boolean {
    const row = this.row(key);
    return (
      row?.trust === 'paired' && (row.features.length === 0 || row.highestVersion === NO_VERSION)
    );
  }

  nearby(key: KeyHex): NearbyHub | undefined {
    return this.#nearby.get(key);
  }

  staticHub(key: KeyHex): StaticHub | undefined {
    return this.#statics.get(key);
  }

  /** The owner's name for the hub, or a neutral one. Never outside text. */
  nameOf(key: KeyHex): string {
    return this.dto(key).name;
  }

  petnameOf(key: KeyHex): string | null {
    const row = this.row(key);
    return (row?.trust === 'revoked' ? null : row?.petname) ?? this.#statics.get(key)?.name ?? null;
  }

  /** `resolve`, `resolvePinned` and `keyOf`: see hub-finder.ts. */
  resolve(to: string): ResolvedRecipient {
    return resolvePaired(to, this);
  }

  resolvePinned(id: string): PeerRow {
    return resolvePinned(id, this);
  }

  keyOf(id: string): KeyHex {
    return findHub(id, this);
  }

  dto(key: KeyHex): PeerDto {
    return makePeerDto({
      key,
      ownKey: this.#deps.identity.ready ? this.#deps.identity.keyHex : null,
      keyChange: this.keyChanges.dto(key),
      trust: this.trustOf(key),
      row: this.row(key),
      nearby: this.#nearby.get(key),
      fixed: this.#statics.get(key),
      live: this.live(key),
      isReference: this.isReference(key),
      petnames: this.petnames(key),
      ownName: this.#deps.ownName(),
      nowWallMs: this.#deps.clock.wallMs(),
      isOnOwnNetwork: this.#deps.isOnOwnNetwork ?? (() => false),
    });
  }

  /**
   * Paired and suspended ones by name, then the others; tombstones only while they are heard
   * nearby.
   */
  list(which: 'paired' | 'nearby' | 'all'): readonly PeerDto[] {
    const dtos = this.knownKeys()
      .filter((key) => this.isListed(key))
      .map((key) => this.dto(key));
    const isKept = ({ trust }: PeerDto): boolean => trust === 'paired' || trust === 'suspended';
    return dtos
      .filter((dto) => which === 'all' || isKept(dto) === (which === 'paired'))
      .sort(
        (left, right) =>
          Number(isKept(right)) - Number(isKept(left)) || left.name.localeCompare(right.name),
      );
  }

  /** Called when a key becomes paired, suspended, revoked, or stops being any of them. */
  onTrust(listener: (key: KeyHex, trust: TrustState) => void): () => void {
    this.#trustListeners.add(listener);
    return () => this.#trustListeners.delete(listener);
  }

  /**
   * Called when there is a new way to reach a hub: it was found, moved, or got another address by
   * its owner.
   */
  onWay(listener: (key: KeyHex) => void): () => void {
    this.#wayListeners.add(listener);
    return () => this.#wayListeners.delete(listener);
  }

  live(key: KeyHex): LiveFacts {
    return this.#live.get(key) ?? NO_LIVE_FACTS;
  }

  setLive(key: KeyHex, change: Partial<LiveFacts>): void {
    if (change.online === true) this.keyChanges.clear(key);
    const before = JSON.stringify(this.live(key));
    const facts = { ...this.live(key), ...change };
    const after = JSON.stringify(facts);
    if (after === before) return;
    if (after === JSON.stringify(NO_LIVE_FACTS)) this.#live.delete(key);
    else this.#live.set(key, facts);
    this.#forgetStranger(key);
    this.publish(key);
  }

  /**
   * Nothing is kept of a key that nobody pinned, named or hears, once it is not connected:
   * strangers can make keys without end.
   */
  #forgetStranger(key: KeyHex): void {
    const isKnown =
      this.row(key) !== undefined ||
      this.#statics.get(key) !== undefined ||
      this.#nearby.get(key) !== undefined;
    if (!isKnown && !this.live(key).connected) this.#live.delete(key);
  }

  /** Changes the row of a pinned peer: what a hello or an answer told, which will be told again. */
  async note(key: KeyHex, change: PeerChange): Promise<void> {
    if (this.row(key) === undefined) return;
    await this.#deps.store.write((tables) => mergeStored(tables, key, change), 'comes_again');
    this.publish(key);
  }

  /** What the owner changes. Throws AppError not_found, bad_request or conflict. */
  async update(key: KeyHex, change: OwnerChange, actor: Actor): Promise<PeerDto> {
    const row = this.row(key);
    if (row === undefined || row.trust === 'revoked') {
      throw new AppError('pairing_required', 'Only a paired hub can be changed.', {
        hint: 'Pair it first, or add it again with the other address.',
      });
    }
    const patch: Partial<PeerRow> = {
      ...(change.name === undefined
        ? {}
        : { petname: freePetname(change.name, this.namesInUse(key)) }),
      ...(change.person === undefined
        ? {}
        : { person: change.person === '' ? null : change.person }),
      ...(change.role === undefined ? {} : { role: change.role }),
      ...(change.trust === undefined ? {} : { trust: change.trust }),
      ...(change.address === undefined
        ? {}
        : { staticHost: change.address?.host ?? null, staticPort: change.address?.port ?? null }),
    };
    const at = this.#deps.clock.wallMs();
    await this.#unit.run((tables, after) => {
      // Another hub may have got that name since.
      if (patch.petname !== undefined) freePetname(patch.petname, namesAmong(tables.peers(), key));
      after(() => (change.trust === undefined ? this.publish(key) : this.#reload(key)));
      this.stored.change(tables, after, key, patch, change, actor, at);
    });
    if (change.address !== undefined) this.#tellWay(key);
    return this.dto(key);
  }

  /**
   * Removes a hub: a paired one becomes a tombstone that is refused for good, one known by address
   * is forgotten.
   */
  async remove(key: KeyHex, actor: Actor): Promise<void> {
    const row = this.row(key);
    if (row === undefined || row.trust === 'revoked') {
      if (await this.#statics.remove(key)) return this.publish(key);
      throw new AppError('not_found', 'That hub is not kept here, so there is nothing to remove.');
    }
    await this.#unit.run((tables, after) => this.removeInside(tables, after, key, actor));
  }

  /** Removes a hub that is pinned, as part of a unit of work. */
  removeInside(tables: Tables, after: After, key: KeyHex, actor: Actor): void {
    after(() => this.#reload(key));
    this.stored.revoke(tables, after, key, actor, this.#deps.clock.wallMs());
  }

  /**
   * Keeps a hub named by address and key: it can be dialled and paired, and is trusted with
   * nothing.
   */
  async addStatic(hub: StaticHub): Promise<PeerDto> {
    const name = this.checkedName(hub.keyHex, hub.name);
    await this.#statics.put({ ...hub, name });
    this.publish(hub.keyHex);
    this.#tellWay(hub.keyHex);
    return this.dto(hub.keyHex);
  }

  /**
   * The owner's name for a hub that is to be kept. Throws AppError bad_request or conflict for the
   * name, bad_request for our own key.
   */
  checkedName(key: KeyHex, name: string | null): string | null {
    if (key === this.#deps.identity.keyHex)
      throw inputError('bad_request', 'That is the key of this hub itself.');
    return name === null ? null : freePetname(name, this.namesInUse(key));
  }

  /**
   * A free petname near to `proposal`, which may be empty or outside text that the text policy has
   * passed.
   */
  proposePetname(proposal: string, key: KeyHex): string {
    const others = this.petnames(key);
    try {
      return uniqueName(checkPetname(proposal), others);
    } catch {
      return uniqueName(this.#statics.get(key)?.name ?? hubLabel(agentIdOfKeyHex(key)), others);
    }
  }

  /**
   * Pins a key as part of a unit of work; `pinned` must follow once it is durable. Throws AppError
   * overloaded at the limit of peers.
   */
  pinInside(tables: Tables, pin: Pin): void {
    const before = tables.peer(pin.key);
    if (before === undefined && tables.peers().length >= PEERS_MAX) {
      throw new AppError(
        'overloaded',
        `This hub keeps at most ${PEERS_MAX} peers. Remove one first.`,
      );
    }
    const place = { fixed: this.#statics.get(pin.key), live: this.live(pin.key) };
    tables.putPeer(pinnedRow(pin, before, place, this.#deps.clock.wallMs()));
    this.#statics.removeInside(tables, pin.key);
  }

  /**
   * Takes over what a unit of work with `pinInside` (or a removal of the row) left in the store.
   */
  pinned(key: KeyHex): void {
    this.#statics.forget(key);
    this.#reload(key);
  }

  /**
   * Lets a revoked key connect as a stranger while a person pairs it again, all of them while an
   * invitation is out; or ends that.
   */
  pardon(which: KeyHex | 'all', isPardoned: boolean): void {
    if (isPardoned) this.#pardoned.add(which);
    else this.#pardoned.delete(which);
    this.#setAllowedKeys();
  }

  foundNearby(hub: FoundHub): void {
    if (hub.keyHex === this.#deps.identity.keyHex) return;
    const change = this.#nearby.found(hub, (key) => this.row(key) !== undefined);
    if (change === undefined) return;
    if (change.evicted !== undefined) this.#wentAway(change.evicted);
    if (change.moved || change.relabelled) this.#publishSoon(hub.keyHex);
    if (change.moved) this.#tellWay(hub.keyHex);
  }

  lostNearby(agentId: string): void {
    const key = this.#nearby.lost(agentId);
    if (key !== undefined) this.#wentAway(key);
  }

  forgetNearby(): void {
    for (const key of this.#nearby.clear()) this.#wentAway(key);
  }

  #wentAway(key: KeyHex): void {
    this.#forgetStranger(key);
    this.#publishSoon(key);
  }

  /** Tells pages what there is to show of a hub now. */
  publish(key: KeyHex): void {
    this.#heard.delete(key);
    if (this.#isStopped) return;
    if (this.isListed(key)) {
      this.#shown.add(key);
      this.#deps.events.publish({ type: 'peer', peer: this.dto(key) });
    } else if (this.#shown.delete(key)) {
      this.#deps.events.publish({ type: 'peer_gone', id: agentIdOfKeyHex(key) });
    }
  }

  /**
   * Of what the network tells: at once when it has been quiet, else with whatever else changes
   * within NEARBY_PUBLISH_DELAY_MS.
   */
  #publishSoon(key: KeyHex): void {
    if (this.#batch !== undefined) {
      this.#heard.add(key);
      return;
    }
    this.#gather();
    this.publish(key);
  }

  #gather(): void {
    this.#batch = this.#deps.clock.setTimer(NEARBY_PUBLISH_DELAY_MS, () => {
      this.#batch = undefined;
      if (this.#heard.size === 0) return;
      this.#gather();
      for (const key of this.#heard) this.publish(key);
    });
  }

  #reload(key: KeyHex): void {
    if (!this.isPaired(key)) this.keyChanges.clear(key);
    this.#setAllowedKeys();
    for (const listener of this.#trustListeners) listener(key, this.trustOf(key));
    this.publish(key);
  }

  #setAllowedKeys(): void {
    const paired = this.rows().filter(({ trust }) => trust === 'paired');
    const refused = this.rows().filter(({ key }) => this.isRefused(key));
    this.#deps.transport.setAdmission({
      paired: paired.map(({ key }) => key),
      refused: refused.map(({ key }) => key),
    });
  }

  #tellWay(key: KeyHex): void {
    for (const listener of this.#wayListeners) listener(key);
  }

  /** Every key there is something to say about. */
  knownKeys(): readonly KeyHex[] {
    const heard = this.#nearby.all().map(({ keyHex }) => keyHex);
    const fixed = this.#statics.all().map(({ keyHex }) => keyHex);
    return [
      ...new Set([...this.rows().map(({ key }) => key), ...fixed, ...heard, ...this.#live.keys()]),
    ];
  }

  /** Whether people are shown this hub. */
  isListed(key: KeyHex): boolean {
    const trust = this.row(key)?.trust;
    if (trust === 'paired' || trust === 'suspended') return true;
    return (
      this.#nearby.get(key) !== undefined ||
      this.#statics.get(key) !== undefined ||
      this.live(key).connected
    );
  }

  /** Names that another hub cannot have: those of the others, and this hub's own. */
  namesInUse(except?: KeyHex): readonly string[] {
    return [...this.petnames(except), this.#deps.ownName()];
  }

  /** Names of the other hubs, tombstones excepted, so that a removed hub's name is free again. */
  petnames(except?: KeyHex): readonly string[] {
    const fixed = this.#statics
      .all()
      .filter(({ keyHex, name }) => keyHex !== except && name !== null);
    return [
      ...namesAmong(this.rows(), except),
      ...fixed.flatMap(({ name }) => (name === null ? [] : [name])),
    ];
  }
}

function namesAmong(rows: readonly PeerRow[], except: KeyHex | undefined): readonly string[] {
  return rows
    .filter(({ key, trust }) => key !== except && trust !== 'revoked')
    .map(({ petname }) => petname);
}
