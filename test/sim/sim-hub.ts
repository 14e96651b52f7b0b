// One simulated computer with a whole hub on it: the real services over the real store, on clocks,
// a disk and a network that are simulated. It can lose its life at any moment and be started again
// over what its disk holds. Programs of the computer call the hub through `call`.
import { AnswerCache } from '../../main/api/door/answer-cache.ts';
import { Secret } from '../../main/lib/secret.ts';
import { AppError } from '../../main/lib/app-error.ts';
import { toHex } from '../../main/lib/bytes.ts';
import type { Log } from '../../main/ports/log.ts';
import type { PeerRow, Reads, Tables } from '../../main/ports/store.ts';
import type { KeyHex } from '../../main/ports/transport.ts';
import { agentIdOfKeyHex } from '../../main/protocol/agent-id.ts';
import { publicKeyOfSeed } from '../../main/protocol/signature.ts';
import { EventBus } from '../../main/services/base/event-bus.ts';
import { IdentityService } from '../../main/services/base/identity.ts';
import { PeerDirectory } from '../../main/services/links/peer-directory.ts';
import type { HubProfile } from '../../main/services/links/hub-profile.ts';
import { PeerLinks } from '../../main/services/links/peer-links.ts';
import { PeerRates, type PeerRateTable } from '../../main/services/links/peer-rates.ts';
import type { PeerMessenger } from '../../main/services/base/peer-messenger.ts';
import { composeTaskServices, type TaskServices } from '../../main/app/task-services.ts';
import { Chance } from './chance.ts';
import { MachineClock, type Quartz } from './machine-clock.ts';
import type { Network } from './network.ts';
import { SimDisk, type Change, type MountedStore, type WrapTables } from './sim-disk.ts';
import { SimTransport } from './sim-transport.ts';
import type { World } from './world.ts';

export const HUBS = 5;
export const AGENTS = ['ann', 'bob'] as const;
const PORT = 7_100;
/**
 * A call of a local program that takes longer hangs. The longest that one may take is a claim that
 * waits.
 */
const CALL_MAX_MS = 90_000;
const NAMES = ['attic', 'desk', 'kitchen', 'mac', 'shed'] as const;
const SEEDS = NAMES.map((_, index) => new Chance(index + 1).bytes(32));
const KEYS = SEEDS.map((seed) => toHex(publicKeyOfSeed(seed)));
const KEY_OF_SEED = new Map(SEEDS.map((seed, index) => [toHex(seed), KEYS[index] ?? '']));

/** What goes on inside a hub that no hub may come to. */
const COMPLAINTS = new Set([
  'incoming message failed',
  'outbox not sent',
  'outbox not swept',
  'delegation not sent again',
  'record not written',
]);

/** The hub went away under a call, or was not there. What became of the call is not known. */
export class HubGone extends Error {
  override readonly name = 'HubGone';
}

/** A deliberately broken part, to show that the simulation finds it. */
export interface Mutant {
  readonly name: string;
  readonly wrapTables?: WrapTables;
  readonly wrapMessenger?: (messenger: PeerMessenger, chance: Chance) => PeerMessenger;
  readonly liesForMs?: number;
}

interface HubSetting {
  readonly world: World;
  readonly network: Network;
  readonly index: number;
  readonly image: Buffer;
  readonly quartz: Quartz;
  readonly rates: PeerRateTable | undefined;
  readonly mutant: Mutant | undefined;
  readonly onCommit: (hub: SimHub, changes: readonly Change[]) => void;
  readonly onDown: (hub: SimHub) => void;
}

/** A call of a local program; repeats under one key go through the door's memory, as over HTTP. */
export type Ask<T> = (work: TaskServices, signal: AbortSignal, door: AnswerCache) => Promise<T>;

/** One run of the hub, from its start to its stop or its death. */
interface Run {
  readonly clock: MachineClock;
  readonly store: MountedStore;
  readonly transport: SimTransport;
  readonly links: PeerLinks;
  readonly work: TaskServices;
  readonly door: AnswerCache;
  readonly calls: Set<(error: HubGone) => void>;
  /** The door is shut: nobody is let in any more. */
  isStopping: boolean;
  isOver: boolean;
}

export class SimHub {
  readonly name: string;
  readonly host: string;
  readonly key: KeyHex;
  readonly quartz: Quartz;
  readonly disk: SimDisk;
  /** Committed rows, whether a hub runs over them or not. */
  #reads: Reads;
  readonly #setting: HubSetting;
  readonly #seed: Uint8Array;
  #run: Run | undefined;
  #upSinceMs = 0;

  constructor(setting: HubSetting) {
    const { world, index, image, mutant, quartz } = setting;
    this.#setting = setting;
    this.name = NAMES[index] ?? 'none';
    this.host = `10.0.0.${index + 1}`;
    this.key = KEYS[index] ?? '';
    this.#seed = SEEDS[index] ?? new Uint8Array();
    this.quartz = quartz;
    this.disk = new SimDisk({
      world,
      name: this.name,
      image,
      onCommit: (changes) => setting.onCommit(this, changes),
      onCrash: () => this.crash(),
      wrap: mutant?.wrapTables ?? ((tables) => tables),
      liesForMs: mutant?.liesForMs ?? 0,
    });
    this.#reads = this.disk.reads;
  }

