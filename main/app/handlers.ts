// The whole table of operations, joined from the files of api/operations. The type makes it total:
// an operation without a handler does not compile.
import type { Handlers } from '../api/caller.ts';
import { a2aHandlers } from '../api/operations/a2a.ts';
import { agentFilesHandlers } from '../api/operations/agent-files.ts';
import { agentsHandlers, runnersHandlers } from '../api/operations/agents.ts';
import {
  approvalsHandlers,
  attentionHandlers,
  rulesHandlers,
} from '../api/operations/decisions.ts';
import {
  auditHandlers,
  metricsHandlers,
  sessionsHandlers,
  settingsHandlers,
} from '../api/operations/housekeeping.ts';
import {
  conversationsHandlers,
  feedHandlers,
  historyHandlers,
  inboxHandlers,
  sendHandlers,
  tasksHandlers,
} from '../api/operations/work.ts';
import { remoteApprovalHandlers } from '../api/operations/remote-approval.ts';
import { hubHandlers } from '../api/operations/hub.ts';
import { pairingsHandlers } from '../api/operations/pairings.ts';
import { peersHandlers } from '../api/operations/peers.ts';
import type { OperationResult } from '../../preload/contract/operations.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventLoopLag } from './event-loop-lag.ts';
import type { Services } from './services.ts';

export function composeHandlers(
  services: Services,
  clock: Clock,
  lag: Pick<EventLoopLag, 'read'>,
): Handlers {
  const {
    hub,
    tokens,
    login,
    passphrase,
    bootSecret,
    opening,
    directory,
    links,
    keyTrust,
    pairing,
    settings,
    work,
    audit,
    retention,
  } = services;
  return {
    ...hubHandlers({
      hub,
      tokens,
      login,
      passphrase,
      bootSecret,
      unlock: (signal) => opening.open(signal),
      confirmRestore: (by, kept) => opening.confirmRestore(by, kept),
      retention,
      snapshot: () => snapshotOf(services, clock),
      pairingWindow: () => pairing.window,
      attention: () => work.doNotDisturb.dto(),
      hasAgents: () => work.agents.list().length > 0,
      counts: () => countsOf(services),
    }),
    ...metricsHandlers({
      status: async () => ({ hub: hub.current(), ...(await countsOf(services)) }),
      usage: () => ({
        memoryBytes: process.memoryUsage.rss(),
        processorSeconds: processorSeconds(),
        lagMs: lag.read(),
      }),
    }),
    ...sessionsHandlers(services),
    ...settingsHandlers({ settings }),
    ...peersHandlers({ directory, links, keyTrust, tokenUse: work.tokenUse }),
    ...pairingsHandlers({ pairing, hub }),
    ...agentsHandlers({ ...work, ...services }),
    ...a2aHandlers(services),
    ...runnersHandlers(services),
    ...agentFilesHandlers(services),
    ...sendHandlers(work),
    ...tasksHandlers(work),
    ...inboxHandlers({ ...work, ...services }),
    ...approvalsHandlers(work),
    ...remoteApprovalHandlers({ setting: work.remoteApproval, passphrase }),
    ...rulesHandlers(work),
    ...attentionHandlers(work),
    ...conversationsHandlers(work),
    ...historyHandlers(work),
    ...feedHandlers(work),
    ...auditHandlers({ audit, auditRequests: work.auditRequests }),
  };
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** One picture, taken in one turn: events with a higher number follow it. */
function snapshotOf(
  { events, hub, settings, identity, directory, pairing, work, runners }: Services,
  clock: Clock,
): OperationResult<'hub.snapshot'> {
  return {
    seq: events.seq,
    at: clock.wallMs(),
    hub: hub.current(),
    settings: settings.current(),
    peers: identity.ready ? directory.list('all') : [],
    pairing_window: pairing.window,
    pairings: pairing.list(),
    ...work.snapshot(),
    runners: runners.list(),
  };
}

async function countsOf({
  identity,
  directory,
  transport,
  links,
  peers,
  work,
}: Services): Promise<Omit<OperationResult<'hub.status'>, 'hub'>> {
  const paired = identity.ready ? directory.list('paired') : [];
  const agents = work.agents.list();
  const pending = work.approvals.pending();
  const statistics = peers.port === null ? undefined : await transport.statistics();
  return {
    peers: { paired: paired.length, online: paired.filter((peer) => peer.online).length },
    key_changes: paired.flatMap(({ id, name, key_change: change }) =>
      change?.kept_at === null
        ? [{ id, name, address: change.address, seen_at: change.seen_at }]
        : [],
    ),
    agents: {
      registered: agents.length,
      online: agents.filter((agent) => agent.presence === 'online').length,
    },
    approvals: {
      pending: pending.length,
      held: work.holds.count(),
      elsewhere: pending.filter(({ decided_by_hubs: hubs }) => Array.isArray(hubs)).length,
    },
    transport: {
      connections: statistics?.connections ?? 0,
      restarts: statistics?.restarts ?? 0,
      memory_bytes: statistics?.processMemoryBytes ?? null,
      counters: { ...statistics?.counters, ...links.counters() },
    },
  };
}
