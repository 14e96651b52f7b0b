// Makes every service and adapter of one hub, in order of dependency, and starts nothing. They are
// made nowhere else.
import { join } from 'node:path';
import { childRunners } from '../adapters/runners/child-runner.ts';
import { agentFolder } from '../adapters/agent-folder/agent-folder.ts';
import { FileVault } from '../adapters/keyvault/file-vault.ts';
import { KeychainVault } from '../adapters/keyvault/keychain-vault.ts';
import { createMdnsDiscovery } from '../adapters/mdns/mdns-discovery.ts';
import type { SpawnQuicProcess } from '../adapters/quic/quic-process.ts';
import { createQuicTransport } from '../adapters/quic/process-transport.ts';
import { outsideCall } from '../adapters/outside/outside-call.ts';
import { isOnOwnNetwork, ownAddresses } from '../adapters/resolver/own-addresses.ts';
import { SystemResolver } from '../adapters/resolver/system-resolver.ts';
import { ownTimeZone } from '../core/quiet-hours.ts';
import { invocationAnywhere } from '../cli/invocation.ts';
import { axonProgram } from './axon-program.ts';
import { toBase64Url } from '../lib/bytes.ts';
import { Secret } from '../lib/secret.ts';
import { VERSION } from '../lib/version.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Discovery } from '../ports/discovery.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import type { Transport } from '../ports/transport.ts';
import { A2aAgents } from '../services/elsewhere/a2a-agents.ts';
import type { StartRunner } from '../ports/runner-process.ts';
import { Runners } from '../services/agents/runners.ts';
import { AgentFiles } from '../services/agents/agent-files.ts';
import { Audit } from '../services/audit/audit.ts';
import { watchAudit } from '../services/audit/watched-store.ts';
import { LoginService } from '../services/auth/login-service.ts';
import { PassphraseService } from '../services/auth/passphrase-service.ts';
import { SettingsService } from '../services/auth/settings-service.ts';
import { TokenService } from '../services/auth/token-service.ts';
import { AuditTrail } from '../services/base/audit-trail.ts';
import { EventBus } from '../services/base/event-bus.ts';
import { SealedSecrets } from '../services/base/sealed-secrets.ts';
import { UnitOfWork } from '../services/base/unit-of-work.ts';
import { WakeUps } from '../services/inbox/wake-ups.ts';
import { Webhooks } from '../services/inbox/webhooks.ts';
import { HubStatus } from '../services/pages/hub-status.ts';
import { IdentityService } from '../services/base/identity.ts';
import { PEER_RATES, STORED_BYTES_PER_DAY_MAX } from '../services/links/limits.ts';
import { Copies } from '../services/links/copies.ts';
import { DiscoveryService } from '../services/links/discovery-service.ts';
import { KeyTrust } from '../services/links/key-trust.ts';
import { PeerDirectory } from '../services/links/peer-directory.ts';
import { PeerLinks } from '../services/links/peer-links.ts';
import type { HubProfile } from '../services/links/hub-profile.ts';
import { hubLabel } from '../services/links/peer-names.ts';
import { PeerRates } from '../services/links/peer-rates.ts';
import type { RatedKind } from '../services/links/peer-rates.ts';
import { PairingService } from '../services/pairing/pairing-service.ts';
import { Retention } from '../services/retention/retention.ts';
import { composeTaskServices, type TaskServices } from './task-services.ts';
import type { Config } from './config.ts';
import { AuditLock } from './audit-lock.ts';
import { PeerSide } from './peers.ts';

const DAY_MS = 86_400_000;
const BOOT_SECRET_SIZE_BYTES = 32;
const PLATFORMS: Readonly<Record<string, string>> = {
  linux: 'Linux',
  darwin: 'macOS',
  win32: 'Windows',
};
/** What the audit calls the hub itself. */
const BY_THE_HUB = { actor: 'hub', surface: 'hub' } as const;

/** What a hub gets from outside. Whatever is left out is the real thing. */
export interface NodeDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** True inside the desktop app. */
  readonly desktop: boolean;
  /** The folder of the built pages; null = none. */
  readonly rendererDirectory: string | null;
  /** Electron has its own kind of child process. */
  readonly spawnQuicProcess?: SpawnQuicProcess;
  readonly startRunner?: StartRunner;
  readonly transport?: Transport;
  readonly discovery?: Discovery;
  /** Called after each commit. */
  readonly committed?: () => void;
  /** In order of preference. */
  readonly vaults?: readonly KeyVault[];
}