  get agentId(): string {
    return agentIdOfKeyHex(this.key);
  }

  get isUp(): boolean {
    return this.#run !== undefined;
  }

  get reads(): Reads {
    return this.#reads;
  }

  get transport(): SimTransport | undefined {
    return this.#run?.transport;
  }

  /** Since when the hub has been running, in true time. */
  get upSinceMs(): number {
    return this.#upSinceMs;
  }

  get timers(): number {
    return this.#run?.clock.timers ?? 0;
  }

  start(): void {
    if (this.#run !== undefined) return;
    const { world } = this.#setting;
    world.trace(`${this.name} starts`);
    const run = this.#compose();
    this.#run = run;
    this.#upSinceMs = world.nowMs;
    void this.#open(run).catch((error: unknown) => {
      if (!run.isOver) world.found(`${this.name} does not start: ${String(error)}`);
    });
  }

  /** The power is cut: what is not committed never was, and nobody is told. */
  crash(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#setting.world.trace(`${this.name} crashes`);
    this.#end(run);
    run.transport.kill();
    run.store.kill();
    this.disk.crash();
    this.#reads = this.disk.reads;
  }

  /** Stopped in order, as its owner does it. */
  async stop(): Promise<void> {
    const run = this.#run;
    if (run === undefined || run.isStopping) return;
    const { world } = this.#setting;
    world.trace(`${this.name} stops`);
    run.isStopping = true;
    this.#forgetCalls(run);
    await run.links.stop();
    await run.work.stop();
    if (this.#run !== run) return;
    await run.store.close();
    // What the last commit answered gets to its end.
    await world.sleep(1);
    if (this.#run !== run) return;
    if (run.clock.timers > 0) world.found(`${this.name} left ${run.clock.timers} timers behind`);
    this.#end(run);
  }

  /**
   * A program of this computer asks the hub something. Rejects with HubGone when the hub goes away
   * meanwhile, and with the hub's own refusal.
   */
  call<T>(what: string, ask: Ask<T>, away?: AbortSignal): Promise<T> {
    const { world } = this.#setting;
    const { chance } = world;
    const run = this.#run;
    return new Promise((resolve, reject) => {
      if (run === undefined || run.isStopping) {
        world.after(chance.between(1, 20), () => reject(new HubGone('the hub does not run')));
        return;
      }
      // The door ends a call whose caller, or whose hub, goes away.
      const line = new AbortController();
      const hangUp = (): void => line.abort();
      away?.addEventListener('abort', hangUp, { once: true });
      const tooLong = world.after(CALL_MAX_MS, () =>
        world.found(`${this.name}: the call "${what}" hangs`),
      );
      const settle = (deliver: () => void): void => {
        if (!run.calls.delete(gone)) return;
        tooLong();
        away?.removeEventListener('abort', hangUp);
        deliver();
      };
      const gone = (error: HubGone): void => {
        hangUp();
        settle(() => world.after(chance.between(0, 20), () => reject(error)));
      };
      run.calls.add(gone);
      world.after(chance.between(0, 1), () => {
        if (!run.calls.has(gone)) return;
        this.#ask(ask, run, line.signal).then(
          (value) => settle(() => world.after(chance.between(0, 1), () => resolve(value))),
          (error: unknown) => {
            this.#judge(what, error, run);
            settle(() =>
              world.after(chance.between(0, 1), () =>
                reject(error instanceof Error ? error : new Error(String(error))),
              ),
            );
          },
        );
      });
    });
  }

  async #ask<T>(ask: Ask<T>, { work, door }: Run, signal: AbortSignal): Promise<T> {
    return ask(work, signal, door);
  }

  /** A refusal is an answer; anything else that is thrown is a bug. */
  #judge(what: string, error: unknown, run: Run): void {
    if (run.isOver) return;
    const isRefusal = error instanceof AppError && error.code !== 'internal';
    if (isRefusal || this.disk.hasFailed) return;
    this.#setting.world.found(
      `${this.name}: the call "${what}" broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }

  async #open(run: Run): Promise<void> {
    await run.work.start();
    // A hub that was told to stop meanwhile opens nothing more.
    if (run.isOver || run.isStopping) return;
    await run.links.start({ host: this.host, port: PORT });
  }

  #end(run: Run): void {
    run.isOver = true;
    this.#run = undefined;
    run.clock.kill();
    this.#forgetCalls(run);
    this.#setting.onDown(this);
  }

  #forgetCalls(run: Run): void {
    for (const gone of run.calls) gone(new HubGone('the hub went away'));
  }

  #compose(): Run {
    const { world, network, rates, mutant } = this.#setting;
    const clock = new MachineClock(world, this.quartz);
    const random = world.chance.fork();
    const log = this.#log(() => run.isOver);
    const store = this.disk.mount(clock, log);
    const transport = new SimTransport(network, clock, this.host, KEY_OF_SEED);
    const events = new EventBus(clock.wallMs());
    const identity = new KnownIdentity(
      { store, clock, random, log, vaults: [] },
      this.key,
      this.#seed,
    );
    const base = { store, clock, random, log };
    const directory = new PeerDirectory({
      ...base,
      events,
      identity,
      transport,
      ownName: () => this.name,
    });
    const peerRates = new PeerRates(clock, rates);
    const profile: HubProfile = {
      name: this.name,
      person: null,
      platform: 'test',
      namesItself: true,
    };
    const links: PeerLinks = new PeerLinks({
      onOwnKey: () => undefined,
      ...base,
      transport,
      resolver: { resolve: () => Promise.resolve([]) },
      identity,
      directory,
      profile: () => profile,
      pong: () => run.work.pong(),
      capabilities: () => run.work.capabilitiesPayload(),
    });
    const work = composeTaskServices({
      approvalWaitMs: () => 3_600_000,
      turnsMax: () => 12,
      rulesMayAct: () => true,
      ...base,
      events,
      messenger: mutant?.wrapMessenger?.(links, world.chance) ?? links,
      rates: peerRates,
      resolvePeer: (to) => directory.resolve(to),
      pinnedPeer: (id) => directory.resolvePinned(id),
      refreshCapabilities: (peer) => links.refreshCapabilities(peer),
      hubName: () => this.name,
      personName: () => null,
      timeZone: () => 'UTC',
      mintAgentToken: (agent) => Promise.resolve(`token of ${agent}`),
      revokeAgentTokens: () => () => undefined,
    });
    const run: Run = {
      clock,
      store,
      transport,
      links,
      work,
      door: new AnswerCache(clock),
      calls: new Set(),
      isStopping: false,
      isOver: false,
    };
    return run;
  }

  #log(isOver: () => boolean): Log {
    const { world } = this.#setting;
    const complain = (level: string, message: string, fields: unknown): void => {
      if (isOver() || this.disk.isDying || this.disk.hasFailed) return;
      world.found(`${this.name} logs ${level} "${message}" ${JSON.stringify(fields)}`);
    };
    const log: Log = {
      debug: () => undefined,
      info: () => undefined,
      warn: (message, fields) =>
        COMPLAINTS.has(message) ? complain('warn', message, fields) : undefined,
      error: (message, fields) => complain('error', message, fields),
      with: () => log,
    };
    return log;
  }
}

/**
 * The identity service of a hub whose identity was read already: working out a public key is the
 * slowest thing a start does.
 */
class KnownIdentity extends IdentityService {
  readonly #key: KeyHex;
  readonly #secret: Secret<Uint8Array>;

  constructor(
    deps: ConstructorParameters<typeof IdentityService>[0],
    key: KeyHex,
    seed: Uint8Array,
  ) {
    super(deps);
    this.#key = key;
    this.#secret = new Secret(seed);
  }

  override get ready(): boolean {
    return true;
  }

  override get keyHex(): KeyHex {
    return this.#key;
  }

  override get agentId(): string {
    return agentIdOfKeyHex(this.#key);
  }

  override get seed(): Secret<Uint8Array> {
    return this.#secret;
  }
}

/**
 * What a fresh disk of hub number `index` holds: it is paired with every other hub and has its
 * agents.
 */
export function fillDisk(tables: Tables, index: number): void {
  for (const [other, name] of NAMES.entries()) {
    if (other !== index) tables.putPeer(peerRow(other, name));
  }
  for (const [number, name] of AGENTS.entries()) {
    tables.putAgent({
      name,
      displayName: name,
      dialect: 'axon',
      state: 'active',
      riskClass: number === 0 ? 'R0' : 'R2',
      classByOwner: number === 0,
      domains: [
        { domain: `${name}.work`, riskClass: null, byOwner: false, isOffered: true },
        { domain: `${name}.danger`, riskClass: 'R3', byOwner: false, isOffered: true },
      ],
      capabilities: [`${name}-skill`],
      channels: [],
      tools: [],
      topics: ['news'],
      model: null,
      concurrency: 4,
      isDefault: number === 0,
      createdAt: 1,
      lastCallAt: null,
    });
  }
}

function peerRow(index: number, name: string): PeerRow {
  const key = KEYS[index] ?? '';
  return {
    key,
    agentId: agentIdOfKeyHex(key),
    petname: name,
    person: null,
    trust: 'paired',
    advertisedName: name,
    platform: null,
    features: [],
    extensions: [],
    highestVersion: 1,
    staticHost: `10.0.0.${index + 1}`,
    staticPort: PORT,
    lastHost: null,
    lastPort: null,
    lastSeenAt: null,
    capabilities: null,
    capabilitiesAt: null,
    pairedAt: 1,
    revokedAt: null,
    introducedWay: 'digits',
    role: null,
    introducedBy: 'ui:1',
    introducedSurface: 'browser',
  };
}
