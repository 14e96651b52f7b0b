// Tables `agents`, `registrations` and `tokens`: the programs of this machine and what they may
// call with.
import { RISK_CLASSES, isOneOf } from '../../../../preload/contract/closed-lists.ts';
import type {
  AgentDomainRow,
  AgentRow,
  Reads,
  RegistrationRow,
  Tables,
  TokenRow,
} from '../../../ports/store.ts';
import {
  choice,
  flag,
  integer,
  json,
  milliseconds,
  nullable,
  sha256,
  strings,
  text,
} from '../columns.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

function isDomain(value: unknown): value is AgentDomainRow {
  return (
    typeof value === 'object' &&
    value !== null &&
    'domain' in value &&
    typeof value.domain === 'string' &&
    'riskClass' in value &&
    (value.riskClass === null || isOneOf(RISK_CLASSES, value.riskClass)) &&
    'byOwner' in value &&
    typeof value.byOwner === 'boolean' &&
    'isOffered' in value &&
    typeof value.isOffered === 'boolean' &&
    (!('example' in value) || typeof value.example === 'string')
  );
}

const AGENT = new RowMapper<AgentRow>({
  name: text('name'),
  displayName: text('display_name'),
  dialect: text('dialect'),
  state: choice('state', ['requested', 'active']),
  riskClass: choice('risk_class', RISK_CLASSES),
  classByOwner: flag('class_by_owner'),
  domains: json(
    'domains',
    (value): value is readonly AgentDomainRow[] => Array.isArray(value) && value.every(isDomain),
  ),
  capabilities: strings('capabilities'),
  channels: strings('channels'),
  tools: strings('tools'),
  topics: strings('topics'),
  model: nullable(text('model')),
  concurrency: integer('concurrency'),
  isDefault: flag('is_default'),
  createdAt: milliseconds('created_at'),
  lastCallAt: nullable(milliseconds('last_call_at')),
});

const REGISTRATION = new RowMapper<RegistrationRow>({
  id: text('id'),
  secretSha256: sha256('secret_sha256'),
  code: text('code'),
  agentName: text('agent_name'),
  request: text('request'),
  state: choice('state', ['pending', 'confirmed', 'declined']),
  createdAt: milliseconds('created_at'),
  expiresAt: milliseconds('expires_at'),
});

const TOKEN = new RowMapper<TokenRow>({
  id: text('id'),
  kind: choice('kind', ['agent', 'ui', 'owner']),
  agent: nullable(text('agent')),
  secretSha256: sha256('secret_sha256'),
  scopes: strings('scopes'),
  label: text('label'),
  createdAt: milliseconds('created_at'),
  lastUsedAt: nullable(milliseconds('last_used_at')),
  expiresAt: nullable(milliseconds('expires_at')),
  idleExpiresAfterMs: nullable(milliseconds('idle_expires_after_ms')),
  revokedAt: nullable(milliseconds('revoked_at')),
});

const AGENT_QUERIES = {
  all: `SELECT ${AGENT.columns} FROM agents ORDER BY created_at, name`,
  byName: `SELECT ${AGENT.columns} FROM agents WHERE name = ?`,
} as const;
const TOKEN_QUERIES = {
  all: `SELECT ${TOKEN.columns} FROM tokens ORDER BY created_at, id`,
  byId: `SELECT ${TOKEN.columns} FROM tokens WHERE id = ?`,
} as const;

export function agentReads(
  statements: Statements,
): Pick<Reads, 'agents' | 'agent' | 'registrations' | 'registration' | 'tokens' | 'token'> {
  return {
    agents: () =>
      statements.settled('agents', null, () => statements.all(AGENT, AGENT_QUERIES.all)),
    agent: (name) =>
      statements.settled('agents', name, () => statements.one(AGENT, AGENT_QUERIES.byName, name)),
    registrations: () =>
      statements.all(
        REGISTRATION,
        `SELECT ${REGISTRATION.columns} FROM registrations ORDER BY created_at, id`,
      ),
    registration: (id) =>
      statements.one(
        REGISTRATION,
        `SELECT ${REGISTRATION.columns} FROM registrations WHERE id = ?`,
        id,
      ),
    tokens: () =>
      statements.settled('tokens', null, () => statements.all(TOKEN, TOKEN_QUERIES.all)),
    token: (id) =>
      statements.settled('tokens', id, () => statements.one(TOKEN, TOKEN_QUERIES.byId, id)),
  };
}

export function agentWrites(
  statements: Statements,
): Pick<
  Tables,
  'putAgent' | 'deleteAgent' | 'putRegistration' | 'deleteRegistration' | 'putToken' | 'deleteToken'
> {
  const put = <Row extends object>(
    table: string,
    mapper: RowMapper<Row>,
    key: keyof Row & string,
  ): string =>
    `INSERT INTO ${table} (${mapper.columns}) VALUES (${mapper.placeholders}) ON CONFLICT (${key}) DO UPDATE SET ${mapper.excluded(key)}`;
  const putAgent = put('agents', AGENT, 'name');
  const putRegistration = put('registrations', REGISTRATION, 'id');
  const putToken = put('tokens', TOKEN, 'id');
  return {
    putAgent: (row) => void statements.run(putAgent, ...AGENT.write(row, statements)),
    deleteAgent: (name) => void statements.run('DELETE FROM agents WHERE name = ?', name),
    putRegistration: (row) =>
      void statements.run(putRegistration, ...REGISTRATION.write(row, statements)),
    deleteRegistration: (id) => void statements.run('DELETE FROM registrations WHERE id = ?', id),
    putToken: (row) => void statements.run(putToken, ...TOKEN.write(row, statements)),
    deleteToken: (id) => void statements.run('DELETE FROM tokens WHERE id = ?', id),
  };
}
