// The states of the audit log page that are looked at: whole, empty, being checked, tampered with,
// restored, and with lines that are too long.
import type { AuditCheckDto, AuditRowDto, TamperFindingDto } from '../../preload/contract/audit.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import type { OperationResult } from '../../preload/contract/operations.ts';
import {
  AGENTS,
  DAD,
  DECIDED,
  DINNER,
  DINNER_THREAD,
  MUM,
  NOW,
  RESTORED,
  snapshotOf,
} from '../fakes/household.ts';
import { storyOfApproval } from '../fakes/stories.ts';
import type { ScreenState } from './states.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NEWEST = 12_345;
const ME = 'ui:0123456789abcdef';

type Answer = () => CallOutcome<OperationResult<'audit.acknowledge'>>;
type Told = Pick<AuditRowDto, 'action'> & Partial<AuditRowDto>;

/** The newest first, as the hub gives them. */
const rowsOf = (told: readonly Told[], spacingMs = 47 * MINUTE_MS): readonly AuditRowDto[] =>
  told.map((row, index) => ({
    seq: NEWEST - index,
    at: NOW - MINUTE_MS - index * spacingMs,
    monotonic_ms: HOUR_MS,
    actor: ME,
    surface: 'window',
    object: 'hub',
    rule: null,
    digest: null,
    detail: {},
    ...row,
  }));

const sessionEnd: Told = {
  action: 'token.revoked',
  surface: 'browser',
  object: ME,
  detail: { kind: 'ui', agent: null },
};
const DINNER_REQUEST = {
  conversation_id: DINNER_THREAD.conversation.id,
  message_id: DINNER_THREAD.entries[2]?.message_id ?? '',
  story: storyOfApproval({ ...DINNER, state: 'approved', decided_by: 'Mum', surface: 'window' }),
};
const DAYS = rowsOf([
  { action: 'approval.allowed', object: DINNER.id, digest: DINNER.digest, request: DINNER_REQUEST },
  { action: 'request.asked', actor: DAD.public_key ?? '', surface: 'peer', object: DINNER.id },
  sessionEnd,
  { action: 'approval.declined', object: DECIDED[0]?.id ?? '', surface: 'command_line' },
  { action: 'approval.expired', actor: 'hub', surface: 'clock', object: 'a request of long ago' },
  { action: 'request.passed', actor: DAD.public_key ?? '', surface: 'rule', rule: 'rule-1' },
  {
    action: 'token.revoked',
    object: 'claude-code',
    detail: { kind: 'agent', agent: AGENTS[0]?.name ?? null },
  },
  { action: 'rule.made' },
  sessionEnd,
  { action: 'settings.changed', surface: 'browser' },
  { action: 'attention.paused' },
  { action: 'peer.muted', object: DAD.public_key ?? '' },
  { action: 'registration.requested', actor: 'anonymous', surface: 'agent' },
  { action: 'agent.created', object: `agent:${AGENTS[0]?.name ?? ''}` },
  { action: 'peer.wrong_key', actor: 'hub', surface: 'hub', object: DAD.public_key ?? '' },
  { action: 'message.conflict', actor: 'f'.repeat(64), surface: 'peer' },
  { action: 'audit.checked', surface: 'command_line' },
]);
const LONG_NAME = 'Grandma Margarethe’s all-in-one kitchen computer by the window';
const LONG = rowsOf(
  [
    {
      action: 'approval.allowed',
      object: DINNER.id,
      digest: DINNER.digest,
      surface: 'a_surface_of_a_later_version',
    },
    {
      action:
        'a_later_version.did_something_that_has_no_words_here_and_whose_name_does_not_end_soon',
      object: 'x'.repeat(200),
    },
    {
      action: 'agent.updated',
      actor: `agent:${'kitchen-helper-'.repeat(4)}1`,
      surface: 'agent',
      object: `agent:${'long-'.repeat(12)}name`,
    },
    { action: 'peer.changed', object: DAD.public_key ?? '' },
    { action: 'registration.confirmed', object: '\u202egnihtemos' },
    ...Array.from({ length: 40 }, (): Told => ({
      action: 'request.declined',
      actor: DAD.public_key ?? '',
      surface: 'rule',
    })),
  ],
  MINUTE_MS,
);

