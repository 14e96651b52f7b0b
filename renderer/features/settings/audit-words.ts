// How rows of the audit log are told to a person: who and what by the names people know, by day,
// with the owner's ended sessions as one line. Pure; what it does not know it shows as it stands
// and never guesses at.
import { readableHandle } from '../../../preload/contract/agent-name.ts';
import { isOneOf, PEOPLE_SURFACES } from '../../../preload/contract/closed-lists.ts';
import type { AuditRowDto } from '../../../preload/contract/audit.ts';
import type { UiSnapshot } from '../../../preload/contract/dto.ts';
import { dayName } from '../../app/format.ts';
import { words } from '../../app/words.ts';
import type { IconName } from '../../ui/icons.ts';

export type Household = Pick<
  UiSnapshot,
  'agents' | 'removed_agents' | 'approvals' | 'recently_decided' | 'peers'
>;

/**
 * The rows of one day, newest first; `ownSessions`: the ends of the owner's own sessions, told as
 * one line.
 */
interface AuditDay {
  readonly name: string;
  readonly rows: readonly AuditRowDto[];
  readonly ownSessions: readonly AuditRowDto[];
}

const { who: called, what: named, actions } = words.audit;
const OWNER_NAMES = ['owner', 'agent:@owner'];
const MARKS: ReadonlyMap<string, IconName> = new Map(
  Object.entries({
    'approval.allowed': 'mark-let',
    'approval.answered': 'mark-out',
    'approval.cancelled': 'mark-gone',
    'approval.declined': 'mark-back',
    'approval.digest_mismatch': 'mark-failed',
    'approval.expired': 'mark-late',
    'approval.held': 'mark-held',
    'request.held': 'mark-held',
    'request.passed': 'mark-rule',
    'request.declined': 'mark-back',
  } satisfies Record<string, IconName>),
);
const AREAS: ReadonlyMap<string, IconName> = new Map(
  Object.entries({
    agent: 'agents',
    approval: 'mark-waiting',
    attention: 'pause',
    audit: 'verified',
    cancel: 'mark-gone',
    delegation: 'mark-out',
    delivery: 'conversations',
    message: 'conversations',
    notify: 'feed',
    passphrase: 'key',
    peer: 'people',
    conversation: 'mark-gone',
    records: 'mark-gone',
    registration: 'agents',
    remote_approval: 'others',
    request: 'mark-waiting',
    result: 'conversations',
    rule: 'rules',
    settings: 'settings',
    token: 'key',
  } satisfies Record<string, IconName>),
);
/**
 * What adults' hubs are asked and say has the request as its object, like all that becomes of it
 * here.
 */
const ABOUT_A_REQUEST: readonly string[] = [
  'remote_approval.answered',
  'remote_approval.asked',
  'remote_approval.refused',
];
const AGENT_PREFIX = 'agent:';
const KEY = /^[0-9a-f]{64}$/;

/** What a row says, in one sentence; the bare name of an action that has no words. */
export function sentenceOf(row: AuditRowDto, household: Household): string {
  const sentence = Object.hasOwn(actions, row.action) ? actions[row.action] : undefined;
  if (sentence === undefined) return row.action === '' ? words.audit.noAction : row.action;
  return sentence(whoOf(row, household), whatOf(row, household));
}

/**
 * The mark of a row: what became of a request by the marks of the requests, everything else by what
 * it is about.
 */
export function iconOf({ action }: AuditRowDto): IconName {
  const [area = ''] = action.split('.');
  return MARKS.get(action) ?? AREAS.get(area) ?? 'hub';
}

/** Days with their rows, in the order in which the rows come. */
export function daysOf(rows: readonly AuditRowDto[], now: number): readonly AuditDay[] {
  const days = new Map<
    string,
    { readonly rows: AuditRowDto[]; readonly ownSessions: AuditRowDto[] }
  >();
  for (const row of rows) {
    const name = row.at === null ? words.audit.noTime : dayName(row.at, now);
    const day = days.get(name) ?? { rows: [], ownSessions: [] };
    day[isEndOfOwnSession(row) ? 'ownSessions' : 'rows'].push(row);
    days.set(name, day);
  }
  return [...days].map(([name, day]) => ({ name, ...day }));
}

function isEndOfOwnSession({ action, detail }: AuditRowDto): boolean {
  const kind = factOf(detail, 'kind');
  return action === 'token.revoked' && (kind === 'owner' || kind === 'ui');
}

function whoOf({ actor, surface }: AuditRowDto, household: Household): string {
  if (isOneOf(PEOPLE_SURFACES, surface)) return called.you;
  if (KEY.test(actor)) return hubOf(actor, household) ?? called.goneHub;
  if (actor === 'hub') return called.hub;
  if (actor === 'anonymous') return called.program;
  return agentOf(actor, household) ?? (OWNER_NAMES.includes(actor) ? called.you : actor);
}

function whatOf({ action, object, detail }: AuditRowDto, household: Household): string {
  const [area] = action.split('.');
  if (area === 'peer') return hubOf(object, household) ?? named.goneHub;
  if (area === 'agent' || area === 'registration')
    return agentOf(object, household) ?? readableHandle(object);
  if (area === 'token') {
    const agent = factOf(detail, 'agent');
    return agent === null ? named.session : (agentOf(agent, household) ?? readableHandle(agent));
  }
  if (action === 'hub.ended_unexpectedly') {
    const [rows, from] = [numberOf(detail, 'rows'), numberOf(detail, 'from_row')];
    return rows === 0 ? named.allSigned : named.unsigned(rows, from);
  }
  if (action === 'records.removed') {
    return named.removed(
      numberOf(detail, 'tasks'),
      numberOf(detail, 'messages'),
      numberOf(detail, 'feed'),
    );
  }
  if (action === 'audit.tampered' || action === 'audit.acknowledged')
    return named.row(numberOf(detail, 'row'));
  if (area !== 'approval' && !ABOUT_A_REQUEST.includes(action)) return object;
  const approval = [...household.approvals, ...household.recently_decided].find(
    ({ id }) => id === object,
  );
  return approval === undefined ? named.request : named.requestOf(approval.peer_name);
}

function hubOf(key: string, { peers }: Household): string | undefined {
  return peers.find(({ public_key }) => public_key === key)?.name;
}

/** null: no agent of this hub has or had that handle. */
function agentOf(name: string, { agents, removed_agents: removed }: Household): string | null {
  const bare = name.startsWith(AGENT_PREFIX) ? name.slice(AGENT_PREFIX.length) : name;
  const agent = [...agents, ...removed].find((one) => one.name === bare);
  if (agent !== undefined) return agent.display_name;
  return bare !== name && !OWNER_NAMES.includes(name) ? readableHandle(bare) : null;
}

function factOf(detail: unknown, name: string): string | null {
  const fact = valueOf(detail, name);
  return typeof fact === 'string' ? fact : null;
}

function numberOf(detail: unknown, name: string): number {
  const fact = valueOf(detail, name);
  return typeof fact === 'number' ? fact : 0;
}

function valueOf(detail: unknown, name: string): unknown {
  if (typeof detail !== 'object' || detail === null) return undefined;
  return Object.entries(detail).find(([key]) => key === name)?.[1];
}
