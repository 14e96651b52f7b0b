// Whole rows for tests of the store and of what stands on it; a test names only the fields it is
// about.
import { createHash } from 'node:crypto';
import { UNTOLD } from '../../main/core/story-row.ts';
import type {
  AgentRow,
  ApprovalRow,
  DeliveryRow,
  FeedRow,
  MessageRow,
  OutboxRow,
  PeerRow,
  RegistrationRow,
  ReplayRow,
  TaskRow,
  TokenRow,
} from '../../main/ports/store.ts';
import type { NewAuditRow } from '../../main/ports/audit.ts';
import type { MuteRow } from '../../main/ports/attention.ts';
import type { RuleRow } from '../../main/ports/rules.ts';
import type { Pin } from '../../main/services/links/pinned-row.ts';

export const AT = 1_800_000_000_000;

/** A hub key that looks like one; the same text gives the same key. */
export function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function secretOf(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest());
}

/** A pin of a hub that was paired with digits. */
export function pinOf(key: string, petname: string): Pin {
  const introduction = { way: 'digits', by: 'ui:1', surface: 'browser' } as const;
  return { key, petname, person: null, platform: null, advertisedName: null, introduction };
}

export function peerRow(row: Partial<PeerRow> = {}): PeerRow {
  const key = row.key ?? keyOf('Mum PC');
  return {
    key,
    agentId: `ed25519.${key.slice(0, 32)}`,
    petname: 'Mum PC',
    person: 'Mum',
    trust: 'paired',
    advertisedName: 'Mum PC',
    platform: 'linux',
    features: ['delegate', 'cancel'],
    extensions: ['route/1'],
    highestVersion: 1,
    staticHost: null,
    staticPort: null,
    lastHost: '192.168.1.20',
    lastPort: 7100,
    lastSeenAt: AT,
    capabilities: '{"agents":[]}',
    capabilitiesAt: AT,
    pairedAt: AT,
    revokedAt: null,
    introducedWay: 'digits',
    role: null,
    introducedBy: 'ui:1',
    introducedSurface: 'browser',
    ...row,
  };
}

export function agentRow(row: Partial<AgentRow> = {}): AgentRow {
  return {
    name: 'planner',
    displayName: 'Planner',
    dialect: 'axon',
    state: 'active',
    riskClass: 'R1',
    classByOwner: true,
    domains: [
      { domain: 'family.calendar', riskClass: null, byOwner: false, isOffered: true },
      { domain: 'family.money', riskClass: 'R3', byOwner: false, isOffered: true },
    ],
    capabilities: ['schedule'],
    channels: [],
    tools: ['calendar'],
    topics: ['family'],
    model: null,
    concurrency: 2,
    isDefault: true,
    createdAt: AT,
    lastCallAt: null,
    ...row,
  };
}

export function registrationRow(row: Partial<RegistrationRow> = {}): RegistrationRow {
  return {
    id: 'registration-1',
    secretSha256: secretOf('registration'),
    code: '4711',
    agentName: 'planner',
    request: '{"name":"planner"}',
    state: 'pending',
    createdAt: AT,
    expiresAt: AT + 600_000,
    ...row,
  };
}

export function tokenRow(row: Partial<TokenRow> = {}): TokenRow {
  return {
    id: '0123456789abcdef',
    kind: 'agent',
    agent: 'planner',
    secretSha256: secretOf('token'),
    scopes: ['peers:read', 'send:query'],
    label: 'planner on this computer',
    createdAt: AT,
    lastUsedAt: null,
    expiresAt: null,
    idleExpiresAfterMs: null,
    revokedAt: null,
    ...row,
  };
}

export function taskRow(row: Partial<Omit<TaskRow, 'seq'>> = {}): Omit<TaskRow, 'seq'> {
  const id = row.id ?? 'task-1';
  return {
    id,
    direction: 'incoming',
    kind: 'delegate',
    party: keyOf('Mum PC'),
    messageId: id,
    contentDigest: keyOf(`content of ${id}`),
    state: 'received',
    revision: 1,
    fromAgent: 'claude',
    toAgent: 'planner',
    domain: 'family.calendar',
    conversationId: `conversation of ${id}`,
    payload: '{"task":"book the dentist"}',
    reportBack: true,
    urgent: false,
    receivedAt: AT,
    deadlineMs: 86_400_000,
    elapsedMs: 0,
    elapsedAt: AT,
    estimatedMs: null,
    result: null,
    code: null,
    reason: null,
    cancelCause: null,
    decision: null,
    cancelAnswer: null,
    ...UNTOLD,
    waitMs: null,
    heldUntil: null,
    heldWhy: null,
    finishedAt: null,
    ...row,
  };
}