const DONE: AuditCheckDto = {
  state: 'done',
  rows: NEWEST,
  checked: NEWEST,
  signed_seq: NEWEST - 5,
  signatures: 90,
  counted: true,
  finished_at: NOW,
  finding: null,
  acknowledged: [],
  problem: null,
};

/** None since the hub started, as once a finding was acknowledged. */
const FORGOTTEN: AuditCheckDto = {
  ...DONE,
  state: 'none',
  rows: 0,
  checked: 0,
  signed_seq: 0,
  signatures: 0,
  finished_at: null,
};

const CHANGED: TamperFindingDto = {
  kind: 'changed',
  row: 812,
  up_to: 812,
  following: NEWEST - 812,
};
const TAMPERED = { hub: { ...MUM, audit: 'tampered', tamper_finding: CHANGED } } as const;

function hubWith(
  check: AuditCheckDto | (() => AuditCheckDto),
  rows: readonly AuditRowDto[] = DAYS,
  over: Partial<Parameters<typeof snapshotOf>[0]> = {},
  acknowledge: Answer = () => ({
    ok: false,
    problem: problemOf('internal', 'There is no tamper finding.'),
  }),
): FakeHubApi {
  return new FakeHubApi(snapshotOf(over), {
    'audit.list': () => ({ ok: true, value: { items: rows, next: rows.length > 20 ? '1' : null } }),
    'audit.verification': () => ({
      ok: true,
      value: typeof check === 'function' ? check() : check,
    }),
    'audit.acknowledge': acknowledge,
    'audit.verify': () => ({ ok: true, value: typeof check === 'function' ? check() : check }),
  });
}

const place = 'settings/audit-log';
const longNamed = snapshotOf().peers.map((peer) =>
  peer.public_key === DAD.public_key ? { ...peer, name: LONG_NAME } : peer,
);

export const AUDIT_LOG_STATES: Readonly<Record<string, ScreenState>> = {
  'audit-log': { place, hub: () => hubWith(DONE) },
  'audit-log-rows': { place, hub: () => hubWith(DONE), show: '.rows > li:nth-child(3)' },
  'audit-log-empty': { place, hub: () => hubWith(FORGOTTEN, []) },
  'audit-log-checking': {
    place,
    hub: () => hubWith({ ...DONE, state: 'running', checked: 4_000, finished_at: null }),
  },
  'audit-log-tampered': {
    place,
    hub: () => hubWith({ ...DONE, finding: CHANGED }, DAYS, TAMPERED),
  },
  'audit-log-acknowledged': {
    place,
    hub: () => {
      let check: AuditCheckDto = { ...DONE, finding: CHANGED };
      const hub: FakeHubApi = hubWith(
        () => check,
        DAYS,
        TAMPERED,
        () => {
          check = FORGOTTEN;
          hub.emit({ type: 'hub', hub: MUM });
          return { ok: true, value: { state: 'ok' } };
        },
      );
      return hub;
    },
    press: ['I have seen it'],
  },
  restored: {
    place: 'now',
    hub: () => hubWith(DONE, DAYS, { hub: RESTORED }),
  },
  'same-key': {
    place: 'now',
    hub: () => hubWith(DONE, DAYS, { hub: { ...MUM, copy_at: '192.168.1.8:7100' } }),
  },
  'audit-log-failed': {
    place,
    hub: () =>
      hubWith({ ...DONE, state: 'failed', problem: 'The disk did not take it or give it back.' }),
  },
  'audit-log-long': { place, hub: () => hubWith(DONE, LONG, { peers: longNamed }) },
};
