// The states of the page of the record that are looked at: whole, empty, being checked, not whole, put back, and with what does not fit a line.
import type { AuditCheckDto, AuditRowDto } from '../../preload/contract/audit.ts';
import { flawOf } from '../../main/services/audit/flaws.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import type { OperationResult } from '../../preload/contract/operations.ts';
import { AGENTS, DAD, DECIDED, DINNER, MUM, NOW, snapshotOf } from '../fakes/household.ts';
import type { ScreenState } from './states.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NEWEST = 12_345;
const ME = 'ui:0123456789abcdef';

type Answer = () => CallOutcome<OperationResult<'audit.confirm'>>;
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

const login: Told = { action: 'token.issued', surface: 'browser', object: ME, detail: { kind: 'ui', agent: null } };
const DAYS = rowsOf([
  { action: 'approval.allowed', object: DINNER.id, digest: DINNER.digest },
  { action: 'request.asked', actor: DAD.public_key ?? '', surface: 'peer', object: DINNER.id },
  login,
  { action: 'approval.declined', object: DECIDED[0]?.id ?? '', surface: 'command_line' },
  { action: 'approval.expired', actor: 'hub', surface: 'clock', object: 'a request of long ago' },
  { action: 'request.passed', actor: DAD.public_key ?? '', surface: 'rule', rule: 'rule-1' },
  { action: 'token.issued', object: 'claude-code', detail: { kind: 'agent', agent: AGENTS[0]?.name ?? null } },
  { action: 'rule.made' },
  login,
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
    { action: 'approval.allowed', object: DINNER.id, digest: DINNER.digest, surface: 'a_surface_of_a_later_version' },
    { action: 'a_later_version.did_something_that_has_no_words_here_and_whose_name_does_not_end_soon', object: 'x'.repeat(200) },
    {
      action: 'agent.updated',
      actor: `agent:${'kitchen-helper-'.repeat(4)}1`,
      surface: 'agent',
      object: `agent:${'long-'.repeat(12)}name`,
    },
    { action: 'peer.changed', object: DAD.public_key ?? '' },
    { action: 'registration.confirmed', object: '\u202egnihtemos' },
    ...Array.from({ length: 40 }, (): Told => ({ action: 'request.turned_away', actor: DAD.public_key ?? '', surface: 'rule' })),
  ],
  MINUTE_MS,
);

const DONE: AuditCheckDto = {
  state: 'done',
  rows: NEWEST,
  checked: NEWEST,
  signed_seq: NEWEST - 5,
  seals: 90,
  counted: true,
  finished_at: NOW,
  flaw: null,
  flaws: [],
  problem: null,
  unsigned_end: null,
};

/** None since the hub started, as once it was said that the record is meant. */
const FORGOTTEN: AuditCheckDto = { ...DONE, state: 'none', rows: 0, checked: 0, signed_seq: 0, seals: 0, finished_at: null };

const CHANGED = flawOf('row_changed', 812);

function hubWith(
  check: AuditCheckDto | (() => AuditCheckDto),
  rows: readonly AuditRowDto[] = DAYS,
  over: Partial<Parameters<typeof snapshotOf>[0]> = {},
  confirm: Answer = () => ({ ok: false, problem: problemOf('internal', 'Nothing is in doubt.') }),
): FakeHubApi {
  return new FakeHubApi(snapshotOf(over), {
    'audit.list': () => ({ ok: true, value: { items: rows, next: rows.length > 20 ? '1' : null } }),
    'audit.verification': () => ({ ok: true, value: typeof check === 'function' ? check() : check }),
    'audit.confirm': confirm,
    'audit.verify': () => ({ ok: true, value: typeof check === 'function' ? check() : check }),
  });
}

const place = 'settings/record';
const longNamed = snapshotOf().peers.map((peer) => (peer.public_key === DAD.public_key ? { ...peer, name: LONG_NAME } : peer));

export const RECORD_STATES: Readonly<Record<string, ScreenState>> = {
  record: { place, hub: () => hubWith(DONE) },
  'record-rows': { place, hub: () => hubWith(DONE), show: '.rows > li:nth-child(3)' },
  'record-empty': { place, hub: () => hubWith(FORGOTTEN, []) },
  'record-checking': { place, hub: () => hubWith({ ...DONE, state: 'running', checked: 4_000, finished_at: null }) },
  'record-broken': {
    place,
    hub: () =>
      hubWith(
        { ...DONE, flaw: CHANGED, flaws: [CHANGED], unsigned_end: { rows: 3, from_seq: 12_100, from_at: NOW - 30 * HOUR_MS, ends: 2 } },
        DAYS,
        { hub: { ...MUM, record: 'broken' } },
      ),
  },
  'record-put-back': { place, hub: () => hubWith({ ...DONE, counted: false }, DAYS, { hub: { ...MUM, record: 'older_copy' } }) },
  'record-meant': {
    place,
    hub: () => {
      let check: AuditCheckDto = { ...DONE, flaw: CHANGED, flaws: [CHANGED] };
      const hub: FakeHubApi = hubWith(
        () => check,
        DAYS,
        { hub: { ...MUM, record: 'older_copy' } },
        () => {
          check = FORGOTTEN;
          hub.emit({ type: 'hub', hub: { ...MUM, record: 'current' } });
          return { ok: true, value: { state: 'current' } };
        },
      );
      return hub;
    },
    press: ['This record is meant'],
  },
  'record-failed': { place, hub: () => hubWith({ ...DONE, state: 'failed', problem: 'The disk did not take it or give it back.' }) },
  'record-long': { place, hub: () => hubWith(DONE, LONG, { peers: longNamed }) },
};