export interface Services {
  readonly events: EventBus;
  readonly tokens: TokenService;
  readonly login: LoginService;
  readonly passphrase: PassphraseService;
  readonly settings: SettingsService;
  readonly audit: Audit;
  readonly identity: IdentityService;
  readonly hub: HubStatus;
  readonly directory: PeerDirectory;
  readonly links: PeerLinks;
  readonly keyTrust: KeyTrust;
  readonly transport: Transport;
  readonly pairing: PairingService;
  readonly peers: PeerSide;
  readonly work: TaskServices;
  readonly runners: Runners;
  readonly retention: Retention;
  readonly wakeUps: WakeUps;
  readonly webhooks: Webhooks;
  readonly a2a: A2aAgents;
  readonly agentFiles: AgentFiles;
  readonly opening: AuditLock;
  readonly bootSecret: Secret<string>;
}

export function composeServices(config: Config, deps: NodeDeps, opened: Store): Services {
  const { clock, random, log } = deps;
  const store = watchAudit(opened, (surface) => audit.appended(surface));
  const base = { store, clock, random, log };

  const events = new EventBus(Math.floor(clock.wallMs()));
  const tokens = new TokenService(base);
  const login = new LoginService(base);
  const passphrase = new PassphraseService(base);
  const vaults = deps.vaults ?? [
    new KeychainVault({ homeFolder: config.home, clock }),
    new FileVault(join(config.home, 'identity.key')),
  ];
  const identity = new IdentityService({ ...base, vaults });
  const defaultName = (): string => (identity.ready ? hubLabel(identity.agentId) : 'This hub');
  const settings = new SettingsService(
    { ...base, events, defaultName },
    config.settings,
    config.fixed,
  );
  const platform = PLATFORMS[process.platform] ?? process.platform;
  const addresses = (): readonly string[] => ownAddresses(config.interfaces);
  const facts = {
    version: VERSION,
    platform,
    desktop: deps.desktop,
    command: invocationAnywhere(config.home),
    addresses,
  };
  const audit: Audit = new Audit({ ...base, identity, onState: () => hub.changed() });
  const retention = new Retention({
    ...base,
    keepMessagesMs: () => settings.current().keep_messages_days * DAY_MS,
    keepFeedMs: () => settings.current().keep_feed_days * DAY_MS,
    onFeedRemoved: (seqs, unread) => events.publish({ type: 'feed_removed', seqs, unread }),
    onDate: () => hub.changed(),
  });
  const dateInQuestion = (): number | null => retention.dateInQuestion;
  const hub: HubStatus = new HubStatus(
    {
      clock,
      events,
      identity,
      settings,
      passphrase,
      audit: () => audit,
      dateInQuestion,
      copyAt: () => copies.seen,
      keepable: () => ({
        hubs: directory.list('paired').map(({ id, name }) => ({ id, name })),
        agents: work.agents
          .list()
          .map(({ name, display_name: shown }) => ({ id: name, name: shown })),
      }),
    },
    facts,
  );
  settings.onChange((now, before) => {
    if (
      now.name !== before.name ||
      now.person !== before.person ||
      now.discovery !== before.discovery
    )
      hub.changed();
  });
  const profile = (): HubProfile => {
    const { name, person } = settings.current();
    return { name, person, platform, namesItself: pairing.window.open };
  };

  const { spawnQuicProcess } = deps;
  const transport =
    deps.transport ??
    createQuicTransport({
      clock,
      random,
      log,
      ...(spawnQuicProcess === undefined ? {} : { spawnQuicProcess }),
    });
  const rates = scaledRates(clock, config.peerRateFactor);
  const directory = new PeerDirectory({
    ...base,
    events,
    identity,
    transport,
    ownName: () => settings.current().name,
    isOnOwnNetwork,
  });
  const keyTrust = new KeyTrust({ ...base, directory });
  const links: PeerLinks = new PeerLinks({
    ...base,
    transport,
    resolver: new SystemResolver(),
    identity,
    directory,
    profile,
    onOwnKey: (place) => copies.met(place),
    pong: () => work.pong(),
    capabilities: () => work.capabilitiesPayload(),
  });
  const copies: Copies = new Copies({
    clock,
    log,
    identity,
    transport,
    onChange: () => hub.changed(),
  });
  const pairing: PairingService = new PairingService({
    ...base,
    events,
    identity,
    directory,
    connections: links.unpaired,
    profile,
  });
  const isPaired = (keyHex: string): boolean => directory.isPaired(keyHex);
  const mdns =
    deps.discovery ??
    createMdnsDiscovery({ clock, random, log, interfaces: config.interfaces, isPaired });
  const discovery = new DiscoveryService({
    discovery: mdns,
    directory,
    identity,
    redial: () => links.redial(),
    onOwnId: (places) => copies.heard(places),
    onStatus: (status) => hub.discoveryIs(status),
    log,
  });

  const work: TaskServices = composeTaskServices({
    hubId: () => (identity.ready ? identity.agentId : null),
    ...base,
    events,
    messenger: links,
    rates,
    resolvePeer: (to) => directory.resolve(to),
    pinnedPeer: (id) => directory.resolvePinned(id),
    refreshCapabilities: (peer) => links.refreshCapabilities(peer),
    timeZone: ownTimeZone,
    approvalWaitMs: () => settings.current().approvals_wait_minutes * 60_000,
    turnsMax: () => settings.current().turns_max,
    rulesMayAct: () => audit.rulesMayAct,
    hubName: () => settings.current().name,
    goesTo: (agent) => a2a.hostOf(agent),
    personName: () => settings.current().person,
    mintAgentToken: async (agent) => (await tokens.issueForAgent(agent)).token,
    revokeAgentTokens: (tables, after, agent) =>
      tokens.revokeAllOfAgent(tables, after, agent, BY_THE_HUB),
  });
  directory.stored.onTrustEnding((tables, after, key) => work.peerEnded(tables, after, key));
  directory.stored.onAdultEnding((tables, after, key) =>
    work.remoteApproval.adultNoMore(tables, after, key),
  );
  directory.onTrust((key) => {
    // A pairing that the other side did not stand by leaves no row behind.
    if (store.read.peer(key) !== undefined) return;
    work
      .peerGone(key)
      .catch((error: unknown) =>
        log.error('open work of a former peer did not end', { error: String(error) }),
      );
  });
  const peers = new PeerSide(
    { settings, hub, directory, links, pairing, discovery, copies },
    config.peerPort,
  );
  settings.onChange((now, before) => {
    const isKept =
      now.keep_messages_days === before.keep_messages_days &&
      now.keep_feed_days === before.keep_feed_days;
    if (!isKept) retention.keepingChanged();
    if (now.wakes_max > before.wakes_max) work.inbox.lookAgain();
  });
  const unit = new UnitOfWork(base);
  const { agents, inbox } = work;
  const call = outsideCall(clock);
  const dayMax = (): number => settings.current().wakes_max;
  const wakeUps = new WakeUps({ ...base, unit, inbox, dayMax });
  const secrets = new SealedSecrets({ identity, random });
  const webhooks = new Webhooks({
    ...base,
    unit,
    audit: new AuditTrail({ clock, unit }),
    agents,
    inbox,
    wakeUps,
    secrets,
    call,
    ownPorts: () => [hub.current().api_port],
  });
  const a2a: A2aAgents = new A2aAgents({
    ...base,
    unit,
    audit: new AuditTrail({ clock, unit }),
    agents: work.agents,
    inbox: work.inbox,
    secrets,
    feed: work.feed,
    call,
    ownPorts: () => [hub.current().api_port],
  });
  const runners: Runners = new Runners({
    ...base,
    events,
    unit,
    audit: new AuditTrail({ clock, unit }),
    tokens,
    wakesOf: (agent) => wakeUps.today(agent),
    fileInput: (agent) => agentFiles.inputOf(agent),
    reachedBy: (agent, way, asks) => agents.presence.setWay(agent, way, asks),
    startRunner:
      deps.startRunner ?? childRunners({ clock, home: config.home, axon: axonProgram() }),
  });
  const agentFiles: AgentFiles = new AgentFiles({
    ...base,
    unit,
    audit: new AuditTrail({ clock, unit }),
    agents,
    secrets,
    folder: agentFolder(config.home),
    runners,
  });
  agents.onRemoving((tables, after, agent) => runners.agentRemoved(tables, after, agent));
  tokens.onRevoked((id) => {
    const agent = store.read.token(id)?.agent ?? null;
    if (agent !== null) agents.changed(agent);
  });
  const opening = new AuditLock({
    clock,
    log,
    identity,
    audit,
    tokens,
    hub,
    work,
    webhooks,
    a2a,
    runners,
    peers,
    directory,
    retention,
  });
  const bootSecret = new Secret(toBase64Url(random.bytes(BOOT_SECRET_SIZE_BYTES)));
  return {
    events,
    tokens,
    login,
    passphrase,
    settings,
    audit,
    identity,
    hub,
    directory,
    links,
    keyTrust,
    transport,
    pairing,
    peers,
    work,
    runners,
    retention,
    wakeUps,
    webhooks,
    a2a,
    agentFiles,
    opening,
    bootSecret,
  };
}

/** The default rates of a peer, times `factor`; a bench raises them so. */
function scaledRates(clock: Clock, factor: number): PeerRates {
  const scale = (kind: RatedKind): { readonly burst: number; readonly perMinute: number } => {
    const { burst, perMinute } = PEER_RATES[kind];
    return { burst: burst * factor, perMinute: perMinute * factor };
  };
  const table = {
    delegate: scale('delegate'),
    query: scale('query'),
    notify: scale('notify'),
    cancel: scale('cancel'),
  };
  return new PeerRates(clock, table, STORED_BYTES_PER_DAY_MAX * factor);
}
