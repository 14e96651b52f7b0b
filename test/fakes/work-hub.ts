// One hub's work over a real store in a real file, on a manual clock and a line in memory.
// `restart` ends it as a crash does and opens the same file again.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RiskClass } from '../../preload/contract/closed-lists.ts';
import { SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import Database from 'better-sqlite3';
import { MIGRATIONS } from '../../main/adapters/sqlite/migrations.ts';
import { openDatabase } from '../../main/adapters/sqlite/open-database.ts';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import type { AppError } from '../../main/lib/app-error.ts';
import { ok, type Result } from '../../main/lib/result.ts';
import type { PeerRow, Store } from '../../main/ports/store.ts';
import type { KeyHex } from '../../main/ports/transport.ts';
import { agentIdOfKeyHex } from '../../main/protocol/agent-id.ts';
import { encodeEnvelope } from '../../main/protocol/encode-envelope.ts';
import type { Envelope } from '../../main/protocol/envelope.ts';
import { EventBus } from '../../main/services/base/event-bus.ts';
import {
  resolvePaired,
  resolvePinned,
  type KnownHubs,
} from '../../main/services/links/hub-finder.ts';
import { PeerRates, type PeerRateTable } from '../../main/services/links/peer-rates.ts';
import type { Decider } from '../../main/services/base/audit-trail.ts';
import type { Gate } from '../../main/services/tasks/verdict.ts';
import { composeTaskServices, type TaskServices } from '../../main/app/task-services.ts';
import { APPROVALS_WAIT_MINUTES_DEFAULT, TURNS_DEFAULT } from '../../preload/contract/limits.ts';
import type { ApprovalDto, DeliveryDto, UiEvent } from '../../preload/contract/dto.ts';
import type { OperationParams } from '../../preload/contract/operations.ts';
import { deflated, idValue, inflated } from './long-text.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryMessenger, type MemoryNetwork } from './memory-messenger.ts';
import { UnitOfWork } from '../../main/services/base/unit-of-work.ts';
import { SILENT_LOG } from './memory-store.ts';

export const BROWSER: Decider = { actor: 'ui:1', surface: 'browser' };
export const WINDOW: Decider = { actor: 'ui:2', surface: 'window' };
export const OWNER = { actor: 'ui:1', surface: 'browser' } as const;
/** High enough that no test meets them by accident. */
const PLENTY = { burst: 100_000, perMinute: 100_000 };
export const NO_LIMITS: PeerRateTable = {
  delegate: PLENTY,
  query: PLENTY,
  notify: PLENTY,
  cancel: PLENTY,
};

export interface WorkHubOptions {
  readonly name: string;
  readonly network: MemoryNetwork;
  readonly clock: ManualClock;
  readonly rates?: PeerRateTable;
  /** What it keeps of one peer a day; all when absent. */
  readonly storedBytesPerDay?: number;
  readonly features?: readonly string[];
  readonly extensions?: readonly string[];
  /** By whose clock its quiet hours are; UTC when absent. */
  readonly timeZone?: string;
  /** Whether its audit log was tampered with; it was not when absent. */
  readonly isTampered?: () => boolean;
  /**
   * Whether a peer answers when it is asked for its capabilities; it does, and says nothing new,
   * when absent.
   */
  readonly refreshCapabilities?: () => Promise<Result<void, AppError>>;
  /** Asked after the gates of the house. */
  readonly moreGates?: readonly Gate[];
  /** The bytes of the database that it begins with; one without rows when absent. */
  readonly database?: Uint8Array;
}

let empty: Uint8Array | undefined;

/** The bytes of a database without rows. To make one takes longer than most tests. */
function emptyDatabase(): Uint8Array {
  if (empty !== undefined) return empty;
  const folder = mkdtempSync(join(tmpdir(), 'axon-empty-'));
  const path = join(folder, 'hub.db');
  openDatabase(path, MIGRATIONS, { clock: new ManualClock(), log: SILENT_LOG }).close();
  empty = readFileSync(path);
  rmSync(folder, { recursive: true });
  return empty;
}

export class WorkHub {
  readonly name: string;
  readonly key: KeyHex;
  readonly events: UiEvent[] = [];
  readonly revoked: string[] = [];
  readonly minted: string[] = [];
  /** How long its requests wait for a person; its owner may change that while it runs. */
  approvalWaitMs = APPROVALS_WAIT_MINUTES_DEFAULT * 60_000;
  turnsMax = TURNS_DEFAULT;
  /** Its person's name; null: none was given. */
  person: string | null;
  store: Store;
  messenger: MemoryMessenger;
  work: TaskServices;
  readonly #options: WorkHubOptions;
  readonly #folder: string;
  readonly #signal = new AbortController().signal;

  constructor(options: WorkHubOptions) {
    this.#options = options;
    this.name = options.name;
    this.person = `${options.name}'s person`;
    this.key = Buffer.from(options.name.padEnd(32, '.')).toString('hex').slice(0, 64);
    this.#folder = mkdtempSync(join(tmpdir(), 'axon-work-'));
    writeFileSync(this.file, options.database ?? emptyDatabase(), { mode: 0o600 });
    const parts = this.#open();
    this.store = parts.store;
    this.messenger = parts.messenger;
    this.work = parts.work;
  }

  async start(): Promise<this> {
    await this.work.start();
    return this;
  }

  /** Nothing is told to stop in order but the database; then the same file is opened again. */
  async restart(onOpened: (store: Store) => void | Promise<void> = () => undefined): Promise<void> {
    const { network } = this.#options;
    network.leave(this.key);
    await this.store.close();
    await this.work.stop();
    const parts = this.#open();
    this.store = parts.store;
    this.messenger = parts.messenger;
    this.work = parts.work;
    await onOpened(this.store);
    await this.work.start();
  }

  async close(): Promise<void> {
    await this.work.stop();
    await this.store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get agentId(): string {
    return agentIdOfKeyHex(this.key);
  }

  /** Its database. */
  get file(): string {
    return join(this.#folder, 'hub.db');
  }

  /** Pins each other and opens the line. */
  async pair(other: WorkHub): Promise<void> {
    await this.store.write((tables) => tables.putPeer(peerRow(other)));
    await other.store.write((tables) => tables.putPeer(peerRow(this)));
    this.connect(other);
  }

  /** As the people here do it: what ends with the trust ends in the same commit. */
  endTrust(other: WorkHub, trust: 'suspended' | 'revoked'): Promise<void> {
    return new UnitOfWork({ store: this.store, log: SILENT_LOG }).run((tables, after) => {
      const row = tables.peer(other.key);
      if (row) tables.putPeer({ ...row, trust, revokedAt: trust === 'revoked' ? 1 : null });
      this.work.peerEnded(tables, after, other.key);
    });
  }

  connect(other: { readonly key: KeyHex }): void {
    this.#options.network.connect(this.key, other.key);
  }

  cut(other: { readonly key: KeyHex }): void {
    this.#options.network.cut(this.key, other.key);
  }

  /** Writes down what `other` offers, as its capabilities would. */
  async knows(other: WorkHub): Promise<void> {
    const capabilities = JSON.stringify(other.work.capabilitiesPayload());
    await this.store.write((tables) => {
      const row = tables.peer(other.key);
      if (row) tables.putPeer({ ...row, capabilities, capabilitiesAt: 0 });
    });
  }

  /** A message as another hub sends it, straight to this one. */
  async hears(
    from: KeyHex,
    message: Pick<Envelope, 'id' | 'kind' | 'payload'> & {
      readonly ref?: string | null;
      readonly ts?: number;
    },
  ): Promise<Envelope> {
    return this.messenger.takeRequest(from, this.#raw(from, message), this.#signal);
  }

  async isTold(
    from: KeyHex,
    message: Pick<Envelope, 'id' | 'kind' | 'payload'> & { readonly ref?: string | null },
  ): Promise<void> {
    return this.messenger.takeMessage(from, this.#raw(from, message));
  }

  agent(
    name: string,
    domains: readonly string[] = [],
    more: Partial<{ topics: readonly string[]; risk: RiskClass }> = {},
  ) {
    return this.work.agents.create(
      name,
      { domains, topics: more.topics ?? [] },
      more.risk ?? 'R2',
      OWNER,
    );
  }

  async claim(agent: string): Promise<DeliveryDto> {
    const [item] = await this.work.inbox.claim(agent, 1);
    if (!item) throw new Error(`nothing waits for ${agent}`);
    return item;
  }

  /** The one card that waits. */
  get card(): ApprovalDto {
    const [card, ...others] = this.work.approvals.pending();
    if (!card || others.length > 0) throw new Error(`${others.length + (card ? 1 : 0)} cards wait`);
    return card;
  }

  decide(
    card: ApprovalDto,
    decision: 'allow' | 'decline' | 'answer',
    by: Decider = BROWSER,
    more: { reason?: string; last_word?: string; answer?: string } = {},
  ): Promise<ApprovalDto> {
    return this.work.approvals.decide(
      { id: card.id, revision: card.revision, digest: card.digest, decision, ...more },
      by,
    );
  }

  /**
   * Changes the text in a stored card as another program with the database open could: the guards
   * of the schema taken off and put back.
   */
  async damageView(approvalId: string, text: string): Promise<void> {
    const connection = new Database(join(this.#folder, 'hub.db'));
    const row = connection
      .prepare('SELECT view FROM approvals WHERE id = ?')
      .get(idValue(approvalId)) as { view: unknown };
    const trigger = connection
      .prepare("SELECT sql FROM sqlite_master WHERE name = 'approvals_content'")
      .get() as { sql: string };
    const decided = connection
      .prepare("SELECT sql FROM sqlite_master WHERE name = 'approvals_decided'")
      .get() as { sql: string };
    connection.exec('DROP TRIGGER approvals_content; DROP TRIGGER approvals_decided');
    connection
      .prepare('UPDATE approvals SET view = ? WHERE id = ?')
      .run(
        deflated(inflated(row.view).replace(/"text":"[^"]*"/, `"text":${JSON.stringify(text)}`)),
        idValue(approvalId),
      );
    connection.exec(`${trigger.sql}; ${decided.sql}`);
    connection.close();
    await Promise.resolve();
  }

  auditActions(): readonly string[] {
    return this.store.read.audit({ limit: 1_000 }).map((row) => row.action);
  }

  #raw(
    from: KeyHex,
    message: Pick<Envelope, 'id' | 'kind' | 'payload'> & {
      readonly ref?: string | null;
      readonly ts?: number;
    },
  ): string {
    const { id, kind, payload, ref = null, ts = 1 } = message;
    return encodeEnvelope({
      v: 1,
      id,
      from: agentIdOfKeyHex(from),
      to: this.agentId,
      ts,
      kind,
      ref,
      payload,
    });
  }

  #open() {
    const { network, clock, rates, features, extensions, name } = this.#options;
    const store = openStore({ path: join(this.#folder, 'hub.db'), clock, log: SILENT_LOG });
    const messenger = new MemoryMessenger({
      network,
      key: this.key,
      store,
      ...(features ? { features } : {}),
      ...(extensions ? { extensions } : {}),
    });
    const events = new EventBus();
    events.subscribe((event) => this.events.push(event));
    const work = composeTaskServices(
      {
        store,
        clock,
        random: new SystemRandom(),
        log: SILENT_LOG,
        events,
        messenger,
        rates: new PeerRates(
          clock,
          rates ?? NO_LIMITS,
          this.#options.storedBytesPerDay ?? Number.MAX_SAFE_INTEGER,
        ),
        resolvePeer: (to) => resolvePaired(to, knownHubs(store)),
        pinnedPeer: (id) => resolvePinned(id, knownHubs(store)),
        refreshCapabilities: this.#options.refreshCapabilities ?? (() => Promise.resolve(ok())),
        timeZone: () => this.#options.timeZone ?? 'UTC',
        approvalWaitMs: () => this.approvalWaitMs,
        turnsMax: () => this.turnsMax,
        rulesMayAct: () => this.#options.isTampered?.() !== true,
        hubName: () => name,
        personName: () => this.person,
        mintAgentToken: (agent) => {
          this.minted.push(agent);
          return Promise.resolve(`token of ${agent}`);
        },
        revokeAgentTokens: (_, after, agent) => after(() => this.revoked.push(agent)),
      },
      this.#options.moreGates,
    );
    return { store, messenger, work };
  }
}

export function delegation(
  to: string,
  task: string,
  more: Partial<OperationParams<'send.delegate'>> = {},
): OperationParams<'send.delegate'> {
  return { to, task, priority: 'normal', report_back: true, ...more };
}

export function peerRow(hub: Pick<WorkHub, 'key' | 'name'>): PeerRow {
  return {
    key: hub.key,
    agentId: agentIdOfKeyHex(hub.key),
    petname: hub.name,
    person: null,
    trust: 'paired',
    advertisedName: hub.name,
    platform: null,
    features: [],
    extensions: [],
    highestVersion: 1,
    staticHost: null,
    staticPort: null,
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

/** The hubs of the store alone: these two never see each other nearby. */
function knownHubs(store: Store): KnownHubs {
  const rows = (): readonly PeerRow[] => store.read.peers();
  return {
    row: (key) => store.read.peer(key),
    knownKeys: () => rows().map(({ key }) => key),
    isListed: (key) => store.read.peer(key)?.trust !== 'revoked',
    nameOf: (key) => store.read.peer(key)?.petname ?? '',
    petnameOf: (key) =>
      store.read.peer(key)?.trust === 'revoked' ? null : (store.read.peer(key)?.petname ?? null),
    petnames: () => rows().map(({ petname }) => petname),
  };
}