export function muteRow(row: Partial<MuteRow> = {}): MuteRow {
  return { party: keyOf('Mum PC'), since: AT, until: AT + 86_400_000, ...row };
}

export function approvalRow(row: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    id: 'approval-1',
    taskId: 'task-1',
    revision: 1,
    digest: keyOf('view'),
    view: '{"task":"book the dentist"}',
    state: 'pending',
    riskClass: 'R1',
    createdAt: AT,
    expiresAt: AT + 3_600_000,
    decidedAt: null,
    decidedBy: null,
    surface: null,
    ruleId: null,
    reason: null,
    ...row,
  };
}

export function ruleRow(row: Partial<Omit<RuleRow, 'seq'>> = {}): Omit<RuleRow, 'seq'> {
  return {
    id: 'rule-1',
    effect: 'allow',
    reach: 'always',
    peer: keyOf('Mum PC'),
    agent: 'planner',
    domain: 'family.calendar',
    kind: 'query',
    askingAgent: 'claude',
    topic: null,
    conversation: null,
    riskMax: 'R1',
    createdAt: AT,
    trustedSince: AT,
    expiresAt: AT + 86_400_000,
    idleMs: null,
    lastUsedAt: null,
    suspended: false,
    madeOn: 'card',
    madeBy: '0123456789abcdef',
    approvalId: 'approval-1',
    uses: 0,
    endedAt: null,
    endedWhy: null,
    ...row,
  };
}

export function deliveryRow(row: Partial<Omit<DeliveryRow, 'seq'>> = {}): Omit<DeliveryRow, 'seq'> {
  return {
    deliveryId: 'delivery-1',
    agent: 'planner',
    kind: 'delegate',
    state: 'queued',
    taskId: null,
    conversationId: null,
    urgency: 1,
    body: '{"untrusted":{}}',
    attempt: 0,
    leaseUntilWallMs: null,
    createdAt: AT,
    finishedAt: null,
    ...row,
  };
}

export function messageRow(row: Partial<Omit<MessageRow, 'seq'>> = {}): Omit<MessageRow, 'seq'> {
  return {
    messageId: 'message-1',
    direction: 'in',
    party: keyOf('Mum PC'),
    kind: 'query',
    ref: null,
    conversationId: null,
    taskId: null,
    fromAgent: null,
    toAgent: null,
    payload: '{"question":"When?"}',
    at: AT,
    ...row,
  };
}

export function feedRow(row: Partial<Omit<FeedRow, 'seq'>> = {}): Omit<FeedRow, 'seq'> {
  return {
    id: 'feed-1',
    at: AT,
    party: keyOf('Mum PC'),
    fromAgent: null,
    topic: 'family.news',
    importance: 'low',
    data: '{}',
    readAt: null,
    tag: null,
    ...row,
  };
}

export function outboxRow(row: Partial<OutboxRow> = {}): OutboxRow {
  return {
    messageId: 'outbox-1',
    party: keyOf('Mum PC'),
    kind: 'result',
    raw: '{"kind":"result"}',
    createdAt: AT,
    expiresAtUptimeMs: 86_400_000,
    settledAt: null,
    ...row,
  };
}

export function replayRow(row: Partial<ReplayRow> = {}): ReplayRow {
  return {
    party: keyOf('Mum PC'),
    messageId: 'replay-1',
    contentDigest: keyOf('content'),
    reply: null,
    at: AT,
    ...row,
  };
}

export function auditRow(row: Partial<NewAuditRow> = {}): NewAuditRow {
  return {
    at: AT,
    actor: 'ui:0123456789abcdef',
    surface: 'browser',
    action: 'approve',
    object: 'approval-1',
    digest: keyOf('view'),
    detail: '{}',
    ...row,
  };
}
