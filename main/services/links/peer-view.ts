// Turns what is known of a hub into the DTO of the contract. Everything the other side wrote passes
// the text policy here and stands only in fields for outside text, which an agent gets below
// `untrusted`. Pure: facts in, DTO out.
import { escapeName, escapeText } from '../../core/text-escape.ts';
import { safetyNumber } from '../../core/safety-number.ts';
import type {
  CapabilitiesDto,
  KeyChangeDto,
  PeerDto,
  TrustState,
} from '../../../preload/contract/dto.ts';
import type { IntroductionDto } from '../../../preload/contract/introduction.ts';
import type { OperationResult } from '../../../preload/contract/operations.ts';
import { readObject } from '../../lib/json-object.ts';
import type { PeerRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import { parseCapabilities, type PongPayload } from '../../protocol/payloads.ts';
import { writeHubAddress } from './hub-address.ts';
import type { NearbyHub } from './nearby-table.ts';
import {
  agentNameThere,
  hubLabel,
  looksAlike,
  neutralName,
  shownName,
  twinOf,
} from './peer-names.ts';
import type { StaticHub } from './static-hubs.ts';

/** What is true of a hub only while this process runs. */
export interface LiveFacts {
  /** Paired, and a connection with hello done is there. */
  readonly online: boolean;
  /** A connection with hello done is there, paired or not. */
  readonly connected: boolean;
  readonly host: string | null;
  readonly port: number | null;
  readonly roundTripMs: number | null;
  /** What its last pong said. */
  readonly load: 'idle' | 'busy' | 'overloaded' | null;
  /** Why it cannot be reached; ours, not outside text. */
  readonly trouble: string | null;
  /** It closed our last connection because it does not know our key (yet). */
  readonly notTrustedThere: boolean;
  /** What it called itself in hello while not paired; outside text. */
  readonly said: string | null;
}

export const NO_LIVE_FACTS: LiveFacts = {
  online: false,
  connected: false,
  host: null,
  port: null,
  roundTripMs: null,
  load: null,
  trouble: null,
  notTrustedThere: false,
  said: null,
};

interface PeerFacts {
  readonly key: KeyHex;
  /** null while our own identity is not ready. */
  readonly ownKey: KeyHex | null;
  readonly trust: TrustState;
  readonly row: PeerRow | undefined;
  readonly nearby: NearbyHub | undefined;
  readonly fixed: StaticHub | undefined;
  readonly live: LiveFacts;
  /** It last spoke the reference profile. */
  readonly isReference: boolean;
  /** Names of the other hubs here, to notice one that calls itself like one of them. */
  readonly petnames: readonly string[];
  readonly ownName: string;
  readonly nowWallMs: number;
  readonly isOnOwnNetwork: (host: string) => boolean;
  readonly keyChange: KeyChangeDto | null;
}

export function makePeerDto(facts: PeerFacts): PeerDto {
  const { row, nearby, fixed, live } = facts;
  const isPinned = row !== undefined;
  const agentId = agentIdOfKeyHex(facts.key);
  const said = row?.advertisedName ?? live.said;
  return {
    id: agentId,
    public_key: facts.key,
    label: hubLabel(agentId),
    trust: facts.trust,
    name: ownersName(facts) ?? neutralName(agentId, facts.petnames),
    person: row?.person ?? null,
    role: row?.role ?? null,
    online: live.online,
    round_trip_ms: live.connected ? live.roundTripMs : null,
    last_seen_at: live.connected
      ? facts.nowWallMs
      : (row?.lastSeenAt ?? nearby?.lastHeardAt ?? null),
    address: addressOf(facts),
    how_found:
      nearby !== undefined
        ? 'home_network'
        : fixed !== undefined || row?.staticHost != null
          ? 'static'
          : isPinned || live.connected
            ? 'incoming'
            : null,
    same_network: nearby !== undefined || isSameNetwork(facts),
    untrusted: {
      advertised_name: said === null ? null : shownName(said, facts.petnames),
      platform: row?.platform == null ? null : escapeName(row.platform).name,
      features: row === undefined ? [] : row.features.map(escapeText),
    },
    capabilities:
      row === undefined
        ? null
        : makeCapabilitiesDto(row, [facts.ownName, ...facts.petnames, row.petname]),
    paired_at: row?.pairedAt ?? null,
    introduced_by: row === undefined ? null : introductionOf(row),
    safety_number: isPinned && facts.ownKey !== null ? safetyNumber(facts.ownKey, facts.key) : null,
    profile: facts.isReference
      ? 'reference'
      : row === undefined || row.features.length === 0
        ? null
        : 'hub',
    not_trusted_there: live.notTrustedThere,
    trouble: live.online ? null : live.trouble,
    lookalike: lookalikeOf(facts, said),
    key_change: facts.keyChange,
  };
}

/** null where nobody named it, and for a removed hub whose name another one has now. */
function ownersName({ row, fixed, petnames }: PeerFacts): string | null {
  const isFree =
    row?.trust !== 'revoked' || !petnames.some((name) => looksAlike(name, row.petname));
  return (isFree ? row?.petname : null) ?? fixed?.name ?? null;
}

function introductionOf({
  introducedWay: way,
  introducedBy: by,
  introducedSurface: surface,
  pairedAt: at,
}: PeerRow): IntroductionDto {
  return { way, at, by, surface };
}

/** By where it was last: a name that the owner gave says nothing of a network. */
function isSameNetwork({ row, fixed, live, isOnOwnNetwork }: PeerFacts): boolean {
  const host = live.host ?? row?.lastHost ?? row?.staticHost ?? fixed?.host ?? null;
  return host !== null && isOnOwnNetwork(host);
}

function addressOf({ row, nearby, fixed, live }: PeerFacts): string | null {
  if (live.connected && live.host !== null && live.port !== null)
    return writeHubAddress({ host: live.host, port: live.port });
  if (row?.staticHost != null && row.staticPort !== null)
    return writeHubAddress({ host: row.staticHost, port: row.staticPort });
  if (fixed !== undefined) return writeHubAddress(fixed);
  const heard = nearby?.addresses[0];
  if (nearby !== undefined && heard !== undefined)
    return writeHubAddress({ host: heard, port: nearby.port });
  return row?.lastHost != null && row.lastPort !== null
    ? writeHubAddress({ host: row.lastHost, port: row.lastPort })
    : null;
}

/**
 * A hub with another key that uses the name of one here is never taken for it, by whichever way it
 * says that name.
 */
function lookalikeOf(
  { row, nearby, petnames, ownName }: PeerFacts,
  said: string | null,
): string | null {
  const name = said ?? nearby?.label;
  return row !== undefined || name === undefined ? null : twinOf(name, [...petnames, ownName]);
}

/**
 * The last capabilities a paired hub told, or null when none are known or what is stored no longer
 * reads.
 * @param hubs names that its agents are not shown under
 */
function makeCapabilitiesDto(row: PeerRow, hubs: readonly string[]): CapabilitiesDto | null {
  if (row.capabilities === null) return null;
  const parsed = parseCapabilities(readObject(row.capabilities));
  if (!parsed.ok) return null;
  const told = parsed.value;
  return {
    fetched_at: row.capabilitiesAt ?? 0,
    untrusted: {
      agent_name: told.agent_name === null ? null : escapeName(told.agent_name).name,
      domains: told.domains.map(escapeText),
      channels: told.channels.map(escapeText),
      tools: told.tools.map(escapeText),
      max_concurrent_tasks: told.max_concurrent_tasks,
      model: told.model === null ? null : escapeText(told.model),
      agents: told.agents.map((agent) => ({
        name: escapeName(agent.name).name,
        display_name: agentNameThere(escapeName(agent.name).name, hubs),
        domains: agent.domains.map(escapeText),
        examples: [...agent.examples].map(([domain, example]) => ({
          domain: escapeText(domain),
          example: escapeText(example),
        })),
        capabilities: agent.capabilities.map(escapeText),
        model: agent.model === null ? null : escapeText(agent.model),
      })),
      more_agents: told.more_agents,
    },
  };
}

export function pongDto(pulse: {
  readonly roundTripMs: number;
  readonly pong: PongPayload;
}): OperationResult<'peers.ping'> {
  const { status, uptime_secs, active_tasks, agent_name: name } = pulse.pong;
  return {
    round_trip_ms: pulse.roundTripMs,
    status,
    uptime_secs,
    active_tasks: active_tasks ?? 0,
    untrusted: { agent_name: name === null ? null : escapeName(name).name },
  };
}
